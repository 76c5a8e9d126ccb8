#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# wreckage.bats - a program that has damaged what its report is made from: what is whole is
# said, once, and then it is dead.

load support

judge="python3 $top_srcdir/test/scenario/report.py"

setup_file()
{
	bin=$BATS_FILE_TMPDIR
	build aware wreck.c -O0 -fno-omit-frame-pointer -fno-stack-protector -DAWARE
	compile "$bin/wreck.o" "$programs/wreck.c" -O0 -fno-omit-frame-pointer -fno-stack-protector
	$CC -o "$bin/wreck" "$bin/wreck.o" -ldl
	build_library libthere.so wreck_there.c -O0 -fno-omit-frame-pointer
}

setup()
{
	ulimit -S -c 0
	export PLUGGED=$bin/libthere.so
}

# dies_of STATUS COMMAND...: there is one report, and all of it.
dies_of()
{
	observe timeout -s KILL 20 "${@:2}"
	[ "$status" -ne 77 ] || skip "not on this machine"
	expect_status "$1"
	[ "$(grep -a -c '^<whocallme>: [a-z]*: SIG' "$err")" -eq 1 ] || blame "not one report"
}

# both WAY...: the same with the report linked, and preloaded; ours is the name of which
# it was.
both()
{
	ours=aware dies_of 139 "$bin/aware" "$@"
	"check_$1"
	[ -z "$sanitize" ] || return 0
	ours=wreck dies_of 139 "$whocallme" run "$bin/wreck" "$@"
	"check_$1"
}

check_overrun()
{
	err_has '^<whocallme>: (aware|wreck): SIGSEGV, segmentation fault: '
	err_has '^program: .*/(aware|wreck)$'
	err_has '^#0 0x[0-9a-f]+ in overrun\+'
	err_has " $pc_register +0x"
	err_has '^modules:$'
}

@test "a stack written over to its end, with the program's own name" {
	both overrun
	not_sanitized "its runtime must be loaded first"
	dies_with_file "$whocallme" run --file "$BATS_TEST_TMPDIR/%e" "$bin/wreck" overrun
	grep -E '^#0 0x[0-9a-f]+ in overrun\+' "$BATS_TEST_TMPDIR/wreck"
	needs_schema
	dies_of_json 139 "$whocallme" run --json "$bin/wreck" overrun
	[ "$($judge get "$err" name)" = wreck ]
	[ "$($judge get "$err" stack.frames.0.function)" = overrun ]
}

dies_of_json()
{
	observe timeout -s KILL 20 "${@:2}"
	expect_status "$1"
	$judge schema "$err" "$top_srcdir/doc/crash-report.schema.json"
}

dies_with_file()
{
	observe timeout -s KILL 20 "$@"
	expect_status 139
}

check_heap()
{
	err_has '^#0 0x[0-9a-f]+ in '
	err_has '^#1 0x[0-9a-f]+ in (die_there\+|\?\?)'
	err_has " $pc_register +0x"
	err_has '^code:'
}

@test "a heap written over, and the linker's tables on it" {
	not_sanitized "the sanitizers' heap is another"
	both heap
}

check_nameless()
{
	err_has '^#0 0x[0-9a-f]+ in die_here\+'
	err_has '^#1 0x[0-9a-f]+ in die_there\+0x[0-9a-f]+ \(.*/(aware|wreck)\+0x[0-9a-f]+\)$'
	err_has '^#2 0x[0-9a-f]+ in nameless\+'
	err_has " $pc_register +0x"
	err_has '^modules:$'
}

@test "a module whose name is nowhere" {
	both nameless
}

check_trapped()
{
	err_has '^#0 0x[0-9a-f]+ in (trapped\+|\?\? \(.*/(aware|wreck)\+0x)'
	err_has '^#1 0x[0-9a-f]+ in (main\+|\?\? \(.*/(aware|wreck)\+0x)'
	err_has '^modules:$'
	[ "$(wc -l <"$err")" -lt 1000 ] || blame "there is no end to it"
}

@test "a small alternate stack, and a sandbox that traps what a report calls" {
	needs_arch x86_64 "the numbers are those of its system calls"
	not_sanitized "the sanitizers need more stack"
	local number
	for number in 9 10 16 20 222 263 310 332; do # mmap, mprotect, ioctl, writev, ...
		both trapped "$number"
	done
}
