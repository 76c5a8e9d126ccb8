#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""corpus.py - is every captured stack the one that gdb shows?

Compiles the programs beside this file in every way, runs each once under gdb
and compares, frame by frame, what the program captured with what gdb unwound at
the same moment.

With --emulator they are another CPU's: qemu-user runs them, and gdb-multiarch asks its
stub.  --cpu names one of qemu's that has what the stub cannot tell gdb of, signed return
addresses: what a second run on it captures is compared with what gdb saw in the first,
since without randomization the addresses are the same.
"""
import argparse
import collections
import concurrent.futures
import itertools
import os
import shlex
import shutil
import socket
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAMS = {"stacks": ["stacks.c", "assembly.S"], "crashes": ["crashes.c"],
            "throws": ["throws.cc"]}
COMPILERS = {"gcc": "g++", "clang": "clang++"}
ASSEMBLY = {"i386": "assembly_i386.S", "i686": "assembly_i386.S",
            "aarch64": "assembly_aarch64.S", "riscv64": "assembly_riscv64.S"}
LEVELS = ["-O0", "-O1", "-O2", "-O3", "-Os"]
FRAMES = ["-fomit-frame-pointer", "-fno-omit-frame-pointer"]
LINKS = {"pie": "-fPIE", "no-pie": "-fno-pie", "static": "-fno-pie",
         "static-pie": "-fPIE"}
TIMEOUT = 120
EMULATED_TIMEOUT = 900

Way = collections.namedtuple("Way", "program compiler level frame link")


def run(command, timeout=TIMEOUT, **options):
    return subprocess.run(command, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True,
                          errors="replace", timeout=timeout, **options)


def checked(command):
    done = run(command)
    if done.returncode:
        raise RuntimeError("%s\n%s" % (shlex.join(command), done.stdout))


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def name_of(way):
    return "-".join(part.strip("-") for part in way)


class Corpus:
    def __init__(self, options, work):
        self.options, self.work = options, work
        self.emulator = shlex.split(options.emulator)

    def driver(self, way, cxx):
        """The compiler's command, for whatever CPU it is."""
        triplet, root = self.options.triplet, self.options.sysroot
        name = COMPILERS[way.compiler] if cxx else way.compiler
        if not triplet:
            return [name]
        command = [name, "--target=" + triplet] + shlex.split(self.options.clang_flags) \
            if way.compiler == "clang" else [triplet + "-" + name]
        return command + ["--sysroot=" + root] + shlex.split(self.options.flags)

    def assembly(self, way):
        machine = run(self.driver(way, False) + ["-dumpmachine"]).stdout
        return ASSEMBLY.get(machine.split("-")[0], "assembly.S")

    def compile(self, way):
        """Object files; links that share code share them."""
        code = LINKS[way.link]
        objects = []
        for source in PROGRAMS[way.program] + ["mark.c"]:
            if source == "assembly.S":
                source = self.assembly(way)
            to = os.path.join(self.work, "%s-%s%s%s%s.o" % (
                source, way.compiler, way.level, way.frame, code))
            objects.append(to)
            if os.path.exists(to):
                continue
            standard = "-std=c++17" if source.endswith(".cc") else "-std=gnu11"
            part = tempfile.mktemp(dir=self.work, suffix=".o")
            checked(self.driver(way, source.endswith(".cc")) +
                    [standard, "-w", way.level, way.frame, code,
                     "-D_GNU_SOURCE", "-I", self.options.include, "-c", "-o",
                     part, os.path.join(HERE, source)])
            os.replace(part, to)
        return objects

    def build(self, way):
        to = os.path.join(self.work, name_of(way))
        command = self.driver(way, way.program == "throws")
        command += ["-" + way.link, "-pthread", "-o", to] + self.compile(way)
        if way.link.startswith("static"):
            command += [os.path.join(self.options.libs, "libwhocallme.a")]
            command += shlex.split(self.options.static_libs)
        else:
            command += ["-L" + self.options.libs, "-lwhocallme",
                        "-Wl,-rpath," + self.options.libs]
        checked(command)
        return to

    def judge(self, way):
        """(stacks, frames, differences) of one program."""
        program = self.build(way)
        found, expected = program + ".found", program + ".expected"
        again = program + ".again"
        environment = dict(os.environ, CORPUS_OUTPUT=found,
                           CORPUS_EXPECTED=expected, LC_ALL="C")
        log = self.watched(program, environment) if self.emulator else \
            self.under_gdb("gdb", program, environment)
        result = compare(read(found), read(expected))
        if result[0] == 0 or not ends_well(log):
            result[2].append("the program did not end well:\n" +
                             log[-2000:])
        if self.options.cpu:
            run(self.emulator + ["-cpu", self.options.cpu, program],
                timeout=EMULATED_TIMEOUT, stdin=subprocess.DEVNULL,
                env=dict(environment, CORPUS_OUTPUT=again))
            more = compare(steady(read(again)), steady(read(expected), read(found)))
            result = tuple(a + b for a, b in zip(result, more))
        if not self.options.keep:
            for path in (program, found, expected, again):
                if os.path.exists(path):
                    os.unlink(path)
        return result

    def under_gdb(self, gdb, program, environment):
        return run([gdb, "-nx", "-batch", "-x",
                    os.path.join(HERE, "oracle.py"), program], env=environment,
                   timeout=EMULATED_TIMEOUT if self.emulator else TIMEOUT,
                   stdin=subprocess.DEVNULL).stdout

    def watched(self, program, environment):
        """gdb's words, of a program that waits for it in the emulator."""
        port = str(free_port())
        command = self.emulator + shlex.split(self.options.judged) + ["-g", port, program]
        guest = subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL,
                                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            return self.under_gdb("gdb-multiarch", program, dict(
                environment, CORPUS_STUB=port, CORPUS_SYSROOT=self.options.sysroot,
                CORPUS_LIBS=self.options.libs))
        finally:
            guest.kill()
            guest.wait()


