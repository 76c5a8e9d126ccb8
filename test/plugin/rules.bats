#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# rules.bats - which functions the rules choose, and what is said of mistakes.

bats_require_minimum_version 1.5.0
load plugin

setup()
{
	needs_plugin
	cd "$BATS_TEST_TMPDIR"
	cat >ruled.c <<-'END'
		#define CALLED __attribute__((noinline))
		CALLED int alpha(int x) { return x + 1; }
		CALLED static int beta(int x) { __asm__(""); return x + 2; }
		__attribute__((hot)) CALLED int gamma_(int x) { return x + 3; }
		__attribute__((weak)) int delta(int x) { return x + 4; }
		CALLED inline int epsilon(int x) { return x + 5; }
		extern int epsilon(int);
		# 1 "third/party/other.c"
		CALLED int zeta(int x)
		{
			for (int i = 0; i < x; i++)
				x += i * x ^ x << i;
			return x;
		}
		int main(void)
		{
			return alpha(1) + beta(2) + gamma_(3) + delta(4) + epsilon(5) + zeta(3) != 114;
		}
	END
}

# Which functions are entered, by the RULES on one line each.
chosen_by()
{
	printf '%s\n' "$@" >rules.yml
	with serial rules=rules.yml
	"$gcc" ${options:--O1} -Wno-attributes $flags -o ruled ruled.c "$bin/stub.o" 2>errors || { cat errors; return 1; }
	run_traced ./ruled || true
	sed -n 's/^ev=entry fn=\([^ ]*\) .*/\1/p' log | sort -u | paste -sd ' '
}

# said COMMAND...: what gcc says of it, without gcc's own name.
said()
{
	refute "$@" 2>errors || return 1
	sed 's/^[a-z0-9]*: //' errors
}

@test "functions, files, attributes, linkage, sizes, to exclude and to include" {
	[ "$(chosen_by '')" = "alpha beta delta epsilon gamma_ main zeta" ]
	[ "$(chosen_by 'exclude: { functions: ~, files: null }')" = \
		"alpha beta delta epsilon gamma_ main zeta" ]
	[ "$(chosen_by 'include: { functions: "null", files: [other.c] }' 'exclude:')" = "main zeta" ]
	[ "$(chosen_by 'exclude: { functions: [alpha, "*eta"] }')" = \
		"delta epsilon gamma_ main" ] || false
	[ "$(chosen_by 'exclude: { files: ["*/other.c"] }')" = \
		"alpha beta delta epsilon gamma_" ]
	[ "$(chosen_by 'include: { files: [other.c] }')" = "main zeta" ]
	[ "$(chosen_by 'include: { files: party/other.c }')" = "main zeta" ]
	[ "$(chosen_by 'include: { attributes: [hot, inline] }')" = "epsilon gamma_" ]
	[ "$(chosen_by 'include: { linkage: [internal] }')" = "beta" ]
	[ "$(chosen_by 'include: { linkage: [weak] }')" = "delta" ]
	[ "$(chosen_by 'include: { sizes: { min: 5 } }')" = "main zeta" ]
	[ "$(chosen_by 'exclude: { sizes: { max: 4 } }')" = "main zeta" ]
	[ "$(chosen_by 'include: { functions: ["[ab]*"] }' 'exclude: { functions: alpha }')" = \
		"beta" ]
	[ "$(chosen_by 'include: { functions: ["[[:alpha:]]l*", "[]ab-]e*", "[!^a-y]*", "[d-d[.e.]]*"] }')" = \
		"alpha beta delta epsilon zeta" ]
}

@test "linkage is that of the source, with -flto, -fwhole-program and in copies" {
	local options linkage
	cat >linked.c <<-'END'
		#define CALLED __attribute__((noipa))
		CALLED int external_(int x) { return x; }
		CALLED static int internal_(int x) { return x; }
		CALLED __attribute__((weak)) int weak_(int x) { return x; }
		CALLED __attribute__((visibility("hidden"))) int hidden_(int x) { return x; }
		__attribute__((noinline)) int copied_(int x, int y) { __asm__(""); return x / y; }
		int main(int argc, char **argv)
		{
			(void)argv;
			return external_(0) + internal_(0) + weak_(0) + hidden_(0) +
			       copied_(argc, 7) + copied_(argc + 1, 7);
		}
	END
	mv linked.c ruled.c
	for options in -O0 -O2 -O3 '-O3 -fwhole-program' '-O3 -flto' '-O2 -flto -flto-partition=max' \
		'-O3 -fno-semantic-interposition -fPIC'; do
		while IFS='|' read -r linkage expected; do
			got=$(options=$options chosen_by "$linkage" | sed 's/_[.][._a-z0-9]*/_/g')
			[ "$got" = "$expected" ] || { echo "$options, $linkage: $got" && false; }
		done <<-'END'
			include: { linkage: [internal] }|internal_
			exclude: { linkage: [static] }|copied_ external_ hidden_ main weak_
			exclude: { linkage: [external] }|internal_
			include: { linkage: [weak] }|weak_
			include: { linkage: [hidden] }|hidden_
		END
	done
}

