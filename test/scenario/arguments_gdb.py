# SPDX-License-Identifier: MIT
"""Run by gdb: writes what it says of the calls of each function that FUNCTIONS names into the file
OUTPUT, as a log has them.  AT_ENTRY: breakpoints are at their first instructions, not behind what makes their frames.

	gdb -batch -ex 'py FUNCTIONS = "f,g"; OUTPUT = "lines"; AT_ENTRY = True' -x arguments_gdb.py --args PROGRAM...
"""
import re
import struct

import gdb

INTEGERS = (gdb.TYPE_CODE_INT, gdb.TYPE_CODE_CHAR)
STRUCTS = (gdb.TYPE_CODE_STRUCT, gdb.TYPE_CODE_UNION)


def parts(value, at=0):
    """Each number in VALUE, a struct, with where it is: what is in registers has no address."""
    kind = value.type.strip_typedefs()
    if kind.code == gdb.TYPE_CODE_ARRAY:
        for i in range(kind.range()[1] + 1):
            yield from parts(value[i], at + i * kind.target().sizeof)
    elif kind.code in STRUCTS:
        for field in kind.fields()[:1 if kind.code == gdb.TYPE_CODE_UNION else None]:
            yield from parts(value[field], at + field.bitpos // 8)
    elif kind.code == gdb.TYPE_CODE_FLT and kind.sizeof == 16:
        yield at, None, value
    elif kind.code == gdb.TYPE_CODE_FLT:
        yield at, struct.pack("<f" if kind.sizeof == 4 else "<d", float(value)), value
    else:
        yield at, (int(value) % (1 << 8 * kind.sizeof)).to_bytes(kind.sizeof, "little"), value


def structure(value, is_back):
    words = bytearray(16)
    size = value.type.strip_typedefs().sizeof
    for at, what, number_there in parts(value) if size <= 16 else ():
        if what is None:
            return floating(number_there, "<d") if is_back else "{...}"
        words[at:at + len(what)] = what
    if size > 16:
        return "{...}"
    shown_words = struct.unpack("<QQ", bytes(words))[:(size + 7) // 8]
    return "{" + ", ".join(f"{word:#x}" for word in shown_words) + "}"


def number(value):
    return str(value)


def floating(value, form):
    text = repr(struct.unpack(form, struct.pack(form, float(value)))[0]) if form == "<d" else \
        f"{float(value):.9g}"
    return text[:-2] if text.endswith(".0") else text


def pointer(value, target):
    if target.strip_typedefs().code == gdb.TYPE_CODE_FUNC:
        return "&" + gdb.execute(f"info symbol {int(value)}", to_string=True).split()[0]
    if int(value) == 0:
        return "NULL"
    if target.unqualified().strip_typedefs().name == "char":
        return text(value)
    return f"{int(value):#x}"


def text(value):
    whole = value.string("latin-1")
    return f'"{whole[:32]}"' + ("..." if len(whole) > 32 else "")


def shown(value, is_back=False):
    kind = value.type.strip_typedefs()
    if kind.code == gdb.TYPE_CODE_BOOL:
        return "true" if int(value) else "false"
    if kind.code == gdb.TYPE_CODE_ENUM:
        return "|".join(re.findall(r"(\w+)(?= \||\)|$)", str(value).replace("(", ""))) or str(value)
    if kind.code == gdb.TYPE_CODE_FLT:
        return floating(value, "<f" if kind.sizeof == 4 else "<d")
    if kind.code == gdb.TYPE_CODE_PTR:
        return pointer(value, kind.target())
    if kind.code in INTEGERS and kind.unqualified().name == "char":
        return f"'{chr(int(value))}'"
    if kind.code in INTEGERS and kind.sizeof == 16:
        whole = int(value.format_string(format="x"), 16)
        whole -= (whole >> 127) << 128 if "unsigned" not in str(kind) else 0
        return number(whole) if whole >> 64 in (0, -1) else f"{whole:#x}"
    if kind.code in INTEGERS:
        return number(int(value))
    return structure(value, is_back)


class Finish(gdb.FinishBreakpoint):
    def __init__(self, frame, call):
        super().__init__(frame, internal=True)
        self.call = call

    def stop(self):
        back = self.return_value
        print(f"RET {self.call}" + (f" → {shown(back, True)}" if back is not None else ""), file=output)
        return False

    def out_of_scope(self):
        print(f"RET {self.call} is out of scope", file=output)


class Entry(gdb.Breakpoint):
    def stop(self):
        frame = gdb.newest_frame()
        given = [shown(symbol.value(frame)) for symbol in frame.block()
                 if symbol.is_argument]
        calls.append(f"&{frame.function().name}({', '.join(given)})")
        print("FUN", calls[-1], file=output, flush=True)
        return True


calls = []
output = open(OUTPUT, "w", encoding="utf-8")
gdb.execute("set pagination off")
gdb.execute("set print repeats 0")
for name in FUNCTIONS.split(","):
    Entry(f"*{name}" if AT_ENTRY else name, internal=True)
gdb.execute("run", to_string=True)
while gdb.selected_inferior().pid:
    if calls:
        Finish(gdb.newest_frame(), calls.pop())
    gdb.execute("continue", to_string=True)
output.close()
