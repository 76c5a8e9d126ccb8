# SPDX-License-Identifier: MIT
# report.awk - from samples to a table and results.json.
#
#	awk -v json=results.json -v machine=TEXT -f report.awk samples.tsv
#
# An absolute number is the median of the rounds.  A ratio is the median of the
# rounds' own ratios, theirs by ours: contenders of one round ran side by side.

BEGIN {
	FS = "\t"
	row_count = 0
}

$3 == "missing" || $3 == "failed" { state[$1, $2] = $3; next }
$3 == "runs_in" { runs_in[$1, $2] = $4; next }
{ value[$1, $2, $3, ++count[$1, $2, $3]] = $4 + 0 }

# The median of list[1..n], which is sorted.
function median_of(list, n,    i, j, held) {
	for (i = 2; i <= n; i++) {
		held = list[i]
		for (j = i - 1; j > 0 && list[j] > held; j--)
			list[j + 1] = list[j]
		list[j + 1] = held
	}
	return list[int((n + 1) / 2)]
}

function median(subject, contender, metric,    i, n, list) {
	n = count[subject, contender, metric]
	for (i = 1; i <= n; i++)
		list[i] = value[subject, contender, metric, i]
	return median_of(list, n)
}

function ratio(subject, theirs, ours, metric,    i, n, list) {
	n = count[subject, theirs, metric]
	if (count[subject, ours, metric] < n)
		n = count[subject, ours, metric]
	for (i = 1; i <= n; i++)
		list[i] = value[subject, theirs, metric, i] / \
			value[subject, ours, metric, i]
	return median_of(list, n)
}

