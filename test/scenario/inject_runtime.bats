#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# inject_runtime.bats - the runtime of the plugin for gcc, called by hand: every line is whole and
# in the log, and the program never notices.
load support.bash

archive=$top_builddir/libwhocallme-inject.a
line='^ev=entry fn=[a-z-]+_[0-9]+_[0-9]+ ip=0x[0-9a-f]{16} tid=0x[0-9a-f]{16}$'

setup_file()
{
	[ -e "$archive" ] || skip "the runtime is not built on this CPU"
	inject_program() # NAME FLAG...
	{
		local name=$1
		shift
		$CC -O1 -Wall -Wextra -Werror -pthread "$@" -o "$bin/$name" \
			"$programs/inject_events.c" "$archive"
	}
	inject_program events -fPIE -pie
	inject_program fixed -fno-PIE -no-pie
	inject_program named -DTRACER_PATH="\"$bin/named.log\""
	[ -n "${STATIC_LACKS-}" ] || inject_program static -static
	[ -n "${STATIC_LACKS-}" ] || inject_program static-pie -static-pie
}

setup()
{
	cd "$BATS_TEST_TMPDIR"
	log=$BATS_TEST_TMPDIR/log
}

events()
{
	WHOCALLME_INJECT=$log "$bin/events" "$@"
}

# whole FILE COUNT: it has so many lines, each an event's, and each of another event.
whole()
{
	[ -z "$(grep -vE "$line" "$1")" ]
	[ "$(wc -l <"$1")" = "$2" ]
	[ "$(cut -d' ' -f2 "$1" | sort -u | wc -l)" = "$2" ]
}

@test "it needs nothing: no symbol, no relocation, no thread-local variable, no vector" {
	ld -r -o "$bin/whole.o" --whole-archive "$archive"
	[ -z "$(nm -u "$bin/whole.o")" ]
	# All but its own names are local or hidden.
	[ -z "$(readelf -sW "$bin/whole.o" | awk '$5 != "LOCAL" && NR > 4 && $6 != "HIDDEN"')" ]
	# Within the object by distances alone, so that a linked object has none at all.
	$CC -shared -nostdlib -o "$bin/whole.so" "$bin/whole.o"
	readelf -rW "$bin/whole.so" | grep -q "no relocations"
	readelf -SW "$bin/whole.o" | { ! grep -E ' \.(got|plt|tdata|tbss|init_array|ctors)'; }
	case $HOST_CPU in
	x86_64)
		objdump -d "$bin/whole.o" | { ! grep -E '%([xyz]mm|st|mm|fs|gs)|@PLT|@GOT'; }
		;;
	esac
}

@test "the other ports need nothing, either, and write the same lines" {
	local cpu tried=no emulator
	for cpu in aarch64 riscv64; do
		command -v $cpu-linux-gnu-gcc || continue
		local -a flags=()
		[ $cpu = riscv64 ] || flags=(-mgeneral-regs-only -mno-outline-atomics)
		local -a objects=()
		for file in write put place; do
			$cpu-linux-gnu-gcc -O2 -std=gnu11 -fPIC -ffreestanding -fno-stack-protector \
				"${flags[@]}" -fvisibility=hidden -D_GNU_SOURCE \
				-D_FILE_OFFSET_BITS=64 -I"$top_srcdir/whocallme" \
				-I"$top_srcdir/whocallme/core/arch/$cpu" -c -o "$bin/$cpu-$file.o" \
				"$top_srcdir/plugin/runtime/inject_$file.c"
			objects+=("$bin/$cpu-$file.o")
		done
		$cpu-linux-gnu-gcc -shared -nostdlib -o "$bin/$cpu.so" "${objects[@]}"
		readelf -rW "$bin/$cpu.so" | grep -q "no relocations"
		[ -z "$(readelf -sW "$bin/$cpu.so" | awk '$7 == "UND" && $8 != ""')" ]
		emulator=$(command -v qemu-$cpu-static || command -v qemu-$cpu) || continue
		$cpu-linux-gnu-gcc -O1 -static -pthread -o "$bin/$cpu" \
			"$programs/inject_events.c" "${objects[@]}"
		rm -f "$log"
		WHOCALLME_INJECT=$log "$emulator" "$bin/$cpu" threads 4 500
		whole "$log" 2000
		tried=yes
	done
	[ $tried = yes ] || skip "there is no compiler for another port, or no emulator"
}

