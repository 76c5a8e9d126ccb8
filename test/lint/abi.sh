#!/bin/sh
# SPDX-License-Identifier: MIT
# abi.sh - the binary interface, a line each: what the shared library exports, the
# prototypes, the sizes and members of public structures, and the values of constants.
#
#	CC=... abi.sh HEADERS LIBRARY
#
# HEADERS is the folder that has whocallme.h.  test_abi.sh compares it with abi.txt.
set -eu
headers=$1 library=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# On one line: without comments, and with all that is included.
cat "$headers"/whocallme/*.h >"$work/all.h"
${CC:-cc} -fpreprocessed -dD -E -P -x c "$work/all.h" 2>"$work/redefined" | grep -v '^#' |
	tr '\n\t' '  ' | sed 's/  */ /g' >"$work/text"
${CC:-cc} -E -P -I"$headers" -x c "$headers/whocallme.h" | tr '\n\t' '  ' |
	sed 's/  */ /g' >"$work/whole"

nm -D --defined-only "$library" | awk '$2 != "A" { sub(/@.*/, "", $3); print "symbol " $3 }'
grep -oE 'WCM_API [^;{]*;' "$work/text" | sed 's/^/prototype /'

# "struct NAME MEMBER..." of each structure with a body; members are the last words
# before ";" or "[".
grep -oE 'struct wcm_[a-z_]+ \{[^}]*\}' "$work/whole" |
	sed -E 's/\{/;/; s/\}//; s/\[[^]]*\]//g' |
	awk -F ';' '{
		sub(/ *$/, "", $1)
		line = $1
		for (i = 2; i <= NF; i++) {
			n = split($i, part, ",")
			for (j = 1; j <= n; j++)
				if (match(part[j], /[a-z_0-9]+ *$/)) {
					name = substr(part[j], RSTART)
					gsub(/ /, "", name)
					line = line " " name
				}
		}
		print line
	}' >"$work/structs"
{
	grep -oE 'enum wcm_[a-z_]+ \{[^}]*\}' "$work/whole" | grep -oE '\bWCM_[A-Z_0-9]+'
	sed -nE 's/^#define (WCM_[A-Z_]+) +0x[0-9a-f]+u.*/\1/p' "$work/all.h"
} >"$work/constants"

{
	printf '#include <stddef.h>\n#include <stdio.h>\n#include <whocallme.h>\n'
	printf 'int main(void)\n{\n'
	while read -r _ name members; do
		printf '\tprintf("struct %s %%zu\\n", sizeof(struct %s));\n' "$name" "$name"
		for member in $members; do
			printf '\tprintf("member %s.%s %%zu %%zu\\n", ' "$name" "$member"
			printf 'offsetof(struct %s, %s), ' "$name" "$member"
			printf 'sizeof(((struct %s *)0)->%s));\n' "$name" "$member"
		done
	done <"$work/structs"
	while read -r name; do
		printf '\tprintf("constant %s %%lld\\n", (long long)%s);\n' "$name" "$name"
	done <"$work/constants"
	printf '\treturn 0;\n}\n'
} >"$work/sizes.c"
${CC:-cc} -I"$headers" -o "$work/sizes" "$work/sizes.c"
"$work/sizes"
