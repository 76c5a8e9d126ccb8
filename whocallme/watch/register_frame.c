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
#include <link.h>
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

/* A function of libgcc's; while there is none, how many modules were ever loaded when it was
 * looked for, and one. */
struct real {
	void *at;
	uintptr_t looked;
};

/* A library that the program has opened for itself brings libgcc where RTLD_NEXT does not look:
 * it is asked for by its name, and is not loaded for it.  One that has the function stays open,
 * and so loaded: it is called from now on. */
static void *look_for(const char *name)
{
	static const char *const libraries[] = { "libgcc_s.so.1", "libunwind.so.1" };
	void *at = dlsym(RTLD_NEXT, name), *library;

	for (size_t i = 0; !at && i < sizeof(libraries) / sizeof(*libraries); i++) {
		library = dlopen(libraries[i], RTLD_LAZY | RTLD_NOLOAD);
		if (library && !(at = dlsym(library, name)))
			dlclose(library);
	}
	dlerror(); /* the program has done nothing wrong */
	return at;
}

static int take_adds(struct dl_phdr_info *info, size_t size, void *adds)
{
	if (size >= offsetof(struct dl_phdr_info, dlpi_adds) + sizeof(info->dlpi_adds))
		*(uintptr_t *)adds = (uintptr_t)info->dlpi_adds;
	return 1;
}

/* It is looked for once, and again only after another module has been loaded: each time takes the
 * program's own dlerror(). */
static void *find_real(const char *name, struct real *real)
{
	void *at = __atomic_load_n(&real->at, __ATOMIC_ACQUIRE);
	uintptr_t adds = 0;

	if (at)
		return at;
	dl_iterate_phdr(take_adds, &adds);
	if (__atomic_load_n(&real->looked, __ATOMIC_RELAXED) == adds + 1)
		return NULL;
	at = look_for(name);
	__atomic_store_n(&real->at, at, __ATOMIC_RELEASE);
	__atomic_store_n(&real->looked, adds + 1, __ATOMIC_RELAXED);
	return at;
}

/* ISO C has no cast from an object's to a function's address. */
#define REAL(name)                     \
	__typeof__(name) *real = NULL; \
	static struct real found;      \
                                       \
	*(void **)&real = find_real(#name, &found)

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
