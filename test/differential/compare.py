#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""compare.py - does `whocallme functions` know what binutils knows?

Three readers of the same files judge it.  nm: every function it lists is in
`functions --all`.  readelf: the lists are exactly what the rules of
<whocallme/functions.h> and load/objects/build_table.h make of the symbol tables, which
binutils.py applies a second time.  addr2line: random addresses get the same name,
or the difference has a reason that readelf's symbols prove.

Speaks TAP.  A file is compared if nm finds a function in it.
"""

import argparse
import collections
import multiprocessing
import os
import random
import re
import sys
import time
import zlib

from binutils import (
    COLD, File, LABEL, PLT_RANK, READELF, Rules, SUFFIXES, UNTYPED_RANK, by_file,
    cut_version, nm_functions, nm_stubs, readelf_file, run, shown,
)

SHOWN = 20  # unexplained differences a test prints
BATCH_FILES, BATCH_BYTES = 24, 48 << 20


class Report:
    def __init__(self):
        self.count = collections.Counter()
        self.unexplained = []

    def differ(self, path, text):
        self.count["unexplained"] += 1
        if len(self.unexplained) < SHOWN:
            self.unexplained.append(f"{path}: {text}")

    def merge(self, other):
        self.count += other.count
        self.unexplained = (self.unexplained + other.unexplained)[:SHOWN]


def tool_list(lines):
    found = collections.Counter()
    for line in lines:
        field = line.split(" ", 2)
        if len(field) == 3:
            found[int(field[0], 16), int(field[1], 16), field[2]] += 1
    return found


def compare_counters(report, path, what, ours, theirs):
    for missing in (theirs - ours):
        report.differ(path, "%s lacks %016x %x %s" % (what, *missing))
    for extra in (ours - theirs):
        report.differ(path, "%s invents %016x %x %s" % (what, *extra))


def compare_nm(report, path, ours, theirs, rules):
    known = {(address, name) for address, _, name in ours}
    for address, name in theirs - known:
        if any(address == a for a, _, _ in ours):
            report.differ(path, "nm has at %016x also %s" % (address, name))
        else:
            report.differ(path, "nm has %016x %s" % (address, name))


def pick_addresses(rules, path, options):
    """Random bytes of code, and the edges of random functions."""
    chance = random.Random(f"{options.seed}:{path}")
    spans = [s for s in rules.source.sections.values()
             if s.code and s.alloc and s.size]
    picked = set()
    if spans:
        for span in chance.choices(spans, [s.size for s in spans],
                                   k=options.addresses):
            picked.add(span.address + chance.randrange(span.size))
    for _ in range(options.addresses // 4 if rules.starts else 0):
        at = chance.randrange(len(rules.starts))
        picked.update((rules.starts[at], rules.ends[at] - 1, rules.ends[at]))
    return sorted(a for a in picked
                  if any(0 <= a - s.address < s.size for s in spans))


def addr2line(path, addresses, inlined):
    """The function's name, and those inlined at the address into it."""
    asked = "".join(f"{address:#x}\n" for address in addresses)
    flags = "-aif" if inlined else "-af"
    text = run(["addr2line", flags, "-e", path], asked)[1]
    answers, names = [], None
    for line in text.split("\n"):
        if re.fullmatch(r"0x[0-9a-f]{8,16}", line):
            names, is_name = [], True
            answers.append(names)
        elif names is not None and line:
            if is_name:
                names.append(cut_version(line))
            is_name = not is_name
    return answers


def why(rules, by_name, symbol, address, theirs):
    """Why addr2line says THEIRS where the rules say SYMBOL; None: no reason."""
    if symbol and symbol.rank & PLT_RANK:
        return "stub"
    named = by_name.get(theirs, [])
    if not symbol:
        if theirs != "??" and named and \
                all(s.value + s.size <= address or s.value > address
                    or not s.size for s in named):
            return "gap"
        return None
    aliases = {s.name for s in rules.places[0, symbol.value]}
    if theirs in aliases:
        return "alias"
    if theirs == "??" and rules.is_packed:
        return "compressed symbols"
    if theirs == "??" and symbol in rules.exported:
        return "in .dynsym alone"
    if theirs == "??":
        return "untyped" if symbol.rank & UNTYPED_RANK else \
            "unsized" if not symbol.size else None
    if LABEL.match(theirs):
        return "label"
    for other in named:
        inside = 0 <= address - other.value < other.size
        if not other.size and other.value <= address:
            return "label"
        if inside:
            return "nested"
        if other.size and other.value + other.size <= address:
            return "past its end" if symbol.size else "unsized"
    return None


