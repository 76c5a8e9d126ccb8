#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# times.bats - the times of a trace: one start for all its processes, the time of day, and what
# other tools say of both.

load support

setup_file()
{
	bin=$BATS_FILE_TMPDIR
	$CC -g -O1 -finstrument-functions -o "$bin/times" "$programs/times.c" -lpthread
	$CC -O0 -finstrument-functions -o "$bin/relatives" "$programs/relatives.c"
}

setup()
{
	trace_setup
	needs python3
	judge="python3 $top_srcdir/test/scenario/times.py"
}

now()
{
	date +%s%N
}

# moment TIME: a time of day in nanoseconds since 1970.
moment()
{
	$judge moment "$1"
}

begun_of()
{
	sed -n 's/^# begun at \([^ ]*\) by .*/\1/p' "$1"
}

@test "times of day: between those of date, in every process" {
	local before what
	for what in 1 'fork 1' 'spawn 1' 'fork spawn exec 1' 'spawn fork exec 1'; do
		before=$(now)
		# shellcheck disable=SC2086 # words
		trace_it --time=absolute --log=log "$bin/relatives" ${what% *}
		expect_status 0
		$judge between log "$before" "$(now)" || blame "$what"
	done
	before=$(now)
	trace_it --force --time=absolute -e --log=log -- \
		sh -c "'$bin/relatives' fork; env -i '$bin/relatives' exec; '$bin/times'"
	expect_status 0
	[ "$(grep -c '&main' log)" -ge 8 ] || blame "$(cat log)"
	$judge between log "$before" "$(now)"
}

@test "strace makes each system call within the call that makes it" {
	needs strace
	not_sanitized "its runtime is not for ptrace(2)"
	strace -f -ttt -o theirs timeout -s KILL 60 \
		"$whocallme" trace --time=absolute -e -F ask --log=log "$bin/times"
	$judge strace log theirs
}

