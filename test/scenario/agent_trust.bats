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
	for program in $kinds; do
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
	out_has '^#[01] .* in ((__)?read|__syscall_cancel_arch)\+' # in i386's vDSO, and since glibc 2.41
	exec 8>&-
	setpriv --reuid=1001 --regid=1001 --clear-groups sleep 60 3>&- 9>&- &
	other=$!
	children+=("$other")
	await grep -q '^Uid:.1001' "/proc/$other/status"
	observe "$whocallme" trace -p "$other"
	expect_status 125
	expect_err "whocallme trace: process $other is of user 1001, and an agent answers its own user alone"
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
