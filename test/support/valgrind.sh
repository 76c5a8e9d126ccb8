#!/bin/sh
# SPDX-License-Identifier: MIT
# valgrind.sh PROGRAM... - run each under memcheck; fail where it complains or
# the program does.
#
# Function tables live as long as the process, so that leaks are not looked for.
# LIBTOOL is the build's libtool.
if ! command -v valgrind >/dev/null; then
	echo "valgrind is missing" >&2
	exit 77
fi
out=$(mktemp) || exit 99
trap 'rm -f "$out" "$out.valgrind" "$out.known"' EXIT
# A stack is summed with the red zone that is left out above a signal's frame.
for kind in Addr4 Addr8 Cond; do
	printf '{\n sum\n Memcheck:%s\n ...\n fun:wcm__hook_is_interrupted\n}\n' $kind
done >"$out.known"
UNDER_VALGRIND=1
CMOCKA_MESSAGE_OUTPUT=TAP
export UNDER_VALGRIND CMOCKA_MESSAGE_OUTPUT
failed=0

# run PROGRAM: its status; its own words are in $out, memcheck's beside it.  The stack pointer of
# an example that moves farther than a frame has gone to the library's own stack: what lies between
# is not freed by that.
# shellcheck disable=SC2086 # LIBTOOL is a command with its shell
run()
{
	frames=
	case $1 in examples/*) frames=--max-stackframe=30000 ;; esac
	$LIBTOOL --mode=execute valgrind -q --leak-check=no \
		$frames --suppressions="$out.known" --error-exitcode=99 --log-file="$out.valgrind" \
		"./$1" >"$out" 2>&1
}

for program; do
	case $program in
	*/test_alloc_failure) # interposes malloc, as valgrind does
		continue ;;
	*/test_altstack | */test_threads | */test_turns) # its threads run one at a time, on
		continue ;; # alternate stacks that are its own
	*/test_spawn) # processes that share memory do not, and their ends are not told
		continue ;;
	*/test_crash_report) # paints a stack below where it stands
		continue ;;
	*/test_demangle_fault) # reads nowhere on purpose, and its children crash
		continue ;;
	*/crash) # it dies of a signal, as it should
		continue ;;
	esac
	run "$program"
	status=$?
	if [ $status = 0 ]; then
		echo "ok - $program under valgrind"
	else
		echo "not ok - $program under valgrind: status $status"
		sed 's/^/# /' "$out" "$out.valgrind"
		failed=1
	fi
done
exit $failed
