#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""matrix.py - does every crash get its report, and die as it would have?

Runs each death of programs/deaths.h in each kind of thread, with the library
linked and preloaded, and judges what a shell sees: the signal, the core file as
gdb reads it, the report, the time.

With --emulator the programs are another CPU's, and so are the library and the command:
the kernel runs them by qemu-user.  No /proc is hidden, for that needs it itself.
"""
import argparse
import concurrent.futures
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time

from cells import DEATHS, HELPERS, REDIRECTED, Cell, all_cells, be_elsewhere, left_out
from judge import Judge
from report import Report

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAMS = os.path.join(HERE, "programs")
CFLAGS = ["-w", "-g", "-O1", "-fno-optimize-sibling-calls", "-fno-inline",
          "-fno-ipa-icf", "-fPIE", "-pthread", "-D_GNU_SOURCE"]
SOURCES = ["main.c", "faults.c", "situations.c", "exits.cc"]
# A program that hangs is given up on.
PATIENCE = 30


def checked(command):
    done = subprocess.run(command, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        raise RuntimeError("%s\n%s" % (" ".join(command), done.stdout))
    return done.stdout


class Programs:
    """What is run, built once."""

    def __init__(self, options, work):
        self.options, self.work = options, work
        self.path, self.build_id = {}, {}
        self.library("early")
        self.library("plugin")
        self.library("abort_malloc")
        self.program("linked", ["-DLINKED", "-I", options.include],
                     ["-L" + options.libs, "-lwhocallme",
                      "-Wl,-rpath," + options.libs])
        self.program("preloaded", [], ["-rdynamic"])
        self.separate(self.path["preloaded"])
        self.helpers()

    def tool(self, name):
        """One of binutils or gcc, as a command."""
        options = self.options
        if not options.triplet:
            return [name]
        root = ["--sysroot=" + options.sysroot] if name in ("gcc", "g++") else []
        return [options.triplet + "-" + name] + root + \
            shlex.split(options.flags) * bool(root)

    def separate(self, path):
        """Strip it; its debug data is in a file beside it."""
        debug = path + ".debug"
        checked(self.tool("objcopy") + ["--only-keep-debug", path, debug])
        checked(self.tool("strip") + [path])
        checked(self.tool("objcopy") + ["--add-gnu-debuglink=" + debug, path])

    def helpers(self):
        for name, (script, _) in HELPERS.items():
            self.path[name] = os.path.join(self.work, name)
            if script:
                with open(self.path[name], "w") as file:
                    file.write("#!/bin/sh\n%s\n" % script)
                os.chmod(self.path[name], 0o755)

    def library(self, name):
        self.path[name] = os.path.join(self.work, name + ".so")
        checked(self.tool("gcc") + [
            "-w", "-g", "-O1", "-shared", "-fPIC", "-pthread", "-D_GNU_SOURCE",
            "-Wl,-soname," + self.path[name], "-o", self.path[name],
            os.path.join(PROGRAMS, name + ".c")])

    def program(self, name, compile_flags, link_flags):
        objects = []
        for source in SOURCES:
            objects.append(os.path.join(self.work, name + source + ".o"))
            checked(self.tool("g++" if source.endswith(".cc") else "gcc") +
                    [*CFLAGS, *compile_flags, "-c", "-o", objects[-1],
                     os.path.join(PROGRAMS, source)])
        self.path[name] = os.path.join(self.work, name)
        checked(self.tool("g++") + [
            "-pie", "-pthread", "-Wl,--build-id", "-o", self.path[name], *objects,
            self.path["early"], *link_flags, "-ldl"])
        notes = checked(["readelf", "-n", self.path[name]])
        self.build_id[name] = re.search(r"Build ID: (\w+)", notes).group(1)

    def environment(self, cell):
        death = DEATHS[cell.death]
        preload = []
        environment = {name: value for name, value in os.environ.items()
                       if not name.startswith("WHOCALLME_")}
        environment.update(LC_ALL="C", CRASH_PLUGIN=self.path["plugin"],
                           WHOCALLME_HELPER=self.path[cell.helper]
                           if cell.helper else self.options.tool)
        if cell.way == "preloaded":
            preload.append(os.path.join(self.options.libs,
                                        "libwhocallme-preload.so"))
        if cell.forbid_malloc:
            preload.append(self.path["abort_malloc"])
        if cell.death in REDIRECTED:
            environment.update(CRASH_ANY_DESCRIPTOR="yes", WHOCALLME_STDERR="any")
        if death.file:
            name = "CRASH_FILE" if cell.way == "linked" else "WHOCALLME_FILE"
            environment[name] = "report.%p"
        if self.options.emulator:
            environment["CRASH_CLOSE_GUARD"] = "yes"
        if preload:
            environment["LD_PRELOAD"] = " ".join(preload)
        return environment

    def command(self, cell):
        death = DEATHS[cell.death]
        command = [self.path[cell.way], cell.death, cell.place,
                   str(death.threads)]
        return command if death.proc else hide_proc(command)

    def can_hide_proc(self):
        done = subprocess.run(hide_proc(["true"]), stderr=subprocess.DEVNULL)
        return done.returncode == 0


def hide_proc(command):
    user = [] if os.geteuid() == 0 else ["-r"]
    return ["unshare", *user, "-m", "sh", "-c",
            'mount -t tmpfs none /proc && exec "$@"', "sh", *command]


def limits():
    import resource
    hard = resource.getrlimit(resource.RLIMIT_CORE)[1]
    resource.setrlimit(resource.RLIMIT_CORE, (hard, hard))
    stack = resource.getrlimit(resource.RLIMIT_STACK)[1]
    resource.setrlimit(resource.RLIMIT_STACK, (8 << 20, stack))


class Run:
    """One cell's process, and what it left."""

    def __init__(self, programs, cell, work):
        self.cell, self.death = cell, DEATHS[cell.death]
        self.folder = tempfile.mkdtemp(dir=work, prefix=str(cell) + ".")
        self.hung = False
        with open(self.at("out"), "wb") as out, \
                open(self.at("err"), "wb") as err:
            process = subprocess.Popen(
                programs.command(cell), stdin=subprocess.DEVNULL, stdout=out,
                stderr=err, cwd=self.folder, preexec_fn=limits,
                env=programs.environment(cell))
            try:
                process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                self.hung = True
                process.kill()
                process.wait()
        self.ended = time.monotonic()
        self.status = process.returncode
        self.read_out()
        self.err = self.read("err")
        files = sorted(name for name in os.listdir(self.folder)
                       if name.startswith("report."))
        self.files = [self.read(name) for name in files]
        self.report = Report(self.files[0] if self.death.file and self.files
                             else self.err)
        cores = [name for name in os.listdir(self.folder)
                 if name.startswith("core") or re.match(r"qemu_.*\.core$", name)]
        # Where cores are numbered, that of the process that died last.
        mine = ["core.%d" % line[0] for line in self.ready[-1:]]
        cores = [name for name in mine if name in cores] or cores
        self.core = self.at(cores[0]) if cores else None

    def at(self, name):
        return os.path.join(self.folder, name)

    def read(self, name):
        with open(self.at(name), encoding="utf-8", errors="replace") as file:
            return file.read()

    def read_out(self):
        """The lines of ready(): (pid, tid, seconds, base, size) each."""
        self.out, self.ready = self.read("out"), []
        for line in self.out.splitlines():
            word = line.split()
            if len(word) == 6 and word[0] == "ready":
                base = 0 if word[4] == "(nil)" else int(word[4], 16)
                self.ready.append((int(word[1]), int(word[2]), float(word[3]),
                                   base, int(word[5])))


