#!/bin/sh
# SPDX-License-Identifier: MIT
# test_exports.sh - the shared libraries export what is promised, need what is
# promised, and take no thread-local storage that must be allocated late.
. "$top_srcdir/test/support/tap.sh"

lib=$top_builddir/.libs/libwhocallme.so
preload=$top_builddir/.libs/libwhocallme-preload.so

tap_make_dir
if [ ! -r "$lib" ]; then
	tap_skip "the shared library" "no shared library is built"
	tap_end
	exit 0
fi

exports()
{
	nm -D --defined-only "$1" | awk '$2 != "A" { print $3 }' |
		sed 's/@.*//' | sort
}

exports "$lib" >"$tap_dir/exported"
# The map's names; those that are to stay without a version are in its comment.
awk '/^ \* (unversioned|interposed|tracing):/ { print $3 }
     /^}/ { on = 0 }
     on { print $1 }
     /^global:/ { on = 1 }' "$top_srcdir/whocallme/libwhocallme.map" |
	tr -d ';' | sort >"$tap_dir/mapped"
# What libc declares.
sed -n 's/^ \* interposed: *\(.*\);/\1/p' \
	"$top_srcdir/whocallme/libwhocallme.map" | sort >"$tap_dir/interposed"
sed -nE 's/^ \* (interposed|tracing): *(.*);/\2/p' \
	"$top_srcdir/whocallme/libwhocallme.map" | sort >"$tap_dir/libcs"
cat "$top_srcdir"/include/whocallme/*.h >"$tap_dir/headers"

# Promised in a header: WCM_API, then the name, then its parameters.
grep -v "^#" "$tap_dir/headers" | tr "\n" " " |
	grep -oE 'WCM_API [^;]*;' |
	sed -E 's/ *\(.*//; s/.*[ *]//' | sort >"$tap_dir/promised"

# Sanitizers define symbols of their own in every object.
if [ "$SANITIZERS" = no ]; then
	tap_check "what is exported is what the map says" \
		"$(diff "$tap_dir/mapped" "$tap_dir/exported")"
else
	tap_check "what the map says is exported" \
		"$(comm -23 "$tap_dir/mapped" "$tap_dir/exported")"
fi
tap_check "what the map says is what the headers promise" \
	"$(comm -23 "$tap_dir/mapped" "$tap_dir/libcs" |
	   diff - "$tap_dir/promised")"
tap_check "what is to have no version has none" \
	"$(sed -nE 's/^ \* (unversioned|interposed|tracing): *(.*);/\2/p' \
		"$top_srcdir/whocallme/libwhocallme.map" |
	   while read -r name; do
		nm -D --defined-only "$lib" | grep " $name@"
	   done)"
tap_check "the library must be bound when it is loaded" \
	"$(readelf -dW "$lib" | grep -qE 'BIND_NOW|FLAGS.*NOW' ||
	   echo "no BIND_NOW flag")"

# late_tls LIB: what would make a first access in a handler allocate.
late_tls()
{
	nm -D -u "$1" | grep __tls_get_addr
	readelf -rW "$1" | grep -E 'DTPMOD|DTPOFF|TLSDESC|TLS_DTP'
}

# little_tls LIB: a dlopen(3) late in the life of a program finds room for that much.
little_tls()
{
	size=$(($(readelf -lW "$1" | awk '$1 == "TLS" { print $6 }')))
	[ "$size" -le 256 ] || echo "$size bytes"
}

if [ "$SANITIZERS" = no ]; then
	for each in "$lib" "$preload"; do
		[ "$(getconf LONG_BIT)" != 64 ] ||
			tap_check "thread-local storage of $(basename "$each") is little" \
				"$(little_tls "$each")"
		tap_check "thread-local storage of $(basename "$each") is initial-exec" \
			"$(late_tls "$each")"
	done
	tap_check "libwhocallme-preload.so needs libc and nothing else" \
		"$(readelf -dW "$preload" | grep NEEDED |
		   grep -vE '\[(libc|libdl|libpthread|ld-linux[a-z0-9-]*)\.so')"
	sed -n 's/^\t\([A-Za-z_]*\);/\1/p' \
		"$top_srcdir/whocallme/front/preload/preload.map" | sort >"$tap_dir/preloaded"
	tap_check "libwhocallme-preload.so exports what its map says" \
		"$(exports "$preload" | diff "$tap_dir/preloaded" -)"
	tap_check "it interposes all that libwhocallme.so does" \
		"$(comm -23 "$tap_dir/interposed" "$tap_dir/preloaded")"
	tap_check "what it exports has no version" \
		"$(nm -D --defined-only "$preload" | grep @)"
	tap_check "libwhocallme-preload.so knows of modules and reads no symbols" \
		"$(nm "$preload" | grep -E ' [TtDdBb] wcm_(_load_|_objfile|functions|name_demangle)')"
else
	tap_skip "thread-local storage" "sanitizers bring their own"
	tap_skip "libwhocallme-preload.so" "sanitizers bring their own library"
fi
tap_end
