#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# opened.bats - what the functions of a library are called that is opened during a trace,
# of which no more is mapped than what it exports.

load support

setup_file()
{
	bin=$BATS_FILE_TMPDIR
	cd "$bin" || return
	cat >opener.c <<-'C'
		#include <dlfcn.h>
		#include <stdio.h>
		#include <stdlib.h>

		/* Each argument is a library to run, or a command. */
		static void run(const char *path)
		{
			void *library = dlopen(path, RTLD_NOW);
			void (*plug)(void);

			if (!library)
				exit(1);
			*(void **)&plug = dlsym(library, "plug");
			plug();
			printf("%p\n", *(void **)&plug);
			dlclose(library);
		}
		/* Another file takes its place before it is asked for names. */
		static void run_replaced(const char *path, const char *command)
		{
			void *library = dlopen(path, RTLD_NOW);
			void (*plug)(void);

			if (!library || system(command) != 0)
				exit(1);
			*(void **)&plug = dlsym(library, "plug");
			plug();
		}
		int main(int argc, char *argv[])
		{
			if (argc == 3 && argv[2][0] == 'm')
				run_replaced(argv[1], argv[2]);
			else
				for (int i = 1; i < argc; i++)
					run(argv[i]);
		}
	C
	build opener "$bin/opener.c" -O0 -finstrument-functions -- -Wl,--no-as-needed
	for name in first other; do
		plugin $name
		plugin $name -Wl,--build-id=none
	done
	cp first.so stripped.so
	strip stripped.so
}

# plugin NAME [FLAG]: NAME.so, or NAME-bare.so with FLAG; its function NAME is static.
plugin()
{
	printf 'static void %s(void) { }\nvoid plug(void) { %s(); }\n' "$1" "$1" >"$bin/$1.c"
	build_library "$1${2:+-bare}.so" "$bin/$1.c" -O0 -finstrument-functions ${2:+"$2"}
}

# The functions of a log, folded ones as often as they were.
logged()
{
	observe env WHOCALLME_TRACE=log WHOCALLME_DEMANGLE=full "$@"
	expect_status 0
	sed -n 's/^FUN .*&//p' "$err" | awk '{
		sub(/, [0-9'\'']* ns$/, "")
		n = match($0, / x[0-9]+$/) ? substr($0, RSTART + 2) : 1
		sub(/ x[0-9]+$/, "")
		for (; n > 0; n--)
			print
	}' >"$BATS_TEST_TMPDIR/functions"
}

expect_functions()
{
	diff -u <(printf '%s\n' main "$@") "$BATS_TEST_TMPDIR/functions"
}

expect_edges()
{
	diff -u <(printf '%s\n' "$@" | sort) <(gvpr \
		'E { printf("%s %s %s\n", tail.name, head.name, calls) }' graph.dot | sort)
}

@test "a static function has its name in a log, one line or many" {
	cd "$bin"
	logged ./opener ./first.so ./other.so ./first.so
	expect_functions run plug first run plug other run plug first
	logged ./opener ./first-bare.so ./other-bare.so ./first-bare.so
	expect_functions run plug first run plug other run plug first
}

@test "in pairs, as callee and as caller" {
	cat >"$bin/deep.c" <<-'C'
		static void inner(void) { }
		static void outer(void) { inner(); }
		void plug(void) { outer(); }
	C
	build_library deep.so "$bin/deep.c" -O0 -finstrument-functions
	observe env WHOCALLME_TRACE=pairs "$bin/opener" "$bin/deep.so"
	diff -u <(printf '%s, called by = %s\n' plug run outer plug inner outer) \
		<(sed -n '/run$/,$s/.*: func = \(plug\|outer\|inner\)/\1/p' "$err")
}

@test "in a graph, also when another library came to its place" {
	needs gvpr
	cd "$bin"
	WHOCALLME_OUTPUT=graph.dot observe env WHOCALLME_TRACE=graph ./opener \
		./first.so ./other.so ./first.so ./stripped.so
	expect_status 0
	local static
	static=$(nm first.so | sed -n 's/^0*\([0-9a-f]*\) t first$/\1/p')
	expect_edges "(not instrumented) main 1" "main run 4" \
		"run plug@first.so 2" "plug@first.so first 2" \
		"run plug@other.so 1" "plug@other.so other 1" \
		"run plug@stripped.so 1" "plug@stripped.so stripped.so+0x$static 1"
}

