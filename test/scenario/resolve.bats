#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# resolve.bats - whocallme resolve: the lines are right, all else stays as it is.

load support

judge="python3 $top_srcdir/test/scenario/lines.py"
schema=$top_srcdir/doc/crash-report.schema.json

setup_file()
{
	bin=$BATS_FILE_TMPDIR
	compile "$bin/twin.o" "$programs/twin.c" -O2
	build lines lines.c -O2 -- "$bin/twin.o"
}

setup()
{
	ulimit -S -c 0
	export WHOCALLME_HELPER=no NO_COLOR=
	text=$BATS_TEST_TMPDIR/text
}

resolve()
{
	observe timeout 60 "$whocallme" resolve "$@"
}

# seen ARGUMENT...: what the program writes to stderr, into $text.
seen()
{
	("$bin/lines" "$@" 2>"$text") || true
	forget_emulator "$text"
	grep -q '^#0 ' "$text" || grep -q '^{' "$text" || skip "this system has no stacks"
}

# resolved FEWEST: $text has its lines, in $out.
resolved()
{
	needs python3 addr2line
	resolve "$text"
	expect_status 0
	[ ! -s "$err" ] || blame "something was written to stderr"
	$judge text "$bin" "$1" "$out"
}

# $out without the lines that were added is the file.
only_adds()
{
	diff "$1" <(grep -v -E '^(   |	)' "$out") || blame "other lines changed"
}

@test "resolve: each instruction of a program, as llvm-symbolizer has it" {
	needs llvm-symbolizer objdump
	objdump -d --no-show-raw-insn "$bin/lines" |
		sed -n 's/^ *\([0-9a-f]*\):\t.*/0x\1/p' >"$bin/addresses"
	[ "$(wc -l <"$bin/addresses")" -gt 100 ]
	# Without debug data it takes the name of a symbol, and of its file.
	llvm-symbolizer --obj="$bin/lines" <"$bin/addresses" >"$bin/theirs"
	sed "s|^|$bin/lines+|" "$bin/addresses" |
		"$whocallme" resolve --serve >"$bin/ours"
	python3 - "$bin/ours" "$bin/theirs" <<'EOF'
import sys
ours, theirs = (open(name).read().split("\n\n")[:-1] for name in sys.argv[1:])
assert len(ours) == len(theirs)
known = [(a, b) for a, b in zip(ours, theirs) if ":0:0" not in b]
assert len(known) > 100
differ = [pair for pair in known if pair[0] != pair[1]]
assert not differ, "\n\n".join("\n".join(pair) for pair in differ)
EOF
}

@test "resolve: Fortran's procedures, as gdb names them" {
	needs gfortran
	local symbol name
	gfortran -g -O0 -o "$bin/shapes_fortran" "$programs/shapes.f90"
	while read -r symbol name; do
		"$whocallme" resolve "$bin/shapes_fortran+0x$(nm "$bin/shapes_fortran" |
			awk -v name="$symbol" '$3 == name { print $1 }')" |
			grep "^   $name at .*/shapes.f90:" || blame "$symbol"
	done <<-END
		__shapes_MOD_area shapes::area
		plain_ plain
		MAIN__ prog
	END
	"$whocallme" resolve "$bin/shapes_fortran+0x$(nm "$bin/shapes_fortran" |
		awk '$3 ~ /^nested[.]/ { print $1 }')" | grep '^   prog::nested at '
}

@test "resolve: an argument, a line of stdin, by path, build-id and both" {
	needs addr2line readelf
	local main id
	main=0x$(nm "$bin/lines" | sed -n 's/ T main$//p')
	id=$(readelf -n "$bin/lines" | sed -n 's/.*Build ID: //p')
	resolve "$bin/lines+$main"
	expect_status 0
	out_has "^   main at $(addr2line -e "$bin/lines" "$main"):[0-9]+\$"
	cp "$out" "$text"
	resolve < <(printf '%s\n' "$bin/lines+$main")
	cmp "$out" "$text"
	resolve - < <(printf '%s' "$bin/lines+$main")
	cmp "$out" "$text"
	resolve "$id:$bin/lines+$main"
	diff <(tail -n +2 "$out") <(tail -n +2 "$text")
	mkdir -p "$bin/debug/.build-id/${id:0:2}"
	ln -s "$bin/lines" "$bin/debug/.build-id/${id:0:2}/${id:2}.debug"
	resolve --debug-dir="$bin/debug" "$id+$main"
	diff <(tail -n +2 "$out") <(tail -n +2 "$text")
	cd "$bin"
	cp lines "$(printf 'a\001b\\c d')"
	resolve "a\\x01b\\x5cc d+$main"
	out_has '^   main at '
}

