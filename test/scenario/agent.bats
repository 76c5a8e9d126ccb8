#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# agent.bats - traces and stacks of a running process, by its agent.

load support

setup_file()
{
	bin=$BATS_FILE_TMPDIR
	build hooked asked.c -O1 -finstrument-functions
	[ -n "$sanitize" ] || build patched asked.c -O1 -fpatchable-function-entry=5
}

setup()
{
	trace_setup
	unset WHOCALLME_AGENT
	children=()
}

teardown()
{
	local child
	for child in "${children[@]}"; do
		kill -9 "$child" 2>/dev/null || true
	done
}

# await COMMAND...: until it succeeds, 20 seconds at most.
await()
{
	local i
	for ((i = 0; i < 200; i++)); do
		! "$@" >/dev/null 2>&1 || return 0
		sleep 0.1
	done
	echo "in vain: $*"
	return 1
}

# begin PROGRAM [ARGUMENT...]: it runs, its agent too; $pid is its number, say gives it a line,
# and its words are in the file said.
begin()
{
	rm -f lines && mkfifo lines
	: >said
	WHOCALLME_AGENT=${agent-yes} "$@" <lines >said 2>program.err 3>&- &
	pid=$!
	children+=("$pid")
	exec 9>lines
	await grep -q "^here" said
}

say()
{
	echo "$*" >&9
}

# ask OPTION...: whocallme trace -p, in the background, where a shell has SIGINT ignored;
# $client is its number.
ask()
{
	env --default-signal=INT "$whocallme" trace -p "$pid" "$@" >client.out 2>client.err 3>&- 9>&- &
	client=$!
	children+=("$client")
}

# Until the trace of $client is on: it has had its answer, and watches the process.
traced()
{
	await eval "find /proc/$client/fd -lname '*pidfd*' | grep -q ."
}

# A count of turns that the program does, and says so.
turns()
{
	local done_before
	done_before=$(grep -c '^done' said || true)
	say "turns $1"
	await eval "[ \$(grep -c '^done' said) -gt $done_before ]"
}

code_is()
{
	say text
	sleep 0.1
	[ "$(tail -n 1 said)" = "text $1" ]
}

# Whether it is the file's, of a program that has no agent's trace any more.
code_is_back()
{
	await code_is same
}

# The names of a log, indented by depth, each fold as many lines as it stands for.
calls()
{
	sed -nE "s/^FUN +[0-9]+ +[0-9']+ +[0-9]+ //p" | sed 's/ x\([0-9]*\), .*/ x\1/' |
		awk '{ n = 1; if (match($0, / x[0-9]+$/)) { n = substr($0, RSTART + 2)
			sub(/ x[0-9]+$/, "") } while (n-- > 0) print }'
}

expected_calls()
{
	local i
	for ((i = 0; i < 2 * $1; i++)); do
		printf '%s\n' '&turn' '  &first' '    &leaf' '  &second' '    &leaf'
	done
}

@test "a log of a running process: what it calls from the start to the stop, and no more" {
	for program in hooked patched; do
		begin "$bin/$program"
		turns 1
		ask
		traced
		turns 4
		observe "$whocallme" trace -p "$pid" --stop
		expect_status 0
		wait "$client"
		turns 2
		diff -u <(expected_calls 4) <(calls <client.err)
		[ "$program" = hooked ] || code_is_back
		[ ! -s program.err ]
		observe "$whocallme" trace -p "$pid" --stop
		expect_status 125
		expect_err "whocallme trace: process $pid: nothing of it is traced"
		exec 9>&-
		wait "$pid"
	done
}

@test "Ctrl-C ends a trace, and what was called before is there; a file is appended to" {
	begin "$bin/patched"
	for count in 3 2; do
		ask --append --log=log.%p
		traced
		turns $count
		kill -INT "$client"
		wait "$client"
		code_is_back
		turns 1
	done
	[ ! -s client.err ]
	diff -u <(expected_calls 5) <(calls <"log.$pid")
	ask --pairs=log."$pid"
	await code_is changed
	turns 1
	kill -TERM "$client"
	wait "$client"
	[ "$(grep -c 'func = leaf, called by = first' "log.$pid")" -eq 2 ]
	[ "$(wc -l <"log.$pid")" -eq 10 ]
}

