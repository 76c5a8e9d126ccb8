#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# small_stacks.bats - events on stacks of a few KiB: nothing below these is touched, and what an
# event takes of them has the bound that whocallme(1) names.

load support

setup_file()
{
	local name
	bin=$BATS_FILE_TMPDIR
	for name in hooks:-finstrument-functions sleds:-fpatchable-function-entry=5 plain:; do
		# shellcheck disable=SC2086 # no flag, or one
		$CC -O1 -g ${name#*:} -Wl,-z,now -I"$top_srcdir/include" -o "$bin/${name%%:*}" \
			"$programs/small_stack.c" -lpthread
	done
}

setup()
{
	not_sanitized "its frames are larger"
	if readelf -hW "$bin/plain" | grep -q 'ELF32'; then word=4; else word=8; fi
}

# Kinds of stacks, and sizes that each may have.
stacks="context:2048 context:4096 context:8192 context:16384 kept:2048 inner:2048 alternate:4096 \
alternate:8192 thread:16384"

# judged PROGRAM KIND:SIZE WHAT BOUND OPTION...: the program ends as it should, with nothing changed
# below the stack and no more than BOUND bytes used, on CPUs whose bound is known.
judged()
{
	local program=$1 stack=$2 what=$3 bound=$4 changed used
	shift 4
	rm -rf "$bin/out"*
	observe timeout 60 "$whocallme" trace "$@" -- "$bin/$program" "${stack%:*}" "${stack#*:}" "$what"
	[ "$status" -ne 77 ] || return 0 # an alternate stack that the kernel refuses
	[ "$status" -eq 0 ] || blame "$*: $program $stack $what: status $status"
	read -r changed _ _ used _ <"$out"
	[ "$changed" = 0 ] || blame "$*: $program $stack $what: $changed bytes changed"
	[ "$(uname -m)" != x86_64 ] || [ "$word" = 4 ] || [ "$used" -le "$bound" ] ||
		blame "$*: $program $stack $what: $used bytes of $bound"
}

# The same of each stack of $stacks that has LEAST bytes: matrix LEAST PROGRAM WHAT BOUND OPTION...
matrix()
{
	local least=$1 program=$2 stack
	shift 2
	for stack in $stacks; do
		[ "${stack#*:}" -ge "$least" ] || continue
		judged "$program" "$stack" "$@"
	done
}

@test "hooks take no more of any stack than is there, in any mode" {
	local mode
	for mode in "--log=$bin/out" "--log=$bin/out -e" "--log=$bin/out -t 1us" \
		"--log=$bin/out -N leaf" "--pairs=$bin/out" "--addresses=$bin/out" \
		"--record=$bin/out" "--record=$bin/out -N leaf" "--graph=$bin/out"; do
		# shellcheck disable=SC2086 # options
		matrix 2048 hooks calls 1024 $mode
	done
}

@test "sleds take no more of any stack than is there, in any mode" {
	local mode
	needs_arch "x86_64 i386 aarch64" "there are no sleds"
	for mode in "--log=$bin/out" "--log=$bin/out -e -A" "--log=$bin/out -t 1us" \
		"--pairs=$bin/out" "--addresses=$bin/out" "--record=$bin/out" "--record=$bin/out -A" \
		"--record=$bin/out -N leaf" "--graph=$bin/out"; do
		# shellcheck disable=SC2086 # options
		matrix 2048 sleds calls 1024 $mode
	done
}

@test "library calls take no more of any stack than is there, in any mode" {
	local mode stacks=${stacks/inner:2048/} # nothing tells where the frame of the array is
	needs_arch x86_64 "library calls are not traced"
	for mode in "--log=$bin/out" "--log=$bin/out -e -A" "--record=$bin/out -A" \
		"--graph=$bin/out"; do
		# shellcheck disable=SC2086 # options
		matrix 2048 plain library 1024 --library-calls $mode
	done
}

@test "system calls and probes take of any stack what a signal does, and little more" {
	local what mode signal
	needs_arch x86_64 "they are not traced"
	signal=$("$bin/plain" kept 16384 calls | sed 's/.* used, \([0-9]*\) for a signal/\1/')
	for what in system probe; do
		for mode in "--log=$bin/out" "--record=$bin/out" "--graph=$bin/out"; do
			# shellcheck disable=SC2086 # options
			matrix 8192 plain "$what" $((signal + 1024)) $mode \
				"--$(sed 's/system/system-calls/; s/probe/probes/' <<<"$what")"
		done
	done
}

@test "where the program has an alternate stack for all signals, they take that" {
	local what mode
	needs_arch x86_64 "they are not traced"
	for what in system-calls:system probes:probe; do
		for mode in "--log=$bin/out" "--record=$bin/out" "--graph=$bin/out"; do
			judged plain goroutine:2048 "${what#*:}" 1024 "$mode" "--${what%:*}"
		done
	done
}

# The kernel leaves a few hundred bytes of the smallest stack that it takes.
@test "a stack with less room than an event takes lacks no more than that" {
	local stack mode program what
	for stack in alternate:3072 alternate:3264 alternate:3456; do
		for mode in "--log=$bin/out -e" "--pairs=$bin/out" "--record=$bin/out" "--graph=$bin/out"; do
			for program in hooks:calls sleds:calls plain:library; do
				what=${program#*:}
				[ "$what" = calls ] || mode="$mode --library-calls"
				[ "$(uname -m)$word" = x86_648 ] || [ "$what" = calls ] || continue
				rm -rf "$bin/out"*
				# shellcheck disable=SC2086 # options
				observe timeout 60 "$whocallme" trace --force $mode -- \
					"$bin/${program%:*}" "${stack%:*}" "${stack#*:}" "$what"
				[ "$status" -ne 77 ] || continue # refused
				read -r _ _ _ used _ <"$out" || true
				[ "${used:-none}" != none ] || continue # the kernel has killed it
				[ "$(uname -m)$word" != x86_648 ] || [ "$used" -le 1024 ] ||
					blame "$mode: $program $stack: $used bytes"
			done
		done
	done
}

@test "the flight recorder takes no more of any stack than is there" {
	local stack program
	for program in hooks sleds; do
		for stack in $stacks; do
			observe timeout 60 "$whocallme" run --flight -- \
				"$bin/$program" "${stack%:*}" "${stack#*:}" calls
			[ "$status" -ne 77 ] || continue
			[ "$status" -eq 0 ] || blame "$program $stack: status $status"
			grep -q '^0 changed' "$out" || blame "$program $stack"
		done
	done
}

@test "what happens on a small stack is in the log, as it is on another" {
	local stack
	for stack in kept:2048 inner:2048 alternate:8192 thread:16384 context:2048; do
		judged hooks "$stack" calls 1024 "--log=$bin/out" -e
		diff <(sed -nE 's/^(FUN|RET) .*&(call|leaf).*/\1 \2/p' "$bin/out") <(
			for i in 1 2 3; do
				echo FUN call
				for j in 1 2 3; do printf '%s leaf\n' FUN RET; done
				echo RET call
			done) || blame "$stack"
	done
}

@test "a child of fork() on a small stack is traced, and nothing else is touched" {
	local mode
	for mode in "--log=$bin/out" "--pairs=$bin/out" "--record=$bin/out" "--graph=$bin/out%p"; do
		judged hooks kept:4096 fork 4096 "$mode"
		judged hooks context:4096 fork 4096 "$mode"
	done
}

@test "signals that leave calls by a jump leave a small stack's events to go on" {
	local mode
	for mode in "--log=$bin/out" "--pairs=$bin/out" "--record=$bin/out" "--graph=$bin/out"; do
		judged hooks kept:16384 jumps 16384 "$mode"
	done
	needs_arch "x86_64 i386 aarch64" "there are no sleds"
	judged sleds kept:16384 jumps 16384 "--log=$bin/out"
}
