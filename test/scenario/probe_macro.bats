#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# probe_macro.bats - probes of WCM_PROBE(), which SystemTap's header, readelf, gdb, objdump and bpftrace
# judge.

load support

setup()
{
	bin=$BATS_FILE_TMPDIR
	needs readelf
}

# notes FILE: the names and values of its probes, a line each.
notes()
{
	LC_ALL=C readelf -n "$1" 2>/dev/null | awk '
		/Provider:/ { provider = $2 }
		/^ +Name:/ { name = $2 }
		/Arguments:/ { sub(/^ +Arguments: ?/, ""); print provider ":" name, $0 }'
}

# compile_by COMPILER LANGUAGE FLAGS NAME: the program of all kinds.
compile_by()
{
	# shellcheck disable=SC2086 # lists
	$1 -x "$2" $3 -w -I"$top_srcdir/include" -o "$bin/$4" "$programs/probe_kinds.c"
}

# The slots that clang gives to what it keeps are its own affair.  The names of bytes' registers are
# what gdb knows.
kinds_of()
{
	notes "$1" | sed -E 's/@-?[0-9]*\(%r[bs]p\)/@memory/g; s/1@%([abcd])l/1@%e\1x/g
		s/1@%([sd]i|[bs]p)l/1@%e\1/g; s/1@%r([0-9]+)b/1@%r\1d/g'
}

@test "SystemTap's header makes the same notes" {
	[ -r /usr/include/sys/sdt.h ] || [ -r "/usr/include/$(uname -m)-linux-gnu/sys/sdt.h" ] ||
		skip "systemtap-sdt-dev is missing"
	local compiler language flags
	for compiler in gcc clang; do
		command -v "$compiler" >/dev/null || continue
		for language in c c++; do
			for flags in -O0 -O1 -O2 -O3 -Os "-O2 -fPIC" "-O2 -no-pie" "-O2 -flto" "-O0 -fPIE"; do
				compile_by "$compiler" "$language" "$flags -DBY_SYSTEMTAP" theirs || continue
				compile_by "$compiler" "$language" "$flags" ours
				[ "$(notes "$bin/ours" | wc -l)" = 5 ] || blame "$compiler $language $flags"
				diff -u <(kinds_of "$bin/theirs") <(kinds_of "$bin/ours") ||
					blame "$compiler $language $flags"
			done
		done
	done
}

@test "the other CPUs' compilers" {
	local prefix any=no
	for prefix in aarch64-linux-gnu riscv64-linux-gnu i686-linux-gnu; do
		for compiler in "$prefix-gcc" "$prefix-gcc-12"; do
			command -v "$compiler" >/dev/null || continue
			any=yes
			for flags in -O0 -O2 "-O2 -fPIC"; do
				# shellcheck disable=SC2086 # a list
				"$compiler" $flags -w -I"$top_srcdir/include" -c -o "$bin/crossed.o" \
					"$programs/probe_kinds.c" || blame "$compiler $flags"
				[ "$(LC_ALL=C readelf -n "$bin/crossed.o" | grep -c stapsdt)" -ge 4 ] ||
					blame "$compiler $flags"
			done
		done
	done
	[ $any = yes ] || skip "no compiler for another CPU is here"
}

