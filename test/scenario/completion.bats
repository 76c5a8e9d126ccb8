#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# completion.bats - what bash, zsh and fish offer is what --help says, by the shells' own
# completion.

load support

setup_file()
{
	bin=$BATS_FILE_TMPDIR
	mkdir "$bin/completions" "$bin/place" "$bin/place/folder" "$bin/place/bin"
	"$whocallme" completion bash >"$bin/completions/whocallme"
	"$whocallme" completion zsh >"$bin/completions/_whocallme"
	"$whocallme" completion fish >"$bin/completions/whocallme.fish"
	: >"$bin/place/a-file"
	printf '#!/bin/sh\n' >"$bin/place/bin/a-program"
	chmod +x "$bin/place/bin/a-program"
}

setup()
{
	cd "$bin/place"
	PATH=$bin/place/bin:$PATH
}

# offers SHELL LINE...: what it offers at the end of each, a line of words each.
offers()
{
	local shell=$1 line
	shift
	case $shell in
	bash)
		timeout 60 bash --norc "$top_srcdir/test/scenario/completion.bash" \
			"$bin/completions/whocallme" "$@"
		;;
	zsh)
		timeout 60 zsh -f "$top_srcdir/test/scenario/completion.zsh" \
			"$bin/completions" "$@"
		;;
	fish)
		for line; do
			# shellcheck disable=SC2016 # fish's variable
			HOME=$BATS_TEST_TMPDIR timeout 60 fish --no-config -c \
				'source $argv[1]; complete -C $argv[2]' \
				"$bin/completions/whocallme.fish" "$line" | cut -f 1 |
				sed 's/^--[a-z-]*=//' | sort -u | tr '\n' ' '
			echo
		done
		;;
	esac
}

commands()
{
	"$whocallme" --help | sed -n 's/^  \([a-z][a-z]*\) .*/\1/p'
}

# The options of COMMAND, a word each, as its --help has them.
helped()
{
	"$whocallme" "$1" --help | grep -E '^  (-|   )' | grep -o -E -e \
		'^ *(-[a-zA-Z], )?--[a-z-]+' | tr -d , | tr -s ' ' '\n' | grep . | sort -u
}

# The options offered are those of --help, and no other.
same_options()
{
	local shell=$1 command
	local -a lines=()
	for command in $(commands); do
		lines+=("whocallme $command -")
	done
	offers "$shell" "${lines[@]}" >"$BATS_TEST_TMPDIR/offered"
	for command in $(commands); do
		IFS= read -r line
		diff <(helped "$command") <(tr ' ' '\n' <<<"$line" | sed 's/=$//' |
			grep -E '^-(-|[A-Za-z]$)' | sort -u) ||
			{ echo "those of $shell for $command differ" && return 1; }
	done <"$BATS_TEST_TMPDIR/offered"
}

# offered SHELL LINE WORD...: it offers these, and no other.
offered()
{
	local shell=$1 line=$2 seen
	shift 2
	seen=$(offers "$shell" "$line" | tr ' ' '\n' | grep . | sort -u)
	diff <(printf '%s\n' "$@" | sort -u) - <<<"$seen" ||
		{ echo "$shell: $line" && return 1; }
}

completes()
{
	local shell=$1 all
	all=$(commands | tr '\n' ' ')
	# shellcheck disable=SC2086 # words
	offered "$shell" 'whocallme ' $all
	offered "$shell" 'whocallme r' replay report resolve run
	# shellcheck disable=SC2086
	offered "$shell" 'whocallme help ' $all
	offered "$shell" 'whocallme completion ' bash zsh fish
	offered "$shell" 'whocallme run --sections=st' stack
	offered "$shell" 'whocallme flame --unit ' us ns calls
	offered "$shell" 'whocallme flame -u ' us ns calls
	offered "$shell" 'whocallme graph --cluster=' module file
	offered "$shell" 'whocallme trace --log=a-f' a-file
	offered "$shell" 'whocallme functions a-f' a-file
	offered "$shell" 'whocallme trace --record=f' folder/ ||
		offered "$shell" 'whocallme trace --record=f' folder
	offered "$shell" 'whocallme run a-pro' a-program
	offered "$shell" 'whocallme trace -F a,b --log --depth 3 -- a-pro' a-program
	offered "$shell" 'whocallme run -f x a-program a-f' a-file
	# The program that is run is completed as it would be alone.
	offered "$shell" 'whocallme run whocallme flame --unit=' us ns calls
	offered "$shell" 'whocallme trace --log=x whocallme trace -F a whocallme re' \
		replay report resolve
}

