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

@test "the plugin, the runtime, and the command that has gcc use both" {
	local command plugins
	[ -n "$(make_variable PLUGIN_FILES)" ] || skip "there is no plugin for gcc"
	command=$stage$(make_variable bindir)/whocallme
	plugins=$(pkgconfig --variable=plugindir)
	cd "$bin"
	export LD_LIBRARY_PATH=
	LD_LIBRARY_PATH=$(libdir)
	[ "$("$command" plugin --path --gcc=gcc)" = "$plugins/$(gcc -dumpversion | cut -d. -f1)/inject.so" ]
	echo 'int main(void) { return 0; }' >traced.c
	"$command" cc -o traced traced.c
	WHOCALLME_INJECT=$bin/events ./traced
	diff <(sed 's/ ip=.*//' events) - <<<$'ev=entry fn=main\nev=exit fn=main'
	gcc -fplugin="$plugins/$(gcc -dumpversion | cut -d. -f1)/inject.so" \
		-fplugin-arg-inject-mode=serial -o traced traced.c "$(libdir)/libwhocallme-inject.a"
	./traced 2>said
	[ "$(wc -l <said)" = 2 ]
}

@test "the headers, all of them and no other" {
	diff <(cd "$top_srcdir/include" && find . -name '*.h' | sort) \
		<(cd "$stage$(make_variable includedir)" && find . -name '*.h' | sort)
}

@test "libraries, command and pkg-config file" {
	local dir file
	dir=$(libdir)
	for file in libwhocallme.a libwhocallme.so libwhocallme-preload.so \
		libwhocallme-plain.so libwhocallme-plain.a pkgconfig/whocallme.pc \
		pkgconfig/whocallme-plain.pc; do
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

@test "the manual, and the names that lead to its pages" {
	local page man
	man=$stage$(make_variable mandir)
	for page in "$manual"/*.[1-8]; do
		# The plugin's is there where the plugin is.
		case $page in
		*/whocallme-inject.7) [ -n "$(make_variable PLUGIN_FILES)" ] || continue ;;
		esac
		[ -e "$man/man${page##*.}/${page##*/}" ] || blame "not installed: $page"
	done
	grep -q -x '\.so man3/who_call_me.3' "$man/man3/full_backtrace.3"
}

