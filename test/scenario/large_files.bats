#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# large_files.bats - files of 2 GiB and more, and of after 2038, which a CPU of 32 bits has
# other system calls for, and code above 2 GiB, whose addresses are negative numbers there.
# The files have holes: they take no room.

load support

setup_file()
{
	bin=$BATS_FILE_TMPDIR
	compile "$bin/unaware.o" "$programs/crash.c" -O0 -DUNAWARE -fno-omit-frame-pointer
	$CC -o "$bin/unaware" "$bin/unaware.o" -lpthread
	$CC -g -O0 -finstrument-functions -o "$bin/relatives" "$programs/relatives.c"
}

setup()
{
	ulimit -S -c 0
	trace_setup
	export WHOCALLME_HELPER=$whocallme
}

# grow FILE: to more than 2 GiB, where the file system can.
grow()
{
	truncate -s 3G "$1" 2>"$BATS_TEST_TMPDIR/why" ||
		skip "no file of 3 GiB is possible: $(cat "$BATS_TEST_TMPDIR/why")"
}

# date_late FILE: it was written in 2050.
date_late()
{
	touch -d @2524608000 "$1" 2>"$BATS_TEST_TMPDIR/why" ||
		skip "no file can be of 2050: $(cat "$BATS_TEST_TMPDIR/why")"
	[ "$(stat -c %Y "$1")" -eq 2524608000 ] || skip "the file system ends before 2050"
}

# The NUMBER of bytes that FILE has more than 3 GiB.
behind()
{
	tail -c "+$((3 * 1024 * 1024 * 1024 + 1))" "$1"
}

@test "a report is appended to one" {
	grow log
	observe "$whocallme" run --append --no-stderr --file=log "$bin/unaware" null_read
	expect_status 139
	behind log >"$err"
	err_has '^<whocallme>: unaware: SIGSEGV, '
	err_has '^#0 0x[0-9a-f]{16} in null_read\+'
	err_has '^   null_read at .*crash\.c:[0-9]+'
}

@test "a log is appended to one, in all its forms" {
	local mode
	for mode in log pairs addresses; do
		rm -f file
		grow file
		trace_it --append --$mode=file "$bin/relatives"
		expect_status 0
		[ ! -s "$err" ] || blame "$mode complains"
		behind file | grep -E '&one\b|func = one,|^E0x'
	done
}

@test "the program that crashes is one: names and lines" {
	cp "$bin/unaware" large
	grow large
	observe "$whocallme" run ./large null_read
	expect_status 139
	err_has '^#0 0x[0-9a-f]{16} in null_read\+'
	err_has '^   null_read at .*crash\.c:[0-9]+'
}

@test "the program that is traced is one: names" {
	cp "$bin/relatives" large
	grow large
	trace_it ./large
	expect_status 0
	err_has '&one\b'
}

@test "a program above 2 GiB: names, lines and calls" {
	local -a at=(-no-pie -Wl,-Ttext-segment=0x90000000)
	$CC "${at[@]}" -o high "$bin/unaware.o" -lpthread 2>why ||
		skip "programs of this CPU cannot be linked there: $(tail -n 1 why)"
	$CC -g -O0 -fPIE -finstrument-functions "${at[@]}" -o traced "$programs/relatives.c"
	observe "$whocallme" run ./high null_read
	expect_status 139
	err_has '^#0 0x0*90[0-9a-f]{6} in null_read\+'
	err_has '^#1 0x0*90[0-9a-f]{6} in main\+'
	err_has '^#[0-9]+ 0x0*90[0-9a-f]{6} in _start\+'
	err_has '^   null_read at .*crash\.c:[0-9]+'
	trace_it --record=rec ./traced
	expect_status 0
	observe "$whocallme" report rec
	out_has '\bone\b'
}

@test "the command reads one" {
	cp "$bin/unaware" large
	observe "$whocallme" functions large
	sed 's/large//' "$out" >small
	grow large
	observe "$whocallme" functions large
	expect_status 0
	diff -u small <(sed 's/large//' "$out")
}

@test "a program of after 2038: names and lines" {
	cp "$bin/unaware" late
	date_late late
	observe "$whocallme" run ./late null_read
	expect_status 139
	err_has '^#0 0x[0-9a-f]{16} in null_read\+'
	err_has '^   null_read at .*crash\.c:[0-9]+'
}

@test "a log of after 2038 is appended to, or begun anew" {
	trace_it --log=file "$bin/relatives"
	cp file first
	date_late file
	trace_it --append --log=file "$bin/relatives"
	expect_status 0
	[ "$(grep -c '&one\b' file)" -eq $((2 * $(grep -c '&one\b' first))) ] || blame "lost"
	date_late file
	trace_it --log=file "$bin/relatives"
	expect_status 0
	[ "$(grep -c '&one\b' file)" -eq "$(grep -c '&one\b' first)" ] || blame "not anew"
}

@test "a recording is in a folder of after 2038" {
	mkdir late
	date_late late
	trace_it --record=late/rec "$bin/relatives"
	expect_status 0
	[ ! -s "$err" ] || blame "it complains"
	date_late late/rec/info
	observe "$whocallme" report late/rec
	expect_status 0
	out_has '\bone\b'
}
