#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# graph.bats - who called whom, counted; Graphviz reads what was written.

load support

setup_file()
{
	bin=$BATS_FILE_TMPDIR
	local flags="-O0 -finstrument-functions"
	# shellcheck disable=SC2086 # a list
	compile "$bin/twin.o" "$programs/graphed_twin.c" $flags
	# shellcheck disable=SC2086
	build_library libtwin.so graphed_twin.c $flags
	# shellcheck disable=SC2086
	build graphed graphed.c $flags -- "$bin/twin.o" -Wl,--no-as-needed
	# shellcheck disable=SC2086
	build graphed-lib graphed.c $flags -- -Wl,--no-as-needed "$bin/libtwin.so" \
		-Wl,-rpath,"$bin"
	# shellcheck disable=SC2086
	build throws traced_throws.cc $flags -- -Wl,--no-as-needed
	# shellcheck disable=SC2086
	build timer traced_timer.c $flags -- -Wl,--no-as-needed
}

setup()
{
	needs dot gvpr
	cd "$BATS_TEST_TMPDIR"
}

# graph PROGRAM [ARGUMENT...]: run it, its graph being graph.dot.
graph()
{
	observe env WHOCALLME_TRACE=graph WHOCALLME_OUTPUT=graph.dot "$@"
}

# The edges of FILE, as Graphviz reads them: CALLER CALLEE CALLS.
edges()
{
	gvpr 'E { printf("%s %s %s\n", $.tail.name, $.head.name, $.calls) }' \
		"${1-graph.dot}" | sort
}

# What the attributes of the node NAME are: node NAME ATTRIBUTE [FILE].
node()
{
	gvpr "N [name == \"$1\"] { print(\$.$2) }" "${3-graph.dot}"
}

root="(not instrumented)"

# EDGE...: the graph has these edges and no other.
expect_edges()
{
	diff -u <(printf '%s\n' "$@" | sort) <(edges)
}

# The time of all functions is the time of the outermost, to the nanosecond.
expect_whole_time()
{
	local own all
	own=$(gvpr 'N { print($.self) }' graph.dot | awk '{ sum += $1 } END { printf("%.0f\n", sum) }')
	all=$(gvpr 'E { printf("%s %s\n", $.total, $.tail.name) }' graph.dot |
		awk -v root="$root" 'index($0, root) { sum += $1 } END { printf("%.0f", sum) }')
	[ "$own" -gt 0 ] && [ "$own" -eq "$all" ] || {
		echo "own $own, all $all" && return 1
	}
}

# Whoever is interrupted calls the handler, no other the wrong function.
expect_calls_of_timer()
{
	edges graph.dot | sed 's/ [0-9]*$//' | grep -v ' handle$' | sort >called
	diff -u <(printf '%s\n' "$root main" "deeper leaf" "handle deeper" "main work" \
		"work leaf" "work work" | sort) called
}

@test "calls are counted, those of callbacks and of recursion" {
	graph "$bin/graphed" calls
	expect_status 0
	compared=$(sed -n 's/^compare //p' "$out")
	expect_edges "$root main 1" "main calls 1" "calls compare $compared" \
		"calls recurse 100" "recurse recurse 900" "recurse leaf 100" \
		"calls even 1" "even odd 10" "odd even 10"
	dot -Tsvg graph.dot | grep -q '<svg'
	[ ! -s "$err" ]
}

@test "the label of an edge is its count" {
	graph "$bin/graphed" calls
	sed -nE "s/.* -> .*\\[label=\" *([0-9']+) .*, calls=([0-9]+).*/\\1 \\2/p" graph.dot |
		tr -d "'" >labels
	[ "$(wc -l <labels)" -eq "$(grep -c -e ' -> ' graph.dot)" ]
	awk '$1 != $2 { exit 1 }' labels
	grep -Fq '"recurse" -> "recurse" [label="  900  ' graph.dot
}

