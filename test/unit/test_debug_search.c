/* SPDX-License-Identifier: MIT */
/* test_debug_search.c - which debug file of many, all made by hand, is taken. */
#include "modules/module_files.h"

#include <errno.h>
#include <lzma.h>
#include <sys/stat.h>

#include "support/check.h"
#include "support/scratch_dir.h"

enum { ID_SIZE = 8 };

/* An ELF file with no more than a build-id of bytes from FIRST on and some bytes FILL. */
struct object {
	Elf64_Ehdr header;
	Elf64_Phdr segment;
	struct {
		Elf64_Nhdr header;
		char name[4];
		uint8_t id[ID_SIZE];
	} note;
	char names[32];
	char fill[8];
	Elf64_Shdr sections[3];
};

static struct object object_of(uint8_t first, const char *fill)
{
	struct object object = {
		.header = {
			.e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB,
				     EV_CURRENT },
			.e_type = ET_DYN, .e_machine = EM_X86_64, .e_version = EV_CURRENT,
			.e_phoff = offsetof(struct object, segment), .e_phnum = 1,
			.e_phentsize = sizeof(Elf64_Phdr),
			.e_shoff = offsetof(struct object, sections),
			.e_ehsize = sizeof(Elf64_Ehdr), .e_shentsize = sizeof(Elf64_Shdr),
			.e_shnum = 3, .e_shstrndx = 2,
		},
		.segment = { .p_type = PT_LOAD, .p_filesz = sizeof(object),
			     .p_memsz = sizeof(object), .p_align = 4096 },
		.note = { { 4, ID_SIZE, NT_GNU_BUILD_ID }, "GNU", { first } },
		.names = "\0.note.gnu.build-id\0.shstrtab",
		.sections = {
			{ 0 },
			{ .sh_name = 1, .sh_type = SHT_NOTE, .sh_flags = SHF_ALLOC,
			  .sh_offset = offsetof(struct object, note),
			  .sh_size = sizeof(object.note), .sh_addralign = 4 },
			{ .sh_name = 20, .sh_type = SHT_STRTAB,
			  .sh_offset = offsetof(struct object, names),
			  .sh_size = sizeof(object.names), .sh_addralign = 1 },
		},
	};

	for (int i = 1; i < ID_SIZE; i++)
		object.note.id[i] = (uint8_t)(first + i);
	memcpy(object.fill, fill, strlen(fill));
	return object;
}

static void make_folder(const char *name)
{
	CHECK(mkdir(scratch_path(name), 0700) == 0 || errno == EEXIST);
}

/* Put OBJECT to the place of the build-id that begins with 0x11, in FOLDER. */
static const char *put_by_id(const char *folder, const struct object *object)
{
	static const char *const parts[] = { "", "/.build-id", "/.build-id/11" };
	char path[64];

	for (int i = 0; i < 3; i++) {
		snprintf(path, sizeof(path), "%s%s", folder, parts[i]);
		make_folder(path);
	}
	snprintf(path, sizeof(path), "%s/.build-id/11/12131415161718.debug", folder);
	scratch_put(path, object, sizeof(*object));
	return scratch_path(path);
}

static struct debug_search search;
static char folders[2 * PATH_MAX];

/* Search the folders a and b. */
static void begin(void)
{
	unsetenv("DEBUGINFOD_URLS");
	free(search.refused.path);
	snprintf(folders, sizeof(folders), ":%s/a::%s/b:", scratch, scratch);
	search = (struct debug_search){ .folders = folders, .owner = getuid() };
}

static int find_debuginfo(Dwfl_Module *module, void **data, const char *name,
			  Dwarf_Addr base, const char *file, const char *link,
			  GElf_Word sum, char **path)
{
	(void)module, (void)data, (void)name, (void)base, (void)file, (void)link;
	(void)sum, (void)path;
	return -1;
}

static const Dwfl_Callbacks callbacks = {
	.find_elf = dwfl_build_id_find_elf,
	.find_debuginfo = find_debuginfo,
	.section_address = dwfl_offline_section_address,
};

