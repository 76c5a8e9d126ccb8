#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# page.bats - a report puts first what a person looks for, and says nothing twice; gdb judges.

load support

setup_file()
{
	bin=$BATS_FILE_TMPDIR
	build_alone page page.c -O1 -fno-optimize-sibling-calls
}

setup()
{
	in_place_to_die
}

# died [OPTION...] -- ARGUMENT...: of "page"; the report is in FILE.
died()
{
	observe timeout -s KILL 60 "$whocallme" run --helper="$whocallme" --deadline=60 "$@"
	expect_status 139
}

# functions FILE: of the stack that crashed, what is folded unfolded: number and name.
functions()
{
	sed '/^write to /,$d; /^   /d; /^	/d' "$1" | awk '
		/^#/ { for (i = 1; $i != "in"; i++); name = $(i + 1); sub(/\+0x.*/, "", name)
			if (substr($1, 2) + 0 != n + 0) exit 1
			all[n + 0] = name; print n++ + 0, name }
		/^\.\.\. / { period = /, in rounds of [0-9]+$/ ? $NF : 1
			for (i = $2; i > 0; i--) { all[n] = all[n - period]; print n, all[n]; n++ } }'
}

# by_gdb ARGUMENT...: the same of gdb, up to main.
by_gdb()
{
	timeout 120 gdb -nx -batch -iex 'set debuginfod enabled off' -ex 'set width 0' \
		-ex 'set startup-with-shell off' -ex run -ex bt --args "$bin/page" "$@" \
		</dev/null 2>/dev/null |
		sed -nE 's/^#([0-9]+) +(0x[0-9a-f]+ in )?([a-z_]+) \(.*/\1 \3/p'
}

@test "a recursion is listed once, and counted: direct, in turn, of three, deep" {
	local what
	for what in 'direct 3' 'direct 215' 'mutual 300' 'mutual 301' 'three 64' 'direct 2500'; do
		# shellcheck disable=SC2086 # a list
		died "$bin/page" $what
		functions "$err" | sed '/ main$/q' >ours
		[ "$(grep -c '^#' "$err")" -le 16 ] || blame "$what: too many lines"
		[ "$(wc -l <ours)" -gt "${what#* }" ] || blame "$what: not all frames"
		if command -v gdb >/dev/null; then
			# shellcheck disable=SC2086
			by_gdb $what | sed '/ main$/q' | diff - ours
		fi
	done
	err_has '^\.\.\. 2499 more of direct$'
}

@test "a stack that overflowed ends with its outermost frames" {
	died "$bin/page" endless
	err_has '^\.\.\. [0-9]{5,} more of endless$'
	err_has '^#[0-9]{6,} 0x[0-9a-f]* in main\+'
	err_lacks 'left out'
}

@test "a helper that hangs takes no frame of a stack that overflowed" {
	printf '#!/bin/sh\nexec sleep 100\n' >hangs
	chmod +x hangs
	observe timeout -s KILL 60 "$whocallme" run --helper="$PWD/hangs" --deadline=8 \
		"$bin/page" endless
	expect_status 139
	err_has '^#[0-9]{6,} 0x[0-9a-f]* in main\+'
	err_has '^<whocallme>: no source lines: .*: no answer in time'
}

@test "the same in JSON as data, and as text from that" {
	local what
	for what in 'direct 2500' 'mutual 301' 'three 1000'; do
		# shellcheck disable=SC2086
		died "$bin/page" $what
		functions "$err" | sed '/ main$/q' >text
		# shellcheck disable=SC2086
		died --json "$bin/page" $what
		python3 - "$err" <<-'END' >data
			import json, sys
			stack = json.load(open(sys.argv[1]))["stack"]
			frames = {f["number"]: f for f in stack["frames"]}
			count = max(frames) + 1
			assert len(frames) == 96 and count == 96 + stack["left_out"]
			for fold in stack["folds"]:
			    for i in range(fold["count"]):
			        number = fold["first"] + i
			        frame = frames[fold["first"] - fold["period"] + i % fold["period"]]
			        assert frames.setdefault(number, frame)["pc"] == frame["pc"]
			for number in range(count):
			    print(number, frames[number].get("function", "??"))
			    if frames[number].get("function") == "main":
			        break
		END
		diff text data
		"$whocallme" resolve --text "$err" | sed '/^program/,$d' >shown
		functions shown | sed '/ main$/q' | diff text -
	done
}

@test "eight threads on a page: the stack with its lines, why, and equal stacks once" {
	local ids
	died "$bin/page" threads
	[ "$(wc -l <"$err")" -le 75 ] || blame "$(wc -l <"$err") lines"
	awk '/^(#0 |write to|program:|[0-9]+ threads|thread |registers:|code:|modules:)/ {
		print $1 == "#0" && n++ ? "" : $1 == "thread" || $2 == "threads" ? "threads" : $1
	}' "$err" | grep . | uniq | tr '\n' ' ' |
		grep -x '#0 write program: threads registers: code: modules: '
	err_has '^   die at .*/page\.c:[0-9]+'
	err_has '^   wait_for_work at .*/page\.c:[0-9]+'
	err_has '^4 threads( [0-9]+ "bio_[0-3]",?){4}:$'
	err_has '^3 threads( [0-9]+(-[0-9]+)? "io",?)+:$'
	ids=$(sed -nE 's/^[0-9]+ threads //p' "$err" | grep -oE '[0-9]+(-[0-9]+)? "' |
		sed 's/ "//; s/-/ /' | while read -r a b; do seq "$a" "${b:-$a}"; done | sort -u)
	[ "$(wc -l <<<"$ids")" -eq 7 ] || blame "not seven ids"
	# JSON has each thread; as text it is the same page.
	died --json "$bin/page" threads
	python3 -c 'import json, sys
assert len(json.load(open(sys.argv[1]))["threads"]) == 7' "$err"
	"$whocallme" resolve --text "$err" | grep -E '^[34] threads [0-9]' | wc -l | grep -x 2
}

@test "resolve and group: of a page, of the same without lines, of JSON" {
	local what
	for what in threads 'direct 2500' 'mutual 301' 'three 1000'; do
		# shellcheck disable=SC2086
		died "$bin/page" $what
		cp "$err" with
		"$whocallme" resolve with | diff with -
		grep -vE '^(   |	)' with >without
		"$whocallme" resolve without >again
		diff <(grep -v '^	' with) again
		# shellcheck disable=SC2086
		died --json "$bin/page" $what
		cp "$err" json
		for options in '' '--all-frames --frames=1000' '--all-frames --frames=60'; do
			# shellcheck disable=SC2086
			"$whocallme" group --json $options with without json >groups
			[ "$(wc -l <groups)" -eq 1 ] || blame "$what $options: not one group"
		done
	done
}
