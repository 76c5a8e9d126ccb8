#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# jit.bats - code that a run-time has made has the names of the files that it writes for perf(1).

load support

setup_file()
{
	bin=$BATS_FILE_TMPDIR
	build jitted jitted.c -O0 -fno-omit-frame-pointer
}

setup()
{
	needs_arch x86_64 "its code is x86-64's"
	not_sanitized "its runtime must be loaded first"
	cd "$BATS_TEST_TMPDIR" || return
	ulimit -S -c 0
}

teardown()
{
	local made path
	while read -r _ made path; do
		rm -rf "$made" "$made.other"
	done < <(grep -h '^made /tmp/perf-' ./* 2>/dev/null)
	rm -f "$BATS_TEST_TMPDIR"/jit-*.dump
}

# crashes KIND [N]: the report of it; main is its frame N.
crashes()
{
	observe timeout -s KILL 30 "$whocallme" run --sections=stack --no-lines "$bin/jitted" "$1"
	cp "$err" "made.$1"
	[ "$status" -ne 77 ] || skip "$1 does not do here"
	expect_status 139
	err_has '^#0 0x[0-9a-f]+ in callee\+'
	err_has "^#${2:-2} 0x[0-9a-f]+ in main\\+"
}

@test "a map: the later entry, whole lines, after any nonsense" {
	crashes map
	err_has '^#1 0x[0-9a-f]+ in JS:\*square app\.js:12\+0x12$'
	crashes long
	err_has '^#1 0x[0-9a-f]+ in JS:\*square app\.js:12\+0x12$'
	crashes escape
	err_has '^#1 0x[0-9a-f]+ in a\\x1b\[31m\\x5cb\+0x12$'
	observe "$whocallme" run --json --sections=stack "$bin/jitted"
	cp "$err" made.json
	grep -o '"function":"JS:\*square app.js:12","offset":"0x12"' "$err"
	"$whocallme" resolve "$err" | grep -F 'JS:*square app.js:12'
}

@test "code in the program's own data" {
	crashes static 3
}

@test "a program whose filter of system calls kills makes code in its own data" {
	cat >made.c <<-'C'
		#define _GNU_SOURCE
		#include <linux/filter.h>
		#include <linux/seccomp.h>
		#include <stddef.h>
		#include <sys/mman.h>
		#include <sys/prctl.h>
		#include <sys/syscall.h>
		static unsigned char room[4096] __attribute__((aligned(4096))) = { 1 };
		int main(void)
		{
			struct sock_filter filter[] = {
				BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
				BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mprotect, 2, 0),
				BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 1, 0),
				BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
				BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
			};
			struct sock_fprog program = { sizeof(filter) / sizeof(*filter), filter };
			if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
			    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
				return 77;
			return mprotect(room, sizeof(room), 7) ? 1 : 3;
		}
	C
	$CC -o made made.c
	observe ./made
	expect_status 3
	observe "$whocallme" run ./made
	expect_status 3
}

@test "a dump, where the program has it mapped; code that has moved" {
	crashes dump
	err_has '^#1 0x[0-9a-f]+ in square of a dump\+0x12$'
	crashes move
	err_has '^#1 0x[0-9a-f]+ in square of a dump\+0x12$'
	# A child of fork has a number, and a dump, of its own.
	observe timeout -s KILL 30 sh -c "'$whocallme' run --sections=stack --no-lines \
		'$bin/jitted' forked 2>&1 | cat"
	cp "$out" made.forked
	out_has '^#1 0x[0-9a-f]+ in JS:\*square app\.js:12\+0x12$'
	out_has '^#1 0x[0-9a-f]+ in square of a dump\+0x12$'
}

@test "what is none, a link, a pipe, or written by others names nothing" {
	local kind
	for kind in none fifo directory symlink link writable; do
		crashes $kind
		err_has '^#1 0x[0-9a-f]+ in \?\?$' || blame "$kind"
	done
}

@test "another user's" {
	needs_others
	crashes user
	err_has '^#1 0x[0-9a-f]+ in \?\?$'
}

@test "a process that has another number in its PID namespace, as in a container" {
	unshare -fp true 2>/dev/null || skip "may not make PID namespaces"
	observe timeout -s KILL 30 unshare -fp "$whocallme" run --sections=stack --no-lines \
		"$bin/jitted" map
	cp "$err" made.inside
	err_has '^made /tmp/perf-[1-9]\.map '
	err_has '^#1 0x[0-9a-f]+ in JS:\*square app\.js:12\+0x12$'
}

@test "stack -p, while the program runs" {
	local i
	"$whocallme" trace --agent -- "$bin/jitted" map wait >said 2>made.wait 3>&- &
	for ((i = 0; i < 200; i++)); do
		! grep -q ready said || break
		sleep 0.1
	done
	observe "$whocallme" stack -p "$(sed -n 's/^made .tmp.perf-\([0-9]*\).*/\1/p' made.wait)"
	kill %1
	out_has '^#[0-9]+ 0x[0-9a-f]+ in JS:\*square app\.js:12\+0x12$'
}
