# SPDX-License-Identifier: MIT
dist_man_MANS = %reldir%/whocallme.1 %reldir%/whocallme.3
EXTRA_DIST += %reldir%/whocallme-inject.7
if WITH_PLUGIN
man_MANS = %reldir%/whocallme-inject.7
endif
dist_doc_DATA = %reldir%/crash-report.schema.json

# The README's picture, after the output has changed.
EXTRA_DIST += %reldir%/picture/demo.c %reldir%/picture/make.sh \
	%reldir%/picture/terminal_svg.py
.PHONY: picture
picture: $(lib_LTLIBRARIES) $(bin_PROGRAMS)
	CC='$(CC)' $(SHELL) $(srcdir)/%reldir%/picture/make.sh . $(srcdir)/%reldir%/crash.svg
