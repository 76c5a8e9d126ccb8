/* SPDX-License-Identifier: MIT */
/* uftrace.h (SAFE) - the binary parts of a uftrace data directory, as uftrace numbers them.
 *
 * A file <tid>.dat has the records of a task in the order of their time.  Data may follow
 * a record: what the call was given, or gives back, of the kinds that "info" names for functions
 * of the name; or what the program alone knows that made them.  A value takes 4 bytes or a
 * multiple, a string its length in 2 bytes before it, and all of a record multiples of 8.  The
 * file "info" begins with a header and goes on with lines "KEY:VALUE".  The
 * command reads both where the machine that wrote them was little-endian.
 */
#ifndef WCM_FORMAT_UFTRACE_H
#define WCM_FORMAT_UFTRACE_H

#include <stdbool.h>
#include <stdint.h>

struct wcm_record {
	uint64_t time; /* nanoseconds */
	uint64_t bits;
};

/* The bits of a record, from the lowest on: 2 of type, 1 that data follow, 3 that mark a
 * record, 10 of depth, 48 of value: the function; of a loss, how many records. */
enum wcm_record_type {
	WCM_RECORD_ENTRY, WCM_RECORD_EXIT, WCM_RECORD_LOST, WCM_RECORD_EVENT,
};

enum { WCM_RECORD_MARK = 5, WCM_RECORD_DEPTHS = 1024, WCM_RECORD_MOST_DATA = 128 /* words */ };

static inline uint64_t wcm__record_bits(enum wcm_record_type type, uint32_t depth,
					uint64_t value)
{
	return type | WCM_RECORD_MARK << 3 |
	       (uint64_t)(depth % WCM_RECORD_DEPTHS) << 6 | value << 16;
}

static inline enum wcm_record_type wcm__record_type(uint64_t bits)
{
	return bits & 3;
}

static inline bool wcm__record_has_data(uint64_t bits)
{
	return bits >> 2 & 1;
}

/* BITS of a record that data follow. */
static inline uint64_t wcm__record_with_data(uint64_t bits)
{
	return bits | 1 << 2;
}

static inline bool wcm__record_is_marked(uint64_t bits)
{
	return (bits >> 3 & 7) == WCM_RECORD_MARK;
}

static inline uint32_t wcm__record_depth(uint64_t bits)
{
	return bits >> 6 & (WCM_RECORD_DEPTHS - 1);
}

static inline uint64_t wcm__record_value(uint64_t bits)
{
	return bits >> 16;
}

/* What the file "info" begins with. */
struct wcm_info_header {
	char magic[8]; /* WCM_INFO_MAGIC and a zero byte */
	uint32_t version;
	uint16_t size;
	uint8_t endian, class; /* 1 or 2: little or big; 32 or 64 bits */
	uint64_t features;
	uint64_t lines;        /* which of them follow */
	uint16_t max_stack;    /* no calls deeper than this are shown */
	uint16_t unused;
	uint32_t unused_too;
};

#define WCM_INFO_MAGIC "Ftrace!"

/* A line of ours behind the others: when the recording began, in nanoseconds of the clock that
 * records have and, after a comma, since 1970. */
#define WCM_INFO_BEGUN "begun:"

enum {
	WCM_INFO_VERSION = 4, /* that we write */
	WCM_INFO_ENDIAN = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? 1 : 2,
	WCM_INFO_BIG_ENDIAN = 2,
	WCM_INFO_CLASS = sizeof(void *) == 8 ? 2 : 1,

	WCM_FEATURE_SESSIONS = 1 << 1,
	WCM_FEATURE_ARGUMENTS = 1 << 3, /* of functions that a line names, and what they */
	WCM_FEATURE_RESULTS = 1 << 4,	/* give back */
	WCM_FEATURE_RELATIVE = 1 << 5, /* symbols are, to their module */
	WCM_FEATURE_MAX_STACK = 1 << 6,
	WCM_FEATURE_AUTOMATIC = 1 << 9,   /* values of other functions are, as files of */
	WCM_FEATURE_DEBUG_DATA = 1 << 10, /* debug data beside those of symbols say */

	WCM_INFO_EXE = 1 << 0,
	WCM_INFO_BUILD_ID = 1 << 1,
	WCM_INFO_CMDLINE = 1 << 3,
	WCM_INFO_CPU = 1 << 4,
	WCM_INFO_OS = 1 << 6,
	WCM_INFO_TASKS = 1 << 7,
	WCM_INFO_VALUES = 1 << 10,
	WCM_INFO_DATE = 1 << 11,
	WCM_INFO_PATTERNS = 1 << 12,
	WCM_INFO_WRITER = 1 << 13,
};

#endif