def compare_addresses(report, path, rules, options):
    addresses = pick_addresses(rules, path, options)
    if not addresses:
        return
    flags = [f"--address={address:x}" for address in addresses]
    code, text, _ = run([options.tool, "functions"] + flags + [path])
    ours = [line.split(" ", 1)[1] for line in text.split("\n") if " " in line]
    if len(ours) != len(addresses):
        report.differ(path, f"{len(addresses)} addresses, {len(ours)} answers")
        return
    theirs = addr2line(path, addresses, False)
    deep = None
    by_name = collections.defaultdict(list)
    for symbol in rules.symbols:
        by_name[symbol.name].append(symbol)
    for at, (address, answer) in enumerate(zip(addresses, ours)):
        symbol = rules.holder(address)
        report.count["addresses"] += 1
        if answer != shown(symbol, address):
            report.differ(path, f"{address:x} is {answer}, by the rules "
                          f"{shown(symbol, address)}")
            continue
        name = theirs[at][0] if at < len(theirs) and theirs[at] else "??"
        if name == (symbol.name if symbol else "??"):
            report.count["agree"] += 1
            if COLD.search(name):
                report.count["agree: cold part"] += 1
            continue
        reason = why(rules, by_name, symbol, address, name)
        if not reason:
            deep = deep or addr2line(path, addresses, True)
            reason = why_dwarf(rules, by_name, symbol, address, deep[at])
        if reason:
            report.count["differ: " + reason] += 1
        else:
            report.differ(path, f"{address:x} is {answer}, by addr2line "
                          f"{name}")


def why_dwarf(rules, by_name, symbol, address, names):
    """addr2line reads DWARF where there is some: inlined functions, and names
    as the source has them, without what the compiler appends."""
    if not symbol or not names or not rules.has_dwarf:
        return None
    outer = names[-1]
    sources = {SUFFIXES.sub("", s.name) for s in rules.places[0, symbol.value]}
    if len(names) > 1 and (outer in sources or
                           why(rules, by_name, symbol, address, outer)):
        return "inlined"
    if outer in sources:
        return "clone"
    # DWARF has the identifier alone where the symbol is mangled.
    plain = run(["c++filt"], "\n".join(sources))[1]
    if re.search(rf"(?<!\w){re.escape(outer)}(?!\w)", plain):
        return "inlined" if len(names) > 1 else "source name"
    return None


def compare_file(report, path, said, options):
    elf = said["readelf"].get(path)
    if elf is None:
        return
    elf = readelf_file(elf)
    code = {s.name for s in elf.sections.values() if s.code}
    static = nm_functions(said["nm"].get(path, []), code)
    dynamic = nm_functions(said["nm -D"].get(path, []), code)
    if not static and not dynamic:
        report.count["files without functions"] += 1
        return
    report.count["files"] += 1
    if path not in said["all"]:
        report.differ(path, "not listed")
        return
    every, best = tool_list(said["all"][path]), tool_list(said["best"][path])
    rules = Rules(elf, nm_stubs(said["nm -D"].get(path, [])), path)
    report.count["functions"] += sum(every.values())
    report.count["aliases"] += sum(every.values()) - sum(best.values())
    report.count["nm's functions"] += len(static | dynamic)
    if rules.source is not elf:
        report.count["files named by a debug file"] += 1
    compare_nm(report, path, every, static | dynamic, rules)
    compare_counters(report, path, "--all", every, rules.listed(True))
    compare_counters(report, path, "the list", best, rules.listed(False))
    if elf.relocatable:
        report.count["files without addresses: relocatable"] += 1
    else:
        compare_addresses(report, path, rules, options)


