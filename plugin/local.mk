# SPDX-License-Identifier: MIT
# The plugin, once for each gcc that configure has found.
plugin_sources = %reldir%/plugin.cc
EXTRA_DIST += $(plugin_sources) %reldir%/plugin.h %reldir%/README.md %reldir%/build.sh

if WITH_PLUGIN
plugin_files = $(PLUGIN_FILES)
all-local: $(plugin_files)
$(plugin_files): $(plugin_sources) %reldir%/plugin.h %reldir%/build.sh
	$(AM_V_GEN)YAML_CFLAGS='$(YAML_CFLAGS)' YAML_LIBS='$(YAML_LIBS)' \
		VERSION='$(PACKAGE_VERSION)' $(SHELL) $(srcdir)/%reldir%/build.sh \
		$(srcdir) $@ '$(PLUGIN_COMPILERS)' $(plugin_sources)
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
