# SPDX-License-Identifier: MIT
# layers.awk - from the samples of layers.sh to a table.
#
#	awk -v machine=TEXT -v commit=TEXT -f rounds.awk -f layers.awk layers.tsv
#
# A number is nanoseconds a frame.

# Why the numbers of a row do not count, or how far they reach.
function remark(row,    text) {
	if (!count[row, "compare", "differ"])
		return "not compared"
	if (value[row, "compare", "differ", 1])
		text = value[row, "compare", "differ", 1] " stacks differ"
	if (value[row, "compare", "compared", 1] < median(row, "libunwind", "stacks"))
		text = text (text ? "; " : "") \
			value[row, "compare", "compared", 1] " stacks compared"
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
		printf "| %s | %s | %s | %d | %.1f | %s | %s | %s | %s | %s | %s | %s |\n",
			part[1], part[2], part[3], median(row, "compare", "sites"),
			median(row, "whocallme", "frames"),
			cell(row, "whocallme", "frame_ns"),
			cell(row, "libunwind", "frame_ns"), cell(row, "glibc", "frame_ns"),
			verdict(row, "whocallme", "libunwind", "frame_ns", 0.5),
			cell(row, "whocallme", "first_ns"),
			cell(row, "libunwind", "first_ns"), remark(row)
	}
}
