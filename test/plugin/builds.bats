#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# builds.bats - the plugin with other ways to compile and link, and the article's program.

bats_require_minimum_version 1.5.0
load plugin

setup()
{
	needs_plugin
	cd "$BATS_TEST_TMPDIR"
}

# The runtime where it is built, else a stub, which knows no threads.
link_runtime()
{
	runtime=$top_builddir/libwhocallme-inject.a
	[ -e "$runtime" ] || runtime=$bin/stub.o
}

# Whether the calls of traced_ends.c, built with FLAGS, end as they must.
ends_right()
{
	with serial
	"$gcc" "$@" $flags -o ends "$here/programs/traced_ends.c" "$bin/stub.o"
	run -3 run_traced ./ends
	[ "$(cat out)" = "7 5 7 0 16 4 6 4 2 120 7 3 4 10 43 5 13 1 2 13 8 5 1" ]
	awk -v OPEN=main -f "$here/nest.awk" log >wrong
	[ ! -s wrong ] || { echo "$*" && head -n 5 wrong && return 1; }
	grep -q '^ev=entry fn=sibling_or_not ' log
}

@test "LTO and its partitions, PIE or none, static, shared code, sections, other assembly" {
	ends_right -O2 -flto
	ends_right -O2 -flto -flto-partition=none
	ends_right -O2 -flto -flto-partition=one
	ends_right -O2 -flto -flto-partition=1to1
	ends_right -O0 -flto
	ends_right -O2 -fPIE -pie
	ends_right -O2 -fno-pie -no-pie
	ends_right -O2 -fPIC
	ends_right -O2 -static
	ends_right -O2 -ffunction-sections -fdata-sections -Wl,--gc-sections
	ends_right -O2 -fstack-protector-all -fcf-protection
	ends_right -O2 -g -fnon-call-exceptions -fexceptions
	ends_right -O2 -fsanitize=undefined
	ends_right -O3 -fwhole-program -fno-semantic-interposition
	case $("$gcc" -dumpmachine) in
	x86_64-*) ends_right -O2 -masm=intel ;;
	esac
}

@test "LTO of C++, with exceptions through its calls" {
	find_gxx
	with serial
	"$gxx" -std=c++20 -o plain "$here/programs/traced_bodies.cc"
	./plain >expected
	for level in -O0 -O2 '-O2 -flto-partition=max'; do
		"$gxx" -std=c++20 $level -flto $flags -o bodies "$here/programs/traced_bodies.cc" \
			"$bin/stub.o"
		run_traced ./bodies
		cmp out expected
		awk -f "$here/nest.awk" log >wrong
		[ ! -s wrong ] || { head -n 5 wrong && false; }
		grep -q '^ev=unwind fn=_Z11catches_onei ' log
	done
}

@test "OpenMP: the function that threads run has its entry and end in each" {
	printf '%s\n' '#include <stdio.h>' 'int main(void) {' 'int sum = 0;' \
		'#pragma omp parallel for num_threads(1) reduction(+:sum)' \
		'for (int i = 0; i < 10; i++) sum += i;' 'printf("%d", sum); }' >omp.c
	with serial
	"$gcc" -O2 -fopenmp $flags -o omp omp.c "$bin/stub.o" || skip "there is no libgomp"
	run_traced ./omp
	[ "$(cat out)" = 45 ]
	awk -f "$here/nest.awk" log >wrong
	[ ! -s wrong ]
	grep -q '^ev=entry fn=main._omp_fn.0 ' log
}

@test "some of gcc's own tests of execution, where make check-torture has unpacked them" {
	local sources=$top_builddir/test/plugin/torture.sources
	[ -n "${GCC_TORTURE-}" ] || [ -d "$sources" ] || skip "they are not unpacked"
	bash "$here/torture" 16 -O2
}

@test "what nothing may be put into: naked, resolvers of IFUNCs, the runtime's own" {
	case $("$gcc" -dumpmachine) in
	x86_64-*) ;;
	*) skip "the functions are of another CPU" ;;
	esac
	cat >alone.c <<-'END'
		static int one(void) { return 1; }
		int (*resolve(void))(void) { return one; }
		int chosen(void) __attribute__((ifunc("resolve")));
		__attribute__((naked)) int bare(void) { __asm__("mov $2, %eax; ret"); }
		void __inject_helper(void) {}
		__attribute__((no_instrument_function)) int untold(void) { return 0; }
		extern inline __attribute__((gnu_inline, always_inline)) int body(void) { return 3; }
		int main(void) { __inject_helper(); return chosen() + bare() + untold() + body(); }
	END
	with serial
	"$gcc" -O0 $flags -o alone alone.c "$bin/stub.o"
	run -6 run_traced ./alone
	[ "$(sed -n 's/^ev=entry fn=\([^ ]*\) .*/\1/p' log | paste -sd ' ')" = "main one" ]
}

@test "calls need neither PLT nor GOT, and the address is that of the instruction" {
	case $("$gcc" -dumpmachine) in
	x86_64-*) ;;
	*) skip "the instruction is of another CPU" ;;
	esac
	with serial
	"$gcc" -O2 -fPIC $flags -c -o ends.o "$here/programs/traced_ends.c"
	readelf -sW ends.o | grep -q 'HIDDEN *UND __inject_trace_write'
	[ -z "$(readelf -rW ends.o | grep -E 'GOT.* (__inject|\.LC|\.rodata)')" ]
	"$gcc" -O2 -no-pie -fno-pie $flags -o ends "$here/programs/traced_ends.c" "$bin/stub.o"
	run -3 run_traced ./ends
	objdump -d --no-show-raw-insn ends >code
	sed -n 's/^ev=.* ip=0x0*//p' log | sort -u | while read -r address; do
		grep -qE "^ +$address:.*lea .*# $address" code || { echo "$address" && exit 1; }
	done
}

@test "the article's program and rules: its transcript" {
	link_runtime
	printf '%s\n' 'exclude:' '  functions:' '    - malloc' '    - free' '    - blub2' '  files:' \
		'    - generated.c' '    - third_party.c' >rules.yml
	with serial rules=rules.yml warn=no
	"$gcc" $flags -O2 -o article "$here/programs/article.c" "$runtime" -lpthread
	rm -f file
	TRACED=lines WHOCALLME_INJECT=$PWD/file ./article 2>errors >out
	[ -e file ] || mv errors file
	[ "$(cat out)" = b ]
	sed 's/ ip=.*//' file | diff - <(printf 'ev=%s\n' 'entry fn=main' \
		'entry fn=fun_char' 'exit fn=fun_char' \
		'entry fn=write_ext2' 'exit fn=write_ext2' \
		'entry fn=doSomeThing' 'exit fn=doSomeThing' \
		'entry fn=doSomeThing' 'exit fn=doSomeThing' 'exit fn=main')
	[ "$runtime" = "$bin/stub.o" ] ||
		refute grep -vE '^ev=(entry|exit) fn=[a-zA-Z0-9_]+ ip=0x[0-9a-f]{16} tid=0x[0-9a-f]{16}$' file
}
