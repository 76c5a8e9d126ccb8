/* SPDX-License-Identifier: MIT */
/* register_frame.c - notes the frame descriptions that a run-time registers for code that it has
 * made, by interposing __register_frame() and its like.
 *
 * They are libgcc's, which has no call that tells what it was given; in a process of LLVM's
 * libunwind they are that library's.  Interposed in the shared libraries only: in a program that
 * has libgcc in itself they are hidden.  A program need not have either: then there is nobody to
 * hand them on to.
 */
#ifdef PIC /* libtool's word for what goes into a shared library */

#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>

#include "core/unwind/registered.h"
#include "whocallme/base.h"

/* libgcc's own, which no header declares. */
struct object;

void __register_frame(void *begin);
void __register_frame_table(void *begin);
void __register_frame_info(const void *begin, struct object *object);
void __register_frame_info_bases(const void *begin, struct object *object, void *text, void *data);
void __register_frame_info_table(void *begin, struct object *object);
void __register_frame_info_table_bases(void *begin, struct object *object, void *text, void *data);
void __deregister_frame(void *begin);
void *__deregister_frame_info(const void *begin);
void *__deregister_frame_info_bases(const void *begin);

/* A library that the program has opened for itself brings libgcc where RTLD_NEXT does not look:
 * it is asked for by its name, and is not loaded for it. */
static void *find_real(const char *name)
{
	static const char *const libraries[] = { "libgcc_s.so.1", "libunwind.so.1" };
	void *real = dlsym(RTLD_NEXT, name), *library;

	for (size_t i = 0; !real && i < sizeof(libraries) / sizeof(*libraries); i++) {
		library = dlopen(libraries[i], RTLD_LAZY | RTLD_NOLOAD);
		if (library)
			real = dlsym(library, name);
	}
	return real;
}

/* ISO C has no cast from an object's to a function's address. */
#define REAL(name)                                                     \
	__typeof__(name) *real = NULL;                                 \
	static void *found_##name;                                     \
	void *at = __atomic_load_n(&found_##name, __ATOMIC_RELAXED);   \
                                                                       \
	if (!at) {                                                     \
		at = find_real(#name);                                 \
		__atomic_store_n(&found_##name, at, __ATOMIC_RELAXED); \
	}                                                              \
	*(void **)&real = at

WCM_API void __register_frame(void *begin)
{
	REAL(__register_frame);
	wcm__registered_add((uintptr_t)begin, false);
	if (real)
		real(begin);
}

WCM_API void __register_frame_table(void *begin)
{
	REAL(__register_frame_table);
	wcm__registered_add((uintptr_t)begin, true);
	if (real)
		real(begin);
}

WCM_API void __register_frame_info(const void *begin, struct object *object)
{
	REAL(__register_frame_info);
	wcm__registered_add((uintptr_t)begin, false);
	if (real)
		real(begin, object);
}

WCM_API void __register_frame_info_bases(const void *begin, struct object *object, void *text,
					 void *data)
{
	REAL(__register_frame_info_bases);
	wcm__registered_add((uintptr_t)begin, false);
	if (real)
		real(begin, object, text, data);
}

WCM_API void __register_frame_info_table(void *begin, struct object *object)
{
	REAL(__register_frame_info_table);
	wcm__registered_add((uintptr_t)begin, true);
	if (real)
		real(begin, object);
}

WCM_API void __register_frame_info_table_bases(void *begin, struct object *object, void *text,
					       void *data)
{
	REAL(__register_frame_info_table_bases);
	wcm__registered_add((uintptr_t)begin, true);
	if (real)
		real(begin, object, text, data);
}

WCM_API void __deregister_frame(void *begin)
{
	REAL(__deregister_frame);
	wcm__registered_remove((uintptr_t)begin);
	if (real)
		real(begin);
}

WCM_API void *__deregister_frame_info(const void *begin)
{
	REAL(__deregister_frame_info);
	wcm__registered_remove((uintptr_t)begin);
	return real ? real(begin) : NULL;
}

WCM_API void *__deregister_frame_info_bases(const void *begin)
{
	REAL(__deregister_frame_info_bases);
	wcm__registered_remove((uintptr_t)begin);
	return real ? real(begin) : NULL;
}

#endif
