# SPDX-License-Identifier: MIT
# support.bash - what every scenario needs: building a program against the
# library of this build, running it, and reading stacks, ours and gdb's.
#
# A file builds its programs once, in setup_file, below $BATS_FILE_TMPDIR; $bin
# is that folder.

bin=$BATS_FILE_TMPDIR
lib=$top_builddir/.libs
programs=$top_srcdir/test/scenario/programs
manual=$top_srcdir/doc/man
whocallme=$top_builddir/tool/whocallme

# A helper is run from where nobody else may write: a build tree made with the umask 002
# is no such place.
umask 022
trusted_command()
{
	local above=$whocallme
	local -a way=()
	while [ -n "$above" ]; do
		way+=("$above")
		above=${above%/*}
	done
	[ -n "$(find "${way[@]}" -maxdepth 0 \( -perm /022 ! -perm -1000 -o \
		! -user 0 ! -user "$EUID" \))" ] || return 0
	[ -e "$BATS_RUN_TMPDIR/tool/whocallme" ] || {
		mkdir -p "$BATS_RUN_TMPDIR/tool"
		ln -s "$lib" "$BATS_RUN_TMPDIR/.libs"
		cp "$whocallme" "$BATS_RUN_TMPDIR/tool/whocallme"
	}
	whocallme=$BATS_RUN_TMPDIR/tool/whocallme
}
trusted_command

# What links a program with the library; the second list links it whole.
shared_libs="-L$lib -lwhocallme -Wl,-rpath,$lib"
static_libs="$lib/libwhocallme.a ${BFD_STATIC_LIBS-} -lpthread ${SYSTEM_LIBS-}"

# The programs are not instrumented, the library is.  Its sanitizer must leave
# the signals to the crash report, and gdb keeps the leak check from its work.
sanitize=
if [ "${SANITIZERS:-no}" != no ]; then
	sanitize=-fsanitize=address,undefined
	export ASAN_OPTIONS=detect_leaks=0:use_sigaltstack=0
	for signal in segv sigbus abort sigill sigfpe sigtrap; do
		ASAN_OPTIONS=$ASAN_OPTIONS:handle_$signal=0
	done
fi
unset WHOCALLME_TRACE
# Lines are for the files that are about them.
export WHOCALLME_HELPER=no

needs()
{
	local program
	for program; do
		case $emulated:$program in
		yes:gdb | yes:strace | yes:valgrind)
			skip "$program needs ptrace(2), or another CPU, and this is an emulator"
			;;
		esac
		command -v "$program" >/dev/null || skip "$program is missing"
	done
}

# Skip where python3 cannot judge by a schema.
needs_schema()
{
	needs python3
	python3 -c 'import jsonschema' 2>/dev/null || skip "python3-jsonschema is missing"
}

# Skip in a build with sanitizers, saying why.
not_sanitized()
{
	[ -z "$sanitize" ] || skip "built with sanitizers: $1"
}

# Skip where configure found no way to link the library into a static program.
needs_static()
{
	not_sanitized "the sanitizers do not link statically"
	[ -r "$lib/libwhocallme.a" ] || skip "no static library is built"
	[ -z "${STATIC_LACKS-}" ] || skip "${STATIC_LACKS%% *} is missing"
}

# compile OBJECT SOURCE [FLAG...]: with $CC, or $CXX for C++.
compile()
{
	local object=$1 source=$2 compiler=$CC
	shift 2
	case $source in *.cc) compiler=$CXX ;; esac
	$compiler -g -I"$top_srcdir/include" -I"$programs" -c -o "$object" "$source" "$@"
}

# build_alone NAME SOURCE [FLAG...]: $bin/NAME from SOURCE, a file of programs/, without the library.
build_alone()
{
	compile "$bin/$1.o" "$programs/$2" "${@:3}"
	$CC -o "$bin/$1" "$bin/$1.o" -lpthread
}

# For programs that "whocallme run" runs until they die: a folder of the test's, no core.
in_place_to_die()
{
	not_sanitized "its runtime must be loaded first"
	ulimit -S -c 0
	unset WHOCALLME_FILE
	cd "$BATS_TEST_TMPDIR" || return
}

# build_kinds MAKE NAME: by MAKE FLAG..., $bin/NAME_hooks and, where there are sleds, $bin/NAME_sleds;
# $kinds are those that there are.
build_kinds()
{
	kinds=hooks
	"$1" -finstrument-functions -o "$bin/$2_hooks"
	has_sleds || return 0
	kinds='hooks sleds'
	"$1" -fpatchable-function-entry=5 -o "$bin/$2_sleds"
}

# build NAME SOURCE [FLAG...] [-- LINK_FLAG...]: $bin/NAME from SOURCE, a file
# of programs/ unless it is a path, linked with the shared library.
build()
{
	local name=$1 source=$2 linker=$CC
	local -a flags=()
	shift 2
	case $source in */*) ;; *) source=$programs/$source ;; esac
	case $source in *.cc) linker=$CXX ;; esac
	while [ $# -gt 0 ] && [ "$1" != -- ]; do
		flags+=("$1")
		shift
	done
	[ $# -eq 0 ] || shift
	compile "$bin/$name.o" "$source" "${flags[@]}"
	# shellcheck disable=SC2086 # lists
	$linker -o "$bin/$name" "$bin/$name.o" $sanitize "$@" $shared_libs \
		-lpthread -ldl -lrt
}

# build_static NAME SOURCE [FLAG...]: the same, wholly static.
build_static()
{
	local name=$1 source=$programs/$2
	needs_static
	shift 2
	compile "$bin/$name.o" "$source" "$@"
	# shellcheck disable=SC2086 # lists
	$CC ${link_static:--static} -o "$bin/$name" "$bin/$name.o" $static_libs 2>"$bin/link.log" ||
		{ cat "$bin/link.log" && return 1; }
}

# build_library NAME SOURCE [FLAG...]: $bin/NAME, which links nothing of ours.
build_library()
{
	local name=$1 source=$2
	shift 2
	case $source in */*) ;; *) source=$programs/$source ;; esac
	$CC -g -I"$top_srcdir/include" -shared -fPIC -Wl,-soname,"$name" \
		-o "$bin/$name" "$source" "$@"
}

# Run a command with its stdout in $bin/out, stderr in $bin/err, status in
# $status; the shell's own word on a death by signal is not shown.
observe()
{
	out=$BATS_TEST_TMPDIR/out err=$BATS_TEST_TMPDIR/err status=0
	("$@") >"$out" 2>"$err" || status=$?
	forget_emulator "$err" "$out"
}

# ended CHILD: its status when it has ended, which it has in a minute: what waits without an end is
# told of, and ended.
ended()
{
	local i
	for ((i = 0; i < 3000; i++)); do
		if ! kill -0 "$1" 2>/dev/null; then
			wait "$1"
			return
		fi
		sleep 0.02
	done
	echo "does not end: $(tr '\0' ' ' <"/proc/$1/cmdline"), in $(cat "/proc/$1/wchan")"
	kill -KILL "$1"
	exit 1 # whatever status is expected
}

# forget_emulator FILE...: what programs have written.  qemu has a thread in the program, its
# second, and words about one that dies.  It takes a fault's signal that the program sends
# itself again for a fault of qemu's, and aborts: by which signal the program dies is not seen
# then.
forget_emulator()
{
	[ -n "$emulated" ] || return 0
	local PATH=/usr/bin:/bin # the command may have been observed with another
	aborted=
	! grep -q 'cpu_exec: assertion failed' "$@" || aborted=yes
	local deaf='\) ".*" did not answer: has blocked signals$' number
	number=$(sed -n "s/.*thread \([0-9]*$deaf/\1/p" "$@" | head -n 1)
	sed -i -e '/^qemu: uncaught target signal /d' -e '/cpu_exec: assertion failed/d' \
		-e '/^\*\*$/d' -e "/thread \(${number:-none}$deaf/d" "$@"
}

# died_of SIGNAL: says the program "waiting" of the one that it has run.
died_of()
{
	if [ -n "${aborted-}" ]; then
		out_has '^(exited 127|(killed|dumped) 6)$'
	else
		out_has "^(killed|dumped) $(kill -l "$1")$"
	fi
}

# FILE, a log, with ids of five digits: one of six, as a PID namespace may have, moves the
# columns.
five_digits()
{
	sed -E 's/^(FUN|RET|REX) {1,5}[0-9]+ /\1 12345 /' "$1"
}

# Fail if the command succeeds; set -e overlooks a plain "!".
refute()
{
	! "$@"
}

# The commands that help lists.
all_commands()
{
	"$whocallme" help | sed -n 's/^  \([a-z][a-z]*\)  *[^ ].*/\1/p' | sort
}

# Fail with what was seen.
blame()
{
	printf '%s\n' "$*" "status: $status" "--- stdout" "$(cat "$out")" \
		"--- stderr" "$(cat "$err")"
	return 1
}

expect_status()
{
	local wanted=$1
	[ -z "${aborted-}" ] || case $wanted:$status in
	1[3-5][0-9]:127 | 1[3-5][0-9]:134) wanted=$status ;;
	esac
	[ "$status" -eq "$wanted" ] || blame "the status is not $1"
}

