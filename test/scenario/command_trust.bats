#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# command_trust.bats - what the command opens, and writes to, where other users have put
# links, pipes and names in its way.

load support

setup_file()
{
	bin=$BATS_FILE_TMPDIR
	$CC -g -O0 -finstrument-functions -o "$bin/relatives" "$programs/relatives.c"
	[ -n "${SANITIZERS-}" ] && [ "$SANITIZERS" != no ] ||
		"$whocallme" trace --record="$bin/recording" "$bin/relatives"
}

setup()
{
	cd "$BATS_TEST_TMPDIR"
	mkdir open
	chmod 1777 open
}

# at_once COMMAND...: it waits for nothing.
at_once()
{
	observe timeout -s KILL 20 "$@"
	[ "$status" -ne 137 ] || blame "it waits: $*"
}

# A report of crashes in the modules at PATH...
report_of()
{
	local path
	for path; do
		printf '{"version":1,"name":"made","process":1,"signal":{"name":"SIGSEGV"},'
		printf '"cause":{"text":"made"},"stack":{"frames":[{"number":0,"pc":"0x10",'
		printf '"module":"%s","module_offset":"0x10"}]}}\n' "$path"
	done
}

address_of_main()
{
	nm whole | sed -n 's/^0*\([0-9a-f]*\) T main$/\1/p'
}

# unopened PIPE COMMAND...: it does not open the pipe, as who waits to write there would
# see.
unopened()
{
	local pipe=$1 writer
	shift
	(echo >"$pipe") 2>/dev/null 3>&- &
	writer=$!
	at_once "$@"
	sleep 0.1
	kill "$writer" 2>/dev/null || blame "opened: $*"
	wait "$writer" 2>/dev/null || true
}

@test "what a report, or a recording, calls a module is opened only if it is a file" {
	mkfifo pipe
	report_of "$PWD/pipe" >report.json
	unopened pipe "$whocallme" group report.json
	unopened pipe "$whocallme" resolve report.json
	unopened pipe "$whocallme" resolve "$PWD/pipe+0x10"
	unopened pipe "$whocallme" functions pipe
	unopened pipe "$whocallme" trace ./pipe
	# A device, by who else knows what is opened.
	needs strace
	not_sanitized "ptrace is the leak checker's"
	report_of /dev/ptmx >device.json
	at_once strace -f -e trace=open,openat -o calls "$whocallme" group device.json
	grep -q ptmx calls
	refute grep ptmx <(grep -v O_PATH calls)
}

# opened_only_to_look FILE COMMAND...: it asks what the file is, and does not open it to read.
opened_only_to_look()
{
	local file=$1
	shift
	at_once strace -f -e trace=open,openat,read,pread64 -y -o calls "$@"
	grep -q -F "$file" calls || blame "not even looked at: $file"
	grep -F "$file" calls | grep -v O_PATH && blame "opened: $file"
	return 0
}

# /proc/kmsg and trace_pipe hand out each message once.
@test "a file of the kernel's own that a report calls a module is not read" {
	local file
	needs strace
	not_sanitized "ptrace is the leak checker's"
	for file in /proc/kmsg /proc/kcore /proc/uptime /proc/sys/kernel/random/uuid \
		/sys/kernel/mm/transparent_hugepage/enabled /sys/kernel/tracing/trace_pipe \
		/sys/kernel/debug/tracing/trace_pipe /sys/fs/cgroup/cgroup.procs; do
		[ -e "$file" ] || continue
		report_of "$file" >report.json
		echo "#0 0x0000000000001010 in ?? ($file+0x10)" >stack
		opened_only_to_look "$file" "$whocallme" resolve stack
		opened_only_to_look "$file" "$whocallme" resolve report.json
		opened_only_to_look "$file" "$whocallme" functions "$file"
	done
	# What the user names is read.
	at_once "$whocallme" group /proc/uptime
	err_has '/proc/uptime: .*no report'
	err_lacks 'no regular file'
}

@test "an input that another user exchanges for a pipe, again and again, is not waited for" {
	needs_others
	needs python3
	local command i
	cat >exchange.py <<-'END'
		import ctypes, os, sys
		libc, there = ctypes.CDLL(None), -100
		open(sys.argv[1] + "/report", "w").close()
		os.mkfifo(sys.argv[1] + "/pipe")
		own, other = (os.fsencode(sys.argv[1] + name) for name in ("/report", "/pipe"))
		open(sys.argv[1] + "/begun", "w").close()
		while os.path.exists(sys.argv[1] + "/begun"):
		    libc.renameat2(there, own, there, other, 2)
	END
	as_other mkdir open/theirs
	as_other timeout 60 python3 exchange.py open/theirs 3>&- &
	until [ -e open/theirs/begun ]; do sleep 0.05; done
	for command in group resolve; do
		for ((i = 0; i < 100; i++)); do
			timeout -s KILL 5 "$whocallme" "$command" open/theirs/report >/dev/null 2>&1 ||
				[ $? -ne 137 ] || blame "$command waits"
		done
	done
	rm open/theirs/begun
	wait
}

