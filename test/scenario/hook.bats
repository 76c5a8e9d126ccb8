#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# hook.bats - every call of a program built with -finstrument-functions.

load support

setup_file()
{
	bin=$BATS_FILE_TMPDIR
	build traced traced.c -O0 -finstrument-functions -- -Wl,--no-as-needed
	build controlled traced.c -O0 -finstrument-functions -DCONTROLLED
	build traced-cxx traced.cc -O0 -finstrument-functions -- -Wl,--no-as-needed
	build_library traced_plugin.so traced_plugin.c -O0 -finstrument-functions
}

# The transcript's lines: CALLEE=CALLER...
pairs()
{
	local pair
	for pair; do
		echo "__cyg_profile_func_enter: func = ${pair%=*}, called by = ${pair#*=}"
	done
}

# Trace a run; what called main() is libc's affair and left out.
trace()
{
	observe env WHOCALLME_TRACE=pairs "$@"
	expect_status 0
	grep -v '^__cyg_profile_func_enter: func = main, ' "$err" >"$err.pairs" ||
		:
	[ $(($(wc -l <"$err") - $(wc -l <"$err.pairs"))) -eq 1 ] ||
		blame "main() was not called once"
}

the_calls=(the_calls=main test=the_calls test_a=the_calls test_b=test_a
	test=test_b test_c=test_a test_b=the_calls test=test_b test_c=the_calls)

@test "WHOCALLME_TRACE=pairs prints each call, innermost last" {
	trace "$bin/traced"
	diff -u <(pairs "${the_calls[@]}") "$err.pairs"
	[ ! -s "$out" ]
	err_has '^__cyg_profile_func_enter: func = main, called by = '
}

@test "the original transcript, for the original program" {
	build who "$top_srcdir/examples/who.c" -O0 -finstrument-functions
	trace "$bin/who"
	diff -u <(pairs test=main test_a=main test_b=test_a test=test_b \
		test_c=test_a test_b=main test=test_b test_c=main) \
		<(grep '^__cyg' "$err.pairs")
	diff -u <("$bin/who" 2>&1) <(grep '^<whocallme>' "$err.pairs")
}

@test "the same calls as gdb sees" {
	needs gdb
	not_sanitized "gdb and AddressSanitizer disagree on the address space"
	{
		printf 'break %s\n' test test_a test_b test_c
		echo run
		printf 'bt 2\ncontinue\n%.0s' 1 2 3 4 5 6 7 8
	} >"$bin/commands"
	timeout 60 gdb -nx -batch -iex 'set debuginfod enabled off' \
		-ex 'set startup-with-shell off' -ex 'set width 0' \
		-x "$bin/commands" "$bin/traced" </dev/null >"$bin/gdb" 2>&1 || :
	sed -n -e 's/^#0 .*in \([a-z_]*\) (.*/\1/p;t' \
		-e 's/^#0  *\([a-z_]*\) (.*/\1/p;t' \
		-e 's/^#1 .*in \([a-z_]*\) (.*/\1/p' "$bin/gdb" |
		paste -d' ' - - | sed 's/\(.*\) \(.*\)/\1=\2/' >"$bin/seen"
	[ "$(wc -l <"$bin/seen")" -eq 8 ]
	# shellcheck disable=SC2046 # words
	diff -u <(pairs "${the_calls[@]:1}") <(pairs $(cat "$bin/seen"))
}

@test "silent unless asked" {
	observe "$bin/traced"
	expect_status 0
	[ ! -s "$err" ] && [ ! -s "$out" ]
	observe env WHOCALLME_TRACE= "$bin/traced"
	[ ! -s "$err" ] && [ ! -s "$out" ]
}

@test "an unknown value is named, and nothing is traced" {
	observe env WHOCALLME_TRACE=everything "$bin/traced"
	expect_status 0
	expect_err '<whocallme>: WHOCALLME_TRACE=everything is unknown; it takes "pairs", "log", "addresses", "record", "graph"'
	observe env WHOCALLME_TRACE="$(printf 'a\033b')" "$bin/traced"
	err_has 'WHOCALLME_TRACE=a\\x1bb is unknown'
}

@test "C++: every call, also across an exception" {
	trace "$bin/traced-cxx"
	diff -u <(pairs 'Thing::Thing()=main' 'Thing::work(int)=main' \
		'Thing::work(int)=Thing::work(int)' 'Thing::Thing()=main') \
		<(grep 'func = Thing' "$err.pairs")
}

@test "C++: clang's hooks too" {
	needs clang++
	not_sanitized "clang's runtime is not gcc's"
	# shellcheck disable=SC2086 # a list
	clang++ -O0 -finstrument-functions -o "$bin/traced-clang" \
		"$programs/traced.cc" -Wl,--no-as-needed $shared_libs
	trace "$bin/traced-clang"
	grep -F -x "$(pairs 'Thing::work(int)=Thing::work(int)')" "$err.pairs"
}

