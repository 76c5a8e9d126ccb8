#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# trace.bats - what is traced is what happens, as gdb and uftrace see it, and is
# there afterwards, however the program ended.

load support

setup_file()
{
	bin=$BATS_FILE_TMPDIR
	build traced traced.c -O0 -finstrument-functions -- -Wl,--no-as-needed
	build calls traced_calls.c -O0 -finstrument-functions -- -Wl,--no-as-needed
	build throws traced_throws.cc -O0 -finstrument-functions -- \
		-Wl,--no-as-needed
	build_own calls traced_calls.c -O0 -finstrument-functions
	build_own throws traced_throws.cc -O0 -finstrument-functions
	build ends traced_ends.c -O0 -finstrument-functions -- -Wl,--no-as-needed
}

log_line='^(FUN|RET|REX) +[0-9]+ +[0-9'\'']+ +[0-9]+ ( *)&([^ ]+)'

# Depth and name of each call in a log, in its order; folded ones as often as they
# were.
calls_of()
{
	five_digits "$1" | awk '/^FUN/ {
		at = index($0, "&")
		name = substr($0, at + 1)
		sub(/[ ,].*/, "", name)
		n = match($0, / x[0-9]+, /) ? substr($0, RSTART + 2) + 0 : 1
		for (; n > 0; n--)
			print (at - 33) / 2, name
	}'
}

log_calls()
{
	observe env WHOCALLME_TRACE=log "$@"
	expect_status 0
	refute grep -q " x1, " "$err"
	calls_of "$err" >"$BATS_TEST_TMPDIR/ours"
}

# gdb_calls SOURCE PROGRAM ARGUMENT...: the same by gdb, the program's own
# functions being those of SOURCE.
gdb_calls()
{
	local source=$1
	shift
	needs gdb
	not_sanitized "gdb and AddressSanitizer disagree on the address space"
	timeout 120 gdb -nx -batch -iex 'set debuginfod enabled off' \
		-ex 'set startup-with-shell off' -ex 'set width 0' \
		-ex 'set breakpoint pending on' \
		-ex 'handle SIGUSR1 SIGUSR2 nostop noprint pass' \
		-ex "rbreak $source:." -ex run \
		-ex 'python
import gdb
while gdb.selected_thread():
    gdb.execute("bt")
    gdb.execute("continue")
end' --args "$@" </dev/null >"$BATS_TEST_TMPDIR/gdb" 2>&1 || :
	awk -v source="$source" '
		function put() { if (name != "") print depth - 1, name; name = "" }
		/^#0 / { put(); depth = over = 0; name = $2 ~ /^0x/ ? $4 : $2 }
		# No further; ?? in a library is a function of which the name is not known.
		/^#.* in (__start_context |[?][?] \(\)$)/ { over = 1 }
		/^#/ && !over && index($0, source ":") { depth++ }
		END { put() }' "$BATS_TEST_TMPDIR/gdb" >"$BATS_TEST_TMPDIR/theirs"
}

# as_gdb NAME: the program "calls" does what NAME says.
as_gdb()
{
	log_calls "$bin/calls" "$1"
	gdb_calls traced_calls.c "$bin/calls" "$1"
	[ "$(wc -l <"$BATS_TEST_TMPDIR/theirs")" -gt 5 ]
	diff -u "$BATS_TEST_TMPDIR/theirs" "$BATS_TEST_TMPDIR/ours"
}

# Depth and name of each call by uftrace.
uftrace_calls()
{
	needs uftrace
	not_sanitized "uftrace wants to be loaded first"
	uftrace record --no-libcall --no-event -d "$BATS_TEST_TMPDIR/uftrace" \
		"$@" >/dev/null 2>&1
	uftrace replay -d "$BATS_TEST_TMPDIR/uftrace" -f none --no-merge |
		awk '/\(\) \{$/ { match($0, /^ */); sub(/\(\)$/, "", $1)
			print RLENGTH / 2, $1 }' >"$BATS_TEST_TMPDIR/theirs"
}

@test "recursion, as uftrace sees it" {
	log_calls "$bin/calls" recursion
	uftrace_calls "$bin/own/calls" recursion
	[ "$(wc -l <"$BATS_TEST_TMPDIR/theirs")" -eq 24 ]
	diff -u "$BATS_TEST_TMPDIR/theirs" "$BATS_TEST_TMPDIR/ours"
}

