#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# real.bats - GNU gzip, Lua and SQLite, with the library: do gdb and callgrind say
# the same?

load programs.bash

# A shell of its own, so that the first failure ends it.
build()
{
	bash -euc ". '$BATS_TEST_DIRNAME/programs.bash'; build_$1" \
		>"$work/$1.log" 2>&1 || touch "$work/$1.failed"
}

setup_file()
{
	export work=$BATS_FILE_TMPDIR
	reason_to_skip >"$work/reason"
	[ ! -s "$work/reason" ] || return 0
	build gzip
	build lua
	[ -z "$(tarball sqlite3)" ] && fetch sqlite3
	[ -z "$(tarball sqlite3)" ] || build sqlite
	yes 'the quick brown fox' | head -c 20000 >"$work/input"
	head -c 20000 "$work/gzip/configure" >>"$work/input"
	cat >"$work/sorted.lua" <<-'LUA'
		local asked
		local function less(a, b)
			if not asked then
				asked = true
				math.abs(-1)
			end
			return a < b
		end
		local function inner()
			table.sort({ 3, 1, 2 }, less)
		end
		local run = coroutine.wrap(function()
			assert(pcall(inner))
		end)
		string.gsub("x", "x", function() run() end)
	LUA
}

setup()
{
	[ ! -s "$work/reason" ] || skip "$(cat "$work/reason")"
	cd "$BATS_TEST_TMPDIR"
}

must_have_built()
{
	[ ! -e "$work/$1.failed" ] || { tail -n 20 "$work/$1.log"; false; }
}

quiet_gdb()
{
	gdb -nx -batch -ex 'set width 0' -ex 'set print frame-arguments none' \
		-ex 'set confirm off' -ex 'set debuginfod enabled off' "$@" 2>&1
}

# gdb's frames as "PC NAME"; frame 0 and others that stand at the start of a
# line have no PC and get a minus.
gdb_frames()
{
	sed -n -e 's/^#[0-9]* *0x0*\([0-9a-f]*\) in \([^ ]*\) .*/\1 \2/p;t' \
		-e 's/^#[0-9]* *\([^ ]*\) (.*/- \1/p'
}

# Ours, in the same form.
our_frames()
{
	sed -n 's/^#[0-9]* 0x0*\([0-9a-f]*\) in \([^ +]*\).*/\1 \2/p'
}

@test "gzip: who_call_me() names the caller that gdb names" {
	must_have_built gzip
	cp "$work/input" file
	"$work/gzip/gzip.asking" -c file >file.gz 2>ours
	quiet_gdb -ex 'break deflate' -ex "run -c file >gdb.gz 2>/dev/null" -ex bt \
		"$work/gzip/gzip.asking" >gdb
	caller=$(gdb_frames <gdb | sed -n '2s/.* //p')
	[ "$caller" = zip ]
	[ "$(cat ours)" = "<whocallme>: function <$caller> call me <deflate>!" ]
	gzip -dc file.gz | cmp - file
}

@test "lua: who_call_me() names the caller that gdb names" {
	must_have_built lua
	echo 'local s = tostring(12)' >script.lua
	"$work/lua/src/lua" script.lua 2>ours
	quiet_gdb -ex 'break luaB_tostring' -ex 'run script.lua 2>/dev/null' \
		-ex bt "$work/lua/src/lua" >gdb
	caller=$(gdb_frames <gdb | sed -n '2s/.* //p')
	[ -n "$caller" ]
	[ "$(cat ours)" = "<whocallme>: function <$caller> call me <luaB_tostring>!" ]
}

@test "lua: full_backtrace() below a C function equals gdb's, frame by frame" {
	must_have_built lua
	quiet_gdb -ex 'break math_abs' -ex "run $work/sorted.lua 2>ours" -ex bt \
		-ex continue "$work/lua/src/lua" >gdb
	gdb_frames <gdb >expected
	# A coroutine, a protected call, a sort and a substitution are in it.
	for name in math_abs auxsort luaB_pcall lua_resume luaB_auxwrap str_gsub main; do
		grep -q " $name\$" expected
	done
	our_frames <ours | sed '/ main$/q' >found
	# In frame 0 gdb stands at the breakpoint, we at our call.
	diff <(sed '1s/.* //' expected) <(sed '1s/.* //' found)
	# Below main, where gdb stops, is how the program was started.
	our_frames <ours | sed '1,/ main$/d' | grep -q ' __libc_start'
}

@test "gzip: silent until it is asked for a trace" {
	must_have_built gzip
	"$work/gzip/gzip.plain" -c "$work/input" >out.gz 2>err
	[ ! -s err ]
	gzip -dc out.gz | cmp - "$work/input"
}

