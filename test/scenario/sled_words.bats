#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# sled_words.bats - sleds that are words, each of which becomes a jump by one store: those of
# aarch64, with two NOPs.  The other files about sleds are of CPUs where threads are held.

load support
load sled_calls

# Of signed return addresses, and of landing pads.
protected=-mbranch-protection=standard

setup_file()
{
	bin=$BATS_FILE_TMPDIR
	build_hooked
	! command -v clang++ >/dev/null || ends hooked clang++ -O0 -finstrument-functions
}

# An emulator sees code change by what the program stores, and not by what it writes to
# /proc/self/mem: a command without the latter, which is how a sandbox may have it.
watched()
{
	if [ -z "$emulated" ]; then
		"$@"
		return
	fi
	# shellcheck disable=SC2016 # the inner shell's
	unshare -m sh -c 'mount --bind /etc/hostname /proc/$$/mem &&
		mount -o remount,ro,bind /proc/$$/mem && exec "$@"' sh "$@"
}

needs_watched()
{
	watched true || skip "here /proc/self/mem cannot be taken from a program in the emulator"
}

@test "sleds of gcc and clang: calls are those that hooks tell" {
	for compiler in gcc clang; do
		command -v $compiler >/dev/null || continue
		for flags in "2" "2 $protected" "2 -mbranch-protection=pac-ret+leaf" \
			"2 -mbranch-protection=bti" 1 5 "3,1" "3,1 $protected" "2 -no-pie -fno-pie" \
			"2 -O0 $protected" "2 -Os"; do
			# shellcheck disable=SC2086 # lists
			patched words $compiler -O2 -fpatchable-function-entry=$flags
		done
	done
}

# ends NAME COMPILER FLAG...: $bin/NAME of the program that leaves functions in all ways.
ends()
{
	local name=$1 compiler=$2
	shift 2
	# shellcheck disable=SC2086 # lists
	$compiler -g -rdynamic "$@" -I"$top_srcdir/include" -o "$bin/$name" \
		"$programs/sled_ends.cc" -Wl,--no-as-needed $shared_libs -lpthread -ldl
}

# The lines of its log without numbers and times, by thread.
log_of()
{
	observe env WHOCALLME_TRACE=log WHOCALLME_TRACE_EXITS=yes "$bin/$1" ways
	expect_status 0
	[ "$(cat "$out")" = "4, 1" ]
	sed -nE "s/^(FUN|RET|REX) +([0-9]+) +[0-9']+ +[0-9]+ ( *&[^ ]*).*/\2 \1 \3/p" "$err" |
		awk '!($1 in number) { number[$1] = ++count } { $0 = number[$1] substr($0, length($1) + 1); print }' |
		sort -s -n -k 1,1 | grep -v guard >"$bin/$1.ends"
}

@test "each way to leave a function ends its call as with hooks, exceptions among them" {
	[ -e "$bin/hooked" ] || skip "no clang++"
	log_of hooked
	[ "$(grep -c REX "$bin/hooked.ends")" -gt 10 ]
	[ "$(grep -c RET "$bin/hooked.ends")" -gt 30 ]
	for flags in "" "$protected"; do
		# shellcheck disable=SC2086 # a list
		ends words clang++ -O0 -fpatchable-function-entry=2 $flags
		log_of words
		diff -u "$bin/hooked.ends" "$bin/words.ends"
	done
	for compiler in g++ clang++; do
		command -v $compiler >/dev/null || continue
		ends words $compiler -O2 -fpatchable-function-entry=2 $protected
		log_of words
		[ "$(grep -c FUN "$bin/words.ends")" -eq "$(grep -c 'RET\|REX' "$bin/words.ends")" ]
	done
}

@test "stacks taken inside are those that are taken untraced, libc's too; crash reports" {
	for compiler in g++ clang++; do
		command -v $compiler >/dev/null || continue
		ends words $compiler -O2 -fpatchable-function-entry=2 $protected
		observe "$bin/words" stacks
		cp "$out" "$bin/untraced"
		[ "$(grep -c '^glibc' "$bin/untraced")" -ge 4 ]
		export WHOCALLME_TRACE=log WHOCALLME_TRACE_EXITS=yes WHOCALLME_OUTPUT=/dev/null
		observe "$bin/words" stacks
		diff -u "$bin/untraced" "$out"
		diff -u <(sed -n 's/^glibc //p' "$out") <(sed -n 's/^whocallme //p' "$out")
		WHOCALLME=yes observe "$bin/words" crash
		diff -u <(printf '%s\n' innermost with_array without middle main) \
			<(frame_names <"$err" | sed -n '/^innermost$/,$p')
		unset WHOCALLME_TRACE WHOCALLME_TRACE_EXITS WHOCALLME_OUTPUT
	done
}

@test "a recording and a graph have the calls that they have with hooks" {
	[ -e "$bin/hooked" ] || skip "no clang++"
	ends words clang++ -O0 -fpatchable-function-entry=2 $protected
	for name in hooked words; do
		WHOCALLME_TRACE=graph WHOCALLME_OUTPUT=$bin/$name.dot "$bin/$name" ways >/dev/null
		sed -nE 's/.*"([a-z_]+)" -> "([a-z_]+)" .*calls=([0-9]+).*/\1 \2 \3/p' \
			"$bin/$name.dot" | sort >"$bin/$name.edges"
		WHOCALLME_TRACE=record WHOCALLME_OUTPUT=$bin/$name.data "$bin/$name" ways >/dev/null
		command -v uftrace >/dev/null || continue
		timeout 60 uftrace report -d "$bin/$name.data" -f call --no-pager | awk 'NR > 2' |
			grep -v guard | sort >"$bin/$name.report"
		[ "$(wc -l <"$bin/$name.report")" -gt 15 ]
	done
	[ "$(wc -l <"$bin/hooked.edges")" -gt 15 ]
	diff -u "$bin/hooked.edges" "$bin/words.edges"
	[ ! -e "$bin/hooked.report" ] || diff -u "$bin/hooked.report" "$bin/words.report"
}

