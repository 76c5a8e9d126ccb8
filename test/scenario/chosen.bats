#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# chosen.bats - filters are of functions: library calls and system calls are chosen by their own
# lists, in every kind of trace, and what a filter leaves nothing of is said.

load support
load library

setup_file()
{
	bin=$BATS_FILE_TMPDIR
	compile "$bin/chosen.o" "$programs/chosen.c" -O1 -fpatchable-function-entry=5
	$CC -o "$bin/chosen" "$bin/chosen.o"
	compile "$bin/hooked.o" "$programs/chosen.c" -O1 -finstrument-functions
	$CC -o "$bin/hooked" "$bin/hooked.o" "$(lib_of)"
}

# lib_of: the shared library that hooks are in.
lib_of()
{
	echo "$lib/libwhocallme.so"
}

both=(--system-calls=getpgid,lseek --library-calls=getpgid,lseek)

# words_of FILE: the kind and the name of each call of a log, in its order.
words_of()
{
	sed -nE "s/^(FUN|LIB|SYS) .*[ &](main|one|two|getpgid|lseek)(\(.*|, .*|)$/\1:\2/p" "$1" |
		tr '\n' ' '
}

others="LIB:getpgid SYS:getpgid LIB:lseek SYS:lseek "

@test "names, depth and time of functions leave all library and system calls" {
	local program
	for program in chosen hooked; do
		traced --no-signals "${both[@]}" "$bin/$program"
		[ "$(words_of "$bin/log")" = "FUN:main FUN:one FUN:two $others" ]
		traced --no-signals "${both[@]}" -N '*' "$bin/$program"
		[ "$(words_of "$bin/log")" = "$others" ]
		traced --no-signals "${both[@]}" -F two "$bin/$program"
		[ "$(words_of "$bin/log")" = "FUN:two $others" ]
		traced --no-signals "${both[@]}" -F one -k "$bin/$program"
		[ "$(words_of "$bin/log")" = "FUN:one FUN:two $others" ]
		traced --no-signals "${both[@]}" -D 1 "$bin/$program"
		[ "$(words_of "$bin/log")" = "FUN:main $others" ]
		traced --no-signals "${both[@]}" -M nowhere.so "$bin/$program"
		[ "$(words_of "$bin/log")" = "$others" ]
		# Those that they are in come before them, however short.
		traced --no-signals "${both[@]}" -t 100s "$bin/$program"
		[ "$(words_of "$bin/log")" = "FUN:main FUN:one FUN:two $others" ]
		# What hides its callees hides these, and threads are of all that is called.
		traced --no-signals "${both[@]}" -N two -H "$bin/$program"
		[ "$(words_of "$bin/log")" = "FUN:main FUN:one " ]
		traced --no-signals "${both[@]}" -T nobody "$bin/$program"
		[ "$(words_of "$bin/log")" = "" ]
	done
}

@test "a depth counts functions alone" {
	$CC -O1 -fpatchable-function-entry=5 -o "$bin/sorts" -x c - <<-'C'
		#include <stdlib.h>
		static int order(const void *a, const void *b)
		{
			return *(const char *)a - *(const char *)b;
		}
		int main(void)
		{
			char two[] = "ba";
			qsort(two, 2, 1, order);
			return two[0] != 'a';
		}
	C
	traced -D 2 --library-calls=qsort "$bin/sorts"
	[ "$(grep -c 'main$\|  &qsort$\|    &order$' "$bin/log")" -eq 3 ]
	traced -D 1 --library-calls=qsort "$bin/sorts"
	[ "$(grep -c 'main$\|  &qsort$' "$bin/log")" -eq 2 ]
	refute grep order "$bin/log"
}

