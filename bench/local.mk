# SPDX-License-Identifier: MIT
# make bench: this library and every peer, in one run.  Never part of make check.
bench_programs = %reldir%/names_whocallme %reldir%/names_bfd \
	%reldir%/names_bfd_sort %reldir%/table %reldir%/running \
	%reldir%/running_rdynamic %reldir%/capture_plain \
	%reldir%/capture_plain_nofp %reldir%/crash %reldir%/lines \
	%reldir%/lines_large %reldir%/traced
bench_traced = %reldir%/calls_bare %reldir%/calls_hooked %reldir%/calls_pg \
	%reldir%/calls_patched %reldir%/calls_given %reldir%/calls_given_pg \
	%reldir%/calls_library %reldir%/calls_system %reldir%/calls_system_8
bench_injected = %reldir%/calls_serial %reldir%/calls_article %reldir%/calls_plugged
bench_hooks = %reldir%/hooks_empty.so %reldir%/hooks_entry.so %reldir%/hooks_ring.so \
	%reldir%/hooks_fprintf.so %reldir%/hooks_writev.so
bench_peer_programs = %reldir%/names_libbacktrace %reldir%/names_libdwfl \
	%reldir%/capture_libunwind %reldir%/capture_libunwind_nofp
EXTRA_PROGRAMS += $(bench_programs) $(bench_peer_programs) %reldir%/layered

# What is measured is linked in whole, without libtool's wrapper around it.
bench_library = libwcm-whole.la $(BFD_LIBS)
bench_cppflags = $(AM_CPPFLAGS) -D_GNU_SOURCE
bench_cflags = $(AM_CFLAGS) -fno-omit-frame-pointer -pthread
bench_nofp_cflags = $(AM_CFLAGS) -fomit-frame-pointer -pthread
bench_names = %reldir%/names.c %reldir%/names.h %reldir%/targets.c \
	%reldir%/targets.h %reldir%/clock.h
bench_units = %reldir%/units.a
bench_link_units = -Wl,--whole-archive,$(bench_units),--no-whole-archive

%canon_reldir%_names_whocallme_SOURCES = $(bench_names) \
	%reldir%/names_whocallme.c
%canon_reldir%_names_whocallme_CPPFLAGS = $(bench_cppflags)
%canon_reldir%_names_whocallme_LDADD = $(bench_library)

%canon_reldir%_names_bfd_SOURCES = $(bench_names) %reldir%/names_bfd.c \
	%reldir%/names_bfd.h
%canon_reldir%_names_bfd_CPPFLAGS = $(bench_cppflags)
%canon_reldir%_names_bfd_LDADD = $(BFD_LIBS)

%canon_reldir%_names_bfd_sort_SOURCES = $(bench_names) \
	%reldir%/names_bfd_sort.c %reldir%/names_bfd.h
%canon_reldir%_names_bfd_sort_CPPFLAGS = $(bench_cppflags)
%canon_reldir%_names_bfd_sort_LDADD = $(BFD_LIBS)

%canon_reldir%_names_libbacktrace_SOURCES = $(bench_names) \
	%reldir%/names_libbacktrace.c
%canon_reldir%_names_libbacktrace_CPPFLAGS = $(bench_cppflags)
%canon_reldir%_names_libbacktrace_LDFLAGS = $(AM_LDFLAGS) -all-static -no-pie
%canon_reldir%_names_libbacktrace_LDADD = -lbacktrace

%canon_reldir%_names_libdwfl_SOURCES = $(bench_names) %reldir%/names_libdwfl.c
%canon_reldir%_names_libdwfl_CPPFLAGS = $(bench_cppflags) $(LIBDW_CFLAGS)
%canon_reldir%_names_libdwfl_LDADD = $(LIBDW_LIBS)

%canon_reldir%_table_SOURCES = %reldir%/table.c %reldir%/clock.h
%canon_reldir%_table_CPPFLAGS = $(safe_cppflags)
%canon_reldir%_table_LDADD = $(bench_library)

