#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# log.bats - reports in other logs: resolve and group see them as they see them alone, of two
# processes whose lines are mixed, too.

load support

log="python3 $top_srcdir/test/scenario/in_log.py"

setup_file()
{
	bin=$BATS_FILE_TMPDIR
	build_alone page page.c -O1 -fno-optimize-sibling-calls
}

setup()
{
	needs python3
	in_place_to_die
}

# died FILE [OPTION...] ARGUMENT...: of "page"; the report is in FILE.
died()
{
	local file=$1
	shift
	"$whocallme" run --no-lines "$@" 2>"$file" >/dev/null || true
	[ -s "$file" ]
}

# hashes FILE...: what group makes of them.
hashes()
{
	"$whocallme" group --json --no-resolve "$@" 2>/dev/null |
		sed -E 's/.*"hash":"([^"]*)","count":([0-9]+).*/\1 \2/' | sort
}

@test "of any form: the same lines, and the same groups" {
	local form
	died one "$bin/page" mutual 300
	died two "$bin/page" threads
	"$whocallme" resolve one >one.resolved
	"$whocallme" resolve two >two.resolved
	grep -q '^   first at ' one.resolved
	hashes one >hash
	hashes one two >hashes
	# Nothing tells two from each other.
	$log put docker-t one >alone
	"$whocallme" resolve alone | $log take docker-t 0 | diff one.resolved -
	hashes alone | diff hash -
	for form in $($log forms); do
		[ "$form" != docker-t ] || continue
		$log put "$form" one two >both
		"$whocallme" resolve <both >resolved
		$log take "$form" 0 <resolved | diff one.resolved - || blame "$form"
		$log take "$form" 1 <resolved | diff two.resolved - || blame "$form"
		hashes both | diff hashes - || blame "$form"
	done
}

@test "reports in JSON, in parts, among reports as text" {
	local form
	died text "$bin/page" mutual 300
	died json --json "$bin/page" threads
	[ "$(wc -c <json)" -gt 6000 ]
	"$whocallme" resolve json >json.resolved
	hashes text json >hashes
	for form in cri cri-part docker docker-part journal-short compose journal-json; do
		$log put "$form" text json >both
		"$whocallme" resolve both >resolved
		$log take "$form" 1 <resolved | diff json.resolved - || blame "$form"
		hashes both | diff hashes - || blame "$form"
	done
}

@test "a report in JSON that something has written again, with blanks, is the same report" {
	local form file
	died text "$bin/page" mutual 300
	died json --json "$bin/page" threads
	"$whocallme" resolve json >json.resolved
	hashes text json >hashes
	python3 -c 'import json; print(json.dumps(json.load(open("json"))))' >blanks
	python3 -c 'import json; print(json.dumps(json.load(open("json")), separators=(" \t,", " : "))
		.replace("{", "{  ", 1))' >more
	for file in blanks more; do
		grep -q '^{ *"version" *: 1' "$file"
		"$whocallme" resolve "$file" | diff json.resolved -
		hashes text "$file" | diff hashes -
		# A text's stack ends where it begins.
		cat text "$file" >both
		"$whocallme" resolve both | tail -n 1 | diff json.resolved -
		for form in cri journal-short docker compose name; do
			$log put "$form" text "$file" >both
			"$whocallme" resolve both >resolved
			$log take "$form" 1 <resolved | diff json.resolved - || blame "$form, $file"
			hashes both | diff hashes - || blame "$form, $file"
		done
		# Longer than a line of text may be.
		{ printf '[w 1] ' && sed 's/,.*/,/' "$file" | tr -d '\n' && printf '%200000s' '' &&
			sed 's/^[^,]*,//' "$file"; } >long
		"$whocallme" resolve long | sed 's/^.w 1. //' | diff json.resolved -
		hashes long | diff <(hashes json) -
	done
}

