#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# lines_crash.bats - a report has the lines of its frames below them, or behind it those that
# came too late, or one line that says why not, and the death is the same.

load support

setup_file()
{
	bin=$BATS_FILE_TMPDIR
	build lined lined.c -O2
	compile "$bin/unaware.o" "$programs/lined.c" -O2 -DUNAWARE
	$CC -o "$bin/unaware" "$bin/unaware.o" -lpthread
	helper answers_nothing 'while read -r question; do echo; done'
	helper knows_nothing \
		'while read -r question; do printf "??\n??:0:0\n\n"; done'
	helper dies 'read -r question'
	helper dies_loudly 'printf "no \033lib here\nat all\n" >&2; exit 127'
	helper dies_later \
		'read -r question; printf "f\nf.c:7:0\n\n"; read -r question;
		 printf "f\nf.c:7:0\n\n"; read -r question'
	helper hangs "echo \$\$ >>$bin/pids; sleep 1000 & echo \$! >>$bin/pids; wait"
	helper lies 'read -r question; printf "no\nanswer\n\n"'
	helper says_much 'read -r question; yes | head -c 1073741824'
	helper complains \
		'while read -r question; do printf "! it is stale\n??\n??:0:0\n\n"; done'
	echo text >"$bin/text"
}

# helper NAME SCRIPT: a helper of our own.
helper()
{
	printf '#!/bin/bash\n%s\n' "$2" >"$bin/$1"
	chmod +x "$bin/$1"
}

setup()
{
	ulimit -S -c 0
	cd "$BATS_TEST_TMPDIR"
	export WHOCALLME_HELPER=$whocallme
	unset WHOCALLME_FILE
}

died()
{
	observe timeout -s KILL 30 "$bin/lined" "$@"
	expect_status 139
	err_has '^<whocallme>: lined: SIGSEGV, '
}

# died_with HELPER REASON: the whole report, and one line behind it.
died_with()
{
	local helper=$1 reason=$2
	shift 2
	died outer "helper=$helper" "$@"
	err_has '^#0 0x[0-9a-f]{16} in '
	err_has '^modules:$'
	[ "$(grep -c ' source lines:' "$err")" -eq 1 ] || blame "not one line about lines"
	tail -n 1 "$err" | grep -E -x -- "<whocallme>: no source lines: $reason" ||
		blame "the reason is not: $reason"
}

# The functions and lines of the crashed thread, main the last: "outer lined.c:33".
our_lines()
{
	sed '/^thread /,$d; /^[0-9]* threads /,$d; /^\t/d' "$1" |
		sed -n -e 's/^#[0-9]* \(<signal handler called>\)$/\1/p;t' \
			-e 's/^   \([^ ]*\) at .*\/\([^/:]*:[0-9]*\).*/\1 \2/p' | up_to "main .*"
}

# The same of gdb, whose inlined functions are frames.
gdb_lines()
{
	timeout 60 gdb -nx -batch -iex 'set debuginfod enabled off' \
		-ex 'set width 0' -ex 'set startup-with-shell off' \
		-ex 'handle SIGUSR1 nostop noprint pass' -ex run -ex bt \
		--args "$@" </dev/null 2>&1 | tee "$BATS_TEST_TMPDIR/gdb" |
		sed -n -e 's/^#[0-9]* *\(<signal handler called>\).*/\1/p;t' \
			-e 's/^#[0-9]* *\(0x[0-9a-f]* in \)\{0,1\}\([^ ]*\) (.*) at .*\/\([^/:]*:[0-9]*\)$/\2 \3/p' \
			-e 's/^#[0-9]* *\(0x[0-9a-f]* in \)\{0,1\}\([^ ]*\) (.*) at \([^/:]*:[0-9]*\)$/\2 \3/p' |
		up_to "main .*"
}

up_to()
{
	sed "/^$1\$/q"
}

# The lines are those of gdb.  It calls functions of libc by other aliases.
same_lines()
{
	needs gdb
	died "$1"
	our_lines "$err" | grep -E 'lined\.c|signal handler' >ours
	gdb_lines "$bin/lined" "$1" no_lines | grep -E 'lined\.c|signal handler' >gdbs
	[ "$(wc -l <ours)" -ge "$2" ] || blame "not $2 lines"
	diff -u gdbs ours
}

@test "lines and inlined functions are those that gdb sees" {
	same_lines outer 4
	same_lines in_handler 7
	err_has '^   between at .*/lined\.c:[0-9]+:[0-9]+ \(inlined\)$'
}