@test "bash: the options of each command" {
	same_options bash
}

@test "bash: commands, values, files, programs" {
	# What is run is completed by bash-completion's function, here in short.
	cat >>"$bin/completions/whocallme" <<-'.'
		_command_offset()
		{
			COMP_WORDS=("${COMP_WORDS[@]:$1}")
			COMP_CWORD=$((COMP_CWORD - $1))
			COMP_LINE="${COMP_WORDS[*]}"
			COMP_LINE=${COMP_LINE// = /=}
			COMP_LINE=${COMP_LINE// =/=}
			COMP_POINT=${#COMP_LINE}
			if [ "$COMP_CWORD" -eq 0 ]; then
				mapfile -t COMPREPLY < <(compgen -c -- "${COMP_WORDS[0]}")
			elif [ "${COMP_WORDS[0]}" = whocallme ]; then
				_whocallme
			else
				mapfile -t COMPREPLY < <(compgen -f -- "${COMP_WORDS[COMP_CWORD]}")
			fi
		}
	.
	completes bash
	offered bash 'whocallme resolve -D /nowhere:/us' /usr
	offered bash 'whocallme run --sections=stack,co' stack,code
}

@test "bash: with bash-completion itself, and without" {
	local file=/usr/share/bash-completion/bash_completion
	"$whocallme" completion bash >"$bin/completions/alone"
	bin=$bin offered bash 'whocallme run a-pro' a-program
	[ -e "$file" ] || skip "bash-completion is missing"
	{
		echo "source $file"
		cat "$bin/completions/alone"
	} >"$bin/completions/whocallme"
	offered bash 'whocallme run a-pro' a-program
	offered bash 'whocallme run whocallme flame --unit ' us ns calls
}

@test "zsh: the options of each command" {
	needs zsh
	same_options zsh
}

@test "zsh: commands, values, files, programs" {
	needs zsh
	completes zsh
}

@test "fish: the options of each command" {
	needs fish
	same_options fish
}

@test "fish: commands, values, files, programs" {
	needs fish
	completes fish
}

# The values of --by and what each of them means, by the tables.
by_means()
{
	cat <<-'.'
		file the same source files
		function the same functions, whatever the build
		program the same functions of the same builds
	.
}

@test "fish: a sentence for each value" {
	needs fish
	HOME=$BATS_TEST_TMPDIR timeout 60 fish --no-config -c 'source $argv[1]; complete -C $argv[2]' \
		"$bin/completions/whocallme.fish" 'whocallme group --by=' |
		sed 's/^--by=//' | tr '\t' ' ' | sort | diff <(by_means) -
}

@test "zsh: a sentence for each value" {
	needs zsh
	DESCRIBED=yes offers zsh 'whocallme group --by=' >"$BATS_TEST_TMPDIR/seen"
	tr -s ' ' <"$BATS_TEST_TMPDIR/seen" | sed 's/ -- / /g' >"$BATS_TEST_TMPDIR/words"
	[ "$(cat "$BATS_TEST_TMPDIR/words")" = "$(by_means | tr '\n' ' ')" ] ||
		{ cat "$BATS_TEST_TMPDIR/seen" && return 1; }
}

@test "what is installed is what the command prints, and another shell is refused" {
	local shell
	for shell in bash zsh fish; do
		"$whocallme" completion $shell >"$BATS_TEST_TMPDIR/$shell"
		! command -v $shell >/dev/null || $shell -n "$BATS_TEST_TMPDIR/$shell"
	done
	cmp "$BATS_TEST_TMPDIR/bash" "$top_builddir/tool/completions/whocallme"
	cmp "$BATS_TEST_TMPDIR/zsh" "$top_builddir/tool/completions/_whocallme"
	cmp "$BATS_TEST_TMPDIR/fish" "$top_builddir/tool/completions/whocallme.fish"
	for shell in '' tcsh 'bash zsh'; do
		# shellcheck disable=SC2086 # words
		observe "$whocallme" completion $shell
		expect_status 2
		err_has '^whocallme completion: it .*; see whocallme completion --help$'
	done
}
