# SPDX-License-Identifier: MIT
dist_man_MANS = %reldir%/whocallme.1 %reldir%/whocallme.3
dist_doc_DATA = %reldir%/crash-report.schema.json
EXTRA_DIST += %reldir%/DESIGN.md %reldir%/FLEET.md
