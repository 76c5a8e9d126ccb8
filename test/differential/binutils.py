# SPDX-License-Identifier: MIT
"""binutils.py - the functions of ELF files as nm and readelf have them.

The rules of <whocallme/functions.h> and load/objects/build_table.h - what is a function,
which of several names is the best, where one ends - applied a second time.
"""

import bisect
import collections
import os
import re
import subprocess
import tempfile

CODE_CLASSES = frozenset("TtWwiuVv")
DEBUG_DIR = "/usr/lib/debug"

Symbol = collections.namedtuple("Symbol", "section value size rank name")
File = collections.namedtuple("File", "relocatable build_id sections tables")
Section = collections.namedtuple("Section", "name address size code alloc")


def run(command, stdin=None):
    done = subprocess.run(command, input=stdin, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, env=ENVIRONMENT, text=True,
                          errors="surrogateescape")
    return done.returncode, done.stdout, done.stderr


ENVIRONMENT = dict(os.environ, LC_ALL="C", DEBUGINFOD_URLS="")


# What each program says


def by_file(text, paths, header):
    """Cut TEXT at the lines that HEADER makes of PATHS, in their order."""
    lines = text.split("\n")
    if len(paths) == 1 and header(paths[0]) not in lines:
        return {paths[0]: lines}
    parts, at, headers = {}, None, {header(path): path for path in paths}
    for line in lines:
        path = headers.get(line)
        if path is not None and path not in parts:
            at = parts[path] = []
        elif at is not None:
            at.append(line)
    return parts


def cut_version(name):
    """The documented cut: at the first @ that is not the first byte."""
    at = name.find("@")
    return name[:at] if at > 0 else name


def nm_functions(lines, code_sections):
    """(address, name) of what nm -f sysv calls a function."""
    found = set()
    for line in lines:
        field = line.rsplit("|", 6)
        if len(field) != 7 or not field[1].strip():
            continue
        name, value, letter, kind, _, _, section = field
        name, letter, kind = name.rstrip(" "), letter.strip(), kind.strip()
        if not section:  # a stub that --synthetic made up
            continue
        typed = kind == "FUNC" or letter == "i"
        # Of static libraries of i386 the assembler keeps labels of its own, for tables.
        label = kind == "NOTYPE" and section in code_sections and not LABEL.match(name)
        if letter in CODE_CLASSES and (typed or label):
            found.add((int(value, 16), cut_version(name)))
    return found


def nm_stubs(lines):
    """(address, name) of the PLT stubs that nm --synthetic makes up."""
    found = set()
    for line in lines:
        field = line.rsplit("|", 6)
        if len(field) == 7 and field[0].rstrip().endswith("@plt") \
                and field[1].strip() and not field[6]:
            found.add((int(field[1], 16), field[0].rstrip(" ")))
    return found


SECTION = re.compile(r" +\[ *(\d+)\] (.*?) +(\S+) +([0-9a-f]{8,16}) [0-9a-f]{6,}"
                     r" ([0-9a-f]{6,}) [0-9a-f]{2,} +([A-Za-z]*) ")
BIND_RANK = {"GLOBAL": 0, "UNIQUE": 0, "WEAK": 4}
LOCAL_RANK, UNSIZED_RANK, UNTYPED_RANK, PLT_RANK = 8, 2, 1, 16
LABEL = re.compile(r"\$[adtx](\.|$)|\.L")


def wanted(line, sections):
    """The Symbol that readelf's LINE is, or None where it is no function."""
    field = line.split(None, 7)
    if len(field) != 8 or field[3] not in ("FUNC", "IFUNC", "NOTYPE"):
        return None
    kind, bind, index, name = field[3], field[4], field[6], field[7]
    section = sections.get(int(index)) if index.isdigit() else None
    if section is None or index == "0":
        return None
    untyped = kind == "NOTYPE"
    if untyped and (not section.code or LABEL.match(name)):
        return None
    size = int(field[2], 0)
    rank = BIND_RANK.get(bind, LOCAL_RANK) | (0 if size else UNSIZED_RANK) | \
        (UNTYPED_RANK if untyped else 0)
    return Symbol(int(index), int(field[1], 16), size, rank, cut_version(name))


def readelf_file(lines):
    sections, tables, table = {}, {}, None
    relocatable, build_id = False, None
    for line in lines:
        if line.startswith("Symbol table '"):
            table = tables.setdefault(line.split("'")[1], [])
        elif line.startswith(("Section Headers:", "Displaying notes")):
            table = None
        elif table is not None:
            symbol = wanted(line, sections)
            if symbol:
                table.append(symbol)
        elif line.startswith("  ["):
            match = SECTION.match(line)
            if match:
                number, name, kind, address, size, flags = match.groups()
                sections[int(number)] = Section(name, int(address, 16),
                                                int(size, 16), "X" in flags,
                                                "A" in flags)
        elif line.startswith("  Type: "):
            relocatable = line.split()[1] == "REL"
        elif "Build ID: " in line:
            build_id = line.split("Build ID: ")[1].strip()
    return File(relocatable, build_id, sections, tables)


