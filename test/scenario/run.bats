#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# run.bats - whocallme run: any program says what killed it, and is otherwise as
# it was.

load support

setup_file()
{
	bin=$BATS_FILE_TMPDIR
	compile "$bin/unaware.o" "$programs/crash.c" -O0 -DUNAWARE \
		-fno-omit-frame-pointer
	$CC -o "$bin/unaware" "$bin/unaware.o" -lpthread
	compile "$bin/later.o" "$programs/chains.c" -O0 -DUNAWARE
	$CC -o "$bin/later" "$bin/later.o" -lpthread
	$CC -static -nostdlib -Wl,-e,main -o "$bin/static" -x c - <<<'int main(void) { return 0; }'
	printf '#!%s\n' "$bin/static" >"$bin/static.sh"
	printf '#!/bin/sh\nexit 9\n' >"$bin/script"
	printf 'exit 8\n' >"$bin/shebangless"
	echo text >"$bin/text"
	chmod +x "$bin/static.sh" "$bin/script" "$bin/shebangless"
}

setup()
{
	ulimit -S -c 0
	not_sanitized "its runtime must be loaded first"
	unset LD_PRELOAD
	cd "$BATS_TEST_TMPDIR"
}

run_it()
{
	observe timeout -s KILL 30 "$whocallme" run "$@"
}

# setting NAME VALUE COMMAND...: observe it with WHOCALLME_NAME=VALUE and the
# library preloaded.
setting()
{
	local assignment=WHOCALLME_$1=$2
	shift 2
	observe env LD_PRELOAD="$lib/libwhocallme-preload.so" "$assignment" "$@"
}

report='^<whocallme>: unaware: SIGSEGV, segmentation fault: '

@test "the status is the program's own, its output as it was" {
	run_it sh -c 'echo out; echo err >&2; exit 7'
	expect_status 7
	expect_out out
	expect_err err
	run_it -- true
	expect_status 0
	run_it "$bin/script"
	expect_status 9
	run_it "$bin/shebangless"
	expect_status 8
}

@test "a crash: the report, and the shell sees the signal" {
	run_it "$bin/unaware" null_read
	expect_status 139
	err_has "$report"
	err_has '^#0 0x[0-9a-f]{16} in .*unaware'
	run_it "$bin/unaware" abort
	expect_status 134
	err_has '^<whocallme>: unaware: SIGABRT, '
}

@test "a relative program: its report can be resolved from another directory" {
	local resolved
	cd "$bin"
	run_it ./unaware null_read
	expect_status 139
	err_has "^#0 .*\($bin/unaware\+0x[0-9a-f]+\)$"
	cd /
	resolved=$(grep -vE '^(   |	)' "$err" | "$whocallme" resolve -)
	grep -E '^   .* at .*/crash\.c:[0-9]+' <<<"$resolved" || blame "$resolved"
}

@test "options end where the program begins" {
	run_it echo --json -- --help
	expect_status 0
	expect_out '--json -- --help'
	run_it -- echo --no-children
	expect_out '--no-children'
}

@test "what cannot be run: 127, 126, 125 and 2, with a word each" {
	run_it no-such-program-at-all
	expect_status 127
	expect_err 'whocallme run: no-such-program-at-all: No such file or directory'
	run_it ./none/none
	expect_status 127
	run_it ''
	expect_status 127
	run_it "$bin/text"
	expect_status 126
	expect_err "whocallme run: $bin/text: Permission denied"
	run_it "$bin"
	expect_status 126
	WHOCALLME_PRELOAD=/none run_it true
	expect_status 125
	err_has '^whocallme run: libwhocallme-preload\.so: not found; '
	PATH=$bin observe "$whocallme" run text
	expect_status 126
}

@test "usage errors: status 2, a word on stderr, nothing on stdout" {
	local line
	local -a arguments
	for line in '' '--nonsense true' '--file' '--file= true' '--file=%d true' \
		'--file=a% true' '--sections=stack,nonsense true' \
		'--sections= true' '--sections=stack, true' '--deadline=x true' \
		'--deadline=0 true' '--deadline=-1 true' '--deadline=1e3 true' \
		'--deadline=nan true' '--no-stderr true' '--append true' '--json=yes true'; do
		read -r -a arguments <<<"$line"
		run_it "${arguments[@]}"
		expect_status 2 || blame "arguments: $line"
		[ -s "$err" ] && [ ! -s "$out" ] || blame "arguments: $line"
	done
}

