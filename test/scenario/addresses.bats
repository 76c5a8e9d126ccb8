#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# addresses.bats - a file of addresses, ours and pvtrace's: what it says of modules is
# enough for addr2line, and for the commands that read recordings.

load support

setup_file()
{
	bin=$BATS_FILE_TMPDIR
	$CC -g -O0 -fpie -pie -finstrument-functions -o "$bin/pie" "$programs/tree.c"
	$CC -g -O0 -fno-pie -no-pie -finstrument-functions -o "$bin/no-pie" \
		"$programs/tree.c"
	$CC -g -O0 -fno-pie -no-pie -finstrument-functions -o "$bin/turns" \
		"$programs/turns.c" -ldl
	build_library one.so traced_plugin.c -O0 -finstrument-functions
	$CC -g -o "$bin/host" "$programs/filtered.c" \
		"$programs/filtered_elsewhere.c" -lpthread -ldl
}

setup()
{
	trace_setup
}

# What addr2line calls the functions of FILE's entries, by its lines of modules alone.
by_addr2line()
{
	local first bias id path at=0 of=/nonexistent
	while read -r first _ _ bias _ id path; do
		case $first in
		'#')
			at=$((bias)) of=$path
			readelf -n "$of" | grep -q "Build ID: $id" || echo "no build-id"
			;;
		E*)
			addr2line -f -e "$of" "$(printf '0x%x' $((${first#?} - at)))" |
				head -n 1
			;;
		esac
	done <"$1"
}

called='main outer inner outer inner outer inner '

@test "the names of a PIE and of a program that is none, by addr2line" {
	needs addr2line readelf
	local pie
	for pie in pie no-pie; do
		observe "$whocallme" trace --addresses=file "$bin/$pie"
		expect_status 0
		[ "$(head -n 1 file | cut -c 1-4)" = '# 0x' ] || blame "$(head file)"
		[ "$(by_addr2line file | tr '\n' ' ')" = "$called" ] ||
			blame "$(by_addr2line file)"
	done
}

@test "system calls and probes that are asked for are in neither form that has lines alone" {
	local mode plain
	export WHOCALLME_OUTPUT=file LD_PRELOAD=$lib/libwhocallme.so.0
	for mode in addresses pairs; do
		rm -f file
		env WHOCALLME_TRACE=$mode "$bin/no-pie"
		plain=$(cut -c 1-5 file)
		rm file
		observe env WHOCALLME_TRACE=$mode WHOCALLME_TRACE_SYSTEM_CALLS='*' \
			WHOCALLME_TRACE_PROBES='*' "$bin/no-pie"
		expect_status 0
		[ "$(cut -c 1-5 file)" = "$plain" ] || blame "$mode: $(cat file)"
		[ ! -s "$err" ] || blame "$mode: something is said"
	done
}

@test "replay, report and graph have the calls, and no time" {
	local pie
	for pie in pie no-pie; do
		observe "$whocallme" trace --addresses=file "$bin/$pie"
		observe "$whocallme" replay file
		expect_status 0
		[ "$(sed -n 's/.*| *\([a-z]*\)()\( {\|;\)$/\1/p' "$out" |
			tr '\n' ' ')" = "$called" ] || blame "other calls"
		err_lacks .
		out_lacks '[0-9] [um]s '
		observe "$whocallme" graph file
		expect_status 0
		out_has '"outer" -> "inner" .*calls=3,total=0'
		out_has '"outer" -> "outer" .*calls=1,total=0'
		out_has '"main" -> "outer" .*calls=2,total=0'
		observe "$whocallme" report --json file
		python3 -c '
import json, sys
calls = {row["name"]: row["calls"] for row in json.load(open(sys.argv[1]))}
assert calls == {"main": 1, "outer": 3, "inner": 3}, calls' "$out"
		"$whocallme" flame --unit=calls file | grep -q '^main;outer;outer;inner 1$'
		[ "$("$whocallme" flame --unit=calls file)" = "$("$whocallme" flame file)" ]
	done
}

@test "processes of one program, each at a place of its own" {
	for _ in 1 2 3 4 5 6; do
		observe "$whocallme" trace --append --addresses=file "$bin/pie"
	done
	observe "$whocallme" report --json file
	python3 -c '
import json, sys
calls = {row["name"]: row["calls"] for row in json.load(open(sys.argv[1]))}
assert calls == {"main": 6, "outer": 18, "inner": 18}, calls' "$out"
}

# What is called when turns, which is no PIE, runs tree, which is none either, in a child
# and then itself, as their sources have it.
in_turns='{"before": 300, "in_child": 300, "after": 300, "work": 3, "become": 2,
	"main": 3, "outer": 6, "inner": 6}'

