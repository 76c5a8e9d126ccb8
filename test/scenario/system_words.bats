#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# system_words.bats - system calls in words, judged by strace.

load support

@test "system calls have the words that strace has" {
	needs strace
	[ "$(getconf LONG_BIT)" -eq 64 ] || skip "with 32 bits calls take other arguments"
	not_sanitized "their system calls are strace's, too"
	local log=$BATS_TEST_TMPDIR/words strace=$BATS_TEST_TMPDIR/strace
	strace -o /dev/null true || skip "strace does not trace here"
	mkdir "$BATS_TEST_TMPDIR/files"
	strace -xx -s 32 -o "$strace" "$top_builddir/test/scenario/programs/worded_calls" \
		"$log" "$BATS_TEST_TMPDIR/files"
	python3 "$top_srcdir/test/scenario/system_words.py" "$log" "$strace"
	[ "$(wc -l <"$log")" -gt 200 ]
}
