#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""run.py - is the stack known at every instruction of these programs?

Builds the programs, runs each under test/stepper/stepper and says why stacks
differ from the record of calls and returns: readelf finds no frame description
for the code in question, or explained.txt names the function and the reason, and
gdb, too, is wrong there.  Any other difference fails.

With --emulator they are another CPU's, of which stepper is a program as well; its stub
tells of one thread at a time, so that programs of many are left out.

Speaks TAP, a test for each program.
"""

import argparse
import bisect
import collections
import itertools
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCES = os.path.join(HERE, "programs")
ENVIRONMENT = dict(os.environ, LC_ALL="C", DEBUGINFOD_URLS="")
MOST = 400000  # instructions of a program; some spend millions on starting
REACH = {"own": 1, "caller": 2, "callers": 3}  # frames, of explained.txt
UNDESCRIBED = "no frame description"
NOT_DESCRIBED_HERE = "clang's rows are of calls: not of where a frame is made, or given back"
FLAGS = "inline assembly pushes flags and no row says so"
LATE = "clang's row does not count what has just been pushed, or what a callee takes off"
EMPTY = "its frame description has no row but the first, and it moves the stack pointer"
MOVES = re.compile(r"(addi?\s+sp,\s*sp,\s*-|sub\s+sp,\s*sp,|st[rp]\s.*\[sp, #-\d+\]!)")
# The instruction that points to a frame, and what may follow it; that which begins to give
# the frame back, and what may follow that.
FRAMES = {
    "aarch64": (r"(mov|add)\s+x29, sp", r"st[pr]\s.*\[sp|sub\s+sp, sp", r"ldp\s+x29, x30",
                r"(ldp|ldr|add\s+sp, sp|mov|cset|autiasp|autibsp|nop)\b"),
    "riscv64": (r"addi?\s+s0,\s*sp", r"sd\s.*\(sp\)|addi?\s+sp,\s*sp,-", r"ld\s+(ra|s0),",
                r"(ld|addi?\s+sp,\s*sp|mv|li|auipc)\b"),
}
PROGRAMS = ("calls.c", "jumps.c", "loads.c", "coroutines.c", "threads.c",
            "throws.cc")
CONVENTIONS = ("conventions.c",)  # of i386
GDB_TIMEOUT = 30
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

# On i386 also with stacks that are aligned to a word.
WORD_ALIGNED = [
    ("gcc", "-O2 -fPIC -mpreferred-stack-boundary=2 -fomit-frame-pointer"),
    ("gcc", "-O0 -fPIC -mpreferred-stack-boundary=2"),
    ("gcc", "-Os -mpreferred-stack-boundary=2 -no-pie"),
    ("clang", "-O2 -fPIC -mstack-alignment=4"),
]

DIFFERS = re.compile(r"differs (\d+) (.*) # (frame (\d+), ours (\w+), "
                     r"the record's (\w+), .* at (\S+) (\w+))")
TOTAL = re.compile(r"total (\d+) instructions (\d+) stacks (\d+) frames "
                   r"(\d+) differences (\d+) guessed (\d+) blank "
                   r"(\d+) threads")
COUNTS = ("instructions", "stacks", "frames", "differences",
          "stacks with a guessed frame", "stacks of which nothing is recorded",
          "threads")
INSTRUCTION = re.compile(r"^\s*([0-9a-f]+):\s+(\S.*)$", re.M)
FDE = re.compile(r" FDE .*pc=([0-9a-f]+)\.\.([0-9a-f]+)")
EMPTY_FDE = re.compile(r" FDE .*pc=([0-9a-f]+)\.\.[0-9a-f]+\n(?:  DW_CFA_nop\n)*\n")


def run(command, more=None, **options):
    return subprocess.run(command, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT,
                          env=dict(ENVIRONMENT, **(more or {})),
                          encoding="utf-8", errors="replace", **options)


class Module:
    """What binutils and the whocallme command know of an object."""

    def __init__(self, path, tool):
        self.path, self.tool = path, tool
        text = run(["readelf", "--debug-dump=frames", path]).stdout
        spans = sorted((int(a, 16), int(b, 16)) for a, b in FDE.findall(text))
        self.starts = [start for start, _ in spans]
        self.ends = [end for _, end in spans]
        self.empty = {int(start, 16) for start in EMPTY_FDE.findall(text)}

    def is_described(self, address):
        at = bisect.bisect_right(self.starts, address) - 1
        return at >= 0 and address < self.ends[at]

    def function(self, address):
        """The span that the description of ADDRESS is about."""
        at = bisect.bisect_right(self.starts, address) - 1
        return (self.starts[at], self.ends[at]) if self.is_described(address) else (0, 0)

    def name(self, address):
        text = run(self.tool + ["functions", f"--address={address:x}",
                                self.path]).stdout
        return text.split()[1].split("+0x")[0] if len(text.split()) > 1 else "??"


class Reason(collections.namedtuple("Reason", "pattern wrong text cpu", defaults=[""])):
    def holds(self, names):
        """For a frame left wrongly, and those inside of it."""
        named = names[:REACH[self.wrong]]
        return any(re.fullmatch(self.pattern, name) for name in named)


def read_explained(is_i386):
    with open(os.path.join(HERE, "explained.txt"), encoding="ascii") as lines:
        rows = [line.rstrip("\n").split("\t") for line in lines
                if line.strip() and not line.startswith("#")]
    reasons = [Reason(*row) for row in rows]
    return [reason for reason in reasons if not reason.cpu or is_i386]


def vdso():
    """A file with the kernel's code of this process, which is that of the programs as well."""
    with open("/proc/self/maps", encoding="ascii") as lines:
        spans = [line.split()[0] for line in lines if line.endswith(" [vdso]\n")]
    copy = tempfile.NamedTemporaryFile()
    with open("/proc/self/mem", "rb") as memory:
        for start, end in [[int(at, 16) for at in span.split("-")] for span in spans]:
            memory.seek(start)
            copy.write(memory.read(end - start))
    copy.flush()
    return copy