@test "programs that are at one place: a forking one, its child, what both become" {
	observe "$whocallme" trace --addresses=file "$bin/turns" "$bin/no-pie"
	expect_status 0
	# They are at one place indeed.
	[ "$(sed -n 's/^# \(0x[0-9a-f]*\)-.*/\1/p' file | sort -u | wc -l)" -eq 1 ] ||
		blame "$(grep '^#' file)"
	observe "$whocallme" report --json file
	expect_status 0
	python3 -c '
import json, sys
calls = {row["name"]: row["calls"] for row in json.load(open(sys.argv[1]))}
assert calls == json.loads(sys.argv[2]), calls' "$out" "$in_turns"
	observe "$whocallme" graph file
	out_has '"main" -> "work" .*calls=2,'
	out_has '"work" -> "after" .*calls=300,'
	out_has '"work" -> "in_child" .*calls=300,'
	out_has '"outer" -> "inner" .*calls=6,'
	out_lacks '"\(work\|become\|before\|after\|in_child\)" -> "\(main\|outer\)'
	out_lacks '"main" -> "main'
	# Three processes were not traced, but two, of which each became another program.
	[ "$(grep -c '^# process [0-9]* begins *$' file)" -eq 3 ] || blame "$(grep '^#' file)"
	[ "$(sed -n 's/^# process \([0-9]*\).*/\1/p' file | sort -u | wc -l)" -eq 2 ] ||
		blame "$(grep '^#' file)"
	[ "$("$whocallme" replay file | sed -n 's/^ *\[ *\([0-9]*\)\].*/\1/p' | sort -u)" = \
		"$(sed -n 's/^# process \([0-9]*\).*/\1/p' file | sort -u)" ] ||
		blame "other processes"
}

@test "resolve: of programs at one place, the one whose line it is" {
	needs addr2line
	observe "$whocallme" trace --addresses=file "$bin/turns" "$bin/no-pie"
	observe "$whocallme" resolve file
	expect_status 0
	# Each function is in one of the two sources.
	sed -n 's/^   \([a-z_]*\) at .*\/\(.*\)\.c:.*/\1 \2/p' "$out" | sort | uniq -c |
		awk '{ print $2, $3, $1 }' >found
	# An event is two lines: but what becomes another program never returns, nor does
	# main() of it.
	sort >expected <<-'.'
		after turns 600
		become turns 2
		before turns 600
		in_child turns 600
		inner tree 12
		main tree 4
		main turns 1
		outer tree 12
		work turns 6
	.
	cmp expected found || blame "$(diff expected found)"
}

@test "programs that a script runs, one behind the other, to a file and to stderr" {
	$CC -g -O0 -fno-pie -no-pie -finstrument-functions -Douter=farther -Dinner=nearer \
		-o renamed "$programs/tree.c"
	printf '%s\n' "$bin/no-pie" ./renamed "$bin/no-pie" >script
	observe "$whocallme" trace --force --addresses=file sh script
	observe sh -c "\"$whocallme\" trace --force --addresses sh script 2>lines"
	local file
	for file in file lines; do
		observe "$whocallme" report --json "$file"
		expect_status 0
		python3 -c '
import json, sys
calls = {row["name"]: row["calls"] for row in json.load(open(sys.argv[1]))}
assert calls == {"main": 3, "outer": 6, "inner": 6, "farther": 3, "nearer": 3}, calls
		' "$out"
	done
}

@test "a library where another one was: each function by the library of its time" {
	local name
	for name in one two; do
		# The functions are at one place, too.
		printf 'void run(void); void %s(void); void %s(void) { }\n%s\n' \
			"called_$name" "called_$name" \
			"void run(void) { called_$name(); }" >"$name.c"
		$CC -g -O0 -shared -fPIC -finstrument-functions -o "$name.so" "$name.c"
	done
	observe "$whocallme" trace --addresses=file "$bin/turns" ./one.so ./two.so
	expect_status 0
	[ "$(sort -u "$out" | wc -l)" -eq 1 ] || skip "they are not at one place here"
	observe "$whocallme" replay file
	[ "$(sed -n 's/.*| *\([a-z_]*\)()\( {\|;\)$/\1/p' "$out" | tr '\n' ' ')" = \
		'main visit run called_one visit run called_two ' ] ||
		blame "other calls"
	out_lacks '[0-9] [um]s '
}

@test "nothing is left where it was read" {
	observe "$whocallme" trace --addresses=file "$bin/pie"
	mkdir place
	TMPDIR=$PWD/place observe "$whocallme" replay file
	expect_status 0
	TMPDIR=$PWD/place observe "$whocallme" replay --depth=x file
	expect_status 2
	[ -z "$(ls place)" ] || blame "$(ls place)"
	TMPDIR=/nonexistent observe "$whocallme" replay file
	expect_status 1
	err_has '^whocallme replay: /nonexistent/.*: No such file or directory$'
}

