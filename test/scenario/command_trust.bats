#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# command_trust.bats - what the command opens, and writes to, where other users have put
# links, pipes and names in its way.

load support

setup_file()
{
	bin=$BATS_FILE_TMPDIR
	$CC -g -O0 -finstrument-functions -o "$bin/relatives" "$programs/relatives.c"
	[ -n "${SANITIZERS-}" ] && [ "$SANITIZERS" != no ] ||
		"$whocallme" trace --record="$bin/recording" "$bin/relatives"
}

setup()
{
	cd "$BATS_TEST_TMPDIR"
	mkdir open
	chmod 1777 open
}

# at_once COMMAND...: it waits for nothing.
at_once()
{
	observe timeout -s KILL 20 "$@"
	[ "$status" -ne 137 ] || blame "it waits: $*"
}

# A report of crashes in the modules at PATH...
report_of()
{
	local path
	for path; do
		printf '{"version":1,"name":"made","process":1,"signal":{"name":"SIGSEGV"},'
		printf '"cause":{"text":"made"},"stack":{"frames":[{"number":0,"pc":"0x10",'
		printf '"module":"%s","module_offset":"0x10"}]}}\n' "$path"
	done
}

# unopened PIPE COMMAND...: it does not open the pipe, as who waits to write there would
# see.
unopened()
{
	local pipe=$1 writer
	shift
	(echo >"$pipe") 2>/dev/null 3>&- &
	writer=$!
	at_once "$@"
	sleep 0.1
	kill "$writer" 2>/dev/null || blame "opened: $*"
	wait "$writer" 2>/dev/null || true
}

@test "what a report, or a recording, calls a module is opened only if it is a file" {
	mkfifo pipe
	report_of "$PWD/pipe" >report.json
	unopened pipe "$whocallme" group report.json
	unopened pipe "$whocallme" resolve report.json
	unopened pipe "$whocallme" resolve "$PWD/pipe+0x10"
	unopened pipe "$whocallme" functions pipe
	unopened pipe "$whocallme" trace ./pipe
	# A device, by who else knows what is opened.
	needs strace
	not_sanitized "ptrace is the leak checker's"
	report_of /dev/ptmx >device.json
	at_once strace -f -e trace=open,openat -o calls "$whocallme" group device.json
	grep -q ptmx calls
	refute grep ptmx <(grep -v O_PATH calls)
}

@test "--output follows no link of another user's, and waits for no pipe of theirs" {
	trace_setup
	needs_others
	needs dot
	local command
	echo precious >precious
	as_other ln -s "$PWD/precious" open/link
	as_other mkfifo open/pipe
	as_other touch open/file
	for command in flame chrome replay report graph 'graph --svg'; do
		# shellcheck disable=SC2086 # an option
		at_once "$whocallme" $command --output=open/link "$bin/recording"
		expect_status 1
		expect_err "whocallme ${command%% *}: $PWD/open/link: it is another user's link"
		[ "$(cat precious)" = precious ] || blame "written to: $command"
		for there in pipe file; do
			# shellcheck disable=SC2086
			at_once "$whocallme" $command -o open/$there "$bin/recording"
			expect_status 1
			expect_err "whocallme ${command%% *}: open/$there: it is another user's"
		done
	done
	[ ! -s open/file ]
	at_once "$whocallme" graph --svg=open/link "$bin/recording"
	expect_status 1
	[ "$(cat precious)" = precious ]
	# One's own link, a relative name, what was there, and a pipe that is read.
	echo 'what was there, and is longer than what comes' >mine
	ln -s ../mine open/mine
	at_once "$whocallme" flame --unit=calls --output=open/mine "$bin/recording"
	expect_status 0
	"$whocallme" flame --unit=calls "$bin/recording" | diff - mine
	mkfifo own
	cat own >read &
	at_once "$whocallme" flame --unit=calls --output=own "$bin/recording"
	expect_status 0
	wait
	diff read mine
}

@test "an input in a folder for all: no pipe of another user's, and no device by their link" {
	needs_others
	local command name
	as_other mkfifo open/pipe
	as_other ln -s /dev/zero open/zero
	as_other ln -s pipe open/linked
	for command in group resolve graph; do
		at_once "$whocallme" $command open/pipe
		expect_status 1
		err_has "^whocallme $command: open/pipe: it is another user's pipe$"
		for name in zero linked; do
			at_once "$whocallme" $command open/$name
			expect_status 1
			err_has "^whocallme $command: open/$name: another user's link leads there$"
		done
	done
	# Others' regular files are what the folder is for.
	report_of /nowhere | as_other tee open/report >/dev/null
	at_once "$whocallme" group open/pipe open/report open/zero
	expect_status 1
	out_has '^ +1 .* made '
	# One's own pipes, by whatever name.
	for name in /dev/stdin -; do
		at_once "$whocallme" group $name < <(report_of /nowhere)
		expect_status 0
		out_has '^ +1 .* made '
	done
	at_once "$whocallme" group <(report_of /nowhere) <(report_of /nowhere)
	expect_status 0
	out_has '^ +2 .* made '
}

@test "what dot draws is not lost on a full disk" {
	trace_setup
	needs dot
	[ -c /dev/full ] || skip "there is no /dev/full"
	observe "$whocallme" graph --svg --output=/dev/full "$bin/recording"
	expect_status 1
	expect_err 'whocallme graph: /dev/full: No space left on device'
	"$whocallme" graph --svg "$bin/recording" >/dev/full 2>said && false
	grep -q '^whocallme graph: standard output: No space left on device$' said
}
