/* SPDX-License-Identifier: MIT */
/* test_symtab.c - functions by a file's own .symtab: this program's, as nm(1) has them,
 * and those of copies of it that are damaged or another's. */
#include "core/symbols/symtab.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/modules/module_origin.h"
#include "format/file_tag.h"
#include "support/check.h"
#include "whocallme/symbol.h"

/* Of its own, so that one byte too far is seen. */
static struct wcm_symtab_search *search;
static struct wcm_module self;
static char path[] = "/tmp/test_symtab.XXXXXX";
static int copy = -1;
static off_t copy_size;

__attribute__((noinline)) static int twice(int value)
{
	return 2 * value;
}

/* Without a size, in front of data between code. */
__asm__(".text\n"
	".type in_front, @function\n"
	"in_front: .skip 16, 0x90\n"
	".type data_in_code, @object\n"
	"data_in_code: .skip 64, 1\n"
	".size data_in_code, . - data_in_code\n"
	"bare_code: .skip 8, 0x90\n"
	"\"$x.mid\": .skip 8, 0x90\n"
	"bare_sized: .skip 16, 0x90\n"
	".size bare_sized, . - bare_sized\n"
	".skip 16, 0xcc\n"
	"worker.__part.6: .skip 16, 0x90\n"
	".size worker.__part.6, . - worker.__part.6\n");
extern const char bare_code[] __attribute__((visibility("hidden")));
extern const char in_front[] __attribute__((visibility("hidden")));

static uint64_t offset_of_twice(void)
{
	return (uintptr_t)twice + 1 - self.bias;
}

/* The copy of this program that tests damage; it is gone when they end. */
static void use_copy(void)
{
	static char buf[1 << 16];
	int from = open("/proc/self/exe", O_RDONLY);
	ssize_t size;

	if (!search)
		search = calloc(1, sizeof(*search));
	if (copy == -1) {
		copy = mkstemp(path);
		CHECK(wcm__module_find_live(&self, (uintptr_t)twice));
		self.path = path;
	}
	CHECK(search && from != -1 && copy != -1);
	CHECK_EQ(ftruncate(copy, 0), 0);
	CHECK_EQ(lseek(copy, 0, SEEK_SET), 0);
	while ((size = read(from, buf, sizeof(buf))) > 0)
		CHECK_EQ(write(copy, buf, (size_t)size), size);
	copy_size = lseek(copy, 0, SEEK_CUR);
	close(from);
}

static bool finds(uint64_t offset)
{
	return wcm__symtab_find(search, &self, offset);
}

/* By its address and by its name. */
static bool finds_twice(void)
{
	const bool named = wcm__symtab_find_name(search, &self, "twice") &&
			   search->value == (uintptr_t)twice - self.bias;

	return finds(offset_of_twice()) && strcmp(search->name, "twice") == 0 && named;
}

static bool is_copy_whole(void)
{
	struct stat stat;

	return fstat(copy, &stat) == 0 && stat.st_size == copy_size;
}

TEST(finds_a_static_function)
{
	use_copy();
	CHECK(finds_twice());
	CHECK_EQ(search->value, (uintptr_t)twice - self.bias);
	CHECK(search->size > 0 && !search->ifunc && search->part == 0 && !search->unsized);
	CHECK(!finds(UINT64_MAX));
	CHECK(!finds((uintptr_t)&copy_size - self.bias));
}

/* Of what nm has at VALUE, which is sorted by values. */
static bool is_named_so(char (*line)[512], size_t count, uint64_t value,
			const char *name)
{
	const size_t size = strlen(name);

	for (size_t i = 0; i < count; i++) {
		const char *theirs = strrchr(line[i], ' ') + 1;

		if (strtoull(line[i], NULL, 16) == value &&
		    strncmp(theirs, name, size) == 0 &&
		    (theirs[size] == '\0' || theirs[size] == '@' ||
		     strncmp(theirs + size, ".cold", 5) == 0 ||
		     strncmp(theirs + size, ".__part", 7) == 0))
			return true;
	}
	return false;
}

TEST(names_are_those_of_nm)
{
	enum { MOST = 8192 };
	char (*line)[512] = calloc(MOST, sizeof(*line));
	char command[128], type;
	size_t count = 0, wrong = 0, found = 0;
	unsigned long long value, size;
	FILE *nm;

	use_copy();
	snprintf(command, sizeof(command), "nm -S --defined-only %s", path);
	nm = popen(command, "r");
	CHECK(nm && line);
	while (count < MOST && fgets(line[count], sizeof(*line), nm)) {
		line[count][strcspn(line[count], "\n")] = '\0';
		count += sscanf(line[count], "%llx %llx %c ", &value, &size, &type) == 3 &&
			 strchr("tTwWi", type) && !strstr(line[count], " data_in_code");
	}
	if (pclose(nm) != 0 || count == 0)
		SKIP("nm is missing");
	for (size_t i = 0; i < count; i++) {
		sscanf(line[i], "%llx %llx", &value, &size);
		for (int end = 0; end < 2; end++, found++)
			wrong += !finds(value + (end ? size - 1 : 0)) ||
				 !is_named_so(line, count, search->value, search->name) ||
				 (!end && search->value != value);
	}
	free(line);
	CHECK_EQ(wrong, 0);
	CHECK(found > 100);
}

