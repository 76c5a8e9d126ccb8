#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# sled_loads.bats - libraries with sleds that come and go while their program is traced.

load support
load sled_calls

# plugged NAME FLAG...: $bin/NAME, a library with sleds.
plugged()
{
	local name=$1
	shift
	build_library "$name" sled_plugin.c -O2 -fpatchable-function-entry=5 "$@"
}

# How often the log of $err has each function, unfolded.
tally()
{
	calls <"$err" | unfolded | sed 's/^ *//' | sort | uniq -c | sed 's/^ *//'
}

@test "libraries that are opened during a trace are traced, constructors included" {
	not_sanitized "it has no room near the program"
	build loads sled_loads.c -O1 -- -Wl,-rpath,'$ORIGIN/plugins'
	mkdir "$bin/plugins"
	plugged a.so
	plugged b.so -fcf-protection -Wl,--build-id=none
	mv "$bin/a.so" "$bin/plugins"
	# By its name alone: it is found by what the program says, $ORIGIN.
	WHOCALLME_TRACE=log observe "$bin/loads" a.so "$bin/b.so" 10 1
	expect_status 0
	[ "$(cat "$out")" = done ]
	diff -u <(printf '&plugin_%s\n' made step run one step gone step | sed s/plugin_one/one/) \
		<(calls <"$err" | sed 's/^ *//' | head -7)
	diff -u <(printf '%s\n' '10 &one' '15 &plugin_gone' '15 &plugin_made' '10 &plugin_run' \
		'40 &plugin_step') <(tally)
}

@test "libraries that are opened during a trace: stripped, without a list, by other linkers" {
	not_sanitized "it has no room near the program"
	build loads sled_loads.c -O1
	for flag in -s -Wl,-z,pack-relative-relocs -fuse-ld=lld "-fuse-ld=lld -Wl,-z,pack-relative-relocs"; do
		# shellcheck disable=SC2086 # a list
		plugged a.so $flag 2>"$bin/link.log" || continue
		WHOCALLME_TRACE=log observe "$bin/loads" "$bin/a.so" "$bin/a.so" 4 1
		[ "$(calls <"$err" | grep -c '&plugin_run$')" -eq 4 ] || blame "$flag"
		[ "$(calls <"$err" | unfolded | wc -l)" -eq 28 ] || blame "$flag"
	done
	plugged a.so
	objcopy --remove-section=__patchable_function_entries "$bin/a.so"
	WHOCALLME_TRACE=log observe "$bin/loads" "$bin/a.so" "$bin/a.so" 4 1
	diff -u <(printf '%s\n' '4 &one' '4 &plugin_gone' '4 &plugin_made' '4 &plugin_run' \
		'12 &plugin_step') <(tally)
}

@test "libraries that four threads open and close during a trace" {
	not_sanitized "it has no room near the program"
	build loads sled_loads.c -O1
	plugged a.so
	plugged b.so
	for way in "" -finstrument-functions; do
		# shellcheck disable=SC2086 # perhaps none
		build loads sled_loads.c -O1 $way
		WHOCALLME_TRACE=log observe "$bin/loads" "$bin/a.so" "$bin/b.so" 100 4
		expect_status 0
		[ "$(cat "$out")" = done ]
		[ "$(calls <"$err" | grep -c '&plugin_run$')" -eq 400 ]
		[ "$(calls <"$err" | unfolded | grep -c '&one$')" -eq 400 ]
	done
}

@test "a function that chooses an implementation is left alone" {
	plugged a.so
	"$whocallme" functions --sleds "$bin/a.so" >"$bin/out"
	grep -q ' plugin_chosen: none: chooses an implementation (IFUNC)$' "$bin/out"
	! grep -q '??' "$bin/out"
}