@test "a file of which another process has a lease is passed over, not waited for" {
	needs python3
	local name
	cat >lease.py <<-'END'
		import fcntl, signal, sys, time
		signal.signal(signal.SIGIO, signal.SIG_IGN)
		files = [open(name, "r+") for name in sys.argv[1:]]
		for file in files:
		    fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_WRLCK)
		open("leased", "w").close()
		time.sleep(60)
	END
	echo 'int main(void) { return 0; }' >main.c
	$CC -g -gsplit-dwarf -c main.c
	$CC -o split main.o
	$CC -g -o whole main.c
	objcopy --only-keep-debug whole whole.debug
	objcopy -S --add-gnu-debuglink=whole.debug whole stripped
	cp whole module
	report_of /nowhere >report
	python3 lease.py main.dwo whole.debug module report main.c 3>&- &
	until [ -e leased ] || ! kill -0 $!; do sleep 0.05; done
	[ -e leased ] || skip "there are no leases"
	for name in split stripped module; do
		at_once "$whocallme" resolve --source "$PWD/$name+0x$(address_of_main)"
		out_has 'Resource temporarily unavailable'
	done
	at_once "$whocallme" resolve --source "$PWD/whole+0x$(address_of_main)"
	out_has 'main\.c:1'
	at_once "$whocallme" group report
	expect_status 1
	err_has 'report: Resource temporarily unavailable'
	kill %%
	wait
}

@test "--output follows no link of another user's, and waits for no pipe of theirs" {
	trace_setup
	needs_others
	needs dot
	local command
	echo precious >precious
	as_other ln -s "$PWD/precious" open/link
	as_other mkfifo open/pipe
	as_other touch open/file
	for command in flame chrome replay report graph 'graph --svg'; do
		# shellcheck disable=SC2086 # an option
		at_once "$whocallme" $command --output=open/link "$bin/recording"
		expect_status 1
		expect_err "whocallme ${command%% *}: $PWD/open/link: it is another user's link"
		[ "$(cat precious)" = precious ] || blame "written to: $command"
		for there in pipe file; do
			# shellcheck disable=SC2086
			at_once "$whocallme" $command -o open/$there "$bin/recording"
			expect_status 1
			expect_err "whocallme ${command%% *}: open/$there: it is another user's"
		done
	done
	[ ! -s open/file ]
	at_once "$whocallme" graph --svg=open/link "$bin/recording"
	expect_status 1
	[ "$(cat precious)" = precious ]
	# One's own link, a relative name, what was there, and a pipe that is read.
	echo 'what was there, and is longer than what comes' >mine
	ln -s ../mine open/mine
	at_once "$whocallme" flame --unit=calls --output=open/mine "$bin/recording"
	expect_status 0
	"$whocallme" flame --unit=calls "$bin/recording" | diff - mine
	mkfifo own
	cat own >read &
	at_once "$whocallme" flame --unit=calls --output=own "$bin/recording"
	expect_status 0
	wait
	diff read mine
}

@test "an input in a folder for all: no pipe of another user's, and no device by their link" {
	needs_others
	local command name
	as_other mkfifo open/pipe
	as_other ln -s /dev/zero open/zero
	as_other ln -s pipe open/linked
	for command in group resolve graph; do
		at_once "$whocallme" $command open/pipe
		expect_status 1
		err_has "^whocallme $command: open/pipe: it is another user's pipe$"
		for name in zero linked; do
			at_once "$whocallme" $command open/$name
			expect_status 1
			err_has "^whocallme $command: open/$name: another user's link leads there$"
		done
	done
	# Others' regular files are what the folder is for.
	report_of /nowhere | as_other tee open/report >/dev/null
	at_once "$whocallme" group open/pipe open/report open/zero
	expect_status 1
	out_has '^ +1 .* made '
	# One's own pipes, by whatever name.
	for name in /dev/stdin -; do
		at_once "$whocallme" group $name < <(report_of /nowhere)
		expect_status 0
		out_has '^ +1 .* made '
	done
	at_once "$whocallme" group <(report_of /nowhere) <(report_of /nowhere)
	expect_status 0
	out_has '^ +2 .* made '
}

@test "what dot draws is not lost on a full disk" {
	trace_setup
	needs dot
	[ -c /dev/full ] || skip "there is no /dev/full"
	observe "$whocallme" graph --svg --output=/dev/full "$bin/recording"
	expect_status 1
	expect_err 'whocallme graph: /dev/full: No space left on device'
	"$whocallme" graph --svg "$bin/recording" >/dev/full 2>said && false
	grep -q '^whocallme graph: standard output: No space left on device$' said
}
