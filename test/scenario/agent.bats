#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# agent.bats - traces and stacks of a running process, by its agent.

load support
load agent

@test "a log of a running process: what it calls from the start to the stop, and no more" {
	for program in $kinds; do
		begin "$bin/$program"
		turns 1
		ask
		traced
		turns 4
		observe "$whocallme" trace -p "$pid" --stop
		expect_status 0
		ended "$client"
		turns 2
		diff -u <(expected_calls 4) <(calls <client.err)
		[ "$program" = hooked ] || code_is_back
		[ ! -s program.err ]
		observe "$whocallme" trace -p "$pid" --stop
		expect_status 125
		expect_err "whocallme trace: process $pid: nothing of it is traced"
		exec 9>&-
		ended "$pid"
	done
}

@test "Ctrl-C ends a trace, and what was called before is there; a file is appended to" {
	local kind=${kinds##* }
	begin "$bin/$kind"
	for count in 3 2; do
		ask --append --log=log.%p
		traced
		turns $count
		kill -INT "$client"
		ended "$client"
		code_is_back
		turns 1
	done
	[ ! -s client.err ]
	diff -u <(expected_calls 5) <(calls <"log.$pid")
	ask --pairs=log."$pid"
	traced
	[ "$kind" = hooked ] || await code_is changed
	turns 1
	kill -TERM "$client"
	ended "$client"
	[ "$(grep -c 'func = leaf, called by = first' "log.$pid")" -eq 2 ]
	[ "$(wc -l <"log.$pid")" -eq 10 ]
}

@test "times of a running process count from when its trace began" {
	local kind=${kinds##* } how
	needs python3
	begin "$bin/$kind"
	for how in absolute delta; do
		date +%s%N >before
		# Another trace's, which this command is in.
		WHOCALLME_TRACE_START=1,1 ask --time=$how --log=$how
		traced
		turns 2
		kill -INT "$client"
		ended "$client"
		code_is_back
	done
	python3 "$top_srcdir/test/scenario/times.py" between absolute "$(($(cat before) - 10 ** 11))" \
		"$(date +%s%N)"
	grep -q '^# begun at 20' delta
	awk '/^FUN/ { gsub("\047", ""); if ($3 !~ /^-?[0-9]+$/) exit 1; all += $3 }
		END { exit all > 10 ^ 11 }' delta || blame "$(cat delta)"
	ask --time=absolute --flight
	ended "$client" || [ $? -eq 2 ]
}

@test "probes of a running process, with its functions or alone, and none afterwards" {
	needs_arch x86_64 "there are no probes"
	local kind=${kinds##* } count
	begin "$bin/$kind"
	for count in 3 2; do
		ask --probes --log="log.$count"
		traced
		turns $count
		kill -INT "$client"
		ended "$client"
		diff -u <(sed -nE "s/^PRB +[0-9]+ +[0-9']+ +//p" "log.$count") \
			<(for ((i = 0; i < 2 * count; i++)); do echo "asked:first($((i % count)))"; done)
		[ "$(calls <"log.$count" | grep -c '&turn')" = $((2 * count)) ]
		turns 1
	done
	code_is_back
	[ ! -s program.err ]
	ask --probes=none:there
	traced
	turns 1
	kill -INT "$client"
	ended "$client"
	grep -q "no probe matches --probes=none:there; there are asked:first" client.err
}

# recorded_and_drawn PROGRAM: how often a recording of it and a graph say what was called.
recorded_and_drawn()
{
	begin "$bin/$1"
	ask --record="recording.$1" --not-functions=second
	traced
	turns 5
	kill -INT "$client"
	ended "$client"
	"$whocallme" report "recording.$1" | awk '$NF ~ /^(turn|first|leaf|second)$/ {
		print $NF, $(NF - 1) }' | sort >counts
	diff -u <(printf '%s\n' 'first 10' 'leaf 20' 'turn 10') counts
	ask --graph=graph.dot --no-times
	traced
	turns 5
	kill -INT "$client"
	ended "$client"
	grep -F '"first" -> "leaf" [label="  10' graph.dot
	grep -F '"turn" -> "second" [label="  10' graph.dot
	[ ! -s program.err ]
	exec 9>&-
	ended "$pid"
}

@test "a recording and a graph, with filters, of a running process" {
	for program in $kinds; do
		recorded_and_drawn "$program"
	done
	begin "$bin/hooked"
	ask --log -F 'nothing*' -F leaf
	traced
	turns 1
	kill -INT "$client"
	ended "$client"
	grep -qx '<whocallme>: no function that was called matches --functions=nothing\*' client.err
}

@test "the flight recorder of a running process: on, shown, on with another size, off" {
	for program in $kinds; do
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
		ended "$client"
		[ "$(wc -l <pairs)" -eq 10 ]
		[ "$program" = hooked ] || code_is_back
		trace_it -p "$pid" --flight --stop
		expect_status 125
		expect_err "whocallme trace: process $pid: its flight recorder is off; --flight=N \
switches it on"
		[ ! -s program.err ]
		exec 9>&-
		ended "$pid"
	done
}

@test "the last calls of a running process, if its flight recorder is on" {
	for program in $kinds; do
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
		expect_err "whocallme $command: process $pid has no agent; start it by \
whocallme trace --agent, or with WHOCALLME_AGENT=yes if libwhocallme is linked, or let it call \
wcm_agent_start()"
	done
	say threads
	await grep -qx 'threads 1' said
	say start
	await grep -qx 'start 0' said
	say threads
	await grep -qx 'threads 3' said
	observe "$whocallme" stack -p "$pid"
	expect_status 0
	say stop
	say threads
	await eval "[ \$(grep -cx 'threads 1' said) -eq 2 ]"
	observe "$whocallme" stack -p "$pid"
	expect_status 1
	kill -9 "$pid"
	ended "$pid" || true
	observe "$whocallme" trace -p "$pid"
	expect_status 125
	expect_err "whocallme trace: process $pid: No such process"
	agent=perhaps begin "$bin/hooked"
	grep -qx '<whocallme>: there is no agent: WHOCALLME_AGENT takes yes or no, not perhaps' program.err
}

@test "trace --agent: a program that waits to be asked, or is traced and can be asked" {
	local kind=${kinds##* }
	agent='' begin "$whocallme" trace --agent "$bin/$kind"
	code_is same
	turns 1
	ask --pairs=pairs
	traced
	turns 1
	observe "$whocallme" trace -p "$pid" --stop
	ended "$client"
	[ "$(wc -l <pairs)" -eq 10 ]
	[ ! -s program.err ]
	exec 9>&-
	ended "$pid"
	agent='' begin "$whocallme" trace --agent --flight=2 --pairs=pairs "$bin/hooked"
	turns 1
	trace_it -p "$pid"
	expect_status 125
	trace_it -p "$pid" --stop
	expect_status 0
	trace_it -p "$pid" --flight
	expect_status 0
	[ "$(wc -l <pairs)" -eq 10 ]
	[ -z "$emulated" ] || skip "sleep is of another CPU than the library"
	# Its calls cannot be had, its stacks can.
	"$whocallme" trace --agent sleep 60 3>&- 9>&- &
	children+=($!)
	sleeper=$!
	await timeout 10 "$whocallme" stack -L -p "$sleeper"
	trace_it --agent -F turn "$bin/hooked"
	expect_status 2
	for program in "$bin/$kind" /nowhere; do
		trace_it --agent --pairs=/nowhere/else $program
		expect_status $([ $program = /nowhere ] && echo 127 || echo 125)
	done
	trace_it --agent --pairs=pairs true
	expect_status 125
}

@test "options that do not go with a running process are refused" {
	for wrong in "-p 0" "-p 1x" "-p -1" "-p 1 true" "--stop true" "-p 1 --no-carry" "-p 1 --agent" \
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

@test "a refusal leaves the file of a trace as it was, or away" {
	begin "$bin/hooked"
	ask
	traced
	agent=no
	for refuses in "$pid" 1 $$; do
		echo KEEP >kept
		for option in --log= --pairs= --addresses=; do
			trace_it -p "$refuses" ${option}kept
			expect_status 125
			trace_it -p "$refuses" ${option}new
			expect_status 125
		done
		[ "$(cat kept)" = KEEP ]
		[ ! -e new ]
	done
	trace_it -p "$pid" --stop
	ended "$client"
	ask --pairs=kept
	traced
	turns 1
	kill -INT "$client"
	ended "$client"
	[ "$(wc -l <kept)" -eq 10 ]
	refute grep -q KEEP kept
}

@test "a command whose standard descriptors are closed writes to none of its own" {
	begin "$bin/hooked"
	status=0
	timeout -s INT 5 "$whocallme" trace -p "$pid" <&- >&- 2>&- 3>&- 9>&- || status=$?
	[ "$status" -eq 125 ]
	for command in "stack -p $pid" help --version "functions $bin/hooked"; do
		# shellcheck disable=SC2086 # a list
		observe sh -c '"$@" >&-' sh "$whocallme" $command
		expect_status 1
	done
	# What is run has them as they were.
	observe sh -c '"$@" <&-' sh "$whocallme" run ls -d /proc/self/fd/0
	expect_status 2
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
	begin "$bin/${kinds##* }"
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
	ended "$client"
	diff -u <(expected_calls 2) <(calls <client.err)
	say close
	turns 1 # it has closed them
	await timeout 10 "$whocallme" stack -p "$pid"
	ask
	traced
	say close
	ended "$client"
	code_is_back
	await timeout 10 "$whocallme" stack -p "$pid"
	[ -z "$emulated" ] || skip "qemu has a thread of its own, which the agent waits for"
	say leave
	ended "$pid"
	[ ! -s program.err ]
}

# memory NAME FLAG...: the code of $bin/NAME and of a library is changed by a trace in all sleds
# that are listed and nowhere else, and is the files' again afterwards.
memory()
{
	local name=$1 judge
	shift
	build_library liba.so sled_plugin.c -O2 "$@"
	build "$name" asked.c -O1 "$@" -- -Wl,--no-as-needed "$bin/liba.so" -Wl,-rpath,"$bin"
	judge="python3 $BATS_TEST_DIRNAME/sled_memory.py $whocallme"
	begin "$bin/$name"
	ask --pairs=/dev/null
	traced
	$judge "$pid" "$bin/$name" "$bin/liba.so" >judged
	cat judged
	# What the dynamic linker calls when it has loaded something tells of that.
	[ "$(sed -n '3,$p' judged | grep -vc '^ld[-.].* is changed$')" -eq 0 ]
	[ "$(head -2 judged | awk '$3 > 0 && $5 == $3 && $7 == 0' | wc -l)" -eq 2 ] || blame "$*"
	kill -INT "$client"
	ended "$client"
	$judge "$pid" "$bin/$name" "$bin/liba.so" >judged
	[ "$(awk '$5 == 0 && $7 == 0' judged | wc -l)" -eq "$(wc -l <judged)" ] || blame "$*"
	exec 9>&-
	ended "$pid"
}

@test "a trace changes the sleds that functions --sleds lists, each of them and no other code" {
	has_sleds || skip "there are no sleds"
	needs python3
	for CC in gcc clang; do
		command -v $CC >/dev/null || continue
		for form in 5 12 18,16 9,7; do
			memory listed -fpatchable-function-entry=$form
		done
	done
	CC=gcc
	memory listed -fpatchable-function-entry=16,16 -fcf-protection
}

@test "a static program in another root directory: lines and a graph come, a recording would not" {
	[ "$(id -u)" -eq 0 ] || skip "only root can change the root directory"
	build_static static asked.c -O1 -finstrument-functions
	mkdir jail
	cp "$bin/static" jail
	begin chroot "$PWD/jail" /static
	ask
	traced
	turns 2
	kill -INT "$client"
	ended "$client"
	diff -u <(expected_calls 2) <(calls <client.err)
	ask --graph=graph.dot --no-times
	traced
	turns 2
	kill -INT "$client"
	ended "$client"
	grep -F '"first" -> "leaf" [label="  4' graph.dot
	observe "$whocallme" trace -p "$pid" --record=recording
	expect_status 125
	err_has "^whocallme trace: process $pid has other directories than this one"
	[ ! -e recording ]
}

# leaves_root WAY COMPLAINTS: to join a namespace of mounts is to leave a root directory of one's own,
# as a test of another system has; the end of the recording is not noted then, which is said.
leaves_root()
{
	[[ $1 == join-mounts* ]] && ! [ /proc/1/root -ef / ] &&
		! grep -v "changes of the recording's file info were not made" "$2"
}

@test "what the kernel grants to a process of one thread it grants under an agent and a recording" {
	$CC -g -O0 -finstrument-functions -pthread -o "$bin/one_thread" "$programs/one_thread.c"
	build linked one_thread.c -O1 -DLINKED -pthread
	local ways="user user-and-pid memory handlers unknown join-user join-any join-own
		join-mounts join-time vfork thread,user thread,join-user user,user
		memory,user join-mounts,join-user"
	local way
	for way in $ways; do
		local words=${way//,/ }
		# shellcheck disable=SC2086 # a list of words
		"$bin/one_thread" $words >expected
		# shellcheck disable=SC2086
		{
			"$whocallme" trace --agent "$bin/one_thread" $words >agent 2>agent.err
			"$whocallme" trace --record=r "$bin/one_thread" $words >record 2>record.err
			"$whocallme" trace --agent --record=r2 "$bin/one_thread" $words >both 2>both.err
			"$bin/linked" $words >linked 2>linked.err
		}
		for run in agent record both linked; do
			diff -u expected "$run"
			# Without threads of its own in the namespace the agent is gone, which is said.
			[ "$way,$run" = user-and-pid,agent ] || [ "$way,$run" = user-and-pid,both ] ||
				[ ! -s "$run.err" ] || leaves_root "$way" "$run.err" ||
					blame "$way, $run: $(cat "$run.err")"
		done
		[ "$("$whocallme" report r | awk '$NF == "called" { print $(NF - 1) }')" = \
			$((5 * $(wc -w <<<"$words ends"))) ]
		rm -rf r r2
	done
	observe "$whocallme" trace --agent "$bin/one_thread" user-and-pid
	if grep -q '^user-and-pid 0' "$out"; then
		expect_err "<whocallme>: there is no agent any more: its threads made way for a call \
of the program's, and no other can begin"
	fi
	[ "$(unshare -Ur id -u)" = "$("$whocallme" trace --agent -- unshare -Ur id -u)" ]
}

# alike KIND...: all threads of $pid are in its own namespaces of these kinds.
alike()
{
	local kind
	for kind in "$@"; do
		[ "$(readlink /proc/"$pid"/task/*/ns/"$kind" | sort -u | wc -l)" -eq 1 ]
	done
}

@test "no thread of the library's stays in a namespace that the program leaves" {
	[ "$EUID" -eq 0 ] && unshare -nmui true || skip "there are no namespaces"
	needs nsenter
	begin "$whocallme" trace --agent --record=r "$bin/hooked"
	pid=$(sed -n 's/^here //p' said)
	say apart
	await grep -qx 'apart 0' said
	alike net mnt uts ipc
	observe nsenter -t "$pid" -n "$whocallme" stack -L -p "$pid"
	expect_status 0
	say together
	await grep -qx 'together 0' said
	alike net mnt uts ipc
	[ "$(readlink "/proc/$pid/ns/net")" = "$(readlink /proc/self/ns/net)" ]
	observe "$whocallme" stack -L -p "$pid"
	expect_status 0
	exec 9>&-
}

@test "no thread of the library's may what the program has given up" {
	[ "$EUID" -eq 0 ] || skip "only root has rights to give up"
	local way mode
	build rights rights_of_threads.c -O0 -finstrument-functions -- -Wl,--no-as-needed
	build linked_rights rights_of_threads.c -O0 -DLINKED
	mkdir -p -m 777 "$bin/rights.d"
	for way in daemon kept capabilities plain "for a while"; do
		env -u WHOCALLME_AGENT "$bin/rights" "$way" >"$bin/expected"
		[ "$(wc -l <"$bin/expected")" -eq 1 ]
		for mode in --agent "--record=$bin/rights.d/r" "--agent --record=$bin/rights.d/r"; do
			rm -rf "$bin/rights.d/r"
			# shellcheck disable=SC2086 # words
			observe "$whocallme" trace $mode "$bin/rights" "$way"
			expect_status 0
			diff "$bin/expected" "$out" || blame "$mode: $way"
		done
		observe "$bin/linked_rights" "$way"
		diff "$bin/expected" "$out" || blame "linked: $way"
	done
	[ "$("$whocallme" trace --agent -- setpriv --reuid 65534 --regid 65534 --clear-groups \
		id -u 2>/dev/null)" = 65534 ]
}

@test "a process with a user namespace of its own answers, and its trace goes on" {
	unshare --user true || skip "there are no user namespaces"
	local kind=${kinds##* }
	begin "$bin/$kind"
	ask --log
	traced
	turns 2
	# The kernel is done with the last thread of a turn a moment after libc.
	await eval "say threads; sleep 0.1; tail -n 1 said | grep -qx 'threads 3'"
	say unshare
	await grep -qx 'unshare 0' said
	turns 2
	observe "$whocallme" stack -p "$pid"
	expect_status 0
	grep -q 'main' "$out"
	kill -INT "$client"
	ended "$client"
	[ ! -s program.err ]
	diff -u <(expected_calls 4) <(calls <client.err)
	code_is_back
	ask --log
	traced
	turns 1
	kill -INT "$client"
	ended "$client"
	diff -u <(expected_calls 1) <(calls <client.err)
}
