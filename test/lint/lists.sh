#!/bin/sh
# SPDX-License-Identifier: MIT
# lists.sh - makes the lists of files: of what the build compiles, and what each file is for.
#
#	lists.sh sources FOLDER		FOLDER/sources.mk
#	lists.sh map FOLDER		FOLDER/README.md: a table below each heading of a folder
#	lists.sh settings DOCUMENT	the manual: what format/settings.list has
#	lists.sh pages doc/man		doc/man/pages.mk: the manual's pages, and the names that lead to them
#	lists.sh alias NAME.3		such a name's page
#	lists.sh write			all of them, in place (make lists)
#
# A file's first line has its name, (SAFE) if it may run in a signal handler, and what it is for.
# What a local.mk names by hand, since not every build has it, is in none of its lists.
top=$(cd "$(dirname "$0")/../.." && pwd) || exit 1
cd "$top" || exit 1
LC_ALL=C
export LC_ALL

# files FOLDER: those of its code, and of what makes code, in order.
files()
{
	find "$1" -type f \( -name '*.[chS]' -o -name '*.awk' -o -name '*.list' -o -name '*.sh' \) |
		sort
}

# first_lines: "PATH<tab>SAFE or nothing<tab>words" of the files on stdin.
first_lines()
{
	xargs awk '
	function done_with_it() {
		if (words == "")
			return
		sub(/ *\*\/ *$/, "", words)
		safe = sub(/ \(SAFE\)/, "", words) ? "SAFE" : ""
		sub(/^[^ ]+( [A-Z]+)* - /, "", words)
		sub(/\.  .*/, ".", words)
		if (words !~ /\.$/)
			words = words "."
		print path "\t" safe "\t" words
		words = ""
	}
	FNR == 1 { done_with_it(); path = FILENAME; state = 0 }
	state == 0 && /^(\/\*|#|\/\/) [^ ]+( \(SAFE\))?( [A-Z]+)* - / { state = 1 }
	state == 1 {
		line = $0
		sub(/^(\/\*|#|\/\/| \*) ?/, "", line)
		if (line == "" || line == "/") {
			state = 2
			next
		}
		words = words (words == "" ? "" : " ") line
		if (/\*\//)
			state = 2
	}
	END { done_with_it() }'
}

# variable NAME FOLDER: a list of make's of the paths on stdin.
variable()
{
	awk -v name="$1" -v folder="$2/" '
	{ list = list " \\\n\t%reldir%/" substr($0, length(folder) + 1) }
	END { print name " =" list }'
}

# by_hand FOLDER: what its local.mk names.
by_hand()
{
	grep -oE "(%reldir%|$1)/[a-z0-9_/-]+\.[chS]" "$1/local.mk" | sed "s|^%reldir%|$1|" | sort -u
}

made='# Made of the first lines of files: make lists.'

sources()
{
	printf '%s\n%s\n' '# SPDX-License-Identifier: MIT' "$made"
	files "$1" | grep '\.[ch]$' >"$work/all"
	by_hand "$1" | comm -23 "$work/all" - >"$work/listed"
	first_lines <"$work/listed" >"$work/lines"
	case $1 in
	whocallme)
		awk -F '\t' '$2 == "SAFE" { print $1 }' "$work/lines" | variable safe_sources "$1"
		awk -F '\t' '$2 == "" { print $1 }' "$work/lines" | variable ordinary_sources "$1"
		;;
	*)
		cut -f 1 "$work/lines" | variable "$1_sources" "$1"
		;;
	esac
}

# What is code in words: calls, options, variables, paths, sections, names of files, addresses.
code='[A-Za-z_0-9]+\\([0-9a-z]*\\)|-f[a-z]+-[a-z-]+|--[a-z]+|WHOCALLME_[A-Z_]+[*]?|/proc/[a-z/]+'
code="$code|[A-Za-z0-9_/]*[.](bats|list|dw[op]|map|txt|[a-z]+sym|symtab)"
code="$code|[.](gnu_debugdata|debug_frame|eh_frame(_hdr)?)|[A-Za-z0-9_/]+[.][ch]|[A-Z:]+[+]0x[A-Z]+"

# A file and its header have one row.  The ports' table is by hand: it shows what is where another
# port has something.
map()
{
	files "$1" | grep -v /core/arch/ | first_lines | awk -F '\t' -v root="$1/" -v code="$code" '
	FILENAME == "-" {
		name = substr($1, length(root) + 1)
		below = name
		sub(/[^\/]*$/, "", below)
		name = substr(name, length(below) + 1)
		stem = below name
		sub(/\.[ch]$/, "", stem)
		if (!(stem in names))
			rows[below] = rows[below] "\n" stem
		if (!(stem in names) || name ~ /\.c$/)
			words[stem] = $3
		names[stem] = names[stem] (stem in names && names[stem] != "" ? ", " : "") "`" name "`"
		next
	}
	# As code: calls, options, variables, paths and names of files that are not already.
	function marked(text,    out, parts, count, i) {
		count = split(text, parts, "`")
		out = ""
		for (i = 1; i <= count; i++)
			out = out (i % 2 ? quoted(parts[i]) : "`" parts[i] "`")
		return out
	}
	function quoted(text,    out, found) {
		out = ""
		while (match(text, code)) {
			found = substr(text, RSTART, RLENGTH)
			out = out substr(text, 1, RSTART - 1) "`" found "`"
			text = substr(text, RSTART + length(found))
		}
		return out text
	}
	function table(folder,    list, count, i, row, text) {
		count = split(rows[folder], list, "\n")
		print "| File | What it does |"
		print "|---|---|"
		for (i = 2; i <= count; i++) {
			row = list[i]
			text = marked(words[row])
			print "| " names[row] " | " toupper(substr(text, 1, 1)) substr(text, 2) " |"
		}
	}
	function untold() { return folder != "" && (folder in rows) && !told[folder]++ }
	/^#/ {
		if (untold()) {
			table(folder)
			print ""
		}
		folder = ""
	}
	/^###+ [a-z0-9_\/]+\/ - / {
		folder = $0
		sub(/^#+ /, "", folder)
		sub(/ - .*/, "", folder)
	}
	/^\|/ && folder != "" && (folder in rows) {
		if (untold())
			table(folder)
		next
	}
	{ print }
	END {
		if (untold()) {
			print ""
			table(folder)
		}
	}' - "$1/README.md"
}

settings()
{
	awk -f test/lint/settings.awk whocallme/format/settings.list "$1"
}

# "PAGE NAME": what the pages of section 3 have under NAME.
page_names()
{
	awk '
	/^\.SH/ { is_name = $2 == "NAME"; next }
	is_name {
		ends = sub(/ \\-.*/, "")
		gsub(/,/, " ")
		count = split($0, names, " ")
		for (i = 1; i <= count; i++)
			print FILENAME, names[i]
		is_name = !ends
	}' doc/man/*.3
}

pages()
{
	printf '%s\n%s\n' '# SPDX-License-Identifier: MIT' '# Made of the pages: make lists.'
	# The plugin is not in every build.
	find "$1" -name '*.[1-8]' ! -name whocallme-inject.7 | sort | variable man_pages "$1"
	page_names | awk '$1 != "doc/man/" $2 ".3" { print "doc/man/" $2 ".3" }' | sort |
		variable man_aliases "$1"
}

alias_page()
{
	page_names | awk -v name="${1%.3}" '
	$2 == name { sub(/.*\//, "", $1); print ".so man3/" $1; found = 1 }
	END { exit !found }'
}

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
case $1 in
sources | map)
	[ -e "${2-}/local.mk" ] || exit 2
	"$1" "${2%/}"
	;;
settings)
	settings "$2"
	;;
pages)
	pages "${2%/}"
	;;
alias)
	alias_page "$2"
	;;
write)
	pages doc/man >"$work/made" && cp "$work/made" doc/man/pages.mk || exit
	for document in doc/man/whocallme-environment.7; do
		settings $document >"$work/made" && cp "$work/made" $document || exit
	done
	for folder in whocallme tool; do
		sources $folder >"$work/made" && cp "$work/made" $folder/sources.mk &&
			map $folder >"$work/made" && cp "$work/made" $folder/README.md || exit
	done
	;;
*) exit 2 ;;
esac
