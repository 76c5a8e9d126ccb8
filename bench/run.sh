#!/bin/sh
# SPDX-License-Identifier: MIT
# run.sh - measure this library and every peer in one run.
#
#	run.sh BUILD_DIRECTORY
#
# A round gives each contender a fresh process, one after the other, so that
# whatever else the machine does hits all of them alike.  Writes the samples to
# samples.tsv: subject, contender, metric, value.
set -eu
cd "$1"
rounds=${ROUNDS:-15}
samples=samples.tsv
unset DEBUGINFOD_URLS

# sample SUBJECT CONTENDER PROGRAM [ARGUMENT...]
sample() {
	subject=$1 contender=$2 program=$3
	shift 3
	status=0
	if [ -x "$program" ]; then
		output=$("$program" "$@" 2>errors.txt) || status=$?
	else
		status=77
	fi
	case $status in
	0) ;;
	77) output='missing	1' ;;
	*)
		output='failed	1'
		echo "$program $*: $(cat errors.txt)" >&2
		;;
	esac
	printf '%s\n' "$output" | sed "s/^/$subject	$contender	/" >>"$samples"
}

# list_functions FILE: a line "ADDRESS SIZE NAME" for each that has a size.
list_functions() {
	${NM:-nm} -S --defined-only "$1" |
		"${AWK:-awk}" 'NF == 4 && $3 ~ /^[tTwW]$/ && $2 !~ /^0+$/ {
			sub(/@.*/, "", $4)
			print $1, $2, $4
		}'
}

# names SUBJECT FILE LIST
names() {
	for contender in whocallme bfd bfd_sort libbacktrace libdwfl; do
		sample "$1" "$contender" "./names_$contender" "$2" "$3"
	done
	sample "$1" table ./table "$2"
}

# captures SUBJECT SUFFIX
captures() {
	for contender in bare whocallme whocallme-unloaded backtrace \
		_Unwind_Backtrace; do
		[ "$contender$2" = bare_nofp ] ||
			sample "$1" "$contender" "./capture_plain$2" "$contender"
	done
	for contender in unw_backtrace unw_step; do
		sample "$1" "$contender" "./capture_libunwind$2" "$contender"
	done
}

round() {
	names generated ./running generated.txt
	if [ -s node.txt ]; then
		names node "$node" node.txt
	fi
	for contender in peek find libbacktrace; do
		sample running "$contender" ./running "$contender" generated.txt
	done
	sample running dladdr ./running_rdynamic dladdr rdynamic.txt
	captures capture ''
	captures capture_nofp _nofp
	for contender in whocallme backtrace; do
		sample threads "$contender" ./capture_plain_nofp "$contender" 8
	done
	sample threads unw_backtrace ./capture_libunwind_nofp unw_backtrace 8
	sample crash whocallme ./crash report
	sample start whocallme ./crash start "$preload"
	sample start empty ./crash start "$(pwd)/empty.so"
}

preload=$(pwd)/../.libs/libwhocallme-preload.so
node=$(command -v node) || node=
: >"$samples" >node.txt
echo 'int x;' | ${CC:-cc} -shared -fPIC -o empty.so -x c - || :
list_functions ./running >generated.txt
list_functions ./running_rdynamic >rdynamic.txt
if [ -n "$node" ]; then
	list_functions "$node" >node.txt 2>/dev/null || : >node.txt
fi
[ -s node.txt ] || printf 'node\t-\tmissing\t1\n' >>"$samples"

i=0
while [ "$i" -lt "$rounds" ]; do
	i=$((i + 1))
	printf '\rround %d of %d ' "$i" "$rounds" >&2
	round
done
printf '\r' >&2
rm -f errors.txt empty.so
