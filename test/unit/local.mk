# SPDX-License-Identifier: MIT
# One program a question; see test/support/check.h for how they are written.
unit_support = test/support/check.h
EXTRA_DIST += test/support/check.h test/support/code_page.h test/support/fake_arch.h \
	test/support/fake_read.h test/support/scratch_dir.h \
	test/support/waiting_threads.h \
	test/support/fake_arch.c \
	test/support/fake_read.c test/support/fake_stack_span.c

# Programs that see a source file or two, with memory made by hand behind them.
unit_alone = %reldir%/test_append %reldir%/test_build_table %reldir%/test_describe \
	%reldir%/test_edges %reldir%/test_glob %reldir%/test_wall_time \
	%reldir%/test_frame_pointer %reldir%/test_function_table %reldir%/test_hand_over \
	%reldir%/test_json %reldir%/test_kernel_action \
	%reldir%/test_module_id %reldir%/test_offered %reldir%/test_report \
	%reldir%/test_rule_cache \
	%reldir%/test_registered %reldir%/test_secrets \
	%reldir%/test_fold \
	%reldir%/test_short_name \
	%reldir%/test_step %reldir%/test_stride \
	%reldir%/test_walk %reldir%/test_whole_tables

# Programs that see the whole library, internal calls included.
unit_whole = %reldir%/test_alloc_failure %reldir%/test_arch_calls \
	%reldir%/test_call_filter \
	%reldir%/test_capture %reldir%/test_cfi \
	%reldir%/test_classic %reldir%/test_crash_report \
	%reldir%/test_demangle %reldir%/test_resolver_protocol \
	%reldir%/test_dynsym %reldir%/test_debug_frame %reldir%/test_fde %reldir%/test_first_code \
	%reldir%/test_interrupted \
	%reldir%/test_lsda %reldir%/test_place %reldir%/test_plain \
	%reldir%/test_module %reldir%/test_overflow %reldir%/test_owner \
	%reldir%/test_read %reldir%/test_ring %reldir%/test_shadow %reldir%/test_spawn \
	%reldir%/test_own_symbols \
	%reldir%/test_probe_hit %reldir%/test_probe_note %reldir%/test_prototype %reldir%/test_stack_span \
	%reldir%/test_settings %reldir%/test_static_symbols %reldir%/test_symtab %reldir%/test_system_words \
	%reldir%/test_threads \
	%reldir%/test_turns %reldir%/test_value_moves %reldir%/test_words
if WCM_AARCH64
unit_whole += %reldir%/test_arch_aarch64 %reldir%/test_frames_aarch64 \
	%reldir%/test_sleds_aarch64
endif
if WCM_RISCV64
unit_whole += %reldir%/test_arch_riscv64 %reldir%/test_frames_riscv64
endif
if DEMANGLERS
unit_whole += %reldir%/test_demangle_fault
endif
if !SANITIZERS
# The address sanitizer gives alternate stacks itself, and unmaps what it finds.
unit_whole += %reldir%/test_altstack
endif

unit_programs = $(unit_alone) $(unit_whole)

# Programs that see the command, all but its main(), with sanitizers: not for valgrind.
unit_tool = %reldir%/test_debug_search %reldir%/test_function_names \
	%reldir%/test_recording_reader %reldir%/test_report_reader

if HAVE_CMOCKA
check_PROGRAMS += $(unit_programs) $(unit_tool)
unit_tests = $(unit_programs) $(unit_tool)
TESTS += $(unit_tests)
endif

unit_cppflags = $(safe_cppflags) -I$(top_srcdir)/test $(CMOCKA_CFLAGS)
unit_cflags = $(AM_CFLAGS) -fno-omit-frame-pointer
unit_whole_libs = libwcm-whole.la $(BFD_LIBS) $(CMOCKA_LIBS)

unit_tool_cppflags = $(tool_cppflags) -I$(top_srcdir)/test $(CMOCKA_CFLAGS)
unit_tool_cflags = $(fuzz_cflags) $(LIBDW_CFLAGS) $(JANSSON_CFLAGS) $(LZMA_CFLAGS)
unit_tool_libs = libfuzz-tool.la $(unit_whole_libs) $(LIBDW_LIBS) $(JANSSON_LIBS) \
	$(LZMA_LIBS)

