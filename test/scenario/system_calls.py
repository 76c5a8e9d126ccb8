# SPDX-License-Identifier: MIT
"""Compare a log of system calls with what strace wrote of another run of the same program.

    system_calls.py LOG STRACE

STRACE is what `strace -f -xx -s 32 -o STRACE` wrote of the program without the library.  Threads
are compared in the order in which they begin, and what each calls in that of its calls' beginnings.
A log begins when the library does, after the dynamic linker.  What another run may have otherwise
has a rule here, which is counted; any other difference is printed, and fails.
"""
import collections
import re
import sys

import system_words
from system_words import rules

ALIKE_AT_FIRST, ALIKE_AGAIN, FARTHEST = 6, 3, 60
# How many calls may differ for malloc(), of which the library's own calls have taken some; one that
# comes earlier or later is two.
MOST_OF_MALLOC = 12
FIRST_CHOSEN_PORT = 32768
LOG_DESCRIPTOR = "1000"
BEGINS = {"clone", "clone3", "fork", "vfork"}
Call = collections.namedtuple("Call", "name line begin")
NEVER = {"exit", "exit_group"}
# Of these another run gives other numbers, and no more.
CHANGES = {"sysinfo", "times", "getrusage", "clock_gettime", "gettimeofday", "getrandom"}
NUMBERS = {"getpid", "gettid", "getppid", "getpgrp", "getpgid", "getsid", "set_tid_address", "clone",
           "clone3", "fork", "vfork", "setsid", "futex", "times", "getrandom"}
WAITS = {"wait4", "waitid"}
# What these give depends on how far others are.
TIMED = {"futex", "poll", "ppoll", "epoll_wait", "epoll_pwait", "nanosleep", "clock_nanosleep",
         "sched_yield", "restart_syscall", "select", "pselect6"}


def ours_of(path):
    """The calls of each thread, in order of their beginnings: each program has its own clock."""
    threads = collections.OrderedDict()
    with open(path, encoding="utf-8") as file:
        for line in file:
            # The last line of a process may have spaces behind it: others' follow.
            match = re.match(r"SYS +(\d+) +([\d']+) +(.*?)(?:, ([\d']+) ns)? *$", line)
            if not match:
                continue
            end, lasted = (int((word or "0").replace("'", "")) for word in match.group(2, 4))
            threads.setdefault(match[1], []).append(
                Call(re.match(r"\w+", match[3])[0], match[3], end - lasted))
    return {thread: [call for image in images(without_failed(calls))
                     for call in sorted(image, key=lambda call: call.begin)]
            for thread, calls in threads.items()}


def without_failed(calls):
    """A program that cannot be run has two lines, before and after."""
    kept = []
    for call in calls:
        if (call.name.startswith("execve") and " → " in call.line and kept and
                kept[-1].name == call.name and call.line.startswith(kept[-1].line)):
            kept.pop()
        kept.append(call)
    return kept


def joined(lines):
    """[(thread, call)], calls that others interrupt made whole."""
    begun, found = {}, []
    for line in lines:
        thread, text = line.split(None, 1)
        text = text.rstrip("\n")
        if text.startswith(("---", "+++")):
            continue
        if text.endswith(" <unfinished ...>"):
            begun[thread] = len(found)
            found.append((thread, text[:-len(" <unfinished ...>")]))
        elif text.startswith("<... "):
            at = begun.pop(thread)
            found[at] = (thread, found[at][1] + re.sub(r"^<\.\.\. \w+ resumed>", "", text))
        else:
            found.append((thread, text))
    return found


def theirs_of(path):
    threads = collections.OrderedDict()
    with open(path, encoding="utf-8") as file:
        for thread, text in joined(file.readlines()):
            threads.setdefault(thread, []).append(Call(re.match(r"\w+", text)[0], text, 0))
    return {thread: with_restarted(calls) for thread, calls in threads.items()}


