#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""corpus.py - is every captured stack the one that gdb shows?

Compiles the programs beside this file in every way, runs each once under gdb
and compares, frame by frame, what the program captured with what gdb unwound at
the same moment.
"""
import argparse
import collections
import concurrent.futures
import itertools
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAMS = {"stacks": ["stacks.c", "assembly.S"], "crashes": ["crashes.c"],
            "throws": ["throws.cc"]}
COMPILERS = {"gcc": "g++", "clang": "clang++"}
LEVELS = ["-O0", "-O1", "-O2", "-O3", "-Os"]
FRAMES = ["-fomit-frame-pointer", "-fno-omit-frame-pointer"]
LINKS = {"pie": "-fPIE", "no-pie": "-fno-pie", "static": "-fno-pie",
         "static-pie": "-fPIE"}
TIMEOUT = 120

Way = collections.namedtuple("Way", "program compiler level frame link")


def run(command, **options):
    return subprocess.run(command, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True,
                          errors="replace", timeout=TIMEOUT, **options)


def checked(command):
    done = run(command)
    if done.returncode:
        raise RuntimeError("%s\n%s" % (shlex.join(command), done.stdout))


def assembly_of(compiler):
    is_i386 = re.match("i[3-6]86-", run([compiler, "-dumpmachine"]).stdout)
    return "assembly_i386.S" if is_i386 else "assembly.S"


def name_of(way):
    return "-".join(part.strip("-") for part in way)


class Corpus:
    def __init__(self, options, work):
        self.options, self.work = options, work

    def compile(self, way):
        """Object files; links that share code share them."""
        code = LINKS[way.link]
        objects = []
        for source in PROGRAMS[way.program] + ["mark.c"]:
            if source == "assembly.S":
                source = assembly_of(way.compiler)
            to = os.path.join(self.work, "%s-%s%s%s%s.o" % (
                source, way.compiler, way.level, way.frame, code))
            objects.append(to)
            if os.path.exists(to):
                continue
            driver = COMPILERS[way.compiler] if source.endswith(".cc") \
                else way.compiler
            standard = "-std=c++17" if source.endswith(".cc") else "-std=gnu11"
            part = tempfile.mktemp(dir=self.work, suffix=".o")
            checked([driver, standard, "-w", way.level, way.frame, code,
                     "-D_GNU_SOURCE", "-I", self.options.include, "-c", "-o",
                     part, os.path.join(HERE, source)])
            os.replace(part, to)
        return objects

    def build(self, way):
        to = os.path.join(self.work, name_of(way))
        cxx = way.program == "throws"
        driver = COMPILERS[way.compiler] if cxx else way.compiler
        command = [driver, "-" + way.link, "-pthread", "-o", to]
        command += self.compile(way)
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
        environment = dict(os.environ, CORPUS_OUTPUT=found,
                           CORPUS_EXPECTED=expected, LC_ALL="C")
        log = run(["gdb", "-nx", "-batch", "-x",
                   os.path.join(HERE, "oracle.py"), program],
                  env=environment, stdin=subprocess.DEVNULL).stdout
        result = compare(read(found), read(expected))
        if result[0] == 0 or not ends_well(log):
            result[2].append("the program did not end well:\n" +
                             log[-2000:])
        if not self.options.keep:
            for path in (program, found, expected):
                if os.path.exists(path):
                    os.unlink(path)
        return result


def ends_well(log):
    return "exited normally" in log


def read(path):
    if not os.path.exists(path):
        return []
    with open(path) as file:
        return [line.split() for line in file]


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
    parser.add_argument("--only", default="", help="part of a program's name")
    parser.add_argument("--work", help="keep what is built in this directory")
    options = parser.parse_args()
    options.keep = bool(options.work)
    compilers = [c for c in COMPILERS
                 if shutil.which(c) and shutil.which(COMPILERS[c])]
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
