# SPDX-License-Identifier: MIT
"""Compare the words of system calls with strace's.

    system_words.py WORDS STRACE

STRACE is what `strace -xx -s 32 -o STRACE` wrote of the program that wrote WORDS.  Both are
taken apart into the same values.  A difference of form has a rule here, which is counted; any
other difference is printed, and fails.
"""
import collections
import re
import sys

LOW = (" ☺☻♥♦♣♠•◘○◙♂♀♪♫☼"
       "►◄↕‼¶§▬↨↑↓→←∟↔▲▼")
ESCAPES = {"a": 7, "b": 8, "t": 9, "n": 10, "v": 11, "f": 12, "r": 13}
MARK = "close(-1000)"
ALIASES = {"RLIM64_INFINITY": "RLIM_INFINITY", "WSTOPPED": "WUNTRACED"}
rules = collections.Counter()


class Text:
    """A string: bytes, of which some may be one of several, and whether it is cut."""

    def __init__(self, choices, is_cut):
        self.choices, self.is_cut = choices, is_cut

    def __repr__(self):
        return repr(self.choices) + ("..." if self.is_cut else "")


def screen_bytes(character):
    """What shows as CHARACTER on a screen with the characters of code page 437."""
    found = [byte for byte in range(32) if LOW[byte] == character]
    if character == "⌂":
        found.append(0x7f)
    try:
        byte = character.encode("cp437")
        if byte[0] >= 0x20:
            found.append(byte[0])
    except UnicodeEncodeError:
        pass
    if character == "\u00a0":
        found.append(0xff)
    return found


class Parser:
    """Reads a value at a position of a line."""

    def __init__(self, line):
        self.line, self.at = line, 0

    def looks_at(self, text):
        return self.line.startswith(text, self.at)

    def take(self, text):
        if not self.looks_at(text):
            raise ValueError(f"no {text!r} at {self.line[self.at:]!r}")
        self.at += len(text)

    def skip(self, text):
        if self.looks_at(text):
            self.at += len(text)
            return True
        return False

    def comments(self):
        self.at = re.compile(r"( */\*.*?\*/)*").match(self.line, self.at).end()

    def text(self):
        is_screen = self.skip("u")
        choices = []
        self.take('"')
        while not self.skip('"'):
            if self.skip("\\"):
                choices.append([self.escape()])
            else:
                character = self.line[self.at]
                self.at += 1
                if is_screen:
                    choices.append(screen_bytes(character))
                else:
                    choices += [[byte] for byte in character.encode()]
        if is_screen:
            rules["data that is no text is u\"...\""] += 1
        return Text(choices, self.skip("..."))

    def escape(self):
        match = re.compile(r"x([0-9a-f]{2})|([0-7]{3})|(.)").match(self.line, self.at)
        self.at = match.end()
        if match[1]:
            return int(match[1], 16)
        if match[2]:
            return int(match[2], 8)
        return ESCAPES.get(match[3], ord(match[3]))

    def several(self, end, separators):
        """Values up to END; a member of a struct is a pair."""
        values = []
        while not self.skip(end):
            begin = self.at
            if self.skip("..."):
                values.append("...")
            else:
                values.append(self.member())
            for separator in separators:
                if self.skip(separator):
                    break
            if self.at == begin:
                raise ValueError(f"no {end!r} at {self.line[begin:]!r}")
        return values

    def member(self):
        match = re.compile(r"[a-z_0-9]+=(?!=)").match(self.line, self.at)
        if match:
            self.at = match.end()
            return (match[0][:-1], self.value())
        return self.value()

    def value(self):
        value = self.one()
        self.comments()
        while self.skip(" => "):
            later = self.one()
            value = value if isinstance(later, dict) else later
        return value

    def one(self):
        self.comments()
        if self.looks_at('"') or self.looks_at('u"') or self.looks_at('@"'):
            if self.skip("@"):
                return ("abstract", self.text())
            return self.text()
        if self.skip("~["):
            return ("not", self.several("]", (" ",)))
        if self.skip("["):
            return self.several("]", (", ", " "))
        if self.skip("{"):
            if self.looks_at("WIF"):
                start = self.at
                self.at = self.line.index("}", start) + 1
                return self.line[start:self.at - 1]
            return {"members": self.several("}", (", ",))}
        return self.atom()

    def atom(self):
        start, depth = self.at, 0
        while self.at < len(self.line):
            character = self.line[self.at]
            if depth == 0 and character in ",)]} ":
                break
            if character == '"':
                self.text()
                continue
            depth += (character == "(") - (character == ")")
            self.at += 1
        return number_or_names(self.line[start:self.at])


