# SPDX-License-Identifier: MIT
# The signal-safe world: see %reldir%/README.md for the law.
noinst_LTLIBRARIES += libwcm-safe.la libwcm-demangler.la

safe_cppflags = $(AM_CPPFLAGS) -DRESOLVER='"$(bindir)/whocallme"' -include config.h \
	-I$(top_srcdir)/%reldir% \
	-I$(top_srcdir)/%reldir%/core/arch/$(WCM_ARCH)
# What is called of the functions on bytes is the library's own, whatever the program has.
library_cppflags = $(safe_cppflags) -include core/os/own_bytes.h

libwcm_safe_la_CPPFLAGS = $(library_cppflags)
libwcm_safe_la_CFLAGS = $(AM_CFLAGS) $(WCM_SAFE_CFLAGS)
libwcm_safe_la_SOURCES = \
	%reldir%/core/arch/arch.h \
	%reldir%/core/os/own_bytes.c %reldir%/core/os/own_bytes.h \
	%reldir%/core/os/file.h \
	%reldir%/core/os/futex.h \
	%reldir%/core/os/kernel.h \
	%reldir%/core/os/memory.h \
	%reldir%/core/os/missing.h \
	%reldir%/core/os/owner.c %reldir%/core/os/owner.h \
	%reldir%/core/os/process.h %reldir%/core/os/socket.h \
	%reldir%/core/os/slab.c %reldir%/core/os/slab.h \
	%reldir%/core/os/unwatched.c %reldir%/core/os/unwatched.h \
	%reldir%/core/os/work_stack.c %reldir%/core/os/work_stack.h \
	%reldir%/crash/report/address.c %reldir%/crash/report/address.h \
	%reldir%/crash/signals/altstack.c %reldir%/crash/signals/altstack.h \
	%reldir%/crash/files/descriptor.c %reldir%/crash/files/descriptor.h \
	%reldir%/crash/report/signal_words.c %reldir%/crash/report/signal_words.h \
	%reldir%/crash/signals/chain.c %reldir%/crash/signals/chain.h \
	%reldir%/crash/signals/claim.c %reldir%/crash/signals/claim.h \
	%reldir%/crash/signals/die.c %reldir%/crash/signals/die.h \
	%reldir%/core/os/clock.h \
	%reldir%/crash/report/crash_info.c %reldir%/crash/report/crash_info.h \
	%reldir%/crash/files/append.c %reldir%/crash/files/append.h \
	%reldir%/core/os/attempt.c %reldir%/core/os/attempt.h \
	%reldir%/crash/files/file_lock.c %reldir%/crash/files/file_lock.h \
	%reldir%/crash/files/report_file.c %reldir%/crash/files/report_file.h \
	%reldir%/crash/report/form.h %reldir%/crash/report/form_json.c \
	%reldir%/crash/report/form_text.c \
	%reldir%/crash/handler.c %reldir%/crash/handler.h \
	%reldir%/crash/signals/handler_code.h \
	%reldir%/crash/report/source_lines.c %reldir%/crash/report/source_lines.h \
	%reldir%/crash/report/fold.c %reldir%/crash/report/fold.h \
	%reldir%/crash/report/stack_part.c %reldir%/crash/report/stack_part.h \
	%reldir%/crash/report/thread_groups.c %reldir%/crash/report/thread_groups.h \
	%reldir%/core/os/kernel_action.h %reldir%/core/os/mask.h \
	%reldir%/core/os/start_page.h \
	%reldir%/core/os/maps.c %reldir%/core/os/maps.h \
	%reldir%/crash/options.c %reldir%/crash/options.h \
	%reldir%/crash/outputs.c %reldir%/crash/outputs.h \
	%reldir%/crash/report/overflow.c %reldir%/crash/report/overflow.h \
	%reldir%/crash/report/address_text.c %reldir%/crash/report/address_text.h \
	%reldir%/core/os/proc_file.c %reldir%/core/os/proc_file.h \
	%reldir%/crash/report/reason.c %reldir%/crash/report/reason.h \
	%reldir%/crash/report/report.c %reldir%/crash/report/report.h \
	%reldir%/crash/report/secrets.c %reldir%/crash/report/secrets.h \
	%reldir%/crash/threads/last_calls.c %reldir%/crash/threads/last_calls.h \
	%reldir%/crash/threads/mailboxes.c %reldir%/crash/threads/mailboxes.h \
	%reldir%/crash/signals/stop.c %reldir%/crash/signals/stop.h \
	%reldir%/crash/threads/thread_stack.h \
	%reldir%/crash/threads/tasks.c %reldir%/crash/threads/tasks.h \
	%reldir%/crash/report/thread_text.c %reldir%/crash/report/thread_text.h \
	%reldir%/crash/threads/own_threads.c %reldir%/crash/threads/own_threads.h \
	%reldir%/crash/threads/threads.c %reldir%/crash/threads/threads.h \
	%reldir%/crash/signals/turn.c %reldir%/crash/signals/turn.h \
	%reldir%/crash/signals/called.c %reldir%/crash/signals/called.h \
	%reldir%/crash/files/withheld.c %reldir%/crash/files/withheld.h \
	%reldir%/format/agent_protocol.h %reldir%/format/lines_protocol.h \
	%reldir%/format/own_line.h \
	%reldir%/format/path.c %reldir%/format/path.h \
	%reldir%/format/printable.c %reldir%/format/printable.h \
	%reldir%/format/proof.c %reldir%/format/proof.h \
	%reldir%/format/regular.c %reldir%/format/regular.h \
	%reldir%/format/file_tag.c %reldir%/format/file_tag.h \
	%reldir%/format/written.c %reldir%/format/written.h \
	%reldir%/format/probe_note.c %reldir%/format/probe_note.h \
	%reldir%/format/sled_code.c %reldir%/format/sled_code.h \
	%reldir%/format/uftrace.h \
	%reldir%/lines/resolver_turn.c %reldir%/lines/resolver_turn.h \
	%reldir%/lines/resolver_protocol.c %reldir%/lines/resolver_protocol.h \
	%reldir%/lines/lined_frame.c %reldir%/lines/lined_frame.h \
	%reldir%/core/os/identity.c %reldir%/core/os/identity.h \
	%reldir%/lines/resolver_session.c %reldir%/lines/resolver_session.h \
	%reldir%/core/os/file_id.h \
	%reldir%/lines/failure.c %reldir%/lines/failure.h \
	%reldir%/lines/print.c %reldir%/lines/print.h \
	%reldir%/lines/resolver_request.c %reldir%/lines/resolver_request.h \
	%reldir%/lines/resolver.c %reldir%/lines/resolver.h \
	%reldir%/lines/spawn.c %reldir%/lines/spawn.h \
	%reldir%/core/report/demangle.c %reldir%/core/report/demangle.h \
	%reldir%/format/digits.c %reldir%/format/digits.h \
	%reldir%/format/wall_time.c %reldir%/format/wall_time.h \
	%reldir%/format/glob.c %reldir%/format/glob.h \
	%reldir%/core/report/frame.h \
	%reldir%/core/report/json.c %reldir%/core/report/json.h \
	%reldir%/core/report/line.c %reldir%/core/report/line.h \
	%reldir%/core/os/output.c %reldir%/core/os/output.h \
	%reldir%/core/report/short_name.c %reldir%/core/report/short_name.h \
	%reldir%/core/report/status.c \
	%reldir%/core/report/text.c %reldir%/core/report/text.h \
	%reldir%/core/os/auxv.c %reldir%/core/os/auxv.h \
	%reldir%/core/symbols/address_cache.c %reldir%/core/symbols/address_cache.h \
	%reldir%/core/symbols/dlopen_names.c %reldir%/core/symbols/dlopen_names.h \
	%reldir%/core/modules/dynamic.c %reldir%/core/modules/dynamic.h \
	%reldir%/core/modules/dynsym.c %reldir%/core/modules/dynsym.h \
	%reldir%/core/os/environment.h \
	%reldir%/core/modules/eh_frame_search.c %reldir%/core/modules/eh_frame_search.h \
	%reldir%/core/symbols/function_table.c %reldir%/core/symbols/function_table.h \
	%reldir%/core/symbols/slot_names.c %reldir%/core/symbols/slot_names.h \
	%reldir%/core/modules/eh_pe.h \
	%reldir%/core/modules/headers.c %reldir%/core/modules/headers.h \
	%reldir%/core/modules/linked.c %reldir%/core/modules/linked.h \
	%reldir%/core/symbols/lookup.c \
	%reldir%/core/modules/module.c %reldir%/core/modules/module.h \
	%reldir%/core/modules/module_id.c %reldir%/core/modules/module_id.h \
	%reldir%/core/modules/module_origin.c %reldir%/core/modules/module_origin.h \
	%reldir%/core/modules/module_visit.c \
	%reldir%/core/modules/modules.c %reldir%/core/modules/modules.h \
	%reldir%/core/modules/stay.c %reldir%/core/modules/stay.h \
	%reldir%/core/symbols/jit_names.c %reldir%/core/symbols/jit_names.h \
	%reldir%/core/symbols/symbol_name.c %reldir%/core/symbols/symbol_name.h \
	%reldir%/core/symbols/symtab.c %reldir%/core/symbols/symtab.h \
	%reldir%/core/symbols/symtab_file.c %reldir%/core/symbols/symtab_file.h \
	%reldir%/trace/filter/call_filter.c %reldir%/trace/filter/call_filter.h \
	%reldir%/trace/filter/filter_lists.h \
	%reldir%/trace/filter/filter_match.c %reldir%/trace/filter/filter_match.h \
	%reldir%/trace/filter/unwatched_sink.c %reldir%/trace/filter/unwatched_sink.h \
	%reldir%/trace/filter/aside_sink.c %reldir%/trace/filter/aside_sink.h \
	%reldir%/trace/probe/aside.c %reldir%/trace/probe/aside.h \
	%reldir%/trace/flight/flight_calls.c %reldir%/trace/flight/flight_calls.h \
	%reldir%/trace/flight/flight_copy.c %reldir%/trace/flight/flight_copy.h \
	%reldir%/trace/flight/flight_ring.c %reldir%/trace/flight/flight_ring.h \
	%reldir%/trace/graph/edges.c %reldir%/trace/graph/edges.h \
	%reldir%/trace/graph/graph_dot.c %reldir%/trace/graph/graph_dot.h \
	%reldir%/trace/graph/graph_file.c %reldir%/trace/graph/graph_file.h \
	%reldir%/trace/graph/graph_gather.c \
	%reldir%/trace/graph/graph_names.c %reldir%/trace/graph/graph_names.h \
	%reldir%/trace/graph/sink_graph.c %reldir%/trace/graph/sink_graph.h \
	%reldir%/trace/names/kept_names.c %reldir%/trace/names/kept_names.h \
	%reldir%/trace/names/name_cache.c %reldir%/trace/names/name_cache.h \
	%reldir%/trace/names/recorded_modules.c %reldir%/trace/names/recorded_modules.h \
	%reldir%/trace/probe/call.h \
	%reldir%/trace/probe/event.h \
	%reldir%/trace/probe/gate.c %reldir%/trace/probe/gate.h \
	%reldir%/trace/probe/frame/hook_frame.c %reldir%/trace/probe/frame/hook_frame.h \
	%reldir%/trace/probe/frame/inlined.c %reldir%/trace/probe/frame/inlined.h \
	%reldir%/trace/probe/interrupted.c %reldir%/trace/probe/interrupted.h \
	%reldir%/trace/probe/frame/landed.c %reldir%/trace/probe/frame/landed.h \
	%reldir%/trace/probe/sharing.c %reldir%/trace/probe/sharing.h \
	%reldir%/trace/probe/quiesce.c %reldir%/trace/probe/quiesce.h \
	%reldir%/trace/probe/shadow.c %reldir%/trace/probe/shadow.h \
	%reldir%/trace/probe/sink.h \
	%reldir%/trace/probe/stacks.c %reldir%/trace/probe/stacks.h \
	%reldir%/trace/probe/ticks.c %reldir%/trace/probe/ticks.h \
	%reldir%/trace/probe/trace_stderr.c %reldir%/trace/probe/trace_stderr.h \
	%reldir%/trace/probe/tracer.c %reldir%/trace/probe/tracer.h \
	%reldir%/trace/probe/tracer_life.c %reldir%/trace/probe/tracer_life.h \
	%reldir%/trace/probe/frame/unloadable_rules.h \
	%reldir%/trace/record/prefault.c %reldir%/trace/record/prefault.h \
	%reldir%/trace/record/record_apart.c %reldir%/trace/record/record_apart.h \
	%reldir%/trace/record/record_files.c %reldir%/trace/record/record_files.h \
	%reldir%/trace/record/ring.c %reldir%/trace/record/ring.h \
	%reldir%/trace/record/ring_end.c %reldir%/trace/record/ring_end.h \
	%reldir%/trace/record/sink_record.c %reldir%/trace/record/sink_record.h \
	%reldir%/trace/record/task_file.c %reldir%/trace/record/task_file.h \
	%reldir%/trace/record/task_list.c %reldir%/trace/record/task_list.h \
	%reldir%/trace/source/cyg.c %reldir%/trace/probe/handle_event.h \
	%reldir%/trace/source/sled/code/hold_threads.c %reldir%/trace/source/sled/code/hold_threads.h \
	%reldir%/trace/source/sled/code/near_jump.c %reldir%/trace/source/sled/code/near_jump.h \
	%reldir%/trace/source/sled/code/write_code.c %reldir%/trace/source/sled/code/write_code.h \
	%reldir%/trace/source/sled/code/link_watch.c %reldir%/trace/source/sled/code/link_watch.h \
	%reldir%/trace/source/sled/sled_enter.c %reldir%/trace/source/sled/sled_enter.h \
	%reldir%/trace/source/sled/sled_module.h \
	%reldir%/trace/source/sled/sled_first.c \
	%reldir%/trace/source/sled/sled_find.c %reldir%/trace/source/sled/sled_find.h \
	%reldir%/trace/source/sled/sled_list.c %reldir%/trace/source/sled/sled_list.h \
	%reldir%/trace/source/sled/sled_profilers.c %reldir%/trace/source/sled/sled_profilers.h \
	%reldir%/trace/source/sled/user_hook.c %reldir%/trace/source/sled/user_hook.h \
	%reldir%/trace/source/sled/sleds.c %reldir%/trace/source/sled/sleds.h \
	%reldir%/trace/source/got/library_calls.c %reldir%/trace/source/got/library_calls.h \
	%reldir%/trace/source/got/library_kinds.c %reldir%/trace/source/got/library_kinds.h \
	%reldir%/trace/source/got/library_slots.c %reldir%/trace/source/got/library_slots.h \
	%reldir%/trace/source/got/library_stubs.c %reldir%/trace/source/got/library_module.h \
	%reldir%/trace/stop/flight_stop.c \
	%reldir%/trace/stop/process_end.c %reldir%/trace/stop/process_end.h \
	%reldir%/trace/stop/readers.c %reldir%/trace/stop/readers.h \
	%reldir%/trace/stop/trace_stop.c %reldir%/trace/stop/trace_stop.h \
	%reldir%/trace/text/line_output.c %reldir%/trace/text/line_output.h \
	%reldir%/trace/text/open_words.c %reldir%/trace/text/open_words.h \
	%reldir%/trace/filter/known_values.c %reldir%/trace/filter/known_values.h \
	%reldir%/trace/names/system_slots.c %reldir%/trace/names/system_slots.h \
	%reldir%/trace/source/static/static_probes.c %reldir%/trace/source/static/static_probes.h \
	%reldir%/trace/source/static/static_find.c %reldir%/trace/source/static/static_module.h \
	%reldir%/trace/source/static/static_symbols.c \
	%reldir%/trace/source/static/static_symbols.h \
	%reldir%/trace/source/static/static_trap.c %reldir%/trace/source/static/static_trap.h \
	%reldir%/trace/values/probe_hit.c %reldir%/trace/values/probe_hit.h \
	%reldir%/trace/source/system/system_calls.c %reldir%/trace/source/system/system_calls.h \
	%reldir%/trace/source/system/dispatch_handler.c %reldir%/trace/source/system/dispatch_handler.h \
	%reldir%/trace/source/system/dispatch_ways.c %reldir%/trace/source/system/dispatch_ways.h \
	%reldir%/trace/source/system/dispatch_cancel.c %reldir%/trace/source/system/dispatch_cancel.h \
	%reldir%/trace/source/system/dispatch_actions.c \
	%reldir%/trace/source/system/dispatch_actions.h \
	%reldir%/trace/source/system/dispatch_pass.c %reldir%/trace/source/system/dispatch_pass.h \
	%reldir%/trace/source/system/dispatch_signals.c %reldir%/trace/source/system/dispatch_signals.h \
	%reldir%/trace/source/system/dispatch_tell.c %reldir%/trace/source/system/dispatch_tell.h \
	%reldir%/trace/source/system/dispatch_thread.h \
	%reldir%/trace/text/log_columns.c %reldir%/trace/text/log_columns.h \
	%reldir%/trace/text/log_system.c %reldir%/trace/text/log_system.h \
	%reldir%/trace/values/enumeration.c %reldir%/trace/values/enumeration.h \
	%reldir%/trace/values/read_value.c %reldir%/trace/values/read_value.h \
	%reldir%/trace/values/prototype.c %reldir%/trace/values/prototype.h \
	%reldir%/trace/values/prototypes.c %reldir%/trace/values/prototypes.h \
	%reldir%/trace/values/value_data.c %reldir%/trace/values/value_data.h \
	%reldir%/trace/values/value_moves.c %reldir%/trace/values/value_moves.h \
	%reldir%/trace/values/value_words.c %reldir%/trace/values/value_words.h \
	%reldir%/trace/values/worded_data.c %reldir%/trace/values/worded_data.h \
	%reldir%/trace/values/prototypes_include.h \
	%reldir%/trace/values/system_call.h %reldir%/trace/values/system_files.c \
	%reldir%/trace/values/system_kinds.h \
	%reldir%/trace/values/system_memory.c %reldir%/trace/values/system_numbers.c \
	%reldir%/trace/values/system_processes.c %reldir%/trace/values/system_signals.c \
	%reldir%/trace/values/system_sockets.c %reldir%/trace/values/system_tables.h \
	%reldir%/trace/values/system_time.c %reldir%/trace/values/system_uring.c %reldir%/trace/values/system_waiting.c \
	%reldir%/trace/values/system_words.c %reldir%/trace/values/system_words.h \
	%reldir%/trace/text/mapped_window.c %reldir%/trace/text/mapped_window.h \
	%reldir%/trace/text/sink_addresses.c \
	%reldir%/trace/text/sink_log.c \
	%reldir%/trace/text/sink_pairs.c \
	%reldir%/trace/text/text_sinks.h \
	%reldir%/trace/values/words.c %reldir%/trace/values/words.h \
	%reldir%/trace/values/words_double.c %reldir%/trace/values/words_memory.c \
	%reldir%/core/unwind/capture.c \
	%reldir%/core/unwind/changed_return.c %reldir%/core/unwind/changed_return.h \
	%reldir%/core/cfi/cfi.c %reldir%/core/cfi/cfi.h %reldir%/core/cfi/cfi_step.c \
	%reldir%/core/cfi/cursor.c %reldir%/core/cfi/cursor.h \
	%reldir%/core/unwind/debug_frame.c %reldir%/core/unwind/debug_frame.h \
	%reldir%/core/unwind/describe.c %reldir%/core/unwind/describe.h \
	%reldir%/core/modules/epoch.c %reldir%/core/modules/epoch.h \
	%reldir%/core/cfi/expr.c %reldir%/core/cfi/expr.h \
	%reldir%/core/cfi/fde.c %reldir%/core/cfi/fde.h \
	%reldir%/core/cfi/fde_list.c %reldir%/core/cfi/fde_list.h \
	%reldir%/core/unwind/frame_pointer.c %reldir%/core/unwind/frame_pointer.h \
	%reldir%/core/unwind/guess.c %reldir%/core/unwind/guess.h \
	%reldir%/core/cfi/lsda.c %reldir%/core/cfi/lsda.h \
	%reldir%/core/cfi/opcodes.h \
	%reldir%/core/cfi/plain.c %reldir%/core/cfi/plain.h \
	%reldir%/core/unwind/prologue.c %reldir%/core/unwind/prologue.h \
	%reldir%/core/os/read.c %reldir%/core/os/read.h \
	%reldir%/core/modules/module_read.c %reldir%/core/modules/module_read.h \
	%reldir%/core/modules/place.c %reldir%/core/modules/place.h \
	%reldir%/core/arch/registers.h %reldir%/core/arch/rule.h \
	%reldir%/core/unwind/registered.c %reldir%/core/unwind/registered.h \
	%reldir%/core/unwind/rule_cache.c %reldir%/core/unwind/rule_cache.h \
	%reldir%/core/os/self.h %reldir%/core/os/wide.h \
	%reldir%/core/unwind/stack_span.c %reldir%/core/unwind/stack_span.h \
	%reldir%/core/unwind/step.c %reldir%/core/unwind/step.h \
	%reldir%/core/unwind/stride.c %reldir%/core/unwind/stride.h \
	%reldir%/core/os/thread_pointer.c %reldir%/core/os/thread_pointer.h \
	%reldir%/core/unwind/stub_code.h %reldir%/core/unwind/walk.c %reldir%/core/unwind/walk.h
