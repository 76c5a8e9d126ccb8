# SPDX-License-Identifier: MIT
# library.bash - for tests of calls of library functions in any program.

setup()
{
	[ "$(uname -m)" = x86_64 ] && [ -z "$emulated" ] || skip "x86-64 alone has them"
	not_sanitized "its runtime must be loaded first"
	bin=$BATS_FILE_TMPDIR
}

# traced ARGUMENT...: whocallme trace with its lines in $bin/log.  It is started by timeout(1), as
# the judges are: no signal is ignored then, of which sort(1) asks.
traced()
{
	rm -f "$bin/log"
	observe timeout 60 "$whocallme" trace --log="$bin/log" "$@"
}