/* The one symbol that is called so, by nm; "ice" is the end of "twice" in the strings. */
TEST(addresses_are_those_of_nm)
{
	char command[256], name[512], type;
	unsigned long long value;
	size_t found = 0, wrong = 0;
	FILE *nm;

	use_copy();
	snprintf(command, sizeof(command),
		 "nm --defined-only %s | awk '{ if (n[$3]++) delete l[$3]; else "
		 "l[$3] = $0 } END { for (i in l) print l[i] }'", path);
	nm = popen(command, "r");
	CHECK(nm);
	while (fscanf(nm, "%llx %c %511s\n", &value, &type, name) == 3)
		if (strchr("tTwWi", type) && !strchr(name, '@') && !strstr(name, ".cold")) {
			found++;
			wrong += !wcm__symtab_find_name(search, &self, name) ||
				 search->value != value;
		}
	if (pclose(nm) != 0 || found == 0)
		SKIP("nm is missing");
	CHECK_EQ(wrong, 0);
	CHECK(found > 50);
	CHECK(!wcm__symtab_find_name(search, &self, "ice"));
	CHECK(!wcm__symtab_find_name(search, &self, "wice"));
	CHECK(!wcm__symtab_find_name(search, &self, ""));
	search->only_executable = true;
	CHECK(finds_twice());
	self.path = "/nowhere";
	CHECK(finds_twice());
	self.path = path;
	search->only_executable = false;
}

TEST(data_ends_a_function_without_a_size)
{
	uint64_t at;

	use_copy();
	at = (uintptr_t)in_front - self.bias;
	CHECK(finds(at) && strcmp(search->name, "in_front") == 0);
	CHECK(finds(at + 15) && strcmp(search->name, "in_front") == 0);
	CHECK(!finds(at + 16));
	CHECK(!finds(at + 16 + 63));
}

static bool is_at(uint64_t offset, const char *name, uint8_t part)
{
	return finds(offset) && strcmp(search->name, name) == 0 && search->part == part;
}

TEST(labels_without_a_type_name_code)
{
	uint64_t at;

	use_copy();
	at = (uintptr_t)bare_code - self.bias;
	CHECK(is_at(at, "bare_code", 0));
	CHECK(is_at(at + 15, "bare_code", 0));
	CHECK(is_at(at + 16, "bare_sized", 0));
	CHECK(is_at(at + 31, "bare_sized", 0));
	CHECK(!finds(at + 32));
	CHECK(!finds(at + 47));
	CHECK(is_at(at + 48, "worker", WCM_SYMBOL_PART));
	CHECK(is_at(at + 63, "worker", WCM_SYMBOL_PART));
}

TEST(a_file_that_is_cut_short_has_no_names)
{
	use_copy();
	/* Section headers are at its end: nothing is found without one of them. */
	for (off_t size = copy_size - 64; size >= 0; size -= size > 65536 ? 4096 : 64) {
		CHECK_EQ(ftruncate(copy, size), 0);
		CHECK(!finds(offset_of_twice()) || finds_twice());
	}
	CHECK(!finds(offset_of_twice()));
}