@test "lines of a tree of processes, in the order of their times, are in that of its calls" {
	has_arguments=$($CC -dumpmachine)
	case $has_arguments in x86_64*) ;; *) skip "arguments are known on x86-64 alone" ;; esac
	has_sleds || skip "arguments are known of sleds"
	$CC -g -O1 -fpatchable-function-entry=5 -o times "$programs/times.c" -lpthread
	trace_it -A -F ask --log=log ./times
	expect_status 0
	[ "$(awk '/&ask/ { print $2 }' log | sort -u | wc -l)" -eq 6 ] || blame "$(cat log)"
	[ "$(grep -c '^# begun at' log)" -eq 1 ]
	$judge order log
	trace_it -A -F ask --log=%p.log ./times
	[ "$(cat ./*.log | grep '^# begun at' | sort | uniq -c | awk '{ print $1 }')" -eq 6 ]
	cat ./*.log >all
	$judge order all
	trace_it -A -F ask --time=absolute ./times
	$judge order "$err"
}

@test "without whocallme trace as well; a start that makes no sense, or is yet to come" {
	export LD_PRELOAD=$lib/libwhocallme.so.0
	WHOCALLME_TRACE_TIME=absolute WHOCALLME_OUTPUT=log \
		observe env WHOCALLME_TRACE=log "$bin/times"
	expect_status 0
	[ "$(grep -c '^# begun at' log)" -eq 1 ] || blame "$(cat log)"
	$judge between log 0 "$(now)"
	for WHOCALLME_TRACE_START in yesterday 1 1, ,1 '1,2 ' 1,2, 1,2,x 1,2,3,4,5; do
		export WHOCALLME_TRACE_START
		observe env WHOCALLME_TRACE=log "$bin/relatives"
		expect_err "<whocallme>: nothing is traced: WHOCALLME_TRACE_START=$WHOCALLME_TRACE_START makes no sense; it takes numbers with commas between"
	done
	WHOCALLME_TRACE_START=9000000000000000000,1 WHOCALLME_OUTPUT=later \
		observe env WHOCALLME_TRACE=log WHOCALLME_TRACE_TIME=absolute "$bin/relatives"
	$judge between later 0 "$(now)"
	unset WHOCALLME_TRACE_START
	observe env WHOCALLME_TRACE=log WHOCALLME_TRACE_TIME=late "$bin/relatives"
	expect_err "<whocallme>: nothing is traced: WHOCALLME_TRACE_TIME=late makes no sense; it takes relative, absolute or delta"
}

@test "in another time namespace times are those of the trace as well" {
	unshare -T --monotonic 1000 true || skip "no time namespace is to be had"
	local before
	before=$(now)
	trace_it --force --time=absolute --log=log -- sh -c "'$bin/relatives'; \
		unshare -T --monotonic 100000 '$bin/relatives' fork exec; \
		unshare -T --monotonic 100000 -- '$bin/relatives' spawn"
	expect_status 0
	[ "$(grep -c '&main' log)" -eq 5 ] || blame "$(cat log)"
	$judge between log "$before" "$(now)"
}

@test "a trace within a trace has its own start, and so has one that is appended" {
	trace_it --force --log=outer -- sh -c "sleep 0.1; '$bin/relatives'; '$whocallme' trace \
		--log=inner '$bin/relatives'"
	expect_status 0
	awk '/&main/ { gsub("\047", ""); exit $3 < 100000000 }' outer || blame "$(cat outer)"
	[ "$(moment "$(begun_of inner)")" -ge $(($(moment "$(begun_of outer)") + 100000000)) ]
	trace_it --append --log=outer "$bin/relatives" fork exec
	[ "$(grep -c '^# begun' outer)" -eq 2 ] || blame "$(cat outer)"
}

@test "differences add up to what the calls took" {
	local before
	trace_it --time=delta -e -F 'a*,r*,m*,f*' --log=log "$bin/times" 1
	expect_status 0
	$judge delta log
	before=$(now)
	trace_it --time=delta --log=log "$bin/times" threads
	expect_status 0
	[ "$(awk '/^FUN/ { gsub("\047", ""); all += $3 } END { printf "%d", all }' log)" -le \
		$(($(now) - before)) ]
}

@test "what has no times has no --time, and there are three" {
	local how
	for how in '' now absolut 'relative,delta' RELATIVE; do
		trace_it "--time=$how" "$bin/relatives"
		expect_status 2
		expect_err "whocallme trace: --time takes relative, absolute or delta, not \"$how\"; see whocallme trace --help"
	done
	for how in pairs=x addresses=x record=x graph=x; do
		trace_it --time=delta --$how "$bin/relatives"
		expect_status 2
		expect_err 'whocallme trace: --time is for --log and --flight; of a recording, for whocallme replay; see whocallme trace --help'
	done
	trace_it --time=relative "$bin/relatives"
	expect_status 0
	[ "$(head -n 1 "$err")" = '#     tid   nanoseconds   stack symbol' ]
}

@test "a call that starts a trace counts from there, and takes one kind of times" {
	cat >own.c <<-'.'
		#include <stdio.h>
		#include <time.h>
		#include <whocallme.h>
		static void one(void) { }
		static void traced(uint32_t flags)
		{
			struct wcm_trace_options options = {
				.mode = WCM_TRACE_LOG, .flags = flags, .output = "own" };
			const struct timespec a_while = { .tv_nsec = 50000000 };
			nanosleep(&a_while, NULL);
			printf("%d\n", wcm_trace_start(&options));
			one();
			wcm_trace_stop();
		}
		int main(void)
		{
			traced(WCM_TRACE_ABSOLUTE_TIMES | WCM_TRACE_DELTA_TIMES);
			traced(0);
			traced(WCM_TRACE_DELTA_TIMES);
			traced(WCM_TRACE_ABSOLUTE_TIMES);
		}
	.
	build own "$PWD/own.c" -O0 -finstrument-functions
	observe "$bin/own"
	expect_status 0
	[ "$(paste -s -d ' ' "$out")" = '-8 0 0 0' ] # WCM_EINVAL
	[ "$(grep -c '^# begun at' own)" -eq 3 ]
	[ "$(grep -c '&one$' own)" -eq 3 ]
	begun_of own | while read -r each; do moment "$each"; done |
		awk 'NR > 1 && $1 < before + 50000000 { exit 1 } { before = $1 }' || blame "$(cat own)"
}

# said NAME: what "whocallme info", or uftrace's, has printed of it.
said()
{
	sed -n "s/^$1 *: //p" "$out"
}

# elapsed: how long the recording of either took, in nanoseconds.
elapsed()
{
	sed -n 's/^#\{0,1\} *elapsed time *: \([0-9]*\)\.\([0-9]\{9\}\) sec$/\1\2/p' "$out" | sed 's/^0*//'
}

