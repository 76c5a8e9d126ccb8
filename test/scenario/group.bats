#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# group.bats - reports of many processes in one file, and which of them are the same.

load support

judge=$top_srcdir/test/scenario/group.py

setup_file()
{
	bin=$BATS_FILE_TMPDIR
	# shellcheck disable=SC2086 # a list
	$CC -g -O2 -o "$bin/grouped" "$programs/grouped.c" -lpthread
	mkdir "$bin/elsewhere"
	cp "$bin/grouped" "$bin/elsewhere/other"
	objcopy --strip-all "$bin/grouped" "$bin/stripped"
}

setup()
{
	ulimit -S -c 0
	not_sanitized "its runtime must be loaded first"
	needs python3
	unset LD_PRELOAD
	cd "$BATS_TEST_TMPDIR"
}

# crash FILE DEATH [OPTION...]: a report more in FILE.
crash()
{
	local file=$1 death=$2
	shift 2
	"$whocallme" run --append --no-stderr --file="$file" "$@" \
		"${program-$bin/grouped}" "$death" ${levels-} 2>>errors || true
} 2>/dev/null

group()
{
	observe timeout 60 "$whocallme" group "$@"
}

# The functions of the first group of a table, one a line.
first_functions()
{
	sed -n -e '3,$ { /^       /!q; s/^ *\(.*\) \(at .*\|(.*\)$/\1/; s/ at .*//p }' "$out"
}

@test "50 processes crash at once: 50 lines of JSON, each whole" {
	local i
	# Where they take long, names must not be what they do without.
	for ((i = 0; i < 50; i++)); do
		crash all null --json --deadline=60 3>&- &
	done
	wait
	[ ! -s errors ] || cat errors
	python3 "$judge" lines all 50
	[ "$(stat -c %a all)" = 600 ]
	group --no-resolve all
	expect_status 0
	[ "$(awk 'NR == 2 { print $1 }' "$out")" = 50 ] || blame "not 50"
	[ ! -s "$err" ] || blame 'something on stderr'
}

@test "with many threads a report is longer than any buffer: the same" {
	local i
	for ((i = 0; i < 8; i++)); do
		levels=100 crash all crowd --json 3>&- &
	done
	wait
	python3 "$judge" lines all 8
	[ "$(wc -c <all)" -gt 200000 ]
}

@test "reports as text do not mix either" {
	local i
	for ((i = 0; i < 20; i++)); do
		crash all null --no-lines 3>&- &
	done
	wait
	[ "$(grep -c '^<whocallme>: grouped: SIG' all)" -eq 20 ]
	[ "$(grep -A1 '^<whocallme>: grouped: SIG' all |
		grep -c '^<whocallme>: process ')" -eq 20 ]
	grep -A2 '^<whocallme>: grouped' all | grep -c '^#0 0x' | grep -x 20
	# Each is as long as any other.
	awk '/^<whocallme>: grouped: SIG/ { if (n) print n; n = 0 } { n++ }
		END { print n }' all | sort -u >lengths
	[ "$(wc -l <lengths)" -eq 1 ] || cat lengths
	group --no-resolve all
	[ ! -s "$err" ] || blame 'something on stderr'
	[ "$(awk 'NR == 2 { print $1 }' "$out")" = 20 ] || blame "not 20"
}

@test "behind a line that was cut short the next report begins a new one" {
	printf '{"version":1,"na' >all
	crash all null --json
	[ "$(wc -l <all)" -eq 2 ]
	tail -n 1 all >last
	python3 "$judge" lines last 1
	group --no-resolve all
	expect_status 1
	expect_err 'whocallme group: all: 1 line of JSON cannot be read: cut short?'
	[ "$(awk 'NR == 2 { print $1 }' "$out")" = 1 ] || blame "not 1"
}

# refuses FILE REASON [NAME]: the crash says so.  whocallme run refuses by itself what it
# knows, but not a NAME with %e in it, which is only then that of a FILE.
refuses()
{
	rm -f errors
	crash "${3-$1}" null --json
	grep -q -x "<whocallme>: $PWD/$1: $2" errors || { cat errors && return 1; }
}

