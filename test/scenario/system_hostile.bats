#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# system_hostile.bats - system calls of programs that a trace could crash, hang or lose: it does
# none of that, and they do what they do without.

load support
load system_calls

setup_file()
{
	bin=$BATS_FILE_TMPDIR
	$CC -w -O1 -o "$bin/hostile" "$programs/system_hostile.c" -lpthread
	$CC -O1 -rdynamic -o "$bin/ways" "$programs/system_ways.c" -lpthread -ldl
	$CC -w -O1 -o "$bin/handlers" "$programs/system_handlers.c" -lpthread
	$CC -O1 -o "$bin/refuses" "$programs/system_refuses.c"
	$CC -O1 -o "$bin/filters" "$programs/system_filters.c" -lpthread
}

# hostile LEAST WAY [ARGUMENT]: it is unharmed, and so many lines are there at least.
hostile()
{
	local least=$1
	shift
	observe timeout 60 "$bin/hostile" "$@"
	[ "$status" -eq 5 ] || skip "$1: it does not do that here"
	traced --system-calls "$bin/hostile" "$@"
	expect_status 5
	[ ! -s "$out" ] && [ ! -s "$err" ] || blame "$*"
	[ "$(grep -c '^SYS' "$bin/log")" -ge "$least" ] || blame "$(grep -c '^SYS' "$bin/log")"
	refute grep -vE "^(#|SYS +[0-9]+ +[0-9']+ +[a-z_0-9]+\(.*\)( → .*)? *$|$)" "$bin/log"
}

# unharmed WAY: it does what it does without a trace.
unharmed()
{
	observe timeout 20 "$bin/handlers" "$1"
	[ "$status" -eq 5 ] || skip "$1: it does not do that here"
	traced --system-calls "$bin/handlers" "$1"
	expect_status 5
}

@test "a child without handlers, and a handler that leaves SIGSYS blocked" {
	unharmed cleared
	grep -qE '^SYS .* getppid\(\)' "$bin/log"
	unharmed masks
}

@test "SIGSYS and SIGTRAP: handlers for one call, what is blocked, what a handler raises" {
	local way mode
	for way in resets blocks nests; do
		unharmed $way
		for mode in --system-calls --probes; do
			traced --no-signals $mode "$bin/handlers" $way
			expect_status 5
		done
	done
}

@test "a child that asks to be traced, one of vfork() too, and one that waits for its tracer" {
	local way
	for way in tracees attached; do
		unharmed $way
		err_has "^<whocallme>: a thread's system calls are traced no more: ptrace\(2\) traces it"
		grep -q '^SYS.*ptrace(0, 0, 0, 0) → 0\|^SYS.*kill(' "$bin/log" || blame $way
	done
}

@test "signals that a thread sends the process are its first thread's, which sleeps" {
	local i
	for i in 1 2 3; do
		unharmed first
	done
}

@test "a child whose thread pointer leads to nothing" {
	unharmed stranger
	[ "$(grep -c '^SYS.* getppid()' "$bin/log")" -ge 1 ]
	[ "$(grep -c '^SYS.* clone(.*CLONE_SETTLS' "$bin/log")" -eq 3 ]
}

@test "gdb and strace under a trace do what they do without" {
	needs strace
	strace -o /dev/null true 2>/dev/null || skip "strace does not trace here"
	traced --no-signals --system-calls strace -f -o "$bin/under" "$bin/handlers" exits
	expect_status 5
	refute grep SIGSYS "$bin/under"
	needs gdb
	traced --no-signals --system-calls gdb -nx -q -batch -ex run -ex 'print $_exitcode' \
		--args "$bin/handlers" exits
	expect_status 0
	grep -q '= 5$' "$out"
	refute grep SIGSYS "$out"
}

@test "a filter, and SIGSYS by default, while another thread sleeps" {
	unharmed filters
	err_has 'the program filters them by seccomp'
}

@test "handlers that jump out of calls: what follows is told" {
	unharmed jumps
	[ "$(grep -c '^SYS .* access(\"/last\"' "$bin/log")" -eq 10 ]
}

@test "libc's signals, whose handlers look at the call that they interrupt" {
	unharmed cancels
	unharmed looks
}

