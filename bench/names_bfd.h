/* SPDX-License-Identifier: MIT */
/* names_bfd.h - a file's symbols, read by BFD and nothing else. */
#ifndef BENCH_NAMES_BFD_H
#define BENCH_NAMES_BFD_H

#define PACKAGE "bench" /* bfd.h insists on a configured program */
#define PACKAGE_VERSION "1"
#include <bfd.h>
#include <stdlib.h>

/* How many symbols PATH has; *SYMBOLS is theirs.  0 where it failed. */
static inline long read_symbols(const char *path, asymbol ***symbols)
{
	bfd *bfd;
	long room;

	bfd_init();
	bfd = bfd_openr(path, NULL);
	if (!bfd || !bfd_check_format(bfd, bfd_object))
		return 0;
	room = bfd_get_symtab_upper_bound(bfd);
	*symbols = room > 0 ? malloc((size_t)room) : NULL;
	return *symbols ? bfd_canonicalize_symtab(bfd, *symbols) : 0;
}

#endif
