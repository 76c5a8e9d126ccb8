# SPDX-License-Identifier: MIT
"""The words of system calls and probes, of a log or of a recording, a line each.

    recorded_words.py log LOG         as the log has them
    recorded_words.py replay TEXT     the same of what `whocallme replay` shows
    recorded_words.py chrome JSON     lines of a log, of what `whocallme chrome` writes

The first two are sorted by thread, and those of a thread by their calls' ends.  Numbers of
processes and addresses are another run's, and so is for whom a thread waits.  A log has a call that
may run another program twice where that fails.
"""
import collections
import json
import re
import sys

CHANGES = re.compile(r"0x[0-9a-f]{8,}|&__GI_\w+|(?<=→ )\d{4,}$|(?<=[( ])\d+(?=, (?:\d+, )?SIG)")
GIVES_ID = re.compile(r"((?:get[tp]id|getppid|v?fork|clone3?|wait4|set_tid_address)\(.*→ )\d+$")


def of_log(lines):
    """An exec that has failed is said once."""
    last = {}
    for thread, text in all_of_log(lines):
        before = last.pop(thread, None)
        if before and not text.startswith(before + " → "):
            yield thread, before
        if re.match(r"execve(at)?\(", text) and " → " not in text:
            last[thread] = text
        else:
            yield thread, text
    yield from last.items()


def all_of_log(lines):
    for line in lines:
        match = re.match(r"(?:SYS|PRB) +(\d+) +[\d']+ +(.*?)(?:, [\d']+ ns)? *$", line)
        if match:
            again = re.search(r" x(\d+)$", match[2])
            text = match[2][:again.start()] if again else match[2]
            for _ in range(int(again[1]) if again else 1):
                yield match[1], text


def of_replay(lines):
    """A call that others interrupt is known whole where it ends, if it was not before."""
    is_open = collections.defaultdict(list)
    for line in lines:
        match = re.match(r"[^\[|]*\[ *(\d+)\] \| +(.*)$", line)
        if not match:
            continue
        thread, text = match.groups()
        if re.match(r"execve(at)?\(", (is_open[thread] or [""])[-1]) and text[0] != "}":
            yield thread, is_open[thread].pop()
        end = re.match(r"\}(?: = (.*?))?;? /\* (.*?) \*/$", text)
        if text.endswith(" {"):
            is_open[thread].append(text[:-2])
        elif end:
            begun = is_open[thread].pop() if is_open[thread] else ""
            whole = end[2] if "(" in end[2] else begun
            yield thread, whole + (" → " + end[1] if end[1] else "")
        else:
            yield thread, re.sub(r"\) = (.*)$", r") → \1", text.removesuffix(";"))
    for thread, texts in is_open.items():
        if texts and re.match(r"execve(at)?\(", texts[-1]):
            yield thread, texts[-1]


def show(calls):
    threads = collections.defaultdict(list)
    for thread, text in calls:
        if text and not text.startswith(("futex(", "pthread_")):
            threads[thread].append(GIVES_ID.sub(r"\1N", CHANGES.sub("N", text)))
    for texts in sorted(threads.values()):
        print("\n".join(texts))


def show_as_log(path):
    with open(path, encoding="utf-8") as file:
        events = json.load(file)["traceEvents"]
    for event in events:
        if event["ph"] != "X":
            continue
        words = event.get("args", {})
        back = " → " + words["retval"] if "retval" in words else ""
        print("SYS %d %d %s(%s)%s, %d ns" % (
            event["tid"], round((event["ts"] + event["dur"]) * 1000), event["name"],
            words.get("arguments", ""), back, round(event["dur"] * 1000)))


def main():
    if sys.argv[1] == "chrome":
        show_as_log(sys.argv[2])
        return
    with open(sys.argv[2], encoding="utf-8") as file:
        show({"log": of_log, "replay": of_replay}[sys.argv[1]](file))


main()
