# SPDX-License-Identifier: MIT
# rounds.awk - samples of rounds, and what is said of them; read before a table's file.
#
# A sample is three words that make a row, contender, metric, value.  A cell is the median
# of the rounds, the least in brackets; a ratio the median of the rounds' own ratios.

BEGIN {
	FS = "\t"
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

function ratio(row, ours, theirs, metric,    i, n, list) {
	n = count[row, ours, metric]
	if (count[row, theirs, metric] < n)
		n = count[row, theirs, metric]
	for (i = 1; i <= n; i++)
		list[i] = value[row, ours, metric, i] / \
			value[row, theirs, metric, i]
	sort(list, n)
	return n ? list[int((n + 1) / 2)] : 0
}

# Ours by theirs, and whether that is at most GOAL.
function verdict(row, ours, theirs, metric, goal,    reached) {
	reached = ratio(row, ours, theirs, metric)
	if (!reached)
		return "- | -"
	return sprintf("%.2f | %s", reached, reached <= goal ? "met" : "missed")
}
