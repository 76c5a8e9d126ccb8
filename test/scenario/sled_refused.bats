#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# sled_refused.bats - programs whose code may not be changed: a line says so, and they run on.

load support
load sled_calls

changed='the process may not change its code \(MDWE, seccomp, SELinux\); allow it, or build with -finstrument-functions: permission denied$'

setup_file()
{
	bin=$BATS_FILE_TMPDIR
	build refused sled_refused.c -O1 -fpatchable-function-entry=5 -- -ldl
	build_library a.so sled_plugin.c -O2 -fpatchable-function-entry=5
}

setup()
{
	not_sanitized "it has no room near the program"
}

# refused LINE PROGRAM ARGUMENT...: it is untraced, and LINE is all that it says.
refused()
{
	local line=$1
	shift
	WHOCALLME_TRACE=log observe "$@"
	[ "$status" -ne 77 ] || skip "$2 is not to be had here"
	expect_status 7
	[ "$(cat "$out")" = done ]
	err_has "^<whocallme>: patchable functions are not traced: $line"
	[ "$(grep -vc '^#' "$err")" -eq 1 ] # which begins a log
}

@test "a program without section headers is told of, and hooks of it are traced" {
	needs python3
	cat >"$bin/bare.c" <<-'C'
		__attribute__((noipa)) static int next(int x) { return x + 1; }
		int main(void) { return next(1) != 2; }
	C
	local flag
	for flag in -fpatchable-function-entry=5 -finstrument-functions; do
		$CC -O0 -o "$bin/bare" "$bin/bare.c" "$flag"
		# As sstrip: e_shoff, e_shnum and e_shstrndx are 0.
		python3 - "$bin/bare" <<-'PY'
			import sys
			with open(sys.argv[1], "r+b") as file:
			    wide = file.read(5)[4] == 2
			    for at, size in ((40, 8), (60, 4)) if wide else ((32, 4), (48, 4)):
			        file.seek(at)
			        file.write(bytes(size))
		PY
		observe "$whocallme" trace "$bin/bare"
		expect_status 0
		err_has 'bare: patchable functions of it are not traced: it has no section headers'
	done
	[ "$(grep -c '^FUN' "$err")" -eq 2 ]
}

@test "seccomp, and what answers as SELinux does: no memory becomes executable" {
	for how in eperm eacces write-eacces; do
		refused "$changed" "$bin/refused" $how
	done
}

@test "PR_SET_MDWE" {
	refused "$changed" "$bin/refused" mdwe
}

@test "no room within 2 GiB" {
	refused 'no memory within 2 GiB is free for a jump; without a limit of address space \(ulimit -v\) there may be$' \
		"$bin/refused" full
}

@test "a program that is its own library: code that cannot be written" {
	needs_static
	# shellcheck disable=SC2086 # a list
	$CC -static -O1 -fpatchable-function-entry=5 -o "$bin/static" "$programs/sled_refused.c" \
		-Wl,-u,wcm_trace_start $static_libs 2>"$bin/link.log" || blame "$(cat "$bin/link.log")"
	refused "$changed" "$bin/static" write-eacces
	# The other ways are open.
	WHOCALLME_TRACE=log observe "$bin/static" eacces
	expect_status 7
	[ "$(calls <"$err" | unfolded | wc -l)" -eq 6 ]
}

@test "a client of the agent is told" {
	local pid i
	cd "$BATS_TEST_TMPDIR" && mkfifo lines
	WHOCALLME_AGENT=yes "$bin/refused" eperm <lines >said 2>program.err 3>&- &
	pid=$!
	exec 9>lines
	for ((i = 0; i < 100; i++)); do
		! "$whocallme" stack -L -p "$pid" >/dev/null 2>&1 || break
		sleep 0.1
	done
	for i in 1 2; do # the second is told again
		observe "$whocallme" trace -p "$pid" --flight=4
		cp "$err" "told.$i"
		"$whocallme" trace -p "$pid" --flight --stop
	done
	echo >&9
	ended "$pid" || status=$?
	[ "$status" -ne 77 ] || skip "seccomp is not to be had here"
	expect_status 7
	for err in told.1 told.2; do
		err_has "^<whocallme>: patchable functions are not traced: $changed"
		err_has "^whocallme trace: process $pid keeps the last calls of each thread from now on"
		[ "$(wc -l <"$err")" -eq 2 ]
	done
	[ ! -s program.err ]
}

@test "a library that is opened and cannot be changed is told of; the program is traced on" {
	WHOCALLME_TRACE=log observe "$bin/refused" write-eacces "$bin/a.so"
	[ "$status" -ne 77 ] || skip "seccomp is not to be had here"
	expect_status 7
	[ "$(cat "$out")" = done ]
	grep -Ev '^(FUN|#)' "$err" >"$bin/complaints"
	[ "$(wc -l <"$bin/complaints")" -eq 2 ] # it was opened twice
	refute grep -Ev "^<whocallme>: patchable functions of $bin/a\.so are not traced: $changed" "$bin/complaints"
	diff -u <(printf '&%s\n' work leaf leaf work leaf leaf) \
		<(grep ^FUN "$err" | calls | unfolded | sed 's/^ *//')
}