# What a libc tells of the modules that it has loaded.
if DL_FIND_OBJECT
libwcm_safe_la_SOURCES += %reldir%/core/modules/linked_index.c \
	%reldir%/core/modules/linked_index.h \
	%reldir%/trace/probe/frame/unloadable_rules.c
else
libwcm_safe_la_SOURCES += %reldir%/core/modules/linked_list.c %reldir%/trace/probe/frame/unloadable_none.c
endif
# The port: of the CPU alone, and of the two that have most instructions in common.
if WCM_X86
arch_code = whocallme/core/arch/x86/code_bytes.c whocallme/core/arch/x86/first_code.c
x86_trace = whocallme/core/arch/x86/entry_points.c whocallme/core/arch/x86/sled_bytes.c
x86_headers = whocallme/core/arch/x86/counter.h whocallme/core/arch/x86/cpuid.h \
	whocallme/core/arch/x86/sled_frame.h whocallme/core/arch/x86/instruction.h \
	whocallme/core/arch/generic/held_sleds.h whocallme/core/arch/generic/trampoline_address.h
endif
if WCM_X86_64
arch_context = whocallme/core/arch/x86_64/context.c whocallme/core/arch/x86/machine_state.c \
	whocallme/core/arch/x86_64/decoded.c whocallme/core/arch/x86_64/decoded.h \
	whocallme/core/arch/x86_64/fault.c
