#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# names.bats - an address has the right name or none, in every kind of file.

load support
bats_require_minimum_version 1.5.0

setup_file()
{
	bin=$BATS_FILE_TMPDIR
	compile "$bin/odd.o" "$programs/odd.S"
	build probe probe.c -- "$bin/odd.o" -Wl,--build-id
	build shapes shapes.c -O2 -fno-omit-frame-pointer -falign-functions=1
	build_library old.so victim.c -DNAME=old -Wl,--build-id
	build_library new.so victim.c -DNAME=new -Wl,--build-id
	build comings comings.c
	$CC -o "$bin/damage" "$programs/damage.c"
	debug_dir=$(sed -n 's/^#define DEBUG_DIR "\(.*\)"/\1/p' \
		"$top_builddir/config.h")
	export debug_dir
}

# SYMBOL's address in $bin/FILE, plus OFFSET, in hexadecimal, as nm has it.
address_of()
{
	local value
	value=$(nm "$bin/${3:-probe}" | awk -v name="$1" '$3 == name { print $1 }')
	printf '%016x' $((0x$value + ${2:-0}))
}

# The name at SYMBOL + OFFSET, from the file and from the running program,
# which must agree.
name_at()
{
	local address line
	address=$(address_of "$@")
	line=$("$bin/probe" "$address")
	diff <(echo "$line") \
		<("$whocallme" functions -A "$address" "$bin/probe") >&2 || return
	echo "${line#* }"
}

@test "1: a call that is a function's last instruction" {
	objdump -d --no-show-raw-insn "$bin/shapes" |
		sed -n '/<ends_with_call>:/,/^$/p' | grep . | tail -n 1 |
		grep -E 'call|int3|nop|\<(bl|jalr?)\>' # else this is no such case
	observe "$bin/shapes" 1 2
	expect_status 0
	[ "$(head -n 1 "$err")" = "$(asked ends_with_call leave)" ]
	err_has '^#1 0x[0-9a-f]+ in ends_with_call\+'
}

@test "2: code without a size reaches to the next symbol" {
	[ "$(name_at odd_unsized)" = odd_unsized+0x0 ]
	[ "$(name_at odd_unsized 15)" = odd_unsized+0xf ]
	[ "$(name_at odd_unsized 16)" = odd_bare+0x0 ]
	[ "$(name_at odd_bare 15)" = odd_bare+0xf ]
}

@test "2: and never beyond its section" {
	[ "$(name_at odd_last 7)" = odd_last+0x7 ]
	[ "$(name_at second_named 7)" = second_named+0x7 ]
	[ "$(name_at third_named 7)" = third_named+0x7 ]
	[ "$(name_at third_named -1)" = '??' ]
	[ "$(name_at third_named -16)" = '??' ]
}

@test "2: data between code ends what has no size, and is no function" {
	local name
	for name in odd_before_data odd_before_bare_data; do
		[ "$(name_at $name 15)" = $name+0xf ]
		[ "$(name_at $name 16)" = '??' ]
		[ "$(name_at $name 31)" = '??' ]
	done
	[ "$(name_at odd_before_data 61455)" = '??' ]
	refute grep -q data_in_code <("$whocallme" functions "$bin/probe")
	observe "$whocallme" resolve "$bin/probe+0x$(address_of odd_before_data 15)" \
		"$bin/probe+0x$(address_of odd_before_data 16)" \
		"$bin/probe+0x$(address_of odd_before_data 61455)"
	[ "$(grep -cw odd_before_data "$out")" -eq 1 ] || blame "data has the name"
}

@test "2: a gap after a sized function is nobody's" {
	[ "$(name_at odd_sized 15)" = odd_sized+0xf ]
	[ "$(name_at odd_sized 16)" = '??' ]
	[ "$(name_at odd_sized 47)" = '??' ]
}

@test "2: the nearest of nested functions, and the outer one after it" {
	[ "$(name_at nest_outer 7)" = nest_outer+0x7 ]
	[ "$(name_at nest_inner)" = nest_inner+0x0 ]
	[ "$(name_at nest_inner 7)" = nest_inner+0x7 ]
	[ "$(name_at nest_inner 8)" = nest_outer+0x10 ]
	[ "$(name_at nest_inner 15)" = nest_outer+0x17 ]
}

