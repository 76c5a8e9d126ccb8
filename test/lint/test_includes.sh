#!/bin/sh
# SPDX-License-Identifier: MIT
# test_includes.sh - the includes of whocallme/ and tool/ keep to the law of the house,
# but for what known-offences.txt lists; that list has nothing that is mended.
. "$top_srcdir/test/support/tap.sh"

lint=$top_srcdir/test/lint
tap_make_dir
"$lint/includes.sh" "$top_srcdir" >"$tap_dir/found" || exit 99
grep -v '^offence' "$tap_dir/found" | sed 's/^/# /'

# kind FILE NAME: the offences of one kind.
kind()
{
	sed -n "s/^offence //; /^$2 /p" "$1" | sort
}

grep -vE '^(#|$)' "$lint/known-offences.txt" >"$tap_dir/known"
for name in call circle floor if lost name tool up; do
	kind "$tap_dir/known" $name >"$tap_dir/listed"
	kind "$tap_dir/found" $name >"$tap_dir/offences"
	tap_check "$name: no offence but the known ones" \
		"$(cut -f 1 "$tap_dir/offences" | comm -23 - "$tap_dir/listed" |
		   while read -r line; do
			grep -F "$line	" "$tap_dir/offences"
		   done)"
	tap_check "$name: known-offences.txt has nothing that is mended" \
		"$(cut -f 1 "$tap_dir/offences" | comm -13 - "$tap_dir/listed")"
done
tap_end
