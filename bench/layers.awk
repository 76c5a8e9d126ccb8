# SPDX-License-Identifier: MIT
# layers.awk - from the samples of layers.sh to a table.
#
#	awk -v machine=TEXT -v commit=TEXT -f layers.awk layers.tsv
#
# A number is nanoseconds a frame, the median of the rounds, the least in brackets.  The
# ratio is the median of the rounds' own ratios, ours by libunwind's.

BEGIN {
	FS = "\t"
	goal = 0.5
}

$5 == "seed" { seed = $6; next }
$5 == "missing" || $5 == "failed" { state[$1, $2, $3, $4] = $5; next }
{
	row = $1 SUBSEP $2 SUBSEP $3
	if (!(row in met)) {
		met[row] = 1
		rows[++row_count] = row
	}
	value[row, $4, $5, ++count[row, $4, $5]] = $6 + 0
}

# LIST[1..N] in order.
function sort(list, n,    i, j, held) {
	for (i = 2; i <= n; i++) {
		held = list[i]
		for (j = i - 1; j > 0 && list[j] > held; j--)
			list[j + 1] = list[j]
		list[j + 1] = held
	}
}

function collect(row, contender, metric, list,    i, n) {
	n = count[row, contender, metric]
	for (i = 1; i <= n; i++)
		list[i] = value[row, contender, metric, i]
	sort(list, n)
	return n
}

function median(row, contender, metric,    list, n) {
	n = collect(row, contender, metric, list)
	return n ? list[int((n + 1) / 2)] : 0
}

function cell(row, contender, metric,    list, n) {
	n = collect(row, contender, metric, list)
	if (!n)
		return (row, contender) in state ? state[row, contender] : "-"
	return sprintf("%.3g (%.3g)", list[int((n + 1) / 2)], list[1])
}

function ratio(row, ours, theirs,    i, n, list) {
	n = count[row, ours, "frame_ns"]
	if (count[row, theirs, "frame_ns"] < n)
		n = count[row, theirs, "frame_ns"]
	for (i = 1; i <= n; i++)
		list[i] = value[row, ours, "frame_ns", i] / \
			value[row, theirs, "frame_ns", i]
	sort(list, n)
	return n ? list[int((n + 1) / 2)] : 0
}

# Why the numbers of a row do not count, or how far they reach.
function remark(row,    text) {
	if (!count[row, "compare", "differ"])
		return "not compared"
	if (value[row, "compare", "differ", 1])
		text = value[row, "compare", "differ", 1] " stacks differ"
	if (median(row, "whocallme", "stacks") < median(row, "libunwind", "stacks"))
		text = text (text ? "; " : "") \
			sprintf("ours took %d stacks", median(row, "whocallme", "stacks"))
	return text
}

END {
	printf "Layered programs, seed %s, commit %s, %s\n\n", seed, commit, machine
	print "| place | pointers | W | call sites | frames | ours | libunwind | glibc | " \
		"ours / libunwind | goal | first pass: ours | libunwind | |"
	print "|---|---|---|---|---|---|---|---|---|---|---|---|---|"
	for (i = 1; i <= row_count; i++) {
		row = rows[i]
		split(row, part, SUBSEP)
		reached = ratio(row, "whocallme", "libunwind")
		printf "| %s | %s | %s | %d | %.1f | %s | %s | %s | %s | %s | %s | %s | %s |\n",
			part[1], part[2], part[3], median(row, "compare", "sites"),
			median(row, "whocallme", "frames"),
			cell(row, "whocallme", "frame_ns"),
			cell(row, "libunwind", "frame_ns"), cell(row, "glibc", "frame_ns"),
			reached ? sprintf("%.2f", reached) : "-",
			reached ? (reached <= goal ? "met" : "missed") : "-",
			cell(row, "whocallme", "first_ns"),
			cell(row, "libunwind", "first_ns"), remark(row)
	}
}
