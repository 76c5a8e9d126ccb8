#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# crash.bats - a program that dies says how, and dies of it all the same.

load support

setup_file()
{
	bin=$BATS_FILE_TMPDIR
	build crash crash.c -O0 -fno-omit-frame-pointer
	compile "$bin/unaware.o" "$programs/crash.c" -O0 -DUNAWARE \
		-fno-omit-frame-pointer
	$CC -o "$bin/unaware" "$bin/unaware.o" -lpthread
	$CC -o "$bin/waiting" "$programs/waiting.c"
	build core_signals core_signals.c -O0
	$CC -g -DUNAWARE -o "$bin/core_unaware" "$programs/core_signals.c"
}

setup()
{
	ulimit -S -c 0
}

# dies SIGNAL DEATH [OPTION...]: the program dies of SIGNAL, as its parent is
# told, and the report is begun with the signal's name.
dies()
{
	local signal=$1
	shift
	observe timeout 60 "$bin/waiting" "$bin/crash" "$@"
	died_of "$signal"
	sed -n 1p "$err" | grep -E "^<whocallme>: crash: SIG$signal, " ||
		blame "no report of SIG$signal"
	sed -n 2p "$err" | grep -E '^<whocallme>: process [0-9]+, thread [0-9]+ "[^"]*"$'
	[ "$(grep -c '^<whocallme>' "$err")" -eq 2 ]
}

# The first line of the report is: SIGNAL, ..., CAUSE[, at ADDRESS].
caused_by()
{
	sed -n 1p "$err" | matches "^<whocallme>: crash: SIG[A-Z]+, [a-z -]+: ($1)$" ||
		blame "the cause is not: $1"
}

# The names of the report's frames are those gdb shows at the death.
seen_by_gdb()
{
	local ours
	ours=$(frame_names <"$err")
	expect_same_names "$(gdb_names run -- "$bin/crash" "$1")" "$ours"
}

# check_death SIGNAL DEATH CAUSE: all of that.
check_death()
{
	needs gdb
	dies "$1" "$2"
	caused_by "$3"
	seen_by_gdb "$2"
}

at='at 0x[0-9a-f]{16}'

@test "SIGSEGV: read through NULL" {
	check_death SEGV null_read 'address not mapped, at 0x0000000000000000'
	err_has '^#0 0x[0-9a-f]{16} in null_read\+0x[0-9a-f]+ \(.*/crash\+0x[0-9a-f]+\)$'
}

@test "SIGSEGV: read through a wild pointer" {
	check_death SEGV wild_read 'address not mapped, at 0x0000000012345000'
}

@test "SIGSEGV: an address that is not canonical" {
	[ $arch != i386 ] || skip "all addresses are canonical"
	local cause='address not canonical'
	[ "$arch" = x86_64 ] || cause='sent by the kernel'
	check_death SEGV odd_read "$cause"
}

@test "SIGSEGV: write to code" {
	check_death SEGV write_to_text "access not permitted, $at"
	local address
	address=$(nm "$bin/crash" | awk '$3 == "write_to_text" { print $1 }')
	sed -n 1p "$err" | grep "${address: -3}\$"
}

@test "SIGSEGV: call of NULL; the caller is found" {
	dies SEGV null_call
	caused_by 'call of a NULL function pointer, at 0x0000000000000000'
	err_has '^#0 0x0{16} in \?\?$'
	err_has '^#1 0x[0-9a-f]{16} in null_call\+'
	needs gdb
	seen_by_gdb null_call
}

@test "SIGSEGV: call of a wild pointer" {
	dies SEGV wild_call
	caused_by 'call of an address that is not mapped, at 0x0000000012345000'
	err_has '^#1 0x[0-9a-f]{16} in wild_call\+'
	needs gdb
	seen_by_gdb wild_call
}

@test "SIGSEGV: call of data on the heap" {
	dies SEGV call_of_data
	caused_by "call of an address that is not executable, $at"
	err_has '^#0 0x[0-9a-f]{16} in \?\?$'
	err_has '^#1 0x[0-9a-f]{16} in call_of_data\+'
	# gdb takes the frame pointer for that of no code on i386, and passes over the caller.
	[ $arch != i386 ] || return 0
	needs gdb
	seen_by_gdb call_of_data
}

