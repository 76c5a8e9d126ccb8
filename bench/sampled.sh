#!/bin/sh
# SPDX-License-Identifier: MIT
# sampled.sh - captures by a timer's handler in programs at work.
#
#	sampled.sh SOURCE_DIRECTORY BUILD_DIRECTORY
#
# SAMPLED (programs), HERTZ and CONTENDERS choose what is measured, in ROUNDS.  Writes sampled.tsv:
# program, hertz, -, contender, metric, value.  A program that is not installed is left out,
# in words.
set -eu
source=$1 bench=$2
rounds=${ROUNDS:-15} rates=${HERTZ:-1000 20000}
contenders=${CONTENDERS:-whocallme libunwind glibc}
samples=$bench/sampled.tsv work=$bench/sampled output=$bench/sampled.out
library=$(pwd)/.libs/libwhocallme.so sampler=$(pwd)/$bench/sampled.so
unset DEBUGINFOD_URLS
. "$source/rounds.sh"

# run CONTENDER PROGRAM HERTZ
run() {
	case $2 in
	sqlite3) set -- "$@" sqlite3 -init "$work/sqlite3.sql" :memory: .quit ;;
	lua*) set -- "$@" "$2" "$work/lua.lua" ;;
	python3) set -- "$@" "$python" "$work/python3.py" ;;
	gdb) set -- "$@" gdb -batch -nx -x "$work/gdb.gdb" "$bench/layered" ;;
	*) echo "sampled.sh: there is no work for $2" >&2; exit 1 ;;
	esac
	contender=$1 program=$2 hertz=$3
	shift 3
	preload=$sampler
	[ "$contender" != whocallme ] || preload="$library $sampler"
	rm -f "$output"
	# What it says is not asked; that it came to its end, the output tells.
	timeout -k 1 60 env BENCH_SAMPLER="$contender" BENCH_HERTZ="$hertz" \
		BENCH_OUTPUT="$output" LD_PRELOAD="$preload" "$@" \
		</dev/null >/dev/null 2>&1 || :
	[ -s "$output" ] || echo 'failed	1' >"$output"
	sed "s/^/$program	$hertz	-	$contender	/" "$output" >>"$samples"
}

one_round() {
	for rate in $rates; do
		for tool in $programs; do
			for who in $order; do
				run "$who" "$tool" "$rate"
			done
		done
	done
}

# A shim of pyenv is a shell: the system's own first.
python=/usr/bin/python3
[ -x "$python" ] || python=python3
programs=
for tool in ${SAMPLED:-sqlite3 lua5.4 python3 gdb}; do
	if command -v "$tool" >/dev/null; then
		programs="$programs $tool"
	else
		echo "$tool is not installed"
	fi
done
"${SHELL:-sh}" "$source/sampled_work.sh" "$work"
: >"$samples"
order=$contenders
in_rounds one_round
rm -f "$output"
