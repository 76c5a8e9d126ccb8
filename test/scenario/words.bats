#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# words.bats - a report says why, and names what was called, as people would; in text
# and in JSON, in a program that links the library and in one that it is preloaded into.

load support
load judge

schema=$top_srcdir/doc/crash-report.schema.json
judge="ask_judge $top_srcdir/test/scenario/report.py"

setup_file()
{
	bin=$BATS_FILE_TMPDIR
	local -a flags=(-O1 -fno-omit-frame-pointer -fno-optimize-sibling-calls
		-fstack-protector-all -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2)
	build linked words.c "${flags[@]}" -DAWARE
	compile "$bin/words.o" "$programs/words.c" "${flags[@]}"
	$CC -o "$bin/preloaded" "$bin/words.o" -lpthread
	compile "$bin/crash.o" "$programs/crash.c" -O0 -DUNAWARE -fno-omit-frame-pointer
	$CC -o "$bin/unaware" "$bin/crash.o" -lpthread
	build cxx_linked words.cc -O0 -fno-omit-frame-pointer -DAWARE -- -rdynamic
	compile "$bin/words_cc.o" "$programs/words.cc" -O0 -fno-omit-frame-pointer
	$CXX -rdynamic -o "$bin/cxx_preloaded" "$bin/words_cc.o" -lpthread
	[ -n "$sanitize" ] || build_with_own_runtime
}

# The C++ runtime is in the program, which exports none of it.
build_with_own_runtime()
{
	local -a own=(-static-libstdc++ -static-libgcc -Wl,-u,__cxa_pure_virtual)
	build cxx_own_linked words.cc -O0 -DAWARE -- "${own[@]}"
	$CXX "${own[@]}" -o "$bin/cxx_own_preloaded" "$bin/words_cc.o" -lpthread
	strip -o "$bin/cxx_bare_preloaded" "$bin/cxx_own_preloaded"
}

setup()
{
	ulimit -S -c 0
	unset LD_PRELOAD
	ways='linked preloaded'
	[ -z "$sanitize" ] || ways=linked
}

# die WAY ARGUMENT...: the report as text in $err, as JSON in $json.
die()
{
	local way=$1 preload=
	shift
	[ "$way" = "${way%preloaded}" ] || preload=$lib/libwhocallme-preload.so
	json=$BATS_TEST_TMPDIR/json
	JSON=1 WHOCALLME_FORMAT=json observe timeout 60 \
		env LD_PRELOAD="$preload" "$bin/$way" "$@"
	grep '^{' "$err" >"$json" || blame "no JSON"
	$judge schema "$json" "$schema" || [ $? -eq 77 ] || blame "not by the schema"
	observe timeout 60 env LD_PRELOAD="$preload" "$bin/$way" "$@"
}

# is MEMBER VALUE: of the JSON.
is()
{
	local value
	value=$($judge get "$json" "$1")
	[ "$value" = "$2" ] || blame "$1 is $value, not $2"
}

@test "a program that overwrote its arguments: those that are left" {
	local way
	for way in $ways; do
		die $way titled one two three four five
		err_has '^arguments: "my title"$'
		is program.arguments '["my title"]'
		is program.more_arguments false
		die $way null_write '' a ''
		err_has '^arguments: .* null_write "" a ""$'
	done
}

@test "a stack overflow: the stack is used up, and nothing of other mappings" {
	local way
	ulimit -S -s 2000
	for way in $ways; do
		die $way overflows
		err_has ': stack overflow of thread '
		err_has '^write to 0x[0-9a-f]{16}: the stack of 2000 KiB is used up$'
		is cause.stack_size 2048000
	done
}

@test "a thread that has blocked signals: it says so" {
	local way
	for way in $ways; do
		die $way with_deaf
		err_has '^thread [0-9]+ "deaf" did not answer: has blocked signals$'
		is threads.0.answered false
		is threads.0.blocked true
	done
}