@test "calls under way when a signal ends the program" {
	traced --system-calls "$bin/handlers" dies
	expect_status 143
	[ "$(grep -cE "^SYS +[0-9]+ +[0-9']+ +read\([0-9]+ \.\.\.\) → \?$" "$bin/log")" -eq 1 ]
	[ "$(grep -cE '→ \?$' "$bin/log")" -le 3 ] || blame "$(grep '→ ?$' "$bin/log")"
	observe timeout -s TERM 1 "$whocallme" trace --system-calls --log="$bin/log" sleep 100
	expect_status 124
	grep -qE '^SYS .* (clock_)?nanosleep\(.* \.\.\.\) → \?$' "$bin/log"
	refute grep rt_sigreturn "$bin/log"
}

@test "a child that ends by exit(2) leaves no room in the log" {
	unharmed exits
	grep -qE '^SYS .* exit\(5\)$' "$bin/log"
	refute grep -n '^$' "$bin/log"
}

@test "the stack below goes, and a call as 32-bit programs make it" {
	unharmed unmaps
	unharmed foreign
}

@test "SIGSYS that is sent has one report, and its status" {
	observe timeout 20 "$whocallme" trace --system-calls --log="$bin/log" sh -c 'kill -SYS $$'
	expect_status 159
	[ "$(grep -c 'SIGSYS, bad system call' "$err")" -eq 1 ]
}

@test "what writing raises comes behind the write" {
	timeout 20 "$whocallme" trace --system-calls=write --log="$bin/log" yes | head -n 1 \
		>/dev/null || :
	grep -q 'EPIPE' "$bin/log"
}

@test "pointers to nowhere, strings without end, calls that there are not" {
	hostile 35 pointers
}

@test "what another thread changes meanwhile" {
	hostile 15000 racing
}

@test "all descriptors closed, the log's as well" {
	hostile 100 closed
}

@test "10,000 threads with small stacks, one after the other, and 1,000 at once" {
	hostile 60000 serial
	hostile 6000 parallel
}

@test "stacks of coroutines" {
	hostile 1250 coroutines
}

@test "another root, and no privileges any more" {
	[ "$(id -u)" -eq 0 ] || skip "only root can change its root"
	mkdir -p "$BATS_TEST_TMPDIR/root"
	hostile 100 root "$BATS_TEST_TMPDIR/root"
}

@test "SIGSYS blocked from the beginning, and inherited by what is run" {
	timeout 60 "$bin/hostile" blocked "$bin/hostile" blocked "$bin/ways" exec >"$bin/expected"
	grep -q '^SIGSYS was blocked 1$' "$bin/expected"
	observe timeout 60 "$bin/hostile" blocked "$whocallme" trace --no-signals --system-calls \
		--log="$bin/log" "$bin/hostile" blocked "$bin/ways" exec
	expect_status 0
	diff -u "$bin/expected" "$out" || blame differs
	[ "$(grep -c '^SYS' "$bin/log")" -ge 200 ]
}

@test "a full disk and closed outputs: what is lost is said, and the program runs on" {
	observe timeout 60 "$whocallme" trace --system-calls --log=/dev/full "$bin/hostile" coroutines
	expect_status 5
	err_has '^<whocallme>: the trace ends here: .*: the disk is full$'
	observe timeout 60 bash -c '"$@" >&- 2>&-' bash "$whocallme" trace --system-calls \
		--log="$bin/log" "$bin/hostile" coroutines
	expect_status 5
	[ "$(grep -c '^SYS' "$bin/log")" -ge 1250 ]
	observe timeout 60 bash -c '"$@" >&- 2>&-' bash "$whocallme" trace --system-calls \
		"$bin/hostile" coroutines
	[[ $status == 5 || $status == 125 ]] || blame "without stderr"
}

@test "SIGKILL in the middle: lines are whole" {
	rm -f "$bin/log"
	"$whocallme" trace --system-calls --log="$bin/log" "$bin/hostile" endless 3>&- 4>&- &
	until [ "$(grep -cs '^SYS' "$bin/log")" -gt 1000 ]; do
		kill -0 $!
		sleep 0.01
	done
	kill -KILL $!
	wait $! || :
	refute grep -avE "^(#.*|SYS +[0-9]+ +[0-9']+ +[a-z_0-9]+\(.*\)( → .*)?|) *$" "$bin/log"
}

@test "a program that filters calls, or dispatches them itself, has its own way, which is said" {
	local way
	for way in filter:filters\ them\ by\ seccomp dispatch:dispatches\ them\ itself; do
		observe "$bin/refuses" "${way%%:*}"
		expect_status 3
		cp "$out" "$bin/expected"
		traced --no-signals --system-calls "$bin/refuses" "${way%%:*}"
		expect_status 3
		cmp "$bin/expected" "$out"
		err_has "^<whocallme>: system calls are traced no more: the program ${way#*:}"
		[ "$(wc -l <"$err")" -eq 1 ] || blame "$way"
		grep -q '^SYS.*getppid() → ' "$bin/log"
		grep -q '^SYS.*prctl(PR_SET_S' "$bin/log"
		refute grep '^ *$' "$bin/log"
	done
}

@test "a filter for all threads, which kills for what no thread of the program calls" {
	local run who call
	observe timeout 20 "$bin/filters" one readlinkat
	[ "$status" -eq 3 ] || skip "no filter for all threads here"
	for run in 1 2 3 4 5; do
		for who in one each; do
			for call in readlinkat process_vm_readv rt_sigpending prctl; do
				observe timeout 60 "$whocallme" trace --system-calls -y -o /dev/null \
					"$bin/filters" "$who" "$call"
				[ "$status" -eq 3 ] || blame "$run: $who $call: $status"
			done
		done
	done
	observe timeout 60 "$whocallme" trace --no-signals --system-calls -o "$bin/log" \
		"$bin/filters" one readlinkat process_vm_readv rt_sigpending gettid getdents64 prctl
	expect_status 3
	grep -q 'seccomp(SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, ' "$bin/log"
	err_has '^<whocallme>: system calls are traced no more: the program filters them by seccomp'
	# Whether a reader is at a terminal is asked before there is a filter.
	for call in --record="$bin/filtered" --graph="$bin/graph" --log="$bin/log" -c; do
		observe timeout 60 "$whocallme" trace --system-calls "$call" "$bin/filters" ends ioctl
		[ "$status" -eq 3 ] || blame "$call: $status"
	done
}

@test "a program that asks what filters the kernel has is traced on, in every mode" {
	local mode
	observe "$bin/refuses" asks
	expect_status 3
	out_has '^-6 [0-9]* 22$'
	for mode in --system-calls --library-calls "--system-calls --library-calls"; do
		# shellcheck disable=SC2086 # a list
		traced --no-signals $mode "$bin/refuses" asks
		expect_status 3
		out_has '^-6 [0-9]* 22$'
		[ ! -s "$err" ] || blame "$mode"
	done
	traced --no-signals --system-calls "$bin/refuses" asks
	[ "$(grep -c '^SYS.* seccomp(\|^SYS.*prctl(PR_SET_SECCOMP' "$bin/log")" -eq 6 ]
	grep -q '^SYS.*getppid() → ' "$bin/log"
}
