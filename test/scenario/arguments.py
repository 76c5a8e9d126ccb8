# SPDX-License-Identifier: MIT
"""Compares what library functions are given and give back, as ltrace and this library have it.

	arguments.py LTRACE LOG

LTRACE is what ltrace -o wrote, LOG a log with exits of the same program.  Both have the same calls
in the same order.  Each value is put into one form.  What differs is of a kind that is told
below, or fails the test; the last line counts them.
"""
import collections
import glob
import re
import sys

HIDDEN = re.compile(r"__libc_start_main|__cxa_finalize|_dl_|_ITM")
KINDS = collections.Counter()


def ltrace_names():
    """The functions that ltrace has prototypes of; of others it shows a few words of registers."""
    names = set()
    for path in glob.glob("/usr/share/ltrace/*.conf"):
        with open(path, encoding="utf-8", errors="replace") as file:
            names |= set(re.findall(r"([A-Za-z_][A-Za-z_0-9]*)\(", file.read()))
    return names


def split(text, escapes=True):
    """The arguments in TEXT, up to the parenthesis that closes them; and what is behind it.

    ltrace escapes no quotation marks, so that one ends a string only where something follows."""
    parts, depth, quoted, at, begin = [], 0, None, 0, 0
    while at < len(text):
        c = text[at]
        if quoted:
            if c == "\\":
                at += 1
            elif c == quoted and (escapes or re.match(r"[,)\]}]|\.\.\.| <", text[at + 1:])):
                quoted = None
        elif c in "\"'" and not (c == "'" and at and text[at - 1].isdigit()):
            quoted = c
        elif c == ")" and not depth or re.match(" <unfinished| <no return", text[at:]):
            break
        elif c in "([{<":
            depth += 1
        elif c in ")]}>" and depth:
            depth -= 1
        elif c == "," and not depth:
            parts.append(text[begin:at].strip())
            begin = at + 1
        at += 1
    last = text[begin:at].strip()
    return parts + ([last] if last else []), text[at + 1:]


def from_ltrace(path):
    calls, open_calls = [], []
    with open(path, encoding="latin-1") as file:
        for line in file:
            resumed = re.match(r"<\.\.\. (\w+) resumed> .*\) += (.*)$", line)
            begun = re.match(r"(?:\w+->)?([A-Za-z_]\w*)\((.*)$", line)
            if resumed and open_calls:
                calls[open_calls.pop()][2] = resumed[2].strip()
            elif begun and not HIDDEN.match(begun[1]):
                arguments, rest = split(begun[2], False)
                result = re.match(r" *= (.*)$", rest)
                if "<unfinished" in line:
                    open_calls.append(len(calls))
                calls.append([begun[1], arguments, result[1].strip() if result else None])
    return calls


def from_log(path):
    calls, open_calls = [], {}
    with open(path, encoding="latin-1") as file:
        for line in file:
            # Bytes are read one by one: an arrow is three.
            match = re.match(r"(LIB|RET) +\d+ +[\d']+ +(\d+) +&(\w+)(.*)$",
                             line.replace("\xe2\x86\x92", "->"))
            if not match or HIDDEN.match(match[3]):
                continue
            key = match[3], match[2], re.search("&", line).start()
            if match[1] == "LIB":
                known = match[4].startswith("(")
                arguments = split(match[4][1:])[0] if known else None
                open_calls[key] = len(calls)
                times = re.match(r" x(\d+)", match[4])
                for _ in range(int(times[1]) if times else 1):
                    calls.append([match[3], arguments, None])
            elif key in open_calls:
                result = re.search(r" -> (.*), [\d']+ ns$", match[4])
                calls[open_calls.pop(key)][2] = result[1] if result else None
    return calls


