#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# debug_faults.bats - debug files that are missing, broken or not what they should be.

load support
load debug_files

# lines_of MODULE [OPTION...]: what whocallme resolve says of two of its addresses.
lines_of()
{
	local module=$1
	shift
	observe timeout 60 "$whocallme" resolve "$@" \
		"$module+$(sed -n 1p "$bin/addresses")" \
		"$module+$(sed -n 2p "$bin/addresses")"
	expect_status 0
}

# The one complaint of $out is the line, a regular expression.
complaint()
{
	[ "$(grep -c '^   (' "$out")" -eq 1 ] || blame "not one complaint"
	out_has "^   \\(.*$1\\)\$"
}

@test "no debug data: said once, with what to do" {
	needs python3
	lines_of "$bin/stripped" --debug-dir="$PWD/debug"
	complaint 'stripped: no debug data: install its debug file, give --debug-dir, or set DEBUGINFOD_URLS'
	lines_of "$bin/whole"
	out_lacks '^   \('
	# From a server that has nothing, and one that is not there.
	python3 -u -c '
import http.server
server = http.server.HTTPServer(("127.0.0.1", 0), http.server.SimpleHTTPRequestHandler)
print(server.server_port)
server.serve_forever()' >port 2>/dev/null 3>&- &
	server=$!
	until [ -s port ]; do sleep 0.05; done
	export DEBUGINFOD_TIMEOUT=5
	DEBUGINFOD_URLS=http://127.0.0.1:1 lines_of "$bin/stripped"
	complaint 'no debug data; DEBUGINFOD_URLS was asked: no answer \(.*\): install its debug file or give --debug-dir'
	rm -rf cache
	DEBUGINFOD_URLS=http://127.0.0.1:$(cat port) lines_of "$bin/stripped"
	complaint 'no debug data, nor on DEBUGINFOD_URLS: install its debug file or give --debug-dir'
}

@test "no debug data: a report is read twice, and says it once" {
	local frame
	frame="#1 0x0000000000001234 in ?? ($bin/stripped+0x1234)"
	printf '%s\n' "${frame/#1/#0}" "$frame" "$frame" >stack
	observe "$whocallme" resolve stack
	grep -c '^   (.*no debug data' "$out" | grep -x 1
	cp "$out" stack
	observe "$whocallme" resolve stack
	cmp "$out" stack
}

@test "a debug file that is broken, or that has none: said" {
	local file=debug/.build-id/${id:0:2}/${id:2}.debug
	put_by_build_id "$bin/whole.debug" "$id" debug
	truncate -s $(($(stat -c %s "$file") - 100)) "$file"
	lines_of "$bin/stripped" --debug-dir="$PWD/debug"
	complaint "$file is not used: it is truncated"
	echo text >"$file"
	lines_of "$bin/stripped" --debug-dir="$PWD/debug"
	complaint "$file is not used: it is not an ELF file"
	objcopy --strip-debug "$bin/whole.debug" "$file"
	lines_of "$bin/stripped" --debug-dir="$PWD/debug"
	complaint "no debug data: .*/$file has none \(.*\); install its debug file, .*"
	[ "$(id -u)" != 0 ] || skip "root may read anything"
	chmod 0 "$file"
	lines_of "$bin/stripped" --debug-dir="$PWD/debug"
	complaint "$file is not used: Permission denied"
}

# Whether the elfutils that are here read the debug data of FILE.
elfutils_reads()
{
	eu-addr2line -e "$1" "$(sed -n 1p "$bin/addresses")" | grep -q ':[1-9]'
}

