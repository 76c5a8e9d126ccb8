#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""many_lines.py KIND COUNT DIR: a recording with COUNT lines of one kind, in the order
that is worst for who reads it, and calls that ask for what they say."""

import os
import struct
import sys

SESSION = "0123456789abcdef"
START = 10**9


def when(at):
    return f"timestamp={at // 10**9}.{at % 10**9:09d}"


def calls(path, addresses):
    """An entry and an exit at each address."""
    with open(path, "wb") as file:
        for at, address in enumerate(addresses):
            for kind in range(2):
                file.write(struct.pack("<QQ", 5 * 10**9 + 2 * at + kind,
                                       kind | 5 << 3 | address << 16))


def session(number=0, pid=1, at=START):
    return f'SESS {when(at)} pid={pid} sid={SESSION[:-6]}{number:06d} exename="/p"\n'


def forks(count):
    """Each process is forked by the one before."""
    yield session()
    for i in range(1, count):
        yield f"FORK {when(START + i)} pid={i + 1} ppid={i}\n"


def deep_forks(count):
    yield session()
    for i in range(1, count):
        yield f"FORK {when(START + i)} pid={i + 1} ppid={i} depth={count + i}\n"


def tasks(count):
    yield session()
    for i in range(count):
        yield f"TASK {when(START + i)} tid={i + 1} pid=1\n"


def sessions(count):
    """All of one process, the last first, and a task of each."""
    for i in range(count):
        yield session(0, 1, START + count - i)
        yield f"TASK {when(START + count - i)} tid=1 pid=1\n"


def opened(count, step, base):
    yield session()
    for i in range(count):
        yield (f"DLOP {when(START + step(i))} tid=1 sid={SESSION[:-6]}000000 "
               f'base={base(i):x} libname="/none/lib{i}.so"\n')


def main():
    kind, count, folder = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    os.makedirs(folder)
    name = os.path.join
    lines = {
        "fork": lambda: forks(count),
        "deep": lambda: deep_forks(count),
        "task": lambda: tasks(count),
        "sess": lambda: sessions(count),
        "dlop": lambda: opened(count, lambda i: i, lambda i: 2**40 + 2**16 * i),
        "dlop-back": lambda: opened(count, lambda i: count - i,
                                    lambda i: 2**40 + 2**16 * i),
        "dlop-same": lambda: opened(count, lambda i: i, lambda i: 2**40),
        "dlop-late": lambda: opened(count, lambda i: 4 * 10**9 + 2 * i,
                                    lambda i: 2**40 + 2**16 * i),
        "map": lambda: [session(), f"TASK {when(START)} tid=1 pid=1\n"],
    }
    with open(name(folder, "task.txt"), "w", encoding="ascii") as file:
        file.writelines(lines[kind]())
    with open(name(folder, f"sid-{SESSION[:-6]}000000.map"), "w",
              encoding="ascii") as file:
        file.write("# a line\n")
        for i in range(count if kind in ("map", "sess") else 1):
            file.write(f"{2**20 + 4096 * i:x}-{2**20 + 4096 * (i + 1):x} r-xp 00000000 "
                       f"00:00 0 /none/{i}/m\n")
    asked = range(2**40 if kind.startswith("dlop") else 2**20,
                  (2**40 if kind.startswith("dlop") else 2**20) + 4096 * 1000, 4096)
    if kind != "dlop-late":
        calls(name(folder, "1.dat"), asked)
    else:
        calls(name(folder, "1.dat"), range(2**40, 2**40 + 2**16 * count, 2**16))


main()