# Stderr, or stdout, is exactly the lines given.
expect_err()
{
	diff -u <(printf '%s\n' "$@") "$err" || blame "unexpected stderr"
}

expect_out()
{
	diff -u <(printf '%s\n' "$@") "$out" || blame "unexpected stdout"
}

# Set expression to the extended one given, which speaks of addresses of 64 bits; for
# programs of 32 their upper zeros go.
for_addresses()
{
	expression=$1
	[ "$arch" = i386 ] || return 0
	expression=$(sed -E 's/\{16\}/{8}/g; s/\{15\}/{7}/g; s/([]0])\{14\}/\1{6}/g; s/\]\{13\}/]{5}/g
		s/0x0{8}([0-9a-f]{8})/0x\1/g' <<<"$1")
}

# grep -E, of the FILEs if there are any.
matches()
{
	for_addresses "$1"
	grep -E -- "$expression" "${@:2}"
}

# The port's folder, what registers are called, and how many digits an address has.
digits=16
: "${HOST_CPU:=$HOSTTYPE}"
case $HOST_CPU in
i[3-6]86) arch=i386 pc_register=eip result_register=eax digits=8 ;;
aarch64) arch=$HOST_CPU pc_register=pc result_register=x0 ;;
riscv64) arch=$HOST_CPU pc_register=pc result_register=a0 ;;
*) arch=$HOST_CPU pc_register=rip result_register=rax ;;
esac
# A kernel of another CPU may run a root of this one.
uname()
{
	case $*:$HOST_CPU in
	-m:i[3-6]86) echo "$HOST_CPU" ;;
	*) command uname "$@" ;;
	esac
}
# The programs run in an emulator: qemu's, which has no ptrace(2).
emulated=
case $HOSTTYPE:$HOST_CPU in
"$HOST_CPU":* | i[3-6]86:i[3-6]86 | x86_64:i[3-6]86) ;;
*) emulated=yes ;;
esac

