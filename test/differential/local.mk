# SPDX-License-Identifier: MIT
# whocallme functions against nm, readelf and addr2line.
EXTRA_DIST += %reldir%/binutils.py %reldir%/compare.py %reldir%/smoke
TESTS += %reldir%/smoke

# Every ELF file of the machine: minutes, so not part of make check.
.PHONY: check-differential
check-differential: $(bin_PROGRAMS)
	$(LIBTOOL) --mode=execute python3 -B $(srcdir)/%reldir%/compare.py \
		--tool tool/whocallme /usr/bin /usr/lib

# What a build without BFD reads of files, against BFD.
if WITH_BFD
check_PROGRAMS += %reldir%/functions_bfd %reldir%/functions_own
TESTS += %reldir%/own_reader
endif
EXTRA_DIST += %reldir%/own_reader %reldir%/forge.py
%canon_reldir%_functions_bfd_SOURCES = %reldir%/list_functions.c
%canon_reldir%_functions_bfd_CFLAGS = $(AM_CFLAGS)
%canon_reldir%_functions_bfd_LDADD = libwcm-whole.la $(BFD_LIBS) $(LZMA_LIBS)
# What it has of its own is not taken from the library.
%canon_reldir%_functions_own_SOURCES = %reldir%/list_functions.c \
	whocallme/load/objects/own_objfile.c
%canon_reldir%_functions_own_CPPFLAGS = $(library_cppflags)
%canon_reldir%_functions_own_CFLAGS = $(AM_CFLAGS)
%canon_reldir%_functions_own_LDADD = libwcm-whole.la $(LZMA_LIBS)
