# SPDX-License-Identifier: MIT
"""cells.py - the matrix: which deaths, in which threads, in which way, and what
the report of each must say."""
import collections
import signal
import struct

PLACES = ["main", "small", "before"]
WAYS = ["linked", "preloaded"]

SEGV, ABRT = signal.SIGSEGV, signal.SIGABRT
MAPERR, ACCERR, KERNEL = 1, 2, 128
TKILL, USER = -6, 0
WORD = struct.calcsize("P")
WILD = 0x123456789000 if WORD == 8 else 0x12345000

# Which frames of the program's own the report must begin with; "??" stands for a
# frame 0 where there is no function.
Death = collections.namedtuple(
    "Death", "signal code frames address words threads file proc others "
    "reports malloc painted reaches",
    defaults=[None,      # si_addr, where it is known
              "",        # what the lines above the stack must contain
              1,         # how many threads die together
              False,     # is the report's file judged instead of stderr?
              True,      # is there a /proc?
              True,      # can the other threads be asked?
              1,         # how many reports there are at least
              True,      # may allocation be forbidden before the fault?
              True,      # is the alternate stack the library's?
              True])     # is the thread's first function in the stack?


def null(*frames, **options):
    return Death(SEGV, MAPERR, list(frames), 0, **options)


DEATHS = {
    "null_read": null("null_read"),
    "inlined_read": null("inlined_read"),
    "wild_read": Death(SEGV, MAPERR, ["wild_read"], WILD),
    "write_to_text": Death(SEGV, ACCERR, ["write_to_text"]),
    "null_call": null("??", "null_call",
                      words="call of a NULL function pointer"),
    "wild_call": Death(SEGV, MAPERR, ["??", "wild_call"], WILD),
    "call_of_data": Death(SEGV, ACCERR, ["??", "call_of_data"]),
    "recursion": Death(SEGV, None, ["recurse", "recurse", "recurse"],
                       words="stack overflow"),
    "by_alloca": Death(SEGV, None, ["by_alloca"], words="stack overflow"),
    "huge_frame": Death(SEGV, None, ["frame_of_16_mib", "huge_frame"],
                        words="stack overflow"),
    "by_abort": Death(ABRT, TKILL, ["by_abort"]),
    "by_assert": Death(ABRT, TKILL, ["by_assert"], malloc=False),
    "division": Death(signal.SIGFPE, 1, ["division"]),
    "undefined": Death(signal.SIGILL, 2, ["undefined"]),
    "breakpoint": Death(signal.SIGTRAP, KERNEL, ["breakpoint"]),
    "misaligned": Death(SEGV, KERNEL, ["misaligned"]),
    "beyond_file": Death(signal.SIGBUS, 2, ["beyond_file"]),
    "by_kill": Death(SEGV, None, ["by_kill"]),
    "double_free": Death(ABRT, TKILL, ["double_free"], malloc=False),
    "corrupt_arena": Death(ABRT, TKILL, ["corrupt_arena"], malloc=False),
    "malloc_locked": Death(SEGV, MAPERR, ["malloc_locked"], WILD + 2 * WORD,
                           malloc=False),
    "in_dlopen": null("plugin_dies", "plugin_constructor", "in_dlopen",
                      malloc=False),
    "in_printf": Death(SEGV, MAPERR, ["in_printf"], WILD, malloc=False),
    "in_atexit": null("null_read", "exit_handler", "in_atexit"),
    "in_static": null("null_read", "static_destructor", "Static::~Static",
                      "in_static"),
    # The thread's own function has returned.
    "in_tls": null("null_read", "tls_destructor", "Local::~Local",
                   reaches=False),
    # pthread_exit() has left the thread's own frames.
    "in_key": Death(SEGV, None, ["recurse", "recurse", "recurse"],
                    words="stack overflow", reaches=False),
    "in_handler": null("null_read", "on_user_signal", "in_handler",
                       painted=False),
    "on_our_stack": null("null_read", "on_user_signal", "on_our_stack",
                         painted=False),
    "small_stack": null("null_read", "small_stack", painted=False),
    "in_fork": null("null_read", "in_fork", reports=2, malloc=False),
    "in_vfork": null("null_read", "in_vfork", reports=2, malloc=False),
    "vfork_killed": null("null_read", "vfork_killed", malloc=False),
    "in_callback": null("null_read", "in_callback"),
    "two_at_once": null("bare_read", "together", "two_at_once", threads=2,
                        malloc=False),
    "many_at_once": null("bare_read", "together", "many_at_once", threads=64,
                         malloc=False),
    "stderr_closed": null("null_read", "stderr_closed", file=True),
    "stderr_stuck": null("null_read", "stderr_stuck", file=True),
    "few_files": null("null_read", "few_files"),
    "no_files": null("null_read", "no_files", others=False),
    "no_memory": null("null_read", "no_memory"),
    "no_proc": null("null_read", "no_proc", proc=False, others=False),
    "forbidden": null("null_read", "forbidden", others=False),
    "trapped": null("null_read", "trapped", others=False),
}


