#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# package.bats - what is installed is whole, and links as its users link it.

load support

setup_file()
{
	bin=$BATS_FILE_TMPDIR
	export stage=$BATS_FILE_TMPDIR/stage prefix
	prefix=$(make_variable prefix)
	env -u MAKEFLAGS -u MFLAGS make -C "$top_builddir" install \
		DESTDIR="$stage" >"$bin/log" 2>&1 || { cat "$bin/log" && return 1; }
}

# A variable as the Makefile of this build has it.
make_variable()
{
	printf 'include Makefile\nshow-it:\n\t@echo "$(%s)"\n' "$1" |
		env -u MAKEFLAGS -u MFLAGS make -s -C "$top_builddir" -f - show-it
}

libdir()
{
	echo "$stage$(make_variable libdir)"
}

# pkg-config as if the stage were the root.
pkgconfig()
{
	needs pkg-config
	PKG_CONFIG_PATH=$(libdir)/pkgconfig PKG_CONFIG_SYSROOT_DIR=$stage \
		pkg-config "$@" whocallme
}

runs_right()
{
	observe env LD_LIBRARY_PATH="$(libdir)" "$1"
	expect_status 0
	[ "$(head -n 1 "$err")" = "$(asked first shown)" ] || blame "wrong"
	[ "$(wc -l <"$err")" -eq 5 ]
}

@test "the headers, all of them and no other" {
	diff <(cd "$top_srcdir/include" && find . -name '*.h' | sort) \
		<(cd "$stage$(make_variable includedir)" && find . -name '*.h' | sort)
}

@test "libraries, command and pkg-config file" {
	local dir file
	dir=$(libdir)
	for file in libwhocallme.a libwhocallme.so libwhocallme-preload.so \
		pkgconfig/whocallme.pc; do
		[ -e "$dir/$file" ] || { echo "no $file" && return 1; }
	done
	[ -x "$stage$(make_variable bindir)/whocallme" ]
	[ "$(readelf -d "$dir/libwhocallme.so" | sed -n 's/.*soname: \[\(.*\)\]/\1/p')" = \
		libwhocallme.so.0 ]
	refute grep -r "$top_builddir" "$dir/pkgconfig"
}

@test "the preload library needs no BFD" {
	readelf -d "$(libdir)/libwhocallme-preload.so" >"$bin/dynamic"
	refute grep -E 'NEEDED.*(bfd|iberty)' "$bin/dynamic"
}

@test "the manual pages, where doc/ has them" {
	local page section
	for page in "$top_srcdir"/doc/*.[13]; do
		[ -e "$page" ] || skip "there are no manual pages"
		section=${page##*.}
		[ -e "$stage$(make_variable mandir)/man$section/${page##*/}" ]
	done
}

@test "the installed command runs" {
	observe env LD_LIBRARY_PATH="$(libdir)" \
		"$stage$(make_variable bindir)/whocallme" --version
	expect_out "whocallme $VERSION"
}

@test "pkg-config knows the version" {
	[ "$(pkgconfig --modversion)" = "$VERSION" ]
}

@test "pkg-config --cflags --libs links a program" {
	# shellcheck disable=SC2046,SC2086 # lists
	$CC -o "$bin/dynamic-callers" "$programs/callers.c" $sanitize \
		$(pkgconfig --cflags --libs)
	runs_right "$bin/dynamic-callers"
	readelf -d "$bin/dynamic-callers" | grep 'NEEDED.*libwhocallme\.so\.0'
}

@test "pkg-config --static --libs links one wholly static" {
	not_sanitized "the sanitizers do not link statically"
	# shellcheck disable=SC2046 # a list
	$CC -static -o "$bin/static-callers" "$programs/callers.c" \
		$(pkgconfig --cflags --static --libs) 2>"$bin/log" ||
		{ cat "$bin/log" && return 1; }
	runs_right "$bin/static-callers"
	refute grep NEEDED <(readelf -d "$bin/static-callers")
}

@test "-lwhocallme -lbfd, as the original library was linked" {
	local include
	include=$stage$(make_variable includedir)
	# shellcheck disable=SC2086 # none or one
	$CC -I"$include" -o "$bin/original" "$programs/callers.c" \
		-lbfd $sanitize -L"$(libdir)" -lwhocallme
	runs_right "$bin/original"
	mkdir -p "$bin/archive"
	cp "$(libdir)/libwhocallme.a" "$bin/archive"
	# shellcheck disable=SC2086 # lists
	$CC -I"$include" -o "$bin/archived" "$programs/callers.c" $sanitize \
		-L"$bin/archive" -lwhocallme $BFD_LIBS
	runs_right "$bin/archived"
	refute grep whocallme <(readelf -d "$bin/archived")
}

@test "uninstalling leaves nothing" {
	cp -a "$stage" "$bin/copy"
	env -u MAKEFLAGS -u MFLAGS make -C "$top_builddir" uninstall \
		DESTDIR="$bin/copy" >"$bin/log" 2>&1
	[ "$(find "$bin/copy" ! -type d | tee "$bin/left")" = '' ] ||
		{ cat "$bin/left" && return 1; }
}

@test "completions, where their shells look" {
	local dir
	for dir in bash zsh fish; do
		dir=$stage$(make_variable ${dir}completiondir)
		grep -q -r "made by .whocallme completion" "$dir"
	done
}
