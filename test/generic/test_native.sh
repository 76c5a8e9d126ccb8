#!/bin/sh
# SPDX-License-Identifier: MIT
# test_native.sh - what doc/guide/limits-cpus.md promises for a CPU without a port, on this one: the library
# with core/arch/generic/ in the place of its own, linked into a program.
. "$top_srcdir/test/support/tap.sh"

if [ "$SANITIZERS" != no ]; then
	echo "1..0 # SKIP the sources are the same without sanitizers"
	exit 0
fi
tap_make_dir
here=$top_srcdir/test/generic

# All but what is interposed, and one of two files where configure chooses: none of libcs
# and demanglers is taken for granted.
sources()
{
	find "$top_srcdir/whocallme" -name '*.c' ! -path '*/core/arch/*' \
		! -path '*/front/preload/*' ! -path '*/watch/*' \
		! -name host.c ! -name linked_index.c ! -name unloadable_rules.c \
		! -name own_objfile.c
	find "$top_srcdir/whocallme/core/arch/generic" -name '*.c'
}

# The prototypes are data, which the build makes and compiles with flags of its own.
prototypes=$top_builddir/whocallme/trace/values/libwcm_safe_la-prototypes_table.o
system_calls=$top_builddir/whocallme/trace/system/libwcm_safe_la-system_calls_table.o

# shellcheck disable=SC2046,SC2086 # lists
(cd "$tap_dir" && $CC -c -include "$top_builddir/config.h" -D_FILE_OFFSET_BITS=64 \
	-DRESOLVER='""' -I"$top_srcdir/include" -I"$top_srcdir/whocallme" \
	-I"$top_srcdir/whocallme/core/arch/generic" -I/usr/include/libiberty \
	-fno-omit-frame-pointer $(sources) &&
	$CC -g -O0 -rdynamic -finstrument-functions -I"$top_srcdir/include" -o program \
		"$here/program.c" ./*.o "$prototypes" "$system_calls" $BFD_LIBS $SYSTEM_LIBS -lpthread) \
	>"$tap_dir/log" 2>&1 || {
	sed 's/^/# /' "$tap_dir/log"
	echo "Bail out! the library does not build"
	exit 1
}
WHOCALLME_HELPER=no
export WHOCALLME_HELPER

# wants FILE PATTERN...: a complaint for each that no line of the file is.
wants()
{
	file=$1
	shift
	for pattern; do
		grep -qE "$pattern" "$file" || { echo "no $pattern in:" && cat "$file"; }
	done
}

"$tap_dir/program" 2>"$tap_dir/asked"
tap_check "who_call_me() names the direct caller" "$(wants "$tap_dir/asked" \
	'^<whocallme>: function <asker> call me <asked>!$')"
tap_check "a stack has one frame, and is not all" "$(wants "$tap_dir/asked" \
	'^frames: 1, not all$' '^#0 0x[0-9a-f]+ in asked\+')"
("$tap_dir/program" crash 2>"$tap_dir/crash") 2>/dev/null
status=$?
tap_check "a crash ends with its signal" "$([ $status = 139 ] || echo "status $status")"
tap_check "its report has the cause and the modules" "$(wants "$tap_dir/crash" \
	'SIGSEGV, segmentation fault' '^access to 0x0+: NULL$' '^modules:$' '/program$')"
tap_check "it has no stack" "$(sed -n '/SIGSEGV/,$p' "$tap_dir/crash" | grep '^#')"
WHOCALLME_TRACE=pairs "$tap_dir/program" 2>"$tap_dir/calls"
tap_check "calls are traced by hooks" "$(wants "$tap_dir/calls" \
	'func = asker, called by = main$' 'func = asked, called by = asker$')"
tap_end