def compare_batch(work):
    paths, options = work
    report = Report()
    said = {}
    for key, command, header in (
            ("readelf", READELF, lambda p: "File: " + p),
            ("nm", ["nm", "-f", "sysv"], lambda p: f"Symbols from {p}:"),
            ("nm -D", ["nm", "-D", "--synthetic", "-f", "sysv"],
             lambda p: f"Symbols from {p}:"),
            ("all", [options.tool, "functions", "--all"],
             lambda p: p + ":"),
            ("best", [options.tool, "functions"], lambda p: p + ":")):
        status, text, _ = run(command + paths)
        said[key] = by_file(text, paths, header)
        if key in ("all", "best") and status not in (0, 1):
            report.differ(" ".join(paths), f"whocallme: exit status {status}")
    # A single file has no header: then what was printed tells.
    for path in paths:
        if len(paths) == 1 and not any(said["all"][path]):
            del said["all"][path]
        compare_file(report, path, said, options)
    return report


# Choosing files


def is_elf(path):
    try:
        with open(path, "rb") as file:
            return file.read(4) == b"\177ELF"
    except OSError:
        return False


def elf_files(folders):
    """Regular ELF files below FOLDERS, each inode once."""
    seen = set()
    for folder in folders:
        for where, inner, names in os.walk(folder):
            inner.sort()
            for name in sorted(names):
                path = os.path.join(where, name)
                if os.path.islink(path) or not os.path.isfile(path):
                    continue
                status = os.stat(path)
                key = status.st_dev, status.st_ino
                if key not in seen and is_elf(path):
                    seen.add(key)
                    yield path


def spread(folders, count, largest):
    """COUNT ELF files, the same ones on every run over the same tree."""
    paths = [os.path.join(where, name) for folder in folders
             for where, _, names in os.walk(folder) for name in names]
    paths.sort(key=lambda path: (zlib.crc32(os.fsencode(path)), path))
    chosen = []
    for path in paths:
        if len(chosen) == count:
            break
        if not os.path.islink(path) and is_elf(path) and \
                os.path.getsize(path) <= largest:
            chosen.append(path)
    return chosen


def batches(paths):
    batch, size = [], 0
    for path in paths:
        bytes_more = os.path.getsize(path)
        if batch and (len(batch) >= BATCH_FILES or
                      size + bytes_more > BATCH_BYTES):
            yield batch
            batch, size = [], 0
        batch.append(path)
        size += bytes_more
    if batch:
        yield batch


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--tool", required=True,
                        help="the whocallme command")
    parser.add_argument("--seed", default="1")
    parser.add_argument("--addresses", type=int, default=120,
                        help="random addresses a file")
    parser.add_argument("--spread", type=int, default=0,
                        help="only this many files of the folders")
    parser.add_argument("--largest", type=int, default=16 << 20,
                        help="bytes of the largest file of a spread")
    parser.add_argument("path", nargs="+", help="files, and folders of files")
    return parser.parse_args()


def main():
    options = parse_arguments()
    started = time.monotonic()
    folders = [path for path in options.path if os.path.isdir(path)]
    paths = [os.path.realpath(path) for path in options.path
             if os.path.isfile(path)]
    paths += spread(folders, options.spread, options.largest) \
        if options.spread else elf_files(folders)
    paths = list(dict.fromkeys(paths))
    total = Report()
    work = [(batch, options) for batch in batches(paths)]
    with multiprocessing.Pool(os.cpu_count()) as pool:
        for report in pool.imap_unordered(compare_batch, work):
            total.merge(report)
    print("1..1")
    print(f"# seed {options.seed}, {len(paths)} ELF files, "
          f"{time.monotonic() - started:.0f} s")
    for key in sorted(total.count):
        print(f"# {total.count[key]:>9} {key}")
    for line in total.unexplained:
        print("# unexplained: " +
              line.encode(errors="backslashreplace").decode())
    good = total.count["unexplained"] == 0 and total.count["files"] > 0
    print("ok" if good else "not ok", "1 - functions agree with binutils")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
