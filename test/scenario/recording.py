#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""recording.py - judges what the commands that read recordings print.

edges              stdin: uftrace replay; prints "CALLER CALLEE COUNT" a line
dot-edges FILE     the same of a graph, as Graphviz itself reads it
chrome FILE        validates a Chrome trace; prints "PID TID PHASE TS NAME" a line
chrome-same FILE FILE  the second is such a trace, with the events of the first, uftrace's
chrome-damaged FILE  validates that of a damaged recording, and prints nothing
dat FILE TEXT...   makes a task's file: "enter TIME DEPTH ADDRESS", "exit ...",
                   "lost TIME COUNT", "zeros N", "bytes HEX"
damage DIR SEED    changes bytes of the files in DIR at random
usage COMMAND...   runs it; prints its peak of memory in KiB to stderr
"""
import collections
import json
import math
import os
import random
import re
import resource
import struct
import subprocess
import sys

SCHEMA = {
    "type": "object",
    "required": ["traceEvents", "displayTimeUnit", "otherData"],
    "additionalProperties": False,
    "properties": {
        "displayTimeUnit": {"const": "ns"},
        "otherData": {"type": "object", "additionalProperties": {"type": "string"}},
        "traceEvents": {"type": "array", "items": {
            "type": "object",
            "required": ["ph", "ts", "pid", "tid", "name"],
            "additionalProperties": False,
            "properties": {
                "ph": {"enum": ["X", "M", "i"]},
                "ts": {"type": "number", "minimum": 0},
                "dur": {"type": "number", "minimum": 0},
                "pid": {"type": "integer", "minimum": 1},
                "tid": {"type": "integer", "minimum": 1},
                "name": {"type": "string", "minLength": 1},
                "s": {"const": "t"},
                "args": {"type": "object", "additionalProperties": False,
                         "properties": {"name": {"type": "string"},
                                        "end": {"enum": ["cut", "open"]},
                                        "events": {"type": "integer"}}},
            },
            "if": {"properties": {"ph": {"const": "X"}}}, "then": {"required": ["dur"]},
        }},
    },
}


def print_edges(edges):
    for (caller, callee), count in sorted(edges.items()):
        print(caller, callee, count)


def edges():
    stacks = collections.defaultdict(list)
    found = collections.Counter()
    for line in sys.stdin:
        match = re.match(r".*\[ *(\d+)\] \| ( *)(\S.*?)\(\)(;| \{)$", line)
        if not match:
            continue
        stack = stacks[match[1]]
        del stack[len(match[2]) // 2:]
        if stack:
            found[stack[-1], match[3]] += 1
        stack.append(match[3])
    print_edges(found)


def dot_edges(path):
    """Graphviz' own JSON of the graph, drawn first."""
    output = subprocess.run(["dot", "-Tjson0", path], check=True,
                            stdout=subprocess.PIPE).stdout
    graph = json.loads(output)
    names = {node["_gvid"]: node["name"] for node in graph["objects"]}
    print_edges({(names[edge["tail"]], names[edge["head"]]):
                 int(re.match(r" *([\d']+)", edge["label"])[1].replace("'", "")) for edge in graph["edges"]})


def nested(events):
    """Complete events, in the order of their ends, as pairs in the order of time: as
    viewers take them, which compute in floating point."""
    tasks = collections.defaultdict(list)
    last = collections.defaultdict(float)
    for event in events:
        if event["ph"] == "X":
            key = event["pid"], event["tid"]
            event["end"] = event["ts"] + event["dur"]
            assert event["end"] >= last[key], event
            last[key] = event["end"]
            tasks[key].append(event)
    for calls in tasks.values():
        stack = []
        # Of two that begin at once the one that ends later, or else is later in the
        # file, is the other one's caller.
        for call in sorted(reversed(calls), key=lambda call: (call["ts"], -call["end"])):
            while stack and stack[-1]["end"] <= call["ts"]:
                ended = stack.pop()
                yield ended, "E", ended["end"]
            assert not stack or call["end"] <= stack[-1]["end"], (stack, call)
            stack.append(call)
            yield call, "B", call["ts"]
        while stack:
            ended = stack.pop()
            yield ended, "E", ended["end"]