unit_step = whocallme/core/unwind/step.c whocallme/core/unwind/changed_return.c whocallme/core/os/slab.c \
	whocallme/core/arch/generic/trampoline.c test/support/no_trampolines.c test/support/fake_read.c \
	test/support/fake_read.h
unit_frame_pointer = whocallme/core/unwind/frame_pointer.c \
	whocallme/core/arch/generic/first_code.c test/support/fake_arch.c \
	test/support/fake_arch.h

test_unit_test_append_SOURCES = %reldir%/test_append.c whocallme/crash/files/append.c whocallme/crash/files/file_lock.c whocallme/format/path.c \
	whocallme/core/os/output.c
test_unit_test_append_CPPFLAGS = $(unit_cppflags)
test_unit_test_append_CFLAGS = $(unit_cflags)
test_unit_test_append_LDADD = $(CMOCKA_LIBS)

test_unit_test_build_table_SOURCES = %reldir%/test_build_table.c \
	whocallme/load/objects/build_table.c whocallme/core/symbols/function_table.c \
	whocallme/core/symbols/symbol_name.c
test_unit_test_build_table_CPPFLAGS = $(unit_cppflags)
test_unit_test_build_table_CFLAGS = $(unit_cflags)
test_unit_test_build_table_LDADD = $(CMOCKA_LIBS)

test_unit_test_describe_SOURCES = %reldir%/test_describe.c whocallme/crash/report/signal_words.c
test_unit_test_describe_CPPFLAGS = $(unit_cppflags)
test_unit_test_describe_CFLAGS = $(unit_cflags)
test_unit_test_describe_LDADD = $(CMOCKA_LIBS)

test_unit_test_dynsym_SOURCES = %reldir%/test_dynsym.c
test_unit_test_dynsym_CPPFLAGS = $(unit_cppflags)
test_unit_test_dynsym_CFLAGS = $(unit_cflags)
test_unit_test_dynsym_LDADD = $(unit_whole_libs)

test_unit_test_module_SOURCES = %reldir%/test_module.c
test_unit_test_module_CPPFLAGS = $(unit_cppflags)
test_unit_test_module_CFLAGS = $(unit_cflags)
test_unit_test_module_LDADD = $(unit_whole_libs)

test_unit_test_edges_SOURCES = %reldir%/test_edges.c whocallme/trace/graph/edges.c
test_unit_test_edges_CPPFLAGS = $(unit_cppflags)
test_unit_test_edges_CFLAGS = $(unit_cflags)
test_unit_test_edges_LDADD = $(CMOCKA_LIBS) -lpthread

test_unit_test_frame_pointer_SOURCES = %reldir%/test_frame_pointer.c \
	$(unit_frame_pointer) $(unit_step)
test_unit_test_frame_pointer_CPPFLAGS = $(unit_cppflags)
test_unit_test_frame_pointer_CFLAGS = $(unit_cflags)
test_unit_test_frame_pointer_LDADD = $(CMOCKA_LIBS)

test_unit_test_function_table_SOURCES = %reldir%/test_function_table.c \
	whocallme/core/symbols/function_table.c
test_unit_test_function_table_CPPFLAGS = $(unit_cppflags)
test_unit_test_function_table_CFLAGS = $(unit_cflags)
test_unit_test_function_table_LDADD = $(CMOCKA_LIBS)

# It has registered.c in itself, whose steps it counts.
test_unit_test_registered_SOURCES = %reldir%/test_registered.c \
	whocallme/core/cfi/cursor.c whocallme/core/cfi/fde.c whocallme/core/cfi/fde_list.c
test_unit_test_registered_CPPFLAGS = $(unit_cppflags)
test_unit_test_registered_CFLAGS = $(unit_cflags)
test_unit_test_registered_LDADD = $(CMOCKA_LIBS)

test_unit_test_secrets_SOURCES = %reldir%/test_secrets.c whocallme/crash/report/secrets.c
test_unit_test_secrets_CPPFLAGS = $(unit_cppflags)
test_unit_test_secrets_CFLAGS = $(unit_cflags)
test_unit_test_secrets_LDADD = $(CMOCKA_LIBS)

