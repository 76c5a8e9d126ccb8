#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# sled.bats - calls of programs whose functions begin with NOPs, which are patched.

load support

setup_file()
{
	bin=$BATS_FILE_TMPDIR
	build hooked sled_calls.c -O0 -finstrument-functions -- -Wl,--no-as-needed
	WHOCALLME_TRACE=log "$bin/hooked" 2>&1 >/dev/null | calls >"$bin/calls"
	[ "$(wc -l <"$bin/calls")" -eq 22 ] || return 1
}

# What a log says of main and what it calls: names, indented by depth.
calls()
{
	sed -n 's/^FUN .\{28\}//p' | sed 's/ x\([0-9]*\), .*/ x\1/'
}

# The same, each fold as many lines as it stands for.
unfolded()
{
	awk '{ n = 1; if (match($0, / x[0-9]+$/)) { n = substr($0, RSTART + 2); sub(/ x[0-9]+$/, "") }
		while (n-- > 0) print }'
}

# patched NAME COMPILER FLAG...: $bin/NAME, whose log is that of the program with hooks.
patched()
{
	local name=$1 compiler=$2
	shift 2
	# shellcheck disable=SC2086 # lists
	$compiler -g -o "$bin/$name" "$programs/sled_calls.c" "$@" -Wl,--no-as-needed $shared_libs
	same_calls "$bin/$name"
}

same_calls()
{
	observe env WHOCALLME_TRACE=log "$@"
	expect_status 0
	diff -u <(unfolded <"$bin/calls") <(calls <"$err" | unfolded)
	[ "$(cat "$out")" = done ]
}

@test "sleds of gcc: as many NOPs as there may be, position-independent or not" {
	not_sanitized "it has no room near the program"
	for flag in -fpatchable-function-entry=5 -fpatchable-function-entry=6 \
		-fpatchable-function-entry=16,0 "-fpatchable-function-entry=5 -fcf-protection" \
		"-fpatchable-function-entry=5 -no-pie -fno-pie" \
		"-fpatchable-function-entry=5 -O0" "-fpatchable-function-entry=5 -Os"; do
		# shellcheck disable=SC2086 # a list
		patched gcc gcc -O2 $flag
	done
}

@test "sleds of clang" {
	not_sanitized "it has no room near the program"
	needs clang
	for flag in -fpatchable-function-entry=5 -fpatchable-function-entry=9 \
		"-fpatchable-function-entry=5 -fcf-protection"; do
		# shellcheck disable=SC2086 # a list
		patched clang clang -O2 $flag
	done
}

@test "sleds of the seed: -pg -mnop-mcount, behind the frame" {
	not_sanitized "it has no room near the program"
	patched mcount gcc -O2 -no-pie -fno-pie -fno-omit-frame-pointer -pg -mnop-mcount
}

@test "sleds of what is stripped, or optimised at link time, or had its garbage collected" {
	not_sanitized "it has no room near the program"
	patched stripped gcc -O2 -fpatchable-function-entry=5 -rdynamic
	strip "$bin/stripped"
	observe env WHOCALLME_TRACE=log "$bin/stripped"
	expect_status 0
	[ "$(calls <"$err" | unfolded | wc -l)" -eq "$(unfolded <"$bin/calls" | wc -l)" ]
	patched lto gcc -O2 -flto -fpatchable-function-entry=5
	patched collected gcc -O2 -ffunction-sections -Wl,--gc-sections \
		-fpatchable-function-entry=5
}

@test "sleds of a wholly static program" {
	needs_static
	# shellcheck disable=SC2086 # a list
	gcc -static -O2 -fpatchable-function-entry=5 -o "$bin/static" \
		"$programs/sled_calls.c" -Wl,-u,wcm_trace_start $static_libs 2>"$bin/link.log"
	same_calls "$bin/static"
}

@test "a function with a sled and hooks is traced once" {
	not_sanitized "it has no room near the program"
	patched both gcc -O0 -finstrument-functions -fpatchable-function-entry=5
}

@test "sleds and exceptions: what was left is closed" {
	not_sanitized "it has no room near the program"
	# shellcheck disable=SC2086 # lists
	$CXX -g -O2 -fpatchable-function-entry=5 -o "$bin/throws" "$programs/sled_throws.cc" \
		-Wl,--no-as-needed $shared_libs
	observe env WHOCALLME_TRACE=log "$bin/throws"
	expect_status 0
	diff -u <(for _ in 1 2 3; do
		printf '%s\n' '  &catches(int)' '    &passes(int)' '      &throws(int)' \
			'        &leaf(int)' '      &leaf(int)' '    &leaf(int) x2'
	done | unfolded) <(calls <"$err" | grep -v '&main' | unfolded)
}

