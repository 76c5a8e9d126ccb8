# SPDX-License-Identifier: MIT
"""judge.py - what must hold of a cell that was run."""
import os
import re
import signal
import subprocess
import time

from cells import HELPERS, MAY_HAVE_NO_LINES, NO_LINES
from core import read_memory
from lines import FAILED, HEADING, differences, ours, theirs

# The default of the option, in seconds.
DEADLINE = 5.0
# What the kernel and the core file may take on top of it.
AFTERWARDS = 1.0
MOST_STACK = 32 * 1024
# qemu-user takes a fault that is sent, with the kernel's code, for one of its own.
EMULATOR_FAILS = 127
PAINT = 0xa5
START = {"main": "main", "small": "small_thread", "before": "early_thread"}


def cores_are_files():
    """Why cores cannot be judged; None where they can."""
    import resource
    with open("/proc/sys/kernel/core_pattern") as file:
        pattern = file.read().strip()
    if not pattern or pattern.startswith("|") or "/" in pattern or \
            not pattern.startswith("core"):
        return "core_pattern is '%s'" % pattern
    if resource.getrlimit(resource.RLIMIT_CORE)[1] == 0:
        return "the hard limit of core files is 0"
    return None


class Judge:
    def __init__(self, programs, lines_of=1, emulated=False):
        """gdb is asked for the lines of each of so many cores."""
        self.programs, self.lines_of = programs, lines_of
        self.emulated = emulated
        self.no_cores = "the emulator writes its own, or none" if emulated \
            else cores_are_files()
        self.cores = 0
        self.used = {}
        self.ended = 0
        self.compared = 0

    def notes(self):
        if self.no_cores:
            yield "core files and stack use are not judged: " + self.no_cores
        else:
            yield "%d core files read by gdb" % self.cores
            yield "%d frames have gdb's source lines" % self.compared
        if self.emulated:
            yield "%d times the emulator ended with a status of its own" % self.ended
            yield "no lines and no other thread's stack: it starts no process as vfork(2) " \
                "does, and its own thread answers no signal"
        yield "no alternate stack is asked of threads that were there before, " \
            "without /proc: nothing lists them"
        if self.used:
            cell = max(self.used, key=self.used.get)
            yield "the handler's stack: at most %d bytes of %d (%s), %d cells" \
                % (self.used[cell], MOST_STACK, cell, len(self.used))

    def all(self, run):
        """What is wrong: "kind: detail" each."""
        failures = list(self.death(run)) + list(self.time(run))
        failures += list(self.reports(run))
        if not self.no_cores:
            failures += list(self.core(run))
        return failures

    def death(self, run):
        want = -run.death.signal
        if run.hung:
            yield "hang: it had to be killed"
        elif self.emulated and run.status in (EMULATOR_FAILS, 128 - want):
            self.ended += 1
        elif run.status != want:
            yield "death: wait status %s, not %s" % (run.status, want)
        if not run.ready:
            yield "death: it came before its time"

    def time(self, run):
        if not run.ready or run.hung:
            return
        took = run.ended - run.ready[-1][2]
        if took > DEADLINE + AFTERWARDS:
            yield "time: %.1f s" % took

    def reports(self, run):
        everything = run.report.all
        if len(everything) < run.death.reports:
            yield "report: %d of %d" % (len(everything), run.death.reports)
        if "allocated after the crash" in run.err:
            yield "malloc: called after the crash"
        # Of threads that die together one is sure to be reported in full; the
        # process may die of it while the next is being written.
        judged = everything[:1] if run.death.threads > 1 \
            else everything
        for one in judged:
            yield from self.one(run, one)
        if run.death.threads > 1:
            yield from self.torn(run)

    def one(self, run, one):
        name = signal.Signals(run.death.signal).name
        if one.signal != name:
            yield "headline: %s, not %s" % (one.signal, name)
        if one.program != run.cell.way:
            yield "headline: the program is called %s" % one.program
        top = "\n".join(one.top)
        if run.death.words not in top:
            yield "words: lacks '%s'" % run.death.words
        if run.death.address is not None and \
                not re.search(r"0x0*%x\b" % run.death.address, top):
            yield "headline: lacks the address 0x%x" % run.death.address
        yield from self.thread(run, one)
        yield from self.stack(run, one)
        yield from self.others(run, one)
        yield from self.sections(run, one)
        yield from self.lines(run, one)

    def lines(self, run, one):
        """Lines, or why there are none."""
        reason = NO_LINES.get(run.cell.death) or ("error 22" if self.emulated else None)
        if run.cell.helper:
            reason = HELPERS[run.cell.helper][1]
        failed = [FAILED.match(line).group(1) for line in one.after
                  if FAILED.match(line)]
        if reason:
            if len(failed) != 1 or reason not in failed[0]:
                yield "lines: %s, not '%s'" % (failed, reason)
            if len(one.after) != 1 and not self.emulated:
                yield "lines: %d about lines" % len(one.after)
        elif run.cell.death in MAY_HAVE_NO_LINES and failed:
            return
        elif failed or one.after[:1] != [HEADING]:
            yield "lines: none: %s" % (failed or one.after[:1])
        if os.path.exists(run.at("helper")) and \
                is_alive(int(run.read("helper"))):
            yield "lines: the helper is still there"

    def others(self, run, one):
        """All other threads are there, with their stacks unless they are dying
        as well.  A child has none."""
        if self.emulated or not run.death.others or not one.thread or not run.ready or \
                one.thread[0] != run.ready[-1][0]:
            return
        rest = "\n".join(one.rest)
        if "bystander_waits" not in rest:
            yield "others: the bystander's stack is not there"
        if run.cell.place != "main" and "main_waits" not in rest:
            yield "others: main's stack is not there"
        listed = {int(tid) for tid in re.findall(r"thread (\d+) ", rest)}
        missing = [line[1] for line in run.ready
                   if line[0] == one.thread[0] and line[1] != one.thread[1]
                   and line[1] not in listed]
        if missing:
            yield "others: %d that die as well are not there" % len(missing)

    def sections(self, run, one):
        program = self.programs.path[run.cell.way]
        lines = one.lines
        arguments = " %s %s" % (run.cell.death, run.cell.place)
        if run.death.others and not any(
                program in line and arguments in line for line in lines):
            yield "sections: no arguments"
        if one.frames:
            pc = one.frames[0].pc
            if not any(re.search(r"\b(?:[re]ip|pc) +0x0*%x\b" % pc, line)
                       for line in lines):
                yield "sections: no registers"
            if one.frames[0].module and not any(
                    re.match(r"code\b.*<[0-9a-f]{2}>", line)
                    for line in lines):
                yield "sections: no code bytes"
        build_id = self.programs.build_id[run.cell.way]
        if not any(program in line and build_id in line and
                   re.search(r"\b0x[0-9a-f]+\b", line) for line in lines):
            yield "sections: the program is not among the modules"

    def thread(self, run, one):
        if not one.thread:
            yield "thread: no line"
            return
        if one.thread[:2] not in [line[:2] for line in run.ready]:
            yield "thread: process %d, thread %d never was ready" % \
                one.thread[:2]
        if run.cell.place != "main" and one.thread[0] != one.thread[1] and \
                one.thread[2] != "victim":
            yield "thread: its name is '%s'" % one.thread[2]

    def stack(self, run, one):
        frames = one.frames
        if not frames:
            yield "stack: none"
            return
        want = run.death.frames
        if want[0] == "??":
            called = frames[0]
            if called.function != "??" or \
                    run.death.address not in (None, called.pc):
                yield "stack: frame 0 is not the address that was called"
            want, frames = want[1:], frames[1:]
        found = [clean(frame.function) for frame in frames
                 if os.path.dirname(frame.module) == self.programs.work]
        if found[:len(want)] != want:
            yield "stack: %s, not %s" % (found[:len(want) + 1], want)
        start = START[run.cell.place]
        if run.death.threads > 1 and run.cell.place == "main" and one.thread \
                and one.thread[0] != one.thread[1]:
            start = START["small"]
        if run.death.reaches and start not in found:
            yield "start: the stack does not reach %s" % start
        if one.cut:
            yield "start: " + one.cut

    def torn(self, run):
        """Lines of one report stand between those of no other."""
        for one in run.report.all:
            numbers = [frame.number for frame in one.frames]
            if numbers != sorted(set(numbers)):
                yield "torn: frames %s" % numbers
            if sum("<whocallme>: process " in line for line in one.lines) > 1:
                yield "torn: two thread lines in one report"

    def core(self, run):
        if not run.core:
            yield "core: none"
            return
        self.cores += 1
        core = gdb(run.core)
        want, death = int(run.death.signal), run.death
        if core.get("signo") != want:
            yield "core: si_signo %s, not %d" % (core.get("signo"), want)
        if death.code is not None and core.get("code") != death.code:
            yield "core: si_code %s, not %d" % (core.get("code"), death.code)
        if death.address is not None and core.get("addr") != death.address:
            yield "core: si_addr %s, not %#x" % (core.get("addr"),
                                                 death.address)
        if run.cell.death == "by_kill" and run.ready and \
                core.get("pid") != run.ready[-1][0]:
            yield "core: si_pid %s" % core.get("pid")
        pcs = [one.frames[0].pc for one in run.report.all if one.frames]
        # The callback's own crash is what the process died of, in the end.
        if run.cell.death != "in_callback" and pcs and \
                core.get("pc") not in pcs:
            yield "core: the pc is %#x, the report's is %#x" % (
                core.get("pc") or 0, pcs[-1])
        yield from self.high_water(run)
        yield from self.gdbs_lines(run)

    def gdbs_lines(self, run):
        """The lines are those that gdb finds: those of the thread that died, and
        of the others that have not gone on since."""
        one = run.report.all[-1] if run.report.all else None
        if not one or not one.thread or one.after[:1] != [HEADING] or \
                self.cores % self.lines_of:
            return
        # What the process died of in the end; what only some is found of.
        if run.cell.death in ["in_callback", *MAY_HAVE_NO_LINES]:
            return
        crashed = one.thread[1]
        stacks = ours(one.after, crashed)
        gdbs = theirs(self.programs.path[run.cell.way], run.core)
        if crashed not in stacks or crashed not in gdbs:
            yield "lines: none of thread %d" % crashed
        for tid, mine in stacks.items():
            wanted = gdbs.get(tid, [])
            # Every system call of i386's is made in the same place.
            begin = 2 if "__kernel_vsyscall" in str(mine[0]) else 1
            if tid != crashed and wanted[:begin] != mine[:begin]:
                continue
            count, different = differences(mine, wanted)
            self.compared += count
            for text in different:
                yield "lines: thread %d: %s" % (tid, text)

    def high_water(self, run):
        """How much of the alternate stack is not painted any more."""
        if not run.ready or not run.report.all:
            return
        thread = run.report.all[-1].thread
        for pid, tid, _, base, size in run.ready[::-1]:
            if thread and thread[:2] != (pid, tid):
                continue
            if not size and not cannot_be_armed(run.cell):
                yield "altstack: the thread has none"
            elif base and run.death.painted:
                stack = read_memory(run.core, base, size)
                used = len(stack.lstrip(bytes([PAINT])))
                if not stack:
                    yield "altstack: not in the core"
                    return
                self.used[str(run.cell)] = used
                if used >= MOST_STACK:
                    yield "altstack: %d bytes used" % used
            return


