#!/bin/sh
# SPDX-License-Identifier: MIT
# build.sh SRCDIR .../gcc-MAJOR/inject.so COMPILERS SOURCE... - builds the plugin for one of
# COMPILERS, each MAJOR:GCC:G++, with the headers of that gcc.
set -eu
srcdir=$1 target=$2 compilers=$3
shift 3
major=${target%/*}
major=${major##*gcc-}
for compiler in $compilers; do
	case $compiler in
	"$major":*) compiler=${compiler#*:} && break ;;
	esac
done
gcc=${compiler%%:*} gxx=${compiler#*:}

for source; do
	set -- "$@" "$srcdir/$source"
	shift
done
mkdir -p "${target%/*}"
# The compiler that loads it has neither run-time types nor, at most, our exceptions.
# shellcheck disable=SC2086 # lists of flags
exec $gxx -std=gnu++17 -O2 -g -Wall -Wextra -Wshadow -fno-rtti -fno-exceptions -fPIC -shared \
	-fvisibility=hidden -Wl,-z,relro -DWCM_VERSION="\"$VERSION\"" \
	-iquote "$srcdir/whocallme" -isystem "$($gcc -print-file-name=plugin)/include" ${YAML_CFLAGS-} \
	-o "$target" "$@" ${YAML_LIBS-}
