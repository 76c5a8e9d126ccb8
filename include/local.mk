# SPDX-License-Identifier: MIT
include_HEADERS = %reldir%/whocallme.h

pkginclude_HEADERS = \
	%reldir%/whocallme/agent.h %reldir%/whocallme/base.h \
	%reldir%/whocallme/classic.h \
	%reldir%/whocallme/crash.h %reldir%/whocallme/threads.h \
	%reldir%/whocallme/functions.h \
	%reldir%/whocallme/lines.h \
	%reldir%/whocallme/probe.h \
	%reldir%/whocallme/stack.h \
	%reldir%/whocallme/symbol.h \
	%reldir%/whocallme/trace.h \
	%reldir%/whocallme/version.h