def cannot_be_armed(cell):
    """Without /proc, nobody can tell which threads were there before."""
    return cell.death == "no_proc" and cell.place == "before"


def is_alive(pid):
    """A moment may pass until it is."""
    for _ in range(50):
        try:
            with open("/proc/%d/stat" % pid) as file:
                if file.read().rsplit(")", 1)[1].split()[0] == "Z":
                    return False
        except OSError:
            return False
        time.sleep(0.1)
    return True


def clean(function):
    """A destructor's name as people write it, and no parameters."""
    mangled = re.match(r"_ZN\d+(\w+?)D\dEv$", function)
    if mangled:
        return "%s::~%s" % (mangled.group(1), mangled.group(1))
    return re.sub(r"\(\)$", "", function)


def gdb(core):
    """signo, code, addr, pid and pc, as gdb reads them."""
    fields = {"signo": "$_siginfo.si_signo", "code": "$_siginfo.si_code",
              "addr": "(long long)(unsigned long)$_siginfo._sifields._sigfault.si_addr",
              "pid": "$_siginfo._sifields._kill.si_pid",
              "pc": "(long long)(unsigned long)$pc"}
    command = ["gdb", "-nx", "-batch", "-iex", "set debuginfod enabled off",
               "-iex", "set auto-solib-add off", "-ex", "core-file " + core]
    for name, field in fields.items():
        command += ["-ex", 'printf "%s=%%lld\\n", %s' % (name, field)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True,
                          stderr=subprocess.DEVNULL, errors="replace",
                          stdin=subprocess.DEVNULL, timeout=60)
    found = re.findall(r"^(\w+)=(-?\d+)$", done.stdout, re.M)
    return {name: int(value) for name, value in found}