@test "functions get what they were given, of every kind" {
	for compiler in gcc clang; do
		command -v $compiler >/dev/null || continue
		# shellcheck disable=SC2086 # lists
		$compiler -g -O2 -fpatchable-function-entry=2 $protected -o "$bin/arguments" \
			"$programs/sled_arguments.c" -Wl,--no-as-needed $shared_libs -lm
		for setting in TRACE=log TRACE=graph FLIGHT=yes; do
			observe env WHOCALLME_$setting WHOCALLME_OUTPUT="$bin/arguments.out" \
				"$bin/arguments" 1000
			expect_status 0
			[ "$(cat "$out")" = 0 ] || blame "arguments were changed: $setting"
		done
	done
}

@test "a function of the program's own is called at every entry, and sees who calls" {
	cat >"$bin/sees.c" <<'.'
#include <stdio.h>
#include <whocallme.h>
#define UNTRACED __attribute__((patchable_function_entry(0)))
#define OUTLINE __attribute__((noinline))
UNTRACED static void see(const struct wcm_entry *entry)
{
	struct wcm_frame frames[32];
	enum wcm_stop stop;
	size_t count = wcm_stack_capture(frames, 32, 0, &stop);

	(void)entry;
	dprintf(1, "%d\n", stop == WCM_STOP_OUTERMOST);
	wcm_stack_write(1, frames, count);
}
OUTLINE int inner(int x) { __asm__ volatile("" : "+r"(x)); return x + 1; }
OUTLINE int outer(int x) { return inner(x) + 1; }
UNTRACED int main(void)
{
	wcm_hook_set(see, NULL);
	return outer(1) != 3;
}
.
	for flags in "" "$protected"; do
		# shellcheck disable=SC2086 # a list
		build sees "$bin/sees.c" -O2 -fpatchable-function-entry=2 $flags
		observe "$bin/sees"
		expect_status 0
		diff -u <(printf '%s\n' 1 outer main 1 inner outer main) \
			<(sed -nE 's/^(1)$|^#[0-9]+ 0x[0-9a-f]+ in (inner|outer|main)\+.*/\1\2/p' "$out")
	done
}

@test "while threads run through them sleds are switched on and off" {
	needs_watched
	for compiler in gcc clang; do
		command -v $compiler >/dev/null || continue
		# shellcheck disable=SC2086 # lists
		$compiler -g -O2 -fpatchable-function-entry=2 $protected -I"$top_srcdir/include" \
			-o "$bin/switched" "$programs/sleds.c" $shared_libs -lpthread
		for ends in "" yes; do
			GRAPH=$bin/graph.dot ENDS=$ends observe watched "$bin/switched" switch 20 4
			expect_status 0
			[ "$(cat "$out")" = "failed 0, empty 0, lost 0, differs 0" ] ||
				blame "see above"
		done
		observe watched "$bin/switched" bytes
		[ "$(cat "$out")" = "before 0, during 1, after 0" ]
		err_has 'func = f107, called by = bytes$'
		observe watched "$bin/switched" blocked # no thread has to stop
		[ "$(cat "$out")" = "started 1" ]
	done
}

@test "libraries that are opened during a trace are traced" {
	needs_watched
	build plugged sled_plugged.c -O1
	build_library a.so traced_plugin.c -O0 -fpatchable-function-entry=2
	build_library b.so traced_plugin.c -O0 -fpatchable-function-entry=5
	observe watched "$bin/plugged" "$bin/a.so" "$bin/b.so"
	expect_status 0
	[ "$(cat "$out")" = done ]
	[ "$(calls <"$err" | grep -c '^&plugin_run$')" -eq 20 ]
	[ "$(calls <"$err" | grep -c '^  &plugin_step$')" -eq 20 ]
}

@test "NOPs in front of functions alone are refused by whocallme trace, in words" {
	gcc -O2 -fpatchable-function-entry=2,2 -o "$bin/front" "$programs/sled_calls.c"
	observe "$whocallme" trace "$bin/front"
	expect_status 125
	err_has 'nothing in it can be traced'
	"$whocallme" functions --sleds "$bin/front" |
		grep -q ' main: none: all NOPs are in front of its entry, no jump fits there (8)$'
}

@test "functions --sleds: as many as the compiler lists, where objdump has NOPs" {
	for compiler in gcc clang; do
		command -v $compiler >/dev/null || continue
		$compiler -O2 -fpatchable-function-entry=2 $protected -o "$bin/listed" \
			"$programs/sled_calls.c"
		"$whocallme" functions --sleds "$bin/listed" |
			sed -n 's/.*: entry 0*\([0-9a-f]*\) 8 1f2003d5 1f2003d5$/\1/p' | sort >"$bin/told"
		[ "$(wc -l <"$bin/told")" -eq 10 ]
		objdump -d "$bin/listed" | awk '/\tnop$/ && before !~ /\tnop$/ { sub(":", "", $1); print $1 }
			{ before = $0 }' | sort | comm -23 "$bin/told" - >"$bin/others"
		[ ! -s "$bin/others" ] || blame "no NOPs there: $(cat "$bin/others")"
	done
}
