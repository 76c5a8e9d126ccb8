# SPDX-License-Identifier: MIT
# The signal-safe world: see %reldir%/README.md for the law.
noinst_LTLIBRARIES += libwcm-safe.la libwcm-demangler.la

safe_cppflags = $(AM_CPPFLAGS) -DHELPER='"$(bindir)/whocallme"' -include config.h \
	-I$(top_srcdir)/%reldir% \
	-I$(top_srcdir)/%reldir%/arch/$(WCM_ARCH)

libwcm_safe_la_CPPFLAGS = $(safe_cppflags)
libwcm_safe_la_CFLAGS = $(AM_CFLAGS) $(WCM_SAFE_CFLAGS)
libwcm_safe_la_SOURCES = \
	%reldir%/arch/arch.h \
	%reldir%/crash/address.c %reldir%/crash/address.h \
	%reldir%/crash/altstack.c %reldir%/crash/altstack.h \
	%reldir%/crash/descriptor.c %reldir%/crash/descriptor.h \
	%reldir%/crash/describe.c %reldir%/crash/describe.h \
	%reldir%/crash/chain.c %reldir%/crash/chain.h \
	%reldir%/crash/clock.h \
	%reldir%/crash/facts.c %reldir%/crash/facts.h \
	%reldir%/crash/append.c %reldir%/crash/append.h \
	%reldir%/crash/attempt.c %reldir%/crash/attempt.h \
	%reldir%/crash/file_lock.c %reldir%/crash/file_lock.h \
	%reldir%/crash/file.c %reldir%/crash/file.h \
	%reldir%/crash/form.h %reldir%/crash/form_json.c \
	%reldir%/crash/form_text.c \
	%reldir%/crash/handler.c %reldir%/crash/handler.h \
	%reldir%/crash/handler_code.h \
	%reldir%/crash/helper.c %reldir%/crash/helper.h \
	%reldir%/crash/kernel_action.h %reldir%/crash/mask.h \
	%reldir%/crash/start_page.h \
	%reldir%/crash/maps.c %reldir%/crash/maps.h \
	%reldir%/crash/options.c %reldir%/crash/options.h \
	%reldir%/crash/outputs.c %reldir%/crash/outputs.h \
	%reldir%/crash/overflow.c %reldir%/crash/overflow.h \
	%reldir%/crash/place_text.c %reldir%/crash/place_text.h \
	%reldir%/crash/proc_file.c %reldir%/crash/proc_file.h \
	%reldir%/crash/reason.c %reldir%/crash/reason.h \
	%reldir%/crash/report.c %reldir%/crash/report.h \
	%reldir%/crash/secrets.c %reldir%/crash/secrets.h \
	%reldir%/crash/slots.c %reldir%/crash/slots.h \
	%reldir%/crash/stop.c %reldir%/crash/stop.h \
	%reldir%/crash/tasks.c %reldir%/crash/tasks.h \
	%reldir%/crash/thread_text.c %reldir%/crash/thread_text.h \
	%reldir%/crash/threads.c %reldir%/crash/threads.h \
	%reldir%/crash/turn.c %reldir%/crash/turn.h \
	%reldir%/crash/withheld.c %reldir%/crash/withheld.h \
	%reldir%/files/path.c %reldir%/files/path.h \
	%reldir%/files/printable.c %reldir%/files/printable.h \
	%reldir%/files/proof.c %reldir%/files/proof.h \
	%reldir%/files/regular.c %reldir%/files/regular.h \
	%reldir%/hook/edges.c %reldir%/hook/edges.h \
	%reldir%/hook/gate.c %reldir%/hook/gate.h \
	%reldir%/hook/graph_file.c %reldir%/hook/graph_file.h \
	%reldir%/hook/graph_gather.c \
	%reldir%/hook/graph_names.c %reldir%/hook/graph_names.h \
	%reldir%/hook/graph_write.c %reldir%/hook/graph_write.h \
	%reldir%/hook/frame.c %reldir%/hook/frame.h \
	%reldir%/hook/ending.c %reldir%/hook/ending.h \
	%reldir%/hook/filter.c %reldir%/hook/filter.h \
	%reldir%/hook/glob.c %reldir%/hook/glob.h \
	%reldir%/hook/guest.h %reldir%/hook/guest_rules.h \
	%reldir%/hook/inlined.c %reldir%/hook/inlined.h \
	%reldir%/hook/instrument.c \
	%reldir%/hook/interrupted.c %reldir%/hook/interrupted.h \
	%reldir%/hook/lines.c %reldir%/hook/lines.h \
	%reldir%/hook/keeper.c %reldir%/hook/keeper.h \
	%reldir%/hook/landed.c %reldir%/hook/landed.h \
	%reldir%/hook/noted.c %reldir%/hook/noted.h \
	%reldir%/hook/opened.c %reldir%/hook/opened.h \
	%reldir%/hook/recording.c %reldir%/hook/recording.h \
	%reldir%/hook/ring.c %reldir%/hook/ring.h \
	%reldir%/hook/sink_record.c \
	%reldir%/hook/task_list.c %reldir%/hook/task_list.h \
	%reldir%/hook/log.c %reldir%/hook/log.h \
	%reldir%/hook/memory.h \
	%reldir%/hook/names.c %reldir%/hook/names.h \
	%reldir%/hook/quiet.c %reldir%/hook/quiet.h \
	%reldir%/hook/places.c %reldir%/hook/places.h \
	%reldir%/hook/roomy.c %reldir%/hook/roomy.h \
	%reldir%/hook/shadow.c %reldir%/hook/shadow.h \
	%reldir%/hook/sink.h \
	%reldir%/hook/sink_graph.c %reldir%/hook/sink_graph.h \
	%reldir%/hook/sink_addresses.c %reldir%/hook/sink_pairs.c \
	%reldir%/hook/stacks.c %reldir%/hook/stacks.h \
	%reldir%/hook/ticks.c %reldir%/hook/ticks.h \
	%reldir%/hook/tracer.c %reldir%/hook/tracer.h \
	%reldir%/hook/unwatched.c %reldir%/hook/unwatched.h \
	%reldir%/hook/said_to.c %reldir%/hook/said_to.h \
	%reldir%/hook/verdict.c %reldir%/hook/verdict.h \
	%reldir%/hook/window.c %reldir%/hook/window.h \
	%reldir%/lines/asker.c %reldir%/lines/asker.h \
	%reldir%/lines/dialogue.c %reldir%/lines/dialogue.h \
	%reldir%/lines/lined_frame.c %reldir%/lines/lined_frame.h \
	%reldir%/lines/identity.c %reldir%/lines/identity.h \
	%reldir%/lines/living.c %reldir%/lines/living.h \
	%reldir%/lines/file_id.h \
	%reldir%/lines/failure.c %reldir%/lines/failure.h \
	%reldir%/lines/print.c %reldir%/lines/print.h \
	%reldir%/lines/question.c %reldir%/lines/question.h \
	%reldir%/lines/resolver.c %reldir%/lines/resolver.h \
	%reldir%/lines/spawn.c %reldir%/lines/spawn.h \
	%reldir%/report/demangle.c %reldir%/report/demangle.h \
	%reldir%/report/format.c %reldir%/report/format.h \
	%reldir%/report/frame.h \
	%reldir%/report/json.c %reldir%/report/json.h \
	%reldir%/report/line.c %reldir%/report/line.h \
	%reldir%/report/output.c %reldir%/report/output.h \
	%reldir%/report/short_name.c %reldir%/report/short_name.h \
	%reldir%/report/status.c \
	%reldir%/report/text.c %reldir%/report/text.h \
	%reldir%/symbols/auxv.h \
	%reldir%/symbols/dynamic.c %reldir%/symbols/dynamic.h \
	%reldir%/symbols/dynsym.c %reldir%/symbols/dynsym.h \
	%reldir%/symbols/environment.h \
	%reldir%/symbols/eh_frame_search.c %reldir%/symbols/eh_frame_search.h \
	%reldir%/symbols/function_table.c %reldir%/symbols/function_table.h \
	%reldir%/symbols/headers.c %reldir%/symbols/headers.h \
	%reldir%/symbols/linked.c %reldir%/symbols/linked.h \
	%reldir%/symbols/lookup.c \
	%reldir%/symbols/module.c \
	%reldir%/symbols/module_visit.c \
	%reldir%/symbols/modules.c %reldir%/symbols/modules.h \
	%reldir%/symbols/symtab.c %reldir%/symbols/symtab.h \
	%reldir%/unwind/capture.c \
	%reldir%/unwind/cfi.c %reldir%/unwind/cfi.h \
	%reldir%/unwind/cursor.c %reldir%/unwind/cursor.h \
	%reldir%/unwind/describe.c %reldir%/unwind/describe.h \
	%reldir%/unwind/epoch.c %reldir%/unwind/epoch.h \
	%reldir%/unwind/expr.c %reldir%/unwind/expr.h \
	%reldir%/unwind/fde.c %reldir%/unwind/fde.h \
	%reldir%/unwind/frame_pointer.c %reldir%/unwind/frame_pointer.h \
	%reldir%/unwind/lsda.c %reldir%/unwind/lsda.h \
	%reldir%/unwind/prologue.c %reldir%/unwind/prologue.h \
	%reldir%/unwind/read.c %reldir%/unwind/read.h \
	%reldir%/unwind/registers.h \
	%reldir%/unwind/rule_cache.c %reldir%/unwind/rule_cache.h \
	%reldir%/unwind/self.h \
	%reldir%/unwind/stack_span.c %reldir%/unwind/stack_span.h \
	%reldir%/unwind/step.c %reldir%/unwind/step.h \
	%reldir%/unwind/stride.c %reldir%/unwind/stride.h \
	%reldir%/unwind/thread_pointer.c %reldir%/unwind/thread_pointer.h \
	%reldir%/unwind/walk.c %reldir%/unwind/walk.h
