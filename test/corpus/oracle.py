# SPDX-License-Identifier: MIT
"""oracle.py - gdb's side: at each mark and each fault, the pcs of all frames.

Run by gdb (-x).  Inlined frames and those that gdb makes up for tail calls have
no frame of their own on the stack.  makecontext(3) has a coroutine return to the
first byte of __start_context, where gdb finds no frame description and takes the
arguments on the stack for frames: it ends there.  A fault where there is no code
comes of a call, which is undone before gdb is asked for the caller's frames.
Functions that are compiled without any description are where gdb, too, can only
guess: the list breaks off there, with "..."; so it does on aarch64 behind code whose
beginning only a symbol tells, before the library has loaded any, and but for x86-64
before a caller that is not code, to which wrong descriptions lead, as those of i386's
memcpy() in glibc 2.36.  On i386 these lead to data that is the address of a function, too,
which no call is in front of; nothing describes the vDSO's functions of C there, nor the
stubs of a static program, and gdb's reading of their first instructions takes them for
something else.  Where gdb says that a frame is its own caller, or has saved none, the list
breaks off, too: code moves the stack pointer without a row, as riscv64's
_dl_runtime_resolve() does.
"""
import os
import re

import gdb

MOST = 256
UNDESCRIBED = ("__clang_call_terminate",)
NO_CALLER = (gdb.FRAME_UNWIND_SAME_ID, gdb.FRAME_UNWIND_NO_SAVED_PC)
NO_FRAME = (gdb.INLINE_FRAME, gdb.TAILCALL_FRAME)
FAULTS = ("SIGSEGV", "SIGFPE", "SIGILL")
LINKS = {"aarch64": "$x30", "riscv": "$ra"}  # where a call leaves the return address
CALLS = range(2, 8)  # the lengths of i386's calls
STUB = os.environ.get("CORPUS_STUB")


def address_of(name):
    try:
        return int(gdb.parse_and_eval("(unsigned long)&" + name))
    except gdb.error:
        return 0


def sections(names):
    """Of what is loaded, where they begin and end; NAMES is a regular expression."""
    for line in gdb.execute("info files", to_string=True).splitlines():
        part = re.match(r"\s*0x(\w+) - 0x(\w+) is (%s)\b" % names, line)
        if part:
            yield int(part[1], 16), int(part[2], 16)


def is_code(pc):
    if STUB:  # which does not say what is mapped
        return any(low <= pc < high
                   for low, high in sections(r"\.text|\.plt\S*|\.init|\.fini"))
    with open("/proc/%d/maps" % gdb.selected_inferior().pid) as maps:
        for line in maps:
            span, access = line.split()[:2]
            low, high = (int(part, 16) for part in span.split("-"))
            if low <= pc < high:
                return "x" in access
    return False


def machine_of(frame):
    return frame.architecture().name().split(":")[0]


def link_of(frame):
    return int(frame.read_register(LINKS[machine_of(frame)][1:]))


def is_past_epilogue(frame, older):
    """Whether FRAME was interrupted at its return, where OLDER is its caller's caller:
    clang describes no epilogues, and has given the frame pointer back."""
    newer = frame.newer()
    if machine_of(frame) not in LINKS or newer is None or \
            newer.type() != gdb.SIGTRAMP_FRAME or older.pc() == link_of(frame):
        return False
    return frame.architecture().disassemble(frame.pc())[0]["asm"].startswith("ret")


def follows_call(frame):
    return any(found["length"] == length and found["asm"].startswith("call")
               for length in CALLS
               for found in frame.architecture().disassemble(frame.pc() - length, count=1))


def stubs_of_static_program():
    if "No shared libraries" in gdb.execute("info sharedlibrary", to_string=True):
        return list(sections(r"\.plt"))
    return []


def set_register(name, value):
    """Of the innermost frame: once one is changed gdb may have selected another."""
    gdb.newest_frame().select()
    gdb.execute("set $%s = %d" % (name, value))


class Oracle:
    def __init__(self):
        self.wild = {}  # a pc without code: the frames of who called it
        self.first = address_of("__start_context")
        self.word = int(gdb.parse_and_eval("sizeof(void *)"))
        self.is_i386 = machine_of(gdb.newest_frame()) == "i386" and self.word == 4
        self.gets_lost = STUB or self.is_i386
        self.stubs = stubs_of_static_program() if self.is_i386 else []

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
            if frame.name() in UNDESCRIBED or self.is_by_symbol(frame):
                return found + ["..."]
            if self.gets_lost and len(found) > 1 and \
                    frame.type() != gdb.SIGTRAMP_FRAME and not is_code(frame.pc()):
                return found[:-1] + ["..."]
            if self.is_misread(frame):
                return found + ["..."]
            try:
                older = frame.older()
            except gdb.error:
                break
            if STUB and frame.unwind_stop_reason() in NO_CALLER:
                return found + ["..."]
            if older is not None and is_past_epilogue(frame, older):
                found.append("%x" % link_of(frame))
            if self.is_i386 and older is not None and self.has_not_called(older, frame):
                return found + ["..."]
            frame = older
        return found

    def is_misread(self, frame):
        """Whether nothing describes FRAME, of i386, and gdb does not find that out."""
        return self.is_i386 and (frame.name() or "").startswith("__vdso_") or \
            any(low <= frame.pc() < high for low, high in self.stubs)

    def has_not_called(self, older, frame):
        """Whether OLDER, which gdb has for FRAME's caller, is code, but behind no call."""
        return frame.type() == gdb.NORMAL_FRAME and \
            older.type() in (gdb.NORMAL_FRAME, gdb.INLINE_FRAME) and \
            older.pc() != self.first and is_code(older.pc()) and not follows_call(older)

    def is_by_symbol(self, frame):
        return frame.name() == "asm_no_cfi" and machine_of(frame) == "aarch64" and \
            int(gdb.parse_and_eval("*(int *)&tables_loaded")) == 0

    def crash(self):
        gdb.newest_frame().select()
        pc = gdb.newest_frame().pc()
        self.wild = {}
        if not is_code(pc):
            sp = int(gdb.parse_and_eval("(unsigned long)$sp"))
            link = LINKS.get(machine_of(gdb.newest_frame()))
            ra = int(gdb.parse_and_eval("(unsigned long)" + (link or "*(long *)$sp")))
            if not link:
                set_register("sp", sp + self.word)
            set_register("pc", ra)
            self.wild = {pc: self.pcs()}
            if not link:
                set_register("sp", sp)
            set_register("pc", pc)
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
        if STUB:
            gdb.execute("set sysroot " + os.environ["CORPUS_SYSROOT"], to_string=True)
            gdb.execute("set solib-search-path " + os.environ["CORPUS_LIBS"], to_string=True)
            gdb.execute("target remote :" + STUB, to_string=True)
            seen.clear()
            gdb.execute("continue", to_string=True)
        else:
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
