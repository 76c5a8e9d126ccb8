# SPDX-License-Identifier: MIT
"""nest.py LOG - whether the calls of each thread nest; prints what does not, and a sum."""
import collections
import sys

open_calls = collections.defaultdict(list)
entries = wrong = 0
for number, line in enumerate(open(sys.argv[1]), 1):
    event, function, _, thread = line.split()
    stack = open_calls[thread]
    if event == "ev=entry":
        entries += 1
        stack.append(function)
    elif stack and stack[-1] == function:
        stack.pop()
    else:
        wrong += 1
        if wrong < 10:
            print(f"# line {number}: {line.strip()} in {stack[-1:]}")
print(f"# {entries} calls of {len(open_calls)} threads; open at the end: "
      + "; ".join(" ".join(name[3:] for name in stack) for stack in open_calls.values()))
sys.exit(wrong != 0)
