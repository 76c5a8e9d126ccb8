#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# trace_trust.bats - what a trace removes, renames and writes to: a recording of one's own,
# and nothing that another user has put in its way.

load support

setup_file()
{
	bin=$BATS_FILE_TMPDIR
	$CC -g -O0 -finstrument-functions -o "$bin/relatives" "$programs/relatives.c"
	build_own relatives relatives.c -O0 -finstrument-functions
}

setup()
{
	trace_setup
	mkdir here # beside what observe() writes
	cd here
}

# not_run ARGUMENT...: status 125, a line on stderr, and the program does not start.
not_run()
{
	trace_it --force "$@" sh -c "touch '$PWD/ran'"
	expect_status 125
	[ ! -e ran ] || blame "it ran: $*"
	[ "$(wc -l <"$err")" -eq 1 ] || blame "not a line"
}

# What is in folder $1: names, kinds, owners, contents.
state()
{
	(cd "$1" && find . -printf '%p %y %U %m %l\n' | sort &&
		find . -type f -exec sha256sum {} + | sort)
}

# unchanged FOLDER COMMAND...: it changes nothing in FOLDER.
unchanged()
{
	local folder=$1 before
	shift
	before=$(state "$folder")
	"$@"
	diff <(echo "$before") <(state "$folder") || blame "changed by: $*"
}

# in_library DIR: the same trace without the command.
in_library()
{
	observe env WHOCALLME_TRACE=record WHOCALLME_OUTPUT="$1" WHOCALLME_TRACE_REPLACE=yes \
		LD_PRELOAD="$lib/libwhocallme.so.0" "$bin/relatives"
	expect_status 0
}

# A recording of one's own, made at $1.
make_recording()
{
	trace_it --record="$1" "$bin/relatives"
	expect_status 0
	[ -e "$1/info" ] && [ -e "$1/whocallme" ]
}

@test "a repository, a folder with a file info, one of uftrace: nothing changes" {
	mkdir repository
	git init -q repository/.git 2>/dev/null || mkdir -p repository/.git/refs
	mkdir -p repository/.git/info
	cp -r repository/.git bare
	echo notes >bare/info.txt
	rm -r bare/info
	echo something >bare/info
	mkdir forged
	printf 'Ftrace!\0' >forged/info
	echo precious >forged/main.c
	mkdir more
	make_recording more
	echo precious >more/notes.txt
	mkdir nested
	make_recording nested
	mkdir nested/7.dat
	local folder
	for folder in repository/.git bare forged more nested; do
		unchanged . not_run --record="$folder"
		err_has ': it is there, and (no recording|a recording of another|holds more)'
		unchanged . in_library "$folder"
		err_has 'cannot record to .*: it is there, and '
	done
}

@test "a recording that uftrace has made is left alone" {
	needs uftrace
	uftrace record --no-event -d uftrace.data "$bin/own/relatives" >/dev/null 2>&1
	unchanged . not_run --record=uftrace.data
	err_has ": it is there, and a recording of another program's, such as uftrace: name"
	unchanged . in_library uftrace.data
}

@test "what is at DIR.old goes only if it is a recording" {
	make_recording first
	mkdir first.old
	echo 'ref: refs/heads/main' >first.old/HEAD
	printf 'Ftrace!\0' >first.old/info
	unchanged . not_run --record=first
	expect_err "whocallme trace: $PWD/first.old: it is where the recording that is there "\
'would go, and not proven to be one'
	unchanged . in_library first
	err_has 'what is there as .old: it is where the recording'
	rm -r first.old
	# A link, of one's own, to a recording.
	make_recording elsewhere
	ln -s elsewhere first.old
	unchanged . not_run --record=first
	unchanged . in_library first
	rm first.old
	# A recording is removed: all of it, and nothing else.
	trace_it --force --record=first "$bin/relatives"
	cp first/whocallme second
	trace_it --force --record=first "$bin/relatives"
	expect_status 0
	cmp second first.old/whocallme
	[ "$(find . -maxdepth 1 -name 'first*' | wc -l)" -eq 2 ]
}

@test "without --force only the default name makes room" {
	make_recording mine
	unchanged . trace_it --record=mine "$bin/relatives"
	expect_status 125
	make_recording uftrace.data
	cp uftrace.data/whocallme first
	make_recording uftrace.data
	make_recording uftrace.data
	refute cmp -s first uftrace.data.old/whocallme
	[ "$(find . -name 'uftrace*' | wc -l)" -eq 2 ]
}

