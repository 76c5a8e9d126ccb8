#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# arguments_debug.bats - what the program's own functions are given and give back, by its debug data.
# The program's text judges, gdb, and uftrace.

load support

functions=tiny,shorter,numbers,longest,truth,letter,paint,allow,narrow,wide,widest,boxed,text,pointer
functions+=,handler,pair,both,packet,memory,many,nothing

setup_file()
{
	bin=$BATS_FILE_TMPDIR
	[ "$(uname -m)" = x86_64 ] || return 0
	build() { "$1" -g "$2" -fpatchable-function-entry=5 "${@:3}" "$programs/arguments_debug.c"; }
	for level in -O0 -O2; do
		build "$CC" $level -o "$bin/c$level"
		build "$CXX" $level -o "$bin/c++$level" -x c++
	done
	$CC -g -O0 -o "$bin/plain" "$programs/arguments_debug.c"
}

setup()
{
	[ "$(uname -m)" = x86_64 ] && [ -z "$emulated" ] || skip "x86-64 alone has them"
	not_sanitized "its runtime must be loaded first"
	bin=$BATS_FILE_TMPDIR
}

# The calls of the log, with what is behind them but for times.
calls_of()
{
	sed -nE "s/^(FUN|RET) +[0-9]+ +[0-9']+ +[0-9]+ +(&.*)\$/\1 \2/p" "$1" |
		sed -E "s/,? [0-9']+ ns\$//; /&(main|call_all)\(/d; s/\(0x7f[0-9a-f]{10}([,)])/(*\1/"
}

# traced OPTION... PROGRAM ARGUMENT...: its log is in $bin/log.
traced()
{
	observe timeout "${seconds:-120}" "$whocallme" trace -A -e --demangle=full --log="$bin/log" "$@"
	expect_status 0
	[ ! -s "$err" ] || blame "$(cat "$err")"
}

@test "each class, of C and C++, optimized or not, as the program's text has it" {
	local rounds=${ARGUMENTS_ROUNDS:-1000} seconds seed=$RANDOM language level
	seconds=$((120 + rounds / 500))
	for language in c c++; do
		for level in -O0 -O2; do
			traced "$bin/$language$level" "$seed" "$rounds"
			cmp <(python3 "$top_srcdir/test/scenario/arguments_debug.py" $language \
				"$seed" "$rounds") <(calls_of "$bin/log") ||
				blame "$language $level with seed $seed"
		done
	done
}

@test "a struct of two words is in registers, and one of a byte more in memory" {
	cat >"$bin/sizes.c" <<-'.'
		struct one { char c[1]; };
		struct two { long a, b; };
		struct more { char c[17]; };
		struct five { int n[5]; };
		struct three { long a, b, c; };
		#define TAKES(type) __attribute__((noinline)) int type(struct type given, int behind) \
			{ return behind + ((char *)&given)[0]; }
		TAKES(one) TAKES(two) TAKES(more) TAKES(five) TAKES(three)
		int main(void)
		{
			return one((struct one){ { 1 } }, 7) + two((struct two){ 1, 2 }, 7) +
			       more((struct more){ { 1 } }, 7) + five((struct five){ { 1 } }, 7) +
			       three((struct three){ 1, 2, 3 }, 7) - 5 * 8;
		}
	.
	$CC -g -O1 -fpatchable-function-entry=5 -o "$bin/sizes" "$bin/sizes.c"
	traced "$bin/sizes"
	diff <(sed -n 's/^FUN.* &\(.*)\)$/\1/p' "$bin/log" | tail -n +2) - <<-'.' || blame "not these"
		one({0x1}, 7)
		two({0x1, 0x2}, 7)
		more({...}, 7)
		five({...}, 7)
		three({...}, 7)
	.
}