@test "3: aliases: global over weak over local, underscores, then letters" {
	[ "$(name_at alias_local)" = alias_global+0x0 ]
	[ "$(name_at under_e)" = under_d+0x0 ]
	[ "$(name_at size_no 3)" = size_yes+0x3 ]
	"$whocallme" functions --all "$bin/odd.o" >"$bin/all"
	[ "$(awk '$3 ~ /^alias_/ { print $3 }' "$bin/all" | tr '\n' ' ')" = \
		'alias_global alias_weak alias_local ' ]
	[ "$(awk '$3 ~ /under_/ { print $3 }' "$bin/all" | tr '\n' ' ')" = \
		'under_d under_e _under_c __under_b ' ]
}

@test "4: data is no function; an IFUNC's resolver is, and is marked" {
	"$whocallme" functions --all "$bin/probe" >"$bin/all"
	refute grep odd_data "$bin/all"
	"$whocallme" functions --json --all "$bin/shapes" >"$bin/json"
	grep -o '{[^{}]*"name":"late"[^{}]*}' "$bin/json" | grep '"ifunc":true'
	refute grep -E '"name":"plain_work"[^{}]*ifunc' "$bin/json"
	[ "$("$whocallme" functions "$bin/shapes" | grep -E -c ' (late|resolve_late)$')" = 1 ]
}

@test "4: 70,000 sections" {
	not_sanitized "BFD is not, so that nothing is gained by the wait"
	awk 'BEGIN { for (i = 0; i < 70000; i++)
		printf ".section .text.f%d,\"ax\",@progbits\n.globl f%d\n" \
			".type f%d,@function\nf%d: ret\n.size f%d,1\n",
			i, i, i, i, i }' >"$bin/many.s"
	compile "$bin/sections.o" "$bin/many.s"
	"$whocallme" functions "$bin/sections.o" | awk '{ print $3 }' | sort >"$bin/ours"
	nm "$bin/sections.o" | awk '{ print $3 }' | sort | diff -q - "$bin/ours"
	[ "$(wc -l <"$bin/ours")" = 70000 ]
	build many callers.c -- "$bin/sections.o"
	observe "$bin/many"
	[ "$(head -n 1 "$err")" = "$(asked first shown)" ]
	[ "$("$whocallme" functions "$bin/many" | grep -E -c ' f[0-9]+$')" = 70000 ]
}

@test "5: a cold part is its parent's, and says so" {
	nm "$bin/shapes" | grep -q 'has_cold_part\.cold' ||
		skip "this compiler makes no cold part here"
	observe "$bin/shapes" 1
	err_has "in has_cold_part \[cold\]\+0x[0-9a-f]{1,3} "
	local cold
	cold=$(address_of has_cold_part.cold 1 shapes)
	[ "$("$whocallme" functions -A "$cold" "$bin/shapes")" = \
		"$cold has_cold_part [cold]+0x1" ]
}

# crashes_in FUNCTION NAME: the report of a crash in it names it so, as the command does.
crashes_in()
{
	local address
	observe "$whocallme" run --sections=stack --no-lines "$bin/labels" "$1"
	err_has "^#0 0x[0-9a-f]+ in ${2//[/\\[}\+0x[0-4] "
	address=$(address_of "$1" 0 labels)
	[ "$("$whocallme" functions -A "$address" "$bin/labels")" = "$address $2+0x0" ]
}

@test "5: labels without a type, and parts of functions, by the file and by a report" {
	not_sanitized "its runtime must be loaded first"
	build labels labels.c
	crashes_in bare bare
	crashes_in sized sized
	crashes_in sized_worker.__part.6 'sized_worker [part]'
	crashes_in sized_worker.eh 'sized_worker [part]'
	crashes_in sized_worker.cold.1 'sized_worker [cold]'
	crashes_in sized_worker.part.0 sized_worker.part.0
	crashes_in sized_worker.part.0.cold 'sized_worker.part.0 [cold]'
	crashes_in sized_worker.localalias sized_worker.localalias
	crashes_in sized_worker.__partner sized_worker.__partner
}

# FILE, which is linked or stripped of $bin/variables, names them.
names_variables()
{
	observe "$bin/$1"
	expect_status 0
	diff "$out" - <<-END || blame "$1"
		shown_number +0 of 4
		hidden_bytes +99 of 100
		zeros +$((999 * $(getconf LONG_BIT) / 8)) of $((1000 * $(getconf LONG_BIT) / 8))
		constant +31 of 32
		shown_struct +63 of 64
		untyped_data +23 of 24
		none
		none
		say +1 of $((0x$(nm -S "$bin/variables" | awk '$4 == "say" { print $2 }'))) code
		nowhere
	END
}

