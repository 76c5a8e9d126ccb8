#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# descriptor.bats - a report goes to the file that its descriptor was, and to no other that
# has got the number.

load support

judge="python3 $top_srcdir/test/scenario/report.py"
schema=$top_srcdir/doc/crash-report.schema.json

setup_file()
{
	bin=$BATS_FILE_TMPDIR
	build outputs outputs.c -O0 -fno-omit-frame-pointer
}

setup()
{
	ulimit -S -c 0
	cd "$BATS_TEST_TMPDIR"
}

# No terminal but that of terminal.py.
outputs()
{
	observe setsid -w timeout -s KILL 30 "$bin/outputs" "$@"
}

on_terminal()
{
	needs python3
	NO_COLOR=1 observe timeout -s KILL 30 python3 "$top_srcdir/test/scenario/terminal.py" "$@"
}

# in_log COMMAND...: with the file log as stderr, and as descriptor 9; the shell says
# nothing of how it ends.
in_log()
{
	# shellcheck disable=SC2016 # for sh
	observe setsid -w sh -c 'exec 2>>log 9>>log; exec "$@"' sh "$@"
	expect_status 139
}

report='^<whocallme>: outputs: SIGSEGV, '
refused='^<whocallme>: descriptor 2 gets no report: it is not the file that it was$'

@test "another file that got the number is not written to" {
	outputs install close=2 open=data crash
	expect_status 139
	[ -e data ] && [ ! -s data ] || blame "data: $(cat data)"
	[ ! -s "$err" ] || blame "it is not nowhere"
	# Closed from the start.
	rm data
	outputs close=2 install open=data crash
	expect_status 139
	[ -e data ] && [ ! -s data ] || blame "data: $(cat data)"
	# A descriptor that was asked for.
	rm data
	outputs fd=9 install close=9 open=3 open=data crash 9>log
	[ ! -s data ] || blame "data: $(cat data)"
}

@test "a pipe, a socket, a device, another log: none of them" {
	needs python3
	cat >others.py <<-'END'
		import os, socket, subprocess, sys
		ours, theirs = socket.socketpair()
		read, write = os.pipe()
		for fd in theirs.fileno(), write, os.open("log", os.O_RDWR | os.O_CREAT):
		    done = subprocess.run(sys.argv[1:] + ["install", f"dup={fd}", "crash"],
		                          stderr=subprocess.PIPE, pass_fds=[fd],
		                          start_new_session=True)
		    assert done.returncode == -11, done
		    assert done.stderr == b"", done
		theirs.close(), os.close(write)
		assert ours.recv(100) == b"" and os.read(read, 100) == b""
		assert os.path.getsize("log") == 0
	END
	observe python3 others.py "$bin/outputs"
	expect_status 0
}

@test "the file gets the report, and says so; so does JSON" {
	outputs file="$PWD/report" install close=2 open=data crash
	expect_status 139
	[ ! -s data ] || blame "data: $(cat data)"
	grep -E "$report" report
	grep -E "$refused" report
	outputs json file="$PWD/json" install close=2 open=data crash
	expect_status 139
	[ ! -s data ] || blame "data: $(cat data)"
	# That there is no file is not for it either.
	outputs file="$PWD/json" install close=2 open=data crash
	[ ! -s data ] || blame "data: $(cat data)"
	needs python3
	[ "$($judge get json descriptor_changed)" = 2 ]
	needs_schema
	$judge schema json "$schema"
}

@test "else the terminal gets it, if the process belongs to one" {
	# shellcheck disable=SC2016 # for sh
	on_terminal sh -c 'exec "$@" 2>log' sh "$bin/outputs" install close=2 open=data crash
	out_has "$report"
	out_has "$refused"
	out_has '^#0 0x[0-9a-f]+ in write_through\+'
	[ ! -s data ] && [ ! -s log ] || blame "data or log was written to"
	# Not both of them.
	# shellcheck disable=SC2016 # for sh
	on_terminal sh -c 'exec "$@" 2>log' sh "$bin/outputs" file="$PWD/report" install close=2 \
		open=data crash
	grep -E "$report" report
	out_lacks "$report"
}

