#!/bin/sh
# SPDX-License-Identifier: MIT
# includes.sh [TREE [FLOORS]] - the figures and the offences of the includes in TREE, as
# includes.awk finds them.
lint=$(cd "$(dirname "$0")" && pwd) || exit 99
floors=${2:-$lint/floors.txt}
cd "${1:-$lint/../..}" || exit 99
# shellcheck disable=SC2046 # names without blanks
LC_ALL=C awk -f "$lint/includes.awk" "$floors" \
	$(ls Makefile.am whocallme/*.mk tool/*.mk 2>/dev/null) \
	$(find whocallme tool -name '*.[ch]' -o -name settings.list | LC_ALL=C sort)