def with_restarted(calls):
    """A call that signals interrupt has its end behind their handlers."""
    kept, dropped = [], set()
    for at, call in enumerate(calls):
        if at in dropped:
            continue
        end, found = call.line, at
        while " = ? ERESTART" in end:
            rules["an interrupted call is one"] += 1
            if found + 1 < len(calls) and calls[found + 1].name in (call.name, "restart_syscall"):
                found += 1  # by a signal that has no handler
                dropped.add(found)
                end = calls[found].line
                continue
            found = next((i for i in range(found + 1, len(calls))
                          if calls[i].name == "rt_sigreturn"), len(calls))
            again = calls[found + 1] if found + 1 < len(calls) else None
            if found < len(calls) and "EINTR" in calls[found].line:
                end = " = -1 EINTR"
            elif again and again.name in (call.name, "restart_syscall"):
                found += 1
                dropped.add(found)
                end = again.line
            else:
                break
        if end != call.line and end.startswith(call.name):
            call = call._replace(line=end)  # with what it has given back
        result = end.rsplit(" = ", 1)[-1]
        kept.append(call._replace(line=re.sub(r" = \? ERESTART.*", " = " + result, call.line)))
    return kept


def images(calls):
    """The calls of each program that a thread has run.  Where the heap ends is the library's, too."""
    found = [[]]
    for call in calls:
        if call.name == "brk":
            rules["the heap ends elsewhere"] += 1
            continue
        found[-1].append(call)
        if call.name.startswith("execve") and not re.search(r"(=|→) -1", call.line):
            found.append([])
    return found


def is_address(value):
    return isinstance(value, int) and value >= 1 << 20


processes = set()  # that are one another's, by number


def renamed(name):
    """strace calls a handler of three arguments by both names."""
    return "sa_handler" if name == "sa_sigaction" else name


def is_port(value):
    """One that the kernel has chosen."""
    match = re.fullmatch(r"htons\((\d+)\)", value)
    return match and int(match[1]) >= FIRST_CHOSEN_PORT


def number_of(text):
    """The number that a line is; -1: it is none."""
    line = bytes(choice[0] for choice in text.choices)
    return int(line) if re.fullmatch(rb"\d+\n", line) else -1


def is_near(mine, his):
    """Whether the two are the same, or what another run has otherwise."""
    if isinstance(mine, int) and isinstance(his, int) and is_address(mine) and is_address(his):
        rules["an address is another's"] += mine != his
        return True
    if isinstance(mine, str) and mine.startswith("&") and is_address(his):
        rules["a function has a name"] += 1
        return True
    if isinstance(mine, int) and isinstance(his, int) and (mine, his) in processes:
        rules["a process is another's"] += 1
        return True
    if isinstance(mine, int) and isinstance(his, dict):
        return is_near(mine, dict(one for one in his["members"] if isinstance(one, tuple)).get("u64"))
    if isinstance(mine, str) and isinstance(his, str) and is_port(mine) and is_port(his):
        rules["a client's port is another's"] += mine != his
        return True
    if isinstance(mine, system_words.Text) and isinstance(his, system_words.Text) and \
            (number_of(mine), number_of(his)) in processes:
        rules["a process is another's"] += 1
        return True
    if isinstance(mine, dict) and isinstance(his, dict):
        names = {renamed(one[0]): one[1] for one in his["members"] if isinstance(one, tuple)}
        return all(not isinstance(one, tuple) or is_near(one[1], names.get(renamed(one[0]), 0))
                   for one in mine["members"])
    if isinstance(mine, list) and isinstance(his, list) and len(mine) == len(his):
        return all(map(is_near, mine, his))
    if isinstance(mine, tuple) and isinstance(his, tuple) and len(mine) == len(his):
        return all(map(is_near, mine, his))
    return system_words.same(mine, his)


def words_differ(mine, his):
    if mine.name in NEVER or mine.name == "rt_sigreturn" or " = ? " in his.line:
        return []
    if mine.name.startswith("execve") and "→" not in mine.line:
        return []
    if mine.line.endswith("→ ?"):
        return []
    try:
        ours = system_words.parsed(mine.line, False)
        text = re.sub(r" => {parent_tid.*?}", "", his.line)
        if mine.name == "ioctl" and " or " in text:
            rules["a request of devices has several names"] += 1
            number = mine.line.split(", ")[1]
            text = re.sub(r"[A-Z0-9_]+( or [A-Z0-9_]+)+", number, text)
        if mine.name == "sendfile":
            rules["an offset is that of before"] += 1
            text = re.sub(r" => \[\d+\]", "", text)
        theirs = system_words.parsed(text, True)
    except (ValueError, TypeError, IndexError, KeyError) as error:
        return [f"not read: {error!r}"]
    found = [f"{a!r} is {b!r}" for a, b in zip(map(system_words.unpaired, ours[1]),
                                               map(system_words.unpaired, theirs[1]))
             if not is_near(a, b)]
    if mine.name == "epoll_ctl" and "EPOLL_CTL_DEL" in mine.line:
        rules["an event that is not used is not read"] += 1
        found = [one for one in found if not one.startswith("{'members'")]
    if mine.name == "clone":  # strace leaves out what the flags make no use of
        found = [one for one in found if not one.endswith(" is 0")]
    if len(ours[1]) != len(theirs[1]):
        found.append(f"{len(ours[1])} arguments are {len(theirs[1])}")
    if ours[3] != theirs[3] and ours[2] == -1:
        found.append(f"{ours[3]} is {theirs[3]}")
    elif not is_near(ours[2], theirs[2]) and mine.name not in NUMBERS | WAITS:
        found.append(f"result {ours[2]!r} is {theirs[2]!r}")
    return found