@test "4: variables, by wcm_symbol_find(), of a debug file, of a stripped library by its exports" {
	local id
	for id in --build-id --build-id=none; do
		build variables variables.c -- "-Wl,$id"
		names_variables variables
		objcopy --only-keep-debug "$bin/variables" "$bin/variables.debug"
		objcopy --strip-all --add-gnu-debuglink="$bin/variables.debug" \
			"$bin/variables" "$bin/apart"
		names_variables apart
	done
	build_library variables.so variables.c
	strip "$bin/variables.so"
	observe "$bin/variables" "$bin/variables.so"
	diff <(printf '%s\n' 'shown_number +0 of 4' 'shown_number +3 of 4') "$out"
}

@test "5: a clone keeps the suffix of its name" {
	local clone
	clone=$(nm "$bin/shapes" | awk '$3 ~ /^cloned\./ { print $3 }')
	[ -n "$clone" ] || skip "this compiler makes no clone here"
	observe "$bin/shapes"
	expect_err "$(asked "$clone" ask)"
}

# The transcript's first and last lines.
runs_right()
{
	observe "$bin/$1"
	expect_status 0
	[ "$(head -n 1 "$err")" = "$(asked first shown)" ] || blame "$1: first"
	[ "$(tail -n 1 "$err")" = "$(asked main hidden)" ] || blame "$1: last"
}

@test "6: the load bias, wherever the linker puts the segments" {
	not_sanitized "AddressSanitizer wants its own address space"
	build bias callers.c -fPIE -- -pie -Wl,-z,separate-code
	runs_right bias
	build bias callers.c -fPIE -- -pie -Wl,-z,noseparate-code
	runs_right bias
	build bias callers.c -fPIE -- -pie -Wl,-Ttext-segment=0x700000
	runs_right bias
	build bias callers.c -fno-pie -- -no-pie -Wl,-Ttext-segment=0x12300000
	runs_right bias
	build bias callers.c -fno-pie -- -no-pie -Wl,--section-start=.text=0x9876000
	readelf -lW "$bin/bias" | awk '$1 == "LOAD" && $2 != $3 && / R E /' | grep .
	runs_right bias
	setarch -R "$bin/bias" 2>&1 | head -n 1 | grep -F '<first>'
}

# $bin/NAME is $bin/probe without symbols, its debug file $bin/NAME.debug.
split_debug()
{
	objcopy --only-keep-debug "$bin/probe" "$bin/$1.debug"
	strip -o "$bin/$1" "$bin/probe"
}

link_debug()
{
	(cd "$bin" && objcopy --add-gnu-debuglink="$1.debug" "$1")
}

# What the probe says of itself: the line of the executable.
own_line()
{
	grep -F "/$1 [" "$out"
}

@test "8: a stripped program takes its names from .gnu_debuglink's file" {
	split_debug linked
	link_debug linked
	observe "$bin/linked" modules
	expect_err "$(asked kept_global kept_static)"
	own_line linked | grep -F "functions from $bin/linked.debug"
	"$whocallme" functions "$bin/linked" | grep ' kept_static$'
	diff <("$whocallme" functions "$bin/probe" | grep -v '@plt') \
		<("$whocallme" functions "$bin/linked" | grep -v '@plt')
}

@test "8: and from the debug directory's file of its build-id" {
	[ "$(id -u)" = 0 ] || skip "only root may write $debug_dir"
	local id file
	split_debug by_id
	id=$(readelf -n "$bin/by_id" | sed -n 's/.*Build ID: //p')
	file=$debug_dir/.build-id/${id:0:2}/${id:2}.debug
	mkdir -p "${file%/*}" 2>/dev/null || skip "cannot write $debug_dir"
	cp "$bin/by_id.debug" "$file"
	observe "$bin/by_id" modules
	rm "$file"
	rmdir --ignore-fail-on-non-empty "${file%/*}"
	expect_err "$(asked kept_global kept_static)"
	own_line by_id | grep -F "functions from $file"
}

@test "8: without one, exported names are all there is" {
	local said='the module carries no symbols'
	split_debug bare
	rm "$bin/bare.debug"
	observe "$bin/bare" modules
	err_has '^<whocallme>: function <.*/bare\+0x[0-9a-f]+> call me <kept_static>!$'
	# Some linkers export main().
	! nm -D --defined-only "$bin/bare" | grep -q ' [TW] ' || said=success
	[ "$(head -n 1 "$out")" = "$said" ]
}

