#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# sled_ends.bats - where calls of patched functions end: by return trampolines.

load support

setup_file()
{
	bin=$BATS_FILE_TMPDIR
	[ -n "$sanitize" ] || {
		hooked
		patched sleds $CXX -O2
	}
}

setup()
{
	bin=$BATS_FILE_TMPDIR
	not_sanitized "it has no room near the program"
}

# What is left when its frame is gone is told by frames alone with both sources, so that clang,
# whose hooks are not called when an exception passes, has the same ends.
hooked()
{
	command -v clang++ >/dev/null || return 0
	patched hooked clang++ -O0 -finstrument-functions
	patched as_hooked clang++ -O0
}

# patched NAME COMPILER FLAG...: $bin/NAME, with sleds unless it has hooks.
patched()
{
	local name=$1 compiler=$2
	shift 2
	case $* in *-finstrument*) ;; *) set -- "$@" -fpatchable-function-entry=5 ;; esac
	# shellcheck disable=SC2086 # lists
	$compiler -g -rdynamic "$@" -I"$top_srcdir/include" -o "$bin/$name" \
		"$programs/sled_ends.cc" -Wl,--no-as-needed $shared_libs -lpthread -ldl
}

# The lines of a log without numbers and times, by thread, which are in another order each time.
ends()
{
	sed -nE "s/^(FUN|RET|REX) +([0-9]+) +[0-9']+ +[0-9]+ ( *&[^ ,]*).*/\2 \1 \3/p" |
		awk '!($1 in number) { number[$1] = ++count } { $0 = number[$1] substr($0, length($1) + 1); print }' |
		sort -s -n -k 1,1
}

# log_of NAME ARGUMENT...: that, of a program with --exits.
log_of()
{
	observe env WHOCALLME_TRACE=log WHOCALLME_TRACE_EXITS=yes "$@"
	expect_status 0
	ends <"$err" >"$bin/ends"
}

@test "each way to leave a function ends its call as with hooks" {
	[ -e "$bin/hooked" ] || skip "no clang++"
	log_of "$bin/hooked" ways
	grep -v guard "$bin/ends" >"$bin/expected"
	[ "$(grep -c REX "$bin/expected")" -gt 10 ]
	[ "$(grep -c RET "$bin/expected")" -gt 30 ]
	log_of "$bin/as_hooked" ways
	diff -u "$bin/expected" <(grep -v guard "$bin/ends")
	[ "$(cat "$out")" = "4, 1" ]
}

@test "optimised code, whose calls at a function's end are jumps" {
	for compiler in g++ clang++; do
		command -v $compiler >/dev/null || continue
		patched optimised $compiler -O2
		log_of "$bin/optimised" ways
		[ "$(cat "$out")" = "4, 1" ]
		grep -A 3 'FUN *&jumped_to' "$bin/ends" >"$bin/jumped"
		diff -u <(printf '%s\n' FUN FUN RET RET) <(awk '{ print $2 }' "$bin/jumped")
		diff -u <(printf '%s\n' jumped_to last last jumped_to) <(grep -o 'jumped_to\|last' "$bin/jumped")
		# What begins ends.
		[ "$(grep -c FUN "$bin/ends")" -eq "$(grep -c 'RET\|REX' "$bin/ends")" ]
	done
}

