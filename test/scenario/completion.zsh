# SPDX-License-Identifier: MIT
# completion.zsh FOLDER LINE...: what zsh offers at the end of each LINE, a line of
# words each, by the completions in FOLDER.
#
# With DESCRIBED set, what it says of them.
#
# An interactive zsh runs in a terminal of its own; its compadd also writes what it is
# about to offer to a file.
zmodload zsh/zpty
typeset folder=$1 offered=$(mktemp)
shift
zpty shell zsh -f -i
zpty -w shell "PROMPT=; LISTMAX=10000; fpath=(${(q)folder} \$fpath); autoload -Uz compinit
compinit -D -u; zstyle ':completion:*' completer _complete; offered=$offered"
zpty -w shell 'compadd()
{
	local -a found
	if [[ ${@[1,(i)(-|--)]} != *-(O|A|D)\ * ]]; then
		builtin compadd -O found "$@"
		if [[ -n $DESCRIBED ]]; then
			local array=${@[${@[(i)-*d]} + 1]}
			found=("${(@P)array}")
		fi
		print -rl -- "${(@)found}" >>$offered
	fi
	builtin compadd "$@"
}
list-all() { zle list-choices; print done >>$offered; zle kill-whole-line }
zle -N list-all
bindkey "^X" list-all
print ready >>$offered'

# Its output is read so that it does not wait.
await()
{
	integer i
	for ((i = 0; i < 400; i++)); do
		! grep -q "^$1\$" $offered || return 0
		! zpty -r -t shell >/dev/null || continue
		sleep 0.05
	done
	return 1
}

await ready
for line; do
	: >$offered
	zpty -w -n shell "$line"$'\x18'
	await done || print "no answer"
	grep -v '^done$' $offered | sed 's/ *$//' | sort -u | tr '\n' ' '
	print
done
zpty -d shell
rm $offered