# recorded_and_drawn PROGRAM: how often a recording of it and a graph say what was called.
recorded_and_drawn()
{
	begin "$bin/$1"
	ask --record="recording.$1" --not-functions=second
	traced
	turns 5
	kill -INT "$client"
	wait "$client"
	"$whocallme" report "recording.$1" | awk '$NF ~ /^(turn|first|leaf|second)$/ {
		print $NF, $(NF - 1) }' | sort >counts
	diff -u <(printf '%s\n' 'first 10' 'leaf 20' 'turn 10') counts
	ask --graph=graph.dot --no-times
	traced
	turns 5
	kill -INT "$client"
	wait "$client"
	grep -F '"first" -> "leaf" [label="  10' graph.dot
	grep -F '"turn" -> "second" [label="  10' graph.dot
	[ ! -s program.err ]
	exec 9>&-
	wait "$pid"
}

@test "a recording and a graph, with filters, of a running process" {
	for program in hooked patched; do
		recorded_and_drawn "$program"
	done
	begin "$bin/hooked"
	ask --log -F 'nothing*' -F leaf
	traced
	turns 1
	kill -INT "$client"
	wait "$client"
	grep -qx '<whocallme>: nothing that was called matches --functions=nothing\*' client.err
}

@test "a client that is killed, or stops reading, leaves the program as it was" {
	needs python3
	begin "$bin/patched"
	ask
	await code_is changed
	kill -9 "$client"
	code_is_back
	turns 2
	"$whocallme" stack -p "$pid" >/dev/null
	mkfifo deaf
	python3 "$BATS_TEST_DIRNAME/agent.py" "$pid" deaf <deaf >answer 2>&1 3>&- 9>&- &
	children+=($!)
	exec 8>deaf
	await grep -q '^+ 1' answer
	turns 20000
	code_is_back
	exec 8>&-
	turns 1
	[ ! -s program.err ]
}

@test "a trace that its reader was too slow for has what was read, and says how it ended" {
	for program in hooked patched; do
		begin "$bin/$program"
		rm -f slow && mkfifo slow
		exec 8<>slow
		ask --pairs=slow
		traced
		turns 20000
		[ "$program" = hooked ] || code_is_back
		timeout 60 cat slow >lines.read 8>&- 9>&- 3>&- &
		reader=$!
		exec 8>&-
		status=0 && wait "$client" || status=$?
		wait "$reader"
		[ "$status" -eq 125 ]
		[ "$(wc -l <client.err)" -eq 1 ]
		grep -Fx "whocallme trace: process $pid: the trace has ended early, because its lines \
were not read for a second; write them to a FILE, trace less of it (-F, -D), or have it write a \
recording (--record)" client.err
		[ "$(wc -l <lines.read)" -gt 10000 ]
		refute grep -vE '^__cyg_profile_func_enter: func = [a-z]+, called by = [a-z_+0-9]+$' lines.read
		# Of the same process another one ends well.
		ask --pairs=pairs
		traced
		turns 1
		kill -INT "$client"
		wait "$client"
		[ "$(wc -l <pairs)" -eq 10 ]
		[ ! -s client.err ]
		[ ! -s program.err ]
		exec 9>&-
		wait "$pid"
	done
}

@test "garbage, and many clients at once, harm nothing" {
	needs python3
	for program in hooked patched; do
		begin "$bin/$program"
		timeout 60 python3 "$BATS_TEST_DIRNAME/agent.py" "$pid" garbage 3>&-
		turns 1
		timeout 60 python3 "$BATS_TEST_DIRNAME/agent.py" "$pid" flood 3>&-
		observe timeout 30 "$whocallme" stack -p "$pid"
		expect_status 0
		[ "$program" = hooked ] || code_is_back
		turns 1
		[ ! -s program.err ] || { cat program.err && false; }
		await eval "[ \$(find /proc/$pid/fd -lname 'socket:*' -o -lname 'pipe:*' | wc -l) -le 3 ]"
		exec 9>&-
		wait "$pid"
	done
}

