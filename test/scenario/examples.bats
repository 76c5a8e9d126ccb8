#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# examples.bats - a recording that a program makes of itself; which calls of C++ the
# compilers report, by uftrace's judgement.

load support

examples=$top_srcdir/examples

setup()
{
	cd "$BATS_TEST_TMPDIR"
}

# build_example NAME [FLAG...]: $bin/NAME, with hooks.
build_example()
{
	build "$1" "$examples/$1.c" -Wall -Wextra -Werror -finstrument-functions "${@:2}"
}

@test "record: a recording of both threads" {
	needs uftrace python3
	build_example record
	observe "$bin/record"
	expect_out "5 13"
	python3 "$top_srcdir/test/trace/tree.py" calls >tree
	# Those of the fifth number and of the seventh; either thread may be the first.
	diff -u <(printf '%s\n' 15 41) \
		<(for task in 0 1; do grep -c "task $task: *fibonacci" tree; done | sort)
	"$whocallme" replay calls | grep -q '/\* work \*/'
}

# What both compilers say.
same_answers()
{
	cat <<-TEXT
		trivial constructor: not traced
		trivial destructor: not traced
		constructor: traced
		destructor: traced
		defaulted constructor: $1
		defaulted virtual destructor: traced
		implicit constructor: $1
		implicit virtual destructor: traced
		virtual function: traced
		lambda: traced
		function of libc: not traced
		callback of libc: traced
		template of std::: traced
		inline function: traced
		constexpr function, compiled away: not traced
		constexpr function, run: traced
		function that an exception leaves: exit $2
	TEXT
}

# answers COMPILER LEVEL DEFAULTED EXIT: build with both, run, compare what it says;
# leave what uftrace and we recorded.
answers()
{
	needs uftrace python3 nm "$1"
	not_sanitized "uftrace wants to be loaded first"
	CXX=$1 build "cxx-$1$2" "$examples/cxx_calls.cc" "$2" -Wall -Wextra -Werror \
		-finstrument-functions
	observe env WHOCALLME_TRACE=record WHOCALLME_OUTPUT=ours "$bin/cxx-$1$2"
	expect_status 0
	diff -u <(same_answers "$3" "$4") "$out"
	uftrace record --no-libcall --no-event -d theirs "$bin/cxx-$1$2" >/dev/null
	python3 "$top_srcdir/test/trace/tree.py" ours >ours.tree
	python3 "$top_srcdir/test/trace/tree.py" theirs >theirs.tree
	[ "$(wc -l <ours.tree)" -gt 40 ]
}

# The functions that the program has say it, too.
has()
{
	nm -C "$bin/cxx-$1" | grep -Fq "$2"
}

@test "C++: g++ reports exits, and has no defaulted constructor" {
	for level in -O0 -O2; do
		answers g++ "$level" "not traced" "reported"
		diff -u theirs.tree ours.tree
		rm -r ours theirs
	done
	has g++-O0 "::Written::Written()"
	refute has g++-O0 "::Trivial::Trivial()"
}

# uftrace takes what follows for a callee of the function that was left.
@test "C++: clang++ reports no exit by an exception; the depth is right all the same" {
	for level in -O0 -O2; do
		answers clang++ "$level" "traced" "not reported"
		diff -u <(sed 's/: */: /' theirs.tree) <(sed 's/: */: /' ours.tree)
		diff -u <(sed '$d' theirs.tree) <(sed '$d' ours.tree)
		tail -n 1 ours.tree | grep -Eq '^task 0:   [^ ]*leaf$'
		rm -r ours theirs
	done
}