@test "functions get what they were given, of every kind" {
	not_sanitized "it has no room near the program"
	for compiler in gcc clang; do
		command -v $compiler >/dev/null || continue
		# shellcheck disable=SC2086 # lists
		$compiler -g -O2 -mno-red-zone -DAVX -fpatchable-function-entry=5 \
			-o "$bin/arguments" "$programs/sled_arguments.c" -Wl,--no-as-needed \
			$shared_libs -lm
		observe env WHOCALLME_TRACE=log WHOCALLME_OUTPUT=/dev/null "$bin/arguments" 3000
		expect_status 0
		[ "$(cat "$out")" = 0 ] || blame "arguments were changed"
	done
}

@test "while threads run through them sleds are switched on and off" {
	not_sanitized "it has no room near the program"
	for compiler in gcc clang; do
		command -v $compiler >/dev/null || continue
		# shellcheck disable=SC2086 # lists
		$compiler -g -O2 -fpatchable-function-entry=5 -I"$top_srcdir/include" \
			-o "$bin/switched" "$programs/sleds.c" $shared_libs -lpthread
		GRAPH=$bin/graph.dot observe "$bin/switched" switch 50 4
		expect_status 0
		[ "$(cat "$out")" = "failed 0, empty 0, lost 0, differs 0" ] || blame "see above"
	done
}

@test "the code is the file's before a trace and after it; a thread that blocks all signals stops" {
	not_sanitized "it has no room near the program"
	build bytes sleds.c -O2 -fpatchable-function-entry=5
	observe "$bin/bytes" bytes
	[ "$(cat "$out")" = "before 0, during 1, after 0" ]
	err_has 'func = f107, called by = main$'
	observe "$bin/bytes" blocked
	[ "$(cat "$out")" = "started 1" ]
	err_has 'func = f100, called by = main$'
	observe "$bin/bytes" interrupted
	diff -u <(printf '%s\n' 'returned 101' 'differs 0') "$out"
}

@test "--ftrace among a program's arguments starts the log, ----ftrace is handed on" {
	not_sanitized "it has no room near the program"
	build ftrace "$top_srcdir/examples/ftrace.c" -O1 -fpatchable-function-entry=5
	observe "$bin/ftrace" a ----ftrace b
	expect_status 0
	[ "$(cat "$out")" = "3 arguments left" ] && [ ! -s "$err" ]
	observe "$bin/ftrace" a --ftrace --ftrace=no -ftrace ---ftrace
	[ "$(cat "$out")" = "4 arguments left" ]
	diff -u <(printf '%s\n' '&squares_to' '  &square' '  &square x3') <(calls <"$err")
}

@test "--ftrace of a program with more privileges than whoever starts it: nothing is traced" {
	not_sanitized "it has no room near the program"
	[ "$(id -u)" = 0 ] || skip "only root can be another user"
	needs setpriv
	local place=$BATS_RUN_TMPDIR.privileged
	mkdir -m 755 "$place"
	build privileged "$top_srcdir/examples/ftrace.c" -O1 -fpatchable-function-entry=5
	cp "$bin/privileged" "$place/ftrace"
	as_nobody() { setpriv --reuid=65534 --regid=65534 --clear-groups "$@"; }
	observe as_nobody "$place/ftrace" --ftrace
	if [ "$status" -eq 127 ] || ! grep -q '&square' "$err"; then
		rm -r "$place"
		skip "another user cannot run this build"
	fi
	chmod 4755 "$place/ftrace"
	observe as_nobody "$place/ftrace" --ftrace
	rm -r "$place"
	expect_status 0
	[ "$(cat "$out")" = "0 arguments left" ] && [ ! -s "$err" ]
}

@test "a library is unloaded while its sleds are calls, and others come to its place" {
	not_sanitized "it has no room near the program"
	build plugged sled_plugged.c -O1
	build_library a.so traced_plugin.c -O0 -fpatchable-function-entry=5
	build_library b.so traced_plugin.c -O0 -fpatchable-function-entry=12
	observe "$bin/plugged" "$bin/a.so" "$bin/b.so"
	expect_status 0
	[ "$(cat "$out")" = done ]
	[ "$(calls <"$err" | grep -c '^&plugin_run$')" -eq 20 ]
	[ "$(calls <"$err" | grep -c '^  &plugin_step$')" -eq 20 ]
}