# addresses_and_names NM_OPTION... FILE: of its functions.  data_start is weak data.
addresses_and_names()
{
	nm --format=posix --defined-only "$@" |
		awk '$2 ~ /^[tTWi]$/ && $1 != "data_start" { sub(/@.*/, "", $1)
			print substr("0000000000000000", length($3) + 1) $3, $1 }'
}

# A file may lack symbols in .symtab that it exports: nothing is lost, and nothing there twice.
@test "8: what .symtab lacks is of .dynsym, in a list, a running program, a trace" {
	local file by_nm
	printf '%s\n' 'V1 { versioned; };' 'V2 { versioned; };' >"$bin/partial.map"
	build whole partial.c -O1 -finstrument-functions -- -rdynamic \
		-Wl,--no-as-needed "-Wl,--version-script=$bin/partial.map"
	strip -K main -o "$bin/one" "$bin/whole"
	strip -K hidden -K exported -o "$bin/two" "$bin/whole"
	objcopy --strip-symbol=exported --strip-symbol=__other "$bin/whole" "$bin/lost"
	objcopy --localize-symbol=exported --localize-symbol=__other --weaken-symbol=main \
		"$bin/whole" "$bin/weaker"
	objcopy --redefine-sym exported=renamed "$bin/whole" "$bin/renamed"
	objcopy -w --strip-symbol='*' "$bin/whole" "$bin/empty"
	strip -o "$bin/none" "$bin/whole"
	objcopy --only-keep-debug --strip-symbol=exported "$bin/whole" "$bin/split.debug"
	objcopy --strip-all --add-gnu-debuglink="$bin/split.debug" "$bin/whole" "$bin/split"
	readelf -SW "$bin/one" | grep -q ' \.symtab '
	for file in whole one two lost weaker renamed empty none split; do
		by_nm=$({ addresses_and_names "$bin/$file" "$bin/${file/split/split.debug}" 2>/dev/null
			addresses_and_names -D "$bin/$file"; } | sort -u)
		observe "$whocallme" functions --all "$bin/$file"
		awk '$3 !~ /@plt$/ { print $1, $3 }' "$out" | sort | diff - <(echo "$by_nm") ||
			blame "$file: not as nm has them"
		observe env WHOCALLME_TRACE=log "$bin/$file"
		expect_status 0
		grep -q '^FUN.*&exported$' "$err" || blame "$file: a call without its name"
		err_has 'function <main> call me <exported>!$'
	done
}

@test "8: a debug file with another checksum is not used" {
	build probe_no_id probe.c -- "$bin/odd.o" -Wl,--build-id=none
	objcopy --only-keep-debug "$bin/probe_no_id" "$bin/changed.debug"
	strip -o "$bin/changed" "$bin/probe_no_id"
	link_debug changed
	observe "$bin/changed" modules
	expect_err "$(asked kept_global kept_static)"
	printf x >>"$bin/changed.debug"
	observe "$bin/changed" modules
	err_has '^<whocallme>: function <.*/changed\+0x[0-9a-f]+> call me <kept_static>!$'
	own_line changed
	refute grep -F changed.debug "$out"
}

@test "8: a debug file with another build-id is not used, and that is said" {
	split_debug other
	build other_probe probe.c -O1 -- "$bin/odd.o" -Wl,--build-id
	objcopy --only-keep-debug "$bin/other_probe" "$bin/other.debug"
	link_debug other # its checksum is right
	observe "$bin/other" modules
	err_has '^<whocallme>: function <.*/other\+0x[0-9a-f]+> call me <kept_static>!$'
	own_line other
	own_line other | grep -E 'debug file: the file on disk does not match what is mapped'
}

@test "8: libc's static functions, where its debug file is installed" {
	local libc id
	build sorting sorting.c
	libc=$(ldd "$bin/sorting" | awk '$1 ~ /^libc\./ { print $3 }')
	id=$(readelf -n "$libc" | sed -n 's/.*Build ID: //p')
	[ -e "$debug_dir/.build-id/${id:0:2}/${id:2}.debug" ] ||
		skip "libc6-dbg is missing"
	not_sanitized "its qsort() is not libc's"
	needs gdb
	gdb_names 'break compare' run -- "$bin/sorting" >"$bin/gdb"
	observe "$bin/sorting"
	err_has "^<whocallme>: function <$(sed -n 2p "$bin/gdb")(\.[a-z0-9.]+)?> call me <compare>!"
}

