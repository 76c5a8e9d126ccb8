#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# reloads.bats - what is remembered of code ends with it: libraries take each other's place
# while stacks are captured.

load support

# shellcheck disable=SC2016 # the C's own
setup_file()
{
	bin=$BATS_FILE_TMPDIR
	cd "$bin" || return
	cat >plug.c <<-'C'
		/* The same instructions, but for the size of the frame. */
		void plug(void (*leaf)(void));
		static __attribute__((noinline)) int pass(void (*leaf)(void))
		{
			volatile char room[SIZE];
			room[0] = 1;
			leaf();
			return room[0];
		}
		void plug(void (*leaf)(void))
		{
			volatile char room[2 * SIZE];
			room[0] = pass(leaf);
			leaf();
		}
	C
	for size in 200 328 456 584 712 840 968; do
		$CC -O2 -fomit-frame-pointer -fno-stack-protector -shared -fPIC -DSIZE=$size \
			-o build-$size.so plug.c
	done
	cp build-200.so current.so
	build reloads reloads.c -O2
}

setup()
{
	bin=$BATS_FILE_TMPDIR
	cd "$bin" || return
}

@test "a library that is another one each time, 1,000 times by one name at one place" {
	not_sanitized "it places libraries as it likes"
	run --separate-stderr timeout 100 ./reloads 1000 build-*.so
	echo "$output $stderr"
	[ "$status" -eq 0 ]
	[[ $output == *"wrong: 0 of "* ]]
	[[ $output == *"timer: yes"* ]]
	[[ $output == *"in place: yes"* ]]
	grown=${output#*grown by }
	[ "${grown%% KiB*}" -lt 4096 ]
}

@test "the same where unloading is not told: another dlclose comes first" {
	not_sanitized "it places libraries as it likes"
	cat >first.c <<-'C'
		#define _GNU_SOURCE
		#include <dlfcn.h>
		int dlclose(void *handle)
		{
			static int (*libcs)(void *);
			if (!libcs)
				*(void **)&libcs = dlsym(dlopen("libc.so.6", RTLD_LAZY),
							 "dlclose");
			return libcs(handle);
		}
	C
	$CC -shared -fPIC -o first.so first.c
	LD_PRELOAD=$bin/first.so run --separate-stderr timeout 100 ./reloads 200 build-*.so
	echo "$output $stderr"
	[ "$status" -eq 0 ]
	[[ $output == *"wrong: 0 of "* ]]
}