@test "with -fno-ipa-icf, functions with the same code are chosen by their own names" {
	cat >ruled.c <<-'END'
		#include <stdio.h>
		__attribute__((noinline)) static int one(int x) { return printf("%d", x) + x; }
		__attribute__((noinline)) static int two(int x) { return printf("%d", x) + x; }
		int main(int argc, char **argv) { (void)argv; return one(argc) + two(argc) > 9; }
	END
	[ "$(options='-O2 -fno-ipa-icf' chosen_by 'include: { functions: [two] }')" = two ]
	[ "$(options='-O2 -fno-ipa-icf' chosen_by 'exclude: { functions: [two] }')" = "main one" ]
}

@test "noting linkage changes no function that is left out" {
	local level source=$here/programs/traced_ends.c
	printf 'include:\n  linkage: [weak]\n' >rules.yml
	with serial rules=rules.yml warn=no
	for level in -O2 -O3 -Os '-O2 -fwhole-program'; do
		"$gcc" $level -ffunction-sections -c -o plain.o "$source"
		"$gcc" $level $flags -ffunction-sections -c -o ours.o "$source"
		sections_of plain.o >plain
		sections_of ours.o | diff plain -
	done
}

@test "names of C++, mangled or not, and copies of functions" {
	find_gxx
	cat >named.cc <<-'END'
		namespace space {
		struct thing {
			__attribute__((noinline)) int does(int x) { asm(""); return x; }
		};
		template <class T> __attribute__((noinline)) T makes(T x) { asm(""); return x; }
		}
		__attribute__((noinline)) static int copied(int x, int y) { asm(""); return x / y; }
		int main()
		{
			return space::thing().does(0) + space::makes(0) + copied(0, 7) + copied(0, 7);
		}
	END
	printf 'exclude: { functions: ["%s", "%s"] }\n' 'space::thing::*' 'copied' >rules.yml
	with serial rules=rules.yml
	"$gxx" -O3 $flags -o named named.cc "$bin/stub.o" 2>errors
	run_traced ./named
	[ "$(sed -n 's/^ev=entry fn=\([^ ]*\) .*/\1/p' log | paste -sd ' ')" = \
		"main _ZN5space5makesIiEET_S1_" ]
}

@test "rules that match nothing are a warning with warn=yes, and nothing by default" {
	printf '%s\n' 'exclude:' '  functions:' '    - malloc' '    - alpha' '  files: [a*.c]' >rules.yml
	with serial rules=rules.yml
	"$gcc" -Wno-attributes $flags -Werror -c ruled.c 2>warnings
	[ ! -s warnings ]
	with serial rules=rules.yml warn=yes
	"$gcc" -Wno-attributes $flags -c ruled.c 2>warnings
	[ "$(grep -c warning: warnings)" = 2 ]
	grep "warning: rules.yml:3: .malloc. matches no function" warnings
	grep "warning: rules.yml:5: .a\*.c. matches no function" warnings
	with serial rules=rules.yml warn=no
	"$gcc" -Wno-attributes $flags -Werror -c ruled.c 2>warnings
	[ ! -s warnings ]
	# An inlined one is matched; nothing is said of what is not compiled.
	printf 'static inline int f(int x) { return x; }\nint main(void) { return f(0); }\n' >i.c
	printf 'exclude:\n  functions: [f]\n' >rules.yml
	with serial rules=rules.yml warn=yes
	"$gcc" -O2 $flags -Werror -c i.c
	"$gcc" -Wno-attributes $flags -Werror -fsyntax-only ruled.c
}

