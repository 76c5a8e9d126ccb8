# SPDX-License-Identifier: MIT
"""gdb_calls.py - has gdb stop at the first instruction of each function of functions.list, and
writes LIBRARY ADDRESS a line of each stop to gdb.calls."""
import os

import gdb

work, glibc = os.environ["WORK"], os.environ["GLIBC"]
stops = open(work + "/gdb.calls", "w")
functions = [line.split() for line in open(work + "/functions.list")]


def base_of(library):
    real = os.path.realpath(f"{glibc}/{library}")
    pid = gdb.selected_inferior().pid
    for line in open(f"/proc/{pid}/maps"):
        fields = line.split()
        if len(fields) > 5 and os.path.realpath(fields[5]) == real:
            return int(fields[0].split("-")[0], 16)
    return None


class Entry(gdb.Breakpoint):
    def __init__(self, base, library, address):
        super().__init__(f"*{base + int(address, 16):#x}", internal=True)
        self.silent = True
        self.what = f"{library} {address}\n"

    def stop(self):
        stops.write(self.what)
        return False


for setting in ("pagination off", "confirm off", "breakpoint pending on",
                "auto-solib-add off", "stop-on-solib-events 0",
                f"environment WHOCALLME_INJECT {work}/gdb.inject"):
    gdb.execute("set " + setting)
gdb.execute("starti >/dev/null")
base = base_of("elf/ld.so")
for library, address, _ in functions:
    if library == "elf/ld.so":
        Entry(base, library, address)
# Libraries are relocated when all are mapped, before any of their code runs.
relocate = next(address for library, address, names in functions
                if library == "elf/ld.so" and "_dl_relocate_object" in names.split(","))
gdb.execute(f"tbreak *{base + int(relocate, 16):#x}")
gdb.execute("continue")
base = base_of("libc.so")
for library, address, _ in functions:
    if library == "libc.so":
        Entry(base, library, address)
gdb.execute("continue")
stops.close()
