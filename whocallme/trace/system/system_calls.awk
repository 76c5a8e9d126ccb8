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

function code_of(kind, is_told_later)
{
	is_told_later = sub(/^>/, "", kind)
	if (kind in groups)
		return "WCM_KIND_group, " groups[kind]
	return "WCM_KIND_" kind (is_told_later ? " | WCM_KIND_LATER" : "")
}

# The codes of the kinds, of which calls share those that are the same.
function codes_at(codes, size)
{
	size = gsub(/,/, ",", codes) + 1
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
	add_call(name, codes ", 0")
}

function words_of(count, codes)
{
	for (codes = "WCM_KIND_hex"; count > 0; count--)
		codes = codes ", WCM_KIND_hex"
	return codes ", 0"
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
	codes_size = 0
	row_count = 0
	group_count = 0
	pool_size = 0
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

$1 == "class" {
	for (i = 3; i <= NF; i++)
		classes[$i] = classes[$i] (classes[$i] ? " " : "") $2
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
	print "\n" include " \"trace/system/system_tables.h\"\n"
	# Some CPUs have two names for a number.
	print "#pragma GCC diagnostic ignored \"-Woverride-init\"\n"
	print "#define ROW(value) (uint64_t)(value)\n"
	printf "const uint64_t wcm__system_values[] = {\n%s};\n\n", rows
	printf "const uint16_t wcm__system_value_names[] = {\n%s\n};\n\n", row_names
	printf "const struct wcm_system_group wcm__system_groups[] = {\n%s};\n\n%s\n", group_rows, constants
	printf "const unsigned long wcm__system_restorer = %s;\n\n",
	       "SA_RESTORER" in body ? body["SA_RESTORER"] : 0
	printf "const uint8_t wcm__system_codes[] = {\n%s};\n\n", all_codes
	printf "const struct wcm_system_entry wcm__system_calls[WCM_SYSTEM_CALLS] = {\n%s};\n\n", entries
	print "const char wcm__system_names[] ="
	for (i = 1; i <= pool_count; i++)
		printf "\t\"%s\\0\"\n", pool[i]
	print "\t;"
}