@test "a file that might be another's is left alone" {
	echo mine >target
	ln -s target symbolic-grouped
	refuses symbolic-grouped 'it is a symbolic link' symbolic-%e
	ln target hard-grouped
	refuses hard-grouped "it has another name as well, by a hard link" hard-%e
	rm hard-grouped
	[ "$(cat target)" = mine ]
	mkfifo pipe-grouped
	refuses pipe-grouped "it is no regular file of this user's own" pipe-%e
	mkdir grouped
	refuses grouped 'it is a directory' %e
	refuses none/grouped/file 'there is no such directory' none/%e/file
	[ "$(id -u)" = 0 ] || skip "only root can give a file away"
	mv target target-grouped
	chown 65534 target-grouped
	refuses target-grouped "it is no regular file of this user's own" target-%e
	[ "$(cat target-grouped)" = mine ]
}

# not_run FILE REASON: the command says so before the program starts.
not_run()
{
	observe "$whocallme" run --append --file="$1" touch ran
	expect_status 125
	expect_err "whocallme run: $PWD/$1: $2"
	[ ! -e ran ] || blame "it ran"
}

@test "--append to what is no file for reports is said at the start: 125" {
	mkfifo pipe
	not_run pipe "it is no regular file of this user's own"
	ln -s pipe link
	not_run link 'it is a symbolic link, which is not followed'
	echo mine >mine
	ln mine other
	not_run other 'it has other names, and may be another file'
}

@test "a lock that nobody gives back: done without, in time" {
	needs flock
	echo mine >all
	flock all sleep 20 3>&- &
	local holder=$!
	until ! flock -n all true; do sleep 0.05; done
	SECONDS=0
	rm -f errors
	crash all null --json --deadline=1
	[ "$SECONDS" -le 4 ]
	kill "$holder"
	[ "$(head -n 1 all)" = mine ]
	tail -n +2 all >last
	python3 "$judge" lines last 1
}

@test "a full disk: what was there stays whole" {
	[ -w /dev/full ]
	(
		echo '{"kept":1}' >all
		ulimit -f 1
		trap '' XFSZ
		crash all null --json
	)
	[ "$(cat all)" = '{"kept":1}' ]
	grep -q "^<whocallme>: $PWD/all: the report is not whole" errors
}

@test "without --append a file that is there is not touched" {
	echo mine >all-grouped
	"$whocallme" run --no-stderr --json --file=all-%e "$bin/grouped" null \
		2>errors || true
	[ "$(cat all-grouped)" = mine ]
	grep -q 'there is such a file already' errors
}

many_reports()
{
	local death
	for death in null abort null assert null raise abort handler; do
		crash all "$death" --json "$@"
	done
}

@test "groups: the most frequent first, with lines and inlined functions" {
	needs addr2line
	many_reports
	group all
	expect_status 0
	[ ! -s "$err" ] || blame 'something on stderr'
	[ "$(sed -n 1p "$out")" = 'COUNT  HASH              PROGRAM  CAUSE' ]
	sed -n 2p "$out" | grep -E '^    3  [0-9a-f]{16}  grouped  SIGSEGV: address not mapped$'
	# What addr2line says of the instruction that failed.
	addr2line -fi -e "$bin/grouped" "$(python3 "$judge" offset all 0)" |
		sed 's/ (discriminator.*//' | paste - - | tr '\t' ' ' >theirs
	sed -n 's/^       \([^ ]*\) at \([^ ]*\).*/\1 \2/p' "$out" |
		head -n "$(wc -l <theirs)" >ours
	[ "$(wc -l <theirs)" -ge 3 ]
	diff theirs ours
	out_has '^       innermost at .*/grouped\.c:[0-9]+ \(inlined\)$'
	[ "$(sed -n 's/^ *\([0-9]*\)  [0-9a-f]\{16\}  .*/\1/p' "$out" | tr '\n' ' ')" = \
		'3 2 1 1 1 ' ] || blame "not 3 2 1 1 1"
}

@test "JSON: counts, hashes and examples are right, by another's arithmetic" {
	many_reports
	group --json all
	expect_status 0
	python3 "$judge" hashes "$out"
	python3 "$judge" counts "$out" all
	group --json --all-frames --frames=50 all
	python3 "$judge" hashes "$out"
	crash all null --json --sections=registers
	group --json --no-resolve all
	python3 "$judge" hashes "$out"
	python3 "$judge" counts "$out" all
}

