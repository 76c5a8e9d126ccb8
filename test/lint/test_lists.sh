#!/bin/sh
# SPDX-License-Identifier: MIT
# test_lists.sh - what is made of files' first lines is as they say: lists.sh makes it.
. "$top_srcdir/test/support/tap.sh"

lists=$top_srcdir/test/lint/lists.sh

tap_check "every file of the library and the command has a first line that says what it is for" \
	"$(cd "$top_srcdir" &&
	   find whocallme tool -name '*.[chS]' | while read -r file; do
		sed -n 2p "$file" | grep -qE "^/\* ([a-z0-9_]+/)?${file##*/}( \(SAFE\))? - " ||
			echo "$file"
	   done)"
for folder in whocallme tool; do
	tap_check "$folder/sources.mk names what is compiled: make lists" \
		"$("$lists" sources "$folder" | diff "$top_srcdir/$folder/sources.mk" - | head -20)"
	tap_check "$folder/README.md has a row for every file: make lists" \
		"$("$lists" map "$folder" | diff "$top_srcdir/$folder/README.md" - | head -20)"
	tap_check "$folder/README.md has a heading for every folder" \
		"$(cd "$top_srcdir/$folder" &&
		   find . -name '*.[ch]' | grep -v '^\./[^/]*$' | sed 's|^\./||; s|[^/]*$||' | sort -u |
		   grep -v '^core/arch/.' | while read -r below; do
			grep -qE "^###+ $below - " README.md || echo "$below"
		   done)"
done
tap_check "whocallme/README.md names every file of the ports" \
	"$(cd "$top_srcdir/whocallme/core/arch" &&
	   for file in *.[ch] */*.[ch]; do
		grep -qF "\`$file\`" ../../README.md || echo "$file"
	   done)"
tap_make_dir
mkdir -p "$tap_dir/test/lint"
cp "$lists" "$tap_dir/test/lint"
cp -R "$top_srcdir/tool" "$tap_dir"
chmod -R u+w "$tap_dir"
grep -v '^|' "$top_srcdir/tool/README.md" >"$tap_dir/tool/README.md"
tap_check "a heading without a table gets one" \
	"$("$tap_dir/test/lint/lists.sh" map tool | sort | uniq -u >"$tap_dir/made"
	   sort "$top_srcdir/tool/README.md" | uniq -u | diff - "$tap_dir/made" | head -20)"
tap_end