@test "a picture has one font, and labels that no arrow covers, live and read back" {
	needs dot python3
	graph "$bin/graphed" calls
	"$whocallme" graph graph.dot >again.dot
	for file in graph.dot again.dot; do
		dot -Tjson "$file" | python3 -c '
import json, sys
graph = json.load(sys.stdin)
parts = [graph] + graph["objects"] + graph["edges"]
ops = [op for part in parts for key in part if key.endswith("ldraw_") for op in part[key]]
assert {op["face"] for op in ops if op["op"] == "F"} == {"sans-serif"}
seen = 0
for edge in graph["edges"]:
    if edge["tail"] == edge["head"]:
        continue
    points = [p for op in edge["_draw_"] if op["op"] in "bB" for p in op["points"]]
    if max(x for x, y in points) - min(x for x, y in points) > 1:
        continue # not straight down: the label is not beside it
    for op in edge["_ldraw_"]:
        if op["op"] == "T":
            text = op["text"]
            space = 2.5 * (len(text) - len(text.lstrip(" ")))
            left = op["pt"][0] - op["width"] / 2 + space
            line = points[0][0]
            assert left >= line + float(edge.get("penwidth", 1)) / 2, (edge, left, line)
            seen += 1
assert seen > 0'
	done
	refute grep -E '[0-9] ms\\n|[0-9]{4} call' graph.dot
}

@test "the library writes numbers, the command draws them" {
	graph "$bin/graphed" calls
	refute grep -Eq 'color|penwidth|style=filled' graph.dot
	"$whocallme" graph graph.dot >again.dot
	diff -u <(edges) <(edges again.dot)
	# More time of its own, more red; more in calls, a thicker arrow.
	gvpr 'N { printf("%s %s\n", $.self, $.fillcolor) }' again.dot | sort -n >red
	[ "$(awk '{ print $3 }' red | sort -u | wc -l)" -gt 2 ]
	sort -c -n -k 3,3 red
	gvpr 'E { printf("%s %s\n", $.total, $.penwidth) }' again.dot | sort -n >thick
	[ "$(awk '{ print $2 }' thick | sort -u | wc -l)" -gt 2 ]
	sort -c -n -k 2,2 thick
}

@test "time is counted once, however deep a function calls itself" {
	graph "$bin/graphed" calls
	expect_whole_time
	[ "$(node main total)" -ge "$(node calls total)" ]
	[ "$(node calls total)" -gt "$(node recurse total)" ]
	[ "$(node recurse total)" -gt "$(node recurse self)" ]
}

@test "calls that a longjmp has ended are closed" {
	graph "$bin/graphed" jumps
	expect_edges "$root main 1" "main jumps 1" "jumps jump 50" "jump jump 150" \
		"jumps leaf 1"
	expect_whole_time
	grep -q 'unwound=200;' graph.dot
}

@test "a million calls open at once are counted" {
	cat >million.c <<-'C'
		static int down(int n) { return n > 0 ? down(n - 1) + 1 : 0; }
		int main(void) { return down(999999) != 999999; }
	C
	build million "$PWD/million.c" -O0 -finstrument-functions -- -Wl,--no-as-needed
	ulimit -s 131072
	graph "$bin/million"
	expect_status 0
	expect_edges "$root main 1" "main down 1" "down down 999999"
	expect_whole_time
	grep -q 'depth=1000001; ' graph.dot
	grep -q 'lost=0; unwound=0;' graph.dot
	refute grep lost "$err"
}

@test "calls deeper than there is memory for are lost, and no others, and told" {
	cat >deep.c <<-'C'
		#include <stdio.h>
		#include <sys/resource.h>
		static int down(int n) { return n > 0 ? down(n - 1) + 1 : 0; }
		__attribute__((no_instrument_function)) static int limit(void)
		{
			unsigned long pages;
			FILE *file = fopen("/proc/self/statm", "r");
			struct rlimit limit;

			if (!file || fscanf(file, "%lu", &pages) != 1)
				return 1;
			fclose(file);
			limit.rlim_cur = limit.rlim_max = pages * 4096 + (8 << 20);
			return setrlimit(RLIMIT_AS, &limit);
		}
		int main(void)
		{
			return limit() != 0 || down(99999) + down(9) != 100008;
		}
	C
	build deep "$PWD/deep.c" -O0 -finstrument-functions -- -Wl,--no-as-needed
	not_sanitized "its address space is limited"
	ulimit -s 65536
	graph "$bin/deep"
	expect_status 0
	expect_edges "$root main 1" "main down 2" "down down $((65536 - 2 + 9))"
	expect_whole_time
	grep -q 'depth=100001; ' graph.dot && grep -q 'lost=34465;' graph.dot
	[ "$(gvpr 'BEG_G { print($.stack) }' graph.dot)" -gt 3200000 ] # 32 bytes each
	grep -q 'unwound=0;' graph.dot
	line='<whocallme>: 34465 events were lost: 34465 calls, too many being open'
	grep -qFx "$line" "$err"
	for mode in log pairs addresses; do
		WHOCALLME_TRACE=$mode WHOCALLME_OUTPUT=deep observe "$bin/deep"
		grep -qFx "$line" "$err"; done
}