def explain(run, failures):
    """What a reader of a failure needs."""
    lines = ["%s: %s" % (run.cell, "; ".join(failures))]
    if run.files:
        lines += ["  file: " + line
                  for line in run.files[0].splitlines()[:6]]
    lines += ["  stderr: " + line for line in run.err.splitlines()[:6]]
    return "\n".join("# " + line for line in lines)


def chosen(cells, count):
    """COUNT cells of each death, spread over the places and the ways, and one of
    each helper that does not help."""
    if not count:
        return cells
    spread = []
    for i, death in enumerate(DEATHS):
        mine = [cell for cell in cells if cell.death == death]
        plain = [cell for cell in mine if not cell.helper]
        # 7 is prime to how many there can be: 3, 6 and 12.
        spread += [plain[(i + j) * 7 % len(plain)] for j in range(count) if plain]
    return spread + [Cell("null_read", "main", "linked", False, helper)
                     for helper in HELPERS]


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("--include", required=True)
    parser.add_argument("--libs", required=True)
    parser.add_argument("--tool", required=True)
    parser.add_argument("--triplet", default="", help="compile for this machine")
    parser.add_argument("--sysroot", default="", help="its files")
    parser.add_argument("--flags", default="", help="for the compiler")
    parser.add_argument("--emulator", action="store_true",
                        help="of which the kernel makes use")
    parser.add_argument("--spread", type=int, default=0)
    parser.add_argument("--lines-of", type=int, default=1,
                        help="judge the lines of one of so many cells")
    parser.add_argument("--only", default="", help="part of a cell's name")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--work", help="keep what is built in this directory")
    parser.add_argument("--verbose", action="store_true")
    return parser.parse_args()


