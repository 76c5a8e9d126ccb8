# SPDX-License-Identifier: MIT
"""agent.py PID COMMAND [WORD...] - what others do at the bell of a process's agent."""
import array
import ctypes
import errno
import os
import random
import signal
import socket
import struct
import sys
import time

WORDS = [word.encode() for word in sys.argv[3:]]


def rope(pid):
    """The path of the pipe that clients write to."""
    for task in os.listdir("/proc/%d/task" % pid):
        with open("/proc/%d/task/%s/comm" % (pid, task)) as name:
            if name.read() == "wcm-bell\n":
                return "/proc/%d/task/%s/fd/1" % (pid, task)
    raise OSError("no bell")


def at_rope(pid, use):
    """What USE makes of the pipe, which is another one after each ring."""
    for turn in range(1000):
        try:
            return use(os.open(rope(pid), os.O_WRONLY | os.O_NONBLOCK))
        except OSError as error:
            if error.errno not in (errno.EPIPE, errno.ENOENT, errno.ENXIO):
                raise
            time.sleep(0.001)
    raise OSError(errno.ETIMEDOUT, "no pipe")


def write(pid, data):
    def write_and_close(pipe):
        try:
            return os.write(pipe, data)
        finally:
            os.close(pipe)

    return at_rope(pid, write_and_close)


def ring(pid, name, token):
    write(pid, b"wcm-ring" + struct.pack("=Q", name) + token)


class Client:
    """One that is asked to ring again does."""

    def __init__(self, connection, pid, name, token):
        self.connection, self.ring = connection, lambda: ring(pid, name, token)
        self.names = (name, token)

    def __getattr__(self, name):
        return getattr(self.connection, name)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def send(self, packet):
        return self.sendmsg([packet])

    def sendmsg(self, parts, *more):
        return self.connection.sendmsg([self.names[1]] + parts, *more)

    def recvmsg(self, *sizes):
        for turn in range(200):
            self.settimeout(0.25)
            try:
                packet = self.connection.recvmsg(*sizes)
                if packet[0] != b"?":
                    return packet
            except TimeoutError:
                pass
            try:
                self.ring()
            except OSError:  # an answer may have come before
                pass
        raise OSError(errno.ETIMEDOUT, "no answer")

    def recv(self, size):
        return self.recvmsg(size)[0]


def listen(name):
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    listening.settimeout(5)
    listening.bind("\0whocallme-client/%016x" % name)
    listening.listen(5)
    return listening


def connect(pid):
    name, token = random.getrandbits(64), os.urandom(16)
    with listen(name) as listening:
        listening.settimeout(0.25)
        for turn in range(40):
            ring(pid, name, token)
            try:
                connection, _ = listening.accept()
                break
            except TimeoutError:
                pass
        else:
            raise OSError(errno.ETIMEDOUT, "no connection")
    connection.settimeout(5)
    return Client(connection, pid, name, token)


def request(pid, words, files=()):
    """One request and its answer, with what there is to be read."""
    with connect(pid) as client:
        rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", files))]
        client.sendmsg([b"".join(word + b"\0" for word in words)], rights if files else [])
        answer, handed, _, _ = client.recvmsg(1000, socket.CMSG_SPACE(4))
        text = answer.decode()
        for _, _, data in handed:
            end = array.array("i", data)[0]
            os.set_blocking(end, False)
            try:
                text += os.read(end, 4000).decode()
            except BlockingIOError:
                pass
            os.close(end)
        return text.strip()


def become_other():
    """Another user, whom the interpreter's files may be closed to."""
    os.setgroups([])
    os.setresgid(1001, 1001, 1001)
    os.setresuid(1001, 1001, 1001)


KEPT = []


