/* SPDX-License-Identifier: MIT */
/* headers.c (SAFE) - reads an object's program headers, and tells what lies in its segments. */
#include "core/modules/headers.h"

#include <stddef.h>
#include <string.h>

#include "core/modules/eh_pe.h"
#include "core/os/read.h"

/* What is held is read where it is mapped: asking the kernel takes a hundred times
 * as long. */
static bool read_memory(bool held, uintptr_t address, void *buf, size_t size)
{
	if (!held)
		return wcm__read_memory(address, buf, size);
	memcpy(buf, (const void *)address, size);
	return true;
}

bool wcm__headers_read(struct wcm_headers *headers, uintptr_t bias,
		       uintptr_t phdr, size_t phnum, bool held)
{
	headers->bias = bias;
	headers->count = phnum < WCM_MAX_PHDRS ? phnum : WCM_MAX_PHDRS;
	headers->held = held;
	return headers->count > 0 &&
	       read_memory(held, phdr, headers->phdr,
			   headers->count * sizeof(*headers->phdr));
}

const ElfW(Phdr) *wcm__headers_find(const struct wcm_headers *headers,
				    ElfW(Word) type)
{
	for (size_t i = 0; i < headers->count; i++)
		if (headers->phdr[i].p_type == type)
			return &headers->phdr[i];
	return NULL;
}

const ElfW(Phdr) *wcm__headers_segment(const struct wcm_headers *headers,
				       uintptr_t address)
{
	for (size_t i = 0; i < headers->count; i++) {
		const ElfW(Phdr) *phdr = &headers->phdr[i];
		uintptr_t lo = headers->bias + phdr->p_vaddr;

		if (phdr->p_type == PT_LOAD && (phdr->p_flags & PF_R) &&
		    address >= lo && address - lo < phdr->p_memsz)
			return phdr;
	}
	return NULL;
}

size_t wcm__headers_readable(const struct wcm_headers *headers,
			     uintptr_t address)
{
	const ElfW(Phdr) *phdr = wcm__headers_segment(headers, address);

	return phdr ? phdr->p_memsz - (address - headers->bias - phdr->p_vaddr)
		    : 0;
}

bool wcm__headers_copy(const struct wcm_headers *headers, uintptr_t address,
		       void *buf, size_t size)
{
	return read_memory(headers->held && wcm__headers_readable(
						    headers, address) >= size,
			   address, buf, size);
}

bool wcm__headers_hold_frames(const struct wcm_headers *headers, uintptr_t hdr,
			      const ElfW(Phdr) *segment)
{
	const uintptr_t lo = headers->bias + segment->p_vaddr;
	struct {
		uint8_t version, frames_encoding, others[2];
		int32_t frames;
	} head;
	uintptr_t at;

	if (!wcm__headers_copy(headers, hdr, &head, sizeof(head)) ||
	    head.frames_encoding != WCM_EH_PE_PCREL_SDATA4)
		return false;
	at = hdr + offsetof(__typeof__(head), frames) + (uintptr_t)(intptr_t)head.frames;
	return at >= lo && at - lo < segment->p_memsz;
}
