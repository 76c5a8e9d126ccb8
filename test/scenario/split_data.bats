#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# split_data.bats - split debug data, wherever a compiler or a person has put it; what is said
# where it is not is what was looked at.

load support

setup()
{
	cd "$BATS_TEST_TMPDIR"
	mkdir -p tree/src
	cat >tree/src/q.c <<-'C'
		static inline __attribute__((always_inline)) void leaf(volatile int *p) { *p = 1; }
		__attribute__((noinline)) void inner(volatile int *p)
		{
			leaf(p);
		}
	C
	cat >tree/src/m.c <<-'C'
		void inner(volatile int *p);
		__attribute__((noinline)) static void outer(volatile int *p)
		{
			inner(p);
			__asm__ volatile("");
		}
		int main(void) { int x = 0; outer(&x); return x - 1; }
	C
}

# ask PROGRAM: about inner and outer, in "seen".
ask()
{
	local symbol
	for symbol in inner outer; do
		"$whocallme" resolve "$1+0x$(nm "$1" | sed -n "s/ [tT] $symbol\$//p")"
	done >seen 2>&1 || :
}

# Both units have their other halves, and nothing is said.
whole()
{
	ask "$1"
	for line in 'leaf at .*q\.c:1(:[0-9]+)? \(inlined\)$' 'inner at .*q\.c:[34]' 'outer at .*m\.c:[34]'; do
		grep -Eq "$line" seen || { cat seen && blame "$what: no $line"; }
	done
	refute grep -E '^ *\(' seen || blame "$what"
}

# compilers FLAG...: those that know the flag.
compilers()
{
	local compiler
	for compiler in "${CC%% *}" clang; do
		! echo 'int x;' | "$compiler" "$@" -c -x c -o probe.o - 2>/dev/null || echo "$compiler"
	done
}

@test "each compiler, version and way" {
	local compiler version how what
	for how in split-dwarf split-dwarf=single; do
		for compiler in $(compilers -g -g$how); do
			for version in 4 5; do
				what="$compiler -g$how -gdwarf-$version"
				rm -rf t && cp -r tree t && cd t
				"$compiler" -O1 -g -g$how -gdwarf-$version -c src/q.c -o q.o
				"$compiler" -O1 -g -g$how -gdwarf-$version -c src/m.c -o m.o
				"$compiler" q.o m.o -o program
				whole program
				(cd / && whole "$OLDPWD/program")
				# As one object file.
				ld -r q.o m.o -o both.o
				"$compiler" both.o -o program
				what="$what, one object" whole program
				cd ..
			done
		done
	done
}

@test "in folders, by relative names, compressed, and in a tree that was moved" {
	local compiler what flags
	for compiler in $(compilers -g -gsplit-dwarf); do
		for flags in '' -gz "-fdebug-prefix-map=$PWD/t=."; do
			for name in src "$PWD/t/src"; do
				what="$compiler $flags $name"
				rm -rf t moved && cp -r tree t && mkdir t/obj && cd t
				# shellcheck disable=SC2086 # none or one
				for unit in q m; do
					"$compiler" -O1 -g -gsplit-dwarf $flags -c "$name/$unit.c" -o obj/$unit.o
				done
				"$compiler" obj/q.o obj/m.o -o program
				whole program
				cd ..
				# All of it elsewhere: the same relative names, or beside the program.
				mv t moved
				[[ $name = /* ]] || { what="$what, moved" && whole "$PWD/moved/program"; }
				mv moved/obj/*.dwo moved
				what="$what, beside it" && whole "$PWD/moved/program"
			done
		done
	done
}

# places PROGRAM: the files of its frames.
places()
{
	ask "$1"
	sed -nE 's/^   (leaf|inner|outer) at (.*\.c):.*/\1 \2/p' seen
}

# same_places: those of "split", of its .dwo files, and of its package alone, are those of "linked",
# whose debug data is not split.
same_places()
{
	local packer
	places "$PWD/linked" >linked.places
	[ "$(wc -l <linked.places)" -eq 3 ] || { cat linked.places && blame "$what: no judge"; }
	places "$PWD/split" >split.places
	diff linked.places split.places || blame "$what"
	for packer in dwp llvm-dwp; do
		# Some versions of either cannot, or never end.
		timeout 10 $packer -e split -o split.dwp 2>/dev/null || continue
		mkdir aside && mv ./*.dwo aside
		places "$PWD/split" >packed.places
		grep -q 'it is no package' seen || diff linked.places packed.places ||
			blame "$what, $packer"
		mv aside/* . && rm -r aside split.dwp
	done
}

# same_folders COMPILER FLAGS NAME
same_folders()
{
	local what="$*" unit
	rm -rf t && cp -r tree t && cd t/src
	for unit in q m; do
		# shellcheck disable=SC2086 # a list
		{
			"$1" -O1 $2 -c "${3/q.c/$unit.c}" -o $unit.o
			"$1" -O1 $2 -gsplit-dwarf -c "${3/q.c/$unit.c}" -o $unit.split.o
		}
	done
	"$1" q.o m.o -o linked
	"$1" q.split.o m.split.o -o split
	same_places
	cd ../..
}

@test "files have the folder they have without split debug data" {
	local compiler version name map
	for compiler in $(compilers -g -gsplit-dwarf); do
		for version in 4 5; do
			for name in q.c ../src/q.c "$PWD/t/src/q.c"; do
				same_folders "$compiler" "-gdwarf-$version" "$name"
			done
			for map in t=. t=/elsewhere t=moved t/src=.; do
				same_folders "$compiler" \
					"-gdwarf-$version -fdebug-prefix-map=$PWD/$map" ../src/q.c
			done
		done
	done
}

# says REGEX: a complaint about q's half, and that there is no package.
says()
{
	local package="$PWD/program\.dwp: No such file or directory, nor where else it is looked for"
	ask "$PWD/program"
	grep -Eq "^   \(.*$1; $package\)\$" seen || { cat seen && blame "no word: $1"; }
	grep -Eq 'inner at .*q\.c' seen || { cat seen && blame "no line of the half that is there"; }
	grep -Eq 'outer at .*m\.c:[34]' seen || { cat seen && blame "the other unit suffers"; }
}

@test "what is said names what was looked at" {
	cd tree
	gcc -O1 -g -gsplit-dwarf -c src/q.c src/m.c
	gcc q.o m.o -o program
	mv q.dwo hidden
	says "q\.dwo, with split debug data, is not used: $PWD/q\.dwo: No such file or directory"
	echo nothing >q.dwo
	says "$PWD/q\.dwo: it is not an ELF file"
	sed 's/leaf(p);/leaf(p); leaf(p + 1);/' src/q.c >changed.c
	gcc -O1 -g -gsplit-dwarf -c changed.c && mv changed.dwo q.dwo
	says "$PWD/q\.dwo: it has no unit of the id [0-9a-f]{16}"
	head -c 100 hidden >q.dwo
	says "$PWD/q\.dwo: .*"
	mv hidden q.dwo
	what=again whole program
}
