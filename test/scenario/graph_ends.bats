#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# graph_ends.bats - however a program ends, who called whom in it is written.

load support

setup_file()
{
	bin=$BATS_FILE_TMPDIR
	$CXX -O0 -finstrument-functions -o "$bin/ends" -x c++ - <<'.'
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <sys/wait.h>
#include <unistd.h>
namespace ns { void leaf(int) {} }
static void own(int) { _exit(7); }
static int in_vfork() { int status; if (vfork() == 0) _exit(6); wait(&status); return WEXITSTATUS(status); }
int main(int, char *argv[])
{
	const char *how = argv[1];
	ns::leaf(1);
	if (!strcmp(how, "own"))
		signal(SIGTERM, own), raise(SIGTERM);
	if (!strcmp(how, "_exit"))
		_exit(3);
	if (!strcmp(how, "_Exit"))
		_Exit(4);
	if (!strcmp(how, "quick"))
		quick_exit(5);
	if (!strcmp(how, "vfork"))
		return in_vfork();
	if (!strcmp(how, "daemon")) {
		if (fork() == 0)
			ns::leaf(2), _exit(0);
		_exit(wait(0) < 0);
	}
	return 0;
}
.
	$CC -O0 -finstrument-functions -o "$bin/waits" -x c - <<'.'
#include <stdio.h>
#include <unistd.h>
static void leaf(void) { }
int main(void) { leaf(); puts(""); fflush(stdout); for (;;) pause(); }
.
}

setup()
{
	needs gvpr
	not_sanitized "its runtime must be loaded first"
	unset LD_PRELOAD
	cd "$BATS_TEST_TMPDIR"
}

edges()
{
	gvpr 'E { printf("%s %s %s\n", $.tail.name, $.head.name, $.calls) }' \
		"${1-graph.dot}"
}

# ended HOW: the graph of a program that ends so, with its status in $status.
ended()
{
	rm -f graph.dot*
	observe "$whocallme" trace --graph=graph.dot "${options[@]}" -- "$bin/ends" "$1"
}

@test "however the program ends, its graph is there" {
	local options=() how
	for how in _exit:3 _Exit:4 quick:5 vfork:6 own:7; do
		ended "${how%:*}"
		expect_status "${how#*:}"
		[ ! -s "$err" ] || blame "stderr is not empty"
		edges | grep -Fqx 'main ns::leaf(int) 1' || blame "$how: no graph"
	done
	[ "$(find . -name 'graph.dot*' | wc -l)" -eq 1 ]
	ended daemon
	[ "$(find . -name 'graph.dot*' | wc -l)" -eq 2 ]
	edges graph.dot.* | grep -Fqx 'main ns::leaf(int) 1' || blame "no daemon's"
}

# Ends by a signal that is sent from outside, whatever the shell ignores.
ended_by()
{
	rm -f graph.dot*
	observe python3 - "$1" "$whocallme" trace --graph=graph.dot "${options[@]}" -- \
		"$bin/waits" <<'.'
import signal, subprocess, sys
number = int(sys.argv[1])
child = subprocess.Popen(sys.argv[2:], stdout=subprocess.PIPE,
                         preexec_fn=lambda: signal.signal(number, signal.SIG_DFL))
child.stdout.readline()
child.send_signal(number)
sys.exit(128 - child.wait(timeout=30))
.
}

@test "a signal that ends the program, or a crash, leaves the graph" {
	local options=() number
	needs python3
	for number in 1 2 3 13 14 15 24; do
		ended_by $number
		expect_status $((128 + number))
		edges | grep -qx 'main leaf 1' || blame "signal $number: no graph"
	done
	for number in 6 8 11; do
		ended_by $number
		expect_status $((128 + number))
		err_has '^<whocallme>: waits: SIG'
		edges | grep -qx 'main leaf 1' || blame "signal $number: no graph"
	done
	options=(--no-signals)
	for number in 11 15; do
		ended_by $number
		expect_status $((128 + number))
		[ ! -s "$err" ] && [ ! -e graph.dot ] || blame "there is something"
	done
}

@test "an edge of a graph without numbers is one call" {
	printf 'digraph { a -> b; a -> b; b -> c [label="7 times"]; c -> d [calls=3,label="9"] }\n' \
		>"$BATS_TEST_TMPDIR/plain.dot"
	observe "$whocallme" graph "$BATS_TEST_TMPDIR/plain.dot"
	expect_status 0
	out_has '"a" -> "b" .*calls=2,'
	out_has '"b" -> "c" .*calls=7,'
	out_has '"c" -> "d" .*calls=3,'
}