test_unit_test_wall_time_SOURCES = %reldir%/test_wall_time.c whocallme/format/wall_time.c
test_unit_test_wall_time_CPPFLAGS = $(unit_cppflags)
test_unit_test_wall_time_CFLAGS = $(unit_cflags)
test_unit_test_wall_time_LDADD = $(CMOCKA_LIBS)

test_unit_test_glob_SOURCES = %reldir%/test_glob.c whocallme/format/glob.c
test_unit_test_glob_CPPFLAGS = $(unit_cppflags)
test_unit_test_glob_CFLAGS = $(unit_cflags)
test_unit_test_glob_LDADD = $(CMOCKA_LIBS)

test_unit_test_interrupted_SOURCES = %reldir%/test_interrupted.c
test_unit_test_interrupted_CPPFLAGS = $(unit_cppflags)
test_unit_test_interrupted_CFLAGS = $(unit_cflags)
test_unit_test_interrupted_LDADD = $(unit_whole_libs)

test_unit_test_offered_SOURCES = %reldir%/test_offered.c tool/modules/offered.c
test_unit_test_offered_CPPFLAGS = $(unit_tool_cppflags)
test_unit_test_offered_CFLAGS = $(unit_cflags)
test_unit_test_offered_LDADD = $(CMOCKA_LIBS)

test_unit_test_hand_over_SOURCES = %reldir%/test_hand_over.c tool/prototypes/hand_over.c
test_unit_test_hand_over_CPPFLAGS = $(unit_tool_cppflags)
test_unit_test_hand_over_CFLAGS = $(unit_cflags) $(LIBDW_CFLAGS)
test_unit_test_hand_over_LDADD = $(CMOCKA_LIBS)

test_unit_test_json_SOURCES = %reldir%/test_json.c \
	whocallme/format/printable.c whocallme/format/words.c whocallme/format/json.c \
	whocallme/core/os/output.c
test_unit_test_json_CPPFLAGS = $(unit_cppflags)
test_unit_test_json_CFLAGS = $(unit_cflags)
test_unit_test_json_LDADD = $(CMOCKA_LIBS)

test_unit_test_report_SOURCES = %reldir%/test_report.c \
	whocallme/format/printable.c whocallme/format/words.c whocallme/format/line.c \
	whocallme/core/os/output.c
test_unit_test_report_CPPFLAGS = $(unit_cppflags)
test_unit_test_report_CFLAGS = $(unit_cflags)
test_unit_test_report_LDADD = $(CMOCKA_LIBS) -lpthread

test_unit_test_fold_SOURCES = %reldir%/test_fold.c whocallme/crash/report/fold.c
test_unit_test_fold_CPPFLAGS = $(unit_cppflags)
test_unit_test_fold_CFLAGS = $(unit_cflags)
test_unit_test_fold_LDADD = $(CMOCKA_LIBS)

test_unit_test_short_name_SOURCES = %reldir%/test_short_name.c \
	whocallme/core/report/short_name.c
test_unit_test_short_name_CPPFLAGS = $(unit_cppflags)
test_unit_test_short_name_CFLAGS = $(unit_cflags)
test_unit_test_short_name_LDADD = $(CMOCKA_LIBS)

test_unit_test_step_SOURCES = %reldir%/test_step.c $(unit_step)
test_unit_test_step_CPPFLAGS = $(unit_cppflags)
test_unit_test_step_CFLAGS = $(unit_cflags)
test_unit_test_step_LDADD = $(CMOCKA_LIBS)

test_unit_test_rule_cache_SOURCES = %reldir%/test_rule_cache.c \
	whocallme/core/modules/epoch.c whocallme/core/os/slab.c \
	whocallme/core/unwind/rule_cache.c
test_unit_test_rule_cache_CPPFLAGS = $(unit_cppflags)
test_unit_test_rule_cache_CFLAGS = $(unit_cflags)
test_unit_test_rule_cache_LDADD = $(CMOCKA_LIBS)

test_unit_test_module_id_SOURCES = %reldir%/test_module_id.c \
	whocallme/core/modules/module_id.c whocallme/core/symbols/address_cache.c
