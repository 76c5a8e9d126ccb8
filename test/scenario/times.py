#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""times.py between LOG FROM TO - are all times of the log's calls between these, nanoseconds
                                  since 1970, and from the moment on that it names?
times.py strace LOG STRACE      - is each call of access(2) that "strace -f -ttt" shows made
                                  within a call that the log has begun and ended?
times.py order LOG              - sorted by their times, are the calls in the order of NUMBER...,
                                  which they are given?
times.py moment TIME            - a time of day in nanoseconds since 1970
times.py delta LOG              - is the sum of the differences, between a call's line and that
                                  of its end, the time that the latter has?
"""
import datetime
import re
import sys

LINE = re.compile(r"(FUN|RET) *(\d+) +(\S+) +\d+ +&(\w+)(?:\((\d+)\))?(?:,? ([\d']+) ns)?")


def nanoseconds(text):
    """A time of any of the three kinds."""
    if "T" not in text:
        return int(text.replace("'", ""))
    moment, fraction = text.rstrip("Z").split(".")
    assert text.endswith("Z") and len(fraction) == 9, text
    date = datetime.datetime.fromisoformat(moment + "+00:00")
    return int(date.timestamp()) * 10**9 + int(fraction)


def calls(path):
    """KIND, TID, TIME, NAME, ARGUMENT and DURATION of each line."""
    found = []
    for line in open(path, errors="replace"):
        match = LINE.match(line)
        assert match or line[0] in "#\n " or line[:3] in ("PRB", "SYS"), line
        if match:
            kind, tid, time, name, argument, took = match.groups()
            found.append((kind, int(tid), nanoseconds(time), name, argument,
                          took and nanoseconds(took)))
    assert found, path
    return found


def between(path, low, high):
    begun = re.findall(r"^# begun at (\S+) by CLOCK_REALTIME;", open(path).read(), re.M)
    assert len(begun) == 1, begun
    moments = [nanoseconds(begun[0])] + sorted(call[2] for call in calls(path))
    assert moments == sorted(moments), moments[:2]
    assert int(low) <= moments[0] and moments[-1] <= int(high), (low, moments, high)


def strace(path, theirs):
    spans = {}
    open_calls = {}
    for kind, tid, time, _, _, _ in calls(path):
        if kind == "FUN":
            open_calls[tid] = time
        else:
            spans.setdefault(tid, []).append((open_calls.pop(tid), time))
    found = re.findall(r'^(\d+) +(\d+)\.(\d{6}) f?access\w*\((?:AT_FDCWD, )?"/nowhere/',
                       open(theirs).read(), re.M)
    assert len(found) > 10, found
    for tid, seconds, part in found:
        moment = int(seconds) * 10**9 + int(part) * 1000
        # It has cut off what is less than a microsecond.
        assert any(begin - 1000 <= moment <= end for begin, end in spans[int(tid)]), \
            (tid, moment, spans[int(tid)])


def order(path):
    by_time = sorted(calls(path), key=lambda call: call[2])
    numbers = [int(call[4]) for call in by_time]
    assert numbers == sorted(numbers) and len(numbers) > 10, numbers


def delta(path):
    now = 0
    open_calls = []
    for kind, _, time, _, _, took in calls(path):
        now += time
        if kind == "FUN":
            open_calls.append(now)
        else:
            assert took == now - open_calls.pop(), (time, took)
    assert not open_calls


if __name__ == "__main__":
    {"between": between, "moment": lambda text: print(nanoseconds(text)), "strace": strace, "order": order,
     "delta": delta}[sys.argv[1]](*sys.argv[2:])
