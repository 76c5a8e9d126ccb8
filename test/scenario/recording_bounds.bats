#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# recording_bounds.bats - recordings of very many lines of each kind, in the worst order:
# they are read in time n log n.

load support
load recording.bash

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

# bounded SECONDS MEGABYTES COMMAND...: it ends well in that time and that memory.
bounded()
{
	local memory="ulimit -v $(($2 * 1024))"
	[ -z "$sanitize" ] || memory=: # its shadow takes more
	observe bash -c "ulimit -t $1; $memory; exec \"\${@}\"" - "${@:3}"
	[ "$status" -le 1 ] || blame "${*:3}: not in $1 s and $2 MB"
	refute grep -q 'out of memory' "$err"
}

@test "modules that share a table of symbols, or a file: it is read once" {
	local call='call(1, 0, 0, 2**20); leave(1, 9, 0, 2**20)'
	make_rec <<-END
		$call
		modules(f"/{i}/m.so" for i in range(20000))
		with open("rec/m.so.sym", "w") as file:
		    for i in range(20000):
		        file.write(f"{16 * i:016x} T shared_{i}\n")
	END
	bounded 30 400 "$whocallme" report rec
	out_has ' 1  shared_0$'
	# A module's own file under many names.
	$CC -g -o "$PWD/m" "$programs/values.c"
	make_rec <<-END
		$call
		place = "$PWD"
		modules(place + "/./" + "/".join("." for _ in range(i % 200)) + "/" * (i // 200)
		        + "/m" for i in range(20000))
	END
	bounded 30 400 "$whocallme" report rec
	out_has ' 1  '
}

@test "holes of a file, as large as anybody likes: neither time nor memory" {
	local command file
	make_rec <<-'END'
		for i in range(100):
		    call(1, 2 * i, 0, 0x1000), leave(1, 2 * i + 1, 0, 0x1000)
		lines.append("FORK timestamp=1.9 pid=2 ppid=1 depth=2000000000")
		call(2, 0, 2000000000, 0x1000)
		modules(f"/m{i}.so" for i in range(8))
		for i in range(8):
		    open(f"rec/m{i}.so.sym", "w").write("0 T f\n")
	END
	truncate -s 4T rec/1.dat
	cp --sparse=always rec/2.dat rec/3.dat
	printf garbage >>rec/3.dat
	truncate -s 1T rec/3.dat
	printf garbage >>rec/3.dat
	truncate -s 500M rec/m*.sym rec/task.txt rec/info
	for command in replay report flame chrome graph; do
		bounded 10 400 "$whocallme" $command rec
	done
	bounded 10 400 "$whocallme" report rec
	out_has ' 102  <1000>$'
}

@test "many tasks, each of which calls the last of many functions" {
	make_rec <<-'END'
		for i in range(30000):
		    call(1, 2 * i, 0, 0x1000 + i), leave(1, 2 * i + 1, 0, 0x1000 + i)
		for tid in range(100, 5100):
		    lines.append(f"TASK timestamp=1.0 tid={tid} pid=1")
		    call(tid, 10**6, 0, 0x1000 + 29999)
	END
	bounded 30 300 "$whocallme" report rec
	out_has ' 5001  <[0-9a-f]+>$'
}

@test "many children of a process that is very deep" {
	make_rec <<-'END'
		for i in range(30000):
		    call(1, i, i, 0x1000)
		for pid in range(100, 2100):
		    lines.append(f"FORK timestamp=1.0 pid={pid} ppid=1 depth=30000")
		    call(pid, 10**6, 30000, 0x1000)
	END
	bounded 30 600 "$whocallme" report rec
	out_has ' 32000  <1000>$'
}

@test "addresses: exits of what was not called, processes that alternate" {
	python3 - >log <<-'END'
		print("# 0x1000-0x100000 bias 0x0 build-id none /none")
		print("E0x2000\n" * 300000 + "X0x3000\n" * 300000)
	END
	bounded 30 400 "$whocallme" report log
	out_has ' 300000  <2000>$'
	python3 - >log <<-'END'
		print("# 0x1000-0x100000 bias 0x0 build-id none /none")
		print("E0x2000")
		for i in range(20000):
		    print(f"# process {i + 2} begins")
		print("# process 20001\n" * 300000)
	END
	bounded 30 400 "$whocallme" report log
	out_has ' 1  <2000>$'
}

# What is written is in proportion to the calls, however deep they are.
@test "200,000 calls within each other: replay's indentation and flame's stacks are bounded" {
	make_rec <<-'END'
		deep = 200000
		for i in range(deep):
		    call(1, i, i, 0x1000)
		for i in reversed(range(deep)):
		    leave(1, 2 * deep - i, i, 0x1000)
	END
	bounded 30 400 "$whocallme" replay rec
	[ "$(wc -c <"$out")" -lt 140000000 ]
	[ "$(grep -c '<1000>' "$out")" = 399999 ]
	# The depth is a number from where it is not to be seen any more.
	out_has '\| {257}<1000>\(\) \{$'
	out_has '\| {257}\[129\] <1000>\(\) \{$'
	out_has '\| {257}\[199999\] <1000>\(\);$'
	out_has '\| {257}\[150000\] \}'
	bounded 30 400 "$whocallme" flame --unit=calls rec
	[ "$(wc -c <"$out")" -lt 10000000 ]
	[ "$(wc -l <"$out")" = 1025 ]
	[ "$(tail -n 1 "$out" | tr ';' '\n' | tail -n 2 | tr '\n' ' ')" = "<1000> [deeper] 198976 " ]
	# With --depth it is as deep as that.
	bounded 30 400 "$whocallme" flame --unit=calls --depth=1100 rec
	[ "$(tail -n 1 "$out" | tr ';' '\n' | wc -l)" = 1100 ]
	bounded 30 400 "$whocallme" flame --depth=40000 --svg rec
	[ "$(grep -c 'class="f ' "$out")" = 20000 ] || blame "$(grep -c 'class="f ' "$out")"
	err_has '20000 frames, too narrow or too deep, are left out$'
	bounded 30 400 "$whocallme" replay --depth=200 rec
	out_has '\| {257}\[199\] <1000>\(\);$'
	[ "$(wc -l <"$out")" = 400 ]
}