%canon_reldir%_crash_SOURCES = %reldir%/crash.c %reldir%/clock.h
%canon_reldir%_crash_CPPFLAGS = $(bench_cppflags)
%canon_reldir%_crash_CFLAGS = $(bench_cflags)
%canon_reldir%_crash_LDADD = $(bench_library)

# 100,000 functions with debug data, and 300 MB of it.
bench_lines = %reldir%/lines.a
bench_lines_large = %reldir%/lines_large.a

%canon_reldir%_lines_SOURCES = %reldir%/lines.c %reldir%/clock.h
%canon_reldir%_lines_CPPFLAGS = $(bench_cppflags)
%canon_reldir%_lines_CFLAGS = $(bench_cflags)
%canon_reldir%_lines_LDFLAGS = $(AM_LDFLAGS) \
	-Wl,--whole-archive,$(bench_lines),--no-whole-archive
%canon_reldir%_lines_LDADD = $(bench_library)
%canon_reldir%_lines_DEPENDENCIES = libwcm-whole.la $(bench_lines)

%canon_reldir%_lines_large_SOURCES = $(%canon_reldir%_lines_SOURCES)
%canon_reldir%_lines_large_CPPFLAGS = $(%canon_reldir%_lines_CPPFLAGS)
%canon_reldir%_lines_large_CFLAGS = $(%canon_reldir%_lines_CFLAGS)
%canon_reldir%_lines_large_LDFLAGS = $(AM_LDFLAGS) \
	-Wl,--whole-archive,$(bench_lines_large),--no-whole-archive
%canon_reldir%_lines_large_LDADD = $(bench_library)
%canon_reldir%_lines_large_DEPENDENCIES = libwcm-whole.la \
	$(bench_lines_large)

%canon_reldir%_traced_SOURCES = %reldir%/traced.c %reldir%/clock.h
%canon_reldir%_traced_CPPFLAGS = $(bench_cppflags)

%canon_reldir%_running_SOURCES = %reldir%/running.c %reldir%/targets.c \
	%reldir%/targets.h %reldir%/clock.h
%canon_reldir%_running_CPPFLAGS = $(bench_cppflags) $(BACKTRACE_CPPFLAGS)
%canon_reldir%_running_LDFLAGS = $(AM_LDFLAGS) $(bench_link_units)
%canon_reldir%_running_LDADD = $(bench_library) $(BACKTRACE_LIBS)
%canon_reldir%_running_DEPENDENCIES = libwcm-whole.la \
	$(bench_units)

%canon_reldir%_running_rdynamic_SOURCES = $(%canon_reldir%_running_SOURCES)
%canon_reldir%_running_rdynamic_CPPFLAGS = $(%canon_reldir%_running_CPPFLAGS)
%canon_reldir%_running_rdynamic_LDFLAGS = $(%canon_reldir%_running_LDFLAGS) \
	-rdynamic
%canon_reldir%_running_rdynamic_LDADD = $(%canon_reldir%_running_LDADD)
%canon_reldir%_running_rdynamic_DEPENDENCIES = \
	$(%canon_reldir%_running_DEPENDENCIES)

%canon_reldir%_capture_plain_SOURCES = %reldir%/capture.c %reldir%/capture.h \
	%reldir%/capture_plain.c %reldir%/clock.h
%canon_reldir%_capture_plain_CPPFLAGS = $(bench_cppflags)
%canon_reldir%_capture_plain_CFLAGS = $(bench_cflags)
%canon_reldir%_capture_plain_LDADD = $(bench_library)

%canon_reldir%_capture_libunwind_SOURCES = %reldir%/capture.c \
	%reldir%/capture.h %reldir%/capture_libunwind.c %reldir%/clock.h
%canon_reldir%_capture_libunwind_CPPFLAGS = $(bench_cppflags) \
	$(LIBUNWIND_CFLAGS)
%canon_reldir%_capture_libunwind_CFLAGS = $(bench_cflags)
%canon_reldir%_capture_libunwind_LDADD = $(LIBUNWIND_LIBS)

# The same without frame pointers.
%canon_reldir%_capture_plain_nofp_SOURCES = \
	$(%canon_reldir%_capture_plain_SOURCES)
