#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Build sample programs with debug data of every kind, and print them.

    build.py [--few] FOLDER

A line is the path of a program and, where the tools cannot read its debug data or
read it wrong, =PATH of one with the same code whose debug data they can, perhaps
with +SHIFT, which is how much higher its code lies.

What the machine's tools cannot build is said on stderr and left out.
"""
import itertools
import os
import shutil
import subprocess
import sys

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "programs")
SOURCES = {"c": ["plain.c", "parse.c"], "cc": ["shapes.cc", "read.cc"]}
COMPILERS = {("gcc", "c"): "gcc", ("gcc", "cc"): "g++",
             ("clang", "c"): "clang", ("clang", "cc"): "clang++"}

SECTIONS = ["-ffunction-sections", "-Wl,--gc-sections"]

# The dropped functions' lines are at addresses from 0 on, amid those of a program that
# lies as low.
SHIFT = 0x1000000
HIGH = ["-Wl,-Ttext-segment=%#x" % SHIFT]

# Of these copies are made that dwz(1) compresses.
DWZ = ["gcc-cc"] + ["gcc-%s-O2-%s" % each
                    for each in itertools.product(("c", "cc"), "45")]

# Name, flags; each with -gdwarf-4 and -gdwarf-5 at -O2.
KINDS = [
    ("split", ["-gsplit-dwarf"]),
    ("compressed", ["-gz"]),
    ("sections", SECTIONS),
    ("lto", ["-flto"]),
    ("fixed", ["-fno-pie", "-no-pie"]),
    ("few-lines", ["-g1"]),
]
CLANG_KINDS = [
    ("aranges", ["-gdwarf-aranges"]),
    ("thin-lto", ["-flto=thin", "-fuse-ld=lld"]),
]


def compile_one(folder, compiler, language, name, flags):
    """The path of the program, or None."""
    program = os.path.join(folder, name)
    command = [COMPILERS[compiler, language]]
    objects = []
    for source in SOURCES[language]:
        objects.append("%s-%s.o" % (program, source))
        done = subprocess.run(
            command + flags + ["-c", "-o", objects[-1],
                               os.path.join(HERE, source)],
            cwd=folder, stderr=subprocess.PIPE, text=True)
        if done.returncode:
            break
    else:
        done = subprocess.run(command + flags + ["-o", program] + objects,
                              cwd=folder, stderr=subprocess.PIPE, text=True)
    if done.returncode:
        print("# left out: %s: %s" % (name, done.stderr.split("\n")[0]),
              file=sys.stderr)
        return None
    return program


def recipes(few):
    """(compiler, language, name, flags) of each program."""
    both = list(itertools.product(("gcc", "clang"), ("c", "cc")))
    if few:
        yield "gcc", "c", "gcc-c", ["-g", "-O2"] + SECTIONS
        yield "gcc", "cc", "gcc-cc", ["-g", "-O2"]
        yield "clang", "c", "clang-c", ["-g", "-O2", "-gdwarf-5",
                                        "-gsplit-dwarf"]
        return
    for compiler, language in both:
        for level, dwarf in itertools.product("0123s", "2345"):
            if dwarf in "23" and level != "2":
                continue
            yield (compiler, language,
                   "%s-%s-O%s-%s" % (compiler, language, level, dwarf),
                   ["-g", "-O" + level, "-gdwarf-" + dwarf])
        kinds = KINDS + (CLANG_KINDS if compiler == "clang" else [])
        for (kind, flags), dwarf in itertools.product(kinds, "45"):
            yield (compiler, language,
                   "%s-%s-%s-%s" % (compiler, language, kind, dwarf),
                   ["-g", "-O2", "-gdwarf-" + dwarf] + flags)


def dwz(path):
    """A copy of PATH after dwz, and two that share a file."""
    single, first, second = path + "-dwz", path + "-multi", path + "-multi2"
    for copy in (single, first, second):
        shutil.copy(path, copy)
    for command in (["dwz", single],
                    ["dwz", "-m", path + "-shared", "-M",
                     path + "-shared", first, second]):
        done = subprocess.run(command, stderr=subprocess.PIPE, text=True)
        if done.returncode:
            print("# left out: %s: %s" % (" ".join(command), done.stderr),
                  file=sys.stderr)
            return []
    return [single, first]


def peer(folder, compiler, language, name, flags):
    """What the tools are asked for in place of a program, or nothing."""
    other, shift = None, ""
    if "-gsplit-dwarf" in flags:
        other = compile_one(folder, compiler, language, name + "-whole",
                            [each for each in flags
                             if each != "-gsplit-dwarf"])
    elif SECTIONS[0] in flags:
        other = compile_one(folder, compiler, language, name + "-high",
                            flags + HIGH)
        shift = "+%#x" % SHIFT
    return "=" + other + shift if other else ""


def main():
    few = "--few" in sys.argv
    folder = os.path.abspath(sys.argv[-1])
    os.makedirs(folder, exist_ok=True)
    for compiler, language, name, flags in recipes(few):
        if not shutil.which(COMPILERS[compiler, language]):
            print("# left out: %s: no %s" % (name, compiler), file=sys.stderr)
            continue
        program = compile_one(folder, compiler, language, name, flags)
        if not program:
            continue
        print(program + peer(folder, compiler, language, name, flags))
        if shutil.which("dwz") and name in DWZ:
            for path in dwz(program):
                print(path + "=" + program)


if __name__ == "__main__":
    main()
