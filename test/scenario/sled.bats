#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# sled.bats - calls of programs whose functions begin with NOPs, which are patched.

load support
load sled_calls

# Where programs with -pg leave what they have measured.
export GMON_OUT_PREFIX=$BATS_FILE_TMPDIR/gmon

setup_file()
{
	bin=$BATS_FILE_TMPDIR
	build_hooked
}

@test "sleds of gcc: as many NOPs as there may be, position-independent or not" {
	not_sanitized "it has no room near the program"
	for flag in -fpatchable-function-entry=5 -fpatchable-function-entry=6 \
		-fpatchable-function-entry=16,0 "-fpatchable-function-entry=5 -fcf-protection" \
		"-fpatchable-function-entry=5 -no-pie -fno-pie" \
		"-fpatchable-function-entry=5 -O0" "-fpatchable-function-entry=5 -Os"; do
		# shellcheck disable=SC2086 # a list
		patched gcc gcc -O2 $flag
	done
}

@test "sleds of clang" {
	not_sanitized "it has no room near the program"
	needs clang
	for flag in -fpatchable-function-entry=5 -fpatchable-function-entry=9 \
		"-fpatchable-function-entry=5 -fcf-protection"; do
		# shellcheck disable=SC2086 # a list
		patched clang clang -O2 $flag
	done
}

@test "sleds in front of functions, by a jump at the entry" {
	not_sanitized "it has no room near the program"
	for compiler in gcc clang; do
		command -v $compiler >/dev/null || continue
		for flag in 18,16 "18,16 -fcf-protection" "16,16 -fcf-protection" 20,16 32,30 21,16 \
			9,7 "7,7 -fcf-protection"; do
			# shellcheck disable=SC2086 # a list
			patched front $compiler -O2 -fpatchable-function-entry=$flag
		done
	done
	# shellcheck disable=SC2086 # lists
	gcc -g -O2 -fcf-protection -fpatchable-function-entry=16,16 -I"$top_srcdir/include" \
		-o "$bin/switched" "$programs/sleds.c" $shared_libs -lpthread
	GRAPH=$bin/graph.dot observe "$bin/switched" switch 50 4
	[ "$(cat "$out")" = "failed 0, empty 0, lost 0, differs 0" ] || blame "see above"
}

@test "the log has calls at the same places of the stack, wherever the sled is" {
	not_sanitized "it has no room near the program"
	local flag
	for flag in 5 18,16 "16,16 -fcf-protection" 9,7; do
		# shellcheck disable=SC2086 # a list
		patched places gcc -O2 -fpatchable-function-entry=$flag
		awk '$1 == "FUN" { print $4, $5 }' "$err" >"$bin/places.$flag"
		[ -s "$bin/places.$flag" ]
		diff -u "$bin/places.5" "$bin/places.$flag" || blame "with $flag"
	done
}

@test "sleds of the seed: -pg -mnop-mcount, behind the frame" {
	not_sanitized "it has no room near the program"
	patched mcount gcc -O2 -no-pie -fno-pie -fno-omit-frame-pointer -pg -mnop-mcount
	patched fentry gcc -O2 -no-pie -fno-pie -pg -mfentry -mnop-mcount
}

@test "sleds of what is stripped, or optimised at link time, or had its garbage collected" {
	not_sanitized "it has no room near the program"
	patched stripped gcc -O2 -fpatchable-function-entry=5 -rdynamic
	strip "$bin/stripped"
	observe env WHOCALLME_TRACE=log "$bin/stripped"
	expect_status 0
	[ "$(calls <"$err" | unfolded | wc -l)" -eq "$(unfolded <"$bin/calls" | wc -l)" ]
	patched lto gcc -O2 -flto -fpatchable-function-entry=5
	patched collected gcc -O2 -ffunction-sections -Wl,--gc-sections \
		-fpatchable-function-entry=5
}

