/* SPDX-License-Identifier: MIT */
/* sled_code.h (SAFE) - tells by its code which NOPs of a function a call can take the place of, or
 * which call.
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

/* Whether the CPU's port knows sleds at all. */
bool wcm__sled_code_has_port(void);

/* Whether what functions with sleds are given is known. */
bool wcm__sled_code_tells_values(void);

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

/* What calls of the profiler, as -pg makes them, lead to in a module: functions, and slots
 * that hold the address of one in another module. */
enum { WCM_SLED_PROFILERS = 16 };
struct wcm_sled_profilers {
	uint64_t at[WCM_SLED_PROFILERS];
	size_t count;
};

/* The profiler's names. */
enum { WCM_SLED_PROFILER_NAMES = 3 };
extern const char *const wcm__sled_profiler_names[WCM_SLED_PROFILER_NAMES];

/* Whether NAME, which has no version and for which there are SIZE bytes, is one of them. */
bool wcm__sled_code_profiles(const char *name, size_t size);

/* ADDRESS becomes one of PROFILERS. */
void wcm__sled_code_add_profiler(struct wcm_sled_profilers *profilers, uint64_t address);

/* Copy up to SIZE bytes of the code at ADDRESS of OF's module.  Returns how many. */
typedef size_t wcm_sled_reader(const void *of, uint64_t address, uint8_t *code, size_t size);

/* The call of one of PROFILERS in the function at ADDRESS, which begins with CODE.  READ is
 * for linkage stubs.  SLED stays as it is where there is none. */
enum wcm_sled_state wcm__sled_code_call(const uint8_t *code, size_t size, uint64_t address,
					const struct wcm_sled_profilers *profilers,
					wcm_sled_reader *read, const void *of,
					struct wcm_sled_code *sled);

/* How many bytes the call of a profiler has that CODE, a sled, begins with; 0: it is none. */
size_t wcm__sled_code_call_size(const uint8_t *code, size_t size);

/* How many bytes of CODE, with which a function begins, say that it may be called
 * indirectly: a listed sled is behind them. */
size_t wcm__sled_code_landing(const uint8_t *code, size_t size);

/* How many bytes the NOP has that CODE begins with; 0: it is none. */
size_t wcm__sled_code_nop(const uint8_t *code, size_t size);

/* Whether CODE, which is in front of a function, is NOPs alone. */
bool wcm__sled_code_is_nops(const uint8_t *code, size_t size);

#endif
