#!/bin/sh
# SPDX-License-Identifier: MIT
# build_units.sh - generate and compile the functions of the measured program.
#
#	build_units.sh GENERATOR DIRECTORY ARCHIVE
#
# ARCHIVE is linked whole.  No debug information: the names alone are measured.
set -eu
generator=$1 directory=$2 archive=$3
functions=${FUNCTIONS:-100000} units=40

mkdir -p "$directory"
unit=0
while [ "$unit" -lt "$units" ]; do
	"${AWK:-awk}" -v unit="$unit" -v units="$units" \
		-v functions="$functions" -f "$generator" \
		>"$directory/unit-$unit.c"
	echo "$directory/unit-$unit.c"
	unit=$((unit + 1))
done | xargs -n 1 -P "$(getconf _NPROCESSORS_ONLN)" sh -c '
	${CC:-cc} -O0 -w -fPIE -fno-omit-frame-pointer -falign-functions=16 \
		-c -o "${0%.c}.o" "$0"'
rm -f "$archive"
"${AR:-ar}" cr "$archive" "$directory"/unit-*.o
