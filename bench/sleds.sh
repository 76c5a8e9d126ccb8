#!/bin/bash
# SPDX-License-Identifier: MIT
# sleds.sh - what sleds cost a program that is not traced, and what switching them takes.
#
#	sleds.sh SOURCE_DIRECTORY BUILD_DIRECTORY
#
# Lua and SQLite, from Debian's sources, with sleds and without, each ROUNDS times in turn: the
# least user time of either, and their ratio.  A program of 10,000 functions: its code in bytes,
# and the time of the first wcm_trace_start() and of later ones, with a graph of counts.  The
# time from the start of a program to its first line of log, beside the same program without
# the library, which writes the line itself.
set -euo pipefail
top_srcdir=$1 top_builddir=$(cd "$2" && pwd)
CC=${CC:-cc}
rounds=${ROUNDS:-15}
work=$(mktemp -d "${TMPDIR:-/tmp}/whocallme-sleds.XXXXXX")
trap 'rm -rf "$work"' EXIT
# shellcheck source=../test/real/programs.bash
. "$top_srcdir/test/real/programs.bash"
sled=-fpatchable-function-entry=5

for package in lua5.4 sqlite3; do
	[ -n "$(tarball $package)" ] || fetch $package
	[ -n "$(tarball $package)" ] || { echo "apt-get has no source of $package"; exit 77; }
	unpack $package "$work/$package"
