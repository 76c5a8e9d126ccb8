#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# bootstrap.bats - ./bootstrap prints a line a phase, names its log, and shows what failed.

load support

# A checkout of ./bootstrap alone, on a machine whose tools say a lot.
setup()
{
	tree=$BATS_TEST_TMPDIR/tree
	mkdir -p "$tree/tools" "$tree/build/examples"
	cp "$top_srcdir/bootstrap" "$tree"
	printf '#!/bin/sh\necho installed\n' >"$tree/tools/dpkg-query"
	printf '#!/bin/sh\nexit 1\n' >"$tree/tools/apt-cache"
	printf '#!/bin/sh\nexit 0\n' >"$tree/tools/apt-get"
	printf '#!/bin/sh\nseq -f "noise %%g" 200\necho warning >&2\n' |
		tee "$tree/tools/autoreconf" "$tree/tools/make" >"$tree/configure"
	for example in who callback crash hook; do
		printf '#!/bin/sh\necho "example %s"\n' $example >"$tree/build/examples/$example"
	done
	chmod +x "$tree"/tools/* "$tree"/build/examples/* "$tree/configure"
}

# run_bootstrap ARGUMENT...
run_bootstrap()
{
	observe env -u MAKEFLAGS PATH="$tree/tools:$PATH" sh "$tree/bootstrap" "$@"
}

# of_make LINE...: what make says, before it fails.
of_make()
{
	{ printf '#!/bin/sh\ncase " $* " in *" all "*) exit ;; esac\ncat <<\\END\n'
	  printf '%s\n' "$@" END 'exit 2'; } >"$tree/tools/make"
}

@test "demo: a line a phase, then the examples; the log has the rest" {
	run_bootstrap demo
	expect_status 0
	[ "$(grep -c '^bootstrap: ' "$out")" -le 5 ]
	refute grep -E 'noise|warning' "$out" "$err"
	[ "$(grep -c '^example ' "$out")" = 4 ]
	[ "$(grep -c '^noise 200$' "$tree/build/bootstrap.log")" = 4 ]
}

@test "what fails is shown by its end, and the log is named" {
	of_make "$(seq -f 'noise %g' 200)" 'x.c:1: error: no'
	sed -i 's/" all "/none/' "$tree/tools/make"
	run_bootstrap demo
	expect_status 1
	grep -q 'build/bootstrap.log' "$err"
	grep -q '^    x.c:1: error: no$' "$err"
	[ "$(grep -c noise "$err")" -lt 40 ]
	refute grep example "$out"
}

@test "who may not install is told so" {
	printf '#!/bin/sh\nexit 1\n' >"$tree/tools/dpkg-query"
	printf '#!/bin/sh\necho 1000\n' >"$tree/tools/id"
	printf '#!/bin/sh\necho "no sudo for you" >&2\nexit 1\n' >"$tree/tools/sudo"
	chmod +x "$tree/tools/id" "$tree/tools/sudo"
	run_bootstrap demo
	expect_status 1
	grep -q 'no sudo for you' "$err"
}

@test "tests: what has not passed and the sums, no more; totals can add them up" {
	of_make 'PASS: a.bats 1 well' 'FAIL: a.bats 2 badly' 'SKIP: a.bats 3 no # SKIP tool' \
		'Testsuite summary for x' '# TOTAL: 3' '# PASS:  1' '# SKIP:  1' '# FAIL:  1' \
		'# XPASS: 0' '# ERROR: 0' 'See ./test-suite.log' 'make[1]: Leaving directory' \
		'not ok 2 badly' '# why' 'failed: a.bats 2 badly'
	run_bootstrap quick
	expect_status 1
	refute grep -E 'PASS: a|Leaving' "$out"
	grep -qx 'FAIL: a.bats 2 badly' "$out"
	grep -qx '# why' "$out"
	grep -qx 'failed: a.bats 2 badly' "$out"
	[ "$("$top_srcdir/test/systems/totals" PASS FAIL SKIP <"$out" | tr '\n' ' ')" = '1 1 1 ' ]
}

@test "on a terminal a phase's line counts the seconds" {
	command -v script >/dev/null || skip "script is missing"
	observe env -u MAKEFLAGS PATH="$tree/tools:$PATH" script -qec "sh $tree/bootstrap demo" /dev/null
	expect_status 0
	tr '\r' '\n' <"$out" | grep -q '^bootstrap: building in ./build: 0 s$'
	refute grep noise "$out"
}
