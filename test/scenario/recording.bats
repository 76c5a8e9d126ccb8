#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# recording.bats - the commands that read recordings, judged by uftrace(1), which made
# them, and by Graphviz.

load support
bats_require_minimum_version 1.5.0

judge=$top_srcdir/test/scenario/recording.py

# record NAME PROGRAM [ARGUMENT...]: $bin/NAME.data
record()
{
	local name=$1
	shift
	uftrace record --no-event --no-pager -d "$bin/$name.data" "$@" >/dev/null
}

situations='tree threads signals jumps forks leave exec'

setup_file()
{
	local kind situation
	needs uftrace
	for kind in pg finstrument-functions; do
		$CC -g -O0 "-$kind" -o "$bin/$kind" "$programs/recorded.c" -pthread -ldl
		$CXX -g -O0 "-$kind" -o "$bin/$kind-cxx" "$programs/recorded.cc"
		$CC -g -O0 "-$kind" -shared -fPIC -o "$bin/$kind.so" \
			"$programs/recorded_plugin.c"
		for situation in $situations; do
			record "$kind-$situation" "$bin/$kind" "$situation"
		done
		record "$kind-plugin" "$bin/$kind" plugin "$bin/$kind.so"
		record "$kind-throws" "$bin/$kind-cxx"
	done
}

setup()
{
	command -v uftrace >/dev/null || skip "uftrace is missing"
}

# names SITUATION...: of the recordings of both kinds
names()
{
	local kind situation
	for kind in pg finstrument-functions; do
		for situation; do
			echo "$kind-$situation"
		done
	done
}

# ours COMMAND NAME [OPTION...], theirs COMMAND NAME [OPTION...]
ours()
{
	local command=$1 name=$2
	shift 2
	timeout 60 "$whocallme" "$command" --demangle=no "$@" "$bin/$name.data"
}

theirs()
{
	local command=$1 name=$2
	shift 2
	timeout 60 uftrace "$command" --no-pager --demangle=no "$@" -d "$bin/$name.data"
}

# The calls, without the list of those that never ended.
calls()
{
	sed '/^$/,$d'
}

# That list, without its heading.
unfinished()
{
	sed -n '/^=====/,$p' | sed 1d
}

# Two files, or pipes, hold the same, and not nothing.
same()
{
	cat "$1" >"$BATS_TEST_TMPDIR/one"
	diff -u "$BATS_TEST_TMPDIR/one" "$2"
	[ -s "$BATS_TEST_TMPDIR/one" ]
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

@test "report's rows are those of uftrace report" {
	local name
	for name in $(names tree threads signals plugin throws); do
		same <(theirs report "$name" \
			-f total,total-avg,total-min,total-max,self,call | sort) \
			<(ours report "$name" | sort)
	done
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
			<(ours flame "$name" --unit=ns | sort)
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
	python3 -c 'import jsonschema' || skip "python3-jsonschema is missing"
	for name in $(names tree threads signals plugin throws); do
		ours chrome "$name" >"$bin/ours.json"
		theirs dump "$name" --chrome >"$bin/theirs.json"
		same <("$judge" uftrace-chrome "$bin/theirs.json") \
			<("$judge" chrome "$bin/ours.json")
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
	out_has '"main" -> "a\\\\b" \[label="12"'
	out_has '"c" -> "d\(\)" \[label="3"'
	out_has '"c" -> "c" \[label="1"'
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
	err_has '^whocallme: .*/bad\.dot:3: not understood'
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
		err_has '^whocallme: /dev/full: No space left on device$'
		observe "$whocallme" $command -o /nonexistent/file
		expect_status 1
		err_has '^whocallme: /nonexistent/file: No such file'
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
		err_has '^whocallme: /nonexistent: No such file or directory; make a'
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

# copy NAME: $copy is a recording to be damaged, $dat the file of its main task.
copy()
{
	copy=$BATS_TEST_TMPDIR/$1
	cp -r "$bin/$1.data" "$copy"
	dat=$(find "$copy" -name '[0-9]*.dat' | head -n 1)
}

@test "zeros at the end of a file, as a kill leaves them, are no damage" {
	copy pg-tree
	truncate -s +100000 "$dat"
	observe "$whocallme" replay --demangle=no "$copy"
	expect_status 0
	[ ! -s "$err" ]
	ours replay pg-tree | diff -u - "$out"
}

@test "a file cut short: what is whole is shown, status 1" {
	copy pg-tree
	truncate -s -8 "$dat"
	observe "$whocallme" replay "$copy"
	expect_status 1
	err_has 'cut short within a record$'
	diff <(ours replay pg-tree | calls | sed '$d') <(calls <"$out")
}

@test "garbage in a file is passed over and said" {
	copy pg-tree
	python3 - "$dat" <<-'END'
		import sys
		data = open(sys.argv[1], "rb").read()
		open(sys.argv[1], "wb").write(data[:160] + b"\0" * 24 + b"\xff" * 64 +
		                              data[160:])
	END
	observe "$whocallme" report --demangle=no "$copy"
	expect_status 1
	err_has ': 88 bytes from offset 160 on are no records; passed over$'
	ours report pg-tree | diff -u - "$out"
}

@test "missing files: what is left is shown" {
	local file
	for file in info task.txt sid-*.map pg.sym; do
		copy pg-tree
		# shellcheck disable=SC2086 # a pattern
		rm "$copy"/$file
		observe "$whocallme" report "$copy"
		out_has ' 31  (tree|<[0-9a-f]+>)$'
		case $file in
		info | task.txt) out_has ' 31  tree$' && expect_status 1 ;;
		sid*) err_has 'cannot be read; its functions have no names' ;;
		*) out_has ' 31  tree$' && expect_status 0 ;; # in the program's file
		esac
		rm -r "$copy"
	done
}

