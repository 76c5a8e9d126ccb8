/* SPDX-License-Identifier: MIT */
/* module.c (SAFE) - describes a loaded object from the headers that it has mapped.
 *
 * It reads by reads that cannot fault, and checks what it reads against the object's own segments:
 * a damaged object, or one that is being unmapped, gives a shorter description, or none, and no
 * fault.  The functions for a HELD object, which stays mapped meanwhile, read it where it lies.
 */
#include "core/modules/module.h"

#include <string.h>

#include "core/modules/headers.h"
#include "core/os/read.h"

enum { MAX_BUILD_ID = 64 };

static bool is_page_aligned(uintptr_t address)
{
	return address % WCM_PAGE == 0;
}

/* The extents of the segments.  False where they wrap or there are none. */
static bool find_extents(struct wcm_module *module,
			 const struct wcm_headers *headers)
{
	module->lo = UINTPTR_MAX;
	for (size_t i = 0; i < headers->count; i++) {
		const ElfW(Phdr) *phdr = &headers->phdr[i];
		uintptr_t lo = headers->bias + phdr->p_vaddr;
		uintptr_t hi = lo + phdr->p_memsz;

		if (phdr->p_type != PT_LOAD || phdr->p_memsz == 0)
			continue;
		if (hi < lo)
			return false;
		if (lo < module->lo)
			module->lo = lo;
		if (hi > module->hi)
			module->hi = hi;
		if ((phdr->p_flags & PF_X) && !module->text_hi) {
			module->text_lo = lo;
			module->text_hi = hi;
		}
	}
	return module->lo < module->hi;
}

/* The GNU build-id in the note segment PHDR, a sequence of notes as the gABI
 * has them.  The segment may claim more than is mapped, and who asks for the build-id
 * reads it where it lies: it is read here first. */
static bool find_build_id_note(struct wcm_module *module,
			       const struct wcm_headers *headers,
			       const ElfW(Phdr) *phdr)
{
	uintptr_t at = headers->bias + phdr->p_vaddr, end = at + phdr->p_filesz;
	const uintptr_t align = phdr->p_align == 8 ? 8 : 4;
	uint8_t id[MAX_BUILD_ID];
	struct {
		ElfW(Nhdr) note;
		char name[4];
	} head;

	while (at < end && end - at >= sizeof(head) &&
	       wcm__headers_copy(headers, at, &head, sizeof(head))) {
		/* Aligned is what is behind the name, as seen from the head: notes of 8 as
		 * linkers write them. */
		uintptr_t desc = at + ((sizeof(head.note) + head.note.n_namesz + align - 1) &
				       -align);
		uintptr_t size = (head.note.n_descsz + align - 1) & -align;

		if (head.note.n_namesz > end - at || desc > end ||
		    head.note.n_descsz > end - desc)
			return false;
		if (head.note.n_type == NT_GNU_BUILD_ID &&
		    head.note.n_namesz == sizeof(head.name) &&
		    memcmp(head.name, "GNU", sizeof(head.name)) == 0 &&
		    head.note.n_descsz <= sizeof(id) &&
		    wcm__headers_readable(headers, desc) >= head.note.n_descsz &&
		    wcm__headers_copy(headers, desc, id, head.note.n_descsz)) {
			module->build_id = (const uint8_t *)desc;
			module->build_id_size = head.note.n_descsz;
			return true;
		}
		at = desc + size;
	}
	return false;
}

static void find_build_id(struct wcm_module *module,
			  const struct wcm_headers *headers)
{
	for (size_t i = 0; i < headers->count; i++) {
		const ElfW(Phdr) *phdr = &headers->phdr[i];

		if (phdr->p_type == PT_NOTE &&
		    find_build_id_note(module, headers, phdr))
			return;
	}
}

static void set_unwind_segment(struct wcm_module *module,
			       const struct wcm_headers *headers,
			       const ElfW(Phdr) *segment)
{
	module->unwind.lo = headers->bias + segment->p_vaddr;
	module->unwind.hi = module->unwind.lo + segment->p_memsz;
	module->unwind.whole = true;
}

/* Descriptions are smaller than the code, mostly.  A library of data, of tens of megabytes,
 * has the few functions that every library has; to read all of it for these takes longer
 * than the rest of a program's start. */
static bool is_worth_a_search(const struct wcm_module *module, const ElfW(Phdr) *segment)
{
	enum { LARGE = 16 << 20, TIMES = 64 };

	return segment->p_filesz <= LARGE ||
	       segment->p_filesz / TIMES <= module->text_hi - module->text_lo;
}

static void find_bare_frames(struct wcm_module *module,
			     const struct wcm_headers *headers)
{
	for (size_t i = 0; i < headers->count; i++) {
		const ElfW(Phdr) *phdr = &headers->phdr[i];
		uintptr_t lo = headers->bias + phdr->p_vaddr, found;

		if (phdr->p_type != PT_LOAD || phdr->p_flags & PF_W ||
		    !is_worth_a_search(module, phdr))
			continue;
		found = wcm__eh_frame_search(headers, lo, lo + phdr->p_filesz);
		if (found == 0)
			continue;
		set_unwind_segment(module, headers, phdr);
		module->unwind.frames = found;
		return;
	}
}

