# SPDX-License-Identifier: MIT
# glibc itself with the plugin, of Debian's source: no part of make check.
EXTRA_DIST += %reldir%/README.md %reldir%/cc %reldir%/check %reldir%/compare.py \
	%reldir%/functions.py %reldir%/gdb_calls.py %reldir%/nest.py %reldir%/rules.yml
.PHONY: check-libc-plugin
check-libc-plugin: all
	$(AM_TESTS_ENVIRONMENT) bash $(srcdir)/%reldir%/check plugin/glibc/work

distclean-local: distclean-libc-plugin
.PHONY: distclean-libc-plugin
distclean-libc-plugin:
	rm -rf %reldir%/work
