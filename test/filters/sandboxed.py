# SPDX-License-Identifier: MIT
"""sandboxed.py - what becomes of a crash where a seccomp filter answers for the kernel.

The same program is run under the same filter without the library: its status is what
the library's must be, be it linked or preloaded.  Where the filter answers with an
error or a signal, there is one report, with the function that crashed; where it kills,
the kernel's status may be SIGSYS instead, and there is one report at most.
"""
import argparse
import os
import re
import signal
import subprocess
import sys
import time

LIMIT = 20  # seconds: a report has ten
EPERM, ENOSYS = "1", "38"

# Those whose answers decide how a crash ends.
FEW = """rt_sigprocmask rt_sigaction rt_tgsigqueueinfo rt_sigpending tgkill getpid gettid
clock_gettime writev timer_create ppoll process_vm_readv""".split()

# What a sandbox may forbid at once; the last word is the least that is promised: a
# report, or that there is an end with the right status, or an end.
TOGETHER = [
    ("rt_sigaction exit_group", "report"),
    ("rt_sigaction rt_tgsigqueueinfo tgkill exit_group", "report"),
    ("getpid gettid readlinkat", "report"),
    ("getpid gettid readlinkat rt_tgsigqueueinfo tgkill", "report"),
    ("clock_gettime timer_create nanosleep", "report"),
    ("rt_sigprocmask rt_sigaction rt_sigpending", "report"),
    ("writev write", "status"),
    ("all", "end"),
]


def numbers(compiler):
    """The number of every system call, by its name."""
    text = subprocess.run([*compiler, "-E", "-dM", "-"], text=True, check=True,
                          input="#include <sys/syscall.h>\n",
                          stdout=subprocess.PIPE).stdout
    return dict(re.findall(r"^#define __NR_(\w+) (\d+)$", text, re.M))


def calls_of_source(folder):
    """What the folders that run in a signal handler name."""
    found = set()
    for safe in "arch unwind symbols lines report crash".split():
        for where, _, files in os.walk(os.path.join(folder, safe)):
            for name in files:
                with open(os.path.join(where, name), encoding="utf-8") as file:
                    found.update(re.findall(r"\bSYS_(\w+)\b", file.read()))
    return found


class Bench:
    """The programs, and how they are run."""

    def __init__(self, options, number):
        self.number = number
        self.options = options
        self.preload = {"LD_PRELOAD": f"{options.libs}/libwhocallme-preload.so"}
        self.ways = {"linked": ("linked", {}), "preloaded": ("bare", self.preload)}

    def command(self, program, death, answer, calls):
        """How one is called."""
        return [os.path.join(self.options.programs, program), death, answer,
                *(self.number.get(call, call) for call in calls)]

    def run(self, program, settings, *case):
        """The status, None for what does not end, and what is said."""
        environment = {**os.environ, **settings}
        with subprocess.Popen(self.command(program, *case), env=environment,
                              stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, start_new_session=True) as child:
            try:
                said = child.communicate(timeout=LIMIT)[1]
            except subprocess.TimeoutExpired:
                child.kill()
                return None, child.communicate()[1]
            return child.returncode, said

    def traced(self):
        """The calls of a report, as strace sees them."""
        found = set()
        for program, settings in self.ways.values():
            log = os.path.join(self.options.programs, "calls")
            pairs = [word for name, value in settings.items()
                     for word in ("-E", f"{name}={value}")]
            subprocess.run(["strace", "-f", "-o", log, *pairs,
                            *self.command(program, "null", EPERM, ["9999"])],
                           check=False, stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL)
            with open(log, encoding="utf-8", errors="replace") as file:
                _, _, after = file.read().partition("--- SIGSEGV")
            found.update(re.findall(r"^\d+ +(\w+)\(", after, re.M))
        return found


def name_of(status):
    """As a table shows it."""
    if status is None:
        return "no end"
    if status < 0:
        return signal.Signals(-status).name
    return f"exit {status}"