%canon_reldir%_capture_plain_nofp_CPPFLAGS = $(bench_cppflags)
%canon_reldir%_capture_plain_nofp_CFLAGS = $(bench_nofp_cflags)
%canon_reldir%_capture_plain_nofp_LDADD = $(bench_library)

%canon_reldir%_capture_libunwind_nofp_SOURCES = \
	$(%canon_reldir%_capture_libunwind_SOURCES)
%canon_reldir%_capture_libunwind_nofp_CPPFLAGS = $(bench_cppflags) \
	$(LIBUNWIND_CFLAGS)
%canon_reldir%_capture_libunwind_nofp_CFLAGS = $(bench_nofp_cflags)
%canon_reldir%_capture_libunwind_nofp_LDADD = $(LIBUNWIND_LIBS)

# By itself, and linked to generated programs by build_layers.sh.
%canon_reldir%_layered_SOURCES = %reldir%/layered.c %reldir%/layered.h \
	%reldir%/layered_takers.c %reldir%/layered_threads.c %reldir%/layered_miss.c \
	%reldir%/layered_names.c %reldir%/clock.h
%canon_reldir%_layered_CPPFLAGS = $(bench_cppflags) $(BACKTRACE_CPPFLAGS)
# As users link it: what is interposed is in the shared library alone.
%canon_reldir%_layered_LDADD = libwhocallme.la $(BACKTRACE_LIBS)

# What is traced is linked with nothing of ours, and its hooks are preloaded.
bench_calls = $(AM_V_CC)$(MKDIR_P) %reldir% && $(CC) -O2
bench_calls_sources = %reldir%/calls.c %reldir%/clock.h

%reldir%/calls_bare: $(bench_calls_sources)
	$(bench_calls) -o $@ $(srcdir)/%reldir%/calls.c
%reldir%/calls_hooked: $(bench_calls_sources)
	$(bench_calls) -finstrument-functions -o $@ $(srcdir)/%reldir%/calls.c
%reldir%/calls_pg: $(bench_calls_sources)
	$(bench_calls) -pg -o $@ $(srcdir)/%reldir%/calls.c
%reldir%/calls_patched: $(bench_calls_sources)
	$(bench_calls) -fpatchable-function-entry=5 -o $@ $(srcdir)/%reldir%/calls.c
%reldir%/calls_given: $(bench_calls_sources)
	$(bench_calls) -g -DGIVEN -Wno-unused-parameter -fno-ipa-sra -fno-ipa-cp \
		-fpatchable-function-entry=5 -o $@ $(srcdir)/%reldir%/calls.c
%reldir%/calls_given_pg: $(bench_calls_sources)
	$(bench_calls) -g -DGIVEN -Wno-unused-parameter -fno-ipa-sra -fno-ipa-cp -pg \
		-o $@ $(srcdir)/%reldir%/calls.c
%reldir%/calls_library: $(bench_calls_sources)
	$(bench_calls) -fno-builtin -DLIBRARY -o $@ $(srcdir)/%reldir%/calls.c
%reldir%/calls_system: $(bench_calls_sources)
	$(bench_calls) -DSYSTEM=1 -o $@ $(srcdir)/%reldir%/calls.c -lpthread
%reldir%/calls_system_8: $(bench_calls_sources)
	$(bench_calls) -DSYSTEM=8 -o $@ $(srcdir)/%reldir%/calls.c -lpthread

# The plugin for gcc, where there is one for the first gcc that was found.
bench_plugged = $(bench_calls) -fplugin=$(firstword $(PLUGIN_FILES)) -fplugin-arg-inject-mode
%reldir%/calls_serial: $(bench_calls_sources) libwhocallme-inject.a $(PLUGIN_FILES)
	$(bench_plugged)=serial -o $@ $(srcdir)/%reldir%/calls.c libwhocallme-inject.a
%reldir%/calls_article: $(bench_calls_sources) %reldir%/inject_article.c $(PLUGIN_FILES)
	$(bench_calls) -c -o $@.o $(srcdir)/%reldir%/inject_article.c
	$(bench_plugged)=serial -o $@ $(srcdir)/%reldir%/calls.c $@.o