@test "it does not call itself where it is instrumented by mistake" {
	for file in write put place; do
		for level in -O0 -O2; do
			$CC $level -finstrument-functions -fPIC -ffreestanding -std=gnu11 \
				-D_FILE_OFFSET_BITS=64 -include "$top_builddir/config.h" \
				-I"$top_srcdir/whocallme" \
				-I"$top_srcdir/whocallme/core/arch/${HOST_CPU}" -c \
				-o "$bin/mistake.o" "$top_srcdir/plugin/runtime/inject_$file.c"
			[ -z "$(nm "$bin/mistake.o" | grep __cyg_profile)" ]
		done
	done
}

@test "all registers and flags are kept" {
	[ "$HOST_CPU" = x86_64 ] || skip "the program is of another CPU"
	$CC -O1 -o "$bin/registers" "$programs/inject_registers.c" \
		"$programs/inject_registers.S" "$archive"
	WHOCALLME_INJECT=$log run "$bin/registers"
	echo "$output"
	[ "$status" = 0 ]
	[ "$(wc -l <"$log")" = 9 ]
}

@test "16 threads, a million events: every line is whole and there once" {
	events threads 16 62500
	whole "$log" 1000000
	[ "$(grep -o 'tid=.*' "$log" | sort -u | wc -l)" = 16 ]
	# Each thread's are in order.
	[ "$(grep 'fn=thread_7_' "$log" | cut -d' ' -f2 | cut -d_ -f3)" = "$(seq 0 62499)" ]
}

# The kernel gives up a write of a process that is killed where it goes on to another page of the
# file: it cuts the line that was being written, and no other.
@test "16 threads killed by SIGKILL: every line is whole, but one at the end of a page" {
	for turn in 1 2 3; do
		WHOCALLME_INJECT=$log "$bin/events" threads 16 1000000 3>&- &
		local program=$!
		sleep "0.$turn"
		kill -KILL $program
		wait $program || [ $? = 137 ]
		[ -s "$log" ]
		[ -z "$(head -n -1 "$log" | grep -vE "$line")" ]
		[ -z "$(tail -c 1 "$log")" ] || [ $(($(stat -c %s "$log") % 4096)) = 0 ]
		rm "$log"
	done
}

@test "handlers that interrupt it, from the first event on" {
	for turn in $(seq 20); do
		rm -f "$log"
		run events timer 1 200
		[ "$status" = 0 ]
		whole "$log" $((200 + output))
	done
	rm -f "$log"
	run events timer 1 100000
	[ "$output" -gt 100 ]
	whole "$log" $((100000 + output))
}

@test "forks of four threads, and vforks whose children close the log" {
	events fork 1 100
	whole "$log" 800
	rm "$log"
	events vfork 1 300
	whole "$log" 600
}

@test "descriptors that the program closes, and others that take the number" {
	events closed "$BATS_TEST_TMPDIR/ours"
	whole "$log" 3
	(ulimit -n 64; rm "$log"; events one 1 1)
	whole "$log" 1
}

@test "stderr: it is the default, and is not written to when it is another file" {
	"$bin/events" stderr "$BATS_TEST_TMPDIR/ours" 2>"$BATS_TEST_TMPDIR/error"
	whole "$BATS_TEST_TMPDIR/error" 1
	"$bin/events" one 1 1 2>&-
	"$bin/events" threads 4 100 2>"$BATS_TEST_TMPDIR/error"
	whole "$BATS_TEST_TMPDIR/error" 400
}

@test "a full disk, a limit of a file's size, and the line that was cut there" {
	WHOCALLME_INJECT=/dev/full "$bin/events" threads 4 1000
	events limit
	[ "$(wc -l <"$log")" = 4 ]
	[ "$(sed -n 3p "$log")" = "ev=entry f" ]
	sed -i 3d "$log"
	whole "$log" 3
}

@test "a pipe that nobody reads, one that is full at times, and a FIFO" {
	"$bin/events" no-reader
	"$bin/events" slow-reader 1 2000 >"$BATS_TEST_TMPDIR/read"
	whole "$BATS_TEST_TMPDIR/read" 2000
	mkfifo "$log"
	timeout 10 "$bin/events" one 1 1 2>/dev/null
	WHOCALLME_INJECT=$log timeout 10 "$bin/events" one 1 1 2>"$BATS_TEST_TMPDIR/error"
	whole "$BATS_TEST_TMPDIR/error" 1
	timeout 10 cat "$log" >"$BATS_TEST_TMPDIR/read" &
	local reader=$!
	sleep 0.2
	events threads 4 100
	wait $reader
	whole "$BATS_TEST_TMPDIR/read" 400
}

