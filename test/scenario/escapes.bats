#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# escapes.bats - names that a terminal would obey, in all that the command prints.

load support

# What clears a screen, in C0 and C1; turns the order of letters, as U+202E and U+2066 do;
# is not seen; parts lines; is no character; is no UTF-8.
evil=$'e\e[2J\a\xc2\x9b2J\xe2\x80\xae\xe2\x81\xa6\xe2\x80\x8b\xe2\x80\xa8\xef\xbf\xbf\xffl'

setup_file()
{
	bin=$BATS_FILE_TMPDIR
	cat >"$bin/evil.c" <<-'END'
		int inner(int n) { return n > 0 ? inner(n - 1) + 1 : 0; }
		int main(int argc, char *argv[]) { (void)argv; return inner(argc) < 0; }
	END
	$CC -g -finstrument-functions -c -o "$bin/evil.o" "$bin/evil.c"
	objcopy --redefine-sym inner="$evil" "$bin/evil.o"
	$CC -o "$bin/$evil;x" "$bin/evil.o"
}

setup()
{
	not_sanitized "the program is not"
	needs python3
	cd "$BATS_TEST_TMPDIR"
}

# harmless [KIND]: no byte of stdout and stderr is one that a terminal is not to have;
# judged by Python's tables.  The evil name is there, escaped, of that KIND.
harmless()
{
	python3 - "$out" "$err" <<-'END' || blame 'not harmless'
		import sys, unicodedata
		for path in sys.argv[1:]:
		    for character in open(path, "rb").read().decode("utf-8"):
		        kind = unicodedata.category(character)
		        assert character in "\n\t" or kind not in ("Cc", "Cf", "Zl", "Zp"), \
		            hex(ord(character))
		        assert ord(character) & 0xfffe != 0xfffe, hex(ord(character))
	END
	grep -q -F -e "${1-\\x1b[2J}" "$out" "$err" || blame 'the name is not there'
}

@test "what a program's file and functions are called, in a recording" {
	"$whocallme" trace --record=recording "$bin/$evil;x" || true
	local command
	for command in replay report graph flame 'flame --by-task' 'graph --cluster=module'; do
		# shellcheck disable=SC2086 # a command and its options
		observe "$whocallme" $command recording
		expect_status 0
		harmless
	done
	observe "$whocallme" graph recording
	expect_status 0
	harmless '\\x1b[2J'
	mv "$out" drawn.dot
	observe "$whocallme" graph drawn.dot
	harmless '\\x1b[2J'
	for command in chrome 'report --json'; do
		# shellcheck disable=SC2086
		observe "$whocallme" $command recording
		expect_status 0
		harmless '\\x1b[2J'
		python3 -m json.tool "$out" >/dev/null
	done
}

@test "and in its file" {
	observe "$whocallme" functions "$bin/$evil;x"
	expect_status 0
	harmless
	observe "$whocallme" functions --json "$bin/$evil;x"
	expect_status 0
	harmless '\u001b[2J'
	python3 -m json.tool "$out" >/dev/null
	observe "$whocallme" resolve "$bin/$evil;x+0x1139"
	expect_status 0
	harmless
}

@test "a graph that others have made" {
	printf 'digraph calls {\n\t"%s" [label="%s",calls=1];\n\t"a" -> "%s" [calls=1];\n}\n' \
		"$evil" "$evil" "$evil" >evil.dot
	observe "$whocallme" graph evil.dot
	expect_status 0
	harmless
}

@test "reports that others have made" {
	local command
	python3 - "$evil" >report.json <<-'END'
		import json, os, sys
		evil = os.fsencode(sys.argv[1]).decode("utf-8", "replace")
		frame = {"number": 0, "pc": "0x10", "function": evil, "offset": "0x1",
		         "module": "/" + evil, "module_offset": "0x10"}
		print(json.dumps({
		    "version": 1, "name": evil, "process": 1, "complaints": [evil],
		    "signal": {"number": 11, "name": evil, "text": evil},
		    "cause": {"kind": "signal", "text": evil}, evil: evil,
		    "stack": {"frames": [frame]}, "modules": []}, ensure_ascii=False))
	END
	for command in 'resolve --text' group; do
		# shellcheck disable=SC2086
		observe "$whocallme" $command report.json
		harmless
	done
	for command in resolve 'group --json'; do
		# shellcheck disable=SC2086
		observe "$whocallme" $command report.json
		harmless '[2J'
		python3 -m json.tool "$out" >/dev/null
	done
}

@test "the complaints of all commands" {
	local command
	for command in functions group resolve run trace replay report flame chrome graph; do
		observe "$whocallme" $command "./$evil"
		[ "$status" -ne 0 ] || blame "$command"
		harmless
		observe "$whocallme" $command "--$evil"
		[ "$status" -ne 0 ] || blame "$command"
		harmless
		mkdir -p "$evil"
		observe "$whocallme" $command "$evil"
		harmless
		rm -r "$evil"
	done
	observe "$whocallme" "$evil"
	harmless
	observe "$whocallme" trace --record="$evil/$evil/x" "$bin/$evil;x"
	harmless
	observe "$whocallme" run --file="$evil/$evil/x" true
	harmless
}
