#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# classic.bats - the original library's calls, wherever a program may make them.

load support

setup_file()
{
	bin=$BATS_FILE_TMPDIR
	local plain='-O0 -fno-omit-frame-pointer'
	# shellcheck disable=SC2086 # a list
	build situations situations.c $plain
	# shellcheck disable=SC2086 # a list
	build_library plugin.so plugin.c $plain
	build linked plugged.c -DLINKED -- "$bin/plugin.so" "-Wl,-rpath,$bin"
	build plugged plugged.c
	build cxx cxx.cc -O2 -- "$(other_unit)"
}

other_unit()
{
	compile "$bin/cxx_elsewhere.o" "$programs/cxx_elsewhere.cc" -O2
	echo "$bin/cxx_elsewhere.o"
}

transcript()
{
	asked main test
	echo
	asked test_b test
	echo
	asked test_a test_c
	echo
	asked test_b test
	echo
	asked main test_c
	echo
}

# What programs/callers.c says.
callers_transcript()
{
	local pair
	for pair in first:shown second:hidden by_pointer:shown main:shown \
		main:hidden; do
		asked "${pair%:*}" "${pair#*:}"
		echo
	done
}

@test "the original test program prints the original transcript" {
	needs gcc # clang takes no call before the declaration, in no standard
	sed '/^void .*;$/d' "$top_srcdir/examples/who.c" >"$bin/who.c"
	CC=gcc build who "$bin/who.c" -std=gnu89 -w
	observe "$bin/who" # its main() returns nothing in particular
	diff -u <(transcript) "$err"
	[ ! -s "$out" ]
}

@test "the same with declarations, as a C11 program that draws no warning" {
	build who11 "$top_srcdir/examples/who.c" -std=c11 -Wall -Wextra \
		-Wpedantic -Werror
	observe "$bin/who11"
	diff -u <(transcript) "$err"
}

# One build of callers.c; what differs from the transcript is a failure.
try_variant()
{
	local cc=$1 level=$2 fp=$3 link=$4
	local name=callers$level$fp$link-${cc##*/} pic=-fPIE libs=$shared_libs
	case $link in
	-no-pie) pic=-fno-pie ;;
	-static) pic=-fno-pie libs=$static_libs ;;
	-static-pie) libs=$static_libs ;;
	esac
	# shellcheck disable=SC2086 # lists
	$cc "$level" "$fp" $pic "$link" -I"$top_srcdir/include" \
		-Wl,-S -o "$bin/$name" "$programs/callers.c" $sanitize $libs \
		2>"$bin/$name.log" ||
		{ echo "not linked: $name" && cat "$bin/$name.log" && return 1; }
	"$bin/$name" 2>&1 | diff <(callers_transcript) - ||
		{ echo "wrong: $name" && return 1; }
	rm -f "$bin/$name"
}

# try_links COMPILER LINK...: every optimisation, with and without frame
# pointers.
try_links()
{
	local cc=$1 link level fp failed=0
	shift
	needs "$cc"
	for link; do
		for level in -O0 -O1 -O2 -O3 -Os; do
			for fp in -fomit-frame-pointer -fno-omit-frame-pointer; do
				try_variant "$cc" "$level" "$fp" "$link" ||
					failed=1
			done
		done
	done
	[ "$failed" = 0 ]
}

@test "who_call_me() names the caller: gcc, every level, PIE and not" {
	try_links gcc -pie -no-pie
}

@test "who_call_me() names the caller: clang, every level, PIE and not" {
	not_sanitized "clang's runtime is not gcc's"
	try_links clang -pie -no-pie
}

@test "who_call_me() names the caller: gcc, static and static PIE" {
	needs_static
	try_links gcc -static -static-pie
}

@test "who_call_me() names the caller: clang, static and static PIE" {
	needs_static
	try_links clang -static -static-pie
}

