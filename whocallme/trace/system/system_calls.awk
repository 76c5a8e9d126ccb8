# SPDX-License-Identifier: MIT
# system_calls.awk - makes the tables of system_calls.list.
#
#	awk -f system_calls.awk system_calls.list		libc's headers, to be included
#	awk -f system_calls.awk -v world=kernel system_calls.list	the kernel's
#	awk -f system_calls.awk LIBC KERNEL system_calls.list	the tables; LIBC and KERNEL are the
#								macros of the former, as the
#								preprocessor lists them
#
# They say which names there are.  What a name stands for only the compiler reads, but for the
# numbers that the kernel's headers have: some are not those of libc, which changes what it is given.

# Whether the macro NAME is a number, as far as its text tells: one of a field of a struct is not,
# nor the code of a device that takes a struct.
function is_number(name)
{
	return (name in body) && body[name] !~ /[.{"]|struct|->|[a-z] *\(|^$/
}

# Whether NAME is another name for one that begins so, too, and has a line of its own.
function is_alias(name, prefix)
{
	return body[name] != name && body[name] in body && index(body[name], prefix) == 1
}

# The offset of TEXT in the pool of names.
function name_at(text)
{
	if (!(text in pooled)) {
		pooled[text] = pool_size
		pool[++pool_count] = text
		pool_size += length(text) + 1
	}
	return pooled[text]
}

function add_row(value, name)
{
	rows = rows sprintf("\tROW(%s),\n", value)
	row_names = row_names sprintf(" %s,%s", name, ++row_count % 12 ? "" : "\n")
}

function add_member(name)
{
	if (name in taken || !is_number(name))
		return
	taken[name] = 1
	add_row(is_of_kernel[name] ? body[name] : name, name_at(name))
}

function is_left_out(name, i)
{
	for (i = 1; i <= left_out_count; i++)
		if (substr(name, 1, length(left_out[i])) == left_out[i] &&
		    (is_prefix[i] || name == left_out[i]))
			return 1
	return 0
}

function add_prefix(prefix, i)
{
	for (i = 1; i <= macro_count; i++)
		if (index(macros[i], prefix) == 1 && !is_left_out(macros[i]) &&
		    !is_alias(macros[i], prefix) && (prefix ~ /_/ || macros[i] !~ /_/))
			add_member(macros[i])
}

function leave_out(name)
{
	is_prefix[++left_out_count] = sub(/\*$/, "", name)
	left_out[left_out_count] = name
}

# The words after the second: the members of a group.
function add_group(i, word, first, pair)
{
	first = row_count
	split("", taken)
	left_out_count = 0
	if ($1 == "values")
		add_row("UINT32_MAX", 0)
	for (i = 3; i <= NF; i++) {
		word = $i
		if (word == "&all")
			add_row("UINT32_MAX", 0)
		else if (word == "&")
			add_row("0", 0)
		else if (sub(/^&/, "", word))
			add_row(is_number(word) ? word : "0", 0)
		else if (sub(/^!/, "", word))
			leave_out(word)
		else if (sub(/\*$/, "", word))
			add_prefix(word)
		else if (split(word, pair, "=") == 2)
			add_row(pair[2], name_at(pair[1]))
		else
			add_member(word)
	}
	groups[$2] = group_count++
	group_rows = group_rows sprintf("\t{ %d, %d }, /* %s */\n", first, row_count - first, $2)
	constants = constants sprintf("const uint8_t wcm__group_%s = %d;\n", $2, groups[$2])
}

# A kind, and the number that it needs.
function code_of(kind, later)
{
	later = sub(/^>/, "", kind) ? " | WCM_KIND_LATER" : ""
	if (sub(/^\+/, "", kind))
		return "{ WCM_KIND_named, " groups[kind] " }"
	if (kind in groups)
		return "{ WCM_KIND_group, " groups[kind] " }"
	if (kind in structs)
		return "{ WCM_KIND_struct" later ", " structs[kind] " }"
	if (kind in choices)
		return "{ WCM_KIND_choice" later ", " choices[kind] " }"
	return "{ WCM_KIND_" kind later ", 0 }"
}

# The number of an expression of C about IT, a struct of TYPE, or about VALUE.
function expression_of(text, type, line)
{
	line = type == "" ? "" : "\t\tconst " type " *it = bytes;\n\n\t\t(void)it;\n"
	expressions = expressions sprintf("\tcase %d: {\n%s\t\treturn (uint64_t)(%s);\n\t}\n",
					  ++expression_count, line, text)
	return expression_count
}

function type_of(type)
{
	return type in c_types ? c_types[type] : type
}

function add_part(row)
{
	part_rows = part_rows "\t" row ",\n"
	part_count++
}

# Members of a struct: NAME[=MEMBER][/TYPE]:KIND[?EXPRESSION].  FIELD is the type of those that a
# layout of ours has; "": the struct is the headers'.
function add_member_of(word, type, field, at, when, kind, name, extra)
{
	when = 0
	if (word == "...") {
		add_part("{ 0, 0, 0, { WCM_KIND_more, 0 }, 0 }")
		return
	}
	if (sub(/^-/, "", word)) {
		skip(word, field)
		return
	}
	if (at = index(word, "?")) {
		when = expression_of(substr(word, at + 1), type)
		word = substr(word, 1, at - 1)
	}
	at = index(word, ":")
	kind = substr(word, at + 1)
	word = substr(word, 1, at - 1)
	name = word
	extra = 0
	if (at = index(word, "=")) {
		name = substr(word, 1, at - 1)
		word = substr(word, at + 1)
	} else if (field != "") {
		skip(word, field)
		sub(/\/.*/, "", word)
		name = word
	}
	if (at = index(word, "+")) {
		extra = substr(word, at + 1)
		word = substr(word, 1, at - 1)
	}
	add_part(sprintf("PART(%s, %s, %s, %s, (%s), %s)", type, word, extra, name_at(name == "" ? "" : name "="),
			 code_of(kind), when))
}

# What a layout has there: NAME[/TYPE], or so many that have no name.
function skip(word, field, at)
{
	if (at = index(word, "/")) {
		field = type_of(substr(word, at + 1))
		word = substr(word, 1, at - 1)
	}
	layout = layout "\t" field " " (word ~ /^[0-9]+$/ ? "skipped" ++skips "[" word "]" : word) ";\n"
}

function add_struct(form, i, first, field, type, less)
{
	first = part_count
	for (i = 4; $i != "=" && $i != "less"; i++)
		type = type (type == "" ? "" : " ") $i
	if ($i == "less")
		for (i++; $i != "="; i++)
			less = less " " $i
	layout = ""
	if ($3 == "of") {
		field = type_of(type)
		type = "struct layout_" $2
	}
	for (i++; i <= NF; i++)
		add_member_of($i, type, field)
	if ($3 == "of")
		layouts = layouts type " {\n" layout "};\n"
	c_types[$2] = type
	add_form(form, first, "sizeof(" type ")" (less == "" ? "" : " - (" less ")"))
}

function add_form(form, first, size)
{
	structs[$2] = struct_count++
	layouts = layouts sprintf("_Static_assert(%s <= WCM_ROOM_%s, \"%s\");\n", size, form, $2)
	struct_rows = struct_rows sprintf("\t{ %d, %d, %s, WCM_FORM_%s }, /* %s */\n", first,
					  part_count - first, size, form, $2)
	constants = constants sprintf("const uint8_t wcm__struct_%s = %d;\n", $2, structs[$2])
}

# KIND of TYPE, "=" where that is a struct of ours, and an expression: how many there are.
function add_array(i, count, type)
{
	for (i = 5; i <= NF; i++)
		count = count " " $i
	type = type_of($4 == "=" ? $3 : $4)
	add_part(sprintf("{ 0, 0, sizeof(%s), %s, %d }", type, code_of($3), expression_of(count, "")))
	add_form("ARRAY", part_count - 1, "sizeof(" type ")")
}

# VALUE|VALUE:KIND, the last *:KIND, by an argument within a mask.
function add_choice(i, j, at, first, count, names)
{
	first = choice_row_count
	for (i = 5; i <= NF; i++) {
		at = index($i, ":")
		count = split(substr($i, 1, at - 1), names, "|")
		for (j = 1; j <= count; j++)
			if (names[j] == "*" || names[j] ~ /^[0-9]/ || names[j] in body) {
				choice_rows = choice_rows sprintf("\t{ (uint32_t)(%s), %s },\n",
					names[j] == "*" ? 0 : names[j], code_of(substr($i, at + 1)))
				choice_row_count++
			}
	}
	choices[$2] = choice_count++
	choice_list = choice_list sprintf("\t{ (uint32_t)(%s), %d, %d, %d }, /* %s */\n", $4, first,
					  choice_row_count - first, $3, $2)
}

# The codes of the kinds, of which calls share those that are the same.
function codes_at(codes, size)
{
	size = gsub(/{/, "{", codes)
	if (!(codes in known_codes)) {
		known_codes[codes] = codes_size
		all_codes = all_codes "\t" codes ",\n"
		codes_size += size
	}
	return known_codes[codes]
}

function add_call(name, codes)
{
	described[name] = 1
	if (("SYS_" name) in body)
		entries = entries sprintf("#if SYS_%s < WCM_SYSTEM_CALLS\n\t[SYS_%s] = { %d, %d, %d },\n#endif\n",
					  name, name, name_at(name), codes_at(codes),
					  name_at(classes[name]))
}

function add_line(line, name, result, kinds, count, i, codes)
{
	name = substr(line, 1, index(line, "(") - 1)
	result = substr(line, index(line, ")") + 1)
	gsub(/ /, "", result)
	line = substr(line, length(name) + 2, index(line, ")") - length(name) - 2)
	gsub(/ /, "", line)
	codes = code_of(result == "" ? "number" : result)
	count = split(line, kinds, ",")
	for (i = 1; i <= count; i++)
		codes = codes ", " code_of(kinds[i])
	add_call(name, codes ", " last_code)
}

function words_of(count, codes)
{
	for (codes = code_of("hex"); count > 0; count--)
		codes = codes ", " code_of("hex")
	return codes ", " last_code
}

# What the list does not know has six words.
function add_unknown(i, name)
{
	for (i = 1; i <= macro_count; i++) {
		name = macros[i]
		if (sub(/^SYS_/, "", name) && name ~ /^[a-z_0-9]+$/ && !(name in described) &&
		    name != "syscalls")
			add_call(name, words_of(6))
	}
}

BEGIN {
	include = "#inc" "lude"
	is_table = ARGC > 2
	last_code = "{ WCM_KIND_END, 0 }"
	codes_size = 0
	row_count = 0
	group_count = 0
	pool_size = part_count = struct_count = choice_count = choice_row_count = 0
	name_at("")
	print "/* Made by system_calls.awk of system_calls.list. */"
}

FNR == 1 { file += is_table ? 1 : 3 }

file == 2 && ($2 in body) && $3 ~ /^[0-9][0-9a-fA-FxX]*$/ {
	is_of_kernel[$2] = 1
	body[$2] = $3
	next
}

file < 3 {
	if ($2 ~ /^[A-Za-z_0-9]+$/ && !($2 in body)) {
		is_of_kernel[$2] = file == 2
		macros[++macro_count] = $2
		body[$2] = substr($0, length($1) + length($2) + 3)
	}
	next
}

/^#/ || /^$/ { next }

/^</ || $1 == "kernel" {
	if (($1 == "kernel") == (world == "kernel"))
		printf "#if __has_" "include(%s)\n%s %s\n#endif\n", $NF, include, $NF
	next
}

!is_table { next }

$1 == "values" || $1 == "flags" { add_group(); next }

$1 == "define" {
	defines = defines "#" $0 "\n"
	next
}

$1 == "struct" { add_struct("STRUCT"); next }
$1 == "tuple" { add_struct("TUPLE"); next }
$1 == "bare" { add_struct("BARE"); next }
$1 == "array" { add_array(); next }
$1 == "choice" { add_choice(); next }

$1 == "class" {
	names = $2
	gsub(/\|/, " ", names)
	for (i = 3; i <= NF; i++)
		classes[$i] = classes[$i] (classes[$i] ? " " : "") names
	next
}

$1 == "words" {
	for (i = 3; i <= NF; i++)
		add_call($i, words_of($2))
	next
}

{ add_line($0) }

END {
	if (!is_table)
		exit
	add_unknown()
	print "\n" include " \"core/os/kernel_action.h\""
	print include " \"trace/system/system_kinds.h\"\n"
	# Some CPUs have two names for a number.
	print "#pragma GCC diagnostic ignored \"-Woverride-init\"\n"
	print "#define ROW(value) (uint64_t)(value)\n"
	printf "const uint64_t wcm__system_values[] = {\n%s};\n\n", rows
	printf "const uint16_t wcm__system_value_names[] = {\n%s\n};\n\n", row_names
	printf "const struct wcm_system_group wcm__system_groups[] = {\n%s};\n\n%s\n", group_rows, constants
	printf "#define RESTORER %s\n", "SA_RESTORER" in body ? body["SA_RESTORER"] : 0
	printf "%s", defines
	print "#define PART(type, member, extra, name, code, when) \\"
	print "\t{ name, offsetof(type, member) + extra, sizeof(((type *)0)->member), CODE code, when }"
	print "#define CODE(...) __VA_ARGS__\n"
	print layouts
	printf "const struct wcm_system_part wcm__system_parts[] = {\n%s};\n\n", part_rows
	printf "const struct wcm_system_struct wcm__system_structs[] = {\n%s};\n\n", struct_rows
	printf "const struct wcm_system_choice_row wcm__system_choice_rows[] = {\n%s};\n\n", choice_rows
	printf "const struct wcm_system_choice wcm__system_choices[] = {\n%s};\n\n", choice_list
	print "uint64_t wcm__system_expression(unsigned number, const void *bytes,"
	print "\t\t\t\tconst struct wcm_system_value *value)\n{\n\tswitch (number) {"
	printf "%s\t}\n\treturn 1;\n}\n\n", expressions
	printf "const struct wcm_system_code wcm__system_codes[] = {\n%s};\n\n", all_codes
	printf "const struct wcm_system_entry wcm__system_calls[WCM_SYSTEM_CALLS] = {\n%s};\n\n", entries
	print "const char wcm__system_names[] ="
	for (i = 1; i <= pool_count; i++)
		printf "\t\"%s\\0\"\n", pool[i]
	print "\t;"
}
