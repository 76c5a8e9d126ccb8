# SPDX-License-Identifier: MIT
"""Prints what a log says of the functions of sled_arguments.c, each called as often as the argument
says: what they are given and give back, by the program's text and the codes of PROTOTYPES.

	arguments_classes.py ROUNDS >LINES
	arguments_classes.py >PROTOTYPES
"""
import struct
import sys

PROTOTYPES = """\
integers lllllllll
doubles dddddddddd
sum di.
by_value d{ld}m9
returned m9l
x87 eee
product {dd}{dd}{dd}
wide_integer {ll}{ll}{ll}
"""


def pair(*words):
    return "{" + ", ".join(f"{word:#x}" for word in words) + "}"


def bits(number):
    return struct.unpack("<Q", struct.pack("<d", number))[0]


def plain(number):
    return f"{number:.17g}"


def calls(i):
    grouped = i
    half, two, four = bits(0.5), bits(2), bits(4)
    yield f"integers({grouped}, 1, 2, 3, 4, 5, 6, 7)", f"{i + 378}"
    yield f"doubles({i}, 1, 2, 3, 4, 5, 6, 7, 8)", plain(i + 562)
    yield "sum(9, ...)", plain(36 + i)
    yield f"by_value({pair(i, half)}, {{...}})", plain(2 * i + 3.5)
    yield f"returned({grouped})", "{...}"
    yield f"x87({3 * i}, 3)", plain(i)
    yield f"product({pair(bits(i), two)}, {pair(two, 0)})", pair(bits(2 * i), four)
    yield f"wide_integer({pair(0, i << 6)}, {pair(5, 0)})", pair(5, i << 6)


def main(rounds):
    for i in range(rounds):
        for given, back in calls(i):
            print(f"LIB &{given}")
            print(f"RET &{given}" + (f" → {back}" if back else ""))


if len(sys.argv) > 1:
    main(int(sys.argv[1]))
else:
    sys.stdout.write(PROTOTYPES)
