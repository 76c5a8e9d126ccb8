# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# system_calls.bash - for tests of system calls of any program, which strace judges.  Each is run
# $RUNS times.

load "$top_srcdir/test/scenario/library"

: "${RUNS:=1}"
call_judge="python3 $top_srcdir/test/scenario/system_calls.py"
export PERL_HASH_SEED=0 PERL_INTERNAL_RAND_SEED=0 PYTHONHASHSEED=0

needs_strace()
{
	needs strace
	strace -o /dev/null true 2>/dev/null || skip "strace does not trace here"
}

# begin_files: a folder with the same files, in which a program runs.
begin_files()
{
	rm -rf "$bin/files"
	mkdir "$bin/files"
	head -c 5000 /etc/passwd >"$bin/files/text"
	touch -d @1000000000 "$bin/files/text"
}

# stamped: what files there are in $bin/files, and what is in them; git's own have their times.
stamped()
{
	(cd "$bin/files" && find . -type f ! -path '*/.git/*' -exec md5sum {} + | sort)
}

# judged ARGUMENT...: a program without a trace, by strace, and with one: it does the same.
judged()
{
	local run
	for ((run = 0; run < RUNS; run++)); do
		begin_files
		status=0
		(cd "$bin/files" && timeout 60 strace -f -xx -s 32 -o "$bin/strace" "$@" \
			</dev/null >"$bin/strace.out" 2>"$bin/strace.err" 3>&- 4>&-) || status=$?
		local expected=$status files
		files=$(stamped)
		begin_files
		cd "$bin/files"
		traced --no-signals --system-calls -- "$@" </dev/null 3>&- 4>&-
		cd "$bin"
		expect_status "$expected"
		cmp "$bin/strace.out" "$out" || blame "$*"
		[ "$(stamped)" = "$files" ] || blame "$*: other files"
		$call_judge "$bin/log" "$bin/strace" >"$bin/judged" || {
			cat "$bin/judged"
			blame "$*"
		}
	done
}
