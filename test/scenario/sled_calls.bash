# SPDX-License-Identifier: MIT
# sled_calls.bash - compares the calls of programs with sleds with those of hooks.

# What a log says of main and what it calls: names, indented by depth.
calls()
{
	sed -nE "s/^FUN +[0-9]+ +[0-9']+ +[0-9]+ //p" | sed "s/, [0-9'.]* ns\$//"
}

# The same, each fold as many lines as it stands for.
unfolded()
{
	awk '{ n = 1; if (match($0, / x[0-9]+$/)) { n = substr($0, RSTART + 2); sub(/ x[0-9]+$/, "") }
		while (n-- > 0) print }'
}

# $bin/calls, by the program with hooks.
build_hooked()
{
	build hooked sled_calls.c -O0 -finstrument-functions -- -Wl,--no-as-needed
	WHOCALLME_TRACE=log "$bin/hooked" 2>&1 >/dev/null | calls >"$bin/calls"
	# A sanitizer's qsort() compares more often; what is compared with is left out then.
	[ -n "$sanitize" ] || [ "$(unfolded <"$bin/calls" | wc -l)" -eq 26 ]
}

# patched NAME COMPILER FLAG...: $bin/NAME, whose log is that of the program with hooks.
patched()
{
	local name=$1 compiler=$2
	shift 2
	# shellcheck disable=SC2086 # lists
	$compiler -g -o "$bin/$name" "$programs/sled_calls.c" "$@" -Wl,--no-as-needed $shared_libs
	same_calls "$bin/$name"
}

same_calls()
{
	observe env WHOCALLME_TRACE=log "$@"
	expect_status 0
	diff -u <(unfolded <"$bin/calls") <(calls <"$err" | unfolded)
	[ "$(cat "$out")" = done ]
}

# Halves of words, of which there are two a word in a file of 64 bits.
words_of()
{
	if readelf -hW "$1" | grep -q 'Class: *ELF32'; then
		cat
	else
		paste - - | awk '{ print $2 $1 }'
	fi
}

# What readelf and objdump say of the sleds of $1, hexadecimal addresses of those
# that the compiler has listed: from the relocations where there are some, else from
# the section.
listed_by_readelf()
{
	local section size
	read -r section size < <(readelf -SW "$1" |
		awk '{ sub(/^ *\[ *[0-9]*\] /, "") } $1 == "__patchable_function_entries" { print $3, $5 }')
	[ -n "$section" ] || return 0
	if readelf -rW "$1" | grep -q R_X86_64_RELATIVE; then
		readelf -rW "$1" | while read -r at _ type addend _; do
			[ "$type" = R_X86_64_RELATIVE ] || continue
			if ((0x$at >= 0x$section && 0x$at < 0x$section + 0x$size)); then
				echo "$addend"
			fi
		done
	else
		readelf -x __patchable_function_entries "$1" |
			awk '/^ *0x/ { for (i = 2; i < NF && i < 6; i++) print $i }' |
			sed 's/\(..\)\(..\)\(..\)\(..\)/\4\3\2\1/' | words_of "$1"
	fi | sed 's/^0*//; /^$/d' | sort
}
