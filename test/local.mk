# SPDX-License-Identifier: MIT
# Every test speaks TAP to automake's driver.
LOG_DRIVER = env AM_TAP_AWK='$(AWK)' $(SHELL) $(top_srcdir)/build-aux/tap-driver.sh
BATS_LOG_DRIVER = $(LOG_DRIVER)
TEST_EXTENSIONS = .bats
BATS_LOG_COMPILER = $(SHELL) $(top_srcdir)/%reldir%/support/again $(BATS)

# What a scenario needs to know of the build.
AM_TESTS_ENVIRONMENT = PATH='$(python_folder)'"$$PATH"; export PATH; \
	top_srcdir='$(abs_top_srcdir)' top_builddir='$(abs_top_builddir)' \
	CC='$(CC)' CXX='$(CXX_FOR_TESTS)' HOST_CPU='$(host_cpu)' VERSION='$(PACKAGE_VERSION)' \
	BFD_LIBS='$(BFD_LIBS) $(LZMA_LIBS)' \
	BFD_STATIC_LIBS='$(BFD_STATIC_LIBS) $(LZMA_LIBS)' \
	SYSTEM_LIBS='$(LIBS)' STATIC_LACKS='$(STATIC_LACKS)' \
	SANITIZERS='$(enable_sanitizers)' CMOCKA_MESSAGE_OUTPUT=TAP; \
	export top_srcdir top_builddir CC CXX HOST_CPU VERSION BFD_LIBS \
		BFD_STATIC_LIBS SYSTEM_LIBS STATIC_LACKS SANITIZERS CMOCKA_MESSAGE_OUTPUT;

# What was left out is said at the end of automake's rule, whether tests fail or not; it
# has one shell, and lets us write the heading of its summary.
AM_TESTSUITE_SUMMARY_HEADER = ' for $(PACKAGE_STRING)'; \
	trap "top_srcdir='$(top_srcdir)' HAVE_CMOCKA='$(have_cmocka)' \
		HAVE_BATS='$(have_bats)' STATIC_LACKS='$(STATIC_LACKS)' \
		$(SHELL) $(srcdir)/%reldir%/support/left_out $(TEST_LOGS)" EXIT
EXTRA_DIST += %reldir%/support/left_out %reldir%/support/again \
	%reldir%/readers/questions.md

include %reldir%/preload/local.mk
if WITH_COMMAND
# The unit and lint tests and a scenario of each area.
.PHONY: check-quick
check-quick:
	$(MAKE) $(AM_MAKEFLAGS) check \
		TESTS='$(unit_tests) $(lint_tests) $(quick_scenarios)'

# The unit tests and the examples under memcheck; and without those that take a third of its time.
valgrind_long = %reldir%/unit/test_build_table %reldir%/unit/test_plain %reldir%/unit/test_words
.PHONY: check-valgrind check-valgrind-quick
check-valgrind: valgrind_programs = $(unit_programs) $(example_programs)
check-valgrind-quick: valgrind_programs = \
	$(filter-out $(valgrind_long),$(unit_programs) $(example_programs))
check-valgrind check-valgrind-quick: $(unit_programs) $(example_programs)
	@LIBTOOL='$(LIBTOOL)' $(SHELL) $(srcdir)/%reldir%/support/valgrind.sh \
		$(valgrind_programs)

# What is slow by nature; .ci/run runs a part of each.  All are run, whatever the others say.
.PHONY: check-nightly
check-nightly:
	$(MAKE) $(AM_MAKEFLAGS) -k check-valgrind check-sanitizers check-builds check-ports

# The system calls of programs, each run RUNS times, and of servers; and how programs end.
.PHONY: check-system-calls
check-system-calls: all
	$(AM_TESTS_ENVIRONMENT) RUNS=$${RUNS-20} $(BATS) --tap \
		$(srcdir)/%reldir%/scenario/system_calls.bats $(srcdir)/%reldir%/real/servers.bats \
		$(srcdir)/%reldir%/real/ended.bats

# All tests once more, in a build of their own with the sanitizers, whose list of tests is its
# own, too, but those that run nothing of that build.
unsanitized_tests = $(lint_tests) $(generic_tests) %reldir%/preload/musl \
	%reldir%/scenario/bootstrap.bats %reldir%/scenario/configure.bats
.PHONY: check-sanitized check-sanitizers
check-sanitizers check-sanitizers-quick:
	$(MKDIR_P) sanitizers
	cd sanitizers && { test -f Makefile || $(SHELL) \
		$(abs_srcdir)/configure -q --enable-sanitizers CC='$(CC)'; }
	cd sanitizers && $(MAKE) $(AM_MAKEFLAGS) $(subst sanitizers,sanitized,$@)
check-sanitized:
	$(MAKE) $(AM_MAKEFLAGS) check TESTS='$(filter-out $(unsanitized_tests),$(TESTS))'

# Those whose input is hostile, and the unit tests.
.PHONY: check-sanitized-quick check-sanitizers-quick
check-sanitized-quick:
	$(MAKE) $(AM_MAKEFLAGS) check \
		TESTS='$(unit_tests) $(fuzz_tests) $(hostile_scenarios)'

distclean-local: distclean-sanitizers
.PHONY: distclean-sanitizers
distclean-sanitizers:
	rm -rf sanitizers
EXTRA_DIST += %reldir%/support/valgrind.sh

include %reldir%/unit/local.mk
include %reldir%/lint/local.mk
include %reldir%/scenario/local.mk
include %reldir%/real/local.mk
include %reldir%/differential/local.mk
include %reldir%/corpus/local.mk
include %reldir%/crash/local.mk
include %reldir%/filters/local.mk
include %reldir%/fuzz/local.mk
include %reldir%/builds/local.mk
include %reldir%/generic/local.mk
include %reldir%/cfi/local.mk
include %reldir%/stepper/local.mk
include %reldir%/systems/local.mk
include %reldir%/lines/local.mk
include %reldir%/trace/local.mk
include %reldir%/plugin/local.mk
endif
