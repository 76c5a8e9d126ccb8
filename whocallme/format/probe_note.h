/* SPDX-License-Identifier: MIT */
/* probe_note.h (SAFE) - reads the notes of static probes (.note.stapsdt). */
#ifndef WCM_FORMAT_PROBE_NOTE_H
#define WCM_FORMAT_PROBE_NOTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A probe.  Addresses are those of link time; the three texts lie in the section, in this order,
 * each with a zero byte at its end. */
struct wcm_probe_note {
	uint64_t at;        /* of its NOP */
	uint64_t base;      /* where .stapsdt.base was when it was linked */
	uint64_t semaphore; /* 0: none */
	const char *provider, *name, *values;
};

/* The next note of a probe in the SIZE bytes at NOTES, *OFFSET of which have been read, of a file
 * whose addresses have WORD bytes, 4 or 8, in this CPU's order.  False: there is none, or what is
 * there is damaged. */
bool wcm__probe_note_next(const uint8_t *notes, size_t size, size_t word, size_t *offset,
			  struct wcm_probe_note *note);

/* A value of a probe, and where it is, as LENGTH bytes of an assembler's text. */
struct wcm_probe_value {
	int size; /* in bytes; negative: the value has a sign */
	bool is_float;
	const char *place;
	size_t length;
};

/* The next of *VALUES, "-4@%REGISTER 8@8(%REGISTER)", which is moved on behind it.  False: there is
 * none, or what is there is no value. */
bool wcm__probe_value_next(const char **values, struct wcm_probe_value *value);

#endif
