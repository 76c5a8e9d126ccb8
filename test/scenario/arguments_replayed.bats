#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# arguments_replayed.bats - what calls were given and gave back, of recordings by uftrace, as it shows
# it, and of this library's, as the log does.

load support

setup_file()
{
	bin=$BATS_FILE_TMPDIR
	$CC -g -pg -O0 -w -o "$bin/replayed" "$programs/arguments_replayed.c"
	$CXX -g -pg -O0 -w -o "$bin/specified" "$programs/arguments_specified.cc"
	[ "$(uname -m)" != x86_64 ] || for level in -O0 -O2; do
		$CC -g $level -fno-builtin -w -fpatchable-function-entry=5 -o "$bin/worded$level" \
			"$programs/arguments_worded.c" -lm
	done
	$CC -fno-builtin -w -rdynamic -o "$bin/given" "$programs/arguments_given.c" -lm
}

setup()
{
	needs uftrace
	[ "$(uname -m)" = x86_64 ] && [ -z "$emulated" ] || skip "uftrace records x86-64 here"
	bin=$BATS_FILE_TMPDIR
}

# What both show of the recording DIR.
compare()
{
	observe "$whocallme" replay --no-comment "$1"
	expect_status 0
	[ ! -s "$err" ] || blame "$(cat "$err")"
	diff -u <(uftrace replay --no-pager --no-comment -d "$1" -f none | sed -E '/^uftrace stopped/,$d; /^ *\/\* linux:.*\*\/$/d; s/, 0x[0-9a-f]+(, 0x[0-9a-f]+\) \{)$/, \&_dl_fini\1/' |
		grep -v '^#\|^ *$') \
		<(sed -n 's/^[^|]*| //p' "$out" | grep -v '^ *$')
}

# recorded OPTION...: by uftrace.
recorded()
{
	rm -rf "$bin/recording"
	uftrace record --no-pager --no-event -d "$bin/recording" "$@" "$bin/replayed"
}

@test "each format, in registers and of floating point" {
	recorded -A 'put@arg1/s,arg2/d32,arg3,arg4/u32,arg5/i16,arg6/p,fparg1/64,fparg2/32' \
		-R 'put@retval/i32' -R 'name@retval/s' -A 'pick@arg1/i32,arg2/c' -R 'half@retval/f64'
	compare "$bin/recording"
	grep -q 'put("text", -5, 0x75bcd15, 0xee6b2800, -3, &put, 2.500000, -10000000000.000000) = -5;' \
		"$out"
	recorded -A 'put@arg1/x,arg2,arg3/x,arg4/x32,arg6/x' -R 'put@retval' -R 'name@retval/x' \
		-A 'half@fparg1' -A 'pick@arg2/u8'
	compare "$bin/recording"
	grep -q 'half(3.000000);' "$out"
}

own='^ *(add|mul|half|wide|many|str|pick|text)\('

# specified OPTION...: as uftrace shows it.
specified()
{
	rm -rf "$bin/recording"
	uftrace record --no-pager --no-event --no-libcall -d "$bin/recording" "$@" \
		"$bin/specified" >/dev/null 2>&1 || true
	observe "$whocallme" replay --no-comment "$bin/recording"
	expect_status 0
	[ ! -s "$err" ] || blame "$*: $(cat "$err")"
	diff -u <(uftrace replay --no-pager --no-comment -d "$bin/recording" -f none 2>/dev/null |
		grep -E "$own") <(sed -n 's/^[^|]*| //p' "$out" | grep -E "$own") || blame "$*"
}

@test "specifications in any order, twice, of registers, the stack and floating point" {
	local spec
	for spec in mul@fparg1,arg1/i64 mul@fparg1%xmm0,arg1/i64 mul@fparg1%xmm0,arg1/i64%rdi,fparg1/32 \
		add@arg2,arg1 add@arg1/i32%rdi,arg2/i32%rsi add@arg1/i32,arg1/x%rsi add@arg1/f,arg2/u \
		half@fparg1/f32 half@fparg3,fparg1/32 half@arg1/f32,arg2/f32,arg3/f64 \
		half@fparg1/32,arg1/f64 half@fparg2/32%xmm1,fparg1/32%xmm0,fparg3 \
		wide@fparg1/80%stack+1,arg1/i32 wide@arg1/i32,fparg1/80%stack+1 \
		str@arg2/c,arg3/p,arg1/s str@arg1/s16,arg2/c32,arg3/x 'str@arg1/s%rdi,arg1/x' \
		many@arg8/i32%stack+2,arg7/i32%stack+1,arg1 many@arg7/i32%stack+1,arg8/u16%stack+1 \
		many@arg1/i32%rdi,arg2/x%rdi many@arg4/i8,arg3/u8,arg2/x8,arg1/i16 \
		many@arg1/i32,retval/i32 add@arg1/t3,arg2/i32 add@arg1/t16:s \
		add@arg300/i32,arg44,arg1 add@arg0x1/i32 text@arg2/S,arg1/S,arg1/x \
		'.*@fparg1,arg1/i32'; do
		specified -A "$spec"
	done
	specified -A 'mul@fparg1,arg1/i64'
	grep -q 'mul(-3.000000, 80000000000);' "$out"
}