test_unit_test_module_id_CPPFLAGS = $(unit_cppflags)
test_unit_test_module_id_CFLAGS = $(unit_cflags)
test_unit_test_module_id_LDADD = $(CMOCKA_LIBS) -lpthread

test_unit_test_stride_SOURCES = %reldir%/test_stride.c \
	whocallme/core/unwind/stride.c whocallme/core/modules/epoch.c whocallme/core/os/slab.c \
	whocallme/core/unwind/rule_cache.c
test_unit_test_stride_CPPFLAGS = $(unit_cppflags)
test_unit_test_stride_CFLAGS = $(unit_cflags)
test_unit_test_stride_LDADD = $(CMOCKA_LIBS)

test_unit_test_settings_SOURCES = %reldir%/test_settings.c
test_unit_test_settings_CPPFLAGS = $(unit_cppflags)
test_unit_test_settings_CFLAGS = $(unit_cflags)
test_unit_test_settings_LDADD = $(unit_whole_libs)

test_unit_test_place_SOURCES = %reldir%/test_place.c
test_unit_test_place_CPPFLAGS = $(unit_cppflags)
test_unit_test_place_CFLAGS = $(unit_cflags)
test_unit_test_place_LDADD = $(unit_whole_libs)

test_unit_test_whole_tables_SOURCES = %reldir%/test_whole_tables.c \
	whocallme/load/objects/whole_tables.c
test_unit_test_whole_tables_CPPFLAGS = $(unit_cppflags)
test_unit_test_whole_tables_CFLAGS = $(unit_cflags)
test_unit_test_whole_tables_LDADD = $(CMOCKA_LIBS)

test_unit_test_walk_SOURCES = %reldir%/test_walk.c \
	test/support/fake_stack_span.c test/support/no_tables_aside.c \
	whocallme/core/unwind/describe.c whocallme/core/cfi/plain.c whocallme/core/unwind/guess.c whocallme/core/unwind/walk.c whocallme/core/cfi/cfi.c whocallme/core/cfi/cfi_step.c \
	whocallme/core/cfi/cursor.c whocallme/core/cfi/expr.c \
	whocallme/core/cfi/fde.c whocallme/core/unwind/prologue.c \
	whocallme/core/modules/epoch.c whocallme/core/unwind/rule_cache.c whocallme/core/symbols/function_table.c \
	whocallme/core/unwind/stride.c $(unit_frame_pointer) $(unit_step)
test_unit_test_walk_CPPFLAGS = $(unit_cppflags)
test_unit_test_walk_CFLAGS = $(unit_cflags)
test_unit_test_walk_LDADD = $(CMOCKA_LIBS)

test_unit_test_crash_report_SOURCES = %reldir%/test_crash_report.c
test_unit_test_crash_report_CPPFLAGS = $(unit_cppflags)
test_unit_test_crash_report_CFLAGS = $(unit_cflags)
test_unit_test_crash_report_LDADD = $(unit_whole_libs)

test_unit_test_kernel_action_SOURCES = %reldir%/test_kernel_action.c
test_unit_test_kernel_action_CPPFLAGS = $(unit_cppflags)
test_unit_test_kernel_action_CFLAGS = $(unit_cflags)
test_unit_test_kernel_action_LDADD = $(CMOCKA_LIBS)

test_unit_test_lsda_SOURCES = %reldir%/test_lsda.c
test_unit_test_lsda_CPPFLAGS = $(unit_cppflags)
test_unit_test_lsda_CFLAGS = $(unit_cflags)
test_unit_test_lsda_LDADD = $(unit_whole_libs)

test_unit_test_overflow_SOURCES = %reldir%/test_overflow.c
test_unit_test_overflow_CPPFLAGS = $(unit_cppflags)
test_unit_test_overflow_CFLAGS = $(unit_cflags)
test_unit_test_overflow_LDADD = $(unit_whole_libs)

test_unit_test_demangle_SOURCES = %reldir%/test_demangle.c
test_unit_test_demangle_CPPFLAGS = $(unit_cppflags)
test_unit_test_demangle_CFLAGS = $(unit_cflags)
test_unit_test_demangle_LDADD = $(unit_whole_libs)

