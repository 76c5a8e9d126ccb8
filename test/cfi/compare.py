#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""compare.py - does the library see the rows that readelf sees?

Every row of .eh_frame that `readelf --debug-dump=frames-interp` prints is asked
of test/cfi/rows at its first and at its last byte.  The compact rule of a row
and what the rule cache gives back are held against the same words of readelf's.

Speaks TAP.
"""

import argparse
import collections
import itertools
import os
import re
import subprocess
import sys
import tempfile
import time

SHOWN = 20  # differences a test prints
FDE = re.compile(r"\S+ \S+ \S+ FDE .*cie=(\S+) pc=(\S+)\.\.(\S+)")
CIE = re.compile(r"(\S+) \S+ \S+ CIE ")
IN_REGISTER = re.compile(r"r\d+ \((\w+)\)")

Row = collections.namedtuple("Row", "start last columns cells")


class Columns:
    """Where in the words of test/cfi/rows each register of this CPU is."""

    def __init__(self, rows):
        *names, fp, ra = subprocess.check_output([rows, "--names"], text=True).split()
        self.index = {name: 1 + i for i, name in enumerate(names)}
        self.fp, self.ra = self.index[fp], self.index["ra"]
        # A row that does not speak of it leaves it where it was.
        self.is_ra_in_register = ra == "register"


class Entry:
    """A CIE or an FDE as readelf prints it."""

    def __init__(self, start, end, common):
        self.start, self.end, self.common = start, end, common
        self.columns, self.rows = (), []

    def take(self, line):
        words = IN_REGISTER.sub(r"\1", line).split()
        if words[0] == "LOC":
            self.columns = tuple(words[1:])
        elif (len(words) == 1 + len(self.columns) and len(words[0]) in (8, 16) and
              words[1] != "ZERO"):  # a terminator
            loc = int(words[0], 16)
            if self.rows and self.rows[-1][0] == loc:
                self.rows.pop()  # an advance by nothing
            self.rows.append((loc, words[1:]))


def entries(lines):
    """The FDEs of .eh_frame, each with the rows it stands for."""
    common, entry, wanted = {}, None, False
    for line in lines:
        if line.startswith("Contents of "):
            wanted = " .eh_frame " in line
        if not wanted:
            continue
        match = FDE.match(line) if " FDE " in line else \
            CIE.match(line) if " CIE " in line else None
        if not match:
            if entry and line.strip():
                entry.take(line)
            continue
        if entry and entry.end is not None:
            yield entry
        if match.re is FDE:
            cie, start, end = (int(word, 16) for word in match.groups())
            entry = Entry(start, end, common.get(cie))
        else:
            entry = common[int(match.group(1), 16)] = Entry(0, None, None)
    if entry and entry.end is not None:
        yield entry


def rows_of(entry):
    """Its rows with the bytes they hold for.  An FDE without instructions has
    that of its CIE."""
    rows, columns = entry.rows, entry.columns
    if not rows and entry.common and entry.common.rows:
        columns = entry.common.columns
        rows = [(entry.start, entry.common.rows[-1][1])]
    for at, (loc, cells) in enumerate(rows):
        end = rows[at + 1][0] if at + 1 < len(rows) else entry.end
        if entry.start <= loc < entry.end:
            yield Row(loc, min(end, entry.end) - 1, columns, cells)


def readelf_rows(path):
    with open(path, encoding="ascii", errors="replace") as lines:
        for entry in entries(lines):
            if entry.start < entry.end:
                yield from rows_of(entry)


def same_cell(theirs, ours):
    # readelf writes u also for what no instruction has spoken of.
    return theirs == ours or theirs == "u" and ours == "s"


def compact_of(columns, words):
    """What a compact rule must say where the words of a row are WORDS."""
    if words[columns.ra] == "u":
        return "none"
    return ",".join((words[0], words[columns.fp], words[columns.ra]))


def difference(columns, row, words):
    """Why the library's WORDS are not ROW, or None."""
    if len(words) != 1 + len(columns.index) + 2:
        return "it has " + " ".join(words)
    for name, cell in zip(row.columns, row.cells):
        at = 0 if name == "CFA" else columns.index.get(name)
        if at is None:
            continue
        is_exact = name == "ra" and not columns.is_ra_in_register
        if is_exact and cell != words[at] or not same_cell(cell, words[at]):
            return f"{name} is {words[at]}, by readelf {cell}"
    for name in set(columns.index) - set(row.columns):
        if words[columns.index[name]] != "s":
            return f"{name} is {words[columns.index[name]]}, readelf has none"
    compact, cached = words[-2:]
    if compact != "-" and compact != compact_of(columns, words):
        return (f"the compact rule is {compact},"
                f" not {compact_of(columns, words)}")
    if cached != "-" and cached != compact:
        return f"the cache gives {cached}, not {compact}"
    return None


