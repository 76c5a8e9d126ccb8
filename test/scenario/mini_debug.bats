#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# mini_debug.bats - names of a stripped file that carries its symbols compressed, in
# .gnu_debugdata, as Fedora's do.

load support

setup_file()
{
	bin=$BATS_FILE_TMPDIR
	build whole callers.c -rdynamic
	command -v xz >/dev/null && command -v objcopy >/dev/null || return 0
	make_mini "$bin/whole" "$bin/mini.xz"
	carry "$bin/mini.xz" "$bin/carrier"
}

setup()
{
	needs xz objcopy strip nm
}

# names NM_OPTION... FILE: of functions, sorted.
names()
{
	nm --format=posix --defined-only "$@" |
		awk '$2 ~ /^[tTi]$/ { sub(/@.*/, "", $1); print $1 }' | sort -u
}

# make_mini FILE XZ: the way of rpm's find-debuginfo.
make_mini()
{
	objcopy --only-keep-debug "$1" "$1.debug"
	comm -13 <(names -D "$1") <(names "$1") >"$1.keep"
	objcopy -S --remove-section .comment --keep-symbols="$1.keep" \
		"$1.debug" "$1.mini"
	xz --stdout "$1.mini" >"$2"
}

# carry XZ FILE: FILE is the program without symbols, with XZ.
carry()
{
	strip --strip-all -o "$2" "$bin/whole"
	objcopy --add-section .gnu_debugdata="$1" "$2"
}

# The functions that the command lists, less PLT stubs.
listed()
{
	observe timeout 20 "$whocallme" functions --all "$1"
	expect_status 0
	awk '{ print $3 }' "$out" | grep -v '@plt$' | sort -u
}

@test "all functions of the unstripped file" {
	refute grep -qx first <(names -D "$bin/whole")
	expect_same_names "$(names "$bin/whole")" "$(listed "$bin/carrier")"
}

@test "their addresses and sizes are those of the unstripped file" {
	diff <("$whocallme" functions "$bin/whole") \
		<("$whocallme" functions "$bin/carrier")
}

@test "init_function_table() finds them, and gdb the same" {
	needs gdb
	gdb_names 'break shown' run -- "$bin/carrier" >"$bin/by_gdb"
	[ "$(sed -n 1p "$bin/by_gdb")" = shown ]
	observe "$bin/carrier"
	expect_status 0
	[ "$(head -n 1 "$err")" = "$(asked "$(sed -n 2p "$bin/by_gdb")" shown)" ] ||
		blame "gdb has $(cat "$bin/by_gdb")"
	err_has 'function <first> call me'
}

# The exported functions are there, if nothing more.
expect_exported()
{
	listed "$1" >"$bin/left"
	diff <(names -D "$bin/whole") "$bin/left"
}

@test "a truncated section leaves the exported functions" {
	local size
	size=$(stat -c %s "$bin/mini.xz")
	for left in 0 1 5 6 11 12 13 40 $((size / 2)) $((size - 13)) $((size - 1)); do
		head -c "$left" "$bin/mini.xz" >"$bin/cut.xz"
		carry "$bin/cut.xz" "$bin/cut"
		expect_exported "$bin/cut"
	done
}

@test "so does one that is damaged anywhere" {
	local size at
	size=$(stat -c %s "$bin/mini.xz")
	for at in $(seq 0 $((size / 40 + 1)) $((size - 1))); do
		cp "$bin/mini.xz" "$bin/flipped.xz"
		printf '\252\125' | dd of="$bin/flipped.xz" bs=1 seek="$at" \
			conv=notrunc status=none
		carry "$bin/flipped.xz" "$bin/flipped"
		expect_exported "$bin/flipped"
	done
}

@test "so does one that unpacks to what is no object file, or a damaged one" {
	local size at
	echo nothing | xz --stdout >"$bin/nothing.xz"
	carry "$bin/nothing.xz" "$bin/nothing"
	expect_exported "$bin/nothing"
	size=$(stat -c %s "$bin/whole.mini")
	for at in 4 16 40 58 60 62 $((size / 2)) $((size - 200)) $((size - 64)); do
		cp "$bin/whole.mini" "$bin/odd.mini"
		printf '\377\377\377\177' | dd of="$bin/odd.mini" bs=1 seek="$at" \
			conv=notrunc status=none
		xz --stdout "$bin/odd.mini" >"$bin/odd.xz"
		carry "$bin/odd.xz" "$bin/odd"
		listed "$bin/odd" >"$bin/left"
		[ -z "$(comm -23 <(names -D "$bin/whole") "$bin/left")" ]
	done
}

@test "what unpacks to far more than its size takes no memory" {
	not_sanitized "it reserves memory"
	head -c 300M /dev/zero | xz --stdout >"$bin/zeros.xz"
	carry "$bin/zeros.xz" "$bin/zeros"
	(ulimit -v 150000 && expect_exported "$bin/zeros")
}

@test "a debug file comes first" {
	local id
	objcopy --only-keep-debug "$bin/whole" "$bin/carrier.debug"
	objcopy --redefine-sym first=by_debug_file "$bin/carrier.debug"
	objcopy --add-gnu-debuglink="$bin/carrier.debug" "$bin/carrier" "$bin/linked"
	listed "$bin/linked" | grep -qx by_debug_file
	refute grep -qx first <(listed "$bin/linked")
}

# libdwfl read the names of the first from memory that it had freed.
@test "resolve: compressed symbols that are damaged, or that grow without end, are not read" {
	local section kind
	needs python3 readelf
	cd "$BATS_TEST_TMPDIR"
	section=$(readelf -SW "$bin/whole.mini" | sed -n 's/^ *\[ *\([0-9]*\)\] \.symtab .*/\1/p')
	cp "$bin/whole.mini" damaged
	python3 -c 'import struct, sys
with open(sys.argv[1], "r+b") as file:
    data = file.read()
    # Of files of 64 bits, and of 32: where the headers are told, their size, sh_info in one.
    form, at, size, info = ("<Q", 40, 64, 44) if data[4] == 2 else ("<I", 32, 40, 28)
    start, = struct.unpack_from(form, data, at)
    file.seek(start + size * int(sys.argv[2]) + info)
    file.write(struct.pack("<I", 100000))' damaged "$section"
	cp "$bin/whole.mini" endless
	truncate -s 100M endless
	for kind in damaged endless; do
		xz -0 --keep "$kind"
		carry "$kind.xz" carrier
		observe timeout 20 "$whocallme" resolve "$PWD/carrier+0x1139"
		case $kind in
		damaged)
			expect_status 0
			out_has 'its \.gnu_debugdata is damaged: no names are read of it'
			;;
		endless)
			expect_status 1
			out_has "\($PWD/carrier: File too large\)$"
			;;
		esac
	done
	observe timeout 20 "$whocallme" resolve "$bin/carrier+0x1139"
	out_lacks 'is damaged'
}