@test "a log of objects that something has written again, with blanks" {
	local form
	died one "$bin/page" mutual 300
	died two --json "$bin/page" threads
	"$whocallme" resolve one >one.resolved
	"$whocallme" resolve two >two.resolved
	hashes one two >hashes
	for form in docker docker-part journal-json; do
		$log put "$form" one two >compact
		python3 - <<-'END'
			import json
			with open("both", "w") as both:
			    for line in open("compact"):
			        text = json.dumps(json.loads(line), separators=(" , ", " : "))
			        print("{ " + text[1:], file=both)
		END
		"$whocallme" resolve both >resolved
		$log take "$form" 0 <resolved | diff one.resolved - || blame "$form"
		$log take "$form" 1 <resolved | diff two.resolved - || blame "$form"
		hashes both | diff hashes - || blame "$form"
		[ "$form" = docker ] || continue
		# Behind what another log has in front.
		sed 's/^/2026-11-28T12:00:00.000000000Z stdout F /' both >behind
		"$whocallme" resolve behind | sed 's/^[^ ]* stdout F //' | diff resolved -
		hashes behind | diff hashes -
	done
}

@test "a report is itself behind what other lines have in front of an object" {
	local first front='2026-11-28T12:00:00Z app: '
	died text "$bin/page" mutual 3
	died json --json "$bin/page" threads
	"$whocallme" resolve json >json.resolved
	for first in '{"log": "<whocallme>: a: SIGSEGV, x: y\n"}' '{"log":"#0 0x1 in f+0x1 (/f+0x1)\n"}' \
		'{"message":"#0 0x1 in f+0x1 (/f+0x1)","pid":7}'
	do
		{
			echo "$front$first"
			echo "$front"'{"log": "bye\n"}'
			sed "s/^/$front/" json
			sed "s/^/$front/" text
		} >mixed
		"$whocallme" resolve mixed >resolved
		sed -n "s/^$front\({\"version\"\)/\1/p" resolved | diff json.resolved -
		[ "$(grep -c "^$front   first at " resolved)" -eq \
			"$("$whocallme" resolve text | grep -c '^   first at ')" ]
		hashes mixed | grep -c . | grep -x '[23]'
	done
}

@test "what is no report stays as it is, whatever stands in front" {
	local form
	seq 200 | sed 's/$/ <whocallme>: no report: {"version":1, #0 0x0 in nothing/' >other
	printf '%s\n' '{"log":"a' '{"log":1}' '{"log":"' '{"message":"\ud800\u00"}' \
		'2026-11-27T23:04:46Z stderr P' '2026-11-27T23:04:46Z stderr P a' \
		'2026-11-27T23:04:47Z stderr F {"version":1,' '[1] {"version":1,}' >>other
	died text "$bin/page" mutual 3
	for form in journal-short compose-colours cri-part docker-part journal-json indent; do
		$log put "$form" other text >given
		"$whocallme" resolve given >out 2>errors || blame "$form: $(cat errors)"
		# Nothing is lost, and nothing changes its place.
		grep -Fxv -f given out >added || true
		grep -Fx -f given out | cmp - given || blame "$form"
		[ "$(wc -l <added)" -le 40 ] || blame "$form: $(wc -l <added)"
	done
}

@test "a process that has died is no reason to hold what others write" {
	died text "$bin/page" mutual 3
	sed 's/^/[dead 1] /' text >log
	yes '[other 2] nothing' | head -n 3000000 >>log # 54 MB, and with the next more than is held
	yes '[other 2] nothing' | head -n 1500000 >>log
	sed 's/^/[dead 3] /' text >>log
	"$whocallme" resolve log >out 2>errors || blame "$(head -n 1 errors)"
	[ "$(grep -c '^\[dead [13]\]    first at ' out)" -eq $((2 * $("$whocallme" resolve text |
		grep -c '^   first at '))) ]
	# While the log goes on, too.
	mkfifo pipe
	"$whocallme" resolve <pipe >out 3>&- &
	exec 9>pipe
	{ sed 's/^/[dead 1] /' text && yes '[other 2] nothing' | head -n 30000; } >&9
	timeout 60 sh -c "until grep -q 'first at' out; do sleep 0.1; done" 9>&-
	exec 9>&-
	wait
}

@test "more writers than are told apart: an answer, and each whole report" {
	local i
	died text "$bin/page" mutual 3
	for i in $(seq 40); do
		sed "s/^/[worker-$i] /" text
	done >log
	hashes log | grep -x '[0-9a-f]* 40'
	"$whocallme" resolve log | grep -c '^\[worker-[0-9]*\]    first at ' >count
	"$whocallme" resolve text | grep -c '^   first at ' >once
	[ "$(cat count)" -eq $((40 * $(cat once))) ]
}
