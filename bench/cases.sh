#!/bin/sh
# SPDX-License-Identifier: MIT
# cases.sh - captures of layered programs under other conditions, and names of their frames.
#
#	cases.sh SOURCE_DIRECTORY BUILD_DIRECTORY
#
# CASES chooses among threads, cold, miss, module and names; ROUNDS, SEED and the rest of
# the environment are as for layers.sh.  WIDTH is that of the program, without frame
# pointers.  Writes cases.tsv: case, place, width, contender, metric, value.
set -eu
source=$1 bench=$2
rounds=${ROUNDS:-15} seed=${SEED:-$(date +%s)} width=${WIDTH:-250}
cases=${CASES:-threads cold miss module names}
samples=$bench/cases.tsv errors=$bench/cases.err
program=$bench/layers/$width-nofp modules=$bench/layers/modules
threads=8 thread_width=20 module_count=41
unset DEBUGINFOD_URLS
. "$source/rounds.sh"

# take CASE PLACE WIDTH CONTENDER STACKS [LIBRARY...]
take() {
	case=$1 place=$2 functions=$3 contender=$4 stacks=$5 when=before
	shift 5
	driver=$bench/layered
	case $place in
	exe | needed) driver=$program/$place ;;
	after) when=after ;;
	esac
	sample "$case	$place	$functions" "$contender" \
		timeout -k 1 60 "$driver" "$case" "$contender" "$when" "$stacks" "$seed" "$@"
}

# at CASE PLACE CONTENDER STACKS: of the one program.
at() {
	case $2 in
	exe | needed) take "$1" "$2" "$width" "$3" "$4" ;;
	before | after) take "$1" "$2" "$width" "$3" "$4" "$program/whole.so" ;;
	spread) take "$1" "$2" "$width" "$3" "$4" "$program"/part-[1-9]*.so \
		"$program/part-0.so" ;;
	esac
}

# Contenders of captures take turns: the first one of this round comes last in the next.
measure_threads() {
	for who in $order; do
		at threads exe "$who" 10000
		take threads before "$thread_width" "$who" 10000 "$bench"/layers/thread-*/whole.so
	done
}

measure_cold() {
	for place in exe before; do
		for who in $order; do
			at cold "$place" "$who" 60000
		done
	done
}

measure_miss() {
	for place in exe needed before after spread; do
		for who in $order libgcc; do
			at miss "$place" "$who" 60000
		done
	done
}

measure_module() {
	for place in before after; do
		for who in $order libgcc; do
			take module "$place" 1 "$who" 1 "$modules"/*.so
		done
	done
}

measure_names() {
	for place in exe needed before after spread; do
		for who in wcm_symbol_find find_function_by_addr full_backtrace dladdr libbacktrace; do
			at names "$place" "$who" 1000
		done
	done
	for who in wcm_symbol_find find_function_by_addr dladdr libbacktrace; do
		at names exe "$who-libc" 1000
	done
}

one_round() {
	for case in $cases; do
		"measure_$case"
	done
}

# build DIRECTORY WIDTH SEED [DRIVER]
build() {
	printf '\rbuilding %s    ' "$1" >&2
	"${SHELL:-sh}" "$source/build_layers.sh" "$source/generate_layers.py" \
		"$bench/layers/$1" "$2" nofp "$3" "${4-}"
}

# Each has one function, which calls back.
build_modules() {
	mkdir -p "$modules"
	echo 'unsigned long layers_enter(unsigned long s, void (*leaf)(void))
		{ leaf(); return s + 1; }' |
		${CC:-cc} -shared -fPIC -O2 -w -x c -o "$modules/1.so" -
	i=1
	while [ "$i" -lt "$module_count" ]; do
		i=$((i + 1))
		cp "$modules/1.so" "$modules/$i.so"
	done
}

echo "seed $seed" >&2
for case in $cases; do
	case $case in
	threads)
		i=0
		while [ "$i" -lt "$threads" ]; do
			i=$((i + 1))
			build "thread-$i" "$thread_width" "$seed$i"
		done
		;;
	module) build_modules ;;
	cold | miss | names) ;;
	*) echo "cases.sh: there is no case $case" >&2; exit 1 ;;
	esac
done
build "$width-nofp" "$width" "$seed" "$DRIVER"
printf '%s\n' "-	-	-	layers	seed	$seed" >"$samples"
order=${CONTENDERS:-whocallme libunwind glibc}
in_rounds one_round
rm -f "$errors"