@test "a mistake in the rules is an error, with file and line" {
	local line
	with serial rules=rules.yml
	while IFS='|' read -r text expected; do
		# shellcheck disable=SC2059 # it has newlines
		printf "$text" >rules.yml
		said "$gcc" $flags -c ruled.c | grep -F "error: $expected" ||
			{ echo "$text: $(cat errors)" && false; }
	done <<-'END'
		exclude:\n  functons: [a]\n|rules.yml:2: unknown key 'functons'; there are: functions,
		exclud: 1\n|rules.yml:1: unknown key 'exclud'; there are: exclude, include
		exclude:\n  functions: [a]\n  functions: [b]\n|rules.yml:3: the key 'functions' is in line 2
		include:\n  files: [a]\ninclude:\n  files: [b]\n|rules.yml:3: the key 'include' is in
		include: {sizes: {min: 1, max: 2, min: 3}}\n|rules.yml:1: the key 'min' is in line 1
		exclude:\n  functions:\n    - ok\n    - "a["\n|rules.yml:4: the pattern 'a[' has a [
		exclude:\n  functions: ["[[:alpha:]"]\n|rules.yml:2: the pattern '[[:alpha:]' has a [
		exclude:\n  functions: ["[[:foo:]]x"]\n|rules.yml:2: the pattern '[[:foo:]]x' has an unknown
		exclude:\n  functions: ["[[:]x"]\n|rules.yml:2: the pattern '[[:]x' has a [
		exclude:\n  functions: ["[[==]]x"]\n|rules.yml:2: the pattern '[[==]]x' has an empty
		exclude:\n  functions: ["[z-a]x"]\n|rules.yml:2: the pattern '[z-a]x' has a range
		exclude:\n  functions: ['[a\\]']\n|rules.yml:2: the pattern '[a\]' has a [
		exclude:\n  functions: ['[!]']\n|rules.yml:2: the pattern '[!]' has a [
		exclude:\n  files:\n    - a\\\n|rules.yml:3: the pattern 'a\' has nothing behind
		exclude:\n  files: [""]\n|rules.yml:2: the pattern '' is empty
		exclude:\n  functions: {a: b}\n|rules.yml:2: this must be a list of words
		exclude:\n  linkage: [global]\n|rules.yml:2: unknown linkage 'global'; there are:
		include:\n  sizes:\n    min: few\n|rules.yml:3: min must be a number
		include:\n  sizes: {min: 4, max: 3}\n|rules.yml:2: min is more than max
		exclude:\n  sizes: {}\n|rules.yml:2: sizes must have the keys min or max
		exclude:\n  functions:\n    - "main\\0x"\n|rules.yml:3: this has a NUL
		exclude:\n  functions: [a, ~]\n|rules.yml:2: the pattern '~' means nothing, unless it is in
		exclude:\n  functions: [a, ]\ninclude:\n  files: []\n|rules.yml:3: include has no rules
		exclude: ~\ninclude:\n|rules.yml:2: include has no rules
		exclude: [a\n|rules.yml:2: did not find expected ',' or ']'
		a\n|rules.yml:1: rules must have the keys exclude or include
		exclude: {}\n---\nexclude: {}\n|rules.yml:3: a file of rules has one document
	END
	with serial rules=none.yml
	said "$gcc" $flags -c ruled.c | grep -F "error: none.yml: No such file or directory"
	with serial rules=/proc/self/mem
	said "$gcc" $flags -c ruled.c | grep -F "error: /proc/self/mem: Input/output error"
	with serial rules=.
	said "$gcc" $flags -c ruled.c | grep -F "error: .: Is a directory"
	with serial rules=/dev/zero
	said timeout 20 "$gcc" $flags -c ruled.c | grep -F "error: /dev/zero: it has more than 16 MB"
}

@test "what is nested without an end is refused at once" {
	local opening
	with serial rules=rules.yml
	for opening in '[' '{a: ' '- '; do
		{ echo 'exclude:' && awk -v "opening=$opening" 'BEGIN {
			for (; n < 200000; n++) printf "%s", n ? opening : "  " opening }'; } >rules.yml
		said timeout 5 "$gcc" $flags -c ruled.c | grep -E "error: rules.yml:2: "
	done
	{ echo 'exclude:' && yes ' [' | head -n 200000; } >rules.yml
	said timeout 5 "$gcc" $flags -c ruled.c | grep -F "error: rules.yml:65: this is nested too deeply"
}

@test "anchors take no time that grows with their square" {
	with serial rules=rules.yml
	local kind
	for kind in '- &a%d f%d' '- &a%d [f%d]' '- &a%d {f%d: 1}'; do
		awk -v "kind=  $kind\n  - *a%d\n" 'BEGIN { print "exclude:\n  functions:"
			for (; n < 100000; n++) printf kind, n, n, n }' >rules.yml
		said timeout 5 "$gcc" $flags -c ruled.c |
			grep -F 'error: rules.yml:203: this has more than 100 anchors'
	done
	# What there may be is of use, and aliases may be many.
	awk 'BEGIN { print "exclude:\n  functions:"
		for (; n < 100; n++) printf "  - &a%d f%d\n", n, n
		for (; n < 400000; n++) print "  - *a99" }' >rules.yml
	timeout 20 "$gcc" $flags -fplugin-arg-inject-warn=no -c ruled.c
}

# seen COMMAND...: what gcc says of it has no byte but what is printed, and no word of Unicode that
# turns it round.
seen()
{
	"$@" >errors 2>&1 || true
	grep -qE "error:|warning:|whocallme" errors
	refute grep -qP '[\x00-\x08\x0b-\x1f\x7f\x{80}-\x{9f}\x{202e}]' errors
	[ "$(wc -l <errors)" -le 20 ]
	grep -F '\x1b' errors
}

@test "names from rules and arguments reach the terminal escaped" {
	local evil=$'\e]0;pwn\a\e[31m\u202e' key
	local LC_ALL=C.UTF-8
	with serial rules=rules.yml warn=yes
	for key in 'exclude: {functions: ["\e[31m["]}' 'exclude: {files: ["\e]0;pwn\a\u202e["]}' \
		'exclude: {linkage: ["\e[31m"]}' '"\e[31mfoo": 1' 'exclude: {"\e[31mfoo": 1}' \
		'exclude: {"\e[31m": 1, "\e[31m": 1}' 'exclude: {sizes: {"\e[31m\u009b": 1}}' \
		'exclude: {functions: ["\e]0;pwn\a\e[31m"], files: ["\r\n\e[31m\u202e"]}' \
		'exclude: {attributes: ["\e[31m"]}'; do
		echo "$key" >rules.yml
		seen "$gcc" $flags -c ruled.c
	done
	echo 'exclude: [' >"$evil"
	seen "$gcc" "-fplugin=$inject" -fplugin-arg-inject-mode=serial -fplugin-arg-inject-warn=yes \
		"-fplugin-arg-inject-rules=$evil" -c ruled.c
	echo 'exclude: {functions: [none]}' >"$evil"
	seen "$gcc" "-fplugin=$inject" -fplugin-arg-inject-mode=serial -fplugin-arg-inject-warn=yes \
		"-fplugin-arg-inject-rules=$evil" -c ruled.c
	for key in "mode=$evil" "$evil=yes" "rules=none$evil" "provider=$evil" "inline=$evil" "warn=$evil"; do
		seen "$gcc" "-fplugin=$inject" -fplugin-arg-inject-mode=serial \
			"-fplugin-arg-inject-$key" -c ruled.c
	done
	seen "$top_builddir/tool/whocallme" cc "--rules=none$evil" -c ruled.c
	seen "$top_builddir/tool/whocallme" cc "--gcc=$evil" -c ruled.c
	seen "$top_builddir/tool/whocallme" cc "--mode=$evil" -c ruled.c
	seen "$top_builddir/tool/whocallme" plugin --path "$evil"
}

@test "a mistake in the arguments is one, which names what there is" {
	with serail
	said "$gcc" $flags -c ruled.c | grep "serial, hooks, sled"
	[ "$(grep -c error errors)" = 1 ]
	said "$gcc" "-fplugin=$inject" -c ruled.c | grep "needs .-fplugin-arg-inject-mode=MODE"
	with serial rule=x
	said "$gcc" $flags -c ruled.c | grep "no argument .rule.; there are: mode, rules, provider, inline, warn"
	with serial inline=perhaps
	said "$gcc" $flags -c ruled.c | grep "neither .yes. nor .no."
	with probes provider=a.b
	said "$gcc" $flags -c ruled.c | grep "provider=a.b. must be a name"
	with probes provider=
	said "$gcc" $flags -c ruled.c | grep "empty value"
	with serial inline
	said "$gcc" $flags -c ruled.c | grep "needs a value"
}

@test "another version of gcc says so in one line" {
	local other found=
	for other in gcc-11 gcc-12 gcc-13 gcc-14 gcc-15 ${OTHER_GCC-}; do
		case $("$other" -dumpversion 2>/dev/null) in
		'' | "$major" | "$major".*) continue ;;
		esac
		found=$other
		refute "$other" "-fplugin=$inject" -fplugin-arg-inject-mode=serial -c ruled.c 2>errors
		[ "$(grep -c error errors)" = 1 ]
		grep -E "is built for gcc $major|cannot load plugin" errors
	done
	[ -n "$found" ] || skip "there is no other gcc"
}
