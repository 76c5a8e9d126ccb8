#!/bin/sh
# SPDX-License-Identifier: MIT
# test_tree.sh - what every source file keeps to.
. "$top_srcdir/test/support/tap.sh"

cd "$top_srcdir" || exit 99
folders='include whocallme tool plugin examples test bench'

# shellcheck disable=SC2086 # a list of folders
c_files=$(find $folders -name '*.[chS]' | sort)
c_files="$c_files $(ls plugin/*.cc)"
# shellcheck disable=SC2086
files="$c_files configure.ac Makefile.am $(ls m4/wcm-*.m4)
$(find $folders \( -name '*.sh' -o -name '*.bats' -o -name '*.bash' \
	-o -name '*.awk' -o -name '*.py' -o -name '*.mk' -o -name '*.cc' \) |
	sort)"

# Each file of the tree, whatever it is.
all_files()
{
	if [ -e .git ]; then
		git ls-files
	else
		# shellcheck disable=SC2086 # a list
		printf '%s\n' $files
	fi
}

# licence_of FILE: sets $licence to what debian/copyright has, where the last paragraph counts.
licence_of()
{
	licence=none
	while read -r says patterns; do
		set -f
		for pattern in $patterns; do
			# shellcheck disable=SC2254 # a pattern
			case $1 in $pattern) licence=$says ;; esac
		done
		set +f
	done <"$tap_dir/paragraphs"
	case $licence in
	Expat) licence=MIT ;;
	GPL-3+) licence=GPL-3.0-or-later ;;
	esac
}

# "FILE LICENCE" of each file of stdin that is not empty, by its first three lines.
said_licences()
{
	xargs awk '
	FNR == 1 { if (file) print file, said; file = FILENAME; said = "-" }
	FNR <= 3 && match($0, /SPDX-License-Identifier: [-.+0-9A-Za-z]+/) {
		said = substr($0, RSTART + 25, RLENGTH - 25) }
	FNR == 3 { nextfile }
	END { if (file) print file, said }'
}

# What has no licence in its first lines, or another than debian/copyright says.
without_licence()
{
	awk '/^Files: / { sub(/^Files: /, ""); files = $0 }
		/^License: / && files { print $2, files; files = "" }' debian/copyright \
		>"$tap_dir/paragraphs"
	all_files | said_licences | while read -r file said; do
		case $file in
		# What has no room for a comment, and pages, of which COPYING speaks.
		COPYING* | NEWS | README*.md | doc/guide/* | debian/copyright | debian/changelog | \
			debian/source/format | test/lint/abi.txt | test/lint/safe-*.txt | *.calls)
			continue
			;;
		esac
		licence_of "$file"
		[ "$said" = "$licence" ] || echo "$file: $said"
	done
}

# A body stands between a { and a } that begin their lines.
long_functions()
{
	for file in $c_files; do
		awk -v file="$file" -v most=60 '
			/^{/ { start = NR }
			/^}/ && start {
				if (NR - start - 1 > most)
					print file ":" start ": " \
						NR - start - 1 " lines"
				start = 0
			}' "$file"
	done
}

# long_files FILE...
long_files()
{
	awk 'FNR == 901 { print FILENAME " has more than 900 lines" }' "$@"
}

# What is in git and not in the tarball.
not_packed()
{
	unpacked=$tap_dir/unpacked
	env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -s -C "$top_builddir" distdir \
		distdir="$unpacked" >"$tap_dir/distdir" 2>&1 || cat "$tap_dir/distdir"
	git ls-files | grep -v '^\.gitignore$' | while read -r file; do
		cmp "$file" "$unpacked/$file" 2>&1
	done
	rm -rf "$unpacked"
}

version_in_configure=$(sed -n 's/^AC_INIT(\[whocallme\], \[\([^]]*\)\].*/\1/p' \
	configure.ac)
version_in_header=$(sed -n 's/^#define WCM_VERSION "\(.*\)"/\1/p' \
	include/whocallme/version.h)
version_in_numbers=$(awk '/^#define WCM_VERSION_(MAJOR|MINOR|PATCH) / {
		version = version dot $3; dot = "." } END { print version }' \
	include/whocallme/version.h)

tap_make_dir
tap_check "every file names its licence, the one that debian/copyright has" \
	"$(without_licence | head -20)"
tap_check "the text of each licence is in the tree, and COPYING names it" \
	"$(grep -q '^MIT License$' COPYING || echo "no MIT"
	   grep -q 'COPYING\.GPL-3' COPYING || echo "no GPL"
	   grep -q 'Version 3, 29 June 2007' COPYING.GPL-3 || echo "no text")"
# shellcheck disable=SC2086
tap_check "no source file has more than 900 lines" "$(long_files $files)"
tap_check "no function has more than 60 lines" "$(long_functions)"
# shellcheck disable=SC2086
tap_check "no line ends in white space" \
	"$(grep -nE '[[:space:]]+$' $c_files | head -20)"
# shellcheck disable=SC2086
tap_check "lines are at most 100 columns wide" \
	"$(for file in $c_files; do
		expand "$file" | awk -v file="$file" \
			'length($0) > 100 { print file ":" NR }'
	   done)"
tap_check "configure.ac and version.h are of one version" \
	"$([ -n "$version_in_configure" ] &&
	   [ "$version_in_configure" = "$version_in_header" ] &&
	   [ "$version_in_configure" = "$version_in_numbers" ] ||
	   echo "$version_in_configure, $version_in_header, $version_in_numbers")"
if [ -e .git ]; then
	tap_check "a tarball has every file that git has" "$(not_packed | head -20)"
else
	tap_skip "what a tarball has" "this is no checkout"
fi
tap_end
