# SPDX-License-Identifier: MIT
# Stacks of every shape, compiled in every way, judged by gdb.
EXTRA_DIST += %reldir%/smoke %reldir%/corpus.py %reldir%/oracle.py \
	%reldir%/mark.h %reldir%/mark.c %reldir%/stacks.c %reldir%/assembly.S \
	%reldir%/assembly_i386.S %reldir%/assembly_aarch64.S %reldir%/assembly_riscv64.S \
	%reldir%/assembly.h %reldir%/coroutines.h \
	%reldir%/crashes.c %reldir%/throws.cc
TESTS += %reldir%/smoke

# All of the ways: minutes, so not part of make check.
.PHONY: check-corpus
check-corpus: $(lib_LTLIBRARIES)
	$(AM_TESTS_ENVIRONMENT) CORPUS_SPREAD=0 $(srcdir)/%reldir%/smoke
