# SPDX-License-Identifier: MIT
# What the library promises, on programs that use it.
scenarios = \
	%reldir%/arguments.bats %reldir%/arguments_debug.bats %reldir%/arguments_hostile.bats %reldir%/arguments_replayed.bats %reldir%/library.bats %reldir%/words.bats %reldir%/agent.bats %reldir%/agent_trust.bats \
	%reldir%/addresses.bats %reldir%/bootstrap.bats %reldir%/bounds.bats %reldir%/chain.bats %reldir%/chosen.bats %reldir%/classic.bats \
	%reldir%/command.bats %reldir%/command_trust.bats %reldir%/completion.bats %reldir%/configure.bats \
	%reldir%/group.bats \
	%reldir%/debug_faults.bats %reldir%/debug_files.bats %reldir%/debug_trust.bats \
	%reldir%/escapes.bats \
	%reldir%/crash.bats %reldir%/early.bats %reldir%/examples.bats %reldir%/filter.bats \
	%reldir%/flight.bats \
	%reldir%/graph.bats %reldir%/graph_ends.bats \
	%reldir%/descriptor.bats %reldir%/jit.bats %reldir%/proc.bats %reldir%/hook.bats %reldir%/hostile.bats \
	%reldir%/lines_crash.bats %reldir%/lines_running.bats %reldir%/page.bats %reldir%/pages.bats %reldir%/log.bats \
	%reldir%/inject_commands.bats %reldir%/inject_runtime.bats %reldir%/interposed.bats %reldir%/large_files.bats %reldir%/lines_safe.bats \
	%reldir%/man.bats %reldir%/mini_debug.bats %reldir%/module_origin.bats \
	%reldir%/names.bats %reldir%/opened.bats %reldir%/own_libc.bats \
	%reldir%/package.bats %reldir%/probe_macro.bats %reldir%/probe_trace.bats %reldir%/record.bats %reldir%/recording.bats \
	%reldir%/recording_bounds.bats %reldir%/recording_damage.bats \
	%reldir%/report.bats %reldir%/report_trust.bats %reldir%/resolve.bats %reldir%/resolve_bounds.bats \
	%reldir%/reloads.bats %reldir%/run.bats %reldir%/sanitizers.bats %reldir%/signals.bats %reldir%/sled.bats %reldir%/sled_ends.bats %reldir%/sled_refused.bats %reldir%/slow_call.bats %reldir%/source_text.bats %reldir%/split_data.bats \
	%reldir%/small_stacks.bats \
	%reldir%/sled_loads.bats %reldir%/sled_profiled.bats %reldir%/threads.bats \
	%reldir%/thread_pointer.bats \
	%reldir%/trace.bats %reldir%/trace_command.bats \
	%reldir%/trace_control.bats %reldir%/trace_exec.bats \
	%reldir%/trace_links.bats %reldir%/trace_output.bats \
	%reldir%/system_words.bats %reldir%/system_calls.bats \
	%reldir%/system_flags.bats %reldir%/system_hostile.bats \
	%reldir%/times.bats %reldir%/trace_safe.bats %reldir%/trace_trust.bats %reldir%/unwind.bats \
	%reldir%/withheld.bats %reldir%/wreckage.bats
if WCM_AARCH64
scenarios += %reldir%/sled_words.bats
endif
if WCM_RISCV64
scenarios += %reldir%/sled_none.bats
endif

# One of each area.
hostile_scenarios = %reldir%/agent_trust.bats %reldir%/addresses.bats %reldir%/crash.bats \
	%reldir%/debug_faults.bats %reldir%/debug_files.bats %reldir%/escapes.bats \
	%reldir%/hostile.bats %reldir%/inject_commands.bats %reldir%/inject_runtime.bats \
	%reldir%/lines_crash.bats %reldir%/mini_debug.bats %reldir%/names.bats \
	%reldir%/probe_trace.bats %reldir%/recording_damage.bats %reldir%/resolve_bounds.bats \
	%reldir%/system_hostile.bats %reldir%/unwind.bats %reldir%/wreckage.bats
quick_scenarios = %reldir%/classic.bats %reldir%/command.bats \
	%reldir%/crash.bats %reldir%/debug_faults.bats %reldir%/graph.bats \
	%reldir%/group.bats %reldir%/lines_running.bats %reldir%/package.bats \
	%reldir%/record.bats %reldir%/recording.bats %reldir%/run.bats \
	%reldir%/threads.bats %reldir%/trace.bats %reldir%/unwind.bats

