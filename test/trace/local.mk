# SPDX-License-Identifier: MIT
# Recordings against uftrace's own: test/scenario/record.bats.
EXTRA_DIST += %reldir%/count.c %reldir%/ends.c %reldir%/many %reldir%/plugin.c \
	%reldir%/threads.c %reldir%/tree.py

# 100 million calls of 64 threads: 3 GB of disk, a minute.
.PHONY: check-recording
check-recording: all
	$(SHELL) $(srcdir)/%reldir%/many '$(CC)' 64 100000000
