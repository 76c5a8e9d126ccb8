# SPDX-License-Identifier: MIT
# Programs that a reader may copy, built as a reader would: without the flags
# of the library's own code.  test/scenario runs them, and builds what is C++.
example_programs = %reldir%/callback %reldir%/crash %reldir%/filters %reldir%/ftrace \
	%reldir%/graph %reldir%/hook %reldir%/lines %reldir%/log \
	%reldir%/pairs %reldir%/record %reldir%/switch %reldir%/who
EXTRA_DIST += %reldir%/callback.c %reldir%/crash.c \
	%reldir%/cxx_callable.cc %reldir%/cxx_constexpr.cc \
	%reldir%/cxx_construct.cc %reldir%/cxx_exceptions.cc \
	%reldir%/cxx_templates.cc %reldir%/cxx_virtual.cc \
	%reldir%/filters.c %reldir%/ftrace.c %reldir%/graph.c %reldir%/hook.c %reldir%/lines.c \
	%reldir%/log.c %reldir%/pairs.c %reldir%/player.c %reldir%/record.c %reldir%/server.c \
	%reldir%/switch.c %reldir%/who.c
CLEANFILES += $(example_programs) %reldir%/.libs/*
check_DATA = $(example_programs)

build_example = $(AM_V_CCLD)$(MKDIR_P) %reldir% && \
	$(LIBTOOL) $(AM_V_lt) --tag=CC --mode=link \
	$(CC) -g $(WCM_SANITIZE_CFLAGS) $(AM_CPPFLAGS)

%reldir%/callback: %reldir%/callback.c libwhocallme.la
	$(build_example) -o $@ $(srcdir)/%reldir%/callback.c libwhocallme.la
%reldir%/crash: %reldir%/crash.c libwhocallme.la
	$(build_example) -o $@ $(srcdir)/%reldir%/crash.c libwhocallme.la
%reldir%/filters: %reldir%/filters.c libwhocallme.la
	$(build_example) -finstrument-functions -o $@ \
		$(srcdir)/%reldir%/filters.c libwhocallme.la
%reldir%/ftrace: %reldir%/ftrace.c libwhocallme.la
	$(build_example) -fpatchable-function-entry=5 -o $@ \
		$(srcdir)/%reldir%/ftrace.c libwhocallme.la
%reldir%/graph: %reldir%/graph.c libwhocallme.la
	$(build_example) -finstrument-functions -o $@ \
		$(srcdir)/%reldir%/graph.c libwhocallme.la
%reldir%/hook: %reldir%/hook.c libwhocallme.la
	$(build_example) -finstrument-functions -o $@ \
		$(srcdir)/%reldir%/hook.c libwhocallme.la
%reldir%/lines: %reldir%/lines.c libwhocallme.la
	$(build_example) -o $@ $(srcdir)/%reldir%/lines.c libwhocallme.la
%reldir%/log: %reldir%/log.c libwhocallme.la
	$(build_example) -finstrument-functions -o $@ \
		$(srcdir)/%reldir%/log.c libwhocallme.la
%reldir%/pairs: %reldir%/pairs.c libwhocallme.la
	$(build_example) -finstrument-functions -o $@ \
		$(srcdir)/%reldir%/pairs.c libwhocallme.la
%reldir%/record: %reldir%/record.c libwhocallme.la
	$(build_example) -finstrument-functions -o $@ \
		$(srcdir)/%reldir%/record.c libwhocallme.la -lpthread
%reldir%/switch: %reldir%/switch.c libwhocallme.la
	$(build_example) -finstrument-functions -o $@ \
		$(srcdir)/%reldir%/switch.c libwhocallme.la
%reldir%/who: %reldir%/who.c libwhocallme.la
	$(build_example) -o $@ $(srcdir)/%reldir%/who.c libwhocallme.la

.PHONY: examples
examples: $(example_programs)