@test "what only raises the signal is skipped, unless it is asked for" {
	crash all abort --json
	crash all assert --json
	group all
	out_lacks '^       (raise|abort|__assert_fail|.*pthread_kill)'
	[ "$(grep -c '^       main at' "$out")" -ge 2 ] || blame "no main"
	group --all-frames --frames=20 all
	out_has '^       (__GI_)?abort'
	out_has '^       (__GI_)?__assert_fail'
	group --frames=1 all
	[ "$(grep -c '^       ' "$out")" -eq 2 ] || blame "not one frame each"
	python3 "$judge" made 1 raise abort >all
	group --no-resolve all
	[ "$(sed -n '3,4s/^ *\([^ ]*\).*/\1/p' "$out" | tr '\n' ' ')" = 'raise abort ' ] ||
		blame "nothing is left"
}

@test "more crashes than there was room for at first: each is counted" {
	local i
	for i in {1..3}; do
		python3 "$judge" made 150 crash
	done >all
	group --json --no-resolve all
	expect_status 0
	[ "$(grep -c '"count":3,' "$out")" -eq 150 ] || blame "not 150 groups of 3"
	python3 "$judge" hashes "$out"
	python3 "$judge" counts "$out" all
}

@test "kill() is a raiser, under the name that libc's debug data has, too" {
	local name
	crash all kill --json
	for name in kill __GI_kill __kill __GI___kill; do
		sed "s/\"function\":\"[a-zA-Z_]*kill\"/\"function\":\"$name\"/" all >named
		observe "$whocallme" group --no-resolve named
		out_lacks '^       [_A-Z]*kill'
	done
	group all
	sed -n 3p "$out" | grep '^       by_kill at '
}

@test "recursion of different depth is one crash" {
	local death depth
	for death in recursion turns; do
		rm -f all
		for depth in 2 7 60 300; do
			levels=$depth crash all $death --json
		done
		group --frames=8 all
		[ "$(sed -n 2p "$out" | cut -c 1-5)" = '    4' ] || blame "not one group"
		out_has "^       by_$death at"
		program=$bin/stripped levels=2 crash less $death --json
		program=$bin/stripped levels=300 crash less $death --json
		group less
		[ "$(sed -n 2p "$out" | cut -c 1-5)" = '    2' ] || blame "stripped"
		rm less
		group --all-frames --frames=20 all
		[ "$(grep -c '^ *1 ' "$out")" -ge 2 ] || blame "as one"
	done
}

@test "--by: builds of other names, by function or by file" {
	local build death by
	for build in 1 2 3 4 5; do
		$CC -g -O2 -DBUILD=$build -Wl,--build-id=0x$build$build \
			-o "prog$build" "$programs/grouped.c" -lpthread
		for death in null abort; do
			program=$PWD/prog$build crash all $death --json
		done
	done
	groups() { group --json "$@" all && wc -l <"$out"; }
	[ "$(groups)" -eq 10 ]
	[ "$(groups --by=program)" -eq 10 ]
	[ "$(groups --by=function)" -eq 2 ]
	# one is all in one file, the other as well
	[ "$(groups --by=file --frames=1)" -eq 1 ]
	[ "$(groups --by=function --no-resolve --all-frames)" -gt 0 ]
	for by in '' files function,file 'function ' Function; do
		group "--by=$by" all
		expect_status 2
	done
}

@test "a hash is the same in other folders and processes, by text and JSON" {
	crash a null --json
	program=$bin/elsewhere/other crash b null --json
	crash c null
	group --json a b c
	expect_status 0
	[ "$(wc -l <"$out")" -eq 1 ] || blame "not one group"
	grep -q '"count":3' "$out"
	# The columns are straight, whatever the names.
	program=$bin/elsewhere/other crash d abort --json
	"$whocallme" group --no-resolve a d | awk 'NR == 1 { at = index($0, "CAUSE") }
		/  SIG/ { n++; if (index($0, "SIG") != at) exit 1 } END { exit n != 2 }'
	[ "$(setarch -R true && setarch -R "$whocallme" group a | sed -n 2p | cut -c 8-23)" = \
		"$("$whocallme" group a | sed -n 2p | cut -c 8-23)" ]
}

# behind FILE: with the lines below its frames behind it, as older reports have them.
behind()
{
	grep -vE '^(   |	)' "$1"
	echo '<whocallme>: source lines:'
	awk '/^(thread|[0-9]+ threads) / {
			id = $1 == "thread" ? $2 : $3; sub(/-.*/, "", id); print "thread " id ":" }
		/^#[0-9]+ <signal/ { print } /^#/ { number = $1; first = 1 }
		/^   [^ (]/ { if (first) sub(/^  /, number); first = 0; print } /^	/' "$1"
}

