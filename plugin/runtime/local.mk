# SPDX-License-Identifier: MIT
# The runtime of mode=serial: what instrumented functions call.  Its own flags come last: it is
# part of ld.so, too, which has neither libc nor relocations yet.
inject_sources = %reldir%/inject_write.c %reldir%/inject_put.c %reldir%/inject_place.c
inject_headers = %reldir%/inject_runtime.h
EXTRA_DIST += $(inject_sources) $(inject_headers) %reldir%/README.md \
	whocallme/core/arch/aarch64/inject_entry.h whocallme/core/arch/riscv64/inject_entry.h \
	whocallme/core/arch/x86_64/inject_entry.h

if INJECT_RUNTIME
inject_objects = $(inject_sources:.c=.o)
inject_flags = -std=gnu11 -O2 -fPIC -ffreestanding -fno-lto -fno-stack-protector \
	-fno-stack-clash-protection -fno-sanitize=all -fno-profile-arcs $(WCM_INJECT_CFLAGS)
lib_LIBRARIES = libwhocallme-inject.a
libwhocallme_inject_a_SOURCES =
libwhocallme_inject_a_LIBADD = $(inject_objects)
libwhocallme_inject_a_DEPENDENCIES = $(inject_objects)
$(inject_objects): %.o: %.c $(inject_headers) $(wildcard $(srcdir)/whocallme/core/os/*.h) \
		$(wildcard $(srcdir)/whocallme/core/arch/$(WCM_ARCH)/*.h)
	$(AM_V_CC)$(MKDIR_P) $(@D) && $(CC) $(AM_CPPFLAGS) -I. -include config.h \
		-I$(top_srcdir)/whocallme -I$(top_srcdir)/whocallme/core/arch/$(WCM_ARCH) \
		$(CPPFLAGS) $(AM_CFLAGS) $(CFLAGS) $(inject_flags) -c -o $@ $<
CLEANFILES += $(inject_objects)
endif
