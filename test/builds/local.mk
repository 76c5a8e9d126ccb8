# SPDX-License-Identifier: MIT
# The library as other compilers and flags build it: a build takes two minutes, so not
# part of make check.
EXTRA_DIST += %reldir%/check

# BUILDS are of those here, say "clang-22:thin gcc:lto"; without it the newest of each.
.PHONY: check-builds
check-builds:
	+@top_srcdir='$(abs_top_srcdir)' top_builddir='$(abs_top_builddir)' \
		$(SHELL) $(srcdir)/%reldir%/check $(BUILDS)

distclean-local: distclean-builds
.PHONY: distclean-builds
distclean-builds:
	rm -rf builds
