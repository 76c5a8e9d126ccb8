/* SPDX-License-Identifier: MIT */
/* rows.c - which row of call frame information does the library see at a pc?
 *
 * Maps an ELF file's segments as the kernel would and, for each pc of the file
 * on stdin, writes a line in readelf's notation: the CFA, then the registers by
 * DWARF number; the compact rule of that row; and what the rule cache gives
 * back.  Each of the last two is CFA, frame pointer and return address, `none`
 * for an outermost frame, or `-` where the row does not fit.
 */
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/cfi/cfi.h"
#include "core/modules/modules.h"
#include "core/unwind/rule_cache.h"

static _Noreturn void die(const char *what)
{
	perror(what);
	exit(99);
}

static void read_at(int file, void *buf, size_t size, off_t at)
{
	if (pread(file, buf, size, at) != (ssize_t)size)
		die("pread");
}

static uintptr_t page_of(uintptr_t address)
{
	return address & ~(uintptr_t)(getpagesize() - 1);
}

/* Reserve what the segments span.  Returns the load bias. */
static uintptr_t reserve(const ElfW(Phdr) *phdr, size_t count)
{
	uintptr_t lo = UINTPTR_MAX, hi = 0;
	void *at;

	for (size_t i = 0; i < count; i++) {
		if (phdr[i].p_type != PT_LOAD)
			continue;
		if (phdr[i].p_vaddr < lo)
			lo = page_of(phdr[i].p_vaddr);
		if (phdr[i].p_vaddr + phdr[i].p_memsz > hi)
			hi = phdr[i].p_vaddr + phdr[i].p_memsz;
	}
	at = mmap(NULL, hi - lo, PROT_NONE,
		  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (at == MAP_FAILED)
		die("mmap");
	return (uintptr_t)at - lo;
}

static void map_segment(int file, uintptr_t bias, const ElfW(Phdr) *phdr)
{
	uintptr_t lo = page_of(phdr->p_vaddr);
	size_t before = phdr->p_vaddr - lo;

	if (phdr->p_filesz > 0 &&
	    mmap((void *)(bias + lo), phdr->p_filesz + before, PROT_READ,
		 MAP_PRIVATE | MAP_FIXED, file,
		 (off_t)(phdr->p_offset - before)) == MAP_FAILED)
		die("mmap");
}

/* Make the object mapped at BIAS the only one the library knows. */
static void publish(uintptr_t bias, const ElfW(Phdr) *phdr, size_t count,
		    const char *path)
{
	static struct wcm_known_module known = { .permanent = true };
	static struct wcm_known_module *const modules[] = { &known };
	static struct wcm_module_list list = { 1, modules, NULL };

	if (!wcm__module_describe(&known.map, bias, phdr, count, path)) {
		fprintf(stderr, "%s: no object\n", path);
		exit(99);
	}
	list.previous = wcm__modules_get();
	wcm__modules_publish(&list);
}

static uintptr_t load(const char *path)
{
	static ElfW(Phdr) phdr[64];
	const size_t room = sizeof(phdr) / sizeof(*phdr);
	int file = open(path, O_RDONLY | O_CLOEXEC);
	ElfW(Ehdr) ehdr;
	uintptr_t bias;

	if (file < 0)
		die(path);
	read_at(file, &ehdr, sizeof(ehdr), 0);
	if (ehdr.e_phnum > room)
		die(path);
	read_at(file, phdr, ehdr.e_phnum * sizeof(*phdr), (off_t)ehdr.e_phoff);
	bias = reserve(phdr, ehdr.e_phnum);
	for (size_t i = 0; i < ehdr.e_phnum; i++)
		if (phdr[i].p_type == PT_LOAD)
			map_segment(file, bias, &phdr[i]);
	close(file);
	publish(bias, phdr, ehdr.e_phnum, path);
	return bias;
}

/* As readelf has them. */
static const char *const names[] = {
#if defined(__aarch64__)
	"x0",  "x1",  "x2",  "x3",  "x4",  "x5",  "x6",	 "x7",	"x8",  "x9",  "x10",
	"x11", "x12", "x13", "x14", "x15", "x16", "x17", "x18", "x19", "x20", "x21",
	"x22", "x23", "x24", "x25", "x26", "x27", "x28", "x29", "ra",  "sp",
#elif defined(__riscv)
	"zero", "ra", "sp", "gp", "tp",  "t0",  "t1", "t2", "s0", "s1", "a0",
	"a1",	"a2", "a3", "a4", "a5",  "a6",  "a7", "s2", "s3", "s4", "s5",
	"s6",	"s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6",
#elif defined(__x86_64__)
	"rax", "rdx", "rcx", "rbx", "rsi", "rdi", "rbp", "rsp", "r8",
	"r9",  "r10", "r11", "r12", "r13", "r14", "r15", "ra",
#else
	"eax", "ecx", "edx", "ebx", "esp", "ebp", "esi", "edi", "ra",
#endif
};

static const char *name_of(uint32_t column)
{
	return column < sizeof(names) / sizeof(*names) ? names[column] : "?";
}

static void put_cfa(const struct wcm_saved *cfa)
{
	if (cfa->kind == WCM_REG_VAL_EXPRESSION)
		fputs("exp", stdout);
	else if (cfa->kind == WCM_REG_REGISTER)
		printf("%s%+lld", name_of(cfa->column), (long long)cfa->offset);
	else
		putchar('?');
}

static void put_saved(const struct wcm_saved *saved)
{
	switch (saved->kind) {
	case WCM_REG_SAME_VALUE:
		fputs(" s", stdout);
		break;
	case WCM_REG_UNDEFINED:
		fputs(" u", stdout);
		break;
	case WCM_REG_OFFSET:
		printf(" c%+lld", (long long)saved->offset);
		break;
	case WCM_REG_VAL_OFFSET:
		printf(" v%+lld", (long long)saved->offset);
		break;
	case WCM_REG_REGISTER:
		printf(" %s", name_of(saved->column));
		break;
	case WCM_REG_EXPRESSION:
		fputs(" exp", stdout);
		break;
	case WCM_REG_VAL_EXPRESSION:
		fputs(" vexp", stdout);
		break;
	default:
		fputs(" ?", stdout);
	}
}

static void put_rule(const struct wcm_rule *rule)
{
	if (rule->base == WCM_BASE_NONE) {
		fputs(" none", stdout);
		return;
	}
	printf(" %s%+d,", name_of(rule->base == WCM_BASE_FP ? WCM_COLUMN_FP : WCM_COLUMN_SP),
	       rule->cfa_off);
	if (rule->fp_saved)
		printf("c%+d,", rule->fp_off);
	else
		fputs("s,", stdout);
	if (rule->ra_saved)
		printf("c%+d", rule->ra_off);
	else
		putchar('s');
}

static void put_rules(const struct wcm_row *row, const struct wcm_fde *fde,
		      uintptr_t pc)
{
	struct wcm_rule rule, cached;
	struct wcm_rules rules;

	if (!wcm__cfi_compact(&rule, row, fde)) {
		fputs(" - -", stdout);
		return;
	}
	put_rule(&rule);
	wcm__rule_cache_put(&rule, pc, 0);
	rules = wcm__rules();
	if (wcm__rule_cache_get(&cached, &rules, pc))
		put_rule(&cached);
	else
		fputs(" -", stdout);
}

static void put_row(uintptr_t pc)
{
	struct wcm_unwind_table table;
	struct wcm_fde fde;
	struct wcm_row row;
	bool permanent;

	if (!wcm__modules_find_unwind(&table, pc, &permanent) ||
	    !wcm__fde_find(&fde, &table, pc) || fde.ra_column >= WCM_COLUMNS) {
		fputs("nothing", stdout);
		return;
	}
	if (!wcm__cfi_row(&row, &fde, pc)) {
		fputs("damaged", stdout);
		return;
	}
	put_cfa(&row.cfa);
	for (unsigned i = 0; i < WCM_COLUMNS; i++)
		put_saved(&row.saved[i]);
	put_rules(&row, &fde, pc);
}

/* Those of the columns, then the frame pointer's, and where a call leaves the return address. */
static int put_names(void)
{
	for (unsigned i = 0; i < WCM_COLUMNS; i++)
		printf("%s ", name_of(i));
	printf("%s %s\n", name_of(WCM_COLUMN_FP), WCM_HAS_LINK_REGISTER ? "register" : "stack");
	return 0;
}

int main(int argc, char *argv[])
{
	unsigned long pc;
	uintptr_t bias;
	char line[32];

	if (argc != 2) {
		fprintf(stderr, "usage: rows FILE <PCS, rows --names\n");
		return 99;
	}
	if (strcmp(argv[1], "--names") == 0)
		return put_names();
	wcm__rule_cache_limit(0); /* in growing it loses some */
	bias = load(argv[1]);
	while (fgets(line, sizeof(line), stdin)) {
		pc = strtoul(line, NULL, 16);
		put_row(bias + pc);
		putchar('\n');
	}
	return ferror(stdout) ? 99 : 0;
}
