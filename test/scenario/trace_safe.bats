#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# trace_safe.bats - a trace costs neither the program nor its files anything, whatever the
# program does with its descriptors, other processes with theirs, and other users.

load support

setup_file()
{
	bin=$BATS_FILE_TMPDIR
	$CC -g -O0 -finstrument-functions -o "$bin/relatives" "$programs/relatives.c"
}

setup()
{
	trace_setup
	mkdir here # beside what observe() writes
	cd here
}

# hooked NAME: ./NAME of the C on stdin, built with hooks.
hooked()
{
	cat >"$1.c"
	$CC -g -O0 -finstrument-functions -o "$1" "$1.c" -lpthread
}

# traced MODE FILE COMMAND...: run it with the library, without the command.
traced()
{
	env WHOCALLME_TRACE="$1" WHOCALLME_OUTPUT="$2" \
		LD_PRELOAD="$lib/libwhocallme.so.0" "${@:3}"
}

# A program that closes all but its standard descriptors, and opens its own file then.
make_closer()
{
	hooked closer <<-'.'
		#include <fcntl.h>
		#include <stdio.h>
		#include <unistd.h>
		static int leaf(int x) { return x + 1; }
		int main(int argc, char *argv[])
		{
			for (int i = 0; i < 1500; i++)
				leaf(i);
			usleep(30000);
			for (int fd = 3; fd < 1024; fd++)
				close(fd);
			for (int i = 1; i < argc; i++)
				printf("%d ", open(argv[i], O_RDWR));
			for (int i = 0; i < 20000; i++)
				leaf(i);
			usleep(100000);
			return 0;
		}
	.
}