# What uftrace records is of the machine's own CPU: in an emulator, the same program built
# for that one.
own_cc=$CC own_cxx=$CXX
[ -z "$emulated" ] || own_cc=/usr/bin/gcc own_cxx=/usr/bin/g++

# build_own NAME SOURCE [FLAG...]: $bin/own/NAME, without the library.
build_own()
{
	local name=$1 source=$2 compiler=$own_cc
	shift 2
	case $source in */*) ;; *) source=$programs/$source ;; esac
	case $source in *.cc) compiler=$own_cxx ;; esac
	mkdir -p "$bin/own"
	$compiler -g -I"$programs" -o "$bin/own/$name" "$source" "$@" -lpthread -ldl
}

# Skip, saying why, on all but the given CPUs, by the names of their ports.
needs_arch()
{
	[[ " $1 " == *" $arch "* ]] || skip "$2"
}

knows_sleds()
{
	[[ $arch == @(x86_64|i386|aarch64) ]]
}

# Where there are sanitizers, the library has no room near the program.
has_sleds()
{
	[ -z "$sanitize" ] && knows_sleds
}

# Some line of stderr, or of stdout, matches the extended expression.
err_has()
{
	for_addresses "$1"
	grep -E -q -- "$expression" "$err" || blame "stderr lacks: $1"
}

out_has()
{
	for_addresses "$1"
	grep -E -q -- "$expression" "$out" || blame "stdout lacks: $1"
}

out_lacks()
{
	for_addresses "$1"
	! grep -E -q -- "$expression" "$out" || blame "stdout has: $1"
}

err_lacks()
{
	for_addresses "$1"
	! grep -E -q -- "$expression" "$err" || blame "stderr has: $1"
}

# The line who_call_me() writes.
asked()
{
	printf '<whocallme>: function <%s> call me <%s>!' "$1" "$2"
}

# The names of our frames on stdin, a line each, main the last.
frame_names()
{
	sed -n -e 's/^#[0-9]* \(<signal handler called>\)$/\1/p;t' \
		-e 's/^#[0-9]* 0x[0-9a-f]* in \([^+ ]*\).*/\1/p' \
		-e 's/^\.\.\. \([0-9]*\) more of .*, in rounds of \([0-9]*\)$/ \1 \2/p;t' \
		-e 's/^\.\.\. \([0-9]*\) more of .*/ \1 1/p' | awk '
		/^ / { for (i = 0; i < $1; i++) { all[n] = all[n - $2]; print all[n++] } next }
		{ all[n++] = $0; print }' | up_to_main
}