@test "functions that are jumped to are within the one that jumps; loops of jumps have an end" {
	cat >"$bin/jumps.c" <<-'END'
		#include <setjmp.h>
		#include <stdlib.h>
		#define APART __attribute__((noinline, noclone, noipa))
		static jmp_buf back;
		APART int leaf(int x) { __asm__ volatile(""); return x; }
		APART int c(int x) { return leaf(x) + leaf(x + 1); }
		APART int b(int x) { leaf(x); return c(x + 1); }
		APART int a(int x) { return b(x + 1); }
		APART int odd(int x);
		APART int even(int x) { return x ? odd(x - 1) : leaf(x); }
		APART int odd(int x) { return even(x - 1); }
		APART int out(int x) { longjmp(back, x); }
		APART int jumps(int x) { return out(x); }
		int main(int argc, char *argv[])
		{
			int n = argc > 1 ? atoi(argv[1]) : 0, sum = 0;
			if (n <= 0) {
				sum += a(1) + a(2) + b(3);
				if (n == 0 && !setjmp(back))
					jumps(1);
				sum += a(3);
				return !sum;
			}
			return even(n);
		}
	END
	$CC -g -O2 -fno-stack-protector -fpatchable-function-entry=5 -o "$bin/jumps" "$bin/jumps.c"
	rm -rf "$bin/jumps.data" "$bin/theirs.data"
	observe "$whocallme" trace --record="$bin/jumps.data" "$bin/jumps" -1
	expect_status 0
	[ -z "$(command -v uftrace)" ] || [ "$(uname -m)" != x86_64 ] || [ -n "$emulated" ] || {
		uftrace record --no-pager --no-libcall --no-event -P . -d "$bin/theirs.data" \
			"$bin/jumps" -1 >/dev/null 2>&1
		diff -u <(uftrace replay --no-pager -f none -d "$bin/theirs.data") \
			<("$whocallme" replay "$bin/jumps.data" | sed -n 's/^[^|]*| //p')
	}
	observe "$whocallme" trace -e --log="$bin/jumps.log" "$bin/jumps"
	diff -u <(ends <"$bin/jumps.log" | sed -n '1,14p' | awk '{ print $2, $3 }') - <<-'END'
		FUN &main
		FUN &a
		FUN &b
		FUN &leaf
		RET &leaf
		FUN &c
		FUN &leaf
		RET &leaf
		FUN &leaf
		RET &leaf
		RET &c
		RET &b
		RET &a
		FUN &a
	END
	# A loop takes neither depth nor memory, and each call of it is there.
	rm -rf "$bin/jumps.data"
	observe "$whocallme" trace --record="$bin/jumps.data" "$bin/jumps" 20000
	expect_status 0
	[ ! -s "$err" ] || blame "$(cat "$err")"
	"$whocallme" replay --no-merge "$bin/jumps.data" >"$bin/jumps.text"
	[ "$(grep -c '| *even() {$' "$bin/jumps.text")" -eq 10001 ]
	[ "$(grep -c '| *odd() {$' "$bin/jumps.text")" -eq 10000 ]
	[ "$(grep -c ' }.*\(even\|odd\)' "$bin/jumps.text")" -eq 20001 ]
	refute grep -q '|          ' "$bin/jumps.text"
}

@test "other linkers, and what linking and compiling can do besides" {
	log_of "$bin/sleds" ways
	cp "$bin/ends" "$bin/plain"
	for flags in -fuse-ld=lld -fuse-ld=gold -fcf-protection=full -s "-no-pie -fno-pie" \
		"-ffunction-sections -Wl,--gc-sections" -fno-omit-frame-pointer \
		-fno-asynchronous-unwind-tables -fstack-protector-all -mavx2; do
		# shellcheck disable=SC2086 # a list
		patched flagged $CXX -O2 $flags 2>"$bin/errors" || {
			echo "# not with $flags: $(head -n 1 "$bin/errors")" >&3
			continue
		}
		log_of "$bin/flagged" ways
		diff -u "$bin/plain" "$bin/ends"
		[ "$(cat "$out")" = "4, 1" ]
	done
}

@test "stacks taken inside are those that are taken untraced, whoever takes them" {
	observe "$bin/sleds" stacks
	cp "$out" "$bin/untraced"
	[ "$(grep -c '^glibc' "$bin/untraced")" -ge 4 ]
	observe env WHOCALLME_TRACE=log WHOCALLME_TRACE_EXITS=yes WHOCALLME_OUTPUT=/dev/null \
		"$bin/sleds" stacks
	diff -u "$bin/untraced" "$out"
	diff -u <(sed -n 's/^glibc //p' "$out") <(sed -n 's/^whocallme //p' "$out")
}

@test "gdb's stack passes the trampolines" {
	command -v gdb >/dev/null || skip "no gdb"
	[ -z "$valgrind" ] || skip "gdb stops valgrind, not the program"
	timeout 60 gdb -q -batch -ex 'set pagination off' -ex 'set environment WHOCALLME_TRACE=log' \
		-ex 'set environment WHOCALLME_TRACE_EXITS=yes' -ex 'set environment WHOCALLME_OUTPUT=/dev/null' \
		-ex 'set debuginfod enabled off' -ex run -ex bt --args "$bin/sleds" crash >"$bin/gdb" 2>&1 ||
		true
	diff -u <(printf '%s\n' innermost with_array without middle main) \
		<(sed -nE 's/^#[0-9]+ +(0x[0-9a-f]+ in )?([a-z_.]+) .*/\2/p' "$bin/gdb" | grep -v trampolines)
}

@test "a crash report shows no trampoline" {
	observe env WHOCALLME=yes WHOCALLME_TRACE=log WHOCALLME_TRACE_EXITS=yes \
		WHOCALLME_OUTPUT=/dev/null "$bin/sleds" crash
	diff -u <(printf '%s\n' innermost with_array without middle main) \
		<(frame_names <"$err" | sed -n '/^innermost$/,$p')
}

