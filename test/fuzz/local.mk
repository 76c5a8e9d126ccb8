# SPDX-License-Identifier: MIT
# Hostile input: tables, expressions, registers and stacks.
EXTRA_DIST += %reldir%/fuzz %reldir%/seeds.py %reldir%/input_read.h \
	%reldir%/input_read.c %reldir%/fuzz_eh_frame.c %reldir%/fuzz_expr.c \
	%reldir%/random_walks.c %reldir%/names %reldir%/mangled.c
TESTS += %reldir%/fuzz

if DEMANGLERS
check_PROGRAMS += %reldir%/mangled
TESTS += %reldir%/names
%canon_reldir%_mangled_SOURCES = %reldir%/mangled.c
%canon_reldir%_mangled_CPPFLAGS = $(safe_cppflags)
%canon_reldir%_mangled_LDADD = libwcm-whole.la $(LIBIBERTY) $(BFD_LIBS)
endif

if WCM_X86_64
check_PROGRAMS += %reldir%/random_walks
TESTS += %reldir%/random_walks
%canon_reldir%_random_walks_SOURCES = %reldir%/random_walks.c
%canon_reldir%_random_walks_LDADD = libwhocallme.la
endif

# Hours.
.PHONY: check-fuzz
check-fuzz: $(check_PROGRAMS)
	$(AM_TESTS_ENVIRONMENT) FUZZ_RUNS=10000000 $(srcdir)/%reldir%/fuzz
	RANDOM_WALKS=1000000 %reldir%/random_walks
	$(AM_TESTS_ENVIRONMENT) FUZZ_NAMES=10000000 $(srcdir)/%reldir%/names