@test "no warning in old dialects; what is not set is warned of in a probe; too many values are refused" {
	printf '%s\n' '#include <whocallme/probe.h>' 'WCM_PROBE_SEMAPHORE(old, two);' \
		'int main(void) { int a = 1; WCM_PROBE(old, one); if (WCM_PROBE_ENABLED(old, two))' \
		'WCM_PROBE(old, two, a, "x");' 'return 0; }' >"$bin/old.c"
	local dialect
	for dialect in c++98 gnu++98 c++11 gnu++20; do
		$CXX -x c++ -std=$dialect -pedantic -Wall -Wextra -Wundef -Werror -I"$top_srcdir/include" -c \
			-o "$bin/old.o" "$bin/old.c"
	done
	for dialect in gnu89 gnu99 gnu17; do
		$CC -std=$dialect -pedantic -Wall -Wextra -Wundef -Werror -I"$top_srcdir/include" -c \
			-o "$bin/old.o" "$bin/old.c"
	done
	echo '#include <whocallme/probe.h>
		void f(void) { int unset; WCM_PROBE(a, b, unset); }' >"$bin/unset.c"
	$CC -O1 -Wall -I"$top_srcdir/include" -c -o "$bin/unset.o" "$bin/unset.c" 2>"$bin/said"
	[[ $CC = *clang* ]] || grep -q 'uninitialized' "$bin/said"
	echo '#include <whocallme/probe.h>
		void f(void) { WCM_PROBE(a, b, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13); }' >"$bin/many.c"
	refute $CC -I"$top_srcdir/include" -c -o "$bin/many.o" "$bin/many.c" 2>"$bin/said"
	grep -q 'of_more_than_12_values' "$bin/said"
}

@test "a probe is one NOP" {
	needs objdump
	[ "$(uname -m)" = x86_64 ] || skip "the code is x86-64's"
	printf '%s\n' '#include <whocallme/probe.h>' \
		'int probed(int a) { WCM_PROBE(one, nop, a); return a + 1; }' >"$bin/one.c"
	$CC -O2 -fcf-protection=none -I"$top_srcdir/include" -c -o "$bin/with.o" "$bin/one.c"
	$CC -O2 -fcf-protection=none -c -o "$bin/without.o" -x c - <<<'int probed(int a) { return a + 1; }'
	diff <(objdump -d --no-show-raw-insn "$bin/with.o" | sed -nE 's/^ +[0-9a-f]+:\t//p' | grep -v '^nop$') \
		<(objdump -d --no-show-raw-insn "$bin/without.o" | sed -nE 's/^ +[0-9a-f]+:\t//p')
	[ "$(objdump -d --no-show-raw-insn "$bin/with.o" | grep -c '	nop$')" = 1 ]
}

@test "methods, lambdas, templates, inline functions, semaphores; linked with optimisation, and as a library" {
	local compiler flags
	for compiler in g++ clang++; do
		command -v "$compiler" >/dev/null || continue
		for flags in -O0 -O2 "-O2 -flto" "-O2 -ffunction-sections -Wl,--gc-sections" "-O0 -fPIC" \
			"-std=c++11 -O1" "-std=c++20 -O3"; do
			# shellcheck disable=SC2086 # a list
			"$compiler" $flags -Wall -Wextra -Wold-style-cast -Werror -Wno-unused -I"$top_srcdir/include" \
				-o "$bin/forms" "$programs/probe_forms.cc" "$programs/probe_other.cc" \
				2>"$bin/compiler.log" || { cat "$bin/compiler.log"; blame "$compiler $flags"; }
			notes "$bin/forms" | cut -d' ' -f1 | sort -u >"$bin/names"
			diff "$bin/names" - <<-'END' || blame "$compiler $flags"
				forms:caught
				forms:constructor
				forms:destructor
				forms:guarded
				forms:instance
				forms:is_inline
				forms:lambda
				forms:method
				forms:other
				forms:references
			END
			# All probes of one name have its semaphore, in whichever file; others have none.
			[ "$(semaphores "$bin/forms" guarded)" = "$(semaphore_of "$bin/forms")" ] ||
				blame "$compiler $flags"
			[ "$(semaphores "$bin/forms" other)" = 0x0000000000000000 ] || blame "$compiler $flags"
			"$bin/forms" || [ $? -gt 0 ]
		done
	done
}

semaphores()
{
	LC_ALL=C readelf -n "$1" 2>/dev/null | awk -v name="$2" '
		/^ +Name:/ { wanted = $2 == name }
		/Semaphore:/ && wanted { print $NF }' | sort -u
}

semaphore_of()
{
	printf '0x%016x\n' "0x$(nm "$1" | awk '$3 == "forms_guarded_semaphore" { print $1 }')"
}

