#!/bin/sh
# SPDX-License-Identifier: MIT
# test_cross.sh - every source of the library compiles for CPUs that have no port.
#
# clang knows the CPUs, Debian has the headers of their libc in packages of their own.
# What does not depend on the CPU is this machine's: config.h and other libraries' headers.
. "$top_srcdir/test/support/tap.sh"

# compile TRIPLET SOURCE...: no more than its syntax and types are looked at.
compile()
{
	triplet=$1
	shift
	clang --target="$triplet" -nostdlibinc -isystem "/usr/$triplet/include" \
		-idirafter "/usr/include/$(clang -print-multiarch)" \
		-idirafter /usr/include -idirafter /usr/include/libiberty \
		-include "$top_builddir/config.h" -D_FILE_OFFSET_BITS=64 \
		-DRESOLVER='""' -Wall -Wextra -Wshadow -Werror -fsyntax-only \
		-I"$top_srcdir/include" -I"$top_srcdir/whocallme" \
		-I"$top_srcdir/whocallme/core/arch/generic" "$@" 2>&1
}

sources()
{
	find "$top_srcdir/whocallme" -name '*.c' \
		\( ! -path '*/core/arch/*' -o -path '*/core/arch/generic/*' \)
}

# compiles NAME TRIPLET
compiles()
{
	name=$1 triplet=$2
	if [ ! -d "/usr/$triplet/include" ]; then
		tap_skip "the library compiles for $name" "libc6-dev-$name-cross is missing"
		return
	fi
	wanted=$(sources)
	# clang before 16 cannot jump on some CPUs in the way that gcc can on all.
	echo 'int try(void **to) { return __builtin_setjmp(to); }' >"$tap_dir/try.c"
	compile "$triplet" "$tap_dir/try.c" >/dev/null || {
		echo "# core/os/attempt.c is left out: clang has no __builtin_setjmp() there"
		wanted=$(sources | grep -v core/os/attempt.c)
	}
	# shellcheck disable=SC2086 # a list
	tap_check "the library compiles for $name" \
		"$(compile "$triplet" $wanted | head -20)"
	echo '#error seen' >"$tap_dir/try.c"
	tap_check "what does not compile is seen" \
		"$(! compile "$triplet" "$tap_dir/try.c" >/dev/null ||
			echo "it is not")"
}

if [ "$SANITIZERS" != no ]; then
	echo "1..0 # SKIP the sources are the same without sanitizers"
	exit 0
fi
command -v clang >/dev/null || {
	echo "1..0 # SKIP clang is missing"
	exit 0
}
tap_make_dir
compiles s390x s390x-linux-gnu
compiles ppc64el powerpc64le-linux-gnu
tap_end
