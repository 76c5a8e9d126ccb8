# SPDX-License-Identifier: MIT
# settings.awk - makes the parts of a page of the manual that say what settings.list has.
#
#	awk -f settings.awk settings.list PAGE
#
# A part is between a comment "settings: NAME" and a comment "settings end": the variables that
# options of run or trace set, those of a program that is linked with the library, or the others.

# The arguments of the row TEXT to argument[], designated ones by their names; a string as it is.
function split_row(text,    i, sign, quoted, field, name) {
	delete argument
	arguments = 0
	field = name = ""
	for (i = 1; i <= length(text); i++) {
		sign = substr(text, i, 1)
		if (quoted && sign == "\\")
			field = field substr(text, ++i, 1)
		else if (sign == "\"")
			quoted = !quoted
		else if (quoted)
			field = field sign
		else if (sign == "=") {
			name = field
			field = ""
		} else if (sign == ",") {
			argument[name == "" ? ++arguments : name] = field
			field = name = ""
		} else if (sign !~ /[ \t]/)
			field = field sign
	}
	argument[name == "" ? ++arguments : name] = field
}

# A row that has ended.
function take_row(    macro, name, before) {
	if (row == "")
		return
	macro = row
	sub(/\(.*/, "", macro)
	sub(/^[A-Z_]+\(/, "", row)
	sub(/\)[ \t]*$/, "", row)
	split_row(row)
	row = ""
	sub(/_OPTION$/, "", macro)
	name = macro == "SETTING" ? argument[2] : argument[1]
	if (macro == "SETTING") {
		order[++settings] = name
		reader[name] = argument[1]
		kind[name] = argument[3]
		takes[name] = argument[4]
		usual[name] = argument[5]
		help[name] = argument[6]
	} else if (macro == "RUN" || macro == "TRACE") {
		if (!((macro, name) in options))
			rows[macro] = rows[macro] " " name
		before = (macro, name) in options ? options[macro, name] "; " : ""
		options[macro, name] = before option()
	}
}

function option(    letter, value) {
	letter = argument[2] ~ /^'.'$/ ? code("-" substr(argument[2], 2, 1)) ", " : ""
	value = ".value" in argument ? "=" argument[".value"] : ""
	if (".is_optional" in argument)
		value = "[" value "]"
	return letter code("--" argument[3] value)
}

function code(text) { return "`" text "`" }

# Its words, the usual one first; or what it takes.
function values(name,    word, count, i, text) {
	text = usual[name] == "" ? "" : code(usual[name])
	if (kind[name] == "TEXT")
		return text (text == "" ? "" : "; ") takes[name]
	count = split(takes[name], word, " ")
	if (text == "" && kind[name] == "WORD" && count > 1)
		text = "nothing"
	for (i = 1; i <= count; i++)
		if (word[i] != usual[name])
			text = text (text == "" ? "" : kind[name] == "WORDS" && i == 1 ? "; " : ", ") \
				code(word[i])
	return text (kind[name] == "WORDS" ? ", between commas" : "")
}

# As roff has it.
function roff(text,    part, count, i, out) {
	gsub(/\\/, "\\e", text)
	gsub(/-/, "\\-", text)
	count = split(text, part, "`")
	for (i = 1; i <= count; i++)
		out = out (i % 2 ? part[i] : "\\fB" part[i] "\\fR")
	return out
}

function entry(name, its_options) {
	print ".TP"
	print ".B WHOCALLME_" name
	print_folded(roff(values(name) (its_options == "" ? "" : "; " its_options) "."))
	print ".br"
	print_folded(roff(help[name] "."))
}

# A line of at most 100 columns does not begin as a request of roff does.
function print_folded(text,    at) {
	while (length(text) > 100) {
		for (at = 100; substr(text, at, 1) != " " || substr(text, at + 1, 1) ~ /[.\x27]/; at--)
			;
		print substr(text, 1, at - 1)
		text = substr(text, at + 1)
	}
	print text
}

function part(which,    list, count, i, macro) {
	macro = toupper(which)
	if (macro in rows)
		count = split(rows[macro], list, " ")
	for (i = 1; i <= settings; i++)
		if (reader[order[i]] == macro && !((macro, order[i]) in options))
			list[++count] = order[i]
	for (i = 1; i <= count; i++)
		entry(list[i], options[macro, list[i]])
}

FNR == NR {
	if (/^[A-Z_]+\(/ || /^($|#)/)
		take_row()
	if (/^[A-Z_]+\(/ || row != "")
		row = row $0
	next
}
/settings end/ { is_made = 0 }
!is_made { print }
/^\.\\" settings: / {
	is_made = 1
	sub(/.*settings: /, "")
	sub(/ .*/, "")
	part($0)
}
