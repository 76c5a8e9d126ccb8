#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# lines_running.bats - source lines in the backtraces of programs that run on.

load support

setup_file()
{
	bin=$BATS_FILE_TMPDIR
	build lines running_lines.c -O2
}

setup()
{
	helper=$BATS_TEST_TMPDIR/helper starts=$BATS_TEST_TMPDIR/starts
	export WHOCALLME_HELPER=$whocallme WHOCALLME_LINES=yes
}

# Those that there are, a line each; sanitizers are one compiler's own.
compilers()
{
	echo "$CC"
	[ -n "$sanitize" ] || command -v clang || :
}

# A helper that runs the commands on stdin; each start of it leaves its pid.
make_helper()
{
	{
		printf '#!/bin/bash\necho $$ >>%q\n' "$starts"
		cat
	} >"$helper"
	chmod +x "$helper"
	export WHOCALLME_HELPER=$helper
}

make_real_helper()
{
	make_helper <<<"exec $whocallme \"\$@\""
}

expect_starts()
{
	[ "$(wc -l <"$starts")" -eq "$1" ] || blame "helpers: $(cat "$starts")"
}

# Wait until every helper has ended.
expect_ended()
{
	local pid tries=0
	while read -r pid; do
		while kill -0 "$pid" 2>/dev/null; do
			[ $((tries++)) -lt 100 ] || blame "helper $pid is still there"
			sleep 0.05
		done
	done <"$starts"
}

# What addr2line says of the places on stdin, in the file $1 loaded at $2: a line
# "ADDRESS FUNCTION FILE:LINE" for each function.
addr2line_chains()
{
	local address
	while read -r address; do
		addr2line -Cfi -e "$1" "$(printf '%#x' $((address - $2)))" |
			sed 's/ (discriminator [0-9]*)$//' | paste -d ' ' - - |
			sed "s/^/$address /"
	done
}

# The places of the frames of program $1 in stderr: one before return addresses.
places()
{
	sed -n "s|^#[0-9]* \\(0x[0-9a-f]*\\) in .*/$1+0x[^/]*).*|\\1|p" "$err" |
		while read -r pc; do printf '%#x\n' $((pc - 1)); done
}