@test "a process whose directory is put aside does not write to its successor's" {
	cat >long.c <<-'.'
		#include <pthread.h>
		#include <stdio.h>
		static void *inner(void *unused) { return unused; }
		int main(void)
		{
			pthread_t thread;
			inner(NULL);
			puts("");
			fflush(stdout);
			getchar();
			pthread_create(&thread, NULL, inner, NULL);
			pthread_join(thread, NULL);
			return 0;
		}
	.
	$CC -O0 -finstrument-functions -o long long.c -lpthread
	mkfifo go told
	exec 8<>go 9<>told
	"$whocallme" trace --record=rec ./long <&8 >&9 2>said &
	read -r <&9
	# Another user of the name, in the same second.
	mv rec rec.moved
	make_recording rec
	echo >&8
	wait $!
	grep -q 'recording to .*/rec ends: the directory is gone' said
	[ "$(find rec -name '*.dat' | wc -l)" -eq 1 ]
	exec 8<&- 9<&-
}

@test "another user's directory is not joined, whatever its marker says" {
	needs_others
	mkdir theirs
	chown 1001:1001 theirs
	echo precious >precious
	chmod 600 precious
	as_other sh -c "
		echo \"0123456789abcdef 1 \$(awk '{ print \$22 }' /proc/1/stat)\" >theirs/whocallme
		printf 'Ftrace!\\0 ' >theirs/info
		ln -s ../precious theirs/task.txt
		ln -s ../precious theirs/$$.dat"
	unchanged . not_run --record=theirs
	expect_err "whocallme trace: $PWD/theirs: it is another user's"
	unchanged . in_library theirs
	err_has "cannot record to $PWD/theirs: it is another user's$"
	# With the number that this run has, too.
	export WHOCALLME_RECORDING=0123456789abcdef
	unchanged . in_library theirs
	err_has "cannot record to $PWD/theirs: it is another user's$"
	[ "$(cat precious)" = precious ]
}

@test "one's own directory that others write to is not joined" {
	needs_others
	mkdir open
	chmod 1777 open
	echo "0123456789abcdef 1 $(awk '{ print $22 }' /proc/1/stat)" >open/whocallme
	as_other ln -s "$PWD/precious" open/task.txt
	unchanged . not_run --record=open
	err_has ': others may write to it$'
	unchanged . in_library open
	err_has ': others may write to it$'
}

@test "a link or a hard link in a recording that goes on is not written to" {
	echo precious >precious
	local how
	for how in 'ln -s' 'ln'; do
		rm -rf rec
		mkdir rec
		echo "0123456789abcdef 1 $(awk '{ print $22 }' /proc/1/stat)" >rec/whocallme
		printf 'Ftrace!\0' >rec/info
		$how "$PWD/precious" rec/task.txt
		in_library rec
		err_has 'nothing is traced|a file in it is a link'
		[ "$(cat precious)" = precious ] || blame "written through: $how"
	done
}

@test "links of others on the way are not followed, one's own are" {
	needs_others
	mkdir open mine home
	chmod 1777 open
	chown 1001:1001 home
	chmod 755 home
	echo precious >home/precious
	chown 1001:1001 home/precious
	as_other ln -s "$PWD/mine" open/theirs
	local mode
	for mode in log pairs addresses graph record; do
		unchanged . not_run --$mode=open/theirs/file
		expect_err "whocallme trace: $PWD/open/theirs: it is another user's link"
		observe env WHOCALLME_TRACE=$mode WHOCALLME_OUTPUT="$PWD/open/theirs/file" \
			LD_PRELOAD="$lib/libwhocallme.so.0" "$bin/relatives"
		expect_status 0
		[ -z "$(ls mine)" ] || blame "$mode: followed by the library"
	done
	ln -s "$PWD/mine" open/ours
	for mode in log pairs addresses graph record; do
		trace_it --$mode=open/ours/$mode "$bin/relatives"
		expect_status 0
		[ -e mine/$mode ] || blame "$mode: not followed"
	done
}

