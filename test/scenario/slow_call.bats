#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# slow_call.bats - a log shows which call a program waits for.

load support
load sled_calls

setup_file()
{
	bin=$BATS_FILE_TMPDIR
	build slow slow_sync.c -O1 -fpatchable-function-entry=5
}

setup()
{
	not_sanitized "it has no room near the program"
	needs_arch "x86_64 i386 aarch64" "there are no sleds"
}

# Of the log in $err: each function, and the nanoseconds to the next.
gaps()
{
	sed -nE "s/^FUN +[0-9]+ +([0-9']+) +[0-9]+ +&([a-z_]+)$/\1 \2/p" "$err" | tr -d "'" |
		awk 'NR > 1 { print name, $1 - before } { before = $1; name = $2 }'
}

# slow_for GAP LEAST: GAP is LEAST nanoseconds, and no more than the log and a busy machine add.
slow_for()
{
	[ "$1" -ge "$2" ] && [ "$1" -le $(($2 + 100000000)) ] || blame "$1 for $2"
}

@test "the call that a program waits for stands out in its log, and takes what its clock says" {
	observe "$bin/slow" "$BATS_TEST_TMPDIR/file" --ftrace
	expect_status 0
	diff -u <(printf '&%s\n' create_file write_file fsync close_file) \
		<(calls <"$err" | sed 's/^ *//')
	slow_for "$(gaps | sed -n 's/^fsync //p')" "$(cat "$out")"
	[ "$(gaps | awk '$2 > 100000000 { print $1 }')" = fsync ] || blame "$(gaps)"
}

@test "the same by the clock of strace" {
	needs strace
	local waits
	observe strace -T -e trace=fsync,clock_nanosleep -o "$BATS_TEST_TMPDIR/waits" \
		"$bin/slow" "$BATS_TEST_TMPDIR/file" --ftrace
	[ "$status" -eq 0 ] || skip "strace may not trace"
	waits=$(sed -nE 's/.*<([0-9]+)\.([0-9]{6})>$/\1\2000/p' "$BATS_TEST_TMPDIR/waits" |
		awk '{ sum += $1 } END { print sum }')
	slow_for "$(gaps | sed -n 's/^fsync //p')" "$waits"
}
