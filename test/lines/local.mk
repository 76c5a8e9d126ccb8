# SPDX-License-Identifier: MIT
# Lines and inlined functions against llvm-symbolizer and addr2line.
check_PROGRAMS += %reldir%/ask

test_lines_ask_SOURCES = %reldir%/ask.c \
	tool/binary.c tool/build_id.c tool/debug_search.c tool/die_scan.c \
	tool/inlines.c tool/line_table.c tool/module_files.c tool/place.c \
	tool/span.c tool/symbol_table.c tool/unit.c
test_lines_ask_CPPFLAGS = $(AM_CPPFLAGS) -include config.h
test_lines_ask_CFLAGS = $(AM_CFLAGS) $(LIBDW_CFLAGS)
test_lines_ask_LDADD = $(LIBDW_LIBS)
