# SPDX-License-Identifier: MIT
# Lines and inlined functions against llvm-symbolizer and addr2line.
check_PROGRAMS += %reldir%/ask

test_lines_ask_SOURCES = %reldir%/ask.c \
	tool/binary.c tool/build_id.c tool/debug_bytes.c \
	tool/debug_search.c tool/die_scan.c tool/inlines.c \
	tool/line_header.c tool/line_table.c tool/module_files.c tool/place.c \
	tool/span.c tool/symbol_table.c tool/unit.c
test_lines_ask_CPPFLAGS = $(AM_CPPFLAGS) -include config.h
test_lines_ask_CFLAGS = $(AM_CFLAGS) $(LIBDW_CFLAGS)
test_lines_ask_LDADD = $(LIBDW_LIBS)

EXTRA_DIST += %reldir%/build.py %reldir%/compare.py %reldir%/smoke \
	%reldir%/programs/parse.c %reldir%/programs/plain.c \
	%reldir%/programs/plain.h %reldir%/programs/read.cc \
	%reldir%/programs/shapes.cc %reldir%/programs/shapes.h
TESTS += %reldir%/smoke

# Debug data of every kind that the machine's compilers write, and of big files: some
# minutes, so not part of make check.
.PHONY: check-lines
check-lines: %reldir%/ask
	$(AM_TESTS_ENVIRONMENT) $(srcdir)/%reldir%/smoke --all \
		"$$($(CC) -print-file-name=libc.so.6)" \
		$(abs_builddir)/.libs/libwhocallme.so
