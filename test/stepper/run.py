#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""run.py - is the stack known at every instruction of these programs?

Builds the programs, runs each under test/stepper/stepper and says why stacks
differ from the record of calls and returns: readelf finds no frame description
for the code in question, or explained.txt names the function and the reason.
Any other difference fails.

Speaks TAP, a test for each program.
"""

import argparse
import bisect
import collections
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCES = os.path.join(HERE, "programs")
ENVIRONMENT = dict(os.environ, LC_ALL="C", DEBUGINFOD_URLS="")
MOST = 400000  # instructions of a program; some spend millions on starting
SHOWN = 10  # unexplained culprits a program prints

# How programs are built; the first alone for the smoke test.
BUILDS = [
    ("gcc", "-O2 -fomit-frame-pointer"),
    ("gcc", "-O0"),
    ("gcc", "-Os -fomit-frame-pointer -no-pie"),
    ("gcc", "-O3 -fcf-protection=full -Wl,-z,ibtplt -Wl,-z,lazy"),
    ("gcc", "-O2 -fno-omit-frame-pointer -Wl,-z,now"),
    ("gcc", "-O2 -static"),
    ("gcc", "-O2 -static-pie"),
    ("clang", "-O2"),
    ("clang", "-O1 -fno-omit-frame-pointer"),
]

DIFFERS = re.compile(r"differs (\d+) (.*) # (frame (\d+), .*)")
TOTAL = re.compile(r"total (\d+) instructions (\d+) stacks (\d+) frames "
                   r"(\d+) differences (\d+) guessed")
FDE = re.compile(r" FDE .*pc=([0-9a-f]+)\.\.([0-9a-f]+)")


def run(command, **more):
    return subprocess.run(command, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, env=ENVIRONMENT,
                          encoding="utf-8", errors="replace", **more)


class Module:
    """What binutils and the whocallme command know of an object."""

    def __init__(self, path, tool):
        self.path, self.tool = path, tool
        text = run(["readelf", "--debug-dump=frames", path]).stdout
        spans = sorted((int(a, 16), int(b, 16)) for a, b in FDE.findall(text))
        self.starts = [start for start, _ in spans]
        self.ends = [end for _, end in spans]

    def is_described(self, address):
        at = bisect.bisect_right(self.starts, address) - 1
        return at >= 0 and address < self.ends[at]

    def name(self, address):
        text = run(self.tool + ["functions", f"--address={address:x}",
                                self.path]).stdout
        return text.split()[1].split("+0x")[0] if len(text.split()) > 1 else "??"


def read_explained():
    with open(os.path.join(HERE, "explained.txt"), encoding="ascii") as lines:
        rows = [line.rstrip("\n").split(None, 1) for line in lines
                if line.strip() and not line.startswith("#")]
    return {name: reason for name, reason in rows}


class Judge:
    def __init__(self, tool):
        self.tool, self.modules = tool, {}
        self.explained = read_explained()

    def frame(self, path, site):
        """The name of the function that holds SITE, and whether readelf finds
        its frame described."""
        if not os.path.isfile(path):
            return path, True
        if path not in self.modules:
            self.modules[path] = Module(path, self.tool)
        module = self.modules[path]
        return module.name(site), module.is_described(site)

    def reason(self, words, frame):
        """Why the first frame of WORDS, the module and offset of each, was left
        wrongly, or None; and its name.  FRAME counts those inside of it."""
        names = []
        for path, offset in zip(words[::2], words[1::2]):
            frame -= 1
            name, described = self.frame(path, int(offset, 16) - (frame > 0))
            if not described and not names:
                return "no frame description", name
            names.append(name)
        for name in names:
            for pattern, reason in self.explained.items():
                if re.fullmatch(pattern, name):
                    return f"{pattern}: {reason}", names[0]
        return None, names[0]


class Result:
    def __init__(self):
        self.count = collections.Counter()
        self.why = collections.Counter()
        self.unexplained = []

    def take(self, text, judge):
        total = TOTAL.search(text)
        if not total:
            self.unexplained.append("no total: " + text[-300:])
            return
        for key, value in zip(("instructions", "stacks", "frames",
                               "differences", "stacks with a guessed frame"),
                              total.groups()):
            self.count[key] += int(value)
        explained = 0
        for count, where, note, frame in DIFFERS.findall(text):
            reason, name = judge.reason(where.split(), int(frame))
            if reason:
                self.why[reason] += int(count)
                explained += int(count)
            else:
                self.unexplained.append(f"{count} in {name}, {note}, {where}")
        left = int(total.group(4)) - explained
        self.count["unexplained"] += left

    def merge(self, other):
        self.count += other.count
        self.why += other.why

    def write(self):
        for key in ("instructions", "stacks", "frames", "differences",
                    "unexplained", "stacks with a guessed frame"):
            print(f"# {self.count[key]:>9} {key}")
        for reason, count in self.why.most_common():
            print(f"# {count:>9} explained by {reason}")
        for line in self.unexplained[:SHOWN]:
            print("# unexplained: " + line)

    def is_good(self):
        return not self.unexplained and self.count["unexplained"] == 0 and \
            self.count["instructions"] > 0


def build(work, compiler, flags):
    """Compile the programs.  Returns their command lines."""
    static = "-static" in flags
    compilers = {".c": compiler,
                 ".cc": {"gcc": "g++", "clang": "clang++"}[compiler]}
    commands = []
    plugin = os.path.join(work, "plugin.so")
    if not static:
        run([compiler, *flags.replace("-no-pie", "").split(), "-shared", "-fPIC", "-o",
             plugin, os.path.join(SOURCES, "plugin.c")], check=True)
    for source in ("calls.c", "jumps.c", "loads.c", "throws.cc"):
        stem, suffix = os.path.splitext(source)
        if static and stem == "loads" or not shutil.which(compilers[suffix]):
            continue
        program = os.path.join(work, stem)
        done = run([compilers[suffix], *flags.split(), "-o", program,
                    os.path.join(SOURCES, source)])
        if done.returncode != 0:
            print(f"# {compiler} {flags} cannot build {source}")
            continue
        commands.append([program] + ([plugin] if stem == "loads" else []))
    return commands


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--stepper", required=True)
    parser.add_argument("--tool", required=True, help="the whocallme command")
    parser.add_argument("--smoke", action="store_true",
                        help="C programs built one way, from their entry")
    return parser.parse_args()


def main():
    options = parse_arguments()
    started = time.monotonic()
    judge, total, number = Judge([options.tool]), Result(), 0
    for at, (compiler, flags) in enumerate(BUILDS[:1 if options.smoke
                                                  else None]):
        if not shutil.which(compiler):
            print(f"# no program of {compiler}'s: it is missing")
            continue
        with tempfile.TemporaryDirectory() as work:
            for command in build(work, compiler, flags):
                name = os.path.basename(command[0])
                if options.smoke and name == "throws":
                    continue
                from_entry = ["-e"] if options.smoke or at > 0 else []
                result, number = Result(), number + 1
                result.take(run([options.stepper, f"-n{MOST}", *from_entry,
                                 *command],
                                stdin=subprocess.DEVNULL).stdout, judge)
                result.write()
                print("ok" if result.is_good() else "not ok",
                      f"{number} - {name}, {compiler} {flags}", flush=True)
                total.merge(result)
                judge.modules.clear()
    print(f"1..{number}")
    print(f"# in all, {time.monotonic() - started:.0f} s:")
    total.write()
    return 0


if __name__ == "__main__":
    sys.exit(main())
