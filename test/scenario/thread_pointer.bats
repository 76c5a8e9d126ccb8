#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# thread_pointer.bats - a thread whose pointer to its own variables is broken: the handler
# has none either, nor libc's errno, until it has given itself others.

load support

setup_file()
{
	bin=$BATS_FILE_TMPDIR
	[[ " x86_64 i386 " == *" $arch "* ]] || return 0
	# A stack protector keeps its word at the thread pointer.
	build pointers pointers.c -O0 -fno-omit-frame-pointer -fno-stack-protector
	compile "$bin/unaware.o" "$programs/pointers.c" -O0 -DUNAWARE \
		-fno-omit-frame-pointer -fno-stack-protector
	$CC -o "$bin/unaware" "$bin/unaware.o" -lpthread
}

setup()
{
	needs_arch "x86_64 i386" "the thread pointer is set as on x86"
	not_sanitized "its runtime has variables of the thread as well"
	ulimit -S -c 0
	unset LD_PRELOAD
	cd "$BATS_TEST_TMPDIR"
}

linked()
{
	observe timeout -s KILL 60 "$bin/pointers" "$@"
}

preloaded()
{
	observe timeout -s KILL 60 "$whocallme" run "$bin/unaware" "$@"
}

# says POINTER: that it is broken, once, below which thread it is.
says()
{
	local pointer
	printf -v pointer '0x%0*x' $digits "$1"
	[ "$(sed -n 3p "$err")" = "<whocallme>: thread pointer is broken: $pointer" ] ||
		blame "it does not say $1"
	[ "$(grep -c 'thread pointer' "$err")" -eq 1 ]
}

# gdb's stack of case $1 is ours, and the pointer that it has in the thread; gdb knows no
# base of i386's segments, where it is POINTER.
as_gdb()
{
	local ours
	ours=$(frame_names <"$err")
	expect_same_names "$(gdb_names run 'printf "pointer 0x%016lx\n", $fs_base' -- \
		"$bin/pointers" "$1")" "$ours"
	[ "$arch" != i386 ] || echo "pointer $2" >gdb
	says "$(sed -n 's/^pointer //p' gdb)"
}

@test "NULL: reported, with gdb's stack and pointer" {
	needs gdb
	linked none
	expect_status 139
	err_has '^<whocallme>: pointers: SIGSEGV, .*: address not mapped, at 0x0{16}$'
	as_gdb none 0
	preloaded none
	expect_status 139
	says 0x0000000000000000
	[ "$(frame_names <"$err" | tr '\n' ' ')" = 'null_read none main ' ]
}

@test "an address that is not mapped: reported, the fault being libc's own" {
	needs gdb
	linked wild
	expect_status 139
	says 0x0000000012345000
	err_has '^#[0-9] .* in wild\+'
	preloaded wild
	expect_status 139
	says 0x0000000012345000
	err_has '^#[0-9] .* in main\+'
}

@test "what is no thread's: reported, with gdb's stack" {
	needs gdb
	preloaded odd
	expect_status 136
	err_has '^<whocallme>: unaware: SIGFPE, .*: integer division by zero'
	linked odd
	expect_status 136
	gdb_names run -- "$bin/pointers" odd >names
	expect_same_names "$(cat names)" "$(frame_names <"$err")"
	err_has '^<whocallme>: thread pointer is broken: 0x[0-9a-f]{13}000$'
}

@test "a full stack besides: reported as one" {
	linked full
	expect_status 139
	err_has "stack overflow of thread 'pointers' "
	says 0x0000000000000008
	err_has '^#0 .* in recurse\+'
	err_has ' in main\+'
}

@test "in a thread, with a megabyte of variables, and of 20 threads at once" {
	linked in_thread
	expect_status 139
	says 0x0000000000000000
	[ "$(frame_names <"$err" | head -n 3 | tr '\n' ' ')" = 'null_read none die ' ]
	err_has '^thread [0-9]+ "pointers":$'
	preloaded large
	expect_status 139
	says 0x0000000000000000
	[ "$(frame_names <"$err" | tr '\n' ' ')" = 'null_read none large main ' ]
	linked at_once
	expect_status 139
	says 0x0000000000000000
	err_has '^modules:'
}

@test "a thread that is asked for its stack has one as well" {
	linked others
	expect_status 139
	err_lacks 'thread pointer'
	err_has '^#0 .* in spin\+'
	[ "$(frame_names <"$err" | tr '\n' ' ')" = 'null_read others main ' ]
}

@test "JSON has it, as the schema says; what is withheld has no pointer" {
	local judge="python3 $top_srcdir/test/scenario/report.py" result=0
	observe timeout -s KILL 60 "$whocallme" run --json "$bin/unaware" wild
	expect_status 139
	err_has '"broken_thread_pointer":\{"value":"0x12345000"\}'
	$judge schema "$err" "$top_srcdir/doc/crash-report.schema.json" || result=$?
	[ "$result" -eq 77 ] || [ "$result" -eq 0 ]
	preloaded withheld
	expect_status 139
	err_has '^<whocallme>: thread pointer is broken$'
	err_lacks 123456789
	observe timeout -s KILL 60 "$whocallme" run --json "$bin/unaware" withheld
	err_has '"broken_thread_pointer":\{\}'
}

@test "the handler of the program has the pointer that the thread has, and repairs it" {
	preloaded repaired
	expect_status 0
	expect_out 'called 1 times, errno 1'
	[ ! -s "$err" ] || blame "stderr is not empty"
	preloaded left
	expect_status 139
	expect_out 'called 1 times, broken 1, errno 1'
	says 0x0000000000000000
}

@test "the pointer is the broken one again where the process dies" {
	needs gdb
	needs_arch x86_64 "gdb tells no base of i386's segments"
	gdb -nx -batch -iex 'set debuginfod enabled off' -ex 'set startup-with-shell off' \
		-ex run -ex 'printf "pointer %lx\n", $fs_base' -ex continue -ex continue \
		-ex bt -ex 'printf "pointer %lx\n", $fs_base' \
		-ex continue --args "$bin/pointers" none </dev/null >gdb 2>/dev/null
	grep '^pointer ' gdb | diff -u - <(printf 'pointer %s\n' 0 0)
	# At the fault again, not in a handler.
	grep '^#0 .* null_read ' gdb
	grep '^Program terminated with signal SIGSEGV' gdb
}

@test "a sandbox that does not let it be set: the end is that of the fault" {
	linked forbidden
	expect_status 139
	preloaded forbidden
	expect_status 139
}
