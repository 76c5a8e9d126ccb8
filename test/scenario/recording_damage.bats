#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# recording_damage.bats - what is left of a damaged recording is shown, with a word on it.

load support
load recording.bash

setup_file()
{
	command -v uftrace >/dev/null || return 0 # setup says it
	make_recordings
}

# copy NAME: $copy is a recording to be damaged, $dat the file of its main task.
copy()
{
	copy=$BATS_TEST_TMPDIR/$1
	cp -r "$bin/$1.data" "$copy"
	dat=$(find "$copy" -name '[0-9]*.dat' | head -n 1)
}

@test "zeros at the end of a file, behind half a record or not, are no damage" {
	for begun in 0 8; do
		rm -rf "${copy-}"
		copy pg-tree
		dd if="$dat" of="$dat" bs=1 count=$begun conv=notrunc oflag=append \
			skip=$(($(wc -c <"$dat") - 16)) status=none
		truncate -s +100000 "$dat"
		observe "$whocallme" replay --demangle=no "$copy"
		expect_status 0
		[ ! -s "$err" ]
		ours replay pg-tree | diff -u - "$out"
	done
}

@test "a file cut short: what is whole is shown, status 1" {
	copy pg-tree
	truncate -s -8 "$dat"
	observe "$whocallme" replay "$copy"
	expect_status 1
	err_has 'cut short within a record$'
	diff <(ours replay pg-tree | calls | sed '$d') <(calls <"$out")
}

@test "data of the last record cut short: said where it can be seen" {
	local options
	$CC -g -O0 -pg -w -o "$bin/values" "$programs/values.c"
	for options in '-R main@retval' '-R text@retval/s' '-A .@arg1 -R .@retval'; do
		# shellcheck disable=SC2086 # several
		record values $options "$bin/values"
		for cut in 1 4 8 12 16 20 24 32 36 40 48 60; do
			copy values
			truncate -s "-$cut" "$dat"
			observe "$whocallme" replay "$copy"
			if [ $((cut % 8)) -ne 0 ]; then
				expect_status 1
				err_has 'cut short within a record$'
			fi
			! grep -q 'no records' "$err" || blame "$cut bytes of $options"
			rm -r "$copy"
		done
	done
	record values -R main@retval "$bin/values"
	copy values
	truncate -s -8 "$dat"
	observe "$whocallme" replay "$copy"
	expect_status 1
	err_has 'cut short within a record$'
	rm -r "$copy"
	# The last text.
	record values -R main@retval -R text@retval/s "$bin/values" "$(seq -s- 20)"
	copy values
	python3 - "$dat" <<-'END'
		import sys
		data = open(sys.argv[1], "rb").read()
		text = data.rindex(b"1-2-3-4-5-6")
		open(sys.argv[1], "wb").write(data[:text - 2 + 16])
	END
	observe "$whocallme" replay "$copy"
	expect_status 1
	err_has 'cut short within a record$'
}

@test "garbage in a file is passed over and said" {
	copy pg-tree
	python3 - "$dat" <<-'END'
		import sys
		data = open(sys.argv[1], "rb").read()
		open(sys.argv[1], "wb").write(data[:160] + b"\0" * 24 + b"\xff" * 64 +
		                              data[160:])
	END
	observe "$whocallme" report --demangle=no "$copy"
	expect_status 1
	err_has ': 88 bytes from offset 160 on are no records; passed over$'
	ours report pg-tree | diff -u - "$out"
}

@test "behind garbage a record of a later month is none" {
	cd "$BATS_TEST_TMPDIR"
	make_rec <<-'END'
		call(1, 0, 0, 0x100000)
		files[1].append(b"\xff" * 16)
		call(1, 30 * 24 * 3600 * 10**9, 1, 0x200000)
		leave(1, 5000, 0, 0x100000)
	END
	observe "$whocallme" report --json rec
	expect_status 1
	err_has ': 32 bytes from offset 16 on are no records; passed over$'
	out_has '"total":5000,"self":5000,"calls":1,'
}

@test "missing files: what is left is shown" {
	local file
	for file in info task.txt sid-*.map pg.sym; do
		copy pg-tree
		# shellcheck disable=SC2086 # a pattern
		rm "$copy"/$file
		observe "$whocallme" report "$copy"
		out_has ' 31  (tree|<[0-9a-f]+>)$'
		case $file in
		info | task.txt) out_has ' 31  tree$' && expect_status 1 ;;
		sid*) err_has 'cannot be read; its functions have no names' ;;
		*) out_has ' 31  tree$' && expect_status 0 ;; # in the program's file
		esac
		rm -r "$copy"
	done
}

@test "a pipe in a file's place is not waited for" {
	local file command
	for file in info task.txt sid-*.map pg.sym "$(cd "$bin/pg-tree.data" && echo [0-9]*.dat)"; do
		copy pg-tree
		# shellcheck disable=SC2086 # a pattern
		set -- "$copy"/$file
		rm "$1"
		mkfifo "$1"
		for command in replay report flame chrome graph; do
			observe timeout 10 "$whocallme" $command "$copy"
			[ "$status" -le 1 ] || blame "$command waits for $file"
		done
		case $file in
		info) err_has 'file info: it is no regular file; going on without it$' ;;
		*.dat) err_has '\.dat: it is no regular file$' ;;
		esac
		rm -r "$copy"
	done
	# The module's own file, and the interpreter of what is to be traced.
	copy pg-tree
	mkfifo "$BATS_TEST_TMPDIR/module"
	sed -i "s|/[^ ]*/pg\\b|$BATS_TEST_TMPDIR/module|" "$copy"/sid-*.map
	rm "$copy"/pg.sym
	observe timeout 10 "$whocallme" report "$copy"
	[ "$status" -le 1 ]
	chmod +x "$BATS_TEST_TMPDIR/module"
	printf '#!%s\n' "$BATS_TEST_TMPDIR/module" >"$BATS_TEST_TMPDIR/script"
	chmod +x "$BATS_TEST_TMPDIR/script"
	observe timeout 10 "$whocallme" trace "$BATS_TEST_TMPDIR/script"
	[ "$status" -ge 125 ] && [ "$status" -le 126 ] || blame "it waits"
}