def plain(line):
    """LINE with strace's bytes as they are."""
    return re.sub(r"\\x([0-9a-f]{2})", lambda match: chr(int(match[1], 16)), line)


def key_of(call):
    """Its name, and the signal or file if there is one: a program may take many, one after the
    other, and the dynamic linker's first calls have the names of the program's."""
    return re.match(r'\w+(\(SIG\w+|\(AT_FDCWD, "[^"]*)?', plain(call.line))[0]


def first_of(mine, his):
    """Where the calls of HIS are that MINE begins with."""
    names = [key_of(one) for one in his]
    late = max(len(his) - len(mine), 0)
    for count in range(ALIKE_AT_FIRST, 0, -1):
        begin = [key_of(one) for one in mine[:count]]
        for at in sorted(range(len(his)), key=lambda at: abs(at - late)):
            if names[at:at + len(begin)] == begin:
                return at
    return late


def nearest(mine, at, his, other):
    """How many calls of each are to be passed over until some are the same again."""
    def again(skip, skip_other):
        one = [call.name for call in mine[at + skip:at + skip + ALIKE_AGAIN]]
        two = [call.name for call in his[other + skip_other:other + skip_other + ALIKE_AGAIN]]
        return one and one == two

    for both in range(1, FARTHEST):
        for skip in range(both + 1):
            if again(skip, both - skip):
                return skip, both - skip
    return len(mine) - at, len(his) - other


class Judge:
    """Counts what is alike and what is not."""

    def __init__(self):
        self.alike = self.words = self.unexplained = self.of_malloc = 0
        self.children = []
        self.returns = 0

    def blame(self, sign, call):
        self.unexplained += 1
        print(sign, call.line)

    def compare(self, mine, his, is_loaded):
        """The calls of one program in one thread.  If it IS_LOADED by the linker, what is before
        the first is that one's."""
        at, other = 0, first_of(mine, his) if is_loaded else 0
        mine = without_maps(self.without_returns(mine, 1))
        his = without_maps(self.without_returns(his[other:], -1))
        other = 0
        while at < len(mine) and other < len(his):
            of_malloc = is_of_malloc(mine[at]), is_of_malloc(his[other])
            if mine[at].name == his[other].name and of_malloc[0] == of_malloc[1]:
                self.pair(mine[at], his[other])
                at, other = at + 1, other + 1
                continue
            # An area is asked for when the one before is full, which another run has at another
            # call: what is beside it is alike.
            if of_malloc[0] != of_malloc[1]:
                self.lone("+" if of_malloc[0] else "-", mine[at] if of_malloc[0] else his[other])
                at, other = at + of_malloc[0], other + of_malloc[1]
                continue
            skip, skip_other = nearest(mine, at, his, other)
            for call in mine[at:at + skip]:
                self.lone("+", call)
            for call in his[other:other + skip_other]:
                self.lone("-", call)
            at, other = at + skip, other + skip_other
        for call in mine[at:]:
            self.lone("+", call)
        for call in his[other:]:
            self.lone("-", call)

    def without_returns(self, calls, count):
        """When a signal comes is chance: how many have come is compared."""
        kept = [call for call in calls if call.name != "rt_sigreturn"]
        self.returns += count * (len(calls) - len(kept))
        return [call for call, after in zip(kept, kept[1:] + kept[-1:])
                if not is_repeated(call, after)]

    def lone(self, sign, call):
        if call.name == "sysinfo" or (call.name == "getrandom" and " 8, " in call.line):
            rules["libc asks once, and the library has been first"] += 1
        elif call.name in TIMED:
            rules["how often a thread waits is chance"] += 1
        elif is_of_malloc(call) and self.of_malloc < MOST_OF_MALLOC:
            self.of_malloc += 1
            rules["an area of malloc's"] += 1
        elif sign == "+" and re.match(r"\w+\(" + LOG_DESCRIPTOR + r"\b", call.line):
            rules["the descriptor of the log is there, too"] += 1
        else:
            self.blame(sign, call)

    def pair(self, one, other):
        self.alike += 1
        if one.name in BEGINS:
            child, his = result_of(one), result_of(other)
            if child and his:
                self.children.append((child, his))
                processes.add((int(child), int(his)))
        found = words_differ(one, other) if one.name not in TIMED | CHANGES else []
        if found and is_of_malloc(one) and is_of_malloc(other) and \
                self.of_malloc < MOST_OF_MALLOC:
            self.of_malloc += 1
            rules["an area of malloc's"] += 1
        elif found and lists_descriptors(one, other):
            rules["the descriptor of the log is there, too"] += 1
        elif found:
            self.words += 1
            print("words:", one.line, other.line, *found, sep="\n\t")


