#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# lines_safe.bats - what a crash runs, and what that gets to see, is nobody else's choice.

load support

setup_file()
{
	bin=$BATS_FILE_TMPDIR
	build changes changes.c
	$CC -DUNAWARE -o "$bin/unaware" "$programs/changes.c"
	cat >"$bin/marks.c" <<-END
		#include <fcntl.h>
		#include <stdio.h>
		#include <unistd.h>
		int main(void)
		{
			char text[100];
			int fd = open("/marked", O_CREAT | O_WRONLY, 0666);
			int size = sprintf(text, "%d %d\n", getuid(), geteuid());
			return write(fd, text, size) != size;
		}
	END
	$CC -static -o "$bin/marks" "$bin/marks.c" || rm -f "$bin/marks"
	helper shows "{ env; echo \"\$@\"; ls /proc/self/fd; pwd
		grep -E '^(NoNewPrivs|Uid|Gid|Cap(Inh|Prm|Eff|Amb)):' /proc/self/status
		} >$bin/shown; while read -r question; do echo; done"
	: >"$bin/shown"
	chmod 666 "$bin/shown"
	helper answers 'while read -r question; do printf "f\nf.c:7:0\n\n"; done'
}

# helper NAME SCRIPT: a helper of our own.
helper()
{
	printf '#!/bin/bash\n%s\n' "$2" >"$bin/$1"
	chmod 755 "$bin/$1"
}

setup()
{
	ulimit -S -c 0
	cd "$BATS_TEST_TMPDIR"
	export WHOCALLME_HELPER=$bin/answers
	chmod 755 "$BATS_RUN_TMPDIR" "$bin"
}

needs_root()
{
	[ "$(id -u)" -eq 0 ] || skip "only root can do what it does"
}

# died CHANGE...: the program made them, and died as it would have.
died()
{
	observe timeout -s KILL 30 env ${preload:+"$preload"} \
		"$bin/${program-changes}" "$@"
	[ "$status" -ne 77 ] || skip "$(cat "$err")"
	expect_status 139
	err_has '^#0 0x[0-9a-f]+ in '
}

with_lines()
{
	died "$@"
	err_has '^   f at f\.c:7$'
}

# without_lines REASON CHANGE...
without_lines()
{
	local reason=$1
	shift
	died "$@"
	err_lacks ' at f\.c:7$'
	[ "$(tail -n 1 "$err")" = "<whocallme>: no source lines: $WHOCALLME_HELPER: $reason" ] ||
		blame "the reason is not: $reason"
}

readonly root_changed='the process has another root directory than at its start'
readonly ids_changed='the process has other user or group ids than at its start'
readonly capabilities_changed='the process has other capabilities than at its start'
readonly exchanged='it is not the file that was there at the start'
readonly writable='others may write it, or a directory above it'
readonly of_another='it, or a directory above it, belongs to another user'

# Attack by another root directory, with a "helper" that leaves a mark there.
expect_no_mark()
{
	local dir=$BATS_TEST_TMPDIR/dir changes
	[ -x "$bin/marks" ] || skip "no program can be linked statically"
	mkdir -p "$dir/$bin"
	cp "$bin/marks" "$dir/$bin/answers"
	chown -R 1001:1001 "$dir"
	with_lines
	observe timeout -s KILL 30 env ${preload:+"$preload"} \
		"$bin/${program-changes}" chroot="$dir" euid=1001
	expect_status 139
	[ ! -e "$dir/marked" ] || blame "it ran as $(cat "$dir/marked")"
	for changes in "chroot=$dir euid=1001 dumpable" "chroot=$dir" \
		"fork chroot=$dir euid=1001 dumpable" \
		"chroot=$dir fork euid=1001 dumpable"; do
		# shellcheck disable=SC2086 # a list
		died $changes
		[ ! -e "$dir/marked" ] || blame "it ran as $(cat "$dir/marked")"
		# shellcheck disable=SC2086
		without_lines "$root_changed" $changes
	done
}

@test "what another root directory has at the helper's path is not run" {
	needs_root
	expect_no_mark
}

