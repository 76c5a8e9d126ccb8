# SPDX-License-Identifier: MIT
# port.sh [SOURCE] - the tests of the library for the CPU ARCH, but for those of limits.
#
# In a root of that CPU as the other steps are.  With ROOT and TRIPLET, which check gives
# where the CPU is qemu's, in the current folder: what is tested is cross-built and runs in
# qemu with ROOT's libraries, compilers and the tests' own programs are this machine's,
# which is faster.  TESTS are all if empty.
source=${1-$PWD}
limits=$source/test/systems/limits
where="$ARCH${ROOT:+|qemu}"

build_here()
{
	apt-get update -qq
	DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
		g++ gdb bats libcmocka-dev python3 procps file >/dev/null
	./bootstrap demo
	cd build
}

build_cross()
{
	# qemu looks there first for each file that a program opens by its path.
	QEMU_LD_PREFIX=$ROOT
	export QEMU_LD_PREFIX
	# shellcheck disable=SC2086 # a list
	"$source/configure" -q --build="$("$source/build-aux/config.guess")" --host="$TRIPLET" \
		${CONFIGURE_FLAGS---enable-werror} CC="$TRIPLET-gcc --sysroot=$ROOT" \
		CXX_FOR_TESTS="$TRIPLET-g++ --sysroot=$ROOT" PKG_CONFIG_SYSROOT_DIR="$ROOT" \
		PKG_CONFIG_LIBDIR="$ROOT/usr/lib/$TRIPLET/pkgconfig"
	make -s -j"$(nproc)"
}

# All tests but those that are not run.
tests()
{
	printf 'include Makefile\nall-tests:\n\t@echo $(TESTS)\n' |
		make -s -f - all-tests | tr ' ' '\n' |
		awk -F '|' -v where="$where" '
			BEGIN { n = split(where, w, "|"); for (; n; n--) here[w[n]] }
			NR == FNR { if ($1 in here && $3 == "*") out[$2]; next }
			!($1 in out)' "$limits" -
}

if [ -n "${ROOT-}" ]; then
	build_cross
else
	build_here
fi
# Those that are named need not all programs of all tests.
goal=test-suite.log
[ -n "${TESTS-}" ] || goal=check TESTS=$(tests | tr '\n' ' ')
make -s -k -j"$(nproc)" "$goal" TESTS="$TESTS" >check.log 2>&1 || true
grep -E '^(FAIL|ERROR|XPASS|SKIP):| error: |\*\*\* ' check.log || true

# What failed is allowed to, or is a failure; totals reads the sums.
awk -F '|' -v where="$where" '
	BEGIN { n = split(where, w, "|"); for (; n; n--) here[w[n]] }
	FILENAME != "check.log" {
		if ($1 in here && $3 != "*") { file[++cases] = $2; name[cases] = $3; why[cases] = $4 }
		else if ($1 in here) print "not run: " $2 ": " $4
		next
	}
	/^(PASS|SKIP): / { sum[substr($0, 1, 4)]++ }
	/^make.*\*\*\* .* Error/ && !/test-suite\.log|check/ { bad++; print "not built: " $0 }
	/^(FAIL|ERROR|XPASS): / {
		for (i = cases; i; i--)
			if (index($0, file[i] " ") && index($0, " - " name[i])) break
		if (i) { allowed++; print "allowed: " $0 ": " why[i] }
		else { bad++; print "not allowed: " $0 }
	}
	END {
		print "Testsuite summary of what limits says"
		print "# PASS: " sum["PASS"] + 0
		print "# SKIP: " sum["SKIP"] + allowed
		print "# FAIL: " bad + 0
		print "# ERROR: 0"
		if (sum["PASS"] == 0) print "no test has passed: see check.log"
		exit bad > 0 || sum["PASS"] == 0
	}' "$limits" check.log
