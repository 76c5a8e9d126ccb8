# SPDX-License-Identifier: MIT
# Lines and inlined functions against llvm-symbolizer and addr2line.
EXTRA_DIST += %reldir%/build.py %reldir%/compare.py %reldir%/smoke \
	%reldir%/programs/parse.c %reldir%/programs/plain.c \
	%reldir%/programs/plain.h %reldir%/programs/read.cc \
	%reldir%/programs/shapes.cc %reldir%/programs/shapes.h
TESTS += %reldir%/smoke

# Debug data of every kind that the machine's compilers write, and of big files: some
# minutes, so not part of make check.
.PHONY: check-lines
check-lines: tool/whocallme
	$(AM_TESTS_ENVIRONMENT) $(srcdir)/%reldir%/smoke --all \
		"$$($(CC) -print-file-name=libc.so.6)" \
		$(abs_builddir)/.libs/libwhocallme.so
