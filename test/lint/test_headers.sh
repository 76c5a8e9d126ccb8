#!/bin/sh
# SPDX-License-Identifier: MIT
# test_headers.sh - every public header stands alone, in C11 and C++17, for
# every compiler that is here; the house's own do, too, on a CPU without a port.
. "$top_srcdir/test/support/tap.sh"

warnings='-Wall -Wextra -Wpedantic -Wshadow -Werror'

# try COMPILER LANGUAGE STANDARD: compile standard input; print complaints.
# shellcheck disable=SC2086 # CC may carry flags
try()
{
	$1 -x "$2" -std="$3" $warnings -I"$top_srcdir/include" \
		-fsyntax-only - 2>&1
}

# have COMPILER: whether it runs.
# shellcheck disable=SC2086
have()
{
	echo 'int x;' | $1 -x c -fsyntax-only - >/dev/null 2>&1
}

# What a program writes: each macro, and a structure of each kind.
sample()
{
	cat <<'END'
#include <whocallme.h>
extern int sample(int argc, char **argv);
WCM_PROBE_SEMAPHORE(sample, watched);
static void on_crash(const void *info, void *ucontext, void *data)
{
	*(const void **)data = info ? info : ucontext;
}
int sample(int argc, char **argv)
{
	struct wcm_frame frames[8];
	static struct wcm_crash_options crash;
	static const void *seen;
	struct wcm_symbol symbol;
	enum wcm_stop stop;
	const char *name = who_am_i();
	size_t count = wcm_stack_capture(frames, 8, 0, &stop);

	if (init_function_table(argv[0]) != 0)
		return (int)wcm_status_get();
	crash.flags = WCM_CRASH_JSON | WCM_CRASH_CHAIN_FIRST;
	crash.sections = WCM_SECTION_STACK | WCM_SECTION_THREADS;
	crash.file = "/var/crash/%e.%p";
	crash.callback = on_crash;
	crash.callback_data = &seen;
	if (wcm_crash_install(&crash) != WCM_OK)
		wcm_crash_remove();
	who_call_me();
	WCM_PROBE(sample, begun);
	if (WCM_PROBE_ENABLED(sample, watched))
		WCM_PROBE(sample, watched, argc, argv, name, 1.5f, 2.5, 'c', 7u, 8ul, -9ll, crash.flags,
			  stop, frames);
	if (count > 0 && argc > 1 && name)
		wcm_symbol_peek(wcm_frame_site(&frames[0]), &symbol);
	return full_backtrace();
}
END
}

# check_compiler COMPILER LANGUAGE STANDARD
check_compiler()
{
	for header in "$top_srcdir"/include/whocallme.h \
		      "$top_srcdir"/include/whocallme/*.h; do
		name=${header#"$top_srcdir/include/"}
		tap_check "<$name> alone, $1 as $3" \
			"$(printf '#include <%s>\n#include <%s>\nextern int x;\n' \
				"$name" "$name" | try "$1" "$2" "$3")"
	done
	tap_check "a program's use, $1 as $3" \
		"$(sample | try "$1" "$2" "$3")"
}

# own_headers: complaints of those that need what another includes.  A port's own headers may
# include what the generic port's do not.
own_headers()
{
	find "$top_srcdir/whocallme" -name '*.h' ! -path '*/arch/*' ! -path '*/plugin/*' |
		while read -r header; do
			# shellcheck disable=SC2086 # CC may carry flags
			$CC -include "$top_builddir/config.h" -I"$top_srcdir/include" \
				-I"$top_srcdir/whocallme" \
				-I"$top_srcdir/whocallme/core/arch/generic" \
				-fsyntax-only -x c "$header" 2>&1
		done
}

tap_check "each header of the house alone" "$(own_headers | head -20)"
for compiler in "$CC" gcc clang; do
	case " $done_c " in *" $compiler "*) continue ;; esac
	done_c="$done_c $compiler"
	if have "$compiler"; then
		check_compiler "$compiler" c c11
	else
		tap_skip "C headers" "$compiler is missing"
	fi
done
for compiler in g++ clang++; do
	if have "$compiler"; then
		check_compiler "$compiler" c++ c++17
	else
		tap_skip "C++ headers" "$compiler is missing"
	fi
done
tap_end
