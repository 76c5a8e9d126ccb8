#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# report.bats - what a crash report says is so; text and JSON say the same.

load support
load judge

judge="ask_judge $top_srcdir/test/scenario/report.py"
schema=$top_srcdir/doc/crash-report.schema.json

setup_file()
{
	bin=$BATS_FILE_TMPDIR
	compile "$bin/reports.o" "$programs/reports.c" -O0 \
		-fno-omit-frame-pointer -I"$top_srcdir/whocallme" \
		-I"$top_srcdir/whocallme/core/arch/$arch"
	# shellcheck disable=SC2086 # lists
	$CC -o "$bin/reports" "$bin/reports.o" $sanitize "$lib/libwhocallme.a" \
		$BFD_LIBS -lpthread -ldl
	printf 'void plugin_call(void (*f)(void)) { f(); __asm__ volatile(""); }\n' \
		>"$bin/late.c"
	build_library late.so "$bin/late.c" -O0
}

setup()
{
	needs_arch "x86_64 i386" "the program is written for x86"
	needs python3
	ulimit -S -c 0
	json=$BATS_TEST_TMPDIR/json
}

# reports DEATH [OPTION...]: both reports, which must agree: $out and $json.
reports()
{
	observe timeout 60 "$bin/reports" "$@" 3>"$json"
	[ "$status" -ne 77 ] || skip "this kernel lacks what $1 ${*:2} takes"
	expect_status 42
	[ ! -s "$err" ] || blame "something was written to stderr"
	$judge same "$out" "$json" || blame "text and JSON differ"
}

# The whole first line, after the program's name.
headline()
{
	sed -n 1p "$out" | matches "^<whocallme>: reports: $1\$" ||
		blame "the first line is not: $1"
}

# The line behind the stack: what the address lies in.
place()
{
	grep -E -m 1 '^(read of|write to|execution of|access to|not canonical)' "$out" |
		matches "^$1\$" || blame "the place is not: $1"
	[ "$(grep -n -m 1 '^#0 ' "$out" | cut -d: -f1)" -eq 3 ] ||
		blame "the stack does not come first"
}

# is MEMBER VALUE: of the JSON.
is()
{
	local value
	value=$($judge get "$json" "$1")
	[ "$value" = "$2" ] || blame "$1 is $value, not $2"
}

segv='SIGSEGV, segmentation fault:'
hex='0x[0-9a-f]+'
mapping="0x[0-9a-f]{16}-0x[0-9a-f]{16} [rwxps-]{4} $hex"

@test "a read of NULL" {
	reports null_read
	headline "$segv address not mapped, at 0x0{16}"
	place 'read of 0x0{16}: NULL'
	is cause.kind signal
	is access.kind read
	is access.past_null 0
}

@test "a member of a structure that is not there, and an element before it" {
	reports near_null
	headline "$segv address not mapped, at 0x0{14}10, 16 bytes past NULL"
	place 'read of 0x0{14}10: 16 bytes past NULL'
	is access.past_null 16
	reports before_null
	headline "$segv address not mapped, at 0xf{15}8, 8 bytes before NULL"
	place 'write to 0xf{15}8: 8 bytes before NULL'
	is access.past_null -8
}

@test "a call of NULL, and near it" {
	reports null_call
	headline "$segv call of a NULL function pointer, at 0x0{16}"
	is cause.kind null_call
	is access.kind execute
	out_has '^code: none can be read at the pc$'
	reports near_call
	headline "$segv call of an address that is not mapped, at 0x0{14}40, 64 bytes past NULL"
	is cause.kind call_of_unmapped
}

@test "a call of what is not mapped, and of data" {
	reports wild_call
	headline "$segv call of an address that is not mapped, at 0x0000000012345000"
	place "execution of 0x0000000012345000: nothing is mapped here, .*"
	is cause.kind call_of_unmapped
	reports call_of_data
	headline "$segv call of an address that is not executable, at 0x[0-9a-f]{16}"
	place "execution of 0x[0-9a-f]{16}: in 0x[0-9a-f]{16}-0x[0-9a-f]{16} rw-p 0x0( \\[heap\\])?"
	[ -n "$sanitize" ] || is access.mapping.path '[heap]'
	is cause.kind call_of_not_executable
}

