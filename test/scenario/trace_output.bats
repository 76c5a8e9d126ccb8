#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# trace_output.bats - the file of a trace: begun anew, once for all processes, and nobody
# else's; and what cannot be written to is said before the program runs.

load support

setup_file()
{
	bin=$BATS_FILE_TMPDIR
	$CC -g -O0 -finstrument-functions -o "$bin/relatives" "$programs/relatives.c"
	printf '#!/bin/sh\ntouch "%s/ran"\n' "$bin" >"$bin/marks"
	chmod +x "$bin/marks"
}

setup()
{
	trace_setup
}

# How often a FILE has a call of one() in one of the three forms.
calls()
{
	cat "$@" | grep -c -E '&one\b|func = one,|^E0x' || true
}

# not_run ARGUMENT...: status 125, a line on stderr, and the program does not start.
not_run()
{
	rm -f "$bin/ran"
	trace_it --force "$@" "$bin/marks"
	expect_status 125
	[ ! -e "$bin/ran" ] || blame "it ran: $*"
	[ "$(wc -l <"$err")" -eq 1 ] || blame "not a line"
}

@test "a second trace begins the file anew, --append does not" {
	local mode
	for mode in log pairs addresses; do
		rm -f file
		trace_it --$mode=file "$bin/relatives"
		cp file first
		[ "$(calls file)" -ge 1 ]
		trace_it --$mode=file "$bin/relatives"
		[ "$(calls file)" -eq "$(calls first)" ] || blame "$mode: not anew"
		trace_it --append --$mode=file "$bin/relatives"
		[ "$(calls file)" -eq $((2 * $(calls first))) ] || blame "$mode: lost"
		trace_it -a --$mode=file "$bin/relatives"
		[ "$(calls file)" -eq $((3 * $(calls first))) ] || blame "$mode: lost"
	done
}

@test "percent signs but those of %p and %% are the name's own" {
	trace_it --log='50%' "$bin/relatives"
	cp 50% first
	trace_it --log='50%' "$bin/relatives"
	[ "$(calls 50%)" -eq "$(calls first)" ] || blame "not anew"
	mkdir 100%t
	touch 100%t/something
	not_run --record='100%t'
	err_has ': it is there, and no recording'
}

@test "it is begun once: what the program forks, spawns and becomes adds to it" {
	local what
	for what in '1' 'fork 2' 'spawn 2' 'exec 2' 'fork spawn 3' 'fork spawn exec 4'; do
		# shellcheck disable=SC2086 # words
		trace_it --log=file "$bin/relatives" ${what% *}
		expect_status 0
		[ "$(calls file)" -eq "${what##* }" ] || blame "$what: $(calls file)"
	done
}

@test "%p: each process begins its own anew" {
	local i
	# Files of an earlier trace, with the numbers that are to come.
	for ((i = $$; i < $$ + 3000; i++)); do
		echo 'old &one' >"file.$i"
	done
	touch -d '2 days ago' file.*
	trace_it --pairs=file.%p "$bin/relatives" fork spawn exec
	expect_status 0
	find . -name 'file.*' -newermt '1 day ago' -exec cat {} + >seen
	[ "$(grep -c 'func = one,' seen)" -eq 4 ] || blame "$(cat seen)"
	refute grep old seen
}

@test "without whocallme trace: lines are added, unless they are to begin at a time" {
	export WHOCALLME_TRACE=pairs WHOCALLME_OUTPUT=file LD_PRELOAD=$lib/libwhocallme.so.0
	"$bin/relatives"
	"$bin/relatives" fork
	[ "$(calls file)" -eq 3 ]
	sleep 0.1
	WHOCALLME_TRACE_SINCE=$(date +%s%N)
	export WHOCALLME_TRACE_SINCE
	sleep 0.1
	"$bin/relatives"
	"$bin/relatives" spawn
	[ "$(calls file)" -eq 3 ]
	WHOCALLME_TRACE_SINCE=yesterday observe "$bin/relatives"
	err_has 'nothing is traced: WHOCALLME_TRACE_SINCE=yesterday makes no sense'
}

