#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""alike.py WHOCALLME THEIRS OURS - have programs made the same calls on two CPUs?

THEIRS and OURS are what recorded has made on the CPUs, THEIRS on this machine's.  Of each
program the calls in their order with their depths, how often each function is called, and
who calls whom how often are compared by name.  OURS is read by the command of its own CPU,
whose words recorded has kept, by this machine's WHOCALLME and by this machine's uftrace.
"""
import glob
import json
import os
import re
import subprocess
import sys

SHOWN = 10
TREE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "trace", "tree.py")

# Functions that programs need not call alike on all CPUs, and why.
EXPLAINED = {}

ENTRY = re.compile(r"^[^|]*\| ( *)([^ }].*)\(\)(?: \{|;)$")
EDGE = re.compile(r'^\t"(.*)" -> "(.*)" \[.*\bcalls=(\d+)')
UFTRACE_CALL = re.compile(r"^task 0: ( *)!?(.*)$")


def said(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout


def read(path):
    with open(path, encoding="utf-8", errors="surrogateescape") as file:
        return file.read()


def without_explained(calls):
    """(depth, name) of the calls that are compared, as if there were no others."""
    left_out = []
    for depth, name in calls:
        while left_out and left_out[-1] >= depth:
            left_out.pop()
        if name in EXPLAINED:
            left_out.append(depth)
        else:
            yield depth - len(left_out), name


def calls_of(text, pattern):
    """What a replay, or a tree, has to the end of its calls."""
    matches = map(pattern.match, text.split("\n\n")[0].splitlines())
    return list(without_explained((len(match[1]) // 2, match[2])
                                  for match in matches if match))


def counts_of(functions):
    return {name: calls for name, calls in functions if name not in EXPLAINED}


def counts_of_json(text):
    return counts_of((entry["name"], entry["calls"]) for entry in json.loads(text))


def counts_of_uftrace(text):
    lines = [line.split() for line in text.splitlines()[2:]]
    return counts_of((line[1], int(line[0])) for line in lines)


def edges_of(dot):
    """Who calls whom how often; what only explained functions call is left out."""
    return {match.group(1, 2): int(match[3]) for match in map(EDGE.match, dot.splitlines())
            if match and not EXPLAINED.keys() & set(match.group(1, 2))}


def differences(what, expected, found):
    """Each key that has another value, or the first of the places that differ."""
    if expected == found:
        return []
    if isinstance(expected, dict):
        keys = sorted(expected.keys() | found.keys())
        return ["%s: %s: %s, not %s" % (what, key, found.get(key), expected.get(key))
                for key in keys if found.get(key) != expected.get(key)]
    at = len(os.path.commonprefix([expected, found]))
    return ["%s: %s of %d is %s, not %s" % (what, at, len(expected), found[at:at + 1],
                                            expected[at:at + 1])]


def compare(name, whocallme, theirs, ours):
    """(calls, functions, edges), and what differs."""
    data = os.path.join(ours, name + ".data")

    def kept(directory, kind):
        return read(os.path.join(directory, name + kind))

    calls = calls_of(kept(theirs, ".replay"), ENTRY)
    counts = counts_of_json(kept(theirs, ".report"))
    edges = edges_of(kept(theirs, ".dot"))
    readers = {
        "replay by its own CPU": (calls, calls_of(kept(ours, ".replay"), ENTRY)),
        "replay here": (calls, calls_of(said(whocallme, "replay", "--no-merge", data), ENTRY)),
        "uftrace's tree": (calls, calls_of(said(TREE, data), UFTRACE_CALL)),
        "report by its own CPU": (counts, counts_of_json(kept(ours, ".report"))),
        "report here": (counts, counts_of_json(said(whocallme, "report", "--json", data))),
        "uftrace's report": (counts, counts_of_uftrace(said(
            "uftrace", "report", "--no-pager", "-f", "call", "-s", "func", "-d", data))),
        "graph": (edges, edges_of(kept(ours, ".dot"))),
        "output": (kept(theirs, ".out"), kept(ours, ".out")),
    }
    found = []
    for reader, (expected, got) in readers.items():
        found += differences(reader, expected, got)
    if not (calls and counts and edges):
        found.append("there is nothing to compare")
    return (len(calls), len(counts), len(edges)), found


def main():
    whocallme, theirs, ours = sys.argv[1:]
    names = sorted(os.path.basename(path)[:-len(".data")]
                   for path in glob.glob(os.path.join(ours, "*.data")))
    bad = not names
    for name in names:
        sizes, found = compare(name, whocallme, theirs, ours)
        print("%s: %d calls, %d functions, %d edges: %d differences" %
              (name, *sizes, len(found)))
        for line in found[:SHOWN]:
            print("  " + line)
        bad = bad or bool(found)
    for name, reason in sorted(EXPLAINED.items()):
        print("not compared: %s: %s" % (name, reason))
    return bad


if __name__ == "__main__":
    sys.exit(main())
