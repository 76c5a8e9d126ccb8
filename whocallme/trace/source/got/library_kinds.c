/* SPDX-License-Identifier: MIT */
/* library_kinds.c - which functions are not to be told of, or not of their ends. */
#include "trace/source/got/library_kinds.h"

#include <stddef.h>
#include <string.h>

/* A name that ends with * is a beginning. */
static bool is_of(const char *const list[], const char *name)
{
	for (; *list; list++) {
		const size_t length = strlen(*list);

		if ((*list)[length - 1] == '*' ? strncmp(*list, name, length - 1) == 0 :
						 strcmp(*list, name) == 0)
			return true;
	}
	return false;
}

bool wcm__library_is_ours(const char *name)
{
	static const char *const ours[] = {
		"__cyg_profile_func_*", "wcm_*", "who_call_me*", "full_backtrace*",
		"init_function_table", "find_function_by_addr", "mcount", "_mcount",
		"__fentry__", "__gmon_start__", "_ITM_*", NULL,
	};

	return is_of(ours, name);
}

bool wcm__library_opens(const char *name)
{
	return strcmp(name, "dlopen") == 0 || strcmp(name, "dlmopen") == 0;
}

bool wcm__library_keeps_return(const char *name)
{
	static const char *const keep[] = {
		/* twice */
		"setjmp", "_setjmp", "__setjmp", "sigsetjmp", "__sigsetjmp", "__sigsetjmp_*",
		"vfork", "__vfork", "savectx", "getcontext", "__getcontext", "clone", "__clone",
		/* elsewhere or never */
		"setcontext", "swapcontext", "__setcontext", "__swapcontext", "longjmp",
		"_longjmp", "__longjmp*", "siglongjmp", "_exit", "_Exit", "exit", "quick_exit",
		"abort", "__abort*", "__assert*", "__stack_chk_fail", "__*chk_fail",
		"pthread_exit", "thrd_exit", "__cxa_throw", "__cxa_rethrow", "__cxa_bad_*",
		"__cxa_call_*", "_Unwind_*", "_ZSt9terminatev", "_ZSt*__throw_*",
		"__pthread_unwind*", "err", "errx", "verr", "verrx",
		/* by whom they are called is what they go by */
		"dlopen", "dlmopen", "dlsym", "dlvsym", "dladdr*", "dl_iterate_phdr", "dlerror",
		"backtrace", "__builtin_return_address", "__libc_start_main*", "__tls_get_addr",
		"sigreturn", NULL,
	};

	return is_of(keep, name);
}