EXTRA_DIST += %reldir%/arguments.py %reldir%/arguments_classes.py %reldir%/arguments_debug.py %reldir%/arguments_gdb.py \
	%reldir%/programs/arguments_given.c %reldir%/programs/arguments_many.c \
	%reldir%/programs/arguments_debug.c %reldir%/programs/arguments_hostile.c %reldir%/programs/arguments_replayed.c \
	%reldir%/programs/arguments_specified.cc %reldir%/programs/arguments_worded.c
EXTRA_DIST += %reldir%/programs/beside.c %reldir%/programs/own_libc.c %reldir%/programs/module_origin.c
EXTRA_DIST += %reldir%/programs/inject_events.c %reldir%/programs/inject_registers.c \
	%reldir%/programs/inject_registers.S
EXTRA_DIST += %reldir%/programs/library_arguments.c %reldir%/programs/library_order.c \
	%reldir%/programs/library_order.calls %reldir%/programs/library_nested.c %reldir%/programs/library_ways.cc \
	%reldir%/programs/library_ways_plugin.c
EXTRA_DIST += %reldir%/programs/probe_kinds.c %reldir%/programs/probe_forms.cc \
	%reldir%/programs/probe_globals.c %reldir%/programs/probe_locks.c \
	%reldir%/programs/probe_namesakes.c \
	%reldir%/programs/probe_other.cc %reldir%/programs/probe_shop.c \
	%reldir%/programs/probe_hostile.c %reldir%/programs/probe_plugged.c \
	%reldir%/programs/probe_throws.cc %reldir%/programs/probe_nonsense.c
EXTRA_DIST += %reldir%/programs/small_stack.c
EXTRA_DIST += %reldir%/programs/asked.c %reldir%/programs/flight.c %reldir%/programs/flight_switch.c \
	%reldir%/programs/words.cc %reldir%/programs/sleds.c \
	%reldir%/sled_calls.bash %reldir%/programs/sled_arguments.c %reldir%/programs/sled_calls.c \
	%reldir%/programs/bad_return.c %reldir%/programs/rights_of_threads.c %reldir%/programs/same_number.c \
	%reldir%/programs/sled_inside.S %reldir%/programs/sled_inside.c \
	%reldir%/programs/sled_labels.S %reldir%/programs/sled_labels.c \
	%reldir%/programs/sled_hooked.c %reldir%/programs/sled_refused.c %reldir%/programs/slow_sync.c %reldir%/programs/sled_loads.c \
	%reldir%/programs/sled_ends.cc %reldir%/programs/sled_vectors.c %reldir%/programs/sled_plugged.c %reldir%/programs/sled_plugin.c %reldir%/programs/sled_throws.cc
