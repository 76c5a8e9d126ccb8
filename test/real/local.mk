# SPDX-License-Identifier: MIT
# Programs from Debian's source packages, judged by gdb and callgrind.
EXTRA_DIST += %reldir%/programs.bash %reldir%/real.bats %reldir%/callgrind.py \
	%reldir%/workload
if HAVE_BATS
TESTS += %reldir%/real.bats
endif

# The download outlives make clean.
distclean-local: distclean-real
.PHONY: distclean-real
distclean-real:
	rm -rf %reldir%/sources
