# SPDX-License-Identifier: MIT
# port.sh [SOURCE] - the tests of the library for the CPU ARCH, but for those of limits.
#
# In a root of that CPU as the other steps are.  With ROOT and TRIPLET, which check gives
# where the CPU is qemu's, in the current folder and entered by beside: what is tested is
# cross-built and runs in qemu with ROOT's libraries, compilers and the tests' own programs
# are this machine's, which is faster.  TESTS are all if empty.
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

# as_tool NAME COMMAND: a program of that name.
as_tool()
{
	printf '#!/bin/sh\nexec %s "$@"\n' "$2" >"tools/$1"
	chmod +x "tools/$1"
}

build_cross()
{
	# What looks for leaks stops threads by ptrace(2).
	ASAN_OPTIONS=detect_leaks=0
	export ASAN_OPTIONS
	# The compilers have a libc of their own, which may be older than ROOT's.
	flags="--sysroot=$ROOT -B$ROOT/usr/lib/$TRIPLET"
	# shellcheck disable=SC2086 # a list
	"$source/configure" -q --build="$("$source/build-aux/config.guess")" --host="$TRIPLET" \
		${CONFIGURE_FLAGS---enable-werror} CC="$TRIPLET-gcc $flags" \
		CXX_FOR_TESTS="$TRIPLET-g++ $flags" PKG_CONFIG_SYSROOT_DIR="$ROOT" \
		PKG_CONFIG_LIBDIR="$ROOT/usr/lib/$TRIPLET/pkgconfig"
	make -s -j"$(nproc)"
	# What tests make and change their programs with, by the names of the machine's own.
	mkdir tools
	for tool in objcopy objdump strip; do
		ln -s "$(command -v "$TRIPLET-$tool")" tools/$tool
	done
	for tool in gcc g++; do
		as_tool $tool "$TRIPLET-$tool $flags"
	done
	for tool in clang clang++; do
		! command -v $tool >/dev/null ||
			as_tool $tool "$(command -v $tool) --target=$TRIPLET $flags"
	done
	PATH=$PWD/tools:$PATH
}

# TESTS, or all, but those that are not run.
tests()
{
	printf 'include Makefile\nall-tests:\n\t@echo $(TESTS)\n' |
		make -s -f - all-tests ${TESTS:+"TESTS=$TESTS"} | tr ' ' '\n' |
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
[ -n "${TESTS-}" ] || goal=check
make -s -k -j"$(nproc)" "$goal" TESTS="$(tests | tr '\n' ' ')" >check.log 2>&1 || true
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
		test = $0
		sub(/^[A-Z]*: [^ ]* ([0-9]+ )?(- )?/, "", test)
		for (i = cases; i; i--)
			if (index($0, ": " file[i] " ") && index(test, name[i]) == 1) break
		split($0, word, " ")
		# The end of a program of which no test failed that may not.
		ended = /^ERROR: [^ ]* - exited with status [0-9]+$/
		if (i) { allowed++; of[word[2]] = why[i]; print "allowed: " $0 ": " why[i] }
		else if (ended && of[word[2]] && !wrong[word[2]]) next
		else { bad++; wrong[word[2]] = 1; print "not allowed: " $0 }
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
