#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# hostile.bats - inputs that are made to take all time or memory.

load support

make_hostile=$top_srcdir/test/scenario/hostile.py

setup()
{
	ulimit -S -c 0
	needs python3
	cd "$BATS_TEST_TMPDIR"
}

# within SECONDS MEGABYTES COMMAND...: killed where it takes more of either.
within()
{
	local seconds=$1 megabytes=$2
	shift 2
	[ -z "$sanitize" ] && ulimit -S -v $((megabytes << 10))
	observe timeout -s KILL "$seconds" "$@"
	ulimit -S -v unlimited
}

# A path whose lifetimes are 62^8, as Rust has it; and one of C++ of which each part
# names the one before it five times.
lifetimes=_RNvXYDGzzzzzzzz_C1aEL_C1bC1cC1d1f
endless=_Z1f1AIiiiiE
for part in '' 0 1 2 3 4 5 6 7 8 9 A B; do
	endless+=S${part}_I
	for again in 1 2 3 4; do
		endless+=S$(tr '0-9A-Z' '1-9A-Z' <<<"${part:-/}" | tr / 0)_
	done
	endless+=E
done

# The command's output has each TEXT, as it is.
shows()
{
	local text
	for text; do
		grep -q -F -- "$text" "$out" || blame "stdout lacks: $text"
	done
}

@test "names that would be demangled for ever are shown mangled" {
	local name report command
	for name in $lifetimes $endless; do
		printf '.text\n.globl %s\n.type %s,@function\n%s: ret\n' \
			$name $name $name >>names.s
	done
	$CC -shared -nostdlib -o names.so names.s
	within 20 300 "$whocallme" functions -C names.so
	expect_status 0
	shows $lifetimes $endless
	python3 "$make_hostile" named $lifetimes $endless >text
	python3 "$make_hostile" named --json $lifetimes $endless >json
	for report in text json; do
		for command in resolve 'resolve --text' group 'group --json'; do
			# shellcheck disable=SC2086 # a command and an option
			within 20 300 "$whocallme" $command $report
			expect_status 0
			shows $lifetimes $endless
		done
	done
}