class Matrix:
    def __init__(self, options, work):
        self.options, self.work = options, work
        self.programs = Programs(options, work)
        self.judge = Judge(self.programs, options.lines_of, options.emulator)

    def cells(self):
        """What can be run here, and what cannot."""
        cells = [cell for cell in chosen(all_cells(), self.options.spread)
                 if self.options.only in str(cell)]
        if self.options.emulator or self.programs.can_hide_proc():
            return cells, []
        return ([cell for cell in cells if DEATHS[cell.death].proc],
                [cell for cell in cells if not DEATHS[cell.death].proc])

    def cell(self, cell):
        run = Run(self.programs, cell, self.work)
        failures = self.judge.all(run)
        reports = run.report.count
        text = explain(run, failures) if failures else ""
        if not self.options.work:
            shutil.rmtree(run.folder)
        return cell, reports, failures, text

    def run(self):
        cells, skipped = self.cells()
        for cell in skipped:
            print("# skipped: %s: /proc cannot be hidden" % (cell,))
        reports, failed, kinds = 0, 0, {}
        with concurrent.futures.ThreadPoolExecutor(self.options.jobs) as pool:
            for cell, count, failures, text in pool.map(self.cell, cells):
                reports += count
                failed += bool(failures)
                for failure in failures:
                    kind = failure.split(":")[0]
                    kinds[kind] = kinds.get(kind, 0) + 1
                if self.options.verbose and not failures:
                    print("# %s: good" % (cell,))
                if text:
                    print(text, flush=True)
        return len(cells), reports, failed, kinds


def main():
    options = parse()
    if options.triplet:
        be_elsewhere(options.emulator)
    work = os.path.abspath(options.work or tempfile.mkdtemp())
    os.makedirs(work, exist_ok=True)
    try:
        matrix = Matrix(options, work)
        cells, reports, failed, kinds = matrix.run()
    finally:
        if not options.work:
            shutil.rmtree(work)
    missing = [(cell, reason) for cell, reason in left_out()
               if options.only in str(cell)]
    for cell, reason in missing:
        print("# left out: %s: %s" % (cell, reason))
    for note in matrix.judge.notes():
        print("# " + note)
    for kind in sorted(kinds):
        print("# %d cells fail: %s" % (kinds[kind], kind))
    print("# %d cells, %d left out, %d reports, %d failures"
          % (cells, len(missing), reports, failed))
    good = failed == 0 and cells > 0
    print("%s 1 - every crash is reported, and is the same death\n1..1"
          % ("ok" if good else "not ok"))
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
