# SPDX-License-Identifier: MIT
"""agent.py PID COMMAND - what others do at the socket of a process's agent."""
import array
import os
import random
import signal
import socket
import sys


def names(pid):
    prefix = "@whocallme-agent/%d/" % pid
    with open("/proc/%d/net/unix" % pid) as lines:
        words = [line.split()[-1] for line in lines]
    return [word.replace("@", "\0", 1) for word in words if word.startswith(prefix)]


def connect(pid):
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    connection.settimeout(5)
    connection.connect(names(pid)[0])
    return connection


def become_other():
    """Another user, whom the interpreter's files may be closed to."""
    os.setgroups([])
    os.setresgid(1001, 1001, 1001)
    os.setresuid(1001, 1001, 1001)


def garbage(pid):
    """Requests that are none, and clients that go away."""
    chance = random.Random(16)
    verbs = [b"trace\0", b"stack\0", b"stop\0", b"", b"trace\0WHOCALLME_TRACE=", b"\0\0\0"]
    for turn in range(300):
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
                client.recv(1000)
        except OSError:
            pass
        client.close()


def flood(pid):
    """Many that are connected at once, and say nothing."""
    clients = []
    for _ in range(300):
        client = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        client.setblocking(False)
        try:
            client.connect(names(pid)[0])
        except OSError:
            pass
        clients.append(client)
    print("flooded", len(clients))


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


def stranger(pid):
    """Another user asks."""
    become_other()
    client = connect(pid)
    try:
        client.send(b"stack\0")
        print("answer %r" % client.recv(1000))
    except OSError:
        print("answer b''")


def squat(pid):
    """Another user has names of this form, until a line of standard input."""
    become_other()
    taken = []
    for number in range(100):
        taken.append(socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET))
        taken[-1].bind("\0whocallme-agent/%d/%016x" % (pid, number))
        taken[-1].listen(0)
    print("taken", flush=True)
    sys.stdin.readline()


globals()[sys.argv[2]](int(sys.argv[1]))