@test "exit within calls, as uftrace sees it" {
	log_calls "$bin/calls" exits
	uftrace_calls "$bin/own/calls" exits
	diff -u "$BATS_TEST_TMPDIR/theirs" "$BATS_TEST_TMPDIR/ours"
}

@test "exceptions, as uftrace sees them" {
	log_calls "$bin/throws"
	c++filt <"$err" | sed 's/(anonymous namespace):://; s/(.*)//' >"$err.plain"
	calls_of "$err.plain" >"$BATS_TEST_TMPDIR/ours"
	uftrace_calls "$bin/own/throws"
	sed -i 's/_GLOBAL__N_1:://' "$BATS_TEST_TMPDIR/theirs"
	[ "$(wc -l <"$BATS_TEST_TMPDIR/theirs")" -gt 50 ]
	diff -u "$BATS_TEST_TMPDIR/theirs" "$BATS_TEST_TMPDIR/ours"
}

@test "exceptions through clang's functions, which report no exit, as through gcc's" {
	needs clang++
	not_sanitized "clang's runtime is not gcc's"
	# shellcheck disable=SC2086 # a list
	clang++ -O0 -finstrument-functions -o "$bin/throws-clang" \
		"$programs/traced_throws.cc" -Wl,--no-as-needed $shared_libs
	log_calls "$bin/throws"
	cp "$BATS_TEST_TMPDIR/ours" "$BATS_TEST_TMPDIR/gcc"
	log_calls "$bin/throws-clang"
	diff -u <(sed 's/D[12]Ev/DEv/' "$BATS_TEST_TMPDIR/gcc") \
		<(sed 's/D[12]Ev/DEv/' "$BATS_TEST_TMPDIR/ours")
}

# uftrace hears of each end in g++'s code, and judges the tree; clang's tells of none.
@test "exceptions that leave inlined functions, by clang, as uftrace sees them by gcc" {
	local level
	needs g++ clang++
	not_sanitized "clang's runtime is not gcc's"
	build_own inlined traced_inlined.cc -O0 -finstrument-functions
	uftrace_calls "$bin/own/inlined"
	[ "$(wc -l <"$BATS_TEST_TMPDIR/theirs")" -eq 130 ]
	for level in -O0 -O1 -O2 -O3; do
		CXX=clang++ build inlined-clang traced_inlined.cc "$level" \
			-finstrument-functions -- -Wl,--no-as-needed
		log_calls "$bin/inlined-clang"
		sed 's/(.*)//' "$err" >"$err.plain"
		diff -u "$BATS_TEST_TMPDIR/theirs" <(calls_of "$err.plain")
		observe env WHOCALLME_TRACE=graph WHOCALLME_OUTPUT="$bin/inlined.dot" \
			"$bin/inlined-clang"
		grep -q '"passing(int)" -> "throwing_foo(int)".*calls=6' "$bin/inlined.dot"
		refute grep '"throwing_foo(int)" ->' "$bin/inlined.dot"
	done
}

# What does not tell of its end is taken to be open until it begins again.
@test "an inlined function that throws, over and over, is one call at a time" {
	needs clang++
	not_sanitized "clang's runtime is not gcc's"
	cat >"$bin/inlined.cc" <<-'C'
		static void after() { asm volatile(""); }
		__attribute__((always_inline)) static inline void thrower(int i)
		{
			if (i % 4)
				throw i;
		}
		__attribute__((noinline)) static void loop()
		{
			for (int i = 0; i < 1000; i++)
				try {
					thrower(i);
				} catch (int) {
					asm volatile("");
				}
			after();
		}
		int main() { loop(); after(); }
	C
	clang++ -O2 -finstrument-functions -o "$bin/inlined" "$bin/inlined.cc" \
		$sanitize -Wl,--no-as-needed $shared_libs
	log_calls "$bin/inlined"
	diff -u <(printf '%s\n' '1 0 main' '1 1 loop' '1000 2 thrower' | sort) \
		<(grep -v after "$BATS_TEST_TMPDIR/ours" | sort | uniq -c |
			sed 's/^ *//' | sort)
	[ "$(grep -c after "$BATS_TEST_TMPDIR/ours")" -eq 2 ]
	[ "$(tail -n 1 "$BATS_TEST_TMPDIR/ours")" = '1 after' ]
}

