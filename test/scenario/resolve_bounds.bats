#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# resolve_bounds.bats - what whocallme resolve does not take, and does not wait for.

load support

judge="python3 $top_srcdir/test/scenario/lines.py"

setup_file()
{
	bin=$BATS_FILE_TMPDIR
	compile "$bin/twin.o" "$programs/twin.c" -O2
	build lines lines.c -O2 -- "$bin/twin.o"
}

setup()
{
	ulimit -S -c 0
	export NO_COLOR=
	text=$BATS_TEST_TMPDIR/text
}

resolve()
{
	observe timeout 60 "$whocallme" resolve "$@"
}

@test "resolve: an address that is not written as one, a binary: how it is" {
	local argument
	resolve "$bin/lines" 0x1200
	expect_status 1
	[ ! -s "$out" ] || blame "something was written"
	expect_err "whocallme resolve: $bin/lines: no report, but a binary; an address in it is FILE+0xADDRESS" \
		'whocallme resolve: 0x1200: no such file, and no address, which is FILE+0xADDRESS'
	for argument in "$bin/lines+1200" +0x10 "$bin/lines+"; do
		resolve "$argument"
		expect_status 1
		[ "$argument" = "$bin/lines+" ] ||
			err_has "^whocallme resolve: .* no address, which is FILE\+0xADDRESS$"
	done
}

@test "resolve: an address in a file that cannot be read: status 1" {
	resolve /none+0x10 "$bin/lines+0x0"
	expect_status 1
	out_has '^   \(/none: No such file or directory\)$'
	resolve < <(echo "$programs/twin.c+0x1")
	expect_status 1
	out_has '^   \(.*twin\.c is not an ELF file\)$'
	resolve "$bin/lines+0x0"
	expect_status 0
}

@test "resolve: an input of any length takes little memory" {
	needs python3
	not_sanitized "it takes address space"
	local most=300000000
	head -c 400000000 /dev/zero | $judge limit $most "$whocallme" resolve |
		cmp - <(head -c 400000000 /dev/zero)
	head -c 100000000 /dev/zero | $judge limit $most "$whocallme" resolve --serve |
		cmp - <(printf '??\n??:0:0\n\n')
	yes "$(printf '#1 0x1 in f+0x1 (/x)\n')" | head -c 90000000 >"$text"
	sed -i '1s/#1/<whocallme>: x: SIGSEGV, x: x\n#0/' "$text"
	# shellcheck disable=SC2086 # a command
	observe $judge limit $most "$whocallme" resolve "$text"
	expect_status 1
	err_has "^whocallme resolve: $text:[0-9]*: more than 64 MiB: a report stays as it is$"
	cmp "$out" "$text"
}

@test "resolve, group: no more of JSON is read than a report may have" {
	needs python3
	not_sanitized "it takes address space"
	{
		echo text
		printf '{"version":1,"x":[0'
		yes ,1 | head -c 30000000 | tr -d '\n'
		echo ']}'
		echo '{"a":1}'
	} >"$text"
	# shellcheck disable=SC2086 # a command
	observe $judge limit 300000000 "$whocallme" resolve "$text"
	expect_status 1
	expect_err "whocallme resolve: $text:2: more than 8 MiB: an object stays as it is"
	cmp "$out" "$text"
	# shellcheck disable=SC2086 # a command
	observe $judge limit 300000000 "$whocallme" group "$text"
	expect_status 1
	expect_err "whocallme group: $text: 1 line of JSON passed over: more than 8 MiB" \
		"whocallme group: $text: 2 lines passed over: no report"
}