# The hook of an inlined function is told where its caller's caller goes on.
@test "a function inlined into its caller: that is its caller, as in the graph" {
	local compiler level
	needs gcc clang
	not_sanitized "clang's runtime is not gcc's"
	cat >"$bin/inlined.c" <<-'C'
		#include <stdlib.h>
		static volatile int sum;
		static int compare(const void *a, const void *b)
		{
			return *(const int *)a - *(const int *)b;
		}
		static inline int leaf(int n) { return sum += n; }
		static inline int middle(int n) { return leaf(n) + leaf(n + 1); }
		__attribute__((noinline)) static int callback(int n) { return middle(n); }
		__attribute__((noinline)) int outer(int n) { return callback(n) + leaf(n); }
		int main(void)
		{
			int two[] = { 2, 1 };
			qsort(two, 2, sizeof(two[0]), compare);
			return outer(1) == 0;
		}
	C
	for compiler in gcc clang; do
		for level in -O0 -O1 -O2 -O3; do
			CC=$compiler build inlined "$bin/inlined.c" "$level" \
				-finstrument-functions -- -Wl,--no-as-needed
			trace "$bin/inlined"
			diff -u <(pairs compare=main outer=main callback=outer middle=callback \
				leaf=middle leaf=middle leaf=outer) "$err.pairs"
			observe env WHOCALLME_TRACE=graph WHOCALLME_OUTPUT="$bin/inlined.dot" \
				"$bin/inlined"
			diff -u <(printf '%s\n' callback=outer compare=main leaf=middle leaf=outer \
				middle=callback outer=main) \
				<(sed -n 's/^[\t ]*"\([a-z]*\)" -> "\([a-z]*\)".*/\2=\1/p' \
					"$bin/inlined.dot" | sort)
		done
	done
}

@test "threads: no line is torn, none is lost" {
	trace "$bin/traced" threads
	diff -u <(printf '%7d %s\n' 2000 "$(pairs test=test_b)" \
		2000 "$(pairs test_b=thread_body)") \
		<(grep -E 'func = test' "$err.pairs" | sort | uniq -c |
			sed 's/^ *\([0-9]*\) /\1 /' |
			awk '{ n = $1; sub(/^[0-9]* /, ""); printf "%7d %s\n", n, $0 }')
	# What starts a thread has a name where libc has its symbols.
	caller='([a-z_]+|/[^ ]+\+0x[0-9a-f]+)'
	[ "$(grep -E -v "^__cyg_profile_func_enter: func = [a-z_]+, called by = $caller\$" \
		"$err.pairs")" = '' ]
}

@test "threads: each line is one write" {
	needs strace
	not_sanitized "the sanitizers cannot be traced"
	WHOCALLME_TRACE=pairs strace -f -s 200 -e trace=write,writev \
		-o "$bin/strace" "$bin/traced" 2>"$bin/lines"
	[ "$(grep -E -c 'writev?\([0-9]+, \[\{iov_base="__cyg' "$bin/strace")" -eq "$(wc -l <"$bin/lines")" ]
}

@test "errno and stdout are the program's own" {
	trace "$bin/traced" errno
	expect_out 1
	observe sh -c "WHOCALLME_TRACE=pairs exec '$bin/traced' errno 2>&-"
	expect_status 0
	expect_out 1
	observe sh -c "WHOCALLME_TRACE=pairs exec '$bin/traced' errno 2>/dev/full"
	expect_out 1
}

@test "a program whose own hook-called functions are traced does not recurse" {
	cat >"$bin/recursive.c" <<-'C'
		#include <unistd.h>
		#include <sys/uio.h>
		static int writes;
		ssize_t writev(int fd, const struct iovec *part, int count)
		{
			ssize_t written = 0;
			writes++;
			for (int i = 0; i < count; i++)
				written += write(fd, part[i].iov_base, part[i].iov_len);
			return written;
		}
		int main(void) { return writes > 1; }
	C
	build recursive "$bin/recursive.c" -O0 -finstrument-functions -- \
		-Wl,--no-as-needed -rdynamic
	trace "$bin/recursive"
	[ ! -s "$err.pairs" ]
}

@test "wcm_trace_start() and wcm_trace_stop()" {
	observe "$bin/controlled" controlled
	expect_status 0
	# shellcheck disable=SC2046 # lines
	diff -u <(pairs test_b=controlled test=test_b) "$out"
	diff -u <(pairs test_c=controlled) "$err"
}

@test "a static link that refers to nothing but the hooks" {
	needs_static
	compile "$bin/traced-static.o" "$programs/traced.c" -O0 \
		-finstrument-functions
	# shellcheck disable=SC2086 # a list
	$CC -o "$bin/traced-static" "$bin/traced-static.o" $static_libs
	trace "$bin/traced-static"
	diff -u <(pairs "${the_calls[@]}") "$err.pairs"
	# shellcheck disable=SC2086 # a list
	$CC -static -o "$bin/traced-static" "$bin/traced-static.o" $static_libs \
		2>/dev/null
	trace "$bin/traced-static"
	diff -u <(pairs "${the_calls[@]}") "$err.pairs"
}

@test "an instrumented library opened at run time" {
	trace "$bin/traced" plugin "$bin/traced_plugin.so"
	diff -u <(pairs plugin=main plugin_run=plugin plugin_step=plugin_run) \
		"$err.pairs"
}