@test "a descriptor that is what it was gets it: terminal, pipe, device, log" {
	on_terminal "$bin/outputs" install crash
	out_has "$report"
	out_lacks "$refused"
	"$bin/outputs" install crash 2>&1 | cat >piped || :
	grep -E "$report" piped
	# The same by another way.
	rm -f log
	in_log "$bin/outputs" install close=2 open=log crash
	grep -E "$report" log
	refute grep -E "$refused" log
	in_log "$bin/outputs" install dup=9 crash
	[ "$(grep -c -E "$report" log)" -eq 2 ] || blame "log: $(cat log)"
}

@test "closed, and its number is that of a file that is appended to: one report" {
	local any
	for any in '' any; do
		rm -f log
		# shellcheck disable=SC2086 # no word, or one
		outputs append file="$PWD/log" $any close=2 install crash
		expect_status 139
		[ "$(grep -c -E "$report" log)" -eq 1 ] || blame "log: $(cat log)"
	done
}

@test "a new file with the old one's inode is another" {
	: >log
	local inode
	inode=$(stat -c %i log)
	in_log "$bin/outputs" install unlink=log close=2 close=9 open=data crash
	[ "$(stat -c %i data)" = "$inode" ] || skip "this file system has not used it again"
	[ "$(stat -c %W data)" != 0 ] || skip "this file system knows no birth of a file"
	[ ! -s data ] || blame "data: $(cat data)"
}

@test "on purpose: another install, a flag, an option of the command" {
	outputs install close=2 open=data install crash
	grep -E "$report" data
	rm data
	outputs any install close=2 open=data crash
	grep -E "$report" data
	not_sanitized "its runtime must be loaded first"
	unset LD_PRELOAD
	# shellcheck disable=SC2016 # for sh
	observe setsid -w "$whocallme" run sh -c 'exec 2>log; kill -SEGV $$'
	expect_status 139
	[ ! -s log ] && [ ! -s "$err" ] || blame "log: $(cat log)"
	# shellcheck disable=SC2016 # for sh
	observe setsid -w "$whocallme" run --any-stderr sh -c 'exec 2>log; kill -SEGV $$'
	expect_status 139
	grep 'SIGSEGV, segmentation fault' log
	[ ! -s "$err" ] || blame "stderr was written to"
}

@test "the stacks on SIGQUIT, and of the watchdog: the same" {
	outputs on_quit install close=2 open=data quit
	expect_status 0
	[ ! -s data ] || blame "data: $(cat data)"
	outputs watchdog close=2 open=data sleep
	expect_status 0
	[ ! -s data ] || blame "data: $(cat data)"
	# shellcheck disable=SC2016 # for sh
	on_terminal sh -c 'exec "$@" 2>log' sh "$bin/outputs" on_quit watchdog install close=2 \
		open=data quit sleep
	expect_status 0
	[ "$(grep -c '^<whocallme>: thread ' "$out")" -ge 3 ] || blame "no stacks"
	out_has '^<whocallme>: the watchdog was not fed for '
	[ ! -s data ] || blame "data: $(cat data)"
}

@test "no question of it is allowed: the report comes out" {
	outputs install deny crash
	[ "$status" -ne 77 ] || skip "seccomp is not to be had here"
	expect_status 139
	err_has "$report"
	# Where the older one is, it is asked; of 32 bits there is none that we know.
	[ "$arch" != i386 ] || return 0
	outputs install deny_statx close=2 open=data crash
	expect_status 139
	[ -e data ] && [ ! -s data ] || blame "data: $(cat data)"
	[ ! -s "$err" ] || blame "it is not nowhere"
	rm data
	outputs install deny_statx crash
	err_has "$report"
}