@test "what is specified again is where it was; who names a function counts" {
	specified -A 'add@arg1,arg2' -A 'add@arg1/i32'
	grep -q 'add(-100000, 0x186a1);' "$out"
	specified -A 'add@arg1/i32' -A 'a.*@arg1/x,arg2/u32'
	specified -A 'a.d@arg1/x,arg2/u32' -A 'add@arg1/i32'
	specified -A 'a.d@arg1/x,arg2/u32' -A '.dd@arg1/i32'
	specified -A '.*@fparg1,arg1/i32' -A 'mul@arg1/i64'
	specified -A 'add@specified,arg1/i32' -A 'add@specified,arg2/i32'
	specified -A 'add@arg1/i32,color=red' -T 'add@arg2/i32,retval/i32,depth=2'
	specified -R 'mul@retval/f64' -R 'half@retval/f32' -R 'wide@retval/f80' -R 'str@retval/s'
	specified --match=glob -A 'a*@arg1/x' -A 'add@arg2/i32,arg1/i8'
	specified -a -A 'add@arg2/x'
	grep -q 'add(0x2) = 1;' "$out"
}

@test "an item with a value that uftrace does not know says nothing" {
	local spec
	for spec in add@arg1/i32,arg2/q add@arg1/i32,foo,arg2 add@arg1/i24 add@arg1/i80 add@arg1/ \
		half@fparg1/16 half@fparg1/0x20; do
		specified -A "$spec" -A 'str@arg1/s'
	done
}

@test "sums of enumerators, and enumerations of which nothing is known" {
	specified -a -A 'text@arg1/x32'
	grep -q 'pick(S8|S4|S2|S1+0x1, ' "$out"
	specified -A 'pick@arg1/e:sparse,arg2/e:none,arg3/i32'
}

@test "functions by expressions and by globs" {
	recorded -A '^p.[ct]k*@arg1/i32' -A 'na@arg1/d32' -R '.@retval/x64'
	compare "$bin/recording"
	grep -q 'pick(7) = 0;' "$out"
	recorded --match=glob -A 'p*@arg1/x32' -R 'n?me@retval/s'
	compare "$bin/recording"
	grep -q 'pick(0x7);' "$out"
}

# What cannot be an expression for its repetitions names no function.
@test "expressions that would take all memory are none; names of numbers are shown as names are" {
	recorded -A 'pick@arg1/i32' -A 'name@arg1/i32'
	local spec='(((((p{99}){99}){99}){99}){99})*pick@arg1/s'
	sed -i "s|pick@arg1/i32|&;$spec|; s|name@arg1/i32|name@arg1/e:some|" "$bin/recording/info"
	printf 'enumauto:enum some { NO\033[31mNE, O\001NE };\n' >>"$bin/recording/info"
	observe timeout 20 "$whocallme" replay "$bin/recording"
	expect_status 0
	grep -q 'pick(7);' "$out"
	grep -qF 'name(NO\x1b[31mNE);' "$out"
	grep -qF 'name(O\x01NE);' "$out"
}

# A recording by uftrace of all that it knows itself.
recorded_with_all()
{
	rm -rf "$bin/recording"
	$CC -pg -O0 -w -fno-builtin -o "$bin/given_pg" "$programs/arguments_given.c" -lm
	uftrace record --no-pager --no-event -a -d "$bin/recording" "$bin/given_pg" >/dev/null || true
}

@test "what uftrace knows itself of library functions, with names of numbers" {
	recorded_with_all
	compare "$bin/recording"
	grep -q 'fopen("in.txt", "r") = 0;' "$out"
	grep -q 'mmap(0, 4096, PROT_WRITE|PROT_READ, MAP_ANON|MAP_PRIVATE, -1, 0) = 0x' "$out"
}

# begun FILE, ended FILE: calls with what they are given, and what is given back, in a log, and in
# what --no-merge shows of a recording.
begun_in_log()
{
	sed -nE "s/^(FUN|LIB) +[0-9]+ +[0-9']+ +[0-9]+ +&(.*)$/\2/p" "$1"
}

ended_in_log()
{
	sed -nE "s/^RET .* → (.*), [0-9']+ ns$/\1/p" "$1"
}

begun_in_recording()
{
	sed -nE 's/^[^|]*\| *([^ }].*) \{$/\1/p' "$1"
}

ended_in_recording()
{
	sed -nE 's/^[^|]*\| *\} = (.*); \/\* .* \*\/$/\1/p' "$1"
}

