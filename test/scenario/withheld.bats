#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# withheld.bats - what a report does not say, for those who may read it are not those
# whom the program trusts.

load support

judge="python3 $top_srcdir/test/scenario/report.py"

setup_file()
{
	bin=$BATS_FILE_TMPDIR
	build crash crash.c -O0 -fno-omit-frame-pointer
	compile "$bin/unaware.o" "$programs/crash.c" -O0 -DUNAWARE
	$CC -o "$bin/unaware" "$bin/unaware.o" -lpthread
}

setup()
{
	ulimit -S -c 0
	cd "$BATS_TEST_TMPDIR"
}

# run_it OPTION... PROGRAM...: with the report preloaded.
run_it()
{
	not_sanitized "its runtime must be loaded first"
	LD_PRELOAD='' observe timeout -s KILL 30 "$whocallme" run "$@"
}

secret=(--password=hunter2 --api-key hunter2 https://me:hunter2@host/ plain)

@test "arguments: what looks like a secret is starred, in text and in JSON" {
	observe "$bin/crash" null_read no-option "${secret[@]}"
	expect_status 139
	err_has '^arguments: .* --password=\*\*\* --api-key \*\*\* https://me:\*\*\*@host/ plain$'
	err_lacks hunter2
	needs python3
	run_it --json "$bin/unaware" null_read no-option "${secret[@]}"
	expect_status 139
	err_lacks hunter2
	tail -n 1 "$err" >json
	[ "$($judge get json program.arguments.3)" = '--password=***' ]
	[ "$($judge get json program.arguments.7)" = plain ]
}

@test "no arguments: by an option, by the environment, by a flag" {
	local form
	for form in --no-arguments '--no-arguments --json'; do
		# shellcheck disable=SC2086 # two options
		run_it $form "$bin/unaware" null_read no-option "${secret[@]}"
		expect_status 139
		err_has "$bin/unaware"
		err_lacks 'arguments|plain|hunter2'
	done
	observe "$bin/crash" null_read no-arguments "${secret[@]}"
	expect_status 139
	err_has "^program: $bin/crash\$"
	err_lacks 'arguments|plain|hunter2'
}