arch_trace = $(x86_trace) whocallme/core/arch/x86_64/sled.c whocallme/core/arch/x86_64/profiler_call.c \
	whocallme/core/arch/x86_64/dispatch.c whocallme/core/arch/x86_64/probe.c whocallme/core/arch/x86_64/passed.c \
	whocallme/core/arch/x86_64/trampoline.c
arch_headers = $(x86_headers) whocallme/core/arch/x86_64/columns.h whocallme/core/arch/x86_64/encoding.h \
	whocallme/core/arch/x86_64/gregs.h whocallme/core/arch/x86_64/regs.h \
	whocallme/core/arch/x86_64/library_stub.h \
	whocallme/core/arch/x86_64/syscall.h whocallme/core/arch/generic/signal_action.h
endif
if WCM_I386
arch_context = whocallme/core/arch/i386/atomic.c whocallme/core/arch/i386/context.c \
	whocallme/core/arch/x86/machine_state.c whocallme/core/arch/i386/fault.c
arch_trace = $(x86_trace) whocallme/core/arch/i386/sled.c \
	whocallme/core/arch/generic/profiler_call.c whocallme/core/arch/i386/trampoline.c \
	whocallme/core/arch/generic/dispatch.c whocallme/core/arch/generic/probe.c whocallme/core/arch/generic/passed.c