def unescaped(text):
    cut = text.endswith("...")
    body = text.rstrip(".")[1:-1]
    body = re.sub(r"\\x([0-9a-fA-F]{2})", lambda m: chr(int(m[1], 16)), body)
    body = re.sub(r"\\([0-7]{1,3})", lambda m: chr(int(m[1], 8)), body)
    for escape, byte in ("n\n", "t\t", "r\r", "a\a", "b\b", "f\f", "v\v", "e\x1b"):
        body = body.replace("\\" + escape, byte)
    return re.sub(r"\\(.)", r"\1", body), cut


def number(text):
    """The number in TEXT, or None."""
    text = text.replace("\\0", "\0")
    if re.fullmatch(r"'.*'", text, re.S):
        return ord(unescaped(text)[0][:1] or "\0")
    if text in ("nil", "NULL"):
        return 0
    plain = text.replace("'", "")
    if re.fullmatch(r"-?(0|[1-9]\d*)", plain):
        return int(plain)
    if re.fullmatch(r"0[0-7]+", plain):
        return int(plain, 8)
    if re.fullmatch(r"0x[0-9a-f]+", plain):
        return int(plain, 16)
    return None


def address(text):
    return re.fullmatch(r"0x[0-9a-f]{6,}", text) or text.startswith("&")


# What the machine has at that moment, not the program.
CHANGING = {"sysconf", "time", "getpid", "clock", "rand"}


def difference(ours, theirs, known):
    """What is to say of two values; "" where they are the same, None where it is not known."""
    if ours[:1] == '"' and theirs[:1] == '"':
        one, other = unescaped(ours), unescaped(theirs)
        same = one[0].startswith(other[0]) or other[0].startswith(one[0])
        return "" if one[0] == other[0] or (same and (one[1] or other[1])) else None
    if address(ours) and (address(theirs) or number(theirs)):
        return ""
    if address(ours) and theirs[:1] in "\"[{&":
        return "ltrace shows what a pointer leads to"
    if ours[:1] == '"' and not known and number(theirs):
        return "ltrace has no prototype"
    if address(ours) and re.fullmatch(r"<.*>|\w+", theirs):
        return "ltrace shows what a pointer leads to"
    one, other = number(ours), number(theirs)
    if one is not None and other is not None:
        if one == other:
            return ""
        if any((one - other) % (1 << bits) == 0 for bits in (8, 16, 32, 64)):
            return "ltrace shows the register, not the type" if not known else \
                "ltrace has another type"
    if one is not None and re.fullmatch(r"[A-Z_][A-Z0-9_|]*|true|false", theirs):
        return "ltrace names a number"
    if one is not None and theirs[:1] in "\"'" and not known:
        return "ltrace has no prototype"
    if re.fullmatch(r"-?[\d.]+(e[+-]?\d+)?", ours) and \
       re.fullmatch(r"-?[\d.]+(e[+-]?\d+)?", theirs):
        return "" if abs(float(ours) - float(theirs)) <= 1e-5 * abs(float(ours)) else None
    return None


def main(ltrace, log):
    known, wrong = ltrace_names(), 0
    theirs, ours = from_ltrace(ltrace), from_log(log)
    if [call[0] for call in ours] != [call[0] for call in theirs]:
        sys.exit(f"other calls: {len(ours)}, ltrace has {len(theirs)}")
    for mine, its in zip(ours, theirs):
        if mine[1] is None:
            KINDS["calls without a prototype here"] += 1
            continue
        pairs = list(zip(mine[1], its[1]))
        if mine[2] and its[2] and its[2] != "<void>":
            pairs.append((mine[2], re.sub(r" <.*", "", its[2])))
        for one, other in pairs:
            if one == "...":
                break
            kind = difference(one, other, mine[0] in known)
            if kind is None and mine[0] in CHANGING:
                kind = "another moment"
            if kind is None:
                print(f"{mine[0]}: {one} is {other}: {mine} {its}")
                wrong += 1
            KINDS[kind if kind else "the same" if kind == "" else "unexplained"] += 1
    print(", ".join(f"{kind}: {count}" for kind, count in KINDS.most_common()))
    sys.exit(wrong > 0)


main(*sys.argv[1:])
