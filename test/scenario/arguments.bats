#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# arguments.bats - what functions are given and give back, where that is known.  ltrace judges
# library calls of programs from everywhere.

load support
load library

setup_file()
{
	bin=$BATS_FILE_TMPDIR
	$CC -fno-builtin -w -rdynamic -o "$bin/given" "$programs/arguments_given.c" -lm
}

# The symbols of the log, with what is behind them but for times.
symbols_of()
{
	sed -nE "s/^(LIB|RET|REX) +[0-9]+ +[0-9']+ +[0-9]+ +(&.*)\$/\1 \2/p" "$1" |
		sed -E "s/,? [0-9']+ ns\$//; s/0x[0-9a-f]{6,}/0x/g"
}

@test "each kind, and what is given back" {
	TERM=dumb traced --library-calls -A -e "$bin/given"
	expect_status 3
	diff -u - <(symbols_of "$bin/log" | grep -v '&__') <<-'EOF'
		LIB &pow(2.5, 3)
		RET &pow(2.5, 3) → 15.625
		LIB &fopen("in.txt", "r")
		RET &fopen("in.txt", "r") → NULL
		LIB &qsort(0x, 3, 4, &compare)
		RET &qsort(0x, 3, 4, &compare)
		LIB &sqrtf(2.25)
		RET &sqrtf(2.25) → 1.5
		LIB &powl(1.5, 2)
		RET &powl(1.5, 2) → 2.25
		LIB &printf("%d %g %s\n", ...)
		RET &printf("%d %g %s\n", ...) → 14
		LIB &div(17, -5)
		RET &div(17, -5) → {0x}
		LIB &ldiv(100, 7)
		RET &ldiv(100, 7) → {0xe, 0x2}
		LIB &mallinfo2()
		RET &mallinfo2() → {...}
		LIB &getenv("TERM")
		RET &getenv("TERM") → "dumb"
		LIB &umask(022)
		RET &umask(022) → 022
		LIB &lseek(-1, -1000000000000, 2)
		RET &lseek(-1, -1000000000000, 2) → -1
		LIB &strchr("a string that is longer than \"th"..., 122)
		RET &strchr("a string that is longer than \"th"..., 122) → NULL
		LIB &mmap(NULL, 4096, 3, 34, -1, 0)
		RET &mmap(NULL, 4096, 3, 34, -1, 0) → 0x
		LIB &exit(3)
	EOF
}

@test "a function that a filter tells of late has what it gives back alone, no library call is late" {
	$CC -O1 -g -fpatchable-function-entry=5 -o "$bin/late" -x c - <<-'C'
		#include <stdlib.h>
		__attribute__((noipa)) static int add(int a, int b) { return a + b; }
		int main(void) { return add(1, 2) + !getenv("TERM") != 3; }
	C
	TERM=dumb traced --library-calls=getenv -A -e --time-filter=1ns "$bin/late"
	expect_status 0
	diff -u - <(sed -nE "s/^(FUN|LIB|RET) .*&(.*)\$/\1 \2/p" "$bin/log" |
		sed -E "s/,? [0-9']+ ns\$//") <<-'EOF'
		FUN main
		FUN add
		RET add → 3
		LIB getenv("TERM")
		RET getenv("TERM") → "dumb"
		RET main → 0
	EOF
}

@test "alike calls are one line where their words are, too" {
	traced --library-calls -A "$bin/given" alike
	expect_status 0
	diff -u - <(symbols_of "$bin/log" | grep -v '&__') <<-'EOF'
		LIB &abs(1)
		LIB &abs(1) x4
		LIB &abs(2)
		LIB &abs(1)
	EOF
}

@test "ltrace's, of programs from everywhere" {
	needs ltrace
	local name
	while read -r name arguments; do
		command -v "$name" >/dev/null || continue
		eval "set -- $arguments"
		(cd / && timeout 60 ltrace -o "$bin/ltrace" "$name" "$@" </dev/null \
			>"$bin/ltrace.out" 2>/dev/null) || continue
		cd / && traced --library-calls -A -e "$name" "$@" </dev/null
		expect_status 0
		cmp "$bin/ltrace.out" "$out"
		python3 "$top_srcdir/test/scenario/arguments.py" "$bin/ltrace" "$bin/log" >"$bin/judged" ||
			blame "$name: $(cat "$bin/judged")"
		echo "# $name: $(tail -1 "$bin/judged")" >&3
	done <<-'END'
		ls -l /etc/apt
		cat /etc/passwd
		sort /etc/passwd
		date -u -d @0
		gzip -c /etc/passwd
		sed -n 1p /etc/passwd
		cut -d: -f1 /etc/passwd
		wc /etc/passwd
		md5sum /etc/passwd
		xz --version
		sqlite3 :memory: "create table a(b);insert into a values(1);select * from a;"
		git --version
		tar --version
		od -c /etc/hostname
		stat -c %n /
		jq -n 1+1
	END
}

