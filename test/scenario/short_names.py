#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""short_names.py WHOCALLME DIR FILE...: are C++ names short as they should be?

DIR is a recording, which is changed: its program becomes one that calls each function
of the object FILEs once.  What c++filt -i -p prints, which has neither parameters nor the
type that a function returns, has to become what `whocallme report` prints when template
arguments, ABI tags and the parameters of enclosing functions are left out.
"""
import glob
import json
import os
import re
import struct
import subprocess
import sys

STEP = 16
OPERATOR = re.compile(
    r'operator(\(\)|\[\]|->\*?|<=>|<<=|>>=|<<|>>|<=|>=|==|!=|&&|\|\||\+\+|--|'
    r'[-+*/%^&|]=|[-+*/%^&|~!=<>,]|"" ?\w+| new\[\]| new\b| delete\[\]| delete\b|'
    r' co_await\b)(?!\w)')
CONVERSION = re.compile(r"operator ")
WORD = re.compile(r"[\w$]")
QUALIFIERS = re.compile("( const| volatile|&| &)*")
FOR_ANOTHER = re.compile("global (con|de)structors keyed to |TLS .*? function for |"
                         "initializer for module ")
FILES = "_GLOBAL__sub_"  # c++filt knows them without "sub_"
UNKNOWN = ("_Z", "_GLOBAL__")  # to c++filt: the latter with a priority, I.00090_
ANONYMOUS = "(anonymous namespace)"
NO_FUNCTION = re.compile("typeinfo|vtable|VTT|guard variable|construction vtable|"
                         "reference temporary|template parameter|"
                         "transaction clone|_Z")
PAIRS = {")": "(", "}": "{", "]": "[", ">": "<"}


def matched(pattern, name, at):
    if at and WORD.match(name[at - 1]):
        return None
    return pattern.match(name, at)


def group(name, at):
    """Where the bracket that opens at AT ends."""
    opened = []
    while at < len(name):
        operator = matched(OPERATOR, name, at)
        if operator:
            at = operator.end()
            if name[at:at + 1] == "<":
                opened.append("<")
                at += 1
            continue
        character = name[at]
        # Behind a parenthesis it compares.
        if character in "({[" or (character == "<" and
                                  (not opened or name[at - 1] != ")")):
            opened.append(character)
        elif character == ">":
            if opened[-1] == "<":
                opened.pop()
        elif character in ")}]":
            while opened.pop() != PAIRS[character]:
                pass
        at += 1
        if not opened:
            return at
    raise ValueError(name)


def conversion(name, at):
    """Where the operator at AT, and the type that it converts to, end."""
    at += len("operator ")
    while at < len(name) and not re.match(r"\(\)( const)?::", name[at:]):
        at = group(name, at) if name[at] in "<({[" else at + 1
    return at


def untyped(name):
    """NAME without what is in <> or an ABI tag."""
    out, at = "", 0
    while at < len(name):
        if name[at] == "<" or name.startswith("[abi:", at):
            at = group(name, at)
        else:
            out += name[at]
            at += 1
    return out


def short(name):
    kind = FOR_ANOTHER.match(name)
    if kind:
        return kind.group() + short(name[kind.end():])
    name = re.sub(r"( \[clone [^\]]*\])+$", "", name)
    name = re.sub("^(non-virtual |virtual |covariant return )thunk to ", "", name)
    out, at = "", 0
    while at < len(name):
        operator = matched(OPERATOR, name, at)
        start = at
        if operator:
            at = operator.end()
            out += name[start:at]
            at += name.startswith(" <", at)
        elif matched(CONVERSION, name, at):
            at = conversion(name, at)
            out += untyped(name[start:at])
        elif name.startswith(ANONYMOUS, at):
            at += len(ANONYMOUS)
            out += ANONYMOUS
        elif name.startswith("[abi:", at):
            at = group(name, at)
        elif name[at] in "{[":
            at = group(name, at)
            out += name[start:at]
        elif name[at] == "<":
            at = group(name, at)
        elif name[at] == "(":
            at = QUALIFIERS.match(name, group(name, at)).end()
        else:
            out += name[at]
            at += 1
    return out


def output(command, text=None):
    return subprocess.run(command, input=text, stdout=subprocess.PIPE, text=True,
                          stderr=subprocess.DEVNULL, check=False).stdout.splitlines()


def mangled_names(files):
    found = set()
    for file in files:
        for line in output(["nm", file]) + output(["nm", "-D", file]):
            *_, kind, name = [""] * 2 + line.split()
            if kind in list("tTwWi") and name.startswith(("_Z", FILES)):
                found.add(name.split("@")[0])
    return sorted(found)


def record(directory, names):
    """Each of NAMES is a function that is called once."""
    path, = glob.glob(os.path.join(directory, "sid-*.map"))
    with open(path, encoding="utf-8") as file:
        lines = file.read().splitlines()
    base, program = next((line.split("-")[0], line.split()[5]) for line in lines
                         if "/" in line)
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"# one\n{base}-{int(base, 16) + STEP * len(names):x} "
                   f"r-xp 00000000 00:00 0 {program}\n{lines[-1]}\n")
    for old in glob.glob(os.path.join(directory, "*.sym")):
        os.remove(old)
    with open(os.path.join(directory, os.path.basename(program) + ".sym"), "w",
              encoding="utf-8") as file:
        for index, name in enumerate(names):
            file.write(f"{STEP * index:016x} T {name}\n")
    path, = glob.glob(os.path.join(directory, "[0-9]*.dat"))
    with open(path, "wb") as file:
        for index in range(len(names)):
            address = int(base, 16) + STEP * index
            for kind in (0, 1):
                file.write(struct.pack("<QQ", (2 * index + kind + 1) * 10**6,
                                       kind | 5 << 3 | address << 16))


def main():
    whocallme, directory, *files = sys.argv[1:]
    names = mangled_names(files)
    text = "\n".join(names).replace(FILES, FILES[:-4]) + "\n"
    record(directory, names)
    # What is no function, or has a name that c++filt -p alone knows, is passed over.
    wanted = {short(name) for full, name in zip(output(["c++filt", "-i"], text),
                                                output(["c++filt", "-i", "-p"], text))
              if not full.startswith(UNKNOWN) and not NO_FUNCTION.match(name)}
    report = "\n".join(output([whocallme, "report", "--json", directory]))
    printed = {row["name"] for row in json.loads(report)
               if not row["name"].startswith(UNKNOWN)
               and not NO_FUNCTION.match(row["name"])}
    for name in sorted(wanted ^ printed):
        print("not printed:" if name in wanted else "printed:", name)
    print(len(wanted), "names")
    return wanted != printed


if __name__ == "__main__":
    sys.exit(main())
