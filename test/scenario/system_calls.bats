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
		nice timeout 20 sh -c "exit 3"
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
	# A recording is over when libc has written its buffers, and knows nothing of the last call.
	diff -u <(grep -v exit_group <<<"$log") <(echo "$recorded") || blame recording
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
