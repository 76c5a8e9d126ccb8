#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# recording.bats - the commands that read recordings, judged by uftrace(1), which made
# them, and by Graphviz.

load support
load recording.bash
bats_require_minimum_version 1.5.0

setup_file()
{
	command -v uftrace >/dev/null || return 0 # setup says it
	make_recordings
}

@test "replay prints what uftrace replay prints" {
	local name
	for name in $(names tree threads signals forks leave exec plugin throws); do
		same <(theirs replay "$name" | calls) <(ours replay "$name" | calls)
	done
}

@test "replay after a longjmp: setjmp's second return has no beginning" {
	local name
	for name in $(names jumps); do
		same <(theirs replay "$name" | calls |
			sed 's/^.*\( \[.*} .\* _setjmp\)/           \1/') \
			<(ours replay "$name" | calls)
		[ "$(ours replay "$name" --cut | grep -c 'jump, cut short')" -eq 4 ]
	done
}

@test "replay lists what never ended, as uftrace does" {
	local name
	for name in $(names leave exec); do
		diff -u <(theirs replay "$name" | unfinished) \
			<(ours replay "$name" | unfinished)
	done
	observe ours replay pg-leave
	out_has '^\[4\] leave$'
}

@test "replay's options do what uftrace's do" {
	local name option
	for name in $(names tree threads throws plugin); do
		for option in --no-merge --no-comment --no-libcall --depth=2 \
			--depth=4 --time-filter=150ns --time-filter=1us; do
			same <(theirs replay "$name" "$option" | calls) \
				<(ours replay "$name" "$option" | calls)
		done
	done
}

@test "replay --tid shows these tasks alone" {
	local name=pg-threads tids
	tids=$(ours replay $name | sed -n 's/.*\[ *\([0-9]*\)\].*/\1/p' | sort -u |
		tail -n 2 | paste -sd,)
	same <(theirs replay $name --tid "$tids" | calls) \
		<(ours replay $name --tid "$tids" | calls)
}

@test "names of C++: as people write them, without types or with them" {
	local name
	for name in $(names throws); do
		observe "$whocallme" replay "$bin/$name.data"
		expect_status 0
		for function in 'ns::shape::shape()' 'ns::shape::operator bool()' \
			'ns::shape::operator()()' 'ns::shape::operator<()' \
			'ns::shape::as()' 'ns::twice()' \
			'main::{lambda(int)#1}::operator()()' \
			'(anonymous namespace)::hidden()'; do
			grep -F -q "|   $function;" "$out" ||
				grep -F -q "  $function;" "$out" ||
				blame "no $function"
		done
		observe "$whocallme" replay --demangle=full "$bin/$name.data"
		out_has 'double ns::shape::as<double>\(double\);$'
		out_has 'ns::shape::area\(int\) const;$'
	done
}

@test "arguments and values of every size are passed over, the last, too" {
	local options
	$CC -g -O0 -pg -w -o "$bin/values" "$programs/values.c"
	for options in '-R main@retval' '-R main@retval/i32' '-R main@retval/f80' \
		'-a' '-A .@arg1 -R .@retval' '-A .@arg1/s -R .@retval/x64' \
		'-A text@arg1/s -R text@retval/s -R main@retval/u8' \
		'-A two@arg1,arg2 -A many@arg1,arg2,arg3/s,fparg1/64,arg4/c,arg5,arg6 -R many@retval' \
		'-A single@fparg1/32 -R extended@retval/f80 -R single@retval/f32' \
		'-A place@arg1/p -R place@retval/p -R main@retval/c'; do
		# shellcheck disable=SC2086 # several
		record values $options "$bin/values"
		observe ours replay values --no-args
		expect_status 0
		[ ! -s "$err" ] || blame "$options: damaged"
		theirs replay values --no-args | diff -u - "$out" || blame "$options"
	done
}

@test "report's rows are those of uftrace report" {
	local name
	for name in $(names tree threads signals plugin throws); do
		same <(theirs report "$name" \
			-f total,total-avg,total-min,total-max,self,call | sort) \
			<(ours report "$name" | sort)
	done
}

@test "functions of one name share a row, whichever comes first" {
	local first
	cd "$BATS_TEST_TMPDIR"
	for first in 1 9; do
		make_rec <<-END
			call(1, 0, 0, 0x100000), leave(1, $first, 0, 0x100000)
			call(1, 20, 0, 0x101000), leave(1, 30 - $first, 0, 0x101000)
			modules(["/a/m.so", "/b/n.so"])
			for name in "mn":
			    open(f"rec/{name}.so.sym", "w").write("0000000000000000 T shared\\n")
		END
		observe "$whocallme" report --json rec
		out_has '"name":"shared","total":10,"self":10,"calls":2,"avg":5,"min":1,"max":9}'
	done
}

@test "chrome: a thousand functions, each by its own name" {
	cd "$BATS_TEST_TMPDIR"
	make_rec <<-'END'
		for i in range(1000):
		    call(1, 2 * i, 0, 0x100000 + 16 * i), leave(1, 2 * i + 1, 0, 0x100000 + 16 * i)
	END
	observe "$whocallme" chrome rec
	[ "$(grep -o '"name":"<10[0-9a-f]*>"' "$out" | sort -u | wc -l)" -eq 1000 ] ||
		blame "not a thousand names"
}

