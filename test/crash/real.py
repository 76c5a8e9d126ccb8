#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""real.py - programs that others wrote, killed in the middle of their work.

Each is Debian's, runs under `whocallme run`, and is sent a signal.  Its report's
stacks must be those that gdb finds in the core file.
"""
import argparse
import glob
import os
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

from judge import cores_are_files
from matrix import limits
from stacks import differences, ours, theirs

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAMS = os.path.join(HERE, "programs")
PATIENCE = 60


class Missing(Exception):
    """What a program needs and is not here."""


def need(*programs):
    for program in programs:
        if not shutil.which(program):
            raise Missing(program + " is missing")


def wait_until(holds, what):
    end = time.monotonic() + PATIENCE
    while not holds():
        if time.monotonic() > end:
            raise AssertionError("waited in vain: " + what)
        time.sleep(0.05)


def children(pid):
    with open("/proc/%d/task/%d/children" % (pid, pid)) as file:
        return [int(child) for child in file.read().split()]


def deaf(pid):
    """The threads that block every signal, and can give no answer."""
    found = set()
    for status in glob.glob("/proc/%d/task/*/status" % pid):
        with open(status) as file:
            blocked = [int(line.split()[1], 16) for line in file
                       if line.startswith("SigBlk:")][0]
        if blocked >> 33 == 0x7fffffff:  # all of SIGRTMIN and above
            found.add(int(status.split("/")[-2]))
    return found


class Session:
    """A program that runs in a folder of its own."""

    def __init__(self, options, name):
        self.options, self.name = options, name
        self.folder = os.path.join(options.work, name)
        os.makedirs(self.folder)
        self.process, self.frames, self.threads = None, 0, 0
        self.deaf = set()

    def at(self, name):
        return os.path.join(self.folder, name)

    def read(self, name):
        if not os.path.exists(self.at(name)):
            return ""
        with open(self.at(name), errors="replace") as file:
            return file.read()

    def write(self, name, text):
        with open(self.at(name), "w") as file:
            file.write(text)
        return self.at(name)

    def wrap(self, command):
        return [self.options.tool, "run", "--file=" + self.at("report.%p"),
                "--", *command]

    def start(self, command):
        with open(self.at("out"), "wb") as out, \
                open(self.at("err"), "wb") as err:
            self.process = subprocess.Popen(
                self.wrap(command), cwd=self.folder, stdout=out, stderr=err,
                stdin=subprocess.DEVNULL, env=dict(os.environ, LC_ALL="C"),
                preexec_fn=limits)

    def finish(self):
        try:
            self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            raise AssertionError("it does not end")
        return self.process.returncode

    def stop(self):
        if self.process and self.process.poll() is None:
            self.process.kill()
            self.process.wait()

    def report(self, pid):
        """The report of a process, from its file or from stderr."""
        return self.read("report.%d" % pid) or self.read("err")

    def core(self):
        cores = glob.glob(self.at("core*"))
        assert cores, "no core file"
        return cores[0]

    def judge(self, pid, program, number):
        """Of the process that died of the signal NUMBER: all of its stacks."""
        name = signal.Signals(number).name
        text = self.report(pid)
        assert ": %s, " % name in text, "no report of %s" % name
        assert "process %d, " % pid in text, "no report of process %d" % pid
        mine, gdbs = ours(text), theirs(program, self.core())
        assert mine, "no stack in the report"
        wrong = []
        for tid in gdbs:
            if tid in self.deaf and re.search(
                    "^thread %d .* did not answer: has blocked signals$" % tid, text, re.M):
                continue
            if tid not in mine:
                wrong.append("thread %d is not in the report" % tid)
                continue
            count, words = differences(mine[tid], gdbs[tid],
                                       tid != next(iter(mine)))
            self.frames += count
            self.threads += 1
            wrong += ["thread %d %s" % (tid, word) for word in words]
        assert not wrong, "; ".join(wrong)
        os.unlink(self.core())

    def kill(self, number=signal.SIGSEGV):
        """Kill the process itself, and judge."""
        pid = self.process.pid
        program = os.readlink("/proc/%d/exe" % pid)
        self.deaf = deaf(pid)
        os.kill(pid, number)
        status = self.finish()
        assert status == -number, "wait status %s, not %s" % (status, -number)
        self.judge(pid, program, number)


def python3(session):
    need("/usr/bin/python3")
    script = session.write("work.py", """
