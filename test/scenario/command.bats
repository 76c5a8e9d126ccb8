#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# command.bats - the whocallme command, as a user and as a script meets it.

load support
bats_require_minimum_version 1.5.0

setup_file()
{
	bin=$BATS_FILE_TMPDIR
	compile "$bin/mixed.o" "$programs/mixed.cc" -O1
	build callers callers.c
	build_library old.so victim.c -DNAME=old
	strip -o "$bin/stripped.so" "$bin/old.so"
	$CC -static -nostdlib -Wl,-e,0 -o "$bin/nothing" -x c - <<<'int x;'
	strip "$bin/nothing"
	: >"$bin/empty"
	echo text >"$bin/text"
	ar rc "$bin/archive.a" "$bin/mixed.o"
	mkfifo "$bin/fifo"
}

functions()
{
	observe timeout 20 "$whocallme" functions "$@"
}

@test "--help, -h and help say what there is, on stdout" {
	local option
	for option in --help -h help; do
		observe "$whocallme" "$option"
		expect_status 0
		out_has '^Usage: whocallme '
		out_has '^  functions '
		[ ! -s "$err" ]
	done
	functions --help
	expect_status 0
	out_has '^Usage: whocallme functions '
}

@test "help COMMAND is COMMAND --help" {
	local command
	for command in $("$whocallme" --help | sed -n 's/^  \([a-z][a-z]*\) .*/\1/p'); do
		observe "$whocallme" help "$command"
		expect_status 0
		out_has "^Usage: whocallme $command "
		"$whocallme" "$command" --help | diff - "$out"
	done
	observe "$whocallme" help nonsense
	expect_status 2
	expect_err 'whocallme help: "nonsense" is no command; see whocallme --help'
	observe "$whocallme" help run trace
	expect_status 2
}

@test "--version, of each command too" {
	local command
	for command in '' functions group help resolve run stack trace replay; do
		# shellcheck disable=SC2086 # nothing, or a word
		observe "$whocallme" $command --version
		expect_status 0
		expect_out "whocallme $VERSION"
	done
	observe "$whocallme" -V
	expect_out "whocallme $VERSION"
}

@test "a usage error names the command and its --help" {
	local command
	for command in functions group help plugin resolve run stack trace replay report flame chrome \
		graph; do
		observe "$whocallme" $command --nonsense
		expect_status 2
		expect_err "whocallme $command: unrecognized option '--nonsense'" \
			"whocallme $command: see whocallme $command --help"
	done
	observe "$whocallme" run
	expect_err 'whocallme run: it needs a PROGRAM; see whocallme run --help'
	observe "$whocallme" run --sections=stack,x true
	expect_err 'whocallme run: --sections takes a list of stack, registers, code, '\
'threads, modules, program, calls, thread-calls and all, not "stack,x"; see whocallme run --help'
	observe "$whocallme" group --by=file,program
	expect_err 'whocallme group: --by takes program, function or file, '\
'not "file,program"; see whocallme group --help'
}

@test "an option that lacks its value does not take -- or the next option for it" {
	local arguments
	cd "$BATS_TEST_TMPDIR"
	for arguments in 'trace --record -- true' 'trace --graph --force true' \
		'trace -F -- true' 'run --file -- true'; do
		# shellcheck disable=SC2086 # words
		observe "$whocallme" $arguments
		expect_status 2
		err_has ' lacks its [A-Z]*; see whocallme [a-z]* --help$'
	done
	[ ! -e -- ] || blame "a file called -- was made"
}

@test "usage errors: status 2, a word on stderr, nothing on stdout" {
	local -a arguments
	local line
	for line in '' 'nonsense' '--nonsense' 'functions' \
		"functions --nonsense $bin/mixed.o" \
		"functions --address=xyz $bin/mixed.o" \
		"functions --address= $bin/mixed.o" \
		"functions --address=-1 $bin/mixed.o" \
		"functions --address=11112222333344445 $bin/mixed.o" \
		"functions $bin/mixed.o --address"; do
		read -r -a arguments <<<"$line"
		observe "$whocallme" "${arguments[@]}"
		expect_status 2 || blame "arguments: $line"
		[ -s "$err" ] && [ ! -s "$out" ] || blame "arguments: $line"
	done
}