@test "a helper that cannot be run: it says why" {
	run_it --helper=/nonexist true
	expect_status 2
	expect_err 'whocallme run: --helper=/nonexist: No such file or directory'
	run_it --helper="$bin" true
	expect_err "whocallme run: --helper=$bin: Is a directory"
	run_it --helper="$bin/text" true
	expect_err "whocallme run: --helper=$bin/text: Permission denied"
}

@test "a static program: it says that it cannot" {
	local program
	for program in static static.sh; do
		run_it "$bin/$program"
		expect_status 126
		expect_err "whocallme run: $bin/$program cannot be run with a crash report: it is linked statically and loads no library"
	done
}

@test "a set-user-ID program: it says that it cannot; preloaded, it is left alone" {
	[ "$(id -u)" = 0 ] || skip "only root can give a file away"
	cp "$bin/unaware" privileged
	chown 65534:65534 privileged
	chmod u+s privileged
	run_it ./privileged null_read
	expect_status 126
	expect_err 'whocallme run: ./privileged cannot be run with a crash report: it is set-user-ID or otherwise privileged, and such a program ignores LD_PRELOAD'
	# In secure-execution mode a path in LD_PRELOAD is not even looked at.
	WHOCALLME_FILE=$PWD/report setting STDERR no ./privileged null_read
	expect_status 139
	[ ! -e report ]
	err_lacks '^<whocallme>'
	chmod u-s,g+s privileged
	run_it ./privileged null_read
	expect_status 126
	chmod g-s privileged
	run_it ./privileged null_read
	expect_status 139
	err_has "<whocallme>: privileged: SIGSEGV"
}

@test "--file: relative to where it was asked for, signs and all" {
	mkdir 'a%p' elsewhere
	cd 'a%p'
	run_it --file=report-%e-%% sh -c "cd ../elsewhere && exec '$bin/unaware' null_read"
	expect_status 139
	err_has "$report"
	grep -E "$report" report-unaware-%
	run_it -f ../absolute.%p "$bin/unaware" null_read
	run_it -f "$BATS_TEST_TMPDIR/absolute.%p" "$bin/unaware" null_read
	[ "$(cat ../absolute.* | grep -c -E "$report")" -eq 2 ]
}

@test "a folder that is not there is said at the start: 125" {
	run_it --file=none/report touch ran
	expect_status 125
	expect_err "whocallme run: $PWD/none/report: No such file or directory"
	run_it --file=none/%e/report touch ran
	[ "$status" -eq 0 ] || blame "only the program knows its name"
	rm ran
	run_it --file=none/%e-report touch ran
	expect_status 125
	run_it --file=. touch ran
	expect_status 125
	err_has ': Is a directory$'
	WHOCALLME_FILE=/none/x run_it touch ran
	expect_status 125
	[ ! -e ran ] || blame "it ran"
}

@test "a file that is there already is said at the start: 125, and is as it was" {
	echo mine >report
	ln -s nowhere link
	local file
	for file in report link; do
		run_it --file="$file" touch ran
		expect_status 125
		err_has "^whocallme run: $PWD/$file: it is there already, .*--append"
	done
	WHOCALLME_FILE=$PWD/report run_it touch ran
	expect_status 125
	[ "$(cat report)" = mine ] && [ ! -e nowhere ] || blame "it was written to"
	[ ! -e ran ] || blame "it ran"
	# What the name will be is not known yet.
	run_it --file=%e touch ran
	expect_status 0
	run_it --append --file=report "$bin/unaware" null_read
	expect_status 139
	[ "$(head -n 1 report)" = mine ] && grep -E "$report" report
}

@test "--no-stderr: the file alone" {
	run_it --file=report --no-stderr "$bin/unaware" null_read
	expect_status 139
	[ ! -s "$err" ] || blame "stderr is not empty"
	grep -E "$report" report
	# But that there is no file is told.
	rm report
	run_it --file=report --no-stderr sh -c "touch report; exec '$bin/unaware' null_read"
	expect_status 139
	expect_err "<whocallme>: $PWD/report: there is such a file already"
}

@test "each option is a variable" {
	run_it -f /tmp/%p -n -j -s stack,code -d 2.5 -q -c -C env
	expect_status 0
	refute grep -E '^(LD_PRELOAD|WHOCALLME_)' "$out"
	run_it -f /tmp/%p -n -j -s stack,code -d 2.5 -q -c -L --no-arguments env
	grep '^WHOCALLME_' "$out" | sort >variables
	diff -u - variables <<-END
		WHOCALLME_ARGUMENTS=no
		WHOCALLME_CHAIN=first
		WHOCALLME_DEADLINE=2.5
		WHOCALLME_FILE=/tmp/%p
		WHOCALLME_FORMAT=json
		WHOCALLME_HELPER=no
		WHOCALLME_QUIT=yes
		WHOCALLME_SECTIONS=stack,code
		WHOCALLME_STDERR=no
	END
	out_has "^LD_PRELOAD=$lib/libwhocallme-preload\.so$"
}

