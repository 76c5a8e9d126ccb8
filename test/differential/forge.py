# SPDX-License-Identifier: MIT
"""forge.py KIND FILE - writes an ELF file of 1.5 MB whose parts ask for the product of two sizes.

sections: thousands of .plt sections over the same code.
stubs:    thousands of stubs, each named by one name that is a third of the file.
aliases:  names that are tails of one, in .symtab and in .dynsym, at one offset.
"""
import struct
import sys

KIND, FILE = sys.argv[1:]
ROOM = 512 * 1024
PROGBITS, SYMTAB, STRTAB, RELA, DYNSYM = 1, 2, 3, 4, 11
EXECUTABLE, ALLOCATED = 6, 2
JUMP_SLOT = 7


def symbol(name, value, size, section=1):
    return struct.pack('<IBBHQQ', name, 0x12, 0, section, value, size)


def write(sections, repeated=0):
    """Each is a dict; the last holds the names of sections; the first is there REPEATED times more."""
    data, headers = bytearray(64), [bytes(64)]
    for section in sections:
        data += bytes(-len(data) % 16)
        section.setdefault('at', len(data))
        data += section.get('data', b'')
        headers.append(struct.pack(
            '<IIQQQQIIQQ', section.get('name', 0), section['type'], section.get('flags', 0), section.get('address', 0),
            section['at'], section.get('size', len(section.get('data', b''))), section.get('link', 0), 1, 1,
            section.get('entry', 0)))
    headers += headers[1:2] * repeated
    data[:64] = b'\x7fELF\x02\x01\x01' + bytes(9) + struct.pack(
        '<HHIQQQIHHHHHH', 3, 62, 1, 0x1000, 0, len(data), 0, 64, 56, 0, 64, len(headers), len(sections))
    with open(FILE, 'wb') as file:
        file.write(bytes(data) + b''.join(headers))


def stubs(code, names, address=0x1000, slot=0x10000000, repeated=0):
    write([{'type': PROGBITS, 'flags': EXECUTABLE, 'address': address, 'name': 1, 'data': code},
           {'type': DYNSYM, 'flags': ALLOCATED, 'link': 3, 'entry': 24, 'data': bytes(24) + symbol(1, 0, 0, 0)},
           {'type': STRTAB, 'flags': ALLOCATED, 'data': names},
           {'type': RELA, 'flags': ALLOCATED, 'link': 2, 'entry': 24,
            'data': struct.pack('<QQq', slot, 1 << 32 | JUMP_SLOT, 0)},
           {'type': STRTAB, 'data': b'\0.plt\0'}], repeated)


if KIND == 'sections':
    stubs(b'\x90' * ROOM * 2, b'\0f\0', repeated=ROOM // 64)
elif KIND == 'stubs':
    COUNT = ROOM * 2 // 8
    CODE = b''.join(b'\xff\x25' + struct.pack('<i', 0x10000000 - (0x1000 + 8 * i + 6)) + b'\x90\x90'
                    for i in range(COUNT))
    stubs(CODE, b'\0' + b'a' * ROOM + b'\0')
else:
    COUNT = ROOM // 24
    NAMES = b'\0' + b'a' * ROOM + b'\0'
    write([{'type': PROGBITS, 'flags': EXECUTABLE, 'address': 0x1000, 'name': 1, 'data': b'\x90' * 64},
           {'type': SYMTAB, 'link': 3, 'entry': 24,
            'data': b''.join(symbol(1 + i, 0x1000, 8) for i in range(30)) + bytes(24 * (COUNT - 30))},
           {'type': STRTAB, 'data': NAMES},
           {'type': DYNSYM, 'link': 3, 'entry': 24,
            'data': bytes(24) + b''.join(symbol(601 + i % 300, 0x1000, 8) for i in range(COUNT))},
           {'type': STRTAB, 'data': b'\0.text\0'}])