# What a libc tells of the modules that it has loaded.
if DL_FIND_OBJECT
libwcm_safe_la_SOURCES += %reldir%/symbols/linked_index.c \
	%reldir%/hook/guest.c %reldir%/hook/guest_rules.c
else
libwcm_safe_la_SOURCES += %reldir%/symbols/linked_list.c %reldir%/hook/guest_none.c
endif
nodist_libwcm_safe_la_SOURCES = %reldir%/arch/@WCM_ARCH@/context.c \
	%reldir%/arch/@WCM_ARCH@/prologue.c
# After the flags that the user gives, such as a distribution's -fstack-protector-strong
# and -D_FORTIFY_SOURCE: what would call __stack_chk_fail() or __memmove_chk() is not for
# a signal handler.
$(libwcm_safe_la_OBJECTS): override CFLAGS += $(WCM_SAFE_CFLAGS) -U_FORTIFY_SOURCE
EXTRA_DIST += \
	%reldir%/libwhocallme.map %reldir%/preload/preload.map \
	%reldir%/arch/generic/columns.h %reldir%/arch/generic/context.c \
	%reldir%/arch/generic/prologue.c %reldir%/arch/generic/regs.h \
	%reldir%/arch/generic/syscall.h \
	%reldir%/arch/x86_64/columns.h %reldir%/arch/x86_64/context.c \
	%reldir%/arch/x86_64/instruction.h \
	%reldir%/arch/x86_64/prologue.c %reldir%/arch/x86_64/regs.h \
	%reldir%/arch/x86_64/syscall.h

