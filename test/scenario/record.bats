#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# record.bats - recordings, as uftrace reads them: what it records itself of the same
# program is what they are measured by.

load support

traced=$top_srcdir/test/trace
tree="python3 $traced/tree.py"
judge=$top_srcdir/test/scenario/recording.py

setup_file()
{
	bin=$BATS_FILE_TMPDIR
	build_both calls "$programs/traced_calls.c"
	build_both throws "$programs/traced_throws.cc"
	build_both ends "$traced/ends.c"
	build threads "$traced/threads.c" -O2 -fno-inline -finstrument-functions \
		-- -Wl,--no-as-needed
	build_plugin ends_one.so one
	build_plugin ends_two.so two
	build_both deep "$traced/deep.c"
	build_both forking "$traced/forking.c"
	$CC -O2 -o "$bin/count" "$traced/count.c"
}

# $bin/NAME with the library, $bin/own/NAME without.
build_both()
{
	build "$1" "$2" -O0 -finstrument-functions -- -Wl,--no-as-needed
	build_own "$1" "$2" -O0 -finstrument-functions
}

# $bin/NAME and $bin/own/NAME, libraries that they load.
build_plugin()
{
	build_library "$1" "$traced/plugin.c" -DNAME="$2" -finstrument-functions
	build_own "$1" "$traced/plugin.c" -DNAME="$2" -finstrument-functions -shared -fPIC
}

setup()
{
	needs uftrace python3
	cd "$bin"
	ours=$BATS_TEST_TMPDIR/ours
	theirs=$BATS_TEST_TMPDIR/theirs
}

# Record PROGRAM ARGUMENT... in $ours.
record()
{
	observe env WHOCALLME_TRACE=record WHOCALLME_OUTPUT="$ours" "$@"
}

# The same, in $theirs.  What it calls in libraries is told apart by its linker name,
# which is not what uftrace shows where it is C++.
record_theirs()
{
	case $1 in *throws*) set -- --no-libcall "$@" ;; esac
	(cd "$bin/own" && uftrace record --no-event -d "$theirs" "$@" >/dev/null 2>&1) || :
}

# The trees of PROGRAM with these arguments are the same.
same()
{
	local program=$1
	shift
	record "$bin/$program" "$@"
	record_theirs "$bin/own/$program" "$@"
	[ "$($tree "$ours" | wc -l)" -gt 3 ]
	$tree "$theirs" "$ours"
}

