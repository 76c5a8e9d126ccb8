#!/bin/sh
# SPDX-License-Identifier: MIT
# test_includes_planted.sh - includes.sh finds every kind of offence, planted in a small
# tree, and none in the tree without it.
. "$top_srcdir/test/support/tap.sh"

tap_make_dir
tree=$tap_dir/tree

# plant FILE LINE...: makes the file of these lines.
plant()
{
	plant_file=$tree/$1
	shift
	mkdir -p "$(dirname "$plant_file")"
	printf '%s\n' "$@" >"$plant_file"
}

# A command above a library of two floors, a port, and a format that both see.
small_tree()
{
	rm -rf "$tree"
	# shellcheck disable=SC2016 # as makefiles have it
	plant whocallme/local.mk 'flags = -I$(top_srcdir)/%reldir%' \
		' -I$(top_srcdir)/%reldir%/core/arch/$(WCM_ARCH)'
	# shellcheck disable=SC2016
	plant tool/local.mk 'flags = -I$(srcdir)/%reldir% -I$(top_srcdir)/whocallme'
	plant Makefile.am 'AM_CPPFLAGS = -Iinclude'
	plant floors.txt 'tool: tool > tool/base' 'high: whocallme/high whocallme/side' \
		'low: whocallme/low > whocallme/core/arch/*' 'format: whocallme/format'
	plant tool/main.c '#include <whocallme.h>' '#include "base/grow.h"' \
		'#include "format/record.h"'
	plant tool/base/grow.h '#ifndef WCM_GROW_H' '#endif'
	plant whocallme/high/start.c '#include "low/step.h"' '#ifdef PIC' '#endif' \
		'#include "whocallme/trace.h"'
	plant whocallme/low/step.c '#include "low/step.h"' '#include "regs.h"'
	plant whocallme/low/step.h '#include "format/record.h"'
	plant whocallme/core/arch/one/regs.h '#if __x86_64__' '#endif'
	plant whocallme/core/arch/two/regs.h ''
	plant whocallme/format/record.h ''
}

offences()
{
	"$top_srcdir/test/lint/includes.sh" "$tree" "$tree/floors.txt" |
		sed -n 's/^offence //p'
}

# found OFFENCE: a complaint where that is not the one offence, and a clean tree.
found()
{
	[ "$(offences | cut -f 1)" = "$1" ] || { echo "wanted: $1"; offences; }
	small_tree
}

small_tree
tap_check "the small tree has no offence" "$(offences)"
tap_check "its figures are right" "$("$top_srcdir/test/lint/includes.sh" "$tree" \
	"$tree/floors.txt" | tr '\n' ' ' | grep -vxF "floors: 4 folders: 7 \
arrows between files: 6 arrows between folders: 6 \
upward arrows: 0 between 0 pairs of folders circles of files: 0 ")"

plant whocallme/low/walk.h '#include "low/step.h"'
plant whocallme/low/step.c '#include "low/walk.h"'
tap_check "two files that include each other's headers" "$(found 'circle step walk')"

plant whocallme/low/walk.h '#include "low/read.h"'
plant whocallme/low/read.c '#include "step.h"'
plant whocallme/low/read.h ''
plant whocallme/low/step.h '#include "low/walk.h"'
tap_check "a circle of three, one in its own folder's words" \
	"$(found 'circle read step walk')"

plant whocallme/side/aside.h ''
plant whocallme/high/leap.c '#include "side/aside.h"'
tap_check "an arrow between folders side by side is none" "$(found '')"

plant whocallme/high/start.h ''
plant whocallme/low/walk.c '#include "high/start.h"'
tap_check "an arrow to a higher floor" "$(found 'up walk.c start.h')"

plant whocallme/low/walk.h ''
plant whocallme/core/arch/two/regs.h ' #  include  "low/walk.h" // why not'
tap_check "an arrow up within a floor" "$(found 'up regs.h walk.h')"

plant tool/base/grow.c '#include "command.h"'
plant tool/command.h ''
tap_check "an arrow up in the command" "$(found 'up grow.c command.h')"

plant whocallme/high/step.h ''
tap_check "a base name in two folders" "$(found 'name step')"

plant tool/base/step.c ''
tap_check "a base name that command and library have" "$(found 'name step')"

for condition in '#if __linux__' '#ifdef __x86_64__' '#ifndef MADV_WIPEONFORK' \
	'# elif __BYTE_ORDER__' '#if __has_include(<threads.h>)'; do
	plant whocallme/high/walk.c "$condition"
	tap_check "a condition outside arch/ and os/: $condition" "$(found \
		"if walk.c $(echo "$condition" | cut -d ' ' -f 1-2)")"
done

for call in 'wcm__syscall(SYS_close, fd, 0, 0, 0, 0, 0);' ' WCM_SYSCALL(SYS_close, fd)'; do
	plant whocallme/high/walk.c "$call"
	tap_check "a system call outside arch/ and os/: $call" "$(found 'call walk.c')"
done

plant whocallme/core/arch/two/syscall.h 'static inline long wcm__syscall(long number)'
plant whocallme/high/walk.c 'bool wcm__arch_refuse_syscall(void *ucontext);'
tap_check "one in arch/, and a name that holds the word, are none" "$(found '')"

plant tool/base/grow.c '#include "low/step.h"'
tap_check "the command includes a header of the library" "$(found 'tool grow.c step.h')"

plant tool/base/grow.c '#include "whocallme/trace.h"'
tap_check "the command includes a part of <whocallme.h>" "$(found 'tool grow.c trace.h')"

plant tool/base/grow.c '#include <whocallme/trace.h>'
tap_check "so, in the other brackets" "$(found 'tool grow.c trace.h')"

plant whocallme/attic/walk.c ''
tap_check "a folder without a floor" "$(found 'floor whocallme/attic')"

plant whocallme/low/walk.c '#include "tread.h"'
tap_check "an include that leads nowhere" "$(found 'lost walk.c tread.h')"

# judged FAILURES KNOWN...: a complaint unless that is what test_includes.sh fails of in
# the small tree, with that list.
judged()
{
	judged_wanted=$1
	shift
	printf '%s\n' '# known' "$@" >"$tree/test/lint/known-offences.txt"
	top_srcdir=$tree sh "$test" | sed -n 's/^not ok [0-9]* - //p' |
		grep -vxF "$judged_wanted"
	top_srcdir=$tree sh "$test" | grep -q "^\(not ok.* - \)*$judged_wanted\$" ||
		echo "not: $judged_wanted"
}

test=$top_srcdir/test/lint/test_includes.sh
mkdir -p "$tree/test/lint"
cp -R "$top_srcdir/test/support" "$tree/test/"
cp "$top_srcdir/test/lint/includes.sh" "$top_srcdir/test/lint/includes.awk" \
	"$tree/floors.txt" "$tree/test/lint/"
plant tool/base/step.c ''
tap_check "test_includes.sh fails on an offence that is not known" \
	"$(judged 'name: no offence but the known ones')"
tap_check "... passes on one that is" "$(judged '1..16' 'name step')"
tap_check "... fails on a known one that is mended" "$(judged \
	'name: known-offences.txt has nothing that is mended' 'name step' 'name walk')"
tap_end