@test "10: a library opened after the table was loaded" {
	observe "$bin/comings" later "$bin/old.so"
	expect_out 'peek exported: old.so old_shown dynsym: success' \
		'peek static: old.so ??: the module carries no symbols' \
		'find static: old.so old_hidden: success' \
		'peek static: old.so old_hidden: success'
}

expect_replaced()
{
	expect_out "before: ${1}old.so old_hidden: success" \
		"gone: ${1}old.so old_hidden unloaded: success" \
		"gone: ${1}old.so old_hidden unloaded: success" \
		'same place: 1' \
		"peek: ${1}new.so ??: the module carries no symbols" \
		"find: ${1}new.so new_hidden: success" \
		"kept: ${1}old.so old_hidden" \
		"back: ${1}old.so old_hidden: success"
}

@test "10: a library in another's place never gets its names" {
	not_sanitized "it places libraries as it likes"
	observe "$bin/comings" replaced "$bin/old.so" "$bin/new.so"
	expect_replaced ''
}

@test "10: nor when neither has a build-id" {
	not_sanitized "it places libraries as it likes"
	build_library no-id-old.so victim.c -DNAME=old -Wl,--build-id=none
	build_library no-id-new.so victim.c -DNAME=new -Wl,--build-id=none
	observe "$bin/comings" replaced "$bin/no-id-old.so" "$bin/no-id-new.so"
	expect_replaced no-id-
}

# The system calls of again.c between the lines $1 and $2.
calls_between()
{
	sed -n "/ write(1, \"$1/,/ write(1, \"$2/p" "$bin/again.calls" | sed '1d;$d'
}

