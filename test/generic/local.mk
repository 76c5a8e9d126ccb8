# SPDX-License-Identifier: MIT
# CPUs without a port.
generic_tests = %reldir%/test_cross.sh %reldir%/test_native.sh
TESTS += $(generic_tests)
EXTRA_DIST += $(generic_tests) %reldir%/program.c
