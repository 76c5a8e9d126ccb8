#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# threads.bats - what every thread of a running program does.

load support

setup_file()
{
	bin=$BATS_FILE_TMPDIR
	build threads threads.c -O1 -fno-omit-frame-pointer
}

setup()
{
	ulimit -S -c 0
}

# Lines "THREAD: FUNCTION" of what the program's own functions our text shows.
our_functions()
{
	awk -F '"' '/^<whocallme>: thread/ { thread = $2 }
		/^#.*\/threads\+0x[0-9a-f]+\)$/ {
			sub(/.* in /, ""); sub(/\+.*/, "")
			if ($0 != "_start") print thread ": " $0
		}'
}

# The same of what gdb shows.
gdb_functions()
{
	awk -F '"' '/^Thread / { thread = $2 }
		/^#.* at .*threads\.c:/ {
			sub(/^#[0-9]+ +(0x[0-9a-f]+ in )?/, ""); sub(/ .*/, "")
			if ($0 != "all_there") print thread ": " $0
		}'
}

@test "the stacks of all threads are those gdb shows" {
	needs gdb
	observe timeout 60 "$bin/threads" write_stacks
	expect_status 0
	timeout 60 gdb -nx -batch -iex 'set debuginfod enabled off' -ex 'set width 0' \
		-ex 'set startup-with-shell off' -ex 'break all_there' \
		-ex 'run write_stacks' -ex 'thread apply all bt' -ex kill \
		"$bin/threads" </dev/null >"$bin/gdb" 2>/dev/null
	our_functions <"$out" | sed 's/\\x09/\t/' | sort >"$bin/ours"
	gdb_functions <"$bin/gdb" | sed 's/\\t/\t/' | grep -v '^deaf' | sort >"$bin/theirs"
	grep -q '^reader: read_nothing$' "$bin/theirs"
	[ "$(grep -c '^deep: recurse$' "$bin/theirs")" -eq 21 ]
	diff -u "$bin/theirs" "$bin/ours"
}

@test "the calling thread comes first, the others by their ids" {
	observe timeout 60 "$bin/threads" write_stacks
	sed -n 1p "$out" | grep -E '^<whocallme>: thread [0-9]+ "threads"$'
	sed -n 2p "$out" | grep -E '^#0 0x[0-9a-f]+ in write_stacks\+'
	[ "$(grep -c '^<whocallme>: thread' "$out")" -eq 6 ]
	sed -n 's/^<whocallme>: thread \([0-9]*\) .*/\1/p' "$out" | sort -nc
	refute grep -E 'signal handler|on_request|did not.*did not' "$out"
}

@test "a thread without ears is listed, a name is escaped" {
	observe timeout 60 "$bin/threads" write_stacks
	out_has '^<whocallme>: thread [0-9]+ "deaf" did not answer: has blocked signals$'
	out_has '^<whocallme>: thread [0-9]+ "spin\\x09ner"$'
}

@test "a closed descriptor and a full disk are told" {
	observe timeout 60 "$bin/threads" write_nowhere
	expect_status 0
	observe sh -c "exec timeout 60 '$bin/threads' write_stacks >/dev/full"
	expect_status 1
}

@test "a static program" {
	build_static static threads.c -O1 -fno-omit-frame-pointer
	observe timeout 60 "$bin/static" write_stacks
	expect_status 0
	[ "$(grep -c '^<whocallme>: thread' "$out")" -eq 6 ]
	[ "$(grep -c '^#.* in recurse+' "$out")" -eq 21 ]
}

@test "the watchdog barks once each time it was not fed" {
	observe timeout 60 "$bin/threads" watch
	expect_status 0
	diff -u <(sed -E 's/[0-9]{4} ms/N ms/' "$err" | grep -v -e '^#' -e '": *$') - <<-END
		hungry
		<whocallme>: the watchdog was not fed for N ms
		$(sed -n 's/^\(<whocallme>: thread .* "wcm-watchdog"\)$/\1/p;T;q' "$err")
		$(sed -n 's/^\(<whocallme>: thread .* "threads"\)$/\1/p;T;q' "$err")
		fed
		hungry
		<whocallme>: the watchdog was not fed for N ms
		$(sed -n 's/^\(<whocallme>: thread .* "wcm-watchdog"\)$/\1/p;T;q' "$err")
		$(sed -n 's/^\(<whocallme>: thread .* "threads"\)$/\1/p;T;q' "$err")
		stopped
	END
	err_has '^#.* in watch\+0x[0-9a-f]+ \(.*/threads\+0x[0-9a-f]+\)$'
}

