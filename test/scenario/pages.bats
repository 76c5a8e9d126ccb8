#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# pages.bats - the commands of README.md and of doc/guide print what the pages show, from an
# installed tree.

load support

pages_of()
{
	(cd "$top_srcdir" && echo README.md doc/guide/*.md)
}

setup_file()
{
	needs python3 pkg-config dot objcopy
	not_sanitized "programs would have to load its runtime first"
	export stage=$BATS_FILE_TMPDIR/stage
	env -u MAKEFLAGS -u MFLAGS make -C "$top_builddir" install DESTDIR="$stage" \
		>"$BATS_FILE_TMPDIR/log" 2>&1 || { cat "$BATS_FILE_TMPDIR/log" && return 1; }
	export -f in_installed_tree run_page
	# Each page by itself, two at a time.
	pages_of | tr ' ' '\n' | xargs -P 2 -I @ bash -c 'run_page "$top_srcdir/@" @'
}

# What a user has in the environment after an installation.
in_installed_tree()
{
	local root
	root=$(find "$stage" -path '*/bin/whocallme')
	root=${root%/bin/whocallme}
	local libraries
	libraries=$(dirname "$(find "$root" -name libwhocallme.so)")
	env -u WHOCALLME_TRACE -u MAKEFLAGS -u DEBUGINFOD_URLS PATH="$root/bin:$PATH" LC_ALL=C.UTF-8 \
		C_INCLUDE_PATH="$root/include" CPLUS_INCLUDE_PATH="$root/include" \
		LIBRARY_PATH="$libraries" LD_LIBRARY_PATH="$libraries" \
		PKG_CONFIG_PATH="$libraries/pkgconfig" PKG_CONFIG_SYSROOT_DIR="$stage" \
		WHOCALLME_HELPER="$root/bin/whocallme" "$@"
}

# run_page FILE NAME: its commands in a folder of their own that has the examples; what differs is
# in NAME.says, with a line of the exit status.
run_page()
{
	local name=${2//\//-} folder status=0
	folder=$BATS_FILE_TMPDIR/$name.d
	mkdir "$folder"
	cp -r "$top_srcdir/examples" "$folder"
	chmod -R u+w "$folder"
	ulimit -S -c 0
	HOME=$folder in_installed_tree python3 "$top_srcdir/test/scenario/pages.py" run "$1" \
		"$folder" >"$BATS_FILE_TMPDIR/$name.says" 2>&1 || status=$?
	echo "status $status" >>"$BATS_FILE_TMPDIR/$name.says"
}

# page NAME: it printed what it shows.
page()
{
	local says=$BATS_FILE_TMPDIR/${1//\//-}.says
	cat "$says"
	[ "$(tail -n 1 "$says")" = "status 0" ]
}

@test "README.md" { page README.md; }
@test "guide: arguments" { page doc/guide/arguments.md; }
@test "guide: build" { page doc/guide/build.md; }
@test "guide: crash" { page doc/guide/crash.md; }
@test "guide: C++" { page doc/guide/cxx.md; }
@test "guide: fleet" { page doc/guide/fleet.md; }
@test "guide: interposed" { page doc/guide/interposed.md; }
@test "guide: last calls" { page doc/guide/last-calls.md; }
@test "guide: library and system calls" { page doc/guide/library-and-system-calls.md; }
@test "guide: limits" {
	local each
	for each in "$top_srcdir"/doc/guide/limits*.md; do
		page "doc/guide/${each##*/}"
	done
}
@test "guide: plugin" {
	[ -n "$(find "$stage" -name inject.so)" ] || skip "there is no plugin for gcc"
	page doc/guide/plugin.md
}
@test "guide: probes" { page doc/guide/probes.md; }
@test "guide: your program" {
	needs_static
	page doc/guide/program.md
}
@test "guide: running process" { page doc/guide/running-process.md; }
@test "guide: speed" { page doc/guide/speed.md; }
@test "guide: stacks" { page doc/guide/stacks.md; }
@test "guide: trace" { page doc/guide/trace.md; }

@test "each page has a test here, and each is of at most 8 KiB" {
	local page name
	for page in $(pages_of); do
		name=${page##*/}
		[ "$(wc -c <"$top_srcdir/$page")" -le 8192 ] || blame "$page is too long"
		case $name in limits*) continue ;; esac
		grep -q "page $page\>" "$BATS_TEST_FILENAME" || blame "no test runs $page"
	done
}

# Those that the pages show of other programs.
others='--cflags --eh-frame-hdr --foreground --ftrace --gc-sections --libs --no-install
	--only-keep-debug --perf-basic-prof --static --without-bfd'

@test "each option that a page names is one of the command's" {
	local command
	cd "$BATS_TEST_TMPDIR"
	for command in $("$whocallme" --help | sed -n 's/^  \([a-z]\{2,\}\) .*/\1/p'); do
		"$whocallme" "$command" --help
	done | grep -oE -- '--[a-z][a-z-]*' | sort -u >options
	(cd "$top_srcdir" && cat README.md doc/guide/*.md) | grep -ohE '(^|[^-A-Za-z])--[a-z][a-z-]*' |
		grep -oE -- '--[a-z-]+' | sort -u >named
	# shellcheck disable=SC2086 # a list
	diff <(printf '%s\n' $others | sort | cat - options | sort -u | comm -13 - named) /dev/null
}

@test "few commands are not run, and each says why" {
	local count
	count=$(cd "$top_srcdir" && cat README.md doc/guide/*.md | grep -c '^<!-- not run: ')
	[ "$count" -le 10 ] || blame "$count are not run"
	! (cd "$top_srcdir" && grep -nE '^<!-- not run:.{0,9}-->' README.md doc/guide/*.md)
}

# differs NAME EXPRESSION [PAGE]: the page, that of probes, changed by sed, is not what is printed.
differs()
{
	local changed=$BATS_TEST_TMPDIR/$1.md page=$top_srcdir/doc/guide/${3-probes}.md
	sed -E "$2" "$page" >"$changed"
	! cmp -s "$changed" "$page" || blame "$1 changes nothing"
	run_page "$changed" "changed-$1"
	refute page "changed-$1"
}

@test "a page that is changed wrongly fails" {
	differs output 's/shop:sold\(0x/shop:bought(0x/'
	differs value 's/(shop:sold.*), 2\.5\)/\1, 3.5)/'
	differs missing '/^0+[0-9a-f]+ shop:sold/d'
	differs more 's/^(PRB .*shop.*)/\1\n\1/'
	differs option 's/trace --probes=.shop/trace --probed=shop/'
	differs last 's/^(FUN.*Z .*)&main/\1\&man/' trace
	differs source 's/price = 2\.5/price = "none"/'
}

@test "README.zh-TW.md has the commands and the output of README.md" {
	local pages=$top_srcdir/test/scenario/pages.py
	needs python3
	diff -u <(python3 "$pages" fences "$top_srcdir/README.md") \
		<(python3 "$pages" fences "$top_srcdir/README.zh-TW.md")
	diff -u <(grep -o ']([^)]*)' "$top_srcdir/README.md" | grep -v zh-TW | sort) \
		<(grep -o ']([^)]*)' "$top_srcdir/README.zh-TW.md" | grep -v '(README.md)' | sort)
}