@test "a recording began and ended when it did, says info, and uftrace's" {
	local before after took how
	$CC -O0 -finstrument-functions -o slow -x c - <<-'.'
		#include <unistd.h>
		int main(void) { usleep(300000); return 0; }
	.
	for how in '' ' fork' ' spawn' ' fork spawn exec' ' exec'; do
		before=$(now)
		# shellcheck disable=SC2086 # words
		trace_it --record=rec -f -- "$bin/relatives" $how
		after=$(now)
		expect_status 0
		observe "$whocallme" info rec
		expect_status 0
		took=$(elapsed)
		[ "$before" -le "$(moment "$(said 'recorded on')")" ] || blame "$how: too early"
		[ "$(moment "$(said ended)")" -le "$after" ] || blame "$how: too late"
		[ $(($(moment "$(said ended)") - $(moment "$(said 'recorded on')"))) -eq "$took" ] || blame "$how"
		out_has "^command line  : .*/relatives"
		command -v uftrace >/dev/null || continue
		observe uftrace info -d rec
		[ "$(elapsed)" -eq "$took" ] || blame "$how: uftrace's"
		[ $(($(date -d "$(said '# recorded on')" +%s%N) / 1000000000 - before / 1000000000)) -le 2 ] ||
			blame "$how: uftrace's date"
	done
	before=$(now)
	trace_it -f --record=rec ./slow
	after=$(now)
	observe "$whocallme" info rec
	[ "$(elapsed)" -ge 300000000 ] && [ "$(elapsed)" -le $((after - before)) ] || blame "sleep"
}

@test "a recording whose program is killed ended with its last record" {
	$CC -O0 -finstrument-functions -o killed -x c - <<-'.'
		#include <signal.h>
		#include <unistd.h>
		static void one(void) { usleep(20000); }
		int main(void) { one(); raise(SIGKILL); }
	.
	trace_it --record=rec ./killed
	expect_status 137
	grep -a -q -x 'elapsed_time:unknown' rec/info
	observe "$whocallme" info rec
	expect_status 0
	[ "$(elapsed)" -ge 20000000 ] || blame "too short"
}

# The times of "$whocallme replay" in $out, without what groups the digits.
replayed()
{
	sed 1d "$out" | awk '{ print $1 }' | tr -d "\047"
}

@test "replay: times in front, which are uftrace's, add up, and are times of day" {
	local before after
	before=$(now)
	trace_it --record=rec "$bin/times"
	expect_status 0
	after=$(now)
	observe "$whocallme" replay --no-merge rec
	sed 1d "$out" >plain
	observe "$whocallme" replay --no-merge --time=relative rec
	expect_status 0
	cut -c 15- "$out" | sed 1d | diff plain - || blame "more than a column"
	replayed >relative
	[ "$(wc -l <relative)" -gt 30 ]
	if command -v uftrace >/dev/null; then
		uftrace replay --no-pager --no-merge -f time -d rec |
			sed -n 's/^ *\([0-9]*\)\.\([0-9]\{9\}\) .*/\1\2/p' >theirs
		awk -v begun="$(sed -n 's/^begun:\([0-9]*\),.*/\1/p' rec/info)" \
			'{ printf "%.0f\n", $1 + begun }' relative | diff theirs - || blame "uftrace's"
	fi
	observe "$whocallme" replay --no-merge --time=delta rec
	replayed | awk '{ printf "%d\n", all += $1 }' | diff relative - || blame "no sum"
	observe "$whocallme" replay --time=absolute rec
	expect_status 0
	for each in $(sed 1d "$out" | awk '{ print $1 }' | sed '1p;$p' -n); do
		[ "$before" -le "$(moment "$each")" ] && [ "$(moment "$each")" -le "$after" ]
	done
}

@test "a recording's numbers, and those of options, have no signs" {
	local text option
	trace_it --record=rec -f -- "$bin/relatives"
	observe "$whocallme" info rec
	expect_status 0
	cp rec/info info
	for text in '-400000000.0 sec' '+4000000.0 sec' ' 4000000.0 sec' '4000000.-1 sec' \
		'99999999999999999999.0 sec'; do
		sed "s/^elapsed_time:.*/elapsed_time:$text/" info >rec/info
		observe "$whocallme" info rec
		expect_status 0
		[ "$(elapsed)" -lt 1000000000000 ] || blame "$text"
	done
	cp info rec/info
	for option in --depth=+2 '--depth= 2' --tid=+1 '--tid=1,+2' '--tid=1, 2' --tid=-1; do
		observe "$whocallme" replay "$option" rec
		expect_status 2
	done
}

