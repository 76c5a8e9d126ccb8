# SPDX-License-Identifier: MIT
# cases.awk - from the samples of cases.sh to tables.
#
#	awk -v machine=TEXT -v commit=TEXT -f rounds.awk -f cases.awk cases.tsv
#
# The first capture of a stack, less what its known frames take, is for what is new.

function heading(text, columns,    n, i, column) {
	n = split(columns, column, ",")
	printf "\n%s\n\n|", text
	for (i = 1; i <= n; i++)
		printf " %s |", column[i]
	printf "\n|"
	for (i = 1; i <= n; i++)
		printf "---|"
	print ""
}

function place_of(row,    part) {
	split(row, part, SUBSEP)
	return part[2] ", W = " part[3]
}

# Captures of CASE, in ns a frame, beside libunwind and glibc.
function captures(name, text,    i, row) {
	heading(text, "place,ours,libunwind,glibc,ours / libunwind,goal")
	for (i = 1; i <= row_count; i++) {
		row = rows[i]
		if (row ~ "^" name)
			printf "| %s | %s | %s | %s | %s |\n", place_of(row),
				cell(row, "whocallme", "frame_ns"),
				cell(row, "libunwind", "frame_ns"),
				cell(row, "glibc", "frame_ns"),
				verdict(row, "whocallme", "libunwind", "frame_ns", 0.5)
	}
}

# Ours by libgcc's frame, which is never remembered: medians of the rounds.
function misses(    i, row, reached) {
	heading("A call site never captured, ns", "place,ours,libgcc: a frame the first time," \
		"the second,libunwind,ours / libgcc the second time,goal")
	for (i = 1; i <= row_count; i++) {
		row = rows[i]
		if (row !~ /^miss/ || !count[row, "libgcc", "again_ns"])
			continue
		reached = median(row, "whocallme", "miss_ns") / median(row, "libgcc", "again_ns")
		printf "| %s | %s | %s | %s | %s | %.2f | %s |\n", place_of(row),
			cell(row, "whocallme", "miss_ns"), cell(row, "libgcc", "first_ns"),
			cell(row, "libgcc", "again_ns"), cell(row, "libunwind", "miss_ns"),
			reached, reached <= 0.6 ? "met" : "missed"
	}
}

function modules(    i, row, metric) {
	heading("The first frame of a module never seen, ns",
		"place,by,ours,libgcc,libunwind,goal: 20 us")
	for (i = 1; i <= row_count; i++) {
		row = rows[i]
		if (row !~ /^module/)
			continue
		for (metric = 1; metric <= 2; metric++) {
			how = metric == 1 ? "call" : "handler"
			printf "| %s | %s | %s | %s | %s | %s |\n", place_of(row), how,
				cell(row, "whocallme", how "_ns"), cell(row, "libgcc", how "_ns"),
				cell(row, "libunwind", how "_ns"),
				median(row, "whocallme", how "_ns") <= 20000 ? "met" : "missed"
		}
	}
}

# A name beside one of libc by the same function; full_backtrace() writes the line, too.
# Where fewer than 99 in 100 are right, their share is said.
function names(    i, j, row, n, who, libc, cells, reached) {
	n = split("wcm_symbol_find,find_function_by_addr,dladdr,libbacktrace", who, ",")
	heading("A name, ns, and by one in libc; goal 1.3",
		"place,wcm_symbol_find,by libc,find_function_by_addr,by libc,full_backtrace: " \
		"a line,dladdr,libbacktrace")
	libc = "names" SUBSEP "exe"
	for (i = 1; i <= row_count; i++)
		if (index(rows[i], libc) == 1)
			libc = rows[i]
	cells = "| libc |"
	for (j = 1; j <= n; j++)
		cells = cells " " cell(libc, who[j] "-libc", "name_ns") " |" \
			(j < 3 ? " |" : "") (j == 2 ? " |" : "")
	print cells
	for (i = 1; i <= row_count; i++) {
		row = rows[i]
		if (row !~ /^names/)
			continue
		cells = "| " place_of(row) " |"
		for (j = 1; j <= n; j++) {
			cells = cells " " cell(row, who[j], "name_ns")
			if (median(row, who[j], "named") < 0.99)
				cells = cells sprintf(", %.0f %% named", \
					100 * median(row, who[j], "named"))
			cells = cells " |"
			reached = median(libc, who[j] "-libc", "name_ns")
			if (j < 3)
				cells = cells sprintf(" %.2f |", !reached ? 0 : \
					median(row, who[j], "name_ns") / reached)
			if (j == 2)
				cells = cells " " cell(row, "full_backtrace", "name_ns") " |"
		}
		print cells
	}
}

function has(name,    i) {
	for (i = 1; i <= row_count; i++)
		if (rows[i] ~ "^" name)
			return 1
	return 0
}

END {
	printf "Layered programs, seed %s, commit %s, %s\n", seed, commit, machine
	if (has("threads"))
		captures("threads", "Eight threads at once, each on stacks of its own, ns a frame")
	if (has("cold"))
		captures("cold", "One capture every 10 ms, 64 MB touched in between, ns a frame")
	if (has("miss"))
		misses()
	if (has("module"))
		modules()
	if (has("names"))
		names()
}
