# SPDX-License-Identifier: MIT
# A crash where a seccomp filter answers for the kernel.
EXTRA_DIST += %reldir%/sandboxed %reldir%/sandboxed.c %reldir%/sandboxed.py
TESTS += %reldir%/sandboxed

# The script is not made of the source beside it, which may be newer.
%reldir%/sandboxed: ;

# Every system call that a report may make: minutes, so not part of make check.
.PHONY: check-filters
check-filters: $(lib_LTLIBRARIES) $(bin_PROGRAMS)
	$(AM_TESTS_ENVIRONMENT) $(srcdir)/%reldir%/sandboxed --all