@test "a recording and a graph have the calls that they have with hooks" {
	[ -e "$bin/hooked" ] || skip "no clang++"
	for name in hooked as_hooked; do
		WHOCALLME_TRACE=graph WHOCALLME_OUTPUT=$bin/$name.dot "$bin/$name" ways >/dev/null
		sed -nE 's/.*"([a-z_]+)" -> "([a-z_]+)" .*calls=([0-9]+).*/\1 \2 \3/p' "$bin/$name.dot" |
			sort >"$bin/$name.edges"
		WHOCALLME_TRACE=record WHOCALLME_OUTPUT=$bin/$name.data "$bin/$name" ways >/dev/null
		command -v uftrace >/dev/null || continue
		timeout 60 uftrace report -d "$bin/$name.data" -f call --no-pager | awk 'NR > 2' |
			grep -v guard | sort >"$bin/$name.report"
		[ "$(wc -l <"$bin/$name.report")" -gt 15 ]
	done
	[ "$(wc -l <"$bin/hooked.edges")" -gt 15 ]
	diff -u "$bin/hooked.edges" "$bin/as_hooked.edges"
	[ ! -e "$bin/hooked.report" ] || diff -u "$bin/hooked.report" "$bin/as_hooked.report"
}

@test "only calls that last are shown where that is asked for" {
	observe env WHOCALLME_TRACE=log WHOCALLME_TRACE_MIN_NS=5000000 "$bin/sleds" wait
	expect_status 0
	diff -u <(printf '%s\n' main waits) <(grep -o '&[a-z]*' "$err" | tr -d '&')
}

@test "values that functions give back, of every kind" {
	for compiler in gcc clang; do
		command -v $compiler >/dev/null || continue
		# shellcheck disable=SC2086 # lists
		$compiler -g -O2 -mno-red-zone -DAVX -fpatchable-function-entry=5 \
			-o "$bin/values" "$programs/sled_arguments.c" -Wl,--no-as-needed \
			$shared_libs -lm
		observe env WHOCALLME_TRACE=graph WHOCALLME_OUTPUT="$bin/values.dot" "$bin/values" 3000
		expect_status 0
		[ "$(cat "$out")" = 0 ] || blame "values were changed"
	done
}

@test "nearly all calls are recorded and counted without saving vector registers" {
	command -v gdb >/dev/null || skip "no gdb"
	[ -z "$valgrind" ] || skip "gdb stops valgrind, not the program"
	for mode in record graph; do
		timeout 60 gdb -q -batch -ex "set environment WHOCALLME_TRACE=$mode" \
			-ex "set environment WHOCALLME_OUTPUT=$bin/plain.$mode" \
			-ex 'set debuginfod enabled off' -ex 'set breakpoint pending on' \
			-ex 'break wcm__sled_entered' -ex 'ignore 1 1000000' -ex run \
			-ex 'info breakpoints' --args "$bin/sleds" deep 2000 >"$bin/gdb" 2>&1 ||
			skip "gdb cannot run it here"
		hits=$(sed -nE 's/.*already hit ([0-9]+) times?.*/\1/p' "$bin/gdb")
		echo "$mode: $hits of 4,000"
		[ "$hits" -gt 0 ]
		[ "$hits" -lt 100 ]
	done
}

@test "20,000 calls deep, in a stack of several ranges" {
	observe env WHOCALLME_TRACE=graph WHOCALLME_OUTPUT="$bin/deep.dot" "$bin/sleds" deep 20000
	expect_status 0
	[ "$(cat "$out")" = 20000 ]
	grep -q '"deep" -> "deep" .*calls=20000' "$bin/deep.dot"
}

@test "while threads call, traces with ends are switched on and off" {
	# shellcheck disable=SC2086 # lists
	$CC -g -O2 -fpatchable-function-entry=5 -I"$top_srcdir/include" -o "$bin/switched" \
		"$programs/sleds.c" $shared_libs -lpthread
	ENDS=yes GRAPH=$bin/graph.dot observe "$bin/switched" switch 50 4
	expect_status 0
	[ "$(cat "$out")" = "failed 0, empty 0, lost 0, differs 0" ] || blame "see above"
}

@test "sleds are switched on and off after a recording, whose own thread blocks all signals" {
	# shellcheck disable=SC2086 # lists
	$CC -g -O2 -fpatchable-function-entry=5 -I"$top_srcdir/include" -o "$bin/recorded" \
		"$programs/sleds.c" $shared_libs -lpthread
	cd "$BATS_TEST_TMPDIR"
	GRAPH=graph.dot RECORD=recording observe "$bin/recorded" switch 20 2
	expect_status 0
	[ ! -s "$err" ] || blame "stderr is not empty"
	[ "$(cat "$out")" = "failed 0, empty 0, lost 0, differs 0" ] || blame "see above"
	[ -d recording ]
}
