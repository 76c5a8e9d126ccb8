#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""inputs.py - what a large input of each kind takes: time and memory by its size.

    inputs.py WHOCALLME DIRECTORY [MEGABYTES]

Inputs are made by a seed, of that size and of a tenth of it: where the time of a megabyte
is the same in both, it grows as the input does.
"""
import json
import os
import random
import shutil
import struct
import subprocess
import sys
import time

SECOND = 10 ** 9


def until(size, file, pieces):
    for piece in pieces:
        if file.tell() >= size:
            break
        file.write(piece)


def report(chance, number, frames, modules):
    """As text, of a process, with its modules behind it."""
    yield (f"<whocallme>: p{number}: SIGSEGV, segmentation fault: address not mapped, "
           f"at 0x0000000000000000\n<whocallme>: process {number}, thread {number} "
           f"\"p\"\n").encode()
    for i in range(frames):
        module = chance.randrange(modules)
        yield (f"#{i} 0x{0x7f0000001000 + (module << 20):016x} in "
               f"f{chance.randrange(5000)}+0x1 (/none/lib{module}.so+0x1000)\n").encode()
    yield b"modules:\n"
    for i in range(modules):
        low = 0x7f0000000000 + (i << 20)
        yield (f"  0x{low:016x}-0x{low + 0xfffff:016x} bias 0x{low:x} "
               f"build-id {i:08x} /none/lib{i}.so\n").encode()


def one_report(chance, size, file):
    lines = size // 90
    until(size, file, report(chance, 1, lines // 2, lines // 2))


def many_reports(chance, size, file):
    number = 0
    while file.tell() < size:
        number += 1
        until(size, file, report(chance, number, 8, 6))


def json_reports(chance, size, file):
    """Each as large as a line may be, with as many modules as frames."""
    while file.tell() < size:
        frames = [{"number": i, "pc": hex(0x7f0000001000 + (i << 20)),
                   "function": f"f{chance.randrange(5000)}", "offset": "0x1",
                   "module": f"/none/lib{i}.so", "module_offset": "0x1000"}
                  for i in range(20000)]
        modules = [{"start": hex(0x7f0000000000 + (i << 20)),
                    "end": hex(0x7f00000fffff + (i << 20)),
                    "bias": hex(0x7f0000000000 + (i << 20)), "path": f"/none/lib{i}.so"}
                   for i in range(20000)]
        file.write(json.dumps({
            "version": 1, "name": "p", "process": 1,
            "signal": {"number": 11, "name": "SIGSEGV", "text": "segmentation fault"},
            "cause": {"kind": "signal", "text": "address not mapped"},
            "stack": {"frames": frames}, "modules": modules}).encode() + b"\n")


def graph(chance, size, file):
    file.write(b"digraph calls {\n")
    until(size, file, (b'\t"f%d" -> "f%d" [label="1",calls=%d,total=%d];\n' % (
        chance.randrange(1000000), chance.randrange(1000000), 1 + i % 9, i)
        for i in range(size)))
    file.write(b"}\n")


def calls(chance, size):
    """ENTER or not, depth and address, nested and never deeper than 200."""
    stack = []
    for _ in range(size):
        enter = len(stack) < 200 and (not stack or chance.random() < 0.5)
        if enter:
            stack.append(0x401000 + 16 * chance.randrange(100000))
        yield enter, len(stack) - 1, stack[-1]
        if not enter:
            stack.pop()


def addresses(chance, size, file):
    until(size, file, (b"%s0x%x\n" % (b"E" if enter else b"X", address)
                       for enter, _, address in calls(chance, size)))


def recording(chance, size, path):
    os.mkdir(path)
    for name, text in {
            "info": b"Ftrace!\0" + struct.pack("<IHBBQQH6x", 4, 40, 1, 2, 0, 0, 1024) +
                    b"cmdline:p\n",
            "task.txt": b'SESS timestamp=1.000000000 pid=1 sid=0000000000000001 '
                        b'exename="/none/p"\nTASK timestamp=1.000000000 tid=1 pid=1\n',
            "sid-0000000000000001.map":
                b"00400000-00600000 r-xp 00000000 00:00 1 /none/p\n"}.items():
        with open(os.path.join(path, name), "wb") as file:
            file.write(text)
    with open(os.path.join(path, "1.dat"), "wb") as file:
        until(size, file, (
            struct.pack("<QQ", 2 * SECOND + 10 * i,
                        (0 if enter else 1) | 5 << 3 | depth << 6 | address << 16)
            for i, (enter, depth, address) in enumerate(calls(chance, size))))


def elf(chance, size, file):
    """An object file: .text, and a symbol of 100 bytes and more for each function."""
    count = size // 130
    names = [b"_ZN%s3runEv" % b"".join(b"20%020d" % chance.randrange(10 ** 20)
                                       for _ in range(4)) for _ in range(count)]
    strings, places = bytearray(b"\0"), []
    for name in names:
        places.append(len(strings))
        strings += name + b"\0"
    symbols = bytes(24) + b"".join(struct.pack("<IBBHQQ", place, 0x12, 0, 1, 16 * i, 16)
                                   for i, place in enumerate(places))
    titles = b"\0.text\0.symtab\0.strtab\0.shstrtab\0"
    text = bytes([0xc3]) * 16 * count
    start, parts = 64, []
    for part in (text, symbols, bytes(strings), titles):
        parts.append((start, len(part)))
        start += len(part)
    file.write(b"\x7fELF\2\1\1" + bytes(9) + struct.pack(
        "<HHIQQQIHHHHHH", 2, 62, 1, 0, 0, start, 0, 64, 56, 0, 64, 5, 4))
    for part in (text, symbols, bytes(strings), titles):
        file.write(part)
    file.write(bytes(64))
    for (place, length), (name, kind, flags, address, link, info, entry) in zip(parts, (
            (1, 1, 6, 0x1000, 0, 0, 0), (7, 2, 0, 0, 3, 1, 24), (15, 3, 0, 0, 0, 0, 0),
            (23, 3, 0, 0, 0, 0, 0))):
        file.write(struct.pack("<IIQQQQIIQQ", name, kind, flags, address, place, length,
                               link, info, 16, entry))


PROGRAM = "--program=PROGRAM"
KINDS = [
    ("one report", one_report, [["group"], ["resolve"]]),
    ("reports as text", many_reports, [["group"], ["resolve"]]),
    ("reports as JSON", json_reports, [["group"], ["resolve"], ["resolve", "--text"]]),
    ("a recording", recording, [["replay"], ["report"], ["graph"]]),
    ("a file of addresses", addresses, [["replay", PROGRAM], ["report", PROGRAM]]),
    ("a graph", graph, [["graph"]]),
    ("an object file", elf, [["functions"], ["functions", "--demangle"]]),
]


def run(work):
    """In a process of its own: what starts the commands stays small, since a process's
    peak of memory counts from before it becomes another program."""
    child = os.fork()
    if child == 0:
        work()
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0


def make(kind, maker, path, size):
    chance = random.Random(kind)
    if maker is recording:
        maker(chance, size, path)
    else:
        with open(path, "wb") as file:
            maker(chance, size, file)


def measure(command):
    """Seconds of the machine's processors, MiB at most, and the status."""
    with open(os.devnull, "wb") as nowhere:
        child = subprocess.Popen(command, stdout=nowhere, stderr=nowhere)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, child.returncode


