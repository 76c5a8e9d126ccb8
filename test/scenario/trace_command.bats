#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# trace_command.bats - whocallme trace: the calls of a program that knows nothing of
# the library, which is otherwise as it was.

load support

setup_file()
{
	bin=$BATS_FILE_TMPDIR
	build linked traced.c -O0 -finstrument-functions
	compile "$bin/elsewhere.o" "$programs/filtered_elsewhere.c" -O0 \
		-finstrument-functions
	compile "$bin/filtered.o" "$programs/filtered.c" -O0 \
		-finstrument-functions
	$CC -o "$bin/alone" "$bin/filtered.o" "$bin/elsewhere.o" -lpthread -ldl
	build_library libelse.so filtered_elsewhere.c -O0 -finstrument-functions
	$CC -o "$bin/needing" -x c - -x none "$bin/libelse.so" -Wl,-rpath,"$bin" \
		<<<'void elsewhere(void); int main(void) { elsewhere(); return 4; }'
	$CC -o "$bin/plain" -x c - <<<'int main(void) { return 3; }'
	$CC -o "$bin/own" -O0 -finstrument-functions -x c - <<'.'
#define HOOK __attribute__((no_instrument_function)) void
HOOK __cyg_profile_func_enter(void *f, void *s) { (void)f, (void)s; }
HOOK __cyg_profile_func_exit(void *f, void *s) { (void)f, (void)s; }
int main(void) { return 0; }
.
	[ -n "${STATIC_LACKS-}" ] || $CC -static -o "$bin/static" -O0 -finstrument-functions \
		-x c - <<<'int main(void) { return 0; }'
	printf '#!/bin/sh\n%s/plain\n%s/alone\nexit 9\n' "$bin" "$bin" >"$bin/script"
	chmod +x "$bin/script" && echo text >"$bin/text"
}

setup()
{
	trace_setup
}

names_in()
{
	sed -n 's/^FUN.*&\([^ ,]*\).*/\1/p' "$1" | sort -u | tr '\n' ' '
}

@test "a program built with the flag alone: its calls on stderr, its output as it was" {
	trace_it "$bin/alone"
	expect_status 0
	[ ! -s "$out" ] || blame "it prints"
	[ "$(names_in "$err")" = "bar elsewhere foo leaf main slow tree " ]
	trace_it "$bin/linked"
	expect_status 0
	"$bin/linked" | cmp - "$out"
	err_has ' &main$'
}

@test "each mode by its option, in the file it names" {
	trace_it --log=log "$bin/alone"
	[ ! -s "$err" ] || blame "stderr is not empty"
	[ "$(names_in log)" = "bar elsewhere foo leaf main slow tree " ]
	trace_it --pairs "$bin/alone"
	err_has '^__cyg_profile_func_enter: func = foo, called by = tree$'
	err_lacks '^FUN'
	trace_it --pairs=pairs.%p "$bin/alone"
	grep -q '^__cyg_profile_func_enter: func = foo, called by = tree$' pairs.*
	trace_it --addresses "$bin/alone"
	err_has '^E0x[0-9a-f]+$'
	err_has '^X0x[0-9a-f]+$'
	trace_it --record recording "$bin/alone"
	[ -s recording/info ] || blame "no recording"
	"$whocallme" replay recording | grep -q ' main() {'
	trace_it --graph graph.dot "$bin/alone"
	grep -q '"tree" -> "foo"' graph.dot
	[ ! -s "$out" ] || blame "it prints"
}

@test "a file is where the command was started, wherever the program goes" {
	mkdir there
	printf '#!/bin/sh\ncd there\nexec %s/alone\n' "$bin" >go
	chmod +x go
	trace_it --log=log ./go
	expect_status 0
	[ -s log ] || blame "the log is elsewhere"
}

@test "exits by option" {
	trace_it -e "$bin/alone"
	err_has '^RET.*&slow, [0-9'\'']+ ns$'
	trace_it "$bin/alone"
	err_lacks '^RE'
}

@test "options end where the program begins" {
	trace_it "$bin/linked" --pairs
	err_lacks '^__cyg'
	trace_it -- "$bin/linked" -h
	expect_status 0
	err_has ' &main$'
}