# The recording's own thread of process $1, which has its name when it is ready.
prefault_thread_of()
{
	local task
	for _ in {1..100}; do
		for task in /proc/"$1"/task/*; do
			[ "$(cat "$task/comm")" = whocallme ] || continue
			echo "$task"
			return
		done
		sleep 0.1
	done
}

@test "the recording's own thread has no descriptor of the program's, nor in its way" {
	hooked waiting <<-'.'
		#include <stdio.h>
		static int leaf(int x) { return x + 1; }
		int main(void)
		{
			for (int i = 0; i < 1500; i++)
				leaf(i);
			return getchar() != '\n';
		}
	.
	mkfifo go
	exec 7<>go
	env WHOCALLME_TRACE=record WHOCALLME_OUTPUT="$PWD/rec" \
		LD_PRELOAD="$lib/libwhocallme.so.0" ./waiting <&7 7<&- &
	local program=$! task has=none
	task=$(prefault_thread_of $program)
	[ -z "$task" ] || has=$(ls -l "$task/fd")
	echo >&7
	wait $program
	exec 7<&-
	[ -n "$task" ] || blame "there is no such thread"
	[ "$has" = 'total 0' ] || blame "it has $has"
}

@test "what the program opens is not written to, whatever it closed before" {
	needs strace
	make_closer
	local i
	for i in 1 2 3 4; do
		echo precious >file-$i
	done
	strace -f -o /dev/null -e trace=pwrite64 -e inject=pwrite64:delay_enter=20000 \
		-E WHOCALLME_TRACE=record -E WHOCALLME_OUTPUT="$PWD/rec" \
		-E LD_PRELOAD="$lib/libwhocallme.so.0" ./closer file-1 file-2 file-3 file-4 \
		>out 2>err || blame "status $?: $(cat err)"
	[ "$(cat out)" = '3 4 5 6 ' ] || blame "$(cat out)"
	[ "$(cat file-?)" = "$(printf 'precious\n%.0s' 1 2 3 4)" ] || blame "written to"
	[ ! -s err ] || blame "$(cat err)"
	[ "$("$whocallme" report rec | awk '$NF == "leaf" { print $(NF - 1) }')" -eq 21500 ]
}

needs_others()
{
	[ "$(id -u)" -eq 0 ] || skip "only root can be two users"
	needs setpriv
	chmod a+rx "$BATS_RUN_TMPDIR" "$BATS_RUN_TMPDIR"/test "$BATS_TEST_TMPDIR" .
}

as_other()
{
	setpriv --reuid=1001 --regid=1001 --clear-groups "$@"
}

# refused FILE WORDS: lines do not go there, by the command and by the library.
refused()
{
	local mode
	for mode in log pairs addresses; do
		trace_it --append --$mode="$1" "$bin/relatives"
		expect_status 125
		expect_err "whocallme trace: $PWD/$1: $2"
		observe timeout 10 env WHOCALLME_TRACE=$mode WHOCALLME_OUTPUT="$PWD/$1" \
			LD_PRELOAD="$lib/libwhocallme.so.0" "$bin/relatives"
		expect_status 0
		err_has 'nothing is traced: .*: another user may have put it there, or may write'
	done
}

@test "a file that another user may cut off is not mapped: it would end the program" {
	needs_others
	mkdir theirs open
	chown 1001 theirs
	chmod 777 open
	as_other touch theirs/file open/file
	as_other mkfifo theirs/pipe open/pipe
	local name
	for name in theirs/file open/file theirs/pipe open/pipe; do
		refused $name "it is another user's"
		[ ! -s $name ] || blame "$name is written to"
	done
	touch mine
	chmod 666 mine
	refused mine "others may write to it"
	chmod 620 mine
	refused mine "others may write to it"
	ln mine open/hard
	refused open/hard "it has other names, and may be another file"
}

@test "what is put there between the look and the opening is not written to" {
	needs_others
	needs strace
	mkdir open
	chmod 1777 open
	local -a run=(strace -f -e trace=openat -E WHOCALLME_TRACE=log
		-E WHOCALLME_OUTPUT="$PWD/open/log" -E LD_PRELOAD="$lib/libwhocallme.so.0")
	"${run[@]}" -o calls "$bin/relatives" >/dev/null
	local nth
	nth=$(grep -n '"log", O_RDWR|O_CREAT' calls | head -n 1 | cut -d: -f1)
	rm open/log
	"${run[@]}" -o calls -e inject=openat:delay_enter=2000000:when="$nth" \
		"$bin/relatives" >out 2>err &
	sleep 1
	[ ! -e open/log ] || blame "there too early"
	as_other touch open/log
	wait $!
	[ ! -s open/log ] || blame "written to"
	grep -q 'nothing is traced: .*: another user may have put it there' err
	# And the command, which would empty it.
	run=(strace -f -e trace=openat)
	as_other rm open/log
	"${run[@]}" -o calls "$whocallme" trace --log=open/log "$bin/relatives" >/dev/null
	nth=$(grep -n '"log", .*O_CREAT' calls | head -n 1 | cut -d: -f1)
	rm open/log
	"${run[@]}" -o calls -e inject=openat:delay_enter=2000000:when="$nth" \
		"$whocallme" trace --log=open/log "$bin/relatives" >out 2>err &
	sleep 1
	[ ! -e open/log ] || blame "there too early"
	as_other sh -c 'echo theirs >open/log'
	local status=0
	wait $! || status=$?
	[ $status -eq 125 ] && [ "$(cat open/log)" = theirs ] || blame "status $status"
}

@test "nobody else may write to what is made, whatever the umask" {
	umask 0
	local mode
	for mode in log pairs addresses graph; do
		trace_it --$mode=$mode "$bin/relatives"
		expect_status 0
		traced $mode "$PWD/$mode.alone" "$bin/relatives" >/dev/null
		[ "$(stat -c %a $mode $mode.alone | sort -u)" = 644 ] || blame "$mode"
	done
}

@test "a pipe of another user's that is there at the end does not keep the program" {
	needs_others
	mkdir theirs
	chown 1001 theirs
	hooked slow <<-'.'
		#include <stdio.h>
		int main(void) { return getchar() != '\n'; }
	.
	mkfifo go
	exec 7<>go
	timeout 10 "$whocallme" trace --graph=theirs/graph ./slow <&7 2>err 7<&- &
	sleep 1
	as_other mkfifo theirs/graph
	echo >&7
	wait $! || blame "status $?"
	grep -q "$PWD/theirs/graph: another user may have put it there" err
	exec 7<&-
}

# calls_of DIR NAME: how many of function NAME are in the recording.
calls_of()
{
	"$whocallme" report --json "$1" | python3 -c 'import json, sys
print(sum(row["calls"] for row in json.load(sys.stdin) if row["name"] == sys.argv[1]))' "$2"
}

# A program that calls leaf() ARGUMENT times, in a second or more.
make_busy()
{
	hooked busy <<-'.'
		#include <stdlib.h>
		#include <unistd.h>
		static int leaf(int x) { return x + 1; }
		int main(int argc, char *argv[])
		{
			int count = argc > 1 ? atoi(argv[1]) : 0;
			for (int i = 0; i < count; i++) {
				leaf(i);
				usleep(count > 100 ? 1000000 / count : 0);
			}
			return 0;
		}
	.
}

@test "a process of another namespace does not cut the files of those it does not see" {
	needs unshare python3
	unshare --pid --fork --mount-proc true 2>/dev/null || skip "no namespaces for processes here"
	make_busy
	cat >run.sh <<-'.'
		./busy 4000 &
		sleep 0.3
		unshare --pid --fork ./busy 3
		unshare --pid --fork --mount-proc ./busy 3
		wait $!
	.
	trace_it --force --record=rec bash run.sh
	expect_status 0
	[ "$(grep -c 'cannot record to .*/rec: it is of another namespace' "$err")" -eq 2 ]
	[ "$(calls_of rec leaf)" -eq 4000 ]
}

