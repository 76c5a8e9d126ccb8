/* SPDX-License-Identifier: MIT */
/* stub.c - a program in an emulator, by gdb's Remote Serial Protocol ("Debugging with GDB",
 * appendix E).
 *
 * Where the program's memory lies in the emulator's own is where the program has it, as
 * qemu-user has it for CPUs of 64 bits: it is read there.
 */
#include "stub.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum { PACKET = 8192 };

static int stub = -1, memory = -1;

static _Noreturn void die(const char *what)
{
	perror(what);
	exit(99);
}

/* Packets: $text#sum, which the other side answers with a plus. */

static char get_byte(void)
{
	static char bytes[PACKET];
	static ssize_t at, count;

	if (at == count) {
		at = 0;
		count = read(stub, bytes, sizeof(bytes));
		if (count <= 0)
			die("the emulator's stub");
	}
	return bytes[at++];
}

static void send_packet(const char *text)
{
	char packet[128];
	unsigned char sum = 0;
	int size;

	for (const char *at = text; *at; at++)
		sum = (unsigned char)(sum + (unsigned char)*at);
	size = snprintf(packet, sizeof(packet), "$%s#%02x", text, sum);
	if (write(stub, packet, (size_t)size) != size)
		die("the emulator's stub");
}

/* The next answer, without what escapes its bytes.  Returns its size. */
static size_t receive(char answer[PACKET])
{
	size_t size = 0;
	char byte;

	while (get_byte() != '$')
		;
	while ((byte = get_byte()) != '#' && size < PACKET - 1)
		answer[size++] = byte == '}' ? get_byte() ^ 0x20 : byte;
	get_byte();
	get_byte();
	answer[size] = '\0';
	if (write(stub, "+", 1) != 1)
		die("the emulator's stub");
	return size;
}

static void ask(const char *text, char answer[PACKET])
{
	send_packet(text);
	receive(answer);
}

/* How it starts */

static bool connect_to(const struct sockaddr_un *address)
{
	const struct timespec pause = { .tv_nsec = 10 * 1000 * 1000 };

	stub = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	for (int tries = 0; tries < 3000; tries++) {
		if (connect(stub, (const struct sockaddr *)address, sizeof(*address)) == 0)
			return true;
		nanosleep(&pause, NULL);
	}
	return false;
}

/* EMULATOR -g SOCKET PROGRAM ARGUMENT...; options of the emulator are not the stepper's. */
static _Noreturn void run(char *argv[], char *path)
{
	enum { MOST = 64 };
	char *command[MOST] = { argv[0], (char *)"-g", path };

	for (size_t i = 1; argv[i] && i + 3 < MOST; i++)
		command[i + 2] = argv[i];
	execv(command[0], command);
	_exit(127);
}

pid_t stub_start(char *argv[])
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	char folder[] = "/tmp/stub.XXXXXX", path[64];
	pid_t id;

	if (!mkdtemp(folder))
		die(folder);
	snprintf(address.sun_path, sizeof(address.sun_path), "%s/socket", folder);
	id = fork();
	if (id == 0)
		run(argv, address.sun_path);
	if (!connect_to(&address))
		die(argv[0]);
	unlink(address.sun_path);
	rmdir(folder);
	snprintf(path, sizeof(path), "/proc/%d/mem", (int)id);
	memory = open(path, O_RDONLY | O_CLOEXEC);
	if (memory < 0)
		die(path);
	return id;
}

/* What it has */

static unsigned digit(char c)
{
	return (unsigned)(c <= '9' ? c - '0' : c - 'a' + 10);
}

struct registers stub_registers(void)
{
	char answer[PACKET];
	uint64_t words[MACHINE_STUB_WORDS] = { 0 };
	unsigned char *bytes = (unsigned char *)words;
	struct registers registers = { 0 };

	ask("g", answer);
	for (size_t i = 0; i < sizeof(words); i++)
		bytes[i] = (unsigned char)(digit(answer[2 * i]) << 4 | digit(answer[2 * i + 1]));
	machine_from_stub(&registers, words);
	return registers;
}

bool stub_fetch(pid_t id, uintptr_t address, void *page, size_t size)
{
	(void)id;
	return pread(memory, page, size, (off_t)address) == (ssize_t)size;
}

size_t stub_auxv(pid_t id, void *auxv, size_t size)
{
	char answer[PACKET];
	size_t count;

	(void)id;
	send_packet("qXfer:auxv:read::0,800");
	count = receive(answer);
	count = count > 0 ? count - 1 : 0; /* behind a letter */
	if (count > size)
		count = size;
	memcpy(auxv, answer + 1, count);
	return count;
}

/* What it does */

static int resume(const char *command)
{
	char answer[PACKET];

	ask(command, answer);
	return answer[0] == 'T' || answer[0] == 'S' ? (int)strtol(answer + 1, NULL, 16) & 0xff
						    : STUB_ENDED;
}

int stub_step(void)
{
	return resume("s");
}

int stub_continue(int signal)
{
	char command[8] = "c";

	if (signal)
		snprintf(command, sizeof(command), "C%02x", (unsigned)signal & 0xff);
	return resume(command);
}

static void set_break(char kind, uintptr_t pc)
{
	char command[64], answer[PACKET];

	snprintf(command, sizeof(command), "%c0,%" PRIxPTR ",4", kind, pc);
	ask(command, answer);
	if (strcmp(answer, "OK") != 0)
		die("a breakpoint");
}

int stub_run_to(uintptr_t pc, int signal)
{
	int why;

	set_break('Z', pc);
	why = stub_continue(signal);
	if (why != STUB_ENDED)
		set_break('z', pc);
	return why;
}
