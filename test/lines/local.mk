# SPDX-License-Identifier: MIT
# Lines and inlined functions against llvm-symbolizer and addr2line.
check_PROGRAMS += %reldir%/ask

test_lines_ask_SOURCES = %reldir%/ask.c \
	tool/debug/binary.c tool/debug/build_id.c tool/debug/debug_bytes.c \
	tool/debug/debug_search.c tool/debug/entries.c tool/debug/inlines.c \
	tool/debug/line_header.c tool/debug/line_table.c \
	tool/debug/module_files.c tool/debug/place.c tool/debug/span.c \
	tool/debug/symbol_table.c tool/debug/unit.c tool/grow.c
test_lines_ask_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tool -include config.h
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