@test "a library whose hooks are libc's, by RTLD_DEEPBIND or dlmopen(3), is told of" {
	[ "$HOST_CPU" = x86_64 ] && [ -z "$emulated" ] || skip "x86-64 alone reads how hooks are bound"
	$CC -O0 -finstrument-functions -fPIC -shared -o "$bin/plug.so" -x c - <<-'C'
		int enter(int x) { return x + 1; }
	C
	cat >"$bin/opens.c" <<-'C'
		#define _GNU_SOURCE
		#include <dlfcn.h>
		int main(int argc, char *argv[])
		{
			void *plug = argv[2][0] == 'n' ? dlmopen(LM_ID_NEWLM, argv[1], RTLD_NOW) :
				     dlopen(argv[1], argv[2][0] == 'd' ? RTLD_LAZY | RTLD_DEEPBIND
								       : RTLD_LAZY);
			int (*enter)(int) = plug ? (int (*)(int))dlsym(plug, "enter") : 0;
			for (int i = 3; i < argc; i++) {
				void *next = dlmopen(LM_ID_NEWLM, argv[i], RTLD_NOW);
				int (*other)(int) = next ? (int (*)(int))dlsym(next, "enter") : 0;
				if (!other || other(1) != 2)
					return 2;
			}
			return argc < 3 || !enter || enter(1) != 2;
		}
	C
	$CC -O0 -finstrument-functions -o "$bin/opens" "$bin/opens.c" -ldl
	local way
	for way in plain deep namespace; do
		observe "$whocallme" trace "$bin/opens" "$bin/plug.so" $way
		expect_status 0
		[ $way = plain ] || err_has \
			'^<whocallme>: functions of .*/plug.so are not traced: its hooks are another'
	done
	cp "$bin/plug.so" "$bin/plug-2.so"
	cp "$bin/plug.so" "$bin/plug-3.so"
	observe "$whocallme" trace "$bin/opens" "$bin/plug.so" namespace "$bin"/plug-[23].so
	expect_status 0
	[ "$(sed -n 's/.*functions of .*\/\(plug.*.so\) are not traced: .*/\1/p' "$err" | sort)" = \
		$'plug-2.so\nplug-3.so\nplug.so' ] || blame "each once"
	observe "$whocallme" trace "$bin/opens" "$bin/plug.so" plain
	err_lacks 'are not traced'
	err_has '&enter'
}

@test "NOPs of what dlmopen(3) opens are traced, in each namespace, and may be unloaded" {
	local libc option
	libc=$(getconf GNU_LIBC_VERSION 2>/dev/null) || skip "another libc than glibc"
	[ "$(printf '%s\n' 2.35 "${libc#* }" | sort -V | head -n 1)" = 2.35 ] ||
		skip "glibc lists its namespaces from 2.35 on"
	$CC -O0 -fpatchable-function-entry=5 -fPIC -shared -o "$bin/nops.so" -x c - <<-'C'
		static int inner(int x) { return x + 1; }
		int enter(int x) { return inner(x); }
	C
	$CC -O0 -o "$bin/spaces" -x c - -ldl <<-'C'
		#define _GNU_SOURCE
		#include <dlfcn.h>
		int main(int argc, char *argv[])
		{
			void *plug[3];
			for (int round = 0; round < 2; round++) {
				for (int i = 0; i < 3; i++) {
					plug[i] = dlmopen(LM_ID_NEWLM, argv[1], RTLD_NOW);
					int (*enter)(int) = plug[i] ? (int (*)(int))dlsym(plug[i], "enter") : 0;
					if (!enter || enter(1) != 2)
						return argc;
				}
				for (int i = 0; i < 3; i++)
					dlclose(plug[round ? 2 - i : i]);
			}
			return 0;
		}
	C
	for option in --log="$bin/log" --record="$bin/rec" --graph="$bin/graph"; do
		rm -rf "$bin/rec" "$bin/graph"
		observe "$whocallme" trace -f $option "$bin/spaces" "$bin/nops.so"
		expect_status 0
		err_lacks 'not traced'
	done
	[ "$(grep -c '&enter' "$bin/log")" -eq 6 ]
	[ "$(grep -c '  &inner' "$bin/log")" -eq 6 ]
	observe "$whocallme" trace --record="$bin/rec" -f "$bin/spaces" "$bin/nops.so"
	[ "$("$whocallme" replay "$bin/rec" | grep -c ' inner();')" -eq 6 ]
	# Beside the program's own.
	observe "$whocallme" trace --library-calls='dl*' --log="$bin/log" "$bin/spaces" "$bin/nops.so"
	[ "$(grep -c '&enter' "$bin/log")" -eq 6 ]
}