@test "a handler that is traced, every 50 microseconds, lets the program go on" {
	local stack
	for stack in own alternate; do
		graph timeout 60 "$bin/timer" 50 200000 $stack
		expect_status 0
		expect_calls_of_timer
		grep -q " in signal handlers that had interrupted the trace$" "$err"
	done
}

@test "what the parent has lost is not told by a child" {
	graph timeout 60 "$bin/timer" 50 200000 fork
	expect_status 0
	[ "$(grep -c ' events were lost: ' "$err")" -eq 1 ]
}

@test "a hundred thousand jumps out of handlers, and the calls are the right ones" {
	graph timeout 120 "$bin/timer" 50 100000 jump
	expect_status 0
	expect_calls_of_timer
	gvpr 'BEG_G { printf("%s %s\n", $.depth, $.stack) }' graph.dot >deepest
	read -r depth stack <deepest
	[ "$depth" -lt 100 ]
	[ "$stack" -lt 200000 ]
}

@test "names of C++ are as people write them, and an exception ends calls" {
	graph "$bin/throws"
	expect_status 0
	expect_whole_time
	nm -C "$bin/throws" | sed 's/^[0-9a-f]* [A-Za-z] //' | sort -u >known
	gvpr 'N { print(name) }' graph.dot | grep -vFx "$root" | sort -u >named
	[ -s named ]
	[ -z "$(comm -23 named known)" ]
	grep -q '(' named
}

@test "64 threads are counted, four times 16" {
	graph "$bin/graphed" threads
	expect_edges "$root main 1" "main threads 1" "$root work 64" "work leaf 64000"
}

@test "threads that come and go take no memory that stays" {
	not_sanitized "its threads leave memory of its own"
	graph "$bin/graphed" churn
	expect_edges "$root main 1" "main churn 1" "churn threads 2" \
		"$root work 2040" "work leaf 2040000"
	# A thread that has yet to leave altogether needs a successor of its own.
	[ "$(sed -n 's/^pages more: //p' "$out")" -le 10000 ]
}

@test "how deep calls went and how much stack they took, by thread" {
	graph "$bin/graphed" calls
	gvpr 'BEG_G { printf("%s %s\n", $.depth, $.stack) }' graph.dot >deepest
	read -r depth stack <deepest
	[ "$depth" -eq 23 ] # main calls even odd ... even
	[ "$stack" -gt 23 ] && [ "$stack" -lt 1000000 ]
	grep -Eq "threads=\"[0-9]+: depth=$depth stack=$stack; 0 ended\"" graph.dot
}

