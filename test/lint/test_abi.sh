#!/bin/sh
# SPDX-License-Identifier: MIT
# test_abi.sh - programs that were built before keep running: the binary interface is that
# of abi.txt, which only grows.
. "$top_srcdir/test/support/tap.sh"

lib=$top_builddir/.libs/libwhocallme.so
tap_make_dir
if [ ! -r "$lib" ]; then
	tap_skip "the binary interface" "no shared library is built"
	tap_end
	exit 0
fi
if [ "$SANITIZERS" != no ]; then
	tap_skip "the binary interface" "sanitizers export symbols of their own"
	tap_end
	exit 0
fi
if [ "$(getconf LONG_BIT)" != 64 ]; then
	tap_skip "the binary interface" "abi.txt is of 64 bits"
	tap_end
	exit 0
fi

list()
{
	sh "$top_srcdir/test/lint/abi.sh" "$1" "$lib" | LC_ALL=C sort
}

list "$top_srcdir/include" >"$tap_dir/now"
LC_ALL=C sort "$top_srcdir/test/lint/abi.txt" >"$tap_dir/known"
tap_check "nothing that programs were built against has changed or gone" \
	"$(LC_ALL=C comm -23 "$tap_dir/known" "$tap_dir/now")"
tap_check "what is new is in abi.txt, too" \
	"$(LC_ALL=C comm -13 "$tap_dir/known" "$tap_dir/now")"

# The list tells a member that grew, one that moved and a constant that changed.
cp -R "$top_srcdir/include" "$tap_dir/planted"
chmod -R u+w "$tap_dir/planted"
sed -i 's/uint32_t deadline_ms;/uint64_t deadline_ms;/; s/CRASH_JSON 0x1u/CRASH_JSON 0x400u/' \
	"$tap_dir/planted/whocallme/crash.h"
list "$tap_dir/planted" >"$tap_dir/changed"
missed=
for gone in 'struct wcm_crash_options ' 'member wcm_crash_options.deadline_ms ' \
	'member wcm_crash_options.file ' 'constant WCM_CRASH_JSON '; do
	LC_ALL=C comm -23 "$tap_dir/known" "$tap_dir/changed" | grep -q "^$gone" ||
		missed="$missed $gone"
done
tap_check "a change would be told" "$missed"
tap_end