/* What debug_search_of() finds for the object MAIN, which is at bin/p: a path, or "-". */
static const char *found_of(const struct object *main, const char *link, GElf_Word sum)
{
	static char result[PATH_MAX];
	Dwfl *dwfl = dwfl_begin(&callbacks);
	Dwfl_Module *module;
	char *path = NULL;
	int fd;

	begin();
	make_folder("bin");
	scratch_put("bin/p", main, sizeof(*main));
	dwfl_report_begin(dwfl);
	module = dwfl_report_elf(dwfl, "p", scratch_path("bin/p"), -1, 0, true);
	assert_non_null(module);
	dwfl_report_end(dwfl, NULL, NULL);
	fd = debug_search_of(&search, module, scratch_path("bin/p"), link, sum, &path);
	strcpy(result, fd >= 0 ? path : "-");
	if (fd >= 0)
		close(fd);
	free(path);
	dwfl_end(dwfl);
	return result;
}

/* The file was refused for REASON; -1: none was. */
static void check_refused(int reason)
{
	CHECK_EQ(search.refused.path ? (int)search.refused.reason : -1, reason);
}

TEST(by_build_id_the_first_right_one_in_the_folders)
{
	const struct object main = object_of(0x11, ""), other = object_of(0x22, "");
	struct object cut = main;

	CHECK_STR(found_of(&main, NULL, 0), "-");
	check_refused(-1);
	put_by_id("b", &main);
	CHECK_STR(found_of(&main, NULL, 0),
		  scratch_path("b/.build-id/11/12131415161718.debug"));
	check_refused(-1);
	put_by_id("a", &other);
	CHECK_STR(found_of(&main, NULL, 0),
		  scratch_path("b/.build-id/11/12131415161718.debug"));
	check_refused(DEBUG_OTHER_BUILD);
	CHECK_EQ(search.refused.id.byte[0], 0x22);
	cut.header.e_shoff += 1;
	put_by_id("a", &cut);
	found_of(&main, NULL, 0);
	check_refused(DEBUG_TRUNCATED);
	put_by_id("a", &main);
	CHECK_STR(found_of(&main, NULL, 0),
		  scratch_path("a/.build-id/11/12131415161718.debug"));
}

TEST(what_is_no_debug_file_is_passed_over_and_not_waited_for)
{
	const struct object main = object_of(0x11, "");
	char *path = strdup(put_by_id("a", &main));

	put_by_id("b", &main);
	scratch_put("a/.build-id/11/12131415161718.debug", "text", 4);
	CHECK_STR(found_of(&main, NULL, 0),
		  scratch_path("b/.build-id/11/12131415161718.debug"));
	check_refused(DEBUG_NO_ELF);
	CHECK_EQ(unlink(path), 0);
	CHECK_EQ(mkfifo(path, 0600), 0);
	alarm(20); /* whoever waits for its writer ends here */
	CHECK_STR(found_of(&main, NULL, 0),
		  scratch_path("b/.build-id/11/12131415161718.debug"));
	alarm(0);
	check_refused(DEBUG_NO_ELF);
	CHECK_EQ(unlink(path), 0);
	CHECK_EQ(symlink(path, path), 0);
	found_of(&main, NULL, 0);
	check_refused(DEBUG_UNREADABLE);
	CHECK_EQ(search.refused.error, ELOOP);
	free(path);
}

/* Beside the program, in .debug there, and below the folders. */
TEST(the_places_of_a_link)
{
	const struct object main = object_of(0x11, "");
	struct object brief = main;
	char path[PATH_MAX] = "b", *slash;

	begin();
	make_folder("b");
	/* /tmp/.../b/tmp/.../bin */
	for (slash = scratch; (slash = strchr(slash + 1, '/'));) {
		snprintf(path, sizeof(path), "b%.*s", (int)(slash - scratch), scratch);
		make_folder(path);
	}
	snprintf(path, sizeof(path), "b%s", scratch);
	make_folder(path);
	strcat(path, "/bin");
	make_folder(path);
	strcat(path, "/p.debug");
	scratch_put(path, &main, sizeof(main));
	CHECK_STR(found_of(&main, "p.debug", 0), scratch_path(path));
	make_folder("bin/.debug");
	scratch_put("bin/.debug/p.debug", &main, sizeof(main));
	CHECK_STR(found_of(&main, "p.debug", 0), scratch_path("bin/.debug/p.debug"));
	scratch_put("bin/p.debug", &main, sizeof(main));
	CHECK_STR(found_of(&main, "p.debug", 0), scratch_path("bin/p.debug"));
	CHECK_STR(found_of(&main, "q.debug", 0), "-");
	CHECK_STR(found_of(&main, NULL, 0), "-");
	/* A build-id that goes on is another one. */
	brief.note.header.n_descsz = ID_SIZE / 2;
	CHECK_STR(found_of(&brief, "p.debug", 0), "-");
	check_refused(DEBUG_OTHER_BUILD);
	/* Its own file is not meant. */
	CHECK_STR(found_of(&main, "p", 0), "-");
	check_refused(-1);
}

