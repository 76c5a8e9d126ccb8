/* SPDX-License-Identifier: MIT */
/* test_module.c - objects whose headers claim more than is mapped. */
#include "core/modules/modules.h"

#include <sys/auxv.h>
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

/* Notes of 8 and of 4 in a segment of 8, as mold makes it. */
TEST(one_behind_another_note_is_found)
{
	static const struct {
		ElfW(Nhdr) head;
		char name[4];
		uint8_t property[16];
		struct note note;
	} notes = {
		.head = { .n_namesz = 4, .n_descsz = 16, .n_type = NT_GNU_PROPERTY_TYPE_0 },
		.name = "GNU",
		.note = { .head = { .n_namesz = 4, .n_descsz = ID, .n_type = NT_GNU_BUILD_ID },
			  .name = "GNU" },
	};
	const ElfW(Phdr) phdr[] = {
		{ .p_type = PT_LOAD, .p_flags = PF_R, .p_memsz = sizeof(notes),
		  .p_filesz = sizeof(notes) },
		{ .p_type = PT_NOTE, .p_flags = PF_R, .p_memsz = sizeof(notes),
		  .p_filesz = sizeof(notes), .p_align = 8 },
	};
	struct wcm_module module;

	CHECK(wcm__module_describe(&module, (uintptr_t)&notes, phdr, 2, ""));
	CHECK(module.build_id == notes.note.id);
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

/* Of an object with SEGMENTS, a page each, that have the flags of FLAGS. */
static struct wcm_module describe_segments(const uint32_t *flags, size_t segments)
{
	static unsigned char image[4096];
	struct wcm_module module;
	ElfW(Phdr) phdr[4];

	for (size_t i = 0; i < segments; i++)
		phdr[i] = (ElfW(Phdr)){ .p_type = PT_LOAD, .p_flags = flags[i],
					.p_vaddr = 4096 * i, .p_memsz = 4096 };
	CHECK(wcm__module_describe(&module, (uintptr_t)image, phdr, segments, ""));
	module.lo -= (uintptr_t)image;
	module.hi -= (uintptr_t)image;
	if (module.text_hi) {
		module.text_lo -= (uintptr_t)image;
		module.text_hi -= (uintptr_t)image;
	}
	return module;
}

TEST(the_text_is_the_first_segment_with_code)
{
	static const uint32_t flags[] = { PF_R, PF_R | PF_X, PF_R, PF_R | PF_X };
	struct wcm_module module = describe_segments(flags, 4);

	CHECK_EQ(module.lo, 0);
	CHECK_EQ(module.hi, 4 * 4096);
	CHECK_EQ(module.text_lo, 4096);
	CHECK_EQ(module.text_hi, 2 * 4096);
	CHECK_EQ(describe_segments(flags, 1).text_hi, 0);
}

TEST(the_vdso_is_one_from_its_first_byte_to_its_last)
{
	const uintptr_t vdso = getauxval(AT_SYSINFO_EHDR);
	struct wcm_module module;

	if (!vdso)
		SKIP("the kernel maps none");
	CHECK(wcm__module_find_live(&module, vdso));
	CHECK_EQ(module.lo, vdso);
	CHECK(wcm__module_find_live(&module, module.hi - 1));
	CHECK_EQ(module.lo, vdso);
	CHECK(!wcm__module_find_live(&module, module.hi) || module.lo != vdso);
	CHECK(!wcm__module_find_live(&module, vdso - 1) || module.lo != vdso);
}

RUN(the_text_is_the_first_segment_with_code,
    the_vdso_is_one_from_its_first_byte_to_its_last, a_build_id_is_found,
    one_behind_another_note_is_found,
    one_that_cannot_be_read_is_none)
