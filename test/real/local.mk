# SPDX-License-Identifier: MIT
# Programs from Debian's source packages, judged by gdb and callgrind.
EXTRA_DIST += %reldir%/programs.bash %reldir%/real.bats %reldir%/callgrind.py \
	%reldir%/workload %reldir%/sleds
if HAVE_BATS
TESTS += %reldir%/real.bats
endif

# The same programs with patchable functions, and what changing code at run time must not do.
.PHONY: check-sleds
check-sleds: all
	$(AM_TESTS_ENVIRONMENT) bash $(srcdir)/%reldir%/sleds

# The download outlives make clean.
distclean-local: distclean-real
.PHONY: distclean-real
distclean-real:
	rm -rf %reldir%/sources