def is_as(status, expected):
    """A process that may not die of a signal that was sent has the shell's status."""
    return status == expected or (expected < 0 and status == 128 - expected)


def judge(got, expected, answer, least):
    """What is wrong, or nothing; and how many reports there are."""
    status, said = got
    reports = len(re.findall(rb"^<whocallme>: \w+: SIG", said, re.M))
    whole = b" in crashing+" in said
    if status is None:
        return "it does not end", reports
    if reports > 1:
        return "more than one report", reports
    if least == "end":
        return "", reports
    if answer == "kill":
        if not is_as(status, expected) and status != -signal.SIGSYS:
            return "a status of its own", reports
        return "", reports
    if not is_as(status, expected):
        return f"{name_of(expected)} without the library", reports
    if least == "report" and expected < 0 and not (reports == 1 and whole):
        return "no whole report", reports
    return "", reports


def cases(options, bench):
    """Death, answer, calls, and what is promised at least."""
    if options.all:
        calls = sorted((bench.traced() | calls_of_source(options.source)) &
                       set(bench.number))
        deaths, answers = ["null", "abort"], [EPERM, "trap", "kill"]
    else:
        calls, deaths, answers = FEW, ["null", "abort"], [EPERM, "trap"]
    for call in calls:
        for answer in answers:
            for death in deaths:
                # No handler returns, to where a signal that was sent is taken.
                ends = call == "rt_sigreturn" and death == "abort"
                yield death, answer, [call], "end" if ends else "report"
    deaths = ["null", "send"]
    if options.all:
        deaths += ["null-thread", "abort-thread", "divide", "trap"]
    for calls, least in TOGETHER:
        for answer in ([EPERM, "trap", ENOSYS] if options.all else [EPERM, "trap"]):
            for death in deaths:
                # What was sent cannot happen again by itself.
                ends = (death.startswith(("send", "abort")) and
                        "rt_sigaction exit_group" in calls)
                yield death, answer, calls.split(), "end" if ends else least


def is_unsent(death, calls, expected):
    """Whether the signal of DEATH could not be sent.  What libc does then, perhaps with
    all blocked, differs from release to release, and is not the program's crash."""
    if death.startswith("abort"):
        return expected != -signal.SIGABRT
    return death.startswith("send") and "tgkill" in calls


def main():
    parser = argparse.ArgumentParser()
    for name in "programs", "libs", "source", "cc":
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--all", action="store_true")
    options = parser.parse_args()
    bench = Bench(options, numbers(options.cc.split()))
    rows = list(cases(options, bench))
    print(f"1..{len(rows)}")
    print(f"# {'death':12} {'answer':6} {'linked':20} {'preloaded':20} calls")
    words = {EPERM: "EPERM", ENOSYS: "ENOSYS", "trap": "TRAP", "kill": "KILL"}
    failed = 0
    for index, (death, answer, calls, least) in enumerate(rows, 1):
        expected = bench.run("bare", {}, death, answer, calls)[0]
        if least == "report" and is_unsent(death, calls, expected):
            least = "status"
        cells, wrong = [], []
        for way, (program, settings) in bench.ways.items():
            began = time.monotonic()
            got = bench.run(program, settings, death, answer, calls)
            fault, reports = judge(got, expected, answer, least)
            cells.append(f"{name_of(got[0])}, {reports}")
            if fault:
                wrong.append(f"{way}: {fault}, {time.monotonic() - began:.1f} s")
        failed += bool(wrong)
        print(f"# {death:12} {words[answer]:6} {cells[0]:20} {cells[1]:20} "
              f"{' '.join(calls)}")
        print(f"{'not ' if wrong else ''}ok {index} {death} {words[answer]} "
              f"{' '.join(calls)}{''.join(f' - {each}' for each in wrong)}", flush=True)
    return failed > 0


sys.exit(main())