@test "source lines behind a report as text, and below its frames: the same hash" {
	crash json null --json
	"$whocallme" run --helper="$whocallme" "$bin/grouped" null 2>given || true
	behind given >behind
	grep -vE '^(   |	)' given >without
	"$whocallme" resolve --source --color=always without >below
	grep -q '^   innermost at ' given
	grep -q '^#0 innermost at ' behind
	grep -q '^   innermost at ' <(sed 's/\x1b\[[0-9;]*m//g' below)
	group --json json given behind without below
	expect_status 0
	[ "$(wc -l <"$out")" -eq 1 ] || blame "not one group"
	grep -q '"count":5' "$out"
	group --no-resolve --json given behind below
	[ "$(wc -l <"$out")" -eq 1 ] || blame "not one group"
	# Of a call of NULL there are none.
	build called "$top_srcdir/examples/player.c" -O0
	"$whocallme" run --helper="$whocallme" "$bin/called" 2>called || true
	grep -qx '#0 0x0' called && group called
	[ ! -s "$err" ] || blame "a line is no report's"
	# Those of other threads do not count.
	"$whocallme" run --helper="$whocallme" --sections=all "$bin/grouped" crowd 3 \
		2>crowd || true
	grep -q '^[0-9]* threads [0-9]' crowd
	behind crowd >crowd-behind
	grep -q '^thread [0-9]*:$' crowd-behind
	levels=3 crash crowd-json crowd --json
	group --json crowd crowd-behind crowd-json
	[ ! -s "$err" ] || blame 'something on stderr'
	[ "$(wc -l <"$out")" -eq 1 ] || blame "not one group of the crowd"
}

