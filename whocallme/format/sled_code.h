/* SPDX-License-Identifier: MIT */
/* sled_code.h - tells by its code which NOPs of a function a call can take the place of.
 *
 * The trace asks it of code that is loaded and patches what it finds; the command asks it
 * of files, and says of functions that have no sled why.
 */
#ifndef WCM_FORMAT_SLED_CODE_H
#define WCM_FORMAT_SLED_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/arch/arch.h"

/* As many bytes of a function's code are looked at. */
enum { WCM_SLED_CODE = 96 };

enum wcm_sled_state {
	WCM_SLED_FOUND,
	WCM_SLED_NO_NOPS, /* where a sled would be is other code */
	WCM_SLED_SHORT,   /* there are NOPs, of fewer bytes than a call */
};

struct wcm_sled_code {
	size_t at;     /* bytes of code in front of it */
	size_t size;   /* of its NOPs that the call takes; where it is short, of all */
	bool at_entry; /* else behind the instructions that make the frame */
};

/* What is at CODE, the address of a sled in the compiler's list. */
enum wcm_sled_state wcm__sled_code_listed(const uint8_t *code, size_t size,
					  struct wcm_sled_code *sled);

/* What the function has that begins with CODE.  IS_LISTED: the compiler has listed sleds in
 * its module, which are at entries alone. */
enum wcm_sled_state wcm__sled_code_named(const uint8_t *code, size_t size, bool is_listed,
					 struct wcm_sled_code *sled);

/* What the function has that begins with the SIZE bytes of CODE, which have been asked for by
 * the above in vain, and that FRONT bytes of NOPs are in front of, listed by the compiler. */
enum wcm_sled_state wcm__sled_code_front(const uint8_t *code, size_t front, size_t size,
					 struct wcm_sled_front *sled);

/* How many bytes of CODE, with which a function begins, say that it may be called
 * indirectly: a listed sled is behind them. */
size_t wcm__sled_code_landing(const uint8_t *code, size_t size);

/* How many bytes the NOP has that CODE begins with; 0: it is none. */
size_t wcm__sled_code_nop(const uint8_t *code, size_t size);

/* Whether CODE, which is in front of a function, is NOPs alone. */
bool wcm__sled_code_is_nops(const uint8_t *code, size_t size);

#endif
