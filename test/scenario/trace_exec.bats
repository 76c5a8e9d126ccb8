#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# trace_exec.bats - a trace goes on in the programs that a program runs, whatever
# environment it makes for them.

load support

all="execve execle execvpe fexecve execveat spawn spawnp vfork execv execl execvp execlp"

setup_file()
{
	bin=$BATS_FILE_TMPDIR
	$CC -O0 -finstrument-functions -o "$bin/runs" "$programs/runs.c"
	build_own runs runs.c -O0 -finstrument-functions
	build linked runs.c -O0 -finstrument-functions -- -Wl,--no-as-needed
}

setup()
{
	trace_setup
}

# runs HOW [VARIABLE...]: with that and nothing else in the environment that it makes.
runs()
{
	local how=$1
	shift
	rm -rf recording
	observe timeout -s KILL 30 "$whocallme" trace --record=recording "$bin/runs" \
		"$how" "$bin/runs" "$@"
	expect_status 0
}

# Whether what was run was traced.
is_carried()
{
	"$whocallme" replay recording | grep -q ' told() {'
}

@test "in an environment made from nothing: the trace goes on, and all else is as given" {
	local how
	for how in $all; do
		runs "$how"
		expect_out '[told] [b] [] [d] 1'
		is_carried || blame "$how: not traced"
		runs "$how" none
		expect_out '[told] [b] [] [d] 0'
		is_carried || blame "$how: not traced with no environment at all"
		runs "$how" many
		expect_out '[told] [b] [] [d] 5001'
		is_carried || blame "$how: not traced with many variables"
	done
}

@test "the same, and as uftrace has it where that does so, too" {
	needs uftrace python3
	local how tree="python3 $top_srcdir/test/trace/tree.py"
	for how in execve execvpe fexecve spawn spawnp; do
		runs "$how"
		rm -rf theirs
		uftrace record --no-libcall --no-event -d theirs "$bin/own/runs" "$how" \
			"$bin/own/runs" >/dev/null
		$tree theirs | grep -q ': *told$'
		# It does not know of calls in which nothing was called before an exec.
		diff <($tree theirs | grep -v ' run$') <($tree recording | grep -v ' run$')
	done
	runs execve
	"$whocallme" replay recording | grep -q ' execve('
}

@test "the library came by being linked: nothing is preloaded" {
	observe env WHOCALLME_TRACE=pairs WHOCALLME_OUTPUT=pairs "$bin/linked" execve \
		"$(command -v env)"
	expect_status 127 # env(1) looks for a program "told"
	refute grep -q told pairs
	observe env WHOCALLME_TRACE=pairs WHOCALLME_OUTPUT=pairs "$bin/linked" execve \
		"$bin/linked"
	grep -q 'func = told' pairs
}

@test "what the program sets itself stays; set to nothing, the trace ends" {
	runs execve WHOCALLME_TRACE=
	refute is_carried
	runs execve "LD_PRELOAD=$lib/libwhocallme.so.0"
	is_carried
	[ ! -s "$err" ] || blame "it is preloaded twice"
	runs execve LD_PRELOAD=/nowhere.so
	is_carried
	err_has 'object .*/nowhere.so.* cannot be preloaded'
	runs execve WHOCALLME_TRACE=pairs WHOCALLME_TRACE_FUNCTIONS=leaf
	refute is_carried
	expect_err "__cyg_profile_func_enter: func = leaf, called by = main" \
		"__cyg_profile_func_enter: func = leaf, called by = told"
}

@test "--no-carry: an environment is what the program makes it" {
	rm -rf recording
	observe "$whocallme" trace --no-carry --record=recording "$bin/runs" execve \
		"$bin/runs"
	expect_out '[told] [b] [] [d] 1'
	refute is_carried
	local name
	for name in CARRY SIGNALS; do
		observe env "WHOCALLME_TRACE_$name=perhaps" "$whocallme" trace "$bin/runs"
		expect_err "<whocallme>: nothing is traced: WHOCALLME_TRACE_$name=perhaps \
makes no sense; it takes yes or no"
	done
}

