#!/bin/sh
# SPDX-License-Identifier: MIT
# run.sh - measure this library and every peer in one run.
#
#	run.sh BUILD_DIRECTORY [trace|inject]
#
# With "trace", what tracing costs is measured, and nothing else; with "inject", what the plugin
# for gcc does.
#
# A round gives each contender a fresh process, one after the other, so that
# whatever else the machine does hits all of them alike.  Writes the samples to
# samples.tsv: subject, contender, metric, value.
set -eu
. "$(dirname "$0")/rounds.sh"
cd "$1"
part=${2:-all}
rounds=${ROUNDS:-15}
samples=samples.tsv errors=errors.txt
unset DEBUGINFOD_URLS

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

# Lines take long to find, so not in every round.
lines() {
	sample lines crash ./lines crash "$command"
	sample lines whocallme ./lines rate questions.txt "$command" \
		resolve --serve
	sample lines addr2line ./lines rate addresses.txt \
		addr2line -fi -e lines_large
	# A minute and more.
	[ "$i" -gt 1 ] || sample lines eu-addr2line ./lines rate addresses.txt \
		eu-addr2line -fi -e lines_large
	sample lines llvm-symbolizer ./lines rate addresses.txt \
		llvm-symbolizer --inlines --obj=lines_large
}

# traced CONTENDER MILLIONS COMMAND...: what it adds to a program without hooks, or to $untraced.
untraced=./calls_bare
traced() {
	contender=$1 millions=$2
	shift 2
	mkdir -p traced.tmp
	sample trace "$contender" ./traced "$millions" traced.tmp - \
		"$untraced" -- env BENCH_OUTPUT=traced.tmp/out \
		WHOCALLME_OUTPUT=traced.tmp/out "$@"
}

# What calls are given, of the program's own functions and of a library's.
values() {
	traced given-record 1 "$command" trace -A --record=traced.tmp/data ./calls_given
	traced given-log 1 "$command" trace -A --log=traced.tmp/log ./calls_given
	traced library-log 1 "$command" trace -A --library-calls --log=traced.tmp/log \
		./calls_library
	traced library-log-exits 1 "$command" trace -A -e --library-calls \
		--log=traced.tmp/log ./calls_library
	traced library-ltrace 0.01 ltrace -o traced.tmp/log ./calls_library
	if command -v uftrace >uftrace.txt; then
		traced given-uftrace 1 uftrace record -a -d traced.tmp/data ./calls_given_pg
	fi
}

# system_calls SUFFIX: of one thread, or of as many.
system_calls() {
	untraced=./calls_system$1
	traced "system-log$1" 0.4 "$command" trace --system-calls --log=traced.tmp/log \
		"./calls_system$1"
	traced "system-strace$1" 0.04 strace -f -o traced.tmp/log "./calls_system$1"
	untraced=./calls_bare
}

# What the plugin puts into functions, and what the article about one puts there.
injected() {
	traced article 0.2 ./calls_article
	traced serial 0.2 WHOCALLME_INJECT=traced.tmp/out ./calls_serial
	traced hooks-gcc 50 LD_PRELOAD=./hooks_empty.so ./calls_hooked
	traced hooks-plugin 50 LD_PRELOAD=./hooks_empty.so ./calls_plugged
}

