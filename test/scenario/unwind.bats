#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# unwind.bats - stacks where others lose their way, judged by gdb or by libgcc.

load support

lean='-O2 -fomit-frame-pointer'

setup()
{
	not_sanitized "the programs are judged, not the library"
}

# judge PROGRAM [ARGUMENT...]: at each mark() of the program its stack is gdb's.
judge()
{
	needs gdb python3
	export CORPUS_OUTPUT=$BATS_TEST_TMPDIR/found
	export CORPUS_EXPECTED=$BATS_TEST_TMPDIR/expected
	rm -f "$CORPUS_OUTPUT"
	timeout 60 gdb -nx -batch -x "$top_srcdir/test/corpus/oracle.py" \
		--args "$@" >"$BATS_TEST_TMPDIR/gdb" 2>&1 </dev/null
	tail -n 3 "$BATS_TEST_TMPDIR/gdb"
	grep -q 'exited normally' "$BATS_TEST_TMPDIR/gdb"
	python3 -B - "$top_srcdir/test/corpus" <<-'END'
		import os, sys
		sys.path.insert(0, sys.argv[1])
		import corpus
		stacks, frames, differences = corpus.compare(
		    corpus.read(os.environ["CORPUS_OUTPUT"]),
		    corpus.read(os.environ["CORPUS_EXPECTED"]))
		print(stacks, "stacks", frames, "frames", *differences, sep="\n")
		sys.exit(bool(differences) or not stacks)
	END
}

# marked NAME SOURCE [FLAG...] [-- LINK_FLAG...]: build with the corpus's mark().
marked()
{
	# shellcheck disable=SC2086 # a list
	compile "$bin/mark.o" "$top_srcdir/test/corpus/mark.c" -D_GNU_SOURCE $lean
	build "$@" "$bin/mark.o"
}

assemble()
{
	compile "$bin/unusual-asm.o" "$programs/unusual.S"
}

x86_64_only()
{
	needs_arch x86_64 "its assembly is x86-64's"
}

@test "a new thread, raw clone, destructors, alternate stacks below and above" {
	x86_64_only
	assemble
	# shellcheck disable=SC2086 # a list
	marked unusual unusual.c $lean -I"$top_srcdir/test" -- "$bin/unusual-asm.o"
	judge "$bin/unusual"
}

@test "the same, all of it static" {
	x86_64_only
	needs_static
	assemble
	# shellcheck disable=SC2086 # lists
	{
		compile "$bin/unusual.o" "$programs/unusual.c" $lean -I"$top_srcdir/test"
		compile "$bin/mark.o" "$top_srcdir/test/corpus/mark.c" -D_GNU_SOURCE $lean
		$CC -static -o "$bin/static" "$bin/unusual.o" "$bin/unusual-asm.o" \
			"$bin/mark.o" $static_libs 2>"$bin/link.log"
	}
	judge "$bin/static"
}

@test "started by the dynamic linker as a command" {
	x86_64_only
	assemble
	# shellcheck disable=SC2086 # a list
	build places places.c $lean -- "$bin/unusual-asm.o"
	local linker
	linker=$(readelf -l "$bin/places" | sed -n 's/.*interpreter: \(.*\)]/\1/p')
	observe "$linker" "$bin/places" made-code
	out_has "^the thread's first function was reached$"
	out_has '^#[0-9]* 0x[0-9a-f]* in _start\+'
}

place()
{
	x86_64_only
	assemble
	# shellcheck disable=SC2086 # a list
	build places places.c $lean -- "$bin/unusual-asm.o"
	observe timeout 20 "$bin/places" "$1"
	expect_status 0
}

# Which frames there are on stdout, from the innermost to NAME.
frames_to()
{
	frame_names <"$out" | sed "/^$1\$/q" | tr '\n' ' '
}

@test "code made at run time at the start of its mapping, by frame pointer" {
	place made-code
	[ "$(frames_to main)" = 'write_here ?? made_code main ' ] ||
		blame "the caller of made code is lost"
	out_has '^#2 .* in made_code\+.* \?$'
	out_has "^the thread's first function was reached$"
}

