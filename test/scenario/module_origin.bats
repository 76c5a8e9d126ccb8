#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# module_origin.bats - a module is the file that is mapped: not what has its name by now, and
# not less for having been opened by a relative one.

load support

# source_of FILE LINES: that of a library whose function "hidden" is on line 2 and LINES.
source_of()
{
	local i
	{
		for ((i = 0; i < $2; i++)); do echo "/* moved */"; done
		cat <<-'C'
			static __attribute__((noinline)) void
			hidden(void (*arrive)(__UINTPTR_TYPE__))
			{
				arrive((__UINTPTR_TYPE__)hidden);
				__asm__ volatile("");
			}
			void plug(void (*arrive)(__UINTPTR_TYPE__))
			{
				hidden(arrive);
				__asm__ volatile("");
			}
		C
	} >"$1"
}

# plug LIBRARY ID LINES [FLAG...]
plug()
{
	source_of "${1%.so}.c" "$3"
	$CC -g -O1 -fPIC -shared -Wl,--build-id="$2" "${@:4}" -o "$1" "${1%.so}.c"
}

setup_file()
{
	bin=$BATS_FILE_TMPDIR
	local id
	cd "$bin"
	mkdir moved
	(echo '/* moved */' && cat "$programs/module_origin.c") >moved/module_origin.c
	for id in none sha1; do
		build host-$id module_origin.c -O1 -- -Wl,--build-id=$id
		build new-$id "$bin/moved/module_origin.c" -O1 -- -Wl,--build-id=$id
		plug plug-$id.so $id 0
		plug moved/plug-$id.so $id 3
		build needing-$id module_origin.c -O1 -- -Wl,--build-id=$id -Wl,--no-as-needed \
			plug-$id.so
	done
}

setup()
{
	export WHOCALLME_HELPER=$whocallme WHOCALLME_LINES=yes
	export LD_LIBRARY_PATH=.:$lib:${LD_LIBRARY_PATH-}
	mkdir -p "$BATS_TEST_TMPDIR/here/other"
	cd "$BATS_TEST_TMPDIR/here"
}

# fresh ID: the files, as they were.
fresh()
{
	cp "$bin/host-$1" host && cp "$bin/needing-$1" needing && cp "$bin/new-$1" new
	cp "$bin/plug-$1.so" plug.so && cp "$bin/plug-$1.so" "plug-$1.so"
	cp "$bin/moved/plug-$1.so" other/plug.so
	ln -f host 'a\012b' && ln -f host 'host (deleted)' && ln -f plug.so $'a\nb\\013c.so'
}

# ways HOST ARGUMENT...: everything that has lines, in $out and $err; $where says which.
ways()
{
	local what
	for what in crash lines resolve; do
		where="$what: $*"
		fresh "$id"
		observe "$@" $what
		cat "$out" "$err" >"$bin/seen"
		check_way
	done
	where="run: $*"
	fresh "$id"
	observe "$whocallme" run --sections=stack "$@" crash
	cat "$out" "$err" >"$bin/seen"
	check_way
}

seen()
{
	grep -Eq "$1" "$bin/seen" || { cat "$bin/seen" && blame "$where: no $1"; }
}

unseen()
{
	! grep -E "$1" "$bin/seen" || { cat "$bin/seen" && blame "$where: $1"; }
}

@test "an executable that was replaced, deleted or moved: its own lines" {
	local id command
	check_way()
	{
		seen "inner at .*/programs/module_origin\.c:"
		unseen "inner at .*/moved/"
	}
	for id in none sha1; do
		for command in '' 'mv new host' 'rm host' 'mv host old' 'mv host old && mv new host'; do
			ways ./host '' "$command" ''
		done
	done
}

