#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# probe_trace.bats - whocallme trace --probes: probes of programs and of libraries, in the log, in recordings
# and graphs, and of programs that a trap could harm.  readelf, gdb, uftrace and the programs
# themselves judge.

load support
load library

setup_file()
{
	bin=$BATS_FILE_TMPDIR
	$CC -O0 -I"$top_srcdir/include" -o "$bin/shop-O0" "$programs/probe_shop.c"
	$CC -O2 -I"$top_srcdir/include" -o "$bin/shop-O2" "$programs/probe_shop.c"
	$CC -O2 -finstrument-functions -I"$top_srcdir/include" -o "$bin/hooked" "$programs/probe_shop.c"
	$CC -O2 -fpatchable-function-entry=5 -I"$top_srcdir/include" -o "$bin/sleds" "$programs/probe_shop.c"
	$CC -O1 -I"$top_srcdir/include" -o "$bin/hostile" "$programs/probe_hostile.c" -ldl -lpthread
	$CC -O2 -shared -fPIC -I"$top_srcdir/include" -o "$bin/plugged.so" "$programs/probe_plugged.c"
	$CXX -O1 -o "$bin/throws" "$programs/probe_throws.cc" -lpthread
}

# probes FILE: the names and values of the log, unfolded.
probes_of()
{
	sed -nE "s/^PRB +[0-9]+ +[0-9']+ +([^ ].*)\$/\1/p" "$1" |
		awk '{ n = 1; if (match($0, / x[0-9]+$/)) { n = substr($0, RSTART + 2); $0 = substr($0, 1, RSTART - 1) }
			while (n-- > 0) print }'
}

@test "values: numbers of all sizes, with and without a sign, in registers, in memory and constant" {
	local flags
	for flags in -O0 -O2; do
		traced --probes "$bin/shop$flags" 3
		expect_status 0
		[ "$(cat "$out")" = "6 3" ]
		diff <(probes_of "$bin/log") - <<-'END'
			shop:leaf(0, 0, 250)
			shop:sold(116, 0, 0, 0, 0x0)
			shop:guarded(2)
			shop:leaf(1, -1, 251)
			shop:sold(116, 2.5, 1, 2.5, 0x0)
			shop:guarded(4)
			shop:leaf(2, -2, 252)
			shop:sold(116, 5, 2, 5, 0x0)
			shop:guarded(6)
		END
	done
}

@test "values that are in variables, by the symbols that tell them; not where several have the name" {
	local flags in_memory=0
	for flags in "-O0" "-O2" "-O2 -no-pie -fno-pie" "-O2 -fPIE -pie" "-O3 -fPIC -shared"; do
		# shellcheck disable=SC2086 # a list
		if [[ $flags = *-shared ]]; then
			$CC $flags -Dmain=run -I"$top_srcdir/include" -o "$bin/libglobals.so" \
				"$programs/probe_globals.c"
			echo 'int run(int, char **); int main(int c, char **v) { return run(c, v); }' |
				$CC -x c -o "$bin/globals" - -x none "$bin/libglobals.so"
		else
			$CC $flags -I"$top_srcdir/include" -o "$bin/globals" "$programs/probe_globals.c"
		fi
		traced --probes "$bin/globals"
		expect_status 0
		diff "$out" <(probes_of "$bin/log" | tr -d "'") || blame "$flags"
		in_memory=$((in_memory + $(readelf -n "$bin/globals" | grep -c 'shown(%rip)' || true)))
	done
	[ "$in_memory" -gt 0 ] || skip "this compiler has loaded them"
	$CC -O2 -I"$top_srcdir/include" -DNUMBER=2 -DNAME=other -c -o "$bin/other.o" \
		"$programs/probe_namesakes.c"
	$CC -O2 -I"$top_srcdir/include" -DNUMBER=1 -DNAME=one -o "$bin/namesakes" \
		"$programs/probe_namesakes.c" "$bin/other.o"
	readelf -n "$bin/namesakes" | grep -q -- '-4@namesake(%rip)' || skip "this compiler has loaded it"
	traced --probes "$bin/namesakes"
	expect_status 0
	[ "$(probes_of "$bin/log" | sort -u)" = "globals:namesake(?)" ]
	strip "$bin/globals"
	traced --probes "$bin/globals"
	expect_status 0
}

