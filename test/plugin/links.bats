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
	[ "${SANITIZERS:-no}" = no ] || skip "a sanitizer takes the place of what is compiled here"
	needs objdump
	case $(uname -m) in
	aarch64) nops=2 ;;
	*) nops=5 ;;
	esac
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

# What the list of the program $1 has.
listed()
{
	objcopy -O binary -j __patchable_function_entries "$1" list 2>/dev/null
	od -An -v -t "x$(readelf -h "$1" | awk '/Class:/ { print $2 == "ELF64" ? 8 : 4 }')" list |
		tr -s ' ' '\n' | sed 's/^0*//; /^$/d' | sort
}

# builds COMPILER FLAG...: at each level and by each linker, with no word said.
builds()
{
	local level linker
	for level in $levels; do
		"$@" $level -c -o main.o "$here/programs/linked.cc"
		"$@" $level -c -DOTHER -o other.o "$here/programs/linked.cc"
		for linker in $(linkers); do
			"$@" $level -no-pie "-fuse-ld=$linker" -o program main.o other.o >said 2>&1 ||
				echo "status $?" >>said
			[ ! -s said ] || { echo "$* $level by $linker" && cat said && return 1; }
			[ "$(./program)" = "8 8" ]
			patchable program >found
			[ "$(wc -l <found)" -ge 4 ]
			[ "$is_listed" = no ] || listed program | diff found - ||
				{ echo "$* $level by $linker" && return 1; }
		done
	done
}

# all_options COMPILER FLAG...: those that change sections, groups or what is at an entry.
all_options()
{
	is_listed=yes
	builds "$@" -fno-pie
	[ "${LINKS-}" = all ] || return 0
	builds "$@" -fpic -g
	builds "$@" -ffunction-sections -fdata-sections -fno-exceptions
	[ "$nops" = 2 ] || builds "$@" -fcf-protection=full
	# gold drops the list, and the symbols tell.
	is_listed=no
	builds "$@" -ffunction-sections -Wl,--gc-sections -Wno-unused-command-line-argument
}

@test "g++ with mode=sled: every linker takes it, and each sled is listed once" {
	needs_plugin
	find_gxx
	with sled
	all_options "$gxx" $flags
	"$gxx" $flags -O2 -c -o main.o "$here/programs/linked.cc"
	# On x86 it is one NOP; inline functions have their entries in their own groups.
	objdump -d main.o | grep -A1 '^[0-9a-f]* <.*>:$' >entries
	[ "$nops" = 2 ] || refute grep -w nop entries
	readelf -SW main.o | grep ' __patchable_function_entries ' | grep -c -w WALG | grep -v -x 0
}

@test "clang++ with NOPs: every linker takes it, and each sled is listed once" {
	needs clang++
	[ "${LINKS-}" = all ] || levels='-O0 -O2'
	all_options clang++ "-fpatchable-function-entry=$nops"
}

@test "g++ with -mnop-mcount, which lists nothing, and no plugin: every linker takes it" {
	find_gxx
	"$gxx" -fno-pie -pg -mfentry -mnop-mcount -c -o main.o "$here/programs/linked.cc" \
		2>/dev/null || skip "it is of another CPU"
	is_listed=no
	[ "${LINKS-}" = all ] || levels=-O2
	builds "$gxx" -fno-pie -pg -mfentry -mnop-mcount
}

@test "whocallme cc --mode=sled: a trace shows each function of C++ that is called" {
	needs_plugin
	find_gxx
	local command="$top_builddir/tool/whocallme" linker
	$command cc --mode=sled --gcc="$gxx" -O2 -fpic -c -o main.o "$here/programs/linked.cc"
	$command cc --mode=sled --gcc="$gxx" -O2 -fpic -DOTHER -c -o other.o \
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
}
