#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""in_log.py - puts the lines of programs into a log, and takes them out of it.

  in_log.py put FORM FILE...    the lines of each FILE, another process's, in turn
  in_log.py take FORM N         what the N-th process has written, of the log on stdin
  in_log.py forms               all forms
"""
import json
import re
import sys

TIME = "2026-11-27T23:%02d:%02d.%03d"


def clock(n):
    """Moments that differ in each digit, a minute's end and a day's among them."""
    return TIME % (58 + n // 50 % 2, n % 60, n * 37 % 1000)


def short(n):
    return "%s %02d:%02d:%02d" % ("Nov 30" if n < 5 else "Dec  1", 23 if n < 5 else 0,
                                  n // 60 % 60, n % 60)


# In front of line n of process p.
FRONT = {
    "journal-short": lambda n, p: f"{short(n)} host app[{12 + p}]: ",
    "journal-iso": lambda n, p: f"2026-11-27T23:04:{n % 60:02}+0100 host app[{12 + p}]: ",
    "journal-precise": lambda n, p: f"{short(n)}.{n:06} host app[{12 + p}]: ",
    "journal-full":
        lambda n, p: f"{'Fri' if n < 9 else 'Sat'} 2026-11-{27 + (n > 8)} 23:04:{n % 60:02} "
                     f"CET host app-{p}.service[{7 + p}]: ",
    "journal-monotonic": lambda n, p: f"[{n * 7:5}.{n:06}] host app[{12 + p}]: ",
    "journal-unix": lambda n, p: f"{1764284686 + n}.{n:06} host app[{12 + p}]: ",
    "docker-t": lambda n, p: f"{clock(n)}{n:06}Z " if p == 0 else f"{clock(n)}{n:06}Z ",
    "compose": lambda n, p: f"web_{p}  | ",
    "compose-colours": lambda n, p: f"\033[3{p + 1}mweb-{p}  | \033[0m",
    "compose-t": lambda n, p: f"web-{p}  | {clock(n)}Z ",
    "cri": lambda n, p: f"{clock(n)}{n:06}Z {['stderr', 'stdout'][p]} F ",
    "cri-offset": lambda n, p: f"{clock(n)}+02:00 {['stderr', 'stdout'][p]} F ",
    "kubectl": lambda n, p: f"[pod/app-7d9f{p}/main] ",
    "kubectl-times": lambda n, p: f"[pod/app-7d9f{p}/main] {clock(n)}Z ",
    "rfc3164": lambda n, p: f"<{13 + p}>{short(n)} host app[{5 + p}]: ",
    "rfc5424": lambda n, p: f"<14>1 {clock(n)}Z host app {31 + p} - - ",
    "indent": lambda n, p: ["    ", "  > "][p],
    "tab": lambda n, p: ["\t", "> \t"][p],
    "diff": lambda n, p: ["+", "-"][p],
    "verbose": lambda n, p: ["    MESSAGE=", "    OTHER="][p],
    "github": lambda n, p: f"{['build', 'test'][p]}\tRun make\t{clock(n)}{n:04}Z ",
    "control": lambda n, p: f"\x01{'ab'[p]} \x01: ",
    "name": lambda n, p: f"[worker {p}] ",
    "python": lambda n, p: f"2026-11-27 23:04:{n % 60:02},{n:03} ERROR worker-{p}: ",
    "uptime": lambda n, p: f"{n * 3}.{n:03} app{p}: ",
    "buildkit": lambda n, p: f"#{12 + p} {n // 9}.{n * 37 % 1000:03} ",
    "slashes": lambda n, p: f"2026/11/27 23:04:{n % 60:02} [app{p}] ",
}


def cut(line, n, p, end):
    """CRI and docker cut what is too long."""
    size = 11 if len(line) < 4000 else 4000
    parts = [line[i:i + size] for i in range(0, len(line), size)] or [""]
    for i, part in enumerate(parts):
        yield end(part, i == len(parts) - 1)


def cri_part(line, n, p):
    name = ["stderr", "stdout"][p]
    return cut(line, n, p, lambda part, last:
               f"{clock(n)}Z {name} {'F' if last else 'P'} {part}")


def docker(line, n, p, newline="\n"):
    return json.dumps({"log": line + newline, "stream": ["stderr", "stdout"][p],
                       "time": clock(n) + "Z"}, separators=(",", ":"))


def docker_part(line, n, p):
    return cut(line, n, p, lambda part, last: docker(part, n, p, "\n" if last else ""))


def journal_json(line, n, p):
    return json.dumps({"__CURSOR": f"s=1;i={n:x}", "_PID": str(12 + p), "MESSAGE": line,
                       "__REALTIME_TIMESTAMP": str(1764284686000000 + n)})


def fluentd(line, n, p):
    return f"{clock(n)}+00:00\tdocker.app\t" + json.dumps(
        {"container_id": str(12 + p), "line": line})


def fluentd_stdout(line, n, p):
    return f"{clock(n)} +0000 kube.app: " + json.dumps(
        {"stream": ["stderr", "stdout"][p], "log": line})


def cri_docker(line, n, p):
    return f"{clock(n)}Z {['stderr', 'stdout'][p]} F " + docker(line, n, p)


FORMS = {name: (lambda line, n, p, front=front: [front(n, p) + line])
         for name, front in FRONT.items()}
FORMS["crlf"] = lambda line, n, p: [FRONT["journal-short"](n, p) + line + "\r"]
FORMS["tabs"] = lambda line, n, p: [FRONT["rfc3164"](n, p) + line.replace("\t", "#011")]
FORMS["cri-part"] = cri_part
FORMS["docker"] = lambda line, n, p: [docker(line, n, p)]
FORMS["docker-part"] = docker_part
FORMS["fluentd"] = lambda line, n, p: [fluentd(line, n, p)]
FORMS["fluentd-stdout"] = lambda line, n, p: [fluentd_stdout(line, n, p)]
FORMS["cri-docker"] = lambda line, n, p: [cri_docker(line, n, p)]
FORMS["journal-json"] = lambda line, n, p: [journal_json(line, n, p)]


def put(form, files):
    texts = [open(file, errors="surrogateescape").read().splitlines() for file in files]
    n = 0
    while any(texts):
        for p, text in enumerate(texts):
            some, text[:] = text[:1 + n % 3], text[1 + n % 3:]
            for line in some:
                sys.stdout.write("".join(made + "\n" for made in FORMS[form](line, n, p)))
                n += 1


def unwrapped(line, p):
    """(text, whether it goes on) of a wrapped line of process P; None of another."""
    made = json.loads(line[line.index("{"):])
    if "line" in made:
        return (made["line"], False) if made["container_id"] == str(12 + p) else None
    if "MESSAGE" in made:
        return (made["MESSAGE"], False) if made["_PID"] == str(12 + p) else None
    if made["stream"] != ["stderr", "stdout"][p]:
        return None
    return made["log"].rstrip("\n"), "time" in made and not made["log"].endswith("\n")


def take(form, p):
    part = ""
    for line in sys.stdin.read().splitlines():
        if form in ("docker", "docker-part", "journal-json", "fluentd", "fluentd-stdout",
                    "cri-docker"):
            text = unwrapped(line, p)
            if text is None:
                continue
            text, goes_on = text
        else:
            text, goes_on = plain(form, p, line), False
            if text is None:
                continue
            if form == "cri-part":
                goes_on, text = text
        part += text
        if not goes_on:
            print(part.rstrip("\r").replace("#011", "\t"))
            part = ""


def plain(form, p, line):
    if form == "cri-part":
        found = re.match(r"\S+ (stderr|stdout) ([FP]) (.*)$", line)
        if found.group(1) != ["stderr", "stdout"][p]:
            return None
        return found.group(2) == "P", found.group(3)
    name = {"crlf": "journal-short", "tabs": "rfc3164"}.get(form, form)
    colours = re.compile(r"\033\[[0-9;]*m")
    line = colours.sub("", line)
    for n in range(2000):
        front = colours.sub("", FRONT[name](n, p))
        if line.startswith(front):
            return line[len(front):]
    return None


if __name__ == "__main__":
    if sys.argv[1] == "forms":
        print(*FORMS)
    elif sys.argv[1] == "put":
        put(sys.argv[2], sys.argv[3:])
    else:
        take(sys.argv[2], int(sys.argv[3]))