@test "nor where the library is preloaded" {
	needs_root
	not_sanitized "its runtime must be loaded first"
	preload=LD_PRELOAD=$lib/libwhocallme-preload.so
	program=unaware WHOCALLME_SECTIONS=stack expect_no_mark
}

@test "a process with other ids or capabilities than at its start runs no helper" {
	needs_root
	local how
	for how in euid=1001 egid=1001 suid=1001 fsuid=1001 uid=1001; do
		without_lines "$ids_changed" $how dumpable
		without_lines "$ids_changed" fork $how dumpable
	done
	for how in effective inheritable; do
		without_lines "$capabilities_changed" $how
	done
	with_lines euid=1001 euid=0 dumpable
	with_lines fork chroot=/
}

@test "a helper that has become another file is not run" {
	local helper=$BATS_TEST_TMPDIR/helper
	cp "$bin/answers" "$helper"
	WHOCALLME_HELPER=$helper
	with_lines
	with_lines run="touch $helper"
	without_lines "$exchanged" run="cp $helper new && mv new $helper"
	without_lines 'no such file; WHOCALLME_HELPER says where it is' run="rm $helper"
	without_lines 'no such file; WHOCALLME_HELPER says where it is' \
		run="cp $bin/answers $helper"
	with_lines
	without_lines "$exchanged" \
		run="mv $helper old && ln -s $bin/answers $helper"
	with_lines
}