# Why there are no source lines, where there cannot be.
NO_LINES = {
    "no_files": "too many files are open",
    "forbidden": "not permitted here",
    "trapped": "no process can be started here",
}

# The helper has as much as the process, which may be too little for it.
MAY_HAVE_NO_LINES = ["no_memory"]

# Those that put another file in the place of stderr, which is to get the report.
REDIRECTED = ["vfork_killed", "stderr_stuck"]

# The deaths that are tried with helpers that do not help.
HELPLESS = ["null_read", "by_abort", "recursion", "in_callback", "stderr_stuck"]

# What a helper may do but help, as a script, and what is said of it.
HELPERS = {
    "hangs": ("echo $$ >helper; sleep 1000; :", "no answer in time; "),
    "dies": ("read -r question", "it has ended"),
    "missing": (None, "no such file; "),
    "says_much": ("read -r question; yes | head -c 1073741824",
                  "what it says is no answer"),
}


# What another CPU dies of instead; and what cannot be there, or not in qemu-user.
ELSEWHERE = {"misaligned": Death(signal.SIGBUS, 1, ["misaligned"])}
NOT_ELSEWHERE = {"division": "its result is 0 or -1 on other CPUs"}
NOT_EMULATED = {
    "no_proc": "the emulator reads /proc itself",
    "forbidden": "the emulator has no seccomp",
    "trapped": "the emulator has no seccomp",
    "no_memory": "the limit is the emulator's as well",
    "stderr_stuck": "the emulator writes to stderr itself",
    "in_fork": "the child dies as the emulator does, which its parent takes for no crash",
    "in_vfork": "the child dies as the emulator does, which its parent takes for no crash",
    "vfork_killed": "the emulator's vfork is a fork",
}


def be_elsewhere(emulated):
    """The deaths are those of another CPU from now on, in an emulator or not."""
    DEATHS.update(ELSEWHERE)
    LEFT_OUT.update(NOT_ELSEWHERE)
    if emulated:
        LEFT_OUT.update(NOT_EMULATED)
        HELPERS.clear()


LEFT_OUT = {}


class Cell(collections.namedtuple("Cell", "death place way forbid_malloc helper",
                                  defaults=[""])):
    def __str__(self):
        parts = [self.death, self.place, self.way]
        parts += ["no_malloc"] * self.forbid_malloc
        return "-".join(parts + [self.helper] * bool(self.helper))


def reason_to_leave_out(cell):
    """Why a combination makes no sense; None where it does."""
    if cell.death == "in_callback" and cell.way == "preloaded":
        return "a program that knows nothing of the library has no callback"
    return LEFT_OUT.get(cell.death)


def matrix():
    return [Cell(death, place, way, False) for death in DEATHS
            for place in PLACES for way in WAYS]


def left_out():
    return [(cell, reason_to_leave_out(cell)) for cell in matrix()
            if reason_to_leave_out(cell)]


def all_cells():
    """The matrix, and once more what needs no malloc() to die, under one that
    ends the process; and helpers that do not help."""
    cells = [cell for cell in matrix() if not reason_to_leave_out(cell)]
    cells += [cell._replace(forbid_malloc=True) for cell in cells
              if DEATHS[cell.death].malloc]
    return cells + [cell._replace(helper=helper) for cell in cells
                    for helper in HELPERS if cell.death in HELPLESS]
