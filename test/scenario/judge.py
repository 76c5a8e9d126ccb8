#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""judge.py FOLDER PID - runs the python programs of a file of tests, each in a child.

A python that has started, and loaded what they load, is a fork away from each.  A question is
a line of FOLDER/ask: words that end in a NUL each, of which the first is the folder to be in and
the others the program and its arguments.  What the program writes, and its status behind it, is
written to FOLDER/answer, in a line of its own that a NUL ends.  It ends with FOLDER, and with
the process PID.
"""
import json
import os
import re
import select
import signal
import subprocess
import sys
import traceback

try:
    import jsonschema
except ImportError:
    jsonschema = None

loaded = json, re, subprocess, jsonschema
programs = {}
# Nobody waits longer for an answer.
MOST_SECONDS = 100


def code_of(path):
    if path not in programs:
        with open(path) as source:
            programs[path] = compile(source.read(), path, "exec")
    return programs[path]


def status_of(code):
    if code is None:
        return 0
    if isinstance(code, int):
        return code & 255
    print(code, file=sys.stderr)
    return 1


def judge(folder, path, arguments):
    os.chdir(folder)
    sys.argv = [path, *arguments]
    sys.path[0] = os.path.dirname(path)
    try:
        exec(code_of(path), {"__name__": "__main__", "__file__": path})
        return 0
    except SystemExit as end:
        return status_of(end.code)
    except BaseException:
        traceback.print_exc()
        return 1


def answer(question, to):
    folder, path, *arguments = os.fsdecode(question).split("\0")
    try:
        code_of(path)
    except Exception:
        pass  # the child tries again, and says why
    child = os.fork()
    if child == 0:
        signal.alarm(MOST_SECONDS)
        os.dup2(to, 1)
        os.dup2(to, 2)
        status = judge(folder, path, arguments)
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)
    status = os.waitpid(child, 0)[1]
    os.write(to, b"\n%d\0" % (128 + os.WTERMSIG(status) if os.WIFSIGNALED(status)
                              else os.WEXITSTATUS(status)))


def main():
    folder, asker = sys.argv[1:]
    os.closerange(3, 256)
    # Each is open both ways: who asks comes and goes.
    ask = os.open(os.path.join(folder, "ask"), os.O_RDWR)
    to = os.open(os.path.join(folder, "answer"), os.O_RDWR)
    asked = b""
    while os.fstat(ask).st_nlink and os.path.exists("/proc/" + asker):
        if select.select([ask], [], [], 1)[0]:
            asked += os.read(ask, 65536)
            while b"\0\n" in asked:
                question, asked = asked.split(b"\0\n", 1)
                answer(question, to)


main()