@test "longjmp, as gdb sees it" {
	as_gdb jumps
}

@test "coroutines, as gdb sees them" {
	as_gdb coroutines
}

@test "coroutines whose stacks are in a function's frame, as gdb sees them" {
	as_gdb coroutines-on-the-stack
}

@test "signals and siglongjmp, as gdb sees them" {
	as_gdb signals
}

@test "signals on an alternate stack, as gdb sees them" {
	as_gdb alternate-signals
}

@test "a thousand coroutines abandoned at one place are no deeper than one" {
	log_calls "$bin/calls" abandoned
	diff -u <(printf '%s\n' '1 0 main' '1 1 abandoned' '1 2 leaf' \
		'1000 0 nobody' '1000 1 leaf' '1000 2 resume' '1000 2 start' | sort) \
		<(sort "$BATS_TEST_TMPDIR/ours" | uniq -c | sed 's/^ *//' | sort)
}

@test "of too many stacks, the calls of those given up are closed" {
	cat >"$bin/stacks.c" <<-'C'
		#include <stdlib.h>
		#include <ucontext.h>
		enum { STACKS = 4200, SIZE = 16384 };
		static ucontext_t self, other[STACKS];
		static void wait(void) { swapcontext(&other[0], &self); }
		int main(void)
		{
			for (int i = 0; i < STACKS; i++) {
				getcontext(&other[i]);
				other[i].uc_stack.ss_sp = malloc(SIZE);
				other[i].uc_stack.ss_size = SIZE;
				makecontext(&other[i], wait, 0);
				swapcontext(&self, &other[i]);
			}
		}
	C
	build stacks "$bin/stacks.c" -O0 -finstrument-functions -- -Wl,--no-as-needed
	observe env WHOCALLME_TRACE_EXITS=yes WHOCALLME_TRACE=log "$bin/stacks"
	expect_status 0
	[ "$(grep -c '^FUN .*&wait' "$err")" -eq 4200 ]
	[ "$(grep -c '^REX .*&wait' "$err")" -eq 105 ] # beside those of 4096 stacks
	[ "$(tail -n 1 "$err" | grep -c '^RET .*&main')" -eq 1 ]
}

@test "threads that end by pthread_exit() have calls of their own each" {
	log_calls "$bin/calls" thread-exits
	[ "$(grep -c '^0 thread$' "$BATS_TEST_TMPDIR/ours")" -eq 3 ]
	[ "$(grep -c '^3 leave_thread$' "$BATS_TEST_TMPDIR/ours")" -eq 3 ]
	[ "$(tail -n 1 "$BATS_TEST_TMPDIR/ours")" = '2 leaf' ]
	[ "$(awk '/&thread$/ { print $2 }' "$err" | sort -u | wc -l)" -eq 3 ]
}

@test "a forked child has its own number, and writes nothing twice" {
	log_calls "$bin/calls" forks
	diff -u <(printf '%s\n' '0 main' '1 forks' '2 deeper' '3 leaf' '2 leaf') \
		"$BATS_TEST_TMPDIR/ours"
	[ "$(awk '/^FUN/ { print $2 }' "$err" | sort -u | wc -l)" -eq 2 ]
	WHOCALLME_OUTPUT=$BATS_TEST_TMPDIR/%p.log \
		observe env WHOCALLME_TRACE=log "$bin/calls" forks
	cat "$BATS_TEST_TMPDIR"/*.log | grep -c ^FUN | grep -x 5
	[ "$(echo "$BATS_TEST_TMPDIR"/*.log | wc -w)" -eq 2 ]
	for each in "$BATS_TEST_TMPDIR"/*.log; do
		grep -q "^FUN *$(basename "$each" .log) " "$each"
	done
}

@test "the log's columns" {
	observe env WHOCALLME_TRACE=log "$bin/traced"
	[ "$(head -n 1 "$err")" = '#     tid   nanoseconds   stack symbol' ]
	[ "$(sed 1,2d "$err" | grep -c -v -E "$log_line")" -eq 0 ]
	[ "$(five_digits "$err" | sed 1,2d | cut -c1-32 | grep -c -v -E \
		"^FUN[ 0-9]{6}[ 0-9']{14} *[0-9]+ $")" -eq 0 ]
	sed 1,2d "$err" | awk '{ print $3 }' | tr -d "'" >"$BATS_TEST_TMPDIR/times"
	sort -n -C "$BATS_TEST_TMPDIR/times"
}

@test "calls that repeat are one line, with their number and time" {
	cat >"$bin/folded.c" <<-'C'
		static void pause(void) { }
		static void do_stuff(int n) { while (n--) pause(); }
		int main(void) { do_stuff(10000); do_stuff(1); pause(); pause(); }
	C
	build folded "$bin/folded.c" -O0 -finstrument-functions -- -Wl,--no-as-needed
	log_calls "$bin/folded"
	[ "$(grep -v -c "^#" "$err")" -eq 8 ]
	err_has '    &pause x9999, [0-9'\'']+ ns$'
	diff -u <(printf '%s\n' '1 0 main' '2 1 do_stuff' '2 1 pause' \
		'10001 2 pause' | sort) \
		<(sort "$BATS_TEST_TMPDIR/ours" | uniq -c | sed 's/^ *//' | sort)
}

