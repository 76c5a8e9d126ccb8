#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# trace_control.bats - traces start and stop at any time, from any thread, whatever the
# others are doing; and nobody can hold up a traced program.

load support

setup_file()
{
	bin=$BATS_FILE_TMPDIR
	build control traced_control.c -O2 -finstrument-functions
	build held traced_held.c -O2 -finstrument-functions
	build ends traced_ends.c -O0 -finstrument-functions -- -Wl,--no-as-needed
	cat >"$bin/busy.c" <<-'END'
		#include <pthread.h>
		static int leaf(int value) { return value + 1; }
		static void *work(void *unused) { for (int i = 0;; i = leaf(leaf(i))) leaf(i); return unused; }
		int main(void)
		{
			pthread_t thread;
			for (int i = 0; i < 4; i++)
				pthread_create(&thread, 0, work, 0);
			work(0);
		}
	END
	build busy "$bin/busy.c" -O0 -finstrument-functions -- -Wl,--no-as-needed
}

# control MODES: with one and with three starters, in short traces and shorter ones.
control()
{
	local starters workers pause

	made=$BATS_TEST_TMPDIR/made
	for starters in 1 3; do
		for workers in 1 8; do
			for pause in 0 400; do
				rm -rf "$made"
				mkdir "$made"
				observe timeout 60 "$bin/control" "$1" "$starters" \
					"$workers" "$pause" "$made"
				expect_status 0
				[ ! -s "$out" ] && [ ! -s "$err" ]
				whole
			done
		done
	done
}

# What is in the directory is made of whole lines and records.  Where a trace ends while another
# one appends, the last line has what is left of its room as spaces.
whole()
{
	local hook='__cyg_profile_func_enter: func = (middle|leaf), called by = (middle|work)'
	local module='# 0x[0-9a-f]+-0x[0-9a-f]+ bias 0x[0-9a-f]+ build-id [0-9a-f]+ /.*'

	[ ! -e "$made/0" ] || refute grep -a -v -x -E "($hook|) *" "$made/0"
	[ ! -e "$made/1" ] || refute grep -a -v -E \
		"^(# .*|FUN +[0-9]+ +[0-9']+ +[0-9]+ +&(middle|leaf)( x[0-9]+)?(, [0-9']+ ns)?|) *\$" \
		"$made/1"
	[ ! -e "$made/2" ] || refute grep -a -v -x -E \
		"([EX]0x[0-9a-f]+|$module|# process [0-9]+ begins|) *" "$made/2"
	[ ! -e "$made/3" ] || recorded "$made/3"
	[ ! -e "$made/4" ] || dot -Tplain "$made/4" >/dev/null
}

recorded()
{
	local file

	for file in "$1"/[0-9]*.dat; do
		[ ! -e "$file" ] || [ $(($(wc -c <"$file") % 16)) -eq 0 ]
	done
	grep -q "^TASK" "$1/task.txt" || return 0 # it was over before the first call
	"$whocallme" report "$1" >"$BATS_TEST_TMPDIR/report"
	refute grep -v -E '^ *#|^ *[0-9.]+.* (middle|leaf)$|^[ =]*$|Total' \
		"$BATS_TEST_TMPDIR/report"
}

@test "a log starts and stops while threads call" {
	control 1
}

@test "pairs and addresses start and stop while threads call" {
	control 0
	control 2
}

@test "a recording starts and stops while threads call" {
	control 3
}

@test "a graph starts and stops while threads call" {
	control 4
}

@test "modes follow each other while threads call" {
	control 43
	control 41
	control 01234
}

@test "a thread stands in a hook while traces end and start: they are whole, and it goes on" {
	made=$BATS_TEST_TMPDIR/made
	mkdir "$made"
	observe timeout 60 "$bin/held" 01234 "$made"
	expect_status 0
	[ "$(cat "$out")" = "$(printf '%s ended\n' 0 1 2 3 4)" ] || blame "$(cat "$out" "$err")"
	[ ! -s "$err" ]
	whole
	grep -q middle "$made/0" && grep -q middle "$made/1" && [ -s "$made/2" ]
	"$whocallme" report "$made/3" | grep -q middle && grep -q middle "$made/4"
}

@test "a log of many processes has no blank lines" {
	observe env WHOCALLME_TRACE=log "WHOCALLME_OUTPUT=$BATS_TEST_TMPDIR/log" \
		bash -c 'for i in {1..8}; do "$1" return & done; wait' bash "$bin/ends"
	expect_status 0
	[ "$(grep -c '^FUN' "$BATS_TEST_TMPDIR/log")" -eq $((8 * 902)) ]
	refute grep '^ *$' "$BATS_TEST_TMPDIR/log"
}

@test "a program killed while its threads log leaves lines that are whole, but one each" {
	for lines in 1000 1300 1700 2100; do
		rm -f "$BATS_TEST_TMPDIR/log"
		WHOCALLME_OUTPUT=$BATS_TEST_TMPDIR/log WHOCALLME_TRACE=log \
			timeout -s KILL 60 "$bin/busy" >/dev/null 2>&1 3>&- &
		until [ "$(grep -cs '^FUN' "$BATS_TEST_TMPDIR/log")" -gt $lines ]; do
			kill -0 $!
			sleep 0.01
		done
		pkill -KILL -P $!
		wait $! || :
		# No line holds what another thread has written.
		refute grep -E 'FUN.*FUN|^ +FUN|^.{200}[^ ]' "$BATS_TEST_TMPDIR/log"
	done
}

@test "a program is not held up by who locks its log" {
	needs flock
	for mode in log pairs addresses; do
		WHOCALLME_OUTPUT=$BATS_TEST_TMPDIR/$mode observe timeout 20 \
			flock "$BATS_TEST_TMPDIR/$mode" \
			env WHOCALLME_TRACE=$mode "$bin/ends" return
		expect_status 0
		[ ! -s "$err" ]
	done
	[ "$(grep -c '^E' "$BATS_TEST_TMPDIR/addresses")" -eq 902 ]
}
