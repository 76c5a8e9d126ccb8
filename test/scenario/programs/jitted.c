/* SPDX-License-Identifier: MIT */
/* jitted.c - crashes, or waits, below code that it has made and named: jitted KIND [wait].
 * The kinds are ways to write /tmp/perf-PID.map and jit-PID.dump, or what stands in for it. */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PAGE = 4096 };

static const char *kind;
static char map_path[64], dump_path[64];
static unsigned char *page;
static size_t code_size;
static int waits;

__attribute__((noinline)) void callee(volatile int *p)
{
	if (waits) {
		puts("ready");
		fflush(stdout);
		for (;;)
			pause();
	}
	*p = 1;
}

static int is(const char *other)
{
	return strcmp(kind, other) == 0;
}

/* push rbp; mov rbp,rsp; xor edi,edi; mov rax,callee; call rax; pop rbp; ret */
static size_t make_call(unsigned char *at, uintptr_t to)
{
	unsigned char code[] = { 0x55, 0x48, 0x89, 0xe5, 0x31, 0xff, 0x48, 0xb8, 0, 0, 0, 0,
				 0, 0, 0, 0, 0xff, 0xd0, 0x5d, 0xc3 };

	memcpy(code + 8, &to, sizeof(to));
	memcpy(at, code, sizeof(code));
	return sizeof(code);
}

/* In memory of its own, or in the program's data, where one calls another. */
static void make_code(void)
{
	static unsigned char room[PAGE] __attribute__((aligned(PAGE)));

	page = is("static") ? room
			    : mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	code_size = make_call(page, (uintptr_t)callee);
	if (is("static")) {
		make_call(page + 64, (uintptr_t)page);
		page += 64;
	}
	/* The kernel takes whole pages. */
	mprotect((void *)((uintptr_t)page & -PAGE), is("static") ? 1 : PAGE,
		 PROT_READ | PROT_EXEC);
}

static void write_map(const char *path)
{
	FILE *map = fopen(path, "w");

	fprintf(map, "nonsense\n\n%lx\n%lx zz no\n", (unsigned long)page, (unsigned long)page);
	if (is("long"))
		for (int i = 0; i < 200000; i++)
			putc('x', map);
	fprintf(map, "\n%lx %x earlier\n", (unsigned long)page, PAGE);
	fprintf(map, "%lx 10 other\n", (unsigned long)page + 0x800);
	fprintf(map, "0x%lx 0x%zx %s\n", (unsigned long)page, code_size,
		is("escape") ? "a\033[31m\\b" : "JS:*square app.js:12");
	fprintf(map, "%lx %x cut off", (unsigned long)page, PAGE);
	fclose(map);
}

struct load {
	uint32_t id, size;
	uint64_t time;
	uint32_t pid, tid;
	uint64_t vma, address, length, index;
};

struct move {
	uint32_t id, size;
	uint64_t time;
	uint32_t pid, tid;
	uint64_t vma, old, address, length, index;
};

static void write_dump(void)
{
	static const char name[] = "square of a dump";
	const uint32_t head[10] = { 0x4a695444, 1, sizeof(head), 62 };
	const uint64_t at = is("move") ? 0x1000 : (uintptr_t)page;
	const struct load load = { 0, sizeof(load) + sizeof(name) + (uint32_t)code_size, 0, 0, 0,
				   at, at, code_size, 0 };
	const struct move move = { 1, sizeof(move), 0, 0, 0, 0, at, (uintptr_t)page,
				   code_size, 0 };
	FILE *dump = fopen(dump_path, "w+");

	fwrite(head, sizeof(head), 1, dump);
	fwrite(&load, sizeof(load), 1, dump);
	fwrite(name, sizeof(name), 1, dump);
	fwrite(page, code_size, 1, dump);
	if (is("move"))
		fwrite(&move, sizeof(move), 1, dump);
	fflush(dump);
	mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE, fileno(dump), 0);
}

static void write_files(void)
{
	char other[80];

	snprintf(map_path, sizeof(map_path), "/tmp/perf-%d.map", (int)getpid());
	snprintf(dump_path, sizeof(dump_path), "jit-%d.dump", (int)getpid());
	snprintf(other, sizeof(other), "%s.other", map_path);
	unlink(map_path);
	if (is("dump") || is("move")) {
		write_dump();
	} else if (is("fifo")) {
		mkfifo(map_path, 0600);
	} else if (is("directory")) {
		mkdir(map_path, 0700);
	} else if (is("symlink") || is("link")) {
		write_map(other);
		if (is("link") ? link(other, map_path) : symlink(other, map_path))
			exit(3);
	} else if (!is("none")) {
		write_map(map_path);
	}
	if (is("writable"))
		chmod(map_path, 0666);
	if (is("user") && chown(map_path, 12345, 12345) != 0)
		exit(77);
	fprintf(stderr, "made %s %s\n", map_path, dump_path);
}

int main(int argc, char **argv)
{
	kind = argc > 1 ? argv[1] : "map";
	waits = argc > 2;
	make_code();
	write_files();
	if (is("forked") && fork() == 0) { /* whose number is another */
		kind = "dump";
		write_files();
	}
	((void (*)(void))page)();
	return 0;
}
