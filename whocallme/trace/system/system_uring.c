/* SPDX-License-Identifier: MIT */
/* system_uring.c (SAFE) - structs of io_uring, and what io_uring_register() takes.
 *
 * The numbers are the kernel's ABI: system_calls.list has those that are newer than the system's
 * headers, too.
 */
#include "trace/system/system_kinds.h"

#include <string.h>
#include <sys/uio.h>

#include "trace/system/system_tables.h"

WCM_GROUP(uring_setup);
WCM_GROUP(uring_feature);

/* As the kernel's struct io_uring_params, of words: SQ and CQ are offsets in what is mapped. */
struct params {
	uint32_t sq_entries, cq_entries, flags, sq_thread_cpu, sq_thread_idle, features, wq_fd;
	uint32_t reserved[3];
	uint32_t sq[10], cq[10];
};

enum { ATTACH_WQ = 1 << 5, REGISTER_BUFFERS = 0, REGISTER_FILES = 2, REGISTER_EVENTFD = 4,
       REGISTER_EVENTFD_ASYNC = 7 };

static void put_setup(struct wcm_words *words, uint64_t flags)
{
	wcm__system_group(words, wcm__group_uring_setup, flags);
}

static void put_features(struct wcm_words *words, uint64_t features)
{
	wcm__system_group(words, wcm__group_uring_feature, features);
}

static void put_ring(struct wcm_words *words, const char *const name[7], const uint32_t *offset)
{
	for (int i = 0; i < 7; i++)
		wcm__system_member(words, name[i], offset[i], wcm__system_signed);
	wcm__words_text(words, "}");
}

static void put_given(struct wcm_words *words, const struct params *params)
{
	wcm__system_member(words, "{flags=", params->flags, put_setup);
	wcm__system_member(words, ", sq_thread_cpu=", params->sq_thread_cpu, wcm__system_signed);
	wcm__system_member(words, ", sq_thread_idle=", params->sq_thread_idle,
			   wcm__system_signed);
	if (params->flags & ATTACH_WQ)
		wcm__system_member(words, ", wq_fd=", params->wq_fd, wcm__system_id);
}

/* What the kernel has not changed is there, too, where the call has failed. */
void wcm__system_put_uring_params(const struct wcm_system_value *value)
{
	static const char *const sq[] = { ", sq_off={head=", ", tail=", ", ring_mask=",
					  ", ring_entries=", ", flags=", ", dropped=", ", array=" };
	static const char *const cq[] = { ", cq_off={head=", ", tail=", ", ring_mask=",
					  ", ring_entries=", ", overflow=", ", cqes=", ", flags=" };
	struct wcm_system_value now = *value;
	struct wcm_words *words = value->words;
	struct params params;

	now.is_later = false;
	if (!wcm__system_fetch(&now, &params, sizeof(params)))
		return;
	put_given(words, &params);
	if (value->is_done) {
		wcm__system_member(words, ", sq_entries=", params.sq_entries, wcm__system_signed);
		wcm__system_member(words, ", cq_entries=", params.cq_entries, wcm__system_signed);
		wcm__system_member(words, ", features=", params.features, put_features);
		put_ring(words, sq, params.sq);
		put_ring(words, cq, params.cq);
	}
	wcm__words_text(words, "}");
}

static void put_buffer(const struct wcm_system_value *value, const void *element)
{
	struct iovec buffer;

	memcpy(&buffer, element, sizeof(buffer));
	wcm__system_member(value->words, "{iov_base=", (uintptr_t)buffer.iov_base,
			   wcm__system_address);
	wcm__words_text(value->words, ", iov_len=");
	wcm__words_unsigned(value->words, buffer.iov_len);
	wcm__words_text(value->words, "}");
}

static void put_file(const struct wcm_system_value *value, const void *element)
{
	uint32_t file;

	memcpy(&file, element, sizeof(file));
	wcm__system_id(value->words, file);
}

/* The argument before it says what there are, the one after it how many. */
void wcm__system_put_uring_argument(const struct wcm_system_value *value)
{
	const uint32_t count = (uint32_t)wcm__system_beside(value, 1);

	switch ((uint32_t)wcm__system_beside(value, -1) & INT32_MAX) {
	case REGISTER_BUFFERS:
		wcm__system_array(value, count, sizeof(struct iovec), put_buffer);
		break;
	case REGISTER_FILES:
	case REGISTER_EVENTFD:
	case REGISTER_EVENTFD_ASYNC:
		wcm__system_array(value, count, sizeof(uint32_t), put_file);
		break;
	default:
		wcm__system_put_address(value);
	}
}
