#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""seeds.py - pieces of real .eh_frame sections, as inputs to start from.

Each seed is a small segment: an .eh_frame_hdr with a search table, a few frame
descriptions and the CIEs they name.  The expressions in them are seeds, too.
"""
import os
import struct
import subprocess
import sys
import tempfile

MOST_SEEDS, DESCRIPTIONS = 400, 6
EXPRESSIONS = {0x0f: 1, 0x10: 2, 0x16: 2}  # opcode: where its length is


def section(path):
    with tempfile.NamedTemporaryFile() as to:
        subprocess.run(["llvm-objcopy", "-O", "binary",
                        "--only-section=.eh_frame", path, to.name],
                       check=True, stderr=subprocess.DEVNULL)
        with open(to.name, "rb") as file:
            return file.read()


def entries(data):
    """(offset, bytes, distance to the CIE or 0)"""
    at = 0
    while at + 8 <= len(data):
        length, number = struct.unpack_from("<II", data, at)
        if length == 0 or length >= 0xfffffff0:
            return
        yield at, data[at:at + 4 + length], number
        at += 4 + length


def segment(cies, group):
    """A header, a search table, the CIEs and the FDEs of GROUP."""
    header = 12 + 8 * len(group)
    body, place, table = b"", {}, []
    for _, fde, number, cie in group:
        if cie not in place:
            place[cie] = header + len(body)
            body += cies[cie]
        at = header + len(body)
        fde = bytearray(fde)
        struct.pack_into("<I", fde, 4, at + 4 - place[cie])
        start = 4096 + 256 * len(table)
        struct.pack_into("<i", fde, 8, start - (at + 8))
        table.append(struct.pack("<ii", start, at))
        body += bytes(fde)
    head = struct.pack("<BBBBiI", 1, 0x1b, 0x03, 0x3b, header - 4, len(table))
    return head + b"".join(table) + body + struct.pack("<Ii", 0, 4096 + 20)


def expressions(fde):
    for at in range(16, len(fde) - 2):
        skip = EXPRESSIONS.get(fde[at])
        if skip and at + skip < len(fde):
            size = fde[at + skip]
            found = fde[at + skip + 1:at + skip + 1 + size]
            if 2 <= size <= 40 and len(found) == size:
                yield bytes(found)


def write(directory, name, data):
    with open(os.path.join(directory, name), "wb") as file:
        file.write(data)


def main():
    frames, exprs = sys.argv[1:3]
    seen = set()
    for number_of_file, path in enumerate(sys.argv[3:]):
        cies, fdes = {}, []
        for at, data, number in entries(section(path)):
            if number == 0:
                cies[at] = data
            elif at + 4 - number in cies:
                fdes.append((at, data, number, at + 4 - number))
                seen.update(expressions(data))
        step = max(DESCRIPTIONS, len(fdes) // MOST_SEEDS)
        name = "%d-%s" % (number_of_file, os.path.basename(path))
        for i in range(0, len(fdes) - DESCRIPTIONS, step):
            write(frames, "%s-%d" % (name, i),
                  segment(cies, fdes[i:i + DESCRIPTIONS]))
    for i, data in enumerate(sorted(seen)[:MOST_SEEDS]):
        write(exprs, "expression-%d" % i, data)


main()
