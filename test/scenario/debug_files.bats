#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# debug_files.bats - whocallme resolve finds the debug data of a module wherever it
# is, and takes none that belongs to another build.
#
# What it says of every instruction of a program's functions is compared with what
# llvm-symbolizer and addr2line say of the program as it was linked.

load support
load debug_files

@test "the program as it was linked" {
	ask "$bin/whole"
	same_as_linked
	ask "$id:$bin/whole"
	same_as_linked
}

@test "stripped, and its debug file by build-id" {
	ask "$bin/stripped"
	refute grep -q '^innermost$' "$out"
	put_by_build_id "$bin/whole.debug" "$id" debug
	ask "$bin/stripped" --debug-dir="$PWD/debug"
	same_as_linked
	ask "$bin/stripped" --debug-dir="/none:$PWD/debug"
	same_as_linked
	ask "$id" --debug-dir="$PWD/debug"
	same_as_linked
	ask "${id:0:16}" --debug-dir="$PWD/debug"
	same_as_linked
}

@test "stripped, and its debug file by debuglink, with and without a build-id" {
	local flag
	for flag in --keep-section=.note.gnu.build-id \
		--remove-section=.note.gnu.build-id; do
		rm -rf program prog.debug .debug other
		objcopy "$flag" "$bin/whole.debug" prog.debug
		objcopy "$flag" --add-gnu-debuglink=prog.debug "$bin/stripped" program
		ask "$PWD/program"
		same_as_linked
		mkdir .debug
		mv prog.debug .debug
		ask "$PWD/program"
		same_as_linked
		mkdir -p "other$PWD"
		mv .debug/prog.debug "other$PWD"
		ask "$PWD/program"
		refute grep -q '^innermost$' "$out"
		ask "$PWD/program" --debug-dir="$PWD/other"
		same_as_linked
	done
}

@test "a debuglink to a file of another CRC, or of another build-id, is refused" {
	objcopy --remove-section=.note.gnu.build-id "$bin/whole.debug" prog.debug
	objcopy --remove-section=.note.gnu.build-id \
		--add-gnu-debuglink=prog.debug "$bin/stripped" program
	objcopy --remove-section=.note.gnu.build-id "$bin/foreign.debug" prog.debug
	ask "$PWD/program"
	refused 'prog\.debug'
	cp "$bin/whole.debug" prog.debug
	objcopy --add-gnu-debuglink=prog.debug "$bin/stripped" program
	cp "$bin/foreign.debug" prog.debug
	ask "$PWD/program"
	refused 'prog\.debug'
}

@test ".gnu_debugdata: names of static functions, without lines" {
	needs xz nm
	objcopy --strip-debug "$bin/whole" mini
	objcopy --only-keep-debug mini mini.debug
	xz -k mini.debug
	objcopy --add-section .gnu_debugdata=mini.debug.xz "$bin/stripped" program
	refute grep -q '\.symtab' <(readelf -SW program)
	ask "$PWD/program"
	[ "$(sort -u "$out" | grep -v -e '^??' -e '^$' | tr '\n' ' ')" = \
		"$(nm "$bin/whole" | awk '$3 ~ /^(by_.*|on_usr1|in_handler|main)$/ {
			print $3 }' | sort | tr '\n' ' ')" ] || blame "not the names of nm"
}

@test "compressed sections" {
	local how
	for how in zlib zlib-gnu; do
		objcopy --compress-debug-sections="$how" "$bin/whole" "$how"
		ask "$PWD/$how"
		same_as_linked
	done
	refute cmp -s zlib zlib-gnu
	readelf -SW zlib-gnu | grep -q '\.zdebug_info'
	objcopy --compress-debug-sections=zlib "$bin/whole.debug" small.debug
	put_by_build_id small.debug "$id" debug
	ask "$bin/stripped" --debug-dir="$PWD/debug"
	same_as_linked
}

@test "dwz: one file, and what several have in common in another" {
	needs dwz
	cp "$bin/whole" one
	dwz one
	ask "$PWD/one"
	same_as_linked
	cp "$bin/whole" first
	cp "$bin/whole" second
	dwz -m "$PWD/common" -M "$PWD/common" first second
	readelf -SW first | grep -q '\.gnu_debugaltlink'
	ask "$PWD/first"
	same_as_linked
	cp "$bin/foreign" common
	ask "$PWD/first"
	refused "common is of another build"
	grep -q '^by_null$' "$out"
	rm common
	ask "$PWD/first"
	grep -q -E '^! .*common.* is not found' "$out" || blame "no word of it"
	grep -q '^by_null$' "$out"
}

