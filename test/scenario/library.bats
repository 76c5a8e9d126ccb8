#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# library.bats - calls of library functions, of programs that know nothing of it.  ltrace judges
# which there are, uftrace reads them, and programs do what they do without.

load support
load library

setup_file()
{
	bin=$BATS_FILE_TMPDIR
	$CC -O1 -o "$bin/order" "$programs/library_order.c" -ldl
	cp "$programs/library_ways_plugin.c" "$bin/"
	$CC -shared -fPIC -o "$bin/library_ways_plugin.so" "$bin/library_ways_plugin.c"
	$CXX -O1 -rdynamic -o "$bin/ways" "$programs/library_ways.cc" \
		-Wl,--enable-new-dtags,-rpath,"$bin" -ldl -lpthread
}

# Functions, one a line, folds unfolded, of the log FILE.
functions_of()
{
	sed -nE "s/^LIB +[0-9]+ +[0-9']+ +[0-9]+ +&([A-Za-z0-9_]+)( x([0-9]+))?(,.*)?\$/\1 \3/p" "$1" |
		awk '{ for (n = $2 ? $2 : 1; n > 0; n--) print $1 }'
}

# What is called before main and after it is libc's affair.
of_main()
{
	functions_of "$bin/log" | grep -v '^__libc_start_main\|^__cxa_finalize\|^_dl_\|^_ITM'
}

@test "those of a program, in order, by each linker and way of binding" {
	local flags linker
	for linker in bfd gold lld mold; do
		command -v "ld.$linker" >/dev/null || continue
		for flags in -Wl,-z,lazy "-Wl,-z,now,-z,relro" -fno-plt "-no-pie -Wl,-z,lazy" \
			"-no-pie -fno-plt" "-Wl,-z,norelro" -s "-fcf-protection=full" \
			"-s -Wl,-z,now -fcf-protection=none"; do
			# shellcheck disable=SC2086 # lists
			$CC -O1 $flags -fuse-ld=$linker -o "$bin/linked" \
				"$programs/library_order.c" -ldl 2>"$bin/link.log" || continue
			traced --library-calls "$bin/linked" strcmp
			expect_status 0
			[ ! -s "$out" ] || blame "$linker $flags: $(cat "$out")"
			# A program that is linked to its place may have its own addresses of functions.
			diff -u "$programs/library_order.calls" <(of_main | grep -v strcmp) ||
				blame "$linker $flags"
		done
	done
}

@test "ltrace's, of programs from everywhere" {
	needs ltrace
	local name
	while read -r name arguments; do
		command -v "$name" >/dev/null || continue
		eval "set -- $arguments"
		(cd / && timeout 60 ltrace -o "$bin/ltrace" "$name" "$@" </dev/null \
			>"$bin/ltrace.out" 2>/dev/null) || continue
		sed -nE 's/^([A-Za-z_][A-Za-z_0-9]*)\(.*/\1/p' "$bin/ltrace" >"$bin/ltrace.calls"
		cd / && traced --library-calls "$name" "$@" </dev/null
		expect_status 0
		cmp "$bin/ltrace.out" "$out"
		[ "$(wc -l <"$bin/ltrace.calls")" -gt 10 ]
		diff -u "$bin/ltrace.calls" <(of_main) || blame "$name differs"
	done <<-'EOF'
		ls -l /etc/apt
		cat /etc/passwd
		sort /etc/passwd
		date -u -d @0
		gzip -c /etc/passwd
		sed -n 1p /etc/passwd
		cut -d: -f1 /etc/passwd
		wc /etc/passwd
		md5sum /etc/passwd
		xz --version
		openssl version
		sqlite3 :memory: "create table a(b);insert into a values(1);select * from a;"
		git --version
		tar --version
		od -c /etc/hostname
		stat -c %n /
		jq -n 1+1
	EOF
}

# The functions that return twice, elsewhere or never, in the log FILE.
@test "setjmp, vfork, exceptions, threads, coroutines, dlopen: programs do what they did" {
	local way
	"$bin/ways" >"$bin/expected" 2>&1 || [ $? -eq 6 ]
	grep -qx 'closed 0' "$bin/expected"
	for way in "" -e "--from=*" "-e --from=*" "--record=$bin/recording" \
		"--graph=$bin/graph.dot --from=*/ways,*plugin.so"; do
		rm -rf "$bin/recording"
		# shellcheck disable=SC2086 # a list
		case $way in
		*graph* | *record*) observe "$whocallme" trace --library-calls $way "$bin/ways" ;;
		*) traced --library-calls $way "$bin/ways" ;;
		esac
		expect_status 6
		diff -u "$bin/expected" "$out" || blame "$way"
	done
}