class Judge:
    def __init__(self, tool, triplet, is_i386):
        self.tool, self.triplet, self.modules = tool, triplet, {}
        self.vdso = vdso()
        self.is_i386 = is_i386
        self.compiler = ""
        self.explained = read_explained(is_i386)

    def frame(self, path, site):
        """The name of the function that holds SITE, and whether readelf finds
        its frame described."""
        if path == "?":
            return path, False
        if path == "[vdso]" and not self.triplet:
            path = self.vdso.name
        if not os.path.isfile(path):
            return path, True
        if path not in self.modules:
            self.modules[path] = Module(path, self.tool)
        module = self.modules[path]
        return module.name(site), module.is_described(site)

    def code(self, path, pc):
        """The instructions of the function at PC: where they are, and what."""
        start, end = self.modules[path].function(pc)
        prefix = self.triplet + "-" if self.triplet else ""
        text = run([prefix + "objdump", "-d", "--no-show-raw-insn",
                    f"--start-address={start}", f"--stop-address={end}", path]).stdout
        return [(int(at, 16), what) for at, what in INSTRUCTION.findall(text)]

    def is_without_rows(self, path, pc):
        if not self.triplet or path not in self.modules or \
                self.modules[path].function(pc)[0] not in self.modules[path].empty:
            return False
        return any(MOVES.match(what) for _, what in self.code(path, pc))

    def is_between_rows(self, path, pc):
        """Whether clang describes the call, and not the instruction, at PC."""
        patterns = FRAMES.get(self.triplet.split("-")[0])
        if self.compiler != "clang" or not patterns or path not in self.modules:
            return False
        code, end = self.code(path, pc), self.modules[path].function(pc)[1]
        made, saved, given_back, follows = patterns
        for number, (_, what) in enumerate(code):
            if re.match(made, what):
                behind = itertools.dropwhile(lambda one: re.match(saved, one[1]),
                                             code[number + 1:])
                if pc < next(behind, (end,))[0]:
                    return True
                break
        for _, what in reversed([one for one in code if one[0] < pc]):
            if re.match(given_back, what):
                return True
            if not re.match(follows, what):
                break
        return False

    def is_late(self, path, pc):
        """Whether the instruction in front of PC is one that clang's rows of i386 are late
        to tell of."""
        if self.compiler != "clang" or not self.is_i386 or path not in self.modules:
            return False
        before = [what for at, what in self.code(path, pc) if at < pc]
        return bool(before) and re.match(r"(push|call)\b", before[-1]) is not None

    def is_among_flags(self, path, pc):
        """Whether PC is where a function of i386's asks whether there is cpuid, by flags that
        inline assembly has pushed."""
        if not self.is_i386 or path not in self.modules:
            return False
        before = [what for at, what in self.code(path, pc) if at < pc]
        pushed = sum(what.startswith("push") - what.startswith("pop") for what in before)
        return pushed > 0 and before[0].startswith("pushf")

    def reason(self, words, frame, gdb, at):
        """Why the first frame of WORDS, the module and offset of each, was left
        wrongly, or None; and its name.  FRAME counts those inside of it, GDB is what
        gdb makes of it, and AT the module and offset of the innermost."""
        names = []
        for path, offset in zip(words[::2], words[1::2]):
            frame -= 1
            name, described = self.frame(path, int(offset, 16) - (frame > 0))
            if not described and not names:
                return UNDESCRIBED, name
            names.append(name)
        if gdb == "is right":
            return None, names[0]
        if any(self.is_without_rows(path, int(offset, 16) - 1)
               for path, offset in zip(words[:4:2], words[1:4:2])):
            return EMPTY, names[0]
        for reason in self.explained:
            if reason.holds(names):
                return f"{reason.pattern}: {reason.text}", names[0]
        self.frame(*at)
        if self.is_between_rows(*at):
            return NOT_DESCRIBED_HERE, names[0]
        if self.is_late(*at):
            return LATE, names[0]
        if self.is_among_flags(*at):
            return FLAGS, names[0]
        return None, names[0]