@test "those that match; a semaphore is raised for its own probe alone; none says which there are" {
	traced --probes='shop:l*' "$bin/shop-O2" 2
	[ "$(cat "$out")" = "3 0" ]
	[ "$(probes_of "$bin/log" | cut -d'(' -f1 | sort -u)" = shop:leaf ]
	traced --probes=other:thing "$bin/shop-O2" 2
	expect_status 0
	[ "$(cat "$out")" = "3 0" ]
	grep -q '^<whocallme>: no probe matches --probes=other:thing; there are shop:leaf, shop:sold, shop:guarded$' \
		"$err"
	traced --probes /bin/true
	expect_status 0
	grep -q '^<whocallme>: no probe matches --probes=\*; there are none$' "$err"
}

@test "they are as deep as what they are in, which hooks and sleds tell of" {
	local program
	for program in hooked sleds; do
		traced --probes "$bin/$program" 2
		expect_status 0
		sed -nE "s/^(FUN|PRB) +[0-9]+ +[0-9']+ +[0-9]*( .*)/\2/p" "$bin/log" |
			sed -E 's/^( *)[^a-z]*([a-z:]+).*/\2/' >"$bin/names"
		diff "$bin/names" - <<-'END' || { cat "$bin/log"; false; }
			main
			sell
			leaf
			shop:leaf
			shop:sold
			shop:guarded
			sell
			leaf
			shop:leaf
			shop:sold
			shop:guarded
		END
		awk '/shop:/ { p = index($0, "shop:"); if (p != want[$0 ~ /shop:leaf/]) want[$0 ~ /shop:leaf/] ? bad++ : want[$0 ~ /shop:leaf/] = p }
			/&leaf/ { leaf = index($0, "&") } /&sell/ { sell = index($0, "&") }
			END { exit bad || want[1] != leaf + 2 || want[0] != sell + 2 }' "$bin/log" ||
			{ cat "$bin/log"; false; }
	done
}

@test "recordings and graphs have them as functions; uftrace reads them" {
	rm -rf "$bin/recorded"
	observe "$whocallme" trace --probes --record="$bin/recorded" "$bin/hooked" 5
	expect_status 0
	"$whocallme" replay "$bin/recorded" >"$bin/replayed"
	[ "$(grep -c 'shop:leaf' "$bin/replayed")" = 5 ]
	[ "$(grep -c 'shop:sold' "$bin/replayed")" = 5 ]
	if command -v uftrace >/dev/null; then
		uftrace replay -d "$bin/recorded" -f none >"$bin/uftrace"
		[ "$(grep -c 'shop:leaf' "$bin/uftrace")" = 5 ]
		[ "$(grep -c 'shop:guarded' "$bin/uftrace")" = 5 ]
	fi
	observe "$whocallme" trace --probes --graph="$bin/graph" "$bin/hooked" 5
	grep -q '"leaf" -> "shop:leaf" .*calls=5' "$bin/graph"
	grep -q '"sell" -> "shop:sold" .*calls=5' "$bin/graph"
}

@test "many probes: of one name, and each of its own, in the log and in recordings" {
	local name
	for name in one 'p"n"'; do
		awk -v name="$name" 'BEGIN {
			print "#include <whocallme/probe.h>\nvolatile int before;\nint main(void)\n{\n\tbefore++;"
			for (n = 1; n <= 6000; n++) {
				called = name
				sub(/"n"/, n, called)
				print "\tWCM_PROBE(many, " called ", " n ");"
			}
			print "\treturn 0;\n}" }' >"$bin/many.c"
		$CC -O1 -I"$top_srcdir/include" -o "$bin/many" "$bin/many.c"
		LC_ALL=C readelf -n "$bin/many" | awk '/^ +Name:/ { print "many:" $2 }
			/Arguments:/ { sub(/.*\$/, ""); print }' | paste - - >"$bin/expected"
		[ "$(wc -l <"$bin/expected")" = 6000 ]
		traced --probes='many:*' "$bin/many"
		expect_status 0
		[ ! -s "$err" ]
		diff <(probes_of "$bin/log" | tr -d "')" | tr '(' '\t') "$bin/expected" >&2
		rm -rf "$bin/recorded"
		observe "$whocallme" trace --probes --record="$bin/recorded" "$bin/many"
		"$whocallme" replay "$bin/recorded" >"$bin/replayed"
		diff <(grep -o 'many:[a-z0-9]*' "$bin/replayed") <(cut -f1 "$bin/expected")
	done
}

