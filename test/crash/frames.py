# SPDX-License-Identifier: MIT
"""frames.py - run by gdb on a core file: every thread's frames, a line each.

"thread LWP", then "PC START NAME" from the innermost on; START is where gdb sees
the symbol at PC begin, 0 where it sees none.  Inlined and tail-called functions,
which gdb knows from debug data and which have no frame on the stack, are left out.
"""
import re

import gdb

MOST = 2000


def start_of(site):
    """Where the symbol that covers this address begins, and its name."""
    text = gdb.execute("info symbol %#x" % site, to_string=True)
    found = re.match(r"(\S+?)(?: \+ (\d+))? in section", text)
    if not found:
        return 0, "??"
    return site - int(found.group(2) or 0), found.group(1)


def show(frame):
    exact = True
    for _ in range(MOST):
        if frame is None:
            return
        if frame.type() == gdb.SIGTRAMP_FRAME:
            print("signal 0 signal")
            exact = True
        elif frame.type() not in (gdb.INLINE_FRAME, gdb.TAILCALL_FRAME):
            pc = frame.pc()
            start, name = start_of(pc if exact else pc - 1)
            print("%x %x %s" % (pc, start, frame.name() or name))
            exact = False
        frame = frame.older()


for thread in sorted(gdb.selected_inferior().threads(), key=lambda t: t.num):
    thread.switch()
    print("thread %d" % thread.ptid[1])
    try:
        show(gdb.newest_frame())
    except gdb.error as error:
        print("stop %s" % error)