@test "the lines are below the frames, and the stack comes first" {
	died outer
	err_lacks ' source lines:'
	sed -n '3,/^   main at /p' "$err" >stack
	refute grep -vE '^(#[0-9]+ |   |	)' stack
	awk '/^#0 / { getline; if ($0 !~ /^   innermost at .*lined.c:[0-9]+:[0-9]+ \(inlined\)$/) exit 1
		n++ } /^(program:|registers:|modules:|read of )/ { order = order $1 }
		END { exit !(n == 1 && order == "readprogram:registers:modules:") }' "$err"
}

# dawdles: a helper that answers the first question after SECONDS, those behind the report at
# once.
@test "lines that are late follow behind the whole report" {
	helper dawdles "[ -e $bin/tried ] || { : >$bin/tried; read -r question; sleep 20; }
		while read -r question; do printf 'f\nf.c:7:0\n\n'; done"
	died outer "helper=$bin/dawdles" deadline=4000
	sed -n '/^modules:$/,$p' "$err" | grep '^<whocallme>: source lines:$'
	sed '1,/^<whocallme>: source lines:$/d' "$err" | grep -x '#0 f at f\.c:7'
	rm "$bin/tried"
	died outer "helper=$bin/dawdles" deadline=4000 "file=$PWD/late"
	sed '1,/^<whocallme>: source lines:$/d' late | grep -x '#0 f at f\.c:7'
	sed '1,/^<whocallme>: source lines:$/d' "$err" | grep -x '#0 f at f\.c:7'
}

@test "source text of the innermost frames" {
	died outer
	grep -F "*(volatile int *)(uintptr_t)zero;" "$err" || blame "no text"
	observe "$bin/lined" gives_up
	expect_status 134
	grep -F "abort();" "$err" || blame "no text"
}

@test "other threads have them, too" {
	died beside_another
	sed -n '/^thread [0-9]* "/,/^registers:/p' "$err" |
		grep -E '^   waits at .*/lined\.c:' || blame "no lines of it"
}

@test "the file has them as well, or alone" {
	died outer "file=$PWD/report"
	diff -u "$err" report
	rm report
	died_alone
}

died_alone()
{
	observe timeout -s KILL 30 "$bin/lined" outer "file=$PWD/report" file_only
	expect_status 139
	[ ! -s "$err" ]
	grep '^   innermost at ' "$PWD/report"
}

@test "preloaded, and run" {
	not_sanitized "its runtime must be loaded first"
	observe env LD_PRELOAD="$lib/libwhocallme-preload.so" "$bin/unaware" outer
	expect_status 139
	err_has '^   innermost at .*lined\.c:[0-9]+:[0-9]+ \(inlined\)$'
	unset WHOCALLME_HELPER
	observe "$whocallme" run "$bin/unaware" outer
	expect_status 139
	err_has '^   innermost at .*lined\.c:[0-9]+:[0-9]+ \(inlined\)$'
	observe "$whocallme" run --no-lines "$bin/unaware" outer
	err_lacks ' source lines:'
	observe "$whocallme" run --helper="$bin/dies" "$bin/unaware" outer
	err_has "^<whocallme>: no source lines: $bin/dies: it has ended$"
	observe "$whocallme" run --helper="$bin/missing" "$bin/unaware" outer
	expect_status 2
}

@test "it can be turned off; JSON has none" {
	WHOCALLME_HELPER=no died outer
	err_lacks ' source lines:'
	died outer no_lines
	err_lacks ' source lines:'
	observe "$bin/lined" outer json
	expect_status 139
	python3 -c 'import json, sys; json.loads(sys.stdin.read())' <"$err"
}

@test "a path of the time of the install" {
	cp "$bin/knows_nothing" here
	WHOCALLME_HELPER=here died outer
	err_has 'no debug data describes these frames$'
	died outer helper=./here
	err_has 'no debug data describes these frames$'
}

@test "what the environment said at the start, of a program that has overwritten it since" {
	cat >"$bin/retitled.c" <<-'C'
		#include <whocallme.h>
		#include <stdlib.h>
		#include <string.h>
		int main(int argc, char *argv[])
		{
			char *end = argv[argc - 1];
			for (char **each = environ; *each; each++)
				end = *each + strlen(*each);
			if (argc > 1)
				setenv("WHOCALLME_HELPER", "no", 1);
			else
				memset(argv[0], 'x', (size_t)(end - argv[0]));
			wcm_crash_install(0);
			*(volatile int *)0 = 1;
		}
	C
	build retitled "$bin/retitled.c" -D_GNU_SOURCE -include unistd.h
	WHOCALLME_HELPER=$bin/missing observe "$bin/retitled"
	err_has "^<whocallme>: no source lines: $bin/missing: no such file"
	WHOCALLME_HELPER=no observe "$bin/retitled"
	err_lacks 'main at '
	WHOCALLME_HELPER=$whocallme observe "$bin/retitled" set
	err_lacks 'main at '
}