READELF = ["readelf", "-W", "-h", "-S", "-n", "-s"]


def read_debug_file(build_id):
    """The separate debug file's symbols, if the machine has it."""
    if not build_id or len(build_id) < 6:
        return None
    path = f"{DEBUG_DIR}/.build-id/{build_id[:2]}/{build_id[2:]}.debug"
    if not os.path.exists(path):
        return None
    return readelf_file(run(READELF + [path])[1].split("\n"))


def read_mini_debug(elf, path):
    """The symbols that the file at PATH, ELF, carries compressed (MiniDebugInfo), by its own
    section numbers."""
    if not any(s.name == ".gnu_debugdata" for s in elf.sections.values()):
        return []
    with tempfile.TemporaryDirectory() as folder:
        packed, plain = folder + "/packed.xz", folder + "/plain"
        run(["objcopy", "-O", "binary", "--only-section=.gnu_debugdata",
             "--set-section-flags", ".gnu_debugdata=alloc", path, packed])
        run(["xz", "-d", "-k", packed])
        os.replace(folder + "/packed", plain)
        mini = readelf_file(run(READELF + [plain])[1].split("\n"))
    numbers = {s.name: number for number, s in elf.sections.items()}
    return [symbol._replace(section=numbers[mini.sections[symbol.section].name])
            for symbol in mini.tables.get(".symtab", [])]


# The rules, a second time


def name_key(symbol):
    name = symbol.name.encode(errors="surrogateescape")
    return symbol.rank, len(name) - len(name.lstrip(b"_")), name


class Rules:
    """What the documented rules make of one file's symbols."""

    def __init__(self, elf, stubs, path):
        self.source = elf
        self.is_packed = False  # which addr2line does not read
        symbols = elf.tables.get(".symtab")
        if not symbols:
            debug = read_debug_file(elf.build_id)
            symbols = debug.tables.get(".symtab") if debug else None
            if symbols:
                self.source = debug
            else:
                symbols = read_mini_debug(elf, path)
                self.is_packed = bool(symbols)
        known = {(symbol.value, symbol.name) for symbol in symbols or []}
        # addr2line reads these where there are no others.
        exported = [symbol for symbol in elf.tables.get(".dynsym", [])
                    if (symbol.value, symbol.name) not in known]
        self.exported = set(exported if known else [])
        self.symbols = list(symbols or []) + exported
        self.symbols += [stub for stub in map(self.stub_symbol, stubs) if stub]
        places = collections.defaultdict(list)
        for symbol in self.symbols:
            places[(symbol.section if elf.relocatable else 0,
                    symbol.value)].append(symbol)
        self.places = places
        self.best = {place: min(group, key=name_key)
                     for place, group in places.items()}
        self.has_dwarf = any(".debug_info" == s.name
                             for s in self.source.sections.values())
        self.lay_ranges()

    def stub_symbol(self, stub):
        address, name = stub
        for number, section in self.source.sections.items():
            if section.code and 0 <= address - section.address < section.size:
                return Symbol(number, address, 0, PLT_RANK | UNSIZED_RANK, name)
        return None

    def lay_ranges(self):
        """Sorted (start, end) of the functions; labels inside one have none."""
        self.starts, self.ends, self.owner, self.reach = [], [], [], []
        starts = sorted(self.best)
        reach = 0
        for at, place in enumerate(starts):
            symbol = self.best[place]
            end = symbol.value + symbol.size
            if not symbol.size:
                if reach > symbol.value and not self.source.relocatable:
                    continue
                section = self.source.sections[symbol.section]
                end = section.address + section.size
                if at + 1 < len(starts):
                    end = min(end, self.best[starts[at + 1]].value)
            if end <= symbol.value:
                continue
            reach = max(reach, end)
            self.starts.append(symbol.value)
            self.ends.append(end)
            self.owner.append(symbol)
            self.reach.append(reach)

    def holder(self, address):
        """The function that starts last of those that hold ADDRESS."""
        at = bisect.bisect_right(self.starts, address) - 1
        while at >= 0 and self.reach[at] > address:
            if self.ends[at] > address:
                return self.owner[at]
            at -= 1
        return None

    def listed(self, every):
        symbols = self.symbols if every else self.best.values()
        return collections.Counter((s.value, s.size, s.name) for s in symbols)


SUFFIXES = re.compile(r"(?<=.)(\.(cold|constprop|isra|part|lto_priv)(\.\d+)*)+$")
COLD = re.compile(r"(?<=.)\.cold(\..*)?$", re.S)


def shown(symbol, address):
    """How --address prints SYMBOL."""
    if not symbol:
        return "??"
    name = symbol.name
    if COLD.search(name):
        name = COLD.sub("", name) + " [cold]"
    return f"{name}+0x{address - symbol.value:x}"