@test "debug data compressed by zstd: its lines, or that elfutils cannot read it" {
	local lacks='is compressed by zstd, which elfutils cannot read here \(.*\): '
	lacks+='use objcopy --decompress-debug-sections, or elfutils with zstd'
	needs eu-addr2line
	objcopy --compress-debug-sections=zstd "$bin/whole" small ||
		skip "objcopy has no zstd"
	objcopy --compress-debug-sections=zstd "$bin/whole.debug" packed
	put_by_build_id packed "$id" debug
	elfutils_reads "$bin/whole"
	if elfutils_reads small; then
		ask "$PWD/small"
		same_as_linked
		ask "$bin/stripped" --debug-dir="$PWD/debug"
		same_as_linked
		return
	fi
	lines_of "$PWD/small"
	complaint "the debug data of $PWD/small $lacks"
	lines_of "$bin/stripped" --debug-dir="$PWD/debug"
	complaint "the debug data of $PWD/debug/.*\.debug $lacks"
	ask "$PWD/small"
	refused "the debug data of $PWD/small $lacks"
	objcopy --decompress-debug-sections small
	ask "$PWD/small"
	same_as_linked
	objcopy --compress-debug-sections=zstd small
	[ -z "$sanitize" ] || return 0
	WHOCALLME_HELPER=$whocallme observe "$whocallme" run "$PWD/small" null
	[ "$(grep -c -E "^   \\(the debug data of $PWD/small $lacks\\)\$" "$err")" -eq 1 ] ||
		blame "a crash report does not say it"
}

@test "a wrong debug file in one folder does not hide the right one in the next" {
	put_by_build_id "$bin/foreign.debug" "$id" wrong
	put_by_build_id "$bin/whole.debug" "$id" right
	ask "$bin/stripped" --debug-dir="$PWD/wrong:$PWD/right"
	same_as_linked
	objcopy --add-gnu-debuglink="$bin/whole.debug" "$bin/stripped" program
	cp "$bin/foreign.debug" whole.debug
	mkdir .debug
	cp "$bin/whole.debug" .debug
	ask "$PWD/program" --debug-dir="$PWD/wrong"
	same_as_linked
}

@test "a named pipe in place of a debug file" {
	mkdir -p "debug/.build-id/${id:0:2}"
	mkfifo "debug/.build-id/${id:0:2}/${id:2}.debug"
	ask "$bin/stripped" --debug-dir="$PWD/debug"
	refused 'debug is not used: it is not an ELF file'
	ask "$id" --debug-dir="$PWD/debug"
	objcopy --add-gnu-debuglink="$bin/whole.debug" "$bin/stripped" program
	mkfifo whole.debug
	ask "$PWD/program"
	refused 'whole\.debug is not used: it is not an ELF file'
	$CC -O2 -g -gsplit-dwarf -o split.o -c "$programs/grouped.c"
	$CC -O2 -o split split.o
	rm split.dwo
	mkfifo split.dwo
	ask "$PWD/split"
	grep -q -E '^! .*split\.dwo' "$out" || blame "no word of it"
	needs dwz
	cp "$bin/whole" first
	cp "$bin/whole" second
	dwz -m "$PWD/common" -M "$PWD/common" first second
	rm common
	mkfifo common
	ask "$PWD/first"
	refused 'common is not used'
}

# Lines alone, and the first answer says why.
lacks_half()
{
	refute grep -q '^innermost$' "$out"
	grep -q -E "^! .*$1" "$out" || blame "no word of: $1"
}

