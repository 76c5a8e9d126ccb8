#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# own_libc.bats - programs with functions of their own in libc's place, instrumented: the library
# calls none of them from a hook or a handler, and counts what the program itself calls.

load support

setup_file()
{
	bin=$BATS_FILE_TMPDIR
	$CC -O1 -fno-builtin -finstrument-functions -w -o "$bin/hooks" "$programs/own_libc.c" \
		-lpthread -ldl
	! knows_sleds || $CC -O1 -fno-builtin -fpatchable-function-entry=5 -w -o "$bin/sleds" \
		"$programs/own_libc.c" -lpthread -ldl
}

setup()
{
	not_sanitized "the sanitizers have functions of their own in libc's place"
	cd "$BATS_TEST_TMPDIR"
	ulimit -S -c 0
	kinds="hooks sleds"
	knows_sleds || kinds=hooks
}

# under OPTION...: each program ends as it does alone, traced so.
under()
{
	for kind in $kinds; do
		rm -rf file
		observe timeout 30 "$whocallme" trace "$@" -- "$bin/$kind"
		expect_status 0
		expect_out 3200
		check
	done
}

# times NAME: how many calls of it the log has; those that are alike are in one line.
times()
{
	sed -nE "s/^FUN .*&$1\$/1/p; s/^FUN .*&$1 x([0-9]+)(,.*)?\$/\1/p" file |
		awk '{ sum += $1 } END { print sum + 0 }'
}

# The log has each call of work() and thread().
logged()
{
	[ "$(times work)" -eq 400 ] || blame "$kind: work() is there $(times work) times"
	[ "$(times thread)" -eq 4 ] || blame "$kind: thread() is there $(times thread) times"
}

@test "a log of them has each call" {
	check() { logged; }
	under --log=file
	under --log=file -e
}

@test "a log of slow calls, and one with system calls" {
	check() { ! grep -q 'events were lost' "$err" || blame "$kind: events are lost"; }
	under --log=file -t 1us
	[ "$arch" = x86_64 ] || return 0
	check() { logged; }
	under --log=file --system-calls
}

@test "pairs, a recording and a graph of them have each call" {
	check()
	{
		[ "$(grep -c '^__cyg_profile_func_enter: func = work,' file)" -eq 400 ] ||
			blame "$kind: work() is not there 400 times"
	}
	under --pairs=file
	check()
	{
		[ "$("$whocallme" replay file | grep -c ' work()')" -eq 400 ] ||
			blame "$kind: work() is not there 400 times"
	}
	under --record=file
	check() { grep -Eq 'label="work.*calls=400' file || blame "$kind: $(grep work file)"; }
	under --graph=file
}

@test "they crash with a report, and last calls" {
	for kind in $kinds; do
		observe timeout 30 "$whocallme" run --flight -- "$bin/$kind" crash
		expect_status 139
		expect_out 3200
		err_has '^<whocallme>: .*SIGSEGV'
		err_has '^#[0-9]+ .* in main'
		err_has '^last calls of this thread'
	done
}

# Libc's own functions are not in the program then, but for what others of it call.
@test "so with the library linked in, wholly" {
	build_static static own_libc.c -O1 -fno-builtin -finstrument-functions -w -DBYTES
	observe timeout 30 env WHOCALLME_TRACE=log "$bin/static"
	expect_status 0
	expect_out 3200
	mv "$err" file
	kind=static logged
}
