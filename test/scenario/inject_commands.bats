#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# inject_commands.bats - whocallme cc and plugin, and what replay and resolve make of the log.
bats_require_minimum_version 1.5.0
load support.bash

setup_file()
{
	[ -e "$top_builddir/libwhocallme-inject.a" ] || skip "the runtime is not built here"
	"$whocallme" plugin --path >/dev/null || skip "there is no plugin for gcc"
	cat >"$bin/program.cc" <<-END
		#include <pthread.h>
		#include <stdexcept>
		namespace shop {
		__attribute__((noinline)) int price(int count)
		{
			if (count > 2)
				throw std::runtime_error("too many");
			return count * 3;
		}
		__attribute__((noinline)) int bill(int count)
		{
			return price(count) + 1;
		}
		}
		__attribute__((noinline)) void *work(void *none)
		{
			shop::bill(1);
			return none;
		}
		int main()
		{
			pthread_t thread;

			pthread_create(&thread, nullptr, work, nullptr);
			pthread_join(thread, nullptr);
			try {
				shop::bill(3);
			} catch (const std::exception &) {
			}
			return shop::bill(2) == 7 ? 42 : 1;
		}
	END
	"$whocallme" cc --gcc=g++ -O1 -g -pthread "$bin/program.cc" -o "$bin/program"
	WHOCALLME_INJECT=$bin/log "$bin/program" || [ $? = 42 ]
}

setup()
{
	cd "$BATS_TEST_TMPDIR"
}

@test "cc: what gcc takes, its exit status, and the runtime only where it links" {
	echo 'int main(void) { return 3; }' >a.c
	"$whocallme" cc -O2 -c a.c -o a.o
	[ "$(nm -u a.o | grep inject)" = "                 U __inject_trace_write" ]
	"$whocallme" cc a.o -o a
	WHOCALLME_INJECT=$PWD/log run ./a
	[ "$status" = 3 ]
	[ "$(cut -d' ' -f1,2 log | paste -sd' ')" = "ev=entry fn=main ev=exit fn=main" ]
	"$whocallme" cc -x c - -o b <a.c
	"$whocallme" cc -S a.c -o - | grep -q __inject_trace_write
	"$whocallme" cc -E a.c | grep -q main
	"$whocallme" cc -shared -fPIC a.c -o a.so
	[ -z "$(nm -D a.so | grep inject)" ]
	printf 'exclude:\n  functions: [nowhere]\n' >rules.yml
	[ -z "$("$whocallme" cc --rules=rules.yml -c a.c -o a.o 2>&1)" ]
	"$whocallme" cc --rules=rules.yml --warn -c a.c -o a.o 2>&1 |
		grep "warning: rules.yml:2: .nowhere. matches no function"
	run "$whocallme" cc nothing.c
	[ "$status" = 1 ]
	[ "$("$whocallme" cc -dumpversion)" = "$(gcc -dumpversion)" ]
	[ "$("$whocallme" cc -- -print-file-name=libc.so)" = "$(gcc -print-file-name=libc.so)" ]
	[ "$("$whocallme" cc --version)" = "$(gcc --version)" ]
	# Headers are precompiled; where a value is missing gcc says so; options may be in a file.
	echo 'int f(void);' >p.h
	"$whocallme" cc p.h
	"$whocallme" cc -x c-header p.h -o q.gch
	[ -s p.h.gch ] && [ -s q.gch ]
	refute "$whocallme" cc a.c -o 2>errors
	grep -q 'missing filename after' errors
	echo '-O1 -c' >options
	"$whocallme" cc @options a.c 2>errors
	[ ! -s errors ]
}

