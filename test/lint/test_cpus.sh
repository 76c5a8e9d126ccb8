#!/bin/sh
# SPDX-License-Identifier: MIT
# test_cpus.sh - nothing outside core/arch/ names a CPU or a register of one, and
# test/README.md tells for each port and each folder of tests what runs there.
. "$top_srcdir/test/support/tap.sh"

exceptions=$top_srcdir/test/lint/cpu-names.txt
readme=$top_srcdir/test/README.md

# CPUs; registers of x86, then of those whose registers have numbers, and instructions.
words='[a-z_]*(x86|amd64|i[3-6]86|ia32|aarch64|arm64|armv|riscv|s390|ppc64|powerpc)[a-z0-9_]*
[er]([abcd]x|[sd]i|[sb]p|ip)|[xyz]mm[0-9]*|r(8|9|1[0-5])|x87|[cdefg]s_?base|reg_r[a-z0-9]+
[xw]([0-9]|[12][0-9]|30)|[ast][0-9]+|elr|cntvct[a-z0-9_]*|rdtime|rdtsc|cpuid
endbr[0-9]*|sysenter|int3|paciasp|auipc|jalr|bti'

# named FOLDER...: FILE:LINE:WORD for each such word, whatever its case.
named()
{
	pattern=$(echo "$words" | paste -sd '|')
	grep -rnowiE "$pattern" "$@" --include='*.[chS]' --include='*.sh' \
		--include='*.map' --include='*.awk' | grep -v '^whocallme/core/arch/'
}

# FILE:WORD of each exception.
excepted()
{
	sed -n 's/^\([^# ][^ ]*\)  *[^ ].*/\1/p' "$exceptions"
}

ports()
{
	for columns in whocallme/core/arch/*/columns.h; do
		port=${columns%/columns.h}
		port=${port##*/}
		[ "$port" = generic ] || echo "$port" | tr _ -
	done
}

# The table of README.md, less its first line.
cells()
{
	sed -n '/^| Folder/,/^$/p' "$readme" | grep '^|' | sed 1,2d
}

cd "$top_srcdir" || exit 99
tap_make_dir
named whocallme tool include | sed 's/:[0-9]*:/:/' | sort -u >"$tap_dir/named"
excepted | sort -u >"$tap_dir/excepted"
tap_check "nothing outside core/arch/ names a CPU or a register" \
	"$(comm -23 "$tap_dir/named" "$tap_dir/excepted")"
tap_check "each exception is one, and has its reason" \
	"$(comm -13 "$tap_dir/named" "$tap_dir/excepted"
	   grep -v '^#' "$exceptions" | grep -vE '^[^ ]+:[^ ]+  *[^ ]+ [^ ]+')"
mkdir "$tap_dir/tree"
printf '%s\n' 'int rbp; /* of x86-64 */' 'int spare, x290, index;' >"$tap_dir/tree/a.c"
tap_check "one that is planted is seen, and no other word" "$(
	[ "$(named "$tap_dir/tree" | sed 's/.*://' | paste -sd ' ')" = "rbp x86" ] ||
		named "$tap_dir/tree")"
tap_check "test/README.md has a column for each port" "$(
	for port in $(ports); do
		grep '^| Folder' "$readme" | grep -qw -e "$port" || echo "$port"
	done)"
tap_check "it has a row for each folder of tests" "$(
	for folder in test/*/local.mk; do
		folder=${folder%/local.mk}
		cells | grep -q "^| \`${folder#test/}/\`" || echo "$folder"
	done
	cells | sed 's/^| `\([^/]*\).*/\1/' | while read -r folder; do
		[ -e "test/$folder/local.mk" ] || echo "$folder is gone"
	done)"
tap_check "it says of each what runs there" "$(cells | grep -nE '\| *\|')"
tap_end
