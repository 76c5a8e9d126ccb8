# SPDX-License-Identifier: MIT
# nest.awk - do the calls of a log nest, in each thread?  Prints what does not; and what is open
# at the end, if it is more than OPEN says.
{
	fn = $2
	sub(/^fn=/, "", fn)
	tid = /tid=/ ? $4 : ""
	if (/^ev=entry /) {
		stack[tid, ++depth[tid]] = fn
		next
	}
	if (!/^ev=(exit|unwind) /) {
		print NR ": " $0
		next
	}
	top = depth[tid] > 0 ? stack[tid, depth[tid]--] : "nothing"
	if (top != fn)
		print NR ": " fn " ends, and " top " is open"
}
END {
	for (tid in depth)
		for (i = 1; i <= depth[tid]; i++)
			left = left stack[tid, i] " "
	sub(/ $/, "", left)
	if (left != OPEN)
		print "open at the end: " left
	if (!NR)
		print "nothing is told"
}
