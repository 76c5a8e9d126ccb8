#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""group.py - judges files of crash reports and what whocallme group says of them.

  group.py lines FILE COUNT        COUNT lines, each a report, no process twice
  group.py hashes GROUPS           each hash is that of the frames next to it
  group.py counts GROUPS REPORTS   the counts are those of the reports, in order
  group.py offset REPORTS N        where report N, from 0, crashed in its module
  group.py made COUNT FUNCTION...  COUNT reports, each with another caller of FUNCTION...;
                                   of one there is no caller
"""
import json
import sys


def objects(path):
    data = open(path, "rb").read()
    assert data.endswith(b"\n")
    return [json.loads(line) for line in data.decode().splitlines()]


def fnv(data):
    value = 0xcbf29ce484222325
    for byte in data:
        value = (value ^ byte) * 0x100000001b3 % 2**64
    return f"{value:016x}"


def identity(frame):
    module = frame.get("build_id", frame.get("module", "").split("/")[-1])
    name = frame.get("function", frame.get("module_offset", "??"))
    return f"{module}\0{name}\0".encode()


def lines(path, count):
    reports = objects(path)
    assert len(reports) == int(count), len(reports)
    assert len({r["process"] for r in reports}) == len(reports)
    assert all(r["version"] == 1 and r["stack"]["frames"] for r in reports)


def hashes(path):
    groups = objects(path)
    assert groups
    for group in groups:
        frames = group["frames"]
        data = b"".join(map(identity, frames))
        if not frames:
            data = f"{group['program']}\0{group['signal']}\0".encode()
        assert group["hash"] == fnv(data), group


def counts(path, reports):
    groups = objects(path)
    data = open(reports, "rb").read().split(b"\n")
    keys = [(-g["count"], g["hash"]) for g in groups]
    assert keys == sorted(keys), keys
    assert sum(g["count"] for g in groups) == sum(
        line.startswith(b'{"version":1,"name"') for line in data)
    for group in groups:
        assert group["first"]["line"] <= group["last"]["line"]
        for place in group["first"], group["last"]:
            report = json.loads(data[place["line"] - 1])
            assert report["name"] == group["program"]
            assert report["signal"]["name"] == group["signal"]


def offset(path, index):
    print(objects(path)[int(index)]["stack"]["frames"][0]["module_offset"])


def made(count, *functions):
    for i in range(int(count)):
        names = functions + (f"caller_{i}",) * (count != "1")
        frames = [{"number": n, "pc": hex(n), "function": name, "module": "/m"}
                  for n, name in enumerate(names)]
        print(json.dumps({"version": 1, "name": "made", "process": 1,
                          "signal": {"name": "SIGABRT"}, "cause": {"text": "-"},
                          "stack": {"frames": frames}},
                         separators=",:"))


if __name__ == "__main__":
    {"lines": lines, "hashes": hashes, "counts": counts,
     "offset": offset, "made": made}[sys.argv[1]](*sys.argv[2:])
