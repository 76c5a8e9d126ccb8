#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# tree.py - the call tree of a recording, as `uftrace dump` has it.
#
# A line a call: the task, by its turn to begin, the depth and the name.  Given two
# recordings, print where their trees differ, and exit with 1 if they do.
import difflib
import glob
import os
import re
import subprocess
import sys

RECORD = re.compile(r"^(\d+)\.(\d+) +(\d+): \[(entry|exit )\] (.*)\(([0-9a-f]+)\)"
                    r" depth: (\d+)$")

# Newer uftraces have sizes.
SYMBOL = re.compile(r"[0-9a-f]+ (?:[0-9a-f]+ )?(\S) (.*)")


def records(directory):
    """(time, task, kind, name, depth) of every record, each task's in its order."""
    dump = subprocess.run(["uftrace", "dump", "--no-pager", "-d", directory],
                          stdout=subprocess.PIPE, text=True, check=True)
    for line in dump.stdout.splitlines():
        match = RECORD.match(line)
        if match:
            seconds, nanoseconds, task, kind, name, _, depth = match.groups()
            yield (int(seconds) * 10**9 + int(nanoseconds), int(task), kind.strip(),
                   name, int(depth))


def library_calls(directory):
    """The functions that a recording of uftrace's has by their linkage stubs, but for
    those that the program has, too: another module's stubs are not followed."""
    stubs, own = set(), set()
    for path in glob.glob(os.path.join(directory, "*.sym")):
        with open(path, encoding="utf-8", errors="replace") as symbols:
            lines = [SYMBOL.match(line).groups() for line in symbols if line[0] != "#"]
        stubs.update(name for kind, name in lines if kind == "P")
        if any(name == "main" for _, name in lines):
            own.update(name for kind, name in lines if kind in "Tt")
    return stubs - own


def task_tree(calls, ignored):
    """The names of calls, indented by the depth that they have without those that are
    ignored; one that is deeper than a call of the one before can be is marked."""
    stack = []
    for _, depth, name in calls:
        while stack and stack[-1][0] >= depth:
            stack.pop()
        skips = stack and depth > stack[-1][0] + 1
        if name not in ignored:
            yield "  " * sum(known for _, known in stack) + "!" * bool(skips) + name
        stack.append((depth, name not in ignored))


def tree(directory):
    """The calls of each task, tasks in the order of their first call."""
    tasks = {}
    for time, task, kind, name, depth in records(directory):
        if kind == "entry":
            tasks.setdefault(task, []).append((time, depth, name))
    ignored = library_calls(directory) | {"execve", "fork"}
    ordered = sorted(tasks.values(), key=lambda calls: calls[0][0])
    return [f"task {turn}: {line}" for turn, calls in enumerate(ordered)
            for line in task_tree(calls, ignored)]


def main():
    trees = [tree(name) for name in sys.argv[1:]]
    if len(trees) == 1:
        print("\n".join(trees[0]))
        return 0
    if trees[0] == trees[1]: # which difflib finds out in minutes
        return 0
    difference = list(difflib.unified_diff(*trees, *sys.argv[1:3], lineterm="", n=2))
    print("\n".join(difference))
    return 1


sys.exit(main())