@test "a call of the program's own, of wcm_trace_start(), empties nothing" {
	cat >own.c <<-'.'
		#include <whocallme.h>
		static void one(void) { }
		int main(void)
		{
			struct wcm_trace_options options = { .mode = WCM_TRACE_PAIRS,
							     .output = "own" };
			wcm_trace_start(&options);
			one();
			return 0;
		}
	.
	build own "$PWD/own.c" -O0 -finstrument-functions
	echo "func = one, before" >own
	touch -d '2 days ago' own
	trace_it --log=file "$bin/own"
	expect_status 0
	[ "$(calls own)" -eq 2 ] || blame "$(cat own)"
}

@test "a link that another user has put into a folder for all is not followed" {
	[ "$(id -u)" -eq 0 ] || skip "only root can make one"
	mkdir open
	chmod 1777 open
	echo precious >precious
	ln -s "$PWD/precious" open/log
	chown -h nobody open/log
	not_run --log=open/log
	expect_err "whocallme trace: $PWD/open/log: it is another user's link"
	ln precious open/hard
	not_run --log=open/hard
	err_has 'open/hard: it has other names, and may be another file$'
	[ "$(cat precious)" = precious ]
	# One's own is followed.
	ln -s "$PWD/mine" open/mine
	echo old >mine
	trace_it --log=open/mine "$bin/relatives"
	expect_status 0
	[ "$(calls mine)" -eq 1 ] && refute grep old mine
}

@test "pipes, devices and the program's own output are written to as they are" {
	mkfifo pipe
	cat pipe >read &
	trace_it --log=pipe "$bin/relatives"
	wait $!
	[ "$(calls read)" -eq 1 ]
	echo before >both
	observe sh -c "exec '$whocallme' trace --log=/dev/stderr '$bin/relatives' 2>>both"
	expect_status 0
	[ "$(head -n 1 both)" = before ] && [ "$(calls both)" -eq 1 ] || blame "$(cat both)"
	trace_it --log=/dev/null "$bin/relatives"
	expect_status 0
}

@test "what cannot be written to: 125, and the program does not start" {
	local mode
	mkdir folder
	touch file folder/something
	for mode in log pairs addresses graph; do
		not_run --$mode=none/file
		expect_err "whocallme trace: $PWD/none/file: No such file or directory"
		not_run --$mode=.
		err_has ': Is a directory$'
		not_run --$mode=file/file
		err_has ': Not a directory$'
	done
	not_run --record=file
	expect_err "whocallme trace: $PWD/file: Not a directory"
	not_run --record=folder
	expect_err "whocallme trace: $PWD/folder: it is there, and no recording: name another"
	not_run --record=none/folder
	expect_err "whocallme trace: $PWD/none/folder: No such file or directory"
	ln -s nowhere link
	not_run --record=link
	expect_err "whocallme trace: $PWD/link: No such file or directory"
	# A recording and an empty folder are what they were.
	rm folder/something
	trace_it --record=folder "$bin/relatives"
	expect_status 0
	trace_it --record=folder/ "$bin/relatives"
	expect_status 125
	expect_err "whocallme trace: $PWD/folder: a recording is there: name another; "\
'--force, or WHOCALLME_TRACE_REPLACE=yes, keeps it as .old'
	[ ! -e folder.old ] || blame "put aside unasked"
	trace_it --force --record=folder/ "$bin/relatives"
	expect_status 0
	[ -e folder.old/info ] && [ -e folder/info ]
}

