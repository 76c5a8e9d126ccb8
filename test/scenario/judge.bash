# SPDX-License-Identifier: MIT
# judge.bash - programs in python that judge, by one python a file of tests: judge.py.

start_judge()
{
	mkdir -p "$1"
	mkfifo "$1/ask" "$1/answer"
	python3 "$top_srcdir/test/scenario/judge.py" "$1" "$PPID" </dev/null >/dev/null 2>&1 3>&- &
}

# ask_judge PROGRAM ARGUMENT...: as python3 runs it, but with both its outputs in one, and one at
# a time.  99 is no answer: the judge is left with its folder, in which the answer may come late.
ask_judge()
{
	local folder=$BATS_FILE_TMPDIR/judge said=
	[ -p "$folder/answer" ] || start_judge "$folder"
	{ # until there is an answer: what nobody has open forgets
		printf '%s\0' "$PWD" "$@" && echo
		IFS= read -r -d '' -t 100 said <>"$folder/answer" || {
			rm -rf "$folder"
			return 99
		}
	} 1<>"$folder/ask"
	printf '%s' "${said%$'\n'*}"
	return "${said##*$'\n'}"
}

# denied PROGRAM ARGUMENT...: it has judged, and says no.
denied()
{
	local said=0
	"$@" || said=$?
	[ "$said" -eq 1 ]
}