# The lines of those frames in stderr, in the same form.
chains()
{
	awk -v program="/$1[+]0x[0-9a-f]+\\\\)" '
		/^#/ { pc = $0 ~ program ? $2 : "" }
		/^   [^ (]/ && pc { print pc, substr($0, 4) }' "$err" |
		sed -E 's/ \(inlined\)$//; s/^(.*:[0-9]+):[0-9]+$/\1/; s/ at (.*)$/ \1/' |
		while read -r pc line; do
			printf '%#x %s\n' $((pc - 1)) "$line"
		done
}

# Stderr has the lines that addr2line finds in $2, of the frames of program $1;
# what it knows nothing of has none.
expect_lines()
{
	addr2line_chains "${2-$bin/$1}" "$(head -n 1 "$out")" < <(places "$1") |
		grep -v ':[0?]$' >"$BATS_TEST_TMPDIR/theirs"
	chains "$1" >"$BATS_TEST_TMPDIR/ours"
	[ -s "$BATS_TEST_TMPDIR/theirs" ] || blame "addr2line found nothing"
	diff -u "$BATS_TEST_TMPDIR/theirs" "$BATS_TEST_TMPDIR/ours" ||
		blame "lines differ"
}

@test "the lines of every frame are those addr2line finds" {
	needs addr2line
	local compiler level
	compilers >"$bin/compilers"
	while read -r compiler; do
		for level in -O0 -O1 -O2 -O3; do
			CC=$compiler build "levels" running_lines.c $level
			for what in stack backtrace; do
				observe "$bin/levels" $what
				expect_status 0
				expect_lines levels
				err_has '^   inmost at /.*running_lines\.c:[0-9]+:[0-9]+ \(inlined\)$'
				err_has '^   outer at /.*running_lines\.c:[0-9]+:[0-9]+ \(inlined\)$'
				err_has '^   ask at /.*running_lines\.c:[0-9]+:[0-9]+$'
			done
		done
	done <"$bin/compilers"
}

@test "who_call_me() names the caller that was inlined" {
	local compiler level
	compilers >"$bin/compilers"
	while read -r compiler; do
		for level in -O0 -O1 -O2 -O3; do
			CC=$compiler build "levels" running_lines.c $level
			observe "$bin/levels" backtrace
			[ "$(head -n 1 "$err")" = "$(asked inmost write_backtrace)" ] ||
				blame "$compiler $level"
			WHOCALLME_LINES='' observe "$bin/levels" backtrace
			[ "$(head -n 1 "$err")" = "$(asked ask write_backtrace)" ] ||
				blame "$compiler $level, without lines"
		done
	done <"$bin/compilers"
}

@test "gdb shows the same stack" {
	needs gdb
	observe "$bin/lines" backtrace
	sed -nE 's/^   ([a-z_]+) at .*:([0-9]+):[0-9]+( \(inlined\))?$/\1 \2/p' "$err" |
		sed '/^main /q' >"$bin/ours"
	gdb_names 'break full_backtrace' 'run backtrace' -- "$bin/lines" >/dev/null
	sed -nE 's/^#[0-9]+ +(0x[0-9a-f]+ in )?([a-z_]+) \(.* at .*running_lines\.c:([0-9]+)$/\2 \3/p' \
		"$BATS_TEST_TMPDIR/gdb" | sed '/^main /q' >"$bin/theirs"
	grep -q '^main ' "$bin/theirs"
	diff -u "$bin/theirs" "$bin/ours"
}

@test "a module and an offset lead addr2line where gdb is" {
	needs gdb addr2line
	local file offset
	observe "$bin/lines" backtrace
	sed -nE 's/^#[0-9]+ 0x[0-9a-f]+ in [a-z_]+\+0x[0-9a-f]+ \((.*)\+(0x[0-9a-f]+)\)$/\2 \1/p' \
		"$err" >"$bin/offsets"
	while read -r offset file; do
		# What returns is behind its call.
		addr2line -fi -e "$file" "$(printf '0x%x' $((offset - 1)))" | paste -d ' ' - -
	done <"$bin/offsets" | sed -nE 's/^([a-z_]+) .*running_lines\.c:([0-9]+).*/\1 \2/p' |
		sed '/^main /q' >"$bin/ours"
	gdb_names 'break full_backtrace' 'run backtrace' -- "$bin/lines" >/dev/null
	sed -nE 's/^#[0-9]+ +(0x[0-9a-f]+ in )?([a-z_]+) \(.* at .*running_lines\.c:([0-9]+)$/\2 \3/p' \
		"$BATS_TEST_TMPDIR/gdb" | sed '/^main /q' >"$bin/theirs"
	grep -q '^main ' "$bin/theirs"
	diff -u "$bin/theirs" "$bin/ours"
}

@test "C++: templates and members that were inlined" {
	needs addr2line
	local level
	for level in -O0 -O2 -O3; do
		build cxx running_lines.cc $level
		observe "$bin/cxx"
		expect_status 0
		expect_lines cxx
		[ "$(head -n 1 "$err")" = "$(asked \
			'void shop::Sum::add<double>(double const&)' \
			'shop::Sum::show() const')" ] || blame "$level"
	done
}

@test "the chain as data is that of addr2line" {
	needs addr2line
	observe "$bin/lines" resolve
	expect_status 0
	expect_err_is_empty
	sed 1d "$out" | awk '/^0x/ { address = $0; next }
		{ function_ = $0; getline; print address, function_, $0 }' >"$bin/ours"
	sed 1d "$out" | grep '^0x' | addr2line_chains "$bin/lines" "$(head -n 1 "$out")" |
		sed 's/ ??:?$/ ??:0/; s/ [^ ]* ??:0$/ ?? ??:0/' >"$bin/theirs"
	grep -q ' inmost ' "$bin/theirs"
	diff -u "$bin/theirs" "$bin/ours"
}

@test "debug data compressed by zstd: its lines, or why there are none" {
	needs eu-addr2line
	objcopy --compress-debug-sections=zstd "$bin/lines" "$bin/small" ||
		skip "objcopy has no zstd"
	observe "$bin/small" stack
	if eu-addr2line -e "$bin/small" main | grep -q ':[1-9]'; then
		err_has ' at .*/running_lines\.c:[0-9]'
	else
		err_has "the debug data of $bin/small is compressed by zstd, which elfutils cannot"
		err_lacks ' at .*/running_lines\.c:[0-9]'
	fi
}

@test "statuses say why there is no chain" {
	observe "$bin/lines" statuses
	out_has '^no module is loaded at this address$'
	out_has '^success$'
	out_has '^no readable debug data describes this address$'
	WHOCALLME_HELPER=no observe "$bin/lines" statuses
	[ "$(tail -n 1 "$out")" = 'the helper process does not answer' ]
	WHOCALLME_LINES='' WHOCALLME_HELPER=/nowhere observe "$bin/lines" statuses
	[ "$(tail -n 1 "$out")" = 'the helper process does not answer' ]
	expect_err_is_empty
}

expect_err_is_empty()
{
	[ ! -s "$err" ] || blame "stderr is not empty"
}

@test "the text of the source, where it is asked for" {
	WHOCALLME_LINES=source observe "$bin/lines" stack
	err_has $'^\t> *[0-9]+  \tleaf\(\);$'
	err_has $'^\t  *[0-9]+  \tturns\\+\\+;$'
}

@test "without lines nothing else runs and nothing else is shown" {
	make_real_helper
	unset WHOCALLME_LINES
	observe "$bin/lines" backtrace
	err_lacks '^ '
	[ ! -e "$starts" ]
	WHOCALLME_LINES=maybe observe "$bin/lines" backtrace
	[ "$(head -n 1 "$err")" = '<whocallme>: WHOCALLME_LINES=maybe is unknown; it takes "yes" or "source"' ]
	err_lacks '^ '
}

@test "the helper learns which servers have debug data" {
	make_helper <<<"env >$starts.env; exec $whocallme \"\$@\""
	DEBUGINFOD_URLS=http://localhost:1 DEBUGINFOD_TIMEOUT=1 observe "$bin/lines" stack
	expect_status 0
	grep -x 'DEBUGINFOD_URLS=http://localhost:1' "$starts.env"
}

@test "lines start and stop by call" {
	make_real_helper
	unset WHOCALLME_LINES
	observe "$bin/lines" late
	expect_status 0
	err_has '^start: success$'
	expect_lines_between 2
	expect_starts 1
	expect_ended
	observe "$bin/lines" options ''
	expect_out "$(head -n 1 "$out")" 'invalid argument' 'invalid argument' \
		'invalid argument' 'success'
}

# Of the four stacks of "late", COUNT have lines: neither the first nor the last.
expect_lines_between()
{
	[ "$(grep -c '^   ask at' "$err")" -eq "$1" ] || blame "lines of $1 stacks"
	sed '/^start/q' "$err" | grep -q '^   ' && blame "lines before the start"
	[ "$(tac "$err" | sed '/in write_stack/q' | grep -c '^   ask')" -eq 0 ] ||
		blame "lines after the end"
}

@test "a helper that is missing is said in one line" {
	local given
	for given in /nowhere/whocallme "$bin"; do
		WHOCALLME_HELPER=$given observe "$bin/lines" stack
		expect_status 0
		[ "$(grep -c 'no source lines' "$err")" -eq 1 ] || blame
		err_has "no source lines: $given"
		err_lacks '^   '
	done
}

@test "a helper that hangs costs one timeout" {
	make_helper <<<'while :; do sleep 1000; done'
	unset WHOCALLME_LINES
	local before=$SECONDS
	observe "$bin/lines" late "$helper"
	expect_status 0
	[ $((SECONDS - before)) -lt 4 ] || blame "it took too long"
	[ "$(grep -c 'no source lines: .* does not answer in time' "$err")" -eq 1 ] || blame
	expect_starts 1
	expect_ended
}

@test "a helper that dies is started once more" {
	make_helper <<<"read -r line; [ \$(wc -l <$starts) -gt 1 ] || exit
		{ echo \"\$line\"; cat; } | $whocallme \"\$@\""
	observe "$bin/lines" stack
	expect_status 0
	expect_lines lines
	err_lacks 'no source lines'
	expect_starts 2
	rm "$starts"
	make_helper <<<"read -r line; exit"
	observe "$bin/lines" stack
	expect_status 0
	[ "$(grep -c 'no source lines: .* has ended twice' "$err")" -eq 1 ] || blame
	err_lacks '^   '
	expect_starts 3 # the last one to hear what it says
	make_helper <<<"echo no libraries >&2; exit 127"
	observe "$bin/lines" stack
	err_has 'no source lines: .* has ended twice: no libraries$'
}

@test "a helper that talks nonsense is not listened to" {
	make_helper <<<"yes"
	observe "$bin/lines" stack
	expect_status 0
	[ "$(grep -c 'no source lines: .* answers what is no answer' "$err")" -eq 1 ] || blame
	err_lacks '^   '
	expect_ended
}

@test "a program that closes all descriptors" {
	make_real_helper
	observe "$bin/lines" close 1
	expect_status 0
	[ "$(grep -c '^   ask at' "$err")" -eq 2 ] || blame
	expect_starts 2
	expect_ended
	rm "$starts"
	observe "$bin/lines" close 3
	[ "$(grep -c '^   ask at' "$err")" -eq 2 ] || blame
	[ "$(grep -c 'no source lines: .* has ended twice' "$err")" -eq 1 ] || blame
	expect_starts 2
}

@test "a child has a helper of its own" {
	make_real_helper
	observe "$bin/lines" child
	expect_status 0
	[ "$(grep -c '^   ask at' "$err")" -eq 3 ] || blame
	expect_starts 2
	expect_ended
}

@test "a child of vfork() has none, and disturbs nobody" {
	make_real_helper
	observe "$bin/lines" vfork
	expect_status 0
	[ "$(grep -c '^   ask at' "$err")" -eq 2 ] || blame
	[ "$(grep -c 'in write_stack' "$err")" -eq 3 ] || blame
	expect_starts 1
}

@test "the helper ends with the process, be there a child or not" {
	make_real_helper
	observe "$bin/lines" stack
	expect_starts 1
	expect_ended
	rm "$starts"
	observe "$bin/lines" left
	expect_starts 1
	expect_ended
}

@test "eight threads at once" {
	unset WHOCALLME_LINES
	make_real_helper
	observe timeout 60 "$bin/lines" threads
	expect_status 0
	out_lacks different
	out_has '^write_stack$'
	expect_starts 1
}

@test "a signal handler in the middle of a request" {
	make_real_helper
	observe timeout 60 "$bin/lines" handler
	expect_status 0
	err_lacks 'errno has changed'
	err_lacks 'no source lines'
	sed -n '/^and now/,$p' "$err" | grep -q '^   inmost at' || blame
	expect_starts 1
}

@test "a request that is left, by siglongjmp() or by the end of its thread" {
	make_helper <<-END
		[ \$(wc -l <$starts) -gt 1 ] || sleep 1000
		exec $whocallme "\$@"
	END
	local how
	for how in jump end; do
		rm -f "$starts"
		observe timeout 60 "$bin/lines" leave $how
		expect_status 0
		sed '1,/^and now/d' "$err" | grep -q '^   inmost at' || blame "$how"
		expect_starts 2
		expect_ended
	done
}

@test "6 KiB of stack are enough, with lines or without" {
	not_sanitized "frames are larger"
	local lines
	for lines in yes ''; do
		WHOCALLME_LINES=$lines observe "$bin/lines" small
		expect_status 0
		[ "$(tail -n 1 "$out")" -le 6144 ] || blame "with lines: $lines"
	done
}

@test "from another directory, by a relative path" {
	local directory
	cd "$bin"
	for directory in / "$BATS_TEST_TMPDIR"; do
		observe ./lines elsewhere "$directory"
		expect_status 0
		expect_lines lines
	done
}

@test "a program in a folder of any name" {
	local folder=$bin/$'new\nline\\x5c +0x12:3'
	mkdir -p "$folder"
	cp "$bin/lines" "$folder/lines"
	observe "$folder/lines" stack
	expect_status 0
	expect_lines lines
	# The source, too, whose name is escaped on its way, and not as data.
	cp "$programs/running_lines.c" "$folder"
	build any "$folder/running_lines.c" -O2
	observe "$bin/any" resolve
	expect_status 0
	out_has '^line\\x5c \+0x12:3/running_lines\.c:[0-9]+$'
}

@test "a stripped program with its debug file" {
	needs objcopy
	mkdir -p "$bin/stripped"
	objcopy --only-keep-debug "$bin/lines" "$bin/stripped/lines.debug"
	(cd "$bin/stripped" && objcopy --strip-all \
		--add-gnu-debuglink=lines.debug "$bin/lines" lines)
	observe "$bin/stripped/lines" stack
	expect_status 0
	expect_lines lines "$bin/lines"
}

@test "an executable that is another now, or gone: its lines all the same" {
	build other running_lines.c -O0
	local how
	for how in "cp $bin/other $bin/new && mv $bin/new $bin/changed" "rm $bin/changed"; do
		cp "$bin/lines" "$bin/changed"
		observe "$bin/changed" after "$how"
		expect_status 0
		err_lacks '^   (.*build'
		err_has '^#1 .* in ask\+'
		err_has '^   inmost at .*running_lines\.c:[0-9]+:[0-9]+ \(inlined\)$'
	done
}

@test "a static program" {
	build_static static running_lines.c -O2
	make_real_helper
	observe "$bin/static" backtrace
	expect_status 0
	expect_lines static
	[ "$(head -n 1 "$err")" = "$(asked inmost write_backtrace)" ] || blame
	expect_ended
	observe "$bin/static" child
	[ "$(grep -c '^   ask at' "$err")" -eq 3 ] || blame
}