# nm's, whose numbers are as wide as the file's addresses: ours are the same for all.
wide_nm()
{
	nm -S "$1" | sed -E 's/(^| )([0-9a-f]{8})\b/\100000000\2/g'
}

@test "functions: a line is ADDRESS SIZE NAME, sorted, as nm -S has them" {
	functions "$bin/callers"
	expect_status 0
	[ ! -s "$err" ]
	refute grep -E -v '^[0-9a-f]{16} [0-9a-f]{16} [^ ]+( \[cold\])?$' "$out"
	cut -d' ' -f1 "$out" | sort -c
	grep -v '@plt$' "$out" | sort >"$bin/ours"
	wide_nm "$bin/callers" | awk 'NF == 4 && $3 ~ /[tTwWi]/ { print $1, $2, $4 }' |
		sort >"$bin/theirs"
	[ "$(comm -13 "$bin/ours" "$bin/theirs")" = '' ]
	# What nm has no size for has none here.
	[ "$(comm -23 "$bin/ours" "$bin/theirs" | awk '$2 !~ /^0+$/')" = '' ]
}

@test "functions --all: aliases too" {
	local libc all best
	libc=$($CC -print-file-name=libc.so.6)
	functions "$libc"
	expect_status 0
	best=$(wc -l <"$out")
	[ "$(cut -d' ' -f1 "$out" | uniq -d)" = '' ]
	functions --all "$libc"
	all=$(wc -l <"$out")
	[ "$all" -gt "$best" ]
	functions -a "$libc"
	[ "$(wc -l <"$out")" = "$all" ]
}

@test "functions --demangle" {
	functions "$bin/mixed.o"
	out_has ' _ZN4shop3buyEiPKc$'
	functions --demangle "$bin/mixed.o"
	out_has ' shop::buy\(int, char const\*\)$'
	out_has ' int twice<int>\(int\)$'
	out_has ' plain$'
	cp "$out" "$bin/demangled"
	functions -C "$bin/mixed.o"
	cmp "$out" "$bin/demangled"
}

@test "functions of a relocatable object with several sections" {
	functions "$bin/mixed.o"
	expect_status 0
	refute grep -E -v '^[0-9a-f]{16} [0-9a-f]{16} [^ ]+$' "$out"
	diff <(cut -d' ' -f3 "$out" | sort) \
		<(nm "$bin/mixed.o" | awk '$2 ~ /[tTwW]/ { print $3 }' | sort)
	diff <(sort "$out") <(wide_nm "$bin/mixed.o" |
		awk '$3 ~ /[tTwW]/ { print $1, $2, $4 }' | sort)
	# The compiler's own labels, which riscv64's assembler keeps, name nothing.
	cp "$out" "$bin/unlabelled"
	compile "$bin/labelled.o" "$programs/mixed.cc" -O1 -Wa,--keep-locals
	[ "$(readelf -sW "$bin/labelled.o" | grep -c ' \.L')" -gt 0 ]
	functions "$bin/labelled.o"
	cmp "$out" "$bin/unlabelled"
}

json_of()
{
	functions --json "$@"
	python3 -m json.tool <"$out" >"$bin/pretty" || blame "not JSON"
}

@test "functions --json: an object a file, with the same functions" {
	needs python3
	local file option
	for file in callers mixed.o old.so stripped.so; do
		for option in '' --all --demangle; do
			# shellcheck disable=SC2086 # none or one
			json_of $option "$bin/$file"
			# shellcheck disable=SC2086
			diff <(python3 -c '
import json, sys
file = json.load(sys.stdin)
assert file["version"] == 1
for f in file["functions"]:
    print("%016x %016x %s%s" % (int(f["address"], 16), f["size"], f["name"],
                                " [cold]" if f.get("cold") else ""))' \
				<"$out") \
				<("$whocallme" functions $option "$bin/$file")
		done
	done
	json_of "$bin/callers"
	[ "$(wc -l <"$out")" -eq 1 ]
	out_has "\"file\":\"$bin/callers\""
	out_has "\"build_id\":\"$(readelf -n "$bin/callers" |
		sed -n 's/.*Build ID: //p')\""
}