arch_headers = $(x86_headers) whocallme/core/arch/i386/columns.h whocallme/core/arch/i386/encoding.h \
	whocallme/core/arch/i386/gregs.h whocallme/core/arch/i386/regs.h \
	whocallme/core/arch/generic/library_stub.h \
	whocallme/core/arch/i386/syscall.h whocallme/core/arch/generic/signal_action.h
endif
if WCM_AARCH64
arch_code = whocallme/core/arch/aarch64/code_bytes.c whocallme/core/arch/aarch64/first_code.c
arch_context = whocallme/core/arch/aarch64/context.c whocallme/core/arch/generic/fault.c
arch_trace = whocallme/core/arch/aarch64/sled.c whocallme/core/arch/aarch64/sled_entry.c \
	whocallme/core/arch/generic/profiler_call.c whocallme/core/arch/aarch64/trampoline.c \
	whocallme/core/arch/generic/dispatch.c whocallme/core/arch/generic/probe.c whocallme/core/arch/generic/passed.c
arch_headers = whocallme/core/arch/aarch64/encoding.h whocallme/core/arch/aarch64/sled_frame.h \
	whocallme/core/arch/generic/trampoline_address.h \
	whocallme/core/arch/aarch64/columns.h whocallme/core/arch/aarch64/counter.h \
	whocallme/core/arch/aarch64/instruction.h whocallme/core/arch/aarch64/regs.h \
	whocallme/core/arch/aarch64/syscall.h \
	whocallme/core/arch/generic/library_stub.h whocallme/core/arch/generic/signal_action.h