@test "the name of the log: environment, the program's own, no links, no other's eyes" {
	(umask 0; events one 1 1)
	[ "$(stat -c %a "$log")" = 600 ]
	rm -f "$bin/named.log"
	"$bin/named" one 1 1
	whole "$bin/named.log" 1
	WHOCALLME_INJECT= "$bin/named" one 1 2
	WHOCALLME_INJECTED=$log "$bin/named" one 1 3
	whole "$bin/named.log" 3
	WHOCALLME_INJECT=$log "$bin/named" one 1 4
	whole "$log" 2
	# Behind an environment that is larger than what is read at once.
	env -i A="$(head -c 9000 /dev/zero | tr '\0' x)" WHOCALLME_INJECT="$log" \
		"$bin/events" one 1 5
	whole "$log" 3
	ln -s "$log" "$BATS_TEST_TMPDIR/link"
	WHOCALLME_INJECT=$BATS_TEST_TMPDIR/link "$bin/events" one 1 6 2>"$BATS_TEST_TMPDIR/error"
	whole "$log" 3
	whole "$BATS_TEST_TMPDIR/error" 1
	WHOCALLME_INJECT=$(head -c 5000 /dev/zero | tr '\0' x) "$bin/events" one 1 7 \
		2>"$BATS_TEST_TMPDIR/error"
	whole "$BATS_TEST_TMPDIR/error" 1
}

@test "a program that overwrites its environment before the first event has its log" {
	local program count=0
	[ "$HOST_CPU" != riscv64 ] || skip "objects have no _init() here"
	for program in events fixed static static-pie; do
		[ -x "$bin/$program" ] || continue
		WHOCALLME_INJECT=$log "$bin/$program" wiped 1 $((++count)) 2>error
		[ ! -s error ] || blame "$program: $(cat error)"
		whole "$log" $count
	done
	"$bin/named" wiped 1 1
	grep -q 'fn=wiped_1_1' "$bin/named.log"
	# A library's copy, by itself.
	cp "$programs/inject_events.c" library.c
	$CC -w -shared -fPIC -Dmain=library_main -pthread -o libevents.so library.c "$archive"
	echo 'int library_main(int, char **); int main(int n, char **v) { return library_main(n, v); }' |
		$CC -x c -o main - -x none ./libevents.so
	WHOCALLME_INJECT=$log ./main wiped 1 $((++count)) 2>error
	whole "$log" $count
	# Before it a file is not made.
	WHOCALLME_INJECT=$PWD/none "$bin/events" threads 0 0
	[ ! -e none ]
}

@test "a set-user-ID program takes no file from the environment" {
	[ "$EUID" = 0 ] || skip "that is root's to try"
	local dir
	dir=$(mktemp -d /tmp/inject.XXXXXX)
	chmod 755 "$dir"
	cp "$bin/events" "$dir/events"
	chmod 4755 "$dir/events"
	mkdir -m 777 "$dir/open"
	WHOCALLME_INJECT=$dir/open/log setpriv --reuid=65534 --clear-groups "$dir/events" one 1 1 \
		2>"$BATS_TEST_TMPDIR/error"
	local found
	found=$(ls "$dir/open")
	chmod 755 "$dir/events"
	WHOCALLME_INJECT=$dir/open/log setpriv --reuid=65534 --clear-groups "$dir/events" one 1 1
	whole "$dir/open/log" 1
	rm -r "$dir"
	[ -z "$found" ]
	whole "$BATS_TEST_TMPDIR/error" 1
}

# refused LOG: a line of root's goes to stderr, not there.
refused()
{
	WHOCALLME_INJECT=$1 timeout 10 "$bin/events" one 1 1 2>"$BATS_TEST_TMPDIR/error"
	whole "$BATS_TEST_TMPDIR/error" 1 || { echo "$1" && false; }
}

# taken LOG: it goes there.
taken()
{
	rm -f "$log"
	WHOCALLME_INJECT=$1 timeout 10 "$bin/events" one 1 1 2>"$BATS_TEST_TMPDIR/error"
	[ ! -s "$BATS_TEST_TMPDIR/error" ] || { echo "$1" && false; }
}