test_unit_test_demangle_fault_SOURCES = %reldir%/test_demangle_fault.c
test_unit_test_demangle_fault_CPPFLAGS = $(unit_cppflags)
test_unit_test_demangle_fault_CFLAGS = $(unit_cflags)
test_unit_test_demangle_fault_LDFLAGS = $(AM_LDFLAGS) \
	-Wl,--wrap=wcm__demangler_xmalloc
test_unit_test_demangle_fault_LDADD = $(unit_whole_libs)

test_unit_test_resolver_protocol_SOURCES = %reldir%/test_resolver_protocol.c
test_unit_test_resolver_protocol_CPPFLAGS = $(unit_cppflags)
test_unit_test_resolver_protocol_CFLAGS = $(unit_cflags)
test_unit_test_resolver_protocol_LDADD = $(unit_whole_libs)

test_unit_test_own_symbols_SOURCES = %reldir%/test_own_symbols.c
test_unit_test_own_symbols_CPPFLAGS = $(unit_cppflags)
test_unit_test_own_symbols_CFLAGS = $(unit_cflags)
test_unit_test_own_symbols_LDADD = $(unit_whole_libs)

test_unit_test_symtab_SOURCES = %reldir%/test_symtab.c
test_unit_test_symtab_CPPFLAGS = $(unit_cppflags)
test_unit_test_symtab_CFLAGS = $(unit_cflags)
test_unit_test_symtab_LDADD = $(unit_whole_libs)

test_unit_test_cfi_SOURCES = %reldir%/test_cfi.c
test_unit_test_cfi_CPPFLAGS = $(unit_cppflags)
test_unit_test_cfi_CFLAGS = $(unit_cflags)
test_unit_test_cfi_LDADD = $(unit_whole_libs)

test_unit_test_debug_frame_SOURCES = %reldir%/test_debug_frame.c
test_unit_test_debug_frame_CPPFLAGS = $(unit_cppflags)
test_unit_test_debug_frame_CFLAGS = $(unit_cflags)
test_unit_test_debug_frame_LDADD = $(unit_whole_libs)

test_unit_test_fde_SOURCES = %reldir%/test_fde.c
test_unit_test_fde_CPPFLAGS = $(unit_cppflags)
test_unit_test_fde_CFLAGS = $(unit_cflags)
test_unit_test_fde_LDADD = $(unit_whole_libs)

test_unit_test_plain_SOURCES = %reldir%/test_plain.c
test_unit_test_plain_CPPFLAGS = $(unit_cppflags)
test_unit_test_plain_CFLAGS = $(unit_cflags)
test_unit_test_plain_LDADD = $(unit_whole_libs)

test_unit_test_read_SOURCES = %reldir%/test_read.c
test_unit_test_read_CPPFLAGS = $(unit_cppflags)
test_unit_test_read_CFLAGS = $(unit_cflags)
test_unit_test_read_LDADD = $(unit_whole_libs)

test_unit_test_ring_SOURCES = %reldir%/test_ring.c
test_unit_test_ring_CPPFLAGS = $(unit_cppflags)
test_unit_test_ring_CFLAGS = $(unit_cflags)
test_unit_test_ring_LDADD = $(unit_whole_libs)

test_unit_test_shadow_SOURCES = %reldir%/test_shadow.c
test_unit_test_shadow_CPPFLAGS = $(unit_cppflags)
test_unit_test_shadow_CFLAGS = $(unit_cflags)
test_unit_test_shadow_LDADD = $(unit_whole_libs)

test_unit_test_sleds_aarch64_SOURCES = %reldir%/test_sleds_aarch64.c
test_unit_test_sleds_aarch64_CPPFLAGS = $(unit_cppflags)
test_unit_test_sleds_aarch64_CFLAGS = $(unit_cflags)
test_unit_test_sleds_aarch64_LDADD = $(unit_whole_libs)
test_unit_test_spawn_SOURCES = %reldir%/test_spawn.c
test_unit_test_spawn_CPPFLAGS = $(unit_cppflags)
test_unit_test_spawn_CFLAGS = $(unit_cflags)
test_unit_test_spawn_LDADD = $(unit_whole_libs)

test_unit_test_stack_span_SOURCES = %reldir%/test_stack_span.c
test_unit_test_stack_span_CPPFLAGS = $(unit_cppflags)
test_unit_test_stack_span_CFLAGS = $(unit_cflags)
test_unit_test_stack_span_LDADD = $(unit_whole_libs)

