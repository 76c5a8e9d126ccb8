#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# chain.bats - who takes a fatal signal before and after the report, and what the
# report meets on its way.

load support

setup_file()
{
	bin=$BATS_FILE_TMPDIR
	build chains chains.c -O0
	build endings endings.c -O0
	build goes_on goes_on.c -O0 -pthread
	build_library forbid.so forbid.c
	build handed handed_back.c -O0
	build ends ends_in_handler.c -O0 -pthread
	$CC -g -O0 -DUNAWARE -pthread -o "$bin/ends_alone" "$programs/ends_in_handler.c"
	$CC -g -O0 -DUNAWARE -o "$bin/unaware" "$programs/handed_back.c"
	$CC -g -O0 -DUNAWARE -o "$bin/alone" "$programs/chains.c" -lpthread
}

setup()
{
	ulimit -S -c 0
	not_sanitized "its own handlers are there first"
}

# faults PROGRAM [ARGUMENT...]: run it, within 20 seconds.
faults()
{
	local program=$1
	shift
	observe timeout -s KILL 20 "$bin/$program" "$@"
}

# There are that many reports.
reported()
{
	local count
	count=$(grep -c -E '^<whocallme>: [a-z_]+: SIG' "$err") || true
	[ "$count" -eq "$1" ] || blame "$count reports, not $1"
}

# Each report is whole: main or the thread's first function is in it.
whole()
{
	err_has '^#0 0x[0-9a-f]{16} in '
	err_has ' in (_start|clone3|__clone3|clone|\?\?)'
}

@test "before us: the default, by which the process dies" {
	local order
	for order in last first; do
		faults chains default $order
		expect_status 139
		reported 1
		whole
	done
}

@test "before us: ignored; a fault is not, what was sent is" {
	local order
	for order in last first; do
		faults chains ignore $order
		expect_status 139
		reported 1
		faults chains ignore-sent $order
		expect_status 0
		expect_out alive
		reported 0
	done
}

@test "before us: a plain handler, called as the kernel calls it" {
	faults chains plain last
	expect_status 43
	expect_out 'plain 11' 'SEGV 1 USR1 1 USR2 0'
	reported 1
	faults chains plain first
	expect_status 43
	expect_out 'plain 11' 'SEGV 1 USR1 1 USR2 0'
	reported 1
}

@test "before us: SA_NODEFER" {
	local order
	for order in last first; do
		faults chains nodefer $order
		expect_status 43
		expect_out 'plain 11' 'SEGV 0 USR1 1 USR2 0'
	done
}

@test "before us: SA_SIGINFO, with the original siginfo" {
	local order
	for order in last first; do
		faults chains siginfo $order
		expect_status 43
		[[ $(sed -n 1p "$out") =~ ^siginfo\ 11\ 2\ 0x[0-9a-f]+000\ 1$ ]] ||
			blame "another siginfo"
		[ "$(sed -n 2p "$out")" = 'SEGV 1 USR1 1 USR2 0' ]
	done
}

@test "before us: SA_RESETHAND is good for one call" {
	local order
	for order in last first; do
		faults chains resethand $order
		expect_status 139
		expect_out once
	done
	reported 1
}

@test "before us: one that repairs the fault; the program goes on, errno kept" {
	faults chains repair last
	expect_status 0
	expect_out 'repaired 20 times, still ours'
	reported 16
	faults chains repair first
	expect_status 0
	expect_out 'repaired 20 times, still ours'
	[ ! -s "$err" ] || blame "a report of what was repaired"
}

@test "before us: one that jumps away; the next crash is reported" {
	faults chains leave last
	expect_status 134
	expect_out 'left 3 times'
	reported 4
	faults chains leave first
	expect_status 134
	expect_out 'left 3 times'
	reported 1
	err_has ': SIGABRT, '
}

@test "before us: one that gives up by the default action" {
	local order
	for order in last first; do
		faults chains give-up $order
		expect_status 139
		expect_out 'giving up'
		reported 1
		whole
	done
}

# later PROGRAM ACTION STATUS REPORTS: PROGRAM sets it when ours is there, and writes what it does
# without us.
later()
{
	faults alone "$2" -
	cp "$out" "$bin/without"
	faults "$1" "$2" later
	expect_status "$3"
	diff "$bin/without" "$out" || blame "$1 $2"
	reported "$4"
	[ "$4" -eq 0 ] || whole
}

