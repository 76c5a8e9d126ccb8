#!/bin/sh
# SPDX-License-Identifier: MIT
# build_lines.sh - compile the functions of the programs that lines are found in.
#
#	build_lines.sh GENERATOR DIRECTORY COPIES ARCHIVE
#
# The units are compiled once; further copies are the same under other names, which
# is quicker by far, and as much work for whoever looks an address up.
set -eu
generator=$1 directory=$2 copies=$3 archive=$4
units=10 functions=25000

mkdir -p "$directory"
unit=0
while [ "$unit" -lt "$units" ]; do
	if [ ! -e "$directory/unit-$unit.o" ]; then
		"${AWK:-awk}" -v unit="$unit" -v units="$units" \
			-v functions="$functions" -f "$generator" \
			>"$directory/unit-$unit.c"
		echo "$directory/unit-$unit.c"
	fi
	unit=$((unit + 1))
done | xargs -r -n 1 -P "$(getconf _NPROCESSORS_ONLN)" sh -c '
	${CC:-cc} -O1 -g -w -fPIE -c -o "${0%.c}.o" "$0"'

rm -f "$archive"
"${AR:-ar}" cr "$archive" "$directory"/unit-*.o
copy=1
while [ "$copy" -lt "$copies" ]; do
	for unit in "$directory"/unit-*.o; do
		${OBJCOPY:-objcopy} --prefix-symbols="copy_${copy}_" "$unit" \
			"$directory/copy-$copy-${unit##*/}"
	done
	"${AR:-ar}" q "$archive" "$directory/copy-$copy"-*.o
	rm -f "$directory/copy-$copy"-*.o
	copy=$((copy + 1))
done