@test "SIGBUS: a page beyond the file's end" {
	check_death BUS beyond_file "no storage at the address, $at"
}

@test "SIGFPE: division by zero" {
	check_death FPE divide "integer division by zero(, or overflow of one)?, $at"
}

@test "SIGILL: an undefined instruction" {
	local cause='illegal operand'
	case $arch in
	x86_64) cause='the instruction ud2, which always fails' ;;
	i386) cause='the CPU does not take this instruction' ;;
	esac
	check_death ILL undefined "$cause, $at"
}

@test "SIGTRAP: a breakpoint; the frame is the one it stands in" {
	dies TRAP breakpoint
	# x86's kernel does not say where.
	caused_by "breakpoint( instruction|, $at)"
	err_has '^#0 0x[0-9a-f]{16} in breakpoint\+'
	needs gdb
	seen_by_gdb breakpoint
}

@test "SIGABRT: abort()" {
	dies ABRT abort
	caused_by 'abort\(\) was called'
}

@test "arguments are quoted where they could be taken for others, and only there" {
	observe "$bin/crash" abort plain 'two words' '' 'a"b'
	err_has '^arguments: .*crash abort plain "two words" "" "a\\x22b"$'
	observe "$bin/crash" abort plain ''
	err_has '^arguments: .*crash abort plain ""$'
}

@test "each cause of a signal that has several: by the instruction and its operands" {
	[ "$arch" = x86_64 ] || skip "instructions are not taken apart on this CPU"
	not_sanitized "its runtime must be loaded first"
	local name signal cause line wrong= judged=0
	$CC -w -O1 -mno-red-zone -o "$bin/causes" "$programs/fault_causes.c"
	"$bin/causes" >"$bin/list"
	[ "$(wc -l <"$bin/list")" -gt 120 ]
	while read -r name signal cause; do
		preload env WHOCALLME_SECTIONS=stack "$bin/causes" "$name"
		[ "$status" -ne 77 ] || continue # not on this machine
		judged=$((judged + 1))
		line="^<whocallme>: causes: SIG$signal, [a-zA-Z -]*: $cause\(, at 0x[0-9a-f]*\(, .*\)*\)*\$"
		# The program knows which address it accesses.
		{ sed -n 1p "$err" | grep -q "$line" &&
			{ grep -qx -e - "$out" || grep -E "^(read of|write to|execution of|access to) " "$err" |
				grep -qF " $(cat "$out"): "; } &&
			grep -q "^#[0-3] .* in $name+" "$err"; } ||
			wrong+="$name: wanted $signal, $cause, $(cat "$out"), got $(grep -v "^#" "$err" | sed -n 1,4p)"$'\n'
	done <"$bin/list"
	[ -z "$wrong" ] || { printf '%s' "$wrong" && return 1; }
	[ "$judged" -gt 100 ] || blame "$judged causes alone"
}

# reports_small PROGRAM SIZE ...: it dies of SIGSEGV, after a report.
reports_small()
{
	observe timeout 60 "$@"
	[ "$status" -ne 77 ] || return 0 # the kernel takes no stack of that size
	expect_status 139
	[ "$(grep -c '^<whocallme>: .*: SIGSEGV, ' "$err")" = 1 ] || blame "no report: $*"
}

@test "an alternate stack of the program's own that has no room for the kernel's frame" {
	not_sanitized "it has an alternate stack of its own"
	build small small_altstack.c -O0
	$CC -g -O0 -DUNAWARE -o "$bin/small_unaware" "$programs/small_altstack.c" -lpthread
	local size when how thread
	for size in 2048 2560 3376 3500 4096 6000; do
		for how in null handled; do
			for thread in '' thread; do
				for when in before after; do
					reports_small "$bin/small" $size $when $how $thread
					[ $how = null ] || [ "$status" -eq 77 ] || out_has handled
				done
				reports_small "$whocallme" run --no-lines "$bin/small_unaware" $size \
					after $how $thread
			done
		done
	done
	reports_small "$bin/small" 2048 before overflow
	reports_small "$bin/small" 2048 after overflow thread
}

