#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# links.bats - C++ whose functions begin with NOPs links, by each compiler and linker that is here
# and at each level; what has them is listed, once, as objdump judges.
#
# LINKS=all, which make check-links sets, tries more options of the compilers.

load ../scenario/support
load plugin

levels='-O0 -O1 -O2 -O3'

setup()
{
	has_sleds || skip "a sanitizer takes the place of what is compiled here, or there are no sleds"
	[ -z "$emulated" ] || skip "objdump is of another CPU, and this is an emulator"
	needs objdump
	nops=5
	[ "$arch" != aarch64 ] || nops=2
	cd "$BATS_TEST_TMPDIR"
}

linkers()
{
	local linker
	for linker in bfd gold lld mold; do
		! command -v "ld.$linker" >/dev/null || echo $linker
	done
}

# Where the NOPs of functions of the program $1 are, those that a call has room in.
patchable()
{
	objdump -d -w "$1" | awk -F '\t' '
		/^[0-9a-f]+ <.*>:$/ { is_first = 1; code = ""; next }
		!is_first || NF < 2 { next }
		{ gsub(/ /, "", $2); gsub(/[ :]/, "", $1) }
		code == "" && $2 ~ /^(f30f1ef[ab]|d503245f)$/ { next }
		code == "" { at = $1 }
		{ code = code $2 }
		length(code) < 10 { next }
		code ~ /^(0f1f44000[08]|9090909090|d503201fd503201f)/ { print at }
		{ is_first = 0 }' | sed 's/^0*//' | sort
}

# What the list of the program $1 has; in what is relocated as it is loaded, will have.
listed()
{
	local at size width=8
	! readelf -h "$1" | grep -q ELF32 || width=4
	read -r at size < <(readelf -SW "$1" |
		sed -n 's/.* __patchable_function_entries *[^ ]* *\([^ ]*\) [^ ]* \([^ ]*\) .*/\1 \2/p')
	objcopy -O binary -j __patchable_function_entries "$1" list
	{
		od -An -v -t "x$width" list | tr -s ' ' '\n'
		readelf -rW "$1" | awk -v from="$at" -v to="$(printf %0$((2 * width))x \
			$((0x$at + 0x$size)))" '/_RELATIV/ && $1 "" >= from && $1 "" < to { print $4 }'
	} | sed 's/^0*//; /^$/d' | sort -u >words
	[ "$(wc -l <words)" = $((0x$size / width)) ] || echo "of $((0x$size / width)) words"
	cat words
}

# is_right WHAT: the program runs, and each of its sleds is listed once; no word was said.
is_right()
{
	[ ! -s said ] || { echo "$1" && cat said && return 1; }
	[ "$linked" = -shared ] || [ "$(./program)" = "8 8" ]
	patchable program >found
	[ "$(wc -l <found)" -ge 4 ]
	[ "$is_listed" = no ] || listed program | diff found - || { echo "$1" && return 1; }
}

# builds COMPILER FLAG...: at each level and by each linker.
builds()
{
	local level linker
	for level in $levels; do
		"$@" $level -c -o main.o "$here/programs/linked.cc"
		"$@" $level -c -DOTHER -o other.o "$here/programs/linked.cc"
		for linker in $(linkers); do
			"$@" $level $linked "-fuse-ld=$linker" -o program main.o other.o >said 2>&1 ||
				echo "status $?" >>said
			is_right "$* $level $linked by $linker"
		done
	done
}

# all_options COMPILER FLAG...: those that change sections, groups or what is at an entry.
all_options()
{
	local linked=-pie is_listed=yes
	builds "$@" -fpie
	[ "${LINKS-}" = all ] || return 0
	builds "$@" -fpic -g
	linked=-shared builds "$@" -fpic
	linked=-no-pie
	builds "$@" -fno-pie
	builds "$@" -fno-pie -ffunction-sections -fdata-sections -fno-exceptions
	[ "$nops" = 2 ] || builds "$@" -fno-pie -fcf-protection=full
	# Programs are static of which much is not compiled here; gold drops the list.
	is_listed=no
	linked=-static builds "$@" -fno-pie
	linked='-pie -Wl,--gc-sections' builds "$@" -fpie -ffunction-sections
}

