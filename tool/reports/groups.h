/* SPDX-License-Identifier: MIT */
/* groups.h - counts equal crashes and lists them. */
#ifndef WCM_TOOL_GROUPS_H
#define WCM_TOOL_GROUPS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where a report was read: FILE lives as long as the groups. */
struct report_origin {
	const char *file;
	size_t line; /* from 1 */
};

struct groups;

/* NULL when out of memory. */
struct groups *groups_new(void);
void groups_free(struct groups *groups);

/* Count REPORT, whose signature is HASH of FRAMES; FRAMES is taken over.  False when
 * out of memory. */
bool groups_add(struct groups *groups, const json_t *report, json_t *frames,
		uint64_t hash, const struct report_origin *origin);

/* Print the groups to stdout, the most frequent ones first, of the same count by hash,
 * no more than TOP of them: as a table, or a JSON object a line. */
void groups_print(const struct groups *groups, size_t top);
void groups_print_json(const struct groups *groups, size_t top);

#endif