@test "functions --json: names no JSON can hold as they are" {
	needs python3
	printf '%s\n' '.text' '.globl "q\"b\\s"' '.type "q\"b\\s",@function' \
		'"q\"b\\s": ret' '.globl "bad\377\001"' \
		'.type "bad\377\001",@function' '"bad\377\001": ret' >"$bin/names.s"
	compile "$bin/names.o" "$bin/names.s" || skip "this assembler has no such names"
	json_of --all "$bin/names.o"
	functions "$bin/names.o"
	refute env LC_ALL=C grep -q "$(printf '[\001\033]')" "$out"
}

@test "functions --address" {
	local address name
	read -r address _ name < <("$whocallme" functions "$bin/callers" |
		grep ' main$')
	functions --address="$address" -A "0x$(printf %x $((0x$address + 3)))" \
		-A 0 "$bin/callers"
	expect_status 0
	expect_out "$address main+0x0" \
		"$(printf '%016x' $((0x$address + 3))) main+0x3" \
		'0000000000000000 ??'
	needs addr2line python3
	[ "$(addr2line -f -e "$bin/callers" "$address" | head -n 1)" = "$name" ]
	json_of -A "$address" -A 0 "$bin/callers"
	out_has '"name":"main","offset":0'
	out_has '\{"address":"0x0"\}'
}

@test "functions of several files: each under its name, errors do not stop it" {
	functions "$bin/old.so" "$bin/text" "$bin/mixed.o"
	expect_status 1
	out_has "^$bin/old\.so:$"
	out_has "^$bin/mixed\.o:$"
	out_has ' old_hidden$'
	out_has ' plain$'
	err_has "^whocallme functions: $bin/text: not an object file$"
	[ "$(wc -l <"$err")" -eq 1 ]
	functions --json "$bin/old.so" "$bin/mixed.o"
	[ "$(wc -l <"$out")" -eq 2 ]
}

# complains FILE TEXT: status 1, "whocallme: FILE: TEXT" and nothing else.
complains()
{
	functions "$1"
	expect_status 1
	expect_err "whocallme functions: $1: $2"
	[ ! -s "$out" ]
}

@test "functions of what is no object: status 1 and why" {
	complains "$bin/text" 'not an object file'
	complains "$bin/empty" 'not an object file'
	complains "$bin/none" 'No such file or directory'
	complains "$bin" 'not an object file'
	complains "$bin/fifo" 'not an object file'
	complains /dev/null 'not an object file'
	complains "$bin/archive.a" 'not an object file'
	complains "$bin/nothing" \
		'no symbols; if it was stripped, install its debug file'
	if [ "$(id -u)" != 0 ]; then
		: >"$bin/secret"
		chmod 0 "$bin/secret"
		complains "$bin/secret" 'Permission denied'
	fi
}

@test "functions of a stripped library: those of .dynsym" {
	functions "$bin/stripped.so"
	expect_status 0
	out_has ' old_shown$'
	refute grep old_hidden "$out"
}

@test "file names that look like options or hold odd bytes" {
	cd "$bin"
	cp mixed.o ./--all
	functions -- --all
	expect_status 0
	out_has ' plain$'
	cp text "$(printf 'a\nb')"
	functions "$(printf 'a\nb')"
	expect_status 1
}

@test "a full disk and a closed stdout are errors" {
	observe sh -c "exec '$whocallme' functions '$bin/callers' >/dev/full"
	expect_status 1
	err_has '^whocallme functions: standard output: No space left on device$'
	observe sh -c "exec '$whocallme' --help >/dev/full"
	expect_status 1
	observe sh -c "exec '$whocallme' functions '$bin/callers' >&-"
	expect_status 1
	err_has '^whocallme functions: standard output: Bad file descriptor$'
	observe sh -c "exec '$whocallme' --version >&-"
	expect_status 1
}

