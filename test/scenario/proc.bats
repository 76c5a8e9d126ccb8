#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# proc.bats - what is called /proc/self/maps and the like is something else.

load support

setup_file()
{
	bin=$BATS_FILE_TMPDIR
	build outputs outputs.c -O0 -fno-omit-frame-pointer
}

setup()
{
	ulimit -S -c 0
	not_sanitized "the sanitizers need /proc"
	unshare -m mount -t tmpfs none /proc 2>/dev/null || skip "may not mount over /proc"
}

# with MAKER: the crash of a program whose files in /proc are made by MAKER, given each
# one's name.  The report is whole, and in time.
with()
{
	local start=$SECONDS
	# shellcheck disable=SC2016 # for sh
	observe timeout -s KILL 30 unshare -m sh -c 'mount -t tmpfs none /proc &&
		mkdir -p /proc/self /proc/thread-self && maker=$1 && shift &&
		for name in maps cmdline stat status comm exe; do
			$maker /proc/self/$name && $maker /proc/thread-self/$name || exit 77
		done
		exec "$@"' sh "$1" "$bin/outputs" install crash
	[ "$status" -ne 77 ] || skip "$1 does not do here"
	expect_status 139
	err_has '^write to 0x0000000000000010: 16 bytes past NULL$'
	err_has '^#0 0x[0-9a-f]+ in write_through\+'
	err_has "^  $result_register "
	err_has '^modules:$'
	err_lacks 'out of time'
	[ $((SECONDS - start)) -le 4 ] || blame "it took $((SECONDS - start)) seconds"
}

@test "pipes that nobody writes to" {
	with mkfifo
}

@test "devices" {
	with 'cp -a /dev/zero'
}

@test "files of the same form that are not the kernel's" {
	printf 'told\0by-another\0' >"$BATS_TEST_TMPDIR/file"
	with "cp $BATS_TEST_TMPDIR/file"
	err_lacks 'by-another'
}

@test "files without an end" {
	with 'truncate -s 4E'
}

@test "a pipe as /proc/self/maps alone, in a /proc that is one" {
	mkfifo "$BATS_TEST_TMPDIR/fifo"
	# shellcheck disable=SC2016 # for sh
	observe timeout -s KILL 30 unshare -m sh -c 'mount --bind "$1" /proc/$$/maps || exit 77
		shift; exec "$@"' sh "$BATS_TEST_TMPDIR/fifo" "$bin/outputs" install crash
	[ "$status" -ne 77 ] || skip "this kernel mounts nothing there"
	expect_status 139
	err_has '^arguments: .*/outputs install crash$'
	err_has '^#0 0x[0-9a-f]+ in write_through\+'
	err_has '^modules:$'
}
