# SPDX-License-Identifier: MIT
include %reldir%/man/pages.mk
dist_man_MANS = $(man_pages)
man_MANS = $(man_aliases)
EXTRA_DIST += %reldir%/man/whocallme-inject.7
if WITH_PLUGIN
man_MANS += %reldir%/man/whocallme-inject.7
endif
CLEANFILES += $(man_aliases)

# A page that leads to the one which has its name under NAME.
$(man_aliases):
	$(AM_V_GEN)$(MKDIR_P) $(@D) && \
		$(top_srcdir)/test/lint/lists.sh alias $(@F) >$@.tmp && mv $@.tmp $@

# The README's picture, after the output has changed.
EXTRA_DIST += %reldir%/picture/demo.c %reldir%/picture/make.sh \
	%reldir%/picture/terminal_svg.py
.PHONY: picture
picture: $(lib_LTLIBRARIES) $(bin_PROGRAMS)
	CC='$(CC)' $(SHELL) $(srcdir)/%reldir%/picture/make.sh . $(srcdir)/%reldir%/crash.svg
