# SPDX-License-Identifier: MIT
# The plugin for gcc.
plugin_tests = %reldir%/builds.bats %reldir%/links.bats %reldir%/plugin.bats \
	%reldir%/probes.bats %reldir%/rules.bats
EXTRA_DIST += $(plugin_tests) %reldir%/plugin.bash %reldir%/calls.py %reldir%/nest.awk \
	%reldir%/torture %reldir%/real %reldir%/programs/article.c %reldir%/programs/linked.cc \
	%reldir%/programs/probed_values.c \
	%reldir%/programs/traced_bodies.cc %reldir%/programs/traced_ends.c \
	%reldir%/programs/traced_resumes.cc %reldir%/programs/traced_stub.c
if HAVE_BATS
TESTS += $(plugin_tests)
endif

# 500 of gcc's own tests of execution, with the plugin; fewer or more by TORTURE.
.PHONY: check-torture
check-torture: all
	$(AM_TESTS_ENVIRONMENT) bash $(srcdir)/%reldir%/torture $${TORTURE-500}

# C++ with NOPs, by more options of the compilers.
.PHONY: check-links
check-links: all
	LINKS=all $(MAKE) $(AM_MAKEFLAGS) check TESTS=%reldir%/links.bats

# Programs of Debian's source packages, with it.
.PHONY: check-plugin-real
check-plugin-real: all
	$(AM_TESTS_ENVIRONMENT) bash $(srcdir)/%reldir%/real

distclean-local: distclean-plugin
.PHONY: distclean-plugin
distclean-plugin:
	rm -rf %reldir%/torture.sources