@test "README, the guides, licence, and what they link to" {
	local doc page link
	doc=$stage$(make_variable docdir)
	for link in README.md COPYING NEWS; do
		[ -f "$doc/$link" ] || blame "no $link"
	done
	for page in README.md README.zh-TW.md $(cd "$top_srcdir" && echo doc/guide/*.md); do
		for link in $(grep -o '([^)(: ]*\.\(md\|svg\|json\))\|](COPYING)' "$top_srcdir/$page" |
			tr -d '])('); do
			[ -f "$doc/$(dirname "$page")/$link" ] || blame "$page: no $link"
		done
	done
	diff "$top_srcdir/COPYING" "$doc/COPYING"
}

@test "the installed command runs, and looks for libraries in no folder of the build" {
	local command
	command=$stage$(make_variable bindir)/whocallme
	observe env -u LD_LIBRARY_PATH "$command" --version
	expect_out "whocallme $VERSION"
	readelf -d "$command" >"$bin/dynamic"
	grep NEEDED "$bin/dynamic"
	refute grep -F -e "$top_builddir" -e libwhocallme "$bin/dynamic"
}

@test "the installed command finds its library, also where the tree was moved" {
	not_sanitized "its runtime must be loaded first"
	local name=libwhocallme-preload.so moved=$BATS_TEST_TMPDIR/moved
	observe "$stage$(make_variable bindir)/whocallme" run env
	out_has "^LD_PRELOAD=$(libdir)/$name$"
	cp -a "$stage$prefix" "$moved"
	observe "$moved/bin/whocallme" run env
	out_has "^LD_PRELOAD=$moved/.*/$name$"
	observe "$top_builddir/tool/whocallme" run env
	out_has "^LD_PRELOAD=$lib/$name$"
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
	needs_static
	# shellcheck disable=SC2046 # a list
	$CC -static -o "$bin/static-callers" "$programs/callers.c" \
		$(pkgconfig --cflags --static --libs) 2>"$bin/log" ||
		{ cat "$bin/log" && return 1; }
	runs_right "$bin/static-callers"
	refute grep NEEDED <(readelf -d "$bin/static-callers")
}

# cmake_project NAME: the program callers, linked in both ways that CMake knows, with
# the package of the folder that the test has copied or installed.
cmake_project()
{
	local flags=
	needs cmake
	not_sanitized "the static library needs the sanitizers' libraries, too"
	mkdir -p "$bin/$1"
	cat >"$bin/$1/CMakeLists.txt" <<-EOF
		cmake_minimum_required(VERSION 3.13)
		project(callers C)
		find_package(whocallme $VERSION REQUIRED)
		add_executable(shared $programs/callers.c)
		target_link_libraries(shared whocallme::whocallme)
		add_executable(static $programs/callers.c)
		target_link_libraries(static whocallme::static)
		add_executable(plain $programs/callers.c)
		target_link_libraries(plain whocallme::plain)
	EOF
	case $CC in *' '*) flags=${CC#* } ;; esac
	cmake -S "$bin/$1" -B "$bin/$1/build" -DCMAKE_C_COMPILER="${CC%% *}" \
		-DCMAKE_C_FLAGS="$flags" -DCMAKE_PREFIX_PATH="$2" >"$bin/log" 2>&1 &&
		cmake --build "$bin/$1/build" >>"$bin/log" 2>&1 ||
		{ cat "$bin/log" && return 1; }
}

@test "CMake's find_package() links both libraries" {
	cmake_project by_cmake "$stage$prefix"
	runs_right "$bin/by_cmake/build/shared"
	readelf -d "$bin/by_cmake/build/shared" | grep 'NEEDED.*libwhocallme\.so\.0'
	runs_right "$bin/by_cmake/build/static"
	runs_right "$bin/by_cmake/build/plain"
	readelf -d "$bin/by_cmake/build/plain" | grep 'NEEDED.*libwhocallme-plain\.so\.0'
	refute grep libwhocallme <(readelf -d "$bin/by_cmake/build/static")
}

@test "CMake needs no BFD to be installed for the shared library" {
	cmake_project no_static "$stage$prefix"
	refute grep -E 'NEEDED.*bfd' <(readelf -d "$bin/no_static/build/shared")
}

@test "CMake finds an installed tree that was moved" {
	cp -a "$stage$prefix" "$bin/moved"
	cmake_project by_moved "$bin/moved"
	grep -q "$bin/moved" "$bin/by_moved/build/CMakeCache.txt"
	refute grep -rq "$stage$prefix" "$bin/by_moved/build/CMakeFiles"
	runs_right "$bin/by_moved/build/shared"
}

@test "CMake refuses a version that is newer, or of another major number" {
	needs cmake
	mkdir -p "$bin/newer"
	for wanted in 99.0 0.99; do
		printf '%s\n' 'cmake_minimum_required(VERSION 3.13)' 'project(p C)' \
			"find_package(whocallme $wanted REQUIRED)" \
			>"$bin/newer/CMakeLists.txt"
		refute cmake -S "$bin/newer" -B "$bin/newer/build" \
			-DCMAKE_PREFIX_PATH="$stage$prefix" >"$bin/log" 2>&1
		grep -q "version: $VERSION" "$bin/log" || { cat "$bin/log" && return 1; }
	done
	# Ranges, one that holds the version, and one that ends before it.
	printf '%s\n' 'cmake_minimum_required(VERSION 3.19)' 'project(p C)' \
		"find_package(whocallme 0.0.1...$VERSION REQUIRED)" \
		"find_package(whocallme 0.0.1...<$VERSION)" \
		'message(STATUS "before: ${whocallme_FOUND}")' >"$bin/newer/CMakeLists.txt"
	cmake -S "$bin/newer" -B "$bin/newer/build" -DCMAKE_PREFIX_PATH="$stage$prefix" \
		>"$bin/log" 2>&1
	grep -q '^-- before: 0$' "$bin/log" || { cat "$bin/log" && return 1; }
}

@test "CMake finds no component that there is none of, and says which" {
	needs cmake
	mkdir -p "$bin/components"
	local wanted
	for wanted in 'static whocallme' 'static OPTIONAL_COMPONENTS none'; do
		printf '%s\n' 'cmake_minimum_required(VERSION 3.13)' 'project(p C)' \
			"find_package(whocallme REQUIRED COMPONENTS $wanted)" \
			'message(STATUS "found: ${whocallme_static_FOUND} ${whocallme_none_FOUND}")' \
			>"$bin/components/CMakeLists.txt"
		cmake -S "$bin/components" -B "$bin/components/build" \
			-DCMAKE_PREFIX_PATH="$stage$prefix" >"$bin/log" 2>&1 ||
			{ cat "$bin/log" && return 1; }
	done
	grep -q '^-- found: TRUE FALSE$' "$bin/log" || { cat "$bin/log" && return 1; }
	sed -i '3s/.*/find_package(whocallme COMPONENTS static none)/
		4s/.*/message(STATUS "found: ${whocallme_FOUND}")/' "$bin/components/CMakeLists.txt"
	cmake -S "$bin/components" -B "$bin/components/build" >"$bin/log" 2>&1
	grep -q '^-- found: \(0\|FALSE\)$' "$bin/log" || { cat "$bin/log" && return 1; }
	sed -i '3s/none/REQUIRED none/' "$bin/components/CMakeLists.txt"
	refute cmake -S "$bin/components" -B "$bin/components/build" >"$bin/log" 2>&1
	tr -s ' \n' ' ' <"$bin/log" | grep -q 'whocallme has no component "none" here' ||
		{ cat "$bin/log" && return 1; }
}

# meson_project NAME [static: true]: the same, by its dependency().
meson_project()
{
	needs meson ninja pkg-config
	mkdir -p "$bin/$1"
	cp "$programs/callers.c" "$bin/$1"
	printf '%s\n' "project('callers', 'c')" \
		"executable('callers', 'callers.c'," \
		"  dependencies: dependency('whocallme'${2:+, $2}))" \
		>"$bin/$1/meson.build"
	# shellcheck disable=SC2086 # a list
	PKG_CONFIG_PATH=$(libdir)/pkgconfig PKG_CONFIG_SYSROOT_DIR=$stage \
		meson setup "$bin/$1/build" "$bin/$1" >"$bin/log" 2>&1 &&
		meson compile -C "$bin/$1/build" >>"$bin/log" 2>&1 ||
		{ cat "$bin/log" && return 1; }
	runs_right "$bin/$1/build/callers"
}

@test "Meson's dependency() links the shared library" {
	not_sanitized "the program needs the sanitizers' libraries, too"
	meson_project by_meson
	readelf -d "$bin/by_meson/build/callers" | grep 'NEEDED.*libwhocallme\.so\.0'
}

@test "Meson's dependency(static: true) links the static one" {
	not_sanitized "the program needs the sanitizers' libraries, too"
	meson_project by_meson_static "static: true"
	refute grep libwhocallme <(readelf -d "$bin/by_meson_static/build/callers")
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
		-L"$bin/archive" -lwhocallme $BFD_LIBS $SYSTEM_LIBS
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
