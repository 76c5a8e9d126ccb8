#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# man.bats - the manual: man finds a page for each name, and shows it without a warning.

load support

# A manual as make installs it, in the folder "man".
setup_file()
{
	needs man
	env -u MAKEFLAGS -u MFLAGS make -s -C "$top_builddir" install-man \
		mandir="$BATS_FILE_TMPDIR/man" >"$BATS_FILE_TMPDIR/log" 2>&1 || {
		cat "$BATS_FILE_TMPDIR/log"
		return 1
	}
}

setup()
{
	cd "$BATS_TEST_TMPDIR"
}

# What the public headers declare: functions, and macros that a program calls.
public_names()
{
	cat "$top_srcdir"/include/whocallme/*.h | tr '\n\t' '  ' |
		sed 's|/\*[^*]*\*\+\([^/*][^*]*\*\+\)*/| |g; s/;/;\n/g' |
		grep -E 'WCM_API|__cyg_profile' | grep -oE '[a-z_]+\(' | tr -d '(' |
		grep -E '^(wcm|who|init|find|full|__cyg)' | grep -v -x wcm_call_write
	echo who_call_me
	grep -ohE 'define WCM_PROBE(_[A-Z]*[A-Z])?\(' "$top_srcdir/include/whocallme/probe.h" |
		sed 's/define //; s/($//'
}

@test "man finds a page for every function of the headers, and of libwhocallme.map" {
	local name page
	public_names | sort -u >names
	sed -n 's/^\t\([a-z_]*\);$/\1/p' "$top_srcdir/whocallme/libwhocallme.map" >>names
	[ "$(wc -l <names)" -gt 80 ]
	sort -u names | while read -r name; do
		page=$(MANPATH=$BATS_FILE_TMPDIR/man man -w 3 "$name") || blame "no page: $name"
		gunzip -cf "$page" | grep -q -F "$name" || blame "$page lacks $name"
	done
}

@test "man shows each page at 60, 80 and 120 columns without a warning" {
	local page width
	for page in "$manual"/*.[1-8]; do
		for width in 60 80 120; do
			MANWIDTH=$width man --warnings -l "$page" >shown 2>said
			[ ! -s said ] || blame "$page, $width columns: $(cat said)"
			[ -s shown ] || blame "$page is empty"
		done
	done
}

@test "what a page refers to in this manual is there" {
	local name
	grep -ohE '^\.(BR|IR) [a-zA-Z_\\-]+ \([1-8]\)' "$manual"/*.[1-8] |
		sed 's/\\-/-/g; s/^\.[BI]R //; s/[()]//g' | sort -u |
		grep -E '^(whocallme|wcm|WCM|who_|full_|init_function|find_function)' >names
	[ "$(wc -l <names)" -gt 30 ]
	while read -r name; do
		# shellcheck disable=SC2086 # name and section
		set -- $name
		[ "$1" = whocallme-inject ] ||
			MANPATH=$BATS_FILE_TMPDIR/man man -w "$2" "$1" >/dev/null ||
			blame "no page: $name"
	done <names
}
