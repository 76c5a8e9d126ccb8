#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# interposed.bats - what the library takes over of libc's is what its page says, libwhocallme-plain
# takes over nothing, and both do beside allocators, unwinders and a second copy.

load support

setup_file()
{
	build beside beside.c
	bin=$BATS_FILE_TMPDIR
	shared_libs=${shared_libs/-lwhocallme/-lwhocallme-plain} build beside_plain beside.c
}

# exported LIBRARY: what it has in place of libc's functions, without a version.
exported()
{
	nm -D --defined-only "$lib/$1" | awk '$2 != "A" && $3 !~ /@|^__cyg_|^wcm_|^__(a|t|ub)san/ {
		print $3 }' | sort
}

# of_page ROWS: the names in the first cells of its table, but for the last ROWS.
of_page()
{
	sed -n 's/^| \(`[^|]*\)|.*/\1/p' "$top_srcdir/doc/guide/interposed.md" | head -n "-$1" |
		grep -o '`[^`]*`' | tr -d '`' | sort
}

@test "doc/guide/interposed.md lists what nm -D does" {
	not_sanitized "its runtime has names of its own"
	diff <(of_page 0) <(exported libwhocallme.so)
	diff <(of_page 3) <(exported libwhocallme-preload.so | grep -v '^__libc_start_main$')
	[ -z "$(exported libwhocallme-plain.so)" ]
}

# well PROGRAM [VARIABLE=VALUE...]: it ends well, says each time who has called, and reports a crash.
well()
{
	observe env "${@:2}" "$bin/$1"
	expect_status 0
	expect_out well
	[ "$(sort -u "$err")" = '<whocallme>: function <caller> call me <asker>!' ] || blame "wrong"
	[ "$(wc -l <"$err")" = 20 ]
	observe env "${@:2}" "$bin/$1" crash
	expect_status 139
	err_has '^<whocallme>: [a-z_]*: SIGSEGV'
	err_has '^#0 .* in main+'
}

@test "both libraries alone" {
	well beside
	well beside_plain
	readelf -d "$bin/beside_plain" | grep -q 'NEEDED.*libwhocallme-plain\.so\.0'
}

@test "beside jemalloc, tcmalloc and libunwind" {
	not_sanitized "its runtime must be loaded first"
	local name path found=
	for name in libjemalloc.so.2 libtcmalloc_minimal.so.4 libunwind.so.8; do
		path=$(PATH=$PATH:/sbin ldconfig -p | awk -v name=$name '$1 == name { print $NF; exit }')
		[ -n "$path" ] || continue
		found=yes
		well beside LD_PRELOAD="$path"
		well beside_plain LD_PRELOAD="$path"
	done
	[ -n "$found" ] || skip "none of them is installed"
}

@test "beside AddressSanitizer" {
	not_sanitized "it is there already"
	$CC -g -fsanitize=address -I"$top_srcdir/include" -o "$bin/beside_asan" \
		"$programs/beside.c" $shared_libs 2>"$bin/log" || skip "there is no AddressSanitizer"
	observe env ASAN_OPTIONS=detect_leaks=0 setarch "$(uname -m)" -R "$bin/beside_asan"
	expect_status 0
	[ "$(sort -u "$err")" = '<whocallme>: function <caller> call me <asker>!' ] || blame "wrong"
}

@test "two copies in one process" {
	not_sanitized "its runtime must be loaded first"
	mkdir -p "$bin/copy"
	cp "$lib/libwhocallme.so.0" "$bin/copy/second.so"
	well beside LD_PRELOAD="$bin/copy/second.so"
	well beside_plain LD_PRELOAD="$lib/libwhocallme.so.0"
	well beside LD_PRELOAD="$lib/libwhocallme-preload.so"
}
