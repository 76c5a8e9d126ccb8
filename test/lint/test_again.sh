#!/bin/sh
# SPDX-License-Identifier: MIT
# test_again.sh - what fails once is unsteady, what fails twice has failed.
. "$top_srcdir/test/support/tap.sh"

tap_make_dir
again=$top_srcdir/test/support/again

# bats: prints the file "first", then the file "second", and fails if a test there has.
cat >"$tap_dir/bats" <<'SCRIPT'
#!/bin/sh
cd "$(dirname "$0")" || exit
[ ! -e ran ] || set -- "$@" second
touch ran
for output; do :; done
[ "$output" = second ] || output=first
echo "$*" >>arguments
cat $output
[ ! -e ends ] || [ $output = first ] || exit "$(cat ends)"
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
printf '%s\n' 1..2 'ok 1 a|b (c) [d]' 'ok 2 e' >"$tap_dir/second"
unsteady='# unsteady: it passed the second time; the first time:'
tap_check "what passes the second time is unsteady" "$(is "1..3
ok 1 one
ok 2 a|b (c) [d]
$unsteady
# why
ok 3 e
$unsteady
status 0")"
tap_check "what failed runs alone" "$(sed -n 2p "$tap_dir/arguments" |
	grep -vxF -e '--tap --filter ^(a\|b \(c\) \[d\]|e)$ file.bats second')"

printf '%s\n' 1..2 'ok 1 a|b (c) [d]' 'not ok 2 e' >"$tap_dir/second"
tap_check "what fails twice has failed" "$(is "1..3
ok 1 one
ok 2 a|b (c) [d]
$unsteady
# why
not ok 3 e
status 1")"

printf '%s\n' 1..1 'ok 1 e # skip not now' >"$tap_dir/second"
tap_check "what is skipped the second time has failed" "$(is '1..3
ok 1 one
not ok 2 a|b (c) [d]
# why
not ok 3 e
status 1')"

failed='1..3
ok 1 one
not ok 2 a|b (c) [d]
# why
not ok 3 e
status 1'
: >"$tap_dir/second"
tap_check "a second run that says nothing passes nothing" "$(is "$failed")"
printf '%s\n' 1..2 'ok 1 a|b (c) [d]' 'ok 2 e' >"$tap_dir/second"
echo 139 >"$tap_dir/ends"
tap_check "so does one that is killed" "$(is "$failed")"
rm "$tap_dir/ends"
printf '%s\n' 1..2 'ok 1 a|b (c) [d]' 'ok 2 e' 'not ok 3 teardown_file failed' >"$tap_dir/second"
tap_check "so does one that cannot end" "$(is "$failed")"

printf '%s\n' 1..2 'not ok 1 setup_file failed' >"$tap_dir/first"
printf '%s\n' 1..1 'ok 1 e' >"$tap_dir/second"
tap_check "where the file could not begin, all of it runs" "$(is '1..1
ok 1 e
# unsteady: what all tests of the file share failed, and did not the second time
status 0'; sed 1d "$tap_dir/arguments" | grep filter)"

: >"$tap_dir/first"
tap_check "nothing at all is passed on" "$(is 'status 0')"
tap_end