@test "SIGQUIT: the first frame is what it interrupted" {
	local way preload pid
	cd "$BATS_TEST_TMPDIR"
	for way in $ways; do
		preload=
		[ "$way" = linked ] || preload=$lib/libwhocallme-preload.so
		: >started
		WHOCALLME_QUIT=yes LD_PRELOAD=$preload "$bin/$way" waits >started 2>err 3>&- &
		pid=$!
		until grep -q waiting started; do sleep 0.05; done
		kill -QUIT "$pid"
		until grep -q '^#.* in __libc_start' err; do sleep 0.05; done
		kill -KILL "$pid"
		wait "$pid" || true
		# glibc 2.41 waits in two functions below pause(), and i386 in one of the vdso's.
		sed -n 2p err | grep -E '^#0 0x[0-9a-f]+ in .*(/libc\.so|\[vdso\])' ||
			blame "$(cat err)"
		sed -n 2,5p err | grep -E '^#[0-3] 0x[0-9a-f]+ in (__)?(libc_)?pause' ||
			blame "$(cat err)"
		refute grep -E 'signal handler|libwhocallme' err
	done
}

@test "a handler of the program's raises the signal again: the stack is the fault's" {
	not_sanitized "its runtime must be loaded first"
	needs gdb
	die preloaded handled
	err_lacks ' in .*libwhocallme'
	err_lacks '<signal handler called>'
	expect_same_names "$(frame_names <"$err")" "$(gdb_names run -- "$bin/preloaded" handled)"
}

# The functions of the first stack that have a name, up to main; of the JSON the member.
named()
{
	sed -nE '/^#0/,/ in main\+/s/^#[0-9]+ 0x[0-9a-f]+ in (.*)\+0x[0-9a-f]+ \([^ ]*\)$/\1/p' "$err" |
		grep -v '^main$'
}

members()
{
	python3 -c 'import json, sys
for f in json.load(open(sys.argv[1]))["stack"]["frames"]:
    if f.get("function", "main") == "main": continue
    if f["function"].startswith("_") and f["function"][1] in "ZRD": print(f.get(sys.argv[2], "-"))' \
		"$json" "$1"
}

@test "names of C++, Rust and D: short, full or mangled, as c++filt has them" {
	needs c++filt python3
	local way
	for way in $ways; do
		NAMES=no WHOCALLME_DEMANGLE=no die cxx_$way names
		named | grep '^_[ZRD]' >"$bin/mangled"
		[ "$(wc -l <"$bin/mangled")" -ge 6 ]
		[ "$(members demangled | sort -u)" = - ]
		diff -u "$bin/mangled" <(members function)
		# It has hashes of Rust's, as well, which a reader has no use for.
		grep -v '^_D' "$bin/mangled" | c++filt |
			sed -E 's/::h[0-9a-f]{16}$//; s/\[0\]//' >"$bin/plain"
		grep '^_D' "$bin/mangled" | c++filt --format=dlang >>"$bin/plain"
		NAMES=full WHOCALLME_DEMANGLE=full die cxx_$way names
		diff -u <(sort "$bin/plain") <(named | grep -E '::|\.|^names' | sort)
		diff -u "$bin/mangled" <(members function)
		diff -u <(sort "$bin/plain") <(members demangled | sort)
		die cxx_$way names
		diff -u <(printf '%s\n' shop::Basket::add shop::chooser shop::fill \
			store.Shop.sell crate::inner::take \
			core::ops::function::FnOnce::call_once names) <(named | grep -E '::|\.|^names')
		diff -u <(named | grep -E '::|\.|^names') <(members demangled)
	done
}

@test "stacks of other threads: the same" {
	local way
	for way in $ways; do
		die cxx_$way names_of_threads
		sed -n '/^thread /,$p' "$err" | grep -E '^#[0-9]+ 0x[0-9a-f]+ in shop::wait_for\+0x'
		NAMES=full WHOCALLME_DEMANGLE=full die cxx_$way names_of_threads
		sed -n '/^thread /,$p' "$err" | grep -F ' in shop::wait_for(std::__cxx11::basic_string<char, '
	done
}

@test "reports of all three forms are read, and of the same crash" {
	local way how
	for way in $ways; do
		: >"$bin/all"
		for how in no full short; do
			NAMES=$how WHOCALLME_DEMANGLE=$how die cxx_$way names
			cat "$err" "$json" >>"$bin/all"
			"$whocallme" resolve "$err" >"$bin/resolved"
			grep -E '^   shop::Basket<.*at .*words\.cc:[0-9]+' "$bin/resolved"
			grep -E '^#0 .* in .*add.*\+0x' "$bin/resolved"
		done
		"$whocallme" group --no-resolve --json "$bin/all" >"$bin/groups"
		cat "$bin/groups"
		[ "$(grep -c . "$bin/groups")" -eq 1 ]
		grep -F '"count":6' "$bin/groups" || grep -F '"count": 6' "$bin/groups"
		"$whocallme" group --json "$bin/all" >"$bin/groups"
		[ "$(grep -c . "$bin/groups")" -eq 1 ]
	done
}