@test "another byte order, another format: refused with a word" {
	copy pg-tree
	printf '\2' | dd of="$copy/info" bs=1 seek=14 conv=notrunc status=none
	observe "$whocallme" report "$copy"
	expect_status 1
	err_has 'big-endian'
	printf '\1' | dd of="$copy/info" bs=1 seek=14 conv=notrunc status=none
	printf '\77' | dd of="$copy/info" bs=1 seek=8 conv=notrunc status=none
	observe "$whocallme" report "$copy"
	expect_status 1
	err_has 'format 63 is not known'
}

@test "lost events are shown; calls around them keep their depth" {
	copy pg-tree
	local base
	base=$(sed -n 's/^\([0-9a-f]*\)-.* .*pg build-id.*/0x\1/p' "$copy"/sid-*.map)
	local main leaf
	main=$((base + 0x$(sed -n 's/ T main$//p' "$copy/pg.sym")))
	leaf=$((base + 0x$(sed -n 's/ t leaf$//p' "$copy/pg.sym")))
	"$judge" dat "$dat" "enter 1000000000000000 0 $main" \
		"lost 1000000000001000 7" "enter 1000000000002000 1 $leaf" \
		"exit 1000000000003000 1 $leaf" "exit 1000000000005000 0 $main"
	observe "$whocallme" replay "$copy"
	expect_status 0
	sed 's/\[.*\]/[]/' "$out" >"$bin/lost"
	diff -u - "$bin/lost" <<-'END'
		# DURATION     TID     FUNCTION
		            [] | main() {
		            [] |     /* LOST 7 records!! */
		   1.000 us [] |   leaf();
		   5.000 us [] | } /* main */
	END
}

@test "records that go back in time give no negative durations" {
	copy pg-tree
	"$judge" dat "$dat" 'enter 5000 0 0x1000' 'enter 4000 1 0x2000' \
		'exit 3000 1 0x2000' 'exit 6000 0 0x1000'
	observe "$whocallme" report "$copy"
	expect_status 1
	err_has '2 records go back in time'
	out_has '^    1.000 us .* 1  <1000>$'
}

@test "names that a terminal would obey are escaped" {
	copy pg-tree
	sed -i "s/ t tree\$/ t tr\x1b[31mee/" "$copy/pg.sym"
	observe "$whocallme" report "$copy"
	out_has ' 31  tr\\x1b\[31mee$'
}

@test "damage at random: never a crash, a hang or a wrong status" {
	local seed command
	for seed in $(seq 60); do
		copy "$(names tree threads plugin exec | sed -n "$((seed % 8 + 1))p")"
		"$judge" damage "$copy" "$seed"
		for command in replay report flame chrome graph; do
			observe timeout 20 "$whocallme" $command "$copy"
			[ "$status" -le 1 ] || blame "$command, seed $seed"
			[ $command != chrome ] || [ ! -s "$out" ] ||
				"$judge" chrome-damaged "$out" ||
				blame "chrome, seed $seed"
		done
		rm -r "$copy"
	done
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