@test "task.txt of old versions is read, as uftrace does" {
	copy pg-exec
	sed -i '/^SESS/s/ pid=/ tid=/' "$copy/task.txt"
	observe "$whocallme" replay --demangle=no "$copy"
	expect_status 0
	uftrace replay --no-pager --demangle=no -d "$copy" |
		awk -f "$top_srcdir/test/trace/narrow_tids.awk" | diff -u - "$out"
	ours replay pg-exec | diff -u - "$out"
}

@test "symbols by the executable's own addresses, as old versions had them" {
	local base
	$CC -g -O0 -pg -no-pie -w -o "$bin/values" "$programs/values.c"
	record values "$bin/values"
	copy values
	base=$(readelf -lW "$bin/values" | awk '$1 == "LOAD" { print $3; exit }')
	python3 - "$copy" "$base" <<-'END'
		import struct, sys
		info = bytearray(open(sys.argv[1] + "/info", "rb").read())
		info[16] &= ~0x20  # symbols relative to their modules
		open(sys.argv[1] + "/info", "wb").write(info)
		lines = open(sys.argv[1] + "/values.sym").readlines()
		with open(sys.argv[1] + "/values.sym", "w") as file:
		    for line in lines:
		        if line[0] != "#":
		            address, rest = line.split(" ", 1)
		            line = f"{int(address, 16) + int(sys.argv[2], 16):016x} {rest}"
		        file.write(line)
	END
	observe "$whocallme" replay "$copy"
	expect_status 0
	ours replay values | diff -u - "$out"
}

@test "what task.txt says in words of another time is not passed over in silence" {
	copy pg-tree
	sed -i '/^SESS/s/ pid=/ process=/' "$copy/task.txt"
	observe "$whocallme" report "$copy"
	expect_status 1
	err_has ': task.txt: line 1 says nothing that is known; 1 such in all$'
	err_has ': no program is known of task [0-9]+; its functions have no names$'
	copy pg-exec
	sed -i '1iPERF timestamp=1.0 tid=7' "$copy/task.txt"
	observe "$whocallme" report "$copy"
	err_has ': task.txt: line 1 says nothing that is known; 1 such in all$'
	out_has ' [a-z_]+$'
}

@test "another byte order, another format: refused with a word" {
	copy pg-tree
	printf '\2' | dd of="$copy/info" bs=1 seek=14 conv=notrunc status=none
	observe "$whocallme" report "$copy"
	expect_status 1
	err_has 'big-endian'
	printf '\1' | dd of="$copy/info" bs=1 seek=14 conv=notrunc status=none
	printf '\77' | dd of="$copy/info" bs=1 seek=8 conv=notrunc status=none
	observe "$whocallme" report "$copy"
	expect_status 1
	err_has 'format 63 is not known'
}

@test "lost events are shown; calls around them keep their depth" {
	copy pg-tree
	local base
	base=$(sed -n 's/^\([0-9a-f]*\)-.* .*pg build-id.*/0x\1/p' "$copy"/sid-*.map)
	local main leaf
	main=$((base + 0x$(sed -n 's/ .*\<T main$//p' "$copy/pg.sym")))
	leaf=$((base + 0x$(sed -n 's/ .*\<t leaf$//p' "$copy/pg.sym")))
	"$judge" dat "$dat" "enter 1000000000000000 0 $main" \
		"lost 1000000000001000 7" "enter 1000000000002000 1 $leaf" \
		"exit 1000000000003000 1 $leaf" "exit 1000000000005000 0 $main"
	observe "$whocallme" replay "$copy"
	expect_status 0
	sed 's/\[.*\]/[]/' "$out" >"$bin/lost"
	diff -u - "$bin/lost" <<-'END'
		# DURATION     TID     FUNCTION
		            [] | main() {
		            [] |     /* LOST 7 records!! */
		   1.000 us [] |   leaf();
		   5.000 us [] | } /* main */
	END
}

@test "records that go back in time give no negative durations" {
	copy pg-tree
	"$judge" dat "$dat" 'enter 5000 0 0x1000' 'enter 4000 1 0x2000' \
		'exit 3000 1 0x2000' 'exit 6000 0 0x1000'
	observe "$whocallme" report "$copy"
	expect_status 1
	err_has '2 records go back in time'
	out_has '^    1.000 us .* 1  <1000>$'
}

@test "names that a terminal would obey are escaped" {
	copy pg-tree
	sed -i "s/ t tree\$/ t tr\x1b[31mee/" "$copy/pg.sym"
	observe "$whocallme" report "$copy"
	out_has ' 31  tr\\x1b\[31mee$'
}

@test "damage at random: never a crash, a hang or a wrong status" {
	local seed command
	for seed in $(seq 60); do
		copy "$(names tree threads plugin exec | sed -n "$((seed % 8 + 1))p")"
		"$judge" damage "$copy" "$seed"
		for command in replay report flame chrome graph; do
			observe timeout 20 "$whocallme" $command "$copy"
			[ "$status" -le 1 ] || blame "$command, seed $seed"
			[ $command != chrome ] || [ ! -s "$out" ] ||
				"$judge" chrome-damaged "$out" ||
				blame "chrome, seed $seed"
		done
		rm -r "$copy"
	done
}
