# SPDX-License-Identifier: MIT
# includes.awk - which file includes which, and what of it breaks the law of the house.
#
# Reads the floors, then makefiles for the -I paths, then the sources of whocallme/ and
# tool/, all named from the top of a tree.  It resolves each #include "..." as the
# compiler does: first in the includer's folder, then along the -I paths of its half of
# the tree.  $(WCM_ARCH) in a path stands for every port.  Prints the figures, then a
# line for each offence:
#	offence KIND NAMES # PATHS
# NAMES has base names only, so that known-offences.txt outlives a move of the files.

function folder_of(path) { sub(/\/[^\/]*$/, "", path); return path }
function base_of(path) { sub(/^.*\//, "", path); return path }
function half_of(path) { sub(/\/.*/, "", path); return path }
function pair_of(path) { sub(/\.[ch]$/, "", path); return path }

function offence(names, paths) { offences[names] = offences[names] " " paths }

BEGIN {
	for (i = 1; i < ARGC; i++)
		if (ARGV[i] ~ /\.([ch]|list)$/) {
			known[ARGV[i]] = 1
			folders[folder_of(ARGV[i])] = 1
		}
}

# A line is a floor, top to bottom: "NAME: FOLDER... > FOLDER...".  Folders after a >
# are below those before it.  "FOLDER/*" stands for the folders in FOLDER.
FILENAME == ARGV[1] {
	if ($0 ~ /^(#|$)/)
		next
	rank++
	for (i = 2; i <= NF; i++)
		if ($i == ">")
			rank++
		else {
			rank_of[$i] = rank
			floor_of[$i] = $1
		}
	next
}

# add_path HALF WORD: the folder, or all folders of ports, that -I names.
function add_path(half, word,    folder)
{
	sub(/^-I/, "", word)
	gsub(/%reldir%/, half, word)
	sub(/^\$\((top_)?srcdir\)\//, "", word)
	if (word !~ /\$\(WCM_ARCH\)$/) {
		paths[half] = paths[half] " " word
		return
	}
	sub(/\$\(WCM_ARCH\)$/, "", word)
	for (folder in folders)
		if (index(folder, word) == 1)
			paths[half] = paths[half] " " folder
}

FILENAME ~ /\.(am|mk)$/ {
	half = FILENAME ~ /\// ? half_of(FILENAME) : "all"
	for (i = 1; i <= NF; i++)
		if ($i ~ /^-I./)
			add_path(half, $i)
	next
}

function arrow(from, to)
{
	if (to ~ /^include\/whocallme(\/[a-z_]+)?\.h$/) {
		if (from ~ /^tool\//)
			offence("tool " base_of(from) " " base_of(to), from " -> " to)
		return 1
	}
	if (!(to in known))
		return 0
	if (pair_of(from) != pair_of(to) && !((from, to) in arrows)) {
		arrows[from, to] = 1
		targets[pair_of(from)] = targets[pair_of(from)] " " pair_of(to)
	}
	return 1
}

# A file that is in several ports is an arrow to each.
function resolve(from, name,    list, count, i, found, hit)
{
	if (arrow(from, folder_of(from) "/" name))
		return
	count = split(paths[half_of(from)] " " paths["all"], list)
	for (i = 1; i <= count; i++) {
		if (found && list[i] !~ /\/arch\/./)
			continue
		hit = arrow(from, list[i] "/" name)
		found = found || hit
	}
	if (!found)
		offence("lost " base_of(from) " " name, from)
}

/^[ \t]*#[ \t]*include[ \t]*"/ {
	name = $0
	sub(/^[^"]*"/, "", name)
	sub(/".*/, "", name)
	resolve(FILENAME, name)
}

/^[ \t]*#[ \t]*include[ \t]*<whocallme\// && FILENAME ~ /^tool\// {
	name = $0
	sub(/^[^<]*</, "", name)
	sub(/>.*/, "", name)
	offence("tool " base_of(FILENAME) " " base_of(name), FILENAME " -> " name)
}

# A header's guard is no such condition, and neither are libtool's PIC and C++.
/^[ \t]*#[ \t]*(if|ifdef|ifndef|elif)[ \t]/ {
	if ($0 !~ /#[ \t]*ifndef[ \t]+[A-Z0-9_]+_H$/ && $0 !~ /PIC|__cplusplus/ &&
	    folder_of(FILENAME) !~ /\/(arch|os)(\/|$)/)
		offence("if " base_of(FILENAME) " " $1 " " $2, FILENAME)
}

# A name that holds the word is another one.
/(^|[^A-Za-z0-9_])(wcm__syscall|WCM_SYSCALL)([^A-Za-z0-9_]|$)/ {
	if (FILENAME ~ /^whocallme\// && folder_of(FILENAME) !~ /\/(arch|os)(\/|$)/)
		offence("call " base_of(FILENAME), FILENAME)
}

function floor(folder)
{
	if (folder in rank_of)
		return folder
	folder = folder_of(folder) "/*"
	return folder in rank_of ? folder : ""
}

# Folders without a floor, and the number of floors that are in use.
function count_floors(    folder, used)
{
	for (folder in folders) {
		folder_count++
		if (floor(folder) == "")
			offence("floor " folder, folder)
		else if (!(floor_of[floor(folder)] in used)) {
			used[floor_of[floor(folder)]] = 1
			floor_count++
		}
	}
}

function judge_arrows(    both, from, to)
{
	for (both in arrows) {
		split(both, ends, SUBSEP)
		from = ends[1]; to = ends[2]
		file_arrows++
		if (from ~ /^tool\// && to ~ /^whocallme\// &&
		    to !~ /^whocallme\/(format|trace\/values)\//)
			offence("tool " base_of(from) " " base_of(to), from " -> " to)
		if (folder_of(from) == folder_of(to))
			continue
		if (!((folder_of(from), folder_of(to)) in between)) {
			between[folder_of(from), folder_of(to)] = 1
			folder_arrows++
		}
		if (rank_of[floor(folder_of(from))] <= rank_of[floor(folder_of(to))])
			continue
		up_arrows++
		if (!((folder_of(from), folder_of(to)) in up)) {
			up[folder_of(from), folder_of(to)] = 1
			up_folders++
		}
		offence("up " base_of(from) " " base_of(to), from " -> " to)
	}
}

# Base names, without .c and .h, that are in two folders.  The ports have the same.
function judge_names(    path, name, folder)
{
	for (path in known) {
		folder = folder_of(path)
		sub(/\/arch\/.*/, "/arch/PORT", folder)
		name = base_of(pair_of(path))
		if (!((name, folder) in seen)) {
			seen[name, folder] = 1
			homes[name] = homes[name] " " folder
			if (++times[name] > 1)
				names_twice[name] = 1
		}
	}
	for (name in names_twice)
		offence("name " name, homes[name])
}

function sorted(list,    item, count, i, j, tmp, text)
{
	count = split(list, item)
	for (i = 2; i <= count; i++)
		for (j = i; j > 1 && item[j - 1] > item[j]; j--) {
			tmp = item[j]; item[j] = item[j - 1]; item[j - 1] = tmp
		}
	for (i = 1; i <= count; i++)
		text = text " " item[i]
	return text
}

# Tarjan's strongly connected components; those of two files or more are circles.  A .c
# and its .h are one file here: each stands for what the other needs.
function visit(file,    list, count, i, other, names, members)
{
	low[file] = number[file] = ++numbered
	stack[++depth] = file
	on_stack[file] = 1
	count = split(targets[file], list)
	for (i = 1; i <= count; i++) {
		other = list[i]
		if (!(other in number))
			visit(other)
		if (on_stack[other] && low[other] < low[file])
			low[file] = low[other]
	}
	if (low[file] != number[file])
		return
	do {
		other = stack[depth--]
		on_stack[other] = 0
		members = members " " other
		names = names " " base_of(other)
	} while (other != file)
	if (members ~ / .* /) {
		circles++
		offence("circle" sorted(names), sorted(members))
	}
}

END {
	count_floors()
	judge_arrows()
	judge_names()
	for (file in known)
		if (!(pair_of(file) in number))
			visit(pair_of(file))
	printf "floors: %d\nfolders: %d\n", floor_count, folder_count
	printf "arrows between files: %d\n", file_arrows
	printf "arrows between folders: %d\n", folder_arrows
	printf "upward arrows: %d between %d pairs of folders\n", up_arrows, up_folders
	printf "circles of files: %d\n", circles
	for (names in offences)
		print "offence " names "\t" offences[names] | "sort"
}
