# SPDX-License-Identifier: MIT
"""gdb_lines.py - run by gdb on a core file: every thread's frames, with the functions
that are inlined into them.

"thread LWP", "frame", and for each function of the frame, innermost first,
"function NAME FILE LINE inlined", a tab between two words.
"""
import os

import gdb

MOST = 64


def show_function(frame):
    sal = frame.find_sal()
    path = sal.symtab.filename if sal.symtab else ""
    kind = "inlined" if frame.type() == gdb.INLINE_FRAME else "own"
    print("\t".join(["function", frame.name() or "??", os.path.basename(path),
                     str(sal.line if sal.symtab else 0), kind]))


def show(frame):
    count, begun = 0, False
    while frame is not None and count < MOST:
        # A function that made a tail call is not on the stack any more.
        if frame.type() == gdb.SIGTRAMP_FRAME:
            print("frame\nfunction\t<signal handler called>\t\t0\town")
            count += 1
        elif frame.type() != gdb.TAILCALL_FRAME:
            if not begun:
                print("frame")
                count += 1
            show_function(frame)
            begun = frame.type() == gdb.INLINE_FRAME
        frame = frame.older()


for thread in sorted(gdb.selected_inferior().threads(), key=lambda t: t.num):
    thread.switch()
    print("thread\t%d" % thread.ptid[1])
    try:
        show(gdb.newest_frame())
    except gdb.error as error:
        print("stop %s" % error)
