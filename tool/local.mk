# SPDX-License-Identifier: MIT
bin_PROGRAMS += %reldir%/whocallme
%canon_reldir%_whocallme_SOURCES = \
	%reldir%/main.c %reldir%/command.h \
	%reldir%/cmd_chrome.c %reldir%/cmd_flame.c \
	%reldir%/cmd_functions.c %reldir%/cmd_graph.c %reldir%/cmd_group.c \
	%reldir%/cmd_replay.c %reldir%/cmd_report.c \
	%reldir%/cmd_resolve.c %reldir%/cmd_run.c \
	%reldir%/binary.c %reldir%/binary.h \
	%reldir%/calls.c %reldir%/calls.h \
	%reldir%/dat_file.c %reldir%/dat_file.h \
	%reldir%/duration.c %reldir%/duration.h \
	%reldir%/functions.c %reldir%/functions.h \
	%reldir%/graph.c %reldir%/graph.h \
	%reldir%/graph_read.c %reldir%/graph_write.c \
	%reldir%/json.c %reldir%/json.h \
	%reldir%/long_calls.c %reldir%/long_calls.h \
	%reldir%/place.c %reldir%/place.h \
	%reldir%/program.c %reldir%/program.h \
	%reldir%/reading.c %reldir%/reading.h \
	%reldir%/recording.c %reldir%/recording.h \
	%reldir%/recording_info.c %reldir%/recording_open.h \
	%reldir%/recording_tasks.c \
	%reldir%/report_json.c %reldir%/report_json.h \
	%reldir%/session.c %reldir%/session.h \
	%reldir%/short_name.c %reldir%/short_name.h \
	%reldir%/slurp.c %reldir%/slurp.h \
	%reldir%/sym_file.c %reldir%/sym_file.h \
	%reldir%/source.c %reldir%/source.h
%canon_reldir%_whocallme_CPPFLAGS = $(AM_CPPFLAGS) -include config.h \
	-DLIBDIR='"$(libdir)"'
%canon_reldir%_whocallme_CFLAGS = $(AM_CFLAGS) $(LIBDW_CFLAGS) $(JANSSON_CFLAGS)
%canon_reldir%_whocallme_LDADD = libwhocallme.la $(LIBDW_LIBS) $(JANSSON_LIBS)