def megabytes(path):
    if os.path.isdir(path):
        path = os.path.join(path, "1.dat")
    return os.path.getsize(path) / 1e6


def main():
    whocallme, directory = sys.argv[1:3]
    size = int(sys.argv[3] if len(sys.argv) > 3 else 100) << 20
    shutil.rmtree(directory, ignore_errors=True)
    os.makedirs(directory)
    program = os.path.join(directory, "program")
    run(lambda: make("a program", elf, program, 1000))
    print("| input | command | MB | ms/MB | of a tenth | MiB/MB | status |\n"
          "|---|---|---|---|---|---|---|")
    for kind, maker, commands in KINDS:
        seen = {}
        for part in (size // 10, size):
            path = os.path.join(directory, f"input-{part}")
            run(lambda: make(kind, maker, path, part))
            for command in commands:
                given = [word.replace("PROGRAM", program) for word in command]
                seen[part, tuple(command)] = measure([whocallme, *given, path])
            seen[part] = megabytes(path)
            shutil.rmtree(path) if os.path.isdir(path) else os.remove(path)
        for command in map(tuple, commands):
            seconds, memory, status = seen[size, command]
            tenth = seen[size // 10, command][0] / seen[size // 10]
            print(f"| {kind} | {command[0]}{' --demangle' * ('--demangle' in command)}"
                  f"{' --text' * ('--text' in command)} | {seen[size]:.0f} | "
                  f"{1000 * seconds / seen[size]:.1f} | {1000 * tenth:.1f} | "
                  f"{memory / seen[size]:.2f} | {status} |", flush=True)
    shutil.rmtree(directory)


main()