@test "the flight recorder of a running process: on, shown, on with another size, off" {
	for program in hooked patched; do
		begin "$bin/$program"
		trace_it -p "$pid" --flight=4
		expect_status 0
		expect_err "whocallme trace: process $pid keeps the last calls of each thread from now \
on; --flight shows them, --flight --stop ends it"
		turns 5
		for count in 4 2; do
			observe "$whocallme" trace -p "$pid" --flight
			expect_status 0
			diff -u <(printf '%s\n' first leaf second leaf | tail -n "$count") \
				<(grep -oE '\b(turn|first|second|leaf)\b' "$err")
			[ "$count" = 2 ] || trace_it -p "$pid" --flight=2
			turns 1
		done
		# Beside a trace, which goes on; and it has its own end.
		ask --pairs=pairs
		traced
		trace_it -p "$pid" --flight --stop
		expect_status 0
		[ ! -s "$err" ]
		turns 1
		kill -INT "$client"
		wait "$client"
		[ "$(wc -l <pairs)" -eq 10 ]
		[ "$program" = hooked ] || code_is_back
		trace_it -p "$pid" --flight --stop
		expect_status 125
		expect_err "whocallme trace: process $pid: its flight recorder is off; --flight=N \
switches it on"
		[ ! -s program.err ]
		exec 9>&-
		wait "$pid"
	done
}

@test "the last calls of a running process, if its flight recorder is on" {
	for program in hooked patched; do
		begin env WHOCALLME_FLIGHT=16 "$bin/$program"
		turns 5
		observe "$whocallme" trace -p "$pid" --flight
		expect_status 0
		diff -u <(printf '%s\n' first leaf second leaf) \
			<(grep -oE '\b(turn|first|second|leaf)\b' "$err" | tail -n 4)
		begin "$bin/$program"
		observe "$whocallme" trace -p "$pid" --flight
		expect_status 125
		expect_err "whocallme trace: process $pid: its flight recorder is off; --flight=N \
switches it on"
	done
}

@test "nobody but the same user is answered, and nobody can take the name" {
	needs_others
	needs python3
	begin "$bin/hooked"
	observe python3 "$BATS_TEST_DIRNAME/agent.py" "$pid" stranger
	expect_out "answer b''"
	mkfifo squats
	python3 "$BATS_TEST_DIRNAME/agent.py" "$pid" squat <squats >answer 2>&1 3>&- 9>&- &
	children+=($!)
	exec 8>squats
	await grep -q taken answer
	observe timeout 30 "$whocallme" stack -L -p "$pid"
	expect_status 0
	out_has '^#0 .* in (__)?read\+'
	exec 8>&-
	setpriv --reuid=1001 --regid=1001 --clear-groups sleep 60 3>&- 9>&- &
	other=$!
	children+=("$other")
	await grep -q '^Uid:.1001' "/proc/$other/status"
	observe "$whocallme" trace -p "$other"
	expect_status 125
	expect_err "whocallme trace: process $other is of user 1001, and an agent answers its own user alone"
}

@test "a process that is stopped answers when it goes on" {
	begin "$bin/hooked"
	kill -STOP "$pid"
	observe "$whocallme" stack -p "$pid"
	expect_status 1
	expect_err "whocallme stack: process $pid is stopped; it answers after kill -CONT"
	observe "$whocallme" trace -p "$pid" --stop
	expect_status 125
	kill -CONT "$pid"
	observe "$whocallme" stack -p "$pid"
	expect_status 0
}

@test "without an agent one line says how to have one" {
	agent=no begin "$bin/hooked"
	for command in trace stack; do
		observe "$whocallme" $command -p "$pid"
		expect_status $([ $command = trace ] && echo 125 || echo 1)
		expect_err "whocallme $command: process $pid has no agent; start it with \
WHOCALLME_AGENT=yes in its environment and libwhocallme linked, or in LD_PRELOAD, or let it call \
wcm_agent_start()"
	done
	say threads
	await grep -qx 'threads 1' said
	say start
	await grep -qx 'start 0' said
	say threads
	await grep -qx 'threads 2' said
	observe "$whocallme" stack -p "$pid"
	expect_status 0
	say stop
	say threads
	await eval "[ \$(grep -cx 'threads 1' said) -eq 2 ]"
	observe "$whocallme" stack -p "$pid"
	expect_status 1
	kill -9 "$pid"
	wait "$pid" || true
	observe "$whocallme" trace -p "$pid"
	expect_status 125
	expect_err "whocallme trace: process $pid: No such process"
	agent=perhaps begin "$bin/hooked"
	grep -qx '<whocallme>: there is no agent: WHOCALLME_AGENT takes yes or no, not perhaps' program.err
}

