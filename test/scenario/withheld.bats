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

# Stderr has names and offsets, and nothing else of what the process is: no address, nothing
# of a register, of code or of an argument.
says_names_only()
{
	err_has "$1"
	err_lacks '0x[0-9a-f]{7}|6875e17e|registers|code"?:[ {]|arguments|modules|source lines'
}

named='^#0 in write_through\+0x[0-9a-f]+ \(.*/outputs\+0x[0-9a-f]+\)$'

# withholds WHY COMMAND...: what the program's reports say, in all forms.
withholds()
{
	local why="$1" file=$BATS_RUN_TMPDIR/withheld-file helper=$BATS_RUN_TMPDIR/helper
	shift
	printf '#!/bin/sh\ntouch "%s"\n' "$helper.ran" >"$helper"
	chmod 755 "$helper"
	observe "$@" "file=$file" "helper=$helper" install "$then" thread crash
	expect_status 139
	says_names_only "$named"
	err_has "^<whocallme>: names and offsets only: the $why\$"
	err_has '^#1 in outer\+0x'
	err_has '^thread [0-9]+ "waits":$'
	err_has "^<whocallme>: $file: a process that may not be dumped has none\$"
	[ ! -e "$file" ] && [ ! -e "$helper.ran" ] || blame "there is a file, or the helper ran"
	observe "$@" "file=$file" file_only install "$then" crash
	expect_status 139
	expect_err "<whocallme>: $file: a process that may not be dumped has none"
	observe "$@" install "$then" assert
	expect_status 134
	says_names_only ': SIGABRT, aborted: abort\(\) was called$'
	refute grep '<whocallme>.*hunter2' "$err"
	observe "$@" on_quit install "$then" thread quit
	expect_status 0
	says_names_only '^#[0-9]+ in main\+0x[0-9a-f]+ \(.*/outputs\+0x[0-9a-f]+\)$'
	observe "$@" "$then" watchdog sleep
	expect_status 0
	says_names_only '^#[0-9]+ in (main|sleep)\+0x[0-9a-f]+ '
	needs python3
	observe "$@" json install "$then" thread crash
	expect_status 139
	says_names_only '"function":"write_through"'
	"$whocallme" resolve --text "$err" >shown
	grep -E '^#0 in write_through\+0x[0-9a-f]+ ' shown
	grep -E "^   write_through at .*/outputs\.c:$fault:" shown
	refute grep 0x0000 shown
	needs_schema
	$judge schema "$err" "$top_srcdir/doc/crash-report.schema.json"
}

setup_outputs()
{
	build outputs outputs.c -O0 -fno-omit-frame-pointer
	fault=$(grep -n 'secret & 0xff0' "$programs/outputs.c" | cut -d: -f1)
}

@test "a process that is not dumpable: names and offsets, no file, no helper" {
	setup_outputs
	then=not_dumpable withholds 'process is not dumpable' "$bin/outputs"
}

@test "one that has given up root, and so is not dumpable" {
	[ "$(id -u)" -eq 0 ] || skip "only root can give it up"
	setup_outputs
	then=setuid withholds 'process is not dumpable' "$bin/outputs"
}

@test "a set-user-ID program: the same" {
	not_sanitized "its runtime obeys no options in a privileged program"
	[ "$(id -u)" -eq 0 ] || skip "only root can make one of another user"
	id nobody >/dev/null || skip "there is no nobody"
	setup_outputs
	local program=$BATS_RUN_TMPDIR/outputs
	cp "$bin/outputs" "$program"
	chmod 755 "$BATS_RUN_TMPDIR"
	chown nobody "$program"
	chmod 4755 "$program"
	observe "$program" install
	[ "$status" -ne 126 ] && [ "$status" -ne 127 ] || skip "it cannot be run: $(cat "$err")"
	then=install withholds 'program is set-user-ID or otherwise privileged' "$program"
}

@test "an exception whose type is named by what the program has written: not shown" {
	not_sanitized "its runtime has a word on exceptions"
	build wreck_type wreck_type.cc -O0
	observe "$bin/wreck_type" whole
	expect_status 134
	err_has ': abort\(\) was called: uncaught exception of type thrown$'
	observe "$bin/wreck_type"
	expect_status 134
	err_has ': abort\(\) was called$'
	refute grep '<whocallme>.*hunter2' "$err"
}

@test "resolve and group read a report without addresses" {
	setup_outputs
	observe "$bin/outputs" install not_dumpable thread crash
	expect_status 139
	cp "$err" text
	"$whocallme" resolve text >shown
	grep -E -A 1 '^#0 in write_through' shown |
		grep -E "^   write_through at .*/outputs\.c:$fault:"
	grep -E -A 1 '^#1 in outer' shown | grep -E '^   outer at .*/outputs\.c:[0-9]+:'
	"$whocallme" group text text >groups
	grep -E '^2 .*write_through|^ *2 ' groups || { cat groups && return 1; }
	grep -F write_through groups
}