@test "DWARF 4 and 5, split: .dwo files; without them it is said" {
	local version
	for version in 4 5; do
		rm -f ./split*
		$CC -O2 -g -gdwarf-$version -gsplit-dwarf -o split.o -c \
			"$programs/grouped.c"
		$CC -O2 -Wl,--build-id -o split split.o
		[ -e split.dwo ]
		cmp <(objcopy -O binary -j .text split /dev/stdout) \
			<(objcopy -O binary -j .text "$bin/whole" /dev/stdout) ||
			skip "not the same code"
		ask "$PWD/split"
		same_as_linked
		mv split.dwo hidden
		ask "$PWD/split"
		grep -q -E '^! .*split\.dwo' "$out" || blame "no word of it"
		[ "$(grep -c '^! ' "$out")" -eq 1 ] || blame "not one complaint"
		refute grep -q '^innermost$' "$out"
		# With its first answer.
		sed 1q questions | "$whocallme" resolve --serve | sed 1q |
			grep -q '^! .*split\.dwo'
	done
}

@test "DWARF 4 and 5, split and packed, wherever gdb finds the package" {
	needs python3
	local version place
	for version in 4 5; do
		rm -rf split split.* debug
		$CC -O2 -g -gdwarf-$version -gsplit-dwarf -o split.o -c \
			"$programs/grouped.c"
		$CC -O2 -Wl,--build-id -o split split.o
		cmp <(objcopy -O binary -j .text split /dev/stdout) \
			<(objcopy -O binary -j .text "$bin/whole" /dev/stdout) ||
			skip "not the same code"
		pack split
		ask "$PWD/split"
		same_as_linked
		mkdir -p "debug$PWD"
		for place in debug/split.dwp "debug$PWD/split.dwp"; do
			mv split.dwp "$place"
			ask "$PWD/split" --debug-dir="/none:$PWD/debug"
			same_as_linked
			# Behind places where nothing can be, and by a relative name.
			ask "$PWD/split" --debug-dir="/dev/null:/$(printf '%300s' | tr ' ' x):debug"
			same_as_linked
			mv "$place" split.dwp
		done
		# Beside the program or its debug file, by the name of either.
		objcopy --only-keep-debug split split.debug
		strip split
		put_by_build_id split.debug "$(build_id split)" debug
		ask "$PWD/split" --debug-dir="$PWD/debug"
		same_as_linked
		place=$(echo debug/.build-id/*/*.debug)
		for place in "${place%/*}/split.dwp" "$place.dwp"; do
			mv split.dwp "$place"
			ask "$PWD/split" --debug-dir="$PWD/debug"
			same_as_linked
			mv "$place" split.dwp
		done
	done
}

@test "packages that dwp and llvm-dwp make of several units, as llvm-symbolizer reads them" {
	needs llvm-symbolizer clang
	local compiler packer version address made=0
	printf '%s\n' 'int middle(int x);' 'static inline __attribute__((always_inline))' \
		'int inner(int x) { volatile int y = x; return 10 / y; }' \
		'int main(int c, char **v) { (void)v; return middle(c) + inner(c); }' >a.c
	printf '%s\n' 'static inline __attribute__((always_inline))' \
		'int deep(int x) { volatile int y = x; return 7 / y; }' \
		'int middle(int x) { return deep(x) * 3; }' >b.c
	for compiler in "$CC" clang; do
		for version in 4 5; do
			for packer in dwp llvm-dwp; do
				command -v $packer >/dev/null || continue
				rm -f ./*.dwo prog prog.dwp
				$compiler -O1 -gdwarf-$version -gsplit-dwarf -c a.c b.c
				$compiler -o prog a.o b.o
				# Some versions of either cannot, or never end.
				(ulimit -c 0 -t 1 && timeout 60 $packer -e prog -o prog.dwp) \
					2>/dev/null || continue
				rm -f ./*.dwo
				code_of prog main middle >addresses
				llvm-symbolizer --obj=prog <addresses >theirs
				grep -q '^deep$' theirs || continue
				sed "s|^|$PWD/prog+|" addresses >questions
				"$whocallme" resolve --serve <questions >ours
				diff theirs ours
				made=$((made + 1))
			done
		done
	done
	[ "$made" -gt 0 ] || skip "no package was made"
}

# code_of PROGRAM FUNCTION...: the addresses of their instructions.
code_of()
{
	local function
	for function in "${@:2}"; do
		objdump -d --no-show-raw-insn --disassemble="$function" "$1" |
			sed -n 's/^ *\([0-9a-f]*\):.*/0x\1/p'
	done
}

@test "a debug file of another build is refused, and said" {
	put_by_build_id "$bin/foreign.debug" "$id" debug
	ask "$bin/stripped" --debug-dir="$PWD/debug"
	refused "build-id ${foreign:0:8}"
}

@test "an executable that was replaced is refused, and said" {
	ask "$id:$bin/foreign"
	refused "build-id ${foreign:0:8}"
	put_by_build_id "$bin/whole.debug" "$id" debug
	ask "$id:$bin/foreign" --debug-dir="$PWD/debug"
	grep -v '^! ' "$out" >answers
	mv answers "$out"
	same_as_linked
}

# serve FOLDER: by debuginfod, on loopback; DEBUGINFOD_URLS leads there.
serve()
{
	local port try
	port=$(python3 -c 'import socket
with socket.socket() as s:
    s.bind(("127.0.0.1", 0))
    print(s.getsockname()[1])')
	debuginfod -d "$PWD/index.sqlite" -p "$port" -t 1 -F "$1" \
		>server.log 2>&1 3>&- &
	server=$!
	export DEBUGINFOD_URLS=http://127.0.0.1:$port
	export DEBUGINFOD_TIMEOUT=20
	for ((try = 0; try < 300; try++)); do
		! python3 -c 'import sys, urllib.request
urllib.request.urlopen(sys.argv[1])' \
			"$DEBUGINFOD_URLS/buildid/$id/debuginfo" 2>/dev/null || return 0
		kill -0 "$server" || break
		sleep 0.1
	done
	cat server.log
	return 1
}

@test "a real debuginfod: by the file, and by the build-id alone" {
	needs debuginfod python3
	mkdir served
	cp "$bin/whole.debug" served
	serve "$PWD/served"
	ask "$bin/stripped"
	same_as_linked
	rm -rf cache
	ask "$id"
	same_as_linked
	# Once more, without the server: from the cache.
	kill "$server"
	server=
	ask "$id"
	same_as_linked
}

@test "a report of a stripped program, resolved where there is none of it" {
	needs debuginfod python3
	not_sanitized "its runtime must be loaded first"
	local offset
	mkdir served there
	cp "$bin/whole.debug" served
	cp "$bin/stripped" there/program
	(ulimit -S -c 0 && "$whocallme" run --json --no-stderr --file="$PWD/report" \
		there/program null) 2>/dev/null || true
	rm -r there
	offset=$(python3 "$top_srcdir/test/scenario/group.py" offset report 0)
	serve "$PWD/served"
	addr2line -fi -e "$bin/whole" "$offset" | sed 's/ (discriminator.*//' |
		paste - - | tr '\t' ' ' >theirs
	[ "$(wc -l <theirs)" -ge 3 ]
	observe timeout 60 "$whocallme" resolve report
	expect_status 0
	python3 -c 'import json, sys
for line in json.load(open(sys.argv[1]))["stack"]["frames"][0]["lines"]:
    print(line["function"], line["file"] + ":" + str(line["line"]))' "$out" >ours
	diff theirs ours
	observe timeout 60 "$whocallme" group report
	expect_status 0
	sed -n 's/^       \([^ ]*\) at \([^ ]*\).*/\1 \2/p' "$out" |
		head -n "$(wc -l <theirs)" >ours
	diff theirs ours
	# Where another build has taken its place that is said, once, and not used.
	mkdir there
	cp "$bin/foreign" there/program
	observe timeout 60 "$whocallme" group report report
	expect_status 0
	[ "$(wc -l <"$err")" -eq 1 ] || blame "not one line"
	err_has "^whocallme group: .*/program is of another build"
	sed -n 's/^       \([^ ]*\) at \([^ ]*\).*/\1 \2/p' "$out" |
		head -n "$(wc -l <theirs)" >ours
	diff theirs ours
}

@test "a server that does not answer, or has nothing: names, in time" {
	needs python3
	export DEBUGINFOD_URLS=http://127.0.0.1:1 DEBUGINFOD_TIMEOUT=2
	SECONDS=0
	ask "$bin/stripped"
	[ "$SECONDS" -le 20 ]
	refute grep -q '^innermost$' "$out"
}