# Of the safe world, but for code that was compiled elsewhere, with vector registers:
# libiberty's demanglers, which demangler/copy.sh takes from its archive.
libwcm_demangler_la_CPPFLAGS = $(safe_cppflags)
libwcm_demangler_la_CFLAGS = $(AM_CFLAGS) $(WCM_SAFE_CFLAGS)
libwcm_demangler_la_SOURCES = %reldir%/demangler/demangler.h
EXTRA_DIST += %reldir%/demangler/copy.sh
if DEMANGLERS
libwcm_demangler_la_SOURCES += %reldir%/demangler/host.c %reldir%/demangler/host.h
libwcm_demangler_la_LIBADD = %reldir%/demangler/copy.lo
CLEANFILES += %reldir%/demangler/copy.o %reldir%/demangler/copy.lo
else
libwcm_demangler_la_SOURCES += %reldir%/demangler/none.c
endif
EXTRA_DIST += %reldir%/demangler/host.c %reldir%/demangler/host.h \
	%reldir%/demangler/none.c

# As libtool writes it; position-independent in any case.
%reldir%/demangler/copy.lo: %reldir%/demangler/copy.sh
	@$(MKDIR_P) %reldir%/demangler
	$(AM_V_GEN)AR='$(AR)' LD='$(LD)' NM='$(NM)' OBJCOPY='$(OBJCOPY)' \
		$(SHELL) $(top_srcdir)/%reldir%/demangler/copy.sh \
		'$(LIBIBERTY)' %reldir%/demangler/copy.o
	@printf '%s\n' "# copy.lo - a libtool object file" "# Generated by libtool" \
		"pic_object='copy.o'" "non_pic_object='copy.o'" >$@