@test "two crashes stay two, whatever the source text below their frames" {
	local death
	for death in null abort; do
		crash json "$death" --json
		crash text "$death" --helper="$whocallme"
	done
	grep -q "^	>" text
	group --json json
	sed 's/,"first":.*//' "$out" >theirs
	[ "$(wc -l <theirs)" -eq 2 ]
	group --json text
	diff theirs <(sed 's/,"first":.*//' "$out")
	grep -vE '^(   |	)' text >bare
	"$whocallme" resolve -s bare | "$whocallme" group --json --no-resolve >ours
	diff theirs <(sed 's/,"first":.*//' ours)
	# On a terminal, or by way of another system.
	"$whocallme" resolve -s --color=always bare >coloured
	sed -i -E 's/ (0x[0-9a-f]{16}) in/ \x1b[2m\1\x1b[0m in/
		s/^<whocallme>.*/\x1b[1;31m&\x1b[0m/' coloured
	sed 's/$/\r/' bare >crlf
	sed 's/$/\r/' json >crlf-json
	for death in coloured crlf crlf-json; do
		group --json "$death"
		[ ! -s "$err" ] || blame "something on stderr: $death"
		diff theirs <(sed 's/,"first":.*//' "$out")
	done
}

@test "a hash does not depend on debug data of the C library" {
	$CC -g -O1 -o "$bin/started" -x c - -lpthread <<-'END'
		#include <pthread.h>

		static volatile int *volatile null;

		static void *start(void *argument)
		{
			*null = 1;
			return argument;
		}

		int main(int argc, char *argv[])
		{
			pthread_t thread;

			(void)argv;
			if (argc == 1)
				start(0);
			pthread_create(&thread, 0, start, 0);
			return pthread_join(thread, 0);
		}
	END
	program=$bin/started crash all in_thread --json
	"$whocallme" run --append --no-stderr --json --file=all "$bin/started" \
		2>/dev/null || true
	group --json --debug-dir="$PWD/none" all
	cut -d, -f2 "$out" | sort >without
	[ "$(wc -l <without)" -eq 2 ]
	[ "$(grep -c '"function":"start"' "$out")" -eq 2 ]
	out_lacks 'libc\.so|"function":"(start_thread|clone3?|_start|__libc_start.*)"'
	group --json all
	cut -d, -f2 "$out" | sort | diff without -
	out_lacks 'libc\.so|"function":"(start_thread|clone3?|_start|__libc_start.*)"'
	group --all-frames --frames=20 all
	out_has '^       (_start|__libc_start_main)'
}

@test "--top, stdin, several files, and lines that are no reports" {
	many_reports
	(echo 'a log'; cat all; echo '{"other": "object"}'; echo; echo '{"cut') >mixed
	group --top=1 - <mixed
	expect_status 1
	expect_err 'whocallme group: -: 1 line of JSON cannot be read: cut short?' \
		'whocallme group: -: 2 lines passed over: no report'
	[ "$(grep -c '^ *[0-9]' "$out")" -eq 1 ] || blame "not one"
	group --no-resolve all mixed /none
	expect_status 1
	err_has '^whocallme group: /none: No such file or directory$'
	[ "$(awk 'NR == 2 { print $1 }' "$out")" = 6 ] || blame "not 6"
	group /dev/null
	expect_status 0
	[ ! -s "$out" ] && [ ! -s "$err" ]
}

@test "a report of more than 8 MiB is said, whatever a log has in front of it" {
	local front
	for front in '' 'Nov 28 12:00:00 host app[1]: ' '2026-11-28T12:00:00Z stdout F ' '[web-1] '; do
		python3 -c 'import sys; print(sys.argv[1] + "{\"version\":1," + " " * 40000000 + "}")' \
			"$front" >large
		group large
		expect_status 1
		expect_err 'whocallme group: large: 1 line of JSON passed over: more than 8 MiB'
	done
	# A line that is none is still none.
	python3 -c 'print("x" * 40000000)' >large
	group large
	expect_status 0
	expect_err 'whocallme group: large: 1 line passed over: no report'
}

@test "what a terminal would obey is escaped" {
	printf '%s\n' '{"version":1,"name":"a\u001b[2J","process":1,"thread":{"id":1,"name":"x"},"signal":{"number":11,"name":"SIGSEGV","text":"t","code":1},"cause":{"kind":"signal","text":"c\u009b"},"left_out":[],"stack":{"frames":[{"number":0,"pc":"0x1","function":"f\u001b]0;x\u0007","offset":"0x0","module":"m\n","module_offset":"0x1"}],"left_out":0,"stop":"outermost"}}' >all
	group --no-resolve all
	expect_status 0
	refute grep -q -P '[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]' "$out"
	out_has 'f\\x1b]0;x\\x07'
}

@test "hostile input: an answer in the end, no crash" {
	local try
	crash all handler --json
	crash text handler
	python3 - all text <<-'END'
		import random, sys
		random.seed(5)
		data = [open(f, "rb").read() for f in sys.argv[1:]]
		for i in range(60):
		    b = bytearray(random.choice(data))
		    for _ in range(random.randrange(1, 30)):
		        b[random.randrange(len(b))] = random.choice(
		            b'\0\n{}[]",:#x0123456789 \\ut()+\xff')
		    open(f"bad{i}", "wb").write(bytes(b))
		open("bad60", "wb").write(b'{"a":' + b"[" * 1000000 + b"\n")
		open("bad61", "wb").write(b'{"version":1,"name":1,"stack":{"frames":[1,{},[],null,{"lines":[1,{}]}]},"modules":5,"signal":[],"cause":7}\n')
		open("bad62", "wb").write(b"#0 0x1 in \n<whocallme>: : SIG, : \n#0 0x\n#0 0x1 in (\n#99999999999999999999 0x1 in a+0x1 (b)\n   \n    at :::\n  0x-0x bias 0x build-id  \n")
		open("bad63", "wb").write(b'{"version":1,' + b"x" * 5000000)
	END
	for try in bad*; do
		group --no-resolve "$try"
		[ "$status" -le 1 ] || blame "$try"
		group --json "$try"
		[ "$status" -le 1 ] || blame "$try"
	done
}

@test "usage errors: status 2, a word on stderr, nothing on stdout" {
	local line
	local -a arguments
	for line in --nonsense --frames --frames=0 --frames=x --frames=-1 \
		--frames=1001 --top=0 --top= --json=yes; do
		read -r -a arguments <<<"$line"
		group "${arguments[@]}" /dev/null
		expect_status 2 || blame "arguments: $line"
		[ -s "$err" ] && [ ! -s "$out" ] || blame "arguments: $line"
	done
}

@test "whocallme-group(1) lists the functions that no signature has" {
	local page=$manual/whocallme-group.1 name
	needs man col
	sed -n '/ers\[\] = {/,/};/s/[^"]*"\([^"]*\)"[^"]*/\1\n/gp' \
		"$top_srcdir/tool/reports/signature.c" | grep . >raisers
	[ "$(wc -l <raisers)" -gt 20 ]
	MANWIDTH=10000 man -l "$page" 2>/dev/null | col -b | tr -s ' ' >shown
	while read -r name; do
		grep -q -F -- " $name" shown || blame "whocallme-group(1) lacks $name"
	done <raisers
}