import threading
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)
threading.Thread(target=threading.Event().wait, daemon=True).start()
print("ready", flush=True)
print(sorted(range(10), key=lambda n: fib(n + 40)))
""")
    session.start(["/usr/bin/python3", script])
    wait_until(lambda: "ready" in session.read("out"), "python3")
    time.sleep(0.3)
    session.kill()


def sqlite3(session):
    need("/usr/bin/sqlite3")
    session.start(["/usr/bin/sqlite3", ":memory:",
                   "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 "
                   "FROM n LIMIT 1000000000) SELECT sum(length(hex(i))) FROM n"])
    time.sleep(1)
    session.kill()


def git(session):
    need("/usr/bin/git")
    numbers = [str(number) for number in range(60000)]
    for name in "one", "two":
        random.Random(name).shuffle(numbers)
        session.write(name, "\n".join(numbers))
    session.start(["/usr/bin/git", "--no-pager", "diff", "--no-index",
                   "--minimal", "one", "two"])
    time.sleep(1)
    session.kill()


def redis(session):
    """It has a handler of its own, which reports as well."""
    need("/usr/bin/redis-server")
    session.start(["/usr/bin/redis-server", "--port", "0", "--unixsocket",
                   session.at("socket"), "--save", ""])
    wait_until(lambda: os.path.exists(session.at("socket")), "redis")
    with socket.socket(socket.AF_UNIX) as client:
        client.connect(session.at("socket"))
        client.sendall(b"PING\r\n")
        assert client.recv(100) == b"+PONG\r\n"
        client.sendall(b"EVAL 'while true do end' 0\r\n")
        time.sleep(0.5)
        try:
            session.kill()
        finally:
            out = session.read("out")
    assert "REDIS BUG REPORT" in out, "its own handler has not run"


NGINX = """
worker_processes 2;
user root;
pid %(folder)s/pid;
error_log %(folder)s/error.log;
worker_rlimit_core 1000000000;
working_directory %(folder)s;
events { worker_connections 64; }
http {
	access_log off;
	client_body_temp_path %(folder)s/body;
	proxy_temp_path %(folder)s/proxy;
	fastcgi_temp_path %(folder)s/fastcgi;
	uwsgi_temp_path %(folder)s/uwsgi;
	scgi_temp_path %(folder)s/scgi;
	server { listen unix:%(folder)s/socket; root %(folder)s; }
}
"""


def nginx_get(session):
    with socket.socket(socket.AF_UNIX) as client:
        client.connect(session.at("socket"))
        client.sendall(b"GET /page HTTP/1.0\r\n\r\n")
        return client.recv(100)


def nginx(session):
    """A worker dies and is replaced; then the master dies."""
    need("/usr/sbin/nginx")
    session.write("page", "page\n" * 1000)
    session.start(["/usr/sbin/nginx", "-p", session.folder, "-c",
                   session.write("conf", NGINX % {"folder": session.folder}),
                   "-g", "daemon off;"])
    master = session.process.pid
    wait_until(lambda: os.path.exists(session.at("socket")) and
               len(children(master)) == 2, "nginx")
    assert b"200 OK" in nginx_get(session)
    workers = children(master)
    try:
        os.kill(workers[0], signal.SIGSEGV)
        wait_until(lambda: "exited on signal 11" in session.read("error.log"),
                   "the master's word on its worker")
        session.judge(workers[0], "/usr/sbin/nginx", signal.SIGSEGV)
        wait_until(lambda: len(children(master)) == 2, "another worker")
        assert b"200 OK" in nginx_get(session)
        workers = children(master)
        session.kill()
    finally:
        for worker in workers:
            try:
                os.kill(worker, signal.SIGKILL)
            except ProcessLookupError:
                pass


def same_output(session, command):
    """Under the library, a program says and does what it says without it."""
    plain = subprocess.run(command, cwd=session.folder, capture_output=True,
                           text=True, timeout=PATIENCE)
    session.start(command)
    status = session.finish()
    assert status == plain.returncode, "status %d, not %d" % (
        status, plain.returncode)
    assert session.read("out") == plain.stdout, "its output is another one"
    return plain


def java(session):
    """Its NullPointerExceptions are SIGSEGVs, once they are compiled."""
    need("java", "javac")
    shutil.copy(os.path.join(PROGRAMS, "Nulls.java"), session.folder)
    subprocess.run(["javac", "Nulls.java"], cwd=session.folder, check=True)
    plain = same_output(session, ["java", "-XX:-OmitStackTraceInFastThrow",
                                  "-cp", session.folder, "Nulls"])
    assert plain.stdout.startswith("caught "), plain.stdout
    assert "<whocallme>" not in session.read("err"), "a report"


def go_build(session, name, cgo):
    need("go", "gcc")
    shutil.copy(os.path.join(PROGRAMS, name), session.folder)
    environment = dict(os.environ, CGO_ENABLED=cgo, GO111MODULE="off",
                       GOCACHE=os.path.join(session.options.work, "gocache"))
    subprocess.run(["go", "build", "-o", "program", name], check=True,
                   cwd=session.folder, env=environment)
    return session.at("program")


def go_static(session):
    """Nothing can be preloaded into it, which is said."""
    session.start([go_build(session, "hello.go", "0")])
    status, out = session.finish(), session.read("out")
    assert "static" in session.read("err"), "nobody says that it is static"
    assert (status, out) in [(126, ""), (0, "hello\n")], \
        "status %d, output '%s'" % (status, out)


def go_panics(session):
    """Its panics are SIGSEGVs that are none of ours."""
    program = go_build(session, "cgo.go", "1")
    plain = same_output(session, [program, "panic"])
    assert plain.stdout.startswith("recovered "), plain.stdout
    assert "<whocallme>" not in session.read("err"), "a report"


def go_crashes(session):
    """A fault in C code is handed on to us by Go.  Where C was called Go has
    switched stacks, which nothing describes: gdb goes on with what is none."""
    program = go_build(session, "cgo.go", "1")
    session.start([program, "crash"])
    pid = session.process.pid
    status = session.finish()
    assert status == -signal.SIGSEGV, "wait status %s" % status
    mine = ours(session.report(pid)).get(pid, [])
    gdbs = theirs(program, session.core())[pid]
    names = [frame[2] for frame in gdbs]
    assert "c_dies" in names and "runtime.asmcgocall" in names[2], names[:4]
    assert len(mine) >= 3, "only %d frames" % len(mine)
    session.frames, wrong = differences(mine[:3], gdbs[:3])
    session.threads = 1
    assert not wrong, wrong


ALL = [python3, sqlite3, git, redis, nginx, java, go_static, go_panics,
       go_crashes]


def run(number, scene, options):
    session = Session(options, scene.__name__)
    try:
        scene(session)
    except Missing as reason:
        print("ok %d - %s # SKIP %s" % (number, scene.__name__, reason))
        return True
    except (AssertionError, OSError, subprocess.SubprocessError) as error:
        print("not ok %d - %s" % (number, scene.__name__))
        print("# " + str(error).replace("; ", "\n# "))
        for line in session.read("err").splitlines()[:20]:
            print("#   stderr: " + line)
        return False
    finally:
        session.stop()
    print("ok %d - %s%s" % (
        number, scene.__name__, ": %d frames of %d threads are gdb's" % (
            session.frames, session.threads) if session.threads else ""))
    return True


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tool", required=True)
    parser.add_argument("--only", default="", help="part of a name")
    parser.add_argument("--work", help="keep what is built in this directory")
    options = parser.parse_args()
    reason = cores_are_files()
    if reason:
        print("1..0 # SKIP " + reason)
        return 0
    keep = options.work
    options.work = os.path.abspath(keep or tempfile.mkdtemp())
    os.makedirs(options.work, exist_ok=True)
    scenes = [scene for scene in ALL if options.only in scene.__name__]
    try:
        good = [run(number, scene, options)
                for number, scene in enumerate(scenes, 1)]
    finally:
        if not keep:
            shutil.rmtree(options.work)
    print("1..%d" % len(scenes))
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