done
rm "$work/lua5.4/src/luac.c"
(cd "$work/sqlite3" && ./configure --quiet && make -s sqlite3.c shell.c) >/dev/null 2>&1
cat >"$work/work.lua" <<-'LUA'
	local function fib(n) return n < 2 and n or fib(n - 1) + fib(n - 2) end
	local words = {}
	for i = 1, 200000 do words[i] = string.format("%x", i * 7919 % 65521) end
	table.sort(words)
	print(fib(29), #table.concat(words):gsub("a", "bb"))
LUA
cat >"$work/work.sql" <<-'SQL'
	create table t(a integer primary key, b text);
	with recursive n(i) as (select 1 union all select i + 1 from n where i < 200000)
		insert into t select i, 'row' || (i * 7919 % 1000) from n;
	create index tb on t(b);
	select count(*), sum(length(b)) from t where b like '%7%' group by substr(b, 1, 5) limit 1;
SQL
for form in plain sleds; do
	[ $form = plain ] && flag= || flag=$sled
	$CC -O2 -w $flag -o "$work/lua.$form" "$work"/lua5.4/src/*.c -lm 2>"$work/warnings"
	$CC -O2 -w $flag -DSQLITE_THREADSAFE=0 -DSQLITE_OMIT_LOAD_EXTENSION \
		-o "$work/sqlite.$form" "$work"/sqlite3/{sqlite3,shell}.c -lm
done

# user COMMAND...: the user time that it takes, in seconds.
user()
{
	local TIMEFORMAT=%U
	{ time "$@" >/dev/null; } 2>&1
}

# beside NAME ARGUMENT...
beside()
{
	local name=$1 i
	shift
	for ((i = 0; i < rounds; i++)); do
		for form in plain sleds; do
			echo "$form $(user "$work/$name.$form" "$@")"
		done
	done | awk -v name="$name" '
		!($1 in least) || $2 < least[$1] { least[$1] = $2 }
		END { printf "%s untraced: %.3f s without sleds, %.3f s with: %.3f\n", name,
			least["plain"], least["sleds"], least["sleds"] / least["plain"] }'
}

beside lua "$work/work.lua"
beside sqlite -init "$work/work.sql" :memory: .quit

{
	echo '#include <stdio.h>
	#include <time.h>
	#include <whocallme.h>
	volatile int sum;'
	for ((i = 0; i < 10000; i++)); do
		echo "__attribute__((noinline)) void f$i(void) { sum += $i; }"
	done
	echo 'static double now(void)
	{
		struct timespec at;
		clock_gettime(CLOCK_MONOTONIC, &at);
		return at.tv_sec * 1e3 + at.tv_nsec / 1e6;
	}
	int main(void)
	{
		const struct wcm_trace_options graph = { .mode = WCM_TRACE_GRAPH,
			.flags = WCM_TRACE_NO_TIMES, .output = "graph.dot" };
		double first = 0, least = 1e9;
		for (int i = 0; i < 20; i++) {
			const double begin = now();
			wcm_trace_start(&graph);
			const double took = now() - begin;
			if (i == 0)
				first = took;
			else if (took < least)
				least = took;
			f7();
			wcm_trace_stop();
		}
		printf("10,000 sleds on: %.2f ms the first time, %.2f later\n", first, least);
	}'
} >"$work/many.c"
for flag in -O2 $sled -finstrument-functions; do
	$CC -O2 $flag -w -I"$top_srcdir/include" -o "$work/many$flag" "$work/many.c" \
		-L"$top_builddir/.libs" -Wl,-rpath,"$top_builddir/.libs" -lwhocallme
	echo "code of 10,000 functions, $flag: $(size -A "$work/many$flag" |
		awk '$1 == ".text" { print $2 }') bytes"
done
(cd "$work" && "./many$sled")

cat >"$work/first.c" <<-'C'
	#include <unistd.h>
	#ifdef LINKED
	#include <whocallme.h>
	#endif
	__attribute__((noinline)) static void first(void)
	{
	#ifdef ALONE
		write(2, "FUN\n", 4);
	#endif
		__asm__ volatile("");
	}
	int main(int argc, char *argv[])
	{
	#ifdef LINKED
		wcm_flags(&argc, argv);
	#endif
		first();
		return 0;
	}
C
printf '#define _GNU_SOURCE\n#include "%s/bench/first_line.c"\n' "$top_srcdir" |
	$CC -O2 -I"$top_srcdir/bench" -x c -o "$work/first_line" -
first()
{
	local name=$1
	shift
	$CC -O2 -w $sled -I"$top_srcdir/include" -o "$work/first.$name" "$work/first.c" "$@"
}
static=$(sed -n 's/^Libs.private: //p' "$top_builddir/whocallme.pc")
linked=(-L"$top_builddir/.libs" -Wl,-rpath,"$top_builddir/.libs" -Wl,--no-as-needed -lwhocallme)
first alone -DALONE
first alone-static -DALONE -static
first unused -DALONE "${linked[@]}"
first linked -DLINKED "${linked[@]}"
# shellcheck disable=SC2086
first linked-static -DLINKED -static "$top_builddir/.libs/libwhocallme.a" $static 2>"$work/warnings"
first preloaded

first_line()
{
	local name=$1 file=$2
	shift 2
	"$work/first_line" 20 "$work/first.$file" "$@" | sed "s/^/$name /"
}
for ((i = 0; i < rounds; i++)); do
	first_line alone alone
	first_line linked,-not-traced unused
	first_line linked linked --ftrace
	WHOCALLME_TRACE=log LD_PRELOAD=$top_builddir/.libs/libwhocallme.so \
		first_line preloaded preloaded
	first_line static,-alone alone-static
	first_line static linked-static --ftrace
done | sort -k1,1 -k2,2n | awk '
	{ time[$1, ++count[$1]] = $2 }
	function median(name) { return time[name, int((count[name] + 1) / 2)] }
	function show(name, alone)
	{
		printf "first line, %s: %.0f us, %.0f at least; over the program alone %.0f, %.0f\n",
			name, median(name), time[name, 1], median(name) - median(alone),
			time[name, 1] - time[alone, 1]
	}
	END {
		show("alone", "alone")
		show("linked,-not-traced", "alone")
		show("linked", "alone")
		show("preloaded", "alone")
		show("static,-alone", "static,-alone")
		show("static", "static,-alone")
	}'