%reldir%/calls_plugged: $(bench_calls_sources) $(PLUGIN_FILES)
	$(bench_plugged)=hooks -o $@ $(srcdir)/%reldir%/calls.c

bench_build_hooks = $(bench_calls) -shared -fPIC -I$(srcdir)/include -I$(srcdir)/whocallme \
	-I$(srcdir)/whocallme/core/arch/$(WCM_ARCH) -o $@

%reldir%/hooks_empty.so: %reldir%/hooks_empty.c %reldir%/hooks.h
	$(bench_build_hooks) $(srcdir)/%reldir%/hooks_empty.c
%reldir%/hooks_entry.so: %reldir%/hooks_entry.c %reldir%/hooks.h
	$(bench_build_hooks) $(srcdir)/%reldir%/hooks_entry.c
%reldir%/hooks_ring.so: %reldir%/hooks_ring.c %reldir%/hooks.h
	$(bench_build_hooks) $(srcdir)/%reldir%/hooks_ring.c
%reldir%/hooks_fprintf.so: %reldir%/hooks_fprintf.c %reldir%/hooks.h
	$(bench_build_hooks) $(srcdir)/%reldir%/hooks_fprintf.c
%reldir%/hooks_writev.so: %reldir%/hooks_writev.c %reldir%/hooks.h
	$(bench_build_hooks) $(srcdir)/%reldir%/hooks_writev.c

$(bench_units): %reldir%/generate.awk %reldir%/build_units.sh
	$(AM_V_GEN)CC='$(CC)' AR='$(AR)' AWK='$(AWK)' \
		$(SHELL) $(srcdir)/%reldir%/build_units.sh \
		$(srcdir)/%reldir%/generate.awk %reldir%/units $@

bench_build_lines = CC='$(CC)' AR='$(AR)' AWK='$(AWK)' \
	$(SHELL) $(srcdir)/%reldir%/build_lines.sh \
	$(srcdir)/%reldir%/generate_lines.awk %reldir%/line_units

$(bench_lines): %reldir%/generate_lines.awk %reldir%/build_lines.sh
	$(AM_V_GEN)$(bench_build_lines) 4 $@

# Of the same units: not at the same time.
$(bench_lines_large): $(bench_lines)
	$(AM_V_GEN)$(bench_build_lines) 12 $@

if WITH_PLUGIN
if WCM_X86_64
bench_traced += $(bench_injected)
endif
endif
bench_measured = $(bench_programs) $(bench_traced) $(bench_hooks)
if HAVE_LIBBACKTRACE
bench_measured += %reldir%/names_libbacktrace
BACKTRACE_CPPFLAGS = -DHAVE_LIBBACKTRACE
BACKTRACE_LIBS = -lbacktrace
endif
bench_measured += %reldir%/names_libdwfl
if HAVE_LIBUNWIND
bench_measured += %reldir%/capture_libunwind %reldir%/capture_libunwind_nofp
endif

bench: $(bench_measured) all
	$(bench_run)
bench-trace: bench_part = trace
bench-trace: %reldir%/traced $(bench_traced) $(bench_hooks) all
	$(bench_run)
# What the plugin for gcc puts into functions.
bench-inject: bench_part = inject
bench-inject: %reldir%/traced $(bench_traced) $(bench_injected) $(bench_hooks) all
	$(bench_run)
# Minutes: what 100 MB of each kind of input take.
bench-inputs: all
	python3 $(srcdir)/%reldir%/inputs.py tool/whocallme %reldir%/inputs $(BENCH_MEGABYTES)
# Stacks that differ from call to call: half an hour, less with ROUNDS=3 WIDTHS=20.
bench-layers: %reldir%/layered all
	$(bench_layers) $(SHELL) $(srcdir)/%reldir%/layers.sh $(srcdir)/%reldir% %reldir%
	@$(bench_rounds) -f $(srcdir)/%reldir%/layers.awk %reldir%/layers.tsv
# Threads, cold caches, what is met for the first time, and names.
bench-cases: %reldir%/layered all
	$(bench_layers) $(SHELL) $(srcdir)/%reldir%/cases.sh $(srcdir)/%reldir% %reldir%
	@$(bench_rounds) -f $(srcdir)/%reldir%/cases.awk %reldir%/cases.tsv