def lingering(is_inside=False):
    """A socket whose last close waits for a day, or one that has it in its queue."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        one = socket.create_connection(server.getsockname())
        KEPT.append(server.accept()[0])
    one.setblocking(False)
    try:
        while True:
            one.send(bytes(65536))
    except BlockingIOError:
        pass
    one.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 86400))
    if not is_inside:
        return one
    ends = socket.socketpair()
    KEPT.append(ends[0])
    with one:
        socket.send_fds(ends[0], [b"x"], [one.fileno()])
    return ends[1]


def hand_lingering(connection, packet, count):
    """Send PACKET with COUNT of them, which nobody else has any more."""
    signal.signal(signal.SIGALRM, lambda *_: None)  # what is dropped lingers here
    signal.setitimer(signal.ITIMER_REAL, 0.01, 0.01)
    handed = [lingering(i % 2 == 1) for i in range(count)]
    try:
        socket.send_fds(connection, [packet], [one.fileno() for one in handed])
    except OSError:
        pass
    for one in handed:
        one.close()
    signal.setitimer(signal.ITIMER_REAL, 0)


def lingers(pid):
    """A client hands over what lingers, and goes."""
    with connect(pid) as client:
        hand_lingering(client.connection, client.names[1] + b"stack\0", 2)
        print(client.recv(1000)[:1].decode())


def ask(pid):
    """WORDS are the request."""
    try:
        print(request(pid, WORDS))
    except OSError as error:
        print(os.strerror(error.errno))


def garbage(pid):
    """Rings and requests that are none, and clients that go away."""
    chance = random.Random(16)
    verbs = [b"trace\0", b"stack\0", b"stop\0", b"", b"trace\0WHOCALLME_TRACE=", b"\0\0\0"]
    for turn in range(300):
        if chance.random() < 0.3:
            write(pid, chance.choice([b"\0", b"wcm-ring" + bytes(24)]) +
                  chance.randbytes(chance.choice([1, 24, 31, 32, 600])))
        client = connect(pid)
        packet = chance.choice(verbs) + chance.randbytes(chance.choice([0, 1, 30, 3000, 60000]))
        if chance.random() < 0.3:
            packet += b"\0"
        if chance.random() < 0.2:
            packet = b"trace\0" + b"WHOCALLME_TRACE_DEPTH=-\0" * chance.randrange(200)
        try:
            if chance.random() < 0.2:
                client.sendmsg([packet or b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS,
                                                   array.array("i", [0, 1, 2]))])
            else:
                client.send(packet)
            if chance.random() < 0.5:
                client.settimeout(5)
                client.recv(1000)
        except OSError:
            pass
        client.close()


def flood(pid):
    """Many that ring and are not there, and many that are connected at once and say nothing."""
    with listen(1) as listening:
        for _ in range(300):
            ring(pid, random.getrandbits(64), os.urandom(16))
            ring(pid, 1, os.urandom(16))
        clients = [listening.accept()]
        listening.settimeout(0.2)
        try:
            while True:
                clients.append(listening.accept())
        except OSError:
            pass
        print("flooded", len(clients))


def thief(pid):
    """A client is gone, and another process has its name, but not what it has sent by the bell."""
    with listen(1) as listening:
        ring(pid, 1, os.urandom(16))
        connection, _ = listening.accept()
        for packet in [os.urandom(16), b"stack\0", b""]:
            hand_lingering(connection, packet, 3)
        connection.settimeout(10)
        try:
            print("answer %r" % connection.recv(1000))
        except OSError:
            print("answer b''")


def deaf(pid):
    """A client with a trace that reads nothing, until a line of standard input."""
    client = connect(pid)
    client.send(b"trace\0WHOCALLME_TRACE=pairs\0")
    answer, handed, _, _ = client.recvmsg(1000, socket.CMSG_SPACE(4))
    print(answer.decode(), len(handed), flush=True)
    sys.stdin.readline()


def successors(pid):
    """Clients, each of which asks for a trace when the one before it, which came later than it
    or earlier, has left."""
    for turn in range(20):
        clients = [connect(pid), connect(pid)]
        if turn % 2:
            clients.reverse()
        before = None
        for client in clients:
            if before:
                os.kill(pid, signal.SIGSTOP)  # the agent sees both at once
                before.close()
            client.send(b"trace\0WHOCALLME_TRACE=pairs\0")
            os.kill(pid, signal.SIGCONT)
            print(client.recv(1000).decode(), flush=True)
            before = client
        before.close()


def packets(connection):
    """All that come."""
    found = []
    connection.settimeout(1)
    try:
        while not found or found[-1]:
            found.append(connection.recv(1000))
    except OSError:
        pass
    return found


def keep(pid):
    """A client keeps pipes, a connection, and one with a request, until a line of standard input,
    and uses them then.  It is another user from the start, or, "later", when it has them: the
    kernel has granted that request then, but no other."""
    later = WORDS == [b"later"]
    if not later:
        become_other()
    pipes = [at_rope(pid, int)]
    early, late = connect(pid), connect(pid)
    late.send(b"stack\0")
    late.connection.recv(1000)
    late.ring()
    late.connection.recv(1000)
    pipes += [at_rope(pid, int)]
    if later:
        become_other()
    print("kept", flush=True)
    sys.stdin.readline()
    answers = []
    try:
        early.send(b"stack\0")
        answers += packets(early.connection)
    except OSError:  # the agent has no patience with a client that is as slow as this one may be
        pass
    with listen(2) as listening:
        listening.settimeout(1)
        for pipe in pipes:
            for name, token in [(2, bytes(16)), late.names][:1 if later else 2]:
                try:
                    os.write(pipe, b"wcm-ring" + struct.pack("=Q", name) + token)
                except BrokenPipeError:
                    continue
                if name == 2:
                    try:
                        found, _ = listening.accept()
                        found.send(token + b"stack\0")
                        answers += packets(found)
                    except OSError:
                        pass
        answers += packets(late.connection)
    print("answered" if any(packet[:1] == b"+" for packet in answers) else "not answered")


def stranger(pid):
    """Another user asks, and looks for anything to connect to."""
    become_other()
    ask(pid)
    with open("/proc/net/unix") as lines:
        print(sum("whocallme-" in line and "/%d/" % pid in line for line in lines))


def squat(pid):
    """Another user connects to each client there is, until a line of standard input."""
    become_other()
    os.set_blocking(0, False)
    print("squats", flush=True)
    taken = []
    while sys.stdin.readline() == "":
        with open("/proc/net/unix") as lines:
            names = [line.split()[-1].replace("@", "\0", 1) for line in lines
                     if "@whocallme-client/" in line]
        for name in names:
            taken.append(socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET))
            taken[-1].setblocking(False)
            try:
                taken[-1].connect(name)
                hand_lingering(taken[-1], b"+", 2)
            except OSError:
                pass
        del taken[:-500]


def files(pid):
    """What a client may not have written: a file by its name, one that it cannot write, a folder
    that it has made nothing in, a marker that is not there, not empty or has two names."""
    here = os.getcwd()
    os.mkdir("folder")
    os.mkdir("other")
    with open("precious", "w") as file:
        file.write("precious\n")
    os.mkfifo("fifo")
    marker = os.open("folder/whocallme", os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
    full = os.open("other/whocallme", os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
    os.write(full, b"x")
    linked = os.open("linked", os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
    os.mkdir("third")
    os.link("linked", "third/whocallme")
    folder = os.open("folder", os.O_RDONLY)
    read_only, fifo = os.open("precious", os.O_RDONLY), os.open("fifo", os.O_RDWR)
    read_marker = os.open("folder/whocallme", os.O_RDONLY)
    tries = [("log", "precious", []), ("pairs", "new", []), ("addresses", "precious", [full]),
             ("graph", "precious", []), ("graph", "new", [read_only]), ("graph", "new", [fifo]),
             ("graph", "new", [folder]),
             ("record", "folder", []), ("record", "folder", [fifo]), ("record", "other", [full]),
             ("record", "other", [marker]), ("record", "folder", [read_marker]),
             ("record", "new", [marker]), ("record", "folder", [folder]),
             ("record", "third", [linked])]
    for mode, name, handed in tries:
        words = [b"trace", b"WHOCALLME_TRACE=" + mode.encode(),
                 b"WHOCALLME_OUTPUT=" + os.path.join(here, name).encode()]
        print(mode, name, request(pid, words, handed)[:1])
    print(sorted(os.listdir("folder")), sorted(os.listdir("other")), os.path.exists("new"),
          os.stat("folder/whocallme").st_size, open("precious").read().strip())


def answer_ring(ring):
    """Connect to who has rung, and read the token and the request, with the files of it."""
    client = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    client.connect("\0whocallme-client/%016x" % struct.unpack("=Q", ring[8:16])[0])
    request_text, handed, _, _ = client.recvmsg(40000, socket.CMSG_SPACE(8))
    request_text = request_text[16:]
    files = array.array("i")
    for _, _, data in handed:
        files.frombytes(data)
    return client, request_text.split(b"\0"), list(files)


ESCAPES = (b"<whocallme>: thread 1 \"\x1b[31m\"\n#0 0x1 in \x1b]0;evil\x07+0x1 (/tmp/\xc2\x9bx+0x1)\n"
           b"\xe2\x82\xac \xe2\x80\xae \r\x08\x7f")


def evil_folder(folder, secret):
    """Fill the folder of a recording."""
    def make(name, text):
        with open(os.path.join(folder, name), "wb") as file:
            file.write(text)
    make(b"info", b"Ftrace!\0")
    make(b"5.dat", b"five")
    make(b"6.dat", b"")
    os.truncate(os.path.join(folder, b"6.dat"), 1 << 40)
    make(b"evil\x1b[31m.sym", b"")
    make(b"other.txt", b"")
    os.symlink(secret, os.path.join(folder, b"1.dat"))
    os.mkfifo(os.path.join(folder, b"2.dat"))
    os.mkdir(os.path.join(folder, b"3.dat"))
    os.link(os.path.join(folder, b"5.dat"), os.path.join(folder, b"7.dat"))
    os.link(os.path.join(folder, b"info"), os.path.join(folder, b"8.dat"))
    make(b"9.dat", b"")
    os.unlink(os.path.join(folder, b"7.dat"))
    make(b".hidden", b"")
    deep = folder
    for _ in range(40):
        deep = os.path.join(deep, b".deep")
        os.mkdir(deep)
        with open(os.path.join(deep, b"file"), "wb"), open(os.path.join(deep, b".file"), "wb"):
            pass


def evil_files(request, files, said):
    """What a process may do to what it is handed; afterwards the client is not to know."""
    os.write(said, b"".join(b"%o\n" % (os.fstat(file).st_mode & 0o170000) for file in files))
    name = [word[17:] for word in request if word.startswith(b"WHOCALLME_OUTPUT=")]
    if b"WHOCALLME_TRACE=graph" in request:
        os.write(files[0], b'digraph {\n"\x1b[31m"\n}\n')
    elif name:
        os.write(said, name[0] + b"\n")
        evil_folder(name[0], WORDS[1])


def evil_text(out):
    """What kind of words the client is given."""
    if WORDS[0] in (b"escapes", b"files"):
        os.write(out, ESCAPES if WORDS[0] == b"escapes" else b"")
    elif WORDS[0] == b"trickle":
        while True:
            os.write(out, b"x")
            signal.sigtimedwait([], 0.05)
    else:
        while True:
            os.write(out, b"".join(WORDS[1:2] or [ESCAPES]) * 100)


def evil(_):
    """A process that looks as if it had an agent: WORDS say what comes of a request."""
    said = os.open("handed", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    rung = os.open("rung", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    if WORDS[-1] == b"other":
        become_other()
        ctypes.CDLL(None).prctl(4, 1)  # PR_SET_DUMPABLE
    if WORDS[0] == b"fifo":
        os.mkfifo("rope")
        listening = os.open("rope", os.O_RDWR)
        os.chmod("rope", 0o222)
        ends = [listening, listening]
    else:
        ends = os.pipe()
        os.fchmod(ends[0], 0o222)
    os.write(1, b"here\n")
    os.dup2(ends[1], 1)
    with open("/proc/self/comm", "w") as name:
        name.write("wcm-bell")
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    while True:
        ring = os.read(ends[0], 32)
        os.write(rung, ring)
        client, words, files = answer_ring(ring)
        if WORDS[0] == b"lingers":
            KEPT.append(client)
            for packet, count in zip(WORDS[1:], [1, 2, 3, 1]):
                hand_lingering(client, packet, count)
            if WORDS[-1] != b"?":
                client.shutdown(socket.SHUT_WR)
            continue
        if WORDS[0] == b"wrong":
            kinds = {b"file": said, b"socket": client.fileno()}
            client.sendmsg([WORDS[1]], [(socket.SOL_SOCKET, socket.SCM_RIGHTS,
                                         array.array("i", [kinds[WORDS[2]]]))]
                           if WORDS[2] in kinds else [])
            client.close()
            continue
        out = os.pipe()
        client.sendmsg([b"+"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", out[:1]))])
        os.close(out[0])
        if WORDS[0] == b"files":
            evil_files(words, files, said)
        evil_text(out[1])
        os.close(out[1])
        client.close()
        for file in files:
            signal.sigtimedwait([], 1)
            os.pwrite(file, b"EVIL", 0)
            os.write(said, b"over\n")


globals()[sys.argv[2]](int(sys.argv[1]))
