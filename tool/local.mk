# SPDX-License-Identifier: MIT
bin_PROGRAMS += %reldir%/whocallme
# All but main.c: fuzzers call it, too.
tool_sources = \
	%reldir%/commands/command.h \
	%reldir%/commands/cmd_cc.c %reldir%/commands/cmd_plugin.c \
	%reldir%/launch/gcc_plugin.c %reldir%/launch/gcc_plugin.h \
	%reldir%/launch/tree_file.c %reldir%/launch/tree_file.h \
	%reldir%/commands/cmd_chrome.c %reldir%/commands/cmd_completion.c %reldir%/commands/cmd_flame.c \
	%reldir%/commands/cmd_functions.c %reldir%/commands/cmd_graph.c %reldir%/commands/cmd_group.c \
	%reldir%/commands/cmd_info.c %reldir%/commands/cmd_replay.c %reldir%/commands/cmd_report.c \
	%reldir%/commands/cmd_resolve.c %reldir%/commands/cmd_run.c \
	%reldir%/commands/cmd_stack.c \
	%reldir%/agent/ask.c %reldir%/agent/ask.h \
	%reldir%/agent/at_once.c %reldir%/agent/at_once.h \
	%reldir%/agent/find_agent.c %reldir%/agent/find_agent.h \
	%reldir%/agent/trace_running.c %reldir%/agent/trace_running.h \
	%reldir%/commands/probe_list.c %reldir%/commands/probe_list.h \
	%reldir%/commands/sled_text.c %reldir%/commands/sled_text.h \
	%reldir%/base/absolute.c %reldir%/base/absolute.h \
	%reldir%/recording/addresses.c %reldir%/recording/addresses.h \
	%reldir%/recording/calls.c %reldir%/recording/calls.h \
	%reldir%/base/complain.c %reldir%/base/complain.h \
	%reldir%/commands/cmd_trace.c \
	%reldir%/commands/untraceable.c %reldir%/commands/untraceable.h \
	%reldir%/options/completion.c %reldir%/options/completion.h %reldir%/options/completion_bash.c \
	%reldir%/options/completion_fish.c %reldir%/options/completion_zsh.c \
	%reldir%/recording/dat_file.c %reldir%/recording/dat_file.h \
	%reldir%/recording/depth.c %reldir%/recording/depth.h \
	%reldir%/base/duration.c %reldir%/base/duration.h \
	%reldir%/symbols/function_set.c %reldir%/symbols/function_set.h \
	%reldir%/graph/graph.c %reldir%/graph/graph.h \
	%reldir%/graph/graph_read.c \
	%reldir%/graph/graph_source.c %reldir%/graph/graph_source.h \
	%reldir%/graph/graph_write.c \
	%reldir%/launch/hooks.c %reldir%/launch/hooks.h \
	%reldir%/launch/launch.c %reldir%/launch/launch.h \
	%reldir%/recording/long_calls.c %reldir%/recording/long_calls.h \
	%reldir%/options/command_options.c %reldir%/options/command_options.h \
	%reldir%/launch/output_made.c %reldir%/launch/output_made.h \
	%reldir%/launch/output_path.c %reldir%/launch/output_path.h \
	%reldir%/symbols/module_file.c %reldir%/symbols/module_file.h \
	%reldir%/commands/reading.c %reldir%/commands/reading.h \
	%reldir%/recording/recording_data.c %reldir%/recording/recording_data.h \
	%reldir%/recording/recording_info.c %reldir%/recording/recording_info.h \
	%reldir%/recording/recording_reader.c %reldir%/recording/recording_reader.h \
	%reldir%/recording/recording_tasks.c %reldir%/recording/recording_tasks.h \
	%reldir%/symbols/session.c %reldir%/symbols/session.h \
	%reldir%/base/regular_file.c %reldir%/base/regular_file.h \
	%reldir%/base/report_start.c %reldir%/base/report_start.h \
	%reldir%/base/input.c %reldir%/base/input.h \
	%reldir%/recording/value_file.c %reldir%/recording/value_file.h \
	%reldir%/recording/value_files.c %reldir%/recording/value_files.h \
	%reldir%/recording/value_specs.c %reldir%/recording/value_specs.h \
	%reldir%/recording/value_text.c %reldir%/recording/value_text.h \
	%reldir%/recording/scratch.c %reldir%/recording/scratch.h \
	%reldir%/base/slurp.c %reldir%/base/slurp.h \
	%reldir%/recording/counts.c %reldir%/recording/counts.h \
	%reldir%/symbols/sym_file.c %reldir%/symbols/sym_file.h \
	%reldir%/symbols/sym_store.c %reldir%/symbols/sym_store.h \
	%reldir%/base/exit_status.h \
	%reldir%/base/escape.c %reldir%/base/escape.h \
	%reldir%/base/grow.c %reldir%/base/grow.h \
	%reldir%/base/hash.c %reldir%/base/hash.h \
	%reldir%/base/json_string.c %reldir%/base/json_string.h \
	%reldir%/base/lines_in.c %reldir%/base/lines_in.h \
	%reldir%/base/md5.c %reldir%/base/md5.h \
	%reldir%/launch/program.c %reldir%/launch/program.h \
	%reldir%/base/tree.c %reldir%/base/tree.h \
	%reldir%/modules/abbrevs.c %reldir%/modules/abbrevs.h \
	%reldir%/debug/binary.c %reldir%/debug/binary.h \
	%reldir%/modules/build_id.c %reldir%/modules/build_id.h \
	%reldir%/modules/debug_bytes.c %reldir%/modules/debug_bytes.h \
	%reldir%/modules/debug_search.c %reldir%/modules/debug_search.h \
	%reldir%/debug/entries.c %reldir%/debug/entries.h \
	%reldir%/debug/inlines.c %reldir%/debug/inlines.h \
	%reldir%/debug/line_header.c %reldir%/debug/line_header.h \
	%reldir%/debug/line_table.c %reldir%/debug/line_table.h \
	%reldir%/modules/file_sleds.c %reldir%/modules/file_sleds.h \
	%reldir%/modules/linked_file.c %reldir%/modules/linked_file.h \
	%reldir%/modules/module_files.c %reldir%/modules/module_files.h \
	%reldir%/modules/offered.c %reldir%/modules/offered.h \
	%reldir%/modules/split_file.c %reldir%/modules/split_file.h \
	%reldir%/modules/split_package.c %reldir%/modules/split_package.h \
	%reldir%/modules/packed_symbols.c %reldir%/modules/packed_symbols.h \
	%reldir%/debug/location.c %reldir%/debug/location.h \
	%reldir%/debug/span.c %reldir%/debug/span.h \
	%reldir%/debug/split.c %reldir%/debug/split.h \
	%reldir%/prototypes/enums.c %reldir%/prototypes/enums.h \
	%reldir%/prototypes/imports.c %reldir%/prototypes/imports.h \
	%reldir%/prototypes/list_module.c %reldir%/prototypes/list_module.h \
	%reldir%/prototypes/hand_over.c %reldir%/prototypes/hand_over.h \
	%reldir%/prototypes/type_codes.c %reldir%/prototypes/type_codes.h \
	%reldir%/prototypes/type_fields.c %reldir%/prototypes/type_fields.h \
	%reldir%/debug/symbol_table.c %reldir%/debug/symbol_table.h \
	%reldir%/modules/packed.c %reldir%/modules/packed.h \
	%reldir%/modules/trust.c %reldir%/modules/trust.h \
	%reldir%/debug/unit.c %reldir%/debug/unit.h \
	%reldir%/resolve/module_offset.c %reldir%/resolve/module_offset.h \
	%reldir%/resolve/client.c %reldir%/resolve/client.h \
	%reldir%/resolve/event_line.c %reldir%/resolve/event_line.h \
	%reldir%/resolve/inject_line.c %reldir%/resolve/inject_line.h \
	%reldir%/reports/inject_lines.c %reldir%/reports/inject_lines.h \
	%reldir%/recording/inject_names.c %reldir%/recording/inject_names.h \
	%reldir%/recording/fixed_program.c %reldir%/recording/fixed_program.h \
	%reldir%/reports/filter.c %reldir%/reports/filter.h \
	%reldir%/reports/filter_json.c %reldir%/reports/filter_json.h \
	%reldir%/reports/groups.c %reldir%/reports/groups.h \
	%reldir%/reports/report_modules.c %reldir%/reports/report_modules.h \
	%reldir%/reports/report_json.c %reldir%/reports/report_json.h \
	%reldir%/reports/report_show.c %reldir%/reports/report_show.h \
	%reldir%/reports/report_text.c %reldir%/reports/report_text.h \
	%reldir%/reports/log_line.c %reldir%/reports/log_line.h \
	%reldir%/resolve/frame_lines.c %reldir%/resolve/frame_lines.h \
	%reldir%/resolve/serve.c %reldir%/resolve/serve.h \
	%reldir%/reports/signature.c %reldir%/reports/signature.h \
	%reldir%/resolve/source.c %reldir%/resolve/source.h \
	%reldir%/reports/text_block.c %reldir%/reports/text_block.h \
	%reldir%/reports/text_line.c %reldir%/reports/text_line.h
