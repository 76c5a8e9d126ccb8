# SPDX-License-Identifier: MIT
bin_PROGRAMS += %reldir%/whocallme
%canon_reldir%_whocallme_SOURCES = \
	%reldir%/main.c %reldir%/command.h \
	%reldir%/cmd_chrome.c %reldir%/cmd_flame.c \
	%reldir%/cmd_functions.c %reldir%/cmd_graph.c %reldir%/cmd_group.c \
	%reldir%/cmd_replay.c %reldir%/cmd_report.c \
	%reldir%/cmd_resolve.c %reldir%/cmd_run.c \
	%reldir%/cmd_trace.c \
	%reldir%/address.c %reldir%/address.h \
	%reldir%/bias.c %reldir%/bias.h \
	%reldir%/binary.c %reldir%/binary.h \
	%reldir%/build_id.c %reldir%/build_id.h \
	%reldir%/calls.c %reldir%/calls.h \
	%reldir%/dat_file.c %reldir%/dat_file.h \
	%reldir%/debug_bytes.c %reldir%/debug_bytes.h \
	%reldir%/debug_search.c %reldir%/debug_search.h \
	%reldir%/die_scan.c %reldir%/die_scan.h \
	%reldir%/duration.c %reldir%/duration.h \
	%reldir%/escape.c %reldir%/escape.h \
	%reldir%/filter.c %reldir%/filter.h \
	%reldir%/filter_json.c %reldir%/filter_json.h \
	%reldir%/function_set.c %reldir%/function_set.h \
	%reldir%/graph.c %reldir%/graph.h \
	%reldir%/graph_read.c %reldir%/graph_write.c \
	%reldir%/graph_source.c %reldir%/graph_source.h \
	%reldir%/groups.c %reldir%/groups.h \
	%reldir%/hooks.c %reldir%/hooks.h \
	%reldir%/inlines.c %reldir%/inlines.h \
	%reldir%/json.c %reldir%/json.h \
	%reldir%/json_numbers.c %reldir%/json_numbers.h \
	%reldir%/launch.c %reldir%/launch.h \
	%reldir%/line_header.c %reldir%/line_header.h \
	%reldir%/line_table.c %reldir%/line_table.h \
	%reldir%/lines_in.c %reldir%/lines_in.h \
	%reldir%/long_calls.c %reldir%/long_calls.h \
	%reldir%/module_files.c %reldir%/module_files.h \
	%reldir%/place.c %reldir%/place.h \
	%reldir%/program.c %reldir%/program.h \
	%reldir%/reading.c %reldir%/reading.h \
	%reldir%/recording.c %reldir%/recording.h \
	%reldir%/recording_info.c %reldir%/recording_open.h \
	%reldir%/recording_tasks.c \
	%reldir%/report_json.c %reldir%/report_json.h \
	%reldir%/report_show.c %reldir%/report_show.h \
	%reldir%/report_text.c %reldir%/report_text.h \
	%reldir%/resolver.c %reldir%/resolver.h \
	%reldir%/serve.c %reldir%/serve.h \
	%reldir%/session.c %reldir%/session.h \
	%reldir%/short_name.c %reldir%/short_name.h \
	%reldir%/signature.c %reldir%/signature.h \
	%reldir%/slurp.c %reldir%/slurp.h \
	%reldir%/source.c %reldir%/source.h \
	%reldir%/span.c %reldir%/span.h \
	%reldir%/sym_file.c %reldir%/sym_file.h \
	%reldir%/symbol_table.c %reldir%/symbol_table.h \
	%reldir%/text_block.c %reldir%/text_block.h \
	%reldir%/text_line.c %reldir%/text_line.h \
	%reldir%/unit.c %reldir%/unit.h \
	%reldir%/utf8.c %reldir%/utf8.h
%canon_reldir%_whocallme_CPPFLAGS = $(AM_CPPFLAGS) -include config.h \
	-DLIBDIR='"$(libdir)"'
%canon_reldir%_whocallme_CFLAGS = $(AM_CFLAGS) $(LIBDW_CFLAGS) $(JANSSON_CFLAGS)
%canon_reldir%_whocallme_LDADD = libwhocallme.la $(LIBDW_LIBS) $(JANSSON_LIBS)