@test "what pvtrace wrote, with the program" {
	observe "$whocallme" trace --addresses=file "$bin/no-pie"
	grep '^[EX]' file >trace.txt
	observe "$whocallme" graph --program="$bin/no-pie" trace.txt
	expect_status 0
	out_has '"outer" -> "inner" .*calls=3,total=0'
	observe "$whocallme" graph trace.txt
	expect_status 1
	err_has 'does not say of which program the addresses are; --program does$'
	observe "$whocallme" replay --program="$bin/pie" trace.txt
	expect_status 1
	err_has 'it is position-independent, and the addresses do not say where it was'
	observe "$whocallme" replay --program=/none trace.txt
	expect_status 1
	expect_err 'whocallme replay: /none: No such file or directory'
	observe "$whocallme" resolve --program="$bin/no-pie" trace.txt
	expect_status 0
	[ "$(grep -c '^   inner at .*tree\.c:' "$out")" -eq 6 ] || blame "not found"
}

@test "resolve: each line its function, with file and line" {
	local pie
	for pie in pie no-pie; do
		observe "$whocallme" trace --addresses=file "$bin/$pie"
		observe "$whocallme" resolve file
		expect_status 0
		[ "$(grep -c '^   [a-z]* at .*tree\.c:' "$out")" -eq 14 ] || blame "not each"
		grep -v '^   ' "$out" | cmp - file
	done
}

@test "resolve: a library beside another takes nothing from it" {
	local inner at
	inner=0x$(nm "$bin/pie" | sed -n 's/ [Tt] inner$//p')
	for at in 0x10000000 0x10010000; do
		printf '# 0x%x-0x%x bias 0x%x build-id none %s\n' "$at" $((at + 0x10000)) "$at" \
			"$bin/pie"
	done >file
	for at in 0x10000000 0x10010000; do
		printf 'E0x%x\n' $((at + inner))
	done >>file
	observe "$whocallme" resolve file
	expect_status 0
	[ "$(grep -c '^   inner at .*tree\.c:' "$out")" -eq 2 ] || blame "not each"
}

@test "a library that was opened later is named before its first function" {
	needs addr2line readelf
	observe "$whocallme" trace --force --addresses=file "$bin/host" "$bin/one.so"
	expect_status 0
	[ "$(grep -c '^# .*/one\.so$' file)" -eq 1 ] || blame "$(grep '^#' file)"
	by_addr2line file | grep -q '^plugin_run$'
	"$whocallme" replay file | grep -q ' plugin_run() {'
}

@test "a file that is damaged or hostile: no crash, no endless loop" {
	observe "$whocallme" trace --addresses=file "$bin/no-pie"
	{
		echo 'X0x1'
		cat file
		printf 'E0x\nX\nE0xzz\n# 0x1-0x2 bias\n# 0x0-0xffffffffffffffff bias 0x0 '
		echo 'build-id none /nonexistent'
		head -c 2000 /dev/zero | tr '\0' '\n' | sed 's/^/E0x401000/'
		head -c 100000 /dev/urandom
	} >bad
	for command in replay graph resolve; do
		observe timeout 60 "$whocallme" $command bad
		[ "$status" -le 1 ] || blame "it died"
	done
}

@test "a file of very many processes is refused in time" {
	observe "$whocallme" trace --addresses=file "$bin/no-pie"
	local each
	for each in NR 7; do
		seq 100000 | awk "{ print \"# process\", $each, \"begins\\nE0x401000\" }" |
			cat file - >many
		observe timeout 60 "$whocallme" report many
		expect_status 1
		expect_err 'whocallme report: many: it has more than 32768 processes and programs'
	done
}

# Who reads the output goes away, a terminal is closed, memory is short.
@test "no temporary folder is left, however the command ends" {
	local signal left=yes
	python3 "$top_srcdir/test/scenario/hostile.py" addresses 3000 >many
	mkdir temporary
	mkfifo output
	exec 7<>output # nobody reads
	for signal in PIPE HUP INT TERM KILL; do
		TMPDIR=$PWD/temporary python3 -c '
import os, signal, sys
for number in signal.SIGPIPE, signal.SIGHUP, signal.SIGINT, signal.SIGTERM:
    signal.signal(number, signal.SIG_DFL)
os.execvp(sys.argv[1], sys.argv[1:])' "$whocallme" replay many >output 2>/dev/null 7<&- &
		for _ in $(seq 100); do
			[ -z "$(ls temporary)" ] || break
			sleep 0.1
		done
		[ -n "$(ls temporary)" ]
		sleep 0.5
		kill -s $signal $!
		status=0
		wait $! || status=$?
		[ "$status" -eq $((128 + $(kill -l $signal))) ]
		for _ in $(seq 50); do
			left=$(ls temporary)
			[ -n "$left" ] || break
			sleep 0.1
		done
		[ -z "$left" ] || { echo "left by $signal: $left" && return 1; }
	done
	exec 7>&-
	TMPDIR=$PWD/temporary "$whocallme" replay many | head -1
	sleep 0.5
	[ -z "$(ls temporary)" ]
	# Standard output and others closed: the output is an error, and no file.
	TMPDIR=$PWD/temporary observe sh -c '"$@" <&- >&-' sh "$whocallme" replay many
	[ "$status" -eq 1 ]
	[ -z "$(ls temporary)" ]
}
