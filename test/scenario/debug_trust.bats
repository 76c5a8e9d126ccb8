#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# debug_trust.bats - debug data that another user has planted tells nobody anything.

load support

setup()
{
	chmod 755 "$BATS_RUN_TMPDIR"
	cd "$BATS_TEST_TMPDIR"
	chmod 755 .
}

# A program of root's in a folder for all, stripped, whose debug data is planted by 1001:
# of its build-id, with main in a file of root's.
plant()
{
	[ "$(id -u)" -eq 0 ] || skip "only root can do what it does"
	needs setpriv strip objcopy
	not_sanitized "its libraries are not for other users"
	setpriv --reuid=1002 --regid=1002 --clear-groups "$whocallme" --version ||
		skip "other users cannot run the command of this build tree"
	printf 'the secret of root %d\n' 1 2 3 4 5 6 >of_root
	mkdir -p shared planted
	chmod 1777 shared
	cat >main.c <<-END
		static inline __attribute__((always_inline)) void die(void) { __builtin_trap(); }
		int main(void)
		{
			die();
		}
	END
	sed "1i #line 1 \"$PWD/of_root\"" main.c >planted/main.c
}

# shows_planted SAID: root is shown no place of the planted data, and why.
shows_planted()
{
	resolved_main 0 "$2"
	out_lacks 'secret|of_root'
	out_has "$1"
}

# resolved_main USER PROGRAM
resolved_main()
{
	local address
	address=0x$(nm "$2.whole" | sed -n 's/^0*\([0-9a-f]*\) T main$/\1/p')
	observe timeout -s KILL 30 setpriv --reuid="$1" --regid="$1" --clear-groups \
		"$whocallme" resolve --source "$2+$address"
	expect_status 0
}

@test "debug data beside a program is believed if it is of root, the user or its owner" {
	plant
	local id=00112233445566778899aabbccddeeff00112233 program=$PWD/shared/program name
	$CC -O1 -o "$program.whole" -Wl,--build-id=0x$id main.c
	strip -o "$program" "$program.whole"
	$CC -O1 -g -o planted/program -Wl,--build-id=0x$id planted/main.c
	for name in shared/program.debug shared/.debug/program.debug; do
		mkdir -p "${name%/*}"
		objcopy --only-keep-debug planted/program $name
		resolved_main 0 "$program"
		out_has 'at .*/of_root:[1-9]'
		chown 1001 $name
		shows_planted 'program\.debug is not used: it belongs to another user' "$program"
		resolved_main 1002 "$program"
		out_lacks of_root
		resolved_main 1001 "$program"
		out_has 'at .*/of_root:[1-9]'
		chown 1001 "$program"
		resolved_main 1002 "$program"
		out_has 'at .*/of_root:[1-9]'
		chown 0 "$program" $name
		chmod o+w $name
		shows_planted 'program\.debug is not used: others may write it' "$program"
		rm $name
	done
}

@test "split debug data that others could exchange is not believed" {
	plant
	local program=$PWD/program
	mkdir shared/build
	cp main.c shared/build
	(cd shared/build && $CC -O1 -g -gsplit-dwarf -c main.c)
	$CC -o "$program" shared/build/main.o
	cp "$program" "$program.whole"
	resolved_main 0 "$program"
	out_has ' die at .*/build/main\.c:1.* \(inlined\)'
	chown 1001 shared/build
	resolved_main 0 "$program"
	out_lacks '\(inlined\)'
	out_has 'main\.dwo, .* is not used: .*main\.dwo: it, or a directory above it, belongs to another user'
	resolved_main 1002 "$program"
	out_has ' die at .*/build/main\.c:1.* \(inlined\)'
	chown 1001 shared/build/main.dwo
	resolved_main 1002 "$program"
	out_lacks '\(inlined\)'
	out_has 'main\.dwo, .* is not used: .*main\.dwo: it belongs to another user'
	chown 0 shared/build shared/build/main.dwo
	chmod o+w shared/build
	resolved_main 0 "$program"
	out_has 'main\.dwo, .* is not used: .*main\.dwo: others may write it, or a directory above it'
	# Where nobody may look is no end of looking; if it is nowhere else, that is said.
	mv shared/build/main.dwo hidden
	mkdir -m 700 locked
	ln -s "$PWD/locked/program.dwp" program.dwp
	resolved_main 1002 "$program"
	out_has 'main\.dwo, .* is not used: .*/program\.dwp: Permission denied'
	mkdir others
	cp "$program" others/program.dwp
	observe setpriv --reuid=1002 --regid=1002 --clear-groups "$whocallme" resolve \
		--debug-dir=others "$program+0x$(nm "$program" | sed -n 's/ T main$//p')"
	out_has 'main\.dwo, .* is not used: .*/others/program\.dwp: it is no package'
	mv hidden shared/build/main.dwo
	rm program.dwp
	# A package is not believed sooner.
	rm shared/build/main.dwo
	cp "$program" program.dwp
	chown 1001 program.dwp
	resolved_main 0 "$program"
	out_has 'main\.dwo, .* is not used: .*program\.dwp: it, or a directory above it, belongs to another'
}