# The ordinary world, and the front door.  Signal handlers and hooks point into
# the library, so that it is never unloaded.
libwcm_ordinary_la_CPPFLAGS = $(safe_cppflags)
libwcm_ordinary_la_CFLAGS = $(AM_CFLAGS) $(WCM_SAFE_CFLAGS) $(LZMA_CFLAGS)
libwcm_ordinary_la_SOURCES = \
	%reldir%/classic.c \
	%reldir%/load/build_table.c %reldir%/load/build_table.h \
	%reldir%/load/bytes.h \
	%reldir%/load/debug_file.c %reldir%/load/debug_file.h \
	%reldir%/load/demangle.c \
	%reldir%/load/executable.c %reldir%/load/executable.h \
	%reldir%/load/functions.c \
	%reldir%/load/hush.c %reldir%/load/hush.h \
	%reldir%/load/load.c %reldir%/load/load.h \
	%reldir%/load/at_start.c %reldir%/load/at_start.h \
	%reldir%/load/loaded.c %reldir%/load/loaded.h \
	%reldir%/load/lock.c %reldir%/load/lock.h \
	%reldir%/load/mapped_file.c %reldir%/load/mapped_file.h \
	%reldir%/load/mini_debug.c %reldir%/load/mini_debug.h \
	%reldir%/load/objfile.c %reldir%/load/objfile.h \
	%reldir%/load/placement.c %reldir%/load/placement.h \
	%reldir%/load/permanent.c %reldir%/load/permanent.h \
	%reldir%/load/raw_symbols.c %reldir%/load/raw_symbols.h \
	%reldir%/load/lines_control.c %reldir%/load/lines_control.h \
	%reldir%/load/solid.c %reldir%/load/solid.h \
	%reldir%/load/sources.c \
	%reldir%/trace/backend.h \
	%reldir%/trace/carry.c %reldir%/trace/carry.h \
	%reldir%/trace/environment.c %reldir%/trace/environment.h \
	%reldir%/trace/filter.c %reldir%/trace/filter.h \
	%reldir%/trace/control.c \
	%reldir%/trace/graph.c \
	%reldir%/trace/lines.c \
	%reldir%/trace/lost.c %reldir%/trace/lost.h \
	%reldir%/trace/record.c \
	%reldir%/trace/record_dir.c %reldir%/trace/record_dir.h \
	%reldir%/trace/record_info.c %reldir%/trace/record_info.h \
	%reldir%/trace/record_session.c %reldir%/trace/record_session.h \
	%reldir%/trace/starter.c %reldir%/trace/starter.h \
	%reldir%/trace/symbol_file.c %reldir%/trace/symbol_file.h \
	%reldir%/watch/watchdog.c

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
	%reldir%/watch/thread_start.c %reldir%/watch/unload.c \
	%reldir%/trace/exec.c %reldir%/trace/leave.c
libwhocallme_la_CPPFLAGS = $(safe_cppflags)
libwhocallme_la_CFLAGS = $(AM_CFLAGS) $(WCM_SAFE_CFLAGS)
libwhocallme_la_LIBADD = libwcm-whole.la $(BFD_LIBS) $(LZMA_LIBS)
libwhocallme_la_LDFLAGS = $(AM_LDFLAGS) -version-info 0:0:0 \
	-Wl,-z,now -Wl,-z,nodelete \
	-Wl,--version-script=$(top_srcdir)/%reldir%/libwhocallme.map
libwhocallme_la_DEPENDENCIES = libwcm-whole.la %reldir%/libwhocallme.map

# Loaded into programs that know nothing of it; no BFD.
libwhocallme_preload_la_SOURCES = %reldir%/preload/preload.c \
	%reldir%/preload/executable.c \
	%reldir%/preload/settings.c %reldir%/preload/settings.h \
	%reldir%/preload/at_start.c \
	%reldir%/preload/sigaction.c %reldir%/preload/sigaction.h \
	%reldir%/load/loaded.c %reldir%/load/lock.c \
	%reldir%/load/mapped_file.c %reldir%/load/permanent.c \
	%reldir%/watch/remap.c %reldir%/watch/thread_start.c \
	%reldir%/watch/unload.c
libwhocallme_preload_la_CPPFLAGS = $(safe_cppflags)
libwhocallme_preload_la_LIBADD = libwcm-safe.la libwcm-demangler.la
libwhocallme_preload_la_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version -shared \
	-Wl,-z,now -Wl,-z,nodelete -Wl,-z,initfirst \
	-Wl,--version-script=$(top_srcdir)/%reldir%/preload/preload.map
