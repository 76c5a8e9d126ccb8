# SPDX-License-Identifier: MIT
# debug_files.bash - a program whose debug data is in many places, and what llvm-symbolizer
# and addr2line say of it.

setup_file()
{
	bin=$BATS_FILE_TMPDIR
	make_program whole -g
	# The debug data is elsewhere, or of another form; the code is the same.
	objcopy --only-keep-debug "$bin/whole" "$bin/whole.debug"
	objcopy --strip-all "$bin/whole" "$bin/stripped"
	# The same source with another build-id, its functions elsewhere.
	make_program foreign -g -O1 -DFOREIGN
	objcopy --only-keep-debug "$bin/foreign" "$bin/foreign.debug"
	code_addresses "$bin/whole" >"$bin/addresses"
	# Newer tools name the cold part of f, f.cold, as the linker does.
	local without_cold='s/^\([a-z_0-9]*\)\.cold$/\1/'
	if command -v llvm-symbolizer >/dev/null; then
		llvm-symbolizer --functions=linkage --obj="$bin/whole" \
			<"$bin/addresses" | sed "$without_cold" >"$bin/by_llvm"
	fi
	addr2line -fi -a -e "$bin/whole" <"$bin/addresses" |
		sed "s/ (discriminator.*//; $without_cold" >"$bin/by_addr2line"
}

# make_program NAME FLAG...
make_program()
{
	local name=$1
	shift
	$CC -O2 -Wl,--build-id "$@" -o "$bin/$name" "$programs/grouped.c"
}

# The addresses of the instructions of the program's own functions.
code_addresses()
{
	objdump -d --no-show-raw-insn "$1" | awk '
		/^$/ { own = 0 }
		/<(by_.*|on_usr1|in_handler|main)>:$/ { own = 1; next }
		own && /:/ && $2 != "nop" && $2 != "nopw" && $2 != "nopl" &&
			$2 != "cs" && $2 != "data16" && $2 != "xchg" &&
			!/lea +(0x0)?\(%esi/ {
			sub(/:.*/, "", $1); print "0x" $1 }'
}

build_id()
{
	readelf -nW "$1" | sed -n 's/.*Build ID: //p'
}

# pack NAME [other]: NAME.dwp, a package of the one unit in NAME.dwo, as dwp(1) makes it, which
# cannot of DWARF 5 everywhere.  NAME.dwo goes.  Of another unit, if it is to be one.
pack()
{
	python3 - "$1.dwo" "${2-}" <<-'END'
		import re, struct, subprocess, sys
		def run(*words):
		    return subprocess.run(words, capture_output=True, text=True).stdout
		info = run("readelf", "--debug-dump=info", sys.argv[1])
		version = int(re.search(r"Version:\s+(\d)", info).group(1))
		id = re.search(r"DWO ID:\s+0x([0-9a-f]+)|GNU_dwo_id\s*:\s*0x([0-9a-f]+)", info)
		id = int(id.group(1) or id.group(2), 16) ^ bool(sys.argv[2])
		kinds = {".debug_info.dwo": 1, ".debug_abbrev.dwo": 3, ".debug_line.dwo": 4,
		         ".debug_str_offsets.dwo": 6}
		kinds.update({".debug_loclists.dwo": 5, ".debug_rnglists.dwo": 8}
		             if version == 5 else {".debug_loc.dwo": 5})
		sizes = {}
		for line in run("readelf", "-SW", sys.argv[1]).splitlines():
		    words = line.replace("[", " ").replace("]", " ").split()
		    if len(words) > 5 and words[1] in kinds:
		        sizes[kinds[words[1]]] = int(words[5], 16)
		columns = len(sizes)
		head = (struct.pack("<HH", 5, 0) if version == 5 else struct.pack("<I", 2)) + \
		    struct.pack("<III", columns, 1, 2)
		slot = id & 1
		ids = [0, 0]; rows = [0, 0]
		ids[slot] = id; rows[slot] = 1
		open("index", "wb").write(head + struct.pack("<QQII", *ids, *rows) +
		    struct.pack("<%dI" % columns, *sizes) + bytes(4 * columns) +
		    struct.pack("<%dI" % columns, *sizes.values()))
	END
	objcopy --add-section .debug_cu_index=index "$1.dwo" "$1.dwp"
	rm "$1.dwo"
}

# put_by_build_id DEBUG_FILE ID FOLDER: the way distributions do.
put_by_build_id()
{
	mkdir -p "$3/.build-id/${2:0:2}"
	cp "$1" "$3/.build-id/${2:0:2}/${2:2}.debug"
}

setup()
{
	needs objcopy addr2line objdump readelf
	export HOME=$BATS_TEST_TMPDIR/home
	export DEBUGINFOD_CACHE_PATH=$BATS_TEST_TMPDIR/cache
	unset DEBUGINFOD_URLS DEBUGINFOD_PROGRESS LD_PRELOAD
	mkdir "$HOME"
	cd "$BATS_TEST_TMPDIR"
	id=$(build_id "$bin/whole")
	foreign=$(build_id "$bin/foreign")
	[ "$(wc -l <"$bin/addresses")" -gt 40 ]
}

teardown()
{
	[ -z "${server-}" ] || kill "$server"
}

# ask MODULE [OPTION...]: all addresses of it, in the form of llvm-symbolizer.
ask()
{
	local module=$1
	shift
	sed "s|^|$module+|" "$bin/addresses" >questions
	observe timeout 60 "$whocallme" resolve --serve "$@" <questions
	expect_status 0
	[ ! -s "$err" ] || blame "something on stderr"
}

# The answers are those for the program as it was linked, and there is no complaint.
same_as_linked()
{
	diff "$bin/by_addr2line" <(in_form_of_addr2line)
	[ ! -e "$bin/by_llvm" ] || diff "$bin/by_llvm" "$out"
	grep -q '^innermost$' "$out"
}

in_form_of_addr2line()
{
	local address
	exec 3<"$out"
	while read -r address; do
		printf '0x%0*x\n' "$digits" "$address"
		while read -r line <&3 && [ -n "$line" ]; do
			case $line in
			/*:*:*) echo "${line%:*}" ;;
			*) echo "$line" ;;
			esac
		done
	done <"$bin/addresses"
	exec 3<&-
}

# No answer has a line, and the first says why.
refused()
{
	refute grep -q -E '^[^!].*\.c:[0-9]' "$out"
	grep -q -E "^! .*$1" "$out" || blame "no word of: $1"
	# Once a file.
	[ "$(grep -c '^! ' "$out")" -eq 1 ] || blame "more than one complaint"
}