@test "options that do not go with a running process are refused" {
	for wrong in "-p 0" "-p 1x" "-p -1" "-p 1 true" "--stop true" "-p 1 --no-carry" \
		"-p 1 --graph=a --exits" "-p 1 --flight=0" "-p 1 --flight=4 --stop" \
		"-p 1 --flight --log" "-p 1 --stop --log"; do
		# shellcheck disable=SC2086 # a list
		trace_it $wrong
		expect_status 2
	done
	observe "$whocallme" stack
	expect_status 2
	begin "$bin/hooked"
	trace_it -p "$pid" --graph=/dev/null
	expect_status 125
	trace_it -p "$pid" --log=/nowhere/file
	expect_status 125
	trace_it -p "$pid" --record=/nowhere/folder
	expect_status 125
	ask
	traced
	trace_it -p "$pid"
	expect_status 125
	expect_err "whocallme trace: process $pid: it is traced already; --stop ends that trace"
}

@test "the stacks of a running process are those that gdb shows, and have lines" {
	needs gdb
	begin "$bin/hooked" waits
	observe timeout 60 "$whocallme" stack -p "$pid"
	expect_status 0
	refute grep -q wcm-agent "$out"
	[ "$(grep -c '^<whocallme>: thread' "$out")" -eq 2 ]
	out_has '^   main at .*/programs/asked\.c:[0-9]+:'
	out_has '^   wait_there at .*/programs/asked\.c:[0-9]+:'
	timeout 60 gdb -nx -batch -iex 'set debuginfod enabled off' -ex 'set width 0' \
		-ex 'thread apply all bt' -p "$pid" </dev/null >gdb.out 2>gdb.err 3>&- 9>&- ||
		skip "gdb may not attach"
	grep -q '^#0' gdb.out || skip "gdb may not attach"
	diff -u <(sed -nE 's/^#[0-9]+ +0x[0-9a-f]+ in (.*) \(.* at .*asked\.c:([0-9]+)$/\1 \2/p' \
		gdb.out | sort) \
		<(sed -nE 's/^   (.*) at .*asked\.c:([0-9]+):.*/\1 \2/p' "$out" | sort)
}

@test "fork, exec, a program that closes what it does not know, and one whose first thread ends" {
	begin "$bin/patched"
	ask
	traced
	say fork
	await grep -q '^child [0-9]' said
	grep -qx 'child same' said
	child=$(sed -n 's/^child \([0-9]*\)$/\1/p' said)
	children+=("$child")
	observe "$whocallme" stack -p "$child"
	expect_status 1
	turns 2
	say exec
	await eval "[ \$(grep -c ^here said) -eq 2 ]"
	wait "$client"
	diff -u <(expected_calls 2) <(calls <client.err)
	say close
	await timeout 10 "$whocallme" stack -p "$pid"
	ask
	traced
	say close
	wait "$client"
	code_is_back
	await timeout 10 "$whocallme" stack -p "$pid"
	say leave
	wait "$pid"
	[ ! -s program.err ]
}

@test "a privileged program starts no agent" {
	needs_others
	cp "$bin/hooked" privileged
	chgrp 1001 privileged
	chmod g+s privileged
	agent=yes begin setpriv --reuid=1002 --regid=1002 --clear-groups "$PWD/privileged" ||
		skip "the library is out of its reach"
	say start
	await grep -q '^start -9' said
	say threads
	await grep -qx 'threads 1' said
}

@test "a static program in another root directory: lines come, files would not" {
	[ "$(id -u)" -eq 0 ] || skip "only root can change the root directory"
	build_static static asked.c -O1 -finstrument-functions
	mkdir jail
	cp "$bin/static" jail
	begin chroot "$PWD/jail" /static
	ask
	traced
	turns 2
	kill -INT "$client"
	wait "$client"
	diff -u <(expected_calls 2) <(calls <client.err)
	for files in --graph=graph.dot --record=recording; do
		observe "$whocallme" trace -p "$pid" $files
		expect_status 125
		err_has "^whocallme trace: process $pid has other directories than this one"
	done
}