# By the linkers that know gcc's.
with_lto()
{
	local linked=-pie is_listed=no
	linkers()
	{
		printf '%s\n' bfd gold
	}
	builds "$@" -fpie -flto=1
}

# One that there is no plugin for: gcc-99.
without_plugin()
{
	printf '%s\n' '#!/bin/sh' '[ "$1" != -dumpfullversion ] || exec echo 99.1.0' \
		"exec $gxx \"\$@\"" >gcc-99
	chmod +x gcc-99
}

@test "g++ with mode=sled: every linker takes it, and each sled is listed once" {
	needs_plugin
	find_gxx
	with sled
	[ "${LINKS-}" = all ] || levels='-O0 -O2'
	all_options "$gxx" $flags
	[ "${LINKS-}" != all ] || with_lto "$gxx" $flags
	"$gxx" $flags -O2 -c -o main.o "$here/programs/linked.cc"
	# On x86 it is one NOP; inline functions have their entries in their own groups.
	objdump -d main.o | grep -A1 '^[0-9a-f]* <.*>:$' >entries
	[ "$nops" = 2 ] || refute grep -w nop entries
	readelf -SW main.o | grep ' __patchable_function_entries ' | grep -c -w WALG | grep -v -x 0
}

@test "g++ without a plugin: by whocallme cc every linker takes it, and each sled is listed once" {
	find_gxx
	without_plugin
	cc="$top_builddir/tool/whocallme cc --mode=sled --gcc=./gcc-99"
	all_options $cc
	if [ "${LINKS-}" = all ]; then
		linked=-pie is_listed=yes builds $cc -fpie -pipe
		with_lto $cc
	fi
	$cc -O2 -c -o main.o "$here/programs/linked.cc"
	objdump -d main.o | grep -A1 '^[0-9a-f]* <.*>:$' >entries
	[ "$nops" = 2 ] || refute grep -w nop entries
	# Other assembly is as it was, and in its place; what is wrong with it has its name and line.
	printf '\n\tthis is wrong\n' >wrong.s
	refute $cc -c wrong.s 2>said
	grep '^wrong.s:2: ' said
	printf 'int two() { return 2; }\n' >two.cc
	$cc -S two.cc
	cp two.s kept.s
	$cc -c two.s
	cmp two.s kept.s
}

@test "clang++ with NOPs: every linker takes it, and each sled is listed once" {
	needs clang++
	[ "${LINKS-}" = all ] || levels='-O0 -O2'
	all_options clang++ "-fpatchable-function-entry=$nops"
	local linked=-pie is_listed=yes
	levels=-O2 builds "$top_builddir/tool/whocallme" cc --mode=sled --gcc=clang++ -fpie
}

@test "g++ with -mnop-mcount, which lists nothing, and no plugin: every linker takes it" {
	find_gxx
	"$gxx" -fno-pie -pg -mfentry -mnop-mcount -c -o main.o "$here/programs/linked.cc" \
		2>/dev/null || skip "it is of another CPU"
	local linked=-no-pie is_listed=no
	[ "${LINKS-}" = all ] || levels=-O2
	builds "$gxx" -fno-pie -pg -mfentry -mnop-mcount
}

@test "whocallme cc --mode=sled: a trace shows each function of C++ that is called" {
	local command="$top_builddir/tool/whocallme" linker gcc
	find_gxx
	without_plugin
	for gcc in "$gxx" ./gcc-99; do
		$command cc --mode=sled --gcc="$gcc" -O2 -fpic -c -o main.o \
			"$here/programs/linked.cc"
		$command cc --mode=sled --gcc="$gcc" -O2 -fpic -DOTHER -c -o other.o \
			"$here/programs/linked.cc"
		for linker in $(linkers); do
			"$gxx" "-fuse-ld=$linker" -pie -o program main.o other.o
			strip -o stripped program
			$command trace --log=log ./program
			grep '&int sum<int>(' log | wc -l | grep -x 2
			grep '&other(' log
			grep '&add(' log
			$command trace --log=log ./stripped
			[ "$(grep -c '^FUN' log)" -ge 8 ]
		done
	done
}
