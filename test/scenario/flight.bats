#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# flight.bats - the last calls of a thread, as the program itself tells what it calls.

load support

judge="python3 $top_srcdir/test/scenario/report.py"
schema=$top_srcdir/doc/crash-report.schema.json

setup_file()
{
	bin=$BATS_FILE_TMPDIR
	build hooked flight.c -O2 -finstrument-functions -- -Wl,--no-as-needed
	! has_sleds ||
		build patched flight.c -O2 -fpatchable-function-entry=5 -- -Wl,--no-as-needed
}

setup()
{
	ulimit -S -c 0
	kinds="hooked patched"
	has_sleds || kinds=hooked
}

# What a report has of last calls: names, indented by depth.
last_calls()
{
	awk '/^last calls of this thread/ { on = 1; next }
		!/^ +([-+][0-9'\'']+|[?])  / { on = 0 }
		on { sub(/^ +([-+][0-9'\'']+|[?])  /, ""); print }' "${1-$err}"
}

# The last COUNT lines of FILE, moved so that the outermost has no indent.
tail_of()
{
	tail -n "$1" "${2-$out}" | awk '{ line[NR] = $0; match($0, /^ */)
			if (NR == 1 || RLENGTH < least) least = RLENGTH }
		END { for (i = 1; i <= NR; i++) print substr(line[i], least + 1) }'
}

unindented()
{
	sed 's/^ *//'
}

# died: of SIGSEGV, as it would have without a report.
died()
{
	expect_status 139
	grep -q '^<whocallme>: .* call of a NULL function pointer' "$err" ||
		blame "there is no report"
}

# What a function said it called last is what the report has.
same_calls()
{
	diff -u <(tail_of "$1") <(last_calls) || blame "these are not the last $1 calls"
}

@test "a NULL function pointer is called: the report says which calls led to it" {
	for kind in $kinds; do
		observe env WHOCALLME_FLIGHT=yes "$bin/$kind" null
		died
		same_calls 64
		grep -qE '^#1 0x[0-9a-f]+ in serve\+' "$err" || blame "the stack does not say where"
		[ "$(last_calls | tail -n 3 | unindented | tr '\n' ' ')" = "large leaf leaf " ] ||
			blame "choose() is not what came before"
	done
}

@test "the last N calls: a power of two, no less than 1, no more than 65536" {
	for kind in $kinds; do
		for asked in 1:1 2:2 3:4 16:16 17:32; do
			observe env WHOCALLME_FLIGHT=${asked%:*} "$bin/$kind" null
			died
			same_calls "${asked#*:}"
		done
		for asked in 1000 65536; do
			observe env WHOCALLME_FLIGHT=$asked "$bin/$kind" null
			died
			same_calls "$(wc -l <"$out")"
		done
	done
}

@test "a number of calls that makes no sense is refused, and none are kept" {
	for asked in 0 -1 1x many 65537 4294967297 99999999999999999999; do
		observe env WHOCALLME_FLIGHT=$asked "$bin/hooked" threads
		expect_status 0
		[ "$(cat "$err")" = "<whocallme>: last calls are not kept: WHOCALLME_FLIGHT=$asked \
makes no sense; it takes a number from 1 to 65536, yes or no" ] || blame "that is not what it says"
	done
	observe env WHOCALLME_FLIGHT=no "$bin/hooked" threads
	expect_status 0
	[ ! -s "$err" ] || blame "something is said"
}

@test "calls of a signal handler, and those that longjmp() leaves" {
	for kind in $kinds; do
		for what in signal jump; do
			observe env WHOCALLME_FLIGHT=65536 "$bin/$kind" $what
			died
			diff -u <(unindented <"$out") <(last_calls | unindented) ||
				blame "not these calls"
			# By stack pointers a handler is deeper than what it interrupts;
			# hooks do not tell what longjmp() leaves.
			case $kind-$what in
			hooked-signal | patched-jump) same_calls "$(wc -l <"$out")" ;;
			esac
		done
	done
}

@test "a signal between any two instructions leaves whole calls behind" {
	for kind in $kinds; do
		observe env WHOCALLME_FLIGHT=yes "$bin/$kind" storm
		died
		[ "$(last_calls | unindented | grep -cxE 'leaf|on_tick')" -ge 60 ] ||
			blame "calls are missing"
		[ -z "$(last_calls | unindented | grep -vxE 'leaf|on_tick')" ] ||
			blame "it has calls that were none"
	done
}

@test "a child of fork() goes on with the calls that led to it" {
	for kind in $kinds; do
		observe env WHOCALLME_FLIGHT=yes "$bin/$kind" fork
		expect_status 3
		same_calls "$(wc -l <"$out")"
	done
}

@test "a child of fork() that calls nothing has those of its parent" {
	for kind in $kinds; do
		observe env WHOCALLME_FLIGHT=yes "$bin/$kind" forked
		expect_status 3
		diff -u <(cat "$out" "$out") <(last_calls) || blame "not these calls"
	done
}