@test "the help of every command has one form, and 80 columns" {
	local command
	cd "$BATS_TEST_TMPDIR"
	for command in $(all_commands); do
		"$whocallme" help "$command" | tee help |
			grep -oE '^(Usage|Options|Exit status|Examples|Manual):' | tr -d '\n' >form
		echo 'Usage:Options:Exit status:Examples:Manual:' | tr -d '\n' | diff - form ||
			blame "$command"
		[ "$(sed -n 2p help | grep -c '^[A-Z].*[^ ]')" = 1 ] || blame "$command: no sentence"
		grep -q -x "Manual: whocallme-$command(1)\." help || blame "$command: no manual"
		[ -z "$(grep -E '.{81}' help)" ] || blame "$command: wide"
		sed -n '/^Examples:/,$p' help | grep -q "whocallme $command" || blame "$command: no example"
	done
}

@test "help and whocallme(1) group the commands in the same way" {
	diff <("$whocallme" help | sed -n '/^Options:/q; s/^\([A-Z].*\):$/\1/p; s/^  \([a-z]*\) .*/\1/p') \
		<(sed -n '/^\.SH OPTIONS/q; s/^\.SS //p; s/^\.BR whocallme.-\([a-z]*\) (1).*/\1/p' \
			"$manual/whocallme.1")
}

# entries PAGE: the long options that have an entry under OPTIONS.
entries()
{
	sed -n '/^\.SH OPTIONS/,/^\.SH [^O]/p' "$1" | grep -A3 -E '^\.T[PQ]' |
		grep -E '^\.[BI]' | sed 's/\\-/-/g; s/\\f[A-Z]//g' |
		grep -o -E -- '--[a-z][a-z-]*[a-z]' | sort -u
}

@test "each command has a page, with the options of its --help and no other" {
	local command page
	for command in $(all_commands); do
		page=$manual/whocallme-$command.1
		[ -e "$page" ] || blame "$command has no page"
		diff --label "$command --help" --label "$page" \
			<("$whocallme" "$command" --help | grep -E '^  +(-|  )' |
			grep -o -E -- '^ +(-., )?--[a-z][a-z-]*' | grep -o -E -- '--[a-z-]*' | sort -u) \
			<(entries "$page") || blame "$command"
		grep -q "^\.BR whocallme.-$command (1)" "$manual/whocallme.1" ||
			blame "whocallme(1) lacks $command"
	done
}

@test "the SYNOPSIS of a page has each option's letter" {
	local command
	for command in functions group resolve run stack trace; do
		diff --label "$command --help" --label SYNOPSIS \
			<("$whocallme" $command --help | sed -n 's/^  -\(.\), .*/\1/p' |
			grep -v '[hV]' | sort) \
			<(sed '/^\.SH DESCRIPTION/,$d' "$manual/whocallme-$command.1" |
				sed -n "/^\.B $command\$/,/^\.YS/p" |
				grep -o '\\-[A-Za-z]*' | grep -o '[A-Za-z]' | sort)
	done
}

# on_terminal COMMAND...: what it shows there.
on_terminal()
{
	observe timeout -s KILL 60 env -u LESS -u NO_COLOR -u PAGER TERM=xterm "${with[@]}" \
		python3 "$top_srcdir/test/scenario/terminal.py" "$@"
}