@test "sleds of a wholly static program" {
	needs_static
	# shellcheck disable=SC2086 # a list
	gcc -static -O2 -fpatchable-function-entry=5 -o "$bin/static" \
		"$programs/sled_calls.c" -Wl,-u,wcm_trace_start $static_libs 2>"$bin/link.log"
	same_calls "$bin/static"
	# Its .eh_frame is searched for where it lies: to ask the kernel takes thousands of calls.
	needs strace
	WHOCALLME_TRACE=log observe strace -o "$bin/asked" "$bin/static"
	[ "$status" -eq 0 ] || skip "strace does not trace here"
	[ "$(grep -c process_vm_readv "$bin/asked")" -lt 500 ] || blame "it asks the kernel"
}

@test "a function with a sled and hooks is traced once" {
	not_sanitized "it has no room near the program"
	patched both gcc -O0 -finstrument-functions -fpatchable-function-entry=5
}

@test "sleds and exceptions: what was left is closed" {
	not_sanitized "it has no room near the program"
	# shellcheck disable=SC2086 # lists
	$CXX -g -O2 -fpatchable-function-entry=5 -o "$bin/throws" "$programs/sled_throws.cc" \
		-Wl,--no-as-needed $shared_libs
	observe env WHOCALLME_TRACE=log "$bin/throws"
	expect_status 0
	diff -u <(for _ in 1 2 3; do
		printf '%s\n' '  &catches' '    &passes' '      &throws' \
			'        &leaf' '      &leaf' '    &leaf x2'
	done | unfolded) <(calls <"$err" | grep -v '&main' | unfolded)
}

@test "functions get what they were given, of every kind" {
	not_sanitized "it has no room near the program"
	for compiler in gcc clang; do
		command -v $compiler >/dev/null || continue
		# shellcheck disable=SC2086 # lists
		$compiler -g -O2 -mno-red-zone -DAVX -fpatchable-function-entry=5 \
			-o "$bin/arguments" "$programs/sled_arguments.c" -Wl,--no-as-needed \
			$shared_libs -lm
		observe env WHOCALLME_TRACE=log WHOCALLME_OUTPUT=/dev/null "$bin/arguments" 3000
		expect_status 0
		[ "$(cat "$out")" = 0 ] || blame "arguments were changed"
		# Without a trace vector registers are not even kept.
		observe env WHOCALLME_FLIGHT=yes "$bin/arguments" 100000
		expect_status 0
		[ "$(cat "$out")" = 0 ] || blame "last calls changed arguments"
	done
}

@test "all vector registers and masks are what they were, in use or not" {
	not_sanitized "it has no room near the program"
	grep -q -w avx512bw /proc/cpuinfo || skip "this CPU has no AVX-512"
	[ "$arch" != i386 ] || skip "it has 8 vector registers"
	build vectors sled_vectors.c -O1 -mno-red-zone -mavx512f -mavx512bw \
		-fpatchable-function-entry=5
	observe "$bin/vectors" "$bin"
	expect_out "off: 0 differ" "logged: 0 differ" "recorded: 0 differ" "counted: 0 differ" \
		"spoilt: 0 differ"
}

@test "a function of the program's own is called at every entry, and changes nothing" {
	not_sanitized "it has no room near the program"
	for compiler in gcc clang; do
		command -v $compiler >/dev/null || continue
		# shellcheck disable=SC2086 # lists
		$compiler -g -O2 -fpatchable-function-entry=5 -I"$top_srcdir/include" \
			-o "$bin/hooked" "$programs/sled_hooked.c" -Wl,--no-as-needed \
			$shared_libs -lpthread
		observe "$bin/hooked"
		expect_out "wrong 0" "left 3" "plain 2"
		WHOCALLME_TRACE=log WHOCALLME_OUTPUT=/dev/null observe "$bin/hooked"
		expect_out "wrong 0" "left 3" "plain 2"
	done
}

