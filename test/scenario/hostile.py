#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""hostile.py - inputs that are made to take all time or memory, to stdout.

named [--json] NAME...     a report with a frame for each NAME, in no module that is there
stack [--json] FRAMES MODULES  a report with that many, again in none that is there
lines MODULES LINES        one in JSON of so many inlined functions in one frame
addresses COUNT            a file of addresses: so many modules with a call in each, and so
                           many processes
returns COUNT              another: so many open calls, and so many ends of none of them
names ELF                  ELF's symbols have names that all end as the longest of them
past ELF                   the first section of ELF that is not mapped reaches beyond its end
hollow ELF TABLE [mapped]  ELF becomes a file of 8 GB, in whose hole the table lies that its
                           section headers have as .symtab, .strtab and the like; they may
                           say that it is mapped
"""
import json
import os
import struct
import sys

MODULE = "/nowhere/lib%d.so"
MODULE_SIZE, BASE = 1 << 20, 0x7f0000000000


def pc(frame, modules):
    return BASE + frame % modules * MODULE_SIZE + 0x1000


def text(names, modules):
    yield "<whocallme>: made: SIGSEGV, segmentation fault: address not mapped, at 0x0"
    yield "<whocallme>: process 1, thread 1 \"made\""
    for i, name in enumerate(names):
        yield (f"#{i} 0x{pc(i, modules):016x} in {name}+0x1 "
               f"({MODULE % (i % modules)}+0x1000)")
    yield "modules:"
    for i in range(modules):
        start = BASE + i * MODULE_SIZE
        yield (f"  0x{start:016x}-0x{start + MODULE_SIZE - 1:016x} bias 0x{start:x} "
               f"build-id {i:08x} " + MODULE % i)


def as_json(names, modules, lines=()):
    frames = [{"number": i, "pc": hex(pc(i, modules)), "function": name, "offset": "0x1",
               "module": MODULE % (i % modules), "module_offset": "0x1000"}
              for i, name in enumerate(names)]
    if lines:
        frames[0]["lines"] = lines
    loaded = [{"start": hex(start), "end": hex(start + MODULE_SIZE - 1),
               "bias": hex(start), "build_id": f"{i:08x}", "path": MODULE % i}
              for i in reversed(range(modules)) for start in [BASE + i * MODULE_SIZE]]
    yield json.dumps({
        "version": 1, "name": "made", "process": 1,
        "signal": {"number": 11, "name": "SIGSEGV", "text": "segmentation fault"},
        "cause": {"kind": "signal", "text": "address not mapped"},
        "stack": {"frames": frames, "left_out": 0, "stop": "outermost"},
        "modules": loaded}, separators=(",", ":"))


def module(number):
    start = BASE + number * MODULE_SIZE
    return (f"# {start:#x}-{start + MODULE_SIZE - 1:#x} bias {start:#x} build-id none " +
            MODULE % number)


def addresses(count):
    for i in range(count):
        yield module(i)
    for i in range(count):
        yield f"E{pc(i, count):#x}"
    for i in range(count):
        yield f"# process {i % 100 + 2} begins"
        yield module(i % 7)


def returns(count):
    yield module(0)
    for i in range(count):
        yield f"E{BASE + i % 100:#x}"
    for i in range(count):
        yield f"X{BASE + 0x1000 + i % 100:#x}"


def sections(data):
    """Of a little-endian ELF file: how wide its numbers are, as struct has it and in bytes,
    where the headers of its sections are, and the number of that of their names."""
    word, width, at = ("Q", 8, 40) if data[4] == 2 else ("I", 4, 32)
    start, size, count, names = struct.unpack_from(f"<{word}10xHHH", data, at)
    return word, width, [start + i * size for i in range(count)], names


def hollow(path, table, mapped=None):
    """The section's place and size are those of the hole."""
    with open(path, "r+b") as file:
        data = file.read()
        word, width, headers, names = sections(data)
        size = (7500 if width == 8 else 1500) << 20
        base, = struct.unpack_from("<" + word, data, headers[names] + 8 + 2 * width)
        for header in headers:
            name, = struct.unpack_from("<I", data, header)
            end = data.index(b"\0", base + name)
            if data[base + name:end].decode() == table:
                file.seek(header + 8 + 2 * width)
                file.write(struct.pack("<2" + word, len(data) + 4096 & -4096, size))
                if mapped:
                    file.seek(header + 8)
                    file.write(struct.pack("<" + word, 2))
    os.truncate(path, 8 << 30)


def share_names(path):
    """The INDEX-th symbol's name is the longest without its first INDEX bytes."""
    with open(path, "r+b") as file:
        data = bytearray(file.read())
        word, width, starts, _ = sections(data)
        headers = [struct.unpack_from(f"<II4{word}II", data, start) for start in starts]
        symbols = next(header for header in headers if header[1] == 2)
        at, length = headers[symbols[6]][4:6]
        names = bytes(data[at:at + length])
        longest = names.index(max(names.split(b"\0"), key=len))
        entry = 8 + 2 * width
        for i in range(1, symbols[5] // entry):
            struct.pack_into("<I", data, symbols[4] + i * entry, longest + i)
        file.seek(0)
        file.write(data)


def past(path):
    with open(path, "r+b") as file:
        data = file.read()
        word, width, headers, _ = sections(data)
        for header in headers[1:]:
            kind, flags = struct.unpack_from("<I" + word, data, header + 4)
            if kind == 1 and not flags & 2:
                file.seek(header + 8 + 3 * width)
                file.write(struct.pack("<" + word, 1 << 20))
                return


def main():
    what, *rest = sys.argv[1:]
    write = as_json if "--json" in rest else text
    rest = [argument for argument in rest if argument != "--json"]
    if what in ("hollow", "names", "past"):
        {"hollow": hollow, "names": share_names, "past": past}[what](*rest)
        return
    if what == "named":
        lines = write(rest, 1)
    elif what == "stack":
        lines = write((f"f{i}" for i in range(int(rest[0]))), int(rest[1]))
    elif what in ("addresses", "returns"):
        lines = (addresses if what == "addresses" else returns)(int(rest[0]))
    elif what == "lines":
        lines = as_json(["f"], int(rest[0]), [{}] * int(rest[1]))
    for line in lines:
        print(line)


main()