@test "a terminal has colours, a pager and columns that fit; a pipe and a file have neither" {
	needs python3
	not_sanitized "the program is not"
	local with=()
	cd "$BATS_TEST_TMPDIR"
	printf 'int f(int n) { return n; }\nint main(void) { return f(0); }\n' >shown.c
	build shown "$PWD/shown.c" -O0 -finstrument-functions
	"$whocallme" trace --record=shown.data "$bin/shown"
	escape=$'\033'
	for command in "functions $bin/shown" "replay shown.data" "report shown.data" \
		"report --summary shown.data"; do
		# shellcheck disable=SC2086 # a command and its options
		observe env PAGER='sed s/^/paged:/' "$whocallme" $command
		expect_status 0
		refute grep -q "$escape\|^paged:" "$out"
		cp "$out" plain
		with=(WHOCALLME_PAGER='sed s/^/paged:/' PAGER=false)
		# shellcheck disable=SC2086
		on_terminal "$whocallme" $command
		expect_status 0
		refute grep -qv '^paged:' "$out"
		grep -q "$escape\[" "$out" || blame "no colours"
		# shellcheck disable=SC2086
		on_terminal "$whocallme" $command --no-pager --color=never
		refute grep -q "$escape\|^paged:" "$out"
		[ "$command" != "functions $bin/shown" ] || cmp "$out" plain
		with=(PAGER=cat NO_COLOR=1)
		# shellcheck disable=SC2086
		on_terminal "$whocallme" $command
		refute grep -q "$escape\|^paged:" "$out"
		# shellcheck disable=SC2086
		observe "$whocallme" $command --color=always
		grep -q "$escape\[" "$out" || blame "no colours"
		# shellcheck disable=SC2086
		observe "$whocallme" $command --color=sometimes
		expect_status 2
	done
	# A recording's size is for those who sit there.
	with=()
	on_terminal "$whocallme" trace --record=sized.data "$bin/shown"
	grep -qE '^<whocallme>: 2 calls, [0-9.]+ k?B in .*/sized.data$' "$out" || blame "$(cat "$out")"
	observe "$whocallme" trace --record=unsized.data "$bin/shown"
	[ ! -s "$err" ] || blame "$(cat "$err")"
	# A reader that leaves is no error, and one that is missing is none either.
	with=(PAGER=true)
	on_terminal "$whocallme" functions "$bin/shown"
	[ ! -s "$err" ]
	refute grep -q whocallme "$out"
	with=(PAGER=/nowhere/at/all)
	on_terminal "$whocallme" functions --color=never "$bin/shown"
	expect_status 0
	grep -q ' main$' "$out"
	# What ends the command ends it behind the pager.
	for signal in INT HUP TERM; do
		with=(PAGER="kill -$signal \$PPID; cat >/dev/null; sleep 0.2; echo kept")
		for command in "replay shown.data" "functions $bin/shown"; do
			# shellcheck disable=SC2086
			on_terminal "$whocallme" $command
			expect_status $((256 - $(kill -l $signal)))
			grep -qx kept "$out" || blame "$signal, $command: $(cat "$out")"
		done
	done
	with=(PAGER=cat TERM=)
	on_terminal "$whocallme" report shown.data
	refute grep -q "$escape" "$out"
	for command in report replay "report --summary"; do
		# shellcheck disable=SC2086
		"$whocallme" $command --color=always -o coloured shown.data
		grep -q "$escape\[" coloured || blame "no colours: $command"
		# shellcheck disable=SC2086
		"$whocallme" $command -o plain shown.data
		refute grep -q "$escape" plain
	done
	for command in "flame --svg=a --html=b" "flame --svg --html" "flame --svg=a -o b" \
		"flame -o b --html=a" "flame --svg=-" "graph --cut=0x10" "graph --cut=inf"; do
		# shellcheck disable=SC2086
		observe "$whocallme" $command shown.data
		expect_status 2
	done
	observe "$whocallme" graph --cut=' 5' shown.data
	expect_status 2
	[ ! -e a ] && [ ! -e b ] && [ ! -e - ]
	# Every line fits.
	with=(PAGER=cat NO_COLOR=1)
	on_terminal sh -c "stty cols 50; exec '$whocallme' report shown.data"
	expect_status 0
	awk 'length > 60 { exit 1 }' "$out" || blame "$(cat "$out")"
	grep -q 'Total time   Self time       Calls  Function' "$out" || blame "$(cat "$out")"
	on_terminal sh -c "stty cols 200; exec '$whocallme' report shown.data"
	grep -q 'Total min   Total max   Self time' "$out" || blame "$(cat "$out")"
}