@test "as gdb has it, where functions begin and where they return" {
	needs gdb
	local seed=$RANDOM
	gdb -nx -batch -ex "py FUNCTIONS='$functions'; OUTPUT='$bin/gdb'; AT_ENTRY=False" \
		-x "$top_srcdir/test/scenario/arguments_gdb.py" \
		--args "$bin/plain" "$seed" 5 >"$bin/gdb.out" 2>&1
	[ "$(wc -l <"$bin/gdb")" -eq 210 ] || blame "$(cat "$bin/gdb" "$bin/gdb.out")"
	traced --functions="$functions" "$bin/c-O0" "$seed" 5
	diff -u "$bin/gdb" <(calls_of "$bin/log")
	traced --functions="$functions" "$bin/c-O2" "$seed" 5
	diff -u "$bin/gdb" <(calls_of "$bin/log")
}

# The words of calls, in order, of a log.
words_of_log()
{
	sed -nE "s/^FUN +[0-9]+ +[0-9']+ +[0-9]+ +&(.*)$/\1/p; s/^RET .* → (.*), [0-9']+ ns$/= \1/p" "$1"
}

@test "recordings, as uftrace reads them, and replay as the log has them; enumerators by name" {
	needs uftrace
	rm -rf "$bin/recording"
	observe "$whocallme" trace -A --record="$bin/recording" "$bin/c++-O0" 5 200
	expect_status 0
	uftrace replay --no-pager --no-comment -f none -d "$bin/recording" >"$bin/theirs" 2>"$bin/said"
	[ ! -s "$bin/said" ] || blame "$(cat "$bin/said")"
	observe "$whocallme" replay --no-merge "$bin/recording"
	observe setarch -R "$whocallme" trace -A -e --log="$bin/log" "$bin/c++-O0" 5 200
	rm -rf "$bin/recording"
	setarch -R "$whocallme" trace -A --record="$bin/recording" "$bin/c++-O0" 5 200
	diff -u <(words_of_log "$bin/log" | sed 's/0x7ff[0-9a-f]*/STACK/g') \
		<("$whocallme" replay --no-merge "$bin/recording" |
			sed -nE 's/^[^|]*\| *([^ }].*) \{$/\1/p; s/^[^|]*\| *\} (= .*); \/.*/\1/p' |
			sed 's/0x7ff[0-9a-f]*/STACK/g') >"$bin/diff" ||
		blame "$(head -40 "$bin/diff")"
	grep -qF 'paint(GREEN, WRITE|READ, ZERO) = GREEN;' "$bin/theirs"
	grep -qE 'scope::over\(-?[0-9.]+\) = ' "$bin/theirs"
	observe "$whocallme" chrome "$bin/recording"
	grep -qF '"arguments":"BLUE, ' "$out" || grep -qF '"arguments":"GREEN, ' "$out"
}

# What uftrace 0.13 tells wrongly itself is not compared: what is behind a long double or of 16
# bytes, structs' results, those of signed bytes, longer strings, functions given more than registers hold.
@test "as uftrace records it by itself" {
	needs uftrace
	uftrace --version | grep -q dwarf || skip "uftrace reads no debug data here"
	local same='shorter|numbers|longest|letter|paint|allow|wide|nothing' program
	for level in -O0 -O2; do
		$CC -g -pg $level -o "$bin/pg" "$programs/arguments_debug.c"
		rm -rf "$bin/recording" "$bin/theirs"
		uftrace record --no-pager --no-event -a -d "$bin/theirs" "$bin/pg" 77 20 >/dev/null
		observe "$whocallme" trace -A --record="$bin/recording" "$bin/c$level" 77 20
		for program in recording theirs; do
			uftrace replay --no-pager --no-comment -f none -d "$bin/$program" |
				grep -E "^ *($same)\(" | sed 's/0x[0-9a-f]*/N/g' >"$bin/$program.text"
		done
		[ "$(wc -l <"$bin/theirs.text")" -eq 160 ]
		diff "$bin/theirs.text" "$bin/recording.text" >"$bin/differ" || true
		[ "$(grep -c '^<' "$bin/differ")" -eq 0 ] || blame "$(head -40 "$bin/differ")"
	done
}