@test "resolve: reports of many modules take no long time" {
	needs python3
	python3 -c '
import json
most, few = 100000, 20000
print("<whocallme>: x: SIGSEGV, x: x")
for i in range(most):
    print("#%d 0x%016x in f+0x1 (/none/%d+0x%x)" % (i, i * 4096 + 1, i % 777, i))
print("modules:")
for i in range(most, 2 * most):
    print("  0x%x-0x%x bias 0x0 build-id none /none/%d" % (i << 12, (i + 1) << 12, i))
frames = [{"number": i, "pc": hex(i << 12), "module": "/none/%d" % (i % 777),
           "module_offset": hex(i)} for i in range(few)]
modules = [{"start": hex(i << 12), "end": hex((i + 1) << 12), "bias": "0x0",
            "path": "/none/1"} for i in range(few, 2 * few)]
print(json.dumps({"version": 1, "name": "x", "process": 1, "signal": {}, "cause": {},
    "stack": {"frames": frames}, "modules": modules,
    "numbers": ["~number %d~" % i for i in range(few)] + [1.5]}))' >"$text"
	observe timeout 30 "$whocallme" resolve "$text"
	expect_status 0
	[ "$(grep -c '^   (/none' "$out")" -ge 700 ]
}

@test "resolve --serve: questions that are none, and the end" {
	observe timeout 20 "$whocallme" resolve --serve < <(printf 'x\n\n+0x1\n/none+0x1\nx')
	expect_status 0
	[ "$(grep -c '^$' "$out")" -eq 5 ]
	[ "$(grep -c '^??:0:0$' "$out")" -eq 5 ]
	[ ! -s "$err" ]
	# Nobody reads the answers any more.
	observe sh -c "{ echo x; sleep 0.3; yes '$bin/lines+0x0'; } 2>/dev/null |
		{ timeout 20 '$whocallme' resolve --serve; echo \$? >'$bin/rc'; } | head -n 1"
	[ "$(cat "$bin/rc")" = 0 ]
	[ ! -s "$err" ] || blame "something was said"
}

@test "resolve: files that cannot be read, usage errors, a full disk" {
	resolve /none "$bin" "$programs/twin.c"
	expect_status 1
	cmp "$out" "$programs/twin.c"
	err_has '^whocallme resolve: /none: No such file or directory$'
	err_has "^whocallme resolve: $bin: Is a directory$"
	local arguments
	for arguments in --nonsense --source=x --source=-1 --source=99999 --source= \
		--color=x --color= --debug-dir '--serve x'; do
		# shellcheck disable=SC2086 # two words
		resolve $arguments </dev/null
		expect_status 2 || blame "arguments: $arguments"
		[ -s "$err" ] && [ ! -s "$out" ] || blame "arguments: $arguments"
	done
	observe sh -c "exec '$whocallme' resolve '$programs/twin.c' >/dev/full"
	expect_status 1
	err_has '^whocallme resolve: standard output: No space left on device$'
	observe sh -c "exec '$whocallme' resolve <&-"
	expect_status 1
	resolve --help
	expect_status 0
	out_has '^Usage: whocallme resolve '
}

@test "resolve --serve: a server that says nothing, and the program is killed" {
	needs python3
	local id=0123456789abcdef0123456789abcdef01234567
	DEBUGINFOD_CACHE_PATH=$BATS_TEST_TMPDIR/cache \
		$judge orphan "$id+0x1" "$whocallme" resolve --serve
}

@test "resolve --serve: half of the memory, and where there is none it is the first to go" {
	not_sanitized "its runtime takes more than there is"
	local half limit
	cd "$BATS_TEST_TMPDIR"
	mkfifo questions
	"$whocallme" resolve --serve <questions >answers &
	exec 4>questions
	echo >&4
	until [ -s answers ]; do sleep 0.05; done
	half=$(awk '/^MemTotal/ { print int($2 / 2) }' /proc/meminfo)
	limit=$(awk '/^Max data size/ { print $4 }' /proc/$!/limits)
	[ "$limit" -le $((half * 1024 + 65536)) ] || blame "limit: $limit"
	[ "$(cat /proc/$!/oom_score_adj)" -eq 1000 ] || blame 'spared by the kernel'
	exec 4>&-
	wait $!
}