@test "a recording shows what the log shows, word for word" {
	not_sanitized "its runtime must be loaded first"
	local level libraries
	local -a options
	for level in -O0 -O2; do
		for libraries in none 'chmod,fopen,getenv,printf,str*,pow*'; do
			options=(-A "--library-calls=$libraries")
			rm -rf "$bin/recording"
			observe setarch -R "$whocallme" trace -e --log="$bin/log" "${options[@]}" \
				"$bin/worded$level"
			expect_status 0
			observe setarch -R "$whocallme" trace --record="$bin/recording" "${options[@]}" \
				"$bin/worded$level"
			expect_status 0
			"$whocallme" replay --no-merge "$bin/recording" >"$bin/replayed.text"
			diff -u <(begun_in_log "$bin/log") <(begun_in_recording "$bin/replayed.text") ||
				blame "$level $libraries"
			diff -u <(ended_in_log "$bin/log") <(ended_in_recording "$bin/replayed.text") ||
				blame "$level $libraries"
			uftrace replay --no-pager -d "$bin/recording" >/dev/null 2>"$bin/said"
			[ ! -s "$bin/said" ] || blame "$(cat "$bin/said")"
		done
	done
	[ "$(begun_in_log "$bin/log" | wc -l)" -ge 8 ]
	"$whocallme" replay "$bin/recording" | grep -qF 'chmod("/nonexistent", 0755) = -1;'
}

@test "Chrome traces have the same words" {
	not_sanitized "its runtime must be loaded first"
	rm -rf "$bin/recording"
	TERM=dumb observe "$whocallme" trace -A --library-calls --record="$bin/recording" "$bin/given"
	expect_status 3
	"$whocallme" replay "$bin/recording" | grep -q 'qsort(0x[0-9a-f]*, 3, 4, &compare);'
	observe "$whocallme" chrome "$bin/recording"
	expect_status 0
	python3 - "$out" <<-'EOF'
		import json, sys
		events = json.load(open(sys.argv[1]))["traceEvents"]
		args = {event["name"]: event.get("args") for event in events if event["ph"] == "X"}
		assert args["fopen"] == {"arguments": '"in.txt", "r"', "retval": "NULL"}, args["fopen"]
		assert args["pow"] == {"arguments": "2.5, 3", "retval": "15.625"}
		assert args["exit"] == {"arguments": "3", "end": "open"}, args["exit"]
		assert args["strchr"]["retval"] == "NULL"
	EOF
}

@test "data that look like records" {
	not_sanitized "its runtime must be loaded first"
	rm -rf "$bin/recording"
	observe "$whocallme" trace -A --library-calls=memset --record="$bin/recording" "$bin/given" marked
	expect_status 0
	uftrace replay --no-pager -f none -d "$bin/recording" >"$bin/theirs"
	[ "$(grep -c 'memset(0x[0-9a-f]*, [0-9]*, [0-9]*) = 0x' "$bin/theirs")" -eq 2048 ]
	observe "$whocallme" replay "$bin/recording"
	[ "$(grep -c 'memset(0x[0-9a-f]*, [0-9]*, [0-9]*) = 0x' "$out")" -eq 2048 ]
}

@test "damaged data, and lines of info that are none, harm nobody" {
	recorded_with_all
	rm -rf "$bin/whole"
	cp -a "$bin/recording" "$bin/whole"
	local size spec dat
	dat=$(basename "$bin"/recording/[0-9]*.dat)
	size=$(stat -c %s "$bin/recording/$dat")
	for at in $(seq 8 24 "$size"); do
		cp "$bin/whole/$dat" "$bin/recording/$dat"
		truncate -s "$at" "$bin/recording/$dat"
		observe "$whocallme" replay "$bin/recording"
		[ "$status" -le 1 ] || blame "cut at $at: $status"
		cp "$bin/whole/$dat" "$bin/recording/$dat"
		printf '\377\377' | dd of="$bin/recording/$dat" bs=1 seek="$at" conv=notrunc status=none
		observe "$whocallme" chrome "$bin/recording"
		[ "$status" -le 1 ] || blame "changed at $at: $status"
	done
	cp "$bin/whole/$dat" "$bin/recording/$dat"
	for spec in 'fopen@' 'fopen@arg1/s,,arg9999999999/x9999' '@@@;;;' 'fopen@arg1/e:none' \
		'[@arg1/s' '*@arg1' '((a{9}){9}){9}@arg1' 'fopen@fparg1/80,fparg2/3' \
		'fopen@arg1/t60000,arg2/s'; do
		sed "s|^argauto:.*|argspec:$spec|" "$bin/whole/info" >"$bin/recording/info"
		observe "$whocallme" replay "$bin/recording"
		[ "$status" -le 1 ] || blame "$spec: $status"
	done
}
