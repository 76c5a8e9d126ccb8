# SPDX-License-Identifier: MIT
# Hostile input: tables, expressions, registers and stacks.
EXTRA_DIST += %reldir%/fuzz %reldir%/seeds.py %reldir%/input_read.h \
	%reldir%/input_read.c %reldir%/fuzz_eh_frame.c %reldir%/fuzz_expr.c \
	%reldir%/random_walks.c %reldir%/names %reldir%/mangled.c
fuzz_tests = %reldir%/fuzz $(fuzz_programs)
TESTS += %reldir%/fuzz

if WITH_BFD
if DEMANGLERS
check_PROGRAMS += %reldir%/mangled
TESTS += %reldir%/names
%canon_reldir%_mangled_SOURCES = %reldir%/mangled.c
%canon_reldir%_mangled_CPPFLAGS = $(safe_cppflags)
%canon_reldir%_mangled_LDADD = libwcm-whole.la $(LIBIBERTY) $(BFD_LIBS)
endif
endif

if WCM_X86_64
check_PROGRAMS += %reldir%/random_walks
TESTS += %reldir%/random_walks
%canon_reldir%_random_walks_SOURCES = %reldir%/random_walks.c
%canon_reldir%_random_walks_LDADD = libwhocallme.la
endif

# Inputs by a grammar: see fuzzer.h.  Each makes a few of them as a test.
EXTRA_DIST += %reldir%/fuzzer.h %reldir%/fake/syscall.h
check_LTLIBRARIES += libfuzz-driver.la libfuzz-tool.la
libfuzz_driver_la_SOURCES = %reldir%/driver.c
libfuzz_driver_la_CFLAGS = $(AM_CFLAGS)
libfuzz_driver_la_LIBTOOLFLAGS = --tag=disable-shared
fuzz_cflags = $(AM_CFLAGS) $(FUZZ_CFLAGS)

# The command, with sanitizers.
libfuzz_tool_la_SOURCES = $(tool_sources) %reldir%/choices.c \
	%reldir%/commands.c %reldir%/commands.h
libfuzz_tool_la_CPPFLAGS = $(tool_cppflags) -I$(top_srcdir)/%reldir%
libfuzz_tool_la_CFLAGS = $(fuzz_cflags) $(LIBDW_CFLAGS) $(JANSSON_CFLAGS) $(LZMA_CFLAGS)
libfuzz_tool_la_LIBTOOLFLAGS = --tag=disable-shared

fuzz_tool_libs = libfuzz-tool.la $(fuzz_engine) libwcm-whole.la $(BFD_LIBS) \
	$(LIBDW_LIBS) $(JANSSON_LIBS) $(LZMA_LIBS)
fuzz_tool_dependencies = libfuzz-tool.la libfuzz-driver.la libwcm-whole.la
# "make check-fuzz" has libFuzzer here, where there is one.
fuzz_engine = libfuzz-driver.la

fuzz_programs = %reldir%/fuzz_recording %reldir%/fuzz_report %reldir%/fuzz_serve \
	%reldir%/fuzz_resolver %reldir%/fuzz_debug %reldir%/fuzz_agent %reldir%/fuzz_client \
	%reldir%/fuzz_notes
if SHARED
fuzz_programs += %reldir%/fuzz_module
endif
check_PROGRAMS += $(fuzz_programs)
TESTS += $(fuzz_programs)

%canon_reldir%_fuzz_recording_SOURCES = %reldir%/fuzz_recording.c \
	%reldir%/recordings.c %reldir%/recordings.h
%canon_reldir%_fuzz_recording_CPPFLAGS = $(libfuzz_tool_la_CPPFLAGS)
%canon_reldir%_fuzz_recording_CFLAGS = $(fuzz_cflags)
%canon_reldir%_fuzz_recording_LDADD = $(fuzz_tool_libs)
%canon_reldir%_fuzz_recording_DEPENDENCIES = $(fuzz_tool_dependencies)

%canon_reldir%_fuzz_report_SOURCES = %reldir%/fuzz_report.c \
	%reldir%/reports.h %reldir%/reports_json.c %reldir%/reports_text.c
%canon_reldir%_fuzz_report_CPPFLAGS = $(libfuzz_tool_la_CPPFLAGS)
%canon_reldir%_fuzz_report_CFLAGS = $(fuzz_cflags)
%canon_reldir%_fuzz_report_LDADD = $(fuzz_tool_libs)
%canon_reldir%_fuzz_report_DEPENDENCIES = $(fuzz_tool_dependencies)

%canon_reldir%_fuzz_serve_SOURCES = %reldir%/fuzz_serve.c
%canon_reldir%_fuzz_serve_CPPFLAGS = $(libfuzz_tool_la_CPPFLAGS)
%canon_reldir%_fuzz_serve_CFLAGS = $(fuzz_cflags) $(JANSSON_CFLAGS)
%canon_reldir%_fuzz_serve_LDADD = $(fuzz_tool_libs)
%canon_reldir%_fuzz_serve_DEPENDENCIES = $(fuzz_tool_dependencies)

# Debug data, in the files that have it.
EXTRA_DIST += %reldir%/debug_seeds
%canon_reldir%_fuzz_debug_SOURCES = %reldir%/fuzz_debug.c %reldir%/objects.c \
	%reldir%/objects.h
%canon_reldir%_fuzz_debug_CPPFLAGS = $(libfuzz_tool_la_CPPFLAGS) \
	-DSEEDS='"$(abs_top_srcdir)/%reldir%/debug_seeds"'