class Report:
    def __init__(self, columns):
        self.columns = columns
        self.count = collections.Counter()
        self.shown = []

    def row(self, path, row, answers):
        self.count["rows"] += 1
        words = answers[0].split()
        if words[0] == "exp" or "exp" in words[1:] or "vexp" in words[1:]:
            self.count["rows with an expression"] += 1
        if len(words) > 2 and words[-2] != "-":
            self.count["rows that fit the compact rule"] += 1
            self.count["rows that fit the cache"] += words[-1] != "-"
        reason = difference(self.columns, row, words)
        if not reason and answers[1] != answers[0]:
            reason = f"the last byte, {row.last:x}, has another: {answers[1]}"
        if reason:
            self.count["differences"] += 1
            if len(self.shown) < SHOWN:
                self.shown.append(f"{path}: {row.start:x}: {reason}")


def compare_file(report, options, work, path):
    dump, pcs, said = (os.path.join(work, name)
                       for name in ("dump", "pcs", "said"))
    with open(dump, "wb") as out:
        subprocess.run(["readelf", "--debug-dump=frames-interp", path],
                       stdout=out, stderr=subprocess.DEVNULL,
                       env=dict(os.environ, LC_ALL="C", DEBUGINFOD_URLS=""))
    with open(pcs, "w", encoding="ascii") as out:
        for row in readelf_rows(dump):
            out.write(f"{row.start:x}\n{row.last:x}\n")
    with open(pcs, "rb") as asked, open(said, "wb") as out:
        status = subprocess.run([options.rows, path], stdin=asked, stdout=out)
    with open(said, encoding="ascii") as answers:
        lines = (line.rstrip("\n") for line in answers)
        pairs = itertools.zip_longest(lines, lines, fillvalue="nothing")
        before = report.count["rows"], report.count["differences"]
        for row in readelf_rows(dump):
            report.row(path, row, next(pairs, ("nothing", "nothing")))
    if status.returncode != 0:
        report.count["differences"] += 1
        report.shown.append(f"{path}: rows exits with {status.returncode}")
    report.count["files"] += 1
    print(f"# {path}: {report.count['rows'] - before[0]} rows,"
          f" {report.count['differences'] - before[1]} differences",
          flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rows", required=True, help="the rows program")
    parser.add_argument("file", nargs="+")
    options = parser.parse_args()
    started, report = time.monotonic(), Report(Columns(options.rows))
    with tempfile.TemporaryDirectory() as work:
        for path in dict.fromkeys(map(os.path.realpath, options.file)):
            compare_file(report, options, work, path)
    print("1..1")
    for key in sorted(report.count):
        print(f"# {report.count[key]:>9} {key}")
    print(f"# {time.monotonic() - started:>9.0f} s")
    for line in report.shown:
        print("# differs: " + line)
    good = report.count["differences"] == 0 and report.count["rows"] > 0
    print("ok" if good else "not ok", "1 - rows agree with readelf")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