@test "a process is another program from the moment that is said" {
	cd "$BATS_TEST_TMPDIR"
	make_rec <<-'END'
		for time in 0, 99, 100:
		    call(1, time, 0, 0x100000), leave(1, time, 0, 0x100000)
		modules(["/b/after.so"])
		os.rename("rec/sid-0123456789abcdef.map", "rec/sid-fedcba9876543210.map")
		modules(["/a/before.so"])
		lines.append('SESS timestamp=2.000000100 pid=1 sid=fedcba9876543210 exename="/q"')
		lines.append("TASK timestamp=2.000000100 tid=1 pid=1")
		for name in "before", "after":
		    open(f"rec/{name}.so.sym", "w").write(f"0000000000000000 T {name}\n")
	END
	observe "$whocallme" report rec
	out_has ' 2  before$'
	out_has ' 1  after$'
}

@test "report --sort: the order is that of uftrace report -s" {
	local key
	for key in total avg min max self call; do
		ours report pg-throws --sort=$key,name --json | python3 -c '
import json, sys
values = [row[sys.argv[1]] for row in json.load(sys.stdin)]
assert values and values == sorted(values, reverse=True), values
' ${key/call/calls}
	done
	ours report pg-tree --sort=name | sed 1,2d | awk '{ print $NF }' |
		LC_ALL=C sort -c
	same <(theirs report pg-tree -s call,self -f call | sed 1,2d) \
		<(ours report pg-tree -s call,self | sed 1,2d |
			awk '{ printf "  %10d  %s\n", $(NF - 1), $NF }')
}

