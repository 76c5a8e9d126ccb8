# SPDX-License-Identifier: MIT
# build_port.sh - builds the library for the CPU ARCH: what steps that are about ports begin with.
#
# build_port goes to the build, in a root of that CPU as the other steps are.  With ROOT and
# TRIPLET, which check gives where the CPU is qemu's, in the current folder and entered by
# beside: what is tested is cross-built, once for all steps, and runs in qemu with ROOT's
# libraries; compilers and the tests' own programs are this machine's, which is faster.
# source is the checkout.

# As many at a time as there are CPUs, or as whoever makes us allows.
jobs=-j$(nproc)
case ${MAKEFLAGS-} in *--jobserver*) jobs= ;; esac

build_here()
{
	apt-get update -qq
	DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
		g++ gdb bats libcmocka-dev python3 procps file libc6-dbg python3-jsonschema \
		strace uftrace graphviz elfutils >/dev/null
	./bootstrap demo
	cd build
}

# as_tool NAME COMMAND: a program of that name.
as_tool()
{
	printf '#!/bin/sh\nexec %s "$@"\n' "$2" >"tools/$1"
	chmod +x "tools/$1"
}

build_cross()
{
	# What looks for leaks stops threads by ptrace(2).
	ASAN_OPTIONS=detect_leaks=0
	export ASAN_OPTIONS
	# The compilers have a libc of their own, which may be older than ROOT's.
	flags="--sysroot=$ROOT -B$ROOT/usr/lib/$TRIPLET"
	# What a riscv64 machine's compilers do by themselves, from GCC 13 and LLVM 17 on.
	case $TRIPLET in riscv64-*) flags="$flags -fasynchronous-unwind-tables" ;; esac
	# shellcheck disable=SC2086 # a list
	"$source/configure" -q --build="$("$source/build-aux/config.guess")" --host="$TRIPLET" \
		${CONFIGURE_FLAGS---enable-werror} CC="$TRIPLET-gcc $flags" \
		CXX_FOR_TESTS="$TRIPLET-g++ $flags" PKG_CONFIG_SYSROOT_DIR="$ROOT" \
		PKG_CONFIG_LIBDIR="$ROOT/usr/lib/$TRIPLET/pkgconfig"
	make -s $jobs
	# What tests make and change their programs with, by the names of the machine's own.
	mkdir tools
	for tool in objcopy objdump strip nm; do
		ln -s "$(command -v "$TRIPLET-$tool")" tools/$tool
	done
	for tool in gcc g++; do
		as_tool $tool "$TRIPLET-$tool $flags"
	done
	for tool in clang clang++; do
		! command -v $tool >/dev/null ||
			as_tool $tool "$(command -v $tool) --target=$TRIPLET $flags"
	done
	PATH=$PWD/tools:$PATH
}

build_port()
{
	if [ -z "${ROOT-}" ]; then
		build_here
	elif [ -e tools ]; then
		PATH=$PWD/tools:$PATH
	else
		build_cross
	fi
}
