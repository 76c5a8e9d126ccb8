# SPDX-License-Identifier: MIT
"""functions.py GLIBC - the functions of ld.so and libc.so that call the runtime, by objdump and
nm: LIBRARY ADDRESS NAME[,NAME...] a line."""
import re
import subprocess
import sys


def lines(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()


for library in "elf/ld.so", "libc.so":
    path = sys.argv[1] + "/" + library
    names = {}
    for line in lines("nm", path):
        fields = line.split()
        if len(fields) == 3 and fields[1] in "tTwWi":
            names.setdefault(int(fields[0], 16), []).append(fields[2].split("@")[0])
    traced, start = set(), 0
    for line in lines("objdump", "-d", "--no-show-raw-insn", path):
        head = re.match(r"([0-9a-f]+) <.*>:$", line)
        if head:
            start = int(head[1], 16)
        elif "call" in line and "<__inject_trace_write>" in line:
            traced.add(start)
    for address in sorted(traced):
        said = names.get(address, ["?"])
        # The seldom used part of a function, which is jumped into, is none of its own.
        if not any(".cold" in name for name in said):
            print(library, hex(address), ",".join(said))
