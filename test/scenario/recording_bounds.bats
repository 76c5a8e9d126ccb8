#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# recording_bounds.bats - recordings of very many lines of each kind, in the worst order:
# they are read in time n log n.

load support

lines=200000 seconds=30 # of CPU time, where a few are needed

setup()
{
	needs python3
	cd "$BATS_TEST_TMPDIR"
}

# The number of calls, not less than 1000, in a recording of many lines of KIND.
read_many()
{
	local i
	python3 "$top_srcdir/test/scenario/many_lines.py" "$1" $lines "$1"
	for ((i = 0; i < ${files-0}; i++)); do
		echo '# symbols: 0' >"$1/m-$i.sym"
	done
	observe bash -c "ulimit -t $seconds; exec '$whocallme' report --json '$1'"
	[ "$status" -le 1 ] || blame "$1: not read in time"
	python3 -c 'import json, sys
made = int(sys.argv[1])
calls = sum(row["calls"] for row in json.load(sys.stdin))
sys.exit(calls != made and f"{calls} calls, not {made}")' "${2-1000}" <"$out"
	rm -r "$1"
}

@test "processes, each forked by the one before" {
	read_many fork
	read_many deep
}

@test "threads" {
	read_many task
}

@test "programs of one process, the last first" {
	read_many sess
}

@test "libraries opened: in order, backwards, all in one place" {
	read_many dlop
	read_many dlop-back
	read_many dlop-same
}

@test "libraries opened between calls" {
	read_many dlop-late $lines
}

@test "mapped modules" {
	read_many map
}

@test "tables of symbols, of one file name" {
	lines=20000
	files=$lines read_many map
}