@test "a library that the program needs calls hooks" {
	trace_it "$bin/needing"
	expect_status 4
	[ "$(names_in "$err")" = "elsewhere " ]
}

@test "no hooks: it is not run, and the flag is named" {
	trace_it "$bin/plain"
	expect_status 125
	expect_err "whocallme trace: $bin/plain cannot be run with a trace: nothing in it \
can be traced; build it with -fpatchable-function-entry=5 (C++ by g++: whocallme cc --mode=sled \
--gcc=g++), which costs nothing until it is \
traced, or with -finstrument-functions, which shows the ends of calls, too, or give \
--library-calls, --system-calls or --probes, which need neither, or --force if what it loads or runs was built so"
	trace_it --force "$bin/plain"
	expect_status 3
	trace_it "$bin/own"
	expect_status 125
	err_has 'it has hooks of its own'
}

@test "a script, and what it runs: only what calls hooks is heard" {
	trace_it "$bin/script"
	expect_status 9
	[ "$(grep -c '^# begun at' "$err")" -eq 1 ] || blame "the shell was traced"
	[ "$(names_in "$err")" = "bar elsewhere foo leaf main slow tree " ]
}

@test "what a program without hooks loads, by force" {
	build_library one.so traced_plugin.c -O0 -finstrument-functions
	$CC -g -o "$bin/host" "$programs/filtered.c" \
		"$programs/filtered_elsewhere.c" -lpthread -ldl
	trace_it -f "$bin/host" "$bin/one.so"
	expect_status 0
	[ "$(names_in "$err")" = "plugin_run plugin_step " ]
}