def named(word):
    """A name as it is here, where there are two."""
    if word in ALIASES:
        rules["a number has two names"] += 1
    return ALIASES.get(word, word)


def number_or_names(word):
    word = word.replace("'", "")
    word = re.sub(r"\\x([0-9a-f]{2})", lambda found: chr(int(found[1], 16)), word)
    if re.fullmatch(r"-?\d+(\*\d+)+", word):
        rules["a product is one number"] += 1
        return eval(word)  # pylint: disable=eval-used
    match = re.fullmatch(r"(-?)(0x[0-9a-f]+|[0-9]+)", word)
    if match:
        digits = match[2]
        base = 16 if digits.startswith("0x") else 8 if re.fullmatch(r"0[0-7]+", digits) else 10
        return int(match[1] + digits, base)
    if word == "NULL":
        return 0
    if "|" in word and "(" not in word:
        return frozenset(number_or_names(part) for part in word.split("|"))
    return named(word)


def parsed(line, is_theirs):
    """(name, arguments, result, what is behind it)"""
    name = re.match(r"\w+", line)[0]
    parser = Parser(line)
    parser.take(name + "(")
    arguments = parser.several(")", (", ",))
    if is_theirs:
        parser.at = re.compile(r" *= ").match(line, parser.at).end()
        if arguments and name == "clone":
            arguments = clone_arguments(arguments)
    else:
        parser.take(" → ")
    if parser.skip("? ERESTART"):
        rules["a call that is to be restarted has been interrupted"] += 1
        return name, arguments, -1, "EINTR"
    result = parser.one()
    behind = line[parser.at:]
    if result == -1:
        behind = re.match(r" (\w+)", behind)[1]
    elif is_theirs:
        if name == "time":
            behind = ""
        behind = re.sub(r" \((?:flags|seals) (.*)\)", r" (\1)", behind)
        behind = re.sub(r" \(Timeout\)|, left \{.*\}\)|\(left \{.*\}\)",
                        lambda found: ")" if found[0].startswith(",") else "", behind).strip()
    return name, arguments, result, bits(behind.strip())


def bits(behind):
    """(A|B) in any order."""
    return "|".join(sorted(behind[1:-1].split("|"))).join("()") \
        if re.fullmatch(r"\([A-Z_|]+\)", behind) else behind


def clone_arguments(arguments):
    """strace names them, and leaves out those that the flags make no use of."""
    rules["strace names the arguments of clone()"] += 1
    named = dict(arguments)
    return [named["flags"], named["child_stack"], named.get("parent_tid", 0),
            named.get("child_tidptr", 0), named.get("tls", 0)]


def unpaired(value):
    return value[1] if isinstance(value, tuple) and value[0] not in ("not", "abstract") else value


def same_members(ours, theirs):
    """A struct may have fewer members here; "..." says so."""
    mine, other = ours["members"], theirs["members"]
    if "..." in mine:
        rules["fewer members of a struct are shown"] += 1
    elif len(mine) != len([one for one in other if one != "..."]):
        return False
    names = {one[0]: one[1] for one in other if isinstance(one, tuple)}
    for one in mine:
        if one == "...":
            continue
        if not isinstance(one, tuple):
            if one not in other:
                return False
        elif one[0] not in names or not same(one[1], names[one[0]]):
            return False
    return True


def same_text(ours, theirs):
    return ours.is_cut == theirs.is_cut and len(ours.choices) == len(theirs.choices) and all(
        set(mine) & set(other) for mine, other in zip(ours.choices, theirs.choices))


def are_newer(ours, theirs):
    """Bits that this strace has no names for yet are one number."""
    if not isinstance(ours, frozenset) or not isinstance(theirs, frozenset):
        return False
    numbers = [bits for bits in theirs if isinstance(bits, int)]
    return (len(numbers) == 1 and theirs - set(numbers) < ours and
            bin(numbers[0]).count("1") == len(ours - theirs))


