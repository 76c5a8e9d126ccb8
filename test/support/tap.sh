# SPDX-License-Identifier: MIT
# tap.sh - TAP for shell tests: check things, then call tap_end.
#
# The environment names the build, as in test/local.mk.
: "${top_srcdir:?}" "${top_builddir:?}"
LC_ALL=C
export LC_ALL

tap_count=0

# tap_check NAME COMPLAINTS: passes where there are no complaints.
tap_check()
{
	tap_count=$((tap_count + 1))
	if [ -z "$2" ]; then
		echo "ok $tap_count - $1"
	else
		echo "not ok $tap_count - $1"
		echo "$2" | sed 's/^/# /'
	fi
}

# tap_skip NAME REASON
tap_skip()
{
	tap_count=$((tap_count + 1))
	echo "ok $tap_count - $1 # SKIP $2"
}

tap_end()
{
	echo "1..$tap_count"
}

# A directory of one's own, gone at the end: $tap_dir.
tap_make_dir()
{
	tap_dir=$(mktemp -d) || exit 99
	trap 'rm -rf "$tap_dir"' EXIT
}