@test "--demangle: short, full or no, and nothing else" {
	not_sanitized "its runtime must be loaded first"
	observe timeout 60 "$whocallme" run --demangle=full "$bin/cxx_preloaded" names
	err_has ' in shop::Basket<shop::Item, int>::add\(shop::Item const&, int\*\)\+0x'
	observe timeout 60 "$whocallme" run --demangle=no "$bin/cxx_preloaded" names
	err_has ' in _ZN4shop6BasketINS_4ItemEiE3addERKS1_Pi\+0x'
	observe timeout 60 "$whocallme" run --demangle=short "$bin/cxx_preloaded" names
	err_has ' in shop::Basket::add\+0x'
	observe "$whocallme" run --demangle=some true
	expect_status 2
	err_has 'demangle'
	WHOCALLME_DEMANGLE=some LD_PRELOAD=$lib/libwhocallme-preload.so observe env true
	err_has '^<whocallme>: WHOCALLME_DEMANGLE=some is ignored; it takes short, full or no$'
}

# why WAY DEATH WORDS [MESSAGE]: abort() was called, for WORDS; the JSON's message.
why()
{
	die "$1" "$2"
	grep -E "^<whocallme>: [a-z_]*$1: SIGABRT, aborted: abort\\(\\) was called$3\$" "$err" ||
		blame "not: $3"
	is cause.kind abort
	[ -z "${4-}" ] || is cause.message "$4"
	"$whocallme" resolve --text "$json" >"$bin/shown"
	diff <(sed -n 's/^<whocallme>: [^ ]*: //p' "$err" | head -1) \
		<(sed -n 's/^<whocallme>: [^ ]*: //p' "$bin/shown" | head -1)
}

@test "abort(): what a failed assertion or libc says, as it says it on stderr" {
	not_sanitized "it has checks of its own"
	local way said
	for way in $ways; do
		why $way aborts ''
		why $way asserts ": .*words.c:[0-9]+: asserts: Assertion \`count == 1 && \"a .*word\"' failed\\."
		said=$(grep -a '^[a-z]*: .*Assertion' "$err")
		[ -n "$said" ] || blame "libc says nothing"
		is cause.message "${said//\\/\\x5c}"
		why $way frees_twice ': (free\(\):|double free or corruption) .*'
		is cause.message "$(grep -a -m 1 -E '^(free|double)' "$err")"
		why $way smashes ': \*\*\* stack smashing detected \*\*\*: terminated' \
			'*** stack smashing detected ***: terminated'
		why $way overruns ': \*\*\* buffer overflow detected \*\*\*: terminated' \
			'*** buffer overflow detected ***: terminated'
		die $way raises
		err_has ': SIGABRT, aborted: sent by tgkill, by process [0-9]+$'
	done
}

# build_statics HOW: $bin/HOW and $bin/cxx_HOW, which a compiler's options say.
build_statics()
{
	local how=$1
	shift
	needs_static
	compile "$bin/$how.o" "$programs/words.c" -O1 -DAWARE -fno-optimize-sibling-calls \
		-fstack-protector-all -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2 "$@"
	compile "$bin/cxx_$how.o" "$programs/words.cc" -O0 -DAWARE "$@"
	# shellcheck disable=SC2086 # lists
	$CC "$@" -o "$bin/$how" "$bin/$how.o" $static_libs
	# shellcheck disable=SC2086
	$CXX "$@" -Wl,-u,__cxa_pure_virtual -o "$bin/cxx_$how" "$bin/cxx_$how.o" $static_libs
}

# why_static HOW: what a program that has no .dynsym says on stderr, the report has.
why_static()
{
	local how=$1 death
	why $how aborts ''
	why $how asserts ": .*words.c:[0-9]+: asserts: Assertion \`count == 1 && \"a .*word\"' failed\\."
	for death in frees_twice smashes overruns; do
		why $how $death ': .+'
		is cause.message "$(grep -a -m 1 -E '^(free|double|\*\*\* )' "$err")"
	done
	for death in throws_error throws_again; do
		why cxx_$how $death ': uncaught exception of type std::out_of_range: no "such" \\x1b item'
	done
	why cxx_$how throws_second ': uncaught exception of type Second: the second base'
	is cause.what "$(said_what)"
	why cxx_$how throws_number ': uncaught exception of type int'
	why cxx_$how terminates ': std::terminate\(\) was called'
	why cxx_$how calls_pure ': a pure virtual function was called'
}