# The same of what gdb's bt printed.
gdb_frame_names()
{
	sed -n -e 's/^#[0-9]* *\(<signal handler called>\).*/\1/p;t' \
		-e 's/^#[0-9]* *\(0x[0-9a-f]* in \)\{0,1\}\([^ ]*\) (.*/\2/p' |
		up_to_main
}

up_to_main()
{
	sed '/^main$/q'
}

# gdb_names COMMAND... -- PROGRAM [ARGUMENT...]: the stack's names after gdb's
# COMMANDs.
gdb_names()
{
	local -a commands=()
	while [ "$1" != -- ]; do
		commands+=(-ex "$1")
		shift
	done
	shift
	timeout 60 gdb -nx -batch -iex 'set debuginfod enabled off' -ex 'set width 0' \
		-ex 'set startup-with-shell off' "${commands[@]}" -ex bt \
		--args "$@" </dev/null 2>&1 | tee "$BATS_TEST_TMPDIR/gdb" |
		gdb_frame_names
}

# Two lists of names are the same and not empty.
expect_same_names()
{
	[ -n "$1" ] && diff -u <(printf '%s\n' "$1") <(printf '%s\n' "$2")
}

# full_pipe COMMAND...: its stderr is a full pipe that nobody reads.
full_pipe()
{
	python3 -c '
import fcntl, os, subprocess, sys
read, write = os.pipe()
fcntl.fcntl(write, fcntl.F_SETFL, os.O_NONBLOCK)
try:
    while True:
        os.write(write, b"x" * 4096)
except BlockingIOError:
    pass
fcntl.fcntl(write, fcntl.F_SETFL, 0)
print(subprocess.run(sys.argv[1:], stderr=write, timeout=30).returncode)
' "$@"
}

# setup() of what traces by the command, each test in a folder of its own.
trace_setup()
{
	not_sanitized "its runtime must be loaded first"
	unset LD_PRELOAD
	cd "$BATS_TEST_TMPDIR"
}

trace_it()
{
	observe timeout -s KILL 30 "$whocallme" trace "$@"
}

# as_other COMMAND...: by another user, who may enter the test's folder.
needs_others()
{
	[ "$(id -u)" -eq 0 ] || skip "only root can be two users"
	needs setpriv
	chmod a+rx "$BATS_RUN_TMPDIR" "$BATS_RUN_TMPDIR"/test "$BATS_TEST_TMPDIR" .
}

as_other()
{
	setpriv --reuid=1001 --regid=1001 --clear-groups "$@"
}