# all_later PROGRAM
all_later()
{
	local how
	for how in default ignore give-up resend resethand; do
		later "$1" $how 139 1
		err_has ': SIGSEGV, '
	done
	later "$1" leave 134 1
	err_has ': SIGABRT, '
	later "$1" query 0 0
	later "$1" nodefer 43 1
	later "$1" vfork 43 1
	later "$1" replaced 0 0
}

@test "after us: what gives up is reported, what repairs or leaves is not" {
	all_later chains
}

@test "after us: in a program that has the library in it, or is static" {
	needs_static
	nm "$lib/libwhocallme.a" 2>/dev/null | grep -q ' W sigaction$' ||
		skip "this libc's sigaction() has no other name"
	# shellcheck disable=SC2086 # a list
	$CC -g -O0 -I"$top_srcdir/include" -o "$bin/with" "$programs/chains.c" $sanitize \
		-Wl,--eh-frame-hdr $static_libs
	all_later with
	build_static wholly chains.c -O0
	all_later wholly
}

# How a handler that the program sets later ends the process, the status that it has without us, and
# the signal that is reported.
ends='default:139:SEGV _exit:1:SEGV exit:1:SEGV killed:137:SEGV terminated:143:SEGV
	terminated-late:143:SEGV abort:134:SEGV jump:0: jump-abort:134:ABRT jump-exit:5: mend:0:
	fork:0: vfork:0: harmless:0: refused:0:'
more_ends='killed-group:137:SEGV queued:165:SEGV'
ends_seen_in_libraries='thread:142:SEGV by-call:137:SEGV exit-by-call:1:SEGV'
# ends_with SETS ENDS COMMAND...
ends_with()
{
	local sets=$1 ends=$2 set end how status_is reported_is
	shift 2
	for set in $sets; do
		for end in $ends; do
			IFS=: read -r how status_is reported_is <<<"$end"
			observe timeout -s KILL 20 setsid -w "$@" "$set" "$how"
			expect_status "$status_is"
			[ "$status_is" -ne 0 ] || expect_out 'on after 1'
			if [ -z "$reported_is" ]; then
				[ ! -s "$err" ] || blame "$* $set $how: a report"
				continue
			fi
			reported 1
			err_has ": SIG$reported_is, "
			whole
		done
	done
}

@test "after us: however a handler ends the process, the fault is reported once" {
	needs setsid
	ends_with "signal sigaction resethand onstack call" "$ends" "$bin/ends"
	# shellcheck disable=SC2086 # a list
	ends_with sigaction "$more_ends $ends_seen_in_libraries abort-returns:134:ABRT" "$bin/ends"
}

# Nobody else is in its namespace of processes.
@test "after us: a handler that ends all processes but its own" {
	local -a alone=(unshare -pf)
	needs unshare
	"${alone[@]}" true || alone=(unshare -Urpf)
	"${alone[@]}" true || skip "no namespace of processes can be made"
	observe timeout -s KILL 20 "${alone[@]}" "$bin/ends" signal all-others
	expect_status 0
	expect_out 'on after 1'
	[ ! -s "$err" ] || blame "a report"
}

@test "after us: however a handler ends the process, preloaded and by run" {
	local preload=$lib/libwhocallme-preload.so
	needs setsid
	ends_with "sigaction call" "$ends $more_ends $ends_seen_in_libraries abort-returns:134:ABRT" \
		env LD_PRELOAD="$preload" "$bin/ends_alone"
	ends_with "signal onstack" "_exit:1:SEGV mend:0: killed:137:SEGV abort:134:SEGV" \
		"$whocallme" run --no-lines -- "$bin/ends_alone"
}

@test "after us: however a handler ends the process, with the static library" {
	local program
	needs_static
	needs setsid
	nm "$lib/libwhocallme.a" 2>/dev/null | grep -q ' W sigaction$' ||
		skip "this libc's sigaction() has no other name"
	# shellcheck disable=SC2086 # a list
	$CC -g -O0 -I"$top_srcdir/include" -o "$bin/ends_inside" "$programs/ends_in_handler.c" \
		$sanitize -Wl,--eh-frame-hdr $static_libs
	build_static ends_static ends_in_handler.c -O0
	for program in ends_inside ends_static; do
		ends_with "signal resethand" "$ends $more_ends abort-returns:134:ABRT" "$bin/$program"
		ends_with call "default:139:SEGV mend:0:" "$bin/$program"
	done
}

