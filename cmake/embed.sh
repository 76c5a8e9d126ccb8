#!/bin/sh
# SPDX-License-Identifier: MIT
# embed.sh - what CMakeLists.txt and meson.build ask of the tree, so that no list is there twice.
#
#	embed.sh version		the version, of include/whocallme/version.h
#	embed.sh arch CC...		the port, a folder of whocallme/core/arch
#	embed.sh list ARCH LIBRARY	the sources of a library of whocallme/local.mk: safe, ordinary,
#					interposed and preload, with what depends on -DPIC,
#					plain, which is that alone
#	embed.sh make FOLDER ARCH CC...	the sources and config.h that are made, in FOLDER
#	embed.sh demanglers FOLDER CC	FOLDER/demanglers.o of this compiler's libiberty; no file
#					where there is none that can be copied
top=$(cd "$(dirname "$0")/.." && pwd) || exit 1
cd "$top" || exit 1
LC_ALL=C
export LC_ALL

# defines CC...: what the compiler predefines.
defines()
{
	echo | "$@" -dM -E -xc -
}

arch()
{
	defines "$@" | awk '
		{ has[$2] = $3 }
		END {
			if ("__x86_64__" in has && "__LP64__" in has) print "x86_64"
			else if ("__i386__" in has) print "i386"
			else if ("__aarch64__" in has && "__LP64__" in has) print "aarch64"
			else if (has["__riscv_xlen"] == 64) print "riscv64"
			else print "generic"
		}'
}

# variable NAME ARCH: the C sources of a variable of whocallme/local.mk, as automake has it.
variable()
{
	case $2 in
	x86_64) holds='WCM_X86 WCM_X86_64' ;;
	i386) holds='WCM_X86 WCM_I386' ;;
	*) holds=WCM_$(echo "$2" | tr '[:lower:]' '[:upper:]') ;;
	esac
	# glibc from 2.35 on tells the module of an address.
	[ "${DL_FIND_OBJECT-yes}" != yes ] || holds="$holds DL_FIND_OBJECT"
	cat whocallme/sources.mk whocallme/local.mk | awk -v name="$1" -v holds="$holds" '
	function expand(text,    out, word) {
		while (match(text, /\$\([a-zA-Z_0-9]+\)/)) {
			word = substr(text, RSTART + 2, RLENGTH - 3)
			out = out substr(text, 1, RSTART - 1)
			text = substr(text, RSTART + RLENGTH)
			out = out expand(value[word])
		}
		return out text
	}
	BEGIN { split(holds, list, " "); for (i in list) true[list[i]] }
	/^\t/ && !joined { next }
	{ sub(/^\t+/, " "); line = joined $0; joined = "" }
	sub(/\\$/, "", line) { joined = line; next }
	line ~ /^if / { taken[++depth] = (substr(line, 4) in true); next }
	line ~ /^else/ { taken[depth] = !taken[depth]; next }
	line ~ /^endif/ { depth--; next }
	{
		for (i = 1; i <= depth; i++) if (!taken[i]) next
		if (match(line, /^[a-zA-Z_0-9]+ *\+?=/)) {
			to = line; sub(/ *\+?=.*/, "", to)
			adds = line ~ /^[a-zA-Z_0-9]+ *\+=/
			sub(/^[^=]*= */, "", line)
			value[to] = (adds ? value[to] " " : "") line
		}
	}
	END {
		count = split(expand(value[name]), files, /[ \t]+/)
		for (i = 1; i <= count; i++) {
			sub(/^%reldir%/, "whocallme", files[i])
			if (files[i] ~ /\.[cS]$/) print files[i]
		}
	}'
}

# What depends on -DPIC, libtools word for what goes into a shared library, is compiled twice.
by_pic()
{
	while read -r file; do
		grep -qw PIC "$file" && echo 1 "$file" || echo 0 "$file"
	done
}

list()
{
	case $2 in
	safe) variable libwcm_safe_la_SOURCES "$1" | by_pic | sed -n 's/^0 //p' ;;
	ordinary) variable libwcm_ordinary_la_SOURCES "$1" | by_pic | sed -n 's/^0 //p' ;;
	interposed) variable libwhocallme_la_SOURCES "$1" && list "$1" plain ;;
	plain)
		{ variable libwcm_safe_la_SOURCES "$1"; variable libwcm_ordinary_la_SOURCES "$1"; } |
			by_pic | sed -n 's/^1 //p'
		;;
	preload)
		variable libwhocallme_preload_la_SOURCES "$1"
		variable libwcm_safe_la_SOURCES "$1" | by_pic | sed -n 's/^1 //p'
		;;
	esac
}

version()
{
	sed -n 's/^#define WCM_VERSION "\(.*\)"/\1/p' include/whocallme/version.h
}

# make_all FOLDER ARCH CC...: as whocallme/local.mk makes them.
make_all()
{
	folder=$1 arch=$2
	shift 2
	mkdir -p "$folder" || exit
	cat >"$folder/config.h" <<-END
		#ifndef _GNU_SOURCE
		#define _GNU_SOURCE 1
		#endif
		#define DEBUG_DIR "/usr/lib/debug"
		#define PACKAGE_STRING "whocallme $(version)"
		#define VERSION "$(version)"
	END
	set -- "$@" -I"$folder" -Iinclude -Iwhocallme -Iwhocallme/core/arch/"$arch" \
		-D_FILE_OFFSET_BITS=64 -D_TIME_BITS=64 -include config.h
	values=whocallme/trace/values/prototypes system=whocallme/trace/system/system_calls
	awk -f $values.awk $values.list >"$folder/headers.c"
	"$@" -E -P "$folder/headers.c" >"$folder/headers.i"
	awk -f $values.awk "$folder/headers.i" $values.list >"$folder/prototypes_table.c"
	awk -f $system.awk $system.list >"$folder/headers.c"
	"$@" -E -dM "$folder/headers.c" | sort >"$folder/libc"
	awk -f $system.awk -v world=kernel $system.list >"$folder/headers.c"
	"$@" -E -dM "$folder/headers.c" >"$folder/kernel"
	awk -f $system.awk "$folder/libc" "$folder/kernel" $system.list \
		>"$folder/system_calls_table.c"
	[ -s "$folder/prototypes_table.c" ] && [ -s "$folder/system_calls_table.c" ]
}

demanglers()
{
	archive=$($2 -print-file-name=libiberty.a)
	AR=${AR-ar} LD=${LD-ld} NM=${NM-nm} OBJCOPY=${OBJCOPY-objcopy} \
		sh whocallme/core/demangler/copy.sh "$archive" "$1/demanglers.o" 2>"$1/demanglers.log" ||
		rm -f "$1/demanglers.o"
}

action=$1
shift
case $action in
version) version ;;
arch) arch "$@" ;;
list) list "$@" ;;
make) make_all "$@" ;;
demanglers) demanglers "$@" ;;
*) exit 2 ;;
esac
