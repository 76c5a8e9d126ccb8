# SPDX-License-Identifier: MIT
# whocallme functions against nm, readelf and addr2line.
EXTRA_DIST += %reldir%/binutils.py %reldir%/compare.py %reldir%/smoke
TESTS += %reldir%/smoke

# Every ELF file of the machine: minutes, so not part of make check.
.PHONY: check-differential
check-differential: $(bin_PROGRAMS)
	$(LIBTOOL) --mode=execute python3 -B $(srcdir)/%reldir%/compare.py \
		--tool tool/whocallme /usr/bin /usr/lib