@test "a write to code: in which mapping, at which offset of the file" {
	reports write_to_text
	headline "$segv access not permitted, at 0x[0-9a-f]{16}"
	place "write to 0x[0-9a-f]{16}: in 0x[0-9a-f]{16}-0x[0-9a-f]{16} r-xp $hex $bin/reports"
	local at start offset address
	at=$($judge get "$json" access.address)
	start=$($judge get "$json" access.mapping.start)
	offset=$($judge get "$json" access.mapping.offset)
	address=$(nm "$bin/reports" | awk '$3 == "write_to_text" { print $1 }')
	# The text's segment is where it is in the file, one page on or none.
	readelf -lW "$bin/reports" | awk '$1 == "LOAD" && / E / { print $2, $3 }' \
		>"$bin/segment"
	read -r in_file in_memory <"$bin/segment"
	[ $((at - start + offset)) -eq $((0x$address - in_memory + in_file)) ]
}

@test "a guard that is no stack's, a gap between mappings, beyond a file" {
	reports guard
	headline "$segv access not permitted, at 0x[0-9a-f]{16}"
	place "write to 0x[0-9a-f]{13}fff: in the guard 0x[0-9a-f]{16}-0x[0-9a-f]{16} ---p 0x0 below 0x[0-9a-f]{16}-0x[0-9a-f]{16} rw-p 0x0"
	is access.place guard
	reports freed
	headline "$segv address not mapped, at 0x[0-9a-f]{16}"
	place "read of 0x[0-9a-f]{13}018: nothing is mapped here, 24 bytes past 0x[0-9a-f]{16}-0x[0-9a-f]{16} r--p 0x0, 4072 bytes before 0x[0-9a-f]{16}-0x[0-9a-f]{16} r--p 0x0"
	reports beyond_file
	headline "SIGBUS, bus error: no storage at the address, at 0x[0-9a-f]{16}"
	place "read of 0x[0-9a-f]{13}008: in $mapping /tmp/whocallme-[^ ]* \\(deleted\\)"
}

@test "an address in the kernel's half of 64 bits: no distance from the program's" {
	[ "$arch" = x86_64 ] || skip "the address is another half's on 64 bits alone"
	reports kernel_read
	place "read of 0xfffffffff0000000: nothing is mapped here(, 257949696 bytes before 0xf{10}6[^,]*)?"
}

@test "an address that is not canonical: the register that has it" {
	[ "$arch" = x86_64 ] || skip "instructions are not taken apart on this CPU"
	reports odd_read
	headline "$segv address not canonical"
	place 'read of 0xdead0{12}: not canonical'
	is cause.kind instruction
	is access.place not_canonical
	$judge get "$json" access.registers | grep 0xdead000000000000
}

@test "a signal that was sent, and one that is not of memory, have no address" {
	reports killed
	headline "$segv sent by kill, by process [0-9]+"
	is signal.sender "$($judge get "$json" process)"
	denied $judge get "$json" access 2>/dev/null
	reports divide
	headline 'SIGFPE, arithmetic exception: integer division by zero(, or overflow of one)?, at 0x[0-9a-f]{16}'
	denied $judge get "$json" access 2>/dev/null
}

# overflows SIZE NAME DEATH [OPTION...]
overflows()
{
	reports "${@:3}"
	headline "$segv stack overflow of thread '$2' \\($1\\), at 0x[0-9a-f]{16}"
	is cause.kind stack_overflow
}

@test "the main thread's stack overflows, in small steps and in large ones" {
	ulimit -S -s 8192
	overflows '8 MiB' reports overflow
	is cause.stack_size 8388608
	out_has ' in main\+'
	overflows '8 MiB' reports huge_frame
	overflows '8 MiB' reports large_frame
	ulimit -S -s 1000
	overflows '1000 KiB' reports overflow
}