class Gdb:
    """The stacks that gdb finds in the core files of a directory."""

    def __init__(self, gdb, root, cores, program):
        self.stacks = []
        if not shutil.which(gdb) or \
                not os.path.exists(os.path.join(cores, "0.core")):
            return
        answers = os.path.join(cores, "gdb")
        while not self.ask([gdb, "-batch", "-nx", "-x",
                            os.path.join(HERE, "oracle.py"), program],
                           {"CORES": cores, "SYSROOT": root}):
            with open(answers, "a", encoding="ascii") as more:
                more.write("\n")
        with open(answers, encoding="ascii") as lines:
            self.stacks = [[int(pc, 16) for pc in line.split()] for line in lines]

    @staticmethod
    def ask(command, more):
        """False if gdb is lost in one of the stacks that are left."""
        try:
            run(command, stdin=subprocess.DEVNULL, more=more, timeout=GDB_TIMEOUT)
        except subprocess.TimeoutExpired:
            return False
        return True

    def verdict(self, number, frame, ours, recorded):
        """Of stack NUMBER, whose FRAME is where it differs."""
        if number >= len(self.stacks) or not self.stacks[number]:
            return "is not asked"
        stack = self.stacks[number] + [0]
        found = stack[frame] if frame < len(stack) else None
        return "is right" if found == recorded else \
            "says the same" if found == ours else "is wrong as well"


class Result:
    def __init__(self):
        self.count = collections.Counter()
        self.why = collections.Counter()
        self.undescribed = collections.Counter()  # by function
        self.unexplained = []

    def take(self, text, judge, gdb):
        total = TOTAL.search(text)
        if not total:
            self.unexplained.append("no total: " + text[-300:])
            return
        self.count["programs"] += 1
        for key, value in zip(COUNTS, total.groups()):
            self.count[key] += int(value)
        explained = 0
        for number, line in enumerate(DIFFERS.findall(text)):
            count, where, note, frame, ours, recorded, module, offset = line
            verdict = gdb.verdict(number, int(frame), int(ours, 0),
                                  int(recorded, 0))
            reason, name = judge.reason(where.split(), int(frame), verdict,
                                        (module, int(offset, 16)))
            if reason == UNDESCRIBED:
                self.undescribed[name] += int(count)
            if reason:
                self.why[f"{reason}; gdb {verdict}"] += int(count)
                explained += int(count)
            else:
                self.unexplained.append(
                    f"{count} in {name}, {note}, {where}; gdb {verdict}")
        left = int(total.group(4)) - explained
        self.count["unexplained"] += left

    def merge(self, other):
        self.count += other.count
        self.why += other.why
        self.undescribed += other.undescribed

    def write(self):
        for key in COUNTS[:4] + ("unexplained",) + COUNTS[4:]:
            print(f"# {self.count[key]:>9} {key}")
        for reason, count in self.why.most_common():
            print(f"# {count:>9} explained by {reason}")
        for line in self.unexplained[:SHOWN]:
            print("# unexplained: " + line)

    def write_closing(self):
        for name, times in self.undescribed.most_common():
            print(f"# {times:>9} without a frame description in {name}")
        count = self.count
        print(f"# stepper: {count['programs']} programs, "
              f"{count['instructions']} instructions, "
              f"{count['stacks']} stacks, {count['frames']} frames, "
              f"{count['differences']} differences, "
              f"{count['unexplained']} of them unexplained")

    def is_good(self):
        return not self.unexplained and self.count["unexplained"] == 0 and \
            self.count["instructions"] > 0