@test "nor does a child of fork that is in one, where numbers come again" {
	needs unshare python3
	unshare --pid --fork true 2>/dev/null || skip "no namespaces for processes here"
	hooked sandbox <<-'.'
		#define _GNU_SOURCE
		#include <sched.h>
		#include <sys/wait.h>
		#include <unistd.h>
		static int leaf(int x) { return x + 1; }
		int main(void)
		{
			int status = 0;
			pid_t child = unshare(CLONE_NEWPID) == 0 ? fork() : -1;
			for (int i = 0; i < 4000 + 8000 * (child == 0); i++) {
				leaf(i);
				usleep(100);
			}
			if (child == 0)
				_exit(0);
			return waitpid(child, &status, 0) != child || status != 0;
		}
	.
	cat >run.sh <<-'.'
		./sandbox & first=$!
		sleep 0.2
		./sandbox & second=$!
		wait $first && wait $second
	.
	trace_it --force --record=rec bash run.sh
	expect_status 0
	[ "$(grep -c 'ends: the process is in another namespace' "$err")" -eq 2 ]
	[ "$(calls_of rec leaf)" -eq 8000 ]
	[ ! -e rec/1.dat ]
}

@test "a process ends in the same time however many have ended before" {
	needs strace
	hooked forks <<-'.'
		#include <stdlib.h>
		#include <sys/wait.h>
		#include <unistd.h>
		static int leaf(int x) { return x + 1; }
		int main(void)
		{
			for (int i = 0; i < 100; i++)
				if (fork() == 0)
					exit(leaf(-1));
				else
					wait(NULL);
			return 0;
		}
	.
	strace -f -e trace=openat -o calls -E WHOCALLME_TRACE=record \
		-E WHOCALLME_OUTPUT="$PWD/rec" -E LD_PRELOAD="$lib/libwhocallme.so.0" ./forks
	# Of each child the number of files that it opened; the recording's threads open few.
	awk '!first { first = $1 } $1 != first { n[$1]++ }
		END { for (p in n) if (n[p] > 12) print n[p] }' calls | sort -n >opened
	[ "$(wc -l <opened)" -eq 100 ] || blame "$(uniq -c opened)"
	[ "$(tail -n 1 opened)" -le $(($(head -n 1 opened) + 5)) ] || blame "$(uniq -c opened)"
}

