#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# trace_safe.bats - a trace costs neither the program nor its files anything, whatever the
# program does with its descriptors, other processes with theirs, and other users.

load support

setup_file()
{
	bin=$BATS_FILE_TMPDIR
	$CC -g -O0 -finstrument-functions -o "$bin/relatives" "$programs/relatives.c"
}

setup()
{
	trace_setup
	mkdir here # beside what observe() writes
	cd here
}

# hooked NAME: ./NAME of the C on stdin, built with hooks.
hooked()
{
	cat >"$1.c"
	$CC -g -O0 -finstrument-functions -o "$1" "$1.c" -lpthread
}

# traced MODE FILE COMMAND...: run it with the library, without the command.
traced()
{
	env WHOCALLME_TRACE="$1" WHOCALLME_OUTPUT="$2" \
		LD_PRELOAD="$lib/libwhocallme.so.0" "${@:3}"
}

# A program that closes all but its standard descriptors, and opens its own file then.
make_closer()
{
	hooked closer <<-'.'
		#include <fcntl.h>
		#include <stdio.h>
		#include <unistd.h>
		static int leaf(int x) { return x + 1; }
		int main(int argc, char *argv[])
		{
			for (int i = 0; i < 1500; i++)
				leaf(i);
			usleep(30000);
			for (int fd = 3; fd < 1024; fd++)
				close(fd);
			for (int i = 1; i < argc; i++)
				printf("%d ", open(argv[i], O_RDWR));
			for (int i = 0; i < 20000; i++)
				leaf(i);
			usleep(100000);
			return 0;
		}
	.
}

@test "the recording's own thread has no descriptor of the program's, nor in its way" {
	make_closer
	mkfifo wait
	exec 7<>wait
	WHOCALLME_TRACE=record WHOCALLME_OUTPUT=$PWD/rec \
		LD_PRELOAD="$lib/libwhocallme.so.0" ./closer wait >/dev/null 7<&- &
	local program=$! task keepers=0
	sleep 0.1
	for task in /proc/$program/task/*; do
		[ "$(cat "$task/comm")" = whocallme ] || continue
		keepers=$((keepers + 1))
		[ -z "$(ls "$task/fd")" ] || blame "it has $(ls -l "$task/fd")"
	done
	wait $program
	[ $keepers -eq 1 ] || blame "$keepers threads"
	exec 7<&-
}

@test "what the program opens is not written to, whatever it closed before" {
	needs strace
	make_closer
	local i
	for i in 1 2 3 4; do
		echo precious >file-$i
	done
	strace -f -o /dev/null -e trace=pwrite64 -e inject=pwrite64:delay_enter=20000 \
		-E WHOCALLME_TRACE=record -E WHOCALLME_OUTPUT="$PWD/rec" \
		-E LD_PRELOAD="$lib/libwhocallme.so.0" ./closer file-1 file-2 file-3 file-4 \
		>out 2>err || blame "status $?: $(cat err)"
	[ "$(cat out)" = '3 4 5 6 ' ] || blame "$(cat out)"
	[ "$(cat file-?)" = "$(printf 'precious\n%.0s' 1 2 3 4)" ] || blame "written to"
	[ ! -s err ] || blame "$(cat err)"
	[ "$("$whocallme" report rec | awk '$NF == "leaf" { print $(NF - 1) }')" -eq 21500 ]
}
