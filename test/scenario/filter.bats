#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# filter.bats - of all calls, those that were asked for, as uftrace chooses them.

load support

setup_file()
{
	bin=$BATS_FILE_TMPDIR
	compile "$bin/elsewhere.o" "$programs/filtered_elsewhere.c" -O0 \
		-finstrument-functions
	compile "$bin/filtered.o" "$programs/filtered.c" -O0 \
		-finstrument-functions
	$CC -o "$bin/filtered" "$bin/filtered.o" "$bin/elsewhere.o" -lpthread -ldl
	build_own filtered filtered.c "$programs/filtered_elsewhere.c" -O0 \
		-finstrument-functions
	compile "$bin/shop.o" "$programs/filtered.cc" -O0 -finstrument-functions
	$CXX -o "$bin/shop" "$bin/shop.o"
	build_library one.so traced_plugin.c -O0 -finstrument-functions
	build_library two.so traced_plugin.c -O0 -finstrument-functions \
		-Dplugin_step=other_step
}

setup()
{
	trace_setup
}

# Depth and name of each call in a log, in its order.
calls_of()
{
	five_digits "$1" | awk '/^FUN/ {
		at = index($0, "&")
		name = substr($0, at + 1)
		sub(/ x[0-9]+, .*/, "", name)
		sub(/, [0-9'\'']+ ns$/, "", name)
		n = match($0, / x[0-9]+, /) ? substr($0, RSTART + 2) + 0 : 1
		for (; n > 0; n--)
			print (at - 33) / 2, name
	}'
}

# filtered OPTION... -- ARGUMENT...: calls of the program, into $calls.
filtered()
{
	local -a chosen=()
	while [ "$1" != -- ]; do
		chosen+=("$1")
		shift
	done
	shift
	status=75 # by which a program says that it was not as quick as it is to be
	while [ "$status" -eq 75 ]; do
		observe "$whocallme" trace --demangle=full "${chosen[@]}" -- "${program:-$bin/filtered}" "$@"
	done
	expect_status 0
	calls=$(calls_of "$err")
}

expect_calls()
{
	diff -u <(printf '%s\n' "$@") <(printf '%s\n' "$calls") ||
		blame "other calls"
}

# same_as_uftrace OPTION... -- OUR_OPTION...: both choose the same calls.
same_as_uftrace()
{
	local -a theirs=()
	needs uftrace
	while [ "$1" != -- ]; do
		theirs+=("$1")
		shift
	done
	shift
	rm -rf theirs
	uftrace record --no-libcall --no-event -d theirs "${theirs[@]}" \
		"$bin/own/filtered" >/dev/null 2>&1
	filtered "$@" --
	diff -u <(uftrace replay -d theirs -f none --no-merge |
		awk '/\(\) \{$/ { match($0, /^ */); sub(/\(\)$/, "", $1)
			print RLENGTH / 2, $1 }') <(printf '%s\n' "$calls") ||
		blame "uftrace chooses others"
	[ -n "$calls" ] || blame "nothing was chosen"
	# The same calls in a recording of ours.
	rm -rf ours
	"$whocallme" trace --record=ours "$@" "$bin/filtered"
	diff -u <(uftrace replay -d theirs -f none) \
		<(uftrace replay -d ours -f none) || blame "recorded otherwise"
}

@test "what a function calls, as uftrace's -F" {
	same_as_uftrace -F bar -- -F bar -k
	same_as_uftrace -F foo -- -F foo -k
	same_as_uftrace -F foo -F slow -- -F foo,slow --keep-callees
}

@test "without what a function calls, as uftrace's -N" {
	same_as_uftrace -N bar -- -N bar -H
	same_as_uftrace -N foo -N slow -- --not-functions=foo,slow -H
	same_as_uftrace -F bar -N foo -- -F bar -N foo -k -H
	same_as_uftrace -F foo -N bar -- -F foo -N bar -k -H
}

@test "depth, as uftrace's -D" {
	same_as_uftrace -D 1 -- -D 1
	same_as_uftrace -D 3 -- --depth=3
	same_as_uftrace -F bar -D 2 -- -F bar -k -D 2
}