endif
if WCM_RISCV64
arch_code = whocallme/core/arch/riscv64/code_bytes.c whocallme/core/arch/riscv64/first_code.c \
	whocallme/core/arch/riscv64/instruction.c
arch_context = whocallme/core/arch/riscv64/atomic.c whocallme/core/arch/riscv64/context.c \
	whocallme/core/arch/generic/fault.c
arch_trace = whocallme/core/arch/generic/sled.c whocallme/core/arch/generic/profiler_call.c \
	whocallme/core/arch/generic/dispatch.c whocallme/core/arch/generic/probe.c \
	whocallme/core/arch/generic/passed.c whocallme/core/arch/generic/trampoline.c \
	whocallme/core/arch/generic/no_sleds.h whocallme/core/arch/generic/held_sleds.h
arch_headers = whocallme/core/arch/riscv64/columns.h whocallme/core/arch/riscv64/instruction.h \
	whocallme/core/arch/riscv64/regs.h whocallme/core/arch/riscv64/syscall.h \
	whocallme/core/arch/generic/library_stub.h
endif
if WCM_GENERIC
arch_code = whocallme/core/arch/generic/code_bytes.c whocallme/core/arch/generic/first_code.c
arch_context = whocallme/core/arch/generic/context.c whocallme/core/arch/generic/fault.c
arch_trace = whocallme/core/arch/generic/sled.c whocallme/core/arch/generic/profiler_call.c \
	whocallme/core/arch/generic/dispatch.c whocallme/core/arch/generic/probe.c \
	whocallme/core/arch/generic/passed.c whocallme/core/arch/generic/trampoline.c \
	whocallme/core/arch/generic/no_sleds.h whocallme/core/arch/generic/held_sleds.h
