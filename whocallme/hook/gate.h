/* SPDX-License-Identifier: MIT */
/* gate.h - the one test an instrumented call makes while nothing is traced. */
#ifndef WCM_HOOK_GATE_H
#define WCM_HOOK_GATE_H

#include <stdbool.h>

/* Where the pairs go, once open. */
struct wcm_gate {
	bool open;
	int fd;
};

extern struct wcm_gate wcm__gate;

static inline bool wcm__gate_is_open(void)
{
	return __builtin_expect(
		__atomic_load_n(&wcm__gate.open, __ATOMIC_ACQUIRE), 0);
}

#endif
