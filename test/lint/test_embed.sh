#!/bin/sh
# SPDX-License-Identifier: MIT
# test_embed.sh - what CMake and Meson compile of the tree is what make does.
. "$top_srcdir/test/support/tap.sh"
tap_make_dir

# of_make VARIABLE...: its C sources, but for the reader of symbols, which is another without BFD.
of_make()
{
	variables=
	for name; do
		variables="$variables \$($name)"
	done
	printf 'include Makefile\nembed-sources:\n\t@echo %s\n' "$variables" |
		env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -s -C "$top_builddir" -f - embed-sources |
		tr ' ' '\n' | sed 's,^\(\.\./\)*whocallme/,whocallme/,; s,.*/whocallme/,whocallme/,' |
		grep '\.[cS]$' | grep -v 'load/objects/\(own_\)*objfile\.c' | sort
}

# of_embed PART...
of_embed()
{
	arch=$(sed -n 's/^WCM_ARCH = //p' "$top_builddir/Makefile")
	found=no
	grep -q linked_index "$tap_dir/make" && found=yes
	for part; do
		DL_FIND_OBJECT=$found "$top_srcdir/cmake/embed.sh" list "$arch" "$part"
	done | grep -v 'load/objects/\(own_\)*objfile\.c' | sort
}

# differ VARIABLES PARTS
differ()
{
	# shellcheck disable=SC2086 # lists
	of_make $1 >"$tap_dir/make"
	# shellcheck disable=SC2086
	of_embed $2 >"$tap_dir/embed"
	[ -s "$tap_dir/make" ] || echo "make names nothing"
	diff "$tap_dir/make" "$tap_dir/embed"
}

tap_check "the library has the sources that make gives it" \
	"$(differ 'libwcm_safe_la_SOURCES libwcm_ordinary_la_SOURCES libwhocallme_la_SOURCES' \
		'safe ordinary interposed')"
tap_check "so does the preload library" \
	"$(differ 'libwcm_safe_la_SOURCES libwhocallme_preload_la_SOURCES' 'safe preload' |
		grep -v 'foreign_hooks\|^[0-9,]*[acd][0-9,]*$')"
tap_check "the version is that of the header" \
	"$([ "$("$top_srcdir/cmake/embed.sh" version)" = "$VERSION" ] || echo other)"
tap_end
