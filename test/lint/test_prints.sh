#!/bin/sh
# SPDX-License-Identifier: MIT
# test_prints.sh - what the command prints of others' bytes goes through escape.h: a statement
# that prints a string which is not in the code itself, to a stream, is in safe-prints.txt, with
# the reason, or in that file.
. "$top_srcdir/test/support/tap.sh"

tap_make_dir
cd "$top_srcdir/tool" || exit 99


# Lines "FILE: STATEMENT", FILE without its folder.  One prints a string that is in no
# quotation marks: by %s, or as
# a whole.  Those of command_options.c and the like print the tables of options alone.
prints()
{
	for file in *.c */*.c; do
		name=${file##*/}
		case $name in escape.c | completion_*.c | main.c | command_options.c) continue ;; esac
		sed 's|/\*.*\*/||' "$file" | tr '\n\t' '  ' | tr -s ' ' | sed 's/[;{}] /&\n/g' |
			grep -oE '\b(v?f?printf|fputs|fputs_unlocked|puts|fwrite|json_dumpf)\(.*' |
			grep -E '^(v|json|fwrite)|^f?printf\(([^",]*, )?"[^"]*%[-0-9.*]*s|^fprintf\([^,]*, [a-z]|^printf\([a-z]|^f?puts(_unlocked)?\([^"]' |
			grep -vE '^f?puts(_unlocked)?\([^"]*\? "' |
			sed "s|^|$name: |; s/ *$//"
	done
}

prints | LC_ALL=C sort -u >"$tap_dir/found"
sed '/^#/d; /^$/d' "$top_srcdir/test/lint/safe-prints.txt" | LC_ALL=C sort -u >"$tap_dir/allowed"
tap_check "the command prints what others have written by escape.h" \
	"$(LC_ALL=C comm -23 "$tap_dir/found" "$tap_dir/allowed")"
tap_check "safe-prints.txt has nothing that is not printed" \
	"$(LC_ALL=C comm -13 "$tap_dir/found" "$tap_dir/allowed")"
tap_end
