# SPDX-License-Identifier: MIT
# Rows of call frame information against readelf.
EXTRA_DIST += %reldir%/compare.py %reldir%/smoke
check_PROGRAMS += %reldir%/rows
TESTS += %reldir%/smoke

test_cfi_rows_SOURCES = %reldir%/rows.c
test_cfi_rows_CPPFLAGS = $(safe_cppflags)
test_cfi_rows_LDADD = libwcm-whole.la $(BFD_LIBS)

# Every row of big files: minutes, so not part of make check.
.PHONY: check-cfi
check-cfi: %reldir%/rows
	$(AM_TESTS_ENVIRONMENT) $(srcdir)/%reldir%/smoke \
		libc.so.6 libstdc++.so.6 git /usr/bin/python3 gdb libLLVM-14.so static