TEST(without_a_build_id_the_sum_of_the_file_decides)
{
	struct object main = object_of(0x11, ""), debug = object_of(0x33, "debug");
	uint32_t sum;

	main.note.header.n_type = debug.note.header.n_type = 0;
	sum = lzma_crc32((const uint8_t *)&debug, sizeof(debug), 0);
	/* Everybody's example of this sum. */
	CHECK_EQ(lzma_crc32((const uint8_t *)"123456789", 9, 0), 0xcbf43926);
	make_folder("bin");
	scratch_put("bin/p.debug", &debug, sizeof(debug));
	CHECK_STR(found_of(&main, "p.debug", sum), scratch_path("bin/p.debug"));
	CHECK_STR(found_of(&main, "p.debug", sum + 1), "-");
	check_refused(DEBUG_OTHER_SUM);
}

TEST(what_others_may_write_beside_a_program_is_not_believed)
{
	const struct object main = object_of(0x11, "");

	make_folder("bin");
	scratch_put("bin/p.debug", &main, sizeof(main));
	CHECK_EQ(chmod(scratch_path("bin/p.debug"), 0602), 0);
	CHECK_STR(found_of(&main, "p.debug", 0), "-");
	check_refused(DEBUG_DISTRUSTED);
	assert_non_null(search.refused.why);
	/* In the folders of debug files it is for those who named them to judge. */
	CHECK_EQ(chmod(put_by_id("a", &main), 0602), 0);
	CHECK_STR(found_of(&main, "p.debug", 0),
		  scratch_path("a/.build-id/11/12131415161718.debug"));
}

/* What is found for the build-id, of which SIZE bytes are known. */
static const char *found_by(size_t size)
{
	struct build_id id = { .size = size };
	static char result[PATH_MAX];
	char *path = NULL;
	int fd;

	for (size_t i = 0; i < size; i++)
		id.byte[i] = (uint8_t)(0x11 + i);
	begin();
	fd = debug_search_by_id(&search, &callbacks, &id, &path);
	strcpy(result, fd >= 0 ? path : "-");
	if (fd >= 0)
		close(fd);
	free(path);
	return result;
}

TEST(a_build_id_alone_may_be_the_beginning_of_one)
{
	const struct object main = object_of(0x11, "");
	char *path = strdup(put_by_id("b", &main)), other[PATH_MAX];

	CHECK_STR(found_by(ID_SIZE), path);
	CHECK_STR(found_by(4), path);
	strcpy(other, path);
	strcpy(strrchr(other, '/'), "/12131499999999.debug");
	CHECK_EQ(link(path, other), 0);
	CHECK_STR(found_by(3), "-"); /* which of the two? */
	CHECK_STR(found_by(5), path);
	/* A program, by its whole build-id as a name, where there is no debug file. */
	CHECK_EQ(unlink(path), 0);
	strcpy(strrchr(path, '/'), "/12131415161718");
	CHECK_EQ(rename(other, path), 0);
	CHECK_STR(found_by(ID_SIZE), path);
	CHECK_STR(found_by(5), "-");
	free(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SCRATCH_TEST(by_build_id_the_first_right_one_in_the_folders),
		SCRATCH_TEST(what_is_no_debug_file_is_passed_over_and_not_waited_for),
		SCRATCH_TEST(the_places_of_a_link),
		SCRATCH_TEST(without_a_build_id_the_sum_of_the_file_decides),
		SCRATCH_TEST(what_others_may_write_beside_a_program_is_not_believed),
		SCRATCH_TEST(a_build_id_alone_may_be_the_beginning_of_one),
	};

	return cmocka_run_group_tests_name("debug_search", tests, NULL, NULL);
}
