# SPDX-License-Identifier: MIT
# The plugin, once for each gcc that configure has found.
plugin_sources = %reldir%/address.cc %reldir%/arguments.cc %reldir%/callee.cc \
	%reldir%/chosen.cc %reldir%/ends.cc %reldir%/hooks.cc %reldir%/linkage.cc \
	%reldir%/modes.cc %reldir%/name.cc %reldir%/pass.cc %reldir%/pattern.cc \
	%reldir%/plugin.cc %reldir%/probes.cc %reldir%/rules.cc %reldir%/serial.cc \
	%reldir%/shown.cc %reldir%/sled.cc %reldir%/unwind.cc
plugin_headers = %reldir%/address.h %reldir%/arguments.h %reldir%/callee.h %reldir%/chosen.h \
	%reldir%/ends.h %reldir%/linkage.h %reldir%/modes.h %reldir%/name.h \
	%reldir%/pattern.h %reldir%/plugin.h %reldir%/rules.h %reldir%/shown.h
# Shared with the command and the library.
plugin_shared = whocallme/format/printable.c
EXTRA_DIST += $(plugin_sources) $(plugin_headers) %reldir%/README.md %reldir%/build.sh

if WITH_PLUGIN
plugin_files = $(PLUGIN_FILES)
all-local: $(plugin_files)
$(plugin_files): $(plugin_sources) $(plugin_headers) $(plugin_shared) \
		whocallme/format/printable.h %reldir%/build.sh
	$(AM_V_GEN)YAML_CFLAGS='$(YAML_CFLAGS)' YAML_LIBS='$(YAML_LIBS)' \
		VERSION='$(PACKAGE_VERSION)' $(SHELL) $(srcdir)/%reldir%/build.sh \
		$(srcdir) $@ '$(PLUGIN_COMPILERS)' $(plugin_sources) $(plugin_shared)
CLEANFILES += $(plugin_files)

install-exec-local: install-plugins
uninstall-local: uninstall-plugins
endif

.PHONY: install-plugins uninstall-plugins
install-plugins:
	for file in $(plugin_files); do \
		major=`echo $$file | sed 's,.*gcc-,,; s,/.*,,'`; \
		$(MKDIR_P) $(DESTDIR)$(pkglibdir)/plugin/$$major && \
		$(INSTALL_PROGRAM) $$file $(DESTDIR)$(pkglibdir)/plugin/$$major/inject.so || \
		exit 1; done
uninstall-plugins:
	for file in $(plugin_files); do \
		major=`echo $$file | sed 's,.*gcc-,,; s,/.*,,'`; \
		rm -f $(DESTDIR)$(pkglibdir)/plugin/$$major/inject.so; done
