#!/bin/sh
# SPDX-License-Identifier: MIT
# copy.sh ARCHIVE OBJECT - a copy of libiberty's demanglers that a signal handler
# may call: what they want from elsewhere is core/demangler/host.c's and core/os/own_bytes.c's.
# It fails where this libiberty wants more.  AR, LD, NM and OBJCOPY are the programs to do it with.
set -e
archive=$1 object=$2 work=$2.parts
case $archive in /*) ;; *) archive=$PWD/$archive ;; esac
rm -rf "$work"
mkdir -p "$work"
trap 'rm -rf "$work"' EXIT

(cd "$work" && $AR x "$archive" cp-demangle.o rust-demangle.o d-demangle.o)

# Its name, ours.
cat >"$work/names" <<EOF
cplus_demangle_v3_callback wcm__demangler_cxx
rust_demangle_callback wcm__demangler_rust
dlang_demangle wcm__demangler_d
malloc wcm__demangler_malloc
xmalloc wcm__demangler_xmalloc
realloc wcm__demangler_realloc
xrealloc wcm__demangler_xrealloc
free wcm__demangler_free
sprintf wcm__demangler_sprintf
__sprintf_chk wcm__demangler_sprintf_chk
snprintf wcm__demangler_snprintf
__snprintf_chk wcm__demangler_snprintf_chk
strcmp wcm__demangler_strcmp
strncmp wcm__demangler_strncmp
abort wcm__demangler_abort
__stack_chk_fail wcm__demangler_stack_chk_fail
__stack_chk_fail_local wcm__demangler_stack_chk_fail_local
_sch_istable wcm__demangler_classes
memchr wcm__memchr
memcmp wcm__memcmp
memcpy wcm__memcpy
memmove wcm__memmove
memset wcm__memset
strlen wcm__strlen
strrchr wcm__strrchr
EOF
for part in cp-demangle rust-demangle d-demangle; do
	$OBJCOPY --redefine-syms="$work/names" "$work/$part.o"
done
$LD -r --force-group-allocation -o "$work/whole.o" "$work/cp-demangle.o" "$work/rust-demangle.o" \
	"$work/d-demangle.o"
$OBJCOPY --keep-global-symbol=wcm__demangler_cxx \
	--keep-global-symbol=wcm__demangler_rust \
	--keep-global-symbol=wcm__demangler_d "$work/whole.o" "$work/copy.o"

[ "$($NM --defined-only -g "$work/copy.o" | wc -l)" -eq 3 ]
# The stack guard of most CPUs is a word of the dynamic linker's.
$NM -u "$work/copy.o" | while read -r _ symbol; do
	case $symbol in
	_GLOBAL_OFFSET_TABLE_ | __stack_chk_guard) ;;
	wcm__demangler_* | wcm__mem[a-z]* | wcm__str[a-z]*) ;;
	*) echo "copy.sh: $archive wants $symbol" >&2 && exit 1 ;;
	esac
done
mv "$work/copy.o" "$object"
