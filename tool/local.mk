# SPDX-License-Identifier: MIT
bin_PROGRAMS += %reldir%/whocallme
# All but main.c: fuzzers call it, too.
tool_sources = \
	%reldir%/command.h \
	%reldir%/cmd_chrome.c %reldir%/cmd_completion.c %reldir%/cmd_flame.c \
	%reldir%/cmd_functions.c %reldir%/cmd_graph.c %reldir%/cmd_group.c \
	%reldir%/cmd_replay.c %reldir%/cmd_report.c \
	%reldir%/cmd_resolve.c %reldir%/cmd_run.c \
	%reldir%/absolute.c %reldir%/absolute.h \
	%reldir%/addresses.c %reldir%/addresses.h \
	%reldir%/calls.c %reldir%/calls.h \
	%reldir%/complain.c %reldir%/complain.h \
	%reldir%/cmd_trace.c \
	%reldir%/completion.h %reldir%/completion_bash.c \
	%reldir%/completion_fish.c %reldir%/completion_zsh.c \
	%reldir%/dat_file.c %reldir%/dat_file.h \
	%reldir%/depth.c %reldir%/depth.h \
	%reldir%/duration.c %reldir%/duration.h \
	%reldir%/function_set.c %reldir%/function_set.h \
	%reldir%/graph.c %reldir%/graph.h \
	%reldir%/graph_read.c \
	%reldir%/graph_source.c %reldir%/graph_source.h \
	%reldir%/graph_write.c \
	%reldir%/hooks.c %reldir%/hooks.h \
	%reldir%/launch.c %reldir%/launch.h \
	%reldir%/long_calls.c %reldir%/long_calls.h \
	%reldir%/options.c %reldir%/options.h \
	%reldir%/output.c %reldir%/output.h \
	%reldir%/module_file.c %reldir%/module_file.h \
	%reldir%/reading.c %reldir%/reading.h \
	%reldir%/recording.c %reldir%/recording.h \
	%reldir%/recording_info.c \
	%reldir%/recording_open.h \
	%reldir%/recording_tasks.c \
	%reldir%/session.c %reldir%/session.h \
	%reldir%/regular.c %reldir%/regular.h \
	%reldir%/input.c %reldir%/input.h \
	%reldir%/scratch.c %reldir%/scratch.h \
	%reldir%/slurp.c %reldir%/slurp.h \
	%reldir%/counts.c %reldir%/counts.h \
	%reldir%/sym_file.c %reldir%/sym_file.h \
	%reldir%/sym_store.c %reldir%/sym_store.h \
	%reldir%/escape.c %reldir%/escape.h \
	%reldir%/grow.c %reldir%/grow.h \
	%reldir%/hash.c %reldir%/hash.h \
	%reldir%/json.c %reldir%/json.h \
	%reldir%/lines_in.c %reldir%/lines_in.h \
	%reldir%/program.c %reldir%/program.h \
	%reldir%/tree.c %reldir%/tree.h \
	%reldir%/debug/abbrevs.c %reldir%/debug/abbrevs.h \
	%reldir%/debug/binary.c %reldir%/debug/binary.h \
	%reldir%/debug/build_id.c %reldir%/debug/build_id.h \
	%reldir%/debug/debug_bytes.c %reldir%/debug/debug_bytes.h \
	%reldir%/debug/debug_search.c %reldir%/debug/debug_search.h \
	%reldir%/debug/entries.c %reldir%/debug/entries.h \
	%reldir%/debug/inlines.c %reldir%/debug/inlines.h \
	%reldir%/debug/line_header.c %reldir%/debug/line_header.h \
	%reldir%/debug/line_table.c %reldir%/debug/line_table.h \
	%reldir%/debug/linked_file.c %reldir%/debug/linked_file.h \
	%reldir%/debug/module_files.c %reldir%/debug/module_files.h \
	%reldir%/debug/packed_symbols.c %reldir%/debug/packed_symbols.h \
	%reldir%/debug/place.c %reldir%/debug/place.h \
	%reldir%/debug/span.c %reldir%/debug/span.h \
	%reldir%/debug/symbol_table.c %reldir%/debug/symbol_table.h \
	%reldir%/debug/packed.c %reldir%/debug/packed.h \
	%reldir%/debug/trust.c %reldir%/debug/trust.h \
	%reldir%/debug/unit.c %reldir%/debug/unit.h \
	%reldir%/reports/address.c %reldir%/reports/address.h \
	%reldir%/reports/asker.c %reldir%/reports/asker.h \
	%reldir%/reports/bias.c %reldir%/reports/bias.h \
	%reldir%/reports/event_line.c %reldir%/reports/event_line.h \
	%reldir%/reports/filter.c %reldir%/reports/filter.h \
	%reldir%/reports/filter_json.c %reldir%/reports/filter_json.h \
	%reldir%/reports/groups.c %reldir%/reports/groups.h \
	%reldir%/reports/json_numbers.c %reldir%/reports/json_numbers.h \
	%reldir%/reports/loaded.c %reldir%/reports/loaded.h \
	%reldir%/reports/report_json.c %reldir%/reports/report_json.h \
	%reldir%/reports/report_show.c %reldir%/reports/report_show.h \
	%reldir%/reports/report_text.c %reldir%/reports/report_text.h \
	%reldir%/reports/resolver.c %reldir%/reports/resolver.h \
	%reldir%/reports/serve.c %reldir%/reports/serve.h \
	%reldir%/reports/signature.c %reldir%/reports/signature.h \
	%reldir%/reports/source.c %reldir%/reports/source.h \
	%reldir%/reports/text_block.c %reldir%/reports/text_block.h \
	%reldir%/reports/text_line.c %reldir%/reports/text_line.h