@test "a .dwp package that is none, of another program, or damaged" {
	needs python3
	$CC -O2 -g -gsplit-dwarf -o split.o -c "$programs/grouped.c"
	$CC -O2 -o split split.o
	cp split.dwo half
	pack split
	cp split.dwp whole.dwp
	cp index whole.index
	cp half split.dwp
	ask "$PWD/split"
	lacks_half 'split\.dwo: No such file.*; .*/split\.dwp: it is no package, or has a damaged index'
	mkfifo fifo
	mv fifo split.dwp
	ask "$PWD/split"
	lacks_half 'split\.dwo: No such file.*; .*/split\.dwp: it is not an ELF file'
	mv half split.dwo
	rm split.dwp
	pack split other
	ask "$PWD/split"
	lacks_half '/split\.dwp: it has no unit of the id [0-9a-f]{16}'
	python3 - "$whocallme" <<-'END'
		import random, subprocess, sys
		whole, index = (open(name, "rb").read() for name in ("whole.dwp", "whole.index"))
		chance = random.Random(1)
		question = open("questions").readline().encode()
		for round in range(120):
		    data = bytearray(whole)
		    low = data.rindex(index)
		    for i in range(chance.randrange(1, 5)):
		        at = chance.randrange(len(data)) if round % 3 == 0 else \
		            low + chance.randrange(len(index))
		        data[at] = chance.choice([0, 1, 0x7f, 0xff, chance.randrange(256)])
		    open("split.dwp", "wb").write(data)
		    run = subprocess.run([sys.argv[1], "resolve", "--serve"], input=question,
		                         capture_output=True, timeout=60)
		    assert run.returncode == 0 and not run.stderr, (round, run)
	END
}

@test "a .dwp package that has work without end for each of a program's units" {
	needs python3
	python3 - <<-'END'
		import struct
		units, slots = 3000, 4096
		source = open("m.s", "w")
		def put(text):
		    print(text, file=source)
		put('.text\n.globl main\n.type main, %function\nmain: ret')
		for i in range(units):
		    put(f'f{i}: nop\n ret')
		put('.section .debug_abbrev,"",%progbits\n.Lab: .byte 1, 0x4a, 0, 0x11, 1, 0x12, 6\n'
		    '.byte 0x76, 8, 0, 0, 0\n.section .debug_info,"",%progbits')
		for i in range(units):
		    put(f'.long 2f - 1f\n1: .short 5\n.byte 4, WIDTH\n.long .Lab, {i + slots}, 0\n'
		        f'.byte 1\n.dc.a f{i}\n.long 2\n.string "n{i}.dwo"\n2:')
		def index(name, slots, ids, rows, size):
		    rows_ = max(rows)
		    open(name, "wb").write(struct.pack("<HHIII", 5, 0, 1, rows_, slots) +
		        struct.pack("<%dQ" % slots, *ids) + struct.pack("<%dI" % slots, *rows) +
		        struct.pack("<I", 6) + bytes(4 * rows_) + struct.pack("<I", size) * rows_)
		# Each unit has the same eight megabytes of offsets; or each slot another unit's id.
		size = 8 << 20
		open("offsets", "wb").write(struct.pack("<IHH", size, 5, 0) + bytes(size))
		open("strings", "wb").write(bytes(3 << 20))
		rows = [min(i + 1, units) for i in range(slots)]
		index("large", slots, [i + slots for i in range(slots)], rows, size + 8)
		index("long", 1 << 20, [1] * (1 << 20), [1] * (1 << 20), 8)
	END
	sed -i "s/WIDTH/$(echo __SIZEOF_POINTER__ | $CC -E -P -)/" m.s
	$CC -o m m.s
	nm m | sed -n "s|^\([0-9a-f]*\) [tT] f[0-9]*$|$PWD/m+0x\1|p" >questions
	[ "$(wc -l <questions)" -eq 3000 ]
	$CC -x c -c -o none.o /dev/null
	for kind in large long; do
		objcopy --add-section .debug_cu_index=$kind --add-section .debug_str.dwo=strings \
			--add-section .debug_str_offsets.dwo=offsets none.o m.dwp
		observe timeout 60 "$whocallme" resolve --serve <questions
		expect_status 0
		out_has "^! n0\\.dwo, .*/m\\.dwp: it"
	done
}

