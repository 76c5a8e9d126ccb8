#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# plugin.bats - what the plugin puts into functions, judged by callgrind, objdump and
# -finstrument-functions.

bats_require_minimum_version 1.5.0
load plugin

levels='-O0 -O1 -O2 -O3 -Os -Og'

setup()
{
	needs_plugin
	cd "$BATS_TEST_TMPDIR"
}

nests()
{
	awk -v OPEN="${2-}" -f "$here/nest.awk" "$1" >wrong
	[ ! -s wrong ] || { head -n 5 wrong; return 1; }
}

# as_callgrind_counts PROGRAM
as_callgrind_counts()
{
	command -v valgrind >/dev/null || return 0
	TRACED=counts valgrind -q --tool=callgrind --callgrind-out-file=calls --compress-strings=no \
		--demangle=no "$1" >/dev/null 2>all || true
	grep ' *ev=' all >told
	python3 "$here/calls.py" told calls "${1##*/}"
}

@test "C: every way to end, at every level, nested, as often as callgrind says" {
	local level inlined
	for level in $levels; do
		for inlined in no yes; do
			with serial inline=$inlined
			"$gcc" $level $flags -o ends "$here/programs/traced_ends.c" "$bin/stub.o"
			run -3 run_traced ./ends
			[ "$(cat out)" = "7 5 7 0 16 4 6 4 2 120 7 3 4 10 43 5 13 1 2 13 8 5 1" ]
			nests log main
			[ $inlined = yes ] || as_callgrind_counts ./ends
		done
	done
}

# runs_as_expected NAME: traced_NAME.cc, compiled at $level with $flags, prints what it does without.
runs_as_expected()
{
	"$gxx" -std=c++20 $level $flags -o "$1" "$here/programs/traced_$1.cc" "$bin/stub.o"
	run_traced "./$1"
	cmp out expected
}

# told_right NAME: its log, too, with inline=$inlined, nests and has what callgrind counts.
told_right()
{
	with serial inline=$inlined
	runs_as_expected "$1"
	nests log
	[ $inlined = yes ] || as_callgrind_counts "./$1"
}

@test "C++: every kind of body, and exceptions that leave them" {
	local level inlined
	find_gxx
	"$gxx" -std=c++20 -o plain "$here/programs/traced_bodies.cc"
	./plain >expected
	for level in $levels; do
		for inlined in no yes; do
			told_right bodies
		done
		for name in cleans_up catches_one catches_another throws_on passes_through; do
			grep -q "^ev=unwind fn=_Z[0-9]*${name}i " log
		done
		refute grep '^ev=unwind fn=_Z13lets_none_outi ' log
		for name in _ZN5noisyC2Ei _ZN5noisyD2Ev _ZN5noisy8in_classEi _Z9templatedIdET_S0_ \
			_ZN5noisy10is_virtualEi '_Z.*main.*clEi' '_Z.*counts.*actor' \
			'_GLOBAL__sub_I_.*'; do
			grep -q "^ev=entry fn=$name " log || { echo "no $name" && false; }
		done
	done
}

@test "C++: coroutines that jump into one another, and exceptions in them" {
	local level inlined mode
	find_gxx
	"$gxx" -std=c++20 -o plain "$here/programs/traced_resumes.cc"
	./plain >expected
	for level in $levels; do
		for inlined in no yes; do
			told_right resumes
			for name in top goes_on; do
				grep -q "^ev=unwind fn=_Z.*${name}P.*actor " log
			done
			counted log | grep -E '(leaf|middle|top|goes_on)P.*actor' >counts
			[ "$level$inlined" != -O0no ] || mv counts uninlined
			[ $inlined = no ] || diff uninlined counts
		done
		for mode in hooks probes sled; do
			with $mode inline=yes
			runs_as_expected resumes
		done
	done
}

@test "a sibling call stays one, and is ended before" {
	with serial
	"$gcc" -O2 $flags -c -o ends.o "$here/programs/traced_ends.c"
	objdump -dr --disassemble=sibling ends.o >code
	grep -A1 jmp code | grep -q leaf
	with serial
	"$gcc" -O2 $flags -o ends "$here/programs/traced_ends.c" "$bin/stub.o"
	run_traced ./ends || true
	grep -A2 'entry fn=sibling ' log | cut -d' ' -f1,2 >three
	printf 'ev=%s\n' 'entry fn=sibling' 'exit fn=sibling' 'entry fn=leaf' | diff - three
}

@test "hooks: each call that -finstrument-functions tells of, and their ends" {
	local level
	for level in -O0 -O2 -O3; do
		"$gcc" $level -finstrument-functions -rdynamic -o theirs \
			"$here/programs/traced_ends.c" "$bin/stub.o"
		run -3 run_traced ./theirs
		counted log | grep entry >expected
		with hooks inline=yes
		"$gcc" $level $flags -rdynamic -o ours "$here/programs/traced_ends.c" "$bin/stub.o"
		run -3 run_traced ./ours
		counted log | grep entry | diff expected -
	done
}

@test "a function that is left out is compiled as without the plugin" {
	local level
	printf 'include:\n  functions: [sibling, main]\n' >rules
	for level in $levels; do
		"$gcc" $level -ffunction-sections -c -o plain.o "$here/programs/traced_ends.c"
		sections_of plain.o >plain
		for mode in serial hooks sled; do
			with $mode rules=rules
			"$gcc" $level $flags -ffunction-sections -c -o ours.o \
				"$here/programs/traced_ends.c"
			sections_of ours.o >ours
			diff plain ours | sed -n 's/^> \([^ ]*\) .*/\1/p' | sed 's/^startup\.//' |
				sort >changed
			printf '%s\n' main sibling | diff - changed
		done
	done
}

@test "sled: the NOPs that the library patches, in chosen functions alone" {
	local trace="$top_builddir/tool/whocallme trace"
	printf 'exclude:\n  functions: [leaf, main]\n' >rules
	with sled rules=rules
	"$gcc" -O2 $flags -o ours "$here/programs/traced_ends.c"
	"$gcc" -O2 -fpatchable-function-entry=5 -o theirs "$here/programs/traced_ends.c"
	run -3 $trace --log=ours.log ./ours
	run -3 $trace --log=theirs.log --not-functions=leaf,main,untold ./theirs
	awk '{ print $NF }' theirs.log >expected
	awk '{ print $NF }' ours.log | diff expected -
	grep -q sibling expected
}
