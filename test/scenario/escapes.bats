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

# in_browser PAGE: what the page shows in a browser, after its scripts.
in_browser()
{
	timeout 60 chromium --headless --no-sandbox --disable-gpu --user-data-dir="$PWD/profile" \
		--window-size="${2:-1280}",800 --dump-dom "file://$PWD/$1" 2>/dev/null
}

# A program with functions whose names are markup, in a recording.
record_markup()
{
	cat >markup.c <<-'C'
		__attribute__((noinline)) int evil(int i) { return i + 1; }
		__attribute__((noinline)) int worse(int i) { return evil(i) + 1; }
		int main(void) { int sum = 0; for (int i = 0; i < 100; i++) sum += worse(i); return !sum; }
	C
	$CC -O0 -finstrument-functions -c -o markup.o markup.c
	objcopy --redefine-sym "evil=</title><script>document.title='owned'</script>" \
		--redefine-sym "worse=]]><img src=x onerror=\"document.title='owned'\">&amp;'" markup.o
	$CC -o markup markup.o
	"$whocallme" trace --record=markup.data ./markup
}

@test "a flame graph as a page and as a drawing: names are text, and nothing is loaded" {
	needs python3 objcopy
	record_markup
	observe "$whocallme" flame --html=page.html markup.data
	expect_status 0
	observe "$whocallme" flame --svg markup.data
	expect_status 0
	cp "$out" drawing.svg
	refute grep -qE '<img|<script>document' page.html drawing.svg
	[ -z "$(sed 's,http://www.w3.org/,,g' page.html drawing.svg | grep -E '//[a-z]')" ]
	python3 - <<-'P'
		import xml.etree.ElementTree as tree
		svg = "{http://www.w3.org/2000/svg}"
		frames = [frame for frame in tree.parse("drawing.svg").getroot() if frame.get("y")
		          and frame.tag == svg + "svg"]
		names = [frame.find(svg + "title").text.split("\n")[0] for frame in frames]
		assert names == ["main", "]]><img src=x onerror=\"document.title='owned'\">&amp;'",
		                 "</title><script>document.title='owned'</script>"], names
		inner = [(float(f.get("x")[:-1]), float(f.get("width")[:-1])) for f in frames]
		assert inner[0] == (0, 100) and all(x >= 0 and x + w <= 100.001 for x, w in inner), inner
	P
	# A stack is where it is by the folded ones: calls of main, 1, and 100 of each other.
	observe "$whocallme" flame --unit=calls --svg markup.data
	grep -q '201 calls, 100.00 %' "$out" || blame "$(cat "$out")"
}

@test "a browser shows it, narrow and wide: no name is run, frames zoom, a search counts" {
	needs objcopy
	command -v chromium >/dev/null || skip "chromium is missing"
	record_markup
	"$whocallme" flame --html=page.html markup.data
	"$whocallme" flame --svg=drawing.svg markup.data
	for file in page.html drawing.svg; do
		in_browser "$file" >dom || skip "chromium does not run here"
		refute grep -q '<title>owned' dom
		grep -qF "&lt;script&gt;document.title" dom || blame "$(cat dom)"
	done
	# What a user does: search, then click on the frame at the bottom, then Reset.
	sed 's|</body>|<script>var q=function(s){return document.querySelector(s)};\
		q("input").value="SCRIPT";q("input").dispatchEvent(new Event("input"));\
		var found=q(".found").textContent,f=document.querySelectorAll(".f");\
		f[2].dispatchEvent(new MouseEvent("click"));var zoomed=f[2].getAttribute("width");\
		q("button").click();\
		document.title=found+"/"+zoomed+"/"+f[2].getAttribute("width")+"/"+\
		(document.documentElement.scrollWidth>innerWidth);</script></body>|' page.html >driven.html
	for width in 360 1280 3840; do
		in_browser driven.html $width >dom
		grep -qE '<title>1 found, [0-9.]+ %/100%/[0-9.]+%/false</title>' dom ||
			blame "$(grep -m1 '<title>' dom)"
	done
}