@test "a thread's stack overflows" {
	overflows '8 MiB' worker overflow_8m
	place "write to 0x[0-9a-f]{16}: the stack of 8192 KiB is used up"
	overflows '16 KiB' worker overflow_16k
	overflows '256 KiB' worker huge_in_thread
}

@test "a coroutine's stack overflows" {
	not_sanitized "its runtime warns of them"
	overflows '64 KiB' reports overflow_elsewhere
}

@test "a stack whose guard is marked inside of its mapping overflows" {
	overflows '192 KiB' worker overflow_marked
	is access.place guard
	[ "$($judge get "$json" access.above.start)" = \
		"$($judge get "$json" access.mapping.end)" ]
}

@test "a frame that leads to another thread's stack, or the guard marked below it" {
	overflows '192 KiB' worker huge_to_guard
	is access.place guard
	out_has '^#0 .* in frame_down_to\+'
	out_has '^#1 .* in into_lower_guard\+'
	overflows '192 KiB' worker huge_to_stack
	out_has '^#1 .* in into_lower_stack\+'
	overflows '192 KiB' worker huge_to_guard blind
	not_sanitized "its runtime warns of a stack that it does not know"
	reports beside_marked
	headline "$segv address not mapped, at 0x[0-9a-f]{16}"
	is access.place guard
}

@test "the first thread has ended: the report is whole all the same" {
	reports without_main
	headline "$segv address not mapped, at 0x0{16}"
	out_has '^<whocallme>: process [0-9]+, thread [0-9]+ "last"$'
	out_has "^arguments: $bin/reports without_main\$"
	out_has '^#[0-9]+ .* in die_alone\+'
	[ "$($judge get "$json" modules | grep -o '"path"' | wc -l)" -gt 3 ]
}

@test "no /proc: the overflow is found, what is mapped is unknown" {
	ulimit -S -s 8192
	overflows '8 MiB' reports overflow blind
	overflows '8 MiB' worker overflow_8m blind
	overflows '16 KiB' worker overflow_16k blind
	reports wild_call blind
	headline "$segv call of an address that is not mapped, at 0x0000000012345000"
	place 'execution of 0x0000000012345000: what is mapped here is unknown'
	out_lacks '^arguments:'
	out_has "^program: $bin/reports\$"
	reports near_null blind
	place 'read of 0x0{14}10: 16 bytes past NULL'
}

@test "no other file than those of /proc/self is opened" {
	needs strace
	not_sanitized "its runtime opens some"
	PLUGIN=$bin/late.so observe strace -f -o "$bin/strace" \
		"$bin/reports" in_plugin 3>"$json"
	[ "$status" -eq 42 ] || skip "strace cannot trace here"
	sed '1,/--- SIGSEGV/d' "$bin/strace" | grep -E '(open|openat|execve)\(' \
		>"$bin/opened"
	sed -i 's/|O_LARGEFILE//' "$bin/opened" # of a CPU of 32 bits
	cat "$bin/opened"
	[ "$(wc -l <"$bin/opened")" -eq 4 ]
	refute grep -v -E -e '"/proc/self/cmdline", O_RDONLY\|O_NOCTTY\|O_NONBLOCK' \
		-e '"/proc/self/task", O_RDONLY\|O_CLOEXEC\|O_DIRECTORY' "$bin/opened"
}

# seen_by_gdb DEATH: in one and the same process.
seen_by_gdb()
{
	observe timeout 120 gdb -nx -batch -iex 'set debuginfod enabled off' \
		-ex 'set width 0' -ex 'set startup-with-shell off' \
		-ex 'set backtrace past-main on' \
		-ex 'handle SIG64 nostop noprint pass' -ex 'run' \
		-ex 'info registers' -ex 'x/8xb $pc' -ex 'bt -frame-arguments none' \
		-ex 'info sharedlibrary' -ex 'signal SIGSEGV' \
		--args env -u LINES -u COLUMNS "$bin/reports" "$1" 3>"$json"
	cat "$err" "$out" >"$bin/gdb"
	cat "$bin/gdb"
	$judge gdb "$json" "$bin/gdb"
}

