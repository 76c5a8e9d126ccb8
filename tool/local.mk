# SPDX-License-Identifier: MIT
bin_PROGRAMS += %reldir%/whocallme
%canon_reldir%_whocallme_SOURCES = \
	%reldir%/main.c %reldir%/command.h \
	%reldir%/cmd_functions.c %reldir%/cmd_run.c \
	%reldir%/json.c %reldir%/json.h \
	%reldir%/program.c %reldir%/program.h
%canon_reldir%_whocallme_CPPFLAGS = $(AM_CPPFLAGS) -include config.h \
	-DLIBDIR='"$(libdir)"'
%canon_reldir%_whocallme_LDADD = libwhocallme.la
