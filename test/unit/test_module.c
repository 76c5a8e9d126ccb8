/* SPDX-License-Identifier: MIT */
/* test_module.c - objects whose headers claim more than is mapped. */
#include "symbols/modules.h"

#include <sys/mman.h>
#include <unistd.h>

#include "support/check.h"

enum { PAGES = 2, ID = 20 };

/* As objects have it. */
struct note {
	ElfW(Nhdr) head;
	char name[4];
	uint8_t id[ID];
};

/* Describe an object of two pages, the second of which cannot be read, whose note lies
 * so that its last CUT bytes are there. */
static bool describe(struct wcm_module *module, size_t cut)
{
	const struct note note = {
		.head = { .n_namesz = 4, .n_descsz = ID, .n_type = NT_GNU_BUILD_ID },
		.name = "GNU",
	};
	const size_t page = (size_t)sysconf(_SC_PAGESIZE), at = page - sizeof(note) + cut;
	unsigned char *image = mmap(NULL, PAGES * page, PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	const ElfW(Phdr) phdr[] = {
		{ .p_type = PT_LOAD, .p_flags = PF_R, .p_memsz = PAGES * page,
		  .p_filesz = PAGES * page },
		{ .p_type = PT_NOTE, .p_flags = PF_R, .p_vaddr = at,
		  .p_memsz = sizeof(note), .p_filesz = sizeof(note), .p_align = 4 },
	};
	bool described;

	CHECK(image != MAP_FAILED);
	memcpy(image + at, &note, sizeof(note));
	CHECK(mprotect(image + page, page, PROT_NONE) == 0);
	described = wcm__module_describe(module, (uintptr_t)image, phdr, 2, "");
	CHECK(munmap(image, PAGES * page) == 0);
	return described;
}

TEST(a_build_id_is_found)
{
	struct wcm_module module;

	CHECK(describe(&module, 0));
	CHECK_EQ(module.build_id_size, ID);
}

TEST(one_that_cannot_be_read_is_none)
{
	struct wcm_module module;

	for (size_t cut = 1; cut <= ID; cut++) {
		CHECK(describe(&module, cut));
		CHECK(module.build_id == NULL);
		CHECK_EQ(module.build_id_size, 0);
	}
}

RUN(a_build_id_is_found, one_that_cannot_be_read_is_none)
