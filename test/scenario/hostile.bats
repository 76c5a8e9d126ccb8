#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# hostile.bats - inputs that are made to take all time or memory.

load support

make_hostile=$top_srcdir/test/scenario/hostile.py

setup()
{
	ulimit -S -c 0
	needs python3 jq
	cd "$BATS_TEST_TMPDIR"
}

# Whether time grows faster than an input is judged without sanitizers, which slow all down and
# see as much in a tenth.
share=1
[ -z "$sanitize" ] || share=10

# within SECONDS MEGABYTES COMMAND...: killed where it takes more of either.
within()
{
	local seconds=$1 megabytes=$2
	shift 2
	[ -z "$sanitize" ] && ulimit -S -v $((megabytes << 10))
	observe timeout -s KILL "$seconds" "$@"
	ulimit -S -v unlimited
}

# A path whose lifetimes are 62^8, as Rust has it; and one of C++ of which each part
# names the one before it five times.
lifetimes=_RNvXYDGzzzzzzzz_C1aEL_C1bC1cC1d1f
endless=_Z1f1AIiiiiE
for part in '' 0 1 2 3 4 5 6 7 8 9 A B; do
	endless+=S${part}_I
	for again in 1 2 3 4; do
		endless+=S$(tr '0-9A-Z' '1-9A-Z' <<<"${part:-/}" | tr / 0)_
	done
	endless+=E
done

# The command's output has each TEXT, as it is.
shows()
{
	local text
	for text; do
		grep -q -F -- "$text" "$out" || blame "stdout lacks: $text"
	done
}

@test "names that would be demangled for ever are shown mangled" {
	local name report command
	for name in $lifetimes $endless; do
		printf '.text\n.globl %s\n.type %s,@function\n%s: ret\n' \
			$name $name $name >>names.s
	done
	$CC -shared -nostdlib -o names.so names.s
	within 20 300 "$whocallme" functions -C names.so
	expect_status 0
	shows $lifetimes $endless
	python3 "$make_hostile" named $lifetimes $endless >text
	python3 "$make_hostile" named --json $lifetimes $endless >json
	for report in text json; do
		for command in resolve 'resolve --text' group 'group --json'; do
			# shellcheck disable=SC2086 # a command and an option
			within 20 300 "$whocallme" $command $report
			expect_status 0
			shows $lifetimes $endless
		done
	done
}

# A report of so many frames and modules took time that grew with their product.
@test "reports with many frames and modules" {
	local command
	python3 "$make_hostile" stack $((40000 / share)) $((30000 / share)) >text
	python3 "$make_hostile" stack --json $((40000 / share)) $((30000 / share)) >json
	python3 "$make_hostile" lines $((40000 / share)) $((1000000 / share)) >lines
	for report in text json lines; do
		for command in group 'group --frames=1000' 'group --json' resolve; do
			# shellcheck disable=SC2086 # a command and its options
			within 20 2000 "$whocallme" $command $report
			expect_status 0
		done
	done
	# The last frame but those that are behind the signature's.
	within 20 2000 "$whocallme" group --json --frames=1000 text
	[ "$(jq -c '.count, (.frames | length), .frames[999].build_id' "$out" | xargs)" = \
		'1 1000 000003e7' ] || blame 'not the frames and build-ids'
	within 20 2000 "$whocallme" group --json --frames=1000 json
	[ "$(jq -r '.frames[999] | .build_id, .function' "$out" | xargs)" = \
		'000003e7 f999' ] || blame 'not the frames and build-ids'
}

# Of an address all modules were looked at, of a process too, and of a return all calls.
@test "files of addresses with many modules, processes and calls" {
	python3 "$make_hostile" addresses $((300000 / share)) >modules
	within 20 2000 "$whocallme" resolve modules
	[ "$(grep -c '^E0x' "$out")" -eq $((300000 / share)) ] ||
		blame 'not all of the addresses'
	python3 "$make_hostile" returns $((300000 / share)) >returns
	within 20 2000 "$whocallme" report returns
	expect_status 0
	out_has " $((3000 / share))  <7f0000000063>"
}

