# SPDX-License-Identifier: MIT
"""core.py - memory, as a core file has it."""
import struct

PT_LOAD = 1


def segments(file):
    header = file.read(64)
    is_wide = header[4] == 2
    start, = struct.unpack_from("<Q" if is_wide else "<I", header, 32 if is_wide else 28)
    size, count = struct.unpack_from("<HH", header, 54 if is_wide else 42)
    for i in range(count):
        file.seek(start + i * size)
        entry = file.read(40)
        if is_wide:
            kind, _, offset, address, _, length = struct.unpack("<IIQQQQ", entry)
        else:
            kind, offset, address, _, length = struct.unpack_from("<IIIII", entry)
        if kind == PT_LOAD:
            yield address, offset, length


def read_memory(core, base, size):
    """Those bytes of [base, base + size) that the core holds; a stack next to
    another may lie in one segment with it, or in two."""
    found = b""
    with open(core, "rb") as file:
        for address, offset, length in sorted(segments(file)):
            first, end = max(base, address), min(base + size, address + length)
            if first < end:
                file.seek(offset + first - address)
                found += file.read(end - first)
    return found
