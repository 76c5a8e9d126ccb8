# SPDX-License-Identifier: MIT
"""compare.py FUNCTIONS STOPS LOG - whether gdb's stops and the log's entries are the same
functions in the same order."""
import sys

names = {}
for line in open(sys.argv[1]):
    library, address, said = line.split()
    names[library, address] = set(said.split(","))
stops = [tuple(line.split()) for line in open(sys.argv[2])]
entries = [line.split()[1][3:] for line in open(sys.argv[3]) if line.startswith("ev=entry")]
print(f"# {len(names)} functions call the runtime; gdb stopped {len(stops)} times, the log has "
      f"{len(entries)} calls of {len(set(entries))} functions")
for number, (stop, entry) in enumerate(zip(stops, entries), 1):
    if entry not in names[stop]:
        print(f"# call {number}: gdb has {names[stop]}, the log {entry}")
        sys.exit(1)
sys.exit(len(stops) != len(entries) or not stops)
