/* SPDX-License-Identifier: MIT */
/* descriptor.h (SAFE) - checks that the report's descriptor still is the file that it was at
 * install.
 */
#ifndef WCM_FILES_DESCRIPTOR_H
#define WCM_FILES_DESCRIPTOR_H

#include <stdbool.h>
#include <stdint.h>

/* What a descriptor leads to. */
struct wcm_descriptor {
	int fd;
	enum { WCM_DESCRIPTOR_UNKNOWN, WCM_DESCRIPTOR_CLOSED, WCM_DESCRIPTOR_OPEN } state;
	unsigned type; /* of file, as in st_mode */
	uint64_t device, inode;
	bool has_birth; /* when the file was made is known: an inode is used again */
	int64_t born;
	uint32_t born_ns;
};

/* Note what FD leads to at this moment. */
void wcm__descriptor_note(struct wcm_descriptor *noted, int fd);

/* Whether the descriptor leads to something else now.  Where the kernel does not say, it
 * does not. */
bool wcm__descriptor_is_another(const struct wcm_descriptor *noted);

/* Open the terminal that the process belongs to, for the caller to close; -1: there is
 * none. */
int wcm__descriptor_terminal(void);

/* Whether FD is a terminal at this moment. */
bool wcm__is_terminal(int fd);

#endif