def is_of_malloc(call):
    """Anonymous memory, or the end of some."""
    return call.name == "munmap" or (call.name == "mmap" and "MAP_ANONYMOUS" in call.line)


def is_repeated(call, after):
    """Whether a signal has ended CALL, and AFTER is the same once more."""
    if call is after or "-1 EINTR" not in call.line or call.name != after.name or \
            call.line.split(",")[0] != after.line.split(",")[0]:
        return False
    rules["a call is made again after a signal"] += 1
    return True


def lists_descriptors(one, other):
    """Of /proc/self/fd, which has one more: its size, and how long its list is."""
    if one.name == "newfstatat" and "S_IFDIR|0500" in one.line:
        sizes = [int(re.search(r"st_size=(\d+)", call.line)[1]) for call in (one, other)]
        return sizes[0] == sizes[1] + 1
    return one.name == "getdents64" and int(result_of(one)) == int(result_of(other)) + 24


def without_maps(calls):
    """How many reads /proc/self/maps takes, and what they give, is another run's."""
    descriptor, kept = None, []
    for call in calls:
        text = plain(call.line)
        if '"/proc/self/maps"' in text:
            descriptor = result_of(call)
        elif descriptor and text.startswith(f"read({descriptor}, "):
            rules["the map of the memory is another's"] += 1
            continue
        elif text.startswith(f"close({descriptor})"):
            descriptor = None
        kept.append(call)
    return kept


def result_of(call):
    """The number that CALL has given back."""
    match = re.search(r"(?:=|→) +([\d']+)$", call.line)
    return match and match[1].replace("'", "")


def compare_threads(judge, ours, theirs):
    """By who has begun whom."""
    judge.children = [(next(iter(ours)), next(iter(theirs)))]
    processes.add((int(next(iter(ours))), int(next(iter(theirs)))))
    compared = set()
    for child, his in judge.children:
        if child not in ours and his not in theirs:
            continue  # it has called nothing
        compared.add(child)
        mine, his = images(ours.get(child, [])), images(theirs.get(his, []))
        if child == next(iter(ours)):
            his = his[-len(mine):]  # the first is strace's own child
        if len(mine) != len(his):
            judge.unexplained += 1
            print(f"{child} runs {len(mine)} programs, not {len(his)}")
        is_loaded = child == next(iter(ours))
        for one, other in zip(mine, his):
            judge.compare(one, other, is_loaded)
            is_loaded = True
    # Of several children that end one SIGCHLD may tell.
    rules["a child's end is told with another's"] += abs(judge.returns)
    if abs(judge.returns) > len(compared) - 1:
        judge.unexplained += 1
        print(f"{judge.returns} returns from handlers more than strace has")
    for child in ours.keys() - compared:
        judge.unexplained += 1
        print(f"nobody has begun {child}: {ours[child][0].line}")


def main():
    judge = Judge()
    compare_threads(judge, ours_of(sys.argv[1]), theirs_of(sys.argv[2]))
    for rule, count in sorted(rules.items()):
        if count:
            print(f"# {count} times: {rule}")
    print(f"{judge.alike} calls alike, {judge.words} with other words, "
          f"{judge.unexplained} without a rule")
    return 1 if judge.unexplained or judge.words else 0


if __name__ == "__main__":
    sys.exit(main())