@test "what cannot be run is an error as ever" {
	local how
	for how in $all; do
		[ "$how" != vfork ] || continue
		observe "$whocallme" trace --force --record=recording "$bin/runs" "$how" \
			/nowhere/program
		expect_status 0
		case $how in
			fexecve) continue ;;
			*) expect_out 'No such file or directory' ;;
		esac
	done
	observe "$bin/runs" fexecve /nowhere/program
	cp "$out" plain
	observe "$whocallme" trace --force --record=recording "$bin/runs" fexecve /nowhere/program
	cmp plain "$out"
}

@test "what is run, or cannot be, leaves no blank lines and no calls out of a log" {
	local how mode program
	for how in $all; do
		for program in "$bin/runs" /nowhere/program; do
			rm -f log
			observe timeout -s KILL 30 "$whocallme" trace --log=log "$bin/runs" \
				"$how" "$program"
			refute grep -n '^ *$' log || blame "$how $program: blank lines"
			grep -q '&run$' log
			[ "$program" = /nowhere/program ] || grep -q '&told$' log ||
				blame "$how: not traced"
		done
	done
	for mode in pairs addresses; do
		observe timeout -s KILL 30 env LD_PRELOAD="$lib/libwhocallme.so.0" \
			WHOCALLME_TRACE=$mode WHOCALLME_OUTPUT="$mode" "$bin/runs" execve \
			"$bin/runs"
		refute grep -n '^ *$' "$mode"
	done
	# Calls that are counted only when they are over.
	$CC -O0 -finstrument-functions -o "$bin/counts" -x c - <<'.'
#include <unistd.h>
static void leaf(void) { }
int main(int argc, char *argv[])
{
	for (int i = 0; i < 8; i++)
		leaf();
	execl("/nowhere/program", "program", (char *)0);
	for (int i = 0; i < 8; i++)
		leaf();
	execl("/bin/true", "true", (char *)0);
	return argc + (argv == 0);
}
.
	rm -f log
	observe "$whocallme" trace --log=log "$bin/counts"
	expect_status 0
	refute grep -n '^ *$' log
	diff -u <(printf '%s\n' 1 7 1 7) \
		<(sed -n 's/^FUN.*&leaf$/1/p; s/^FUN.*&leaf x\([0-9]*\),.*/\1/p' log)
}

@test "without a trace an environment that cannot be read is an error as ever" {
	$CC -o "$bin/faulty" -x c - -x none -L"$lib" -Wl,--no-as-needed -lwhocallme \
		-Wl,-rpath,"$lib" <<'.'
#include <errno.h>
#include <unistd.h>
int main(void)
{
	char *const argv[] = { "true", NULL };
	return execve("/bin/true", argv, (char *const *)8) == -1 && errno == EFAULT ? 0 : 1;
}
.
	observe "$bin/faulty"
	expect_status 0
}

@test "a trace that a call has started or ended is not another program's" {
	# shellcheck disable=SC2086 # a list
	$CC -O0 -finstrument-functions -I"$top_srcdir/include" -o "$bin/calling" \
		-x c - $shared_libs <<'.'
#include <unistd.h>
#include <whocallme.h>
int main(int argc, char *argv[])
{
	const struct wcm_trace_options options = { .mode = WCM_TRACE_PAIRS };
	char *const made[] = { "OWN=1", NULL };
	if (argc > 1)
		wcm_trace_stop();
	else
		wcm_trace_start(&options);
	return execve("/usr/bin/env", (char *const[]){ "env", NULL }, made);
}
.
	observe "$bin/calling"
	expect_out OWN=1
	observe env WHOCALLME_TRACE=pairs "$bin/calling"
	expect_out OWN=1
	observe env WHOCALLME_TRACE=pairs "$bin/calling" stop
	expect_out OWN=1
}

@test "env -i in a script, and programs that an interpreter runs in its own way" {
	needs python3
	observe "$whocallme" trace --pairs -f sh -c "env -i '$bin/runs' told"
	expect_out "[told] 0"
	err_has 'func = told'
	observe "$whocallme" trace --pairs -f python3 -c "import subprocess
subprocess.run(['$bin/runs', 'told'], env={})"
	expect_out "[told] 0"
	err_has 'func = told'
}