@test "exits with their durations" {
	observe env WHOCALLME_TRACE_EXITS=yes WHOCALLME_TRACE=log "$bin/traced"
	[ "$(grep -c ^FUN "$err")" -eq "$(grep -c ^RET "$err")" ]
	[ "$(tail -n 1 "$err" | grep -c -E '^RET .* &main, [0-9'\'']+ ns$')" -eq 1 ]
	observe env WHOCALLME_TRACE_EXITS=yes WHOCALLME_TRACE=pairs "$bin/traced"
	err_has '^__cyg_profile_func_exit: func = test, called by = test_b, after [0-9]+ ns$'
}

@test "addresses: an E and an X for each call, which addr2line knows" {
	needs addr2line
	compile "$bin/static.o" "$programs/traced.c" -O0 -finstrument-functions
	# shellcheck disable=SC2086 # lists
	$CC -no-pie -o "$bin/static" "$bin/static.o" $sanitize \
		-Wl,--no-as-needed $shared_libs -lpthread -ldl
	observe env WHOCALLME_TRACE=addresses "$bin/static"
	[ "$(grep -c -v -E '^[EX]0x[0-9a-f]+$|^# 0x' "$err")" -eq 0 ]
	diff -u <(printf '%s\n' main the_calls test test_a test_b test test_c \
		test_b test test_c) \
		<(sed -n 's/^E//p' "$err" | addr2line -f -e "$bin/static" |
			sed -n 1~2p)
	[ "$(grep -c ^E "$err")" -eq "$(grep -c ^X "$err")" ]
}

# ends HOW: run it with its log in a file; how many calls the log has.
ends()
{
	local log=$BATS_TEST_TMPDIR/$1.log
	VICTIM=$BATS_TEST_TMPDIR/victim WHOCALLME_OUTPUT=$log \
		observe env WHOCALLME_TRACE=log "$bin/ends" "$1"
	sleep "${2-0}"
	[ "$(grep . "$log" | grep -v '^#' | grep -c -v -E "$log_line")" -le "${3-0}" ]
	calls_of "$log" | wc -l
}

@test "whatever ends the program, what was logged is in the file" {
	for how in return exit; do
		[ "$(ends "$how")" -eq 902 ]
		refute grep -q '^ *$' "$BATS_TEST_TMPDIR/$how.log"
	done
	for how in quick_exit _exit abort kill; do
		[ "$(ends "$how")" -eq 902 ]
	done
	[ "$(ends exec)" -eq 1804 ]
}

@test "a program that closes all descriptors, or becomes a daemon, is traced on" {
	[ "$(ends close)" -eq 902 ]
	[ ! -s "$BATS_TEST_TMPDIR/victim" ]
	[ "$(ends daemon 1)" -eq 902 ]
	VICTIM=$BATS_TEST_TMPDIR/victim observe \
		env WHOCALLME_TRACE=log "$bin/ends" close
	calls_of "$err" | wc -l | grep -x 902
	[ ! -s "$BATS_TEST_TMPDIR/victim" ]
}