@test "recordings and graphs name those of a library that is closed again" {
	rm -rf "$bin/recorded"
	observe "$whocallme" trace --probes='hostile:*,plugged:*' --record="$bin/recorded" "$bin/hostile" loads \
		"$bin/plugged.so"
	expect_status 0
	traced --probes='hostile:*,plugged:*' "$bin/hostile" loads "$bin/plugged.so"
	probes_of "$bin/log" | sed 's/(.*//' >"$bin/names"
	[ "$(grep -c '^plugged:' "$bin/names")" -ge 20 ]
	"$whocallme" replay "$bin/recorded" >"$bin/replayed"
	diff <(sed -nE 's/.*\| +(.*)\(\);/\1/p' "$bin/replayed") "$bin/names"
	if command -v uftrace >/dev/null; then
		uftrace replay -d "$bin/recorded" -f none >"$bin/uftrace"
		diff <(sed -nE 's/ *(.*)\(\);/\1/p' "$bin/uftrace") "$bin/names"
	fi
	observe "$whocallme" trace --probes='hostile:*,plugged:*' --graph="$bin/graph" "$bin/hostile" \
		loads "$bin/plugged.so"
	grep -q '"plugged:[a-z]*" .*module="[^"]*plugged.so"' "$bin/graph"
}

@test "those of a library that comes later, where there are none before; none of all is said at the end" {
	$CC -O1 -o "$bin/opens" -x c - -ldl <<-'END'
		#include <dlfcn.h>
		int main(int argc, char **argv)
		{
			for (int i = 0; i < 3; i++) {
				void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW) : 0;
				int (*number)(int) = library ? (int (*)(int))dlsym(library, "later") : 0;
				if (!number || number(i) != i || dlclose(library))
					return 1;
			}
			return 0;
		}
	END
	printf '%s\n' '#include <whocallme/probe.h>' 'int later(int i) { WCM_PROBE(later, come, i); return i; }' |
		$CC -O1 -shared -fPIC -I"$top_srcdir/include" -o "$bin/later.so" -x c -
	traced --probes='later:*' "$bin/opens" "$bin/later.so"
	expect_status 0
	[ ! -s "$err" ]
	[ "$(probes_of "$bin/log" | paste -sd' ')" = "later:come(0) later:come(1) later:come(2)" ]
	traced --probes='other:*' "$bin/opens" "$bin/later.so"
	expect_status 0
	[ "$(cat "$err")" = "<whocallme>: no probe matches --probes=other:*; there are later:come" ]
}

@test "those of programs whose linker has dropped .stapsdt.base" {
	local linker compiler any=no
	printf '%s\n' '#include <whocallme/probe.h>' \
		'WCM_PROBE_SEMAPHORE(dropped, base);' 'int main(int argc, char **argv)' \
		'{ (void)argv; if (WCM_PROBE_ENABLED(dropped, base)) WCM_PROBE(dropped, base, argc); return 0; }' >"$bin/dropped.c"
	for linker in lld gold; do
		command -v ld.$linker >/dev/null || continue
		for compiler in "$CC -x c" "$CXX -x c++"; do
			$compiler -O1 -I"$top_srcdir/include" -Wl,--gc-sections -fuse-ld=$linker -o "$bin/dropped" \
				"$bin/dropped.c" || continue
			LC_ALL=C readelf -SW "$bin/dropped" | grep -q 'stapsdt\.base' || any=yes
			traced --probes "$bin/dropped"
			[ "$(probes_of "$bin/log")" = 'dropped:base(1)' ] || blame "$linker $compiler"
		done
	done
	[ $any = yes ] || skip "no linker here drops it"
}

@test "libstdc++'s throw, rethrow and catch are as many as the program says" {
	traced --probes='libstdcxx:*' "$bin/throws"
	expect_status 0
	if grep -q 'there are none' "$err"; then
		skip "this libstdc++ has no probes"
	fi
	diff <(probes_of "$bin/log" | sed 's/(.*//; s/libstdcxx://' | sort | uniq -c | awk '{ print $1, $2 }') \
		<(sort -k2 "$out")
}

# Of calls that the interpreter makes without a call of C, python3.11 has no entry unless lines are watched.
@test "python3's own, by its semaphores" {
	local python
	python=$(command -v /usr/bin/python3) || skip "python3 is missing"
	LC_ALL=C readelf -n "$(readlink -f "$python")" 2>/dev/null | grep -q 'Provider: python' ||
		skip "this python3 has no probes"
	printf 'def called(n):\n    return n + 1\nfor i in range(200):\n    called(i)\nprint("done")\n' >"$bin/calls.py"
	traced --probes='python:function__*,python:line' "$python" -S -E "$bin/calls.py"
	expect_status 0
	[ "$(cat "$out")" = done ]
	local entries returns
	entries=$(probes_of "$bin/log" | grep -c 'function__entry')
	returns=$(probes_of "$bin/log" | grep -c 'function__return')
	[ "$entries" = "$returns" ] && [ "$entries" -ge 201 ]
}

