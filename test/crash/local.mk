# SPDX-License-Identifier: MIT
# Every way to crash, in every kind of thread, judged by what a shell sees.
EXTRA_DIST += %reldir%/smoke %reldir%/matrix.py %reldir%/cells.py \
	%reldir%/gdb_lines.py %reldir%/lines.py \
	%reldir%/judge.py %reldir%/report.py %reldir%/core.py \
	%reldir%/frames.py %reldir%/real.py %reldir%/stacks.py \
	%reldir%/programs/Nulls.java %reldir%/programs/cgo.go \
	%reldir%/programs/hello.go \
	%reldir%/programs/abort_malloc.c %reldir%/programs/deaths.h \
	%reldir%/programs/early.c %reldir%/programs/exits.cc \
	%reldir%/programs/faults.c %reldir%/programs/main.c \
	%reldir%/programs/plugin.c %reldir%/programs/situations.c
TESTS += %reldir%/smoke

# All of the cells: minutes, so not part of make check.
.PHONY: check-crash
check-crash: $(lib_LTLIBRARIES) $(bin_PROGRAMS)
	$(AM_TESTS_ENVIRONMENT) $(srcdir)/%reldir%/smoke --all

# Programs from Debian's packages, killed in the middle of their work.
.PHONY: check-crash-programs
check-crash-programs: $(lib_LTLIBRARIES) $(bin_PROGRAMS)
	$(AM_TESTS_ENVIRONMENT) $(srcdir)/%reldir%/smoke --programs
