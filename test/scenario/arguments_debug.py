# SPDX-License-Identifier: MIT
"""What a log says of the calls of arguments_debug.c, by the program's text; an address on the stack
that comes first is *.

	arguments_debug.py {c|c++} SEED ROUNDS >LINES
"""
import struct
import sys

MASK = (1 << 64) - 1
WORDS = ['""', '"a"', '"some words"', '"exactly thirty-two bytes of text"',
         '"one that is longer than thirty-t"...']


def signed(value, bits):
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def number(value):
    return str(value)


def unsigned(value, bits):
    return number(value & ((1 << bits) - 1))


def integer(value, bits):
    return number(signed(value, bits))


def floating(value):
    text = repr(float(value))
    return text[:-2] if text.endswith(".0") else text


def word(*parts):
    return "{" + ", ".join(f"{part:#x}" for part in parts) + "}"


def bits(value, form):
    return int.from_bytes(struct.pack(form, value), "little")


def access(value):
    names = ["READ", "WRITE", "EXECUTE"]
    return "|".join(name for i, name in enumerate(names) if value >> i & 1) or "0"


def calls(i, is_cxx):
    v = i * 0x9e3779b97f4a7c15 & MASK
    d = signed(v >> 32, 32) / 4
    color = ["RED", "GREEN", "BLUE"][v % 3]
    two = word(v, bits(d, "<d"))
    x, y = float(signed(v, 16)), signed(v, 8) / 2
    floats = word(bits(x, "<f") | bits(y, "<f") << 32)
    packet = word(v & 0xff | 2 << 8 | 3 << 16, v & 0xffffffff | 7 << 32)
    one = signed(v, 32)
    pointer = f"{v:#x}" if v & 1 else "NULL"
    yield "tiny", [integer(v, 8), unsigned(v >> 8, 8), integer(v >> 16, 16),
                   unsigned(v >> 32, 16)], integer(v, 8)
    yield "shorter", [unsigned(v, 16)], unsigned(v, 16)
    yield "numbers", [number(one), unsigned(v >> 32, 32), integer(v, 64), number(~v & MASK)], number(one)
    yield "longest", [number(v)], number(v)
    truth = ["false", "true"]
    yield "truth", [truth[v & 1], truth[v >> 1 & 1]], truth[1 - (v & 1)]
    letter = "'" + chr(ord("a") + v % 26) + "'"
    yield "letter", [letter], letter
    yield "paint", [color, access(v % 8), ["MINUS", "ZERO", "PLUS"][v % 3]], color
    yield "allow", [access(1 + v % 7)], access(1 + v % 7)
    small = floating(signed(v, 16) / 8)
    yield "narrow", [small, floating(d), floating(2 * d)], small
    yield "wide", [floating(d)], floating(d)
    yield "widest", [floating(d)], floating(d)
    yield "boxed", ["{...}", number(one)], floating(d)
    yield "text", [WORDS[v % 5], '"copy"'], WORDS[v % 5]
    yield "pointer", [pointer, "NULL"], pointer
    yield "handler", ["&twice"], "&twice"
    yield "pair", [two, floats], two
    yield "both", [floats], floats
    yield "packet", [packet, word(v)], packet
    yield "memory", ["{...}", number(one)], "{...}"
    yield "giant", [number(one), integer(v, 64), f"{v:#x}{1:016x}" if v else "1"], integer(v, 64)
    yield "many", [number(one), floating(d), integer(v, 64), floating(y), "5", "6", "7",
                   integer(v >> 8, 32), "'x'", two, number(-(v >> 1)), floating(d), "BLUE",
                   truth[v & 1]], integer(v, 64)
    yield "nothing", [], None
    yield "variadic", [number(one), "..."], number(one)
    if not is_cxx:
        return
    yield "scope::Base::Base", ["*", integer(v, 8)], None
    yield "scope::Base::add", ["*", number(one)], number(signed(one + signed(v, 8), 32))
    yield "scope::Base::turn", ["*", integer(v, 16)], number(-signed(v, 16))
    kind = "One" if v & 1 else "Two"
    yield "scope::kind", [kind], kind
    yield "scope::over", [number(one)], number(one)
    yield "scope::over", [floating(d)], floating(d)
    yield "scope::Copied::Copied", ["*", integer(v, 64)], None
    yield "scope::copied", ["*", "{}", number(one)], integer(v, 64)
    yield "scope::same<short>", [integer(v, 16)], integer(v, 16)
    yield "scope::same<unsigned long>", [number(v)], number(v)
    yield "scope::Base::~Base", ["*"], None


def main(language, seed, rounds):
    for i in range(seed, seed + rounds):
        for name, given, back in calls(i & MASK, language == "c++"):
            call = f"&{name}({', '.join(given)})"
            print(f"FUN {call}")
            print(f"RET {call}" + (f" → {back}" if back is not None else ""))


main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
