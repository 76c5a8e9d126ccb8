#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# configure.bats - what configure finds missing is said, by it and by make check.

load support

# A machine without zstd's static library, cmocka and bats.
setup_file()
{
	bin=$BATS_FILE_TMPDIR
	cat >"$bin/cc" <<-END
		#!/bin/sh
		case " \$* " in
		*" -static "*" -lzstd "* | *" -Wl,-Bstatic "*" -lzstd "*)
			echo "ld: cannot find -lzstd" >&2
			exit 1 ;;
		esac
		exec $CC "\$@"
	END
	cat >"$bin/pkg-config" <<-END
		#!/bin/sh
		case " \$* " in *cmocka*) exit 1 ;; esac
		exec pkg-config "\$@"
	END
	chmod +x "$bin/cc" "$bin/pkg-config"
	mkdir "$bin/build"
	cd "$bin/build"
	ac_cv_prog_BATS='' "$top_srcdir/configure" CC="$bin/cc" \
		PKG_CONFIG="$bin/pkg-config" >"$bin/log" 2>&1 ||
		{ cat "$bin/log" && return 1; }
}

# last_lines TAP...: what make check ends with after the summary, where a test, one
# that was written in these lines, has passed.
last_lines()
{
	printf '%s\n' "$@" >"$bin/build/test.bats"
	env -u MAKEFLAGS -u MFLAGS -u VERBOSE make -C "$bin/build" test-suite.log \
		TESTS=test.bats BATS_LOG_COMPILER=cat AM_BATS_LOG_FLAGS= \
		>"$bin/check.log" 2>&1
	# automake 1.17 says what the log is for.
	sed -n '/^# ERROR/,$p' "$bin/check.log" |
		sed -e 1,2d -e '/^make/d' -e '/^See /s/ for debugging//;/^See /s/\.$//'
}

# count PATTERN FILE...: how often it is in them, and in how many.
count()
{
	local pattern=$1
	shift
	echo "$(cat "$@" | grep -c "$pattern") tests in $(grep -l "$pattern" "$@" |
		wc -l) files"
}

@test "a static library that is not here is named, with its package" {
	grep -q '^ *static programs: *need libzstd\.a (libzstd-dev)$' "$bin/log"
}

# refused COMPILER: what configure stops with.
refused()
{
	rm -rf "$bin/refused"
	mkdir "$bin/refused"
	cd "$bin/refused"
	refute "$top_srcdir/configure" CC="$1" >"$bin/refused.log" 2>&1
	sed -n 's/^configure: error: //p' "$bin/refused.log"
}

# A compiler of i386 on a kernel of x86-64, as in a container, and one of x32; it stops at bfd.h.
@test "the port is that of what the compiler makes, not of the kernel" {
	[ "$HOST_CPU" = x86_64 ] || skip "the compiler is of another CPU"
	local made
	for made in -m32:i386:i686 -mx32:generic:x86_64; do
		cat >"$bin/made" <<-END
			#!/bin/sh
			! grep -q 'bfd\.h' conftest.c 2>/dev/null || exit 1
			! grep -q 'error "not ' conftest.c 2>/dev/null ||
				exec gcc ${made%%:*} "\$@"
			exec gcc "\$@"
		END
		chmod +x "$bin/made"
		refused "$bin/made"
		made=${made#*:}
		grep -qx "wcm_cv_arch=${made%:*}" config.log
		grep -qx "host_cpu='${made#*:}'" config.log
	done
}

@test "a bfd.h that does not compile is not said to be missing" {
	mkdir "$bin/broken"
	printf '#include_next <bfd.h>\nint of[-1];\n' >"$bin/broken/bfd.h"
	refused "gcc -I$bin/broken" |
		grep "^bfd\.h is there and does not compile with .*; see config\.log$"
	# Where there is none, no file that includes it compiles.
	cat >"$bin/without" <<-'END'
		#!/bin/sh
		! grep -q 'bfd\.h' conftest.c 2>/dev/null || exit 1
		exec gcc "$@"
	END
	chmod +x "$bin/without"
	refused "$bin/without" | grep '^bfd\.h is missing; install binutils-dev'
}

@test "an older standard, pedantic, which what configure adds is newer than" {
	mkdir "$bin/pedantic"
	cd "$bin/pedantic"
	"$top_srcdir/configure" CC="gcc -std=c89 -pedantic-errors" >"$bin/pedantic.log" 2>&1 ||
		{ tail "$bin/pedantic.log" && return 1; }
}

@test "whocallme.pc says what a static program needs nevertheless" {
	[ -z "${STATIC_LACKS-}" ] || skip "${STATIC_LACKS%% *} is missing"
	diff <(grep -v '^[a-z_]*=' "$bin/build/whocallme.pc") \
		<(grep -v '^[a-z_]*=' "$top_builddir/whocallme.pc") # another prefix, as of distcheck
}

@test "without cmocka and bats: make check ends with what was left out" {
	diff -u - <(last_lines 1..1 "ok 1 - one") <<-END
		Left out, for want of a tool:
		  bats: $(count '^@test ' "$top_srcdir"/test/*/*.bats); install bats
		  cmocka: $(count '^TEST(' "$top_srcdir"/test/unit/*.c); install libcmocka-dev
	END
}

@test "so it does where tests are skipped, and where one fails" {
	last_lines 1..5 "ok 1 - one # skip dot is missing" "not ok 2 - two" \
		"ok 3 - three # SKIP gdb is missing" \
		"ok 4 - four # skip dot is missing" \
		"ok 5 - five # skip only root may" >"$bin/said" || true
	diff -u - <(grep -v 'bats:\|cmocka:' "$bin/said") <<-END
		See ./test-suite.log
		$(printf '=%.0s' {1..76})
		Left out, for want of a tool:
		  dot: 2 tests in 1 file; install graphviz
		  gdb: 1 test in 1 file; install gdb
		failed: test: two
	END
}
