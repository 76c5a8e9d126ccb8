#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""calls.py LOG CALLGRIND [OBJECT] - are the functions of LOG entered as often as callgrind says?

LOG has the plugin's lines, each behind its count if that is not 1; CALLGRIND is an output file of callgrind's of the same run, made
with --compress-strings=no --demangle=no.  Functions of OBJECT, a substring of a path, that
callgrind has seen calls of, and LOG has not, differ, too.  Prints how many are compared.
"""
import collections
import re
import sys


def one_name(name):
    """Complete constructors and destructors are, mostly, other names of the base's."""
    return re.sub(r"([CD])1(E|I)", r"\g<1>2\2", name)


def read_log(path):
    entries = collections.Counter()
    with open(path, errors="replace") as file:
        for count, name in re.findall(r"^(\d*) ?ev=entry fn=(\S+)", file.read(), re.M):
            entries[one_name(name)] += int(count or 1)
    return entries


def read_callgrind(path, wanted):
    calls = collections.Counter()
    place = called_place = callee = ""
    with open(path) as file:
        for line in file:
            key, _, value = line.rstrip("\n").partition("=")
            if key == "ob":
                place = called_place = value
            elif key == "cob":
                called_place = value
            elif key == "cfn":
                callee = one_name(re.sub(r"'\d+$", "", value))
            elif key == "calls":
                if wanted in called_place:
                    calls[callee] += int(value.split()[0])
                called_place = place
    return calls


def main():
    log = read_log(sys.argv[1])
    calls = read_callgrind(sys.argv[2], sys.argv[3] if len(sys.argv) > 3 else "")
    # What the linker and libc bring along is not compiled here, and what tells is not told.
    brought = re.compile(r"_start$|_init$|_fini$|(de)?register_tm_clones|__do_global_dtors_aux|"
                         r"frame_dummy|0x|.*@@?|__inject_|__cyg_|way_to_trace|write_|count$|\(below main\)|"
                         r"__libc_csu|atexit$|__stat|untold$|.*\.cold$")
    differing = 0
    for name in sorted(set(log) | {name for name in calls if not brought.match(name)}):
        if name == "main":  # libc calls it by way of a label
            continue
        if log[name] != calls[name]:
            print(f"{name}: {log[name]} in the log, {calls[name]} by callgrind")
            differing += 1
    print(f"{len(log)} functions, {sum(log.values())} calls, {differing} differ")
    sys.exit(differing != 0 or not log)


main()
