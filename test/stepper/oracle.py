# SPDX-License-Identifier: MIT
"""oracle.py - gdb's side: the pcs of all frames of each core file.

Run by gdb (-x).  CORES is a directory; the frames of N.core go, in hexadecimal, to
line N of its file "gdb", which has lines of the first ones if gdb was lost in another.
Inlined frames and those that gdb makes up for tail calls have no frame of their own on
the stack.
"""
import os

import gdb

MOST = 513
NO_FRAME = (gdb.INLINE_FRAME, gdb.TAILCALL_FRAME)


def pcs():
    found = []
    frame = gdb.newest_frame()
    while frame is not None and len(found) < MOST:
        try:
            if frame.type() not in NO_FRAME:
                found.append("%x" % frame.pc())
            frame = frame.older()
        except gdb.error:
            break
    return found


def main():
    for command in ("set confirm off", "set pagination off", "set width 0",
                    "set debuginfod enabled off", "set auto-load no",
                    "set debug-file-directory /nowhere",
                    "set backtrace past-main on",
                    "set backtrace past-entry on"):
        gdb.execute(command, to_string=True)
    if os.environ["SYSROOT"]:
        gdb.execute("set sysroot " + os.environ["SYSROOT"], to_string=True)
    where = os.environ["CORES"]
    with open(os.path.join(where, "gdb"), "a+") as answers:
        answers.seek(0)
        number = len(answers.readlines())
        while os.path.exists(os.path.join(where, "%d.core" % number)):
            core = os.path.join(where, "%d.core" % number)
            gdb.execute("core-file " + core, to_string=True)
            answers.write(" ".join(pcs()) + "\n")
            answers.flush()
            number += 1


main()