@test "the signal that gdb stops at is said before it comes, in gdb alone" {
	needs gdb
	[ -z "$emulated" ] || skip "an emulator has no ptrace(2)"
	cat >"$bin/waits.c" <<-'C'
		#include <pthread.h>
		#include <unistd.h>
		#include <whocallme.h>
		static int ends[2];
		static void *wait_for_end(void *byte)
		{
			return read(ends[0], byte, 1) == 1 ? NULL : byte;
		}
		int main(void)
		{
			char byte = 0;
			pthread_t thread;
			if (pipe(ends) != 0 ||
			    pthread_create(&thread, NULL, wait_for_end, &byte) != 0)
				return 1;
			wcm_crash_install(NULL);
			wcm_threads_write(2);
			return write(ends[1], "x", 1) != 1 || pthread_join(thread, NULL) != 0;
		}
	C
	build waits "$bin/waits.c" -O0 -- -lpthread
	local said='^<whocallme>: gdb stops where threads are asked .*: (handle SIG[0-9]+ .*)$'
	gdb -nx -batch -iex 'set debuginfod enabled off' -ex 'set startup-with-shell off' \
		-ex run --args "$bin/waits" 2>&1 3>&- | cat >"$bin/gdb"
	grep -A9 -E "$said" "$bin/gdb" | grep 'received signal SIG[0-9]'
	[ "$(grep -c -E "$said" "$bin/gdb")" -eq 1 ]
	# As it says, gdb does not stop.
	local how
	how=$(sed -nE "s/$said/\\1/p" "$bin/gdb")
	gdb -nx -batch -iex 'set debuginfod enabled off' -ex 'set startup-with-shell off' \
		-ex "$how" \
		-ex run --args "$bin/waits" 2>&1 3>&- | cat >"$bin/gdb"
	refute grep 'received signal SIG[0-9]' "$bin/gdb"
	observe "$bin/waits"
	err_lacks 'gdb stops'
}

@test "registers, code, stack and modules are those that gdb sees" {
	needs gdb readelf
	not_sanitized "gdb names its runtime's frames otherwise"
	seen_by_gdb null_read
	seen_by_gdb null_call
	seen_by_gdb write_to_text
	seen_by_gdb overflow_16k
	PLUGIN=$bin/late.so seen_by_gdb in_plugin
	$judge get "$json" modules | grep -F "$bin/late.so"
	is stack.frames.2.function plugin_call
	is stack.frames.3.function in_plugin
}

@test "build-ids are those of the files" {
	needs readelf
	PLUGIN=$bin/late.so reports in_plugin
	$judge build-ids "$json"
}

@test "JSON is as the schema has it" {
	needs_schema
	local death
	for death in null_read near_null before_null null_call wild_call \
		call_of_data write_to_text odd_read killed divide guard freed \
		beyond_file overflow overflow_8m null_in_thread; do
		reports $death
		$judge schema "$json" "$schema"
	done
	reports null_read late
	$judge schema "$json" "$schema"
	reports wild_call blind
	$judge schema "$json" "$schema"
}

@test "the schema refuses what it should" {
	needs_schema
	reports near_null
	$judge schema "$json" "$schema"
	local change
	for change in 's/"version":1/"version":2/' 's/"name":"reports"/"nom":"x"/' \
		's/"past_null":16/"past_null":"16"/' 's/,"past_null":16//' \
		's/"kind":"read"/"kind":"look"/' 's/"stop":"[a-z_]*"/"stop":1/' \
		's/"pc":"0x/"pc":"0x0/' 's/"left_out":\[\]/"left_out":["all"]/' \
		's/"name":"reports"/"name":"\\\\y"/'; do
		sed "$change" "$json" >"$bin/changed"
		refute cmp -s "$json" "$bin/changed"
		denied $judge schema "$bin/changed" "$schema" 2>/dev/null
	done
}

