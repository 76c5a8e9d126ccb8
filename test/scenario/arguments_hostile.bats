#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# arguments_hostile.bats - values of every class, and what cannot be shown or not for long, while
# programs do what they do without.  The program's own text judges, and uftrace reads recordings.

load support

setup_file()
{
	bin=$BATS_FILE_TMPDIR
	$CC -O1 -w -shared -fPIC -DLIBRARY -o "$bin/libhostile.so" "$programs/arguments_hostile.c"
	$CC -O1 -w -o "$bin/hostile" "$programs/arguments_hostile.c" "$bin/libhostile.so" -lpthread
	printf '%s\n' 'seen is' 'within iFp' >"$bin/prototypes"
}

setup()
{
	[ "$(uname -m)" = x86_64 ] && [ -z "$emulated" ] || skip "x86-64 alone has them"
	not_sanitized "its runtime must be loaded first"
	bin=$BATS_FILE_TMPDIR
}

# traced ARGUMENT...: whocallme trace of library calls, those of $of or all, with what they are given.
traced()
{
	rm -rf "$bin/log" "$bin/recording"
	observe env WHOCALLME_PROTOTYPES="$bin/prototypes" timeout "${seconds:-120}" "$whocallme" trace \
		--arguments --library-calls${of:+=$of} "$@"
}

@test "each class, in registers and on the stack, is as it was given, and none is harmed" {
	local rounds=${ARGUMENTS_ROUNDS:-10000} seconds
	seconds=$((120 + rounds / 1000))
	$CC -O2 -mno-red-zone -DAVX -Dmain=library_main -shared -fPIC -o "$bin/libarguments.so" \
		"$programs/sled_arguments.c" -lm
	$CC -o "$bin/arguments" "$programs/library_arguments.c" "$bin/libarguments.so"
	python3 "$top_srcdir/test/scenario/arguments_classes.py" >"$bin/prototypes"
	traced --log="$bin/log" -e "--from=*arguments*" "$bin/arguments" "$rounds"
	printf '%s\n' 'seen is' 'within iFp' >"$bin/prototypes"
	expect_status 0
	[ "$(cat "$out")" = 0 ] || blame "values were changed"
	cmp <(python3 "$top_srcdir/test/scenario/arguments_classes.py" "$rounds") \
		<(sed -nE "s/^(LIB|RET) +[0-9]+ +[0-9']+ +[0-9]+ +(&.*\(.*)/\1 \2/p" "$bin/log" |
			sed -E "/&(strtol|atoi|printf|_setjmp|longjmp|__)/d; s/,? [0-9']+ ns\$//")
}

# The program does what it does without, and every call of seen() is in the log.
hostile()
{
	local way=$1 status_alone
	shift
	"$bin/hostile" "$way" >"$bin/alone" && status_alone=0 || status_alone=$?
	traced "$@" "$bin/hostile" "$way"
	expect_status "$status_alone"
	[ "$way" = signals ] || cmp "$bin/alone" "$out"
	grep -q 'calls, 0 wrong$' "$out" || blame "$way: $(cat "$out")"
	[ "$way" = signals ] || [ ! -s "$err" ] || blame "$way: $(cat "$err")"
}

@test "pointers to nowhere, changing strings, jumps, ends, handlers: programs go on" {
	local way flag
	for way in pointers changing closed jumps deep signals ends formats another; do
		for flag in "" -e; do
			# shellcheck disable=SC2086 # a list
			hostile $way --log="$bin/log" $flag
		done
		[ "$way" = signals ] || [ "$way" = formats ] || [ "$way" = another ] ||
			[ "$(grep -c '^LIB .* &seen(' "$bin/log")" -eq \
				"$(sed -n 's/ calls.*//p' "$out")" ] || blame "$way: $(wc -l "$bin/log")"
	done
}

@test "what cannot be read is an address, what has no end is cut" {
	hostile pointers --log="$bin/log"
	grep -q '&seen(NULL)' "$bin/log"
	grep -q '&seen(0x1)' "$bin/log"
	grep -q '&seen(0xffffffffffffffff)' "$bin/log"
	grep -q '&seen(0x8000000000000000)' "$bin/log"
	grep -qF '&seen("yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy"...)' "$bin/log"
	# As long as is shown, and then nothing: all of it can be read, and does not end.
	[ "$(grep -cF '&seen("xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"...)' "$bin/log")" -ge 1 ]
	grep -qF '&seen("\001&Kp\225\272\337\004)Ns' "$bin/log"
	hostile formats --log="$bin/log"
	grep -qF '&printf(NULL, ...)' "$bin/log"
}

@test "recordings of them, as uftrace reads them" {
	needs uftrace
	local way
	# uftrace 0.13 leaves out what is deeper than 1,024 calls.
	for way in pointers changing closed jumps ends formats another; do
		hostile $way --record="$bin/recording"
		uftrace dump --no-pager -d "$bin/recording" >"$bin/dump" 2>"$bin/said" ||
			blame "$way: $(cat "$bin/said")"
		[ ! -s "$bin/said" ] || blame "$way: $(cat "$bin/said")"
		[ "$way" = formats ] || [ "$way" = another ] ||
			[ "$(grep -c '\[entry\] seen(' "$bin/dump")" -eq \
				"$(sed -n 's/ calls.*//p' "$out")" ] || blame "$way: other calls"
		observe "$whocallme" replay "$bin/recording"
		expect_status 0
		[ ! -s "$err" ] || blame "$way: $(cat "$err")"
	done
}

@test "a program that another one becomes goes on behind data that are zero" {
	needs uftrace
	local of=seen,close,dup
	hostile another --record="$bin/recording"
	uftrace replay --no-pager -d "$bin/recording" -f none 2>"$bin/said" >"$bin/replayed"
	[ ! -s "$bin/said" ]
	grep -q 'seen("before") = 1234;' "$bin/replayed"
	grep -q 'close([0-9]*) = 0;' "$bin/replayed"
	grep -q 'seen("after") = 1234;' "$bin/replayed"
}

@test "a full disk: what is lost is said, and the program goes on" {
	[ -c /dev/full ] || skip "there is no /dev/full"
	traced --log=/dev/full "$bin/hostile" jumps
	expect_status 0
	grep -qx '20000 calls, 0 wrong' "$out"
	err_has '^<whocallme>: .*/dev/full.*full'
	mkdir -p "$bin/small"
	unshare -m mount -t tmpfs none "$bin/small" 2>/dev/null || skip "may not mount"
	observe env WHOCALLME_PROTOTYPES="$bin/prototypes" unshare -m sh -c \
		"mount -t tmpfs -o size=400k none '$bin/small' && exec '$whocallme' trace -A \
		--library-calls --record='$bin/small/recording' '$bin/hostile' jumps"
	expect_status 0
	grep -qx '20000 calls, 0 wrong' "$out"
	err_has '^<whocallme>: recording to .* ends: there is no room left on the device$'
}
