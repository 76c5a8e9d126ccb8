#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# words.bats - a report says why, and names what was called, as people would; in text
# and in JSON, in a program that links the library and in one that it is preloaded into.

load support

schema=$top_srcdir/doc/crash-report.schema.json
judge="python3 $top_srcdir/test/scenario/report.py"

setup_file()
{
	bin=$BATS_FILE_TMPDIR
	build linked words.c -O0 -fno-omit-frame-pointer -DAWARE
	compile "$bin/words.o" "$programs/words.c" -O0 -fno-omit-frame-pointer
	$CC -o "$bin/preloaded" "$bin/words.o" -lpthread
}

setup()
{
	ulimit -S -c 0
	unset LD_PRELOAD
	ways='linked preloaded'
	[ -z "$sanitize" ] || ways=linked
}

# die WAY ARGUMENT...: the report as text in $err, as JSON in $json.
die()
{
	local way=$1 preload=
	shift
	[ "$way" != preloaded ] || preload=$lib/libwhocallme-preload.so
	json=$BATS_TEST_TMPDIR/json
	JSON=1 WHOCALLME_FORMAT=json observe timeout 60 \
		env LD_PRELOAD="$preload" "$bin/$way" "$@"
	grep '^{' "$err" >"$json" || blame "no JSON"
	$judge schema "$json" "$schema" || [ $? -eq 77 ] || blame "not by the schema"
	observe timeout 60 env LD_PRELOAD="$preload" "$bin/$way" "$@"
}

# is MEMBER VALUE: of the JSON.
is()
{
	local value
	value=$($judge get "$json" "$1")
	[ "$value" = "$2" ] || blame "$1 is $value, not $2"
}

@test "a program that overwrote its arguments: those that are left" {
	local way
	for way in $ways; do
		die $way titled one two three four five
		err_has '^arguments: "my title"$'
		is program.arguments '["my title"]'
		is program.more_arguments false
		die $way null_write '' a ''
		err_has '^arguments: .* null_write "" a ""$'
	done
}

@test "a stack overflow: the stack is used up, and nothing of other mappings" {
	local way
	ulimit -S -s 2000
	for way in $ways; do
		die $way overflows
		err_has ': stack overflow of thread '
		sed -n 3p "$err" | grep -E '^write to 0x[0-9a-f]{16}: the stack of 2000 KiB is used up$' ||
			blame "the third line"
		is cause.stack_size 2048000
	done
}

@test "a thread that has blocked signals: it says so" {
	local way
	for way in $ways; do
		die $way with_deaf
		err_has '^thread [0-9]+ "deaf" did not answer: has blocked signals$'
		is threads.0.answered false
		is threads.0.blocked true
	done
}

@test "SIGQUIT: the first frame is what it interrupted" {
	local way preload pid
	for way in $ways; do
		preload=
		[ "$way" = linked ] || preload=$lib/libwhocallme-preload.so
		: >started
		WHOCALLME_QUIT=yes LD_PRELOAD=$preload "$bin/$way" waits >started 2>err 3>&- &
		pid=$!
		until grep -q waiting started; do sleep 0.05; done
		kill -QUIT "$pid"
		until grep -q '^#.* in __libc_start' err; do sleep 0.05; done
		kill -KILL "$pid"
		wait "$pid" || true
		sed -n 2p err | grep -E '^#0 0x[0-9a-f]+ in (__)?(libc_)?pause' || blame "$(cat err)"
		refute grep -E 'signal handler|libwhocallme' err
	done
}

@test "a handler of the program's raises the signal again: no frames of ours between" {
	not_sanitized "its runtime must be loaded first"
	needs gdb
	die preloaded handled
	err_has '^#[0-9]+ <signal handler called>$'
	err_lacks ' in .*libwhocallme'
	# The handler's caller is the signal, as gdb sees it without the library.
	[ "$(sed -n '/^#0/,/signal handler/p' "$err" | wc -l)" -eq 3 ]
	gdb_names 'handle SIGSEGV nostop noprint pass' 'break kill' run -- \
		"$bin/preloaded" handled >"$bin/theirs"
	[ "$(sed '/signal handler/q' "$bin/theirs" | wc -l)" -eq 3 ]
}