@test "while threads run through them sleds are switched on and off" {
	not_sanitized "it has no room near the program"
	for build in "gcc -fpatchable-function-entry=5" "clang -fpatchable-function-entry=5" \
		"gcc -pg" "gcc -pg -mfentry" "clang -pg"; do
		command -v "${build%% *}" >/dev/null || continue
		case $arch:$build in i386:*-pg*) continue ;; esac # no calls of a profiler are known
		# shellcheck disable=SC2086 # lists
		$build -g -O2 -I"$top_srcdir/include" \
			-o "$bin/switched" "$programs/sleds.c" $shared_libs -lpthread
		GRAPH=$bin/graph.dot observe "$bin/switched" switch 50 4
		expect_status 0
		[ "$(cat "$out")" = "failed 0, empty 0, lost 0, differs 0" ] || blame "see above"
	done
}

@test "the code is the file's before a trace and after it; a thread that blocks all signals stops" {
	not_sanitized "it has no room near the program"
	build bytes sleds.c -O2 -fpatchable-function-entry=5
	observe "$bin/bytes" bytes
	[ "$(cat "$out")" = "before 0, during 1, after 0" ]
	err_has 'func = f107, called by = bytes$'
	observe "$bin/bytes" blocked
	[ "$(cat "$out")" = "started 1" ]
	err_has 'func = f100, called by = blocked$'
	observe "$bin/bytes" interrupted
	diff -u <(printf '%s\n' 'returned 101' 'differs 0') "$out"
}

@test "--ftrace among a program's arguments starts the log, ----ftrace is handed on" {
	not_sanitized "it has no room near the program"
	build ftrace "$top_srcdir/examples/ftrace.c" -O1 -fpatchable-function-entry=5
	observe "$bin/ftrace" a ----ftrace b
	expect_status 0
	[ "$(cat "$out")" = "3 arguments left" ] && [ ! -s "$err" ]
	observe "$bin/ftrace" a --ftrace --ftrace=no -ftrace ---ftrace
	[ "$(cat "$out")" = "4 arguments left" ]
	diff -u <(printf '%s\n' '&squares_to' '  &square' '  &square x3') <(calls <"$err")
	observe "$bin/ftrace" a -- --ftrace ----ftrace --strace
	[ "$(cat "$out")" = "5 arguments left" ] && [ ! -s "$err" ]
}

@test "--strace among a program's arguments: its system calls, or why there are none" {
	not_sanitized "it has no room near the program"
	build strace "$top_srcdir/examples/ftrace.c" -O1 -fpatchable-function-entry=5
	observe "$bin/strace" a --strace ----strace
	[ "$(cat "$out")" = "2 arguments left" ]
	grep -qE "^SYS .* exit_group\(|system calls are not traced: (this CPU|the kernel)" "$err"
	! grep '^FUN' "$err"
}

@test "--ftrace of a program with more privileges than whoever starts it: nothing is traced" {
	not_sanitized "it has no room near the program"
	[ "$(id -u)" = 0 ] || skip "only root can be another user"
	needs setpriv
	local place=$BATS_RUN_TMPDIR.privileged
	mkdir -m 755 "$place"
	build privileged "$top_srcdir/examples/ftrace.c" -O1 -fpatchable-function-entry=5
	cp "$bin/privileged" "$place/ftrace"
	as_nobody() { setpriv --reuid=65534 --regid=65534 --clear-groups "$@"; }
	observe as_nobody "$place/ftrace" --ftrace
	if [ "$status" -eq 127 ] || ! grep -q '&square' "$err"; then
		rm -r "$place"
		skip "another user cannot run this build"
	fi
	chmod 4755 "$place/ftrace"
	observe as_nobody "$place/ftrace" --ftrace
	rm -r "$place"
	expect_status 0
	[ "$(cat "$out")" = "0 arguments left" ] && [ ! -s "$err" ]
}

@test "a library is unloaded while its sleds are calls, and others come to its place" {
	not_sanitized "it has no room near the program"
	build plugged sled_plugged.c -O1
	build_library a.so traced_plugin.c -O0 -fpatchable-function-entry=5
	build_library b.so traced_plugin.c -O0 -fpatchable-function-entry=12
	observe "$bin/plugged" "$bin/a.so" "$bin/b.so"
	expect_status 0
	[ "$(cat "$out")" = done ]
	[ "$(calls <"$err" | grep -c '^&plugin_run$')" -eq 20 ]
	[ "$(calls <"$err" | grep -c '^  &plugin_step$')" -eq 20 ]
}

