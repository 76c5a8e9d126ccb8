# SPDX-License-Identifier: MIT
"""lines.py - are the source lines behind a report those that gdb finds in the core?"""
import os
import re
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
# Ours, and how many frames of a stack are asked of gdb.
INNERMOST = 64
# The functions of whocallme/crash/signals/handler_code.h: a report leaves them out.
HANDLERS = ("on_fatal_signal", "take_fatal", "handle_fatal", "on_quit", "take_quit", "is_end",
            "is_end_of", "is_end_for", "is_dealt_with", "is_ignored", "wcm__chain_call")
HEADING = "<whocallme>: source lines:"
FAILED = re.compile(r"<whocallme>: no (?:more )?source lines: (.*)$")
TOLD = re.compile(r"<whocallme>: (?:source lines:|no source lines: )")
NUMBERED = re.compile(r"#(\d+) (.*)$")
INLINED = re.compile(r"   (\S.*)$")
THREAD = re.compile(r"thread (\d+):$")
PLACE = re.compile(r"(.*?)(?: at (.*?):(\d+)(?::\d+)?)?( \(inlined\))?$")


def place(text):
    """(function, file's name, line, whether it is inlined)."""
    function, path, line, inlined = PLACE.match(text).groups()
    return (clean(function), os.path.basename(path or ""), int(line or 0),
            bool(inlined))


def clean(function):
    """Without what ours says and gdb does not: offsets, modules, parameters."""
    function = re.sub(r"\(\)$", "", function)
    return re.sub(r"\+0x[0-9a-f]+$", "", function)


def split(lines):
    """The lines of a report, and those about lines behind it."""
    for i, line in enumerate(lines):
        if TOLD.match(line):
            return lines[:i], lines[i:]
    return lines, []


def ours(lines, crashed):
    """{tid: [(number, [place, ...]), ...]}"""
    stacks, tid = {}, crashed
    for line in lines:
        frame, other = NUMBERED.match(line), THREAD.match(line)
        inlined = INLINED.match(line)
        if other:
            tid = int(other.group(1))
        elif frame:
            stacks.setdefault(tid, []).append(
                (int(frame.group(1)), [place(frame.group(2))]))
        elif inlined and tid in stacks:
            stacks[tid][-1][1].append(place(inlined.group(1)))
    return stacks


def theirs(program, core):
    """The same of gdb: of each stack the innermost frames, without those that a
    report leaves out."""
    command = ["gdb", "-nx", "-batch", "-iex", "set debuginfod enabled off",
               "-ex", "set backtrace past-main on",
               "-ex", "set backtrace past-entry on", "-x",
               os.path.join(HERE, "gdb_lines.py"), program, core]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True,
                          stderr=subprocess.DEVNULL, errors="replace",
                          stdin=subprocess.DEVNULL, timeout=120)
    stacks, tid = {}, None
    for line in done.stdout.splitlines():
        word = line.split("\t")
        if word[0] == "thread":
            tid = int(word[1])
            stacks[tid] = []
        elif word[0] == "frame" and tid:
            stacks[tid].append((len(stacks[tid]), []))
        elif word[0] == "function" and tid:
            stacks[tid][-1][1].append((clean(word[1]), word[2], int(word[3]),
                                       word[4] == "inlined"))
    return {tid: reported(frames) for tid, frames in stacks.items()}


def reported(frames):
    """FRAMES without those of our handlers, numbered anew."""
    places = [places for _, places in frames
              if not places or places[-1][0] not in HANDLERS]
    return list(enumerate(places))


def same(mine, gdbs):
    """A function without a name is one that has no line either."""
    if mine[2] == gdbs[2] == 0:
        return True
    return mine == gdbs


def differences(mine, gdbs):
    """(frames compared, what differs in words), up to the first frame that was
    left out of the report."""
    count = 0
    for (number, places), (its, wanted) in zip(mine, gdbs):
        if number != its or number >= INNERMOST:
            break
        if len(places) != len(wanted) or \
                not all(map(same, places, wanted)):
            return count, ["#%d: %s, gdb's %s" % (number, places, wanted)]
        count += 1
    return count, []