def ends_well(log):
    return "exited normally" in log


def read(path):
    if not os.path.exists(path):
        return []
    with open(path) as file:
        return [line.split() for line in file]


def steady(lines, names=None):
    """Those that are the same in each run: not where a timer found the program.  NAMES
    has the lines' names, if they have none."""
    return [line for line, named in zip(lines, names or lines) if named[1] != "tick"]


def inner(kind, frames):
    """What is compared: from a mark's caller outwards, from a fault itself."""
    return frames[1:] if kind == "mark" else frames


def compare(found, expected):
    stacks = frames = 0
    differences = []
    if len(found) != len(expected):
        differences.append("%d stacks captured, %d seen by gdb"
                           % (len(found), len(expected)))
    # A fault is seen first by gdb; its line stands in the same place.
    for ours, theirs in zip(found, expected):
        kind, name, stop = ours[:3]
        mine, gdbs = inner(kind, ours[3:]), inner(theirs[0], theirs[1:])
        if gdbs[-1:] == ["..."]:
            gdbs.pop()
            mine = mine[:len(gdbs)]
        stacks += 1
        frames += len(gdbs)
        if kind != theirs[0] or mine != gdbs:
            differences.append("%s %s (stop %s)\n  ours %s\n  gdb  %s" % (
                kind, name, stop, " ".join(mine), " ".join(gdbs)))
    return stacks, frames, differences


def all_ways(compilers):
    return [Way(*way) for way in itertools.product(
        PROGRAMS, compilers, LEVELS, FRAMES, LINKS)]


def chosen(ways, count):
    """A spread over all ways in which each value of each choice occurs."""
    if not count or count >= len(ways):
        return ways
    stride = 89  # prime, and no factor of the number of ways
    return [ways[i * stride % len(ways)] for i in range(count)]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--include", required=True)
    parser.add_argument("--libs", required=True)
    parser.add_argument("--static-libs", default="")
    parser.add_argument("--no-static", action="store_true")
    parser.add_argument("--spread", type=int, default=0)
    parser.add_argument("--triplet", default="", help="compile for this machine")
    parser.add_argument("--sysroot", default="", help="its files")
    parser.add_argument("--flags", default="", help="for the compiler")
    parser.add_argument("--clang-flags", default="-fuse-ld=lld", help="for clang alone")
    parser.add_argument("--emulator", default="", help="runs its programs")
    parser.add_argument("--judged", default="", help="the emulator's options under gdb")
    parser.add_argument("--cpu", default="", help="one to run them on once more")
    parser.add_argument("--only", default="", help="part of a program's name")
    parser.add_argument("--work", help="keep what is built in this directory")
    options = parser.parse_args()
    options.keep = bool(options.work)
    compilers = [c for c in COMPILERS if all(
        shutil.which(options.triplet + "-" + name
                     if options.triplet and c == "gcc" else name)
        for name in (c, COMPILERS[c]))]
    work = options.work or tempfile.mkdtemp()
    os.makedirs(work, exist_ok=True)
    corpus = Corpus(options, work)
    ways = [way for way in chosen(all_ways(compilers), options.spread)
            if options.only in name_of(way) and
            not (options.no_static and way.link.startswith("static"))]
    stacks = frames = differences = 0
    try:
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for way, result in zip(ways, pool.map(corpus.judge, ways)):
                stacks += result[0]
                frames += result[1]
                differences += len(result[2])
                for text in result[2][:4]:
                    print("# %s: %s" % (name_of(way),
                                        text.replace("\n", "\n# ")))
    finally:
        if not options.keep:
            shutil.rmtree(work)
    print("# %d programs, %d stacks, %d frames, %d differences"
          % (len(ways), stacks, frames, differences))
    good = differences == 0 and stacks > 0
    print("%s 1 - every stack is gdb's\n1..1" % ("ok" if good else "not ok"))
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