@test "resolve: a crash report, and without its modules" {
	seen crash
	resolved 4
	only_adds "$text"
	out_has '^   write_nowhere at '
	cp "$out" "$BATS_TEST_TMPDIR/with"
	seen crash few
	resolved 4
	only_adds "$text"
	sed -i '/^modules:/,$d' "$BATS_TEST_TMPDIR/with"
	diff <(grep '^   ' "$BATS_TEST_TMPDIR/with") <(grep '^   ' "$out")
}

@test "resolve: what has lines already stays as it is" {
	seen crash
	resolved 4
	cp "$out" "$text"
	resolve <"$text"
	cmp "$out" "$text"
}

@test "resolve: what has lines behind it already stays as it is" {
	WHOCALLME_HELPER=$whocallme
	seen crash
	grep -q '^   main at ' "$text"
	resolve "$text"
	expect_status 0
	cmp "$out" "$text"
	# As older reports have them.
	{
		grep -vE '^(   |	)' "$text"
		echo '<whocallme>: source lines:'
		awk '/^#/ { number = $1; first = 1 }
			/^   / { if (first) sub(/^  /, number); first = 0; print } /^	/' "$text"
	} >"$bin/behind"
	cp "$bin/behind" "$text"
	resolve "$text"
	expect_status 0
	cmp "$out" "$text"
	# Where the helper gave up, the rest of them.
	sed -i '/^<whocallme>: source lines:/,/^#1 /!b; /^#1 /!b
		s/.*/<whocallme>: no more source lines: x: it has ended/; q' "$text"
	refute grep -q '^#1 [^0]' "$text"
	resolve "$text"
	only_adds <(grep -v -E '^(   |	)' "$text")
	[ "$(grep -c 'write_nowhere at ' "$out")" -eq 1 ]
	out_has '^   main at '
	# What comes behind is another's.
	WHOCALLME_HELPER=no
	cp "$text" "$bin/before"
	seen stack
	cp "$text" "$bin/stack"
	cat "$bin/before" "$bin/stack" >"$text"
	resolve "$text"
	diff <(tail -n +"$(($(grep -n 'no more source' "$out" | cut -d: -f1) + 1))" "$out") \
		<("$whocallme" resolve "$bin/stack")
}

@test "resolve: stacks of full_backtrace(), namesakes and inlined functions" {
	seen stack 2
	resolved 12
	only_adds "$text"
	[ "$(grep -c '^   middle at .* (inlined)$' "$out")" -eq 2 ]
	[ "$(grep -c '^   outer at .* (inlined)$' "$out")" -eq 2 ]
	[ "$(grep -c '^   namesake at .*/lines.c:' "$out")" -eq 2 ]
	[ "$(grep -c '^   namesake at .*/twin.c:' "$out")" -eq 2 ]
}

@test "resolve: a frame alone says where it lies, by name and without" {
	seen stack
	for frame in namesake main; do
		grep -m 1 " in $frame+" "$text" | sed 's/^#[0-9]*/#0/' >"$bin/alone"
		resolve "$bin/alone"
		out_has "^   $frame at "
		cp "$out" "$bin/named"
		sed -i -E 's/ in .* \(/ in ?? (/' "$bin/alone"
		resolve "$bin/alone"
		diff <(tail -n +2 "$out") <(tail -n +2 "$bin/named")
	done
}

# old: $text as libraries wrote it whose frames did not say where in a module they lie.
old()
{
	sed -i -E '/ in \?\?/!s/^(#.* \(.*)\+0x[0-9a-f]+(, unloaded)?\)/\1\2)/' "$text"
}