@test "a thread's stack overflows in a static program, and in one with libwhocallme.a" {
	needs_static
	build_static small_static small_altstack.c -O0
	compile "$bin/small.o" "$programs/small_altstack.c" -O0
	# shellcheck disable=SC2086 # lists
	$CC -o "$bin/small_inside" "$bin/small.o" -Wl,--eh-frame-hdr $static_libs
	local program
	for program in small_static small_inside; do
		reports_small "$bin/$program" 0 before overflow thread
		err_has "stack overflow of thread '"
		err_has ' in overflow\+'
		reports_small "$bin/$program" 0 before overflow
	done
}

@test "SIGSYS: a system call that seccomp forbids" {
	observe "$bin/unaware" forbidden_call
	[ "$status" = 159 ] || skip "seccomp is not to be had here"
	dies SYS forbidden_call
	caused_by 'forbidden by seccomp: system call [0-9]+'
	err_has '^#0 0x[0-9a-f]{16} in forbidden_call\+'
}

# ends SIGNAL CAUSE WORD...: by the signal, with one report, preloaded and linked.
ends()
{
	local number=$1 cause=$2
	shift 2
	for run in "$whocallme run --no-lines $bin/core_unaware $number" \
			"$bin/core_signals $number install"; do
		# shellcheck disable=SC2086 # a command
		observe timeout 60 env -u LD_PRELOAD $run "$@"
		expect_status $((128 + number))
		[ "$(grep -c "^<whocallme>: core_[a-z]*: SIG$(kill -l "$number"), $cause\$" "$err")" = 1 ] ||
			blame "no report: $run $*"
		err_has ' in main\+'
	done
}

@test "SIGQUIT, SIGXCPU and SIGXFSZ: reported wherever the program has the default action" {
	not_sanitized "its runtime must be loaded first"
	local by='sent by tgkill, by process [0-9]*'
	ends 3 "quit: $by" raise
	ends 24 "CPU time limit exceeded: $by" raise
	ends 25 "file size limit exceeded: $by" ask ignore raise handle raise ask default raise
	diff -u - "$out" <<<$'default\nhandled 1\nhandled'
	ends 24 "CPU time limit exceeded: $by" once raise default raise
	# Who starts it may have it ignored.
	trap '' XFSZ
	ends 25 "file size limit exceeded: $by" ask raise default raise
	expect_out ignored
}

@test "a limit of the file's size, and of CPU time: the kernel sent it, for that" {
	not_sanitized "its runtime must be loaded first"
	local how exceeds='a file would exceed RLIMIT_FSIZE'
	for how in write truncate send; do
		ends 25 "file size limit exceeded: $exceeds" $how
		# Its output is a pipe: a file has the limit as well.
		observe sh -c "$whocallme run --no-lines $bin/core_unaware 25 ignore $how handle $how | cat"
		expect_out "$how gives -1"$'\nhandled 1\n'"$how gives -1"
	done
	ends 24 'CPU time limit exceeded: RLIMIT_CPU is used up' spin
	observe "$whocallme" run --json "$bin/core_unaware" 25 write
	err_has "\"code\":0\},\"cause\":\{\"kind\":\"signal\",\"text\":\"$exceeds\"\}"
}

@test "SIGQUIT, SIGXCPU and SIGXFSZ after wcm_crash_remove(): no report, whatever was set" {
	local signal
	for signal in 3 24 25; do
		observe env --default-signal "$bin/core_signals" $signal install remove ask raise
		expect_status $((128 + signal))
		expect_out default
		[ ! -s "$err" ]
		observe env --default-signal "$bin/core_signals" $signal install handle remove raise \
			ask default ask raise
		expect_status $((128 + signal))
		expect_out $'handled 1\nhandled\ndefault'
		[ ! -s "$err" ]
	done
}

@test "a sandbox that lets no action be set: the report comes once, then the end" {
	observe timeout -s KILL 20 "$bin/crash" no_action
	[ "$status" -ne 77 ] || skip "seccomp is not to be had here"
	expect_status 139
	caused_by 'address not mapped, at 0x0{16}'
	[ "$(grep -c '^#0 ' "$err")" = 1 ]
}

