# SPDX-License-Identifier: MIT
# plugin.bash - compiling with the plugin of this build.

bin=$BATS_FILE_TMPDIR
here=$top_srcdir/test/plugin
gcc=${CC%% *}
major=$("$gcc" -dumpversion 2>/dev/null | sed 's/[.].*//')
inject=$top_builddir/plugin/gcc-$major/inject.so

needs_plugin()
{
	[ "${SANITIZERS:-no}" = no ] || skip "a sanitizer takes the place of what is compiled here"
	[ -e "$inject" ] || skip "there is no plugin for $gcc, version $major"
	[ -e "$bin/stub.o" ] || "$gcc" -O1 -c -o "$bin/stub.o" "$here/programs/traced_stub.c"
}

# g++ of the same version, or nothing.
find_gxx()
{
	gxx=$(echo "$gcc" | sed 's/gcc/g++/')
	[ "$("$gxx" -dumpversion 2>/dev/null | sed 's/[.].*//')" = "$major" ] || gxx=g++
	[ "$("$gxx" -dumpversion 2>/dev/null | sed 's/[.].*//')" = "$major" ] ||
		skip "there is no g++ of version $major"
}

# with MODE [ARGUMENT=VALUE...]: the flags for that, in $flags.
with()
{
	local argument
	flags="-fplugin=$inject -fplugin-arg-inject-mode=$1"
	shift
	for argument; do
		flags="$flags -fplugin-arg-inject-$argument"
	done
}

refute()
{
	! "$@"
}

# Lines "COUNT EVENT NAME" of the log $1, exceptions' as others.
counted()
{
	sed -n 's/^ev=\([a-z]*\) fn=\([^ ]*\) .*/\1 \2/p' "$1" | sed 's/^unwind/exit/' |
		sort | uniq -c
}

# run_traced PROGRAM: its output in out, what it tells in log; its status.
run_traced()
{
	TRACED=lines "$@" >out 2>log
}

# The functions of the object file $1, a section each: NAME CHECKSUM, code and relocations.
sections_of()
{
	local section
	for section in $(readelf -SW "$1" | grep -o ' \.text\.[^ ]*'); do
		objcopy -O binary -j "$section" "$1" section.bin
		echo "${section#.text.} $(cksum <section.bin)" \
			"$(objdump -dr -j "$section" "$1" | grep -o 'R_[A-Z0-9_]*.*' | cksum)"
	done
}