# What the command lists of $1, addresses of sleds.
listed()
{
	"$whocallme" functions --sleds "$1" | sed -n 's/.*: entry 0*\([0-9a-f]*\) .*/\1/p' | sort
}

# Each sled that the command lists of $1 is the NOPs that objdump shows there.
nops_are_objdumps()
{
	local at size nops count=0
	objdump -d --no-show-raw-insn "$1" | sed -n 's/^ *\([0-9a-f]*\):\t/\1 /p' >"$bin/code"
	while read -r at size nops; do
		awk -v at="$at" -v size="$size" -v nops="$(wc -w <<<"$nops")" '
			$1 == at { on = 1 }
			on && seen < nops { seen++; if (!/ (data16 )*(cs )?(nop|xchg +%ax,%ax)/) exit 1 }
			END { exit seen != nops }' "$bin/code" || blame "$1: no NOPs at $at"
		[ "$(tr -d ' ' <<<"$nops" | wc -c)" -eq $((2 * size + 1)) ] || blame "$1: size at $at"
		count=$((count + 1))
	done < <("$whocallme" functions --sleds "$1" |
		sed -n 's/.*: \(entry\|frame\) 0*\([0-9a-f]*\) /\2 /p')
	[ "$count" -ge 10 ] || blame "$1: $count sleds"
}

@test "functions --sleds: what readelf, nm and objdump show" {
	for compiler in gcc clang; do
		command -v $compiler >/dev/null || continue
		for flag in "" "-no-pie -fno-pie" -fcf-protection -static-pie; do
			# shellcheck disable=SC2086 # a list
			$compiler -O2 -fpatchable-function-entry=5 $flag -o "$bin/listed" \
				"$programs/sled_calls.c" || continue
			listed_by_readelf "$bin/listed" >"$bin/expected"
			[ "$(wc -l <"$bin/expected")" -eq 10 ] || blame "$compiler $flag: readelf"
			listed "$bin/listed" | diff "$bin/expected" - || blame "$compiler $flag"
			nops_are_objdumps "$bin/listed"
			[ "$("$whocallme" functions --sleds "$bin/listed" | grep -c '??')" -eq 0 ]
			strip "$bin/listed"
			listed "$bin/listed" | diff "$bin/expected" - || blame "$compiler $flag stripped"
			[ "$("$whocallme" functions --sleds "$bin/listed" |
				grep -c ' ??: entry')" -eq 10 ]
		done
	done
}

@test "functions --sleds: addresses in relocations of the packed kind" {
	gcc -O2 -fpatchable-function-entry=5 -o "$bin/plain" "$programs/sled_calls.c"
	gcc -O2 -fpatchable-function-entry=5 -Wl,-z,pack-relative-relocs -o "$bin/packed" \
		"$programs/sled_calls.c" || skip "the linker has none"
	readelf -SW "$bin/packed" | grep -q RELR || skip "the linker has none"
	nops_are_objdumps "$bin/packed"
	listed_by_readelf "$bin/packed" >"$bin/expected"
	listed "$bin/packed" | diff "$bin/expected" -
}

@test "functions --sleds: behind the frame, and no longer listed" {
	gcc -O2 -no-pie -fno-pie -fno-omit-frame-pointer -pg -mnop-mcount -o "$bin/mcount" \
		"$programs/sled_calls.c"
	nops_are_objdumps "$bin/mcount"
	"$whocallme" functions --sleds "$bin/mcount" | grep -q ' main: frame .* 5 0f1f440000$'
	gcc -O2 -fpatchable-function-entry=5 -o "$bin/listed" "$programs/sled_calls.c"
	objcopy --remove-section=__patchable_function_entries "$bin/listed" "$bin/unlisted"
	diff <("$whocallme" functions --sleds "$bin/listed") \
		<("$whocallme" functions --sleds "$bin/unlisted")
}

