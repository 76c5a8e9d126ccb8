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

# What the examples run on, in the folder "place".
make_place()
{
	mkdir -p place
	cat >place/prog.c <<-'.'
		#include <stdio.h>
		#include <stdlib.h>
		#include <time.h>
		static int leaf(int n) { char *room = malloc(64); free(room); return n + (room != NULL); }
		static int parse(int n) { return n ? parse(n - 1) + leaf(n) : 0; }
		static void slow(void) { nanosleep(&(struct timespec){ .tv_nsec = 2000000 }, NULL); }
		int main(void) { slow(); return parse(5) < 0; }
	.
	cat >place/crash.c <<-'.'
		static void inner(volatile int *pointer) { *pointer = 1; }
		static void outer(void) { inner(0); }
		int main(void) { outer(); return 0; }
	.
	cat >place/server.c <<-'.'
		#include <unistd.h>
		int main(void) { alarm(60); for (;;) sleep(1); }
	.
	{
		echo '#include <whocallme.h>'
		sed 's/main(void) {/& init_function_table(NULL);/' place/server.c
	} >place/linked.c
	(cd place && for name in prog crash server; do
		$CC -g -finstrument-functions -o $name $name.c
	done)
	# shellcheck disable=SC2086 # words
	$CC -I"$top_srcdir/include" -o place/linked place/linked.c $shared_libs
	ln -sf "$whocallme" place/whocallme
}

# examples PAGE: "NEEDS<tab>COMMAND" of its EXAMPLES, as a user types them.
examples()
{
	sed -n '/^\.SH EXAMPLES/,/^\.SH SEE/p' "$1" | awk '
	/^\.\\" needs / { needs = $3 }
	/^\.EE/ { needs = "" }
	/^\$ / { sub(/^\$ \\fB/, ""); sub(/\\fR$/, ""); print needs "\t" $0 }' |
		sed "s/\\\\-/-/g; s/\\\\(aq/'/g; s/\\\\e/\\\\/g"
}

# Whether what an example needs is here.
is_here()
{
	case $1 in
	'') ;;
	x86_64) [ "$(uname -m)" = x86_64 ] && $CC -dM -E - </dev/null | grep -q __x86_64__ ;;
	sleds) is_here x86_64 && command -v gcc ;;
	plugin) "$whocallme" plugin --path && command -v gcc ;;
	*) command -v "$1" ;;
	esac >/dev/null 2>&1
}

# An agent is there when its thread has its name.
await_agent()
{
	local i
	for ((i = 0; i < 400; i++)); do
		! grep -q -s wcm-agent /proc/"$1"/task/*/comm || return 0
		sleep 0.05
	done
	return 1
}

# run_examples PAGE: in the current folder.
run_examples()
{
	local needs command status
	while IFS= read -r line <&3; do
		needs=${line%%$'\t'*} command=${line#*$'\t'} status=0
		is_here "$needs" || continue
		eval "$command" >>"$out" 2>>"$err" 3>&- || status=$?
		case $command in *'&') await_agent $! || status=2 ;; esac
		# A program that is shown to crash has its own status.
		case $status in 0 | 139) ;; *) blame "${1##*/}: $command: $status" ;; esac
	done 3< <(examples "$1")
	# shellcheck disable=SC2046 # numbers
	kill $(jobs -p) 2>/dev/null || true
}

@test "the examples of each page run" {
	local page
	out=$BATS_TEST_TMPDIR/out err=$BATS_TEST_TMPDIR/err status=0
	make_place
	PATH=$BATS_TEST_TMPDIR/place:$PATH
	for page in "$manual"/*.[157]; do
		[ "$(examples "$page" | wc -l)" -ge 3 ] || blame "$page: fewer than three examples"
		rm -rf here
		cp -R place here
		: >"$out" >"$err"
		(cd here && run_examples "$page")
	done
}
