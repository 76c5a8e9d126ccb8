# SPDX-License-Identifier: MIT
# The law of whocallme/README.md, as tests.
lint_tests = %reldir%/test_exports.sh %reldir%/test_headers.sh \
	%reldir%/test_layers.sh %reldir%/test_prints.sh %reldir%/test_tree.sh
TESTS += $(lint_tests)
EXTRA_DIST += $(lint_tests) %reldir%/safe-headers.txt \
	%reldir%/safe-prints.txt \
	%reldir%/safe-symbols.txt test/support/tap.sh