traces() {
	traced empty 50 LD_PRELOAD=./hooks_empty.so ./calls_hooked
	traced ring 20 LD_PRELOAD=./hooks_ring.so ./calls_hooked
	traced entry 50 LD_PRELOAD=./hooks_entry.so ./calls_hooked
	traced flight 50 LD_PRELOAD="$library" WHOCALLME_FLIGHT=yes ./calls_hooked
	traced flight-sleds 20 LD_PRELOAD="$library" WHOCALLME_FLIGHT=yes ./calls_patched
	traced fprintf 2 LD_PRELOAD=./hooks_fprintf.so ./calls_hooked
	traced writev 0.2 LD_PRELOAD=./hooks_writev.so ./calls_hooked
	if command -v uftrace >uftrace.txt; then
		traced uftrace 5 uftrace record -d traced.tmp/data ./calls_hooked
		traced uftrace-pg 5 uftrace record -d traced.tmp/data ./calls_pg
		traced uftrace-sleds 5 uftrace record -P . -d traced.tmp/data ./calls_patched
	fi
	traced off 50 LD_PRELOAD="$library" ./calls_hooked
	traced record 10 LD_PRELOAD="$library" WHOCALLME_TRACE=record ./calls_hooked
	traced graph 20 LD_PRELOAD="$library" WHOCALLME_TRACE=graph ./calls_hooked
	traced counts 20 LD_PRELOAD="$library" WHOCALLME_TRACE=graph \
		WHOCALLME_TRACE_TIMES=no ./calls_hooked
	traced log 2 LD_PRELOAD="$library" WHOCALLME_TRACE=log ./calls_hooked
	traced off-sleds 50 LD_PRELOAD="$library" ./calls_patched
	traced record-sleds 5 LD_PRELOAD="$library" WHOCALLME_TRACE=record ./calls_patched
	traced graph-sleds 5 LD_PRELOAD="$library" WHOCALLME_TRACE=graph ./calls_patched
	traced counts-sleds 10 LD_PRELOAD="$library" WHOCALLME_TRACE=graph \
		WHOCALLME_TRACE_TIMES=no ./calls_patched
	traced log-sleds 2 LD_PRELOAD="$library" WHOCALLME_TRACE=log ./calls_patched
	values
	system_calls ''
	system_calls _8
	# A nanosecond matters here: nothing else may differ.
	sample off off ./traced 50 traced.tmp ./hooks_empty.so ./calls_hooked -- \
		env LD_PRELOAD="$library" ./calls_hooked
}

# list_addresses COUNT: of functions that are listed on stdin, at random places.
list_addresses() {
	"${AWK:-awk}" -v count="$1" '
		function hex(digits,    i, value) {
			for (i = 1; i <= length(digits); i++)
				value = value * 16 + index("0123456789abcdef", \
					substr(digits, i, 1)) - 1
			return value
		}
		{ start[NR] = $1; size[NR] = $2 }
		END {
			srand(1)
			for (i = 0; i < count; i++) {
				at = int(rand() * NR) + 1
				printf "0x%x\n", hex(start[at]) + \
					int(rand() * hex(size[at]))
			}
		}'
}

# Everything else.
others() {
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
	[ "$i" -gt "$line_rounds" ] || lines
}

prepare() {
	: >node.txt
	echo 'int x;' | ${CC:-cc} -shared -fPIC -o empty.so -x c - || :
	list_functions ./running >generated.txt
	list_functions ./running_rdynamic >rdynamic.txt
	list_functions ./lines_large | list_addresses 10000 >addresses.txt
	sed "s|^|$(pwd)/lines_large+|" addresses.txt >questions.txt
	if [ -n "$node" ]; then
		list_functions "$node" >node.txt 2>/dev/null || : >node.txt
	fi
	[ -s node.txt ] || printf 'node\t-\tmissing\t1\n' >>"$samples"
}

round() {
	[ "$part" = trace ] || injected
	[ "$part" = inject ] || traces
	[ "$part" != all ] || others
}

preload=$(pwd)/../.libs/libwhocallme-preload.so
library=$(pwd)/../.libs/libwhocallme.so
command=$(pwd)/../tool/whocallme
LD_LIBRARY_PATH=$(pwd)/../.libs${LD_LIBRARY_PATH+:$LD_LIBRARY_PATH}
export LD_LIBRARY_PATH
line_rounds=2
node=$(command -v node) || node=
: >"$samples"
[ "$part" != all ] || prepare

order=
in_rounds round
rm -rf errors.txt empty.so traced.tmp uftrace.txt