@test "a handler that was there before and is called first: the fault is reported where it ends" {
	printf '%s\n' '#include <signal.h>' '#include <stdlib.h>' '#include <string.h>' \
		'#include <unistd.h>' '#include <whocallme.h>' 'static const char *end;' \
		'static void handler(int n) { (void)n; if (!strcmp(end, "abort")) abort(); _exit(3); }' \
		'int main(int c, char **v) { struct wcm_crash_options o = { 0 }; end = v[2];' \
		'o.flags = c && !strcmp(v[1], "first") ? WCM_CRASH_CHAIN_FIRST : 0;' \
		'signal(SIGSEGV, handler); wcm_crash_install(&o); *(volatile char *)0 = 1; }' \
		>"$bin/was_there.c"
	build was_there "$bin/was_there.c" -O0
	local order
	for order in first last; do
		faults was_there $order _exit
		expect_status 3
		reported 1
		err_has ': SIGSEGV, '
		faults was_there $order abort
		expect_status 134
		reported 1
		err_has ': SIGSEGV, '
	done
}

@test "a program that links the library has one report of its crash where it is preloaded, too" {
	local how program order count preload=$lib/libwhocallme-preload.so
	local -a copies=(chains)
	if [ -r "$lib/libwhocallme.a" ]; then
		# shellcheck disable=SC2086 # a list
		$CC -g -O0 -I"$top_srcdir/include" -o "$bin/inside" "$programs/chains.c" \
			-Wl,--eh-frame-hdr $static_libs
		copies+=(inside)
	fi
	for program in "${copies[@]}"; do
		for how in default:139 ignore:139 give-up:139 resethand:139 leave:134 plain:43 \
			repair:0 ignore-sent:0; do
			for order in first last later; do
				observe timeout -s KILL 20 env LD_PRELOAD="$preload" \
					"$bin/$program" "${how%:*}" $order
				expect_status "${how#*:}"
				# The rest is as where the library is in the process once.
				mv "$err" "$bin/twice"
				faults "$program" "${how%:*}" $order
				count=$(grep -c -E '^<whocallme>: [a-z]+: SIG' "$err") || true
				mv "$bin/twice" "$err"
				reported "$count"
			done
		done
	done
}

@test "a program that links the library: run leaves the report to it, in its form" {
	printf '%s\n' '#include <stdlib.h>' '#include <whocallme.h>' \
		'int main(void) { struct wcm_crash_options o = { .flags = WCM_CRASH_JSON };' \
		'wcm_crash_install(&o); abort(); }' >"$bin/own_form.c"
	build own_form "$bin/own_form.c" -O0
	observe "$whocallme" run -- "$bin/own_form"
	expect_status 134
	[ "$(grep -c '"signal"' "$err")" -eq 1 ] || blame "not one report of its own"
	[ "$(wc -l <"$err")" -eq 1 ] || blame "more than that"
	observe "$whocallme" run -- "$bin/endings" many 5000
	expect_status 139
	reported 1
}

@test "a program with a sigaction() and a signal() of its own has the library in it, too" {
	needs_static
	printf '%s\n' '#include <signal.h>' '#include <whocallme.h>' '#include <stdio.h>' \
		'int sigaction(int s, const struct sigaction *a, struct sigaction *o)' \
		'{ (void)s, (void)a, (void)o; return 0; }' \
		'void (*signal(int s, void (*h)(int)))(int) { (void)s; return h; }' \
		'int main(void) { puts("here"); return wcm_stack_memory(0); }' >"$bin/own.c"
	# shellcheck disable=SC2086 # a list
	$CC -g -O0 -I"$top_srcdir/include" -o "$bin/own" "$bin/own.c" $static_libs
	faults own
	expect_out here
}

# same_report PROGRAM HOW CRASH [VARIABLE=VALUE]: what PROGRAM reports of CRASH is
# the same, its addresses aside, whether its handlers were left or handed back.
same_report()
{
	local program=$1 how=$2 crash=$3
	shift 3
	observe env "$@" "$bin/$program" left "$crash"
	[ "$status" -gt 128 ] || blame "no crash: $crash"
	local expected=$status before
	before=$(without_numbers)
	observe timeout -s KILL 20 env "$@" "$bin/$program" "$how" "$crash"
	expect_status "$expected"
	diff -u <(echo "$before") <(without_numbers) || blame "$how $crash"
	reported 1
}

# The cause and the stack, less numbers that no two runs have in common.
without_numbers()
{
	sed -n -E -e 's/0x[0-9a-f]+/X/g; s/\+X|process [0-9]+//g' -e '1p; /^#/p' \
		"$err"
}

