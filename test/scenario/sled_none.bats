#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# sled_none.bats - a CPU whose sleds are not known: patchable functions are refused in words, and
# run as ever.

load support

setup_file()
{
	bin=$BATS_FILE_TMPDIR
	for compiler in gcc clang; do
		! command -v $compiler >/dev/null || $compiler -O1 -fpatchable-function-entry=8,4 \
			-o "$bin/$compiler" "$programs/sled_calls.c"
	done
}

setup()
{
	trace_setup
}

# by_each COMMAND...: with the program of each compiler as its last argument.
by_each()
{
	for compiler in gcc clang; do
		[ ! -e "$bin/$compiler" ] || "$@" "$bin/$compiler"
	done
}

is_not_run()
{
	trace_it "$1"
	expect_status 125
	[ ! -s "$out" ]
	[ "$(wc -l <"$err")" -eq 1 ]
	err_has "^whocallme trace: $1 cannot be run with a trace: nothing in it can be traced; \
build it with -finstrument-functions, .*: functions of -fpatchable-function-entry are not traced on \
this CPU$"
}

# The compiler has listed them, as readelf says.
has_a_list()
{
	readelf -SW "$1" | grep -q ' __patchable_function_entries '
}

runs_untraced()
{
	local status_alone=0
	"$1" >alone 2>&1 || status_alone=$?
	trace_it --force "$1"
	expect_status "$status_alone"
	diff -u alone "$out"
	refute grep -q '^FUN' "$err"
}

why_none()
{
	observe "$whocallme" functions --sleds "$1"
	expect_status 0
	out_has ' main: none: sleds of this CPU are not known$'
	out_lacks ': entry |: frame |: front '
	"$whocallme" functions --sleds --json "$1" | python3 -c '
import json, sys
said = {f.get("no_sled") for f in json.load(sys.stdin)["functions"] if "sled" not in f}
assert "no-port" in said and said <= {"no-port", "no-code"}, said'
}

@test "a program of patchable functions is not run: the line says what can be traced" {
	by_each has_a_list
	by_each is_not_run
}

@test "by force it runs as ever, and nothing is traced" {
	by_each runs_untraced
}

@test "functions --sleds has the same reason for each" {
	needs python3
	by_each why_none
}
