#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# system_calls.bats - system calls of programs that know nothing of it.  strace judges them, and
# programs do what they do without.

load support
load system_calls

setup_file()
{
	bin=$BATS_FILE_TMPDIR
	$CC -O1 -rdynamic -o "$bin/ways" "$programs/system_ways.c" -lpthread -ldl
	$CC -O1 -w -I"$top_srcdir/include" -o "$bin/recorded" "$programs/system_recorded.c" -lpthread
}

# judged_all: each line of stdin that has a program.
judged_all()
{
	local line
	while read -r -u 5 line; do
		eval "set -- $line"
		! command -v "$1" >/dev/null || judged "$@"
	done 5<&0
}

# logged LETTER...: calls of a program, in its log and as strace has them in another run: M is an
# area of malloc's, the others are lseek() of descriptors.
logged()
{
	local letter at=1000 call result
	: >"$bin/ours" && : >"$bin/theirs"
	for letter in 10 11 12 13 14 15 "$@"; do
		case $letter in
		M) call="mmap(NULL, 1048576, PROT_READ|PROT_WRITE, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0)" ;;
		*) call="lseek($letter, 0, SEEK_CUR)" ;;
		esac
		result=0
		[ "$letter" != M ] || result=0x7f0000000000
		echo "SYS  77 $((at += 10)) $call → $result" >>"$bin/ours"
		echo "77 $call = $result" >>"$bin/theirs"
	done
}

@test "the judge: an area of malloc's comes earlier or later, and no other call does" {
	needs python3
	local order
	logged 1 1 2 2 M 3 4 5
	cp "$bin/theirs" "$bin/strace"
	for order in "1 1 2 2 M 3 4 5" "1 1 2 M 2 3 4 5" "1 1 M 2 2 3 4 5" "1 1 2 2 3 M 4 5" \
		"1 1 2 2 3 4 M 5" "1 M 1 M 2 2 3 4 5"; do
		# shellcheck disable=SC2086 # a list
		logged $order
		$call_judge "$bin/ours" "$bin/strace" || blame "$order"
	done
	for order in "1 1 2 M 3 4 5" "1 1 2 2 M 4 3 5" "1 1 2 2 2 M 3 4 5" "1 1 2 2 M 3 4 5 6" \
		"1 1 2 2 M 4 5"; do
		# shellcheck disable=SC2086
		logged $order
		refute $call_judge "$bin/ours" "$bin/strace" || blame "$order"
	done
}

@test "strace's, of small programs" {
	needs_strace
	judged_all <<-'EOF'
		ls -l /etc/apt
		cat /etc/passwd
		sort /etc/passwd
		date -u -d @0
		sed -n s/daemon/nomead/p /etc/passwd
		md5sum /etc/passwd
		gzip -kn text
		xz -k text
		tar cf text.tar text
		find /etc/apt
		dd if=text of=copy status=none
		cp text copy
		mkdir -p a/b
		env true
		awk 1 /etc/hosts
		head -c 100 /etc/passwd
	EOF
}

@test "strace's, of programs that run others" {
	needs_strace
	judged_all <<-'EOF'
		sh -c "echo | cat"
		bash -c "ls | cat; echo x"
		xargs -a text -n9 test ""
		perl -e "print \`echo 1\`"
		nice timeout 60 sh -c "sleep 2; exit 3"
	EOF
}

@test "strace's, of large programs" {
	needs_strace
	judged_all <<-'EOF'
		/usr/bin/python3 -c "print(1)"
		sqlite3 :memory: "select sqlite_version()"
		openssl dgst -sha256 /etc/passwd
		git --no-optional-locks -C $top_srcdir status --porcelain configure.ac
		bash -c "echo 'int main(){return 0;}' >one.c; gcc -S one.c"
	EOF
}

@test "strace's, of a program that begins others, is interrupted and changes its signals" {
	needs_strace
	judged "$bin/ways"
	judged "$bin/ways" exec
}