@test "what is preloaded already stays so, behind us" {
	local libc
	libc=$(ldd "$bin/unaware" | awk '$1 ~ /^libc\./ { print $3 }')
	LD_PRELOAD=$libc run_it env
	out_has "^LD_PRELOAD=$lib/libwhocallme-preload\.so:$libc$"
	LD_PRELOAD=$libc run_it --no-children env
	out_has "^LD_PRELOAD=$libc$"
}

@test "children: they report as well, or not" {
	run_it sh -c "'$bin/unaware' null_read; exit 3"
	expect_status 3
	err_has "$report"
	run_it --no-children sh -c "'$bin/unaware' null_read; exit 3"
	expect_status 3
	err_lacks '<whocallme>'
}

@test "--chain-first and --deadline are taken" {
	run_it --chain-first --deadline=0.5 "$bin/unaware" null_read
	expect_status 139
	err_has "$report"
	err_lacks 'ignored'
}

# later ACTION: a program sets it for SIGSEGV when ours has long been there.
later()
{
	run_it "$bin/later" "$1" -
}

# There are that many reports.
reported()
{
	local count
	count=$(grep -c '^<whocallme>: later: SIG' "$err") || true
	[ "$count" -eq "$1" ] || blame "$count reports, not $1"
}

@test "a handler that comes later: one that gives up is followed by the report" {
	later give-up
	expect_status 139
	expect_out 'giving up'
	reported 1
	err_has ': SIGSEGV, segmentation fault: '
	err_has ' in __libc_start_main\+'
	later resend
	expect_status 139
	expect_out "on the thread's stack"
	reported 1
	err_has ' in __libc_start_main\+'
	later resend-onstack
	expect_status 139
	expect_out 'on the alternate stack'
	reported 1
	err_has ': SIGSEGV, segmentation fault: access not permitted, '
	later resethand
	expect_status 139
	expect_out once
	reported 1
}

@test "a handler that comes later: what it repairs or leaves is not reported" {
	later repair
	expect_status 0
	expect_out "repaired 20 times, still ours"
	reported 0
	later leave
	expect_status 134
	expect_out 'left 3 times'
	reported 1
	err_has ': SIGABRT, '
	later replaced
	expect_status 0
	expect_out 'repaired 2000 times'
	reported 0
}

@test "a handler that comes later: called as the kernel calls it" {
	later plain
	expect_status 43
	expect_out 'plain 11' 'SEGV 1 USR1 1 USR2 0'
	later nodefer
	expect_status 43
	expect_out 'plain 11' 'SEGV 0 USR1 1 USR2 0'
	later siginfo
	expect_status 43
	[[ $(sed -n 1p "$out") =~ ^siginfo\ 11\ 2\ 0x[0-9a-f]+000\ 1$ ]] ||
		blame "another siginfo"
	reported 1
}

@test "the default, set later, is reported; what is ignored is, if it is a fault" {
	later default
	expect_status 139
	reported 1
	later ignore
	expect_status 139
	reported 1
	later ignore-sent
	expect_status 0
	expect_out alive
	reported 0
}

@test "a program sees its own actions, and is told what it would be without us" {
	observe "$bin/later" query -
	expect_status 0
	mv "$out" without
	later query
	expect_status 0
	diff -u without "$out"
	expect_out 'default default plain 1 1 plain ignore default' \
		'default default plain 1 1 plain ignore default' \
		'default default plain 1 1 plain ignore default'
}

@test "what a child of vfork sets is its own" {
	later vfork
	expect_status 43
	expect_out 'plain 11' 'SEGV 1 USR1 1 USR2 0'
}

# wait_for FILE EXPRESSION: until a line of it matches.
wait_for()
{
	local try
	for ((try = 0; try < 200; try++)); do
		! grep -q -E -- "$2" "$1" || return 0
		sleep 0.05
	done
	echo "$1 lacks: $2" && cat "$1" && return 1
}

