#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""report.py - judges a crash report.

  report.py same TEXT JSON       the text says what the JSON says
  report.py schema JSON SCHEMA   the JSON is as the schema has it, strictly
  report.py gdb JSON LOG         gdb saw the same at the same moment
  report.py build-ids JSON       readelf finds the same in the files
  report.py get JSON PATH        print a member: dots between names and indices
"""
import json
import re
import subprocess
import sys


digits = 16  # of an address, in the report that is read


def address(text):
    return f"0x{int(text, 16):0{digits}x}"


def distance(count, past, before):
    unit = "byte" if abs(count) == 1 else "bytes"
    return f"{abs(count)} {unit} {before if count < 0 else past}"


def from_null(past):
    return "NULL" if past == 0 else distance(past, "past NULL", "before NULL")


def quoted(name):
    return '"' + name.replace('"', "\\x22") + '"'


def mapping(m):
    path = " " + m["path"] if m["path"] else ""
    return (f"{address(m['start'])}-{address(m['end'])} {m['permissions']} "
            f"{m['offset']}{path}")


def headline(r):
    signal, access = r["signal"], r.get("access", {})
    line = (f"<whocallme>: {r['name']}: {signal['name']}, {signal['text']}: "
            f"{r['cause']['text']}")
    if "address" in signal:
        line += f", at {address(signal['address'])}"
        if access.get("past_null"):
            line += ", " + from_null(access["past_null"])
    if "sender" in signal and r["cause"]["kind"] != "abort":
        line += f", by process {signal['sender']}"
    return line


def place(a):
    if a["place"] == "near_null":
        return from_null(a["past_null"])
    if a["place"] == "mapped":
        return "in " + mapping(a["mapping"])
    if a["place"] == "guard":
        return (f"in the guard {mapping(a['mapping'])} below "
                f"{mapping(a['above'])}")
    if a["place"] == "gap":
        at, text = int(a["address"], 16), "nothing is mapped here"
        past = at - int(a["below"]["end"], 16) if "below" in a else 1 << 63
        if past < 1 << 63:
            text += ", " + distance(past, "past ", "") + mapping(a["below"])
        before = int(a["above"]["start"], 16) - at if "above" in a else 1 << 63
        if before < 1 << 63:
            text += ", " + distance(before, "before ", "") + mapping(a["above"])
        return text
    return {"not_canonical": "not canonical",
            "unknown": "what is mapped here is unknown"}[a["place"]]


def where(r):
    cause = r["cause"]
    if cause["kind"] != "stack_overflow":
        return place(r["access"])
    size = cause.get("stack_size", 0)
    return ("the stack" + (f" of {(size + 1023) // 1024} KiB" if size else "") +
            " is used up")


def head(r):
    yield headline(r)
    thread = r["thread"]
    yield (f"<whocallme>: process {r['process']}, thread {thread['id']} "
           f"{quoted(thread['name'])}")
    if "descriptor_changed" in r:
        yield (f"<whocallme>: descriptor {r['descriptor_changed']} gets no report: "
               "it is not the file that it was")
    why = {"privileged": "the program is set-user-ID or otherwise privileged",
           "not_dumpable": "the process is not dumpable"}
    if "withheld" in r:
        yield f"<whocallme>: names and offsets only: {why[r['withheld']]}"


def why(r):
    if "access" in r:
        kinds = {"read": "read of", "write": "write to",
                 "execute": "execution of", "unknown": "access to"}
        a = r["access"]
        yield f"{kinds[a['kind']]} {address(a['address'])}: {where(r)}"
    registers = r.get("not_canonical") or r.get("access", {}).get("registers")
    if registers:
        yield "not canonical:" + "".join(
            f" {name} {address(value)}" for name, value in registers.items())


def program(p):
    yield f"program: {p['path']}"
    if "arguments" in p:
        yield "arguments:" + "".join(
            " " + (quoted(a) if a == "" or " " in a or '"' in a else a)
            for a in p["arguments"]) + (
                " (and more)" if p["more_arguments"] else "")


def frame(f):
    line = f"#{f['number']} "
    at = f"{address(f['pc'])} " if "pc" in f else ""
    if f.get("signal"):
        line += "<signal handler called>"
    elif "function" in f:
        cold = " [cold]" if f.get("cold") else ""
        line += f"{at}in {f['function']}{cold}+{f['offset']}"
    else:
        line += f"{at}in ??"
    if "module" in f:
        unloaded = ", unloaded" if f.get("unloaded") else ""
        line += f" ({f['module']}+{f['module_offset']}{unloaded})"
    return line + (" ?" if f.get("guessed") else "")


def stack(s):
    words = {"no_rule": "nothing describes the frame",
             "bad_frame": "the frame contradicts itself",
             "unreadable": "the frame cannot be read",
             "full": "there was no room for more"}
    number = 0
    folds = {fold["first"]: fold for fold in s.get("folds", [])}
    for f in s["frames"]:
        if f["number"] < number:
            continue
        if f["number"] in folds:
            fold = folds[f["number"]]
            number += fold["count"]
            yield folded(fold, {f["number"]: f for f in s["frames"]})
            continue
        if f["number"] != number:
            left_out = f["number"] - number
            assert left_out == s["left_out"]
            yield (f"({left_out} frame{'s' if left_out > 1 else ''} "
                   "left out)")
        number = f["number"] + 1
        yield frame(f)
    if s["stop"] == "none":
        yield "(the stack goes on: out of time)"
    if s["stop"] in words:
        yield "(the stack may go on: "


def folded(fold, frames):
    first, period = fold["first"], fold["period"]
    names = [name_of(frames[first - period + i]) for i in range(min(period, 4))]
    return (f"... {fold['count']} more of {', '.join(names)}" +
            (", ..." if period > 4 else "") +
            (f", in rounds of {period}" if period > 1 else ""))


def name_of(f):
    if f.get("signal"):
        return "<signal handler called>"
    if "function" in f:
        return f["function"] + (" [cold]" if f.get("cold") else "")
    return f["module"] + "+" + f["module_offset"] if "module" in f else f["pc"]


def registers(r):
    yield "registers:"
    cells = [f"{name:<7}{address(value)}" for name, value in r.items()]
    for i in range(0, len(cells), 3):
        yield "  " + "   ".join(cells[i:i + 3])


def code(c):
    data = bytes.fromhex(c["bytes"])
    pc = int(c["pc"], 16) - int(c["start"], 16)
    if not data:
        return "code: none can be read at the pc"
    return "code:" + "".join(f" <{b:02x}>" if i == pc else f" {b:02x}"
                             for i, b in enumerate(data))


def alike(t):
    """What threads of one stack have in common."""
    frames = t.get("stack", {}).get("frames", [])
    return (t["answered"], t.get("blocked"), t.get("stack", {}).get("stop"),
            tuple((f.get("pc"), f.get("interrupted")) for f in frames))


def ids(threads):
    """Rows of ids, six a line."""
    rows = []
    for t in threads:
        if rows and t["id"] == rows[-1][1] + 1 and t["name"] == rows[-1][2]:
            rows[-1][1] = t["id"]
        else:
            rows.append([t["id"], t["id"], t["name"]])
    cells = [(f"{a}" if a == b else f"{a}-{b}") + " " + quoted(name)
             for a, b, name in rows]
    return ",\n  ".join(", ".join(cells[i:i + 6]) for i in range(0, len(cells), 6))


def group(threads):
    t = threads[0]
    silence = " did not answer" + (": has blocked signals"
                                   if t.get("blocked") else "")
    count = f"{len(threads)} threads " if len(threads) > 1 else "thread "
    yield from (count + ids(threads) +
                (":" if t["answered"] else silence)).split("\n")
    if t["answered"]:
        yield from stack(t["stack"])


def groups(threads):
    by_stack = {}
    for t in threads:
        by_stack.setdefault(alike(t), []).append(t)
    for some in by_stack.values():
        yield from group(some)


def module(m):
    return (f"  {address(m['start'])}-{address(m['end'])} bias {m['bias']} "
            f"build-id {m.get('build_id', 'none')} {m['path']}")


def render(r):
    """The text of a report, from its JSON."""
    yield from head(r)
    if "stack" in r:
        yield from stack(r["stack"])
    yield from why(r)
    if "program" in r:
        yield from program(r["program"])
    yield from groups(r.get("threads", []))
    if r.get("threads_listed") is False:
        yield "(the other threads cannot be listed)"
    if "registers" in r:
        yield from registers(r["registers"])
    if "code" in r:
        yield code(r["code"])
    if "modules" in r:
        yield "modules:"
        yield from map(module, r["modules"])
    count = len(r["left_out"])
    if count:
        yield (f"({count} section{'s' if count > 1 else ''} left out: "
               "out of time)")


def unique(pairs):
    members = dict(pairs)
    assert len(members) == len(pairs), f"a member twice: {pairs}"
    return members


def load(path):
    """The report: one line of valid UTF-8, no member twice."""
    text = open(path, "rb").read().decode("utf-8")
    assert text.endswith("\n") and text.count("\n") == 1, "not one line"
    report = json.loads(text, object_pairs_hook=unique)
    global digits
    digits = report["address_bits"] // 4
    return report


def same(text, report):
    seen = open(text, "rb").read().decode("utf-8").split("\n")
    assert seen.pop() == "", "the last line has no end"
    expected = list(render(load(report)))
    for i in range(max(len(seen), len(expected))):
        a = seen[i] if i < len(seen) else None
        b = expected[i] if i < len(expected) else None
        # The words of a stop are the library's.
        if a != b and not (b == "(the stack may go on: " and a and
                           a.startswith(b)):
            sys.exit(f"line {i + 1}\n text: {a}\n JSON: {b}")


def strict(schema):
    """The same schema with members that it does not know forbidden."""
    if isinstance(schema, list):
        return [strict(s) for s in schema]
    if not isinstance(schema, dict):
        return schema
    schema = {key: strict(value) for key, value in schema.items()}
    if schema.get("type") == "object" and "properties" in schema:
        schema["additionalProperties"] = False
    return schema


def validate(report, schema):
    try:
        import jsonschema
    except ImportError:
        print("python3-jsonschema is missing")
        sys.exit(77)
    schema = json.load(open(schema))
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.Draft202012Validator(strict(schema)).validate(load(report))


def check_registers(report, log):
    general = "e[a-z][a-z]" if digits == 8 else r"r\w\w?"
    found = dict(re.findall(rf"^({general}|eflags) +(0x[0-9a-f]+) ", log, re.M))
    assert len(found) == (10 if digits == 8 else 18), found
    for name, value in found.items():
        assert int(report["registers"][name], 16) == int(value, 16), name
    assert report["registers"].keys() == found.keys()


def check_code(report, log):
    code = report["code"]
    data = bytes.fromhex(code["bytes"])
    behind = data[int(code["pc"], 16) - int(code["start"], 16):]
    found = b"".join(
        bytes(int(b, 16) for b in re.findall(r"\t0x(\w\w)\b", line))
        for line in re.findall(r"^0x[0-9a-f]+.*:(\t0x.*)$", log, re.M))
    if not found:
        assert "Cannot access memory" in log and not data
        return
    assert len(found) == 8 and behind[:8] == found, (behind, found)


def check_stack(report, log):
    found = re.findall(
        r"^#(\d+) +(?:(0x[0-9a-f]+) in )?(\S+) \(", log, re.M)
    frames = {f["number"]: f for f in report["stack"]["frames"]}
    assert found and re.sub("^__GI_+", "", found[-1][2]) in (
        "main", "_start", "start_thread", "clone3", "clone"), found
    for number, pc, name in found:
        f = frames[int(number)]
        assert not pc or int(pc, 16) == int(f["pc"], 16), (number, pc, f)
        ours = f.get("function", "??")
        # libc has several names for some of its own.
        assert ours == name or re.sub("^(__GI_)?_*|_impl$", "", name) == \
            re.sub("^_*", "", ours), (ours, name)


def check_modules(report, log):
    modules = {m["path"]: m for m in report["modules"]}
    found = re.findall(r"^(0x\w+) +(0x\w+) +Yes (?:\(\*\))? *(/.*)$", log, re.M)
    assert len(found) >= 2, log
    for lo, hi, path in found:
        check_module(modules[path], int(lo, 16), int(hi, 16))
    others = set(modules) - {path for _, _, path in found}
    assert others == {report["program"]["path"], "[vdso]"}, others


def check_module(m, lo, hi):
    """LO and HI are those of .text or, by newer gdbs, of all pages."""
    start, end, bias = (int(m[key], 16) for key in ("start", "end", "bias"))
    text = section(m["path"], ".text")
    if lo - bias == text:
        assert start <= lo < hi <= end, (m, lo, hi)
    else:
        assert start == lo and 0 <= hi - end < 4096, (m, lo, hi, text)


def section(path, name):
    """The address of a section, in the file's own numbering."""
    table = subprocess.run(["readelf", "-SW", path], check=True, text=True,
                           capture_output=True).stdout
    return int(re.search(rf" {re.escape(name)} +\w+ +(\w+)", table)[1], 16)


def by_gdb(report, log):
    report, log = load(report), open(log, errors="replace").read()
    log = log.split("\n<whocallme>: ")[0]
    check_registers(report, log)
    check_code(report, log)
    check_stack(report, log)
    check_modules(report, log)


def build_ids(report):
    modules = load(report)["modules"]
    assert len(modules) > 2
    for m in modules:
        if m["path"].startswith("["):
            continue
        notes = subprocess.run(["readelf", "-nW", m["path"]], check=True,
                               text=True, capture_output=True).stdout
        found = re.search(r"Build ID: (\w+)", notes)
        assert m.get("build_id") == (found and found[1]), m


def get(report, path):
    value = load(report)
    for name in path.split("."):
        value = value[int(name)] if isinstance(value, list) else value[name]
    print(value if isinstance(value, str) else json.dumps(value))


if __name__ == "__main__":
    commands = {"same": same, "schema": validate, "gdb": by_gdb,
                "build-ids": build_ids, "get": get}
    commands[sys.argv[1]](*sys.argv[2:])
