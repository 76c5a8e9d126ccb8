#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# system_flags.bats - system calls of programs that ask for them themselves, among functions and
# library calls, and of processes that run.

load support
load system_calls

setup_file()
{
	bin=$BATS_FILE_TMPDIR
	[ "$HOSTTYPE" = x86_64 ] || return 0
	build plain system_sync.c -O1
	build patched system_sync.c -O1 -fpatchable-function-entry=5
	has_sleds || return 0
	[ -r "$lib/libwhocallme.a" ] && [ -z "${STATIC_LACKS-}" ] || return 0
	build_static static system_sync.c -O1 -fpatchable-function-entry=5
	link_static="-static-pie -s" build_static static_pie system_sync.c -O1 -fPIE
}

# What is in a log without numbers of threads and times, of calls that are no libc's affair.
kinds_of()
{
	sed -nE -e "s/^(FUN|LIB) +[0-9]+ +[0-9']+ +[0-9]+ /\1 /p" \
		-e "s/^SYS +[0-9]+ +[0-9']+ {9}(.*[^ ]) *$/SYS \1/p" "$@" | sed -E 's/, [0-9'"'"']+ ns$//'
}

@test "the example: fsync in words, and what it lasts" {
	local program
	cd "$BATS_TEST_TMPDIR"
	for program in plain patched static static_pie; do
		[ -x "$bin/$program" ] || continue
		observe timeout 20 "$bin/$program" --strace 3>&- 4>&-
		expect_status 4
		[ "$(cat "$out")" = 1 ]
		kinds_of "$err" | grep -E '^SYS (creat|openat|write|fsync|close)' >calls
		sed -i -E 's/openat\(AT_FDCWD, ("foo"), O_WRONLY\|O_CREAT\|O_TRUNC, /creat(\1, /' calls
		diff -u - calls <<-'EOF' || blame "$program"
			SYS write(1, "1\n", 2) → 2
			SYS creat("foo", 0644) → 3
			SYS write(3, u"⌂ELF☻☺☺         ☻ > ☺           "..., 131'072) → 131'072
			SYS fsync(3) → 0
			SYS close(3) → 0
			SYS close(3) → -1 EBADF
		EOF
		grep -qE "^SYS +[0-9]+ +[0-9']+ {9}fsync\(3\) → 0, [0-9']+ ns$" "$err"
		refute grep -E '^(FUN|LIB)' "$err"
		[ "$(kinds_of "$err" | grep -c '^SYS getppid() → ')" -eq 2 ] || blame "$program"
		[ "$(kinds_of "$err" | grep -c '^SYS exit_group([24])$')" -eq 2 ] || blame "$program"
	done
}

@test "functions and system calls in one log" {
	local program
	cd "$BATS_TEST_TMPDIR"
	for program in patched static; do
		[ -x "$bin/$program" ] || continue
		observe timeout 20 "$bin/$program" --ftrace --strace 3>&- 4>&-
		expect_status 4
		# A function that has returned is seen to have with the next one's call only.
		kinds_of "$err" | grep -E '^FUN|^SYS *(write|fsync|getppid)' >calls
		[ "$(grep -c 'SYS *getppid' calls)" -eq 2 ]
		diff -u - <(grep -v getppid calls | sed -E 's/, u?".*//; s/&//') <<-'EOF' ||
			FUN say
			SYS   write(1
			FUN save
			SYS   write(3
			SYS   fsync(3) → 0
			FUN work
		EOF
			blame "$program"
		observe timeout 20 "$bin/$program" --ftrace
		expect_status 4
		refute grep '^SYS' "$err"
	done
}

@test "functions, library calls and system calls in one log, at their depths" {
	cd "$BATS_TEST_TMPDIR"
	traced --no-signals --library-calls --system-calls=write,fsync,getppid,close "$bin/patched" 3>&- 4>&-
	expect_status 4
	# The child's lines may come anywhere.
	diff -u - <(sed -E "/^[A-Z]+ +$(awk '$2 != first && /_exit/ { print $2 } NR == 2 { first = $2 }' \
		"$bin/log") /d" "$bin/log" | kinds_of | grep -v '&_\|fork\|wait\|pthread\|flags' |
		sed -E 's/(getppid|write|fsync|close)\(.*/\1/; s/&//') <<-'EOF' || blame "$(cat "$bin/log")"
		FUN   main
		FUN     say
		LIB       printf
		LIB       fflush
		SYS         write
		FUN     save
		LIB       creat
		LIB       write
		SYS         write
		LIB       fsync
		SYS         fsync
		LIB       close
		SYS         close
		LIB       close
		SYS         close
		FUN work
		LIB   getppid
		SYS     getppid
	EOF
}

@test "of a process that runs, threads that are there included, until it is told to stop" {
	cd "$BATS_TEST_TMPDIR"
	cat >turns.c <<-'END'
		#include <poll.h>
		#include <pthread.h>
		#include <sys/syscall.h>
		#include <unistd.h>
		static void *work(void *is_main)
		{
			for (int i = 0; i < 100000 && access("stop", 0) != 0; i++) {
				poll(0, 0, 5);
				syscall(is_main ? SYS_getuid : SYS_getgid);
			}
			return 0;
		}
		int main(void)
		{
			pthread_t thread;
			pthread_create(&thread, 0, work, 0);
			work(&thread);
			return pthread_join(thread, 0) + 6;
		}
	END
	build turns "$PWD/turns.c" -O1 -- -Wl,--no-as-needed
	WHOCALLME_AGENT=yes timeout 60 "$bin/turns" >said 2>said.err 3>&- 4>&- &
	local timer=$! pid lines i
	sleep 0.5
	pid=$(pgrep -P "$timer")
	timeout 30 "$whocallme" trace -p "$pid" --system-calls=getuid,getgid --log="$bin/log" \
		>client 2>client.err 3>&- 4>&- &
	local client=$!
	for ((i = 0; i < 200; i++)); do
		[ "$(grep -cs 'getuid()' "$bin/log")" -lt 5 ] ||
			[ "$(grep -cs 'getgid()' "$bin/log")" -lt 5 ] || break
		sleep 0.1
	done
	observe timeout 20 "$whocallme" trace -p "$pid" --stop
	expect_status 0
	ended "$client"
	[ "$(sed -nE "s/^SYS +([0-9]+) .*/\1/p" "$bin/log" | sort -u | wc -l)" -eq 2 ] ||
		blame "$(head -n 20 "$bin/log") $(cat client.err)"
	[ "$(grep -c 'get[ug]id() → ' "$bin/log")" -ge 10 ]
	lines=$(wc -l <"$bin/log")
	sleep 0.2
	[ "$(wc -l <"$bin/log")" -eq "$lines" ]
	touch stop
	status=0
	ended "$timer" || status=$?
	expect_status 6
	[ ! -s said.err ]
}