@test "an empty directory is taken as it is, one of another user's is left to them" {
	needs_others
	mkdir -m 700 private
	mkdir -m 750 group
	mkdir -m 775 open
	local folder
	for folder in private group open; do
		trace_it --record=$folder "$bin/relatives"
		expect_status 0
		[ -e $folder/info ] || blame "$folder: nothing"
	done
	[ "$(stat -c %a private group open | xargs)" = '700 750 755' ] ||
		blame "$(ls -ld private group open)"
	mkdir theirs
	chown 1001 theirs
	as_other mkdir -m 711 theirs/empty theirs/open
	as_other chmod 777 theirs/open
	for folder in empty open; do
		trace_it --force --record=theirs/$folder "$bin/relatives"
		expect_status 125
		expect_err "whocallme trace: $PWD/theirs/$folder: it is another user's"
		observe traced record "$PWD/theirs/$folder" "$bin/relatives"
		err_has "cannot record to $PWD/theirs/$folder: it is another user's"
	done
	[ "$(stat -c '%u %a' theirs/empty theirs/open | xargs)" = '1001 711 1001 777' ] ||
		blame "$(ls -l theirs)"
}

@test "who may read a recording cannot lock it" {
	needs_others
	needs flock
	trace_it --force --record=rec bash -c "
		'$bin/relatives'
		chmod a+rx .
		setpriv --reuid=1001 --regid=1001 --clear-groups env -i PATH='$PATH' bash -c '
			for file in rec/*; do
				timeout 20 flock --shared \"\$file\" sleep 15 2>/dev/null &
			done
			sleep 1' >locks 2>&1
		time -p (for i in 1 2 3 4 5; do '$bin/relatives'; done)"
	expect_status 0
	[ "$(sed -n 's/^real \([0-9]*\)\..*/\1/p' "$err")" -le 2 ] || blame "kept waiting"
}

@test "a file that may not grow brings a program no signal, and takes none that it waits for" {
	hooked limited <<-'.'
		#include <signal.h>
		#include <sys/resource.h>
		static int leaf(int x) { return x + 1; }
		int main(int argc, char *argv[])
		{
			struct rlimit files = { 100000, 100000 };
			sigset_t both, pending;
			(void)argv;
			sigemptyset(&both);
			sigaddset(&both, SIGXFSZ);
			sigaddset(&both, SIGPIPE);
			if (argc > 1)
				sigprocmask(SIG_BLOCK, &both, 0);
			if (argc > 2) {
				raise(SIGXFSZ);
				raise(SIGPIPE);
			}
			setrlimit(RLIMIT_FSIZE, &files);
			for (int i = 0; i < 200000; i++)
				leaf(i);
			sigpending(&pending);
			return sigismember(&pending, SIGXFSZ) != (argc > 2) ||
			       sigismember(&pending, SIGPIPE) != (argc > 2);
		}
	.
	local mode
	for mode in --log --log=file --pairs --pairs=file --addresses --record=folder \
		--graph=graph; do
		for arguments in '' '1' '1 2'; do
			rm -rf file folder graph
			trace_it --force $mode ./limited $arguments
			[ "$status" = 0 ] || blame "$mode ($arguments): $status"
		done
	done
}

@test "what a trace has to say is not written to the file that has got stderr's number" {
	hooked other <<-'.'
		#include <fcntl.h>
		#include <stdlib.h>
		#include <sys/resource.h>
		#include <unistd.h>
		static int leaf(int x) { return x + 1; }
		int main(int argc, char *argv[])
		{
			struct rlimit files = { 100000, 100000 };
			(void)argc;
			close(2);
			if (open(argv[1], O_WRONLY | O_APPEND) != 2)
				return 1;
			rmdir(argv[2]); /* a graph's, which is empty yet */
			setrlimit(RLIMIT_FSIZE, &files);
			for (int i = 0; i < 200000; i++)
				leaf(i);
			return 0;
		}
	.
	local mode
	for mode in log pairs addresses record graph; do
		mkdir $mode
		echo precious >data
		trace_it --force --functions=none,leaf --$mode=$mode/file ./other data $mode
		expect_status 0
		[ "$(cat data)" = precious ] || blame "$mode: $(cat data)"
		[ ! -s "$err" ] || blame "$mode"
		rm -rf $mode
		# Where it is still stderr it is said.
		mkdir $mode
		trace_it --force --functions=none,leaf --$mode=$mode/file \
			bash -c "exec 2>&1; exec ./other /dev/stdout $mode"
		[ "$(grep -c '^<whocallme>: ' "$out")" -ge 1 ] || blame "$mode: nothing said"
		rm -rf $mode
	done
}