test_unit_test_threads_SOURCES = %reldir%/test_threads.c
test_unit_test_threads_CPPFLAGS = $(unit_cppflags)
test_unit_test_threads_CFLAGS = $(unit_cflags)
test_unit_test_threads_LDADD = $(unit_whole_libs) -lpthread

test_unit_test_call_filter_SOURCES = %reldir%/test_call_filter.c
test_unit_test_call_filter_CPPFLAGS = $(unit_cppflags)
test_unit_test_call_filter_CFLAGS = $(unit_cflags)
test_unit_test_call_filter_LDADD = $(unit_whole_libs)

test_unit_test_owner_SOURCES = %reldir%/test_owner.c
test_unit_test_owner_CPPFLAGS = $(unit_cppflags)
test_unit_test_owner_CFLAGS = $(unit_cflags)
test_unit_test_owner_LDADD = $(unit_whole_libs) -lpthread

test_unit_test_turns_SOURCES = %reldir%/test_turns.c
test_unit_test_turns_CPPFLAGS = $(unit_cppflags)
test_unit_test_turns_CFLAGS = $(unit_cflags)
test_unit_test_turns_LDADD = $(unit_whole_libs) -lpthread

test_unit_test_probe_hit_SOURCES = %reldir%/test_probe_hit.c
test_unit_test_probe_hit_CPPFLAGS = $(unit_cppflags)
test_unit_test_probe_hit_CFLAGS = $(unit_cflags)
test_unit_test_probe_hit_LDADD = $(unit_whole_libs)

test_unit_test_probe_note_SOURCES = %reldir%/test_probe_note.c
test_unit_test_probe_note_CPPFLAGS = $(unit_cppflags)
test_unit_test_probe_note_CFLAGS = $(unit_cflags)
test_unit_test_probe_note_LDADD = $(unit_whole_libs)

test_unit_test_prototype_SOURCES = %reldir%/test_prototype.c
test_unit_test_prototype_CPPFLAGS = $(unit_cppflags)
test_unit_test_prototype_CFLAGS = $(unit_cflags)
test_unit_test_prototype_LDADD = $(unit_whole_libs)

test_unit_test_static_symbols_SOURCES = %reldir%/test_static_symbols.c
test_unit_test_static_symbols_CPPFLAGS = $(unit_cppflags)
test_unit_test_static_symbols_CFLAGS = $(unit_cflags)
test_unit_test_static_symbols_LDADD = $(unit_whole_libs)

test_unit_test_system_words_SOURCES = %reldir%/test_system_words.c
test_unit_test_system_words_CPPFLAGS = $(unit_cppflags)
test_unit_test_system_words_CFLAGS = $(unit_cflags)
test_unit_test_system_words_LDADD = $(unit_whole_libs)

test_unit_test_value_moves_SOURCES = %reldir%/test_value_moves.c
test_unit_test_value_moves_CPPFLAGS = $(unit_cppflags)
test_unit_test_value_moves_CFLAGS = $(unit_cflags)
test_unit_test_value_moves_LDADD = $(unit_whole_libs)

test_unit_test_words_SOURCES = %reldir%/test_words.c
test_unit_test_words_CPPFLAGS = $(unit_cppflags)
test_unit_test_words_CFLAGS = $(unit_cflags)
test_unit_test_words_LDADD = $(unit_whole_libs)

# What is interposed is, as in a shared library.
test_unit_test_altstack_SOURCES = %reldir%/test_altstack.c \
	whocallme/watch/thread_start.c
test_unit_test_altstack_CPPFLAGS = $(unit_cppflags) -DPIC
test_unit_test_altstack_CFLAGS = $(unit_cflags)
test_unit_test_altstack_LDADD = $(unit_whole_libs) -lpthread -ldl