@test "cc: in a script that CC names, and in build systems" {
	echo 'int main(void) { return 3; }' >a.c
	printf '#!/bin/sh\nexec "%s" cc "$@"\n' "$whocallme" >mycc
	chmod +x mycc
	CC=$PWD/mycc timeout 60 ./mycc a.c -o a
	WHOCALLME_INJECT=$PWD/log run -3 ./a
	[ "$(wc -l <log)" = 2 ]
	mkdir path
	cp mycc path/gcc
	PATH=$PWD/path:$PATH run -126 timeout 60 "$whocallme" cc -c a.c
	if command -v cmake; then
		printf '%s\n' 'cmake_minimum_required(VERSION 3.13)' 'project(p C)' \
			'add_executable(a a.c)' >CMakeLists.txt
		CC="$whocallme cc" cmake -B made . && make -C made
		WHOCALLME_INJECT=$PWD/log.cmake run -3 made/a
		[ "$(wc -l <log.cmake)" = 2 ]
		# In front of the compiler that is chosen.
		cmake -B launched -DCMAKE_C_COMPILER_LAUNCHER="$whocallme;cc;--mode=sled;--gcc" .
		make -C launched
		run -3 launched/a
		readelf -SW launched/a | grep ' __patchable_function_entries '
	fi
	if command -v meson && command -v ninja; then
		printf '%s\n' "project('p', 'c')" "executable('a', 'a.c')" >meson.build
		CC="$whocallme cc" meson setup meson && ninja -C meson
		WHOCALLME_INJECT=$PWD/log.meson run -3 meson/a
		[ "$(wc -l <log.meson)" = 2 ]
	fi
}

@test "cc: modes and rules are the plugin's" {
	printf 'int f(void) { return 1; }\nint main(void) { return f() - 1; }\n' >a.c
	printf 'exclude:\n  functions:\n    - main\n' >rules.yml
	"$whocallme" cc --rules rules.yml -O0 a.c -o a
	WHOCALLME_INJECT=$PWD/log ./a
	[ "$(cut -d' ' -f2 log | sort -u)" = fn=f ]
	"$whocallme" cc --mode=hooks -c a.c
	nm -u a.o | grep -q __cyg_profile_func_enter
	{ ! nm -u a.o | grep inject; }
	run "$whocallme" cc --mode=none -c a.c
	[ "$status" = 2 ]
	run "$whocallme" cc --mode=serial
	[ "$status" = 2 ]
}

@test "cc and plugin: the gcc that is meant, and one line where there is no plugin for it" {
	local path
	path=$("$whocallme" plugin --path --gcc=gcc)
	gcc -fplugin="$path" -fplugin-arg-inject-mode=serial -x c -c - -o a.o <<<'int f(void) { return 1; }'
	nm -u a.o | grep -q __inject_trace_write
	[ "$(CC=gcc "$whocallme" plugin --path)" = "$path" ]
	[ "$(CC="whocallme cc" "$whocallme" plugin --path)" = "$path" ]
	# Whatever the parent has made of SIGCHLD, which keeps it as it is for gcc.
	[ "$(env --ignore-signal=CHLD "$whocallme" plugin --path --gcc=gcc)" = "$path" ]
	printf '#!/bin/sh\necho 99.1.0\n' >gcc-new
	printf '#!/bin/sh\nexit 1\n' >other
	chmod +x gcc-new other
	run "$whocallme" cc --gcc=./gcc-new -c a.c
	[ "$status" = 125 ]
	[ "${#lines[@]}" = 1 ]
	run "$whocallme" plugin --path --gcc=./other
	[ "$status" = 126 ]
	[ "${#lines[@]}" = 1 ]
	# With NOPs of its own any compiler will do, but a compiler it has to be.
	for path in true echo ./other; do
		run "$whocallme" cc --mode=sled --gcc="$path" -c a.c
		[ "$status" = 126 ]
		[ "${#lines[@]}" = 1 ]
		grep 'it is no compiler' <<<"$output"
	done
	status=0
	"$whocallme" plugin --path --gcc=./none 2>error || status=$?
	[ "$status" = 127 ]
	run "$whocallme" plugin
	[ "$status" = 2 ]
}

@test "replay: the log as a tree, of each thread, and what an exception ended" {
	"$whocallme" replay "$bin/log" | sed 's/.*| //' >tree
	diff - tree <<-END
		# DURATION     TID     FUNCTION
		main() {
		work() {
		  shop::bill() {
		    shop::price();
		  } /* shop::bill */
		} /* work */
		  shop::bill() {
		    shop::price() {
		    } /* shop::price, cut short */
		  } /* shop::bill, cut short */
		  shop::bill() {
		    shop::price();
		  } /* shop::bill */
		} /* main */
	END
	[ "$("$whocallme" replay "$bin/log" | grep -oE '\[ *[0-9]+\]' | sort -u | wc -l)" = 2 ]
	"$whocallme" replay --demangle=no "$bin/log" | grep -q _ZN4shop5priceEi
	"$whocallme" report "$bin/log" | grep -E ' 3 +shop::bill$'
}