@test "what a program asks this library itself is no call of a library" {
	cat >"$bin/asks.c" <<-'.'
		#include <whocallme.h>
		#include <unistd.h>
		int main(int argc, char *argv[])
		{
			struct wcm_frame frame;
			enum wcm_stop stop;

			init_function_table(argv[argc - 1]);
			who_call_me();
			who_am_i();
			full_backtrace();
			find_function_by_addr((unsigned long)&main);
			wcm_stack_capture(&frame, 1, 0, &stop);
			return getppid() == 0;
		}
	.
	build asks "$bin/asks.c"
	traced --library-calls "$bin/asks"
	[ "$(of_main | tr '\n' ' ')" = "getppid " ] || blame "$(cat "$bin/log")"
}

@test "what dlopen() loads calls, too" {
	traced --library-calls "--from=*/ways,*plugin.so" "$bin/ways"
	expect_status 6
	# Its constructor has run by then.
	functions_of "$bin/log" | grep -A1 '^dlsym' | grep -q '^atoi$\|^strtol$'
	traced --library-calls "$bin/ways"
	! functions_of "$bin/log" | grep -q '^atoi$\|^strtol$'
}

@test "in one log with functions of the program and of libraries, at their depths" {
	local flag way
	for flag in -fpatchable-function-entry=5 -finstrument-functions; do
		$CC -O1 -shared -fPIC -DLIBRARY $flag -o "$bin/libnested.so" \
			"$programs/library_nested.c"
		$CC -O1 $flag -o "$bin/nested" "$programs/library_nested.c" "$bin/libnested.so"
		for way in "" -e; do
			# shellcheck disable=SC2086 # a list
			traced $way --library-calls "--from=*/nested,*/libnested.so" "$bin/nested"
			expect_status 0
			diff -u - <(grep -v '&_' "$bin/log" | sed -nE \
				"s/^(LIB|FUN) +[0-9]+ +[0-9']+ +[0-9]+   /\\1 /p" |
				sed 's/^LIB &printf/LIB   \&printf/') <<-'EOF' || blame "$flag $way"
				FUN &main
				FUN   &calls
				LIB     &area
				FUN       &area
				FUN         &length
				LIB           &strlen
				LIB     &area
				FUN       &area
				FUN         &length
				LIB           &strlen
				LIB   &printf
			EOF
		done
		[ "$(grep -c '^RET' "$bin/log")" -ge 10 ]
		! grep '^REX' "$bin/log"
	done
}

@test "ends, with their times" {
	traced -e --library-calls "$bin/order" strcmp
	expect_status 0
	grep -qE "^RET .* &qsort, [0-9']+ ns$" "$bin/log"
	# What looks at its return address has none.
	! grep -qE '^RET .* &dlsym' "$bin/log"
}

@test "by name, and by who calls" {
	traced "--library-calls=str*,free" "$bin/order" strcmp
	expect_status 0
	[ "$(of_main | sort -u | tr '\n' ' ')" = "free strchr strdup strtol " ]
	traced --library-calls "--from=*/libc.so*" "$bin/order" strcmp
	expect_status 0
	! of_main | grep -q '^strdup$'
	traced "--library-calls=nothing_like_it" "$bin/order" strcmp
	expect_status 0
	err_has "^<whocallme>: no library call matches --library-calls=nothing_like_it$"
	traced "--library-calls=strdup,nothing_like_it" "$bin/order" strcmp
	expect_status 0
	err_has "^<whocallme>: no library call matches --library-calls=nothing_like_it$"
	[ "$(grep -c whocallme "$err")" -eq 1 ]
	observe "$whocallme" trace "--from=*" "$bin/order"
	expect_status 2
	err_has "is for --library-calls"
}

@test "recordings, as uftrace reads them, and graphs" {
	needs uftrace
	rm -rf "$bin/recording"
	observe "$whocallme" trace --record="$bin/recording" --library-calls "$bin/order" strcmp
	expect_status 0
	diff -u "$programs/library_order.calls" <(uftrace replay --no-pager --no-comment -d \
		"$bin/recording" -f none | sed -nE 's/^ *([a-z_0-9]+)\(\)[ ;{].*|^ *([a-z_0-9]+)\(\);?$/\1\2/p' |
		grep -v '^__\|^_dl\|^_ITM')
	observe "$whocallme" trace --graph="$bin/graph.dot" --library-calls "$bin/order" strcmp
	grep -q '"qsort" -> "strtol" .*calls=2' "$bin/graph.dot"
}

@test "--no-libcall leaves no gap where library calls call back" {
	needs uftrace
	cat >"$bin/sorts.c" <<-'END'
		#include <stdlib.h>
		int key(const int *a) { return abs(*a); }
		int compare(const void *a, const void *b) { return key(a) - key(b); }
		int find(const void *a, const void *b)
		{
			int some[] = { 2, 1 };
			qsort(some, 2, sizeof(*some), compare);
			return compare(a, b);
		}
		int main(void)
		{
			int some[] = { 3, -1, 2 };
			qsort(some, 3, sizeof(*some), compare);
			return !bsearch(&some[1], some, 3, sizeof(*some), find);
		}
	END
	$CC -g -O0 -fno-builtin -fpatchable-function-entry=5 -o "$bin/sorts" "$bin/sorts.c"
	rm -rf "$bin/recording"
	observe "$whocallme" trace --record="$bin/recording" --library-calls "$bin/sorts"
	expect_status 0
	for more in "" --no-merge --no-comment; do
		# shellcheck disable=SC2086 # nothing, or an option
		diff -u <(uftrace replay --no-pager --no-libcall $more -d "$bin/recording" -f none |
			sed '/^uftrace stopped/,$d' | grep .) \
			<("$whocallme" replay --no-libcall $more "$bin/recording" |
				sed -n '/^Functions that/,$d; s/^[^|]*| //p') || blame "$more"
	done
	# The depth is that of what is shown.
	"$whocallme" replay --no-libcall --depth=2 "$bin/recording" | grep -q '|   compare();$'
}