@test "each thread has its own, and one that has ended leaves nothing to the next" {
	for kind in $kinds; do
		observe env WHOCALLME_FLIGHT=yes "$bin/$kind" threads
		expect_status 0
		diff -u <(tail_of 2) <(last_calls) || blame "not what the last thread called"
		[ "$(grep -c '^<whocallme>: thread' "$err")" -eq 1 ] || blame "not one thread"
	done
}

@test "of threads that go on calling: most of their calls, and none is missing in between" {
	for kind in $kinds; do
		for calls in 8 64 4096; do
			observe "$bin/$kind" running $calls
			expect_status 0
			awk -v calls=$calls '
				function ends() {
					if (!list) return
					lists++
					full += count >= calls / 2
					if (count > 4 && !index(all, list)) { print list; exit bad = 1 }
					list = ""
					count = 0
				}
				BEGIN { while (length(all) < 60 * calls)
					all = all "0:parse 1:leaf 1:large 2:leaf 1:leaf " }
				/^<whocallme>: thread/ { ends(); next }
				sub(/^ +([-+][0-9'\'']+|[?])  /, "") {
					match($0, /^ */)
					list = list RLENGTH / 2 ":" $NF " "
					count++
				}
				END { if (bad) exit 1
					ends()
					print full " of " lists
					exit lists < 100 || full < lists * 3 / 4 }' \
				"$err" >"$BATS_TEST_TMPDIR/told" ||
				blame "$kind $calls: $(cat "$BATS_TEST_TMPDIR/told")"
		done
	done
}

@test "a thread for which there is no memory goes on, and the others have their calls" {
	not_sanitized "a sanitizer needs memory of its own"
	for kind in $kinds; do
		observe env WHOCALLME_FLIGHT=65536 "$bin/$kind" starved
		expect_status 0
		diff -u "$out" <(last_calls) || blame "not what the first thread called"
		[ "$(grep -c '^<whocallme>: thread' "$err")" -eq 1 ] || blame "not one thread"
	done
}

@test "a million calls are kept without a system call or a file" {
	needs strace
	for kind in $kinds; do
		observe strace -f -o "$BATS_TEST_TMPDIR/none" "$bin/$kind" none
		[ "$status" -eq 0 ] || skip "strace does not trace here"
		observe env WHOCALLME_FLIGHT=yes strace -f -o "$BATS_TEST_TMPDIR/none" "$bin/$kind" none
		observe env WHOCALLME_FLIGHT=yes strace -f -o "$BATS_TEST_TMPDIR/many" "$bin/$kind" many
		expect_status 0
		# A handful for the thread's first call.
		[ "$(wc -l <"$BATS_TEST_TMPDIR/many")" -le \
			"$(($(wc -l <"$BATS_TEST_TMPDIR/none") + 20))" ] ||
			blame "$(tail -n 40 "$BATS_TEST_TMPDIR/many")"
	done
}

@test "wcm_threads_write() shows them below each stack" {
	for kind in $kinds; do
		observe env WHOCALLME_FLIGHT=yes "$bin/$kind" stacks
		expect_status 0
		diff -u <(tail_of 2) <(last_calls) || blame "not what the last thread called"
		[ "$(grep -c '^<whocallme>: thread' "$err")" -eq 2 ] || blame "not two threads"
	done
}

@test "JSON has them as data, of all threads where that is asked for" {
	needs_schema
	for kind in $kinds; do
		observe "$bin/$kind" crash 8 json 3>"$BATS_TEST_TMPDIR/json"
		expect_status 139
		$judge schema "$BATS_TEST_TMPDIR/json" "$schema"
		python3 - "$BATS_TEST_TMPDIR/json" <<'EOF' >"$BATS_TEST_TMPDIR/told" || blame "bad JSON"
import json
import sys
report = json.load(open(sys.argv[1]))
assert len(report["last_calls"]) == 8
assert all(call["before_ns"] > 0 for call in report["last_calls"] if "before_ns" in call)
(other,) = [t for t in report["threads"] if "last_calls" in t]
for call in other["last_calls"] + report["last_calls"]:
    print("  " * call["depth"] + call["function"])
EOF
		diff -u <(sed -n '/^last_thread/,$p' "$out" | head -n 2; tail_of 8) \
			"$BATS_TEST_TMPDIR/told" || blame "not these calls"
	done
}

@test "whocallme resolve and group read a report that has them, as text and as JSON" {
	needs_schema
	observe "$bin/hooked" crash 8 json 3>"$BATS_TEST_TMPDIR/json"
	observe "$whocallme" resolve "$BATS_TEST_TMPDIR/json"
	expect_status 0
	$judge schema "$out" "$schema"
	[ "$($judge get "$out" last_calls.7.function)" = leaf ] || blame "the calls are gone"
	observe env WHOCALLME_FLIGHT=8 "$bin/hooked" null
	mv "$err" "$BATS_TEST_TMPDIR/text"
	observe "$whocallme" resolve "$BATS_TEST_TMPDIR/text"
	expect_status 0
	diff <(last_calls "$BATS_TEST_TMPDIR/text") <(last_calls "$out")
	grep -q 'flight.c:[0-9]' "$out" || blame "there are no lines"
	observe "$whocallme" group "$BATS_TEST_TMPDIR/text" "$BATS_TEST_TMPDIR/json"
	expect_status 0
	[ ! -s "$err" ] || blame "it complains"
}