def by_task(pairs):
    """(PHASE, TS, NAME) of each (PID, TID), in the order of time."""
    tasks = collections.defaultdict(list)
    for event, phase, time in pairs:
        tasks[event["pid"], event.get("tid", event["pid"])].append(
            (phase, time, event["name"]))
    return tasks


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def chrome(path, damaged=False):
    """The events of a trace of ours, which is valid."""
    import jsonschema
    trace = load(path)
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    jsonschema.Draft202012Validator(SCHEMA).validate(trace)
    return {} if damaged else by_task(nested(trace["traceEvents"]))


def print_chrome(tasks):
    for (pid, tid), task in sorted(tasks.items()):
        for phase, time, name in task:
            print(pid, tid, phase, f"{time:.3f}", name)


def without_times(tasks):
    return {key: [(phase, name) for phase, _, name in task]
            for key, task in tasks.items()}


def chrome_same(theirs, ours):
    """uftrace since 0.18 counts from 1970, in doubles, which are exact to 0.25 us then."""
    one = by_task((event, event["ph"], event["ts"])
                  for event in load(theirs)["traceEvents"] if event["ph"] in "BE")
    two = chrome(ours)
    assert one and without_times(one) == without_times(two), (one, two)
    pairs = [(a[1], b[1]) for key in one for a, b in zip(one[key], two[key])]
    offset = pairs[0][0] - pairs[0][1]
    offset = offset if abs(offset) > 1 else 0
    inexact = 2 * math.ulp(pairs[0][0]) if offset else 0.0005
    for a, b in pairs:
        assert abs(a - b - offset) <= inexact, (a, b, offset)


def dat(path, lines):
    kinds = {"enter": 0, "exit": 1, "lost": 2}
    with open(path, "wb") as file:
        for line in lines:
            kind, *rest = line.split()
            if kind == "zeros":
                file.write(bytes(int(rest[0])))
            elif kind == "bytes":
                file.write(bytes.fromhex(rest[0]))
            else:
                numbers = [int(word, 0) for word in rest]
                if kind == "lost":
                    numbers.insert(1, 0)
                time, depth, address = numbers
                file.write(struct.pack("<QQ", time, kinds[kind] | 5 << 3 |
                                       depth << 6 | address << 16))


def damage(directory, seed):
    chance = random.Random(seed)
    for name in sorted(os.listdir(directory)):
        path = os.path.join(directory, name)
        with open(path, "rb") as file:
            data = bytearray(file.read())
        if chance.random() < 0.1:
            os.remove(path)
            continue
        if not data or chance.random() < 0.3:
            continue
        for _ in range(chance.choice([1, 3, 30])):
            at = chance.randrange(len(data))
            kind = chance.random()
            if kind < 0.5:
                data[at] = chance.randrange(256)
            elif kind < 0.7:
                del data[at:at + chance.randrange(1, 40)]
            elif kind < 0.9:
                data[at:at] = chance.randbytes(chance.randrange(1, 40))
            else:
                del data[at:]
            if not data:
                break
        with open(path, "wb") as file:
            file.write(data)


def usage(command):
    status = subprocess.call(command)
    print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, file=sys.stderr)
    return status


def main():
    what, *rest = sys.argv[1:]
    if what == "edges":
        edges()
    elif what == "dot-edges":
        dot_edges(rest[0])
    elif what == "chrome":
        print_chrome(chrome(rest[0]))
    elif what == "chrome-damaged":
        chrome(rest[0], damaged=True)
    elif what == "chrome-same":
        chrome_same(*rest)
    elif what == "dat":
        dat(rest[0], rest[1:])
    elif what == "damage":
        damage(rest[0], int(rest[1]))
    elif what == "usage":
        return usage(rest)
    return 0


sys.exit(main())