@test "arguments and names of any bytes: valid, and never mistaken" {
	reports null_read "name="$'\e"\\\xff\xc3\xa9' '' 'two words' 'a"b' \
		$'\e[31m\n' '\x1b[31m' $'\xff\xc3' $'\xc3\xa9' "'" $'\x7f\xc2\x9b'
	out_has '^<whocallme>: process [0-9]+, thread [0-9]+ "\\x1b\\x22\\x5c\\xffé"$'
	out_has '^arguments: .*/reports null_read "name=.*" "" "two words" "a\\x22b" \\x1b\[31m\\x0a \\x5cx1b\[31m \\xff\\xc3 é '"'"' \\x7f\\xc2\\x9b$'
	is thread.name '\x1b"\x5c\xffé'
	is program.arguments.3 ''
	is program.arguments.5 'a"b'
	is program.arguments.6 '\x1b[31m\x0a'
	is program.arguments.7 '\x5cx1b[31m'
	is program.arguments.8 '\xff\xc3'
	is program.arguments.9 'é'
}

@test "arguments without end are cut" {
	reports null_read "$(printf '%05000d' 0)"
	is program.more_arguments true
	out_has '^arguments: .* 0{3000,} \(and more\)$'
}

@test "a name in the cause is escaped, too" {
	reports overflow_16k $'name=\e]\\'
	headline "$segv stack overflow of thread '.x1b\\].x5c' \\(16 KiB\\), at 0x[0-9a-f]{16}"
	is cause.text "stack overflow of thread '\\x1b]\\x5c' (16 KiB)"
}

@test "sections are chosen" {
	reports null_read sections=1
	out_has '^#0 '
	out_lacks '^(registers|code|modules|program|arguments|thread)'
	reports null_read sections=2
	out_has "^  $result_register "
	out_lacks '^(#0|code|modules|program|thread)'
	reports null_read sections=4
	out_has '^code: '
	reports null_read sections=16
	out_has '^modules:$'
	out_lacks '^(#0|code|registers|program)'
	reports null_read sections=32
	out_has '^program: '
	out_lacks '^(#0|code|registers|modules)'
	denied $judge get "$json" stack 2>/dev/null
}

@test "out of time: what happened is said, and what is missing" {
	reports null_read late
	headline "$segv address not mapped, at 0x0{16}"
	[ "$(tail -n 1 "$out")" = '(6 sections left out: out of time)' ]
	[ "$(wc -l <"$out")" -eq 4 ]
	is left_out.0 program
	reports null_read late sections=1
	out_has '^\(1 section left out: out of time\)$'
	reports null_read
	out_lacks 'out of time'
}

@test "a stack that takes all the time there is leaves some for the rest" {
	ulimit -S -s 1000000 || skip "stacks are limited"
	# Each report has its own time, and gets as far as that allows.
	observe timeout 60 "$bin/reports" overflow deadline=600 3>"$json"
	expect_status 42
	out_has '^\(the stack goes on: out of time\)$'
	is stack.stop none
	out_has '^\.\.\. [0-9]+ more of recurse$'
	out_has "^  $result_register "
	out_has '^modules:'
	[ "$(tail -n 1 "$out")" = '(1 section left out: out of time)' ]
	is left_out.0 stack
	needs_schema
	$judge schema "$json" "$schema"
}

@test "colours are for those who ask" {
	reports near_null
	out_lacks $'\e'
	observe "$bin/reports" near_null colours 3>"$json"
	sed -n 1p "$out" | grep $'^\e\\[1;31m<whocallme>.*NULL\e\\[0m$'
	grep $'^#0 \e\\[2m0x[0-9a-f]*\e\\[0m in read_from' "$out"
	refute grep $'\e' "$json"
	# Without them it is the same text.
	sed $'s/\e\\[[0-9;]*m//g' "$out" >"$bin/plain"
	$judge same "$bin/plain" "$json"
}

@test "a descriptor that refuses: the report says so" {
	observe sh -c "exec '$bin/reports' null_read >/dev/full" 3>"$json"
	expect_status 5
	observe sh -c "exec '$bin/reports' null_read 3>/dev/full"
	expect_status 6
}
