# SPDX-License-Identifier: MIT
# Other releases of Debian, each in a root made for it.
EXTRA_DIST += %reldir%/beside %reldir%/check %reldir%/enter %reldir%/mirror %reldir%/totals \
	%reldir%/demo.sh %reldir%/check.sh %reldir%/quick.sh \
	%reldir%/packages.sh %reldir%/autopkgtest.sh \
	%reldir%/build_port.sh %reldir%/port.sh %reldir%/recordings.sh %reldir%/limits

# SUITES, STEPS, MIRROR and ROOTS come from the command line or the environment.
.PHONY: check-systems
check-systems:
	+$(SHELL) $(srcdir)/%reldir%/check

# PORTS, and besides the above I386, ARM64, RISCV64, the suites, and TESTS.
.PHONY: check-ports
check-ports:
	+PORTS="$${PORTS-i386 arm64 riscv64}" STEPS="$${STEPS-port}" \
		$(SHELL) $(srcdir)/%reldir%/check

distclean-local: distclean-systems
.PHONY: distclean-systems
distclean-systems:
	rm -rf systems

# The source in other projects, by CMake and Meson: five minutes.
EXTRA_DIST += %reldir%/embedded
.PHONY: check-embedded
check-embedded:
	@$(AM_TESTS_ENVIRONMENT) $(srcdir)/%reldir%/embedded
