#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""callgrind.py DOT CALLGRIND [INLINED] - does callgrind count the calls that the graph does?

DOT is a graph as Graphviz' "osage -Tjson0" prints it, CALLGRIND an output file of
callgrind's, made with --compress-strings=no.  Each function's calls are compared,
and each edge between two functions that are instrumented; an edge that leads through
code that is not instrumented, as a callback's does, is in the graph alone.

So is a function that is always inlined: it is instrumented, but never called.  Without
INLINED the functions of the graph that callgrind saw no call of are printed; with it,
a file of lines "NAME CALLS" by another counter, these must have that many calls.
"""
import collections
import json
import re
import sys


def read_graph(path):
    with open(path) as file:
        graph = json.load(file)
    names = [node["name"] for node in graph["objects"]]
    edges = collections.Counter()
    for edge in graph.get("edges", []):
        pair = names[edge["tail"]], names[edge["head"]]
        edges[pair] += int(edge["calls"])
        # For people: digits in groups, and the time below.
        grouped = f"{int(edge['calls']):,}".replace(",", "'")
        assert edge["label"].replace("\\n", " ").split()[0] == grouped, edge
    nodes = {node["name"]: int(node["calls"]) for node in graph["objects"]
             if "calls" in node}
    return nodes, edges, {node.get("module") for node in graph["objects"]}


def read_callgrind(path, modules):
    """A function in none of the MODULES is "", and one that recurs one function."""
    edges = collections.Counter()
    place = called_place = caller = callee = ""
    with open(path) as file:
        for line in file:
            key, _, value = line.rstrip("\n").partition("=")
            name = re.sub(r"'\d+$", "", value)
            if key == "ob":
                place = called_place = value
            elif key == "cob":
                called_place = value
            elif key == "fn":
                caller = name if place in modules else ""
            elif key == "cfn":
                callee = name if called_place in modules else ""
            elif key == "calls":
                edges[caller, callee] += int(value.split()[0])
                called_place = place
    return edges


def read_inlined(path):
    with open(path) as file:
        return {name: int(calls) for name, calls in map(str.split, file)}


def main():
    nodes, edges, modules = read_graph(sys.argv[1])
    seen = read_callgrind(sys.argv[2], modules)
    sums = collections.Counter()
    for (_, callee), calls in seen.items():
        sums[callee] += calls
    if len(sys.argv) == 3:
        for name in nodes:
            if not sums[name]:
                print(name)
        return
    inlined = read_inlined(sys.argv[3])
    sums.update(inlined)
    differences = [f"{name}: {calls} calls, callgrind has {sums[name]}"
                   for name, calls in nodes.items() if sums[name] != calls]
    direct = {pair for pair in seen if pair[0] in nodes and pair[1] in nodes}
    through = 0
    for pair in sorted(direct | set(edges)):
        if pair[0] not in nodes:
            continue
        if edges[pair] < seen[pair]:
            differences.append(f"{pair}: {edges[pair]} calls, callgrind has "
                               f"{seen[pair]}")
        elif edges[pair] > seen[pair] and pair[1] not in inlined:
            through += edges[pair] - seen[pair]
    indirect = sum(calls for (caller, callee), calls in seen.items()
                   if callee in nodes and caller not in nodes)
    outermost = sum(calls for (caller, _), calls in edges.items()
                    if caller not in nodes)
    if through + outermost != indirect:
        differences.append(f"{through} calls and {outermost} outermost ones come "
                           f"from elsewhere, callgrind has {indirect}")
    print(f"{len(nodes)} functions, {len(edges)} edges, {sum(nodes.values())} calls: "
          f"{len(differences)} differences; {through} calls come through code that is "
          "not instrumented")
    for difference in differences:
        print(difference)
    sys.exit(bool(differences))


main()
