#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# agent_trust.bats - clients of an agent that are slow, hostile, others' or gone.

load support
load agent

@test "a client that is killed, or stops reading, leaves the program as it was" {
	needs python3
	local kind=${kinds##* }
	begin "$bin/$kind"
	ask
	traced
	[ "$kind" = hooked ] || await code_is changed
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

@test "a client that comes when another has left is not told of that one's trace" {
	needs python3
	begin "$bin/${kinds##* }"
	timeout 60 python3 "$BATS_TEST_DIRNAME/agent.py" "$pid" successors >answer 2>&1 3>&- 9>&-
	cat answer
	[ "$(grep -cx '+' answer)" -eq 40 ]
	code_is_back
}

@test "a trace that its reader was too slow for has what was read, and says how it ended" {
	for program in $kinds; do
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
		status=0 && ended "$client" || status=$?
		ended "$reader"
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
		ended "$client"
		[ "$(wc -l <pairs)" -eq 10 ]
		[ ! -s client.err ]
		[ ! -s program.err ]
		exec 9>&-
		ended "$pid"
	done
}

@test "garbage, and many clients at once, harm nothing" {
	needs python3
	for program in $kinds; do
		begin "$bin/$program"
		timeout 60 python3 "$BATS_TEST_DIRNAME/agent.py" "$pid" garbage 3>&-
		turns 1
		timeout 60 python3 "$BATS_TEST_DIRNAME/agent.py" "$pid" flood 3>&-
		observe timeout 60 python3 "$BATS_TEST_DIRNAME/agent.py" "$pid" thief
		expect_out "answer b''"
		observe timeout 30 "$whocallme" stack -p "$pid"
		expect_status 0
		[ "$program" = hooked ] || code_is_back
		turns 1
		[ ! -s program.err ] || { cat program.err && false; }
		await eval "[ \$(find /proc/$pid/fd -lname 'socket:*' -o -lname 'pipe:*' | wc -l) -le 2 ]"
		exec 9>&-
		ended "$pid"
	done
}

# asks WHO...: what the agent of $pid says to a client that these start.
asks()
{
	observe timeout 30 "$@" "$whocallme" stack -L -p "$pid"
}

answered()
{
	expect_status 0
	out_has ' in main\+'
}

refused()
{
	expect_status 1
	expect_err "whocallme stack: process $pid: the kernel does not let this user read it \
(ptrace(2)), and its agent answers nobody else"
}

sockets_and_pipes()
{
	find "/proc/$pid/fd" -lname 'socket:*' -o -lname 'pipe:*' | wc -l
}

# A process of another user, who can use what was built.
begin_as_other()
{
	as_other test -x "$bin/hooked" -a -x "$whocallme" -a -r "$lib/libwhocallme.so.0" ||
		skip "what was built is out of another user's reach"
	begin "$@" "$bin/hooked"
}

@test "whom the kernel lets read the process may ask it, and nobody else" {
	needs_others
	needs python3
	agent=no begin "$bin/hooked"
	local before
	before=$(sockets_and_pipes)
	begin "$bin/hooked"
	[ "$(sockets_and_pipes)" -eq "$before" ]
	observe python3 "$BATS_TEST_DIRNAME/agent.py" "$pid" stranger
	expect_out "Permission denied" 0
	asks env
	answered
	# The same user, who has less, or is elsewhere.
	asks setpriv --bounding-set=-all --inh-caps=-all
	refused
	asks setpriv --bounding-set=-dac_override,-sys_ptrace --inh-caps=-all
	refused
	! unshare -Ur true || {
		asks unshare -Ur
		refused
	}
	# A process that has more than its client, as by systemd's AmbientCapabilities=.
	local user="setpriv --reuid=1001 --regid=1001 --clear-groups"
	local more="$user --inh-caps=+dac_override --ambient-caps=+dac_override"
	# shellcheck disable=SC2086 # a list
	begin_as_other $more
	# shellcheck disable=SC2086 # a list
	asks $user
	refused
	# shellcheck disable=SC2086 # a list
	asks $more
	answered
}

@test "a process that is not dumpable answers root alone, and a trace ends when it becomes so" {
	needs_others
	begin_as_other setpriv --reuid=1001 --regid=1001 --clear-groups
	asks setpriv --reuid=1001 --regid=1001 --clear-groups
	answered
	ask --pairs=pairs
	traced
	turns 1
	say hide
	ended "$client" && false
	grep -q "ended early, because the process has changed by whom it can be read" client.err
	turns 5
	[ "$(wc -l <pairs)" -eq 10 ]
	asks setpriv --reuid=1001 --regid=1001 --clear-groups
	refused
	asks env
	answered
}

# Whether calls that no libc makes are seen.
are_calls_seen()
{
	[ "$(uname -m)" = x86_64 ] && [ -z "$emulated" ] &&
		"$whocallme" trace --system-calls --no-signals true 2>&1 | grep -q '^SYS'
}

@test "a trace ends within the call that has others read the process" {
	needs_others
	local how kind
	for how in "" " syscall" " setfsuid" " setegid" " setresuid" " syscall-setuid" " raw"; do
		for kind in $kinds; do
			begin "$bin/$kind"
			if [ "$how" = " raw" ]; then
				are_calls_seen || continue
				ask --log=log --system-calls=getppid
			else
				ask --log=log
			fi
			traced
			turns 1
			say "hide$how"
			! ended "$client" || blame "$how: goes on"
			grep -q "ended early, because the process has changed by whom it can be read" client.err
			diff -u <(expected_calls 1) <(calls <log) || blame "$how"
			turns 1
			exec 9>&-
			ended "$pid"
			[ ! -s program.err ]
			rm log
		done
	done
}

# kept WORD HOW: what a client has from before "hide HOW", or from before it has lost its own rights.
kept()
{
	rm -f keeps answer && mkfifo keeps
	python3 "$BATS_TEST_DIRNAME/agent.py" "$pid" keep "$1" <keeps >answer 2>&1 3>&- 9>&- &
	children+=($!)
	local keeper=$!
	exec 8>keeps
	await grep -qx kept answer
	[ -z "$2" ] || say "hide${2%-}"
	[ -z "$2" ] || await grep -q '^done' said
	exec 8>&-
	ended "$keeper" || { cat answer && false; }
	[ "$(tail -n 1 answer)" = "$3" ] || { cat answer && blame "$1,$2: not $3"; }
}

@test "what a client keeps from before is judged anew: pipes, a connection, a request" {
	needs_others
	needs python3
	local how user="setpriv --reuid=1001 --regid=1001 --clear-groups"
	for how in - " syscall" " raw"; do
		# shellcheck disable=SC2086 # a list
		begin_as_other $user
		kept other "$how" "not answered"
		asks env
		answered
		exec 9>&-
		ended "$pid"
	done
	begin "$bin/hooked"
	kept later "" "not answered"
	asks env
	answered
}

@test "root asks another user's process: stacks, lines, a graph, a recording, its own files" {
	needs_others
	begin_as_other setpriv --reuid=1001 --regid=1001 --clear-groups
	mkdir -m 700 closed
	for files in --pairs=closed/pairs --graph=closed/graph.dot --record=closed/recording; do
		ask $files
		traced
		turns 3
		kill -INT "$client"
		ended "$client" || { cat client.err && false; }
	done
	[ "$(wc -l <closed/pairs)" -eq 30 ]
	grep -F '"first" -> "leaf" [label="  6' closed/graph.dot
	[ "$(find closed ! -uid 0 | wc -l)" -eq 0 ]
	[ "$("$whocallme" replay closed/recording | grep -c 'leaf();')" -eq 12 ]
	ls -A closed >left
	diff -u <(printf '%s\n' graph.dot pairs recording) left
	# It is a recording as others are, and can be put aside.
	ask --record=closed/recording --force
	traced
	turns 1
	kill -INT "$client"
	ended "$client"
	[ "$("$whocallme" replay closed/recording | grep -c 'leaf();')" -eq 4 ]
	[ -e closed/recording.old/info ]
	mkdir theirs
	chown 1001 theirs
	observe timeout 30 "$whocallme" trace -p "$pid" --record=theirs
	expect_status 125
	expect_err "whocallme trace: $PWD/theirs: it is another user's"
	[ -z "$(ls -A theirs)" ]
	[ -z "$(find /var/tmp /tmp -maxdepth 1 -name 'whocallme-*' -uid 1001)" ]
}

@test "what a process keeps open is no part of the output, nor what it has put there" {
	needs_others
	mkdir -m 700 closed
	echo secret >secret
	for user in other self; do
		rm -f handed
		begin_evil files "$PWD/secret" $user
		observe timeout 30 "$whocallme" trace -p "$pid" --graph=closed/graph.dot
		expect_status 0
		await grep -q over handed
		printf 'digraph {\n"\\x1b[31m"\n}\n' | diff -u - closed/graph.dot
		[ "$(sort -u handed)" = "100000
over" ]
	done
	begin_evil files "$PWD/secret" other
	rm -f handed
	begin_evil files "$PWD/secret" other
	observe timeout 60 "$whocallme" trace -p "$pid" --record=closed/recording
	expect_status 125
	expect_err "whocallme trace: 9 of the files that the process has made are of no recording, or \
not its user's, and are left out"
	await grep -q over handed
	[ "$(grep -c '^[0-9]' handed)" = "$(grep -c '^100000' handed)" ]
	[ "$(ls closed/recording)" = "5.dat
6.dat
9.dat
whocallme" ]
	[ "$(stat -c '%s %u' closed/recording/*)" = "4 0
1099511627776 0
0 0
0 0" ]
	[ "$(du -k closed/recording/6.dat | cut -f 1)" -lt 100 ]
	refute grep -rq secret closed/recording/5.dat closed/recording/whocallme
	refute test -e "$(grep whocallme- handed)"
}

@test "an answer that comes by something else than a pipe, or by nothing, is said" {
	local kind asked
	for kind in none file socket; do
		begin_evil wrong + $kind
		for asked in "stack -L" stack "trace --flight" "trace --log" "trace --pairs=lines"; do
			# shellcheck disable=SC2086 # words
			observe timeout 30 "$whocallme" $asked -p "$pid"
			[ "$status" -ne 0 ] || blame "$asked, $kind"
			err_has ": process $pid: its answer comes without the pipe that it is to come by$"
		done
		begin_evil wrong - $kind
		observe timeout 30 "$whocallme" trace --log -p "$pid"
		expect_status 125
		expect_err "whocallme trace: process $pid refuses without a reason"
	done
}


@test "a process writes nothing that its client does not hand over" {
	needs python3
	begin "$bin/hooked"
	observe timeout 60 python3 "$BATS_TEST_DIRNAME/agent.py" "$pid" files
	expect_status 0
	[ "$(grep -c ' -$' "$out")" -eq 15 ]
	[ "$(tail -n 1 "$out")" = "['whocallme'] ['whocallme'] False 0 precious" ]
	turns 1
	[ ! -s program.err ]
}

@test "others who connect to a client do not come between it and the process" {
	needs_others
	needs python3
	begin "$bin/hooked"
	mkfifo squats
	python3 "$BATS_TEST_DIRNAME/agent.py" "$pid" squat <squats >answer 2>&1 3>&- 9>&- &
	children+=($!)
	exec 8>squats
	await grep -q squats answer
	for ((i = 0; i < 10; i++)); do
		observe timeout 30 "$whocallme" stack -L -p "$pid"
		expect_status 0
		out_has '^#[01] .* in ((__)?read|__syscall_cancel_arch)\+' # in i386's vDSO, since glibc 2.41
	done
	exec 8>&-
}

@test "a filter that kills for what the agent calls is met by nobody but who may ask" {
	needs_others
	needs python3
	begin "$bin/hooked" filtered
	for ((i = 0; i < 30; i++)); do
		observe python3 "$BATS_TEST_DIRNAME/agent.py" "$pid" stranger
		expect_out "Permission denied" 0
	done
	sleep 2 # it looks up once a second
	turns 1
	exec 9>&-
	ended "$pid"
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

# begin_evil WORD...: a process that only looks as if it had an agent.
begin_evil()
{
	needs python3
	begin python3 "$BATS_TEST_DIRNAME/agent.py" 0 evil "$@"
	await eval "[ \$(cat /proc/$pid/comm) = wcm-bell ]"
}

@test "what a process writes obeys no terminal, whoever it belongs to" {
	begin_evil escapes
	for asked in "stack -L" stack "trace --flight" "trace --log" "trace --pairs=lines.of.it"; do
		# shellcheck disable=SC2086 # words
		observe timeout 30 "$whocallme" $asked -p "$pid"
		cat "$out" "$err" lines.of.it >shown 2>/dev/null || true
		[ "$(tr -d '\n -~' <shown)" = "€" ] || blame "$asked: $(cat -v shown)"
		grep -F '\x1b]0;evil\x07+0x1' shown
	done
}

@test "the stacks of a process that writes on and on are bounded, and so is their time" {
	local frame lines
	begin "$bin/hooked" waits
	frame=$("$whocallme" stack -L -p "$pid" | grep -m 1 ' in main+')
	for lines in -L ""; do
		begin_evil flood
		# shellcheck disable=SC2086 # nothing or an option
		observe timeout 60 "$whocallme" stack $lines -p "$pid"
		expect_status 1
		[ "$(wc -c <"$out")" -lt 200000000 ]
		err_has "^whocallme stack: process $pid: the rest is left out, since it writes more \
than 32 MiB"
	done
	# The kernel counts the time of looking lines up.
	begin_evil flood "$frame"$'\n'
	mkfifo unread
	exec 8<>unread
	"$whocallme" stack -p "$pid" >unread 2>said.of.it 8>&- 9>&- 3>&- &
	client=$!
	children+=("$client")
	await grep -q '^Max cpu time  *120 ' "/proc/$client/limits"
	kill -XCPU "$client"
	status=0 && ended "$client" || status=$?
	exec 8>&-
	[ "$status" -eq 1 ]
	grep -q "^whocallme stack: it takes more than two minutes of a CPU to look up" said.of.it
}

@test "a process that trickles its stacks is left after a time" {
	[ -z "$emulated" ] || skip "the clock is of another CPU than the command"
	cat >clock.c <<-'.'
		#include <sys/syscall.h>
		#include <time.h>
		#include <unistd.h>
		int clock_gettime(clockid_t clock, struct timespec *now)
		{
			long result = syscall(SYS_clock_gettime, clock, now);
			now->tv_sec *= 200;
			return (int)result;
		}
	.
	$CC -shared -fPIC -o clock.so clock.c
	LD_PRELOAD=$PWD/clock.so "$whocallme" --version >/dev/null || skip "it cannot be preloaded"
	begin_evil trickle
	observe timeout 60 env LD_PRELOAD="$PWD/clock.so" "$whocallme" stack -L -p "$pid"
	expect_status 1
	expect_err "whocallme stack: process $pid: the rest is left out, since it takes longer than \
300 seconds"
	out_has '^xx'
}

@test "a client does not wait for sockets that linger, whatever they come with" {
	local packets
	for packets in + - "+ +" "? + + +" "+ - ? x"; do
		# shellcheck disable=SC2086 # packets
		begin_evil lingers $packets
		observe timeout 30 "$whocallme" stack -L -p "$pid"
		[ "$status" -le 1 ] # not that of timeout(1)
		kill -9 "$pid" || true # it may have ended, its client gone
	done
}

@test "a call that gives up rights waits for no socket that lingers" {
	needs_others
	needs python3
	local since
	begin "$bin/hooked"
	python3 "$BATS_TEST_DIRNAME/agent.py" "$pid" thief >answer 2>&1 3>&- 9>&-
	observe timeout 30 "$whocallme" stack -L -p "$pid"
	answered
	python3 "$BATS_TEST_DIRNAME/agent.py" "$pid" lingers >answer 2>&1 3>&- 9>&- &
	children+=($!)
	sleep 1
	since=$SECONDS
	say "hide setresuid"
	await grep -q '^done' said
	[ $((SECONDS - since)) -le 10 ]
	turns 1
}

@test "a client opens nothing of a process but its pipe" {
	begin_evil fifo
	observe timeout 30 "$whocallme" stack -p "$pid"
	expect_status 1
	err_has "^whocallme stack: process $pid has no agent"
	[ ! -s rung ]
	! command -v strace || strace -o calls -e trace=open,openat "$whocallme" stack -p "$pid" || true
	[ ! -e calls ] || refute grep '/fd/1"' <(grep -v O_PATH calls)
}

@test "a thread's number is told from a process's" {
	begin "$bin/hooked" waits
	local tid
	await eval "[ \$(ls /proc/$pid/task | wc -l) -gt 3 ]"
	for tid in $(ls "/proc/$pid/task"); do
		[ "$tid" != "$pid" ] || continue
		observe timeout 10 "$whocallme" stack -p "$tid"
		expect_status 1
		expect_err "whocallme stack: $tid is a thread of process $pid; name that: \
-p $pid"
		trace_it -p "$tid" --pairs=lines.of.it
		expect_status 125
	done
}