@test "duration, as uftrace's -t" {
	same_as_uftrace -t 10ms -- -t 10ms
	same_as_uftrace -t 10ms -N slow -- -t 10ms -N slow -H
}

@test "duration: what is open when the program forks, exits or stops tracing" {
	$CC -O0 -g -finstrument-functions -I"$top_srcdir/include" -o "$bin/ends" \
		-x c - $shared_libs <<'.'
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <whocallme.h>
#define UNSEEN __attribute__((no_instrument_function))
static void leave(int how)
{
	usleep(20000);
	if (how == 0)
		exit(0);
	wcm_trace_stop();
}
static void brief(void) { }
static UNSEEN long milliseconds(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}
/* Whoever was preempted meanwhile was not brief, and says so. */
static UNSEEN void be_brief(void)
{
	const long before = milliseconds();
	brief();
	if (milliseconds() - before >= 9)
		_exit(75);
}
static void in_child(void) { be_brief(); leave(0); }
static void start(void)
{
	int status;
	be_brief();
	if (fork() == 0)
		in_child();
	if (wait(&status) > 0 && status != 0)
		_exit(75);
}
int main(int argc, char *argv[])
{
	(void)argv;
	be_brief();
	if (argc > 2)
		start();
	leave(argc - 1);
	return 0;
}
.
	local program=$bin/ends
	filtered -t 10ms --
	expect_calls '0 main' '1 leave'
	filtered -t 10ms -- stop
	expect_calls '0 main' '1 leave'
	filtered -t 10ms -- fork twice
	diff -u <(printf '%s\n' '0 main' '1 start' '2 in_child' '3 leave' '1 leave' |
		sort) <(sort <<<"$calls") || blame "other calls"
	until "$whocallme" trace --record=forked -t 10ms "$program" fork twice; do
		[ $? -eq 75 ] && rm -r forked
	done
	[ "$(uftrace replay -d forked -f none --no-merge | grep -c '() {')" -eq 5 ]
}

@test "duration: what is open on a stack that is left is shown, however short" {
	$CC -O0 -finstrument-functions -o "$bin/leaves" -x c - <<'.'
#include <signal.h>
#include <ucontext.h>
static char room[2][65536];
static ucontext_t first, second;
static void brief(void) { }
static void in_handler(int signal) { brief(); (void)signal; }
static void yield(void) { swapcontext(&second, &first); }
static void start(void) { brief(); yield(); }
static void switches(void)
{
	getcontext(&second);
	second.uc_stack = (stack_t){ .ss_sp = room[0], .ss_size = sizeof(room[0]) };
	makecontext(&second, start, 0);
	swapcontext(&first, &second);
}
static void interrupted(void) { raise(SIGUSR1); }
int main(int argc, char *argv[])
{
	stack_t stack = { .ss_sp = room[1], .ss_size = sizeof(room[1]) };
	struct sigaction action = { .sa_handler = in_handler, .sa_flags = SA_ONSTACK };
	(void)argv;
	sigaltstack(&stack, 0);
	sigaction(SIGUSR1, &action, 0);
	argc > 1 ? interrupted() : switches();
	return 0;
}
.
	local program=$bin/leaves
	filtered -t 10s --
	expect_calls '0 main' '1 switches' '0 start' '1 yield'
	filtered -t 10s -- signal
	expect_calls '0 main' '1 interrupted'
}

@test "functions alone, kept or dropped: the others are as if not there" {
	filtered -F foo,bar --
	expect_calls '0 foo' '0 bar' '1 foo'
	filtered -N 'leaf,ba?' --
	expect_calls '0 main' '1 tree' '2 foo' '2 foo' '2 slow' '2 elsewhere'
	filtered -F 'f*,[l-s]*' -N main --
	expect_calls '0 foo' '1 leaf' '0 foo' '1 leaf' '0 leaf' '0 slow' \
		'1 leaf' '0 leaf'
	filtered -F nothing --
	expect_calls ''
}

@test "modules" {
	local LD_LIBRARY_PATH=$bin
	filtered -M one.so -- "$bin/one.so"
	expect_calls '0 plugin_run' '1 plugin_step' '0 plugin_run' '1 plugin_step'
	filtered --not-modules='*/one.so' -- "$bin/one.so"
	expect_calls '0 main' '1 plugins'
}

