# SPDX-License-Identifier: MIT
dist_man_MANS = %reldir%/whocallme.1 %reldir%/whocallme.3
EXTRA_DIST += %reldir%/DESIGN.md