@test "started and stopped again and again, with other numbers: what is after the last" {
	for kind in $kinds; do
		observe "$bin/$kind" restart
		expect_status 0
		diff -u <(tail_of 5) <(last_calls) || blame "not these calls"
	done
}

@test "beside a trace of any mode: both have every call" {
	for kind in $kinds; do
		for mode in log pairs addresses graph record; do
			observe env WHOCALLME_FLIGHT=32 WHOCALLME_TRACE=$mode \
				WHOCALLME_OUTPUT="$BATS_TEST_TMPDIR/$kind.$mode" "$bin/$kind" null
			died
			same_calls 32
			[ -s "$BATS_TEST_TMPDIR/$kind.$mode" ] || blame "there is no $mode"
		done
	done
}

@test "sleds in front of functions, those of clang, and functions with hooks as well" {
	has_sleds || skip "there are no sleds"
	for flags in "gcc -fpatchable-function-entry=18,16" \
		"gcc -fpatchable-function-entry=5 -finstrument-functions" \
		"clang -fpatchable-function-entry=5" "clang -fpatchable-function-entry=18,16"; do
		command -v "${flags%% *}" >/dev/null || continue
		CC=${flags%% *} build other flight.c -O2 ${flags#* } -- -Wl,--no-as-needed
		observe env WHOCALLME_FLIGHT=32 "$bin/other" null
		died
		case $flags in
		*-finstrument-functions) same_calls 16 ;; # noted twice, and shown once
		*) same_calls 32 ;;
		esac
	done
}

@test "whocallme run --flight: the program of doc/guide/last-calls.md, with hooks and with sleds" {
	local flags=-finstrument-functions
	! knows_sleds || flags="$flags -fpatchable-function-entry=5"
	for flag in $flags; do
		gcc -g $flag -o "$bin/player" "$top_srcdir/examples/player.c"
		observe env WHOCALLME_PRELOAD="$lib/libwhocallme-preload.so" "$whocallme" run \
			--flight=8 --no-lines --sections=stack,calls "$bin/player"
		died
		diff -u - <(last_calls) <<'EOF' || blame "the page says otherwise"
play
  adjust
    volume
  say
play
  adjust
    volume
    set_quiet
EOF
		grep -qE '^#1 0x[0-9a-f]+ in play\+' "$err" || blame "the stack does not say where"
	done
}

@test "whocallme run --flight: a program that is linked with the library has one report" {
	for kind in $kinds; do
		observe env WHOCALLME_PRELOAD="$lib/libwhocallme-preload.so" "$whocallme" run \
			--flight --no-lines --sections=stack,calls "$bin/$kind" fork
		expect_status 3
		same_calls "$(wc -l <"$out")"
	done
}

@test "whocallme run --flight: of all threads in the section thread-calls" {
	for kind in $kinds; do
		observe env WHOCALLME_PRELOAD="$lib/libwhocallme-preload.so" "$whocallme" run \
			--flight=4 --no-lines --sections=thread-calls,calls "$bin/$kind" crash
		died
		diff -u <(tail_of 4; sed -n '/^last_thread/,$p' "$out" | head -n 2) \
			<(last_calls) || blame "not these calls"
	done
}

@test "whocallme run and trace --flight: what it takes" {
	for command in run trace; do
		for asked in 0 -1 x 1x 65537 99999999999999999999 ""; do
			observe "$whocallme" $command --flight=$asked "$bin/hooked" null
			expect_status 2
		done
		"$whocallme" $command --help | grep -q -- '--flight\[=N\]'
	done
	observe env WHOCALLME_LIBRARY="$lib/libwhocallme.so.0" "$whocallme" trace --flight=4 \
		--log="$BATS_TEST_TMPDIR/log" "$bin/hooked" null
	died
	same_calls 4
	grep -q '&serve' "$BATS_TEST_TMPDIR/log" || blame "there is no log"
}

@test "a trace that ends leaves the sleds to the last calls, and they to a trace" {
	has_sleds || skip "there are no sleds"
	build switches flight_switch.c -O2 -fpatchable-function-entry=5 -- -Wl,--no-as-needed
	observe "$bin/switches" "$BATS_TEST_TMPDIR/log"
	expect_status 0
	diff -u <(cat "$out") <(last_calls | unindented)
	[ "$(grep -c '&called_' "$BATS_TEST_TMPDIR/log")" -eq 1 ] || blame "not one line"
}