@test "a 16 KiB stack: the classic calls, in a handler too" {
	place small
	err_has '^<whocallme>: function <.*> call me <small>!$'
	[ "$(frame_names <"$err" | head -n 2 | tr '\n' ' ')" = \
		'backtrace_on_signal <signal handler called> ' ]
	err_has '^#[0-9]* 0x[0-9a-f]* in small\+'
	err_has '^#[0-9]* 0x[0-9a-f]* in start_thread\+|in \?\? \(.*libc'
}

@test "a stack that was part of the thread's and can be read no more" {
	place lost-stack
	[ "$(sed '1,/^the /d' "$out" | frame_names | tail -n 1)" = \
		fiber_switch ]
	tail -n 1 "$out" | grep 'memory that cannot be read' ||
		blame "not why the walk ends"
}

@test "the child of a thread that forks" {
	place forked
	[ "$(frame_names <"$out" | head -n 2 | tr '\n' ' ')" = 'write_here forks ' ]
	out_has "^the thread's first function was reached$"
}

@test "behind a function that has no code" {
	needs clang ld.lld
	local linker
	for linker in lld bfd; do
		# shellcheck disable=SC2086 # a list
		CC=clang marked hidden-$linker hidden.c $lean \
			-I"$top_srcdir/test" -- -fuse-ld=$linker
		judge "$bin/hidden-$linker"
	done
}

@test "the crash report of programs without frame pointers" {
	needs gdb
	local death
	# shellcheck disable=SC2086 # a list
	build crash crash.c $lean
	for death in null_read divide null_call wild_call in_thread; do
		observe "$bin/crash" "$death"
		err_has '^<whocallme>: crash: SIG'
		expect_same_names "$(gdb_names run -- "$bin/crash" "$death")" \
			"$(sed '/^program: /,$d' "$err" | frame_names)" ||
			blame "$death"
	done
}

@test "the same, static" {
	needs gdb
	local death
	# shellcheck disable=SC2086 # a list
	build_static crash crash.c $lean
	for death in null_read null_call; do
		observe "$bin/crash" "$death"
		expect_same_names "$(gdb_names run -- "$bin/crash" "$death")" \
			"$(sed '/^program: /,$d' "$err" | frame_names)" ||
			blame "$death"
	done
}

# The return addresses of a list of frames, from those in the program on.
addresses()
{
	sed -n 's/^#[0-9]* *\(0x[0-9a-f]*\) in .*/\1/p'
}

# whole_stack GDBS SOURCES: what a stack is held against: gdb's, which i386's follows any
# frame pointer from code that nothing describes; there it is what the source says.
whole_stack()
{
	if [ "$arch" = i386 ]; then
		tr ' ' '\n' <<<"$2"
	else
		cat <<<"$1"
	fi
}

@test "a fault at the first instruction of code that nothing describes" {
	needs_arch "x86_64 i386" "its assembly is x86's"
	needs gdb
	local how theirs
	# shellcheck disable=SC2086 # a list
	build undescribed undescribed.c $lean
	for how in name pointer high table made; do
		observe "$bin/undescribed" "$how"
		[ "$status" -gt 128 ] || blame "no crash"
		theirs=$(gdb_names run -- "$bin/undescribed" "$how")
		[ "$how" != made ] || theirs=$(whole_stack "$theirs" "?? by_pointer run main")
		expect_same_names "$(frame_names <"$err")" "$theirs" || blame "$how"
		err_lacks ' \?$'
	done
	observe "$bin/undescribed" stack # its pushes are in no row, for gdb as well
	err_has '^#1 .* in by_stack'
}

