# SPDX-License-Identifier: MIT
# Recordings against uftrace's own: test/scenario/record.bats.
EXTRA_DIST += %reldir%/count.c %reldir%/deep.c %reldir%/ends.c %reldir%/forking.c \
	%reldir%/many %reldir%/narrow_tids.awk %reldir%/plugin.c %reldir%/threads.c %reldir%/tree.py %reldir%/viewer %reldir%/viewer.mjs

# 100 million calls of 64 threads: 3 GB of disk, a minute.  Then those of SQLite.
.PHONY: check-recording check-recording-sqlite
check-recording: check-recording-sqlite
	$(SHELL) $(srcdir)/%reldir%/many '$(CC)' 64 100000000
check-recording-sqlite: all
	$(AM_TESTS_ENVIRONMENT) bash $(srcdir)/test/real/workload

# The parser of Chrome's DevTools, from npm, on what `whocallme chrome` writes.
.PHONY: check-trace-viewer
check-trace-viewer: all
	$(SHELL) $(srcdir)/%reldir%/viewer '$(CC)' '$(CXX_FOR_TESTS)' \
		%reldir%/viewer-engine || test $$? = 77

distclean-local: distclean-viewer
.PHONY: distclean-viewer
distclean-viewer:
	rm -rf %reldir%/viewer-engine