@test "a recording that has no times of day, or makes no sense of them, says so" {
	local line
	trace_it --record=rec "$bin/relatives"
	for line in '' 'begun:' 'begun:1' 'begun:1,' 'begun:x,1' 'begun:1,1x' 'begun:1,0'; do
		sed -i '/^begun:/d' rec/info
		[ -z "$line" ] || echo "$line" >>rec/info
		observe "$whocallme" replay --time=absolute rec
		expect_status 1
		expect_err 'whocallme replay: rec: it does not say at what time of day it began, for --time=absolute, as recordings of whocallme do'
		observe "$whocallme" replay --time=relative rec
		expect_status 0
		out_has '^ +0 .* main\(\)'
		observe "$whocallme" info rec
		expect_status 0
		out_has '^recorded on   : 20[0-9]{2}-[0-9]{2}-[0-9]{2}T[0-9:.]{18}Z$'
		out_lacks '^ended'
	done
	trace_it --addresses=addresses "$bin/relatives"
	for line in relative absolute delta; do
		observe "$whocallme" replay "--time=$line" addresses
		expect_status 1
		expect_err 'whocallme replay: addresses: it has no times for --time'
	done
	observe "$whocallme" replay --time=never rec
	expect_status 2
	observe "$whocallme" info nothing
	expect_status 1
}

@test "the last calls of a thread: times of day, and since the one before" {
	local before
	not_sanitized "its runtime has the crash"
	$CC -O0 -finstrument-functions -o dies -x c - <<-'.'
		#include <stdlib.h>
		#include <unistd.h>
		static void one(void) { usleep(30000); }
		static void two(void) { usleep(20000); }
		static void three(void) { abort(); }
		int main(void) { one(); two(); three(); }
	.
	before=$(now)
	trace_it --flight --time=absolute --log=log ./dies
	err_has '^last calls of this thread \(time of day, UTC, newest last\):$'
	grep -E '^  [0-9-]{10}T[0-9:]{8}\.[0-9]{9}Z  ( *)(main|one|two|three)$' "$err" >calls
	[ "$(awk '{ print $2 }' calls | paste -s -d ' ')" = 'main one two three' ] || blame "no calls"
	awk '{ print $1 }' calls | while read -r each; do moment "$each"; done >moments
	sort -n -C moments
	[ "$before" -le "$(head -n 1 moments)" ] && [ "$(tail -n 1 moments)" -le "$(now)" ]
	[ $(($(sed -n 3p moments) - $(sed -n 2p moments))) -ge 30000000 ] || blame "too short"
	trace_it --flight --time=delta --log=log ./dies
	err_has '^last calls of this thread \(nanoseconds since the one before, newest last\):$'
	err_has '^ +\+0  main$'
	awk '/^ +[+]/ { gsub("\047", ""); seen[$2] = $1 + 0 }
		END { exit seen["two"] < 30000000 || seen["three"] < 20000000 }' "$err" ||
		blame "too short"
	WHOCALLME_TRACE_TIME=soon WHOCALLME_FLIGHT=yes LD_PRELOAD=$lib/libwhocallme.so.0 observe ./dies
	err_has '^<whocallme>: last calls are not kept: WHOCALLME_TRACE_TIME=soon makes no sense; it takes relative, absolute or delta$'
}

@test "--ftrace: the program that is run counts from where the one that runs it does" {
	cat >flagged.c <<-'.'
		#include <stdlib.h>
		#include <unistd.h>
		#include <whocallme.h>
		static void one(void) { usleep(50000); }
		int main(int argc, char *argv[])
		{
			wcm_flags(&argc, argv);
			one();
			if (argc > 1)
				execv(argv[0], argv);
		}
	.
	build flagged "$PWD/flagged.c" -O0 -finstrument-functions
	observe "$bin/flagged" --ftrace ----ftrace
	[ "$(grep '^# begun at' "$err" | sort | uniq -c | awk '{ print $1 }')" = 1 ] || blame "starts"
	awk '/&one/ { gsub("\047", ""); if ($3 < before + 50000000 * seen) exit 1
		before = $3; seen++ } END { exit seen != 2 }' "$err" || blame "times"
	WHOCALLME_TRACE_TIME=absolute observe "$bin/flagged" --ftrace
	err_has '^FUN +[0-9]+ [0-9-]{10}T[0-9:]{8}\.[0-9]{9}Z '
	WHOCALLME_TRACE_TIME=once observe "$bin/flagged" --ftrace
	expect_err '<whocallme>: nothing is traced: WHOCALLME_TRACE_TIME=once makes no sense; it takes relative, absolute or delta'
}

