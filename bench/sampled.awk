# SPDX-License-Identifier: MIT
# sampled.awk - from the samples of sampled.sh to a table.
#
#	awk -v machine=TEXT -v commit=TEXT -f rounds.awk -f sampled.awk sampled.tsv
#
# A number is nanoseconds a frame, without the slowest captures of a hundred; the last
# columns have them, too, and how many captures and frames there were.

function counts(row, contender) {
	return sprintf("%d x %.1f", median(row, contender, "captures"),
		median(row, contender, "frames"))
}

END {
	printf "Sampled programs, commit %s, %s\n\n", commit, machine
	print "| program | hertz | ours | libunwind | glibc | ours / libunwind | goal | " \
		"ours / glibc | goal | all: ours | libunwind | glibc | " \
		"captures x frames: ours | libunwind | glibc |"
	print "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|"
	for (i = 1; i <= row_count; i++) {
		row = rows[i]
		split(row, part, SUBSEP)
		printf "| %s | %s | %s | %s | %s | %s | %s | %s | %s | %s | %s | %s | %s |\n",
			part[1], part[2], cell(row, "whocallme", "frame_ns"),
			cell(row, "libunwind", "frame_ns"), cell(row, "glibc", "frame_ns"),
			verdict(row, "whocallme", "libunwind", "frame_ns", 0.5),
			verdict(row, "whocallme", "glibc", "frame_ns", 0.1),
			cell(row, "whocallme", "all_ns"), cell(row, "libunwind", "all_ns"),
			cell(row, "glibc", "all_ns"), counts(row, "whocallme"),
			counts(row, "libunwind"), counts(row, "glibc")
	}
}
