/* SPDX-License-Identifier: MIT */
/* hooks.h - what a library of hooks defines; each contender is one, preloaded. */
#ifndef BENCH_HOOKS_H
#define BENCH_HOOKS_H

void __cyg_profile_func_enter(void *func, void *site);
void __cyg_profile_func_exit(void *func, void *site);

#endif
