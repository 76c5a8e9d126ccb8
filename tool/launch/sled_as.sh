#!/bin/sh
# SPDX-License-Identifier: MIT
# sled_as.sh - the assembler, "as" in a folder for gcc's -B: it lists the NOPs of each function for
# that function's section and group, and makes one instruction of five where there is such a one.
#
# gcc 12 lists all of a file for the section of its first function: a linker that drops one of the
# copies of a C++ function cannot drop what is listed for it.
#
# The input is the last argument, or standard input.
set -eu
input=- previous=
for argument; do
	[ "$previous" = -o ] && input=- || input=$argument
	previous=$argument
done
# gcc tells its name.  It finds this file again where this variable has it look for its parts.
real=$(unset COMPILER_PATH && "${COLLECT_GCC:-gcc}" -print-prog-name=as)
[ "$input" = - ] || grep -q __patchable_function_entries "$input" || exec "$real" "$@"

# Only one CPU has these options, and gcc always gives one of them.
case " $* " in
*" --64 "* | *" --32 "* | *" --x32 "*) five='.byte 0x0f, 0x1f, 0x44, 0x00, 0x00' ;;
*) five= ;;
esac
text=$(mktemp)
trap 'rm -f "$text"' EXIT
trap 'exit 1' HUP INT TERM
# "?" stands for the group that the section before is in, if it is in one.
LC_ALL=C awk -v five="$five" '
	/^\.LPFE[0-9]+:$/ && five {
		print
		for (nops = 0; (getline) > 0 && $0 == "\tnop"; nops++)
			;
		if (nops == 5)
			print "\t" five
		else
			for (; nops > 0; nops--)
				print "\tnop"
	}
	/^\t\.section\t__patchable_function_entries/ && !/,"[a-z]*G/ {
		section = $0
		getline alignment
		getline entry
		split(entry, word, "\t")
		# Else it is none that gcc has made.
		if (word[3] ~ /^\.LPFE[0-9]+$/)
			section = "\t.section\t__patchable_function_entries,\"aw" \
				(section ~ /"[a-z]*o/ ? "o?\",%progbits," word[3] : "?\",%progbits")
		print section
		print alignment
		$0 = entry
	}
	{ print }' "$input" >"$text"

for argument; do
	shift
	[ "$argument" = "$input" ] || set -- "$@" "$argument"
done
"$real" "$@" "$text"
