# SPDX-License-Identifier: MIT
# recording.bash - recordings by uftrace(1), and what it and the commands say of them.

judge=$top_srcdir/test/scenario/recording.py

# Whether no two tasks of DIR have a time in common: which is first then is not said.
has_an_order()
{
	local files=("$1"/*.dat)
	[ ${#files[@]} -eq 1 ] || [ -z "$(for file in "${files[@]}"; do
		od -An -v -t u8 -w16 "$file" | awk '{ print $1 }' | sort -u
	done | sort | uniq -d)" ]
}

# record NAME PROGRAM [ARGUMENT...]: $bin/NAME.data
record()
{
	local dir=$bin/$1.data
	shift
	for _ in {1..5}; do
		rm -rf "$dir"
		uftrace record --no-event --no-pager -d "$dir" "$@" >/dev/null
		! has_an_order "$dir" || break
	done
}

# uftrace tells no end of a main() that aligns its stack: it changes the copy of the return address
# that is in the frame, and main() returns by the address itself.
plain_main=
[ "$arch" != i386 ] || plain_main=-mpreferred-stack-boundary=2

situations='tree threads signals jumps forks leave exec'

make_recordings()
{
	local kind situation
	for kind in pg finstrument-functions; do
		# shellcheck disable=SC2086 # a flag, or none
		$own_cc -g -O0 "-$kind" $plain_main -o "$bin/$kind" "$programs/recorded.c" \
			-pthread -ldl
		# shellcheck disable=SC2086 # a flag, or none
		$own_cxx -g -O0 "-$kind" $plain_main -o "$bin/$kind-cxx" \
			"$programs/recorded.cc"
		$own_cc -g -O0 "-$kind" -shared -fPIC -o "$bin/$kind.so" \
			"$programs/recorded_plugin.c"
		for situation in $situations; do
			record "$kind-$situation" "$bin/$kind" "$situation"
		done
		record "$kind-plugin" "$bin/$kind" plugin "$bin/$kind.so"
		record "$kind-throws" "$bin/$kind-cxx"
	done
}

setup()
{
	command -v uftrace >/dev/null || skip "uftrace is missing"
}

# names SITUATION...: of the recordings of both kinds
names()
{
	local kind situation
	for kind in pg finstrument-functions; do
		for situation; do
			echo "$kind-$situation"
		done
	done
}

# ours COMMAND NAME [OPTION...], theirs COMMAND NAME [OPTION...]
ours()
{
	local command=$1 name=$2
	shift 2
	timeout 60 "$whocallme" "$command" --demangle=no "$@" "$bin/$name.data"
}

theirs()
{
	local command=$1 name=$2
	shift 2
	timeout 60 uftrace "$command" --no-pager --demangle=no "$@" -d "$bin/$name.data" |
		awk -f "$top_srcdir/test/trace/narrow_tids.awk"
}

# The calls, without the list of those that never ended.
calls()
{
	sed '/^$/,$d'
}

# That list, without its heading.
unfinished()
{
	sed -n '/^=====/,$p' | sed 1d
}

# Stacks and numbers, as uftrace writes them: a number has no more digits than its stack
# has bytes.
with_cut_numbers()
{
	awk '{ print $1, substr($2, 1, length($1)) }'
}

# Two files, or pipes, hold the same, and not nothing.
same()
{
	cat "$1" >"$BATS_TEST_TMPDIR/one"
	diff -u "$BATS_TEST_TMPDIR/one" "$2"
	[ -s "$BATS_TEST_TMPDIR/one" ]
}

# A recording, rec, that the Python on stdin finishes: of what is to be one task's calls
# by call(TID, TIME, DEPTH, ADDRESS), and leave() alike, and LINES in task.txt.
make_rec()
{
	rm -rf rec
	mkdir rec
	cat >make.py
	cat >>make.py <<-'END'
		for tid, records in files.items():
		    with open(f"rec/{tid}.dat", "wb") as file:
		        file.write(b"".join(records))
		open("rec/task.txt", "w").writelines(line + "\n" for line in lines)
	END
	python3 -c '
import collections, os, struct, sys
files = collections.defaultdict(list)
lines = ["SESS timestamp=1.000000000 pid=1 sid=0123456789abcdef exename=\"/p\"",
         "TASK timestamp=1.000000001 tid=1 pid=1"]
def record(kind, tid, time, depth, address):
    files[tid].append(struct.pack("<QQ", 2 * 10**9 + time, kind | 5 << 3 |
                                  depth % 1024 << 6 | address << 16))
def call(*what):
    record(0, *what)
def leave(*what):
    record(1, *what)
def modules(paths):
    with open("rec/sid-0123456789abcdef.map", "w") as file:
        for i, path in enumerate(paths):
            file.write(f"{2**20 + 4096 * i:x}-{2**20 + 4096 * (i + 1):x} r-xp 00000000 "
                       f"00:00 0 {path}\n")
exec(open("make.py").read())'
}