function quote(text) {
	gsub(/[\\"]/, "\\\\&", text)
	return "\"" text "\""
}

function json_row(text) {
	printf "%s\n    {%s}", rows++ ? "," : "", text >json
}

function heading(text, unit) {
	printf "\n%-52s %12s %8s  %s\n", text, unit, "/ ours", "goal"
}

# Where a contender was not measured, say so and return 1.
function absent(subject, contender, metric, label,    why) {
	if (count[subject, contender, metric])
		return 0
	why = (subject, contender) in state ? state[subject, contender] : \
		"not measured"
	printf "  %-50s %12s\n", label, why
	json_row("\"subject\": " quote(subject) ", \"contender\": " \
		quote(contender) ", \"metric\": " quote(metric) \
		", \"absent\": " quote(why))
	if (why != "missing")
		failed = 1
	return 1
}

# Ours may take at most LIMIT times what theirs takes; 0: there is no goal.
function row(subject, contender, ours, metric, scale, label, limit,
	     text,    number, times, reached, goal, verdict) {
	if (contender != "dladdr" && (subject, contender) in runs_in)
		label = label ", in " runs_in[subject, contender]
	if (absent(subject, contender, metric, label))
		return
	number = median(subject, contender, metric)
	text = "\"subject\": " quote(subject) ", \"contender\": " \
		quote(contender) ", \"metric\": " quote(metric) \
		", \"rounds\": " count[subject, contender, metric] \
		", \"median\": " sprintf("%.9g", number)
	goal = ""
	if (count[subject, ours, metric]) {
		times = ratio(subject, contender, ours, metric)
		text = text ", \"ratio\": " sprintf("%.4g", times)
		if (limit) {
			reached = 1 / times
			verdict = reached <= limit ? "met" : "missed"
			goal = sprintf("ours at most %.3gx: %.3gx, %s", limit,
				reached, verdict)
			text = text ", \"goal\": " sprintf("%.4g", limit) \
				", \"reached\": " sprintf("%.4g", reached) \
				", \"verdict\": " quote(verdict)
		}
		times = sprintf("%.3g", times)
	} else
		times = "-"
	printf "  %-50s %12.2f %8s  %s\n", label, number / scale, times, goal
	json_row(text)
}

# A number with a goal of its own: at most LIMIT.
function at_most(subject, contender, metric, scale, label, limit,    number) {
	if (!absent(subject, contender, metric, label)) {
		number = median(subject, contender, metric) / scale
		judged(subject, contender, metric, label, number, "at most",
			limit, number <= limit)
	}
}

# The same, at least LIMIT; 0: there is no goal.
function at_least(subject, contender, metric, label, limit,    number) {
	if (!absent(subject, contender, metric, label)) {
		number = median(subject, contender, metric)
		judged(subject, contender, metric, label, number, "at least",
			limit, number >= limit)
	}
}

function judged(subject, contender, metric, label, number, word, limit, met,
		text, goal) {
	text = "\"subject\": " quote(subject) ", \"contender\": " \
		quote(contender) ", \"metric\": " quote(metric) \
		", \"median\": " sprintf("%.9g", number)
	if (limit) {
		goal = word " " limit ": " (met ? "met" : "missed")
		text = text ", \"goal\": " limit ", \"verdict\": " \
			quote(met ? "met" : "missed")
	}
	printf "  %-50s %12.2f %8s  %s\n", label, number, "", goal
	json_row(text)
}

# The share of look-ups that gave nm's name must not hide a wrong answer.
function agreement(subject, contender, label,    share) {
	if (!count[subject, contender, "agree"])
		return
	share = median(subject, contender, "agree")
	printf "  %-50s %11.2f%%\n", label, 100 * share
	json_row("\"subject\": " quote(subject) ", \"contender\": " \
		quote(contender) ", \"metric\": \"agree\", \"median\": " \
		sprintf("%.9g", share))
}

function names(subject, title) {
	heading(title ": load", "ms")
	row(subject, "whocallme", "whocallme", "load_ns", 1e6,
		"wcm_functions_load")
	row(subject, "bfd", "whocallme", "load_ns", 1e6,
		"BFD reading the symbols, nothing else", 1.25)
	row(subject, "bfd_sort", "whocallme", "load_ns", 1e6,
		"BFD + filter + qsort")
	row(subject, "libbacktrace", "whocallme", "load_ns", 1e6,
		"libbacktrace, first backtrace_syminfo", 1 / 7)
	row(subject, "libdwfl", "whocallme", "load_ns", 1e6,
		"libdwfl, first dwfl_module_addrinfo")

	heading(title ": find, random address", "ns")
	row(subject, "whocallme", "whocallme", "find_ns", 1,
		"wcm_functions_find")
	row(subject, "bfd_sort", "whocallme", "find_ns", 1,
		"binary search in BFD's symbols")
	row(subject, "libbacktrace", "whocallme", "find_ns", 1,
		"backtrace_syminfo", 1 / 4)
	row(subject, "libdwfl", "whocallme", "find_ns", 1,
		"dwfl_addrmodule, dwfl_module_addrinfo")

	heading(title ": memory after loading", "MiB")
	row(subject, "whocallme", "whocallme", "memory", 1048576,
		"wcm_functions_load (BFD's file stays open)")
	row(subject, "bfd", "whocallme", "memory", 1048576, "BFD alone")
	row(subject, "libbacktrace", "whocallme", "memory", 1048576,
		"libbacktrace")
	row(subject, "libdwfl", "whocallme", "memory", 1048576, "libdwfl")
	table_bytes(subject, title)

	heading(title ": the name is the one that nm gives", "")
	agreement(subject, "whocallme", "wcm_functions_find")
	agreement(subject, "bfd_sort", "binary search in BFD's symbols")
	agreement(subject, "libbacktrace", "backtrace_syminfo")
	agreement(subject, "libdwfl", "dwfl_module_addrinfo")
}

function table_bytes(subject, title,    bytes, verdict, most) {
	most = 16
	heading(title ": table, beside the names", "bytes")
	if (absent(subject, "table", "bytes", "bytes a function"))
		return
	bytes = median(subject, "table", "bytes")
	verdict = bytes <= most ? "met" : "missed"
	printf "  %-50s %12.2f %8s  at most %d: %s\n", \
		sprintf("a function, of %d", \
			median(subject, "table", "functions")), \
		bytes, "", most, verdict
	json_row("\"subject\": " quote(subject) ", \"contender\": \"table\"" \
		", \"metric\": \"bytes\", \"median\": " sprintf("%.5g", bytes) \
		", \"goal\": " most ", \"verdict\": " quote(verdict))
}

function running() {
	heading("The running program: load, every module", "ms")
	row("running", "find", "find", "load_ns", 1e6, "init_function_table")
	row("running", "libbacktrace", "find", "load_ns", 1e6,
		"libbacktrace, first backtrace_syminfo", 1 / 7)

	heading("The running program: find, random address", "ns")
	row("running", "find", "find", "find_ns", 1, "find_function_by_addr")
	row("running", "peek", "find", "find_ns", 1, "wcm_symbol_peek")
	row("running", "libbacktrace", "find", "find_ns", 1,
		"backtrace_syminfo", 1 / 4)
	row("running", "dladdr", "find", "find_ns", 1, "dladdr, -rdynamic")

	heading("The running program: the name is nm's", "")
	agreement("running", "find", "find_function_by_addr")
	agreement("running", "libbacktrace", "backtrace_syminfo")
	agreement("running", "dladdr", "dladdr")
}

function captures(subject, title, bare) {
	heading(title, "ns / frame")
	row(subject, "whocallme", "whocallme", "frame_ns", 1,
		"wcm_stack_capture")
	if (bare)
		row(subject, "bare", "whocallme", "frame_ns", 1,
			"bare frame-pointer loop, no checks", 1.5)
	row(subject, "unw_backtrace", "whocallme", "frame_ns", 1,
		"unw_backtrace, warm", 1 / 2)
	row(subject, "backtrace", "whocallme", "frame_ns", 1,
		"backtrace", 1 / 40)
	row(subject, "_Unwind_Backtrace", "whocallme", "frame_ns", 1,
		"_Unwind_Backtrace", 1 / 40)
	row(subject, "unw_step", "whocallme", "frame_ns", 1, "unw_step")
	row(subject, "whocallme-unloaded", "whocallme", "frame_ns", 1,
		"wcm_stack_capture, nothing loaded")
}

function first_capture(subject, title) {
	heading(title, "us")
	at_most(subject, "whocallme", "first_ns", 1e3, "wcm_stack_capture", 100)
	at_most(subject, "whocallme-unloaded", "first_ns", 1e3,
		"wcm_stack_capture, nothing loaded", 100)
	row(subject, "unw_backtrace", "whocallme", "first_ns", 1e3,
		"unw_backtrace")
	row(subject, "backtrace", "whocallme", "first_ns", 1e3, "backtrace")
	row(subject, "_Unwind_Backtrace", "whocallme", "first_ns", 1e3,
		"_Unwind_Backtrace")
}

function threads(    title) {
	title = "8 threads capture at once, no frame pointers"
	heading(title, "ns / frame")
	row("threads", "whocallme", "whocallme", "threads_ns", 1,
		"wcm_stack_capture")
	row("threads", "unw_backtrace", "whocallme", "threads_ns", 1,
		"unw_backtrace")
	row("threads", "backtrace", "whocallme", "threads_ns", 1, "backtrace")
	heading(title ": as fast as one thread, times", "")
	at_least("threads", "whocallme", "speedup", "wcm_stack_capture",
		0.9 * (cpus < 8 ? cpus : 8))
	at_least("threads", "unw_backtrace", "speedup", "unw_backtrace")
	at_least("threads", "backtrace", "speedup", "backtrace")
}

function crashes() {
	heading("From the fault to the complete report, 64 threads", "ms")
	row("crash", "whocallme", "whocallme", "report_ns", 1e6,
		"wcm_crash_install")
	heading("Start-up by preload, added to a process's", "ms")
	at_most("start", "whocallme", "start_ns", 1e6,
		"libwhocallme-preload.so", 0.1)
	row("start", "empty", "whocallme", "start_ns", 1e6,
		"an empty library")
}

function lines(    title) {
	title = "Lines: 10,000 random addresses of a 300 MB program"
	heading(title, "us / address")
	row("lines", "whocallme", "whocallme", "address_ns", 1e3,
		"whocallme resolve --serve")
	row("lines", "addr2line", "whocallme", "address_ns", 1e3, "addr2line -fi")
	row("lines", "eu-addr2line", "whocallme", "address_ns", 1e3,
		"eu-addr2line -fi")
	row("lines", "llvm-symbolizer", "whocallme", "address_ns", 1e3,
		"llvm-symbolizer")
	heading(title ": memory", "MiB")
	row("lines", "whocallme", "whocallme", "rss", 1048576,
		"whocallme resolve --serve")
	row("lines", "addr2line", "whocallme", "rss", 1048576, "addr2line -fi")
	row("lines", "eu-addr2line", "whocallme", "rss", 1048576,
		"eu-addr2line -fi")
	row("lines", "llvm-symbolizer", "whocallme", "rss", 1048576,
		"llvm-symbolizer")

	heading("A crash of 30 frames, 100,000 functions: from the fault", "ms")
	row("lines", "crash", "crash", "names_ns", 1e6, "to the last name")
	at_most("lines", "crash", "lines_ns", 1e6, "to the last line", 150)
	heading("Memory of the process that crashed", "MiB")
	row("lines", "crash", "crash", "rss_without", 1048576, "without lines")
	row("lines", "crash", "crash", "rss_with", 1048576, "with lines")
}

# What tracing adds to each call of a program that has no hooks.
function calls(    title) {
	title = "Tracing, entry and exit"
	heading(title, "ns / call")
	row("trace", "empty", "record", "call_ns", 1, "hooks that do nothing")
	row("trace", "off", "record", "call_ns", 1, "libwhocallme, not tracing")
	at_most("off", "off", "call_ns", 1, "... more than hooks that do nothing", 1)
	row("trace", "ring", "record", "call_ns", 1, "two timestamps and stores")
	row("trace", "record", "record", "call_ns", 1, "record")
	row("trace", "uftrace", "record", "call_ns", 1,
		"uftrace record, -finstrument-functions", 1 / 3)
	row("trace", "uftrace-pg", "record", "call_ns", 1,
		"uftrace record, -pg", 1 / 3)
	heading("Last calls, entry", "ns / call")
	row("trace", "flight", "flight", "call_ns", 1, "flight recorder, by hooks")
	row("trace", "flight-sleds", "flight", "call_ns", 1, "flight recorder, by sleds")
	row("trace", "entry", "flight", "call_ns", 1,
		"a timestamp and a store / by hooks", 1.3)
	row("trace", "entry", "flight-sleds", "call_ns", 1,
		"a timestamp and a store / by sleds", 1.3)
	sleds("Tracing by sleds")
	values("Arguments and results")
	system_calls("System calls")
	heading(title, "ns / call")
	row("trace", "graph", "graph", "call_ns", 1, "graph")
	row("trace", "counts", "graph", "call_ns", 1, "graph without times")
	row("trace", "fprintf", "graph", "call_ns", 1, "fprintf, two lines", 1 / 10)
	row("trace", "fprintf", "counts", "call_ns", 1,
		"fprintf / graph without times", 1 / 10)
	at_most("trace", "log", "call_ns", 1, "log to a file, one line", 250)
	row("trace", "writev", "log", "call_ns", 1, "gettid and writev, two lines")
	traced_beside(title)
}

# What the plugin for gcc puts into functions.
function injected() {
	heading("The plugin for gcc", "ns / call")
	row("trace", "article", "serial", "call_ns", 1, "mode=serial, two lines / the article's")
	row("trace", "hooks-gcc", "hooks-plugin", "call_ns", 1,
		"mode=hooks / -finstrument-functions, empty hooks")
}

function values(title) {
	heading(title, "ns / call")
	row("trace", "given-log", "given-record", "call_ns", 1, "log to a file, one line")
	row("trace", "given-record", "given-record", "call_ns", 1, "record")
	row("trace", "given-uftrace", "given-record", "call_ns", 1, "uftrace record -a", 1 / 2)
	row("trace", "library-ltrace", "library-log", "call_ns", 1,
		"ltrace / library calls logged", 1 / 50)
	row("trace", "library-ltrace", "library-log-exits", "call_ns", 1,
		"ltrace / the same with their ends", 1 / 50)
}

function system_calls(title) {
	heading(title, "ns / call")
	row("trace", "system-strace", "system-log", "call_ns", 1, "strace -f / logged", 1 / 5)
	row("trace", "system-strace_8", "system-log_8", "call_ns", 1,
		"strace -f / logged, 8 threads", 1 / 5)
}

# The graph without times has entries alone, as the log; the others have both ends.
function sleds(title) {
	heading(title, "ns / call")
	at_most("trace", "off-sleds", "call_ns", 1, "not tracing", 1)
	row("trace", "counts-sleds", "record-sleds", "call_ns", 1, "graph without times")
	row("trace", "graph-sleds", "record-sleds", "call_ns", 1, "graph")
	row("trace", "record-sleds", "record-sleds", "call_ns", 1, "record")
	row("trace", "uftrace-sleds", "record-sleds", "call_ns", 1, "uftrace record -P .", 1 / 3)
	row("trace", "entry", "counts-sleds", "call_ns", 1,
		"a timestamp and a store / graph without times", 1.3)
	at_most("trace", "log-sleds", "call_ns", 1, "log to a file, one line", 250)
}

# What a trace takes but the traced program's time.
function traced_beside(title) {
	heading(title ": of all threads and processes, the disk's too", "ns / call")
	row("trace", "record", "record", "cpu_ns", 1, "record")
	row("trace", "uftrace", "record", "cpu_ns", 1, "uftrace record")
	row("trace", "graph", "record", "cpu_ns", 1, "graph")
	heading(title ": memory", "MiB")
	row("trace", "record", "record", "rss", 1048576, "record")
	row("trace", "uftrace", "record", "rss", 1048576, "uftrace record")
	row("trace", "graph", "record", "rss", 1048576, "graph")
	row("trace", "log", "record", "rss", 1048576, "log")
	heading(title ": disk", "bytes / call")
	row("trace", "record", "record", "disk", 1, "record")
	row("trace", "uftrace", "record", "disk", 1, "uftrace record")
	row("trace", "log", "record", "disk", 1, "log")
	row("trace", "fprintf", "record", "disk", 1, "fprintf")
}

END {
	printf "{\n  \"version\": 1,\n  \"machine\": %s,\n  \"results\": [", \
		quote(machine) >json
	print machine
	if (part != "inject")
		calls()
	if (part != "trace")
		injected()
	if (part != "trace" && part != "inject")
		others()
	print "\n  ]\n}" >json
	exit failed
}

function others() {
	names("generated", "Generated program")
	if (("node", "-") in state)
		printf "\nnode: missing, or it has no symbols\n"
	else
		names("node", "node")
	running()
	captures("capture", "Capture, 32 frames with frame pointers", 1)
	captures("capture_nofp", "Capture, 32 frames without frame pointers")
	first_capture("capture", "The first capture of a process")
	first_capture("capture_nofp",
		"The first capture of a process, no frame pointers")
	threads()
	crashes()
	lines()
}