@test "a helper that others may write, or exchange, is not run" {
	local above=$BATS_TEST_TMPDIR/a/b what mode
	mkdir -p "$above"
	cp "$bin/answers" "$above/helper"
	ln -s "$above/helper" link
	WHOCALLME_HELPER=$above/helper
	for what in a a/b a/b/helper; do
		for mode in g+w o+w; do
			without_lines "$writable" run="chmod $mode $what"
			without_lines "$writable"
			WHOCALLME_HELPER=$PWD/link without_lines "$writable"
			without_lines "$writable" run="chmod 755 $what"
			with_lines
		done
	done
	chmod 1777 a
	with_lines
	WHOCALLME_HELPER=$PWD/link/../link \
		without_lines 'no such file; WHOCALLME_HELPER says where it is'
	WHOCALLME_HELPER=$PWD/../${PWD##*/}/./link with_lines
	ln -s loop loop
	WHOCALLME_HELPER=$PWD/loop without_lines 'it leads through too many symbolic links'
}

@test "a helper that belongs to another user, or is reached by such a link, is not run" {
	needs_root
	mkdir -p a/b
	cp "$bin/answers" a/b/helper
	ln -s "$PWD/a/b/helper" link
	local what
	for what in a a/b a/b/helper; do
		WHOCALLME_HELPER=$PWD/a/b/helper
		without_lines "$of_another" run="chown 1001 $what"
		without_lines "$of_another"
		WHOCALLME_HELPER=$PWD/link without_lines "$of_another"
		chown 0 $what
		WHOCALLME_HELPER=$PWD/link with_lines
	done
	WHOCALLME_HELPER=$PWD/link
	without_lines "$of_another" run="chown -h 1001 link"
}

# A process whose children are in another PID namespace is told their numbers there, which
# others have here: each of the bystanders has one of the first.
@test "a helper that answers nonsense is killed, and nobody who has its number elsewhere" {
	needs_root
	needs unshare setsid
	helper raves 'sleep 1000 & echo nonsense; echo; wait'
	unshare --pid --fork true || skip "no PID namespaces here"
	cat >bystanders <<-'END'
		for i in $(seq 20); do
			setsid sleep 1000 &
			pids+=" $!"
		done
		"$@"
		status=$?
		for pid in $pids; do
			kill -0 "$pid" || echo "$pid was killed" >&2
		done
		exit $status
	END
	WHOCALLME_HELPER=$bin/raves observe timeout -s KILL 60 unshare --pid --fork \
		--mount-proc --kill-child bash bystanders "$bin/changes" "pid namespace"
	expect_status 139
	err_has 'no source lines: .*: what it says is no answer'
	err_lacks 'was killed|No such process'
}

# shown_by COMMAND...: what the helper "shows" of a crash by it, sorted.
shown_by()
{
	WHOCALLME_HELPER=$bin/shows observe timeout -s KILL 30 "$@"
	expect_status 139
	sort "$bin/shown" >shown
}

@test "the helper's environment, directory and descriptors are nothing of the program's" {
	LD_PRELOAD_NOT=1 LD_LIBRARY_PATH=$PWD DEBUGINFOD_TIMEOUT=5 \
		DEBUGINFOD_URLS=http://localhost:1 LC_ALL=C HOME=$PWD WHOCALLME_FILE=f \
		ASAN_OPTIONS=${ASAN_OPTIONS-}: shown_by "$bin/changes" 7</dev/null
	diff -u - <(grep -vE '^(Cap|Uid|Gid)' shown) <<-END
		/
		0
		1
		2
		3
		NoNewPrivs:	1
		PATH=/usr/local/bin:/usr/bin:/bin
		PWD=/
		SHLVL=1
		_=/usr/bin/env
		resolve --serve --source
	END
}

@test "the helper of another user has what that user has, and no more" {
	needs_root
	needs setpriv
	shown_by setpriv --reuid=1001 --regid=1001 --clear-groups --inh-caps=+kill \
		--ambient-caps=+kill "$bin/changes"
	diff -u - <(grep -E '^(Cap|Uid|Gid)' shown) <<-END
		CapAmb:	0000000000000000
		CapEff:	0000000000000000
		CapInh:	0000000000000020
		CapPrm:	0000000000000000
		Gid:	1001	1001	1001	1001
		Uid:	1001	1001	1001	1001
	END
}

@test "no library of the program's directory or LD_LIBRARY_PATH is the helper's" {
	not_sanitized "its runtime must be loaded first"
	local name
	echo "#include <stdio.h>
		__attribute__((constructor)) static void mark(void)
		{
			fclose(fopen(\"$PWD/marked\", \"w\"));
		}" >evil.c
	for name in $(readelf -d "$whocallme" |
		sed -n 's/.*NEEDED.*\[\(lib\(dw\|elf\|jansson\).*\)\]/\1/p'); do
		$CC -shared -fPIC -o "$name" evil.c
	done
	[ -e libdw.so.1 ]
	WHOCALLME_HELPER=$whocallme
	for name in : "$PWD" "/nowhere:"; do
		LD_LIBRARY_PATH=$name died chdir="$PWD"
		[ ! -e marked ] || blame "LD_LIBRARY_PATH=$name"
		err_has "^   main at .*/changes\.c:[0-9]+"
	done
}

# resolved_by USER FILE: what that user is shown of the source text of "victim" in FILE.
resolved_by()
{
	local user=$1 address
	address=0x$(nm "$2" | sed -n 's/^0*\([0-9a-f]*\) T victim$/\1/p')
	observe timeout -s KILL 30 setpriv --reuid="$user" --regid="$user" --clear-groups \
		"$whocallme" resolve --source "$2+$address"
	expect_status 0
	out_has ' victim at .*/d\.c:1'
}

shows_text()
{
	resolved_by "$@"
	out_has 'victim text'
}

shows_no_text()
{
	resolved_by "$@"
	out_lacks 'text|secret'
}

# A program below "sources", which everybody may search, and its source "d.c"; what 1001
# keeps from others, and what root does.
make_sources()
{
	needs_root
	needs setpriv
	not_sanitized "its libraries are not for other users"
	mkdir -p sources/dir
	chmod 755 . sources sources/dir
	echo 'int victim(void) { return 1; } /* victim text */' >sources/dir/d.c
	$CC -g -shared -fPIC -o sources/victim.so "$PWD/sources/dir/d.c"
	echo 'the secret of root, victim text' >of_root
	echo 'the secret of 1002, victim text' >of_1002
	chown 1002 of_1002
	chmod 600 of_root of_1002
	# A build tree that other users cannot enter is no reason to know nothing.
	setpriv --reuid=1002 --regid=1002 --clear-groups "$whocallme" --version ||
		skip "other users cannot run the command of this build tree"
}

# link_by USER TARGET LINK
link_by()
{
	rm -rf "$3"
	ln -s "$2" "$3"
	chown -h "$1" "$3"
}

@test "source text: no link that somebody else has made is followed" {
	make_sources
	local d=$PWD/sources/dir/d.c user
	for user in 0 1001 1002; do
		shows_text $user sources/victim.so
	done
	chown 1001 sources/dir
	link_by 1001 "$PWD/of_1002" "$d"
	shows_no_text 1002 sources/victim.so
	link_by 1001 "$PWD/of_root" "$d"
	shows_no_text 0 sources/victim.so
	chown 1002 sources/dir
	link_by 1002 "$PWD/of_1002" "$d"
	shows_text 1002 sources/victim.so
	link_by 0 ../../of_1002 "$d"
	shows_text 1002 sources/victim.so
	shows_no_text 1001 sources/victim.so
	chmod 777 sources/dir # anybody can have moved it there
	shows_no_text 1002 sources/victim.so
	mkdir other
	cp of_1002 other/d.c
	chown 1002 other/d.c
	rm -r sources/dir
	link_by 1001 "$PWD/other" sources/dir
	shows_no_text 1002 sources/victim.so
	link_by 1002 "$PWD/other" sources/dir
	shows_text 1002 sources/victim.so
}

@test "source text: of a file that is somebody else's, root sees none" {
	make_sources
	local what mode
	for what in sources sources/dir sources/dir/d.c; do
		for mode in g+w o+w; do
			chmod $mode $what
			shows_no_text 0 sources/victim.so
			shows_text 1002 sources/victim.so
			chmod 755 $what
			shows_text 0 sources/victim.so
		done
		chown 1001 $what
		shows_no_text 0 sources/victim.so
		shows_text 1002 sources/victim.so
		chown 0 $what
	done
	chmod 1777 sources
	shows_text 0 sources/victim.so
}

@test "source text: a name from the present directory on is held to the same" {
	make_sources
	cd sources
	$CC -g -shared -fPIC -fdebug-prefix-map="$PWD=." -o relative.so dir/d.c
	shows_text 0 relative.so
	shows_text 1002 relative.so
	chmod o+w .
	shows_no_text 0 relative.so
	shows_text 1002 relative.so
	chmod 755 .
	link_by 1001 "$BATS_TEST_TMPDIR/of_1002" dir/d.c
	shows_no_text 1002 relative.so
}

@test "source text: the report of a crash has none of it either" {
	make_sources
	cat >sources/dir/d.c <<-END
		#include <whocallme.h>
		int main(void)
		{
			wcm_crash_install(0);
			*(volatile int *)0 = 1; /* victim text */
		}
	END
	# shellcheck disable=SC2086 # a list
	$CC -g -I"$top_srcdir/include" -o sources/dies "$PWD/sources/dir/d.c" $shared_libs
	sed -n 's/^/secret /p' sources/dir/d.c >of_root
	WHOCALLME_HELPER=$whocallme observe sources/dies
	expect_status 139
	err_has '^	>    5  .*victim text'
	rm sources/dir/d.c
	chown 1001 sources/dir
	link_by 1001 "$PWD/of_root" sources/dir/d.c
	WHOCALLME_HELPER=$whocallme observe sources/dies
	expect_status 139
	err_has '^   main at .*/dir/d\.c:5'
	err_lacks 'secret|victim text'
}

# gives_up WHAT: a program that had the helper before it did, and what that tells it then.
gives_up()
{
	WHOCALLME_HELPER=$whocallme observe timeout -s KILL 30 "$bin/gives_up" "$1" \
		"$PWD/sources/victim.so+$victim"
	[ "$status" -ne 77 ] || skip "$(cat "$err")"
	expect_status 0
}

# What started as root reads for it what root may read.
@test "a program that has given up rights is told nothing by a helper that has them" {
	make_sources
	local what victim
	build gives_up gives_up.c
	victim=0x$(nm sources/victim.so | sed -n 's/^0*\([0-9a-f]*\) T victim$/\1/p')
	gives_up nothing
	out_has 'victim text'
	out_has '^status 0$'
	for what in user group capability; do
		gives_up $what
		out_lacks victim
		out_has '^status -11$' # nor is another one started
	done
	gives_up child
	out_lacks victim
	gives_up sandbox
	out_lacks victim
	out_has '^status 0$' # by another one, in it
}