trace_gzip()
{
	WHOCALLME_TRACE=pairs "$work/gzip/gzip.plain" -c "$work/input" \
		>out.gz 2>trace
	sed -n 's/^__cyg_profile_func_enter: func = \([^,]*\), called by = \(.*\)$/\1 \2/p' \
		trace >pairs
}

@test "gzip: a trace names every call, and the file is right all the same" {
	must_have_built gzip
	trace_gzip
	gzip -dc out.gz | cmp - "$work/input"
	[ "$(wc -l <pairs)" -gt 10000 ]
	[ "$(wc -l <pairs)" = "$(wc -l <trace)" ]
	cut -d' ' -f1 pairs | sort -u >traced
	nm "$work/gzip/gzip.plain" | awk '$2 ~ /^[tT]$/ { print $3 }' |
		sort -u >known
	[ -z "$(comm -23 traced known)" ]
	for name in main treat_file zip deflate; do
		grep -qx "$name" traced
	done
	echo "# $(wc -l <pairs) calls of $(wc -l <traced) functions" >&3
}

@test "gzip: each function's first caller is the one that gdb sees" {
	must_have_built gzip
	trace_gzip
	awk '!seen[$1]++' pairs | sort >first
	set -- -ex 'set backtrace past-main on'
	while read -r name _; do
		set -- "$@" -ex "tbreak $name"
	done <first
	set -- "$@" -ex "run -c $work/input >gdb.gz 2>/dev/null"
	while read -r name _; do
		set -- "$@" -ex 'bt 2' -ex continue
	done <first
	quiet_gdb "$@" "$work/gzip/gzip.plain" >gdb
	# Frames come in pairs: a function and its caller.
	gdb_frames <gdb | awk 'NR % 2 { name = $2; next } { print name, $2 }' |
		sort >expected
	[ "$(wc -l <expected)" = "$(wc -l <first)" ]
	# A caller in libc has a name only where its debug file is installed.
	awk '$2 == "??" { print $1 }' expected >unknown
	diff <(grep -vwFf unknown expected) <(grep -vwFf unknown first)
	echo "# $(wc -l <expected) callers, $(wc -l <unknown) unknown to gdb" >&3
}

# count_inlined PROGRAM [ARGUMENT...]: how often a run comes by each of the functions
# on stdin, by gdb's breakpoints, which are in inlined copies, too.
count_inlined()
{
	local -a commands=()
	local number=0 name
	while read -r name; do
		number=$((number + 1))
		commands+=(-ex "break $name" -ex "ignore $number 1000000000")
	done
	[ $number -gt 0 ] || return 0
	quiet_gdb "${commands[@]}" -ex "run ${*:2} <input >gdb.out" \
		-ex 'info breakpoints' "$1" >gdb
	cmp ours.out gdb.out
	awk 'NR == FNR { name[FNR] = $1; next }
		/^[0-9]+ +breakpoint / { number = $1 }
		/already hit [0-9]+ time/ { print name[number], $4 }' uncalled gdb
}

# same_counts PROGRAM [ARGUMENT...]: a graph of a run, and callgrind's counts of
# another one, say the same.
same_counts()
{
	for tool in osage valgrind setarch python3 gdb; do
		command -v $tool >/dev/null || skip "$tool is missing"
	done
	WHOCALLME_TRACE=graph WHOCALLME_OUTPUT=graph.dot setarch -R "$@" \
		<input >ours.out
	osage -Tjson0 graph.dot >graph.json
	valgrind --tool=callgrind --compress-strings=no --callgrind-out-file=callgrind \
		"$@" <input >callgrind.out 2>log || { tail log && false; }
	cmp ours.out callgrind.out
	python3 "$BATS_TEST_DIRNAME/callgrind.py" graph.json callgrind >uncalled
	count_inlined "$@" <uncalled >inlined
	python3 "$BATS_TEST_DIRNAME/callgrind.py" graph.json callgrind inlined >compared ||
		{ cat compared && false; }
	echo "# $(head -n 1 compared)" >&3
}

@test "gzip: callgrind counts the same calls, of functions and of edges" {
	must_have_built gzip
	cp "$work/input" input
	same_counts "$work/gzip/gzip.plain" -c
	dot -Tsvg graph.dot | grep -q deflate
}

