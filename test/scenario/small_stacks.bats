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
			judged plain g6144:2048 "${what#*:}" 1024 "$mode" "--${what%:*}"
		done
	done
}

# Sizes of alternate stacks, from less than the kernel says that it needs on.
sizes()
{
	local least
	least=$("$bin/plain" kept 16384 calls | sed 's/.* used, \([0-9]*\) for a signal/\1/')
	[ "$least" -gt 0 ] || least=4096
	echo $((least - 304)) "$least" $((least + 8)) $((least + 16)) $((least + 64)) \
		$((least + 128)) $((least + 192)) $((least + 256)) 4096 4608 5120 5632 6144 6656 \
		7168 7680 8192 9216 10240 12288 14336 16384
}

# WHAT... on an alternate stack of SIZE by "whocallme OPTION...": judge_alternate SIZE PROGRAM
# "WHAT..." OPTION...
judge_alternate()
{
	local size=$1 program=$2 what=$3 changed
	shift 3
	rm -rf "$bin/out"*
	# shellcheck disable=SC2086 # words
	observe timeout 60 "$whocallme" "$@" -- "$bin/$program" alternate "$size" $what
	[ "$status" -ne 77 ] || return 0
	[ "$status" -eq 0 ] || blame "$*: $program $size $what: status $status"
	read -r changed _ <"$out"
	[ "$changed" = 0 ] || blame "$*: $program $size $what: $changed bytes changed"
}

# The program finds the stack that it has chosen, and that it is on that, or is not.
@test "an alternate stack of any size has room for what a handler calls, in any mode" {
	local size mode
	for size in $(sizes); do
		# It dies, or the stack is refused.
		"$bin/plain" alternate "$size" looks system >/dev/null || {
			[ "$size" -lt 8192 ] || blame "$size bytes are not enough without a trace"
			continue
		}
		for mode in "trace --log=$bin/out -e" "trace --record=$bin/out" "run --flight"; do
			# shellcheck disable=SC2086 # options
			judge_alternate "$size" hooks "looks calls" $mode
		done
		[ "$(uname -m)$word" = x86_648 ] || continue
		judge_alternate "$size" sleds "looks calls" trace "--log=$bin/out" -e
		judge_alternate "$size" plain "looks library" trace "--log=$bin/out" -A \
			--library-calls
		for mode in log record; do
			judge_alternate "$size" plain "looks system" trace "--$mode=$bin/out" \
				--system-calls
			judge_alternate "$size" plain "looks probe" trace "--$mode=$bin/out" --probes
		done
	done
}

@test "a handler leaves a small alternate stack by a jump, again and again" {
	local size mode
	for size in 4096 6144 8192 16384; do
		for mode in log pairs record graph; do
			judge_alternate "$size" hooks "leaves calls" trace "--$mode=$bin/out"
		done
		[ "$(uname -m)$word" = x86_648 ] || continue
		judge_alternate "$size" plain "leaves system" trace "--log=$bin/out" --system-calls
		judge_alternate "$size" plain "leaves probe" trace "--log=$bin/out" --probes
	done
}

@test "what a handler on a small alternate stack calls is in the trace" {
	needs_arch x86_64 "system calls are not traced"
	[ "$word" = 8 ] || skip "system calls are not traced"
	local size
	for size in 4096 6144; do
		judge_alternate "$size" plain system trace "--log=$bin/out" --system-calls
		[ "$(grep -c 'getppid()' "$bin/out")" -eq 3 ] || blame "$(cat "$bin/out")"
		grep -q 'rt_sigreturn' "$bin/out" || blame "$(cat "$bin/out")"
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
	for stack in kept:2048 inner:2048 alternate:4096 alternate:8192 thread:16384 context:2048; do
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

@test "a stack that a handler has left (SS_AUTODISARM) is the program's alone, whatever its size" {
	local size
	build left left_stack.c -O0 -Wl,-z,now
	build left_unaware left_stack.c -O0 -Wl,-z,now -DUNAWARE
	for size in 6400 8192 12288 65536; do
		observe "$bin/left_unaware" $size
		[ "$status" -eq 0 ] || continue
		expect_out intact
		observe "$bin/left" $size
		expect_out intact
		observe "$whocallme" run "$bin/left_unaware" $size
		expect_out intact
		observe "$whocallme" trace --system-calls --log=/dev/null "$bin/left_unaware" $size
		expect_out intact
	done
}