@test "split debug data compressed by zstd: its lines, or that elfutils cannot read it" {
	local lacks='it is compressed by zstd, which elfutils cannot read here'
	$CC -O2 -g -gsplit-dwarf -o split.o -c "$programs/grouped.c"
	$CC -O2 -o split split.o
	objcopy --compress-debug-sections=zstd split.dwo small ||
		skip "objcopy has no zstd"
	cp split.dwo half
	mv small split.dwo
	ask "$PWD/split"
	grep -q '^innermost$' "$out" || lacks_half "/split\\.dwo: $lacks; .*/split\\.dwp: No such file"
	mv half split.dwo
	pack split
	objcopy --compress-debug-sections=zstd split.dwp
	ask "$PWD/split"
	grep -q '^innermost$' "$out" || lacks_half "/split\\.dwo: No such .*/split\\.dwp: $lacks"
}

@test "a program whose file was deleted, or replaced, since it started" {
	needs addr2line
	not_sanitized "its runtime must be loaded first"
	local other
	$CC -g -O1 -Wl,--build-id -o built -x c - <<-'END'
		#include <stdio.h>
		#include <unistd.h>

		static volatile int *volatile null;

		int main(int argc, char *argv[])
		{
			if (argc > 1)
				rename(argv[1], argv[0]);
			else
				unlink(argv[0]);
			*null = 1;
			return 0;
		}
	END
	for other in '' ./other; do
		cp built ./program
		[ -z "$other" ] || cp "$bin/foreign" "$other"
		# shellcheck disable=SC2086 # nothing, or one
		("$whocallme" run --helper="$whocallme" ./program $other 2>report) \
			2>/dev/null || true
		grep -q '^   main at .*<stdin>:12' report || { cat report && return 1; }
	done
	cmp -s program "$bin/foreign"
}

# UndefinedBehaviorSanitizer says what such a table did.
@test "a table of lines with a sequence that has no rows" {
	needs python3
	echo 'int main(void) { return 0; }' | $CC -g -no-pie -o ended -x c -
	# Where the first address is set the sequence ends.
	python3 -c '
data = open("ended", "rb").read()
address = int("'"$(nm ended | awk '$3 == "main" { print $1 }')"'", 16)
size = '$((digits / 2))'
address = address.to_bytes(size, "little")
head = bytes([0, 1 + size])
assert data.count(head + b"\x02" + address)
open("ended", "wb").write(data.replace(head + b"\x02" + address, head + b"\x01" + address))'
	observe timeout 60 "$whocallme" resolve "$PWD/ended+0x$(nm ended | awk '$3 == "main" { print $1 }')"
	expect_status 0
	out_has 'main'
	[ ! -s "$err" ] || blame 'something is said'
}

@test "rows of a table of lines whose addresses fall" {
	needs python3
	printf 'int x;\nint main(void)\n{\n\tx = 1;\n\tx = 2;\n\tx = 3;\n\treturn 0;\n}\n' |
		$CC -g -gno-as-loc-support -no-pie -o falling -x c - ||
		skip "this compiler has no table of its own"
	# The addresses of lines 3 to 8 in opposite order; that of the end stays.
	python3 - $((digits / 2)) $(nm -S falling | awk '$4 == "main" { print $1, $2 }') \
		<<-'END' >addresses
		import re, sys
		width = int(sys.argv[1])
		start, size = (int(word, 16) for word in sys.argv[2:])
		sets = rb"\0%c\x02(.{%d})" % (width + 1, width)
		data = open("falling", "rb").read()
		rows = [row for row in re.finditer(sets, data, re.S)
		        if start <= int.from_bytes(row[1], "little") < start + size]
		assert len(rows) == 6
		changed = bytearray(data)
		for row, other in zip(rows, reversed(rows)):
		    changed[row.start():row.end()] = other[0]
		    print(f"falling+{int.from_bytes(row[1], 'little'):#x}")
		open("falling", "wb").write(changed)
	END
	observe timeout 60 "$whocallme" resolve $(sed "s|^|$PWD/|" addresses)
	expect_status 0
	[ "$(sed -n 's/.*<stdin>:\([0-9]*\).*/\1/p' "$out" | tr '\n' ' ')" = '8 7 6 5 4 3 ' ] ||
		blame "other lines"
}