@test "a forked child is watched when it asks for it" {
	not_sanitized "a child makes no threads there"
	observe timeout 60 "$bin/threads" watch_child
	expect_status 0
	[ "$(grep -c 'was not fed' "$err")" -eq 1 ]
	[ "$(grep -v '^#' "$err" | head -n 1)" = 'starts its own' ]
}

build_cxx()
{
	compile "$bin/start.o" "$top_srcdir/whocallme/watch/thread_start.c" -O2 -DPIC \
		-D_GNU_SOURCE -I"$top_srcdir/whocallme" -I"$top_srcdir/whocallme/core/arch/$arch"
	compile "$bin/cxx.o" "$programs/threads.cc" -O1
	# shellcheck disable=SC2086 # a list
	$CXX -o "$bin/cxx" "$bin/cxx.o" "$bin/start.o" "$lib/libwcm-whole.a" $BFD_LIBS \
		-lpthread -ldl
}

@test "exceptions, cancellation and pthread_exit pass through an armed thread" {
	not_sanitized "the program is not"
	[ -n "$CXX" ] || skip "g++ is missing"
	build_cxx
	observe timeout 60 "$bin/cxx"
	expect_status 0
	expect_out caught 'on the stack destroyed, armed' \
		'thread-local destroyed, armed' 'on the stack destroyed, armed' \
		cancelled
	observe timeout 60 "$bin/cxx" uncaught
	expect_status 134
	err_has '^terminate called after throwing'
}

@test "preloaded, threads come and go as before" {
	not_sanitized "its runtime must be loaded first"
	$CC -o "$bin/plain" "$programs/threads_plain.c" -lpthread
	observe timeout 60 env LD_PRELOAD="$lib/libwhocallme-preload.so" "$bin/plain"
	expect_status 0
	expect_out '2000 threads'
}

# many_threads FLAG...: a program of as many threads as it is told, each of which waits until all
# are there; it prints how many mappings there are then.  Their stacks fit into 32 bits.
many_threads()
{
	$CC -O1 "$@" -x c - -lpthread <<'.'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
static pthread_barrier_t all;
__attribute__((noinline)) static void waits(void)
{
	pthread_barrier_wait(&all); /* all are there */
	pthread_barrier_wait(&all); /* and were counted */
}
static void *thread(void *unused) { waits(); return unused; }
int main(int argc, char **argv)
{
	int count = atoi(argv[argc - 1]), lines = 0, byte;
	pthread_t *threads = calloc(count, sizeof(*threads));
	pthread_attr_t small;
	FILE *maps;
	pthread_barrier_init(&all, NULL, count + 1);
	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 65536);
	for (int i = 0; i < count; i++)
		if (pthread_create(&threads[i], &small, thread, NULL))
			return 1;
	pthread_barrier_wait(&all);
	maps = fopen("/proc/self/maps", "r");
	while ((byte = getc(maps)) != EOF)
		lines += byte == '\n';
	printf("%d\n", lines);
	pthread_barrier_wait(&all);
	for (int i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
.
}

@test "3,000 threads at a time: each call has its end, and a thread has one mapping more at most" {
	not_sanitized "they take mappings of their own"
	[ -z "$emulated" ] || skip "the emulator has mappings of its own"
	build_kinds many_threads many
	observe "$bin/many_hooks" 3000
	expect_status 0
	local without=$(cat "$out") kind mode most
	for kind in $kinds; do
		for mode in --flight --flight=1000; do
			observe "$whocallme" run $mode -- "$bin/many_$kind" 3000
			expect_status 0
			[ "$(cat "$out")" -le $((without + 2048 + 1000)) ] ||
				blame "$kind $mode: $(cat "$out") mappings, $without without"
		done
		for mode in "--log=$bin/file -e" "--record=$bin/file --force" "--graph=$bin/file"; do
			rm -rf "$bin/file"
			# shellcheck disable=SC2086 # two words
			observe "$whocallme" trace $mode -- "$bin/many_$kind" 3000
			expect_status 0
			# The first 1,024 stacks for signals have a guard, of two mappings; then
			# there are the window of a recording's file, and the tables of a graph.
			most=$((without + 2048 + 600))
			[[ $mode = *log* ]] || most=$((most + 3000))
			[ "$(cat "$out")" -le $most ] ||
				blame "$kind $mode: $(cat "$out") mappings, $without without"
			case $mode in
			*log*) [ "$(grep -c '^RET.*&thread' "$bin/file")" -eq 3000 ] ;;
			*graph*) grep -Eq '"thread" .* calls=3000' "$bin/file" ;;
			*) [ "$("$whocallme" replay "$bin/file" | grep -c '} /\* thread')" -eq 3000 ] ;;
			esac || blame "$kind $mode: calls or ends are missing"
		done
	done
}