class Machine:
    """Whose programs they are: how they are compiled and stepped through."""

    def __init__(self, options):
        self.options = options
        self.emulator = shlex.split(options.emulator)
        self.gdb = "gdb-multiarch" if self.emulator else "gdb"
        machine = run(self.driver("gcc", False) + ["-dumpmachine"]).stdout
        self.is_i386 = re.match("i[3-6]86-", machine) is not None

    def driver(self, compiler, cxx):
        name = {"gcc": "g++", "clang": "clang++"}[compiler] if cxx else compiler
        triplet = self.options.triplet
        if not triplet:
            return [name]
        command = [name, "--target=" + triplet] + shlex.split(self.options.clang_flags) \
            if compiler == "clang" else [triplet + "-" + name]
        return command + ["--sysroot=" + self.options.sysroot] + \
            shlex.split(self.options.flags)

    def has(self, compiler, cxx=False):
        return shutil.which(self.driver(compiler, cxx)[0])

    def builds(self):
        """Those of BUILDS that the CPU's compilers take."""
        builds = BUILDS + (WORD_ALIGNED if self.is_i386 else [])
        if self.options.smoke:
            builds = builds[:1]
        return [build for build in builds
                if not self.emulator or "-fcf-protection" not in build[1]]

    def build(self, work, compiler, flags):
        """Compile the programs.  Returns their command lines."""
        static = "-static" in flags
        commands = []
        plugin = os.path.join(work, "plugin.so")
        if not static:
            run(self.driver(compiler, False) + flags.replace("-no-pie", "").split() +
                ["-shared", "-fPIC", "-o", plugin, os.path.join(SOURCES, "plugin.c")],
                check=True)
        for source in PROGRAMS + (CONVENTIONS if self.is_i386 else ()):
            stem, suffix = os.path.splitext(source)
            if static and stem == "loads" or self.emulator and stem == "threads" or \
                    not self.has(compiler, suffix == ".cc"):
                continue
            program = os.path.join(work, stem)
            done = run(self.driver(compiler, suffix == ".cc") + flags.split() +
                       ["-o", program, os.path.join(SOURCES, source)])
            if done.returncode != 0:
                print(f"# {compiler} {flags} cannot build {source}")
                continue
            commands.append([program] + ([plugin] if stem == "loads" else []))
        return commands

    def step(self, command, from_entry, judge):
        options = self.options
        with tempfile.TemporaryDirectory() as cores:
            done = run([options.stepper, f"-n{options.most}", f"-c{cores}",
                        *(["-e"] if from_entry else []), *self.emulator, *command],
                       stdin=subprocess.DEVNULL)
            result = Result()
            result.take(done.stdout, judge,
                        Gdb(self.gdb, options.sysroot, cores, command[0]))
        return result


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--stepper", required=True)
    parser.add_argument("--tool", required=True, help="the whocallme command")
    parser.add_argument("--smoke", action="store_true",
                        help="C programs built one way, from their entry")
    parser.add_argument("--most", type=int, default=MOST, help="instructions of a program")
    parser.add_argument("--triplet", default="", help="compile for this machine")
    parser.add_argument("--sysroot", default="", help="its files")
    parser.add_argument("--flags", default="", help="for the compiler")
    parser.add_argument("--clang-flags", default="-fuse-ld=lld", help="for clang alone")
    parser.add_argument("--emulator", default="", help="its path: runs its programs")
    return parser.parse_args()


def main():
    options = parse_arguments()
    started = time.monotonic()
    machine = Machine(options)
    judge, total, number = Judge([options.tool], options.triplet, machine.is_i386), Result(), 0
    for at, (compiler, flags) in enumerate(machine.builds()):
        if not machine.has(compiler):
            print(f"# no program of {compiler}'s: it is missing")
            continue
        with tempfile.TemporaryDirectory() as work:
            for command in machine.build(work, compiler, flags):
                name = os.path.basename(command[0])
                if options.smoke and name == "throws":
                    continue
                number += 1
                judge.compiler = compiler
                result = machine.step(command, options.smoke or at > 0, judge)
                result.write()
                print("ok" if result.is_good() else "not ok",
                      f"{number} - {name}, {compiler} {flags}", flush=True)
                total.merge(result)
                judge.modules.clear()
    print(f"1..{number}")
    print(f"# in all, {time.monotonic() - started:.0f} s:")
    total.write()
    total.write_closing()
    return 0


if __name__ == "__main__":
    sys.exit(main())