@test "a library at the place of another is judged anew" {
	filtered -F '*_step' -N other_step -- "$bin/one.so" "$bin/two.so" \
		"$bin/one.so"
	expect_calls '0 plugin_step' '0 plugin_step' '0 plugin_step' '0 plugin_step'
	filtered -M 'two.so' -- "$bin/one.so" "$bin/two.so" "$bin/one.so"
	expect_calls '0 plugin_run' '1 other_step' '0 plugin_run' '1 other_step'
}

@test "source files, of libraries opened at run time too" {
	export WHOCALLME_HELPER=$whocallme
	filtered -S filtered_elsewhere.c --
	expect_calls '0 elsewhere'
	filtered --not-sources='programs/filtered.c' --
	expect_calls '0 elsewhere'
	filtered -S 'traced_*' -- "$bin/one.so"
	expect_calls '0 plugin_run' '1 plugin_step' '0 plugin_run' '1 plugin_step'
}

@test "source files without who would find them: it is said" {
	WHOCALLME_HELPER=/nowhere filtered -S filtered.c --
	expect_calls ''
	err_has '^<whocallme>: .*source'
	[ "$(grep -c '^<whocallme>' "$err")" -eq 1 ] || blame "said more than once"
}

@test "threads by name, though they get it late, and by number" {
	filtered -T worker -- threads
	expect_calls '0 work' '1 foo' '2 leaf'
	filtered -T 'main,filtered' -- threads
	grep -v '0 \(run\|work\)' <<<"$calls" | head -n 2 |
		diff -u <(printf '%s\n' '0 main' '1 threads') -
	filtered -T 0 -- threads
	expect_calls ''
}

@test "templates that return functions, arrays and methods, as uftrace's -F" {
	local name program=$BATS_TEST_TMPDIR/returning
	needs uftrace
	compile returning.o "$programs/returning.cc" -std=c++17 -O0 -w \
		-finstrument-functions
	$CXX -o returning returning.o
	build_own returning returning.cc -std=c++17 -O0 -w -finstrument-functions
	for name in a_function a_function_of_function a_pointer an_array a_method \
		a_member automatic as_declared by_arrow std::forward shape::get; do
		rm -rf theirs
		uftrace record --no-libcall -d theirs -F "$name@depth=1" \
			"$bin/own/returning" >/dev/null 2>&1
		filtered -F "$name" --
		[ -n "$calls" ] || blame "-F $name misses it"
		[ "$(wc -l <<<"$calls")" -eq \
			"$(uftrace report -d theirs -f call | tail -n +3 |
				awk '{ n += $1 } END { print n }')" ] ||
			blame "-F $name has other calls"
	done
	filtered -F tagged -- # by its name without [abi:cxx11]
	expect_calls '0 tagged[abi:cxx11]()' '0 tagged[abi:cxx11]()'
}

@test "C++ functions, by each way to write their names" {
	local program=$bin/shop
	filtered -F shop::Till::add --
	expect_calls '0 shop::Till::add(int)' '0 shop::Till::add(int, int)' \
		'1 shop::Till::add(int)'
	filtered -F '*add(int\, int)' --
	expect_calls '0 shop::Till::add(int, int)'
	filtered -F 'shop::twice*' --
	expect_calls '0 int shop::twice<int>(int)'
	filtered -F 'shop::Till::operator int' --
	expect_calls '0 shop::Till::operator int() const'
	filtered -F _ZNK4shop4TillcviEv --
	expect_calls '0 shop::Till::operator int() const'
	filtered -N 'shop::*' --
	expect_calls '0 main'
}

@test "a clone is meant by the name of its function, too" {
	local program=$bin/clones name
	build clones clones.c -O0 -finstrument-functions
	for name in scale scale.constprop.0 'twice(int)' twice _Z5twicei inner fast kept; do
		filtered -F "$name" --
		[ "$(wc -l <<<"$calls")" -eq 1 ] || blame "$name"
		filtered -N "main,$name" --
		[ "$(wc -l <<<"$calls")" -eq 5 ] || blame "not $name"
	done
	filtered -F other,main,scale.const --
	expect_calls '0 main'
}

