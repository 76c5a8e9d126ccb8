#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# report_trust.bats - what another user has put in the way of a report: files, links, locks, a
# terminal, a /proc.  As two users.

load support

setup_file()
{
	bin=$BATS_FILE_TMPDIR
	build outputs outputs.c -O0 -fno-omit-frame-pointer
}

setup()
{
	ulimit -S -c 0
	[ "$(id -u)" -eq 0 ] || skip "only root can be two users"
	needs setpriv
	mkdir "$BATS_TEST_TMPDIR/here"
	cd "$BATS_TEST_TMPDIR/here"
	chmod a+rx "$BATS_RUN_TMPDIR" "$BATS_RUN_TMPDIR"/test "$BATS_TEST_TMPDIR" "$bin" .
}

as()
{
	setpriv --reuid="$1" --regid="$1" --clear-groups "${@:2}"
}

# A folder of another user, and one of this user's that nobody else may enter.
two_folders()
{
	mkdir other own
	chown 1001 other
	chmod 700 own
}

outputs()
{
	observe timeout -s KILL 30 "$bin/outputs" "$@"
	expect_status 139
}

# refused FILE: the report is not for it, and says why.
refused()
{
	err_has "^<whocallme>: $1: another user may have put it there, or may write to it\$"
	err_has '^#0 0x[0-9a-f]+ in write_through\+'
}

@test "links of another user on the way to the file: not followed" {
	two_folders
	as 1001 ln -s ../own other/reports
	echo mine >own/log
	outputs file="$PWD/other/reports/new" install crash
	refused "$PWD/other/reports/new"
	outputs append file="$PWD/other/reports/log" install crash
	refused "$PWD/other/reports/log"
	cd other
	outputs file=reports/new install crash
	refused reports/new
	cd ..
	[ "$(ls own)" = log ] && [ "$(cat own/log)" = mine ] || blame "own: $(ls own)"
	# In a folder for all, too, whether or not the kernel looks after it.
	mkdir -m 1777 all
	as 1001 ln -s ../own all/reports
	outputs file="$PWD/all/reports/new" install crash
	refused "$PWD/all/reports/new"
	[ "$(ls own)" = log ] || blame "own: $(ls own)"
}

@test "links of this user's own on the way, and no absolute name: followed" {
	two_folders
	ln -s own link
	outputs file="$PWD/link/one" install crash
	outputs file=link/../own/./two install crash
	outputs append file=link/two install crash
	cd own
	outputs file=three install crash
	[ "$(grep -c '^#0 .* in write_through' one two three | tr '\n' ' ')" = \
		'one:1 two:2 three:1 ' ] || blame "$(ls -l)"
}

@test "a lock of another user who may read the file: done without, in a second" {
	needs flock
	touch log
	as 1001 flock log sleep 60 3>&- &
	local holder=$! start=$SECONDS
	until ! flock -n log true; do sleep 0.05; done
	outputs append file_only file="$PWD/log" install crash
	kill "$holder"
	[ $((SECONDS - start)) -le 4 ] || blame "it took $((SECONDS - start)) seconds"
	grep '^#0 .* in write_through' log
	[ ! -s "$err" ] || blame "it has a word to say"
}

@test "where all users are nobody: not to a file that others may write to" {
	mkdir -m 777 all
	as 1001 sh -c 'umask 0 && : >all/log'
	observe as 1002 "$bin/outputs" append file="$PWD/all/log" nobody install crash
	[ "$status" -ne 103 ] || skip "no user namespace is to be had"
	expect_status 139
	err_has "^<whocallme>: $PWD/all/log: it is no regular file of this user's own\$"
	[ ! -s all/log ] || blame "all/log: $(cat all/log)"
}

@test "the terminal of another user, when stderr is a file now: nothing is shown there" {
	needs python3
	# shellcheck disable=SC2016 # for sh
	observe timeout -s KILL 30 python3 "$top_srcdir/test/scenario/terminal.py" sh -c '
		chown 1001 "$(tty)" && exec "$@"' sh "$bin/outputs" install open=log dup=3 crash
	expect_status 245
	out_lacks '<whocallme>'
	[ ! -s log ] || blame "log: $(cat log)"
}

@test "a root directory of another user's: its /proc is not read" {
	not_sanitized "the sanitizers need /proc"
	mkdir -p root/proc/self root/proc/thread-self
	chown -R 1001 root
	echo hunter2 >root/secret
	chmod 600 root/secret
	as 1001 ln -s ../../secret root/proc/self/cmdline
	echo hunter2 >root/proc/thread-self/cmdline
	outputs install "chroot=$PWD/root" crash
	err_has '^#0 0x[0-9a-f]+ in '
	err_lacks 'hunter2|arguments'
}