# What is out of order in a damaged report is passed over, and the rest is counted.
@test "a report whose frames are out of order" {
	python3 "$make_hostile" stack 6 1 | awk '/^#3/ { held = $0; next } { print }
		/^#4/ { print held }' >damaged
	within 20 300 "$whocallme" group --no-resolve --json damaged
	expect_status 0
	expect_err 'whocallme group: damaged: 1 line passed over: no report'
	[ "$(jq -r '.frames[].function' "$out" | xargs)" = 'f0 f1 f2 f4 f5' ] ||
		blame 'not the others'
}

# A table that is not written in the file would take 8 GB of memory.
@test "a file that is nearly all hole" {
	local table
	build starts words.cc -O0
	for table in symtab strtab shstrtab dynsym dynstr; do
		cp "$bin/starts" hollow
		python3 "$make_hostile" hollow hollow .$table
		within 20 500 "$whocallme" functions hollow
		[ "$status" -le 1 ] || blame "$table"
		within 20 20000 "$whocallme" resolve hollow+0x1100
		expect_status 1
		shows 'hollow: File too large'
		within 20 20000 "$whocallme" trace --log ./hollow
		[ "$status" -ne 137 ] || blame "$table: trace"
	done
	# BFD allocates what these are said to have before it asks for any of it.
	for table in gnu.version_r gnu.version rela.dyn plt.got; do
		cp "$bin/starts" hollow
		python3 "$make_hostile" hollow hollow .$table
		within 20 500 "$whocallme" functions hollow
		[ "$status" -le 1 ] || blame "$table"
		! grep -q memory "$err" || blame "$table: $(cat "$err")"
	done
}

# Sections that are mapped may have holes: libdw goes by the name alone, and read 8 GB.
@test "debug data in a hole that is said to be mapped" {
	echo 'int main(void) { return 0; }' | $CC -g -o mapped -x c -
	python3 "$make_hostile" hollow mapped .debug_info mapped
	within 10 20000 "$whocallme" resolve "mapped+0x$(nm mapped | awk '$3 == "main" { print $1 }')"
	expect_status 1
	shows 'mapped: File too large'
}

@test "a program that is nearly all hole loads no names, and runs" {
	not_sanitized "its runtime must be loaded first"
	$CC -o hollow -I"$top_srcdir/include" -x c - $shared_libs <<-'END'
		#include <stdio.h>
		#include <whocallme.h>

		int main(int argc, char *argv[])
		{
			const char *name;

			init_function_table(argv[0]);
			name = find_function_by_addr((unsigned long)&main);
			return puts(name ? name : "nameless") < 0;
		}
	END
	python3 "$make_hostile" hollow hollow .symtab
	within 20 500 ./hollow
	expect_status 0
	[ "$(cat "$out")" != main ] || blame 'named after a hole'
}

# Escapes in JSON, lines of other reports, folds: each as often as there is room for.  And bytes of 0.
@test "logs that are made to take time or memory" {
	python3 - <<-'PY'
		import json
		open("escapes", "w").write('{"log":"' + r"\u0041" * 1200000 + '","stream":"s","time":"t"}\n')
		head = "<whocallme>: p: SIGSEGV, segmentation fault: x\n"
		with open("lines", "w") as log:
		    log.write("[Y] " + head)
		    for i in range(200000):
		        log.write(f"[Y] #{i} 0x000055c70029c1a7 in f+0x1 (/nowhere+0x1)\n")
		    log.write("[X] " + head)
		    log.write("[X] <whocallme>: source lines:\n[X] #1 f at a.c:1\n" * 200000)
		frame = {"pc": "0x1", "function": "f", "offset": "0x1"}
		json.dump({"version": 1, "name": "p", "process": 1, "signal": {"name": "SIGSEGV"}, "cause": {},
		           "stack": {"frames": [dict(frame, number=i) for i in range(60000)],
		                     "folds": [{"first": -5, "count": 3, "period": 1}] * 60000}},
		          open("folds", "w"), separators=(",", ":"))
		with open("zeros", "wb") as log:
		    for i in range(200):
		        log.write(b"app[1]: #%d 0x00007fbe03106503 in f+0x1 (/nowhere+0x2000)\0" % i)
		        log.write(b"\033[1mabc" * 8000 + b"\n")
		    log.write(b'app[1]: {"version":1,"name":"p"}\0' + b"b" * 50000 + b"\n")
	PY
	within 20 2000 "$whocallme" resolve escapes
	within 20 2000 "$whocallme" resolve lines
	expect_status 0
	within 20 2000 "$whocallme" resolve --text folds
	expect_status 0
	within 20 2000 "$whocallme" resolve zeros
	expect_status 0
}