test_unit_test_arch_aarch64_SOURCES = %reldir%/test_arch_aarch64.c
test_unit_test_arch_aarch64_CPPFLAGS = $(unit_cppflags)
test_unit_test_arch_aarch64_CFLAGS = $(unit_cflags)
test_unit_test_arch_aarch64_LDADD = $(unit_whole_libs)
test_unit_test_frames_aarch64_SOURCES = %reldir%/test_frames_aarch64.c
test_unit_test_frames_aarch64_CPPFLAGS = $(unit_cppflags)
test_unit_test_frames_aarch64_CFLAGS = $(unit_cflags)
test_unit_test_frames_aarch64_LDADD = $(unit_whole_libs)
test_unit_test_arch_riscv64_SOURCES = %reldir%/test_arch_riscv64.c
test_unit_test_arch_riscv64_CPPFLAGS = $(unit_cppflags)
test_unit_test_arch_riscv64_CFLAGS = $(unit_cflags)
test_unit_test_arch_riscv64_LDADD = $(unit_whole_libs)
test_unit_test_frames_riscv64_SOURCES = %reldir%/test_frames_riscv64.c
test_unit_test_frames_riscv64_CPPFLAGS = $(unit_cppflags)
test_unit_test_frames_riscv64_CFLAGS = $(unit_cflags)
test_unit_test_frames_riscv64_LDADD = $(unit_whole_libs)
test_unit_test_arch_calls_SOURCES = %reldir%/test_arch_calls.c
test_unit_test_arch_calls_CPPFLAGS = $(unit_cppflags)
test_unit_test_arch_calls_CFLAGS = $(unit_cflags)
test_unit_test_arch_calls_LDADD = $(unit_whole_libs)

test_unit_test_first_code_SOURCES = %reldir%/test_first_code.c
test_unit_test_first_code_CPPFLAGS = $(unit_cppflags)
test_unit_test_first_code_CFLAGS = $(unit_cflags)
test_unit_test_first_code_LDADD = $(unit_whole_libs)

test_unit_test_capture_SOURCES = %reldir%/test_capture.c
test_unit_test_capture_CPPFLAGS = $(unit_cppflags)
test_unit_test_capture_CFLAGS = $(unit_cflags)
test_unit_test_capture_LDADD = $(unit_whole_libs)

test_unit_test_classic_SOURCES = %reldir%/test_classic.c
test_unit_test_classic_CPPFLAGS = $(unit_cppflags)
test_unit_test_classic_CFLAGS = $(unit_cflags)
test_unit_test_classic_LDADD = $(unit_whole_libs)

# A sanitizer's allocator is not to be interposed.
test_unit_test_alloc_failure_SOURCES = %reldir%/test_alloc_failure.c
test_unit_test_alloc_failure_CPPFLAGS = $(unit_cppflags)
test_unit_test_alloc_failure_CFLAGS = $(unit_cflags)
test_unit_test_alloc_failure_LDADD = $(unit_whole_libs)
if SANITIZERS
test_unit_test_alloc_failure_CPPFLAGS += -DWRAPPED_BY_LINKER
test_unit_test_alloc_failure_LDFLAGS = -Wl,--wrap=malloc,--wrap=calloc \
	-Wl,--wrap=realloc,--wrap=reallocarray,--wrap=strdup
endif

test_unit_test_recording_reader_SOURCES = %reldir%/test_recording_reader.c
test_unit_test_recording_reader_CPPFLAGS = $(unit_tool_cppflags)
test_unit_test_recording_reader_CFLAGS = $(unit_tool_cflags)
test_unit_test_recording_reader_LDADD = $(unit_tool_libs)

test_unit_test_debug_search_SOURCES = %reldir%/test_debug_search.c
test_unit_test_debug_search_CPPFLAGS = $(unit_tool_cppflags)
test_unit_test_debug_search_CFLAGS = $(unit_tool_cflags)
test_unit_test_debug_search_LDADD = $(unit_tool_libs)

test_unit_test_function_names_SOURCES = %reldir%/test_function_names.c
test_unit_test_function_names_CPPFLAGS = $(unit_tool_cppflags)
test_unit_test_function_names_CFLAGS = $(unit_tool_cflags)
test_unit_test_function_names_LDADD = $(unit_tool_libs)

test_unit_test_report_reader_SOURCES = %reldir%/test_report_reader.c
test_unit_test_report_reader_CPPFLAGS = $(unit_tool_cppflags)
test_unit_test_report_reader_CFLAGS = $(unit_tool_cflags)
test_unit_test_report_reader_LDADD = $(unit_tool_libs)
