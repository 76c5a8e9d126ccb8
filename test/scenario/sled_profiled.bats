#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# sled_profiled.bats - calls of programs whose functions call a profiler's mcount().

load support
load sled_calls

# Where programs with -pg leave what they have measured.
export GMON_OUT_PREFIX=$BATS_FILE_TMPDIR/gmon

setup_file()
{
	bin=$BATS_FILE_TMPDIR
	build_hooked
}

@test "sleds of calls of mcount() and __fentry__(), which -pg makes without -mnop-mcount" {
	not_sanitized "it has no room near the program"
	for compiler in gcc clang; do
		command -v $compiler >/dev/null || continue
		for flag in "" "-no-pie -fno-pie" -O0 "-mfentry -fcf-protection" -mfentry \
			"-mfentry -no-pie -fno-pie" "-mfentry -fpatchable-function-entry=5"; do
			# shellcheck disable=SC2086 # a list
			patched profiled $compiler -O2 -pg $flag
		done
		for linker in lld gold mold; do # whose linkage stubs differ
			if command -v "$linker" >/dev/null; then
				patched linked "$compiler" -O2 -pg -no-pie -fno-pie -fuse-ld=$linker
			fi
		done
	done
}

@test "sleds of calls of the profiler in a wholly static program" {
	needs_static
	for flag in "" -mfentry; do
		# shellcheck disable=SC2086 # a list
		gcc -static -O2 -pg $flag -o "$bin/static" "$programs/sled_calls.c" \
			-Wl,-u,wcm_trace_start $static_libs 2>"$bin/link.log"
		same_calls "$bin/static"
	done
}

@test "a profile lacks the calls of the time that something is traced, and no others" {
	not_sanitized "it has no room near the program"
	needs gprof
	cat >"$bin/counted.c" <<'.'
#include <stdio.h>
#include <whocallme.h>
__attribute__((noinline)) int counted(int x) { __asm__ volatile(""); return x + 1; }
int main(void)
{
	int sum = 0;

	for (int i = 0; i < 3; i++)
		sum = counted(sum);
	wcm_trace_start(NULL);
	for (int i = 0; i < 2; i++)
		sum = counted(sum);
	wcm_trace_stop();
	sum = counted(sum);
	printf("%d\n", sum);
	return 0;
}
.
	for flag in "" -mfentry; do
		# shellcheck disable=SC2086 # lists
		gcc -O1 -pg $flag -I"$top_srcdir/include" -o "$bin/counted" "$bin/counted.c" \
			$shared_libs
		observe env GMON_OUT_PREFIX="$bin/profile" "$bin/counted"
		expect_out 6
		[ "$(grep -c 'counted' "$err")" -eq 2 ]
		[ "$(gprof -b -p "$bin/counted" "$bin"/profile.* |
			awk '$NF == "counted" { print $4 }')" = 4 ]
		rm "$bin"/profile.*
	done
}

@test "whocallme trace runs a program that is built for a profiler" {
	not_sanitized "it has no room near the program"
	gcc -g -O2 -pg -o "$bin/alone" "$programs/sled_calls.c"
	observe "$whocallme" trace "$bin/alone"
	expect_status 0
	diff -u <(unfolded <"$bin/calls") <(calls <"$err" | unfolded)
}

# The calls of the profiler of $1 that the command lists are those that objdump shows.
calls_are_objdumps()
{
	objdump -d "$1" | grep -E 'call .*<(_?mcount|__fentry__)[@>]' |
		sed 's/^ *\([0-9a-f]*\):\t\([0-9a-f ]*[0-9a-f]\) *\t.*/\1 \2/' |
		while read -r at code; do
			echo "$at $(tr -d ' ' <<<"$code")"
		done | sort >"$bin/calls.objdump"
	[ "$(wc -l <"$bin/calls.objdump")" -ge 10 ]
	"$whocallme" functions --sleds "$1" |
		sed -n 's/.*: \(entry\|frame\) 0*\([0-9a-f]*\) [56] /\2 /p' | sort |
		diff "$bin/calls.objdump" -
}

@test "functions --sleds: calls of the profiler" {
	for compiler in gcc clang; do
		command -v $compiler >/dev/null || continue
		for flag in "" -mfentry "-no-pie -fno-pie" "-O0 -fno-plt" -fuse-ld=lld \
			"-mfentry -no-pie -fno-pie -fcf-protection" "-fuse-ld=gold -no-pie"; do
			# shellcheck disable=SC2086 # a list
			$compiler -O2 -pg $flag -o "$bin/called" "$programs/sled_calls.c" \
				2>/dev/null || continue
			calls_are_objdumps "$bin/called" || blame "$compiler $flag"
		done
	done
	if gcc -O2 -pg -static -o "$bin/static" "$programs/sled_calls.c" 2>/dev/null; then
		calls_are_objdumps "$bin/static"
	fi
	# The program's own is none: what it does is the program's work.
	gcc -O2 -pg -mfentry -Wl,--defsym=__fentry__=leaf -o "$bin/own" "$programs/sled_calls.c"
	[ "$("$whocallme" functions --sleds "$bin/own" | grep -c 'none: no NOPs')" -ge 10 ]
}