# BFD prints what it thinks of a file while it recognises it, and no handler is asked.
@test "what BFD says of a damaged file is not printed, its name least of all" {
	local name=$'past\e[31m'
	echo 'int main(void) { return 0; }' | $CC -o "$name" -x c -
	python3 "$make_hostile" past "$name"
	within 20 500 "$whocallme" functions "$name"
	out_has ' main$'
	[ ! -s "$err" ] || blame 'something is said'
}

# BFD reads all of it for its checksum; and waits for a FIFO.
@test "a debug file by .gnu_debuglink that is all hole, or a FIFO" {
	local kind
	echo 'int main(void) { return 0; }' | $CC -g -Wl,--build-id=none -o linked -x c -
	objcopy --only-keep-debug linked linked.debug
	objcopy --strip-all --add-gnu-debuglink=linked.debug linked
	within 20 500 "$whocallme" functions linked
	out_has ' main$'
	for kind in hole fifo; do
		rm linked.debug
		[ $kind = hole ] && truncate -s 90G linked.debug || mkfifo linked.debug
		within 20 500 "$whocallme" functions linked
		expect_status 0
		out_lacks ' main$'
		within 20 200000 "$whocallme" resolve linked+0x1100
		expect_status 0
	done
}

# refuses_linked MODULE ADDRESS SAID: debug data of ./made/MODULE names a file that libdw
# would open; the command, which runs elsewhere, says what is wrong with it.
refuses_linked()
{
	cd / || return
	within 20 20000 "$whocallme" resolve "$BATS_TEST_TMPDIR/made/$1+0x$2"
	expect_status 0
	shows "$3"
	cd "$BATS_TEST_TMPDIR"
}

# libdw opens what debug data names, beside the file that has it.
@test "split debug data and that of dwz in a file that is all hole, or a FIFO" {
	local address
	mkdir made
	echo 'int main(void) { return 0; }' >made/main.c
	(cd made && $CC -g -gsplit-dwarf -c main.c && $CC -o split main.o)
	address=$(nm made/split | awk '$3 == "main" { print $1 }')
	refuses_linked split "$address" 'made/main.c:1'
	out_lacks 'is not used'
	python3 "$make_hostile" hollow made/main.dwo .debug_info.dwo
	refuses_linked split "$address" '/made/main.dwo: File too'
	rm made/main.dwo
	mkfifo made/main.dwo
	refuses_linked split "$address" '/made/main.dwo: it is no'

	needs dwz
	(cd made && $CC -g -o one main.c && cp one two && dwz -m common -M common one two)
	address=$(nm made/one | awk '$3 == "main" { print $1 }')
	refuses_linked one "$address" 'main at '
	out_lacks 'is not used'
	(cd made && cp common held && objcopy --add-section .gnu_debugaltlink=main.c common)
	refuses_linked one "$address" 'common is not used: it names another file in its turn'
	mv made/held made/common
	python3 "$make_hostile" hollow made/common .debug_str
	refuses_linked one "$address" 'common is not used: File too large'
	rm made/common
	mkfifo made/common
	refuses_linked one "$address" 'common is not used: it is not an ELF file'
}