@test "options that make no sense are refused" {
	observe "$bin/lined" outer helper=
	expect_status 3
	observe "$bin/lined" outer "helper=/$(printf '%05000d' 0)"
	expect_status 3
}

@test "a helper that is missing, or is no program" {
	died_with "$bin/missing" "$bin/missing: no such file; WHOCALLME_HELPER .*"
	died_with "$bin/text" "$bin/text: permission denied"
	chmod +x "$bin/text"
	died_with "$bin/text" "$bin/text: not a program of this machine"
}

@test "a helper that knows nothing" {
	died_with "$bin/knows_nothing" 'no debug data describes these frames'
	died_with "$bin/answers_nothing" 'no debug data describes these frames'
}

@test "a helper that dies, at once or later" {
	died_with "$bin/dies" "$bin/dies: it has ended"
	died_with "$bin/dies_loudly" \
		"$bin/dies_loudly: it has ended: no \\?lib here"
	died outer "helper=$bin/dies_later"
	err_has '^   f at f\.c:7$'
	tail -n 1 "$err" | grep -x "<whocallme>: no more source lines: .*: it has ended"
}

@test "a helper that says what is no answer, or 1 GiB of it" {
	died_with "$bin/lies" "$bin/lies: what it says is no answer"
	died_with "$bin/says_much" "$bin/says_much: what it says is no answer"
}

@test "what is wrong with a file is said" {
	died outer "helper=$bin/complains"
	err_has '^   \(it is stale\)$'
	tail -n 1 "$err" | grep 'no debug data describes these frames$'
}

@test "a helper that hangs: not beyond the deadline, and nothing of it is left" {
	local start=$SECONDS pid
	died_with "$bin/hangs" "$bin/hangs: no answer in time; .*" deadline=1000
	[ $((SECONDS - start)) -le 3 ]
	# Once for the frames, and perhaps once for what was late: each notes two.
	[ "$(wc -l <"$bin/pids")" -ge 2 ] && [ "$(wc -l <"$bin/pids")" -le 4 ]
	while read -r pid; do
		timeout 10 sh -c "while kill -0 $pid; do sleep 0.1; done" 2>&1
	done <"$bin/pids"
}

@test "a callback comes behind the lines, also of a helper that hangs" {
	died outer callback
	tail -n 1 "$err" | grep -x 'called back'
	died outer callback "helper=$bin/hangs" deadline=1000
	tail -n 1 "$err" | grep -x 'called back'
	grep 'no answer in time' "$err"
}

@test "a program with privileges of its own starts no helper" {
	not_sanitized "its runtime obeys no options in a privileged program"
	[ "$(id -u)" -eq 0 ] || skip "only root can make one of another user"
	id nobody >/dev/null || skip "there is no nobody"
	cp "$bin/lined" "$BATS_RUN_TMPDIR/privileged"
	chmod 755 "$BATS_RUN_TMPDIR"
	chown nobody "$BATS_RUN_TMPDIR/privileged"
	chmod 4755 "$BATS_RUN_TMPDIR/privileged"
	observe "$BATS_RUN_TMPDIR/privileged" outer
	[ "$status" -ne 126 ] && [ "$status" -ne 127 ] ||
		skip "it cannot be run: $(cat "$err")"
	expect_status 139
	err_lacks ' source lines:'
}

# arranged ARGUMENT...: as died, where there is seccomp.
arranged()
{
	observe timeout -s KILL 30 "$bin/lined" outer "$@"
	[ "$status" -ne 77 ] || skip "seccomp is not to be had here"
	expect_status 139
	err_has '^#0 0x[0-9a-f]{16} in '
	err_has '^modules:$'
}

@test "no file may be open any more: the report comes out, and why it has no lines" {
	not_sanitized "its runtime opens files"
	arranged no_files
	tail -n 1 "$err" | grep -E 'no source lines: .*: too many files are open$'
}

@test "no waiting, no clock: the report and the lines come out" {
	not_sanitized "its runtime needs them"
	local what
	for what in no_ppoll no_clock; do
		arranged "$what"
		err_has '^   innermost at '
	done
}

@test "no waiting, and a helper that hangs: not beyond the deadline" {
	not_sanitized "its runtime needs it"
	local start=$SECONDS
	died_with "$bin/hangs" "$bin/hangs: no answer in time; .*" deadline=1000 no_ppoll
	[ $((SECONDS - start)) -le 3 ]
}
