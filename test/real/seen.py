# SPDX-License-Identifier: MIT
"""seen.py - for gdb: the functions beginning with five NOPs that a program enters from main on,
while it is traced.

Writes the address of each to the file SEEN, the trace goes to OURS.  What this library calls is left out, and what
that calls in its turn.
"""
import collections
import os
import re
import subprocess
import gdb

NOPS = b"\x90" * 5
LANDING = b"\xf3\x0f\x1e\xfa"
within = 0  # the stack pointer of a call that the library made


class Entry(gdb.Breakpoint):
    def stop(self):
        global within
        sp = int(gdb.parse_and_eval("$rsp"))
        if sp < within:
            return False
        within = 0
        ra = int.from_bytes(gdb.selected_inferior().read_memory(sp, 8).tobytes(), "little")
        if any(lo <= ra < hi for lo, hi in own):
            within = sp
        else:
            print(f"E{self.location[1:]}", file=output)
        return False


def mappings():
    with open(f"/proc/{gdb.selected_inferior().pid}/maps") as maps:
        for line in maps:
            fields = line.split()
            lo, hi = (int(part, 16) for part in fields[0].split("-"))
            yield lo, hi, int(fields[2], 16), fields[-1]


def functions(path):
    """The file's functions, by nm, without those that choose one: they run within relocation."""
    kinds = collections.defaultdict(set)
    for line in subprocess.run(["nm", path], capture_output=True, text=True).stdout.splitlines():
        fields = line.split()
        if len(fields) == 3:
            kinds[int(fields[0], 16)].add(fields[1])
    return [at for at, kind in kinds.items() if kind & set("tTwW") and "i" not in kind]


output = open(os.environ["SEEN"], "w")
gdb.execute("set pagination off")
gdb.execute("set confirm off")
gdb.execute("set disable-randomization on")
# Untraced, for the code as it is in the files.
gdb.execute("break main")
gdb.execute("run")
entry = re.search("AT_ENTRY.* (0x[0-9a-f]+)", gdb.execute("info auxv", to_string=True))[1]
own, places = [], {}
for lo, hi, offset, path in mappings():
    if "libwhocallme" in path:
        own.append((lo, hi))
    elif offset == 0 and path.startswith("/"):
        places.setdefault(path, lo)
memory = gdb.selected_inferior()
wanted = []
for path, lo in places.items():
    for at in functions(path):
        try:
            code = memory.read_memory(lo + at, 9).tobytes()
        except gdb.MemoryError:
            continue
        if code.startswith(NOPS) or code.startswith(LANDING + NOPS):
            wanted.append(lo + at)
gdb.execute("set environment WHOCALLME_TRACE addresses")
gdb.execute(f"set environment WHOCALLME_OUTPUT {os.environ['OURS']}")
# A breakpoint at a sled would keep it from being patched: at the first instruction all are.
gdb.execute("delete")
gdb.execute(f"break *{entry}")
gdb.execute("run")
for at in wanted:
    Entry(f"*{hex(at)}")
gdb.execute("continue")
output.close()
