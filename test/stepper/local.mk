# SPDX-License-Identifier: MIT
# Stacks at every instruction, against a record of calls and returns.
# By ptrace(2), and on other CPUs by the stub of an emulator.
if WCM_X86_64
check_PROGRAMS += %reldir%/stepper
stepper_sources = %reldir%/stepper.c %reldir%/machine_x86_64.c
endif
if WCM_I386
check_PROGRAMS += %reldir%/stepper
stepper_sources = %reldir%/stepper.c %reldir%/machine_i386.c
endif
if WCM_AARCH64
check_PROGRAMS += %reldir%/stepper
stepper_sources = $(stepper_emulated) %reldir%/machine_aarch64.c
endif
if WCM_RISCV64
check_PROGRAMS += %reldir%/stepper
stepper_sources = $(stepper_emulated) %reldir%/machine_riscv64.c
endif
stepper_emulated = %reldir%/emulated.c %reldir%/stub.c %reldir%/stub.h

test_stepper_stepper_SOURCES = $(stepper_sources) \
	%reldir%/compare.c %reldir%/compare.h \
	%reldir%/core.c %reldir%/core.h \
	%reldir%/machine.h %reldir%/record.c %reldir%/record.h \
	%reldir%/shadow.c %reldir%/shadow.h %reldir%/tracee.c %reldir%/tracee.h \
	test/support/fake_stack_span.c
nodist_test_stepper_stepper_SOURCES = \
	$(arch_context) $(arch_code) \
	whocallme/core/symbols/function_table.c whocallme/core/symbols/slot_names.c \
	whocallme/core/modules/dynamic.c whocallme/core/modules/eh_frame_search.c \
	whocallme/core/modules/headers.c whocallme/core/modules/place.c whocallme/core/modules/module.c \
	whocallme/core/cfi/cfi.c whocallme/core/cfi/cfi_step.c whocallme/core/cfi/cursor.c \
	whocallme/core/cfi/expr.c whocallme/core/cfi/fde.c \
	whocallme/core/unwind/frame_pointer.c whocallme/core/unwind/prologue.c \
	whocallme/core/modules/epoch.c whocallme/core/unwind/rule_cache.c \
	whocallme/core/unwind/changed_return.c whocallme/core/os/slab.c whocallme/core/arch/generic/trampoline.c \
	test/support/no_tables_aside.c test/support/no_trampolines.c \
	whocallme/core/unwind/step.c whocallme/core/unwind/stride.c \
	whocallme/core/unwind/describe.c whocallme/core/cfi/plain.c whocallme/core/unwind/guess.c whocallme/core/unwind/walk.c
test_stepper_stepper_CPPFLAGS = $(safe_cppflags)

EXTRA_DIST += %reldir%/explained.txt %reldir%/oracle.py %reldir%/run.py %reldir%/smoke \
	%reldir%/programs/calls.c %reldir%/programs/conventions.c \
	%reldir%/programs/coroutines.c \
	%reldir%/programs/jumps.c %reldir%/programs/threads.c \
	%reldir%/programs/loads.c %reldir%/programs/plugin.c %reldir%/programs/switch.h \
	%reldir%/programs/throws.cc
TESTS += %reldir%/smoke

# A million instructions: minutes, so not part of make check.
.PHONY: check-stepper
check-stepper: %reldir%/stepper $(bin_PROGRAMS)
	$(AM_TESTS_ENVIRONMENT) $(srcdir)/%reldir%/smoke --all