# links CHECK: CHECK holds of all compilers, in both languages.
links()
{
	local compiler flags
	for compiler in "gcc -x c" "gcc -std=gnu89 -x c" "clang -x c" "g++ -x c++" "clang++ -x c++"; do
		command -v "${compiler%% *}" >/dev/null || continue
		for flags in "-O0 -no-pie" "-O2 -no-pie" "-O2 -static" "-O0 -pie -fPIE" "-O2 -pie -fPIE" \
			"-O2 -shared -fPIC" "-O0 -shared -fPIC"; do
			"$1" "$compiler $flags" || blame "$compiler $flags"
		done
	done
}

# made COMMAND FILE...: the program of these files, which runs.
made()
{
	local command=$1
	shift
	$command -I"$top_srcdir/include" -o "$bin/made" "${@/#/$bin/}" 2>"$bin/said" || return 1
	[[ $command = *-shared* ]] || "$bin/made"
}

only_probes()
{
	made "$1" probes.c && [ "$(semaphores "$bin/made" probe)" = 0x0000000000000000 ]
}

asks_for_none()
{
	if made "$1" asks.c; then
		return 1
	fi
	grep -Eq 'undefined reference|hidden symbol|undefined symbol' "$bin/said"
}

asks_for_one()
{
	local files
	for files in "asks.c semaphore.c" "semaphore.c probes.c" "semaphore_and_asks.c" "asks_and_semaphore.c"; do
		# shellcheck disable=SC2086 # a list
		made "$1" $files && [ "$(semaphores "$bin/made" probe)" = "0x$(nm "$bin/made" |
			sed -n 's/ . asked_probe_semaphore$//p')" ] || return 1
	done
}

@test "who asks for a semaphore that is not defined does not link; probes without one do" {
	echo '#include <whocallme/probe.h>' >"$bin/head.h"
	echo 'WCM_PROBE_SEMAPHORE(asked, probe);' >"$bin/semaphore"
	printf '%s\n' 'int main(int argc, char **argv)' \
		'{ (void)argv; WCM_PROBE(asked, probe, argc); WCM_PROBE(asked, probe, 2); return 0; }' >"$bin/probes"
	printf '%s\n' 'int main(int argc, char **argv)' \
		'{ (void)argv; WCM_PROBE(asked, probe, argc); return WCM_PROBE_ENABLED(asked, probe); }' >"$bin/asks"
	cat "$bin/head.h" "$bin/probes" >"$bin/probes.c"
	cat "$bin/head.h" "$bin/asks" >"$bin/asks.c"
	cat "$bin/head.h" "$bin/semaphore" >"$bin/semaphore.c"
	cat "$bin/head.h" "$bin/semaphore" "$bin/asks" >"$bin/semaphore_and_asks.c"
	cat "$bin/head.h" "$bin/asks" "$bin/semaphore" >"$bin/asks_and_semaphore.c"
	links only_probes
	links asks_for_none
	links asks_for_one
}

# refused COMPILER TYPE NAME: it has the type, and refuses a value of it by this name.
refused()
{
	printf '%s\n' "struct wcm_class { int member; };" "typedef $2;" '#include <whocallme/probe.h>' '#ifdef PROBED' \
		'void f(type x) { WCM_PROBE(a, b, x); }' '#else' 'void f(type x) { (void)x; }' '#endif' >"$bin/refused.c"
	$1 -w -I"$top_srcdir/include" -c -o "$bin/refused.o" "$bin/refused.c" 2>/dev/null || return 0
	tried=$((tried + 1))
	if $1 -w -DPROBED -I"$top_srcdir/include" -c -o "$bin/refused.o" "$bin/refused.c" 2>"$bin/said"; then
		return 1
	fi
	grep -q "value_is_$3" "$bin/said"
}