@test "a fault some instructions into data that was called, or jumped to, as code" {
	needs_arch "x86_64 i386" "its assembly is x86's"
	needs gdb
	local how data theirs
	# shellcheck disable=SC2086 # a list
	build undescribed undescribed.c $lean
	for how in call jump; do
		for data in zeros numbers words path invalid privileged breakpoint nops \
			clears_registers divides_by_zero reads_null; do
			observe "$bin/undescribed" "$how" "$data"
			[ "$status" -gt 128 ] || blame "no crash"
			theirs=$(gdb_names run -- "$bin/undescribed" "$how" "$data")
			expect_same_names "$(frame_names <"$err" | sed 1d)" \
				"$(sed 1d <<<"$theirs")" || blame "$how $data"
			err_has "^#1 .* in by_"
		done
	done
}

# Code that no .eh_frame describes.  gdb reads .debug_frame, which has all of it.
bare()
{
	needs_arch "x86_64 i386" "its assembly is x86's"
	needs gdb
	build bare bare.c -fomit-frame-pointer -fno-asynchronous-unwind-tables \
		-fno-exceptions "$@"
	refute grep -q 'eh_frame' <(readelf -SW "$bin/bare.o")
	readelf -SW "$bin/bare.o" | grep -q debug_frame
}

# Names without what compilers add; libc's sort is gdb's with inlined functions.
plain_names()
{
	sed -e 's/[.]constprop.*//' -e '/msort_with\|qsort/d'
}

@test "a fault in functions with neither .eh_frame nor frame pointer" {
	local flags way
	for flags in '-O2 -fstack-protector-all' -O1 '-Os -fcf-protection'; do
		# shellcheck disable=SC2086 # a list
		bare $flags
		objcopy -R .debug_frame "$bin/bare" "$bin/guessed"
		for way in leaf small array large 128 registers callback sort recursive \
			killer; do
			observe "$bin/guessed" $way
			[ "$status" -gt 128 ] || blame "no crash"
			expect_same_names "$(frame_names <"$err" | plain_names)" \
				"$(gdb_names run -- "$bin/bare" $way | plain_names)" ||
				blame "$flags: $way"
			err_has '^#0 .* in [a-z_]*[^?]*$'
		done
	done
}

