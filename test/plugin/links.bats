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

# The assembler itself, with the options $@ of gcc's for this CPU.
assemble()
{
	"$top_builddir/tool/sled-as/as" $bits "$@"
}

@test "the assembler of ours takes inputs of any name, and leaves its own nowhere" {
	local name bits=
	case $arch in x86_64) bits=--64 ;; i?86) bits=--32 ;; esac
	needs "$gcc"
	command -v as >/dev/null || skip "there is no as in the PATH"
	printf 'int f(void) { return 1; }\n' >f.c
	"$gcc" -fpatchable-function-entry=5 -g0 -S f.c
	assemble -o f.o f.s
	objdump -d f.o >wanted
	sed -i /f.o:/d wanted
	for name in a=b.s 'v=1' "it's.s" 'a"b\n.s' ' $x `y`.s' 'a --64 b.s'; do
		cp f.s "$name"
		assemble -g -o out.o "$name"
		objdump -d out.o | sed /out.o:/d | cmp - wanted
		readelf --debug-dump=info out.o >said
		grep -F "DW_AT_name" said | head -n 1 | grep -F ": $name"
		refute grep -r "${TMPDIR:-/tmp}/tmp" said out.o
		# As the assembler itself says it.
		{ cat f.s; printf '\twrong\n'; } >"$name"
		refute assemble -o out.o "$name" 2>said
		refute as $bits -o out.o "$name" 2>as_said
		cmp said as_said
		refute assemble -o out.o - <"$name" 2>said
		refute as $bits -o out.o - <"$name" 2>as_said
		cmp said as_said
	done
	# Standard input, and a pipe, which is read but once.
	assemble -o out.o <f.s
	objdump -d out.o | sed /out.o:/d | cmp - wanted
	mkfifo pipe
	cat f.s >pipe &
	assemble -o out.o pipe
	objdump -d out.o | sed /out.o:/d | cmp - wanted
	assemble --MD listed -o f.o f.s
	mv listed ours
	as $bits --MD listed -o f.o f.s
	cmp ours listed
}

@test "the assembler of ours answers as the real one, and adds nothing at the end of the input" {
	local bits= option text
	case $arch in x86_64) bits=--64 ;; i?86) bits=--32 ;; esac
	command -v as >/dev/null || skip "there is no as in the PATH"
	for option in --version --help -v; do
		as "$option" </dev/null 2>&1 | sed /^Usage/d >wanted
		assemble "$option" </dev/null 2>&1 | sed /^Usage/d | cmp - wanted
	done
	for text in '.LPFE0:\n\tnop' '.LPFE0:\n\tnop\n\tnop\n' '.LPFE0:' '' \
		'.LPFE0:\n\t.section\t__patchable_function_entries,"awo",%%progbits,.LPFE0' \
		'.LPFE0:\n\t.section\t__patchable_function_entries,"awo",%%progbits,.LPFE0\n\t.align 8'
	do
		printf "$text" >end.s
		assemble -o out.o end.s
		as $bits -o as.o end.s
		objdump -d out.o | sed /out.o:/d >ours
		objdump -d as.o | sed /as.o:/d | cmp - ours
	done
	refute assemble -o out.o none.s 2>said
	grep none.s said
}

@test "whocallme cc --mode=sled: the user's own assembler is the one behind ours" {
	local cc="$top_builddir/tool/whocallme cc --mode=sled --gcc=./gcc-99" at
	find_gxx
	without_plugin
	mkdir "the user's"
	printf '%s\n' '#!/bin/sh' 'echo here >>"$SEEN"' 'exec as "$@"' >"the user's/as"
	chmod +x "the user's/as"
	ln -s as "the user's/pre-as"
	export SEEN=$PWD/seen
	printf 'int f() { return 1; }\n' >f.cc
	# The current folder is nobody's: its "as" runs with no option, and with empty ones.
	printf '%s\n' '#!/bin/sh' 'echo evil >>"$SEEN"' 'exit 1' >as
	chmod +x as
	env -u COMPILER_PATH $cc -c f.cc
	COMPILER_PATH="$(dirname "$(command -v ld)")" $cc -c f.cc
	[ ! -e seen ]
	for at in "the user's" "the user's/" "the user's/pre-"; do
		$cc -B "$at" "-DX='it is \"X\"'" -O2 -c f.cc
		grep -x here seen
		rm seen
		objdump -d f.o | grep -A1 '^[0-9a-f]* <.*>:$' >entries
		[ "$nops" = 2 ] || refute grep -w nop entries
	done
	COMPILER_PATH="$PWD/the user's" $cc -c f.cc
	grep -x here seen
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
			grep -c '&sum$' log | grep -x 2
			grep '&other$' log
			grep '&add$' log
			$command trace --log=log ./stripped
			[ "$(grep -c '^FUN' log)" -ge 8 ]
		done
	done
}