@test "functions --sleds: why a function has none" {
	cat >"$bin/why.c" <<'.'
#include <stdio.h>
#include <stdlib.h>
__attribute__((noipa)) int plain(int x) { return x + 1; }
__attribute__((patchable_function_entry(4), noipa)) int few(int x) { return x + 2; }
__attribute__((patchable_function_entry(16, 16), noipa)) int front(int x) { return x + 3; }
__attribute__((patchable_function_entry(18, 16), noipa)) int both(int x) { return x + 4; }
__attribute__((patchable_function_entry(21, 16), noipa)) int enough(int x) { return x + 5; }
__attribute__((cold, noipa)) void unlikely(int x) { puts("unlikely"); exit(x); }
__attribute__((noipa)) int splits(int x)
{
	if (x > 5)
		unlikely(x);
	return x;
}
static int chosen(void) { return 1; }
static int (*choose(void))(void) { return chosen; }
int indirect(void) __attribute__((ifunc("choose")));
int main(void)
{
	return plain(1) + few(1) + front(1) + both(1) + enough(1) + splits(1) + indirect();
}
.
	gcc -O2 -o "$bin/why" "$bin/why.c"
	observe "$whocallme" functions --sleds "$bin/why"
	expect_status 0
	while IFS='|' read -r name said; do
		[ "$(sed -n "s/^[0-9a-f]* $name: //p" "$out")" = "$said" ] ||
			blame "$name: $(grep " $name:" "$out")"
	done <<'.'
plain|none: no NOPs at its entry
main|none: no NOPs at its entry
few|none: fewer bytes of NOPs than a call (4)
front|none: all NOPs are in front of its entry, no jump fits there (16)
splits.cold|none: a part that is split off
indirect|none: chooses an implementation (IFUNC)
puts@plt|none: a PLT stub
.
	[ "$(sed -n 's/.* enough: entry 0*\([0-9a-f]*\) 5 90 90 90 90 90$/\1/p' "$out")" = \
		"$(nm "$bin/why" | sed -n 's/^0*\(.*\) T enough$/\1/p')" ]
	[ "$(sed -n 's/.* both: front 0*\([0-9a-f]*\) 9 90 90 90 90 90 90 90 90 90$/\1/p' "$out")" = \
		"$(printf '%x' $((0x$(nm "$bin/why" | sed -n 's/ T both$//p') - 7)))" ]
	! grep -q '??' "$out"

	objcopy --only-keep-debug "$bin/why" "$bin/why.debug"
	observe "$whocallme" functions --sleds "$bin/why.debug"
	grep -q ' enough: none: its code is not in this file$' "$out"

	# What is listed, and is other code.
	cp "$bin/why" "$bin/changed"
	section=$(objdump -h "$bin/why" | awk '$2 == ".text" { print "0x" $4, "0x" $6 }')
	at=$((0x$(nm "$bin/why" | sed -n 's/ T few$//p') - ${section% *} + ${section#* }))
	printf '\xcc' | dd of="$bin/changed" bs=1 seek=$at conv=notrunc 2>/dev/null
	"$whocallme" functions --sleds "$bin/changed" |
		grep -q ' few: none: listed, but no NOPs of a known form$'
}

@test "functions --sleds --json says the same" {
	needs python3
	gcc -O2 -fpatchable-function-entry=5 -o "$bin/listed" "$programs/sled_calls.c"
	"$whocallme" functions --sleds --json "$bin/listed" | python3 -c '
import json, sys
words = {"no-nops": "no NOPs at its entry", "plt": "a PLT stub"}
for f in json.load(sys.stdin)["functions"]:
    line = "%016x %s: " % (int(f["address"], 16), f["name"])
    if "sled" in f:
        s = f["sled"]
        assert s["listed"]
        line += " ".join([s["place"], "%016x" % int(s["address"], 16), str(s["size"])] + s["nops"])
    else:
        line += "none: " + words[f["no_sled"]]
    print(line)' | diff - <("$whocallme" functions --sleds "$bin/listed")
	strip "$bin/listed"
	[ "$("$whocallme" functions --sleds --json "$bin/listed" |
		grep -o '{"address":"0x[0-9a-f]*","sled"' | wc -l)" -eq 10 ]
}

@test "functions --sleds: what it is not for" {
	gcc -c -fpatchable-function-entry=5 -o "$bin/one.o" "$programs/sled_calls.c"
	observe "$whocallme" functions --sleds "$bin/one.o"
	expect_status 1
	expect_err "whocallme functions: $bin/one.o: no sleds can be read: it is not linked yet"
	observe "$whocallme" functions --sleds --address 1 "$bin/one.o"
	expect_status 2
	err_has 'do not go together'
}

# lonely NAME COMPILER FLAG...: $bin/NAME, which knows nothing of the library.
lonely()
{
	local name=$1 compiler=$2
	shift 2
	$compiler -g -O2 -o "$bin/$name" "$@" "$programs/sled_calls.c"
}

# The program's calls, by the command, are those of the program with hooks.
commanded_same()
{
	observe "$whocallme" trace "$@"
	expect_status 0
	diff -u <(unfolded <"$bin/calls") <(calls <"$err" | unfolded)
	[ "$(cat "$out")" = done ]
}

@test "whocallme trace runs a program that has sleds and no hooks" {
	not_sanitized "it has no room near the program"
	for compiler in gcc clang; do
		command -v $compiler >/dev/null || continue
		lonely lonely $compiler -fpatchable-function-entry=5
		commanded_same "$bin/lonely"
	done
	lonely mcount gcc -no-pie -fno-pie -fno-omit-frame-pointer -pg -mnop-mcount
	commanded_same "$bin/mcount"
	lonely stripped gcc -fpatchable-function-entry=5 -s
	observe "$whocallme" trace "$bin/stripped"
	expect_status 0
	[ "$(calls <"$err" | unfolded | wc -l)" -eq "$(unfolded <"$bin/calls" | wc -l)" ]
}

@test "whocallme trace: neither sleds nor hooks is refused, and told both ways out" {
	for flag in "" -fpatchable-function-entry=3 -fpatchable-function-entry=16,16; do
		# shellcheck disable=SC2086 # a list
		lonely none gcc $flag
		observe "$whocallme" trace "$bin/none"
		expect_status 125
		err_has 'nothing in it can be traced; build it with -fpatchable-function-entry=5'
		err_has ' -finstrument-functions'
		[ ! -s "$out" ]
	done
}

@test "whocallme trace: sleds of a library that the program needs, and of what a script runs" {
	not_sanitized "it has no room near the program"
	gcc -shared -fPIC -O2 -fpatchable-function-entry=5 -Dmain=inner \
		-o "$bin/libsleds.so" "$programs/sled_calls.c"
	gcc -o "$bin/needing" -x c - -x none "$bin/libsleds.so" -Wl,-rpath,"$bin" \
		<<<'int inner(void); int main(void) { return inner(); }'
	observe "$whocallme" trace "$bin/needing"
	expect_status 0
	diff -u <(unfolded <"$bin/calls" | sed 's/&main/\&inner/') \
		<(calls <"$err" | unfolded)
	lonely lonely gcc -fpatchable-function-entry=5
	printf '#!/bin/sh\n/bin/true\n%s\n' "$bin/lonely" >"$bin/script"
	chmod +x "$bin/script"
	observe "$whocallme" trace "$bin/script"
	expect_status 0
	[ "$(grep -c '^# begun at' "$err")" -eq 1 ] || blame "more than one program was traced"
	diff -u <(unfolded <"$bin/calls") <(calls <"$err" | unfolded)
}

@test "whocallme trace: a static program with sleds has the library in it, or is told so" {
	needs_static
	lonely static gcc -static -fpatchable-function-entry=5
	observe "$whocallme" trace "$bin/static"
	expect_status 126
	err_has '-Wl,-u,wcm_trace_start and libwhocallme.a$'
	# shellcheck disable=SC2086 # a list
	gcc -static -O2 -fpatchable-function-entry=5 -o "$bin/linked" \
		"$programs/sled_calls.c" -Wl,-u,wcm_trace_start $static_libs 2>"$bin/link.log"
	commanded_same "$bin/linked"
}

# calls_of NAME...: a log of FUN lines on $err has these and no others, but for main.
only_calls_of()
{
	printf '%s\n' "$@" | sort -u | diff - <(sed -n 's/^FUN .*&//p' "$err" | sed 's/ x[0-9]*$//' |
		grep -v '^main$' | sort -u) || blame "other functions are traced"
}

@test "a run of NOPs ends at the next symbol, listed entry or frame description" {
	not_sanitized "it has no room near the program"
	local flags name expected="2 3 5 8 6 8 11 13"
	for flags in "" -no-pie -fcf-protection -rdynamic "-Wl,--gc-sections -ffunction-sections" \
		-Wl,-z,pack-relative-relocs; do
		# shellcheck disable=SC2086 # a list
		gcc -O2 -falign-functions=1 -fpatchable-function-entry=5 $flags -o "$bin/labels" \
			"$programs/sled_labels.S" "$programs/sled_labels.c" || continue
		objcopy --strip-all "$bin/labels" "$bin/stripped"
		objcopy --remove-section=__patchable_function_entries "$bin/labels" "$bin/unlisted"
		objcopy --strip-all "$bin/unlisted" "$bin/bare"
		for name in labels stripped unlisted; do
			observe "$whocallme" trace --no-signals "$bin/$name"
			expect_status 0
			[ "$(sort -u "$out")" = "7 $expected" ] || blame "$flags $name: $(cat "$out")"
			[ $name = stripped ] || only_calls_of first next untyped
		done
		observe "$whocallme" run --flight "$bin/labels"
		expect_status 0
		observe "$whocallme" trace --force "$bin/bare"
		expect_status 0
	done
	"$whocallme" functions --sleds "$bin/labels" >"$out"
	for name in "ends 0" "stub 4" "typed 2" "front1 4" "front2 3" "front4 1"; do
		grep -q " ${name% *}: none: " "$out" || blame "$name has one"
	done
	gcc -O2 -DLINKED -I"$top_srcdir/include" -fpatchable-function-entry=5 -o "$bin/linked" \
		"$programs/sled_labels.S" "$programs/sled_labels.c" $shared_libs
	observe "$bin/linked"
	expect_status 0
	only_calls_of first next untyped
}

@test "what is listed where no function begins is left as it is, and said" {
	not_sanitized "it has no room near the program"
	local flags mode name
	for flags in "" "-no-pie -O2" -Wl,-z,pack-relative-relocs; do
		# shellcheck disable=SC2086 # a list
		gcc -fpatchable-function-entry=5 $flags -o "$bin/inside" \
			"$programs/sled_inside.S" "$programs/sled_inside.c" || continue
		objcopy --strip-all "$bin/inside" "$bin/stripped"
		for mode in "" "--record=$bin/recording"; do
			for name in inside stripped; do
				rm -rf "$bin/recording"
				# shellcheck disable=SC2086 # an option, or none
				observe "$whocallme" trace --no-signals $mode "$bin/$name"
				expect_status 0
				"$bin/inside" | diff - "$out" || blame "$flags $mode $name"
				err_has "/$name are not traced: 4 of the list"
			done
		done
		observe "$whocallme" trace --no-signals "$bin/inside"
		only_calls_of has_one
	done
}

@test "functions that nothing tells of are not taken for others, whatever is in front of them" {
	not_sanitized "it has no room near the program"
	local entry name
	for entry in 5 5,2 5,5 7,1; do
		gcc -O2 "-fpatchable-function-entry=$entry" -fno-asynchronous-unwind-tables \
			-o "$bin/whole" "$programs/sled_calls.c"
		strip -o "$bin/bare" "$bin/whole"
		strip -x -o "$bin/exported" "$bin/whole"
		for name in whole bare exported; do
			observe "$whocallme" trace --force --no-signals "$bin/$name"
			expect_status 0
		done
	done
}

@test "a thread that waits in a system call while sleds are switched goes on waiting" {
	not_sanitized "it has no room near the program"
	build reading sleds.c -O2 -fpatchable-function-entry=5
	observe "$bin/reading" reads
	[ "$(cat "$out")" = "read a byte" ]
	err_has 'func = f100, called by = reads$'
}