@test "the same of static programs" {
	build_statics static -static
	why_static static
	build_statics anonymous -static -Wl,--build-id=none
	why_static anonymous
}

@test "the same of static programs that are position-independent" {
	build_statics static_pie -static-pie -fPIE
	why_static static_pie
}

@test "an uncaught exception: its type, and what() it says" {
	not_sanitized "it catches exceptions of its own"
	local way death
	for way in $ways; do
		way=cxx_$way
		for death in throws_error throws_again throws_in_noexcept; do
			why $way $death ': uncaught exception of type std::out_of_range: no "such" \\x1b item'
			is cause.exception std::out_of_range
			is cause.what 'no "such" \x1b item'
			grep -a "^terminate called after throwing an instance of 'std::out_of_range'" "$err"
		done
		why $way throws_own ': uncaught exception of type throws_own\(\)::Own'
		refute grep -a 'not this' "$err"
		why $way throws_number ': uncaught exception of type int'
		why $way throws_text ': uncaught exception of type char const\*: just text'
		why $way terminates ': std::terminate\(\) was called'
		why $way calls_pure ': a pure virtual function was called'
		grep -a '^pure virtual method called' "$err"
	done
}

# What the runtime says on stderr itself, which calls what(); nothing where it does not.
said_what()
{
	sed -n 's/^  what():  //p' "$err"
}

@test "an exception whose base that says what() is not its first" {
	not_sanitized "it catches exceptions of its own"
	local way death
	for way in $ways; do
		for death in second plain deep virtual shared; do
			why cxx_$way throws_$death ": uncaught exception of type [A-Z][a-z]+: .* base.*"
			[ -n "$(said_what)" ] || blame "the runtime says nothing"
			is cause.what "$(said_what)"
		done
		why cxx_$way throws_hidden ': uncaught exception of type Hidden'
		[ -z "$(said_what)" ] || blame "the runtime sees it"
		why cxx_$way throws_other ': uncaught exception of type Other'
	done
}

@test "an uncaught exception, and a pure call, where the C++ runtime is in the program" {
	not_sanitized "it catches exceptions of its own"
	local way
	for way in $ways; do
		way=cxx_own_$way
		why $way throws_error ': uncaught exception of type std::out_of_range: no "such" \\x1b item'
		why $way throws_again ': uncaught exception of type std::out_of_range: no "such" \\x1b item'
		why $way throws_second ': uncaught exception of type Second: the second base'
		is cause.what "$(said_what)"
		why $way throws_number ': uncaught exception of type int'
		why $way terminates ': std::terminate\(\) was called'
		why $way calls_pure ': a pure virtual function was called'
	done
	# Nothing tells the names of what it calls.
	why cxx_bare_preloaded throws_error ''
}

# unaware PROGRAM DEATH: of a program that exports nothing, and that the library is
# preloaded into, without lines; the names of the first stack, as far as main, in $names.
unaware()
{
	observe timeout 60 env LD_PRELOAD="$lib/libwhocallme-preload.so" WHOCALLME_HELPER=no \
		"$1" "$2"
	names=$(sed '/^program: /,$d' "$err" | frame_names)
}

@test "the first stack has the names that the program does not export, as gdb has them" {
	needs gdb
	not_sanitized "its runtime must be loaded first"
	local death
	for death in null_read null_call wild_call write_to_text; do
		unaware "$bin/unaware" "$death"
		expect_same_names "$names" \
			"$(gdb_names run -- "$bin/unaware" "$death")" || blame "$death"
	done
}

@test "the same of a program that is gone, or another's, where it was" {
	not_sanitized "its runtime must be loaded first"
	local how
	for how in gone replaced; do
		cp "$bin/unaware" "$bin/running"
		(unaware "$bin/running" waits; echo "$names" >"$bin/names") &
		until pgrep -f "^$bin/running waits" >"$bin/pid"; do sleep 0.05; done
		sleep 0.2
		rm "$bin/running"
		[ $how = gone ] || cp "$bin/preloaded" "$bin/running"
		kill -SEGV "$(cat "$bin/pid")"
		wait
		diff -u <(printf 'waits\nmain\n') "$bin/names"
	done
}