@test "--graph, --log and others replace nothing in another user's home by a link" {
	needs_others
	mkdir home open folder
	chmod 1777 open
	chown 1001:1001 home
	echo precious >home/profile
	chown 1001:1001 home/profile
	# Root's own link into another's folder; the other's link to what is root's.
	ln -s "$PWD/home/profile" link
	echo precious >folder/profile
	as_other ln -s "$PWD/folder/profile" open/link
	local mode
	for mode in graph log pairs addresses; do
		unchanged . not_run --$mode=link
		expect_err "whocallme trace: $PWD/home/profile: a link leads there, into "\
"another user's folder"
		unchanged . not_run --$mode=open/link
		expect_err "whocallme trace: $PWD/open/link: it is another user's link"
		unchanged . observe env WHOCALLME_TRACE=$mode WHOCALLME_OUTPUT="$PWD/link" \
			LD_PRELOAD="$lib/libwhocallme.so.0" "$bin/relatives"
		err_has 'nothing is traced: .*: another user may have put it there'
		unchanged . observe env WHOCALLME_TRACE=$mode \
			WHOCALLME_OUTPUT="$PWD/open/link" \
			LD_PRELOAD="$lib/libwhocallme.so.0" "$bin/relatives"
		err_has 'nothing is traced: .*: another user may have put it there'
	done
	# What is put there while the program runs, or for a name that only it knows.
	unchanged folder observe env WHOCALLME_TRACE=graph WHOCALLME_OUTPUT="$PWD/open/late" \
		LD_PRELOAD="$lib/libwhocallme.so.0" setpriv --reuid=0 sh -c "
			setpriv --reuid=1001 --regid=1001 --clear-groups \
				env -u LD_PRELOAD ln -s '$PWD/folder/profile' '$PWD/open/late'
			exec '$bin/relatives'"
	[ -L open/late ] && [ "$(cat folder/profile)" = precious ]
	# One's own link in one's own folder.
	ln -s folder/mine.dot mine.dot
	trace_it --graph=mine.dot "$bin/relatives"
	expect_status 0
	[ -L mine.dot ] && grep -q '^digraph' folder/mine.dot
}

@test "another user's file or pipe in a folder for all is not written to" {
	needs_others
	mkdir open
	chmod 1777 open
	as_other sh -c 'touch open/file; mkfifo open/pipe'
	local name
	for name in file pipe; do
		not_run --log=open/$name
		expect_err "whocallme trace: $PWD/open/$name: it is another user's"
	done
}

@test "a folder that another has put in the place of a new one is not recorded to" {
	not_sanitized "its runtime has to come first"
	mkdir prepared
	echo precious >prepared/main.c
	cat >swap.c <<-'.'
		#define _GNU_SOURCE
		#include <dlfcn.h>
		#include <stdio.h>
		#include <string.h>
		#include <sys/stat.h>
		int mkdirat(int folder, const char *name, mode_t mode)
		{
			int (*make)(int, const char *, mode_t) = dlsym(RTLD_NEXT, "mkdirat");
			int result = make(folder, name, mode);
			if (result == 0 && strcmp(name, "swapped") == 0) {
				rename("swapped", "moved");
				rename("prepared", "swapped");
			}
			return result;
		}
	.
	$CC -shared -fPIC -o swap.so swap.c -ldl
	observe env LD_PRELOAD="$PWD/swap.so:$lib/libwhocallme.so.0" WHOCALLME_TRACE=record \
		WHOCALLME_OUTPUT="$PWD/swapped" "$bin/relatives"
	[ -d moved ] || skip "mkdirat() is not interposed"
	err_has 'cannot record to .*/swapped: another directory has taken its place'
	[ "$(ls -A swapped)" = main.c ]
}

# Who wrote the recording may have led its reader to what only that reader may read.
@test "a file of a recording that is a link is not read" {
	local part command
	trace_it --record=rec "$bin/relatives"
	mkdir elsewhere
	for part in task.txt info $(cd rec && ls | grep -E '\.(map|sym|dat)$'); do
		mv "rec/$part" elsewhere
		ln -s "$PWD/elsewhere/$part" "rec/$part"
		touch -a -d @1 "elsewhere/$part"
		for command in replay report flame; do
			observe "$whocallme" $command rec
			[ "$(stat -c %X "elsewhere/$part")" = 1 ] || blame "$command reads $part"
		done
		rm "rec/$part"
		mv "elsewhere/$part" rec
	done
	observe "$whocallme" replay rec
	expect_status 0
}
