#!/bin/bash
# SPDX-License-Identifier: MIT
# sleds.sh - what sleds cost a program that is not traced, and what switching them takes.
#
#	sleds.sh SOURCE_DIRECTORY BUILD_DIRECTORY
#
# Lua and SQLite, from Debian's sources, with sleds and without, each ROUNDS times in turn: the
# least user time of either, and their ratio.  A program of 10,000 functions: its code in bytes,
# and the time of the first wcm_trace_start() and of later ones, with a graph of counts.
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