static void find_unwind_table(struct wcm_module *module,
			      const struct wcm_headers *headers)
{
	const ElfW(Phdr) *phdr = wcm__headers_find(headers, PT_GNU_EH_FRAME);
	const ElfW(Phdr) *segment;

	if (!phdr) {
		find_bare_frames(module, headers);
		return;
	}
	segment = wcm__headers_segment(headers, headers->bias + phdr->p_vaddr);
	if (!segment)
		return;
	module->unwind.hdr = headers->bias + phdr->p_vaddr;
	if (wcm__headers_hold_frames(headers, module->unwind.hdr, segment)) {
		set_unwind_segment(module, headers, segment);
		return;
	}
	module->unwind.lo = module->lo;
	module->unwind.hi = module->hi;
}

/* All but its frame descriptions. */
static bool identify(struct wcm_module *module, struct wcm_headers *headers,
		     uintptr_t bias, const ElfW(Phdr) *phdr, size_t phnum,
		     const char *path, bool held)
{
	*module = (struct wcm_module){ .bias = bias,
				       .path = path,
				       .phdr = phdr,
				       .phnum = (uint32_t)phnum };
	if (!wcm__headers_read(headers, bias, (uintptr_t)phdr, phnum, held) ||
	    !find_extents(module, headers))
		return false;
	find_build_id(module, headers);
	wcm__dynamic_symbols(&module->dynsym, headers, module->lo, module->hi);
	return true;
}

bool wcm__module_describe(struct wcm_module *module, uintptr_t bias,
			  const ElfW(Phdr) *phdr, size_t phnum,
			  const char *path)
{
	struct wcm_headers headers;

	if (!identify(module, &headers, bias, phdr, phnum, path, false))
		return false;
	find_unwind_table(module, &headers);
	return true;
}

bool wcm__module_identify_held(struct wcm_module *module, uintptr_t bias,
			       const ElfW(Phdr) *phdr, size_t phnum,
			       const char *path)
{
	struct wcm_headers headers;

	return identify(module, &headers, bias, phdr, phnum, path, true);
}

void wcm__module_find_frames_held(struct wcm_module *module)
{
	struct wcm_headers headers;

	if (wcm__headers_read(&headers, module->bias, (uintptr_t)module->phdr,
			      module->phnum, true))
		find_unwind_table(module, &headers);
}

/* The load bias of the image at BASE.  A frame of its own, gone before the
 * headers are copied again: there may be little stack. */
__attribute__((noinline)) static bool
find_bias(uintptr_t *bias, uintptr_t base, const ElfW(Ehdr) *ehdr)
{
	struct wcm_headers headers;

	if (!wcm__headers_read(&headers, 0, base + ehdr->e_phoff, ehdr->e_phnum,
			       false))
		return false;
	for (size_t i = 0; i < headers.count; i++) {
		const ElfW(Phdr) *phdr = &headers.phdr[i];

		/* The headers are mapped where the file's first page is. */
		if (phdr->p_type == PT_LOAD && phdr->p_offset < WCM_PAGE) {
			*bias = base + phdr->p_offset - phdr->p_vaddr;
			return true;
		}
	}
	return false;
}

bool wcm__module_describe_image(struct wcm_module *module, uintptr_t base,
				const char *path)
{
	ElfW(Ehdr) ehdr;
	uintptr_t bias;

	return is_page_aligned(base) &&
	       wcm__read_memory(base, &ehdr, sizeof(ehdr)) &&
	       memcmp(ehdr.e_ident, ELFMAG, SELFMAG) == 0 &&
	       find_bias(&bias, base, &ehdr) &&
	       wcm__module_describe(module, bias,
				    (const ElfW(Phdr) *)(base + ehdr.e_phoff),
				    ehdr.e_phnum, path);
}

/* FNV-1a, of words as far as they go. */
uint64_t wcm__module_hash(uint64_t hash, const void *memory, size_t size)
{
	const uint64_t prime = 0x100000001b3u;
	const unsigned char *bytes = memory;
	uint64_t word;

	for (; size >= sizeof(word); size -= sizeof(word)) {
		memcpy(&word, bytes, sizeof(word));
		hash = (hash ^ word) * prime;
		hash ^= hash >> 32; /* the high bytes of a word move up only */
		bytes += sizeof(word);
	}
	for (; size > 0; size--)
		hash = (hash ^ *bytes++) * prime;
	return hash;
}

static uint64_t hash_memory(uint64_t hash, uintptr_t at, size_t size, bool held)
{
	unsigned char chunk[1024];

	if (held)
		return wcm__module_hash(hash, (const void *)at, size);
	while (size > 0) {
		size_t part = size < sizeof(chunk) ? size : sizeof(chunk);

		if (!wcm__read_memory(at, chunk, part))
			return ~hash;
		hash = wcm__module_hash(hash, chunk, part);
		at += part;
		size -= part;
	}
	return hash;
}

static size_t at_most_page(size_t size)
{
	return size < WCM_PAGE ? size : WCM_PAGE;
}

static uint64_t fingerprint(const struct wcm_module *module, bool held)
{
	uint64_t hash = hash_memory(WCM_MODULE_HASH,
				    (uintptr_t)module->phdr,
				    module->phnum * sizeof(*module->phdr), held);

	if (module->build_id)
		return hash_memory(hash, (uintptr_t)module->build_id,
				   module->build_id_size, held);
	/* No build-id: what is exported and how the code starts, which may be
	 * for execution alone. */
	hash = hash_memory(hash, (uintptr_t)module->dynsym.strings,
			   at_most_page(module->dynsym.strings_size), false);
	return hash_memory(hash, module->text_lo,
			   at_most_page(module->text_hi - module->text_lo),
			   false);
}

uint64_t wcm__module_fingerprint(const struct wcm_module *module)
{
	return fingerprint(module, false);
}

uint64_t wcm__module_fingerprint_held(const struct wcm_module *module)
{
	return fingerprint(module, true);
}