# harmless EXPECTED-HITS ARGUMENT...: the same output and status as without a trace, and so many lines.
harmless()
{
	local expected=$1 status=0 plain
	shift
	plain=$("$bin/hostile" "$@") || status=$?
	traced --no-signals --probes='hostile:*,plugged:*' "$bin/hostile" "$@"
	expect_status "$status"
	[ "$(cat "$out")" = "$plain" ] || blame "$*"
	[ ! -s "$err" ] || blame "$*"
	[ "$(probes_of "$bin/log" | wc -l)" = "$expected" ] || { cat "$bin/log"; blame "$*"; }
}

@test "SIGTRAP blocked, in eight threads too, and the program believes it" {
	harmless 801 blocked
}

@test "the program's own handler of SIGTRAP, whose masks block all; a raised one, and its own int3" {
	harmless 4 handled
}

@test "SIGTRAP ignored, by default, and the end by it" {
	harmless 3 ignored
	harmless 1 int3
}

@test "in handlers of SIGSEGV that jump away, and of timers while sigsuspend() waits" {
	harmless 11 faults
	harmless 4 timed
}

@test "children of fork() go on, of vfork() are told as their parent's, and posix_spawn()'s are others" {
	harmless 7 forks
	harmless 3 clears
}

@test "a libc's locks, which this library takes where a process forks" {
	$CC -O1 -rdynamic -I"$top_srcdir/include" -o "$bin/locks" "$programs/probe_locks.c" -ldl -lpthread
	traced --no-signals --probes "$bin/locks"
	expect_status 0
	[ "$(cat "$out")" = 10 ]
	[ "$(probes_of "$bin/log" | grep -c '^locks:entry')" -ge 10 ]
	observe timeout 60 "$whocallme" trace --system-calls --probes --record="$bin/recording" "$bin/locks"
	expect_status 0
	[ "$(cat "$out")" = 10 ]
}

@test "libraries that come and go" {
	harmless 40 loads "$bin/plugged.so"
}

@test "what filters system calls itself is traced no further, and lives" {
	command -v python3 >/dev/null || skip "python3 is missing"
	cat >"$bin/filter.c" <<-'END'
		#include <linux/filter.h>
		#include <linux/seccomp.h>
		#include <signal.h>
		#include <stdio.h>
		#include <sys/prctl.h>
		#include <whocallme/probe.h>
		int main(void)
		{
			struct sock_filter pass = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
			struct sock_fprog program = { 1, &pass };
			sigset_t all;
			WCM_PROBE(filter, before);
			prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
			prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
			sigfillset(&all);
			sigprocmask(SIG_BLOCK, &all, NULL);
			for (int i = 0; i < 10; i++)
				WCM_PROBE(filter, behind);
			puts("lives");
			return 0;
		}
	END
	$CC -O2 -I"$top_srcdir/include" -o "$bin/filter" "$bin/filter.c"
	traced --probes "$bin/filter"
	expect_status 0
	[ "$(cat "$out")" = lives ]
	[ "$(probes_of "$bin/log")" = "filter:before()" ]
	grep -q 'the program filters them by seccomp(2)' "$err"
}

@test "values and places of nonsense" {
	$CC -O1 -o "$bin/nonsense" "$programs/probe_nonsense.c"
	traced --probes "$bin/nonsense"
	expect_status 0
	[ "$(cat "$out")" = "made sense of" ]
	diff <(probes_of "$bin/log" | sed -E '/wild/s/, 0x[0-9a-f]+,/, ?,/g') - <<-'END'
		nonsense:values(?, ?, ?, ?, ?)
		nonsense:wild(?, ?, ?, ?, ?)
		nonsense:empty()
		nonsense:semaphore(-5)
		nonsense:code(255, -1, 65535, 16)
		nonsense:twelve(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12...)
	END
}