# How often fork() begins in the recording, in each process, with its depth.
forks_of_recording()
{
	"$whocallme" replay --no-merge "$bin/recording" | sed -n 's/^.*| \( *\)fork() {$/\1fork/p'
}

@test "a call of fork() is in a recording once, and the child goes on within it" {
	local flags
	cat >"$bin/forks.c" <<-'END'
		#include <sys/wait.h>
		#include <unistd.h>
		__attribute__((noinline)) void leaf(void) { __asm__(""); }
		__attribute__((noinline)) int forks(void)
		{
			const int child = fork();
			leaf();
			if (child > 0)
				wait(NULL);
			return child;
		}
		int main(void)
		{
			if (forks() == 0)
				_exit(0);
			forks();
			return 0;
		}
	END
	for flags in -fpatchable-function-entry=5 "-finstrument-functions -Wl,--no-as-needed"; do
		# shellcheck disable=SC2086 # lists
		$CC -g -O1 $flags -o "$bin/forks" "$bin/forks.c" -L"$lib" -lwhocallme -Wl,-rpath,"$lib"
		for calls in fork 'fork,wait' '*'; do
			rm -rf "$bin/recording"
			observe "$whocallme" trace --record="$bin/recording" "--library-calls=$calls" \
				"$bin/forks"
			expect_status 0
			diff -u <(printf '%s\n' '    fork' '    fork') \
				<(forks_of_recording | sed 's/^  \(    fork\)/\1/') || blame "$flags $calls"
			traced "--library-calls=$calls" "$bin/forks"
			[ "$(grep -c '^LIB .* &fork' "$bin/log")" -eq 2 ]
			# The child's leaf() is as deep as its parent's.
			[ "$("$whocallme" replay "$bin/recording" | sed -n 's/^.*| \( *leaf\)();$/\1/p' |
				sort -u | wc -l)" -eq 1 ] || blame "$flags $calls"
		done
		# Without them it is there once, too, as the parent of what the child does.
		rm -rf "$bin/recording"
		observe "$whocallme" trace --record="$bin/recording" "$bin/forks"
		[ "$(forks_of_recording | wc -l)" -eq 2 ]
	done
}

@test "what functions are given arrives, of each kind" {
	# shellcheck disable=SC2086 # lists
	$CC -O2 -mno-red-zone -DAVX -Dmain=library_main -shared -fPIC -o "$bin/libarguments.so" \
		"$programs/sled_arguments.c" -lm
	$CC -o "$bin/arguments" "$programs/library_arguments.c" "$bin/libarguments.so"
	for way in "" "-e"; do
		# shellcheck disable=SC2086 # a list
		traced --library-calls $way "--from=*arguments*" "$bin/arguments" 3000
		expect_status 0
		[ "$(cat "$out")" = 0 ] || blame "values were changed"
		[ "$(grep -c '&wide_integer' "$bin/log")" -ge 1 ]
	done
}

@test "a program may refuse: a line says so, and it runs on" {
	build refused sled_refused.c -O1 -Wl,-z,now -- -ldl
	for how in eperm eacces mdwe; do
		WHOCALLME_TRACE=log WHOCALLME_TRACE_LIBRARY_CALLS='*' observe "$bin/refused" $how
		[ "$status" -ne 77 ] || continue
		expect_status 7
		[ "$(cat "$out")" = done ]
		err_has '^<whocallme>: library calls are not all traced: '
	done
}

@test "-c: as many calls of each library function as ltrace -c counts" {
	needs ltrace
	$CC -O0 -o "$bin/counts" -x c - <<-'C'
		#include <stdlib.h>
		#include <string.h>
		int main(int argc, char *argv[])
		{
			for (int i = 0; i < 6; i++)
				if (atoi(argv[0]) || getenv("NOWHERE"))
					abort();
			return strcmp(argv[argc - 1], argv[0]);
		}
	C
	cd "$BATS_TEST_TMPDIR"
	ltrace -c -o theirs "$bin/counts" || skip "ltrace cannot"
	observe "$whocallme" trace -c -o ours --library-calls=atoi,getenv,strcmp "$bin/counts"
	expect_status 0
	diff <(awk '/atoi|getenv|strcmp/ { print $NF, $4 }' theirs | sort) \
		<(awk '$5 == "LIB" { print $NF, $4 }' ours | sort) || blame "$(cat ours)"
}