# Only its bytes tell that another library has come.
@test "in pairs, when libc's own dlclose() has let another library take its place" {
	cat >"$bin/untold.c" <<-'C'
		#include <dlfcn.h>
		#include <stdio.h>
		int main(int argc, char *argv[])
		{
			int (*libcs)(void *);

			*(void **)&libcs = dlsym(dlopen("libc.so.6", RTLD_LAZY), "dlclose");
			for (int i = 1; i < argc; i++) {
				void *library = dlopen(argv[i], RTLD_NOW);
				void (*plug)(void);

				*(void **)&plug = dlsym(library, "plug");
				plug();
				printf("%p\n", *(void **)&plug);
				libcs(library);
			}
		}
	C
	build untold "$bin/untold.c" -O0 -finstrument-functions -- -Wl,--no-as-needed
	local name kind
	for kind in '' -bare; do
		for name in this that; do
			echo "void $name(void) { } void plug(void) { $name(); }" >"$bin/$name.c"
			build_library "$name$kind.so" "$bin/$name.c" -O0 \
				-finstrument-functions ${kind:+-Wl,--build-id=none}
		done
		observe env WHOCALLME_TRACE=pairs "$bin/untold" "$bin"/{this,that,this,that}"$kind.so"
		[ "$(sort -u "$out" | wc -l)" -eq 1 ] || skip "each has its own place"
		diff -u <(printf '%s\n' this that this that) \
			<(sed -n 's/.*: func = \(this\|that\),.*/\1/p' "$err")
	done
}

@test "names of C++ are readable" {
	cat >"$bin/named.cc" <<-'C'
		namespace {
		struct Part {
			Part(int) { }
			template <typename T> void take(T) { }
		};
		void hide(const char *) { Part(1).take(2.0); }
		}
		extern "C" void plug() { hide(""); }
	C
	# shellcheck disable=SC2153 # of the environment
	$CXX -O0 -finstrument-functions -shared -fPIC -o "$bin/named.so" "$bin/named.cc"
	logged "$bin/opener" "$bin/named.so"
	expect_functions run plug '(anonymous namespace)::hide(char const*)' \
		'(anonymous namespace)::Part::Part(int)' \
		'void (anonymous namespace)::Part::take<double>(double)'
}

@test "without symbols it has its place" {
	local static
	static=$(nm "$bin/first.so" | sed -n 's/^0*\([0-9a-f]*\) t first$/\1/p')
	logged "$bin/opener" "$bin/stripped.so"
	expect_functions run plug "$bin/stripped.so+0x$static"
}

@test "a file that is not the mapped one gives no names" {
	cd "$BATS_TEST_TMPDIR"
	local kind static here
	here=$(pwd -P)
	for kind in -bare ''; do
		static=$(nm "$bin/first$kind.so" | sed -n 's/^0*\([0-9a-f]*\) t first$/\1/p')
		# As large, but for the code of its function.
		sed 's/{ }/{ __asm__ volatile("nop"); }/; s/first/wrong/g' \
			"$bin/first.c" >"$bin/wrong.c"
		build_library wrong.so "$bin/wrong.c" -O0 -finstrument-functions \
			${kind:+-Wl,--build-id=none}
		cp "$bin/first$kind.so" plugin.so
		cp "$bin/wrong.so" .
		logged "$bin/opener" ./plugin.so 'mv wrong.so plugin.so'
		expect_functions run_replaced plug "$here/plugin.so+0x$static"
		# Under another name it is the mapped one.
		cp "$bin/first$kind.so" plugin.so
		logged "$bin/opener" ./plugin.so 'mv plugin.so elsewhere.so'
		expect_functions run_replaced plug first
	done
	cp "$bin/first.so" plugin.so
	logged "$bin/opener" ./plugin.so 'mkfifo fifo && mv -f fifo plugin.so' # no writer
	expect_functions run_replaced plug "$here/plugin.so+0x$static"
	cp "$bin/first.so" wrong.so # the same again
	cp "$bin/first.so" other.so
	logged "$bin/opener" ./wrong.so 'mv other.so wrong.so'
	expect_functions run_replaced plug first
}

@test "a filter knows its name" {
	WHOCALLME_TRACE_FUNCTIONS=first logged "$bin/opener" "$bin/first.so" "$bin/other.so"
	diff -u <(echo first) "$BATS_TEST_TMPDIR/functions"
}

# Many, as often as they like: a name is found once, and has room once.
@test "the names of a large library" {
	local i
	for i in {1..3000}; do
		echo "static void f_$i(void) { }"
	done >"$bin/large.c"
	echo 'void plug(void) { for (int i = 0; i < 2; i++) {' >>"$bin/large.c"
	for i in {1..3000}; do
		echo "f_$i();"
	done >>"$bin/large.c"
	echo '} }' >>"$bin/large.c"
	build_library large.so "$bin/large.c" -O0 -finstrument-functions
	logged "$bin/opener" "$bin/large.so"
	expect_functions run plug $(for _ in 1 2; do printf 'f_%d\n' {1..3000}; done)
}