@test "behind a filter that ends the program for a look at the clock it goes on" {
	grep -q nonstop_tsc /proc/cpuinfo || skip "times are the kernel's here"
	cat >filtered.c <<-'.'
		#include <linux/filter.h>
		#include <linux/seccomp.h>
		#include <stddef.h>
		#include <sys/prctl.h>
		#include <sys/syscall.h>
		#include <time.h>
		#include <unistd.h>
		static void one(void) { }
		/* glibc asks the kernel for none of these. */
		static void busy(long ms)
		{
			struct timespec from, now;
			clock_gettime(CLOCK_MONOTONIC, &from);
			do {
				one();
				clock_gettime(CLOCK_MONOTONIC, &now);
			} while ((now.tv_sec - from.tv_sec) * 1000 +
				 (now.tv_nsec - from.tv_nsec) / 1000000 < ms);
		}
		int main(void)
		{
			struct sock_filter code[] = {
				BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
				BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clock_gettime, 0, 1),
				BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
				BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW) };
			struct sock_fprog filter = { 4, code };
			busy(20);
			prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
			if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0)
				return 77;
			busy(100);
			return write(STDOUT_FILENO, "done\n", 5) != 5;
		}
	.
	$CC -O0 -finstrument-functions -o filtered filtered.c || skip "seccomp is not to be had"
	observe ./filtered
	[ "$status" -eq 0 ] || skip "this clock is a call of the kernel"
	trace_it --no-signals --log=log ./filtered
	expect_out done
	trace_it --no-signals --record=rec ./filtered
	expect_out done
}

@test "a recording's end is not noted behind a filter, by nobody's rights, nor in the program's time zone" {
	local how
	cat >given_up.c <<-'.'
		#include <linux/filter.h>
		#include <linux/seccomp.h>
		#include <stddef.h>
		#include <stdio.h>
		#include <stdlib.h>
		#include <string.h>
		#include <sys/prctl.h>
		#include <sys/syscall.h>
		#include <time.h>
		#include <unistd.h>
		static int filter(void)
		{
			struct sock_filter code[] = {
				BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
				BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_flock, 0, 1),
				BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
				BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW) };
			struct sock_fprog filter = { 4, code };
			prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
			return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter);
		}
		int main(int argc, char *argv[])
		{
			const char *how = argv[argc - 1];
			time_t zero = 0;
			struct tm there;
			setenv("TZ", "JST-9", 1);
			localtime_r(&zero, &there);
			printf("%d\n", there.tm_hour);
			fflush(stdout);
			if (strcmp(how, "rights") == 0)
				return setgid(65534) || setuid(65534);
			if (filter() != 0)
				return 77;
			if (strcmp(how, "exec") == 0)
				execl("/bin/true", "true", (char *)NULL);
			if (strcmp(how, "abort") == 0)
				abort();
			return 0;
		}
	.
	$CC -O0 -w -finstrument-functions -o given_up given_up.c || skip "seccomp is not to be had"
	for how in end exec abort rights; do
		[ "$how" != rights ] || [ "$(id -u)" -eq 0 ] || continue
		observe ./given_up $how
		[ "$status" -ne 77 ] || skip "no filter is to be had"
		cp "$out" alone
		expected=$status
		rm -rf rec
		observe "$whocallme" trace --no-signals --record=rec ./given_up $how
		expect_status "$expected"
		diff -u alone "$out"
		refute grep -F "file info" "$err"
	done
	"$whocallme" replay rec | grep -F 'main()'
}

@test "numbers of a file can be pasted; a terminal and --article part the thousands" {
	cat >slow.c <<-'.'
		#include <unistd.h>
		static void one(void) { usleep(2000); }
		int main(void) { one(); }
	.
	build slow "$PWD/slow.c" -O0 -finstrument-functions
	observe "$whocallme" trace -e "$bin/slow"
	grep -qE '^RET +[0-9]+ +[0-9]{7,} +[0-9]+   &one, [0-9]{7,} ns$' "$err" || blame "$(cat "$err")"
	refute grep -q "'" "$err"
	observe "$whocallme" trace -e --article "$bin/slow"
	grep -qE "^RET .* [0-9]+'[0-9]{3}'[0-9]{3} +[0-9]+   &one, [0-9]+'[0-9]{3}'[0-9]{3} ns$" "$err" ||
		blame "$(cat "$err")"
	observe timeout -s KILL 30 python3 "$top_srcdir/test/scenario/terminal.py" \
		"$whocallme" trace -e "$bin/slow"
	grep -qE "&one, [0-9]+'[0-9]{3}'[0-9]{3} ns" "$out" || blame "$(cat "$out")"
	# A pipe gets the head once, whatever writes to it.
	observe "$whocallme" trace --system-calls=getppid,write -f sh -c "'$bin/slow'; '$bin/slow'"
	[ "$(grep -c '^# begun at' "$err")" -eq 1 ] || blame "$(cat "$err")"
}
