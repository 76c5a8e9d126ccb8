# SPDX-License-Identifier: MIT
"""report.py - what a text report says."""
import re

from lines import HEADING, TOLD, split

HEADLINE = re.compile(r"<whocallme>: (\S+): (SIG[A-Z]+), (.*)$")
THREAD = re.compile(r'<whocallme>: process (\d+), thread (\d+) "([^"]*)"')
FRAME = re.compile(r"#(\d+) 0x([0-9a-f]+) in (.*)$")
SIGNAL_FRAME = re.compile(r"#(\d+) <signal handler called>$")
PLACE = re.compile(r"(.+?)(?:\+0x[0-9a-f]+)? \((.+)\+0x[0-9a-f]+(?:, unloaded)?\)(?: \?)?$")
LEFT_OUT = re.compile(r"\((\d+) frames left out\)$")
CUT = "(the stack may go on"


WHY = re.compile(r"(read of|write to|execution of|access to|not canonical:)")
FOLD = re.compile(r"\.\.\. (\d+) more of .*?(?:, in rounds of (\d+))?$")
GROUP = re.compile(r"\d+ threads (.*?)(:| did not answer.*)?$")
ALIKE = re.compile(r'(\d+)(?:-(\d+))? ("[^"]*")')
MOST_UNFOLDED = 200


def unfolded(lines):
    """Frames that a fold has only counted are there, but for the middle of very many."""
    frames = []  # each with the lines below it
    for line in lines:
        fold = FOLD.match(line)
        if not fold:
            if line.startswith("#") or not frames:
                frames.append([])
            frames[-1].append(line)
            continue
        period, count = int(fold.group(2) or 1), int(fold.group(1))
        first = int(re.match(r"#(\d+)", frames[-1][0]).group(1)) + 1
        for i in range(min(count, MOST_UNFOLDED)):
            again = frames[-period]
            frames.append([re.sub(r"#\d+", f"#{first + i}", again[0])] + again[1:])
        if count > MOST_UNFOLDED:
            frames[-1] = frames[-1] + [f"({count - MOST_UNFOLDED} frames left out)"]
    return [line for frame in frames for line in frame]


def threads_of(group):
    for first, last, name in ALIKE.findall(group):
        for tid in range(int(first), int(last or first) + 1):
            yield tid, name


def parts(lines):
    """The stack that crashed and those of the others: [(threads, end, lines)], threads being
    (id, name), and what comes before and behind."""
    found, before, behind, pending = [], [], [], None
    for line in lines:
        group = GROUP.match(line) or re.match(r"thread (\d+ \".*\")(:| did not .*)$", line)
        if pending is not None:
            group, pending = GROUP.match(pending + line), None
        if group and not group.group(2):
            pending = line
        elif group:
            found.append((list(threads_of(group.group(1))), group.group(2), []))
        elif FRAME.match(line) or SIGNAL_FRAME.match(line):
            if not found:
                found.append(([], "", []))
            found[-1][2].append(line)
        elif not found:
            before.append(line)
        elif re.match(r"   |\t|\.\.\. |\((?:the stack|\d+ frame)", line):
            found[-1][2].append(line)
        elif WHY.match(line):
            before.append(line)
        else:
            behind.append(line)
    return before, found, behind


def lines_below(stack):
    """Those of the source, as they are behind a report."""
    number = None
    for line, following in zip(stack, stack[1:] + [""]):
        if SIGNAL_FRAME.match(line):
            yield line
        elif line.startswith("#"):
            number = line.split()[0]
            if not re.match(r"   [^ (]", following):
                place = PLACE.match(line.split(" in ", 1)[-1])
                yield f"{number} {place.group(1) if place else '??'}"
        elif re.match(r"   [^ (]", line):
            yield number + line[2:] if number else line
            number = None


def older(lines):
    """A report as it was before there were pages: each thread by itself, nothing folded, the
    lines of the source behind all else."""
    told = [i for i, line in enumerate(lines) if TOLD.match(line)]
    lines, after = (lines[:told[0]], lines[told[0]:]) if told else (lines, [])
    before, found, behind = parts(lines)
    sources, threads, has_lines = [], [], False
    for i, (names, end, stack) in enumerate(found):
        stack = unfolded(stack)
        frames = [line for line in stack if not re.match(r"   |\t", line)]
        has_lines |= any(" at " in line and line.startswith("   ") for line in stack)
        for tid, name in names or [(0, "")]:
            if names:
                threads += [f"thread {tid} {name}{end}"]
                sources += [f"thread {tid}:"]
            if not names:
                before += frames
            else:
                threads += frames
            sources += list(lines_below(stack))
    if has_lines and not after:
        after = [HEADING] + sources
    return before + threads + behind + after


class Frame:
    """One line of a stack: function is "??" where it has no name."""

    def __init__(self, number, pc, text):
        self.number, self.pc = number, pc
        self.function, self.module = text, ""
        place = PLACE.match(text)
        if place:
            self.function, self.module = place.group(1), place.group(2)
        self.function = self.function.replace(" [cold]", "")
        self.guessed = text.endswith(" ?")


class One:
    """One report: the headline, its thread, the stack of the crash, the rest; and
    what is said of source lines after it."""

    def __init__(self, lines):
        head = HEADLINE.search(lines[0])
        self.program, self.signal, self.cause = head.groups()
        lines, self.after = split(lines)
        self.lines, self.frames, self.cut = lines, [], ""
        self.thread, self.top = None, [lines[0]]
        rest = self.read_top(lines[1:])
        self.rest = self.read_stack(rest)

    def read_top(self, lines):
        for i, line in enumerate(lines):
            if FRAME.match(line) or SIGNAL_FRAME.match(line):
                return lines[i:]
            self.top.append(line)
            thread = THREAD.search(line)
            if thread and not self.thread:
                self.thread = (int(thread.group(1)), int(thread.group(2)),
                               thread.group(3))
        return []

    def read_stack(self, lines):
        """Frames are numbered on from 0; what has other numbers is another
        thread's."""
        for i, line in enumerate(lines):
            frame, signal = FRAME.match(line), SIGNAL_FRAME.match(line)
            if line.startswith(CUT):
                self.cut = line
            elif LEFT_OUT.match(line):
                continue
            elif signal:
                continue
            elif frame and (int(frame.group(1)) > 0 or not self.frames):
                self.frames.append(Frame(int(frame.group(1)),
                                         int(frame.group(2), 16),
                                         frame.group(3)))
            else:
                return lines[i:]
        return []


class Report:
    def __init__(self, text):
        self.text, self.all = text, []
        lines = text.splitlines()
        starts = [i for i, line in enumerate(lines) if HEADLINE.search(line)]
        for start, end in zip(starts, starts[1:] + [len(lines)]):
            self.all.append(One(older(lines[start:end])))
        self.count = len(self.all)
