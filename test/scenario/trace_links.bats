#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# trace_links.bats - the calls of one program, whichever compiler, linker and kind of
# executable it is made by, in every mode.

load support

modes="log pairs addresses record graph"

# What programs/tree.c calls: depth, name, caller.
the_calls()
{
	cat <<-'.'
		0 main -
		1 outer main
		2 inner outer
		2 outer outer
		3 inner outer
		1 outer main
		2 inner outer
	.
}

setup()
{
	trace_setup
}

# link COMPILER LINKER KIND: ./tree; none where the linker knows no such kind, which is
# said.
link()
{
	local flags=$3 libraries=
	case $3 in *-pie) [ "$3" = -no-pie ] || flags="$3 -fPIE" ;; esac
	case $3 in -static*) libraries=$static_libs ;; esac
	rm -f tree
	# lld 14 relocates no static PIE of i386's.
	# shellcheck disable=SC2086 # a list
	if "$1" $flags -fuse-ld="$2" -o empty -x c - <<<'int main(void) { return 0; }' \
		2>/dev/null && ! ./empty; then
		echo "# left out, $1 $3: not even an empty program runs" >&3
		return
	fi
	# shellcheck disable=SC2086 # lists
	"$1" -O0 -finstrument-functions $flags -fuse-ld="$2" -o tree \
		"$programs/tree.c" $libraries 2>log.link && return
	grep "unknown option" log.link | sed "s/^/# left out, $1 $3: /" >&3
}

# What a mode wrote, as much of the_calls as it tells, and the judge has the same.
log_says()
{
	five_digits written |
		awk '/^FUN/ { at = index($0, "&"); print (at - 33) / 2, substr($0, at + 1) }'
	the_calls | cut -d ' ' -f 1,2 >judge
}

pairs_says()
{
	sed -n 's/.*func = \(.*\), called by = \(.*\)/\1 \2/p' written |
		sed 's/^main .*/main -/'
	the_calls | cut -d ' ' -f 2,3 >judge
}

# The program has said where its functions are.
addresses_says()
{
	awk 'NR == FNR { name[$1] = $2; next }
		/^E/ { print depth++ + 0, name[substr($0, 2)] }
		/^X/ { depth-- }' "$out" written
	the_calls | cut -d ' ' -f 1,2 >judge
}

# uftrace reads it.
record_says()
{
	python3 "$top_srcdir/test/trace/tree.py" written | sed 's/^task 0: //' |
		awk '{ match($0, /^ */); print RLENGTH / 2, $1 }'
	the_calls | cut -d ' ' -f 1,2 >judge
}

graph_says()
{
	sed -n 's/^[\t ]*"\([a-z]*\)" -> "\([a-z]*\)".*calls=\([0-9]*\).*/\3 \2 \1/p' \
		written | sort
	the_calls | grep -v -- '-$' | cut -d ' ' -f 2,3 | sort | uniq -c |
		awk '{ print $1, $2, $3 }' | sort >judge
}

# each_mode COMMAND...: every mode of what it traces.
each_mode()
{
	local mode
	for mode in $modes; do
		rm -rf written
		observe "$@" "--$mode=written" ./tree
		expect_status 0
		[ ! -s "$err" ] || blame "$mode: stderr is not empty"
		[ -e written ] || blame "$mode: nothing is written"
		"${mode}_says" >said
		diff -u judge said || blame "$mode: not its calls"
	done
}

# every_kind COMPILER LINKER
every_kind()
{
	local kind
	needs "$1" "ld.$2" uftrace python3
	for kind in -pie -no-pie -static-pie -static; do
		case $kind in
		-static*) [ -z "${STATIC_LACKS-}" ] ||
			{ echo "# left out, $1 $kind: needs $STATIC_LACKS" >&3 && continue; } ;;
		esac
		link "$1" "$2" "$kind"
		[ -e tree ] || continue
		each_mode "$whocallme" trace
	done
}

@test "GNU ld, gcc: every kind of executable, every mode" {
	every_kind gcc bfd
}

@test "gold, gcc" {
	every_kind gcc gold
}

@test "lld, gcc" {
	every_kind gcc lld
}

@test "mold, gcc" {
	every_kind gcc mold
}

@test "GNU ld, clang" {
	every_kind clang bfd
}

@test "gold, clang" {
	every_kind clang gold
}

@test "lld, clang" {
	every_kind clang lld
}

@test "mold, clang" {
	every_kind clang mold
}