arch_headers = whocallme/core/arch/generic/columns.h whocallme/core/arch/generic/regs.h \
	whocallme/core/arch/generic/syscall.h \
	whocallme/core/arch/generic/library_stub.h whocallme/core/arch/generic/signal_action.h
endif
libwcm_safe_la_SOURCES += $(arch_code) $(arch_context) $(arch_trace) $(arch_headers)
# The headers that the list names are preprocessed, to leave out what they lack; then the compiler
# compares the rest with them.
nodist_libwcm_safe_la_SOURCES = %reldir%/trace/values/prototypes_table.c
EXTRA_DIST += %reldir%/trace/values/prototypes.awk %reldir%/trace/values/prototypes.list
CLEANFILES += %reldir%/trace/values/prototypes_table.c %reldir%/trace/values/prototypes_headers.c \
	%reldir%/trace/values/prototypes_headers.i
prototypes = $(top_srcdir)/%reldir%/trace/values/prototypes
%reldir%/trace/values/prototypes_table.c: %reldir%/trace/values/prototypes.awk \
		%reldir%/trace/values/prototypes.list \
		%reldir%/trace/values/prototypes_include.h
	@$(MKDIR_P) %reldir%/trace/values
	$(AM_V_at)LC_ALL=C $(AWK) -f $(prototypes).awk $(prototypes).list \
		>%reldir%/trace/values/prototypes_headers.c
	$(AM_V_at)$(CC) $(DEFS) $(DEFAULT_INCLUDES) $(safe_cppflags) $(CPPFLAGS) \
		$(libwcm_safe_la_CFLAGS) $(CFLAGS) -E -P \
		%reldir%/trace/values/prototypes_headers.c \
		>%reldir%/trace/values/prototypes_headers.i
	$(AM_V_GEN)LC_ALL=C $(AWK) -f $(prototypes).awk \
		%reldir%/trace/values/prototypes_headers.i $(prototypes).list >$@.tmp && \
		mv $@.tmp $@

# The names that the headers have, which are macros; what they stand for the compiler reads.
nodist_libwcm_safe_la_SOURCES += %reldir%/trace/values/system_calls.c
EXTRA_DIST += %reldir%/trace/values/system_calls.awk %reldir%/trace/values/system_calls.list
CLEANFILES += %reldir%/trace/values/system_calls.c %reldir%/trace/values/system_calls_headers.c \
	%reldir%/trace/values/system_calls.libc %reldir%/trace/values/system_calls.kernel
system_calls = $(top_srcdir)/%reldir%/trace/values/system_calls
list_macros = $(CC) $(DEFS) $(DEFAULT_INCLUDES) $(safe_cppflags) $(CPPFLAGS) \
	$(libwcm_safe_la_CFLAGS) $(CFLAGS) -E -dM %reldir%/trace/values/system_calls_headers.c
%reldir%/trace/values/system_calls.c: %reldir%/trace/values/system_calls.awk \
		%reldir%/trace/values/system_calls.list
	@$(MKDIR_P) %reldir%/trace/values
	$(AM_V_at)LC_ALL=C $(AWK) -f $(system_calls).awk $(system_calls).list \
		>%reldir%/trace/values/system_calls_headers.c
	$(AM_V_at)$(list_macros) >$@.tmp && \
		LC_ALL=C sort $@.tmp >%reldir%/trace/values/system_calls.libc
	$(AM_V_at)LC_ALL=C $(AWK) -f $(system_calls).awk -v world=kernel $(system_calls).list \
		>%reldir%/trace/values/system_calls_headers.c
	$(AM_V_at)$(list_macros) >%reldir%/trace/values/system_calls.kernel
	$(AM_V_GEN)LC_ALL=C $(AWK) -f $(system_calls).awk \
		%reldir%/trace/values/system_calls.libc \
		%reldir%/trace/values/system_calls.kernel $(system_calls).list >$@.tmp && \
		mv $@.tmp $@

