# SPDX-License-Identifier: MIT
# words.awk - the sentences of texts that break a rule of CONTRIBUTING.md, "Words".
#
#	awk -f words.awk FILE...	"FILE: SENTENCE" of each
#
# A text is a page of the manual, a document in Markdown, the comments of a header (.h), or the
# strings of source (.c, .list).  Examples and code in them are left out.

function judge(sentence) {
	gsub(/[ \t]+/, " ", sentence)
	sub(/^[ ("*-]+/, "", sentence)
	if (sentence ~ starts || sentence ~ phrases)
		print file ": " substr(sentence, 1, 150)
}

function end_text(    at) {
	while (match(text, /[.:!?]["')*]* +["'(*]*[A-Z]/)) {
		at = RSTART + RLENGTH - 2
		judge(substr(text, 1, at))
		text = substr(text, at + 1)
	}
	judge(text)
	text = ""
}

function add(words) { text = text (text == "" ? "" : " ") words }

BEGIN {
	starts = "^(Of|That|What|Those|So is|So are) "
	phrases = "(^|[^a-z])(be had|is had|are had|told of|which else|by then|is to be|are to be|behind)([^a-z]|$)"
}

FNR == 1 {
	end_text()
	file = FILENAME
	is_code = 0
}

file ~ /\.[1-8]$/ {
	if (/^\.EX/)
		is_code = 1
	if (/^\.EE/)
		is_code = 0
	if (is_code || /^\.\\"/ || /^'/)
		next
	if (/^\.(SH|SS|TP|TQ|PP|IP|TH)/) {
		end_text()
		next
	}
	sub(/^\.(RI|IR|RB|BR|BI|IB|B|I) /, "")
	gsub(/\\f[A-Z]|\\c|"/, "")
	gsub(/\\-/, "-")
	gsub(/\\ /, " ")
	if (!/^\./)
		add($0)
	next
}

file ~ /\.md$|NEWS$/ {
	if (/^ *```/)
		is_code = !is_code
	if (is_code || /^ *```/ || /^(    |\t)/ && text == "")
		next
	if (/^ *$/ || /^ *[-*] / || /^#/)
		end_text()
	gsub(/`[^`]*`/, "X")
	gsub(/\]\([^)]*\)/, "]")
	if (/^\|/) {
		count = split($0, cell, "|")
		for (i = 1; i <= count; i++) {
			text = cell[i]
			sub(/^ */, "", text)
			end_text()
		}
		next
	}
	sub(/^ *[-*] /, "")
	add($0)
	next
}

file ~ /\.h$/ {
	while (length($0)) {
		if (!is_code) {
			if (!match($0, /\/\*/))
				next
			is_code = 1
			$0 = substr($0, RSTART + 2)
		} else if (match($0, /\*\//)) {
			words = substr($0, 1, RSTART - 1)
			$0 = substr($0, RSTART + 2)
			sub(/^[ \t]*\*[ \t]*/, "", words)
			add(words)
			end_text()
			is_code = 0
		} else {
			sub(/^[ \t]*\*[ \t]*/, "")
			if ($0 == "")
				end_text()
			else
				add($0)
			next
		}
	}
	next
}

# Strings that follow each other are one.
{
	gsub(/\/\*[^*"]*\*\//, "")
	sub(/^[ \t]*(\/\*|\*|#include).*/, "")
	while (match($0, /"([^"\\]|\\.)*"/)) {
		before = substr($0, 1, RSTART - 1)
		words = substr($0, RSTART + 1, RLENGTH - 2)
		$0 = substr($0, RSTART + RLENGTH)
		if (before !~ /^[ \t]*$/)
			end_text()
		gsub(/\\n/, " ", words)
		gsub(/\\"/, "'", words)
		text = text words
	}
	if ($0 !~ /^[ \t\\]*$/)
		end_text()
}

END { end_text() }