@test "values of more than a word, and floating-point numbers of other kinds, are refused" {
	local compiler type tried=0
	local float=integer_pointer_float_or_double
	for compiler in gcc "gcc -std=gnu89" clang "clang -std=gnu89" "g++ -x c++" "g++ -std=c++98 -x c++" \
		"clang++ -x c++" "clang++ -std=c++98 -x c++" i686-linux-gnu-gcc aarch64-linux-gnu-gcc \
		riscv64-linux-gnu-gcc; do
		command -v "${compiler%% *}" >/dev/null || continue
		for type in "__int128" "unsigned __int128"; do
			refused "$compiler" "$type type" of_a_word_at_most || blame "$compiler $type"
		done
		for type in _Decimal32 _Decimal64 _Float16 "float __attribute__((mode(SD)))" "long double" \
			_Float128 __float128; do
			refused "$compiler" "$type type" $float || blame "$compiler $type"
		done
		[[ $compiler != *++* ]] || refused "$compiler" "int (wcm_class::*type)()" of_a_word_at_most
		[[ $compiler != i686* ]] || refused "$compiler" "long long type" of_a_word_at_most
	done
	[ "$tried" -gt 0 ]
}

@test "whether a probe is watched is an int, or a bool" {
	echo '#include <whocallme/probe.h>
		WCM_PROBE_SEMAPHORE(a, b);
		int f(int);
		int g(void) { return f(WCM_PROBE_ENABLED(a, b)); }' >"$bin/int.c"
	local compiler
	for compiler in "gcc -x c" "clang -x c" "g++ -x c++" "clang++ -x c++"; do
		command -v "${compiler%% *}" >/dev/null || continue
		$compiler -Wall -Wextra -Wconversion -Werror -I"$top_srcdir/include" -c -o "$bin/int.o" "$bin/int.c"
	done
}

@test "whocallme functions --probes lists what readelf does, of others' files, too" {
	local file any=no
	$CC -O2 -I"$top_srcdir/include" -o "$bin/kinds" "$programs/probe_kinds.c"
	$CXX -O2 -I"$top_srcdir/include" -o "$bin/forms" "$programs/probe_forms.cc" "$programs/probe_other.cc"
	for file in "$bin/kinds" "$bin/forms" /usr/bin/python3 /usr/lib/*/libstdc++.so.6 /usr/lib/*/libc.so.6; do
		[ -e "$file" ] || continue
		"$whocallme" functions --probes "$file" >"$bin/listed"
		diff <(sed -E 's/^[0-9a-f]+ //; s/ \[semaphore .*//' "$bin/listed") \
			<(notes "$file" | sed 's/ $//') || blame "$file"
		diff <(cut -d' ' -f1 "$bin/listed") <(LC_ALL=C readelf -n "$file" 2>/dev/null |
			sed -nE 's/.*Location: 0x([0-9a-f]+),.*/\1/p') || blame "$file"
		[ ! -s "$bin/listed" ] || any=yes
	done
	[ $any = yes ]
	"$whocallme" functions --json --probes "$bin/kinds" | python3 -c '
import json, sys
print(*[p["provider"] + ":" + p["name"] for p in json.load(sys.stdin)["probes"]], sep="\n")' |
		diff - <(notes "$bin/kinds" | cut -d" " -f1)
}