@test "notes that are damaged" {
	needs python3
	cat >"$bin/damage.py" <<-'END'
		import random, struct, sys
		data = bytearray(open(sys.argv[1], "rb").read())
		random.seed(int(sys.argv[3]))
		shoff = struct.unpack_from("<Q", data, 40)[0]
		count, strndx = struct.unpack_from("<HH", data, 60)
		def section(i): return struct.unpack_from("<IIQQQQIIQQ", data, shoff + 64 * i)
		names = section(strndx)[4]
		for i in range(count):
		    at = names + section(i)[0]
		    if data[at:at + 14] == b".note.stapsdt\0":
		        offset, size = section(i)[4:6]
		        for _ in range(random.randint(1, 12)):
		            data[offset + random.randrange(size)] = random.randrange(256)
		        if random.random() < 0.2:
		            struct.pack_into("<Q", data, shoff + 64 * i + 32, random.choice([1, 7, size - 3, 1 << 40, 2**64 - 1]))
		open(sys.argv[2], "wb").write(data)
	END
	local seed
	for seed in $(seq 1 60); do
		python3 "$bin/damage.py" "$bin/shop-O2" "$bin/damaged" "$seed"
		chmod +x "$bin/damaged"
		traced --probes "$bin/damaged" 2
		expect_status 0
		[[ "$(cat "$out")" == "3 "[02] ]] || blame "$seed"
	done
}

# gdb keeps every SIGTRAP, and cannot be told to pass on those that are none of its own.
@test "under gdb the program goes on, also where gdb has breakpoints on probes" {
	needs gdb
	local breakpoint
	for breakpoint in 'info program' 'break -probe-stap shop:sold'; do
		gdb -nx -q -batch -ex 'set confirm off' -ex 'set debuginfod enabled off' \
			-ex "set env LD_PRELOAD $lib/libwhocallme.so" -ex 'set env WHOCALLME_TRACE log' \
			-ex 'set env WHOCALLME_TRACE_PROBES *' -ex 'set startup-with-shell off' \
			-ex "set env WHOCALLME_OUTPUT $bin/log" -ex "$breakpoint" \
			-ex 'handle SIGSYS nostop noprint pass' -ex 'handle SIGTRAP nostop noprint nopass' \
			-ex run -ex continue -ex continue -ex continue \
			"$bin/shop-O0" >"$bin/gdb" 2>&1 </dev/null || true
		grep -q 'exited normally' "$bin/gdb" || { cat "$bin/gdb"; blame "$breakpoint"; }
		grep -q '^6 [03]' "$bin/gdb" || { cat "$bin/gdb"; blame "$breakpoint"; }
	done
	[ "$(grep -c '^Breakpoint 1, ' "$bin/gdb")" = 3 ] || { cat "$bin/gdb"; false; }
}

@test "under strace they are all told of" {
	needs strace
	strace -o /dev/null true 2>/dev/null || skip "strace does not trace here"
	rm -f "$bin/log"
	observe strace -f -o "$bin/strace" "$whocallme" trace --probes --log="$bin/log" "$bin/shop-O2" 3
	expect_status 0
	[ "$(probes_of "$bin/log" | wc -l)" = 9 ]
	[ "$(grep -c -- '--- SIGTRAP' "$bin/strace")" = 9 ]
}

@test "afterwards the code is that of the file, and semaphores are as before" {
	cat >"$bin/twice.c" <<-'END'
		#include <stdio.h>
		#include <string.h>
		#include <whocallme.h>
		WCM_PROBE_SEMAPHORE(twice, probe);
		__attribute__((noinline)) static void probed(int n) { WCM_PROBE(twice, probe, n); }
		int main(void)
		{
			static const struct wcm_trace_options options = { .mode = WCM_TRACE_LOG, .probes = "twice:*",
									  .fd = 2 };
			unsigned char before[16], during[16];
			memcpy(before, (const void *)probed, 16);
			for (int i = 0; i < 5; i++) {
				if (wcm_trace_start(&options) != WCM_OK)
					return 1;
				memcpy(during, (const void *)probed, 16);
				probed(i);
				if (!WCM_PROBE_ENABLED(twice, probe) || !memcmp(before, during, 16))
					return 2;
				wcm_trace_stop();
				probed(100);
				if (WCM_PROBE_ENABLED(twice, probe) || memcmp(before, (const void *)probed, 16))
					return 3;
			}
			puts("as before");
			return 0;
		}
	END
	build twice "$bin/twice.c" -O2
	observe "$bin/twice"
	expect_status 0
	[ "$(cat "$out")" = "as before" ]
	[ "$(probes_of "$err" | paste -sd' ')" = "twice:probe(0) twice:probe(1) twice:probe(2) twice:probe(3) twice:probe(4)" ]
}
