#!/bin/sh
# SPDX-License-Identifier: MIT
# test_words.sh - texts that users read keep CONTRIBUTING.md's rules of words, and are spelt right.
. "$top_srcdir/test/support/tap.sh"

cd "$top_srcdir" || exit 1
judge()
{
	awk -f test/lint/words.awk "$@"
}

# shellcheck disable=SC2046 # names without blanks
readers_texts()
{
	ls doc/man/*.[1-8] doc/guide/*.md README.md NEWS SECURITY.md CONTRIBUTING.md \
		include/*.h include/whocallme/*.h
}

tap_make_dir
mkdir "$tap_dir/planted"
cat >"$tap_dir/planted/page.1" <<'TEXT'
.SH DESCRIPTION
A line is written.
.B What
is empty is not read.
.EX
What an example says is behind the rules.
.EE
TEXT
echo 'The name is `behind`. The file is to be freed.' >"$tap_dir/planted/guide.md"
printf '/* The hook.  Those of\n * others stay. */\nint behind; /* last */\n' >"$tap_dir/planted/public.h"
printf 'complain("no report can " /* why */\n\t"be had: %%s");\ncall("fine", "is to ", "be"); /* What */\n' \
	>"$tap_dir/planted/tool.c"
tap_check "the judge finds what is planted, and nothing else" \
	"$(judge "$tap_dir"/planted/* | sed 's|.*/planted/||' | sed 's/ *$//' >"$tap_dir/found"
	   diff "$tap_dir/found" - <<-'TEXT'
	guide.md: The file is to be freed.
	page.1: What is empty is not read.
	public.h: Those of others stay.
	tool.c: no report can be had: %s
	TEXT
	)"
# shellcheck disable=SC2046 # names without blanks
tap_check "texts keep the rules of words" "$(judge $(readers_texts))"
# shellcheck disable=SC2046 # names without blanks
tap_check "help and messages keep the rules of words" \
	"$(judge $(find tool whocallme plugin \( -name '*.c' -o -name '*.list' \) | sort))"
if command -v codespell >/dev/null; then
	# A request of roff, and stap(1), are no words.
	# shellcheck disable=SC2046 # names without blanks
	tap_check "codespell finds nothing in them" \
		"$(codespell -L bu,stap $(readers_texts) 2>&1)"
else
	tap_skip "codespell finds nothing in them" "codespell is missing"
fi
tap_end
