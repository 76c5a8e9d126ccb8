#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# early.bats - a crash before main(), in the constructor of a library that a program
# needs: the preload library is there already.

load support

setup_file()
{
	bin=$BATS_FILE_TMPDIR
	build_library libconstructor.so constructor.c -O0 -fno-omit-frame-pointer
	echo 'int main(void) { return 0; }' >"$bin/main.c"
	link_needy needy
}

# link_needy NAME [FLAG...]: a program that needs the library, and no other of ours.
link_needy()
{
	local name=$1
	shift
	# shellcheck disable=SC2086 # a command and its flags
	${compiler:-$CC} -o "$bin/$name" "$bin/main.c" "$@" -Wl,--no-as-needed -L"$bin" \
		-l:libconstructor.so -Wl,-rpath,"$bin"
}

setup()
{
	ulimit -S -c 0
	not_sanitized "its runtime must be loaded first"
	unset LD_PRELOAD
	cd "$BATS_TEST_TMPDIR"
}

preload=$lib/libwhocallme-preload.so

# preloaded LIBRARIES PROGRAM [ARGUMENT...]
preloaded()
{
	local libraries=$1
	shift
	observe timeout -s KILL 30 env LD_PRELOAD="$libraries" "$@"
}

# What stdin has of a stack, up to the constructor.
up_to_constructor()
{
	sed '/^constructor_runs$/q'
}

@test "a fault and abort() in a constructor: reported, with gdb's stack" {
	needs gdb
	observe timeout -s KILL 30 "$whocallme" run "$bin/needy" null_read
	expect_status 139
	err_has '^<whocallme>: needy: SIGSEGV, '
	expect_same_names "$(gdb_names run -- "$bin/needy" null_read | up_to_constructor)" \
		"$(frame_names <"$err" | up_to_constructor)"
	err_has '^write to 0x0{16}: NULL$'
	preloaded "$preload" "$bin/needy" abort
	expect_status 134
	err_has ': SIGABRT, aborted: abort\(\) was called$'
	err_has ' in constructor_runs\+'
	preloaded "$preload" "$bin/needy" none
	expect_status 0
	[ ! -s "$err" ] || blame "stderr is not empty"
}

@test "a thread that a constructor has made: reported, with an alternate stack" {
	preloaded "$preload" "$bin/needy" thread
	expect_status 139
	[ "$(frame_names <"$err" | head -n 1)" = constructor_faults ]
	err_has '^thread [0-9]+ "needy":$'
}

@test "what the environment asks for holds there, and only there" {
	preloaded "$preload" env WHOCALLME_FILE="$PWD/report" WHOCALLME_FORMAT=json \
		WHOCALLME_STDERR=no WHOCALLME_CHILDREN=no "$bin/needy" null_read
	expect_status 139
	[ ! -s "$err" ] || blame "stderr is not empty"
	python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["name"])' report |
		grep -x needy
	preloaded "$preload" env WHOCALLME_CHILDREN=no WHOCALLME_FORMAT=json A=b \
		sh -c 'env | sort'
	expect_status 0
	out_has '^A=b$'
	out_lacks WHOCALLME_FORMAT
}

@test "a handler that a constructor sets comes first, as any of the program's" {
	preloaded "$preload" "$bin/needy" repair
	expect_status 0
	expect_out repaired
	[ ! -s "$err" ] || blame "stderr is not empty"
	preloaded "$preload" "$bin/needy" give-up
	expect_status 139
	expect_out 'giving up'
	err_has '^<whocallme>: needy: SIGSEGV, '
}

@test "preloaded with others: behind any, in front of all but one that is to be the first" {
	echo 'int unused;' >other.c
	$CC -shared -fPIC -o other.so other.c
	$CC -shared -fPIC -Wl,-z,initfirst -o first.so other.c
	for libraries in "$PWD/other.so:$preload" "$preload:$PWD/other.so" \
		"$PWD/first.so:$preload"; do
		preloaded "$libraries" "$bin/needy" null_read
		expect_status 139
		err_has '^<whocallme>: needy: SIGSEGV, '
	done
	# Then it is initialised when the program's own are, and the rest is as ever.
	preloaded "$preload:$PWD/first.so" "$bin/needy" null_read
	expect_status 139
	preloaded "$preload:$PWD/first.so" sh -c 'kill -SEGV $$'
	expect_status 139
	err_has '^<whocallme>: sh: SIGSEGV, '
}

@test "nothing is allocated before the allocator of a library is ready" {
	cat >allocator.c <<-'END'
		#include <stdlib.h>
		#include <unistd.h>
		static int is_ready;
		static char memory[1 << 20];
		static size_t used;
		void *malloc(size_t size)
		{
			void *result = memory + used;
			if (!is_ready)
				_exit(42);
			used += (size + 15) & ~(size_t)15;
			return used <= sizeof(memory) ? result : NULL;
		}
		void *calloc(size_t count, size_t size) { return malloc(count * size); }
		void *realloc(void *old, size_t size) { return old ? NULL : malloc(size); }
		void free(void *old) { (void)old; }
		__attribute__((constructor)) static void get_ready(void) { is_ready = 1; }
		void *allocate(void) { return malloc(1); }
	END
	$CC -O1 -fno-builtin -shared -fPIC -o allocator.so allocator.c
	cat >user.c <<-'END'
		void *allocate(void);
		int main(void) { return allocate() ? *(volatile int *)0 : 1; }
	END
	$CC -o user user.c ./allocator.so
	preloaded "$preload" ./user
	expect_status 139
	err_has '^<whocallme>: user: SIGSEGV, '
}

# The runtime is initialised before anything of it is called: by its own constructor, or by
# the program's first code.
sanitized()
{
	local compiler=$1 flags=("${@:2}") kind=${2#-fsanitize=} ASAN_OPTIONS alone
	export ASAN_OPTIONS=verify_asan_link_order=0
	link_needy sanitized "${flags[@]}" 2>log ||
		skip "$compiler's runtime of $kind is missing"
	observe setarch "$(uname -m)" -R "$bin/sanitized" none
	alone=$status
	preloaded "$preload" setarch "$(uname -m)" -R "$bin/sanitized" none
	expect_status "$alone"
	err_lacks '<whocallme>'
	observe setarch "$(uname -m)" -R "$bin/sanitized" null_read
	alone=$status
	preloaded "$preload" setarch "$(uname -m)" -R "$bin/sanitized" null_read
	expect_status "$alone"
}

@test "sanitizers, linked statically as well, are initialised before us" {
	needs setarch
	local kind
	for kind in address:asan thread:tsan undefined:ubsan; do
		sanitized gcc "-fsanitize=${kind%:*}"
		sanitized gcc "-fsanitize=${kind%:*}" "-static-lib${kind#*:}"
	done
	! command -v clang >/dev/null ||
		for kind in address thread memory undefined; do
			sanitized clang "-fsanitize=$kind"
		done
}