%canon_reldir%_whocallme_SOURCES = %reldir%/main.c $(tool_sources)
tool_cppflags = $(AM_CPPFLAGS) -I$(srcdir)/%reldir% \
	-I$(top_srcdir)/whocallme -I$(top_srcdir)/whocallme/arch/$(WCM_ARCH) \
	-include config.h -DLIBDIR='"$(libdir)"' -DBINDIR='"$(bindir)"'
%canon_reldir%_whocallme_CPPFLAGS = $(tool_cppflags)
%canon_reldir%_whocallme_CFLAGS = $(AM_CFLAGS) $(LIBDW_CFLAGS) $(JANSSON_CFLAGS) \
	$(LZMA_CFLAGS)
# The library is in it: what starts it says nothing of where libraries are.
%canon_reldir%_whocallme_LDADD = libwcm-whole.la $(BFD_LIBS) $(LIBDW_LIBS) $(JANSSON_LIBS) \
	$(LZMA_LIBS)
EXTRA_DIST += %reldir%/README.md

# What shells complete, as the program itself has it; another machine's cannot be asked.
if !CROSS_COMPILING
bashcompletion_DATA = %reldir%/completions/whocallme
zshcompletion_DATA = %reldir%/completions/_whocallme
fishcompletion_DATA = %reldir%/completions/whocallme.fish
completion_files = $(bashcompletion_DATA) $(zshcompletion_DATA) $(fishcompletion_DATA)
CLEANFILES += $(completion_files)
$(bashcompletion_DATA): %reldir%/whocallme$(EXEEXT)
	$(AM_V_GEN)$(MKDIR_P) $(@D) && %reldir%/whocallme$(EXEEXT) completion bash >$@
$(zshcompletion_DATA): %reldir%/whocallme$(EXEEXT)
	$(AM_V_GEN)$(MKDIR_P) $(@D) && %reldir%/whocallme$(EXEEXT) completion zsh >$@
$(fishcompletion_DATA): %reldir%/whocallme$(EXEEXT)
	$(AM_V_GEN)$(MKDIR_P) $(@D) && %reldir%/whocallme$(EXEEXT) completion fish >$@
endif
