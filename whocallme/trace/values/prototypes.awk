# SPDX-License-Identifier: MIT
# prototypes.awk - makes the table of prototypes.list, and what compares it with the headers.
#
#	awk -f prototypes.awk prototypes.list		the headers, to be included
#	awk -f prototypes.awk INCLUDED prototypes.list	the table; INCLUDED is what the
#							preprocessor makes of the former
#
# What only the compiler knows, how large a type is and whether it has a sign, is an
# expression in the table.  See prototype.h for the codes.

function trim(text)
{
	gsub(/^[ \t]+|[ \t]+$/, "", text)
	return text
}

# TYPE is spelled without a name.  Every code is a character of C, or an expression.
function code_of_type(type)
{
	if (type ~ /\(\*/)
		return "'F'"
	if (type == "..." || type == "va_list")
		return "'.'"
	if (type ~ /^(const |IN )?char \*$/)
		return "'s'"
	if (type ~ /[*\]]$/ || type in pointer)
		return "'p'"
	if (type in code)
		return code[type]
	return "INTEGER(" type ")"
}

# PARAMETER without its name.
function type_of(parameter)
{
	if (parameter ~ /\(\*|\.\.\./)
		return parameter
	if (parameter ~ /\]$/)
		return "[]"
	sub(/[A-Za-z_0-9]+$/, "", parameter)
	return trim(parameter)
}

# What is not const is no string that a function is given.
function code_of_parameter(parameter, type)
{
	type = type_of(parameter)
	return type == "char *" ? "'p'" : code_of_type(type)
}

# "'{l}'" is three characters.
function spread(text)
{
	gsub(/'\{l\}'/, "'{', 'l', '}'", text)
	gsub(/'\{ll\}'/, "'{', 'l', 'l', '}'", text)
	return text
}

function add_codes(text)
{
	codes = codes " " spread(text) ","
	code_count += text ~ /\{ll\}/ ? 4 : text ~ /\{l\}/ ? 3 : text ~ /^'m/ ? 2 : 1
}

# Where the parenthesis at AT of TEXT is closed.
function closing(text, at, depth, c)
{
	for (; at <= length(text); at++) {
		c = substr(text, at, 1)
		depth += (c == "(") - (c == ")")
		if (depth == 0)
			return at
	}
	return 0
}

function add_parameters(text, depth, begin, at, c)
{
	if (text == "void")
		return
	begin = 1
	for (at = 1; at <= length(text) + 1; at++) {
		c = substr(text, at, 1)
		depth += (c == "(") - (c == ")")
		if (at > length(text) || (c == "," && depth == 0)) {
			add_codes(code_of_parameter(trim(substr(text, begin, at - begin))))
			begin = at + 1
		}
	}
}

function add_name(name, at)
{
	codes_at[name] = at
	listed[++count] = name
}

# By insertion: there are about a thousand, in groups that are nearly in order.
function sort_names(i, j, name)
{
	for (i = 2; i <= count; i++) {
		name = listed[i]
		for (j = i - 1; j > 0 && listed[j] > name; j--)
			listed[j + 1] = listed[j]
		listed[j + 1] = name
	}
}

function print_table(i, name_at)
{
	name_at = 0
	print "const struct wcm_prototype_entry wcm__prototypes[] = {"
	for (i = 1; i <= count; i++) {
		printf "\t{ %d, %d },\n", name_at, codes_at[listed[i]]
		name_at += length(listed[i]) + 1
	}
	printf "};\n\nconst unsigned wcm__prototypes_count = %d;\n\n", count
	print "const char wcm__prototype_names[] ="
	for (i = 1; i <= count; i++)
		printf "\t\"%s\\0\"\n", listed[i]
	printf ";\n\nconst char wcm__prototype_codes[] = {\n%s};\n", codes
}

