# SPDX-License-Identifier: MIT
bin_PROGRAMS += %reldir%/whocallme
%canon_reldir%_whocallme_SOURCES = \
	%reldir%/main.c %reldir%/command.h \
	%reldir%/cmd_functions.c \
	%reldir%/json.c %reldir%/json.h
%canon_reldir%_whocallme_LDADD = libwhocallme.la