def same(ours, theirs):
    if are_newer(ours, theirs):
        rules["bits are newer than strace"] += 1
        return True
    if isinstance(ours, int) and isinstance(theirs, dict) and len(theirs["members"]) == 2:
        rules["a union is one number"] += 1
        return dict(theirs["members"]).get("u64") == ours
    if isinstance(ours, int) and str(theirs).endswith("_MAGIC"):
        rules["a file system's type is a number"] += 1
        return True
    if isinstance(ours, int) and ours > 0 and theirs == {"members": [("msg_namelen", 0)]}:
        rules["a message that has not come is an address"] += 1
        return True
    if ours == "&handler" and isinstance(theirs, int):
        rules["a function is its name"] += 1
        return True
    if isinstance(ours, int) and str(theirs).startswith("_IOC("):
        rules["the code of a device without a name is a number"] += 1
        way, kind, number, size = theirs[5:-1].split(", ")
        return ours == (int(size, 0) << 16 | int(kind, 0) << 8 | int(number, 0) |
                        ("_IOC_NONE", "_IOC_WRITE", "_IOC_READ").index(way) << 30)
    if isinstance(ours, Text) and isinstance(theirs, Text):
        return same_text(ours, theirs)
    if isinstance(ours, dict) and isinstance(theirs, dict):
        return same_members(ours, theirs)
    if isinstance(ours, list) and isinstance(theirs, list):
        return len(ours) == len(theirs) and all(map(same, ours, theirs))
    if isinstance(ours, tuple) and isinstance(theirs, tuple):
        return len(ours) == len(theirs) and all(map(same, ours, theirs))
    return ours == theirs


def differences(ours, theirs):
    name, arguments, result, behind = ours
    other, their_arguments, their_result, their_behind = theirs
    if name == "mincore" and result == 0 and isinstance(their_arguments[2], list):
        rules["what mincore() gives is an address"] += 1
        their_arguments[2] = arguments[2]
    if name != other:
        return [f"{name} is {other}"]
    if result == -1 and name == "getsockopt":
        rules["where nothing was put there is an address"] += 1
        their_arguments[4] = arguments[4]
    found = [f"argument {at}: {mine!r} is {his!r}"
             for at, (mine, his) in enumerate(zip(map(unpaired, arguments),
                                                  map(unpaired, their_arguments)))
             if not same(mine, his)]
    if len(arguments) != len(their_arguments):
        found.append(f"{len(arguments)} arguments are {len(their_arguments)}")
    if behind != their_behind and re.fullmatch(r"\(\w+\)", their_behind):
        rules["a result is a number, or a name"] += 1
        if isinstance(result, str):
            their_result = their_behind[1:-1]
        their_behind = ""
    if not same(result, their_result) or behind != their_behind:
        found.append(f"result {result!r} {behind!r} is {their_result!r} {their_behind!r}")
    return found


def theirs_of(path):
    with open(path, encoding="utf-8") as file:
        lines = file.read().splitlines()
    # Each call has a mark before it; others are the library's own.
    lines = [line for line in lines if not line.startswith("--- ")]
    return [his for mark, his in zip(lines, lines[1:]) if mark.startswith(MARK)]


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        ours = file.read().splitlines()
    theirs = theirs_of(sys.argv[2])
    unexplained = 0
    for mine, his in zip(ours, theirs):
        try:
            found = differences(parsed(mine, False), parsed(his, True))
        except (ValueError, TypeError, IndexError, KeyError) as error:
            found = [f"not read: {error!r}"]
        if found:
            unexplained += 1
            print(mine, his, *found, "", sep="\n")
    if len(ours) != len(theirs):
        unexplained += 1
        print(f"{len(ours)} calls are {len(theirs)}")
    for rule, count in sorted(rules.items()):
        print(f"# {count} times: {rule}")
    print(f"{len(ours)} calls of {len({line.split('(')[0] for line in ours})} names, "
          f"{unexplained} differences without a rule")
    return 1 if unexplained else 0


if __name__ == "__main__":
    sys.exit(main())
