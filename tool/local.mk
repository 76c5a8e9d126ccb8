# SPDX-License-Identifier: MIT
bin_PROGRAMS += %reldir%/whocallme
# tool_sources: all but main.c, since fuzzers call it, too.
include %reldir%/sources.mk
%canon_reldir%_whocallme_SOURCES = %reldir%/main.c $(tool_sources)
tool_cppflags = $(AM_CPPFLAGS) -I$(srcdir)/%reldir% \
	-I$(top_srcdir)/whocallme -I$(top_srcdir)/whocallme/core/arch/$(WCM_ARCH) \
	-include config.h -DLIBDIR='"$(libdir)"' -DBINDIR='"$(bindir)"'
%canon_reldir%_whocallme_CPPFLAGS = $(tool_cppflags)
%canon_reldir%_whocallme_CFLAGS = $(AM_CFLAGS) $(LIBDW_CFLAGS) $(JANSSON_CFLAGS) \
	$(LZMA_CFLAGS)
# The library is in it: what starts it says nothing of where libraries are.
%canon_reldir%_whocallme_LDADD = libwcm-whole.la $(BFD_LIBS) $(LIBDW_LIBS) $(JANSSON_LIBS) \
	$(LZMA_LIBS)
EXTRA_DIST += %reldir%/README.md %reldir%/launch/sled_as.sh

# gcc looks for its assembler in a folder, by this name.
sledasdir = $(pkglibdir)/sled-as
sledas_SCRIPTS = %reldir%/sled-as/as
CLEANFILES += $(sledas_SCRIPTS)
$(sledas_SCRIPTS): %reldir%/launch/sled_as.sh
	$(AM_V_GEN)$(MKDIR_P) $(@D) && cp $(srcdir)/%reldir%/launch/sled_as.sh $@ && chmod +x $@

# What shells complete, as the program itself has it; another machine's cannot be asked.
if !CROSS_COMPILING
bashcompletion_DATA = %reldir%/completions/whocallme
zshcompletion_DATA = %reldir%/completions/_whocallme
fishcompletion_DATA = %reldir%/completions/whocallme.fish
completion_files = $(bashcompletion_DATA) $(zshcompletion_DATA) $(fishcompletion_DATA)
CLEANFILES += $(completion_files)
$(bashcompletion_DATA): %reldir%/whocallme$(EXEEXT)
	$(AM_V_GEN)$(MKDIR_P) $(@D) && %reldir%/whocallme$(EXEEXT) completion bash >$@
$(zshcompletion_DATA): %reldir%/whocallme$(EXEEXT)
	$(AM_V_GEN)$(MKDIR_P) $(@D) && %reldir%/whocallme$(EXEEXT) completion zsh >$@
$(fishcompletion_DATA): %reldir%/whocallme$(EXEEXT)
	$(AM_V_GEN)$(MKDIR_P) $(@D) && %reldir%/whocallme$(EXEEXT) completion fish >$@
endif
