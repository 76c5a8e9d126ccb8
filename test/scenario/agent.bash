# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# agent.bash - a process with an agent, and clients that ask it.

setup_file()
{
	bin=$BATS_FILE_TMPDIR
	build hooked asked.c -O1 -finstrument-functions
	! has_sleds || build patched asked.c -O1 -fpatchable-function-entry=5
}

setup()
{
	trace_setup
	unset WHOCALLME_AGENT
	kinds="hooked patched"
	has_sleds || kinds=hooked
	children=()
}

teardown()
{
	local child
	for child in "${children[@]}"; do
		kill -9 "$child" 2>/dev/null || true
	done
}

# await COMMAND...: until it succeeds, 20 seconds at most.
await()
{
	local i
	for ((i = 0; i < 200; i++)); do
		! "$@" >/dev/null 2>&1 || return 0
		sleep 0.1
	done
	echo "in vain: $*"
	return 1
}

# begin PROGRAM [ARGUMENT...]: it runs, its agent too; $pid is its number, say gives it a line,
# and its words are in the file said.
begin()
{
	rm -f lines && mkfifo lines
	: >said
	WHOCALLME_AGENT=${agent-yes} "$@" <lines >said 2>program.err 3>&- &
	pid=$!
	children+=("$pid")
	exec 9>lines
	await grep -q "^here" said
}

say()
{
	echo "$*" >&9
}

# ask OPTION...: whocallme trace -p, in the background, where a shell has SIGINT ignored;
# $client is its number.
ask()
{
	env --default-signal=INT "$whocallme" trace -p "$pid" "$@" >client.out 2>client.err 3>&- 9>&- &
	client=$!
	children+=("$client")
}

# Until the trace of $client is on: it has had its answer, and watches the process.
traced()
{
	await eval "find /proc/$client/fd -lname '*pidfd*' | grep -q ."
}

# A count of turns that the program does, and says so.
turns()
{
	local done_before
	done_before=$(grep -c '^done' said || true)
	say "turns $1"
	await eval "[ \$(grep -c '^done' said) -gt $done_before ]"
}

code_is()
{
	say text
	sleep 0.1
	[ "$(tail -n 1 said)" = "text $1" ]
}

# Whether it is the file's, of a program that has no agent's trace any more.
code_is_back()
{
	await code_is same
}

# The names of a log, indented by depth, each fold as many lines as it stands for.
calls()
{
	sed -nE "s/^FUN +[0-9]+ +[0-9']+ +[0-9]+ //p" | sed 's/ x\([0-9]*\), .*/ x\1/' |
		awk '{ n = 1; if (match($0, / x[0-9]+$/)) { n = substr($0, RSTART + 2)
			sub(/ x[0-9]+$/, "") } while (n-- > 0) print }'
}

expected_calls()
{
	local i
	for ((i = 0; i < 2 * $1; i++)); do
		printf '%s\n' '&turn' '  &first' '    &leaf' '  &second' '    &leaf'
	done
}
