#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""hostile_debug.py KIND FILE - FILE becomes an ELF file, small, whose symbols or debug data
are made to take all time or memory: one of the functions below; each is of the code at
0x1000."""
import lzma
import struct
import sys
import zlib

UNIT, FUNCTION, INLINED = 0x11, 0x2e, 0x1d          # DW_TAG_*
LOW, HIGH, LINES, RANGES = 0x11, 0x12, 0x10, 0x55   # DW_AT_*
ADDRESS, OFFSET, BYTE = 0x01, 0x17, 0x0b            # DW_FORM_*
CODE = struct.pack("<QQ", 0x1000, 0x2000)
# Of DWARF 2 to 5: minimum and maximum of an operation, ..., lengths of opcodes
PROLOGUE = bytes([1, 1, 1, 0xfb, 14, 13, 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1])
START = b"\0\x09\x02" + struct.pack("<Q", 0x1000)
END = b"\x02\x80\x20\0\1\1"


def write(path, *sections):
    sections = [("", 0, 0, b"", 0), (".text", 1, 6, b"\x90" * 4096, 0), *sections]
    names = b"".join(section[0].encode() + b"\0" for section in sections)
    sections.append(("", 3, 0, names, 0))
    out, headers, at = bytearray(4096), b"", 0
    for name, kind, flags, data, link in sections:
        headers += struct.pack("<IIQQQQIIQQ", at * (name > ""), kind, flags, 0x1000 * (flags == 6),
                               len(out), len(data), link, link > 0, 1, 24 * (link > 0))
        at += len(name) + 1
        out += data + bytes(-len(data) % 16)
    out[:64] = struct.pack("<16sHHIQQQIHHHHHH", b"\x7fELF\2\1\1", 3, 62, 1, 0, 64, len(out),
                           0, 64, 56, 1, 64, len(sections), len(sections) - 1)
    out[64:120] = struct.pack("<IIQQQQQQ", 1, 5, 4096, 0x1000, 0x1000, 4096, 4096, 4096)
    with open(path, "wb") as file:
        file.write(out + headers)


def plain(name, data):
    return name, 1, 0, data, 0


def uleb(number):
    return bytes([number & 0x7f | 0x80]) + uleb(number >> 7) if number > 127 else bytes([number])


def kinds(*entries):
    return plain(".debug_abbrev", b"".join(
        uleb(i + 1) + uleb(tag) + bytes([below]) + bytes(pairs) + b"\0\0"
        for i, (tag, below, *pairs) in enumerate(entries)) + b"\0")


def unit(entries):
    return struct.pack("<IHIB", len(entries) + 7, 4, 0, 8) + entries


def table(version, size, rest):
    """A line table; SIZE bytes of its header follow PROLOGUE in REST."""
    body = struct.pack("<H", version) + (b"\x08\0" if version == 5 else b"")
    body += struct.pack("<I", len(PROLOGUE) + size) + PROLOGUE + rest
    return plain(".debug_line", struct.pack("<I", len(body)) + body)


def packed(path):
    packer = zlib.compressobj(9)
    data = b"".join(packer.compress(bytes(1 << 20)) for _ in range(1 << 10))
    head = struct.pack("<IIQQ", 1, 0, 1 << 30, 1)
    write(path, (".debug_info", 1, 0x800, head + data + packer.flush(), 0))


def packed_symbols(path):
    packer = lzma.LZMACompressor(preset=0)
    data = b"".join(packer.compress(bytes(1 << 20)) for _ in range(1 << 10))
    write(path, plain(".gnu_debugdata", data + packer.flush()))


def names(path, end=b"@", byte=b"a"):
    """Of 100,000 symbols each is called as the one before, less a byte."""
    text = b"\0" + byte * (1 << 20) + end + b"\0"
    symbols = b"".join(struct.pack("<IBBHQQ", 1 + i, 0x12, 0, 1, 0x1000, 1)
                       for i in range(100000))
    write(path, (".strtab", 3, 0, text, 0), (".symtab", 2, 0, bytes(24) + symbols, 2))


def underscores(path):
    names(path, b"", b"_")


def files(path):
    """The name of each of 200,000 files is all of a section, which ends in no zero."""
    form, many = b"\1\1\x1f", uleb(200000) + bytes(800000)
    header = form + b"\1" + bytes(4) + form + many
    write(path, kinds((UNIT, 0, LOW, ADDRESS, HIGH, ADDRESS, LINES, OFFSET)),
          plain(".debug_info", unit(b"\1" + CODE + bytes(4))),
          table(5, len(header), header + START + b"\1" + END),
          plain(".debug_line_str", b"a" * (20 << 20)))


def ranges():
    return plain(".debug_ranges", b"".join(
        struct.pack("<QQ", 0x100000 + i, 0x100001 + i) for i in range(60000)) + bytes(16))


def units(path):
    """60,000 units have the same 60,000 ranges."""
    write(path, kinds((UNIT, 0, LOW, ADDRESS, RANGES, OFFSET)), ranges(),
          plain(".debug_info", unit(b"\1" + bytes(12)) * 60000))


def functions(path):
    write(path, kinds((UNIT, 1, LOW, ADDRESS, HIGH, ADDRESS), (FUNCTION, 0, RANGES, OFFSET)),
          ranges(),
          plain(".debug_info", unit(b"\1" + CODE + (b"\2" + bytes(4)) * 200000 + b"\0")))


def inlined(path):
    """100,000 functions, each inlined into the one before."""
    write(path, kinds((UNIT, 1, LOW, ADDRESS, HIGH, ADDRESS),
                      (FUNCTION, 1, LOW, ADDRESS, HIGH, ADDRESS),
                      (INLINED, 1, LOW, ADDRESS, HIGH, ADDRESS, 0x58, BYTE, 0x59, BYTE)),
          plain(".debug_info", unit(b"\1" + CODE + b"\2" + CODE +
                                    (b"\3" + CODE + b"\1\1") * 100000 + bytes(100002))))


def rows(path):
    """16 units, of 32 bytes of code each, have the same table of 4 million rows."""
    header = b"\0f.c\0\0\0\0\0"
    write(path, kinds((UNIT, 0, LOW, ADDRESS, HIGH, ADDRESS, LINES, OFFSET)),
          plain(".debug_info", b"".join(unit(b"\1" + struct.pack("<QQI", i, i + 32, 0))
                                        for i in range(0x1000, 0x1200, 32))),
          table(4, len(header), header + START + b"\x0d" * (4 << 20) + END))


globals()[sys.argv[1]](sys.argv[2])