@test "a handler handed back by signal(): the same report as ever" {
	local how crash
	for how in back sysv often; do
		for crash in write jump divide illegal abort; do
			same_report handed "$how" "$crash"
		done
	done
}

@test "a handler handed back by signal(): a breakpoint, and what was sent" {
	same_report handed back breakpoint
	faults handed back kill
	expect_status 139
	reported 1
	whole
	err_has ': SIGSEGV, segmentation fault: sent by kill, by process [0-9]+$'
}

@test "a handler handed back past the preloaded library, or to it" {
	local how crash
	for how in back sysv often; do
		for crash in write jump divide illegal breakpoint abort; do
			same_report unaware "$how" "$crash" \
				LD_PRELOAD="$lib/libwhocallme-preload.so"
		done
	done
	observe env LD_PRELOAD="$lib/libwhocallme-preload.so" "$bin/unaware" \
		back overflow
	expect_status 139
	reported 1
	err_has ': SIGSEGV, .*stack overflow'
}

@test "the callback: after the report, with what the handler was given" {
	faults endings callback
	expect_status 139
	expect_out 'callback 11 1 data'
	reported 1
	whole
}

@test "a crash in the callback: the death is the first, the report is kept" {
	local what
	for what in fault-again abort-instead; do
		faults endings $what
		expect_status 139
		expect_out 'callback 11 1 data'
		reported 1
		whole
	done
}

# took COMMAND...: its milliseconds, in $took.
took()
{
	local start
	start=$(date +%s%N)
	"$@"
	took=$((($(date +%s%N) - start) / 1000000))
}

@test "a callback that hangs: the process dies of the crash all the same" {
	took faults endings hang 500
	expect_status 139
	[ "$took" -ge 500 ] && [ "$took" -lt 4000 ] || blame "$took ms"
	whole
	took faults endings hang-deaf 500
	expect_status 137
	[ "$took" -lt 4000 ] || blame "$took ms"
	whole
}

@test "threads at once: 2 and 64" {
	local count run
	for count in two many; do
		for run in 1 2 3 4 5; do
			took faults endings $count
			expect_status 139
			[ "$took" -lt 8000 ] || blame "$took ms"
			reported 1
			whole
		done
	done
}

@test "a child of fork, and of vfork: its report, then the parent's" {
	local how
	for how in fork vfork; do
		faults endings $how
		expect_status 134
		expect_out 'child 11'
		reported 2
		err_has ': SIGSEGV, '
		err_has ': SIGABRT, '
	done
}

@test "a vfork child that crashes in its callback leaves the parent its report" {
	took faults endings vfork-again
	expect_status 134
	expect_out 'callback 11 1 data' 'child 11' 'callback 6 1 data'
	reported 2
	[ "$took" -lt 2000 ] || blame "$took ms"
}

@test "a child that is forked while its parent reports" {
	took faults endings fork-and-fault
	expect_status 139
	expect_out 'child 6' 'callback 11 1 data'
	reported 2
	[ "$took" -lt 2000 ] || blame "$took ms"
}

@test "seccomp traps what the report would like to do: it does without" {
	local observed=$bin/forbid.so
	observe env LD_PRELOAD="$observed" "$bin/endings" plain 2000 "$bin/x.%p"
	[ "$status" != 77 ] || skip "seccomp is not to be had here"
	expect_status 139
	reported 1
	whole
	err_has "^<whocallme>: $bin/x\.[0-9]+: cannot be created, error 38$"
}

# reports_to PATTERN [COMMAND...]: a fault whose report goes to PATTERN as well.
reports_to()
{
	faults endings plain 5000 "$1"
	expect_status 139
	reported 1
}

@test "the report file: its name, its mode, its contents" {
	local name mode
	cd "$BATS_TEST_TMPDIR"
	mkdir reports
	umask 022
	reports_to 'reports/%e-%p-%t-%%'
	name=$(ls reports)
	[[ $name =~ ^endings-([0-9]+)-([0-9]+)-%$ ]] || blame "named $name"
	err_has "process ${BASH_REMATCH[1]}, "
	[ $(($(date +%s) - BASH_REMATCH[2])) -le 20 ]
	mode=$(stat -c %a "reports/$name")
	[ "$mode" = 600 ] || blame "mode $mode"
	grep -q '^<whocallme>: endings: SIGSEGV' "reports/$name"
	grep -q '^#0 ' "reports/$name"
}