@test "each line is one write" {
	needs strace
	not_sanitized "the sanitizers cannot be traced"
	build callers callers.c -O2
	strace -o "$bin/trace" -s 200 -e trace=write,writev "$bin/callers" \
		2>/dev/null
	grep -E '^writev?\(2,' "$bin/trace" >"$bin/writes"
	[ "$(wc -l <"$bin/writes")" -eq 5 ]
	[ "$(grep -E -c '!\\n"' "$bin/writes")" -eq 5 ]
}

@test "C++: methods, templates, lambdas, inline functions, by demangled names" {
	observe "$bin/cxx"
	expect_status 0
	[[ $($CXX --version) != *clang* ]] || sed -i 's/::\$_0::/::{lambda()#1}::/' "$err"
	expect_err "$(asked 'Zoo::call_all()' 'Zoo::in_static(int)')" \
		"$(asked 'Zoo::call_all()' 'Zoo::in_method(char const*)')" \
		"$(asked 'Zoo::call_all()' 'void in_template<int>(int)')" \
		"$(asked 'Zoo::call_all()' 'void in_template<double>(double)')" \
		"$(asked 'Zoo::call_all()' 'in_header()')" \
		"$(asked 'Zoo::call_all()' 'in_c')" \
		"$(asked 'Zoo::call_all()' 'Zoo::call_all()::{lambda()#1}::operator()() const')" \
		"$(asked 'zoo::elsewhere(int)' 'in_header()')"
}

@test "C++: the same from clang, at -O0 and at -O2" {
	needs clang++
	not_sanitized "clang's runtime is not gcc's"
	observe "$bin/cxx"
	cp "$err" "$BATS_TEST_TMPDIR/of-gcc"
	for level in -O0 -O2; do
		# shellcheck disable=SC2086 # a list
		clang++ "$level" -I"$top_srcdir/include" -o "$bin/cxx-clang" \
			"$programs/cxx.cc" "$programs/cxx_elsewhere.cc" \
			$shared_libs
		observe "$bin/cxx-clang"
		# Clang's mangling of a local lambda demangles to another text.
		diff -u <(sed 's/::[{$].*::operator/::lambda::operator/' \
			"$BATS_TEST_TMPDIR/of-gcc") \
			<(sed 's/::[{$].*::operator/::lambda::operator/' "$err")
	done
}

@test "the macros draw no warning in C11, C17, C++17 and C++20" {
	local compiler standard
	for compiler in gcc clang; do
		command -v $compiler >/dev/null || continue
		for standard in c11 c17 c++17 c++20; do
			$compiler -x "${standard//[0-9]/}" -std=$standard -O2 -Wall \
				-Wextra -Wpedantic -Wshadow -Werror \
				-I"$top_srcdir/include" -c -o "$bin/macro.o" \
				"$programs/every_macro.c"
		done
	done
}

plugin_lines()
{
	asked use_plugin plugin_asks
	echo
	asked plugin_calls plugin_asks
	echo
	asked plugin_hidden plugin_asks
	echo
}

@test "a linked shared library asks" {
	observe "$bin/linked" before -
	diff -u <(plugin_lines) "$err"
}

@test "a library opened before the table is loaded asks" {
	observe "$bin/plugged" before "$bin/plugin.so"
	diff -u <(plugin_lines) "$err"
}

@test "a library opened after it: all names at once, and after another load" {
	observe "$bin/plugged" after "$bin/plugin.so"
	expect_status 0
	diff -u <(plugin_lines) "$err"
	observe "$bin/plugged" again "$bin/plugin.so"
	diff -u <(plugin_lines) "$err"
}

@test "a signal handler was called by a signal" {
	observe "$bin/situations" asking-handler
	expect_err "$(asked 'signal handler called' asking_handler)"
}

@test "a function that the handler calls was called by the handler" {
	observe "$bin/situations" calling-handler
	expect_err "$(asked calling_handler ask)"
}

@test "a thread and a coroutine ask" {
	observe "$bin/situations" thread
	expect_err "$(asked thread_body ask)"
	observe "$bin/situations" coroutine
	expect_status 0
	# AddressSanitizer says a word of its own first.
	[ "$(grep '^<' "$err")" = "$(asked coroutine_body ask)" ]
	[ "$(grep '^#' "$err" | frame_names | head -n 1)" = coroutine_body ]
}

@test "argv[0]: a lie, relative, empty, by PATH" {
	local line
	line=$(asked caller ask)
	observe bash -c "exec -a /bin/true '$bin/situations'"
	expect_err "$line"
	observe bash -c "exec -a '' '$bin/situations'"
	expect_err "$line"
	cd "$bin"
	observe ./situations
	expect_err "$line"
	cd /
	observe env PATH="$bin:$PATH" situations
	expect_err "$line"
}

@test "a change of directory before the table is loaded" {
	cd "$bin"
	observe ./situations caller /
	expect_err "$(asked caller ask)"
}

@test "an executable deleted or replaced while it runs" {
	local copy=$BATS_TEST_TMPDIR/copy
	cp "$bin/situations" "$copy"
	observe "$copy" status / "rm '$copy'"
	expect_out success
	expect_err "$(asked caller ask)"
	cp "$bin/situations" "$copy"
	observe "$copy" status / "rm '$copy'; cp /bin/true '$copy'"
	expect_out success
	expect_err "$(asked caller ask)"
}

@test "without /proc the executable is found by what the kernel and argv[0] say" {
	not_sanitized "the sanitizers need /proc"
	unshare -m umount -l /proc 2>/dev/null || skip "may not unmount /proc"
	observe unshare -m sh -c "umount -l /proc; exec '$bin/situations' status"
	expect_out success
	expect_err "$(asked caller ask)"
	observe unshare -m sh -c \
		"umount -l /proc; cd '$bin'; exec ./situations backtrace"
	expect_status 0
	[ "$(frame_names <"$err" | tr '\n' ' ')" = 'innermost middle outer main ' ]
}

@test "without /proc after the executable has been replaced: nothing false" {
	not_sanitized "the sanitizers need /proc"
	unshare -m umount -l /proc 2>/dev/null || skip "may not unmount /proc"
	local copy=$BATS_TEST_TMPDIR/copy
	cp "$bin/situations" "$copy"
	observe unshare -m sh -c "umount -l /proc;
		exec '$copy' status / \"rm '$copy'; cp /bin/true '$copy'\""
	expect_out 'the file on disk does not match what is mapped'
	err_has '^<whocallme>: function <.*/copy\+0x[0-9a-f]+> call me <ask>!$'
}

@test "in a chroot without /proc" {
	not_sanitized "the sanitizers need /proc"
	[ "$(id -u)" = 0 ] || skip "only root may chroot"
	local root=$BATS_TEST_TMPDIR/root
	mkdir -p "$root/bin"
	build_static static-callers callers.c -O2
	cp "$bin/static-callers" "$root/bin/callers"
	observe chroot "$root" /bin/callers
	diff -u <(callers_transcript) "$err"
}

@test "who_am_i()" {
	observe "$bin/situations" names-itself
	expect_out names_itself
}

@test "full_backtrace() sees what gdb sees" {
	needs gdb
	observe "$bin/situations" backtrace
	expect_same_names "$(gdb_names 'break full_backtrace' run -- \
		"$bin/situations" backtrace | sed 1d)" "$(frame_names <"$err")"
	grep -c '^#' "$err"
	err_has '^#0 0x[0-9a-f]{16} in innermost\+0x[0-9a-f]+ \(.*/situations\+0x[0-9a-f]+\)$'
	[ ! -s "$out" ]
}

@test "full_backtrace() across a signal handler, numbered as gdb does" {
	needs gdb
	observe "$bin/situations" backtrace-handler
	expect_same_names "$(gdb_names 'set breakpoint pending on' \
		'handle SIGUSR1 nostop noprint pass' 'break full_backtrace' run \
		-- "$bin/situations" backtrace-handler | sed 1d)" \
		"$(frame_names <"$err")"
	err_has '^#1 <signal handler called>$'
	err_has '^#2 0x[0-9a-f]{16} in interrupted\+'
}

@test "wcm_stack_capture(): skip, cap and what lies behind the array" {
	observe "$bin/situations" captures
	expect_out 'cap 15 skip 0: print_capture captures main, to the end' \
		'cap 15 skip 1: captures main __libc_start_call_main, to the end' \
		'cap 2 skip 0: print_capture captures, full' \
		'cap 1 skip 2: main, full' \
		'cap 0 skip 0:, full' \
		'cap 15 skip 1000:, to the end'
}

@test "a recursion 10,000 deep is seen to its end" {
	observe "$bin/situations" deep
	expect_out 10000
}

@test "errno is left alone" {
	observe "$bin/situations" errno
	expect_out '1 0'
}

@test "stdout is untouched" {
	local situation
	for situation in caller backtrace thread coroutine asking-handler; do
		observe "$bin/situations" $situation
		expect_status 0
		[ ! -s "$out" ]
		[ -s "$err" ]
	done
}

@test "names of 100 and of 6000 characters are written whole, by one write" {
	needs strace
	local length name
	for length in 100 6000; do
		name=$(printf "%${length}s" '' | tr ' ' x)
		build "long$length" callers.c -O1 -Dfirst="$name"
		observe "$bin/long$length"
		[ "$(head -n 1 "$err")" = "$(asked "$name" shown)" ]
	done
	[ -z "$sanitize" ] || return 0
	strace -o "$bin/trace" -e trace=write,writev "$bin/long6000" 2>/dev/null
	[ "$(grep -E -c '^writev?\(2,' "$bin/trace")" -eq 5 ]
}

@test "a closed stderr and a full disk stop nothing" {
	local situation
	for situation in caller backtrace; do
		observe sh -c "exec '$bin/situations' $situation 2>&-"
		expect_status 0
		observe sh -c "exec '$bin/situations' $situation 2>/dev/full"
		expect_status 0
	done
	observe sh -c "exec '$bin/situations' status 2>&-"
	expect_out success
}

# What a program says of itself that has never loaded any names, in a handler, too, where nothing
# may be allocated.
names_itself()
{
	observe "$1"
	expect_status 0
	expect_out inner
	[ "$(grep -c '^<whocallme>: function <outer> call me <inner>!$' \
		"$err")" -eq 2 ] || blame "the calls are not named"
	[ "$(grep -c '^#[0-9]* 0x[0-9a-f]* in inner+0x' "$err")" -eq 2 ] || blame "no inner"
	[ "$(grep -c '^#[0-9]* 0x[0-9a-f]* in main+0x' "$err")" -eq 2 ] || blame "no main"
	err_has '^#1 0x[0-9a-f]* in outer\+0x'
	err_has ' in _start\+0x'
}

@test "without init_function_table() a program's own functions have their names" {
	not_sanitized "its malloc() is called by the sanitizer"
	cat >"$bin/itself.c" <<-'END'
		#include <errno.h>
		#include <signal.h>
		#include <stdio.h>
		#include <stdlib.h>
		#include <string.h>
		#include <sys/mman.h>
		#include <whocallme.h>
		static volatile sig_atomic_t is_forbidden;
		#ifndef WHOLLY
		void *malloc(size_t size)
		{
			static _Alignas(16) char room[1 << 22];
			static size_t used;
			char *made = room + used;
			if (is_forbidden)
				abort();
			used += (size + 31) & ~(size_t)15;
			return made;
		}
		void free(void *made) { (void)made; }
		#endif
		static __attribute__((noinline)) void inner(void)
		{
			who_call_me();
			full_backtrace();
		}
		static __attribute__((noinline)) void outer(void) { inner(); __asm__ volatile(""); }
		static void handler(int signal)
		{
			(void)signal;
			is_forbidden = 1;
			errno = EDOM;
			outer();
			if (errno != EDOM)
				abort();
			is_forbidden = 0;
		}
		static __attribute__((noinline)) const char *who(void) { return who_am_i(); }
		int main(void)
		{
			stack_t small = { .ss_size = 1 << 15 };
			struct sigaction action = { .sa_handler = handler, .sa_flags = SA_ONSTACK };
			small.ss_sp = mmap(0, 1 << 15, 3, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
			sigaltstack(&small, 0);
			sigaction(SIGUSR1, &action, 0);
			raise(SIGUSR1);
			outer();
			puts(strcmp(who(), "who") ? who() : "inner");
			return 0;
		}
	END
	build itself "$bin/itself.c" -O0
	names_itself "$bin/itself"
	needs_static
	# shellcheck disable=SC2086 # lists
	$CC -static -g -DWHOLLY -I"$top_srcdir/include" -o "$bin/itself-static" \
		"$bin/itself.c" $static_libs 2>"$bin/link.log" || blame "$(cat "$bin/link.log")"
	names_itself "$bin/itself-static"
}