@test "nothing is written to another user's file, nor by another user's link" {
	[ "$EUID" = 0 ] || skip "that is root's to try"
	local dir place
	dir=$(mktemp -d /tmp/inject.XXXXXX)
	chmod 755 "$dir"
	install -d -o 65534 "$dir/theirs"
	install -d -m 1777 "$dir/sticky"
	install -d -m 777 "$dir/open"
	install -d "$dir/own"
	touch "$dir/own/victim"
	setpriv --reuid=65534 --clear-groups sh -c "cd $dir
		touch theirs/file sticky/file open/file && chmod 666 theirs/file sticky/file open/file
		mkfifo theirs/fifo sticky/fifo && chmod 666 theirs/fifo sticky/fifo
		for place in theirs sticky open; do
			ln -s $dir/own \$place/link && ln -s $dir/own/victim \$place/victim
			ln -s ../own \$place/near
		done
		for place in theirs sticky; do
			timeout 30 cat \$place/fifo >theirs/read-\$place 2>&1 3>&- &
		done"
	ln "$dir/own/victim" "$dir/sticky/hard"
	ln "$dir/own/victim" "$dir/theirs/hard"
	ln -s "$dir/theirs" "$dir/own/to-them"
	ln -s "$dir/open" "$dir/open/mine"
	install -m 666 /dev/null "$dir/own/for-all"
	for place in theirs/file sticky/file open/file theirs/fifo sticky/fifo theirs/link/x \
		sticky/link/x open/link/x theirs/near/x theirs/../theirs/near/x sticky/near/x \
		theirs/victim sticky/victim sticky/hard theirs/hard own/to-them/x open/mine/x \
		own/for-all own own/ "own/none/x" own/victim/x; do
		refused "$dir/$place"
		(cd "$dir" && refused "./$place")
	done
	[ "$(ls "$dir/own")" = "for-all
to-them
victim" ]
	[ ! -s "$dir/own/victim" ] && [ ! -s "$dir/own/for-all" ]
	[ -z "$(find "$dir/theirs" "$dir/sticky" "$dir/open" -type f -size +0)" ]
	# A link in their folder that leads to root's own.
	$CC -O1 -DTRACER_PATH="\"$dir/theirs/link/x\"" -o "$bin/led" "$programs/inject_events.c" \
		"$archive"
	"$bin/led" one 1 1 2>"$BATS_TEST_TMPDIR/error"
	whole "$BATS_TEST_TMPDIR/error" 1
	rm -r "$dir"
}

@test "a log by one's own links, in any folder, and by devices" {
	mkdir -p real/below
	ln -s real one
	ln -s "$PWD/one/below" two
	ln -s two/../below/. three
	ln -s loop loop
	for place in one/a "$PWD/one/a" two/b three/c ./real//below/../d /proc/self/cwd/real/e; do
		taken "$place"
	done
	[ "$(cat real/a real/below/[bc] real/d real/e | wc -l)" = 6 ]
	taken /dev/null
	refused loop/x
	refused "$(printf 'one/../%.0s' {1..60})x"
	taken "$(printf './/%.0s' {1..1000})x"
	refused "$(printf './/%.0s' {1..1365})x"
}

@test "programs that are static, or not position-independent" {
	for program in fixed static static-pie; do
		[ -e "$bin/$program" ] || continue
		rm -f "$log"
		WHOCALLME_INJECT=$log "$bin/$program" threads 4 1000
		whole "$log" 4000
		# The address is that of a call in the program.
		[ "$program" = static-pie ] && continue
		local ip
		ip=$(sed -n '1s/.*ip=0x0*\([^ ]*\) .*/\1/p' "$log")
		objdump -d "$bin/$program" | grep -B1 "^ *$ip:" | grep -q __inject_trace_write
	done
}

@test "shared libraries with copies of their own write to one file" {
	local -a libraries=()
	for library in one two; do
		$CC -O1 -fPIC -shared -DWAY="\"$library\"" -x c - -x none "$archive" \
			-o "$bin/lib$library.so" <<-END
			void __inject_trace_write(const char *, unsigned, unsigned long)
				__attribute__((visibility("hidden")));
			#define PREFIX "ev=entry fn=" WAY "_0_0 ip=0x"
			void $library(void)
			{
				__inject_trace_write(PREFIX, sizeof(PREFIX) - 1, 0);
			}
		END
		[ -z "$(nm -D "$bin/lib$library.so" | grep inject)" ]
		libraries+=("-l$library")
	done
	echo 'void one(void), two(void); int main(void) { one(); two(); one(); return 0; }' |
		$CC -x c - -L"$bin" "${libraries[@]}" -Wl,-rpath,"$bin" -o "$bin/libraries"
	WHOCALLME_INJECT=$log "$bin/libraries"
	[ "$(cut -d' ' -f2 "$log" | paste -sd' ')" = "fn=one_0_0 fn=two_0_0 fn=one_0_0" ]
}
