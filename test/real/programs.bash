# SPDX-License-Identifier: MIT
# programs.bash - programs that others wrote, built by their own build systems.
#
# The sources are Debian's.  apt-get is given sources, state and cache of its
# own, derived from the machine's, whose configuration stays as it is.  Sources
# are kept in the build directory; what is built goes to $work and is not.

# Without it all of this would happen in the root directory.
sources=$top_builddir/test/real/sources

# Instrumentation comes by flags alone: INSTRUMENT, or that by hooks.
instrument="-g -O0 -fno-omit-frame-pointer ${INSTRUMENT:--finstrument-functions} \
-I$top_srcdir/include"

# The machine's package sources, asked for source packages.
write_sources_list()
{
	mkdir -p "$sources"/apt/{sources,lists/partial,cache/archives/partial}
	rm -f "$sources"/apt/sources/*
	local file
	for file in /etc/apt/sources.list.d/*.sources; do
		[ -e "$file" ] || continue
		sed 's/^Types:.*/Types: deb-src/' "$file" \
			>"$sources/apt/sources/${file##*/}"
	done
	for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
		[ -e "$file" ] || continue
		sed -n 's/^[[:blank:]]*deb[[:blank:]]/deb-src /p' "$file" \
			>"$sources/apt/sources/${file##*/}"
	done
}

own_apt_get()
{
	apt-get -qq -o Dir::Etc::sourcelist=/dev/null \
		-o Dir::Etc::sourceparts="$sources/apt/sources" \
		-o Dir::State::lists="$sources/apt/lists" \
		-o Dir::Cache="$sources/apt/cache" \
		-o APT::Sandbox::User=root -o Acquire::Languages=none \
		-o Acquire::Retries=1 -o Acquire::http::Timeout=20 \
		-o Acquire::https::Timeout=20 "$@"
}

# The upstream tarball of the source PACKAGE; nothing where there is none yet.
tarball()
{
	local file
	for file in "$sources/$1"_*.orig.tar.?z; do
		[ ! -e "$file" ] || echo "$file"
	done
}

# Download the source packages "$@".  A failed update matters only if it leaves
# one of them out: other repositories need not have sources.
fetch()
{
	local package
	write_sources_list
	own_apt_get update >"$sources/apt/log" 2>&1 || true
	for package in "$@"; do
		(cd "$sources" && own_apt_get --download-only source "$package") \
			>>"$sources/apt/log" 2>&1 || true
	done
}

# Why the programs cannot be built; nothing where they can.
reason_to_skip()
{
	local program package
	if [ "${SANITIZERS:-no}" != no ]; then
		echo "the programs are not built with sanitizers"
		return
	fi
	for program in apt-get make nm xz gdb; do
		if ! command -v "$program" >/dev/null; then
			echo "$program is missing"
			return
		fi
	done
	[ -n "$(tarball gzip)" ] && [ -n "$(tarball lua5.4)" ] ||
		fetch gzip lua5.4
	for package in gzip lua5.4; do
		if [ -z "$(tarball "$package")" ]; then
			echo "apt-get has no source of $package:" \
				"$(grep -m 1 '^[WE]:' "$sources/apt/log")"
			return
		fi
	done
}

# Unpack PACKAGE's sources as the directory TO.
unpack()
{
	mkdir -p "$2"
	tar -xf "$(tarball "$1")" -C "$2" --strip-components=1
}

# What links a program with the library just built.
link_flags()
{
	if [ -e "$top_builddir/.libs/libwhocallme.so" ]; then
		echo "-L$top_builddir/.libs -Wl,-rpath,$top_builddir/.libs -lwhocallme"
	else
		echo "$top_builddir/.libs/libwhocallme.a $BFD_LIBS"
	fi
}

# Make $2 the first statement of the function whose head matches $1 in
# the file $3.
first_statement()
{
	sed -i "/$1/{:head;/{/!{N;b head
};s/{/{ $2;/}" "$3"
	grep -qF "{ $2;" "$3"
}

# gzip as it is, gzip.plain, and gzip.asking, whose deflate() asks who called.
build_gzip()
{
	unpack gzip "$work/gzip"
	cd "$work/gzip"
	# As it was named before 1.14.
	sed -i 's/\<gzip_deflate\>/deflate/g' ./*.c ./*.h
	# i386's longest_match() may be assembly, which no compiler instruments.
	DEFS=-DNO_ASM ./configure --quiet --disable-dependency-tracking \
		${TRIPLET:+"--build=$TRIPLET"} CC="$CC" \
		CFLAGS="$instrument" LIBS="$(link_flags)"
	make -s SUBDIRS='lib .'
	mv gzip gzip.plain
	first_statement '^deflate (int pack_level)' 'who_call_me()' deflate.c
	sed -i '/^#include "gzip.h"/a #include <whocallme.h>' deflate.c gzip.c
	first_statement '^int main (int argc, char \*\*argv)' \
		'init_function_table(argv[0])' gzip.c
	rm deflate.o gzip.o
	make -s SUBDIRS='lib .'
	mv gzip gzip.asking
}

# The library's flags, and what makes each run do the same: a hash that is seeded
# alike, and a cache that does not go by addresses.
lua_flags="$instrument '-Dluai_makeseed(L)=0' -DSTRCACHE_N=1 -DSTRCACHE_M=2"

# lua, whose tostring() asks who called and whose math.abs() shows the stack.
build_lua()
{
	unpack lua5.4 "$work/lua"
	cd "$work/lua/src"
	first_statement '^static int luaB_tostring ' 'who_call_me()' lbaselib.c
	first_statement '^static int math_abs ' 'full_backtrace()' lmathlib.c
	first_statement '^int main ' 'init_function_table(argv[0])' lua.c
	sed -i '/^#include "lualib.h"/a #include <whocallme.h>' \
		lbaselib.c lmathlib.c lua.c
	make -s linux CC="$CC" MYCFLAGS="$lua_flags" MYLIBS="$(link_flags)" AR='ar rc'
}

# The shell of SQLite in one file and its library in another, which are made first.
# Under valgrind a long double has the precision of a double, of which SQLite would take
# notice.
build_sqlite()
{
	unpack sqlite3 "$work/sqlite"
	cd "$work/sqlite"
	./configure --quiet
	make -s sqlite3.c shell.c
	# shellcheck disable=SC2086,SC2046 # lists
	$CC $instrument -w -DLONGDOUBLE_TYPE=double \
		-o sqlite sqlite3.c shell.c $(link_flags) -lpthread -lm -ldl
}