static uint64_t next_random(void)
{
	static uint64_t state = 88172645463325252u;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

/* Change a byte between LO and HI, have a look, and change it back. */
static void flip(uint64_t lo, uint64_t hi)
{
	const off_t at = (off_t)(lo + next_random() % (hi - lo));
	unsigned char byte, other;

	CHECK_EQ(pread(copy, &byte, 1, at), 1);
	other = byte ^ (unsigned char)(1 + next_random() % 255);
	CHECK_EQ(pwrite(copy, &other, 1, at), 1);
	if (finds(offset_of_twice())) {
		CHECK(strlen(search->name) < WCM_SYMTAB_NAME);
		CHECK(search->value <= offset_of_twice());
	}
	CHECK_EQ(pwrite(copy, &byte, 1, at), 1);
}

TEST(a_damaged_file_does_no_harm)
{
	ElfW(Ehdr) head;
	ElfW(Shdr) symbols, strings;

	use_copy();
	CHECK(finds_twice());
	head = search->head;
	symbols = search->symbols;
	strings = search->strings;
	for (int i = 0; i < 300; i++) {
		flip(0, sizeof(head) + head.e_phnum * sizeof(ElfW(Phdr)));
		flip(head.e_shoff, (uint64_t)copy_size);
		flip(symbols.sh_offset, symbols.sh_offset + symbols.sh_size);
		flip(strings.sh_offset, strings.sh_offset + strings.sh_size);
	}
	CHECK(is_copy_whole() && finds_twice());
}

/* Write VALUE over the 8 bytes at AT of the copy. */
static void put(uint64_t at, uint64_t value)
{
	CHECK_EQ(pwrite(copy, &value, sizeof(value), (off_t)at), sizeof(value));
}

TEST(hostile_numbers_are_refused)
{
	static const uint64_t hostile[] = { 0, 1, 23, UINT32_MAX, INT64_MAX,
					    UINT64_MAX - 7, UINT64_MAX };
	ElfW(Shdr) section;
	ElfW(Ehdr) head;

	use_copy();
	CHECK(finds_twice());
	head = search->head;
	for (unsigned i = 0; i < head.e_shnum; i++) {
		const uint64_t at = head.e_shoff + i * sizeof(section);

		CHECK_EQ(pread(copy, &section, sizeof(section), (off_t)at),
			 sizeof(section));
		if (section.sh_type != SHT_SYMTAB && section.sh_type != SHT_STRTAB)
			continue;
		for (size_t j = 0; j < sizeof(hostile) / sizeof(*hostile); j++) {
			put(at + offsetof(ElfW(Shdr), sh_offset), hostile[j]);
			CHECK(!finds(offset_of_twice()) || search->name[0]);
			put(at + offsetof(ElfW(Shdr), sh_offset), section.sh_offset);
			put(at + offsetof(ElfW(Shdr), sh_size), hostile[j]);
			CHECK(!finds(offset_of_twice()) || search->name[0]);
			put(at + offsetof(ElfW(Shdr), sh_size), section.sh_size);
		}
	}
	for (size_t j = 0; j < sizeof(hostile) / sizeof(*hostile); j++) {
		put(offsetof(ElfW(Ehdr), e_shoff), hostile[j]);
		CHECK(!finds(offset_of_twice()));
	}
}

TEST(another_file_is_not_believed)
{
	const uint32_t id_size = self.build_id_size;
	unsigned char byte;
	off_t at;

	use_copy();
	if (id_size == 0)
		SKIP("this program has no build-id");
	CHECK(finds_twice());
	at = (off_t)((uintptr_t)self.build_id - self.bias);
	CHECK_EQ(pread(copy, &byte, 1, at), 1); /* the note is in the first segment */
	byte++;
	CHECK_EQ(pwrite(copy, &byte, 1, at), 1);
	CHECK(!finds(offset_of_twice()));

	/* Without one the file's tag does, and the function's code. */
	self.build_id_size = 0;
	self.is_listed = true;
	self.file_tag = 0;
	CHECK(!finds(offset_of_twice()));
	self.file_tag = wcm__file_tag(copy);
	CHECK(finds_twice());
	for (size_t i = 0; i < search->head.e_phnum; i++)
		if (search->phdr[i].p_type == PT_LOAD && (search->phdr[i].p_flags & PF_X))
			at = (off_t)(search->value - search->phdr[i].p_vaddr +
				     search->phdr[i].p_offset);
	CHECK_EQ(pread(copy, &byte, 1, at), 1);
	byte++;
	CHECK_EQ(pwrite(copy, &byte, 1, at), 1);
	CHECK(!finds(offset_of_twice()));
	CHECK_EQ(ftruncate(copy, 1 << 30), 0);
	CHECK(wcm__file_tag(copy) != self.file_tag);
	self.build_id_size = id_size;
	self.is_listed = false;
}

/* The kernel knows what is mapped, by whatever name it was opened. */
TEST(what_is_mapped_is_found_without_a_build_id_and_a_name)
{
	const uint32_t id_size = self.build_id_size;
	char found[WCM_MODULE_PATH], whole[4096] = "";

	CHECK(readlink("/proc/self/exe", whole, sizeof(whole) - 1) > 0);
	for (int i = 0; i < 2; i++) {
		self.build_id_size = i ? id_size : 0;
		self.path = i ? "./relative" : "/nowhere";
		CHECK(finds_twice());
		CHECK_EQ(wcm__module_file_find(&self, found), wcm__file_tag_at(whole));
		CHECK_STR(found, whole);
		CHECK_STR(wcm__module_whole_path(&self), i ? whole : "/nowhere");
	}
	CHECK(wcm__module_whole_path(&self) == wcm__module_whole_path(&self));
	self.path = path;
}

TEST(what_is_no_regular_file_is_not_waited_for)
{
	static const char *const others[] = { "/dev/zero", "/tmp", "/nowhere", "[vdso]" };
	char fifo[sizeof(path) + 5];

	use_copy();
	snprintf(fifo, sizeof(fifo), "%s.fifo", path);
	CHECK_EQ(mkfifo(fifo, 0600), 0);
	self.path = fifo;
	CHECK(!finds(offset_of_twice()));
	CHECK_EQ(unlink(fifo), 0);
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
		self.path = others[i];
		CHECK(!finds(offset_of_twice()));
	}
	self.path = NULL;
	CHECK(!finds(offset_of_twice()));
	CHECK_EQ(unlink(path), 0);
	free(search);
}

RUN(finds_a_static_function, names_are_those_of_nm, addresses_are_those_of_nm,
    data_ends_a_function_without_a_size, labels_without_a_type_name_code,
    a_file_that_is_cut_short_has_no_names, a_damaged_file_does_no_harm,
    hostile_numbers_are_refused, another_file_is_not_believed,
    what_is_mapped_is_found_without_a_build_id_and_a_name,
    what_is_no_regular_file_is_not_waited_for)
