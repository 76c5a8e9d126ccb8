# SPDX-License-Identifier: MIT
# sled_calls.bash - reads the calls from the logs of programs with sleds.

# What a log says of main and what it calls: names, indented by depth.
calls()
{
	sed -nE "s/^FUN +[0-9]+ +[0-9']+ +[0-9]+ //p" | sed 's/ x\([0-9]*\), .*/ x\1/'
}

# The same, each fold as many lines as it stands for.
unfolded()
{
	awk '{ n = 1; if (match($0, / x[0-9]+$/)) { n = substr($0, RSTART + 2); sub(/ x[0-9]+$/, "") }
		while (n-- > 0) print }'
}