@test "functions by name alone; a function that gcc has changed has no arguments" {
	observe "$whocallme" trace --arguments='scope::over,tiny' "$bin/c++-O0" 3 1
	expect_status 0
	grep -qE '&tiny\(-?[0-9]+, ' "$err"
	[ "$(grep -c '&scope::over([0-9-]' "$err")" -eq 2 ]
	! grep -q '&numbers([0-9-]' "$err"
	printf '%s\n' '__attribute__((noinline)) static int twice(int unused, int a) { __asm__("");' \
		'return 2 * a; } int main(int n, char **v) { return twice(n, n) + twice(7, n + 1); }' \
		>"$bin/changed.c"
	$CC -g -O2 -w -fpatchable-function-entry=5 -o "$bin/changed" "$bin/changed.c"
	nm "$bin/changed" | grep -q 'twice\.' || skip "this compiler changes none"
	observe "$whocallme" trace -A "$bin/changed"
	grep -qE '&twice[.a-z0-9]*$' "$err" || blame "$(cat "$err")"
}

@test "debug data in files of its own" {
	cp "$bin/c-O2" "$bin/stripped"
	objcopy --only-keep-debug "$bin/c-O2" "$bin/stripped.debug"
	(cd "$bin" && objcopy --strip-all --add-gnu-debuglink=stripped.debug stripped)
	traced "$bin/stripped" 9 3
	[ "$(grep -c '(-\{0,1\}[0-9]' "$bin/log")" -gt 60 ]
	$CC -g -gsplit-dwarf -O2 -fpatchable-function-entry=5 -o "$bin/split" \
		"$programs/arguments_debug.c"
	traced "$bin/split" 9 3
	cmp <(python3 "$top_srcdir/test/scenario/arguments_debug.py" c 9 3) <(calls_of "$bin/log")
}

@test "damaged debug data: the program runs, with or without arguments" {
	python3 - "$bin/c++-O0" "$bin" <<-'EOF'
		import random, subprocess, sys
		data = open(sys.argv[1], "rb").read()
		sections = {}
		for line in subprocess.run(["readelf", "-SW", sys.argv[1]], capture_output=True,
		                           text=True, check=True).stdout.splitlines():
		    words = line.replace("[ ", "[").split()
		    if len(words) > 5 and words[1].startswith(".debug"):
		        sections[words[1]] = int(words[4], 16), int(words[5], 16)
		random.seed(1)
		for i in range(60):
		    damaged = bytearray(data)
		    start, size = sections[random.choice([".debug_info", ".debug_abbrev", ".debug_str"])]
		    for _ in range(random.choice([1, 3, 20])):
		        damaged[start + random.randrange(size)] = random.randrange(256)
		    open(f"{sys.argv[2]}/damaged{i}", "wb").write(damaged)
	EOF
	local i
	for i in {0..59}; do
		chmod +x "$bin/damaged$i"
		observe timeout 60 "$whocallme" trace -A -e --log="$bin/log" "$bin/damaged$i" 1 1
		expect_status 0
		[ "$(grep -c '&call_all' "$bin/log")" -eq 2 ] || blame "$i: $(cat "$err")"
	done
}

@test "a list with wrong lines is told of, and what is before them counts" {
	local wrong
	for wrong in 'enum' 'enum x' 'enum x A' 'enum x A=' 'enum x A=1,' 'f E0' 'f Ei' 'f {lll}' 'f [l}' \
		'f q}' 'f M' 'f z' 'x' "f $(printf '%0999d' 0)"; do
		printf '%s\n' 'enum color RED=0' 'close iE0i' "$wrong" 'dup ii' >"$bin/prototypes"
		observe env WHOCALLME_PROTOTYPES="$bin/prototypes" "$whocallme" trace -A "$bin/c-O0"
		expect_status 0
		err_has 'has a line that is no prototype$'
	done
	printf '%s\n' "main E7iE9999999999ip" >"$bin/prototypes"
	observe env WHOCALLME_PROTOTYPES="$bin/prototypes" "$whocallme" trace -A "$bin/c-O0"
	expect_status 0
}

