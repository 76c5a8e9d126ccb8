#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# probes.bats - mode=probes: what readelf, gdb, objdump and the library read of the probes.

bats_require_minimum_version 1.5.0
load plugin

setup()
{
	needs_plugin
	cd "$BATS_TEST_TMPDIR"
}

# notes FILE: provider, name and values of each probe, a line each, sorted.
notes()
{
	LC_ALL=C readelf -n "$1" 2>/dev/null | awk '
		/Provider:/ { provider = $2 }
		/^ +Name:/ { name = $2 }
		/Arguments:/ { sub(/^ +Arguments: ?/, ""); print provider ":" name, $0 }' | sort
}

@test "each function has an entry and its ends, with the sizes of its values" {
	local level
	for level in -O0 -O1 -O2 -O3 -Os '-O2 -fPIC' '-O2 -flto'; do
		with probes provider=valued
		"$gcc" $level $flags -o values "$here/programs/probed_values.c"
		./values >out
		[ "$(cat out)" = "$("$gcc" -o plain "$here/programs/probed_values.c" && ./plain)" ]
		# A call that becomes a jump has ended the function before it has a result.
		notes values | sed -E 's/@[^ ]*( |$)/\1/g; s/^(valued:sibling__return).*/\1/' >got
		diff got - <<-'END' || { echo "$level"; false; }
			valued:addressed__entry 8
			valued:addressed__return 8
			valued:large__entry -4
			valued:large__return 
			valued:main__entry 
			valued:main__return -4
			valued:narrow__entry -1 2 8 -8
			valued:narrow__return -2
			valued:nothing__entry 
			valued:nothing__return 
			valued:sibling__entry -4
			valued:sibling__return
			valued:thirteen__entry -4 -4 -4 -4 -4 -4 -4 -4 -4 -4 -4 -4
			valued:thirteen__return -4
		END
	done
}

@test "floating point is told of where it is a float or a double" {
	printf '%s\n' 'float four(float x) { return x; }' \
		'double eight(double x, int y) { return y ? x : 0; }' >floats.c
	for type in _Decimal32 _Decimal64 _Float16; do
		echo "$type tells$type($type x, int y) { return y ? x : 0; }" >>one.c
		! "$gcc" -c -o one.o one.c || cat one.c >>floats.c
		rm one.c
	done
	with probes
	"$gcc" -O1 $flags -c -o floats.o floats.c
	notes floats.o | sed -E 's/@[^ ]*( |$)/\1/g; s/ $//' >got
	sed -nE 's/^.* (tells[^(]*).*/inject:\1__entry -4\ninject:\1__return/p' floats.c |
		cat - <(printf 'inject:%s\n' 'four__entry 4f' 'four__return 4f' \
			'eight__entry 8f -4' 'eight__return 8f') | sort | diff - got
}

@test "the code is that without the plugin, and NOPs, where values are in registers" {
	with probes
	command -v objdump >/dev/null || skip "objdump is missing"
	printf '%s\n' 'int add(int a, int b) { return a + b; }' 'void stays(void) {}' \
		'long *pass(long *at, long n) { *at += n; return at; }' >code.c
	"$gcc" -O2 -fcf-protection=none $flags -c -o with.o code.c
	"$gcc" -O2 -fcf-protection=none -c -o without.o code.c
	for object in with without; do
		objdump -d --no-show-raw-insn $object.o | sed -nE 's/^ +[0-9a-f]+:\t([a-z]+).*/\1/p' |
			grep -vE '^(nop|data|cs|xchg)' | sort | uniq -c >$object
	done
	diff with without
}

@test "gdb stops at each with the values" {
	command -v gdb >/dev/null || skip "gdb is missing"
	for level in -O0 -O2; do
		with probes
		"$gcc" -g $level $flags -o values "$here/programs/probed_values.c"
		gdb -nx -q -batch -ex 'set debuginfod enabled off' \
			-ex 'break -probe-stap inject:narrow__entry' -ex 'break -probe-stap inject:narrow__return' \
			-ex 'break -probe-stap inject:addressed__return' -ex run \
			-ex 'printf "is %d %d %d %s %ld\n", $_probe_argc, $_probe_arg0, $_probe_arg1, (char *)$_probe_arg2, $_probe_arg3' \
			-ex continue -ex 'printf "is %d %d\n", $_probe_argc, $_probe_arg0' \
			-ex continue -ex 'printf "is %lu\n", $_probe_arg0' \
			values >gdb 2>&1 </dev/null || true
		grep '^is ' gdb >got
		printf 'is 4 -1 2 a 5000000000\nis 1 -3230\nis 42\n' | sed "s/-3230/$(./values | cut -d' ' -f1)/" |
			diff got - || { cat gdb; false; }
	done
}

@test "whocallme trace --probes tells of as many as the tracer of mode=serial does" {
	[ "$(uname -m)" = x86_64 ] || skip "x86-64 alone traces them"
	local level
	for level in -O0 -O2; do
		with serial
		"$gcc" $level $flags -o told "$here/programs/traced_ends.c" "$bin/stub.o"
		run -3 run_traced ./told
		sed -nE 's/^ev=([a-z]*) fn=([^ ]*) .*/\2__\1/p' log | sed 's/__exit$/__return/' | sort | uniq -c >expected
		with probes
		"$gcc" $level $flags -o probed "$here/programs/traced_ends.c" "$bin/stub.o"
		run -3 "$top_builddir/tool/whocallme" trace --no-signals --log=trace --probes=inject:'*' ./probed
		sed -nE "s/^PRB .* inject:([^(]*)\(.*\)( x([0-9]+))?\$/\1 \3/p" trace |
			awk '{ for (n = $2 ? $2 : 1; n > 0; n--) print $1 }' | sort | uniq -c >got
		diff expected got || { echo "$level"; false; }
	done
}

@test "C++: exceptions that leave a function have a probe, too; rules choose" {
	find_gxx
	with probes provider=cxx
	"$gxx" -std=c++20 -o plain "$here/programs/traced_bodies.cc"
	./plain >expected
	for level in -O0 -O2; do
		"$gxx" -std=c++20 $level $flags -o bodies "$here/programs/traced_bodies.cc"
		./bodies >out
		cmp expected out
		notes bodies | grep -q '__unwind '
		notes bodies | grep -q '^cxx:main__entry'
	done
	printf 'exclude:\n  functions: [narrow]\n' >rules.yml
	with probes rules=rules.yml
	"$gcc" $flags -o values "$here/programs/probed_values.c"
	refute grep -q narrow <(notes values)
	notes values | grep -q 'inject:sibling__entry'
}