@test "an output that cannot be had, or takes no more, is said once, with the reason" {
	local mode where
	for mode in log pairs addresses; do
		trace_it --$mode=/dev/full "$bin/alone"
		expect_status 0
		expect_err "<whocallme>: the trace ends here: no more can be written to \
/dev/full: the disk is full"
		mkfifo pipe
		head -c 1 pipe >/dev/null &
		trace_it --$mode=pipe "$bin/alone"
		wait $!
		rm pipe
		[ "$(grep -c 'no more can be written to .*/pipe: nobody reads it$' "$err")" \
			-eq "$(wc -l <"$err")" ] && [ -s "$err" ] || blame "other words"
	done
	touch file
	for mode in log pairs addresses graph; do
		for where in none/file=ENOENT .=EISDIR file/file=ENOTDIR; do
			# By the variables alone it runs all the same.
			WHOCALLME_TRACE=$mode WHOCALLME_OUTPUT=${where%=*} \
				LD_PRELOAD=$lib/libwhocallme.so.0 observe "$bin/alone"
			expect_status 0
			expect_err "<whocallme>: nothing is traced: WHOCALLME_TRACE=$mode: \
the file cannot be opened: WHOCALLME_OUTPUT=${where%=*}: $(
				python3 -c "import errno, os
print(os.strerror(errno.${where#*=}))")"
		done
	done
}

@test "a program with the library in it is traced once" {
	build_whole() { $CC -g -O0 -finstrument-functions -I"$top_srcdir/include" \
		-o "$bin/whole" "$programs/traced.c" \
		$static_libs; }
	needs_static
	build_whole 2>/dev/null
	trace_it "$bin/whole"
	expect_status 0
	[ "$(grep -c ' &main$' "$err")" -eq 1 ] || blame "not once"
}

@test "two modes are one too many" {
	observe "$whocallme" trace --log=one --graph=two true
	expect_status 2
	expect_err "whocallme trace: --log, --pairs, --addresses, --record and --graph are one at a time; see whocallme trace --help"
	observe "$whocallme" trace --log=- "$bin/traced"
	expect_status 2
	err_has ' - is no FILE or DIR: without =FILE lines go to standard error'
	[ ! -e - ]
	[ ! -e one ] && [ ! -e two ]
}

@test "an option that means nothing in the mode is one too many" {
	observe "$whocallme" trace --exits --graph=one true
	expect_status 2
	expect_err "whocallme trace: --exits is for --log and --pairs; the others have them anyway; see whocallme trace --help"
	observe "$whocallme" trace --no-times true
	expect_status 2
	expect_err "whocallme trace: --no-times is for --graph; see whocallme trace --help"
	[ ! -e one ]
}

@test "what cannot be run: 127, 126, 125 and 2, with a word each" {
	trace_it no-such-program-at-all
	expect_status 127
	err_has 'No such file'
	trace_it "$bin/text"
	expect_status 126
	if [ -e "$bin/static" ]; then
		trace_it "$bin/static"
		expect_status 126
		err_has "^whocallme trace: $bin/static cannot be run with a trace: it is linked \
statically and loads no library; build it with (-fpatchable-function-entry=5 or \
-finstrument-functions,|-finstrument-functions) and with -Wl,-u,wcm_trace_start and libwhocallme.a$"
	fi
	WHOCALLME_LIBRARY=/nowhere trace_it "$bin/alone"
	expect_status 125
	err_has 'set WHOCALLME_LIBRARY'
	trace_it
	expect_status 2
	for wrong in -D0 -Dx -t1h --functions= --log= --no-such; do
		trace_it "$wrong" -- "$bin/alone"
		expect_status 2
		[ ! -s "$out" ] || blame "it prints"
	done
}

@test "trace --help and whocallme-environment(7) have the same variables" {
	local page=$manual/whocallme-environment.7 name
	trace_it --help
	for name in $(strings "$lib/libwhocallme.so" |
		grep -o '^WHOCALLME_TRACE_[A-Z_]*$' | sort -u); do
		grep -q "$name" "$page" || blame "whocallme-environment(7) lacks $name"
		case $name in *_HOOKED_ONLY | *_PID | *_FIRST) continue ;; esac
		strings "$top_builddir"/tool/commands/*-cmd_trace.o |
			grep -q -x "$name" || blame "whocallme trace never sets $name"
	done
}

@test "the examples" {
	observe "$top_builddir/examples/log"
	expect_status 0
	[ "$(sed -n 's/^\(...\).*&\([a-z_]*\).*/\1 \2/p' "$err" | tr '\n' ' ')" = \
		"FUN steps_from FUN step RET step FUN step RET steps_from " ]
	observe "$top_builddir/examples/pairs"
	expect_out 30
	diff -u - "$err" <<-'.'
		__cyg_profile_func_enter: func = part, called by = main
		__cyg_profile_func_enter: func = more, called by = part
		__cyg_profile_func_enter: func = twice, called by = more
		__cyg_profile_func_enter: func = twice, called by = part
	.
	observe "$top_builddir/examples/switch"
	expect_out 36 "1 8"
	[ "$(grep -c '&sum' sum.log)" -eq 9 ]
	refute grep compare sum.log
	grep -q '"compare"' sort.dot
	refute grep '"sum"' sort.dot
	observe "$top_builddir/examples/filters"
	expect_status 0
	[ "$(grep -o '&.*' "$err" | tr '\n' ' ')" = "&draw &line &line " ]
	trace_it -F draw -k -N 'helper*' "$top_builddir/examples/filters"
	[ "$(grep -o '&.*' "$err" | tr '\n' ' ')" = "&draw &line &line " ]
}

@test "a pipe of the program's is the program's" {
	"$whocallme" trace "$bin/linked" 2>/dev/null >piped
	"$bin/linked" | cmp - piped
}

@test "a child of vfork is shown as its parent, whose calls stay what they are" {
	$CC -O0 -finstrument-functions -o "$bin/vfork" -x c - <<'.'
#include <sys/wait.h>
#include <unistd.h>
static void inner(void) { }
static void in_child(void) { inner(); _exit(0); }
static void run_true(void) { inner(); execl("/bin/true", "true", (char *)0); _exit(9); }
static void after(void) { }
static void start(void (*call)(void))
{
	int status;
	pid_t child = vfork();
	if (child == 0)
		call();
	waitpid(child, &status, 0);
	after();
}
int main(void) { start(in_child); start(run_true); after(); return 0; }
.
	trace_it "$bin/vfork"
	expect_status 0
	diff -u - <(five_digits "$err" | sed -n 's/^FUN.\{29\}\( *\)&/\1/p') <<'.'
main
  start
    in_child
      inner
    after
  start
    run_true
      inner
    after
  after
.
	trace_it --record=recording "$bin/vfork"
	"$whocallme" replay --no-merge -o replayed recording
	[ "$(grep -c '/\* ' replayed)" -eq 10 ] || blame "not every call ends"
	tail -n 1 replayed | grep -q '} /\* main \*/$'
}

@test "a crash that is reported: the calls that were folded are there" {
	# shellcheck disable=SC2086 # a list
	$CC -O0 -finstrument-functions -I"$top_srcdir/include" -o "$bin/crashing" \
		-x c - $shared_libs <<'.'
#include <whocallme.h>
static void leaf(void) { }
int main(void)
{
	wcm_crash_install(0);
	for (int i = 0; i < 1000; i++)
		leaf();
	*(volatile int *)0 = 1;
}
.
	trace_it --log=log "$bin/crashing"
	expect_status 139
	grep -q '&leaf x999, [0-9'\'']* ns$' log
}

@test "long names of C++ on a short stack" {
	$CXX -O0 -finstrument-functions -o "$bin/long-names" -x c++ - <<'.'
#include <sys/mman.h>
#include <ucontext.h>
static ucontext_t back, there;
template <class A, class B> struct pair_of { };
typedef pair_of<int (*)(long), pair_of<char, short> > one;
typedef pair_of<pair_of<one *, void (*)(one)>, unsigned long> two;
namespace a_rather_long_name_of_a_namespace_for_a_test {
template <class T> void call(T, pair_of<T *, const T *>) { }
}
static void work()
{
	using namespace a_rather_long_name_of_a_namespace_for_a_test;
	call(two(), pair_of<two *, const two *>());
	swapcontext(&there, &back);
}
int main()
{
	const int size = 16384, page = 4096;
	char *stack = (char *)mmap(0, size + page, PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	mprotect(stack, page, PROT_NONE);
	getcontext(&there);
	there.uc_stack.ss_sp = stack + page;
	there.uc_stack.ss_size = size;
	makecontext(&there, work, 0);
	return swapcontext(&back, &there);
}
.
	for how in '--log --demangle=full' --pairs '-F *call* --demangle=full'; do
		# shellcheck disable=SC2086 # words
		trace_it $how "$bin/long-names"
		expect_status 0
		err_has 'void a_rather_long_name_of_a_namespace_for_a_test::call<pair_of<'
	done
}

# paragraph OPTION: of stdin, what is said of it: from its line to the next option's.
paragraph()
{
	awk -v option="--$1=" 'index($0, option) { on = 1; print; next }
		/^ *(-.,? )? *--|^\.(TP|SS|SH)/ { on = 0 } on'
}

@test "the words that an option takes are in its --help and its page" {
	local command option words word operand
	observe "$whocallme" trace --record=recording "$bin/alone"
	while read -r command option words; do
		"$whocallme" "$command" --help | paragraph "$option" >help
		sed 's/\\-/-/g; s/\\f[A-Z]//g' "$manual/whocallme-$command.1" |
			paragraph "$option" >told
		operand=recording
		[ "$command" != trace ] || operand=$bin/alone
		for word in $words; do
			grep -q -w -e "$word" help || blame "--help lacks $option=$word"
			grep -q -E "^\.BR? $word( |\$)" told ||
				blame "whocallme-$command(1) lacks $option=$word"
			observe "$whocallme" "$command" "--$option=$word" "$operand"
			expect_status 0
		done
		observe "$whocallme" "$command" "--$option=words" "$operand"
		expect_status 2
		echo "$option" >>tested
	done <<-'.'
		trace time relative absolute delta
		trace demangle short full no
		trace sort total self call errors avg min max name
		replay demangle short full no
		replay time relative absolute delta
		replay color auto always never
		report color auto always never
		report demangle short full no
		graph demangle short full no
		flame demangle short full no
		chrome demangle short full no
		report sort total self call errors avg min max name
		flame unit us ns calls
		graph cluster module file
	.
	# No other option takes words: these are for names, numbers and times.
	for command in trace replay report flame chrome graph; do
		"$whocallme" "$command" --help
	done | grep -E '^ *(-., )?--[a-z-]*=' |
		grep -v -E '=(FILE|DIR|N|SIZE|TIME|TID|PID|PERCENT|GLOBS)\b' |
		sed -E 's/.*--([a-z-]*)=.*/\1/' | sort -u >taking
	diff <(sort -u tested) taking
}

# ended_in LOG: the calls that a thread's end has ended, in a log, and that it was their thread's.
ended_in()
{
	local thread

	thread=$(awk '/^FUN.*&work$/ { print $2 }' "$1")
	awk -v thread="$thread" '$1 == "REX" && $2 == thread' "$1" | tr -d "'," |
		awk '{ print $5, ($6 >= 1e8 && $6 < 1e9 ? "100 ms" : $6) }'
}

@test "calls that pthread_exit() ends end with the thread, and are its own" {
	local flag
	for flag in -finstrument-functions -fpatchable-function-entry=5; do
		build leaves thread_leaves.c -O1 $flag
		trace_it -e "$bin/leaves"
		expect_status 0
		diff -u <(printf '%s\n' '&leave 100 ms' '&work 100 ms') <(ended_in "$err")
		tail -n 1 "$err" | grep -q '^RET .*&main'
		trace_it -e -t 10us "$bin/leaves"
		diff -u <(printf '%s\n' '&leave 100 ms' '&work 100 ms') <(ended_in "$err")
		trace_it --pairs -e "$bin/leaves"
		err_has 'exit: func = leave, called by = work, after [1-9][0-9]{8} ns$'
		err_has 'exit: func = work, .*, after [1-9][0-9]{8} ns$'
		rm -rf recording
		trace_it --record=recording "$bin/leaves"
		"$whocallme" report recording >report
		grep -E '^ *[1-9][0-9]{2}\.[0-9]+ ms .* leave$' report
	done
}

@test "they are the thread's where nothing has told of its end, too" {
	build leaves thread_leaves.c -O1 -fpatchable-function-entry=5
	trace_it --no-signals -e "$bin/leaves"
	[ "$(ended_in "$err" | awk '{ print $1 }' | tr '\n' ' ')" = '&leave &work ' ]
	trace_it --no-signals --pairs -e "$bin/leaves"
	err_has 'exit: func = leave, called by = work, after [0-9]+ ns$'
}

@test "the end of a call has the name of its beginning, though its library was closed" {
	local flag
	for flag in -finstrument-functions -fpatchable-function-entry=5; do
		$CXX -O1 $flag -fPIC -shared -o "$bin/thrower.so" -x c++ - \
			<<<'extern "C" void thrower() { throw 1; }'
		$CXX -O1 $flag -o "$bin/catcher" -x c++ - -ldl <<'.'
#include <dlfcn.h>
__attribute__((noinline)) static void after() { asm volatile(""); }
__attribute__((noinline)) static void with(void *library)
{
	try {
		((void (*)())dlsym(library, "thrower"))();
	} catch (int) {
	}
	dlclose(library);
}
int main(int, char *argv[]) { with(dlopen(argv[1], RTLD_NOW)); after(); }
.
		trace_it -e "$bin/catcher" "$bin/thrower.so"
		expect_status 0
		[ "$(grep -cE '^(FUN|R..) .*&thrower(,? |$)' "$err")" -eq 2 ]
		trace_it --pairs -e "$bin/catcher" "$bin/thrower.so"
		[ "$(grep -c ': func = thrower, called by = with' "$err")" -eq 2 ]
	done
}

@test "the program's own file is no output" {
	cd "$BATS_TEST_TMPDIR"
	local option
	cp "$bin/linked" program && ln program other && ln -s program link
	for option in "-o program" "--log=$PWD/program" --pairs=other --addresses=link "-o link -a" \
		--graph=program "-c -o program" "-c -o other"; do
		# shellcheck disable=SC2086 # an option and its value
		observe "$whocallme" trace $option ./program
		expect_status 125
		err_has ': it is the program$'
		cmp program "$bin/linked"
	done
	observe "$whocallme" trace -o copy ./program
	expect_status 0
}