# Calls in $1, a recording: how many there are, and how deep the deepest is.
counted()
{
	"$whocallme" report --json "$1" | python3 -c 'import json, sys
print(sum(r["calls"] for r in json.load(sys.stdin) if r["name"] not in ("execve", "fork")))'
	"$whocallme" replay --no-merge "$1" | awk -F '[|] ' '
		NF > 1 { match($2, /^ */); deep = RLENGTH / 2 }
		NF > 1 && match($2, /^ *\[[0-9]+\] /) {
			deep = substr($2, 1, RLENGTH - 2); sub(/^ *\[/, "", deep) }
		deep + 0 > most { most = deep + 0 }
		/<unknown>/ { unknown++ }
		END { print most + 1, unknown + 0 }'
}

# uftrace's COMMAND on the recording, which it reads without a warning.
uftrace_on_ours()
{
	observe uftrace "$@" --no-pager -d "$ours"
	expect_status 0
	[ ! -s "$err" ] || blame "uftrace warns"
}

@test "recursion, and the end of main" {
	same calls recursion
}

@test "long jumps, out of handlers too" {
	same calls jumps
	rm -r "$ours" "$theirs"
	same calls signals
	rm -r "$ours" "$theirs"
	same calls alternate-signals
}

@test "threads that return, exit or are cancelled" {
	same calls thread-exits
}

@test "a forked child has records of its own, and none of its parent's" {
	same calls forks
	grep -Eq '^FORK timestamp=[0-9]+\.[0-9]{9} pid=[0-9]+ ppid=[0-9]+$' \
		"$ours/task.txt"
	uftrace_on_ours replay
}

# The program's own calls in $1, a recording, as uftrace indents them.
indented()
{
	uftrace replay --no-pager -d "$1" | sed 's/^[^|]*| //' |
		grep -E '^ *(} /\* )?(main|forks|deeper|leaf)\b'
}

@test "a forked child is as deep as its parent, as uftrace shows it" {
	record "$bin/calls" forks
	record_theirs "$bin/own/calls" forks
	indented "$theirs" | grep -q '^    deeper() {'
	diff -u <(indented "$theirs") <(indented "$ours")
	# Also where filters leave calls out, though not fork(2) itself.
	rm -r "$ours"
	record WHOCALLME_TRACE_NOT_FUNCTIONS=leaf "$bin/calls" forks
	diff -u <(indented "$theirs" | grep -v leaf | sed 's/deeper() {/deeper();/
		/} .. deeper/d') <(indented "$ours")
	rm -r "$ours"
	record WHOCALLME_TRACE_FUNCTIONS=leaf "$bin/calls" forks
	refute grep -q . <($tree "$ours" | grep -v ' leaf$')
	uftrace_on_ours replay
	refute out_has fork
}

# Handlers of fork(2) that were there before the trace are called within it.
@test "what fork() calls is within it, whatever tells of it" {
	local kind given handler
	cat >"$bin/within.c" <<-'END'
		#include <pthread.h>
		#include <stdlib.h>
		#include <sys/wait.h>
		#include <unistd.h>
		#include <whocallme.h>
		#define APART __attribute__((noinline, noipa))
		volatile int count;
		APART void inner(void) { count++; }
		APART void prepare(void) { inner(); inner(); count += getenv("A") != NULL; }
		APART void resume(void) { inner(); inner(); count += getenv("B") != NULL; }
		APART void forks(void) { if (fork() == 0) _exit(0); wait(NULL); inner(); }
		int main(int argc, char *argv[])
		{
			const struct wcm_trace_options options = {
				.mode = WCM_TRACE_RECORD, .output = argv[1],
				.library_calls = argc > 2 ? "getenv" : NULL,
				.arguments = argc > 2 ? "*" : NULL,
			};
			pthread_atfork(prepare, resume, NULL);
			if (wcm_trace_start(&options) != WCM_OK) return 2;
			forks();
			wcm_trace_stop();
			return 0;
		}
	END
	for kind in -finstrument-functions -fpatchable-function-entry=5; do
		[ "$kind" = -finstrument-functions ] || has_sleds || continue
		build within "$bin/within.c" -O1 $kind
		for given in '' given; do
			rm -rf "$ours"
			# shellcheck disable=SC2086 # nothing, or a word
			observe "$bin/within" "$ours" $given
			expect_status 0
			uftrace dump -d "$ours" | sed -n \
				's/.*\[\(entry\|exit \)\] \([a-z]*\)(.*depth: \([0-9]*\)$/\2 \3/p' |
				uniq >"$bin/depths"
			diff -u <({
				printf '%s\n' 'forks 0' 'fork 1'
				for handler in prepare resume; do
					printf '%s\n' "$handler 2" 'inner 3' ${given:+'getenv 3'} \
						"$handler 2"
				done
				printf '%s\n' 'fork 1' 'inner 1' 'forks 0'
			}) "$bin/depths" || blame "$kind $given"
		done
	done
}

@test "exit inside a call: what is open is shown as unfinished" {
	same calls exits
	uftrace_on_ours replay
	out_has 'remaining functions'
}

@test "exceptions, and names as C++ has them" {
	not_sanitized "its qsort() calls back more often"
	same throws
	uftrace_on_ours replay
	out_has 'thrower\(\) \{'
	out_has '_GLOBAL__N_1::Guard::~Guard|::Guard::~Guard'
}

@test "a program that a child executes is another session of the recording" {
	same ends executed exit
	[ "$(grep -c '^SESS ' "$ours/task.txt")" -eq 2 ]
	uftrace_on_ours replay
}

# Of two tasks with one number: FUNCTION has 2 calls, and lasted 20 ms and not the pause between.
lasted_20_ms()
{
	"$whocallme" report "$dir" >"$out"
	awk -v name="$1" '$NF == name { seen = $(NF - 1) == 2 && $2 == "ms" && $1 < 400 }
		END { exit !seen }' "$out" || blame "$2 has another time of $1: $(cat "$out")"
}

@test "a task is its number and its start: two of one number are told apart" {
	[ "$EUID" -eq 0 ] || skip "only root chooses the number of a process"
	build same_number same_number.c -O0 -finstrument-functions
	local how dir=$bin/same.data attempt
	for how in process thread "again process"; do
		for attempt in {1..20}; do
			rm -rf "$dir"
			# shellcheck disable=SC2086 # words
			observe "$whocallme" trace --record="$dir" "$bin/same_number" $how
			[ "$status" -eq 75 ] || break
		done
		[ "$status" -ne 77 ] || skip "the kernel does not let root choose a number"
		expect_status 0
		refute grep -q 'back in time' "$err"
		lasted_20_ms work "$how"
		[ "$how" = thread ] || lasted_20_ms child "$how"
		[ "$how" != thread ] || lasted_20_ms thread "$how"
	done
}

@test "a child that has the number of a thread is a task of its own" {
	[ "$EUID" -eq 0 ] || skip "only root chooses the number of a process"
	needs_arch x86_64 "system calls are traced on x86-64 alone"
	not_sanitized "its runtime must be loaded first"
	build same_number same_number.c -O0 -finstrument-functions
	local how dir=$bin/same.data attempt number
	for how in vfork{0,7,600} fork{0,7,600}; do
		for attempt in {1..20}; do
			rm -rf "$dir"
			observe "$whocallme" trace --record="$dir" --system-calls=execve \
				"$bin/same_number" "$how"
			[ "$status" -eq 75 ] || break
		done
		[ "$status" -ne 77 ] || skip "the kernel does not let root choose a number"
		expect_status 0
		number=$(cat "$out")
		[ "$(grep -cE "^(TASK .* tid|FORK .* pid)=$number " "$dir/task.txt")" -eq 2 ]
		"$whocallme" replay "$dir" >"$bin/shown"
		[[ $how == fork* ]] || grep -E "\[ *$number\] \| execve\(" "$bin/shown" ||
			blame "$how: $(cat "$bin/shown")"
		"$whocallme" report "$dir" >"$out"
		awk -v child="$([[ $how == vfork* ]]; echo $?)" '
			$NF == "work" { work = $(NF - 1) == 1 + child && $1 < 400 }
			$NF == "child" { seen = $(NF - 1) }
			END { exit !(work && seen == child) }' "$out" ||
			blame "$how: $(cat "$out" "$dir/task.txt" "$bin/shown")"
	done
}

@test "coroutines: every call is there, though uftrace loses its way" {
	record "$bin/calls" coroutines
	expect_status 0
	[ "$($tree "$ours" | grep -c ' leaf$')" -gt 3 ]
}

@test "libraries that are loaded and unloaded, one in the place of the other" {
	record "$bin/ends" plugins exit
	record_theirs "$bin/own/ends" plugins exit
	# uftrace 0.17 does not notice that the first one is back: which is called, is
	# asked below.
	diff -u <($tree "$theirs" | sed 's/ two$/ one/') \
		<($tree "$ours" | sed 's/ two$/ one/')
	[ "$(grep -c '^DLOP ' "$ours/task.txt")" -ge 2 ]
	uftrace_on_ours replay
	diff -u <(printf '%s\n' one two one) \
		<(grep -oE '\b(one|two)\(\);' "$out" | tr -d '();')
	# Neither library was there when the recording ended.
	refute ls "$ours"/ends_*.sym
	"$whocallme" replay "$ours" >"$BATS_TEST_TMPDIR/replay"
	diff -u <(grep -oE '\b(one|two|plug)\(\)' "$out") \
		<(grep -oE '\b(one|two|plug)\(\)' "$BATS_TEST_TMPDIR/replay")
	# A file of another build has none of their names.
	mv ends_one.so first.so
	cp ends_two.so ends_one.so
	"$whocallme" replay "$ours" >"$BATS_TEST_TMPDIR/replay"
	mv first.so ends_one.so
	diff -u <(printf '%s\n' '<' two '<') <(
		grep -oE '[^a-z](<|one|two)[0-9a-f]*>?\(\);' "$BATS_TEST_TMPDIR/replay" |
			grep -oE '<|one|two')
}

@test "report, graph, Chrome's JSON, flame graph, info and the terminal's view" {
	record "$bin/calls" recursion
	uftrace_on_ours report
	out_has ' 21  recurse$'
	uftrace_on_ours graph
	out_has '\(1\) recursion$'
	uftrace_on_ours dump --flame-graph
	out_has '^main;recursion;recurse'
	uftrace_on_ours dump --chrome
	python3 -c 'import json, sys
events = json.load(open(sys.argv[1]))["traceEvents"]
assert sum(e["ph"] == "B" and e["name"] == "recurse" for e in events) == 21
assert sum(e["ph"] == "E" and e["name"] == "recurse" for e in events) == 21' "$out"
	uftrace_on_ours info
	out_has 'exe image +: .*/calls$'
	needs script
	script -qec true /dev/null </dev/null >/dev/null || skip "there is no terminal to be had"
	(sleep 1 && printf q) | TERM=xterm timeout 20 script -qec \
		"uftrace tui -d $ours" /dev/null >"$out"
	out_has 'recurs'
}

@test "whatever ends the program, its calls are in the recording" {
	local how
	for how in exit _exit quick_exit abort kill crash pthread_exit; do
		rm -rf "$ours"
		record "$bin/ends" plain "$how"
		diff -u - <($tree "$ours") <<-EOF || blame "it ended by $how"
			task 0: main
			task 0:   plain
			task 0:     deeper
			task 0:       leaf
			task 0:   end
			task 0:     deeper
			task 0:       leaf
		EOF
	done
}

@test "a thread that is busy when the program is killed" {
	record "$bin/ends" busy kill
	$tree "$ours" | grep -v '^task 0' | sort | uniq -c >"$BATS_TEST_TMPDIR/tree"
	grep -q 'task 1: spin' "$BATS_TEST_TMPDIR/tree"
	[ "$(awk '/deeper/ { print $1 }' "$BATS_TEST_TMPDIR/tree")" -gt 100 ]
	rm -r "$ours"
	record "$bin/ends" busy exit
	expect_status 3
	uftrace_on_ours report
	"$bin/count" "$ours"/*.dat
}

@test "descriptors closed, another directory" {
	record "$bin/ends" closed exit
	expect_status 3
	uftrace_on_ours report
	out_has ' 400002  leaf$'
}

@test "a daemon" {
	record "$bin/ends" daemonised exit
	expect_status 0
	sleep 1
	[ "$($tree "$ours" | grep -c ' deeper$')" -eq 2 ]
}

@test "children that are forked while threads begin wait for nobody" {
	for _ in {1..8}; do
		rm -rf "$ours"
		record timeout -k 1 20 "$bin/forking" fork
		expect_status 0
		[ "$(ls "$ours" | grep -c '^[0-9]*\.dat$')" -eq 81 ]
	done
}

@test "a process whose first thread ends by the system call exit ends with it" {
	record timeout -k 1 20 "$bin/forking" raw
	expect_status 4
	observe "$whocallme" report "$ours"
	out_has ' leaf$'
}

@test "a limit on files stops the recording from its beginning, or later, never the program" {
	for limit in 1 4 100; do
		rm -rf "$ours"
		(
			ulimit -f $limit
			record "$bin/forking" raw
			expect_status 4
			[ ! -s "$err" ] || err_has '^<whocallme>: .*(recording|nothing is traced)'
		)
	done
}

@test "no room left: the recording ends with a line, and the program goes on" {
	record "$bin/ends" limited exit
	expect_status 3
	err_has '^<whocallme>: recording to .*/ours ends: a file would be larger'
	err_has '^went on$'
	uftrace_on_ours report
	out_has ' leaf$'
}

@test "many threads, one after the other" {
	record "$bin/ends" threads exit
	uftrace_on_ours report
	out_has ' 200  brief$'
	[ "$(grep -c '^TASK ' "$ours/task.txt")" -eq 201 ]
}

@test "64 threads: every call is there or counted as lost" {
	record "$bin/threads" 64 2000000
	expect_status 0
	"$bin/count" "$ours"/*.dat >"$BATS_TEST_TMPDIR/count"
	read -r made _ <"$out"
	read -r entries _ exits _ lost _ <"$BATS_TEST_TMPDIR/count"
	[ "$made" -gt 1999000 ]
	[ $((entries + lost)) -ge "$made" ] && [ "$entries" -le "$made" ]
	[ "$lost" -ne 0 ] || [ "$exits" -eq "$made" ]
	uftrace_on_ours report
	awk -v made="$made" '/ [0-9]+  / { sum += $(NF - 1) }
		END { exit sum != made }' "$out" || [ "$lost" -gt 0 ]
}

# A program that keeps its own recording's lock, and then starts 20 threads.
lock_keeper()
{
	$CC -O1 -finstrument-functions -o "$1" -x c - -lpthread <<'.'
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/file.h>
static int deeper(int more) { return more ? deeper(more - 1) + 1 : 0; }
static void *thread(void *unused) { deeper(1); return unused; }
int main(int argc, char **argv)
{
	pthread_t threads[20];
	if (argc < 2 || deeper(2) != 2 || flock(open(argv[1], O_RDONLY), LOCK_EX))
		return 1;
	for (int i = 0; i < 20; i++)
		pthread_create(&threads[i], 0, thread, 0);
	for (int i = 0; i < 20; i++)
		pthread_join(threads[i], 0);
	deeper(1500);
	return 0;
}
.
}

@test "who cannot have the lock of a recording leaves its list of tasks alone, and says so" {
	lock_keeper "$bin/keeper"
	observe timeout 60 "$whocallme" trace --no-signals --record="$ours" -- "$bin/keeper" \
		"$ours/whocallme"
	expect_status 0
	err_has "^<whocallme>: [0-9]+ changes of the recording's file info were not made"
	grep -a -q '^taskinfo:nr_tid=1$' "$ours/info"
	[ "$("$whocallme" replay "$ours" | grep -c 'thread() {')" -eq 20 ]
	uftrace_on_ours report
}

@test "the next run has a recording of its own, the one before is kept" {
	record "$bin/calls" recursion
	cp -r "$ours" "$BATS_TEST_TMPDIR/first"
	record "$bin/calls" forks
	expect_status 0
	err_has "^<whocallme>: cannot record to $ours: a recording is there: name another"
	diff -r "$BATS_TEST_TMPDIR/first" "$ours"
	record env WHOCALLME_TRACE_REPLACE=yes "$bin/calls" forks
	diff -r "$BATS_TEST_TMPDIR/first" "$ours.old"
	uftrace_on_ours report
	refute grep -q recurse "$out"
}

@test "a directory of something else is left alone" {
	mkdir "$ours"
	touch "$ours/precious"
	record "$bin/calls" recursion
	expect_status 0
	err_has "^<whocallme>: cannot record to $ours: it is there, and no recording: name another$"
	[ "$(ls "$ours")" = precious ]
}

@test "functions of C++ whose address is another library's have its names" {
	cat >strings.cc <<-'END'
		#include <string>
		int main(int, char **argv)
		{
			std::string text(argv[0]);
			text += "x";
			text.append(100, 'y');
			return text.size() == 0;
		}
	END
	build strings ./strings.cc -O2 -finstrument-functions -- -Wl,--no-as-needed
	record "$bin/strings"
	expect_status 0
	"$whocallme" report "$ours" >"$BATS_TEST_TMPDIR/report"
	grep -q 'std::__cxx11::basic_string' "$BATS_TEST_TMPDIR/report"
	refute grep '<[0-9a-f]*>$' "$BATS_TEST_TMPDIR/report"
	uftrace_on_ours report
	refute grep ' <[0-9a-f]*>$' "$out"
}

@test "deeper than a record says: every call is where it was" {
	local end depth
	for end in return fork exec jump exit; do
		rm -rf "$ours"
		record "$bin/deep" 5000 $end
		expect_status 0
		depth=5002
		[[ $end != @(exec|fork) ]] || depth=5003
		diff -u <(awk '{ n += $1 } END { print n }' "$out"
			echo "$depth 0") <(counted "$ours") || blame "$end"
		for command in flame chrome graph; do
			"$whocallme" $command "$ours" >"$BATS_TEST_TMPDIR/$command"
			refute grep -q unknown "$BATS_TEST_TMPDIR/$command"
		done
	done
	# uftrace records as deep as it is told, and reads no deeper than 1024.
	rm -rf "$ours"
	record "$bin/deep" 5000 return
	uftrace_on_ours report
	out_has ' 102[0-9]  down$'
	uftrace record --no-libcall --max-stack=10000 --no-event -d "$theirs" \
		"$bin/own/deep" 5000 >"$out"
	diff -u <(cat "$out"; echo '5002 0') <(counted "$theirs")
	uftrace report -d "$theirs" --no-pager | grep -E ' 102[0-9]  down$'
}

@test "60,000 calls deep, and 100,000; short calls left out" {
	not_sanitized "its frames are too large for the stack"
	record "$bin/deep" 60000 return
	diff -u - <(cat "$out"; counted "$ours") <<-'EOF'
		60006
		60006
		60002 0
	EOF
	"$whocallme" report --json --time-filter=1ns "$ours" |
		diff - <("$whocallme" report --json "$ours")
	python3 - "$ours"/*.dat <<-'END'
		import struct, sys
		deep = 100000
		def bits(kind, depth, value):
		    return kind | 5 << 3 | depth % 1024 << 6 | value << 16
		records = [(10 + n, bits(0, n, 0x1000)) for n in range(deep)]
		records += [(100010, bits(2, 0, 30))]
		records += [(200010 - n, bits(1, n, 0x1000)) for n in reversed(range(deep))]
		with open(sys.argv[1], "wb") as file:
		    for record in records:
		        file.write(struct.pack("<QQ", *record))
	END
	observe "$judge" usage "$whocallme" report "$ours"
	out_has ' 100000  <1000>$'
	[ "$(tail -n 1 "$err")" -lt 50000 ]
	"$whocallme" replay --depth=2 "$ours" | grep -E '[|] {257}\[100001\] /[*] LOST'
}

@test "short names of C++: those of c++filt -p, less template arguments" {
	needs c++filt nm
	local large=(/usr/lib/*/libLLVM-*.so.1)
	record "$bin/deep" 5
	observe python3 "$top_srcdir/test/scenario/short_names.py" "$whocallme" "$ours" \
		"$($CXX -print-file-name=libstdc++.so.6)" \
		"$($CXX -print-file-name=libstdc++.a)" "$(command -v gdb || :)" \
		"${large[0]}"
	expect_status 0
	out_has '^[1-9][0-9]{3,} names$'
}

@test "short names of what returns pointers to functions, arrays and methods" {
	needs c++filt nm
	local compiler
	record "$bin/deep" 5
	for compiler in "$CXX" clang++; do
		command -v "$compiler" >/dev/null || continue
		$compiler -std=c++17 -O0 -w -o "$BATS_TEST_TMPDIR/returning" \
			"$programs/returning.cc"
		observe python3 "$top_srcdir/test/scenario/short_names.py" "$whocallme" \
			"$ours" "$BATS_TEST_TMPDIR/returning"
		expect_status 0
		out_has '^[1-9][0-9]+ names$'
		observe "$whocallme" report "$ours"
		out_has ' a_function$' && out_has '::hidden::get$'
	done
}
