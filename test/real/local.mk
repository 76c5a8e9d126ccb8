# SPDX-License-Identifier: MIT
# Programs from Debian's source packages, judged by gdb and callgrind.
EXTRA_DIST += %reldir%/programs.bash %reldir%/real.bats %reldir%/callgrind.py \
	%reldir%/workload %reldir%/sleds %reldir%/libc %reldir%/seen.py \
	%reldir%/recorded %reldir%/alike.py %reldir%/ports %reldir%/servers.bats \
	%reldir%/ended.bats
if HAVE_BATS
TESTS += %reldir%/real.bats %reldir%/ended.bats
endif

# The same programs with patchable functions, and what changing code at run time must not do.
.PHONY: check-sleds
check-sleds: all
	$(AM_TESTS_ENVIRONMENT) bash $(srcdir)/%reldir%/sleds

# glibc with patchable functions, judged by gdb's breakpoints; it is built once.
.PHONY: check-libc
check-libc: all
	$(AM_TESTS_ENVIRONMENT) bash $(srcdir)/%reldir%/libc

# What gzip and Lua call, on this CPU and on PORTS.
.PHONY: recorded check-recordings
recorded: all
	$(AM_TESTS_ENVIRONMENT) bash $(srcdir)/%reldir%/recorded "$${RECORDED-recorded}"
check-recordings: recorded
	$(AM_TESTS_ENVIRONMENT) $(SHELL) $(srcdir)/%reldir%/ports

# The download outlives make clean.
distclean-local: distclean-real
.PHONY: distclean-real
distclean-real:
	rm -rf %reldir%/sources %reldir%/glibc %reldir%/glibc.log recorded
