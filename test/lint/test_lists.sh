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
tap_check "doc/man/pages.mk has every page, and every name that leads to one: make lists" \
	"$("$lists" pages doc/man | diff "$top_srcdir/doc/man/pages.mk" - | head -20)"
for document in doc/man/whocallme-environment.7; do
	tap_check "$document says of settings what format/settings.list has: make lists" \
		"$("$lists" settings $document | diff "$top_srcdir/$document" - | head -20)"
done
tap_make_dir
# As names, or by the part that cmd_trace.c puts in front of them.
(cd "$top_srcdir" && find whocallme tool plugin include examples -type f \
	-name '*.[chS]' -o -name '*.cc' -o -name '*.py' -o -name '*.sh') >"$tap_dir/sources"
sed -n 's/^SETTING([A-Z]*, \([A-Z_]*\),.*/WHOCALLME_\1/p' \
	"$top_srcdir/whocallme/format/settings.list" | sort >"$tap_dir/settings"
(cd "$top_srcdir" && xargs grep -hoE 'WHOCALLME_[A-Z0-9_]*[A-Z0-9]\b|PREFIX "[A-Z_]*[A-Z]"' |
	sed 's/^PREFIX "\(.*\)"/WHOCALLME_TRACE_\1/' | grep -v '_H$' | sort -u) \
	<"$tap_dir/sources" >"$tap_dir/named"
# shellcheck disable=SC2046 # names without blanks
tap_check "every variable that a document names is in format/settings.list" \
	"$(cd "$top_srcdir" && grep -ohE 'WHOCALLME_[A-Z0-9_]*[A-Z0-9]\b' $(ls README*.md \
		SECURITY.md NEWS whocallme/README.md doc/*.md doc/guide/*.md doc/man/*.[1-7]) | grep -v '_H$' |
	   sort -u | comm -23 - "$tap_dir/settings")"
tap_check "every variable that sources name is in format/settings.list" \
	"$(comm -23 "$tap_dir/named" "$tap_dir/settings")"
# Words of the report and of a trace are read in a loop.
(cd "$top_srcdir" && xargs grep -hoE 'WCM_SET_[A-Z_]+' | sed 's/WCM_SET/WHOCALLME/'
 sed -nE 's/^SETTING\((CRASH|TRACE), ([A-Z_]*), WORDS?,.*/WHOCALLME_\2/p' \
	whocallme/format/settings.list) <"$tap_dir/sources" |
	sort -u - "$tap_dir/named" >"$tap_dir/read"
tap_check "every variable of format/settings.list is read" \
	"$(comm -23 "$tap_dir/settings" "$tap_dir/read")"
mkdir -p "$tap_dir/test/lint"
cp "$lists" "$tap_dir/test/lint"
cp -R "$top_srcdir/tool" "$tap_dir"
chmod -R u+w "$tap_dir"
grep -v '^|' "$top_srcdir/tool/README.md" >"$tap_dir/tool/README.md"
tap_check "a heading without a table gets one" \
	"$("$tap_dir/test/lint/lists.sh" map tool | sort | uniq -u >"$tap_dir/made"
	   sort "$top_srcdir/tool/README.md" | uniq -u | diff - "$tap_dir/made" | head -20)"
tap_end
