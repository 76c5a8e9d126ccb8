# SPDX-License-Identifier: MIT
# The law of whocallme/README.md, as tests.
lint_tests = %reldir%/test_abi.sh %reldir%/test_exports.sh %reldir%/test_headers.sh \
	%reldir%/test_cpus.sh %reldir%/test_includes.sh \
	%reldir%/test_again.sh %reldir%/test_embed.sh %reldir%/test_includes_planted.sh %reldir%/test_layers.sh \
	%reldir%/test_lists.sh %reldir%/test_prints.sh %reldir%/test_tree.sh %reldir%/test_words.sh
TESTS += $(lint_tests)
EXTRA_DIST += $(lint_tests) %reldir%/abi.sh %reldir%/abi.txt %reldir%/cpu-names.txt \
	%reldir%/floors.txt %reldir%/includes.awk \
	%reldir%/includes.sh %reldir%/lists.sh %reldir%/settings.awk %reldir%/known-offences.txt \
	%reldir%/words.awk %reldir%/safe-headers.txt \
	%reldir%/safe-prints.txt \
	%reldir%/safe-symbols.txt test/support/tap.sh

# The lists of files, after one has come, gone, moved, or changed what it is for.
.PHONY: lists
lists:
	$(AM_V_GEN)$(top_srcdir)/%reldir%/lists.sh write