@test "flame's stacks are those of uftrace dump --flame-graph" {
	local name
	for name in pg-tree pg-throws finstrument-functions-tree; do
		same <(theirs dump "$name" --flame-graph --sample-time=1ns | sort) \
			<(ours flame "$name" --unit=ns | with_cut_numbers | sort)
	done
	# All time and all calls are there, in whatever unit.
	[ "$(ours flame pg-threads -u calls | awk '{ n += $NF } END { print n }')" = \
		"$(ours report pg-threads | sed 1,2d |
			awk '{ n += $(NF - 1) } END { print n }')" ]
	[ "$(ours flame pg-threads -u ns | awk '{ n += $NF } END { print n }')" = \
		"$(ours report pg-threads -j | python3 -c '
import json, sys
print(sum(row["self"] for row in json.load(sys.stdin)))')" ]
	observe ours flame pg-threads --by-task --unit=calls
	out_has '^pg-[0-9]+;thread;tree;tree;tree;leaf 4$'
}

@test "chrome: a valid trace, with the events of uftrace dump --chrome" {
	local name
	needs_schema
	for name in $(names tree threads signals plugin throws); do
		ours chrome "$name" >"$bin/ours.json"
		theirs dump "$name" --chrome >"$bin/theirs.json"
		"$judge" chrome-same "$bin/theirs.json" "$bin/ours.json"
		# Nanoseconds, and no more digits, of a call that returned by itself.
		grep '"ph":"X"' "$bin/ours.json" | grep -v '"args":' >"$bin/returned"
		refute grep -v -E '"dur":[0-9]+\.[0-9]{3},' "$bin/returned"
	done
	for name in $(names jumps forks leave exec); do
		ours chrome "$name" >"$bin/ours.json"
		"$judge" chrome "$bin/ours.json" >"$bin/events"
		[ -s "$bin/events" ]
	done
	observe ours chrome pg-leave
	out_has '"name":"leave","args":\{"end":"open"\}\}'
	observe ours chrome pg-jumps
	out_has '"name":"jump","args":\{"end":"cut"\}\}'
}

@test "graph: the edges are those of uftrace replay, Graphviz reads them" {
	local name
	needs dot
	for name in $(names tree threads signals plugin throws); do
		ours graph "$name" >"$bin/graph.dot"
		same <(theirs replay "$name" --no-merge | "$judge" edges) \
			<("$judge" dot-edges "$bin/graph.dot")
	done
}

@test "graph reads its own output, and that of others" {
	local graph=$bin/own.dot
	ours graph pg-threads >"$graph"
	"$whocallme" graph "$graph" | diff -u "$graph" -
	"$whocallme" graph /dev/stdin <"$graph" | diff -u "$graph" -
	cat >"$bin/other.dot" <<-'END'
		/* seed 004 */ strict digraph "calls" { // of a program
		label = "a \"label\""; node [shape=ellipse]; subgraph cluster_x {
		main [module="/bin/x"] } # more
		"main" -> "a\\b" [label="12\nx"]; main -> c -> "d()" [ calls = 3; ]
		c -> c
		}
	END
	observe "$whocallme" graph "$bin/other.dot"
	expect_status 0
	out_has '"main" -> "a\\\\b" \[label="  12  "'
	out_has '"c" -> "d\(\)" \[label="  3  "'
	out_has '"c" -> "c" \[label="  1  "'
	out_has 'label="a \\"label\\""'
}

@test "graph: --cut, --cluster, --depth, --svg" {
	needs dot
	observe ours graph pg-tree --cut=101
	expect_status 2
	observe ours graph pg-threads --cut=100
	expect_status 0
	out_lacks ' -> '
	observe ours graph pg-plugin --cluster=module
	expect_status 0
	out_has 'label="pg.so"'
	dot -Tsvg <"$out" >"$bin/clusters.svg"
	grep -q 'class="cluster"' "$bin/clusters.svg"
	observe ours graph pg-plugin --cluster=file
	expect_status 0
	out_has 'label="recorded.c"'
	out_has 'label="recorded_plugin.c"'
	out_has '"inner" .*,file="/.*/recorded_plugin.c"'
	observe ours graph pg-tree --depth=2
	out_lacks '"tree" -> "tree"'
	observe ours graph pg-tree --svg="$bin/tree.svg"
	expect_status 0
	python3 -c 'import sys, xml.dom.minidom as m; m.parse(sys.argv[1])' \
		"$bin/tree.svg"
	ours graph pg-tree --svg | diff - "$bin/tree.svg"
	PATH=/nonexistent observe "$whocallme" graph --svg "$bin/pg-tree.data"
	expect_status 1
	err_has 'dot: No such file or directory; install Graphviz'
}

@test "a graph that is none: a line says where" {
	printf 'digraph x {\n"a" -> "b";\n"a" -> ;\n}\n' >"$bin/bad.dot"
	observe "$whocallme" graph "$bin/bad.dot"
	expect_status 1
	err_has '^whocallme graph: .*/bad\.dot:3: not understood'
	for text in '' 'graph x {}' 'digraph {' 'digraph { "a' 'digraph { a [b' \
		'digraph { a = ' 'digraph { a -> b [label=' 'digraph { /*'; do
		printf '%s' "$text" >"$bin/bad.dot"
		observe "$whocallme" graph "$bin/bad.dot"
		expect_status 1
		err_has 'not understood'
	done
}

@test "DIR is uftrace.data; --output writes to a file" {
	local command
	cd "$BATS_TEST_TMPDIR"
	cp -r "$bin/pg-tree.data" uftrace.data
	for command in replay report flame chrome graph; do
		"$whocallme" $command >expected
		"$whocallme" $command --output=file >empty
		same expected file
		[ ! -s empty ]
		observe "$whocallme" $command -o /dev/full
		expect_status 1
		err_has "^whocallme $command: /dev/full: No space left on device\$"
		observe "$whocallme" $command -o /nonexistent/file
		expect_status 1
		err_has "^whocallme $command: /nonexistent/file: No such file"
	done
}

@test "usage errors and help" {
	local command arguments
	for command in replay report flame chrome graph; do
		observe "$whocallme" $command --help
		expect_status 0
		out_has "^Usage: whocallme $command "
		for arguments in --nonsense --depth=0 --depth=x --tid=x --tid= \
			--tid=1,,2 --time-filter=1h --time-filter=-1 --demangle=maybe 'a b'; do
			# shellcheck disable=SC2086 # two arguments
			observe "$whocallme" $command $arguments
			expect_status 2
			[ ! -s "$out" ]
			err_has "see whocallme $command --help"
		done
	done
	for arguments in 'flame --unit=s' 'report --sort=size' 'graph --cluster=x' \
		'graph --cut=much'; do
		# shellcheck disable=SC2086
		observe "$whocallme" $arguments
		expect_status 2
	done
}

@test "no recording: one line says so" {
	local command
	mkdir "$BATS_TEST_TMPDIR/empty"
	for command in replay report flame chrome graph; do
		observe "$whocallme" $command /nonexistent
		expect_status 1
		err_has "^whocallme $command: /nonexistent: No such file or directory; make a"
		observe "$whocallme" $command "$BATS_TEST_TMPDIR/empty"
		expect_status 1
		err_has 'no recording: it has no task$'
	done
	observe "$whocallme" report "$whocallme"
	expect_status 1
	err_has 'Not a directory'
	observe ours report pg-tree --tid=1
	expect_status 1
	err_has 'no such task'
}

@test "10 million calls: in seconds, in little memory" {
	local command
	not_sanitized "time and memory are not those of a user"
	record many "$bin/pg" many 900000
	for command in report flame graph chrome replay; do
		SECONDS=0
		observe "$judge" usage "$whocallme" $command "$bin/many.data" -o /dev/null
		expect_status 0
		[ "$SECONDS" -lt 40 ] || blame "$command took $SECONDS s"
		[ "$(tail -n 1 "$err")" -lt 50000 ] || blame "$command took much memory"
	done
	needs script
	observe script -qec "$whocallme report -o /dev/null $bin/many.data" /dev/null
	expect_status 0
	out_has 'many.data: +[1-9][0-9]? %'
	observe ours report many
	[ ! -s "$err" ]
	out_has ' 6300000  tree$'
	out_has ' 3600002  leaf$'
	rm -r "$bin/many.data"
}
