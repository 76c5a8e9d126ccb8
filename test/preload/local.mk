# SPDX-License-Identifier: MIT
# The preload library with programs that know nothing of it, judged by gdb: those of
# musl, and of the libc of a build that has nothing else.
EXTRA_DIST += %reldir%/smoke %reldir%/musl %reldir%/crashes.c
if !WITH_COMMAND
TESTS += %reldir%/smoke
else
TESTS += %reldir%/musl

# A build of its own, by musl-gcc.
.PHONY: check-musl
check-musl:
	@$(AM_TESTS_ENVIRONMENT) $(srcdir)/%reldir%/musl

distclean-local: distclean-musl
.PHONY: distclean-musl
distclean-musl:
	rm -rf musl
endif