%canon_reldir%_fuzz_debug_CFLAGS = $(fuzz_cflags) $(LIBDW_CFLAGS) $(LZMA_CFLAGS)
%canon_reldir%_fuzz_debug_LDADD = $(fuzz_tool_libs)
%canon_reldir%_fuzz_debug_DEPENDENCIES = $(fuzz_tool_dependencies)

# The process that asks, and what it stands on; the fuzzer is the kernel.
%canon_reldir%_fuzz_resolver_SOURCES = %reldir%/fuzz_resolver.c \
	%reldir%/choices.c %reldir%/peer.c %reldir%/peer.h \
	whocallme/format/printable.c whocallme/lines/resolver_protocol.c \
	whocallme/lines/resolver_request.c whocallme/core/os/auxv.c \
	whocallme/format/words.c \
	tool/base/escape.c tool/resolve/module_offset.c
%canon_reldir%_fuzz_resolver_CPPFLAGS = -I$(top_srcdir)/%reldir%/fake $(tool_cppflags) \
	-I$(top_srcdir)/%reldir%
%canon_reldir%_fuzz_resolver_CFLAGS = $(fuzz_cflags)
%canon_reldir%_fuzz_resolver_LDADD = $(fuzz_engine)
%canon_reldir%_fuzz_resolver_DEPENDENCIES = libfuzz-driver.la

# Both ends of the agent's socket, with sanitizers.
%canon_reldir%_fuzz_client_SOURCES = %reldir%/fuzz_client.c %reldir%/choices.c \
	whocallme/format/printable.c whocallme/format/words.c tool/agent/ask.c tool/agent/at_once.c \
	tool/base/complain.c tool/base/escape.c
%canon_reldir%_fuzz_client_CPPFLAGS = $(libfuzz_tool_la_CPPFLAGS)
%canon_reldir%_fuzz_client_CFLAGS = $(fuzz_cflags)
%canon_reldir%_fuzz_client_LDADD = $(fuzz_engine)
%canon_reldir%_fuzz_client_DEPENDENCIES = libfuzz-driver.la
%canon_reldir%_fuzz_notes_SOURCES = %reldir%/fuzz_notes.c %reldir%/choices.c \
	whocallme/format/printable.c whocallme/format/probe_note.c \
	whocallme/trace/probes/probe_hit.c
%canon_reldir%_fuzz_notes_CFLAGS = $(fuzz_cflags)
%canon_reldir%_fuzz_notes_CPPFLAGS = $(safe_cppflags) -I$(top_srcdir)/%reldir%
%canon_reldir%_fuzz_notes_LDADD = $(fuzz_engine) libwcm-whole.la $(BFD_LIBS)
%canon_reldir%_fuzz_notes_DEPENDENCIES = libfuzz-driver.la libwcm-whole.la
%canon_reldir%_fuzz_agent_SOURCES = %reldir%/fuzz_agent.c %reldir%/choices.c \
	whocallme/agent/answer.c whocallme/trace/start/request.c \
	whocallme/trace/process/trace_environment.c
%canon_reldir%_fuzz_agent_CFLAGS = $(fuzz_cflags)
%canon_reldir%_fuzz_agent_CPPFLAGS = $(safe_cppflags) -I$(top_srcdir)/%reldir%
%canon_reldir%_fuzz_agent_LDADD = $(fuzz_engine) libwcm-whole.la $(BFD_LIBS) $(LZMA_LIBS)
%canon_reldir%_fuzz_agent_DEPENDENCIES = libfuzz-driver.la libwcm-whole.la

# The walker reads any memory: it has sanitizers where the library has.  What it walks
# through, and is damaged, has none.
if SHARED
check_LTLIBRARIES += %reldir%/through.la
endif
%canon_reldir%_through_la_SOURCES = %reldir%/through.c
%canon_reldir%_through_la_CFLAGS = -O1
%canon_reldir%_through_la_LDFLAGS = -module -avoid-version -shared -rpath /nowhere \
	-Wl,-z,now -Wl,--hash-style=both
%canon_reldir%_fuzz_module_SOURCES = %reldir%/fuzz_module.c %reldir%/choices.c
%canon_reldir%_fuzz_module_CPPFLAGS = $(safe_cppflags) -I$(top_srcdir)/%reldir% \
	-DTHROUGH='"%reldir%/.libs/through.so"'
%canon_reldir%_fuzz_module_LDADD = $(fuzz_engine) libwcm-whole.la $(BFD_LIBS)
%canon_reldir%_fuzz_module_DEPENDENCIES = libfuzz-driver.la libwcm-whole.la \
	%reldir%/through.la

# Hours: FUZZ_RUNS inputs of each kind (10,000,000), for FUZZ_SECONDS at most (no limit),
# to FUZZ_TARGETS (all), in a build of its own with clang and the sanitizers.  The table
# at the end is in fuzzing/table.
.PHONY: check-fuzz distclean-fuzz
check-fuzz:
	$(MKDIR_P) fuzzing
	cd fuzzing && top_srcdir='$(abs_top_srcdir)' CC='$(CC)' MAKE='$(MAKE)' \
		$(SHELL) $(abs_top_srcdir)/%reldir%/check_fuzz $(fuzz_programs)
EXTRA_DIST += %reldir%/check_fuzz
distclean-local: distclean-fuzz
distclean-fuzz:
	rm -rf fuzzing