function add_check(name, line)
{
	sub(name "\\(", "wcm__as_" name "(", line)
	checks = checks "extern " line ";\nSAME(" name ");\n"
}

function add(line, open, name, before, close_at, rest)
{
	match(line, /[A-Za-z_0-9]+\(/)
	open = RSTART + RLENGTH - 1
	name = substr(line, RSTART, RLENGTH - 1)
	before = trim(substr(line, 1, RSTART - 1))
	if (!(name in declared) && header != "none")
		return
	close_at = closing(line, open)
	rest = substr(line, close_at + 1)
	add_name(name, code_count)
	add_codes(rest ~ /\(/ ? "'F'" : before == "void" ? "'v'" : code_of_type(before))
	add_parameters(substr(line, open + 1, close_at - open - 1))
	codes = codes " 0,\n"
	code_count++
	if (name in declared)
		add_check(name, line)
}

# NAME is what the headers have, OTHER, or else the PLAIN type.
function print_type(name, other, plain)
{
	print "#define " name " " (other in seen ? other : plain)
}

BEGIN {
	include = "#inc" "lude"
	n = split("iconv_t locale_t timer_t jmp_buf sigjmp_buf SOCKADDR CONST_SOCKADDR", words, " ")
	for (i = 1; i <= n; i++)
		pointer[words[i]] = 1
	code_count = 0
	code["double"] = "'d'"
	code["float"] = "'f'"
	code["long double"] = "'e'"
	code["bool"] = "'b'"
	code["char"] = "'c'"
	code["mode_t"] = "'o'"
	code["div_t"] = code["struct in_addr"] = code["union sigval"] = "'{l}'"
	code["ldiv_t"] = code["lldiv_t"] = "'{ll}'"
	code["struct mallinfo2"] = "'m', '0' + 10"
	is_table = ARGC > 2
	print "/* Made by prototypes.awk of prototypes.list. */"
	# With what is checked at run time, where the compiler can do that.
	print "#undef _FORTIFY_SOURCE\n#ifdef __OPTIMIZE__\n#define _FORTIFY_SOURCE 2\n#endif"
	print include " \"trace/values/prototypes_include.h\""
}

# What the preprocessor makes of the headers: each name with a parenthesis behind it.
is_table && FNR == NR {
	line = $0
	if (match(line, /__[A-Z]*_?SOCKADDR_ARG|__[a-z]+_(which|resource|who)_t/))
		seen[substr(line, RSTART, RLENGTH)] = 1
	if (line ~ / ioctl ?\(int [a-z_]*, unsigned long/)
		seen["unsigned long"] = 1
	while (match(line, /[A-Za-z_][A-Za-z_0-9]*[ \t]*\(/)) {
		name = substr(line, RSTART, RLENGTH - 1)
		sub(/[ \t]+$/, "", name)
		declared[name] = 1
		line = substr(line, RSTART + RLENGTH)
	}
	next
}

/^#/ || /^$/ { next }

/^</ || /^none$/ {
	header = $0
	if (header != "none")
		print "#if __has_" "include(" header ")\n" include " " header "\n#endif"
	next
}

is_table && / = / {
	if ($3 in codes_at)
		add_name($1, codes_at[$3])
	next
}

is_table { add($0) }

END {
	if (!is_table)
		exit
	print_type("SOCKADDR", "__SOCKADDR_ARG", "struct sockaddr *")
	print_type("CONST_SOCKADDR", "__CONST_SOCKADDR_ARG", "const struct sockaddr *")
	print_type("ITIMER_WHICH", "__itimer_which_t", "int")
	print_type("RLIMIT_RESOURCE", "__rlimit_resource_t", "int")
	print_type("PRIORITY_WHICH", "__priority_which_t", "int")
	print_type("RUSAGE_WHO", "__rusage_who_t", "int")
	print_type("IOCTL_REQUEST", "unsigned long", "int")
	printf "\n%s\n", checks
	sort_names()
	print_table()
}