@test "a name that looks as if the kernel has written it, or leads elsewhere by a mount" {
	local id mounted
	check_way()
	{
		seen "inner at .*/programs/module_origin\.c:"
		unseen "inner at .*/moved/"
	}
	for id in none sha1; do
		ways './a\012b' '' '' ''
		ways './host (deleted)' '' '' ''
		ways './host (deleted)' '' 'mv new "host (deleted)"' ''
	done
	unshare -m mount -t tmpfs none other || skip "mount(2) is not allowed"
	mounted="mount -t tmpfs none other && cp host other && exec ./other/host '' 'umount -l other'"
	for id in none sha1; do
		ways unshare -m ./host '' 'mount --bind new host' ''
		ways unshare -m sh -c "$mounted '' \$0"
	done
}

@test "what has come in a file's place by a mount is not opened unless it is a file" {
	needs strace
	not_sanitized "the sanitizers cannot be traced"
	local id=none
	fresh none
	mkfifo pipe
	unshare -m mount --bind pipe host || skip "mount(2) is not allowed"
	timeout -s KILL 60 strace -f -o "$bin/calls" -e trace=openat,open unshare -m ./host '' \
		'mount --bind pipe host' '' resolve >said
	grep -q '^name: inner in .*/host$' said
	grep -q '/host", .*O_PATH' "$bin/calls"
	[ -z "$(grep 'open.*/host", ' "$bin/calls" | grep -v O_PATH)" ]
}

@test "the numbers of files that a mapping has need not be those of the file system" {
	local id over="mount -t tmpfs none other && mkdir other/u other/w other/m && \
		mount -t overlay none -o lowerdir=.,upperdir=other/u,workdir=other/w other/m && \
		cd other/m"
	check_way()
	{
		seen "$place at "
		unseen "$place at .*/moved/"
	}
	unshare -m sh -c "$over" || skip "no overlayfs"
	for id in none sha1; do
		place=inner
		ways unshare -m sh -c "$over && exec ./host '' '' '' \$0"
		ways unshare -m sh -c "$over && exec ./host '' 'rm host' '' \$0"
		place=hidden
		ways unshare -m sh -c "$over && exec ./host ./plug.so '' / \$0"
	done
}

@test "a library that was replaced or deleted: no lines, and words; moved: its own" {
	local id command
	for id in none sha1; do
		check_way()
		{
			unseen 'hidden at '
			[[ $where = resolve* ]] || seen '/plug\.so( is not used| is of another build|: No such file)'
			[[ $where != resolve* ]] || seen '^source: (the file on disk does not|no readable)'
		}
		for command in 'mv other/plug.so .' 'rm plug.so' 'rm plug.so; cp other/plug.so .'; do
			[ $id = none ] || [ "$command" != 'rm plug.so' ] || continue
			ways ./host ./plug.so "$command" ''
			ways ./host "$PWD/plug.so" "$command" ''
		done
		check_way() { seen 'hidden at .*/plug-'$id'\.c:[234]'; }
		ways ./host ./plug.so '' ''
		[ $id = sha1 ] || ways ./host ./plug.so 'mv plug.so elsewhere.so' ''
		[ $id = sha1 ] || ways ./host ./plug.so 'mv plug.so old.so; mv other/plug.so .' ''
	done
}

@test "a library that is written over in place: no lines, and words" {
	local id what
	for id in none sha1; do
		for what in crash lines resolve; do
			where="$what: $id"
			fresh $id
			observe ./needing needed "cat other/plug.so >plug-$id.so" '' $what
			cat "$out" "$err" >"$bin/seen"
			unseen 'hidden at '
			[ $what = resolve ] || seen '/plug-'$id'\.so is (not used: it differs|of another build)'
		done
	done
}

@test "a relative name, and the directory is another" {
	local id directory
	check_way() { seen 'hidden at .*/plug-'$id'\.c:[234]'; }
	for id in none sha1; do
		for directory in / other; do
			ways ./host ./plug.so '' $directory
		done
		ways ./host $'./a\nb\\013c.so' '' /
		# Its report is as good, from anywhere.
		fresh $id
		observe "$whocallme" run --no-lines --sections=stack ./host plug-$id.so '' / crash
		(cd / && "$whocallme" resolve "$err") >"$bin/seen"
		where="resolve of a report: $id"
		seen 'hidden at .*/plug-'$id'\.c:[234]'
	done
}

# The dynamic linker that runs a program.
linker()
{
	readelf -lW "$1" | sed -n 's/.*interpreter: \(.*\)]$/\1/p'
}

@test "a program that the dynamic linker is told to run" {
	not_sanitized "the sanitizer's own start is another"
	needs readelf
	local id argv0='--argv0 other' loader
	[ -z "$emulated" ] || skip "the emulator knows another dynamic linker"
	loader=$(linker "$bin/host-none")
	"$loader" --help | grep -q -- --argv0 || argv0=
	for id in none sha1; do
		check_way()
		{
			seen '(inner|name: inner in .*/host)'
			seen "inner at .*/programs/module_origin\.c:"
			unseen 'is not used|another build'
		}
		ways "$loader" ./host '' '' ''
		ways "$loader" ./host '' '' other
		# shellcheck disable=SC2086 # none, or two
		ways "$loader" $argv0 ./host '' '' /
		check_way() { seen 'hidden at .*/plug-'$id'\.c:[234]'; }
		ways "$loader" ./host ./plug.so '' other
	done
	fresh none
	observe sh -c "exec '$loader' ./host '' '' '' crash"
	observe "$whocallme" run --sections=stack sh -c "exec '$loader' ./host '' '' '' crash"
	where="run sh"
	cat "$out" "$err" >"$bin/seen"
	check_way() { seen "inner at .*/programs/module_origin\.c:"; }
	check_way
}

@test "traces and stacks of such programs, and of libraries with relative names" {
	not_sanitized "the sanitizer's own start is another"
	local id loader file pid
	for id in none sha1; do
		fresh $id
		plug plug.so $id 0 -finstrument-functions
		observe env WHOCALLME_TRACE=log "$whocallme" trace --log -f -- ./host ./plug.so '' other resolve
		grep -Eq ' &hidden$' "$err" || blame "log: $id"
		observe "$whocallme" trace --record rec -f -- ./host ./plug.so '' other resolve
		"$whocallme" replay rec | grep -Eq ' hidden\(' || blame "record: $id"
		rm -rf rec
		where="stack -p: $id"
		waiting $id ./host ./plug.so '' other wait
		seen 'hidden at .*/plug\.c:[234]'
	done
	[ -z "$emulated" ] || return 0
	loader=$(linker "$bin/host-none")
	for id in none sha1; do
		fresh $id
		$CC -g -O1 -finstrument-functions -Wl,--build-id=$id -o traced -I"$top_srcdir/include" \
			"$programs/module_origin.c" $shared_libs
		observe "$whocallme" trace --log -- "$loader" ./traced '' '' other resolve
		grep -Eq ' &inner$' "$err" || blame "log by the linker: $id"
		observe "$whocallme" trace --record rec -- "$loader" ./traced '' '' other resolve
		"$whocallme" replay rec | grep -Eq ' inner\(' || blame "record by the linker: $id"
		rm -rf rec
		where="stack -p by the linker: $id"
		waiting $id "$loader" ./host '' '' other wait
		seen "inner at .*/programs/module_origin\.c:"
	done
}

# waiting ID COMMAND...: what "stack -p" says of it, in $bin/seen.
waiting()
{
	local pid tries=0
	"$whocallme" trace --agent -- "${@:2}" 3>&- &
	pid=$!
	until grep -q '^State:.S' "/proc/$pid/status" && "$whocallme" stack -p $pid >"$bin/seen" 2>&1 &&
		grep -q pause "$bin/seen"; do
		[ $((tries++)) -lt 100 ] || break
		sleep 0.1
	done
	kill $pid || :
	wait $pid 2>/dev/null || :
}
