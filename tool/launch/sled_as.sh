#!/bin/sh
# SPDX-License-Identifier: MIT
# sled_as.sh - the assembler, "as" in a folder for gcc's -B: it lists the NOPs of each function for
# that function's section and group, and joins five NOPs into one instruction if the CPU has one.
#
# gcc 12 lists all of a file for the section of its first function: a linker that drops one of the
# copies of a C++ function cannot drop what is listed for it.
#
# The input is the last argument, or standard input.  Its lines keep their numbers, and what is made
# of them has its name.
set -eu

# The assembler that gcc would run without the folder of this one: it tells its own name, its
# options, quoted for a shell, and where it looks for its parts, that of the user's included.
real_assembler()
{
	collect=${COLLECT_GCC:-gcc}
	eval "set -- ${COLLECT_GCC_OPTIONS-}"
	count=$#
	previous=
	for argument; do
		[ "$previous" != -B ] || [ "$argument/as" -ef "$0" ] || set -- "$@" "-B$argument"
		previous=$argument
	done
	shift "$count"
	set -f
	IFS=:
	folders=
	for folder in ${COMPILER_PATH-}; do
		[ "$folder/as" -ef "$0" ] || folders=${folders:+$folders:}$folder
	done
	# To gcc an empty one is the current folder.
	unset COMPILER_PATH
	[ -z "$folders" ] || export COMPILER_PATH="$folders"
	"$collect" "$@" -print-prog-name=as
}

input=- previous= five=
for argument; do
	[ "$previous" = -o ] && input=- || input=$argument
	previous=$argument
	# Only one CPU has these options, and gcc always gives one of them.
	case $argument in
	--64 | --32 | --x32) five='.byte 0x0f, 0x1f, 0x44, 0x00, 0x00' ;;
	esac
done
real=$(real_assembler)
case $real in
*/*) ;;
*) real=$(command -v "$real") || real=as ;; # what the PATH has, and not the current folder
esac
if [ "$real" -ef "$0" ]; then
	echo "$0: no other assembler is found" >&2
	exit 1
fi
case $input in
-) ;;
-*) exec "$real" "$@" ;; # a question, as --version
*)
	# A pipe is read but once.
	[ ! -f "$input" ] || grep -q __patchable_function_entries <"$input" || exec "$real" "$@"
	[ -r "$input" ] && [ ! -d "$input" ] || exec "$real" "$@"
	exec <"$input"
	;;
esac

text=$(mktemp)
trap 'rm -f "$text"' EXIT
trap 'exit 1' HUP INT TERM
# "?" stands for the group that the section before is in, if it is in one.
input=$input five=$five LC_ALL=C awk '
	function end_nops(  i)
	{
		# As many lines, so that those behind keep their numbers.
		if (nops == 5 && five)
			print "\t" five "\n\n\n\n"
		else
			for (i = 0; i < nops; i++)
				print "\tnop"
		in_nops = nops = 0
	}
	function end_section(  word)
	{
		split(entry, word, "\t")
		# Else it is none that gcc has made.
		if (word[3] ~ /^\.LPFE[0-9]+$/)
			section = "\t.section\t__patchable_function_entries,\"aw" \
				(section ~ /"[a-z]*o/ ? "o?\",%progbits," word[3] : "?\",%progbits")
		print section alignment entry
		section = alignment = entry = ""
	}
	function place(line)
	{
		print "# " line " \"" name "\""
	}
	BEGIN {
		five = ENVIRON["five"]
		name = ENVIRON["input"]
		if (name == "-")
			name = "{standard input}"
		gsub(/[\\"]/, "\\\\&", name)
		gsub(/\n/, "\\n", name)
		place(1)
	}
	/^#[ \t]*[0-9]/ { is_placed = 1 }
	section && !alignment { alignment = "\n" $0; next }
	section { entry = "\n" $0; end_section(); next }
	in_nops && $0 == "\tnop" { nops++; next }
	{ end_nops() }
	/^\.LPFE[0-9]+:$/ { in_nops = 1 }
	/^\t\.section\t__patchable_function_entries/ && !/,"[a-z]*G/ { section = $0; next }
	{ print }
	# This, too, names the input of those behind, but for a line that is in a place already.
	/^[ \t]*\.file[ \t]+"/ && !is_placed { place(NR + 1) }
	END {
		end_nops()
		if (section)
			end_section()
	}' >"$text"

# The text comes by standard input, so that nothing has a name that the user has not given.
if [ "$input" != - ]; then
	left=$# previous=
	for argument; do
		[ "$argument" != --MD ] || "$real" "$@" 2>/dev/null || :
	done
	for argument; do
		shift
		left=$((left - 1))
		[ "$left" != 0 ] || argument=-
		# What a makefile is told is so, with the input's name, already.
		[ "$argument" = --MD ] || [ "$previous" = --MD ] || set -- "$@" "$argument"
		previous=$argument
	done
fi
"$real" "$@" <"$text"