@test "what cannot be run is 127 or 126, and an interpreter that is missing is named" {
	local status_of
	mkdir directory
	printf '#!/bin/sh\n' >plain
	printf '#!/nowhere/sh -e\n' >missing
	printf '#!./missing\n' >nested
	printf '#!/bin/sh\r\n' >returns
	printf '#!%s\n' "$PWD/directory" >strange
	$CC -Wl,--dynamic-linker=/nowhere/ld.so -finstrument-functions -o linker -x c - \
		<<<'int main(void) { return 0; }'
	python3 -c 'import sys
elf = bytearray(open(sys.argv[1], "rb").read())
elf[18:20] = b"\xb7\0" # e_machine, AArch64
open("other", "wb").write(elf)' "$bin/runs"
	chmod +x missing nested returns strange other
	for status_of in 'none=127=No such file or directory' \
		'plain=126=Permission denied' 'directory=126=Permission denied' \
		'missing=126=its interpreter /nowhere/sh: No such file or directory' \
		'nested=126=its interpreter /nowhere/sh: No such file or directory' \
		'returns=126=its interpreter /bin/sh\x0d: No such file or directory' \
		"strange=126=its interpreter $PWD/directory: Permission denied" \
		'linker=126=its interpreter /nowhere/ld.so: No such file or directory'; do
		IFS='=' read -r name code words <<<"$status_of"
		observe "$whocallme" trace "./$name"
		expect_status "$code"
		expect_err "whocallme trace: ./$name: $words"
	done
	observe "$whocallme" trace ./other
	expect_status 126
	err_has 'it is for another kind of machine than the library$'
}

@test "a set-user-ID program, run by an ordinary user: it says that it cannot" {
	[ "$(id -u)" = 0 ] || skip "only root can be another user"
	needs setpriv
	local place=$BATS_RUN_TMPDIR.nobody
	mkdir -m 755 "$place"
	cp "$bin/runs" "$place/runs"
	as_nobody() { setpriv --reuid=65534 --regid=65534 --clear-groups "$@"; }
	if ! as_nobody "$whocallme" --version >"$place/version" 2>&1; then
		rm -r "$place"
		skip "another user cannot run this build"
	fi
	observe as_nobody "$whocallme" trace --pairs "$place/runs"
	err_has 'func = leaf'
	chmod 4755 "$place/runs"
	observe as_nobody "$whocallme" trace --pairs "$place/runs"
	rm -r "$place"
	expect_status 126
	expect_err "whocallme trace: $place/runs cannot be run with a trace: it is set-user-ID or \
otherwise privileged, and such a program ignores LD_PRELOAD"
}

@test "what of a filter matches nothing is said by the program, not by what it runs" {
	local how
	for how in spawn vfork execve; do
		observe "$whocallme" trace --functions=nobody "$bin/runs" "$how" "$bin/runs"
		[ "$(grep '^<' "$err")" = \
			'<whocallme>: no function that was called matches --functions=nobody' ]
	done
	# Where a shell runs the program, it does.
	observe "$whocallme" trace -f --functions=nobody sh -c "ls; '$bin/runs'; ls"
	[ "$(grep -c '^<' "$err")" -eq 1 ]
	$CC -finstrument-functions -o shells -x c - <<<'#include <stdlib.h>
int main(void) { return system("ls; ls; ls"); }'
	observe "$whocallme" trace --functions=nobody ./shells
	[ "$(grep -c '^<' "$err")" -eq 1 ]
}

@test "behind a filter of the program's what it runs is without the library, which is said" {
	not_sanitized "its runtime calls what the filter kills for"
	$CC -w -O1 -o "$bin/refuses" "$programs/system_refuses.c" || skip "it is x86-64's"
	local mode
	observe "$bin/refuses" runs true
	expect_status 0
	for mode in run "run --flight" "trace --force --log=$bin/l" "trace --force --graph=$bin/g" \
		"trace --force --no-signals --record=$bin/r" "trace --system-calls --log=$bin/l"; do
		rm -rf "$bin"/[lgr]
		# shellcheck disable=SC2086 # a list
		observe env OTHER=1 "$whocallme" $mode -- "$bin/refuses" runs env
		expect_status 0
		grep -q '^OTHER=1$' "$out"
		refute grep -E '^LD_PRELOAD=.*whocallme|^WHOCALLME_TRACE=' "$out"
		err_has '^<whocallme>: what is run now is without the library: the program filters'
	done
}