%canon_reldir%_whocallme_SOURCES = %reldir%/main.c $(tool_sources)
tool_cppflags = $(AM_CPPFLAGS) -I$(srcdir)/%reldir% \
	-I$(top_srcdir)/whocallme -I$(top_srcdir)/whocallme/core/arch/$(WCM_ARCH) \
	-include config.h -DLIBDIR='"$(libdir)"' -DBINDIR='"$(bindir)"'
%canon_reldir%_whocallme_CPPFLAGS = $(tool_cppflags)
%canon_reldir%_whocallme_CFLAGS = $(AM_CFLAGS) $(LIBDW_CFLAGS) $(JANSSON_CFLAGS) \
	$(LZMA_CFLAGS)
# The library is in it: what starts it says nothing of where libraries are.
%canon_reldir%_whocallme_LDADD = libwcm-whole.la $(BFD_LIBS) $(LIBDW_LIBS) $(JANSSON_LIBS) \
	$(LZMA_LIBS)
EXTRA_DIST += %reldir%/README.md %reldir%/launch/sled_as.sh

# gcc looks for its assembler in a folder, by this name.
sledasdir = $(pkglibdir)/sled-as
sledas_SCRIPTS = %reldir%/sled-as/as
CLEANFILES += $(sledas_SCRIPTS)
$(sledas_SCRIPTS): %reldir%/launch/sled_as.sh
	$(AM_V_GEN)$(MKDIR_P) $(@D) && cp $(srcdir)/%reldir%/launch/sled_as.sh $@ && chmod +x $@

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
