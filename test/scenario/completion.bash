# SPDX-License-Identifier: MIT
# completion.bash FILE LINE...: what bash offers at the end of each LINE, a line of words
# each, by the completions in FILE.

# Part LINE as readline does, with the usual COMP_WORDBREAKS.
part_line()
{
	local rest=$1 piece
	COMP_WORDS=()
	while [ -n "$rest" ]; do
		case $rest in
		[[:space:]]*)
			rest=${rest#?}
			[ -n "$rest" ] || COMP_WORDS+=('')
			continue
			;;
		[=:]*) piece=${rest%%[^=:]*} ;;
		*) piece=${rest%%[=:[:space:]]*} ;;
		esac
		COMP_WORDS+=("$piece")
		rest=${rest#"$piece"}
	done
	COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
	COMP_LINE=$1
	COMP_POINT=${#1}
}

# shellcheck disable=SC1090 # what is tested
source "$1"
shift
for line; do
	part_line "$line"
	COMPREPLY=()
	_whocallme
	printf '%s\n' "${COMPREPLY[@]}" | sort -u | tr '\n' ' '
	echo
done