@test "a signal sent from outside: by whom" {
	local pid try signal self=$BASHPID
	for signal in SEGV ABRT; do
		rm -f "$bin/started"
		"$bin/crash" waits >"$bin/started" 2>"$bin/sent" 3>&- &
		pid=$!
		for ((try = 0; try < 100; try++)); do
			[ ! -s "$bin/started" ] || break
			sleep 0.05
		done
		kill -$signal "$pid"
		status=0
		wait "$pid" || status=$?
		[ "$status" = $((128 + $(kill -l $signal))) ]
		sed -n 1p "$bin/sent" | grep -E \
			"^<whocallme>: crash: SIG$signal, .*: sent by kill, by process $self\$"
		matches '^#0 0x[0-9a-f]{16} in waits\+|^#1 .* in waits\+' "$bin/sent"
	done
}

@test "the thread's own stack is unmapped: reported from another, with the fault" {
	observe "$bin/crash" stackless
	expect_status 139
	sed -n 1p "$err" | matches "^<whocallme>: crash: SIGSEGV, .*: address not mapped, $at\$"
	err_has '^#0 0x[0-9a-f]{16} in '
	err_has '^modules:'
}

@test "a stack that overflowed: reported from another, with what was left out" {
	dies SEGV overflow
	caused_by "stack overflow of thread 'crash' \\([0-9]+ [KM]iB\\), $at"
	err_has '^#0 .* in recurse\+'
	err_has '^(\([0-9]+ frames left out\)|\.\.\. [0-9]+ more of recurse)$'
	err_has ' in overflow\+'
	err_has ' in main\+'
	[ "$(grep -c '^#' "$err")" -lt 120 ]
}

