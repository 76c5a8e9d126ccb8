#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compare our lines with those of llvm-symbolizer and of addr2line.

    compare.py --ask "COMMAND..." [--addresses N] FILE[=PEER[+SHIFT]]...

Every byte of every section of code is asked for, or, with --addresses, N bytes at
random.  An answer is right if one of the two tools gives the same chain of functions,
files and lines.  Where neither does, it must be of a class listed below; the rest
are differences, and fail.  The columns are compared with llvm-symbolizer's, which
alone knows them.  The tools are asked for PEER, whose code is that of FILE but lies
SHIFT higher, where they cannot read FILE.
"""
import argparse
import collections
import os
import random
import re
import subprocess
import sys

Frame = collections.namedtuple("Frame", "function file line column")
SHOWN = 8  # differences for a file


def sections(path):
    """Address and size of each section of code."""
    text = subprocess.run(["readelf", "-SW", path], check=True, text=True,
                          stdout=subprocess.PIPE).stdout
    for line in text.splitlines():
        fields = re.sub(r"^ *\[ *\d+\] *", "", line).split()
        if len(fields) > 6 and fields[1] == "PROGBITS" and "X" in fields[6]:
            if not fields[0].startswith(".plt"):
                yield int(fields[2], 16), int(fields[4], 16)


def addresses(found, most):
    """Those to ask for, in the sections FOUND."""
    total = sum(size for _, size in found)
    if not most or total <= most:
        return [at + i for at, size in found for i in range(size)]
    chosen = []
    for number in sorted(random.Random(1).sample(range(total), most)):
        for at, size in found:
            if number < size:
                chosen.append(at + number)
                break
            number -= size
    return chosen


def run(command, lines):
    return subprocess.run(command, input="\n".join(lines) + "\n", text=True,
                          stdout=subprocess.PIPE, check=True,
                          stderr=subprocess.DEVNULL,
                          errors="replace").stdout


def path_of(text):
    return None if text.startswith("??") else os.path.normpath(text)


def number(text):
    return int(text) if text.isdigit() else 0


def blocks(text):
    """Answers of pairs of lines, each with an empty line behind."""
    for block in text.split("\n\n"):
        lines = [line for line in block.split("\n")
                 if line and line[0] not in "!\t"]
        if lines:
            yield [frame(*lines[i:i + 2]) for i in range(0, len(lines), 2)]


def frame(function, place):
    file, line, column = place.rsplit(":", 2)
    return Frame(None if function == "??" else function, path_of(file),
                 number(line), number(column))


def ours(command, path, asked):
    return list(blocks(run(command, ["%s+%#x" % (path, at) for at in asked])))


def llvm(path, asked):
    return list(blocks(run(
        ["llvm-symbolizer", "--obj=" + path, "--no-demangle", "--inlines",
         "--output-style=LLVM"], ["%#x" % at for at in asked])))


def addr2line(path, asked):
    text = run(["addr2line", "-a", "-f", "-i", "-e", path],
               ["%#x" % at for at in asked])
    answers = []
    lines = iter(text.splitlines())
    for line in lines:
        if re.fullmatch("0x[0-9a-f]{16}", line):
            answers.append([])
            continue
        place = next(lines).split(" (discriminator")[0]
        file, at = place.rsplit(":", 1)
        answers[-1].append(Frame(None if line == "??" else line, path_of(file),
                                 number(at), 0))
    return answers


def places(chain):
    return [(at.file, at.line) for at in chain]


def names(chain):
    return [at.function for at in chain]


def without_columns(chain):
    return [(at.function, at.file, at.line) for at in chain]


def stem(name):
    """Less what the compiler put behind the name of a part or a copy."""
    return re.sub(r"(\.(cold|part|constprop|isra|lto_priv|llvm|localalias)"
                  r"(\.\d+)*)+$", "", name or "")


def plain(name):
    """What all names of one function have in common: its symbols may be aliases, as
    those of the kinds of a constructor are."""
    return re.sub(r"([CD])[0-9](?=Ev|ERK|EOS|E|I)", r"\1", stem(name))


def alike(mine, other):
    """The same file, or, less a folder before, the same relative one."""
    return mine == other or bool(mine and other) and \
        not mine.startswith("/") and other.endswith("/" + mine)


def places_alike(mine, other):
    return len(mine) == len(other) and all(
        a.line == b.line and alike(a.file, b.file)
        for a, b in zip(mine, other))


def same_but_outermost(mine, other):
    return places_alike(mine, other) and \
        names(mine)[:-1] == names(other)[:-1]


def is_suffix(mine, one, two):
    return any(same_but_outermost(mine, other) and
               stem(mine[-1].function) == stem(other[-1].function)
               for other in (one, two))


def is_alias(mine, one, two):
    return same_but_outermost(mine, one) and \
        (mine[-1].function == two[-1].function or
         plain(mine[-1].function) == plain(one[-1].function))


def is_behind(mine, one, two):
    return len(mine) == 1 and mine[0].function is None and \
        places(mine) in (places(one), places(two))


def is_symbol_file(mine, one, two):
    return len(mine) == 1 and mine[0].file is None and any(
        (mine[0].function, 0) == (other[0].function, other[0].line)
        for other in (one, two)) or mine[0].file is None and \
        not any(frame.line for frame in one + two)


def is_relative(mine, one, two):
    return any(names(mine) == names(other) and places_alike(mine, other)
               for other in (one, two))


# Each: a name, the reason, and whether it explains (ours, llvm's, addr2line's).
CLASSES = [
    ("relative", "the compiler's own folder is relative, and the tools put it "
     "before itself", is_relative),
    ("suffix", "the tools give the symbol, with .cold or the like behind the "
     "function's name", is_suffix),
    ("alias", "the outermost function has two symbols, of which "
     "llvm-symbolizer prints the other", is_alias),
    ("behind", "between two functions, where the line table still has a row "
     "and the tools take the function before", is_behind),
    ("symbol's file", "without debug data, a symbol table's file has neither "
     "folder nor line: it is no place", is_symbol_file),
]


def explain(mine, one, two):
    for name, _, holds in CLASSES:
        if holds(mine, one, two):
            return name
    return None


def show(at, mine, one, two):
    print("# %#x" % at)
    for who, chain in (("ours", mine), ("llvm", one), ("addr2line", two)):
        print("#   %-9s %s" % (who, " < ".join(
            "%s %s:%s:%s" % each for each in chain)))


def ask_all(what, command, most):
    """(addresses, our answers, llvm-symbolizer's, addr2line's) for WHAT."""
    path, _, peer = what.partition("=")
    peer, _, shift = peer.partition("+")
    peer, shift = peer or path, int(shift or "0", 16)
    found = list(sections(path))
    if [(at + shift, size) for at, size in found] != list(sections(peer)):
        print("# %s has not the code of %s" % (peer, path))
        return [], [], [], []
    asked = addresses(found, most)
    moved = [at + shift for at in asked]
    return (asked, ours(command, path, asked), llvm(peer, moved),
            addr2line(peer, moved))


def compare(what, command, most):
    """(addresses, differences, classes) of WHAT."""
    asked, mine, one, two = ask_all(what, command, most)
    classes = collections.Counter()
    wrong = 0
    if not len(mine) == len(one) == len(two) == len(asked):
        print("# %s: %d asked, answers: ours %d, llvm %d, addr2line %d" %
              (what, len(asked), len(mine), len(one), len(two)))
        return len(asked), len(asked), classes
    for at, a, b, c in zip(asked, mine, one, two):
        if a == b:
            classes["both" if without_columns(a) == without_columns(c)
                    else "llvm-symbolizer alone"] += 1
        elif without_columns(a) == without_columns(c):
            classes["addr2line alone"] += 1
        else:
            kind = explain(a, b, c)
            if kind:
                classes[kind] += 1
                continue
            wrong += 1
            if wrong <= SHOWN:
                show(at, a, b, c)
    return len(asked), wrong, classes


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--ask", required=True)
    parser.add_argument("--addresses", type=int, default=0)
    parser.add_argument("files", nargs="+")
    options = parser.parse_args()
    total, wrong, classes = 0, 0, collections.Counter()
    print("1..%d" % len(options.files))
    for i, path in enumerate(options.files, 1):
        asked, bad, kinds = compare(path, options.ask.split(),
                                    options.addresses)
        print("%sok %d - %s: %d addresses, %d differences; %s" %
              ("not " if bad or not asked else "", i, os.path.basename(path.split("=")[0]),
               asked, bad, ", ".join("%s %d" % kind
                                     for kind in kinds.most_common())))
        sys.stdout.flush()
        total, wrong, classes = total + asked, wrong + bad, classes + kinds
    print("# %d addresses, %d differences" % (total, wrong))
    for name, count in classes.most_common():
        reason = "".join(": " + each[1] for each in CLASSES
                         if each[0] == name)
        print("#   %8d %s%s" % (count, name, reason))
    return 0


if __name__ == "__main__":
    sys.exit(main())