# After the flags that the user gives, such as a distribution's -fstack-protector-strong
# and -D_FORTIFY_SOURCE: what would call __stack_chk_fail() or __memmove_chk() is not for
# a signal handler.
$(libwcm_safe_la_OBJECTS): override CFLAGS += $(WCM_SAFE_CFLAGS) -U_FORTIFY_SOURCE
EXTRA_DIST += \
	%reldir%/libwhocallme.map %reldir%/front/preload/preload.map

# Of the safe world, but for code that was compiled elsewhere, with vector registers:
# libiberty's demanglers, which core/demangler/copy.sh takes from its archive.
libwcm_demangler_la_CPPFLAGS = $(library_cppflags)
libwcm_demangler_la_CFLAGS = $(AM_CFLAGS) $(WCM_SAFE_CFLAGS)
libwcm_demangler_la_SOURCES = %reldir%/core/demangler/demangler.h
EXTRA_DIST += %reldir%/core/demangler/copy.sh
if DEMANGLERS
libwcm_demangler_la_SOURCES += %reldir%/core/demangler/host.c %reldir%/core/demangler/host.h
libwcm_demangler_la_LIBADD = %reldir%/demangler/copy.lo
CLEANFILES += %reldir%/demangler/copy.o %reldir%/demangler/copy.lo
else
libwcm_demangler_la_SOURCES += %reldir%/core/demangler/none.c
endif
EXTRA_DIST += %reldir%/core/demangler/host.c %reldir%/core/demangler/host.h \
	%reldir%/core/demangler/none.c

# As libtool writes it; position-independent in any case.
%reldir%/demangler/copy.lo: %reldir%/core/demangler/copy.sh
	@$(MKDIR_P) %reldir%/demangler
	$(AM_V_GEN)AR='$(AR)' LD='$(LD)' NM='$(NM)' OBJCOPY='$(OBJCOPY)' \
		$(SHELL) $(top_srcdir)/%reldir%/core/demangler/copy.sh \
		'$(LIBIBERTY)' %reldir%/demangler/copy.o
	@printf '%s\n' "# copy.lo - a libtool object file" "# Generated by libtool" \
		"pic_object='copy.o'" "non_pic_object='copy.o'" >$@

# The ordinary world, and the front door.  Signal handlers and hooks point into
# the library, so that it is never unloaded.
libwcm_ordinary_la_CPPFLAGS = $(library_cppflags)
libwcm_ordinary_la_CFLAGS = $(AM_CFLAGS) $(WCM_SAFE_CFLAGS) $(LZMA_CFLAGS)
libwcm_ordinary_la_SOURCES = \
	%reldir%/front/classic.c \
	%reldir%/agent/agent.c %reldir%/agent/agent_rest.h \
	%reldir%/agent/answer.c %reldir%/agent/answer.h \
	%reldir%/agent/bell.c %reldir%/agent/bell.h \
	%reldir%/load/objects/build_table.c %reldir%/load/objects/build_table.h \
	%reldir%/load/objects/bytes.h \
	%reldir%/load/objects/debug_file.c %reldir%/load/objects/debug_file.h \
	%reldir%/load/data_symbols.c %reldir%/load/data_symbols.h \
	%reldir%/load/debug_frames.c %reldir%/load/debug_frames.h \
	%reldir%/load/demangled_copy.c \
	%reldir%/load/executable.c %reldir%/load/executable.h \
	%reldir%/load/functions.c \
	%reldir%/load/objects/hush.c %reldir%/load/objects/hush.h \
	%reldir%/load/load.c %reldir%/load/load.h \
	%reldir%/load/at_start.c %reldir%/load/at_start.h \
	%reldir%/load/loaded.c %reldir%/load/loaded.h \
	%reldir%/load/lock.c %reldir%/load/lock.h \
	%reldir%/load/objects/mapped_file.c %reldir%/load/objects/mapped_file.h \
	%reldir%/load/objects/mini_debug.c %reldir%/load/objects/mini_debug.h \
	%reldir%/load/objects/objfile.c %reldir%/load/objects/objfile.h \
	%reldir%/load/objects/own_symbols.c %reldir%/load/objects/own_symbols.h \
	%reldir%/load/objects/section_layout.c %reldir%/load/objects/section_layout.h \
	%reldir%/load/permanent.c %reldir%/load/permanent.h \
	%reldir%/load/objects/raw_symbols.c %reldir%/load/objects/raw_symbols.h \
	%reldir%/load/lines_control.c %reldir%/load/lines_control.h \
	%reldir%/load/objects/solid.c %reldir%/load/objects/solid.h \
	%reldir%/load/objects/whole_tables.c %reldir%/load/objects/whole_tables.h \
	%reldir%/load/sources.c \
	%reldir%/trace/control/carry.c %reldir%/trace/control/carry.h \
	%reldir%/trace/control/foreign_hooks.c %reldir%/trace/control/foreign_hooks.h \
	%reldir%/trace/control/filter_options.c %reldir%/trace/control/filter_options.h \
	%reldir%/trace/control/library_options.c %reldir%/trace/control/library_options.h \
	%reldir%/trace/control/probe_options.c %reldir%/trace/control/probe_options.h \
	%reldir%/trace/control/system_options.c %reldir%/trace/control/system_options.h \
	%reldir%/trace/control/flags.c \
	%reldir%/trace/control/flight_start.c %reldir%/trace/control/flight_start.h \
	%reldir%/trace/control/sled_complaint.c %reldir%/trace/control/sled_complaint.h \
	%reldir%/trace/control/modes/graph_mode.c \
	%reldir%/trace/control/modes/brought.c %reldir%/trace/control/modes/brought.h \
	%reldir%/trace/control/modes/lost.c %reldir%/trace/control/modes/lost.h \
	%reldir%/trace/control/modes/modes.h \
	%reldir%/trace/control/modes/origin.c %reldir%/trace/control/modes/origin.h \
	%reldir%/trace/control/modes/record_dir.c %reldir%/trace/control/modes/record_dir.h \
	%reldir%/trace/control/modes/record_info.c %reldir%/trace/control/modes/record_info.h \
	%reldir%/trace/control/modes/record_mode.c \
	%reldir%/trace/control/modes/record_session.c %reldir%/trace/control/modes/record_session.h \
	%reldir%/trace/control/modes/symbol_file.c %reldir%/trace/control/modes/symbol_file.h \
	%reldir%/trace/control/modes/values_file.c %reldir%/trace/control/modes/values_file.h \
	%reldir%/trace/control/modes/text_modes.c \
	%reldir%/trace/control/modes/trace_environment.c %reldir%/trace/control/modes/trace_environment.h \
	%reldir%/trace/control/request.c %reldir%/trace/control/request.h \
	%reldir%/trace/control/trace_start.c %reldir%/trace/control/trace_start.h \
	%reldir%/trace/control/value_options.c %reldir%/trace/control/value_options.h \
	%reldir%/front/entry_hook.c %reldir%/front/library_thread.c \
	%reldir%/front/library_thread.h %reldir%/front/watchdog.c \
	%reldir%/front/watchdog_rest.h