EXTRA_DIST += $(scenarios) %reldir%/sled_words.bats %reldir%/sled_none.bats %reldir%/support.bash %reldir%/completion.bash \
	%reldir%/completion.zsh %reldir%/debug_files.bash %reldir%/judge.bash %reldir%/judge.py %reldir%/library.bash %reldir%/recording.bash \
	%reldir%/agent.bash %reldir%/agent.py %reldir%/sled_memory.py %reldir%/terminal.py %reldir%/report.py %reldir%/in_log.py %reldir%/group.py %reldir%/hostile.py \
	%reldir%/hostile_debug.py %reldir%/lines.py \
	%reldir%/pages.py %reldir%/recording.py %reldir%/many_lines.py %reldir%/short_names.py \
	%reldir%/programs/again.c %reldir%/programs/bare.c \
	%reldir%/programs/callers.c %reldir%/programs/chains.c %reldir%/programs/chosen.c \
	%reldir%/programs/changes.c %reldir%/programs/constructor.c \
	%reldir%/programs/pointers.c \
	%reldir%/programs/comings.c %reldir%/programs/ends_in_handler.c %reldir%/programs/endings.c %reldir%/programs/goes_on.c %reldir%/programs/with_copy.c \
	%reldir%/programs/outputs.c %reldir%/programs/forbid.c %reldir%/programs/grouped.c \
	%reldir%/programs/crash.c %reldir%/programs/cxx.cc \
	%reldir%/programs/cxx.h %reldir%/programs/cxx_elsewhere.cc \
	%reldir%/programs/damage.c %reldir%/programs/every_macro.c \
	%reldir%/programs/clones.c %reldir%/programs/shapes.f90 %reldir%/programs/variables.c %reldir%/programs/jitted.c %reldir%/programs/registered.c %reldir%/programs/resumed.c %reldir%/programs/resumed.S %reldir%/programs/labels.c %reldir%/programs/filtered.c %reldir%/programs/filtered.cc \
	%reldir%/programs/filtered_elsewhere.c \
	%reldir%/programs/graphed.c %reldir%/programs/graphed_twin.c \
	%reldir%/programs/core_signals.c %reldir%/programs/fault_causes.c \
	%reldir%/programs/small_altstack.c %reldir%/programs/left_stack.c \
	%reldir%/programs/handed_back.c %reldir%/programs/hidden.c \
	%reldir%/programs/running_lines.c %reldir%/programs/running_lines.cc \
	%reldir%/programs/mixed.cc \
	%reldir%/programs/odd.S %reldir%/programs/partial.c %reldir%/programs/places.c \
	%reldir%/programs/plugged.c %reldir%/programs/plugin.c \
	%reldir%/programs/probe.c %reldir%/programs/relatives.c %reldir%/programs/reloads.c \
	%reldir%/programs/one_thread.c \
	%reldir%/programs/rights.c %reldir%/programs/shapes.c \
	%reldir%/programs/sharers.c \
	%reldir%/programs/sanitized.c %reldir%/programs/sampled.cc %reldir%/programs/sampled_plugin.c \
	%reldir%/programs/situations.c %reldir%/programs/sorting.c \
	%reldir%/programs/traced.c %reldir%/programs/traced.cc \
	%reldir%/programs/traced_calls.c %reldir%/programs/traced_control.c \
	%reldir%/programs/traced_held.c \
	%reldir%/programs/traced_ends.c \
	%reldir%/programs/traced_inlined.cc \
	%reldir%/programs/traced_plugin.c %reldir%/programs/traced_throws.cc \
	%reldir%/programs/times.c %reldir%/programs/traced_timer.c %reldir%/programs/tree.c \
	%reldir%/programs/turns.c \
	%reldir%/programs/undescribed.c %reldir%/programs/unusual.c \
	%reldir%/programs/unusual.S %reldir%/programs/victim.c \
	%reldir%/programs/lines.c %reldir%/programs/twin.c \
	%reldir%/programs/thread_leaves.c \
	%reldir%/programs/threads.c %reldir%/programs/threads.cc \
	%reldir%/programs/threads_plain.c \
	%reldir%/programs/forks.c %reldir%/programs/gives_up.c \
	%reldir%/programs/leaves.c %reldir%/programs/left.c \
	%reldir%/programs/lined.c %reldir%/programs/page.c %reldir%/programs/machine.h \
	%reldir%/programs/namesake.c %reldir%/programs/reinstall.c \
	%reldir%/programs/reports.c %reldir%/programs/recorded.c \
	%reldir%/programs/recorded.cc %reldir%/programs/recorded_plugin.c \
	%reldir%/programs/returning.cc \
	%reldir%/programs/runs.c \
	%reldir%/programs/values.c \
	%reldir%/programs/waiting.c %reldir%/programs/words.c \
	%reldir%/programs/wreck.c %reldir%/programs/wreck_there.c \
	%reldir%/programs/wreck_type.cc
if HAVE_BATS
TESTS += $(scenarios)
endif

# What strace judges: it calls what no library exports.
EXTRA_DIST += %reldir%/times.py %reldir%/system_words.py %reldir%/system_calls.py %reldir%/recorded_words.py \
	%reldir%/system_calls.bash \
	%reldir%/programs/system_ways.c %reldir%/programs/system_recorded.c \
	%reldir%/programs/system_sync.c \
	%reldir%/programs/signals_seen.c %reldir%/programs/system_handlers.c \
	%reldir%/programs/system_filters.c \
	%reldir%/programs/system_hostile.c %reldir%/programs/system_refuses.c
check_PROGRAMS += %reldir%/programs/worded_calls
%canon_reldir%_programs_worded_calls_SOURCES = %reldir%/programs/worded_calls.c \
	%reldir%/programs/worded_calls.h %reldir%/programs/worded_files.c \
	%reldir%/programs/worded_sockets.c
%canon_reldir%_programs_worded_calls_CPPFLAGS = $(safe_cppflags)
%canon_reldir%_programs_worded_calls_LDADD = libwcm-whole.la $(BFD_LIBS)