@test "recordings, graphs, the environment and a program's own trace, too" {
	rm -rf "$bin/recording"
	observe timeout 60 "$whocallme" trace --no-signals --record="$bin/recording" "${both[@]}" \
		-N '*' "$bin/chosen"
	expect_status 0
	[ "$("$whocallme" replay "$bin/recording" | grep -c 'getpgid(\|lseek(')" -eq 4 ]
	refute grep -E 'main|one|two' <<<"$("$whocallme" replay "$bin/recording")"
	observe timeout 60 "$whocallme" trace --no-signals --graph="$bin/chosen.dot" "${both[@]}" \
		-D 1 "$bin/chosen"
	expect_status 0
	[ "$(grep -cE -- '-> "(getpgid|lseek)[@"]' "$bin/chosen.dot")" -eq 4 ]
	refute grep "two" "$bin/chosen.dot"
	observe env WHOCALLME_TRACE=log WHOCALLME_TRACE_NOT_FUNCTIONS='*' \
		WHOCALLME_TRACE_SYSTEM_CALLS=getpgid,lseek \
		WHOCALLME_TRACE_LIBRARY_CALLS=getpgid,lseek LD_PRELOAD="$lib/libwhocallme.so" \
		"$bin/chosen"
	[ "$(words_of "$err")" = "$others" ]
	observe env LD_PRELOAD="$lib/libwhocallme.so" "$bin/chosen" api
	[ "$(words_of "$err")" = "$others" ]
}

# begin_agent PROGRAM: it says "here" and waits for a line; $process is its number.
begin_agent()
{
	rm -f "$bin/line" "$bin/said"
	mkfifo "$bin/line"
	: >"$bin/said"
	WHOCALLME_AGENT=yes LD_PRELOAD="$lib/libwhocallme.so" "$1" last <"$bin/line" \
		>"$bin/said" 2>"$bin/agent.err" 3>&- &
	process=$!
	exec 9>"$bin/line"
	timeout 20 sh -c "until grep -q here '$bin/said'; do sleep 0.1; done"
}

# traced_running OPTION...: the rest of $process; lines are in the file client.
traced_running()
{
	"$whocallme" trace -p "$process" "$@" >"$bin/out" 2>"$bin/client" 3>&- 9>&- &
	local client=$!
	timeout 20 sh -c "until find /proc/$client/fd -lname '*pidfd*' | grep -q .; do
		sleep 0.1; done"
	echo >&9
	exec 9>&-
	ended "$client"
	ended "$process"
}

@test "a running process, too" {
	begin_agent "$bin/chosen"
	traced_running "${both[@]}" -N '*'
	[ "$(words_of "$bin/client")" = "$others" ]
}

@test "arguments of a running process are those of debug data, of libraries it has opened, too" {
	$CC -g -O1 -fpatchable-function-entry=5 -fPIC -shared -o "$bin/shop.so" -x c - <<-'C'
		enum color { RED, GREEN = 5 };
		int paint(enum color color, const char *what) { return color + *what; }
	C
	$CC -g -O1 -fpatchable-function-entry=5 -o "$bin/given" -x c - <<-C
		#include <dlfcn.h>
		#include <stdio.h>
		__attribute__((noipa)) static int add(int a, const char *b) { return a + *b; }
		int main(void)
		{
			void *shop = dlopen("$bin/linked/shop.so", RTLD_NOW);
			int (*paint)(int, const char *) = dlsym(shop, "paint");
			char line[8];
			puts("here");
			fflush(stdout);
			fgets(line, sizeof(line), stdin);
			return add(-1, "b") + paint(5, "a wall") != 97 + 102;
		}
	C
	ln -sfn "$bin" "$bin/linked"
	begin_agent "$bin/given"
	traced_running -A -e
	diff -u - <(sed -nE "s/^(FUN|RET) .*&(.*)\$/\1 \2/p" "$bin/client" |
		sed -E "s/,? [0-9']+ ns\$//") <<-'EOF'
		FUN add(-1, "b")
		RET add(-1, "b") → 97
		FUN paint(GREEN, "a wall")
		RET paint(GREEN, "a wall") → 102
	EOF
	# By name, and in a recording.
	begin_agent "$bin/given"
	rm -rf "$bin/recording"
	traced_running --record="$bin/recording" -A'*paint'
	"$whocallme" replay "$bin/recording" | grep -F 'paint(GREEN, "a wall") = 102'
	"$whocallme" replay "$bin/recording" | grep -F 'add()'
}

@test "lists of library calls, system calls and probes leave out what follows a mark" {
	traced --no-signals -N '*' --system-calls='*,!get*,!*r*' \
		--library-calls='!getpgid,__*' "$bin/chosen"
	[ "$(words_of "$bin/log")" = "LIB:lseek SYS:lseek " ]
	refute grep -E '&__|SYS.* [a-z]*r[a-z]*\(' "$bin/log"
	err_lacks 'matches'
}

@test "what a filter leaves nothing of is said, and where all is there, nothing" {
	traced -N nobody -k "$bin/chosen"
	expect_err "<whocallme>: no function that was called matches --not-functions=nobody"
	traced --no-signals "${both[@]}" -N '*' "$bin/chosen"
	expect_err "<whocallme>: functions were called, and the filter leaves none: \
--not-functions=*"
	traced --no-signals -t 100s -F two "$bin/chosen"
	expect_err "<whocallme>: functions were called, and the filter leaves none: \
--functions=two --time-filter=100000000000"
	traced --no-signals --system-calls=lseek -N one -F one "$bin/chosen"
	err_has "leaves none: --functions=one --not-functions=one$"
	traced --no-signals --system-calls=lseek,reboot,exit_group -F two "$bin/chosen"
	expect_err "<whocallme>: no traced system call of this program matches --system-calls=reboot"
	# A program that is run instead, and those that are run besides, do not say it again.
	traced --no-signals --system-calls=reboot sh -c "$bin/chosen; $bin/chosen"
	[ "$(grep -c 'no traced system call' "$err")" -eq 1 ]
	traced --no-signals --library-calls=getpgid,lseek "$bin/chosen"
	[ ! -s "$err" ]
	$CC -O1 -o "$bin/never" -x c - <<<'#include <stdlib.h>
int main(int argc, char *argv[]) { return argc > 9 ? atoi(argv[9]) : 0; }'
	traced --no-signals --library-calls=atoi,strto* "$bin/never"
	expect_err '<whocallme>: no library call matches --library-calls=atoi' \
		'<whocallme>: no traced library call of this program matches --library-calls=strto*'
}