# Threads of 8 megabytes, of which as many are made as there is room for, up to the number that is
# given; each makes calls, the last ones where there is no memory at all.
bounded_threads()
{
	$CC -O1 "$@" -x c - -lpthread <<'.'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
static pthread_barrier_t all;
__attribute__((noinline)) int leaf(int number)
{
	__asm__ volatile("");
	return number;
}
__attribute__((noinline)) int deep(int number)
{
	return number ? deep(number - 1) + leaf(1) : 0;
}
__attribute__((no_instrument_function, patchable_function_entry(0, 0)))
static void *starved(void *unused)
{
	int sum;
	pthread_barrier_wait(&all);
	sum = deep(3);
	pthread_barrier_wait(&all);
	return sum == 3 ? unused : &all;
}
static void *fed(void *unused)
{
	for (int i = 0; i < 1000; i++)
		if (deep(20) != 20)
			return &all;
	return unused;
}
__attribute__((no_instrument_function, patchable_function_entry(0, 0)))
static void starve(void)
{
	struct rlimit limit;
	getrlimit(RLIMIT_AS, &limit);
	limit.rlim_cur = 1 << 20;
	setrlimit(RLIMIT_AS, &limit);
}
int main(int argc, char **argv)
{
	int count = atoi(argv[argc - 1]), made = 0, wrong = 0;
	pthread_t thread[100];
	pthread_attr_t large;
	void *result;
	pthread_barrier_init(&all, NULL, count + 1);
	pthread_attr_init(&large);
	pthread_attr_setstacksize(&large, 8 << 20);
	leaf(1);
	while (made < count && !pthread_create(&thread[made], &large,
					       argc > 2 ? starved : fed, NULL))
		made++;
	if (argc > 2 && made < count) /* who is there would wait for the rest */
		return 1;
	if (argc > 2) {
		starve();
		pthread_barrier_wait(&all);
		pthread_barrier_wait(&all);
	}
	for (int i = 0; i < made; i++)
		wrong += pthread_join(thread[i], &result) != 0 || result;
	printf("%d %d\n", made, wrong);
	return 0;
}
.
}

@test "where the address space is bounded, a program has its threads, in each mode" {
	not_sanitized "they need the memory"
	[ -z "$emulated" ] || skip "the emulator needs the memory"
	build_kinds bounded_threads bounded
	local kind mode
	for kind in $kinds; do
		for mode in "trace --log=$bin/file" "trace --log=$bin/file -e" "trace --pairs=$bin/file" \
			"trace --addresses=$bin/file" "trace --record=$bin/file --force" \
			"trace --graph=$bin/file" "run --flight" "trace --log=$bin/file --system-calls" \
			"trace --record=$bin/file --force --system-calls" \
			"trace --log=$bin/file --library-calls -A"; do
			[[ $mode != *-calls* || $arch == x86_64 ]] || continue
			rm -rf "$bin/file"
			# shellcheck disable=SC2086 # words
			observe sh -c 'ulimit -v 200000 && exec timeout 60 "$@"' - \
				"$whocallme" $mode -- "$bin/bounded_$kind" 18
			expect_status 0
			[ "$(cat "$out")" = "18 0" ] || blame "$kind $mode: $(cat "$out"), not 18 0"
		done
	done
}

@test "a thread for which there is no memory goes on, and its events are counted as lost" {
	not_sanitized "they need the memory"
	[ -z "$emulated" ] || skip "the emulator needs the memory"
	bounded_threads -finstrument-functions -o "$bin/starved"
	local mode
	for mode in log pairs addresses record graph; do
		rm -rf "$bin/file"
		observe sh -c 'ulimit -S -v 200000 && exec timeout 60 "$@"' - \
			"$whocallme" trace "--$mode=$bin/file" -- "$bin/starved" starved 16
		expect_status 0
		[ "$(cat "$out")" = "16 0" ] || blame "$mode: $(cat "$out")"
		err_lacks "the trace ends here"
		err_has "^<whocallme>: [0-9]+ events were lost.* [0-9]+ in threads for which there was no memory"
	done
}