@test "10: what has been read is not read again" {
	needs strace
	not_sanitized "its allocator makes system calls of its own"
	echo 'const char large[20 << 20] = { 1 };' >"$bin/large.c"
	build_library large.so "$bin/large.c" -nostdlib -Wl,--no-eh-frame-hdr
	build again again.c -- -L"$bin" -l:large.so -Wl,-rpath,"$bin"
	refute grep GNU_EH_FRAME <(readelf -lW "$bin/large.so")
	observe strace -f -o "$bin/again.calls" "$bin/again" "$bin/old.so"
	expect_status 0
	[ "$(sed '/ write(1, "first/q' "$bin/again.calls" | grep -c process_vm_readv)" -lt 500 ] ||
		blame "data are searched for the descriptions of code"
	calls_between first again | grep -q 'openat(.*large\.so'
	calls_between again opened >"$out"
	[ ! -s "$out" ] || blame "the second load makes system calls"
	calls_between third end >"$out"
	out_has 'openat\(.*/old\.so'
	out_lacks 'openat\(.*/(large\.so|again|libc\.so|libwhocallme)'
	[ "$(grep -c process_vm_readv "$out")" -lt 10 ] || blame "all is read"
}

@test "11: a namespace of dlmopen()" {
	not_sanitized "it does not support dlmopen()"
	observe "$bin/comings" dlmopen "$bin/old.so"
	expect_status 0
	out_has '^exported: old\.so old_shown( dynsym)?: success$'
	out_has '^static: old\.so (old_hidden: success|\?\?: the module carries no symbols)$'
}

# behead FILE: without e_shoff, e_shnum and e_shstrndx, of a header of 64 or of 52 bytes.
behead()
{
	local word=8 at=40 counts=60
	[ "$(od -A n -t u1 -j 4 -N 1 "$1")" -eq 2 ] || word=4 at=32 counts=48
	head -c $word /dev/zero | dd of="$1" bs=1 seek=$at conv=notrunc status=none
	head -c 4 /dev/zero | dd of="$1" bs=1 seek=$counts conv=notrunc status=none
}

@test "11: a program without section headers" {
	build headless callers.c -- -rdynamic
	behead "$bin/headless"
	observe "$bin/headless"
	[ "$status" -le 1 ] || blame "a crash"
	run -1 "$whocallme" functions "$bin/headless"
	[[ $output == *headless:* ]]
	compile "$bin/status.o" "$programs/situations.c"
	build headless situations.c -- -rdynamic
	behead "$bin/headless"
	observe "$bin/headless" thread
	expect_status 0
	err_has 'headless\+0x[0-9a-f]+> call me <ask>!$'
	observe "$bin/headless" backtrace
	err_has ' in main\+0x' # exported, so mapped
}

@test "12: PLT stubs" {
	"$whocallme" functions "$bin/probe" >"$bin/list"
	grep -E '^[0-9a-f]{16} [0-9a-f]{16} init_function_table@plt$' "$bin/list"
	"$whocallme" functions --json "$bin/probe" |
		grep -o '{[^{}]*"name":"init_function_table@plt"[^{}]*}' |
		grep '"plt":true'
	objdump -d -j .plt.sec -j .plt "$bin/probe" 2>/dev/null |
		sed -n 's/^\([0-9a-f]*\) <init_function_table@plt>:/\1/p' >"$bin/theirs"
	[ "$(awk '/ init_function_table@plt$/ { print $1 }' "$bin/list")" = \
		"$(printf %016x "0x$(cat "$bin/theirs")")" ]
}

@test "12: the vdso" {
	observe "$bin/comings" vdso
	[ -s "$out" ] || skip "this kernel has no vdso"
	out_has '^vdso: \[vdso\] (__vdso_)?clock_gettime( dynsym)?: success$'
}

@test "12: code of no module" {
	needs_arch "x86_64 i386" "the code is x86's"
	observe "$bin/comings" jit
	expect_out 'jit: - ??: no module is loaded at this address'
	err_has '^<whocallme>: function <0x[0-9a-f]+> call me <ask>!$'
}

@test "8: a library replaced on disk is not believed, with a build-id or without" {
	local id
	build_library no-id-old.so victim.c -DNAME=old -Wl,--build-id=none
	build_library no-id-new.so victim.c -DNAME=longer_by_far -Wl,--build-id=none
	for id in '' no-id-; do
		cp "$bin/${id}old.so" "$bin/stale.so"
		observe "$bin/comings" stale "$bin/stale.so" \
			"rm '$bin/stale.so' && cp '$bin/${id}new.so' '$bin/stale.so'"
		out_has '^exported: stale\.so old_shown dynsym: success$'
		out_has '^static: stale\.so \?\?: the module carries no symbols$'
		out_has '/stale\.so \[.*the file on disk does not match what is mapped'
	done
}

# try_damaged FILE HOW FROM TO STEP: whocallme functions says a word of each of
# the damaged copies, a list or a complaint; it neither crashes nor hangs.
try_damaged()
{
	local folder=$BATS_TEST_TMPDIR/damaged status=0
	rm -rf "$folder"
	mkdir "$folder"
	"$bin/damage" "$1" "$folder" "$2" "$3" "$4" "$5"
	cd "$folder"
	printf '%s\n' * >../names
	xargs -n 64 timeout 60 "$whocallme" functions --all . <../names >../list \
		2>../complaints || status=$?
	[ "$status" = 123 ] || name_culprits "status $status" || return
	# The folder itself, in each batch, makes the status 1 and "several".
	{
		sed -n 's/^whocallme functions: \([0-9]*\): .*/\1/p' ../complaints
		sed -n 's/^\([0-9]\{5\}\):$/\1/p' ../list
	} | sort | diff -u ../names - || name_culprits "not a word of a file"
}

# Run again one by one what went wrong together.
name_culprits()
{
	local file status
	echo "$1"
	for file in *; do
		status=0
		timeout 10 "$whocallme" functions --all "$file" >/dev/null 2>&1 ||
			status=$?
		[ "$status" -le 1 ] || echo "$file: status $status"
	done
	return 1
}

@test "11: files cut off at any length" {
	try_damaged "$bin/old.so" cut 0 128 1
	try_damaged "$bin/old.so" cut 128 99999 61
	try_damaged "$bin/odd.o" cut 0 99999 31
}

@test "11: files with a damaged byte in the headers" {
	try_damaged "$bin/old.so" flip 0 768 1
	try_damaged "$bin/odd.o" flip 0 64 1
}

@test "11: a damaged header of many symbols" {
	local header start each index
	{ printf 'f%d:\n' {1..1000} && echo '.space 70000'; } >"$bin/long.s"
	$CC -c -o "$bin/long.o" "$bin/long.s"
	header=$(readelf -hW "$bin/long.o")
	start=$(sed -n 's/^ *Start of section headers: *\([0-9]*\) .*/\1/p' <<<"$header")
	each=$(sed -n 's/^ *Size of section headers: *\([0-9]*\) .*/\1/p' <<<"$header")
	index=$(readelf -SW "$bin/long.o" | sed -n 's/^ *\[ *\([0-9]*\)\] \.symtab .*/\1/p')
	try_damaged "$bin/long.o" fill $((start + index * each)) $((start + (index + 1) * each)) 1
}

@test "11: damaged section headers and symbols" {
	local size
	size=$(stat -c %s "$bin/old.so")
	# The section headers end the file; .symtab and the names precede them.
	try_damaged "$bin/old.so" fill $((size - 4500)) "$size" 3
	try_damaged "$bin/odd.o" fill 64 99999 7
}

@test "11: compressed debug data that is damaged takes no function's name" {
	local kind start section
	needs objcopy python3
	build packed callers.c -O1 -g
	"$whocallme" functions "$bin/packed" >"$bin/functions"
	grep -q ' main$' "$bin/functions"
	objcopy --compress-debug-sections=zlib "$bin/packed"
	for section in info line str; do
		start=$(readelf -SW "$bin/packed" | awk -v name=".debug_$section" \
			'{ for (i = 1; i < NF; i++) if ($i == name) print $(i + 3) }')
		[ -n "$start" ]
		# What it is packed by, how much it is, or what is packed.
		for kind in 0:ee 8:ffffffffffffff7f 8:00 16:03 24:0000; do
			cp "$bin/packed" "$bin/harmed"
			python3 -c 'import sys
with open(sys.argv[1], "r+b") as file:
    file.seek(int(sys.argv[2], 16) + int(sys.argv[3]))
    file.write(bytes.fromhex(sys.argv[4]))' "$bin/harmed" "$start" "${kind%:*}" "${kind#*:}"
			observe "$whocallme" functions "$bin/harmed"
			expect_status 0
			diff "$bin/functions" "$out" >&2 || blame "$section, $kind: other names"
		done
	done
}

# linked_with FLAG...: callers.c's functions, and what the command says of a copy with holes and
# of one without: that is the judge.
linked_with()
{
	build holes callers.c -O1 -- "$@"
	cp --sparse=never "$bin/holes" "$bin/dense"
	cp --sparse=always "$bin/dense" "$bin/holes"
	observe "$whocallme" functions "$bin/dense"
	expect_status 0
	cp "$out" "$bin/functions"
	observe "$whocallme" functions "$bin/holes"
	expect_status 0
	diff "$bin/functions" "$out" >&2 || blame "other functions: $*"
	[ ! -s "$err" ] || blame "$* on stderr: $(cat "$err")"
	grep -q ' main$' "$out" || blame "$*: no main"
	observe "$bin/dense"
	cut -d ' ' -f 3 "$err" "$out" >"$bin/dense.names"
	observe "$bin/holes"
	refute grep BFD "$err"
	cut -d ' ' -f 3 "$err" "$out" | diff "$bin/dense.names" - >&2 || blame "$*: other names"
	"$whocallme" resolve "$bin/holes+0x$(nm "$bin/holes" | sed -n 's/ T main$//p')" |
		grep -q 'main at .*/callers\.c:' || blame "$*: no lines"
}

@test "12: honest files with holes" {
	local flag
	for flag in -z,max-page-size=0x200000 -z,max-page-size=0x2000000 \
		-z,max-page-size=0x4000000,-z,separate-code -z,max-page-size=0x2000000,-z,noseparate-code; do
		linked_with "-Wl,$flag"
	done
	if command -v ld.gold >/dev/null; then
		linked_with -fuse-ld=gold -Wl,-z,max-page-size=0x2000000
	fi
}

@test "12: a property that this BFD does not know is no matter for stderr" {
	needs objcopy python3
	build plain callers.c -O1
	python3 -c 'import struct, sys
sys.stdout.buffer.write(struct.pack("=III", 4, 16, 5) + b"GNU\0" + struct.pack("=IIII", 0x7777, 4, 1, 0))' \
		>"$bin/property"
	objcopy --remove-section .note.gnu.property --add-section .note.gnu.property="$bin/property" \
		--set-section-flags .note.gnu.property=alloc,readonly "$bin/plain" "$bin/strange" 2>/dev/null
	for program in "$bin/strange" "$whocallme functions $bin/strange"; do
		observe $program
		expect_status 0
		refute grep -E 'BFD|PROPERTY' "$err"
	done
}