@test "a graph of what was chosen" {
	"$whocallme" trace --graph=graph.dot -F 'main,foo,leaf' "$bin/filtered"
	tr -d '\t' <graph.dot | grep -E '"(main|foo)" -> ' |
		sed 's/ \[label=".*, calls=\([0-9]*\).*/ \1/' | sort >edges
	diff -u <(printf '%s\n' '"foo" -> "leaf" 2' '"main" -> "foo" 2' \
		'"main" -> "leaf" 3') edges
}

@test "a thread by its number, and no other" {
	local by
	for by in 0 1; do
		# shellcheck disable=SC2016 # the inner shell has the number
		observe sh -c 'exec env WHOCALLME_TRACE=log WHOCALLME_TRACE_THREADS=$(($$ + $1)) \
			LD_PRELOAD="$2" "$3"' sh "$by" "$lib/libwhocallme.so" "$bin/filtered"
		expect_status 0
		[ "$(grep -c '^FUN.*&main' "$err")" -eq $((1 - by)) ] || blame "of its number + $by"
	done
}

@test "all that, by the environment and by call" {
	observe env WHOCALLME_TRACE=log WHOCALLME_TRACE_FUNCTIONS=bar \
		WHOCALLME_TRACE_CALLEES=keep WHOCALLME_TRACE_DEPTH=2 \
		LD_PRELOAD="$lib/libwhocallme.so" "$bin/filtered"
	calls=$(calls_of "$err")
	expect_calls '0 bar' '1 foo' '1 leaf' '1 slow'
	for wrong in CALLEES=drop DEPTH=-1 DEPTH=0 MIN_NS=5us EXITS=1; do
		observe env WHOCALLME_TRACE=log "WHOCALLME_TRACE_$wrong" \
			LD_PRELOAD="$lib/libwhocallme.so" "$bin/filtered"
		expect_status 0
		err_has "^<whocallme>: nothing is traced: WHOCALLME_TRACE_$wrong makes no"
		[ "$(wc -l <"$err")" -eq 1 ] || blame "there is more"
	done
}

@test "a glob that matches nothing is said, when the program ends" {
	filtered -F 'fooo,leaf,b[a]z' -M nowhere.so --
	expect_calls ''
	diff -u <(printf '<whocallme>: no function that was called matches --%s\n' \
		functions=fooo 'functions=b[a]z' modules=nowhere.so) \
		<(grep '^<whocallme>' "$err")
	filtered -N fooo -T nobody --
	[ "$(grep -c '^<whocallme>: no.* --\(not-functions=fooo\|threads=nobody\)$' \
		"$err")" -eq 2 ]
	filtered -F 'plugin_*' --not-modules='one.so' -- "$bin/one.so"
	err_lacks matches
	err_has 'the filter leaves none: --functions=plugin_\* --not-modules=one.so$'
	WHOCALLME_HELPER=$whocallme filtered -S filtred.c --
	err_has '^<whocallme>: no function that was called matches --sources=filtred.c$'
}

# c++filt(1) knows what older compilers named them.
@test "what initialises a file, and what has an ABI tag, by names that can be read" {
	needs c++filt nm
	local linker words
	$CXX -O0 -finstrument-functions -o "$bin/named" -x c++ - <<-'C'
		#include <string>
		struct Thing { Thing(); };
		Thing::Thing() {}
		static Thing thing;
		std::string name(int) { return "x"; }
		int main() { return name(1).size() != 1; }
	C
	program=$bin/named
	linker=$(nm "$program" | sed -n 's/.* t \(_GLOBAL__sub_I_.*\)/\1/p')
	words=$(c++filt "${linker/_sub_I/_I}")
	[ "$words" = "global constructors keyed to Thing::Thing()" ]
	filtered -F '_GLOBAL__sub_I_*' --
	expect_calls "0 $words"
	filtered -F 'global constructors keyed to *' --
	expect_calls "0 $words"
	filtered -F name --
	expect_calls '0 name[abi:cxx11](int)'
	rm -rf recording
	"$whocallme" trace --record=recording "$program"
	"$whocallme" replay recording | grep -Fq "| ${words%()}() {"
	"$whocallme" report recording | grep -q ' name$'
}
