#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# bounds.bats - what others do to the process neither stops nor misleads it.

load support

setup_file()
{
	bin=$BATS_FILE_TMPDIR
	build reinstall reinstall.c
	build forks forks.c
	$CC -g -finstrument-functions -o "$bin/left" "$programs/left.c" \
		$sanitize $shared_libs
	echo 'int needed(void) { return 1; }' >"$bin/needed.c"
	echo 'int plugged(void) { return 2; }' >"$bin/plugged.c"
	mkdir -p "$bin/elsewhere"
	build_library libname.so "$bin/needed.c"
	build_library elsewhere/libname.so "$bin/plugged.c"
	build namesake namesake.c -- -L"$bin" -lname -Wl,-rpath,"$bin"
}

@test "a crash does not wait for ever for a reader that is stuck" {
	needs python3
	not_sanitized "its own handler is there first"
	observe full_pipe "$bin/reinstall"
	expect_out -11
}

@test "installed anew after another took the signal, it reports once" {
	not_sanitized "its own handler is there first"
	observe timeout -s KILL 20 "$bin/reinstall"
	expect_status 139
	[ "$(grep -c 'SIGSEGV' "$err")" -eq 1 ] || blame "not one report"
}

@test "a library with the file name of a needed one can be unloaded" {
	observe timeout 20 "$bin/namesake" "$bin/elsewhere/libname.so"
	expect_out "plugged 1"
}

@test "a handler may fork while its thread loads" {
	observe timeout -s KILL 60 "$bin/forks" "$bin/namesake"
	expect_status 0
}

@test "a handler may fork while its thread forks" {
	observe timeout -s KILL 20 "$bin/forks" "$bin/namesake" within
	expect_status 0
}

@test "a hook that was left by a long jump leaves its thread traced" {
	needs python3
	not_sanitized "a jump out of a write is not a sanitizer's business"
	WHOCALLME_TRACE=pairs observe full_pipe "$bin/left"
	out_has "func = last, called by = main"
}

@test "hooks that were left by long jumps leave the trace's file to others" {
	not_sanitized "a jump out of a write is not a sanitizer's business"
	WHOCALLME_TRACE=pairs WHOCALLME_OUTPUT=$bin/trace \
		observe timeout -s KILL 20 "$bin/left" "$bin/trace"
	expect_out "locked 0"
	[ "$(grep -c 'func = fill' "$bin/trace")" -gt 500 ] ||
		blame "the trace has ended early"
	rm -f "$bin/trace"
}