@test "two recordings do not become one where the first cannot be removed" {
	local folder
	trace_it --record=first "$bin/relatives"
	ln -s first link
	trace_it --force --record=link "$bin/relatives"
	expect_status 0
	[ "$(readlink link.old)" = first ] || blame "not renamed"
	for folder in first link; do
		"$whocallme" replay "$folder" >replayed
		[ "$(grep -c 'one()' replayed)" -eq 1 ] || blame "$folder: both"
	done
	cd first
	not_run --record=.
	err_has ': a recording is there, which cannot be renamed by this name$'
	cd ..
	echo precious >first.old
	not_run --record=first
	expect_err "whocallme trace: $PWD/first.old: it is where the recording that is "\
'there would go'
	[ "$(cat first.old)" = precious ]
}

@test "a program that cannot be run does not cost the file" {
	echo precious >file
	trace_it --log=file ./nonsense
	expect_status 127
	trace_it --log=file /bin/true
	expect_status 125
	[ "$(cat file)" = precious ]
}

@test "--append without a file is a usage error" {
	local arguments
	for arguments in -a '-a --log' '-a --record=x' '-a --graph=x'; do
		# shellcheck disable=SC2086 # words
		trace_it $arguments "$bin/relatives"
		expect_status 2
		expect_err 'whocallme trace: --append needs the FILE of --log, --pairs or '\
'--addresses; see whocallme trace --help'
	done
}

@test "lists add up, and take the place of the environment's" {
	export WHOCALLME_HELPER=$whocallme # it knows source files
	trace_it -F main -F one "$bin/relatives"
	err_has '&one$'
	err_has '&main$'
	trace_it -N main -N one "$bin/relatives"
	err_lacks '^FUN'
	WHOCALLME_TRACE_NOT_FUNCTIONS=one trace_it -N main "$bin/relatives"
	err_has '&one$'
	err_lacks '&main$'
	trace_it -M nowhere -M relatives --not-modules x --not-modules y \
		-S nowhere.c -S relatives.c --not-sources x.c --not-sources y.c \
		-T nobody -T relatives "$bin/relatives"
	err_has '&one$'
	trace_it --not-modules relatives --not-modules y "$bin/relatives"
	err_lacks '^FUN'
	trace_it --not-sources relatives.c --not-sources y "$bin/relatives"
	err_lacks '^FUN'
}

@test "a shell that runs programs: no blank lines, and each has its graph" {
	local before
	cat >"$bin/short.c" <<-'C'
		static void one(void) { }
		static void two(void) { one(); }
		int main(int argc, char *argv[])
		{
			(void)argv;
			if (argc > 1) two(); else one();
			return 0;
		}
	C
	$CC -g -finstrument-functions -o "$bin/short" "$bin/short.c"
	observe "$whocallme" trace -f --log=log sh -c "'$bin/short'; '$bin/short' 2; :"
	expect_status 0
	[ "$(grep -c '^ *$' log)" -eq 0 ] || blame "blank lines"
	[ "$(grep -c '^FUN' log)" -eq 5 ] || blame "$(cat log)"
	for before in none another; do
		observe "$whocallme" trace -f --graph=graph sh -c \
			"'$bin/short'; '$bin/short' 2; '$bin/short'; :"
		expect_status 0
		[ "$(cat graph graph.[0-9]* | grep -c -- '->')" -eq 7 ] ||
			blame "$before: $(ls)"
		[ "$(ls graph graph.* | wc -l)" -eq 3 ] || blame "$before: $(ls)"
		rm graph.*
	done
	observe "$whocallme" trace -f --graph=many sh -c \
		"for i in 1 2 3 4 5 6 7 8; do '$bin/short' & done; wait"
	[ "$(ls many many.* | wc -l)" -eq 8 ] || blame "$(ls)"
}