@test "the report file is not what is there already, nor behind a link" {
	cd "$BATS_TEST_TMPDIR"
	echo mine >there
	reports_to there
	err_has '^<whocallme>: there: there is such a file already$'
	[ "$(cat there)" = mine ]
	ln -s nowhere link
	reports_to link
	err_has '^<whocallme>: link: there is such a file already$'
	[ ! -e nowhere ]
	mkfifo fifo
	reports_to fifo
	err_has '^<whocallme>: fifo: there is such a file already$'
	reports_to none/report
	err_has '^<whocallme>: none/report: there is no such directory$'
}

@test "the report file where stderr is closed, or full" {
	cd "$BATS_TEST_TMPDIR"
	observe sh -c "exec '$bin/endings' plain 5000 closed 2>&-"
	expect_status 139
	grep -q '^#0 ' closed
	observe sh -c "exec '$bin/endings' plain 5000 full 2>/dev/full"
	expect_status 139
	grep -q '^#0 ' full
}

@test "a pipe that is full: dead within the deadline" {
	needs python3
	took observe full_pipe "$bin/endings" callback 1000
	expect_out 'callback 11 1 data' -11
	[ "$took" -lt 4000 ] || blame "$took ms"
}

# The kernel does not let a signal that was sent kill the first process of a container.
@test "a process that lives on after a report is reported again, and dies with the right status" {
	needs unshare
	unshare --pid --fork --mount-proc true 2>/dev/null || skip "no PID namespaces here"
	local who how count run
	for who in last first alone; do
		run=
		[ "$who" != alone ] || run="$whocallme run --no-lines --"
		for how in plain thread threads restores resends; do
			# shellcheck disable=SC2086 # a command, or nothing
			observe timeout -s KILL 60 unshare --pid --fork --mount-proc --kill-child \
				$run "$bin/goes_on" "$who" "$how"
			expect_status 139
			diff -u <(seq -f 'on after %g' 0 9) "$out" || blame "$who $how"
			[ "$how" != threads ] || continue # reports overlap
			err_has '^<whocallme>: goes_on: SIGABRT'
			err_has '^<whocallme>: goes_on: SIGSYS'
			err_has '^<whocallme>: goes_on: SIGXFSZ'
			count=$(grep -c '^<whocallme>: goes_on: SIGSEGV' "$err") || true
			# A linked program that sets the default action has no report after that.
			case $who:$how in
			*:plain | *:thread | alone:resends) [ "$count" -ge 2 ] ;;
			*) [ "$count" -ge 1 ] ;;
			esac || blame "$who $how: $count reports of SIGSEGV"
		done
	done
}

@test "a copy in a plugin stays when the plugin is closed: its handlers, threads and traces work" {
	# shellcheck disable=SC2086 # a list
	build_library copy.so with_copy.c -Wl,-Bsymbolic $static_libs 2>link.log ||
		skip "libwhocallme.a is not for shared libraries"
	build linked with_copy.c -DHOST -DLINKED
	"$CC" -g -O0 -DHOST -o "$bin/plain" "$programs/with_copy.c" -ldl
	local host how
	for host in linked plain; do
		for how in none crash watchdog agent trace flight lines hook; do
			observe timeout -s KILL 20 "$bin/$host" "$bin/copy.so" $how
			expect_out here
			expect_status 139
			[ "$host-$how" = plain-crash ] || [ "$host" = linked ] || continue
			err_has "^<whocallme>: $host: SIGSEGV"
			reported 1
		done
	done
}

@test "a library that is opened late finds room for its thread-local variables" {
	printf '%s\n' '__thread char used[1200] __attribute__((tls_model("initial-exec")));' \
		'char *use(void) { return used; }' >"$bin/used.c"
	build_library used.so "$bin/used.c"
	printf '%s\n' '#include <dlfcn.h>' '#include <stdio.h>' \
		'int main(int c, char **v) { for (int i = 1; i < c; i++)' \
		'if (!dlopen(v[i], RTLD_NOW)) return puts(dlerror()), 1; return 0; }' >"$bin/late.c"
	"$CC" -g -O0 -o "$bin/late" "$bin/late.c" -ldl
	local each
	for each in libwhocallme.so.0 libwhocallme-preload.so; do
		[ -e "$lib/$each" ] || continue
		observe "$bin/late" "$bin/used.so" "$lib/$each"
		expect_status 0
	done
}
