/* SPDX-License-Identifier: MIT */
/* library_kinds.c (SAFE) - knows functions that are not to be told of, or not of their ends. */
#include "trace/source/got/library_kinds.h"

#include <stddef.h>

#include "format/glob.h"

bool wcm__library_choose(const char *list, const char *name, uint64_t *seen)
{
	size_t size = 0;

	while (name[size])
		size++;
	return wcm__globs_choose(list, name, size, "", seen);
}

bool wcm__library_is_of(const char *list, const char *name)
{
	uint64_t seen = 0;

	return wcm__library_choose(list, name, &seen);
}

bool wcm__library_is_ours(const char *name)
{
	static const char ours[] =
		"__cyg_profile_func_*,wcm_*,who_call_me*,full_backtrace*,init_function_table,"
		"find_function_by_addr,mcount,_mcount,__fentry__,__gmon_start__,_ITM_*";

	return wcm__library_is_of(ours, name);
}

bool wcm__library_opens(const char *name)
{
	return wcm__library_is_of("dlopen,dlmopen", name);
}

bool wcm__library_keeps_return(const char *name)
{
	static const char twice[] =
		"setjmp,_setjmp,__setjmp,sigsetjmp,__sigsetjmp*,vfork,__vfork,savectx,"
		"getcontext,__getcontext,clone,__clone";
	static const char elsewhere_or_never[] =
		"setcontext,__setcontext,swapcontext,__swapcontext,longjmp,_longjmp,__longjmp*,"
		"siglongjmp,_exit,_Exit,exit,quick_exit,abort,__abort*,__assert*,__*chk_fail,"
		"pthread_exit,thrd_exit,__cxa_throw,__cxa_rethrow,__cxa_bad_*,__cxa_call_*,"
		"_Unwind_*,_ZSt9terminatev,_ZSt*__throw_*,__pthread_unwind*,err,errx,verr,verrx,"
		"sigreturn";
	static const char asks_for_it[] =
		"dlopen,dlmopen,dlsym,dlvsym,dladdr*,dl_iterate_phdr,dlerror,backtrace,"
		"__libc_start_main*,__tls_get_addr";

	return wcm__library_is_of(twice, name) || wcm__library_is_of(elsewhere_or_never, name) ||
	       wcm__library_is_of(asks_for_it, name);
}
