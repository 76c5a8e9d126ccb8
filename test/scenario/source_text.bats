#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# source_text.bats - source text is that which was compiled, or it is said that it may not be.

load support

setup()
{
	unset WHOCALLME_LINES
	export WHOCALLME_HELPER=$whocallme
	cd "$BATS_TEST_TMPDIR"
	mkdir -p src
	cat >src/s.c <<-'C'
		int helper(volatile int *p)
		{
			return *p; /* here */
		}
		int main(void) { return helper(0); }
	C
	cp src/s.c kept.c
}

# make COMPILER [FLAG...]: the program, which is older than any file from now on.
make_it()
{
	cp kept.c src/s.c
	"$1" -g -O0 "${@:2}" -o program src/s.c
	touch -d '2 hours ago' program
	touch -d '3 hours ago' src/s.c
}

change()
{
	{ printf '/* a\n * licence\n * of lines\n */\n' && cat kept.c; } >src/s.c
}

# Everything that shows text, in the file "seen".
shown()
{
	local address
	address=$(nm program | sed -n 's/ T helper$//p')
	{
		"$whocallme" run --sections=stack ./program
		"$whocallme" run --json --sections=stack ./program 2>&1 | "$whocallme" resolve --source -
		"$whocallme" resolve --source "$PWD/program+0x$address"
		echo "$PWD/program+0x$address" | "$whocallme" resolve --serve --source
	} >seen 2>&1 || :
}

has() { [ "$(grep -c -E "$1" seen)" -ge "$2" ] || { cat seen && blame "not $2 times: $1"; }; }
lacks() { ! grep -E "$1" seen || { cat seen && blame "there is: $1"; }; }

newer='s\.c was changed after the program was made'
other='the text of .*/s\.c is not shown: its MD5 is not that in the debug data'

@test "a source that is older: its text, without a word" {
	make_it "$CC"
	shown
	has 'return \*p; /\* here \*/' 4
	lacks "$newer|$other"
}

@test "a source that is newer than the program: its text, and a word" {
	make_it "$CC" -gdwarf-4
	change
	shown
	has "$newer" 4
	has 'of lines' 4
	# As gdb has it: that it is the same nobody knows.
	make_it "$CC" -gdwarf-4
	touch src/s.c
	shown
	has "$newer" 4
	# What was made in 1970 is of no time.
	touch -d @1 program
	shown
	has 'return \*p; /\* here \*/' 4
	lacks "$newer|$other"
}

@test "DWARF 5 with an MD5: the text is the right one, or is not shown" {
	needs clang
	make_it clang -gdwarf-5
	readelf --debug-dump=rawline program | grep -q MD5 || skip "this clang writes no MD5"
	touch src/s.c
	shown
	has 'return \*p; /\* here \*/' 4
	lacks "$newer|$other"
	change
	touch -d '3 hours ago' src/s.c
	shown
	has "$other" 4
	lacks 'licence|of lines'
	has 's\.c:[123]' 3
}

@test "source that debug data carries" {
	needs clang
	make_it clang -gdwarf-5 -gembed-source
	change
	shown
	has 'return \*p; /\* here \*/' 4
	lacks "$newer|$other"
	rm src/s.c
	shown
	has 'return \*p; /\* here \*/' 4
	lacks "$newer|$other"
}
