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
# safe_sources and ordinary_sources: what is in no list here.
include %reldir%/sources.mk
libwcm_safe_la_SOURCES = $(safe_sources)
# What a libc tells of the modules that it has loaded.
if DL_FIND_OBJECT
libwcm_safe_la_SOURCES += %reldir%/core/modules/linked_index.c \
	%reldir%/trace/engine/unloadable_rules.c
else
libwcm_safe_la_SOURCES += %reldir%/core/modules/linked_list.c %reldir%/trace/engine/unloadable_none.c
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
EXTRA_DIST += %reldir%/trace/values/prototypes.awk %reldir%/trace/values/prototypes.list \
	%reldir%/trace/values/prototypes_include.h
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
nodist_libwcm_safe_la_SOURCES += %reldir%/trace/system/system_calls_table.c
EXTRA_DIST += %reldir%/format/settings.list
EXTRA_DIST += %reldir%/trace/system/system_calls.awk %reldir%/trace/system/system_calls.list
CLEANFILES += %reldir%/trace/system/system_calls_table.c %reldir%/trace/system/system_calls_headers.c \
	%reldir%/trace/system/system_calls.libc %reldir%/trace/system/system_calls.kernel
system_calls = $(top_srcdir)/%reldir%/trace/system/system_calls
list_macros = $(CC) $(DEFS) $(DEFAULT_INCLUDES) $(safe_cppflags) $(CPPFLAGS) \
	$(libwcm_safe_la_CFLAGS) $(CFLAGS) -E -dM %reldir%/trace/system/system_calls_headers.c
%reldir%/trace/system/system_calls_table.c: %reldir%/trace/system/system_calls.awk \
		%reldir%/trace/system/system_calls.list
	@$(MKDIR_P) %reldir%/trace/system
	$(AM_V_at)LC_ALL=C $(AWK) -f $(system_calls).awk $(system_calls).list \
		>%reldir%/trace/system/system_calls_headers.c
	$(AM_V_at)$(list_macros) >$@.tmp && \
		LC_ALL=C sort $@.tmp >%reldir%/trace/system/system_calls.libc
	$(AM_V_at)LC_ALL=C $(AWK) -f $(system_calls).awk -v world=kernel $(system_calls).list \
		>%reldir%/trace/system/system_calls_headers.c
	$(AM_V_at)$(list_macros) >%reldir%/trace/system/system_calls.kernel
	$(AM_V_GEN)LC_ALL=C $(AWK) -f $(system_calls).awk \
		%reldir%/trace/system/system_calls.libc \
		%reldir%/trace/system/system_calls.kernel $(system_calls).list >$@.tmp && \
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
libwcm_ordinary_la_SOURCES = $(ordinary_sources) $(common_sources)
EXTRA_DIST += %reldir%/load/objects/objfile.c %reldir%/load/objects/own_objfile.c
if WITH_BFD
libwcm_ordinary_la_SOURCES += %reldir%/load/objects/objfile.c
else
libwcm_ordinary_la_SOURCES += %reldir%/load/objects/own_objfile.c
endif
# The preloaded library's, too.
common_sources = \
	%reldir%/load/loaded.c %reldir%/load/lock.c \
	%reldir%/load/objects/mapped_file.c \
	%reldir%/trace/start/flight_start.c %reldir%/trace/sleds/sled_complaint.c

# Both, for what is built in this tree; in one archive each finds the other.
libwcm_whole_la_SOURCES =
libwcm_whole_la_LIBADD = libwcm-ordinary.la libwcm-safe.la libwcm-demangler.la \
	$(LZMA_LIBS)

if WITH_LIBRARY
noinst_LTLIBRARIES += libwcm-ordinary.la libwcm-whole.la
lib_LTLIBRARIES += libwhocallme.la libwhocallme-plain.la
endif
if SHARED
lib_LTLIBRARIES += libwhocallme-preload.la
endif

# What is interposed is not in a convenience library, whose objects are those of
# the static one, too.
interposed_sources = \
	%reldir%/trace/start/exec.c \
	%reldir%/watch/endings.c %reldir%/watch/register_frame.c %reldir%/watch/remap.c \
	%reldir%/watch/signals.c %reldir%/watch/thread_start.c %reldir%/watch/unload.c
libwhocallme_la_SOURCES = $(interposed_sources) %reldir%/trace/start/clone.c \
	%reldir%/front/one_thread.c %reldir%/front/rights.c
libwhocallme_la_CPPFLAGS = $(library_cppflags)
libwhocallme_la_CFLAGS = $(AM_CFLAGS) $(WCM_SAFE_CFLAGS)
libwhocallme_la_LIBADD = libwcm-whole.la $(BFD_LIBS) $(LZMA_LIBS)
libwhocallme_la_LDFLAGS = $(AM_LDFLAGS) -version-info 0:0:0 \
	-Wl,-z,now -Wl,-z,nodelete \
	-Wl,--version-script=$(top_srcdir)/%reldir%/libwhocallme.map
libwhocallme_la_DEPENDENCIES = libwcm-whole.la %reldir%/libwhocallme.map

# The same without what is interposed: doc/guide/interposed.md.
libwhocallme_plain_la_SOURCES =
libwhocallme_plain_la_LIBADD = $(libwhocallme_la_LIBADD)
libwhocallme_plain_la_LDFLAGS = $(libwhocallme_la_LDFLAGS)
libwhocallme_plain_la_DEPENDENCIES = $(libwhocallme_la_DEPENDENCIES)

# Loaded into programs that know nothing of it; no BFD.
libwhocallme_preload_la_SOURCES = \
	%reldir%/front/preload/preload.c \
	%reldir%/front/preload/quick_exec.c %reldir%/front/preload/quick_executable.c \
	%reldir%/front/preload/quick_start.c \
	$(interposed_sources) $(common_sources)
libwhocallme_preload_la_CPPFLAGS = $(library_cppflags)
libwhocallme_preload_la_LIBADD = libwcm-safe.la libwcm-demangler.la
# Its own hooks come first.  Those of trace/hooks/cyg.c cannot be weak: libc.a has some that do
# nothing, which some linkers would prefer.
libwhocallme_preload_la_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version -shared -Wl,-z,muldefs \
	-Wl,-z,now -Wl,-z,nodelete -Wl,-z,initfirst \
	-Wl,--version-script=$(top_srcdir)/%reldir%/front/preload/preload.map