# The same of real programs, in a timer's handler.
bench-sampled: %reldir%/sampled.so %reldir%/layered all
	AWK='$(AWK)' $(SHELL) $(srcdir)/%reldir%/sampled.sh $(srcdir)/%reldir% %reldir%
	@$(bench_rounds) -f $(srcdir)/%reldir%/sampled.awk %reldir%/sampled.tsv
# What sleds cost a program that is not traced, and what switching them takes.
bench-sleds: all
	CC='$(CC)' bash $(srcdir)/%reldir%/sleds.sh $(srcdir) .

.PHONY: bench bench-cases bench-inject bench-inputs bench-layers bench-sampled bench-sleds bench-trace

%reldir%/sampled.so: %reldir%/sampled.c %reldir%/clock.h
	$(bench_calls) -D_GNU_SOURCE -shared -fPIC -I$(srcdir)/include -o $@ \
		$(srcdir)/%reldir%/sampled.c

bench_link = $(LIBTOOL) --silent --tag=CC --mode=link $(CC) $(AM_CFLAGS) $(CFLAGS) $(LDFLAGS)
bench_layers = CC='$(CC)' AWK='$(AWK)' LINK='$(bench_link)' \
	LINK_LIBS='libwhocallme.la $(BACKTRACE_LIBS)' \
	DRIVER='$(%canon_reldir%_layered_OBJECTS)'
bench_about = -v machine="`$(SHELL) $(srcdir)/%reldir%/machine.sh`" \
	-v commit="`git -C $(srcdir) describe --always --dirty 2>/dev/null`"
bench_rounds = $(AWK) $(bench_about) -f $(srcdir)/%reldir%/rounds.awk

bench_run = CC='$(CC)' NM='$(NM)' AWK='$(AWK)' \
		$(SHELL) $(srcdir)/%reldir%/run.sh %reldir% $(bench_part) && \
	$(AWK) -v part=$(bench_part) -v json=%reldir%/results.json -v cpus="`getconf _NPROCESSORS_ONLN`" \
		-v machine="`$(SHELL) $(srcdir)/%reldir%/machine.sh`" \
		-f $(srcdir)/%reldir%/report.awk %reldir%/samples.tsv

EXTRA_DIST += %reldir%/generate.awk %reldir%/build_units.sh \
	%reldir%/generate_lines.awk %reldir%/build_lines.sh \
	%reldir%/calls.c %reldir%/inject_article.c %reldir%/hooks.h %reldir%/hooks_empty.c \
	%reldir%/hooks_entry.c %reldir%/hooks_fprintf.c %reldir%/hooks_ring.c %reldir%/hooks_writev.c \
	%reldir%/generate_layers.py %reldir%/build_layers.sh \
	%reldir%/layers.sh %reldir%/layers.awk %reldir%/rounds.awk \
	%reldir%/cases.sh %reldir%/cases.awk \
	%reldir%/sampled.c %reldir%/sampled.sh %reldir%/sampled.awk \
	%reldir%/sampled_work.sh %reldir%/sleds.sh %reldir%/first_line.c \
	%reldir%/inputs.py %reldir%/rounds.sh %reldir%/run.sh %reldir%/report.awk %reldir%/machine.sh
CLEANFILES += $(bench_programs) $(bench_peer_programs) $(bench_traced) \
	$(bench_injected) %reldir%/calls_article.o \
	%reldir%/layered %reldir%/layers.tsv %reldir%/layers.err %reldir%/layers/*/* \
	%reldir%/cases.tsv %reldir%/cases.err \
	%reldir%/sampled.so %reldir%/sampled.tsv %reldir%/sampled.out \
	%reldir%/sampled/* \
	$(bench_hooks) $(bench_units) $(bench_lines) \
	$(bench_lines_large) %reldir%/units/* %reldir%/line_units/* \
	%reldir%/samples.tsv %reldir%/results.json %reldir%/generated.txt \
	%reldir%/rdynamic.txt %reldir%/addresses.txt %reldir%/questions.txt \
	%reldir%/node.txt %reldir%/errors.txt %reldir%/uftrace.txt