@test "a full disk ends the trace and not the program" {
	(
		ulimit -f 16
		WHOCALLME_OUTPUT=$BATS_TEST_TMPDIR/full.log \
			observe env WHOCALLME_TRACE=log "$bin/ends" return
		expect_status 0
		err_has '^<whocallme>: the trace ends here: no more can be written to /.*/full.log: the (disk is full|file may not be that large)$'
	)
	[ "$(calls_of "$BATS_TEST_TMPDIR/full.log" | wc -l)" -gt 100 ]
	observe env WHOCALLME_TRACE=log WHOCALLME_OUTPUT=/dev/full "$bin/ends" return
	expect_status 0
}

@test "stderr that is a file that may not grow ends the trace and not the program" {
	for format in log pairs addresses; do
		(
			ulimit -f 2
			observe env WHOCALLME_TRACE=$format "$bin/ends" return
			expect_status 0
			[ "$(stat -c %s "$err")" -eq 2048 ]
		)
	done
}

@test "a reader that goes away ends the trace and not the program" {
	{
		status=0
		WHOCALLME_TRACE=log "$bin/ends" return 2>&1 || status=$?
		echo "$status" >"$BATS_TEST_TMPDIR/status"
	} | head -n 1 >/dev/null
	[ "$(cat "$BATS_TEST_TMPDIR/status")" -eq 0 ]
}

@test "a file that cannot be made is named" {
	observe env WHOCALLME_TRACE=log WHOCALLME_OUTPUT=/nowhere/log "$bin/traced"
	expect_status 0
	expect_err "<whocallme>: nothing is traced: WHOCALLME_TRACE=log: the file cannot be opened: WHOCALLME_OUTPUT=/nowhere/log: No such file or directory"
}

@test "threads write whole lines to a file, and every one" {
	WHOCALLME_OUTPUT=$BATS_TEST_TMPDIR/log \
		observe env WHOCALLME_TRACE=log "$bin/traced" threads
	[ "$(grep -v '^#' "$BATS_TEST_TMPDIR/log" | grep -c -v -E "$log_line")" -eq 0 ]
	diff -u <(printf '%s\n' '1 0 main' '1 1 threads' '2000 1 test_b' \
		'2000 2 test' '4 0 thread_body' | sort) \
		<(calls_of "$BATS_TEST_TMPDIR/log" | sort | uniq -c |
			sed 's/^ *//' | sort)
}

@test "a caller is named though its call is its last instruction" {
	cat >"$bin/last.c" <<-'C'
		#include <stdlib.h>
		__attribute__((noinline, noreturn)) void ends(void) { exit(0); }
		__attribute__((noinline, no_instrument_function)) void last(void) { ends(); }
		__attribute__((no_instrument_function)) int main(void) { last(); return 0; }
	C
	build last "$bin/last.c" -O2 -finstrument-functions -- -Wl,--no-as-needed
	observe env WHOCALLME_TRACE=pairs "$bin/last"
	expect_status 0
	err_has 'func = ends, called by = last$'
}

@test "a repeat has its time, two have their number, and one that has not ended has neither" {
	needs_arch "x86_64 i386 aarch64" "there are no sleds"
	trace_setup
	$CC -O0 -fpatchable-function-entry=5 -o folds -x c - -lpthread <<'.'
#include <pthread.h>
void leaf(int is_last) { if (is_last) pthread_exit(0); }
void other(void) { }
void *thread(void *calls)
{
	for (char *each = calls; *each; each++)
		leaf(*each == '.');
	other();
	return 0;
}
int main(int argc, char *argv[])
{
	pthread_t id;

	pthread_create(&id, 0, thread, argv[argc - 1]);
	return pthread_join(id, 0);
}
.
	trace_it --no-signals ./folds 'aa'
	err_has "&leaf, [0-9']+ ns$"
	trace_it --no-signals ./folds 'aaa'
	err_has "&leaf x2, [0-9']+ ns$"
	trace_it --no-signals ./folds 'a.'
	[ "$(grep -c '&leaf$' "$err")" -eq 2 ]
	trace_it --no-signals ./folds 'a'
	[ "$(grep -c '&leaf$' "$err")" -eq 1 ]
}