# What is opened from the death on to the first line, which waits for the reason of abort() alone.
opened_first()
{
	awk '/ SIGSEGV | SIGBUS | SIGFPE / { dead = 1 }
		dead && /write(v)?\(2,/ { exit }
		dead && /open(at)?\(/' "$1"
}

@test "no file is opened before the first line: wild pointers, calls, stacks that overflowed" {
	needs strace
	not_sanitized "its runtime opens some"
	local way
	for way in null_read wild_read odd_read write_to_text null_call wild_call call_of_data \
		beyond_file divide overflow in_thread \
		overflow_in_thread; do
		observe timeout 60 strace -f -qq -e trace=open,openat,write,writev \
			-o "$bin/calls" "$bin/crash" $way
		grep -q 'writev\?(2, .*<whocallme>' "$bin/calls" || blame "$way: no report"
		[ -z "$(opened_first "$bin/calls")" ] ||
			blame "$way: $(opened_first "$bin/calls")"
	done
	dies SEGV overflow_in_thread
	caused_by "stack overflow of thread 'crash' \\([0-9]+ [KM]iB\\), $at"
	dies SEGV large_frame
	caused_by "stack overflow of thread 'crash' \\([0-9]+ [KM]iB\\), $at"
}

@test "a thread: its id, its name, its stack" {
	dies SEGV in_thread
	err_has '^<whocallme>: process ([0-9]+), thread [0-9]+ "'
	refute grep -E 'process ([0-9]+), thread \1 ' "$err"
	[ "$(frame_names <"$err" | head -n 2 | tr '\n' ' ')" = \
		'null_read die_in_thread ' ]
}

@test "two threads at once: whole reports, one after the other" {
	local run
	cat >"$bin/whole_lines" <<'PATTERNS'
^<whocallme>: crash: SIGSEGV, segmentation fault: address not mapped, at 0x0{16}$
^<whocallme>: process [0-9]+, thread [0-9]+ "[^"]*"$
^(read of|access to) 0x0{16}: NULL$
^(program|arguments): .*$
^#[0-9]+ (0x[0-9a-f]{16} in .*|<signal handler called>)$
^\(the (stack may go on: .*|other threads cannot be listed)\)$
^(registers|modules):$
^  ( *[a-z0-9]+ +0x[0-9a-f]{16}){1,3}$
^code:( <?[0-9a-f]{2}>?)+$
^(thread|[0-9]+ threads)( [0-9]+(-[0-9]+)? "[^"]*",?)+(:| did not answer(: has blocked signals)?)$
^  0x[0-9a-f]{16}-0x[0-9a-f]{16} bias 0x[0-9a-f]+ build-id [0-9a-f]+ .*$
PATTERNS
	for_addresses "$(cat "$bin/whole_lines")"
	printf '%s\n' "$expression" >"$bin/whole"
	for run in 1 2 3 4 5; do
		observe timeout 60 "$bin/waiting" "$bin/crash" two_at_once
		died_of SEGV
		# A line that is not a whole line of a report is a torn one.
		refute grep -E -v -f "$bin/whole" "$err"
		[ "$(grep -c '^<whocallme>: crash: ' "$err")" -ge 1 ]
		[ "$(grep -n '^#0 .* in null_read' "$err" | head -n 1 | cut -d: -f1)" -eq 3 ]
		# The second report, if there is time for it, starts after the first.
		[ "$(grep -c '^<whocallme>: crash: ' "$err")" -le 2 ]
	done
}

@test "the shell sees 128 plus the signal" {
	observe "$bin/crash" null_read
	expect_status 139
	observe "$bin/crash" abort
	expect_status 134
	observe "$bin/crash" divide
	expect_status 136
}

@test "a closed stderr and a full disk: the death is the same" {
	observe sh -c "exec '$bin/crash' null_read 2>&-"
	expect_status 139
	observe sh -c "exec '$bin/crash' null_read 2>/dev/full"
	expect_status 139
	observe sh -c "exec '$bin/crash' overflow 2>&-"
	expect_status 139
}

@test "a pipe that nobody reads: the death is the fault's" {
	observe sh -c "exec '$bin/waiting' '$bin/crash' null_read 2>&1 >'$bin/ended' | :"
	grep -E '^(killed|dumped) 11$' "$bin/ended"
}

@test "the report goes where it is asked to" {
	observe "$bin/crash" null_read stdout
	expect_status 139
	[ ! -s "$err" ]
	out_has '^<whocallme>: crash: SIGSEGV'
}

@test "options of a later version are refused" {
	observe "$bin/crash" null_read bad
	expect_out 'invalid argument'
}

@test "the core file keeps the signal's cause and address" {
	needs gdb
	not_sanitized "its address space makes no core"
	case $(cat /proc/sys/kernel/core_pattern) in
	*[\|%/]* | '') skip "cores are not files named core here" ;;
	esac
	cd "$BATS_TEST_TMPDIR"
	ulimit -S -c unlimited || skip "cores are limited"
	observe "$bin/crash" wild_read
	local core
	core=$(find . -name 'core*' | head -n 1)
	[ -n "$core" ] || skip "no core was made"
	timeout 60 gdb -nx -batch -iex 'set debuginfod enabled off' \
		-ex 'p $_siginfo.si_signo' -ex 'p $_siginfo.si_code' \
		-ex 'p/x $_siginfo._sifields._sigfault.si_addr' \
		-ex 'p $_siginfo._sifields._sigfault.si_addr' -ex bt \
		"$bin/crash" "$core" >"$bin/gdb" 2>&1
	cat "$bin/gdb"
	grep -F '$1 = 11' "$bin/gdb"
	grep -F '$2 = 1' "$bin/gdb"
	grep -F '$3 = 0x12345000' "$bin/gdb"
	gdb_frame_names <"$bin/gdb" | grep -x wild_read
}

@test "a handler installed before gets the original siginfo" {
	observe "$bin/crash" wild_read chained
	expect_status 42
	expect_out '11 1 0x12345000'
	err_has '^<whocallme>: crash: SIGSEGV, segmentation fault: address not mapped'
}

@test "init_function_table() installs nothing; removing puts everything back" {
	observe "$bin/crash" none actions
	expect_status 0
	local before
	before=$(sed -n 1p "$out")
	[ "$(sed -n 2p "$out")" = "$before" ]
	[ "$(sed -n 4p "$out")" = "$before" ]
	[ "$(sed -n 3p "$out")" != "$before" ]
	# Who started us may have had some ignored.
	[ -n "$sanitize" ] ||
		[ "$(sed -n 3p "$out" | tr ' ' '\n' | grep . |
			grep -v -x -F -f <(tr ' ' '\n' <<<"$before" | grep .) |
			tr '\n' ' ')" = "$(printf '%s\n' 3 4 5 6 7 8 11 24 25 31 |
			grep -v -x -F -f <(tr ' ' '\n' <<<"$before" | grep .) |
			tr '\n' ' ')" ]
}

@test "removed, the earlier handler is back; another's is left alone" {
	observe "$bin/crash" wild_read removed
	expect_status 42
	[ ! -s "$err" ]
	observe "$bin/crash" wild_read not-ours
	expect_status 42
	[ ! -s "$err" ]
}

