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

@test "an example has at most 40 lines" {
	find "$examples" -name '*.c' -o -name '*.cc' | xargs wc -l |
		awk '$2 != "total" && $1 > 40 { print; bad = 1 } END { exit bad || NR < 15 }'
}

# told NAME COMPILER LEVEL: what its log says, built so: depth, name, and how it ended
# where that was not by its exit; the same calls as uftrace has.
told()
{
	needs uftrace python3 "$2"
	not_sanitized "uftrace wants to be loaded first"
	CXX=$2 build "$1" "$examples/cxx_$1.cc" "$3" -Wall -Wextra -Werror \
		-finstrument-functions
	observe env WHOCALLME_TRACE=log WHOCALLME_TRACE_EXITS=yes \
		WHOCALLME_DEMANGLE=full "$bin/$1"
	expect_status 0
	five_digits "$err" | sed -n -e 's/^FUN.\{29\}\( *\)&/\1/p' \
		-e 's/^REX.\{29\} *&\(.*\), [0-9'"\'"']* ns$/! \1/p' >told
}

# told_as_uftrace NAME COMPILER LEVEL: that, and the tree that uftrace records.
told_as_uftrace()
{
	told "$@"
	rm -rf ours theirs
	WHOCALLME_TRACE=record WHOCALLME_OUTPUT=ours "$bin/$1"
	own_cxx=$2
	[ -z "$emulated" ] || own_cxx=/usr/bin/$2
	build_own "$1" "$examples/cxx_$1.cc" "$3" -finstrument-functions
	uftrace record --no-libcall --no-event -d theirs "$bin/own/$1" >/dev/null
	diff -u <(python3 "$top_srcdir/test/trace/tree.py" theirs) \
		<(python3 "$top_srcdir/test/trace/tree.py" ours)
}

each_compiler()
{
	local compiler level
	for compiler in g++ clang++; do
		for level in -O0 -O2; do
			"$@" "$compiler" "$level"
		done
	done
}

construct()
{
	local by_clang=$1
	told_as_uftrace construct "$1" "$2"
	refute grep -q Trivial:: told
	grep -Fqx '    Written::Written()' told
	grep -Fqx '    Written::~Written()' told
	grep -Fqx '    Base::~Base()' told
	# clang++ -O2 takes the one of Base for both: they are the same.
	[ "$*" = "clang++ -O2" ] || grep -Fqx '    Derived::~Derived()' told
	[ "$by_clang" = clang++ ] || refute grep -Eq ' (Base|Derived)::(Base|Derived)' told
	[ "$by_clang" = g++ ] || grep -Fqx '    Derived::Derived()' told
	[ "$by_clang" = g++ ] || grep -Fqx '    Base::Base()' told
}

@test "C++: constructors and destructors" {
	each_compiler construct
}

virtual()
{
	told_as_uftrace virtual "$@"
	diff -u - <(sed -E '/(Shape|Square)\(\)$/d; s/\(.*//' told) <<-'.'
		main
		  ask
		    Square::corners
		  ask_by_pointer
		    Square::corners
	.
}

@test "C++: virtual calls" {
	each_compiler virtual
}

callable()
{
	told_as_uftrace callable "$@"
	diff -u - <(sed -E 's/main::[^(]*(\(.*)?::operator.*/(lambda)/' told) <<-'.'
		main
		  (lambda)
		  next(int)
		  compare(void const*, void const*)
	.
}

@test "C++: lambdas, callbacks, inline functions" {
	each_compiler callable
}

templates()
{
	told_as_uftrace templates "$@"
	[ "$(grep -c 'bool is_less<int>' told)" -ge 3 ]
	[ "$(grep -c ' std::' told)" -gt 10 ]
	observe "$whocallme" trace -F 'is_less*,main' "$bin/templates"
	err_lacks 'std::'
	err_has '&is_less$'
}

@test "C++: templates, of std:: too" {
	each_compiler templates
}

constexpr()
{
	told_as_uftrace constexpr "$@"
	diff -u <(printf '%s\n' main '  square(int)') told
}

@test "C++: constexpr is called where it runs" {
	each_compiler constexpr
}

# uftrace takes what follows, where clang++ reports no exit, for a callee.
exceptions()
{
	local cut=() judge=told_as_uftrace
	[ "$1" = g++ ] || cut=('! thrower()' '! passer()') judge=told
	$judge exceptions "$@"
	diff -u <(printf '%s\n' 'main' '  catcher()' '    passer()' '      thrower()' \
		"${cut[@]}" '  after()') told
}

@test "C++: exceptions, by g++ and by clang++" {
	each_compiler exceptions
}