@test "a program's stacks and signals are what they are without a trace" {
	local way
	"$bin/ways" exec >"$bin/expected"
	[ "$(wc -l <"$bin/expected")" -gt 40 ]
	for way in "" -e --no-data --library-calls; do
		# shellcheck disable=SC2086 # a list
		traced $way --no-signals --system-calls "$bin/ways" exec
		expect_status 0
		diff -u "$bin/expected" "$out" || blame "$way"
	done
}

@test "by name" {
	traced "--system-calls=get*,write" --no-signals md5sum /etc/passwd
	expect_status 0
	[ "$(sed -nE "s/^SYS +[0-9]+ +[0-9']+ +([a-z_0-9]+)\(.*/\1/p" "$bin/log" |
		grep -v '^get' | sort -u)" = write ]
	traced --system-calls=nothing_like_it true
	expect_status 0
	err_has "^<whocallme>: no system call matches --system-calls=nothing_like_it$"
	traced --system-calls=write,nothing_like_it,get* md5sum /etc/passwd
	expect_status 0
	err_has "^<whocallme>: no system call matches --system-calls=nothing_like_it$"
	[ "$(grep -c whocallme "$err")" -eq 1 ]
	grep -q '^SYS .* write(' "$bin/log"
	observe "$whocallme" trace --pairs --system-calls true
	expect_status 2
	err_has "^whocallme trace: --system-calls is for --log, --record and --graph"
}

# named OPTION...: the names of the system calls in a log.
named()
{
	traced --no-signals --no-data "$@" >&2
	expect_status 0 >&2
	sed -nE "s/^SYS +[0-9]+ +[0-9']+ +([a-z_0-9]+)\(.*/\1/p" "$bin/log" | sort -u
}

@test "by class, as strace has them" {
	needs_strace
	[[ $(strace --version | head -n 1) = *"version 6.1" ]] || skip "another strace's classes"
	local class
	# What ends or holds the program, or changes its terminal, is not called.
	$CC -o "$bin/every" -x c - <<-'C'
		#include <string.h>
		#include <sys/syscall.h>
		#include <unistd.h>
		int main(void)
		{
			static const short not[] = { SYS_rt_sigreturn, SYS_pause, SYS_alarm, SYS_fork,
						     SYS_vfork, SYS_exit, SYS_exit_group, SYS_setsid,
						     SYS_vhangup, SYS_sync, SYS_restart_syscall };
			for (long number = 0, i; number < 451; number++) {
				for (i = 0; i < 11 && not[i] != number; i++)
					;
				if (i == 11 && (number < 335 || number > 423)) /* uretprobe() */
					syscall(number, -1L, -1L, -1L, -1L, -1L, -1L);
			}
			_exit(0);
		}
	C
	named --system-calls "$bin/every" >"$bin/all"
	for class in file network process memory signal ipc desc; do
		strace -qq -e "trace=%$class" -o "$bin/judge" "$bin/every"
		sed -E 's/\(.*//' "$bin/judge" | sort -u | comm -12 - "$bin/all" >"$bin/judged"
		[ -s "$bin/judged" ]
		named "--system-calls=%$class" "$bin/every" | diff -u "$bin/judged" - || blame "$class"
	done
	named '--system-calls=%network,!%desc,!send*' "$bin/every" >"$bin/some"
	grep -qx socket "$bin/some"
	refute grep -E '^send|^read$' "$bin/some"
	named '--system-calls=!%file,%d*' "$bin/every" >"$bin/some"
	grep -qx getpid "$bin/some"
	refute grep -E '^(open|read|openat|mmap)$' "$bin/some"
	traced --no-signals '--system-calls=%nothing,getpid' "$bin/every"
	err_has '^<whocallme>: no system call matches --system-calls=%nothing$'
}

@test "without data no string is shown, nor what a buffer holds" {
	traced --no-data --system-calls --no-signals cat /etc/passwd
	expect_status 0
	cmp "$out" /etc/passwd
	[ "$(grep -c '^SYS' "$bin/log")" -gt 10 ]
	refute grep '^SYS.*"' "$bin/log"
}

@test "recordings, as uftrace reads them, and graphs, have as many as the log" {
	needs uftrace
	local log recorded graph
	counts='s/^ *[0-9.]+ +[a-z]+ +[0-9.]+ +[a-z]+ +([0-9]+) +(.*)$/\2 \1/p'
	traced --no-signals --system-calls dd if=/etc/passwd of=/dev/null bs=100
	expect_status 0
	log=$(sed -nE "s/^SYS +[0-9]+ +[0-9']+ +([a-z_0-9]+)\(.*/\1/p" "$bin/log" |
		sort | uniq -c | awk '{ print $2, $1 }')
	rm -rf "$bin/recording"
	observe timeout 60 "$whocallme" trace --no-signals --record="$bin/recording" \
		--system-calls dd if=/etc/passwd of=/dev/null bs=100
	expect_status 0
	recorded=$(uftrace report --no-pager -d "$bin/recording" -f total,self,call |
		sed -nE "$counts" | sort)
	diff -u <(echo "$log") <(echo "$recorded") || blame recording
	observe timeout 60 "$whocallme" trace --no-signals --graph="$bin/graph.dot" \
		--system-calls dd if=/etc/passwd of=/dev/null bs=100
	expect_status 0
	graph=$(sed -nE 's/^.* -> "([a-z_0-9]+)" .*calls=([0-9]+).*/\1 \2/p' "$bin/graph.dot" |
		awk '{ sum[$1] += $2 } END { for (name in sum) print name, sum[name] }' | sort)
	diff -u <(grep -v exit_group <<<"$log") <(echo "$graph") || blame "$(cat "$bin/graph.dot")"
}

@test "a recording of a program that runs another has the names of both's calls" {
	needs uftrace
	rm -rf "$bin/recording"
	observe timeout 60 "$whocallme" trace --no-signals --record="$bin/recording" \
		--system-calls env true
	expect_status 0
	uftrace replay --no-pager -f none -d "$bin/recording" >"$bin/replayed"
	[ "$(grep -c '^ *close' "$bin/replayed")" -ge 4 ] || blame "$(cat "$bin/replayed")"
	grep '^ *execve' "$bin/replayed"
	refute grep -E 'system_slot|<[0-9a-f]+>' "$bin/replayed"
}

words="python3 $top_srcdir/test/scenario/recorded_words.py"

# recorded ARGUMENT...: whocallme trace with a recording in $bin/recording.
recorded()
{
	rm -rf "$bin/recording"
	observe timeout 60 "$whocallme" trace --no-signals --record="$bin/recording" "$@"
}

@test "a recording shows what the log shows, word for word, of calls and probes" {
	local way
	for way in "" --no-data "--arguments --library-calls=pthread_*"; do
		begin_files
		cd "$bin/files"
		# shellcheck disable=SC2086 # a list
		traced $way --no-signals --system-calls '--probes=recorded:*' "$bin/recorded" long
		expect_status 0
		begin_files
		cd "$bin/files"
		# shellcheck disable=SC2086 # a list
		recorded $way --system-calls '--probes=recorded:*' "$bin/recorded" long
		expect_status 0
		"$whocallme" replay "$bin/recording" >"$bin/replayed"
		$words log "$bin/log" >"$bin/expected"
		$words replay "$bin/replayed" >"$bin/seen"
		diff -u "$bin/expected" "$bin/seen" || blame "$way"
	done
	[ "$(grep -c '^recorded:turn(10[0-5], ' "$bin/seen")" -eq 360 ]
	grep -qxF 'chmod("nowhere", 0751) → -1 ENOENT' "$bin/seen"
}

@test "a recording ends as the log does; one call is one call, for uftrace, too" {
	needs uftrace
	local way calls
	calls='--system-calls=execve,execveat,clone,clone3,fork,vfork,write,exit,exit_group'
	cat >"$bin/ends.c" <<-'C'
		#define _GNU_SOURCE
		#include <pthread.h>
		#include <spawn.h>
		#include <stdio.h>
		#include <stdlib.h>
		#include <string.h>
		#include <sys/syscall.h>
		#include <sys/wait.h>
		#include <unistd.h>
		static char *arguments[] = { "true", NULL }, *empty[] = { NULL };
		void after(void) { __asm__ volatile(""); }
		void before(void)
		{
			execve("/nonexistent/x", arguments, empty);
			syscall(SYS_execveat, -1, "/nonexistent/y", arguments, empty, 0);
			after();
		}
		void *thread(void *unused) { before(); return unused; }
		void child(pid_t pid)
		{
			if (pid == 0) {
				after();
				exit(3);
			}
			waitpid(pid, NULL, 0);
		}
		void run(const char *way)
		{
			pthread_t other;
			pid_t pid;
			if (!strcmp(way, "exec")) execve("/bin/true", arguments, empty);
			if (!strcmp(way, "exit")) exit(3);
			if (!strcmp(way, "_exit")) _exit(3);
			if (!strcmp(way, "quick_exit")) quick_exit(3);
			if (!strcmp(way, "exit_group")) syscall(SYS_exit_group, 3);
			if (!strcmp(way, "abort")) abort();
			if (!strcmp(way, "fork")) child(fork());
			if (!strcmp(way, "thread")) {
				pthread_create(&other, NULL, thread, NULL);
				pthread_join(other, NULL);
			}
			if (!strcmp(way, "vfork")) {
				pid = vfork();
				if (pid == 0) {
					execve("/nonexistent/z", arguments, empty);
					execve("/bin/true", arguments, empty);
				}
				waitpid(pid, NULL, 0);
			}
			if (!strcmp(way, "spawn")) {
				posix_spawn(&pid, "/nonexistent/z", NULL, NULL, arguments, empty);
				posix_spawn(&pid, "/bin/true", NULL, NULL, arguments, empty);
				waitpid(pid, NULL, 0);
			}
		}
		int main(int count, char **way)
		{
			printf("buffered");
			before();
			run(way[1]);
			return 0;
		}
	C
	$CC -O1 -w -o "$bin/ends" "$bin/ends.c" -lpthread
	$CC -O1 -w -finstrument-functions -o "$bin/ends_told" "$bin/ends.c" -lpthread
	for way in return exit _exit quick_exit exit_group abort exec fork vfork spawn thread; do
		traced --no-signals "$calls" "$bin/ends" $way
		recorded "$calls" "$bin/ends" $way
		"$whocallme" replay "$bin/recording" >"$bin/replayed"
		$words log "$bin/log" >"$bin/expected"
		$words replay "$bin/replayed" >"$bin/seen"
		diff -u "$bin/expected" "$bin/seen" || blame "$way"
		recorded "$calls" "$bin/ends_told" $way
		"$whocallme" replay "$bin/recording" >"$bin/replayed"
		refute grep -E ' (fork|execve)\(\)' "$bin/replayed" || blame "$way"
		uftrace replay --no-pager -d "$bin/recording" >"$bin/shown"
		refute grep -E '[0-9]  ?h | fork\(\)' "$bin/shown" || blame "$way"
		grep -qE '\|     after\(\);$' "$bin/shown" || blame "$way"
		grep -qE '\|   \} /\* before \*/$' "$bin/shown" || blame "$way"
		[ "$way" = abort ] || grep -q 'exit_group("' "$bin/shown" || blame "$way"
	done
	recorded "$calls" "$bin/ends_told" return
	"$whocallme" report "$bin/recording" >"$bin/shown"
	[ "$(grep -cE ' 1  (main|before|after|execve|execveat|write|exit_group)$' "$bin/shown")" -eq 7 ]
	"$whocallme" graph "$bin/recording" >"$bin/shown"
	refute grep 'module=.*libwhocallme' "$bin/shown"
}

@test "strace's, of recordings" {
	needs_strace
	local program
	for program in "sort /etc/passwd" "dd if=text of=copy status=none" "$bin/recorded" \
		"$bin/ways" "$bin/ways exec"; do
		begin_files
		# shellcheck disable=SC2086 # a list
		(cd "$bin/files" && timeout 60 strace -f -xx -s 32 -o "$bin/strace" $program \
			</dev/null >"$bin/strace.out" 2>&1 3>&- 4>&-) || true
		begin_files
		cd "$bin/files"
		# shellcheck disable=SC2086 # a list
		recorded --system-calls $program </dev/null 3>&- 4>&-
		"$whocallme" chrome "$bin/recording" >"$bin/chrome"
		$words chrome "$bin/chrome" >"$bin/log"
		$call_judge "$bin/log" "$bin/strace" >"$bin/judged" || {
			cat "$bin/judged"
			blame "$program"
		}
	done
}

@test "what uftrace shows of a recording with words" {
	needs uftrace
	begin_files
	cd "$bin/files"
	recorded --system-calls "$bin/ways"
	uftrace replay --no-pager -d "$bin/recording" >"$bin/shown" 2>"$bin/said"
	[ ! -s "$bin/said" ] || blame "$(cat "$bin/said")"
	grep -q 'execve(""/bin/echo"' "$bin/shown"
	recorded --system-calls '--probes=recorded:*' "$bin/recorded" long
	local command
	for command in replay report graph dump "dump --chrome" "dump --flame-graph"; do
		# shellcheck disable=SC2086 # a list
		uftrace $command --no-pager -d "$bin/recording" >"$bin/shown" 2>"$bin/said" ||
			blame "$command"
		[ ! -s "$bin/said" ] || blame "$command: $(cat "$bin/said")"
		[ "$command" != "dump --chrome" ] || python3 -m json.tool "$bin/shown" >/dev/null
	done
	uftrace replay --no-pager -f none -d "$bin/recording" >"$bin/shown"
	grep -q ' *chmod(""nowhere", 0751") = "-1 ENOENT";' "$bin/shown"
	grep -q ' *getsockopt("[0-9]*, SOL_SOCKET, SO_TYPE, \.\.\.") = "0";' "$bin/shown"
	[ "$(grep -c 'recorded:turn("10[0-5], [0-9]*");' "$bin/shown")" -eq 360 ]
}

@test "a call that others interrupt is whole where it ends; one that never ends has what is known" {
	begin_files
	cd "$bin/files"
	recorded --system-calls "$bin/recorded" long
	"$whocallme" replay "$bin/recording" >"$bin/replayed"
	grep -q '| read([0-9]*, \.\.\.) {$' "$bin/replayed"
	grep -qE '\| \} = -1 EINTR; /\* read\([0-9]+, 0x[0-9a-f]+, 8\) \*/$' "$bin/replayed"
	"$whocallme" replay --no-merge "$bin/recording" >"$bin/replayed"
	grep -qE '\| recvfrom\([0-9]+, "message", 32, MSG_DONTWAIT, NULL, NULL\) \{$' "$bin/replayed"
	"$whocallme" replay --no-args "$bin/recording" >"$bin/replayed"
	refute grep -E '[a-z]\([^)]|= ' "$bin/replayed"
	recorded --system-calls=read perl -MTime::HiRes=alarm -e 'alarm .1; pipe R, W; sysread R, $_, 9'
	"$whocallme" replay "$bin/recording" >"$bin/replayed"
	grep -qE '^\[0\] read\([0-9]+, \.\.\.\)$' "$bin/replayed" || blame "$(cat "$bin/replayed")"
}

@test "damaged words, and files that say otherwise what they are, harm nobody and are escaped" {
	begin_files
	cd "$bin/files"
	recorded '--system-calls=!futex' '--probes=recorded:*' "$bin/recorded" long
	local dat at codes
	dat=$(find "$bin/recording" -name '[0-9]*.dat' -printf '%s %f\n' | sort -n | sed -n '1s/.* //p')
	cp -a "$bin/recording" "$bin/whole"
	for at in $(seq 16 37 "$(stat -c %s "$bin/whole/$dat")"); do
		cp "$bin/whole/$dat" "$bin/recording/$dat"
		printf '\377\033\000' | dd of="$bin/recording/$dat" bs=1 seek="$at" conv=notrunc status=none
		observe "$whocallme" replay "$bin/recording"
		[ "$status" -le 1 ] || blame "changed at $at: $status"
		refute grep -q $'\033' "$out"
		[ "$((at % 2))" -eq 0 ] || continue
		cp "$bin/whole/$dat" "$bin/recording/$dat"
		truncate -s "$at" "$bin/recording/$dat"
		observe "$whocallme" chrome "$bin/recording"
		[ "$status" -le 1 ] || blame "cut at $at: $status"
	done
	cp "$bin/whole/$dat" "$bin/recording/$dat"
	for codes in www s ws iiiw .; do
		sed -i "s/^#C: .*/#C: $codes/" "$bin"/recording/*.dbg
		observe "$whocallme" replay "$bin/recording"
		[ "$status" -le 1 ] || blame "$codes: $status"
	done
	sed -i '/^[AR]: /d' "$bin"/recording/*.dbg
	observe "$whocallme" replay "$bin/recording"
	[ "$status" -le 1 ] || blame "without kinds: $status"
}

@test "-o, -s and -y are strace's: FILE, bytes of strings, paths of descriptors" {
	cd "$BATS_TEST_TMPDIR"
	printf 'the first line of a file\n' >'a >file'
	$CC -o "$bin/reads" -x c - <<-'C'
		#include <fcntl.h>
		#include <unistd.h>
		int main(void)
		{
			char text[100];
			int fd = open("a >file", O_RDONLY), two[2];

			read(fd, text, sizeof(text));
			pipe(two);
			write(two[1], text, 24);
			lseek(9, 0, SEEK_CUR);
			return close(dup(fd));
		}
	C
	observe "$whocallme" trace -o lines -s 5 -y --system-calls=openat,read,write,dup,lseek,close,pipe2 \
		"$bin/reads"
	expect_status 0
	[ ! -s "$err" ]
	grep -qF 'openat(AT_FDCWD</' lines || blame "$(cat lines)"
	grep -qE "\"a >file\", O_RDONLY\) → [0-9]<$PWD/a \\\\x3efile>, [0-9]+ ns" lines || blame "$(cat lines)"
	grep -qE "read\([0-9]<$PWD/a \\\\x3efile>, \"the f\"\.\.\., 100\) → 25, " lines || blame "$(cat lines)"
	grep -qE 'write\([0-9]<pipe:\[[0-9]+\]>, "the f"\.\.\., 24\) → 24, ' lines || blame "$(cat lines)"
	grep -qE 'lseek\(9, 0, SEEK_CUR\) → -1 EBADF, ' lines || blame "$(cat lines)"
	grep -qE "dup\([0-9]<$PWD/[^>]*>\) → [0-9]<$PWD/[^>]*>, " lines || blame "$(cat lines)"
	observe "$whocallme" trace -o lines -s 100 --system-calls=read "$bin/reads"
	grep -qE 'read\([0-9], "the first line of a file\\n", 100\)' lines || blame "$(cat lines)"
	# A recording has the same words.
	observe "$whocallme" trace -s 5 -y --record=words --system-calls=read "$bin/reads"
	"$whocallme" replay words >replayed
	grep -qF '"the f"..., 100) = 25;' replayed || blame "$(cat replayed)"
	grep -qF "$PWD/a " replayed || blame "$(cat replayed)"
	for wrong in 0 513 -1 x; do
		observe "$whocallme" trace -s "$wrong" --system-calls "$bin/reads"
		expect_status 2
	done
}

@test "-y: AT_FDCWD is a directory, and no descriptor, as strace has it" {
	needs_strace
	cd "$BATS_TEST_TMPDIR"
	$CC -w -o "$bin/nowhere" -x c - <<-'C'
		#include <fcntl.h>
		#include <unistd.h>
		int main(void)
		{
			close(-100);
			close(-1);
			fchdir(-100);
			read(-100, 0, 0);
			dup(-100);
			lseek(-100, 0, SEEK_CUR);
			unlinkat(-1, "nothing", 0);
			unlinkat(AT_FDCWD, "nothing", 0);
			symlinkat("nothing", AT_FDCWD, "no/thing");
			return 0;
		}
	C
	local calls=close,fchdir,read,dup,lseek,unlinkat,symlinkat
	strace -y -e trace="$calls" -o judge "$bin/nowhere"
	observe "$whocallme" trace -o lines -y --system-calls="$calls" "$bin/nowhere"
	expect_status 0
	sed -nE '/^close\(-100/,$ s/^(.*\)) += .*/\1/p' judge >expected
	sed -nE '/close\(-100/,$ s/^SYS +[0-9]+ +[0-9]+ +(.*\)) → .*/\1/p' lines >found
	[ "$(wc -l <found)" -ge 8 ] || blame "$(cat lines)"
	diff expected found || blame "$(cat judge lines)"
}

@test "%net is %network, as strace has it" {
	cd "$BATS_TEST_TMPDIR"
	observe "$whocallme" trace -o long --system-calls='%network' "$bin/ways" sockets
	observe "$whocallme" trace -o short --system-calls='%net' "$bin/ways" sockets
	expect_status "$status"
	diff <(sed -n 's/^SYS.\{32\}//; s/(.*//p' long) <(sed -n 's/^SYS.\{32\}//; s/(.*//p' short)
}

# counted: names, calls and errors of the calls that a table of -c has.
counted()
{
	awk '/getppid|lseek|unlink|getcwd/ { print $NF, $4, NF > 5 && $5 ~ /^[0-9]+$/ ? $5 : 0 }' |
		sort
}

@test "-c: as many calls and errors as strace -c has, sorted as asked" {
	needs_strace
	cd "$BATS_TEST_TMPDIR"
	$CC -o "$bin/fails" -x c - <<-'C'
		#include <sys/syscall.h>
		#include <sys/wait.h>
		#include <unistd.h>
		static void work(int times)
		{
			char room[4];

			for (int i = 0; i < times; i++)
				syscall(SYS_getppid);
			for (int i = 0; i < 5; i++)
				lseek(i < 3 ? 77 : 0, 0, SEEK_CUR);
			unlink("/nowhere/at/all");
			syscall(SYS_getcwd, room, 2);
		}
		int main(void)
		{
			work(7);
			if (fork() == 0)
				_exit((work(4), 0));
			wait(0);
			return 3;
		}
	C
	strace -f -c -U time-percent,total-time,avg-time,calls,errors,name -o theirs "$bin/fails" \
		</dev/null || true
	observe "$whocallme" trace -c -o ours --system-calls "$bin/fails" </dev/null
	expect_status 3
	[ ! -s "$err" ] || blame "$(cat "$err")"
	diff <(counted <theirs) <(counted <ours) || blame "$(cat ours)"
	[ "$(awk '$NF == "getppid" { print $5 }' ours)" = SYS ] || blame "$(cat ours)"
	# The times add up, and the first has the most of what is asked for.
	awk '$1 ~ /^[0-9.]+$/ && $NF != "total" { sum += $1 } END { exit sum < 99.5 || sum > 100.5 }' ours
	observe "$whocallme" trace -c --sort=call --system-calls=getppid,lseek,unlink "$bin/fails" </dev/null
	expect_status 3
	[ "$(awk '{ print $NF }' "$err" | sed -n '3,4p' | tr '\n' ' ')" = "getppid lseek " ] ||
		blame "$(cat "$err")"
	observe "$whocallme" trace -c --sort=errors --system-calls=getppid,lseek,unlink "$bin/fails" </dev/null
	[ "$(sed -n 3p "$err" | awk '{ print $NF, $5 }')" = "lseek 6" ] || blame "$(cat "$err")"
	# A program that dies leaves its table, and nothing else.
	TMPDIR=$PWD/scratch && mkdir "$TMPDIR" && export TMPDIR
	observe "$whocallme" trace -c --system-calls sh -c 'kill -9 $$'
	expect_status 137
	err_has ' kill$'
	[ -z "$(ls "$TMPDIR")" ]
	for wrong in "-c --log" "--sort=self --log" "-c --sort=size" "-o a --log=b" "-o - --log"; do
		# shellcheck disable=SC2086 # words
		observe "$whocallme" trace $wrong "$bin/fails"
		expect_status 2
	done
}

@test "-c: the status is the program's, whatever becomes of the table" {
	cd "$BATS_TEST_TMPDIR"
	local trace="$whocallme trace -c --system-calls=exit_group" file
	$CC -o nine -x c - <<<'int main(void) { return 9; }'
	observe sh -c "$trace ./nine 2>/dev/full"
	expect_status 9
	observe sh -c "$trace ./nine 2>&-"
	expect_status 9
	observe $trace -o /dev/full ./nine
	expect_status 9
	err_has '/dev/full: No space left'
	# What can be known before is, and the program is not run.
	for file in /nowhere/f .; do
		observe $trace -o $file sh -c 'echo ran'
		expect_status 125
		[ ! -s "$out" ] || blame "it ran"
	done
	observe $trace -o here.%p sh -c 'echo $$'
	expect_status 0
	grep -q ' exit_group$' "here.$(cat "$out")"
}

# until_there FILE: it is, or some time has passed.
until_there()
{
	for ((i = 0; i < 300; i++)); do
		[ ! -e "$1" ] || return 0
		sleep 0.1
	done
}

@test "-c: a program that makes no call" {
	cd "$BATS_TEST_TMPDIR"
	$CC -o none -x c - <<<'int main(void) { return 4; }'
	observe "$whocallme" trace -c -o table --system-calls=getppid ./none
	expect_status 4
	[ "$(cat table)" = "no call was recorded" ] || blame "$(cat table)"
	err_lacks recording
}

@test "-c: a signal ends the program or the table, and the command" {
	cd "$BATS_TEST_TMPDIR"
	local trace="$whocallme trace -c --system-calls=exit_group" pid i
	TMPDIR=$PWD/scratch && mkdir "$TMPDIR" && export TMPDIR
	cat >ended.py <<-'PY'
		import subprocess, sys
		print(subprocess.run(sys.argv[1:]).returncode)
	PY
	if command -v python3 >/dev/null; then
		for i in 9 15 6; do
			observe python3 ended.py $trace sh -c "kill -$i \$\$"
			[ "$(cat "$out")" = -$i ] || blame "$(cat "$out")"
		done
	fi
	# While the program runs its signals are its own.
	$trace sh -c 'trap "exit 5" TERM; echo >ready; for i in 1 2 3 4 5 6 7 8 9; do sleep 1; done' \
		>said 2>table 3>&- &
	pid=$!
	until_there ready
	kill $pid
	i=0 && wait $pid || i=$?
	[ $i = 5 ] || blame "status $i"
	# The report waits for a reader that never comes.
	mkfifo pipe
	$trace -o pipe sh -c 'echo >ran' >said 2>table 3>&- &
	pid=$!
	until_there ran
	for ((i = 0; i < 300; i++)); do
		kill $pid 2>/dev/null || break
		sleep 0.1
	done
	[ $i -lt 300 ] || blame "it cannot be ended: $(kill -9 $pid)"
	i=0 && wait $pid || i=$?
	[ $i = 143 ] || blame "status $i"
	for ((i = 0; i < 100; i++)); do
		[ -n "$(ls "$TMPDIR")" ] || break
		sleep 0.1
	done
	[ -z "$(ls "$TMPDIR")" ]
}
