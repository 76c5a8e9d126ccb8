# SPDX-License-Identifier: MIT
"""lines.py - judges what whocallme resolve says, by addr2line.

	lines.py text FOLDER FEWEST FILE	a text report or stack with its lines
	lines.py json FOLDER FEWEST FILE	a report in JSON
	lines.py live COMMAND...		whether answers come without an end of input
	lines.py limit BYTES COMMAND...		COMMAND with no more memory than that
	lines.py orphan QUESTION COMMAND...	whether COMMAND ends when its client is killed

Judged are the frames of modules below FOLDER, of which there must be FEWEST.
"""
import json
import os
import re
import resource
import select
import socket
import subprocess
import sys
import time


def theirs(path, address):
    """[(function, file, line)], innermost first; none without debug data."""
    said = subprocess.run(["addr2line", "-fiC", "-e", path, hex(address)], check=True,
                          text=True, capture_output=True).stdout.splitlines()
    places = []
    for function, place in zip(said[::2], said[1::2]):
        file, line = re.sub(r" \(discriminator \d+\)", "", place).rsplit(":", 1)
        if file != "??":
            places.append((function, file, int(line)))
    return places


def judge(path, address, ours, where):
    expected = theirs(path, address)
    assert ours == expected, (where, path, hex(address), ours, expected)


def lines_below(lines):
    """The places and the flags "inlined" in the lines below a frame."""
    places = []
    inlined = []
    for line in lines:
        match = re.fullmatch(r"   (\S.*) at (/.*):(\d+):\d+( \(inlined\))?", line)
        if not match:
            break
        places.append((match[1], match[2], int(match[3])))
        inlined.append(bool(match[4]))
    assert inlined == [True] * (len(inlined) - 1) + [False] * bool(inlined), lines
    return places


def text(folder, fewest, name):
    lines = re.sub(r"\033\[[0-9;]*m", "", open(name).read()).splitlines()
    exact_first = exact_next = in_threads = False
    judged = 0
    for i, line in enumerate(lines):
        if re.match(r"thread \d+ \"|<whocallme>: .*: SIG", line):
            exact_first = True
        elif re.match(r"<whocallme>: thread ", line):
            exact_first, in_threads = in_threads, True
        match = re.match(r"#(\d+) 0x\w+ in .* \((/.*)\+(0x\w+)\)", line)
        if not match:
            exact_next = "<signal handler called>" in line
            continue
        exact = exact_first if match[1] == "0" else exact_next
        exact_next = False
        if match[2].startswith(folder):
            judge(match[2], int(match[3], 16) - (not exact), lines_below(lines[i + 1:]),
                  line)
            judged += 1
    assert judged >= int(fewest), judged


def as_places(frame):
    return [(p["function"], p["file"], p["line"]) for p in frame["lines"] if "file" in p]


def json_report(folder, fewest, name):
    report = json.load(open(name))
    stacks = [report["stack"]] + [t["stack"] for t in report.get("threads", [])
                                  if t["answered"]]
    judged = 0
    for frame in (f for s in stacks for f in s["frames"]):
        path = frame.get("module", "")
        if path.startswith(folder):
            site = int(frame["module_offset"], 16) - ("interrupted" not in frame)
            judge(path, site, as_places(frame), frame)
            judged += 1
    assert judged >= int(fewest), judged


def answer(process, until):
    """What comes before a pause, or the end of a line that matches."""
    seen = ""
    while select.select([process.stdout], [], [], 20)[0]:
        data = os.read(process.stdout.fileno(), 65536).decode()
        assert data, seen
        seen += data
        if re.search(until, seen, re.M):
            return seen
    raise AssertionError("no answer: " + seen)


def live(*command):
    """COMMAND's last argument is a program with lines to be found."""
    *command, program = command
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    process.stdin.write(f"{program}+0x0\n".encode())
    process.stdin.flush()
    answer(process, r"^   \?\?\n")
    process.stdin.write(b"not an address\n")
    process.stdin.flush()
    answer(process, r"^not an address\n")
    stack = subprocess.run([program, "stack"], check=True, capture_output=True).stderr
    process.stdin.write(stack)
    process.stdin.flush()
    answer(process, r"^   main at .*\n(.*\n)*   main at ")
    process.stdin.close()
    assert process.wait(20) == 0


def limit(size, *command):
    resource.setrlimit(resource.RLIMIT_AS, (int(size), int(size)))
    os.execvp(command[0], command)


CLIENT = """
import socket, subprocess, sys, time
ours, its = socket.socketpair()
helper = subprocess.Popen(sys.argv[2:], stdin=its, stdout=its)
its.close()
ours.send((sys.argv[1] + "\\n").encode())
print(helper.pid, flush=True)
time.sleep(60)
"""


def has_ended(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii") as file:
            return file.read().rsplit(")", 1)[1].split()[0] in "ZX"
    except FileNotFoundError:
        return True


def orphan(*command):
    """COMMAND asks a server for what QUESTION, its first word, is about."""
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen(5)
        server.settimeout(20)
        os.environ["DEBUGINFOD_URLS"] = f"http://127.0.0.1:{server.getsockname()[1]}"
        with subprocess.Popen([sys.executable, "-c", CLIENT, *command],
                              stdout=subprocess.PIPE) as client:
            pid = int(client.stdout.readline())
            connection, _ = server.accept()
            assert not has_ended(pid)
            client.kill()
        start = time.monotonic()
        while not has_ended(pid):
            assert time.monotonic() < start + 2, "it is still there"
            time.sleep(0.02)
        connection.close()


if __name__ == "__main__":
    {"text": text, "json": json_report, "live": live,
     "limit": limit, "orphan": orphan}[sys.argv[1]](*sys.argv[2:])