# kept WAY...: a program that gives up rights in these ways has its graph all the same, in place of
# the one before, and nothing is left beside it.
kept()
{
	local before
	for before in none another; do
		rm -rf graphs root
		mkdir -m 700 graphs && mkdir root
		[ $before = none ] || echo digraph '{ old -> old }' >graphs/g
		[ $before = none ] || touch -d '1 hour ago' graphs/g
		trace_it --graph=graphs/g "$bin/rights" "$@"
		[ "$status" -ne 1 ] || skip "this may not be done here: $1"
		expect_status 0
		[ "$(grep -c -e ' -> ' graphs/g)" -ge 3 ] || blame "$*, $before: $(ls -la graphs)"
		grep -q "\"main\" -> \"late\" .*calls=$#," graphs/g || blame "$*, $before"
		refute grep -q old graphs/g
		[ -z "$(ls root)" ] || blame "$*: in the new root directory"
		[ "$(stat -c %a graphs/g)" = 644 ] || [ $before = another ]
	done
}

@test "the graph of a program that changes its root directory or gives up its rights" {
	needs_others
	$CC -g -O0 -finstrument-functions -o "$bin/rights" "$programs/rights.c"
	local way
	for way in chdir close setuid setresuid filter chroot chroot-by-hand; do
		kept $way
		[ "$(ls graphs)" = g ] || blame "$way: $(ls graphs)"
		[ ! -s "$err" ] || blame "$way"
	done
	kept chroot setuid
	kept chroot setuid filter
	kept chroot chdir setresuid chdir
	kept close chroot setuid
	kept filter setuid
	for way in setuid setresuid filter; do
		kept chroot $way is-shut-in
	done
	[ "$(ls graphs)" = g ] && [ ! -s "$err" ] || blame "$(ls graphs)"
	# Its own file in a folder for all, where another user may not replace it.
	rm -rf graphs
	mkdir -m 1777 graphs
	trace_it --graph=graphs/g "$bin/rights" setuid
	grep -q '"main" -> "late"' graphs/g
	[ "$(ls graphs)" = g ] && [ ! -s "$err" ] || blame "$(ls graphs)"
	# A program in its place has the graph.
	trace_it --graph=graphs/next "$bin/rights" setuid exec
	[ "$(ls graphs | paste -sd ' ')" = "g next" ] || blame "$(ls graphs)"
	grep -q '"main" -> "early"' graphs/next
	# By a link, whose file it is; by the number of the process.
	rm -rf graphs root
	mkdir -m 700 graphs real && mkdir root
	ln -s ../real/file graphs/g
	trace_it --graph=graphs/g "$bin/rights" chroot
	grep -q '"main" -> "late"' real/file
	trace_it --graph=graphs/n-%p "$bin/rights" chroot setuid
	grep -q '"main" -> "late"' graphs/n-*
	# What cannot be kept is said.
	trace_it --graph=graphs/lost "$bin/rights" chroot-by-hand close
	expect_status 0
	err_has "^<whocallme>: $PWD/graphs/lost: "
	[ ! -e graphs/lost ] && [ -z "$(ls root)" ]
}

@test "the graphs of children of a program that has another root directory" {
	needs_others
	$CC -g -O0 -finstrument-functions -o "$bin/rights" "$programs/rights.c"
	mkdir -m 700 graphs && mkdir root
	trace_it --graph=graphs/g "$bin/rights" chroot fork fork
	expect_status 0
	[ "$(ls graphs | wc -l)" -eq 3 ] || blame "$(ls graphs)"
	[ "$(grep -l '"in_a_child" -> "in_child"' graphs/g.* | wc -l)" -eq 2 ]
	# A child that may make no file there says so.
	rm -rf graphs/*
	trace_it --graph=graphs/g "$bin/rights" setuid fork
	expect_status 0
	[ "$(ls graphs)" = g ]
	err_has "^<whocallme>: $PWD/graphs/g\.[0-9]*: "
}

@test "the graph of a program in a file system of its own" {
	needs_others
	$CC -g -O0 -finstrument-functions -o "$bin/rights" "$programs/rights.c"
	kept pivot
	kept pivot setuid
}