# Both, for what is built in this tree; in one archive each finds the other.
libwcm_whole_la_SOURCES =
libwcm_whole_la_LIBADD = libwcm-ordinary.la libwcm-safe.la libwcm-demangler.la \
	$(LZMA_LIBS)

if WITH_BFD
noinst_LTLIBRARIES += libwcm-ordinary.la libwcm-whole.la
lib_LTLIBRARIES += libwhocallme.la
endif
if SHARED
lib_LTLIBRARIES += libwhocallme-preload.la
endif

# What is interposed is not in a convenience library, whose objects are those of
# the static one, too.
libwhocallme_la_SOURCES = %reldir%/watch/remap.c \
	%reldir%/watch/endings.c %reldir%/watch/interposed.h \
	%reldir%/watch/register_frame.c \
	%reldir%/watch/signals.c %reldir%/watch/signals.h \
	%reldir%/watch/thread_start.c %reldir%/watch/unload.c \
	%reldir%/trace/control/bare.c %reldir%/trace/control/bare.h \
	%reldir%/trace/control/clone.c \
	%reldir%/trace/control/exec.c \
	%reldir%/front/rights.c %reldir%/front/one_thread.c %reldir%/front/one_thread.h
libwhocallme_la_CPPFLAGS = $(library_cppflags)
libwhocallme_la_CFLAGS = $(AM_CFLAGS) $(WCM_SAFE_CFLAGS)
libwhocallme_la_LIBADD = libwcm-whole.la $(BFD_LIBS) $(LZMA_LIBS)
libwhocallme_la_LDFLAGS = $(AM_LDFLAGS) -version-info 0:0:0 \
	-Wl,-z,now -Wl,-z,nodelete \
	-Wl,--version-script=$(top_srcdir)/%reldir%/libwhocallme.map
libwhocallme_la_DEPENDENCIES = libwcm-whole.la %reldir%/libwhocallme.map

# Loaded into programs that know nothing of it; no BFD.
libwhocallme_preload_la_SOURCES = %reldir%/front/preload/preload.c \
	%reldir%/front/preload/quick_executable.c \
	%reldir%/front/preload/preload_hooks.c %reldir%/front/preload/preload_hooks.h \
	%reldir%/front/preload/settings.c %reldir%/front/preload/settings.h \
	%reldir%/front/preload/quick_start.c %reldir%/front/preload/quick_exec.c \
	%reldir%/load/loaded.c %reldir%/load/lock.c \
	%reldir%/load/objects/mapped_file.c %reldir%/load/permanent.c \
	%reldir%/trace/control/bare.c %reldir%/trace/control/bare.h \
	%reldir%/trace/control/exec.c \
	%reldir%/trace/control/flight_start.c %reldir%/trace/control/sled_complaint.c \
	%reldir%/watch/endings.c %reldir%/watch/interposed.h \
	%reldir%/watch/register_frame.c %reldir%/watch/remap.c \
	%reldir%/watch/signals.c %reldir%/watch/signals.h \
	%reldir%/watch/thread_start.c %reldir%/watch/unload.c
libwhocallme_preload_la_CPPFLAGS = $(library_cppflags)
libwhocallme_preload_la_LIBADD = libwcm-safe.la libwcm-demangler.la
# Its own hooks come first.  Those of trace/source/cyg.c cannot be weak: libc.a has some that do
# nothing, which some linkers would prefer.
libwhocallme_preload_la_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version -shared -Wl,-z,muldefs \
	-Wl,-z,now -Wl,-z,nodelete -Wl,-z,initfirst \
	-Wl,--version-script=$(top_srcdir)/%reldir%/front/preload/preload.map
