#!/bin/sh
# SPDX-License-Identifier: MIT
# layers.sh - captures of programs whose stacks differ from call to call.
#
#	layers.sh SOURCE_DIRECTORY BUILD_DIRECTORY
#
# WIDTHS, PLACES and POINTERS choose programs, CONTENDERS who takes their stacks, STACKS
# of each, in ROUNDS; SEED is the programs', a new one for each run where none is given.
# The environment has CC, AWK, and DRIVER, LINK, LINK_LIBS for build_layers.sh.  First,
# ours and libunwind's frames of the same stacks are compared.  Then each contender has
# a fresh process in every round, in an order that changes from round to round.  Writes
# layers.tsv: subject, contender, metric, value.
set -eu
source=$1 bench=$2
rounds=${ROUNDS:-15} stacks=${STACKS:-60000} seed=${SEED:-$(date +%s)}
widths=${WIDTHS:-5 20 80 250} pointers=${POINTERS:-fp nofp}
places=${PLACES:-exe needed before after spread}
contenders=${CONTENDERS:-whocallme libunwind glibc}
samples=$bench/layers.tsv errors=$bench/layers.err
unset DEBUGINFOD_URLS
. "$source/rounds.sh"

# run CONTENDER PLACE POINTERS WIDTH
run() {
	directory=$bench/layers/$4-$3
	program=$bench/layered when=before case=passes
	[ "$1" != compare ] || case=compare
	case $2 in
	exe | needed) program=$directory/$2 libraries= ;;
	before) libraries=$directory/whole.so ;;
	after) libraries=$directory/whole.so when=after ;;
	spread) libraries=$(echo "$directory"/part-[1-9]*.so "$directory"/part-0.so) ;;
	*) echo "layers.sh: $2: exe, needed, before, after or spread" >&2; exit 1 ;;
	esac
	# The entrance, in part-0.so, names all functions of the first layer.
	# shellcheck disable=SC2086 # a list of files
	sample "$2	$3	$4" "$1" "$program" "$case" "$1" "$when" "$stacks" "$seed" $libraries
}

# each COMMAND...: for every program.
each() {
	for width in $widths; do
		for kind in $pointers; do
			for place in $places; do
				"$@" "$place" "$kind" "$width"
			done
		done
	done
}

one_round() {
	for who in $order; do
		run "$who" "$@"
	done
}

echo "seed $seed" >&2
for width in $widths; do
	for kind in $pointers; do
		printf '\rbuilding %s %s   ' "$width" "$kind" >&2
		"${SHELL:-sh}" "$source/build_layers.sh" "$source/generate_layers.py" \
			"$bench/layers/$width-$kind" "$width" "$kind" "$seed" "$DRIVER"
	done
done
printf '%s\n' "-	-	-	layers	seed	$seed" >"$samples"
each run compare
order=$contenders
in_rounds each one_round
rm -f "$errors"
