#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# signals.bats - a program that is watched or traced, in any way, finds its signals, masks and
# alternate stacks as it would without, and so do its children; a signal then does what it does
# without.  The same program alone judges.

load support

modes=(
	"run" "run --flight"
	"trace -f --log=l" "trace -f --no-signals --log=l" "trace -f --record=r" "trace -f --graph=g"
	"trace -f --pairs=l" "trace -f --log=l --library-calls" "trace -f --log=l --system-calls"
	"trace -f --no-signals --log=l --system-calls" "trace -f --graph=g --system-calls"
	"trace -f --log=l --probes" "trace -f --record=r --system-calls --probes --library-calls"
)

setup_file()
{
	bin=$BATS_FILE_TMPDIR
	$CC -w -O1 -o "$bin/seen" "$programs/signals_seen.c" -lpthread
	$CC -w -O1 -static -o "$bin/alone" "$programs/signals_seen.c" -lpthread
	$CC -w -O1 -DINSTALLS -I"$top_srcdir/include" -o "$bin/linked" "$programs/signals_seen.c" \
		-L"$lib" -Wl,-rpath,"$lib" -lwhocallme -lpthread
	export WHOCALLME_HELPER=no
}

setup()
{
	bin=$BATS_FILE_TMPDIR
	cd "$BATS_TEST_TMPDIR"
}

# alike ARGUMENT...: the program does in every mode what it does alone.
alike()
{
	local mode
	"$bin/seen" "$@" >alone
	for mode in "${modes[@]}"; do
		rm -rf l r g
		# shellcheck disable=SC2086 # a list
		"$whocallme" $mode "$bin/seen" "$@" >out 2>err </dev/null
		diff -u alone out >differs || { head -40 differs; blame "$mode"; }
	done
	"$bin/linked" "$@" >out 2>err
	diff -u alone out >differs || { head -40 differs; blame linked; }
}

@test "what a program asks of its signals, and its children of theirs" {
	alike "$bin/alone"
}

@test "the same where it is to ignore some from the start" {
	trap '' INT QUIT PIPE TERM SEGV ABRT TRAP SYS
	alike "$bin/alone"
}

@test "signals that are raised do what they do without" {
	alike raise
}

@test "python's SIGINT is its own, and its fork server ends" {
	needs python3
	local mode
	cat >server.py <<-'END'
		import multiprocessing, signal
		def square(x):
		    return x * x
		if __name__ == '__main__':
		    print(signal.getsignal(signal.SIGINT) is signal.default_int_handler)
		    with multiprocessing.get_context('forkserver').Pool(2) as pool:
		        print(pool.map(square, range(5)))
	END
	for mode in "trace -f --log=l --system-calls" "trace -f --graph=g" "run"; do
		rm -rf l g
		# shellcheck disable=SC2086 # a list
		timeout 60 "$whocallme" $mode python3 server.py >out 2>err </dev/null || blame "$mode"
		printf 'True\n[0, 1, 4, 9, 16]\n' | diff - out || blame "$mode"
	done
}

@test "seccomp's strict mode ends a trace, and not the program" {
	local mode
	cat >strict.c <<-'END'
		#include <linux/seccomp.h>
		#include <sys/prctl.h>
		#include <sys/syscall.h>
		#include <unistd.h>
		int main(void)
		{
			prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
			write(1, "strict\n", 7);
			syscall(SYS_exit, 3);
		}
	END
	$CC -w -o strict strict.c
	for mode in "${modes[@]}"; do
		rm -rf l r g
		# shellcheck disable=SC2086 # a list
		observe "$whocallme" $mode ./strict
		expect_status 3
		expect_out strict
	done
}