@test "replay: lines that are cut, wrong or hostile are passed over" {
	{
		cat "$bin/log"
		echo 'ev=entry fn=main ip=0x12'
		echo 'ev=entry fn= ip=0x12 tid=0x1'
		echo 'ev=entry fn=a ip=0x11111111111111111 tid=0x1'
		echo 'ev=entry fn=a ip=0x1 tid=0x'
		echo 'ev=entry fn=a ip=0x1 tid=0xffffffffffff'
		echo 'ev=exit fn=never ip=0x1 tid=0x1'
		echo 'ev=entry fev=entry fn=a ip=0x1 tid=0x1'
		printf 'ev=exit fn=ma'
	} >damaged
	diff <("$whocallme" replay "$bin/log") <("$whocallme" replay damaged)
	# As the article's columns are.
	sed 's/fn=main /fn=main    /; s/^ev=exit /ev=exit  /' "$bin/log" >aligned
	diff <("$whocallme" replay "$bin/log") <("$whocallme" replay aligned)
	# As where the program writes to stderr, too.
	{ echo "starting up"; cat "$bin/log"; } >mixed
	diff <("$whocallme" replay "$bin/log") <("$whocallme" replay mixed)
	printf 'ev=entry fn=a\033[31m ip=0x1 tid=0x1\n' >escape
	{ ! "$whocallme" replay escape | grep -q "$(printf '\033')"; }
	# Where it is all that there is.
	for text in 'ev=entry fn= ip=0x1 tid=0x1' 'ev=entry fn=a\0b ip=0x1 tid=0x1'; do
		printf "$text\n" >nothing
		refute "$whocallme" replay nothing 2>errors
		[ "$(cat errors)" = "whocallme replay: nothing: none of its lines tells a call" ]
	done
}

@test "resolve: lines of what has several names, as constructors and aliases" {
	cat >several.cc <<-'END'
		struct thing {
			thing(int start);
			~thing();
			int held;
		};
		thing::thing(int start) : held(start) {}
		thing::~thing() { held = 0; }
		extern "C" {
		int under(int value) { return value + 1; }
		int a_better_name(int) __attribute__((alias("under")));
		}
		int main(int count, char **)
		{
			thing one(count);
			return a_better_name(one.held) - 2;
		}
	END
	"$whocallme" cc --gcc=g++ -O0 -g several.cc -o several
	WHOCALLME_INJECT=$PWD/log ./several
	"$whocallme" resolve --program=several log >resolved
	[ "$(grep -c '^ev=' resolved)" = 8 ]
	[ "$(grep -c '^ *[^ ].* at .*several.cc:[0-9]' resolved)" = 8 ] || { cat resolved && false; }
}

@test "resolve: names as people write them, and lines by the program" {
	"$whocallme" resolve "$bin/log" >named
	grep -q 'ev=entry fn=shop::bill(int) ip=0x[0-9a-f]* tid=' named
	[ "$(wc -l <named)" = "$(wc -l <"$bin/log")" ]
	"$whocallme" resolve --no-demangle "$bin/log" | diff - "$bin/log"
	observe "$whocallme" resolve --program=none "$bin/log"
	expect_status 1
	err_has 'none: no program that has symbols'
	"$whocallme" resolve --program="$bin/program" "$bin/log" >resolved
	# Each event has a line, of its own function, which addr2line has, too.
	local base ip event where
	base=$((0x$(sed -n '1s/.*ip=0x\([0-9a-f]*\) .*/\1/p' "$bin/log")))
	base=$(((base - 0x$(nm "$bin/program" | awk '$3 == "main" { print $1 }')) & ~4095))
	# The innermost function is the first below an event.
	while IFS='|' read -r event where; do
		ip=$(sed 's/.*ip=\(0x[0-9a-f]*\) .*/\1/' <<<"$event")
		ip=$(printf %#x $((ip - base)))
		[[ $where == *" at $(addr2line -e "$bin/program" "$ip" | sed 's/ (.*//')":* ]] || {
			echo "$event: $where"
			false
		}
	done < <(awk '/^ev=/ { event = $0 } / at / && event { print event "|" $0; event = "" }' \
		resolved)
	[ "$(grep -c ' at ' resolved)" -ge 10 ]
}