@test "--on-quit: the stacks of all threads, and the program goes on" {
	local pid
	"$whocallme" run --on-quit "$bin/unaware" waits >started 2>stacks 3>&- &
	pid=$!
	wait_for started waiting
	kill -QUIT "$pid"
	wait_for stacks "^#0 0x[0-9a-f]{$digits} in "
	wait_for stacks ' in __libc_start_main\+'
	kill -0 "$pid"
	kill -TERM "$pid"
	status=0
	wait "$pid" || status=$?
	[ "$status" -eq 143 ]
	refute grep SIG stacks
}

# Functions of 110 names, of which as many are called as the argument says: nothing is folded.
deep_program()
{
	local i
	echo '#include <stdlib.h>'
	echo 'int f111(int n, int *p) { return n + *p; }'
	for ((i = 110; i > 0; i--)); do
		printf '__attribute__((noinline)) int f%d(int n, int *p)\n' "$i"
		printf '{ return n > 0 ? f%d(n - 1, p) + 1 : *p; }\n' $((i + 1))
	done
	echo 'int main(int argc, char *argv[]) { return f1(atoi(argv[argc - 1]), NULL); }'
}

@test "of a stack of up to 96 frames none is left out; of a longer one the others are counted" {
	local calls frames left
	in_place_to_die
	deep_program >deep.c
	$CC -O1 -o deep deep.c
	for calls in {57..63} {89..96}; do
		observe "$whocallme" run --sections=stack ./deep "$calls"
		frames=$(($(sed -n 's/^#\([0-9]*\) .*/\1/p' "$err" | tail -n 1) + 1))
		left=$(sed -n 's/^(\([0-9]*\) frames* left out)$/\1/p' "$err")
		[ "${left:-0}" -eq $((frames > 96 ? frames - 96 : 0)) ] ||
			blame "of $frames frames ${left:-none} are left out"
		diff <(sed -n 's/^#\([0-9]*\) .*/\1/p' "$err") \
			<(seq 0 $((frames - 1)) | awk -v left="${left:-0}" \
				'!left || $1 < 64 || $1 >= 64 + left') || blame "of $frames frames"
	done
}

@test "a value that makes no sense: a line on stderr, and the default" {
	local name takes
	while read -r name takes; do
		setting "$name" 'a b' "$bin/unaware" null_read
		expect_status 139
		[ "$(sed -n 1p "$err")" = \
			"<whocallme>: WHOCALLME_$name=a b is ignored; it takes $takes" ] ||
			blame "about $name"
		[ "$(grep -c ignored "$err")" -eq 1 ]
		err_has "$report"
	done <<-END
		FORMAT text or json
		SECTIONS stack, registers, code, threads, modules, program, calls, thread-calls, between commas, or all
		DEADLINE seconds from 0.001 to 1000000
		STDERR yes, no or any
		QUIT yes or no
		CHAIN first or last
		APPEND yes or no
		CHILDREN yes or no
	END
	setting FILE 'report%d' "$bin/unaware" null_read
	expect_status 139
	err_has '^<whocallme>: WHOCALLME_FILE is ignored; '
	err_has "$report"
	setting STDERR no "$bin/unaware" null_read
	err_has '^<whocallme>: WHOCALLME_STDERR=no is ignored; there is no WHOCALLME_FILE$'
	err_has "$report"
}

@test "values that say the default, and empty ones" {
	local pair
	for pair in FORMAT=text STDERR=yes QUIT=no CHAIN=last CHILDREN=yes \
		SECTIONS=all FILE= FORMAT= SECTIONS= DEADLINE= STDERR= QUIT= \
		CHAIN= CHILDREN=; do
		setting "${pair%%=*}" "${pair#*=}" "$bin/unaware" null_read
		expect_status 139
		err_lacks ignored
		err_has "$report"
	done
}

@test "a trace variable is none of its business" {
	WHOCALLME_TRACE=pairs run_it --no-children env
	out_has '^WHOCALLME_TRACE=pairs$'
}

@test "run --help and whocallme-environment(7) have the same options and variables" {
	local page=$manual/whocallme-environment.7 name
	observe "$whocallme" run --help
	expect_status 0
	out_has '^Usage: whocallme run '
	for name in FILE APPEND FORMAT SECTIONS DEADLINE STDERR QUIT CHAIN CHILDREN; do
		grep -q "^\.B.* WHOCALLME_$name\$" "$page" ||
			blame "whocallme-environment(7) lacks WHOCALLME_$name"
		# As the end of another string, too: linkers share those.
		strings "$lib/libwhocallme-preload.so" | grep -q "$name\$"
	done
}