@test "of a file that grows only what is written to is mapped, and two processes share it" {
	cat >"$bin/long.c" <<-'C'
		#include <stdio.h>
		#include <string.h>
		#include <sys/wait.h>
		#include <unistd.h>
		static void one(void) { }
		__attribute__((no_instrument_function)) int main(void)
		{
			const pid_t child = fork();
			int mapped = 0;
			char line[4096];
			FILE *maps;

			for (int i = 0; i < 10000; i++)
				one();
			if (child == 0)
				return 0;
			wait(NULL);
			maps = fopen("/proc/self/maps", "r");
			while (fgets(line, sizeof(line), maps))
				mapped += strstr(line, "/long.log") != NULL;
			puts(mapped <= 2 ? "few" : "many");
			return 0;
		}
	C
	build long "$bin/long.c" -O0 -finstrument-functions -- -Wl,--no-as-needed
	observe env WHOCALLME_TRACE=pairs WHOCALLME_OUTPUT=long.log timeout -s KILL 60 "$bin/long"
	expect_status 0
	[ "$(cat "$out")" = few ] || blame "the file is mapped in many parts"
	[ "$(grep -c 'func = one, called by = main *$' long.log)" -eq 20000 ] || blame "lines"
}

# Four threads of 4,001 calls each, in the program "many".
many_lines()
{
	$CC -O1 -finstrument-functions -o "$bin/many" -x c - -lpthread <<'.'
#include <pthread.h>
__attribute__((noinline)) int leaf_of_a_long_name(int n) { __asm__ volatile(""); return n + 1; }
__attribute__((noinline)) int other(int n) { __asm__ volatile(""); return n + 1; }
static void *thread(void *unused)
{
	int n = 0;
	for (int i = 0; i < 2000; i++)
		n = other(leaf_of_a_long_name(n));
	return unused;
}
int main(void)
{
	pthread_t threads[4];
	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], 0, thread, 0);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], 0);
	return 0;
}
.
}

@test "a thread that is held up between its look at the file's end and the cut cuts no other's lines" {
	needs strace
	many_lines
	for mode in log pairs; do
		observe timeout 100 strace -f -o calls -e trace=ftruncate \
			-e inject=ftruncate:delay_enter=110000 \
			"$whocallme" trace --no-signals --$mode=file -e -- "$bin/many"
		expect_status 0
		[ "$(grep -c 'FUN\|func_enter' file)" -eq 16005 ] || blame "$(grep -c . file) lines"
		[ "$(grep -c 'RET\|func_exit' file)" -eq 16005 ] || blame "$(grep -c . file) lines"
	done
}

@test "a file that another process keeps locked gets every line" {
	needs flock
	many_lines
	: >file
	flock file sleep 60 3>&- &
	until ! flock -n file true; do sleep 0.05; done
	observe timeout 50 "$whocallme" trace --no-signals --append --log=file -e -- "$bin/many"
	kill $!
	expect_status 0
	[ "$(grep -c FUN file)" -eq 16005 ] || blame "$(grep -c . file) lines"
	[ "$(grep -c RET file)" -eq 16005 ] || blame "$(grep -c . file) lines"
}

@test "where no more can be written, the ends of the open calls wait for nothing" {
	needs strace
	strace -o /dev/null true 2>/dev/null || skip "strace does not trace here"
	cat >"$bin/ends.c" <<-'EOF'
		#include <pthread.h>
		static int down(int left) { return left == 0 ? 0 : 1 + down(left - 1); }
		static void *run(void *argument)
		{
			for (int i = 0; i < 50; i++)
				down(50);
			return argument;
		}
		int main(void)
		{
			pthread_t thread[16];
			for (int i = 0; i < 16; i++)
				pthread_create(&thread[i], 0, run, 0);
			for (int i = 0; i < 16; i++)
				pthread_join(thread[i], 0);
			return 7;
		}
	EOF
	$CC -O0 -finstrument-functions -o "$bin/ends" "$bin/ends.c" -lpthread
	rm -f file
	observe timeout 60 strace -f -o "$bin/yields" -e trace=sched_yield \
		sh -c "ulimit -f 64; exec '$whocallme' trace --log=file -e -- '$bin/ends'"
	expect_status 7
	err_has '^<whocallme>: the trace ends here: no more can be written to .*/file: '
	# Who waits for the next window while another thread opens it does so a thousand times at most.
	[ "$(grep -c sched_yield "$bin/yields")" -lt 3000 ] || blame "it waits"
}
