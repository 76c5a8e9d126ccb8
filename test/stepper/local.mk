# SPDX-License-Identifier: MIT
# Stacks at every instruction, against a record of calls and returns.
check_PROGRAMS += %reldir%/stepper

test_stepper_stepper_SOURCES = %reldir%/stepper.c \
	%reldir%/compare.c %reldir%/compare.h \
	%reldir%/core.c %reldir%/core.h \
	%reldir%/instruction.c %reldir%/instruction.h \
	%reldir%/shadow.c %reldir%/shadow.h %reldir%/tracee.c %reldir%/tracee.h \
	test/support/fake_stack_span.c
nodist_test_stepper_stepper_SOURCES = \
	whocallme/arch/@WCM_ARCH@/context.c \
	whocallme/arch/@WCM_ARCH@/prologue.c \
	whocallme/symbols/function_table.c \
	whocallme/symbols/dynamic.c whocallme/symbols/eh_frame_search.c \
	whocallme/symbols/headers.c whocallme/symbols/module.c \
	whocallme/unwind/cfi.c whocallme/unwind/cursor.c \
	whocallme/unwind/expr.c whocallme/unwind/fde.c \
	whocallme/unwind/frame_pointer.c whocallme/unwind/prologue.c \
	whocallme/unwind/epoch.c whocallme/unwind/rule_cache.c \
	whocallme/unwind/step.c whocallme/unwind/stride.c \
	whocallme/unwind/describe.c whocallme/unwind/walk.c
test_stepper_stepper_CPPFLAGS = $(safe_cppflags)

EXTRA_DIST += %reldir%/explained.txt %reldir%/oracle.py %reldir%/run.py %reldir%/smoke \
	%reldir%/programs/calls.c %reldir%/programs/coroutines.c \
	%reldir%/programs/jumps.c %reldir%/programs/threads.c \
	%reldir%/programs/loads.c %reldir%/programs/plugin.c \
	%reldir%/programs/throws.cc
TESTS += %reldir%/smoke

# A million instructions: minutes, so not part of make check.
.PHONY: check-stepper
check-stepper: %reldir%/stepper $(bin_PROGRAMS)
	$(AM_TESTS_ENVIRONMENT) $(srcdir)/%reldir%/smoke --all
