# SPDX-License-Identifier: MIT
"""report.py - what a text report says."""
import re

from lines import split

HEADLINE = re.compile(r"<whocallme>: (\S+): (SIG[A-Z]+), (.*)$")
THREAD = re.compile(r'<whocallme>: process (\d+), thread (\d+) "([^"]*)"')
FRAME = re.compile(r"#(\d+) 0x([0-9a-f]+) in (.*)$")
SIGNAL_FRAME = re.compile(r"#(\d+) <signal handler called>$")
PLACE = re.compile(r"(.+?)(?:\+0x[0-9a-f]+)? \((.+)\+0x[0-9a-f]+(?:, unloaded)?\)(?: \?)?$")
LEFT_OUT = re.compile(r"\((\d+) frames left out\)$")
CUT = "(the stack may go on"


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
            self.all.append(One(lines[start:end]))
        self.count = len(self.all)