# The names of the frames of "resumed KIND" are NAMES, below the thread's start.
resumes()
{
	local kind=$1
	shift
	observe "$whocallme" run --sections=stack --no-lines "$bin/resumed" "$kind"
	diff <(printf '%s\n' crash runtime "$@") <(sed -n \
		's/^#[0-9]* 0x[0-9a-f]* in \([^+ ]*\).*/\1/p' "$err" | head -n $(($# + 2))) ||
		blame "$kind"
	err_lacks 'may go on'
}

@test "return addresses without a call in front, in a chain of frame pointers that is whole" {
	needs_arch x86_64 "its assembly is x86-64's"
	not_sanitized "its runtime must be loaded first"
	compile "$bin/resumed_code.o" "$programs/resumed.S"
	# With two executable segments, and with one.
	build resumed resumed.c -fno-omit-frame-pointer -O0 -fno-pie -- "$bin/resumed_code.o" \
		-no-pie -Wl,--section-start=.far=0x10000000
	[ "$(readelf -lW "$bin/resumed" | grep -c 'LOAD.* R E ')" -eq 2 ]
	resumes code continuation outer main
	build resumed resumed.c -fno-omit-frame-pointer -O0 -- "$bin/resumed_code.o"
	resumes code continuation outer main
	resumes twice continuation continuation_next main
	resumes memory '??' outer main
	resumes thread continuation outer
	observe "$whocallme" run --sections=stack --no-lines "$bin/resumed" data
	err_has 'may go on: nothing describes'
	err_lacks '^#2'
}

@test "no caller is invented where the frame is unknown" {
	local size theirs ours
	bare -O2
	theirs=$(gdb_names run -- "$bin/bare" any 16)
	[ "$(tr '\n' ' ' <<<"$theirs")" = "any_frame run_any main " ]
	objcopy -R .debug_frame "$bin/bare"
	for size in $(seq 8 8 1024); do
		observe "$bin/bare" any "$size"
		[ "$status" -gt 128 ] || blame "no crash"
		ours=$(frame_names <"$err")
		case $theirs in
		"$ours" | "$ours"$'\n'*) ;;
		*) blame "$size bytes: not gdb's" ;;
		esac
	done
}

# The stack of PROGRAM ARGUMENT... in its crash is what .debug_frame says, and no guess.
by_debug_frame()
{
	observe "$@"
	[ "$status" -gt 128 ] || blame "no crash"
	err_lacks ' [?]$'
	expect_same_names "$(frame_names <"$err")" "$described" || blame "$*"
}

@test "frames that .debug_frame alone describes" {
	local flags way size described=$'any_frame\nrun_any\nmain'
	for flags in -O2 '-O2 -fno-pie -- -no-pie' '-Os -gz' '-O1 -gdwarf64'; do
		# shellcheck disable=SC2086 # a list
		bare $flags
		[ "$flags" != '-Os -gz' ] || readelf -SW "$bin/bare" | grep 'debug_frame.* C ' ||
			objcopy --compress-debug-sections "$bin/bare"
		[ "$flags" != -O2 ] ||
			[ "$(gdb_names run -- "$bin/bare" any 16)" = "$described" ]
		for size in 16 160 4096 16384; do
			by_debug_frame "$bin/bare" any $size
		done
	done
	# In a debug file, with and without .symtab in the program.
	for flags in --strip-debug --strip-all; do
		bare -O2 -- -Wl,--build-id=none
		objcopy --only-keep-debug "$bin/bare" "$bin/bare.debug"
		objcopy $flags "$bin/bare"
		objcopy --add-gnu-debuglink="$bin/bare.debug" "$bin/bare"
		refute grep -q debug_frame <(readelf -SW "$bin/bare")
		by_debug_frame "$bin/bare" any 160
	done
}

@test "frames that .debug_frame alone describes, of a program without its tables" {
	local described=$'any_frame\nrun_any\nmain'
	needs_arch "x86_64 i386" "its assembly is x86's"
	build bare bare.c -O2 -fomit-frame-pointer -fno-asynchronous-unwind-tables \
		-fno-exceptions
	WHOCALLME_BARE_TABLES=no by_debug_frame "$bin/bare" any 160
	WHOCALLME_BARE_TABLES=no observe "$bin/bare" backtrace
	expect_same_names "$(frame_names <"$err" | plain_names)" $'asks\nin_asking\nrun\nmain'
	err_lacks ' [?]$'
	build_static bare bare.c -O2 -fomit-frame-pointer -fno-asynchronous-unwind-tables \
		-fno-exceptions
	by_debug_frame "$bin/bare" any 160
}

# unread FACT [-DBARE_JSON]: a report of "bare" without tables ends with it, also as JSON is shown.
unread()
{
	local end="(the stack may go on: nothing describes the frame at this pc: $1)"
	WHOCALLME_BARE_TABLES=no observe "$bin/bare" any 160
	if [ $# -gt 1 ]; then
		grep -qF "\"stop_why\":\"$1\"" "$err" || blame "$1: not in JSON"
		"$whocallme" resolve --text <"$err" >"$out"
		mv "$out" "$err"
	fi
	grep -qxF "$end" "$err" || blame "$*: not said"
}

@test "why a report does not read a .debug_frame is said" {
	local form described=$'any_frame\nrun_any\nmain'
	for form in '' -DBARE_JSON; do
		bare -O2 $form
		objcopy --compress-debug-sections "$bin/bare"
		readelf -SW "$bin/bare" | grep -q 'debug_frame.* C ' || skip "it is not compressed"
		unread "the .debug_frame of its file is compressed; init_function_table() reads it" $form
		[ -n "$form" ] || by_debug_frame "$bin/bare" any 160
		bare -O2 $form
		objcopy --only-keep-debug "$bin/bare" "$bin/bare.debug"
		objcopy --strip-debug --add-gnu-debuglink="$bin/bare.debug" "$bin/bare"
		unread "its file has no .debug_frame, but the name of a debug file, $(:
			)which init_function_table() reads" $form
	done
}

@test "what a report has not read of .debug_frame is read for a stack that is asked for later" {
	bare -O2 -DBARE_LARGE
	WHOCALLME_BARE_TABLES=no observe "$bin/bare" survived
	expect_status 1
	err_has 'is of more than 16 MiB'
	sed -i '1,/^survived$/d' "$err"
	expect_same_names "$(frame_names <"$err" | plain_names)" \
		$'asks\nin_asking\nsurvive\nrun\nmain'
	err_lacks ' [?]$'
}

# bare_libraries: bare-1.so and bare-2.so, whose functions differ, and nothing but .debug_frame
# describes; "plugs LIBRARY..." opens each where the one before was, and has it call.
bare_libraries()
{
	local number
	needs_arch "x86_64 i386" "a frame pointer would tell"
	cat >"$bin/plug.c" <<-'C'
		void plug(void (*leaf)(void));
		static __attribute__((noinline)) void NAME(void (*leaf)(void))
		{
			volatile char room[SIZE];
			room[0] = 1;
			leaf();
			room[1] = 1;
		}
		void plug(void (*leaf)(void))
		{
			volatile char room[2 * SIZE];
			room[0] = 1;
			NAME(leaf);
			room[1] = 1;
		}
	C
	cat >"$bin/plugs.c" <<-'C'
		#include <dlfcn.h>
		#include <link.h>
		#include <stdlib.h>
		#include <whocallme.h>
		static void ask(void)
		{
			full_backtrace();
		}
		static void capture(void)
		{
			struct wcm_frame frames[20];
			for (int i = 0; i < 100; i++)
				wcm_stack_capture(frames, 20, 0, NULL);
		}
		int main(int argc, char *argv[])
		{
			uintptr_t before = 0;
			for (int i = 1; i < argc; i++) {
				struct link_map *library = dlopen(argv[i], RTLD_NOW);
				void (*plug)(void (*)(void)) =
					(void (*)(void (*)(void)))dlsym(library, "plug");
				if (getenv("TABLES"))
					init_function_table(NULL);
				plug(getenv("TABLES") ? capture : ask);
				if (before && before != library->l_addr)
					return 3;
				before = library->l_addr;
				dlclose(library);
			}
			return 0;
		}
	C
	build plugs "$bin/plugs.c" -O0
	for number in 1 2; do
		$CC -g -O1 -fomit-frame-pointer -fno-asynchronous-unwind-tables -fno-exceptions \
			-shared -fPIC -DNAME=inner_$number -DSIZE=${number}00 \
			-o "$bin/bare-$number.so" "$bin/plug.c"
	done
}

@test "frames that .debug_frame alone describes, of a library that takes another one's place" {
	bare_libraries
	observe "$bin/plugs" "$bin/bare-1.so" "$bin/bare-2.so"
	[ "$status" -ne 3 ] || skip "the second was loaded elsewhere"
	expect_status 0
	expect_same_names "$(sed -n 's/.* in \(inner_[12]\|plug\).*/\1/p' "$err")" \
		$'inner_1\nplug\ninner_2\nplug'
	err_lacks ' [?]$'
}

@test "whose a copy of .debug_frame is, is not read again for each frame" {
	needs strace
	not_sanitized "the sanitizers cannot be traced"
	bare_libraries
	TABLES=1 strace -f -o "$bin/calls" "$bin/plugs" "$bin/bare-1.so"
	local reads most=7500
	reads=$(grep -c process_vm_readv "$bin/calls")
	# Of 100 stacks; the frames of i386 take more.
	[ "$arch" != x86_64 ] || most=4500
	[ "$reads" -lt "$most" ] || blame "$reads reads"
}

# Each byte of the section in turn is another one: a stack may be shorter.
@test "a damaged .debug_frame makes no stack longer, and no crash of its own" {
	needs_arch "x86_64 i386" "its assembly is x86's"
	needs python3
	bare -O2
	objcopy -O binary --only-section=.debug_frame --set-section-flags .debug_frame=alloc \
		"$bin/bare" "$bin/section"
	python3 - "$bin" <<-'END'
		import os, re, random, subprocess, sys
		folder = sys.argv[1]
		whole = open(folder + "/bare", "rb").read()
		section = open(folder + "/section", "rb").read()
		at = whole.index(section)
		truth = ["any_frame", "run_any", "main"]
		chance = random.Random(1)
		numbers = [0, 0xff, 0x7f, 0x80]
		places = chance.sample(range(len(section)), 60) + list(range(24))
		for place in places:
		    data = bytearray(whole)
		    data[at + place] = chance.choice(numbers)
		    if place % 4 == 0:
		        data[at + place:at + place + 4] = bytes([chance.choice(numbers)] * 4)
		    with open(folder + "/damaged", "wb") as file:
		        file.write(data)
		    os.chmod(folder + "/damaged", 0o755)
		    run = subprocess.run([folder + "/damaged", "any", "160"], stderr=subprocess.PIPE)
		    text = run.stderr.decode()
		    names = re.findall(r"^#\d+ 0x[0-9a-f]+ in ([^+ ]+)", text, re.M)
		    assert run.returncode == -11, (place, run.returncode, text)
		    assert "read from is damaged" not in text, (place, text)
		    assert names and names[0] == truth[0], (place, text)
	END
}

# In code made at run time, registered with libgcc, which judges where nothing faults.
@test "code that a run-time has registered with libgcc" {
	needs_arch x86_64 "its code is x86-64's"
	local way
	# shellcheck disable=SC2086 # a list
	build registered registered.c $lean
	for way in frame info bases table table_info late; do
		observe "$bin/registered" $way
		expect_status 0
		matches '^([1-9][0-9]*) of \1$' <"$out" || blame "$way: not libgcc's"
		observe "$bin/registered" $way crash
		err_has '^#1 .* in \?\?$'
		err_has '^#2 .* in call\+'
		err_has '^#3 .* in main\+'
		err_lacks ' [?]$'
	done
	for way in many large; do
		observe "$bin/registered" $way
		expect_status 0
		[ "$(grep -cE '^([1-9][0-9]*) of \1$' "$out")" -eq 4 ] || blame "$(cat "$out")"
	done
	# What is deregistered describes nothing.
	observe "$bin/registered" none
	expect_status 0
	sed -n 1p "$out" | matches '^([1-9][0-9]*) of \1$'
	[ "$(sed -n 2p "$out")" != "$(sed -n 1p "$out")" ]
}

@test "registered tables whose memory is gone, or has become something else" {
	needs_arch x86_64 "its code is x86-64's"
	local way how
	# shellcheck disable=SC2086 # a list
	build registered registered.c $lean
	for way in frame table info; do
		for how in unmapped zeros words; do
			observe timeout 20 "$bin/registered" $way $how
			[ "$status" -eq 139 ] || blame "$way $how: status $status"
			err_has '^#0 .* in call_back\+'
			err_lacks 'fault in|twice|gave up'
		done
	done
}

# libgcc comes with a library that the program opens for itself alone: exceptions pass the code
# as they do without us.
@test "preloaded: registered code in a crash, and exceptions through it" {
	needs_arch x86_64 "its code is x86-64's"
	not_sanitized "its runtime must be loaded first"
	compile "$bin/alone.o" "$programs/registered.c" -O2 -fomit-frame-pointer -DALONE
	$CC -o "$bin/alone" "$bin/alone.o" -lgcc_s
	observe "$whocallme" run --sections=stack --no-lines "$bin/alone" frame crash
	expect_status 139
	err_has '^#2 .* in call\+'
	err_has '^#3 .* in main\+'
	err_lacks ' [?]$'
	$CXX -shared -fPIC -O2 -o "$bin/throws.so" -x c++ - <<-'END'
		#include <cstdio>
		#include <cstring>
		#include <cstdint>
		#include <sys/mman.h>
		extern "C" void __register_frame(void *);
		static const unsigned char function[] = { 0x48, 0x83, 0xec, 0x48, 0xff, 0xd7,
							  0x48, 0x83, 0xc4, 0x48, 0xc3 };
		alignas(8) static unsigned char table[] = {
			0x14, 0, 0, 0, 0, 0, 0, 0, 1, 'z', 'R', 0, 1, 0x78,
			16, 1, 0x00, 0x0c, 7, 8, 0x90, 1, 0, 0,
			28, 0, 0, 0, 28, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
			11, 0, 0, 0, 0, 0, 0, 0, 0, 0x44, 0x0e, 0x50, 0x46, 0x0e, 8, 0,
			0, 0, 0, 0, 0, 0, 0, 0 };
		static void thrower() { throw 7; }
		extern "C" int run()
		{
			void *code = mmap(nullptr, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
					  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
			memcpy(code, function, sizeof(function));
			memcpy(table + 32, &code, sizeof(code));
			__register_frame(table);
			try {
				reinterpret_cast<void (*)(void (*)())>(code)(thrower);
			} catch (int number) {
				return number;
			}
			return 1;
		}
	END
	$CC -o "$bin/opens" -x c - <<-END
		#include <dlfcn.h>
		int main(void)
		{
			int (*run)(void);
			*(void **)&run = dlsym(dlopen("$bin/throws.so", RTLD_NOW | RTLD_LOCAL), "run");
			return run();
		}
	END
	refute grep -q libgcc <(readelf -dW "$bin/opens")
	observe "$bin/opens"
	expect_status 7
	observe "$whocallme" run "$bin/opens"
	expect_status 7
	# Before there is libgcc it is looked for once; dlerror() is the program's.
	$CC -rdynamic -o "$bin/late" -x c - <<-END
		#define _GNU_SOURCE
		#include <dlfcn.h>
		__attribute__((weak)) void __register_frame(void *), __deregister_frame(void *);
		static int asked;
		void *dlopen(const char *name, int flags)
		{
			static void *(*next)(const char *, int);
			*(void **)&next = dlsym(RTLD_NEXT, "dlopen");
			asked += (flags & RTLD_NOLOAD) != 0;
			return next(name, flags);
		}
		int main(void)
		{
			static int table[2];
			int (*run)(void);
			for (int i = 0; i < 100; i++) {
				if (i > 0)
					dlopen("$bin", RTLD_NOW);
				__register_frame(table);
				if (!dlerror() != (i == 0))
					return 2;
				__deregister_frame(table);
			}
			if (asked > 4)
				return 3;
			*(void **)&run = dlsym(dlopen("$bin/throws.so", RTLD_NOW | RTLD_LOCAL), "run");
			return run();
		}
	END
	refute grep -q libgcc <(readelf -dW "$bin/late")
	observe "$whocallme" run "$bin/late"
	expect_status 7
}

@test "full_backtrace() in a stripped program without frame pointers" {
	needs gdb
	# shellcheck disable=SC2086 # a list
	build stripped situations.c $lean -- -s
	timeout 60 gdb -nx -batch -iex 'set debuginfod enabled off' \
		-ex 'set breakpoint pending on' -ex 'set backtrace past-main on' \
		-ex 'set backtrace past-entry on' -ex 'break full_backtrace' \
		-ex run -ex bt -ex 'echo -- ours\n' -ex continue \
		--args "$bin/stripped" backtrace </dev/null >"$bin/both" 2>&1
	sed '/^-- ours/q' "$bin/both" | addresses | sed 1d >"$bin/gdbs"
	sed '1,/^-- ours/d' "$bin/both" | addresses | sed 1d >"$bin/ours"
	[ "$(wc -l <"$bin/ours")" -ge 5 ] || { cat "$bin/both" && return 1; }
	diff -u "$bin/gdbs" "$bin/ours"
}

sampled()
{
	# shellcheck disable=SC2086 # a list
	build sampled sampled.cc $lean -std=c++17 -w
	observe timeout 60 "$bin/sampled" "$@"
	cat "$out"
	expect_status 0
}

@test "threads at work, at any instant: libgcc's stacks" {
	sampled 2
}

@test "the same while modules take each other's place" {
	# shellcheck disable=SC2086 # a list
	build_library one.so sampled_plugin.c $lean -DFRAME=24
	# shellcheck disable=SC2086 # a list
	build_library two.so sampled_plugin.c $lean -DFRAME=40
	sampled 2 "$bin/one.so" "$bin/two.so"
}

@test "a signal frame that only its description tells" {
	needs gdb
	place trampoline
	frame_names <"$out" | grep -x '<signal handler called>' ||
		blame "the trampoline is not shown as what it is"
}

@test "a stack whose first function has nowhere to return to" {
	place fiber
	[ "$(frames_to fiber)" = 'write_here fiber ' ]
	out_has "^the thread's first function was reached$"
}

@test "code that is running and cannot be fetched any more" {
	place lost-page
	[ "$(frames_to main)" = 'loses_its_page lost_page main ' ] ||
		blame "the row of the pc is not used"
}

@test "a zero in a register that is no frame pointer ends no stack" {
	place zero
	[ "$(frame_names <"$out" | head -n 2 | tr '\n' ' ')" = \
		'write_here zero_rbp ' ]
	[ "$(grep -c '^#' "$out")" -gt 2 ] ||
		refute grep "^the thread's first function was reached$" "$out" ||
		blame "the stack is said to be whole"
}

@test "a library without .eh_frame_hdr, opened at run time" {
	# shellcheck disable=SC2086 # lists
	{
		build_library libhidden.so hidden.c $lean -DLIBRARY \
			-I"$top_srcdir/test" -Wl,--no-eh-frame-hdr
		marked hidden hidden.c $lean -I"$top_srcdir/test" --
	}
	judge "$bin/hidden" "$bin/libhidden.so"
}

@test "descriptions in a writable segment, of a library opened at run time and of a program" {
	cat >"$bin/writable.S" <<-'END'
		.section .eh_frame,"aw",@progbits
		.long 0x14, 0
		.byte 1
		.string "zR"
		.byte 1, 0x78, 0x10, 1, 0x1b, 0xc, 7, 8, 0x90, 1, 0, 0
		.section .note.GNU-stack,"",@progbits
	END
	x86_64_only
	# shellcheck disable=SC2086 # lists
	{
		build_library libhidden.so hidden.c $lean -DLIBRARY \
			-I"$top_srcdir/test" "$bin/writable.S"
		marked hidden hidden.c $lean -I"$top_srcdir/test" -- "$bin/writable.S"
	}
	grep -q '\.eh_frame  .* WA ' <(readelf -SW "$bin/libhidden.so")
	judge "$bin/hidden" "$bin/libhidden.so"
}

# cut_stack KIND WHERE: the stack of bad_return is not said to be whole, by the call, in text or
# in a report of either form.
cut_stack()
{
	observe "$bin/bad_return" "$@"
	[ "$status" -gt 128 ] || blame "no crash"
	! grep -q "^the thread's first function was reached$" "$out" ||
		blame "$*: a capture is said to be whole"
	[ "$(grep -c '^(the stack may go on: ' "$err")" -eq 2 ] || blame "$*: text says nothing"
	observe "$bin/bad_return" "$@" json
	! grep -q '"stop":"outermost"' "$err" || blame "$*: JSON says that it is whole"
}

@test "a return address that was written over cuts the stack, whatever it is now" {
	local kind where
	build bad_return bad_return.c -fno-omit-frame-pointer -fno-toplevel-reorder
	for where in main thread handler; do
		for kind in zero small wild heap stack data function middle unmapped start; do
			# A call with a link register may begin a stack with 0.
			[ "$kind:$(uname -m | cut -c 1-5)" = zero:aarch ] ||
				[ "$kind:$(uname -m | cut -c 1-5)" = zero:riscv ] ||
				cut_stack $kind $where
		done
	done
	for kind in small wild heap stack data middle unmapped; do
		cut_stack $kind own
	done
	observe "$bin/bad_return" zero own
	out_has "^the thread's first function was reached$"
}