# A program that calls through 400 megabytes of its stack, each a range with a return trampoline,
# after it has left no memory for those.
no_trampolines()
{
	$CC -O1 -fpatchable-function-entry=5 -o "$bin/no_ranges" -x c - -lpthread <<'.'
#include <pthread.h>
#include <stdio.h>
#include <sys/resource.h>
__attribute__((noinline)) static int down(int more)
{
	volatile char megabyte[1 << 20];
	megabyte[0] = 1;
	return more ? down(more - 1) + megabyte[0] : 0;
}
__attribute__((no_instrument_function)) static void no_memory(void)
{
	unsigned long pages = 0;
	FILE *file = fopen("/proc/self/statm", "r");
	struct rlimit limit = { 0, RLIM_INFINITY };
	if (fscanf(file, "%lu", &pages) == 1)
		limit.rlim_cur = pages * 4096;
	fclose(file);
	setrlimit(RLIMIT_AS, &limit);
}
static void *thread(void *unused)
{
	struct rlimit all = { RLIM_INFINITY, RLIM_INFINITY };
	down(2);
	no_memory();
	printf("%d\n", down(400));
	setrlimit(RLIMIT_AS, &all);
	return unused;
}
int main(void)
{
	pthread_attr_t attr;
	pthread_t id;
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 500 << 20);
	if (pthread_create(&id, &attr, thread, NULL))
		return 1;
	return pthread_join(id, NULL);
}
.
}

@test "calls without ends are counted, said, and in the recording" {
	not_sanitized "they need the memory"
	[ -z "$emulated" ] || skip "the emulator needs the memory"
	has_sleds || skip "no functions with sleds"
	no_trampolines
	local lost kind
	observe "$whocallme" trace --no-signals --graph="$bin/file" -- "$bin/no_ranges"
	expect_status 0
	expect_out 400
	err_has "^<whocallme>: [0-9]+ calls were traced without their ends"
	observe "$whocallme" trace --no-signals --record="$bin/file.data" -- "$bin/no_ranges"
	expect_status 0
	err_has "^<whocallme>: [0-9]+ calls were traced without their ends"
	lost=$(grep -Eo '[0-9]+ calls were traced' "$err")
	[ "${lost%% *}" -gt 200 ] && [ "${lost%% *}" -le 401 ]
	for kind in replay report; do
		observe "$whocallme" $kind "$bin/file.data"
		expect_status 0
		err_has "$lost without their ends"
	done
	! command -v uftrace >/dev/null || uftrace report --no-pager -d "$bin/file.data"
}

@test "threads that share another's thread-local variables: the program lives, they are counted" {
	not_sanitized "they have no thread-local variables of their own"
	[ -z "$emulated" ] || skip "the emulator's threads share nothing"
	local kind how mode events
	build share_hooks sharers.c -O1 -finstrument-functions
	! has_sleds || build share_sleds sharers.c -O1 -fpatchable-function-entry=5
	for kind in hooks sleds; do
		[ -e "$bin/share_$kind" ] || continue
		for how in thread process vfork raw-thread raw-process raw-vfork array-thread; do
			for mode in "--log=$bin/file" "--log=$bin/file -e" "--pairs=$bin/file" \
				"--record=$bin/file --force" "--graph=$bin/file" \
				"--log=$bin/file --system-calls"; do
				[[ $mode != *system* || $arch == x86_64 ]] || continue
				rm -rf "$bin/file"
				# shellcheck disable=SC2086 # two words
				observe timeout 60 "$whocallme" trace --no-signals $mode -- \
					"$bin/share_$kind" $how
				expect_status 0
				[ "$(cat "$out")" = "12497500 12497500 12497500 12497500 " ] ||
					blame "$kind $how $mode: $(cat "$out")"
				# Entries and exits of hooks; of sleds the entries, child()'s too.
				events=$((3 * 2 * 5019))
				[ $kind = hooks ] || events=$((3 * 5020))
				grep -q "^<whocallme>: $events events were passed over, of threads" "$err" ||
					blame "$kind $how $mode: $(cat "$err")"
			done
		done
	done
}
