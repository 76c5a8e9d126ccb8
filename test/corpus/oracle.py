# SPDX-License-Identifier: MIT
"""oracle.py - gdb's side: at each mark and each fault, the pcs of all frames.

Run by gdb (-x).  Inlined frames and those that gdb makes up for tail calls have
no frame of their own on the stack.  makecontext(3) has a coroutine return to the
first byte of __start_context, where gdb finds no frame description and takes the
arguments on the stack for frames: it ends there.  A fault where there is no code
comes of a call, which is undone before gdb is asked for the caller's frames.
Functions that are compiled without any description are where gdb, too, can only
guess: the list breaks off there, with "..."; and so it does on i386 before a caller that
is not code, to which wrong descriptions lead, as those of memcpy() in glibc 2.36.
"""
import os

import gdb

MOST = 256
UNDESCRIBED = ("__clang_call_terminate",)
NO_FRAME = (gdb.INLINE_FRAME, gdb.TAILCALL_FRAME)
FAULTS = ("SIGSEGV", "SIGFPE", "SIGILL")


def address_of(name):
    try:
        return int(gdb.parse_and_eval("(unsigned long)&" + name))
    except gdb.error:
        return 0


def is_code(pc):
    with open("/proc/%d/maps" % gdb.selected_inferior().pid) as maps:
        for line in maps:
            span, access = line.split()[:2]
            low, high = (int(part, 16) for part in span.split("-"))
            if low <= pc < high:
                return "x" in access
    return False


class Oracle:
    def __init__(self):
        self.wild = {}  # a pc without code: the frames of who called it
        self.first = address_of("__start_context")
        self.is_i386 = int(gdb.parse_and_eval("sizeof(void *)")) == 4

    def pcs(self):
        frame = gdb.newest_frame()
        found = []
        while frame is not None and len(found) < MOST:
            if frame.type() not in NO_FRAME:
                found.append("%x" % frame.pc())
            if frame.pc() in self.wild:
                return found + self.wild[frame.pc()]
            if self.first and frame.pc() == self.first:
                break
            if frame.name() in UNDESCRIBED:
                return found + ["..."]
            if self.is_i386 and len(found) > 1 and not is_code(frame.pc()):
                return found[:-1] + ["..."]
            try:
                frame = frame.older()
            except gdb.error:
                break
        return found

    def crash(self):
        pc = gdb.newest_frame().pc()
        self.wild = {}
        if not is_code(pc):
            sp = int(gdb.parse_and_eval("(unsigned long)$sp"))
            ra = int(gdb.parse_and_eval("*(unsigned long *)$sp"))
            gdb.execute("set $sp = $sp + sizeof(void *)")
            gdb.execute("set $pc = %d" % ra)
            self.wild = {pc: self.pcs()}
            gdb.execute("set $sp = %d" % sp)
            gdb.execute("set $pc = %d" % pc)
        return self.pcs()


def kind_of(event):
    if isinstance(event, gdb.BreakpointEvent):
        return "mark"
    if isinstance(event, gdb.SignalEvent) and event.stop_signal in FAULTS:
        return "crash"
    return None


def main():
    for command in (
        "set confirm off", "set pagination off", "set width 0",
        "set backtrace past-main on",
        "set backtrace past-entry off", "set print thread-events off",
        "set print inferior-events off", "set auto-load no",
        "handle all nostop noprint pass", "handle SIGTRAP stop print nopass",
        "handle SIGINT stop print nopass",
    ):
        gdb.execute(command, to_string=True)
    try:
        gdb.execute("set debuginfod enabled off", to_string=True)
    except gdb.error:
        pass  # gdb before 12 knows of none
    for fault in FAULTS:
        gdb.execute("handle %s stop print pass" % fault, to_string=True)
    gdb.execute("break *mark", to_string=True)
    seen = []
    gdb.events.stop.connect(lambda event: seen.append(kind_of(event)))
    with open(os.environ["CORPUS_EXPECTED"], "w") as expected:
        gdb.execute("run", to_string=True)
        oracle = None
        while seen and seen[-1]:
            kind = seen.pop()
            seen.clear()
            oracle = oracle or Oracle()
            found = oracle.crash() if kind == "crash" else oracle.pcs()
            expected.write(" ".join([kind] + found) + "\n")
            gdb.execute("continue", to_string=True)


main()
