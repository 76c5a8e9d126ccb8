# SPDX-License-Identifier: MIT
"""stacks.py - are the stacks of a report those that gdb finds in the core?"""
import os
import re
import subprocess

from lines import HANDLERS
from report import FRAME, SIGNAL_FRAME, THREAD, older

HERE = os.path.dirname(os.path.abspath(__file__))
# The length of the instruction.
SYSCALL = 2
OTHER = re.compile(r"thread (\d+) ")
OFFSET = re.compile(r"(\S+?)(?: \[cold\])?\+0x([0-9a-f]+) \(")


def ours(text):
    """{tid: [(pc, start, name), ...]} of one report; the first is the thread
    that crashed."""
    stacks, tid = {}, None
    for line in older(text.splitlines()):
        head, other = THREAD.search(line), OTHER.search(line)
        frame = FRAME.match(line)
        if head:
            tid = int(head.group(2))
        elif frame or SIGNAL_FRAME.match(line):
            stacks.setdefault(tid, []).append(
                one(frame) if frame else (0, 0, "signal"))
        elif other and not line.startswith("#"):
            tid = int(other.group(1))
    return stacks


def one(frame):
    pc, named = int(frame.group(2), 16), OFFSET.match(frame.group(3))
    if not named:
        return pc, 0, "??"
    return pc, pc - int(named.group(2), 16), named.group(1)


def theirs(program, core):
    command = ["gdb", "-nx", "-batch", "-iex", "set debuginfod enabled off",
               "-iex", "set sysroot /", "-ex", "set backtrace past-main on",
               "-ex", "set backtrace past-entry on", "-x",
               os.path.join(HERE, "frames.py"), program, core]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True,
                          stderr=subprocess.DEVNULL, errors="replace",
                          stdin=subprocess.DEVNULL, timeout=120)
    stacks, tid = {}, None
    for line in done.stdout.splitlines():
        word = line.split(None, 2)
        if word[:1] == ["thread"] and len(word) == 2:
            tid = int(word[1])
            stacks[tid] = []
        elif tid and word[:1] == ["signal"]:
            stacks[tid].append((0, 0, "signal"))
        elif tid and len(word) == 3 and re.match("[0-9a-f]+$", word[0]):
            stacks[tid].append((int(word[0], 16), int(word[1], 16), word[2]))
    return stacks


def same_function(mine, gdbs):
    """A name, where both have one; two names of one function begin at the same
    address."""
    if mine[2] == "??" or gdbs[2] == "??" or mine[2] == gdbs[2]:
        return True
    return mine[1] == gdbs[1]


def same_pc(number, our, their, interrupted):
    """A system call that a signal interrupted is made again: the pc was set back
    to its instruction, and is behind it in the core."""
    again = (0, SYSCALL) if interrupted and number == 0 else (0,)
    return their[0] - our[0] in again


def differences(mine, gdbs, interrupted=False):
    """(frames compared, what differs in words); the thread has been INTERRUPTED
    for its stack, and gone on."""
    gdbs = [frame for frame in gdbs if frame[2] not in HANDLERS]
    if interrupted and gdbs and gdbs[0][2].startswith("wcm__"):
        # It has answered, and had not gone on yet.
        gdbs = gdbs[gdbs.index((0, 0, "signal")) + 1:]
    for number, (our, their) in enumerate(zip(mine, gdbs)):
        if not same_pc(number, our, their, interrupted):
            return number, ["#%d: pc %x %s, gdb's %x %s" % (
                number, our[0], our[2], their[0], their[2])]
        if not same_function(our, their):
            return number, ["#%d: %s, gdb's %s" % (number, our[2], their[2])]
    shorter = min(len(mine), len(gdbs))
    if len(mine) != len(gdbs):
        return shorter, ["%d frames, gdb's %d; gdb's next %s" % (
            len(mine), len(gdbs), gdbs[shorter:shorter + 1])]
    return shorter, []
