#!/bin/sh
# SPDX-License-Identifier: MIT
# test_again.sh - what fails has failed; what fails once is said to be unsteady.
. "$top_srcdir/test/support/tap.sh"

tap_make_dir
again=$top_srcdir/test/support/again

# bats: prints the file "first", then the file "second", and fails if a test there has.
cat >"$tap_dir/bats" <<'SCRIPT'
#!/bin/sh
cd "$(dirname "$0")" || exit
output=first
[ ! -e ran ] || output=second
touch ran
echo "$*" >>arguments
cat $output
! grep -q '^not ok' $output
SCRIPT
chmod +x "$tap_dir/bats"

# run: what again prints, and its status; $tap_dir/first and second are what bats prints.
run()
{
	rm -f "$tap_dir/ran" "$tap_dir/arguments"
	(cd "$tap_dir" && sh "$again" "$tap_dir/bats" file.bats; echo "status $?")
}

# is EXPECTED: nothing where run prints that.
is()
{
	printf '%s\n' "$1" >"$tap_dir/expected"
	run | diff "$tap_dir/expected" -
}

printf '%s\n' 1..2 'ok 1 one' 'ok 2 two' >"$tap_dir/first"
: >"$tap_dir/second"
tap_check "what passes runs once" "$(is '1..2
ok 1 one
ok 2 two
status 0'; sed 1d "$tap_dir/arguments")"

printf '%s\n' 1..3 'ok 1 one' 'not ok 2 a|b (c) [d]' '# why' 'not ok 3 e' >"$tap_dir/first"
printf '%s\n' 1..2 'ok 1 a|b (c) [d]' 'not ok 2 e' >"$tap_dir/second"
tap_check "what fails has failed, and is unsteady if it passes the second time" "$(is '1..3
ok 1 one
not ok 2 a|b (c) [d]
# unsteady: it passes when it runs once more
# why
not ok 3 e
status 1')"
tap_check "what failed runs alone" "$(sed -n 2p "$tap_dir/arguments" |
	grep -vxF -e '--tap --filter ^(a\|b \(c\) \[d\]|e)$ file.bats')"

: >"$tap_dir/second"
tap_check "a second run that says nothing takes nothing away" "$(is '1..3
ok 1 one
not ok 2 a|b (c) [d]
# why
not ok 3 e
status 1')"

printf '%s\n' 1..2 'not ok 1 setup_file failed' >"$tap_dir/first"
tap_check "a file that cannot begin runs once" "$(is '1..2
not ok 1 setup_file failed
status 1'; sed 1d "$tap_dir/arguments")"

: >"$tap_dir/first"
tap_check "nothing at all is passed on" "$(is 'status 0')"
tap_end