# libelf has all of a section in memory: 400 MB, of 400 KB.
@test "debug data that unpacks to more than was ever packed" {
	local how
	for how in zlib zlib-gnu; do
		$CC -shared -nostdlib -o bomb.so \
			-Wl,--compress-debug-sections=$how -x assembler - <<-'END'
			.globl f
			f: ret
			.section .debug_info,"",%progbits
			.zero 400000000
		END
		[ "$(stat -c %s bomb.so)" -lt 4000000 ] || skip "the linker packs nothing"
		within 20 300 "$whocallme" resolve bomb.so+0x1000
		expect_status 1
		shows 'bomb.so: File too large'
		truncate -s 8G bomb.so # of the file's size it is little
		within 20 20000 "$whocallme" resolve bomb.so+0x1000
		expect_status 1
		shows 'bomb.so: File too large'
	done
}

# Ten thousand names of a megabyte each, of which the file has one.
@test "symbols whose names are all the end of one" {
	python3 - >names.s <<-'END'
		print(".text")
		for i in range(10000):
		    print(f".globl f{i}\n.type f{i},@function\nf{i}: ret\n.size f{i},1")
		print(f".globl {'A' * 1000000}\n{'A' * 1000000} = f0")
	END
	$CC -shared -nostdlib -Wl,-z,noseparate-code -o names.so names.s
	objcopy --strip-debug names.so shared.so
	python3 "$make_hostile" names shared.so
	within 20 500 "$whocallme" functions shared.so
	expect_status 0
	[ "$(wc -l <"$out")" -ge 1 ] || blame 'no name at all'
}

# Peak memory in megabytes and the command's status, by the kernel's account.
cost()
{
	timeout -s KILL 60 python3 -c '
import resource, subprocess, sys
with open("said", "wb") as said:
    status = subprocess.run(sys.argv[1:], stdout=said).returncode
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss >> 10, status)' "$@"
}

@test "small files of which debug data or symbols would take all time or memory" {
	not_sanitized "its memory is more"
	local kind megabytes status address
	for kind in packed packed_symbols names underscores files units functions inlined rows; do
		python3 "$top_srcdir/test/scenario/hostile_debug.py" $kind $kind
		# shellcheck disable=SC2046 # a list
		read -r megabytes status < <(cost "$whocallme" resolve \
			$(printf "$kind+%#x " {4096..4607..32}))
		[ "${megabytes:-9999}" -lt 400 ] ||
			blame "$kind: ${megabytes:-killed, or more than a minute}"
		[ "$status" -le 1 ] || blame "$kind: $status"
		[ "$(wc -l <said)" -lt 20000 ] || blame "$kind: said too much"
	done
	grep -q 'f\.c:[1-9]' said || blame 'no line of a table within bounds'
}

# libdw reads all of the table for each unit: 500 MB, of 80 KB.
@test "debug data whose units all have one long table of abbreviations" {
	cat >units.s <<-'END'
		.text
		.globl f
		f: ret
		.section .debug_abbrev,"",%progbits
		.set code, 2
		.rept 6000
		.uleb128 code
		.byte 0x2e, 0, 0, 0
		.set code, code + 1
		.endr
		.byte 1, 0x11, 0, 0x03, 0x08, 0, 0, 0
		.section .debug_info,"",%progbits
		.rept 3000
		.long 2f - 1f
		1: .short 4
		.long 0
		.byte 8, 1
		.asciz "u"
		2:
		.endr
	END
	$CC -shared -nostdlib -o units.so units.s
	within 20 400 "$whocallme" resolve units.so+0x1000
	expect_status 0
	shows 'units.so: its debug data is not used: its units share too many abbreviations'
	# Split debug data is as hostile.
	$CC -g -gsplit-dwarf -O0 -o whole.o -c -x c - <<<'int main(void) { return 0; }'
	[ -e whole.dwo ] || skip "the compiler splits no debug data"
	$CC -o whole whole.o
	sed 's/debug_[a-z]*/&.dwo/' units.s >split.s
	$CC -c -o whole.dwo split.s
	within 20 400 "$whocallme" resolve "$PWD/whole+0x$(nm whole | awk '$3 == "main" { print $1 }')"
	expect_status 0
	shows 'whole.dwo, with split debug data, is not used: '
	shows 'whole.dwo: its units share too many'
}
