# SPDX-License-Identifier: MIT
"""sled_memory.py WHOCALLME PID FILE... - where the code of a process is not that of its files.

For each FILE: how many sleds `whocallme functions --sleds` lists, how many of them are changed in
memory, and how many changed bytes lie in none.  Then each other file with changed code."""
import json
import os
import struct
import subprocess
import sys

PT_LOAD, PF_X, ELFCLASS32 = 1, 1, 1


def segments(image):
    """(offset, address, size) of what is executable, by the program headers."""
    narrow = image[4] == ELFCLASS32
    start, = struct.unpack_from("<I", image, 28) if narrow else struct.unpack_from("<Q", image, 32)
    size, count = struct.unpack_from("<HH", image, 42 if narrow else 54)
    for number in range(count):
        at = start + number * size
        if narrow:
            kind, offset, address, _, length, _, flags = struct.unpack_from("<7I", image, at)
        else:
            kind, flags, offset, address, _, length = struct.unpack_from("<IIQQQQ", image, at)
        if kind == PT_LOAD and flags & PF_X:
            yield offset, address, length


def executable(pid):
    """path -> [(where it is mapped, offset in the file, size)]"""
    found = {}
    with open("/proc/%d/maps" % pid) as lines:
        for line in lines:
            words = line.split(None, 5)
            if len(words) == 6 and "x" in words[1] and words[5].startswith("/"):
                low, high = (int(part, 16) for part in words[0].split("-"))
                found.setdefault(words[5].rstrip("\n"), []).append(
                    (low, int(words[2], 16), high - low))
    return found


def changed(memory, image, mappings):
    """Addresses, as the file has them, of bytes that are others in memory."""
    for low, offset, size in mappings:
        memory.seek(low)
        code = memory.read(size)
        for start, address, length in segments(image):
            begin, end = max(start, offset), min(start + length, offset + size)
            if code[begin - offset:end - offset] == image[begin:end]:
                continue
            for at in range(begin, end):
                if code[at - offset] != image[at]:
                    yield at - start + address


def sleds(whocallme, path):
    listing = subprocess.run([whocallme, "functions", "--sleds", "--json", path], check=True,
                             stdout=subprocess.PIPE).stdout
    for function in json.loads(listing)["functions"]:
        if "sled" in function:
            at = int(function["sled"]["address"], 16)
            yield at, at + function["sled"]["size"]


def main(whocallme, pid, *paths):
    paths = [os.path.realpath(path) for path in paths]
    mapped = executable(int(pid))
    with open("/proc/%s/mem" % pid, "rb") as memory:
        for path in paths + sorted(set(mapped) - set(paths)):
            with open(path, "rb") as file:
                image = file.read()
            others = set(changed(memory, image, mapped[path]))
            if path not in paths:
                if others:
                    print(os.path.basename(path), "is changed")
                continue
            listed = set(sleds(whocallme, path))
            within = [{at for at in others if low <= at < high} for low, high in listed]
            print(os.path.basename(path), "sleds", len(listed),
                  "changed", sum(1 for found in within if found),
                  "elsewhere", len(others.difference(*within)))


main(*sys.argv[1:])