@test "resolve: an old stack has lines where it says what was loaded where" {
	seen crash
	resolve "$text"
	cp "$out" "$bin/new"
	old
	refute grep -q 'main.*lines+0x' "$text"
	resolve "$text"
	only_adds "$text"
	diff <(grep '^   ' "$out") <(grep '^   ' "$bin/new")
	seen stack
	old
	resolve "$text"
	expect_status 0
	cmp "$out" "$text"
}

@test "resolve: the stack of a program that was built again has no lines, which is said" {
	mkdir -p "$bin/again"
	cp "$bin/lines" "$bin/again"
	"$bin/again/lines" stack 2>"$text"
	grep -q '^#0 ' "$text" || skip "this system has no stacks"
	compile "$bin/twin-O0.o" "$programs/twin.c" -O0
	build lines lines.c -O0 -- "$bin/twin-O0.o"
	mv "$bin/lines" "$bin/again/built"
	cp "$bin/again/lines" "$bin"
	mv "$bin/again/built" "$bin/again/lines"
	resolve "$text"
	expect_status 0
	only_adds "$text"
	out_lacks '^   main at '
	[ "$(grep -c "^   ($bin/again/lines: no function begins where the stack has one: " "$out")" -eq 1 ]
}

@test "resolve: a signal handler's stack, and all threads" {
	seen signal
	resolved 6
	out_has '^   write_nowhere at '
	seen threads
	resolved 4
	out_has '^   be_there at '
	only_adds "$text"
}

@test "resolve: names without a file, or of no module" {
	cat >"$text" <<-'EOF'
		#0 0x0000000000401000 in ??
		#1 0x0000000000401000 in ?? (/none/at/all+0x1000)
		#2 0x00007ffff7fc1000 in __vdso_gettimeofday+0x10 ([vdso])
		#3 0x0000000000401000 in f+0x4 (/none/with\x0anewline, unloaded) ?
	EOF
	resolve "$text"
	expect_status 0
	diff "$text" <(grep -v '^   (' "$out")
	out_lacks '^newline'
}

@test "resolve: colours of a report do not matter, --color gives more" {
	seen crash
	sed -E 's/ (0x[0-9a-f]{16}) in/ \x1b[2m\1\x1b[0m in/
		s/(0x[0-9a-f]{16}-0x[0-9a-f]{16})/\x1b[2m\1\x1b[0m/
		1s/.*/\x1b[1;31m&\x1b[0m/' "$text" >"$bin/coloured"
	resolve "$text"
	cp "$out" "$bin/plain"
	resolve "$bin/coloured"
	[ "$(grep -c '^   [a-z]' "$bin/plain")" -ge 4 ]
	diff <(sed 's/\x1b\[[0-9;]*m//g' "$out") "$bin/plain"
	grep '^   ' "$out" | refute grep -q "$(printf '\033')"
	resolve --color=always "$text"
	grep '^   ' "$out" | grep -q "$(printf '\033')"
	diff <(sed 's/\x1b\[[0-9;]*m//g' "$out") "$bin/plain"
	resolve --color=auto "$text"
	cmp "$out" "$bin/plain"
}

@test "resolve --color=auto: on a terminal, but for NO_COLOR" {
	needs script
	local main
	main=0x$(nm "$bin/lines" | sed -n 's/ T main$//p')
	TERM=xterm NO_COLOR='' script -qec "$whocallme resolve $bin/lines+$main" \
		"$bin/typed" >/dev/null </dev/null
	grep -q "$(printf '\033')" "$bin/typed"
	TERM=xterm NO_COLOR=1 script -qec "$whocallme resolve $bin/lines+$main" \
		"$bin/typed" >/dev/null </dev/null
	grep -q ' main at ' "$bin/typed"
	refute grep -q "$(printf '\033')" "$bin/typed"
}

@test "resolve --source: the text of the lines around" {
	needs addr2line
	local main line source=$programs/lines.c
	main=0x$(nm "$bin/lines" | sed -n 's/ T main$//p')
	line=$(addr2line -e "$bin/lines" "$main" | sed 's/.*:\([0-9]*\).*/\1/')
	resolve --source=1 "$bin/lines+$main"
	diff <(tail -n +3 "$out") <(for i in -1 0 1; do
		printf '\t%c%5d  %s\n' "$([ $i -eq 0 ] && echo '>' || echo ' ')" \
			$((line + i)) "$(sed -n "$((line + i))p" "$source")"
	done)
	resolve -s "$bin/lines+$main"
	[ "$(grep -c '^	' "$out")" -eq 5 ]
	resolve -s0 "$bin/lines+$main"
	[ "$(grep -c '^	' "$out")" -eq 0 ]
	resolve -s1000 "$bin/lines+$main"
	[ "$(grep -c '^	' "$out")" -eq "$(wc -l <"$source")" ]
}

@test "resolve --source: text of any bytes does no harm" {
	local main
	mkdir -p "$bin/odd"
	printf 'int main(void) {\n// \033[31m \377 \302\233 \\n \303\251 \000 \t.\r\nreturn 0; }' \
		>"$bin/odd/odd.c"
	(cd "$bin/odd" && $CC -g -O0 -o odd odd.c 2>/dev/null) || skip "no such source"
	main=0x$(nm "$bin/odd/odd" | sed -n 's/ T main$//p')
	resolve --source "$bin/odd/odd+$main"
	out_has '^	     2  // \\x1b\[31m \\xff \\xc2\\x9b \\n é \\x00 	\.$'
	out_has '^	     3  return 0; }$'
	rm "$bin/odd/odd.c" && mkfifo "$bin/odd/odd.c"
	resolve --source "$bin/odd/odd+$main"
	expect_status 0
	out_has '^   main at '
	out_lacks '^	'
}

@test "resolve --source: of a line that is too long, how it begins" {
	local main
	printf 'int main(void) {\n//%238s\n//%239s\nreturn 0; }\n' x x >"$bin/long.c"
	$CC -g -O0 -o "$bin/long" "$bin/long.c"
	main=0x$(nm "$bin/long" | sed -n 's/ T main$//p')
	resolve --source "$bin/long+$main"
	out_has '^	     2  // {237}x$'
	out_has '^	     3  // {238}\.\.\.$'
}

@test "resolve --source: the last line that there may be" {
	printf '%s\n' '.file 1 "/etc/passwd"' '.globl main' '.text' \
		'main: .loc 1 4294967295' '	nop' >"$bin/far.s"
	$CC -nostdlib -shared -g -o "$bin/far" "$bin/far.s" 2>/dev/null ||
		skip "this assembler takes no such line"
	resolve --source "$bin/far+0x$(nm "$bin/far" | sed -n 's/ T main$//p')"
	expect_status 0
	out_has '^   main at /etc/passwd:4294967295$'
	out_lacks '^	'
}

@test "resolve: a report in JSON, by the schema and addr2line" {
	needs python3 addr2line
	seen crash json
	resolve "$text"
	expect_status 0
	[ "$(wc -l <"$out")" -eq 1 ]
	$judge json "$bin" 4 "$out"
	cp "$out" "$bin/resolved.json"
	resolve --source=3 "$text"
	cp "$out" "$bin/source.json"
	python3 - "$text" "$bin/resolved.json" "$bin/source.json" <<'EOF'
import json, sys
before, after, source = (json.load(open(name)) for name in sys.argv[1:])
for frame in source["stack"]["frames"]:
    for place in frame.get("lines", []):
        for line in place.pop("source", []):
            if line["line"] == place["line"]:
                text = open(place["file"]).read().splitlines()[line["line"] - 1]
                assert text == line["text"], (text, line)
                text_seen = True
assert text_seen
assert source["stack"] == after["stack"]
def strip(value):
    if isinstance(value, list):
        return [strip(v) for v in value]
    if isinstance(value, dict):
        return {k: strip(v) for k, v in value.items() if k not in ("lines", "complaints")}
    return value
assert strip(after) == before
assert list(json.load(open(sys.argv[2]))) [:len(before)] == list(before)
EOF
	needs_schema
	for report in resolved source; do
		python3 "$top_srcdir/test/scenario/report.py" schema \
			"$bin/$report.json" "$schema"
	done
	resolve "$bin/source.json"
	cmp "$out" "$bin/source.json"
}

@test "resolve --text: a report in JSON reads as one in text" {
	seen crash json
	resolve --text --no-demangle "$text"
	expect_status 0
	sed -E 's/0x[0-9a-f]{8,}/0x_/g; s/[0-9]{3,}/N/g' "$out" >"$bin/ours"
	seen crash
	resolve "$text"
	sed -E '/^(write to|registers|code|modules|  )/{/^   /!d}
		s/0x[0-9a-f]{8,}/0x_/g; s/[0-9]{3,}/N/g' "$out" |
		sed 's/^\(arguments:.* crash\)$/\1 json/' >"$bin/theirs"
	# What is wrong with the modules is at the end, or below their frames.
	diff <(grep -v '^ *(/' "$bin/ours") <(grep -v '^ *(/' "$bin/theirs")
	diff <(sed -n 's/^ *(\//(/p' "$bin/ours") <(sed -n 's/^ *(\//(/p' "$bin/theirs")
	grep -q '^   write_nowhere at ' "$bin/ours"
}

@test "resolve --text: names are in quotes and escaped as the crashed process writes them" {
	cat >"$text" <<-'EOF'
		{"version":1,"name":"x","process":1,"signal":{"name":"SIGABRT","text":"aborted"},"cause":{"text":"called"},"thread":{"id":1,"name":"a\"b"},"program":{"path":"/x","arguments":["x","a b","","q\"q","back\\x5cslash","\u001b"]},"stack":{"frames":[{"number":0,"pc":"0x10","function":"f","offset":"0x1","cold":true,"part":true}],"folds":[{"first":1,"count":2,"period":1}],"stop":"none"}}
	EOF
	resolve --text "$text"
	expect_status 0
	diff - "$out" <<-'EOF'
		<whocallme>: x: SIGABRT, aborted: called
		<whocallme>: process 1, thread 1 "a\x22b"
		#0 0x0000000000000010 in f [cold]+0x1
		(the stack goes on: out of time)
		program: /x
		arguments: x "a b" "" "q\x22q" back\x5cslash \x1b
	EOF
}

@test "resolve: the numbers of others keep their value, and objects that are no report their bytes" {
	needs python3
	seen crash json
	cp "$text" "$bin/plain"
	sed -i 's/^{/{"pi":3.10,"big":9223372036854775807,"small":[0.1,-1.50E-7],/' "$text"
	resolve "$text"
	expect_status 0
	grep -q '"lines":' "$out"
	python3 -c '
import json, sys
o = json.load(sys.stdin)
assert (o["pi"], o["big"], o["small"]) == (3.1, 2 ** 63 - 1, [0.1, -1.5e-7])' <"$out"
	for number in 18446744073709551616 1e400; do
		# A report with such a number is told of, an object of others is not.
		{ sed "s/^{/{\"id\":$number,/" "$bin/plain" && echo "{\"id\":$number}"; } >"$text"
		resolve "$text"
		expect_status 1
		cmp "$out" "$text"
		[ "$(grep -c 'an object stays as it is' "$err")" -eq 1 ]
		[ "$(wc -l <"$err")" -eq 1 ]
	done
	printf '%s\n' '{"a": 1.0 ,"a":2e0}' '{ }' '{"version":2,"name":"x"}' \
		'{"version":1,"name":"x","process":1,"signal":[],"cause":{}}' >"$text"
	resolve "$text"
	cmp "$out" "$text"
}

@test "resolve: reports that only look like one do no harm" {
	cat >"$text" <<-'EOF'
		{"version":1,"name":"x","process":1,"signal":{},"cause":{},"stack":7,"threads":[1,{"stack":[]},{"stack":{"frames":{}}}]}
		{"version":1,"name":"\\x1b[31m\u001b","process":1,"signal":{"name":3,"text":[],"address":"zz"},"cause":{"text":"\u009b"},"thread":{"id":"x"},"modules":5,"stack":{"frames":[1,[],{"pc":5,"module":"/x","module_offset":3},{"number":-9223372036854775808,"pc":"0xq","module":"/none","module_offset":"0x"},{"number":9223372036854775807,"pc":"0x1","module":"/none","module_offset":"0x1","lines":4},{"pc":"0x0","module":"\\x2fnone\\x","module_offset":"0x0"}],"stop":"x"}}
	EOF
	resolve "$text"
	expect_status 0
	[ "$(wc -l <"$out")" -eq 2 ]
	resolve --text --source "$text"
	expect_status 0
	refute grep -q "$(printf '[\033]')" "$out"
}

@test "resolve: what is no JSON is said, with its line, and kept" {
	printf '%s\n' 'text' '{"a":1}' '{"a":' '{"name"' >"$text"
	resolve "$text"
	expect_status 1
	cmp "$out" "$text"
	err_has "^whocallme resolve: $text:3: no JSON: "
	err_has "^whocallme resolve: $text:4: no JSON: "
	[ "$(wc -l <"$err")" -eq 2 ]
}

@test "resolve: all else is written as it is" {
	{
		printf '%s\n' '' 'a+0x' '+0x10' 'some words+0x10' '#' '#0' '#0 0x in' \
			'#x 0x1 in f' '#1 0x12 at f' 'modules:' '(' 'thread 1 "x":' \
			'<whocallme>: ' '0x1-0x2 bias 0x0 build-id none /x' \
			'  0x1-0x2 bias 0x0 build-id' 'thread'
		printf 'zero\000byte\n\377\376\n\033[31mred\033[0m\r\nno newline'
	} >"$text"
	resolve <"$text"
	expect_status 0
	cmp "$out" "$text"
	head -c 300000 /dev/urandom | tr '{+' 'xx' >"$text"
	resolve <"$text"
	expect_status 0
	cmp "$out" "$text"
}

@test "resolve: a file of another build is not used, and said once" {
	needs readelf
	local id wrong
	id=$(readelf -n "$bin/lines" | sed -n 's/.*Build ID: //p')
	[ -n "$id" ] || skip "this linker makes no build-ids"
	wrong=$(tr 0-9a-f 1-9a-f0 <<<"$id")
	seen crash
	sed -i "s/ $id / $wrong /" "$text"
	resolve "$text"
	expect_status 0
	only_adds "$text"
	out_lacks '^   write_nowhere at '
	[ "$(grep -c "^   ($bin/lines.*build" "$out")" -eq 1 ]
	seen crash json
	sed -i "s/\"$id\"/\"$wrong\"/" "$text"
	resolve "$text"
	out_has "\"complaints\":\\[\"$bin/lines"
	out_lacks '/lines\.c'
	if python3 -c 'import jsonschema'; then
		python3 "$top_srcdir/test/scenario/report.py" schema "$out" "$schema"
	fi
	resolve --text "$text"
	[ "$(grep -c "^($bin/lines.*build" "$out")" -eq 1 ]
	observe "$whocallme" resolve --serve \
		< <(printf '%s\n' "$wrong:$bin/lines+0x1000" "$wrong:$bin/lines+0x1000")
	sed -n 1p "$out" | grep '^! '
	[ "$(grep -c '^! ' "$out")" -eq 1 ]
	[ "$(grep -c '^$' "$out")" -eq 2 ]
}

@test "resolve: a report between other lines, and one behind another" {
	seen crash
	cp "$text" "$bin/one"
	{
		echo before && cat "$bin/one"
		echo between && cat "$bin/one"
		sed '/^modules/,$d' "$bin/one"
		cat "$bin/one" && echo after
	} >"$text"
	resolved 16
	only_adds "$text"
	seen crash json
	{ sed '/^modules/,$d' "$bin/one" && cat "$text"; } >"$bin/both"
	resolve "$bin/both"
	tail -n 1 "$out" | grep '"lines":'
	[ "$(grep -c '^   write_nowhere at ' "$out")" -eq 1 ]
}

@test "resolve: answers come at once, stacks after a pause" {
	needs python3
	$judge live "$whocallme" resolve "$bin/lines"
}
