#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# sanitizers.bats - a sanitizer's report comes whole beside ours, and ours where it has
# none: as the program alone has it, whether linked with the library, run or traced.

load support

setup()
{
	not_sanitized "the programs are, with each sanitizer in turn"
}

# alike COMPILER SANITIZER CASE...: every CASE, in each way to have the library.
alike()
{
	local compiler=$1 sanitizer=$2 case
	local with="-g -O0 -fsanitize=$sanitizer"
	shift 2
	needs "$compiler" setarch
	# shellcheck disable=SC2086 # lists
	$compiler $with -DUNAWARE -o "$bin/unaware" "$programs/sanitized.c" \
		2>"$bin/log" || skip "$compiler's runtime of -fsanitize=$sanitizer is missing"
	# shellcheck disable=SC2086
	$compiler $with -DUNAWARE -finstrument-functions -o "$bin/traced" \
		"$programs/sanitized.c"
	# shellcheck disable=SC2086
	$compiler $with -I"$top_srcdir/include" -o "$bin/linked" \
		"$programs/sanitized.c" $shared_libs
	for case; do
		same_as_alone "$case"
	done
}

# Older runtimes cannot do with all the entropy that the kernel has for addresses.
fixed()
{
	observe timeout -s KILL 60 setarch "$(uname -m)" -R "$@"
}

same_as_alone()
{
	local case=$1 alone expected
	fixed "$bin/unaware" "$case"
	alone=$(theirs) expected=$status
	fixed "$bin/linked" "$case"
	as_alone "$case, linked"
	fixed "$whocallme" run "$bin/unaware" "$case"
	as_alone "$case, run"
	fixed "$whocallme" trace --log="$bin/log" "$bin/traced" "$case"
	expect_status "$expected"
	[ "$alone" = "$(theirs)" ] || blame "$case, traced: not $alone"
}

# Nothing is found, and all is traced, in a program that does nothing wrong.
finds_nothing()
{
	local mode option output=$bin/output
	same_as_alone locked
	for mode in log pairs addresses record graph; do
		for option in --no-signals '--functions=count*' '--threads=*'; do
			rm -rf "$output"
			fixed "$whocallme" trace --$mode="$output" "$option" \
				"$bin/traced" locked
			expect_status 0
			[ -z "$(theirs)" ] || blame "$mode, $option: $(theirs)"
			[ $mode = addresses ] || names "$mode" "$output" | grep -w count_locked ||
				blame "$mode, $option: $(names "$mode" "$output")"
		done
	done
}

# names MODE OUTPUT: what it has of the functions.
names()
{
	case $1 in
	record) "$whocallme" report "$2" ;;
	*) cat "$2" ;;
	esac
}

# As it was alone; ours where the sanitizer had nothing to say.
as_alone()
{
	expect_status "$expected"
	[ "$alone" = "$(theirs)" ] || blame "$1: not $alone"
	[ -n "$alone" ] || [ "$expected" -eq 0 ] ||
		err_has '^<whocallme>: [a-z]+: SIG(SEGV|ABRT), '
}

# What a sanitizer has on stderr: what it found, the functions, and its last word.  Who
# made a thread is seen through the library's pthread_create().
theirs()
{
	sed -n -E -e 's/^==[0-9]+==(ERROR|WARNING): ([A-Za-z]+: [-a-zA-Z]+).*/\1 \2/p' \
		-e 's/.*(runtime error: .*)/\1/p' -e 's/.*(nested bug)/\1/p' \
		-e 's/^WARNING: (ThreadSanitizer: [a-z ]+).*/\1/p' \
		-e 's/^ +(#[0-9]+) (0x[0-9a-f]+ in )?([_a-z]+).*/\1 \3/p' \
		-e 's/^SUMMARY: ([A-Za-z]+: [-A-Za-z]+).*/\1/p' "$err" |
		sed -E '/^#. (pthread_create|race)$/d'
}

@test "gcc's address sanitizer" {
	alike gcc address heap write abort leak
}

@test "clang's address sanitizer" {
	alike clang address heap write abort leak
}

@test "gcc's undefined behaviour sanitizer" {
	alike gcc undefined shift write abort
}

@test "clang's undefined behaviour sanitizer" {
	alike clang undefined shift write abort
}

@test "gcc's thread sanitizer" {
	alike gcc thread race write named abort
	finds_nothing
}

@test "clang's thread sanitizer" {
	alike clang thread race write named abort
	finds_nothing
}

@test "gcc's leak sanitizer" {
	alike gcc leak leak write abort
}

@test "clang's leak sanitizer" {
	alike clang leak leak write abort
}

@test "clang's memory sanitizer" {
	alike clang memory uninitialized write named abort
	finds_nothing
}

@test "options for the address sanitizer are added to, not replaced" {
	[ "$(ASAN_OPTIONS=color=never "$whocallme" run printenv ASAN_OPTIONS)" = \
		color=never:verify_asan_link_order=0 ]
	[ "$(ASAN_OPTIONS=verify_asan_link_order=1 "$whocallme" run printenv \
		ASAN_OPTIONS)" = verify_asan_link_order=1 ]
}