@test "constants are read without a system call" {
	needs strace
	rm -rf "$bin/recording"
	strace -f -qq -e trace=process_vm_readv -o "$bin/calls" "$whocallme" trace -A \
		--library-calls=strlen --record="$bin/recording" "$bin/given" constant
	[ "$(wc -l <"$bin/calls")" -lt 500 ] || blame "$(wc -l <"$bin/calls") of them"
	observe "$whocallme" replay "$bin/recording"
	[ "$(grep -cF 'strlen("a constant") = 10;' "$out")" -eq 1000 ]
}

@test "by name; and a line where there is nothing to be known" {
	traced --library-calls --arguments='str*' "$bin/given"
	symbols_of "$bin/log" | grep -qF 'LIB &strchr("a string'
	symbols_of "$bin/log" | grep -qx 'LIB &fopen'
	$CC -finstrument-functions -fno-builtin -w -o "$bin/hooked" "$programs/arguments_given.c" -lm
	observe "$whocallme" trace -A "$bin/hooked"
	err_has '^<whocallme>: no arguments are shown: none are known of what is traced; hooks'
	observe "$whocallme" trace -A --system-calls "$bin/hooked"
	refute grep -F 'no arguments' "$err"
	observe "$whocallme" trace -A --graph="$bin/graph.dot" "$bin/given"
	expect_status 2
	err_has 'is for --log and --record'
}

# What uftrace shows of the calls of main in $bin/recording, with addresses and times left out.
as_uftrace()
{
	uftrace replay --no-pager --no-comment -d "$bin/recording" -f none |
		sed -nE 's/^ *([a-z][a-z_0-9]*\(.*)/\1/p' | sed -E 's/0x[0-9a-f]{6,}/0x/g; s/ \{$//'
}

@test "recordings, as uftrace reads them" {
	needs uftrace
	rm -rf "$bin/recording"
	TERM=dumb observe "$whocallme" trace -A --library-calls --record="$bin/recording" "$bin/given"
	expect_status 3
	diff -u - <(as_uftrace) <<-'EOF'
		pow(2.500000, 3.000000) = 15.625000;
		fopen("in.txt", "r") = 0;
		qsort(0x, 3, 4, &compare);
		sqrtf(2.250000) = 1.500000;
		powl(1.500000, 2.000000) = 2.250000;
		printf("%d %g %s\n") = 14;
		div(17, -5) = {...};
		ldiv(100, 7) = {...};
		mallinfo2() = {...};
		getenv("TERM") = "dumb";
		umask(0x12) = 0x12;
		lseek(-1, 0x, 2) = -1;
		strchr("a string that is longer than "th...", 122) = NULL;
		mmap(0, 4096, 3, 34, -1, 0) = 0x;
		exit(3)
	EOF
}

@test "a recording with arguments is put aside as others are, again and again" {
	rm -rf "$bin/recording" "$bin/recording.old"
	for _ in 1 2 3; do
		observe "$whocallme" trace -A --library-calls --force --record="$bin/recording" "$bin/given"
		expect_status 3
		ls "$bin"/recording/*.dbg >/dev/null
	done
	ls "$bin"/recording.old/*.dbg >/dev/null
	(cd "$bin" && rm -rf uftrace.data && for _ in 1 2; do
		observe "$whocallme" trace -A --library-calls --record=uftrace.data "$bin/given"
		expect_status 3
	done && ls uftrace.data.old/*.dbg >/dev/null)
}

@test "a million calls in a recording, of all lengths, through all windows" {
	needs uftrace
	$CC -O1 -fno-builtin -w -o "$bin/many" "$programs/arguments_many.c"
	rm -rf "$bin/recording"
	observe "$whocallme" trace -A --library-calls=strnlen,labs,abs \
		--record="$bin/recording" "$bin/many"
	expect_status 0
	uftrace dump --no-pager -d "$bin/recording" |
		sed -nE 's/^ *args\[[01]\] (str: |[du][0-9]+: 0x0*)//p' >"$bin/seen"
	cmp "$out" "$bin/seen"
}