@test "each process has its own graph" {
	graph "$bin/graphed" forks
	expect_edges "$root main 1" "main forks 1" "forks leaf 2"
	children=(graph.dot.*)
	[ ${#children[@]} -eq 1 ]
	diff -u <(printf '%s\n' "$root main 0" "main forks 0" "forks in_child 1" \
		"in_child leaf 1" | sort) <(edges "${children[0]}")
	observe env WHOCALLME_TRACE=graph WHOCALLME_OUTPUT=%p.dot "$bin/graphed" forks
	numbered=([0-9]*.dot)
	[ ${#numbered[@]} -eq 2 ]
}

@test "a crash leaves the graph, with what is open" {
	graph "$bin/graphed" crash
	[ "$status" -gt 128 ]
	expect_edges "$root main 1" "main crash 1" "crash leaf 1"
	[ "$(node main total)" -gt 0 ]
}

@test "so do exit, quick_exit and a directory that was left" {
	graph "$bin/graphed" quick
	expect_edges "$root main 1" "main ends_quickly 1" "ends_quickly leaf 1"
	graph "$bin/graphed" elsewhere
	expect_edges "$root main 1" "main elsewhere 1" "elsewhere leaf 1"
}

@test "functions of one name are told apart, by module or by place" {
	graph "$bin/graphed-lib" twins
	expect_edges "$root main 1" "main twins 1" "twins twin@graphed-lib 1" \
		"twins twin_elsewhere 2" "twin_elsewhere twin@libtwin.so 2"
	graph "$bin/graphed" twins
	here=$(nm "$bin/graphed" | sed -n 's/^0*\([0-9a-f]*\) t twin$/\1/p')
	[ "$(wc -l <<<"$here")" -eq 2 ]
	diff -u <(sed 's/^/twin@graphed+0x/' <<<"$here" | sort) \
		<(gvpr 'N { print(name) }' graph.dot | grep '^twin@' | sort)
}

@test "names of bytes that are no characters, of any length" {
	local length name
	for length in 80 81 82 95 300; do
		name=$(printf '%*s' $length | sed 's/ /\\x80/g')
		printf 'void odd(void) __asm__("%b"); void odd(void) { }\nint main(void) { odd(); }\n' \
			"$name" >odd.c
		build odd "$PWD/odd.c" -O0 -finstrument-functions -- -Wl,--no-as-needed
		graph "$bin/odd"
		[ "$status" -eq 0 ]
		[ "$(edges | grep -c '^main .* 1$')" -eq 1 ]
	done
}

@test "what has been unloaded keeps its name, or its place" {
	LD_LIBRARY_PATH=$bin graph "$bin/graphed" plugs
	expect_edges "$root main 1" "main plugs 1" "plugs leaf 1" \
		"plugs twin_elsewhere 1" "twin_elsewhere twin 1"
	static=$(nm "$bin/libtwin.so" | sed -n 's/^0*\([0-9a-f]*\) t twin$/\1/p')
	[ -n "$static" ]
	mkdir stripped
	strip -o stripped/libtwin.so "$bin/libtwin.so"
	LD_LIBRARY_PATH=stripped graph "$bin/graphed" plugs
	expect_edges "$root main 1" "main plugs 1" "plugs leaf 1" \
		"plugs twin_elsewhere 1" "twin_elsewhere libtwin.so+0x$static 1"
	[ "$(node twin_elsewhere module)" = "$PWD/stripped/libtwin.so" ]
}

@test "a library in the place of another is not counted as that one" {
	local name
	for name in one two; do
		cat >$name.c <<-C
			void $name(void) { }
			void plug(void) { $name(); }
		C
		build_library lib$name.so "$PWD/$name.c" -O0 -finstrument-functions
	done
	cat >reuse.c <<-'C'
		#include <dlfcn.h>
		#include <stdio.h>
		static void run(const char *path)
		{
			void *library = dlopen(path, RTLD_NOW);
			void (*plug)(void);

			*(void **)&plug = dlsym(library, "plug");
			plug();
			printf("%p\n", *(void **)&plug);
			dlclose(library);
		}
		int main(void)
		{
			for (int i = 0; i < 100; i++)
				run(i % 3 == 1 ? "libtwo.so" : "libone.so");
		}
	C
	build reuse "$PWD/reuse.c" -O0 -finstrument-functions -- -Wl,--no-as-needed
	LD_LIBRARY_PATH=$bin graph "$bin/reuse"
	[ "$(sort -u "$out" | wc -l)" -eq 1 ] || skip "each has its own place"
	expect_edges "$root main 1" "main run 100" "run plug@libone.so 67" \
		"run plug@libtwo.so 33" "plug@libone.so one 67" "plug@libtwo.so two 33"
	LD_LIBRARY_PATH=$bin observe env WHOCALLME_TRACE=log "$bin/reuse"
	diff -u <(printf '%s\n' one two one one) \
		<(sed -n 's/.*&\(one\|two\)$/\1/p' "$err" | head -n 4)
}

# What a frame is known by must not outlive it, with a build-id or without.
@test "a function in the place of another has its own frame" {
	local name room
	for name in large small; do
		room=64
		[ $name = large ] || room=16
		cat >$name.c <<-C
			static void leaf(void) { __asm__ volatile(""); }
			void plug(void)
			{
				volatile char room[$room];

				for (int i = 0; i < 10; i++) {
					room[i] = 0;
					leaf();
				}
			}
		C
		build_library lib$name.so "$PWD/$name.c" -O2 -fno-inline \
			-fomit-frame-pointer -finstrument-functions \
			-Wl,--build-id=none
		readelf -lW "$bin/lib$name.so" | sed '1,/Program Headers/d' >$name.headers
	done
	cat >places.c <<-'C'
		#include <dlfcn.h>
		#include <stdio.h>
		static void run(const char *path)
		{
			void *library = dlopen(path, RTLD_NOW);
			void (*plug)(void);

			*(void **)&plug = dlsym(library, "plug");
			plug();
			plug();
			printf("%p\n", *(void **)&plug);
			dlclose(library);
		}
		int main(void)
		{
			for (int i = 0; i < 4; i++)
				run(i % 2 ? "libsmall.so" : "liblarge.so");
		}
	C
	build places "$PWD/places.c" -O0 -finstrument-functions -- -Wl,--no-as-needed
	LD_LIBRARY_PATH=$bin graph "$bin/places"
	[ "$(sort -u "$out" | wc -l)" -eq 1 ] || skip "each has its own place"
	cmp large.headers small.headers || skip "their headers tell"
	grep -q 'lost=0; unwound=0;' graph.dot
	grep -q 'depth=4; ' graph.dot # main run plug leaf
	edges >edges
	grep -qFx 'run plug@liblarge.so 4' edges
	grep -qFx 'run plug@libsmall.so 4' edges
	[ "$(grep -c '^plug@lib.* leaf@lib.* 40$' edges)" -eq 2 ] # their own each
	[ "$(wc -l <edges)" -eq 6 ]
}

@test "who reads meanwhile reads a whole graph" {
	WHOCALLME_TRACE=graph WHOCALLME_OUTPUT=graph.dot "$bin/graphed" flushes &
	flushing=$!
	for _ in {1..500}; do
		[ ! -e graph.dot ] || break
		sleep 0.01
	done
	read_all=yes before=0
	for _ in {1..60}; do
		calls=$(edges 2>complaint | sed -n 's/^recurse leaf //p')
		[ ! -s complaint ] && [ "${calls:-0}" -ge "$before" ] || read_all=no
		before=${calls:-0}
	done
	kill -KILL $flushing
	wait $flushing || :
	[ $read_all = yes ]
	[ "$before" -gt 100 ]
}

@test "a trace that is started again begins at nothing" {
	observe "$bin/graphed" restarts
	for i in 1 2 3; do
		diff -u <(printf '%s\n' "$root leaf $i" "$root threads 1" "$root work 2" \
			"work leaf 2000" | sort) <(edges $i.dot)
	done
}

@test "counts without times" {
	observe env WHOCALLME_TRACE_TIMES=no WHOCALLME_TRACE=graph \
		WHOCALLME_OUTPUT=graph.dot "$bin/graphed" jumps
	expect_edges "$root main 1" "main jumps 1" "jumps jump 50" "jump jump 150" \
		"jumps leaf 1"
	refute grep -Eq 'self|total' graph.dot
}

@test "a link is kept, and so is a device" {
	mkdir other
	ln -s other/kept.dot graph.dot
	touch other/kept.dot
	graph "$bin/graphed" jumps
	[ -L graph.dot ]
	[ "$(edges other/kept.dot | wc -l)" -eq 5 ]
	observe env WHOCALLME_TRACE=graph WHOCALLME_OUTPUT=/dev/null \
		"$bin/graphed" jumps
	[ -c /dev/null ]
	WHOCALLME_TRACE=graph WHOCALLME_OUTPUT=/dev/fd/7 "$bin/graphed" jumps \
		7> >(cat >piped)
	sleep 0.2
	[ "$(edges piped | wc -l)" -eq 5 ]
}

@test "what cannot be written is told in a line, and the program goes on" {
	observe env WHOCALLME_TRACE=graph WHOCALLME_OUTPUT=/dev/full \
		"$bin/graphed" calls
	expect_status 0
	expect_err "<whocallme>: /dev/full: the disk is full"
	observe env WHOCALLME_TRACE=graph WHOCALLME_OUTPUT=none/graph.dot \
		"$bin/graphed" calls
	expect_status 0
	[ "$(wc -l <"$err")" -eq 1 ]
	err_has 'none/graph.dot'
	observe bash -c 'ulimit -f 1; exec "$@"' - env WHOCALLME_TRACE=graph \
		WHOCALLME_OUTPUT=graph.dot "$bin/graphed" calls
	expect_status 0
	expect_err "<whocallme>: $PWD/graph.dot: the file may not be that large"
	[ ! -e graph.dot ]
	[ "$(find . -name 'graph.dot*')" = "" ]
}

@test "whocallme.dot, if no name is given" {
	observe env WHOCALLME_TRACE=graph "$bin/graphed" jumps

	[ "$(edges whocallme.dot | wc -l)" -eq 5 ]
}

@test "the example draws what follows its start" {
	build example "$top_srcdir/examples/graph.c" -O0 -finstrument-functions
	observe "$bin/example"
	expect_out "25 168"
	expect_edges "$root count_primes 1" "count_primes is_prime 1000"
}

@test "a drawing has what can be read, and says what it lacks; --cut=0 has all" {
	{
		echo 'int main(void) { int sum = 0;'
		for i in $(seq 90); do echo "int f$i(int); sum += f$i(1);"; done
		echo 'return !sum; }'
		for i in $(seq 90); do
			echo "int f$i(int n) { volatile int i; for (i = 0; i < n * $i * 100; i++) ; return i; }"
		done
	} >many.c
	build many "$PWD/many.c" -O0 -finstrument-functions
	rm -rf many.data
	observe "$whocallme" trace --record=many.data "$bin/many"
	observe "$whocallme" graph many.data
	expect_status 0
	[ "$(gvpr 'N { print(name) }' "$out" | wc -l)" -le 40 ]
	[ "$(gvpr 'N { print(name) }' "$out" | wc -l)" -ge 35 ]
	err_has 'left out: 5[1-6] of 91 functions, up to [0-9.e-]* % of the time; --cut=0 shows all$'
	grep -qE 'label="many: .*; left out: 5[1-6] of 91 functions, up to ' "$out" || blame "$(head -3 "$out")"
	grep -qE '"main" \[label="main\\n1 call\\nself [^"]*\\ntotal ' "$out" || blame "$(grep main "$out")"
	observe "$whocallme" graph --cut=0 many.data
	[ ! -s "$err" ] || blame "more than a drawing"
	[ "$(gvpr 'N { print(name) }' "$out" | wc -l)" -eq 91 ]
	# Functions that are alike are not all left out.
	observe "$whocallme" trace --graph=alike.dot --no-times "$bin/many"
	observe "$whocallme" graph alike.dot
	[ "$(gvpr 'N { print(name) }' "$out" | wc -l)" -eq 40 ]
	err_has 'left out: 52 of 92 functions, up to 1.1 % of the calls; --cut=0 shows all$'
}

@test "time in calls that wait is blue, and told apart" {
	cat >waits.c <<-'C'
		#include <unistd.h>
		static void rest(void) { usleep(30000); }
		int main(void) { volatile int i; for (i = 0; i < 1000000; i++) ; rest(); }
	C
	build waits "$PWD/waits.c" -O0 -finstrument-functions
	rm -rf waits.data
	observe "$whocallme" trace --record=waits.data --library-calls=usleep "$bin/waits"
	[ "$(uname -m)" = x86_64 ] || skip "library calls are x86-64's"
	observe "$whocallme" graph waits.data
	grep -qE 'label="waits: .*; (3[0-9]|[4-9][0-9]|[0-9]{3})\.[0-9]+ ms in calls that wait \(blue\)"' "$out" ||
		blame "$(cat "$out")"
	grep -qE '"usleep".*fillcolor="0\.580 1\.000 1\.000"' "$out" || blame "$(cat "$out")"
	grep -qE '"rest".*fillcolor="0\.000 0' "$out" || blame "$(cat "$out")"
}
