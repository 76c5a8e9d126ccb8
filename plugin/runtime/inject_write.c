/* SPDX-License-Identifier: MIT */
/* inject_write.c - the line of an event.
 *
 *	ev=entry fn=NAME ip=0xIP tid=0xTID
 *
 * The caller brings the line up to the digits of IP.  A line goes out by one writev(2), and as
 * one part unless the name is long: the kernel takes one part in less time than two.
 */
#include "inject_runtime.h"

#include "inject_entry.h"

enum { DIGITS = 16, SHORT_PREFIX = 200 };

/* Not written to its end, for want of room: the next line ends it first. */
static int is_torn;

/* Half of the digits of a number.  Of HALF, each four bits become a byte, the highest first. */
static inline char *put_half(char *to, uint64_t half)
{
	const uint64_t ones = UINT64_C(0x0101010101010101);

	half = half >> 16 | (half & 0xffff) << 32;
	half = (half >> 8 & UINT64_C(0xff000000ff)) | (half & UINT64_C(0xff000000ff)) << 16;
	half = (half >> 4 & ones * 15 & UINT64_C(0x00ff00ff00ff00ff)) |
	       (half & ones * 15 & UINT64_C(0x00ff00ff00ff00ff)) << 8;
	half += ones * '0' + ((half + ones * 6) >> 4 & ones) * ('a' - '0' - 10);
	__builtin_memcpy(to, &half, sizeof(half));
	return to + sizeof(half);
}

static inline char *put_digits(char *to, uint64_t number)
{
	return put_half(put_half(to, number >> 32), number & UINT32_MAX);
}

/* By words: a loop of bytes would be made a call of memcpy(). */
static inline char *put_prefix(char *to, const char *from, unsigned length)
{
	uint64_t word;

	for (; length >= sizeof(word); length -= (unsigned)sizeof(word)) {
		__builtin_memcpy(&word, from, sizeof(word));
		__builtin_memcpy(to, &word, sizeof(word));
		from += sizeof(word);
		to += sizeof(word);
	}
	for (; length > 0; length--) {
		*to++ = *from++;
		__asm__("" : "+r"(to));
	}
	return to;
}

/* What WCM_ARCH_INJECT_ENTRY() calls. */
INJECT_SHARED __attribute__((used)) void wcm__inject_event(const char *prefix, unsigned length,
							   unsigned long ip, unsigned long caller);

void wcm__inject_event(const char *prefix, unsigned length, unsigned long ip, unsigned long caller)
{
	static const char before_tid[] = { ' ', 't', 'i', 'd', '=', '0', 'x' };
	const bool is_short = length <= SHORT_PREFIX;
	char line[1 + SHORT_PREFIX + 2 * DIGITS + sizeof(before_tid) + 1], *tail = line + 1, *end;
	const inject_place place = wcm__inject_place();
	struct iovec parts[3];
	int count = 0, torn;
	enum inject_done done;

	if (place == 0)
		return;
	if (is_short)
		tail = put_prefix(tail, prefix, length);
	end = put_digits(tail, ip ? ip : caller);
	end = put_prefix(end, before_tid, sizeof(before_tid));
	end = put_digits(end, (unsigned long)WCM_SYSCALL(SYS_gettid));
	*end++ = '\n';
	line[0] = '\n';
	torn = __atomic_load_n(&is_torn, __ATOMIC_RELAXED) &&
	       __atomic_exchange_n(&is_torn, 0, __ATOMIC_RELAXED);
	if (is_short) {
		tail = line + !torn;
	} else {
		parts[count++] = (struct iovec){ line, (size_t)torn };
		parts[count++] = (struct iovec){ (void *)prefix, length };
	}
	parts[count++] = (struct iovec){ tail, (size_t)(end - tail) };
	done = wcm__inject_put(place, parts, count);
	if (done == INJECT_CUT || (torn && done == INJECT_NOTHING))
		__atomic_store_n(&is_torn, 1, __ATOMIC_RELAXED);
}

/* Append a line to the log: PREFIX of LENGTH bytes, the digits of IP, or of where this returns to
 * where IP is 0, and the thread.  All registers are kept, and errno. */
WCM_ARCH_INJECT_ENTRY(__inject_trace_write, wcm__inject_event);