@test "lua: callgrind counts the same calls, with coroutines, errors and a sort" {
	must_have_built lua
	cat >input <<-'LUA'
		local sorted = {}
		for i = 1, 200 do sorted[i] = i * 7919 % 211 end
		table.sort(sorted, function(a, b) return a < b end)
		local run = coroutine.wrap(function()
			for i = 1, 20 do coroutine.yield(i) end
		end)
		for i = 1, 20 do run() end
		for i = 1, 10 do pcall(error, "x" .. i) end
		for i = 1, 10 do pcall(function() return sorted.a.b end) end
		print(string.gsub("one two three", "%w+", string.upper), #sorted)
	LUA
	same_counts "$work/lua/src/lua" -
}

@test "sqlite: callgrind counts the same calls" {
	[ -e "$work/sqlite" ] || skip "apt-get has no source of sqlite3"
	command -v tclsh >/dev/null || skip "tclsh is missing"
	must_have_built sqlite
	cat >input <<-'SQL'
		create table t(a integer primary key, b text, c real);
		with recursive n(i) as (select 1 union all select i + 1 from n where i < 200)
			insert into t select i, 'row' || (i * 7919 % 1000), i * 0.5 from n;
		create index tb on t(b);
		select substr(b, 1, 4) p, count(*) from t group by p order by 2 desc;
		update t set c = c + 1 where a % 3 = 0;
		select x.a from t x join t y on x.b = y.b where x.a < 20 order by 1;
		delete from t where a % 5 = 0;
		select count(*), sum(c) from t;
	SQL
	same_counts "$work/sqlite/sqlite" :memory:
}

# record_both PROGRAM [ARGUMENT...]: on the same input, to ours and theirs.
record_both()
{
	local program
	for program in uftrace setarch python3; do
		command -v $program >/dev/null || skip "$program is missing"
	done
	WHOCALLME_TRACE=record WHOCALLME_OUTPUT=ours setarch -R "$@" <input >ours.out
	setarch -R uftrace record ${uftrace_options-} ${INSTRUMENT:+-P .} --no-event -d theirs "$@" \
		<input >theirs.out 2>log || { cat log && false; }
	cmp ours.out theirs.out
}

# tree DIRECTORY
tree()
{
	python3 "$BATS_TEST_DIRNAME/../trace/tree.py" "$@"
}

# What both have recorded is the same tree, and is replayed by both alike.
same_trees()
{
	record_both "$@"
	tree theirs ours
	tree ours >tree
	echo "# $(wc -l <tree) calls of $(sed 's/.* //' tree | sort -u | wc -l)" \
		"functions, no difference" >&3
	uftrace replay --no-pager -d ours |
		awk -f "$BATS_TEST_DIRNAME/../trace/narrow_tids.awk" >replayed
	diff <(sed '/^uftrace stopped tracing/,$d' replayed) \
		<("$top_builddir/tool/whocallme" replay ours |
			sed '/^Functions that did not return/,$d')
}

@test "gzip: uftrace records the same calls at the same depths" {
	must_have_built gzip
	cp "$work/input" input
	same_trees "$work/gzip/gzip.plain" -c
}

@test "lua: uftrace records the same calls at the same depths" {
	must_have_built lua
	cat >input <<-'LUA'
		local sorted = {}
		for i = 1, 500 do sorted[i] = i * 7919 % 2011 end
		table.sort(sorted, function(a, b) return a < b end)
		local function fib(n) return n < 2 and n or fib(n - 1) + fib(n - 2) end
		print(fib(12), string.gsub("one two", "%w+", string.upper), #sorted)
	LUA
	same_trees "$work/lua/src/lua" -
}

# uftrace takes a jump's end for a crash where it follows jumps, and loses the depth
# where it does not.
@test "lua: with coroutines and errors, uftrace records the same calls in order" {
	must_have_built lua
	cat >input <<-'LUA'
		local run = coroutine.wrap(function()
			for i = 1, 20 do coroutine.yield(i) end
		end)
		for i = 1, 20 do run() end
		for i = 1, 10 do pcall(error, "x" .. i) end
	LUA
	uftrace_options=--no-libcall record_both "$work/lua/src/lua" -
	diff <(tree theirs | sed 's/: */: /') <(tree ours | sed 's/: */: /')
	[ "$(tree ours | wc -l)" -gt 10000 ]
}

@test "sqlite: uftrace records the same calls at the same depths" {
	[ -e "$work/sqlite" ] || skip "apt-get has no source of sqlite3"
	command -v tclsh >/dev/null || skip "tclsh is missing"
	must_have_built sqlite
	cat >input <<-'SQL'
		create table t(a integer primary key, b text, c real);
		with recursive n(i) as (select 1 union all select i + 1 from n where i < 200)
			insert into t select i, 'row' || (i * 7919 % 1000), i * 0.5 from n;
		create index tb on t(b);
		delete from t where a % 5 = 0;
		select count(*), sum(c) from t;
	SQL
	same_trees "$work/sqlite/sqlite" :memory:
}
