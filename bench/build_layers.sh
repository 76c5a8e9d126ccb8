#!/bin/sh
# SPDX-License-Identifier: MIT
# build_layers.sh - generate, compile and link one layered program.
#
#	build_layers.sh GENERATOR DIRECTORY WIDTH fp|nofp SEED [DRIVER]
#
# The same code comes as DIRECTORY/whole.so, as part-0.so to part-19.so, and, with the
# object DRIVER, linked by $LINK with $LINK_LIBS, as two programs: exe holds the code,
# needed needs whole.so.  What is there by the same seed is left as it is.
set -eu
generator=$1 directory=$2 width=$3 pointers=$4 seed=$5 driver=${6-}
case $pointers in
fp) option=-fno-omit-frame-pointer ;;
nofp) option=-fomit-frame-pointer ;;
*) echo "build_layers.sh: $pointers: fp or nofp" >&2; exit 1 ;;
esac

if [ "$(cat "$directory/seed" 2>/dev/null)" != "$seed" ]; then
	mkdir -p "$directory"
	rm -f "$directory"/*
	python3 "$generator" "$directory" "$width" "$seed"
	# shellcheck disable=SC2016 # the inner shell expands
	for unit in "$directory"/unit-*.c; do
		echo "$unit"
	done | OPTION=$option xargs -n 1 -P "$(getconf _NPROCESSORS_ONLN)" sh -c '
		${CC:-cc} -O2 -w -fPIC $OPTION -c -o "${0%.c}.o" "$0"'
	${CC:-cc} -shared -Wl,-Bsymbolic -o "$directory/whole.so" "$directory"/unit-*.o
	# They call each other: lazily bound, they can be opened one by one.
	for unit in "$directory"/unit-*.o; do
		part=${unit##*/unit-}
		${CC:-cc} -shared -Wl,-z,lazy -o "$directory/part-${part%.o}.so" "$unit"
	done
	echo "$seed" >"$directory/seed"
fi
if [ -n "$driver" ]; then
	# shellcheck disable=SC2086 # lists of words
	$LINK -o "$directory/exe" $driver "$directory"/unit-*.o $LINK_LIBS
	whole=$(cd "$directory" && pwd)/whole.so
	# In one word, which libtool leaves in one place.
	# shellcheck disable=SC2086
	$LINK -o "$directory/needed" $driver \
		-Wl,--push-state,--no-as-needed,"$whole",--pop-state $LINK_LIBS
fi