@test "nothing is allocated after the crash" {
	not_sanitized "it has a malloc of its own"
	sed 's/^KEPT static void null_read(void)$/extern int malloc_forbidden __attribute__((weak));\n&/
		/^KEPT static void null_read(void)$/,/^}/s/^{$/{\n\tif (\&malloc_forbidden)\n\t\tmalloc_forbidden = 1;/' \
		"$programs/crash.c" >"$bin/armed.c"
	build_library no_malloc.so "$top_srcdir/test/crash/programs/abort_malloc.c"
	build armed "$bin/armed.c" -O0 -fno-omit-frame-pointer -- "$bin/no_malloc.so" \
		-Wl,-rpath,"$bin"
	observe "$bin/armed" null_read
	expect_status 139
	err_has '^#0 .* in null_read\+'
	err_has ' in main\+'
	err_lacks 'allocated after the crash'
}

preload()
{
	observe env LD_PRELOAD="$lib/libwhocallme-preload.so" "$@"
}

@test "preloaded into a program that knows nothing of it" {
	not_sanitized "its runtime must be loaded first"
	preload "$bin/unaware" null_read
	expect_status 139
	sed -n 1p "$err" | matches '^<whocallme>: unaware: SIGSEGV, segmentation fault: address not mapped, at 0x0{16}$'
	err_has '^#0 0x[0-9a-f]{16} in null_read\+0x[0-9a-f]+ \(.*/unaware\+0x[0-9a-f]+\)$'
	strip -o "$bin/bare" "$bin/unaware"
	preload "$bin/bare" null_read
	err_has '^#0 0x[0-9a-f]{16} in \?\? \(.*/bare\+0x[0-9a-f]+\)$'
	local place
	place=$(sed -n 's/^#0 .*bare+\(0x[0-9a-f]*\))$/\1/p' "$err")
	[ "$(addr2line -f -e "$bin/unaware" "$place" | head -n 1)" = null_read ]
	preload "$bin/unaware" overflow
	expect_status 139
	err_has '(frames left out|^\.\.\. [0-9]+ more of )'
}

@test "preloaded, it leaves a program that does not crash alone" {
	not_sanitized "its runtime must be loaded first"
	preload sh -c 'echo out; echo err >&2; exit 7'
	expect_status 7
	expect_out out
	expect_err err
	preload "$bin/unaware" abort
	expect_status 134
}

# coloured [VARIABLE=VALUE...]: whether the report is, on a terminal.
coloured()
{
	env -u NO_COLOR TERM=xterm "$@" script -qec "$bin/crash null_read" \
		/dev/null >"$bin/terminal" 2>&1 </dev/null || true
	out=$bin/terminal err=/dev/null status=0
	grep -a 'SIGSEGV' "$out" || blame "no report on a terminal"
	grep -q -a "$(printf '\033')\\[" "$out"
}

@test "colours where a terminal reads that wants them" {
	needs script
	script -qec true /dev/null </dev/null || skip "there is no terminal to be had"
	coloured
	coloured NO_COLOR=
	refute coloured NO_COLOR=1
	refute coloured TERM=dumb
	dies SEGV null_read
	refute grep -q "$(printf '\033')" "$err"
}

@test "main returns while another thread's crash is reported: the crash is the end" {
	build leaves leaves.c -- -lpthread
	observe timeout 60 "$bin/leaves"
	expect_status 139
	err_has '^modules:$'
}

@test "under valgrind: the report, and the death that it is about" {
	needs valgrind
	not_sanitized "valgrind bears no sanitizer"
	valgrind -q --log-file="$bin/valgrind" true || skip "valgrind does not work here"
	local how died
	for how in null_read:SEGV null_call:SEGV wild_call:SEGV beyond_file:BUS undefined:ILL \
		divide:FPE breakpoint:TRAP abort:ABRT in_thread:SEGV; do
		died=${how#*:}
		observe timeout 60 "$bin/waiting" valgrind -q --log-file="$bin/valgrind" \
			"$bin/crash" "${how%:*}"
		died_of "$died"
		err_has "^<whocallme>: .*: SIG$died, "
		refute grep -i impossible "$bin/valgrind"
	done
}