@test "gdb lists the probes, and stops at each with the values" {
	needs gdb
	not_sanitized "gdb counts its code"
	local flags
	for flags in -O0 -O2 "-O2 -fPIC"; do
		# shellcheck disable=SC2086 # a list
		$CC -g $flags -I"$top_srcdir/include" -o "$bin/kinds" "$programs/probe_kinds.c"
		gdb -nx -q -batch -ex 'info probes stap kinds' "$bin/kinds" >"$bin/gdb" 2>&1
		[ "$(grep -c '^stap *kinds' "$bin/gdb")" = 5 ] || { cat "$bin/gdb"; blame "$flags"; }
		gdb -nx -q -batch -ex 'set confirm off' -ex 'set debuginfod enabled off' \
			-ex 'break -probe-stap kinds:integers' -ex 'break -probe-stap kinds:bytes' \
			-ex 'break -probe-stap kinds:constants' -ex run \
			-ex 'printf "%d %d\n", $_probe_argc, $_probe_arg0' \
			-ex 'printf "%u %d\n", $_probe_arg1, $_probe_arg4' \
			-ex 'printf "%u %ld %lu\n", $_probe_arg5, $_probe_arg6, $_probe_arg7' \
			-ex continue \
			-ex 'printf "%d %d %d %d\n", $_probe_arg0, $_probe_arg6, $_probe_arg7, $_probe_arg8' \
			-ex continue \
			-ex 'printf "%d %d %d %d %d\n", $_probe_argc, $_probe_arg0, $_probe_arg1, $_probe_arg4, $_probe_arg11' \
			"$bin/kinds" >"$bin/gdb" 2>&1
		grep -E '^-?[0-9]+( -?[0-9]+)+$' "$bin/gdb" >"$bin/values" || { cat "$bin/gdb"; false; }
		diff "$bin/values" - <<-'END' || { cat "$bin/gdb"; blame "$flags"; }
			8 -1
			201 1
			4000000000 -5000000000 18446744073709551615
			-1 5 6 7
			12 1 -2 -5 12
		END
	done
}

@test "bpftrace lists the same" {
	needs bpftrace
	[ "$(id -u)" = 0 ] || skip "bpftrace is root's"
	$CC -O2 -I"$top_srcdir/include" -o "$bin/kinds" "$programs/probe_kinds.c"
	bpftrace -l "usdt:$bin/kinds:*" >"$bin/bpftrace" 2>"$bin/bpftrace.err" ||
		skip "bpftrace does not run here: $(head -1 "$bin/bpftrace.err")"
	diff <(sed -E 's/.*:([^:]+:[^:]+)$/\1/' "$bin/bpftrace" | sort) \
		<(notes "$bin/kinds" | cut -d' ' -f1 | sort -u)
}

# marks FILE: the names of its probes and how many values they have, as stap reads them, which wants
# a kernel to read them for.
marks()
{
	stap -r "$bin/kernel" -L "process(\"$1\").mark(\"*\")" 2>"$bin/stap.err" |
		sed -E 's/.*\.mark\("([^"]*)"\)/\1/; s/\$arg[0-9]+:long/v/g; s/ +$//'
}

@test "SystemTap's reader lists the same, and takes the values" {
	needs stap
	needs_arch x86_64 "the kernel is one"
	mkdir -p "$bin/kernel/include/config"
	printf 'CONFIG_%s=y\n' MODULES TRACEPOINTS UPROBES ARCH_SUPPORTS_UPROBES >"$bin/kernel/.config"
	echo 6.1.0 >"$bin/kernel/include/config/kernel.release"
	touch "$bin/kernel/Makefile" "$bin/kernel/Module.symvers"
	$CC -O2 -I"$top_srcdir/include" -o "$bin/kinds" "$programs/probe_kinds.c"
	$CC -O2 -I"$top_srcdir/include" -o "$bin/globals" "$programs/probe_globals.c"
	marks "$bin/kinds" | diff - <(
		echo "bytes$(printf ' v%.0s' {1..9})"
		echo "constants$(printf ' v%.0s' {1..12})"
		echo "integers$(printf ' v%.0s' {1..8})"
		echo none
		echo "others$(printf ' v%.0s' {1..7})"
	) || { cat "$bin/stap.err" && false; }
	[ "$(marks "$bin/globals")" = "tell v v v v v v" ]
	# Its C code, which reads each value where the note says.
	stap -r "$bin/kernel" -p3 -e "probe process(\"$bin/kinds\").mark(\"bytes\")
		{ printf(\"%d %d\", \$arg1, \$arg9) }" >"$bin/code" 2>"$bin/stap.err" ||
		{ cat "$bin/stap.err" && false; }
	grep -q u_fetch_register "$bin/code"
}
