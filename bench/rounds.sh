# SPDX-License-Identifier: MIT
# rounds.sh - measuring in rounds, sourced by the scripts that do.
#
# They set samples and errors, which are files, and rounds and order, the contenders.

# sample KEYS CONTENDER PROGRAM [ARGUMENT...]: each line of its output becomes one of the
# samples.  What is not installed is missing, in words.
sample() {
	keys=$1 contender=$2
	shift 2
	status=0
	output=$("$@" 2>"$errors") || status=$?
	case $status in
	0) ;;
	77 | 126 | 127) output='missing	1' ;;
	*)
		output='failed	1'
		echo "$*: $(cat "$errors")" >&2
		;;
	esac
	printf '%s\n' "$output" | sed "s/^/$keys	$contender	/" >>"$samples"
}

# in_rounds COMMAND [ARGUMENT...]: the contender that comes first in one round comes last in
# the next.
in_rounds() {
	i=0
	while [ "$i" -lt "$rounds" ]; do
		i=$((i + 1))
		printf '\rround %d of %d    ' "$i" "$rounds" >&2
		"$@"
		first=${order%% *}
		order="${order#"$first"} $first"
		order=${order# }
	done
	printf '\r' >&2
}