@test "where the parent has SIGCHLD ignored, as the program finds it" {
	printf '%s\n' '#include <signal.h>' '#include <stddef.h>' \
		'__attribute__((noinline)) int add(int a, int b) { return a + b; }' \
		'int main(void) { struct sigaction is; sigaction(SIGCHLD, NULL, &is);' \
		'return add(is.sa_handler == SIG_IGN, 2) - 3; }' >"$bin/ignores.c"
	$CC -g -O1 -fpatchable-function-entry=5 -o "$bin/ignores" "$bin/ignores.c"
	observe env --ignore-signal=CHLD "$whocallme" trace -A --log="$bin/ignores.log" "$bin/ignores"
	expect_status 0
	grep '&add(1, 2)$' "$bin/ignores.log"
}

@test "the list can be changed by nobody, and programs find their descriptors where they were" {
	printf '%s\n' '#include <fcntl.h>' '#include <stdio.h>' '#include <stdlib.h>' \
		'#include <unistd.h>' 'int main(void) { const char *path = getenv("WHOCALLME_PROTOTYPES");' \
		'int list = open(path, O_WRONLY), next = open("/dev/null", O_RDONLY);' \
		'printf("%d %zd\n", next - (list >= 0), list < 0 ? -1 : write(list, "x", 1)); }' \
		>"$bin/changes.c"
	$CC -g -fpatchable-function-entry=5 -o "$bin/changes" "$bin/changes.c"
	observe "$whocallme" trace -A "$bin/changes"
	cp "$out" "$bin/with"
	observe env WHOCALLME_PROTOTYPES=/nowhere "$bin/changes"
	cmp "$bin/with" "$out"
	grep -q ' -1$' "$out"
}

@test "a library's functions, by its debug data, under each of their names" {
	cat >"$bin/library.c" <<-'EOF'
		double scaled(int number, const char *text, double by)
		{
			return number * by + text[0];
		}
		double also(int, const char *, double) __attribute__((alias("scaled")));
	EOF
	cat >"$bin/caller.c" <<-'EOF'
		#include <string.h>
		double scaled(int, const char *, double), also(int, const char *, double);
		int main(int argc, char *argv[])
		{
			return strlen(argv[0]) > 0 && scaled(3, "@", 2.5) == 71.5 &&
				also(-4, "A", 0.25) == 64 ? 0 : 1;
		}
	EOF
	$CC -g -O1 -shared -fPIC -o "$bin/liblibrary.so" "$bin/library.c"
	$CC -O1 -fno-builtin -o "$bin/caller" "$bin/caller.c" "$bin/liblibrary.so"
	traced --library-calls "$bin/caller"
	grep -qE '^LIB .*&scaled\(3, "@", 2\.5\)$' "$bin/log"
	grep -qE '^RET .*&scaled\(3, "@", 2\.5\) → 71\.5, ' "$bin/log"
	grep -qE '^RET .*&also\(-4, "A", 0\.25\) → 64(\.0)?, ' "$bin/log"
	grep -qE '^LIB .*&strlen\("' "$bin/log"
	observe timeout 20 "$whocallme" trace --arguments=also --library-calls --log="$bin/log" \
		"$bin/caller"
	expect_status 0
	grep -qE '^LIB .*&scaled$' "$bin/log"
	grep -qE '^LIB .*&also\(-4, "A", 0\.25\)$' "$bin/log"
	cd "$bin"
	$CC -O1 -fno-builtin -o caller caller.c ./liblibrary.so
	traced --library-calls ./caller
	grep -qE '^LIB .*&scaled\(3, "@", 2\.5\)$' "$bin/log"
	strip -g "$bin/liblibrary.so"
	traced --library-calls ./caller
	grep -qE '^LIB .*&scaled$' "$bin/log"
}
