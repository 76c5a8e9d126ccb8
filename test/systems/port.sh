# SPDX-License-Identifier: MIT
# port.sh [SOURCE] - the tests of the library for the CPU ARCH, but for those of limits.
#
# TESTS are all if empty.
source=${1-$PWD}
# shellcheck source-path=SCRIPTDIR
. "$source/test/systems/build_port.sh"
limits=$source/test/systems/limits
where="$ARCH${ROOT:+|qemu}"

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

# What a few of them need, which are too many to be had for those that are named.
install_tools()
{
	DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
		clang libclang-rt-dev llvm lld mold valgrind ltrace dwz debuginfod \
		universal-ctags dpkg-dev xz-utils tcl jq zsh fish bash-completion musl-tools \
		cmake meson >/dev/null
}

build_port
[ -n "${ROOT-}${TESTS-}" ] || install_tools
# Those that are named need not all programs of all tests.
goal=test-suite.log
[ -n "${TESTS-}" ] || goal=check
# shellcheck disable=SC2086 # a flag, or none
make -s -k $jobs "$goal" TESTS="$(tests | tr '\n' ' ')" >check.log 2>&1 || true
grep -v '^failed: ' check.log | grep -E '^(FAIL|ERROR|XPASS|SKIP):| error: |\*\*\* ' || true

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
	/^failed: / { split($0, word, ": "); if (wrong[word[2]] || wrong[word[2] ".bats"]) print }
	END {
		print "Testsuite summary of what limits says"
		print "# PASS: " sum["PASS"] + 0
		print "# SKIP: " sum["SKIP"] + allowed
		print "# FAIL: " bad + 0
		print "# ERROR: 0"
		if (sum["PASS"] == 0) print "no test has passed: see check.log"
		exit bad > 0 || sum["PASS"] == 0
	}' "$limits" check.log
