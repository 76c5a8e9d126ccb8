/* SPDX-License-Identifier: MIT */
/* completion_bash.c - what bash reads to complete whocallme.
 *
 * bash parts words at "=" and ":" and completes what is behind the last of them, unless
 * COMP_WORDBREAKS was changed: words are compared whole and what is complete is cut to
 * the part.  bash-completion completes the program that run and trace run, where it is
 * there.
 */
#include "options/completion.h"

#include <string.h>

static const char head[] =
	"# bash completion of whocallme; made by \"whocallme completion bash\"\n"
	"\n";

static const char body[] =
	"# The words of LIST that begin with the value, after what precedes it.\n"
	"_whocallme_reply()\n"
	"{\n"
	"\tlocal before=$1 value=$2 line\n"
	"\tshift 2\n"
	"\twhile IFS= read -r line; do\n"
	"\t\tline=$before$line\n"
	"\t\tCOMPREPLY+=(\"${line#\"${token%\"$part\"}\"}\")\n"
	"\tdone < <(compgen \"$@\" -- \"$value\")\n"
	"}\n"
	"\n"
	"# What may stand for an option's value or an operand.\n"
	"_whocallme_value()\n"
	"{\n"
	"\tlocal before=$1 value=$2 last\n"
	"\tcase $takes in\n"
	"\tfile | directory)\n"
	"\t\tcompopt -o filenames 2>/dev/null\n"
	"\t\t[[ $value != *:* || $takes = file ]] ||\n"
	"\t\t\tbefore=$before${value%:*}: value=${value##*:}\n"
	"\t\tlast=-f\n"
	"\t\t[ \"$takes\" = file ] || last=-d\n"
	"\t\t_whocallme_reply \"$before\" \"$value\" \"$last\"\n"
	"\t\t;;\n"
	"\tword)\n"
	"\t\t_whocallme_reply \"$before\" \"$value\" -W \"$words\"\n"
	"\t\t;;\n"
	"\twords)\n"
	"\t\tcompopt -o nospace 2>/dev/null\n"
	"\t\tlast=${value##*,}\n"
	"\t\t_whocallme_reply \"$before${value%\"$last\"}\" \"$last\" -W \"$words\"\n"
	"\t\t;;\n"
	"\tesac\n"
	"}\n"
	"\n"
	"# The command that the word at an index is, as if nothing stood before it.\n"
	"_whocallme_program()\n"
	"{\n"
	"\tlocal each\n"
	"\tfor each in _comp_command_offset _command_offset; do\n"
	"\t\tif declare -F \"$each\" >/dev/null; then\n"
	"\t\t\t\"$each\" \"$1\"\n"
	"\t\t\treturn\n"
	"\t\tfi\n"
	"\tdone\n"
	"\tcompopt -o filenames 2>/dev/null\n"
	"\teach=-c\n"
	"\t[[ $1 -eq $COMP_CWORD && $token != */* ]] || each=-f\n"
	"\t_whocallme_reply '' \"$token\" \"$each\"\n"
	"}\n"
	"\n"
	"_whocallme()\n"
	"{\n"
	"\tlocal part=${COMP_WORDS[COMP_CWORD]} token=${COMP_LINE:0:COMP_POINT}\n"
	"\tlocal command= option= takes= words= i word was is_over=\n"
	"\ttoken=${token##*[[:space:]]}\n"
	"\tcase $part in = | : | ::) part= ;; esac\n"
	"\tCOMPREPLY=()\n"
	"\tfor ((i = 1; i < COMP_CWORD; i++)); do\n"
	"\t\tword=${COMP_WORDS[i]} was=$option\n"
	"\t\tif [ -n \"$option\" ]; then\n"
	"\t\t\toption=\n"
	"\t\telif [[ $word = -- ]]; then\n"
	"\t\t\tis_over=yes\n"
	"\t\telif [[ $word = -* && -z $is_over ]]; then\n"
	"\t\t\t_whocallme_option \"$command\" \"$word\" && option=$word\n"
	"\t\telif [ -z \"$command\" ]; then\n"
	"\t\t\tcommand=$word\n"
	"\t\telif _whocallme_operand \"$command\" && [ \"$takes\" = program ]; then\n"
	"\t\t\t_whocallme_program \"$i\"\n"
	"\t\t\treturn\n"
	"\t\tfi\n"
	"\t\twhile [[ $((i + 1)) -le $COMP_CWORD && ${COMP_WORDS[i + 1]} = [=:]* ]]; do\n"
	"\t\t\toption=\n"
	"\t\t\ti=$((i + 2))\n"
	"\t\tdone\n"
	"\t\t[ \"$i\" -lt \"$COMP_CWORD\" ] || option=$was\n"
	"\tdone\n"
	"\ttakes=\n"
	"\tif [ -n \"$option\" ]; then\n"
	"\t\t_whocallme_option \"$command\" \"$option\"\n"
	"\t\t_whocallme_value '' \"$token\"\n"
	"\telif [[ $token = --*=* && -z $is_over ]]; then\n"
	"\t\t_whocallme_option \"$command\" \"${token%%=*}\"\n"
	"\t\t_whocallme_value \"${token%%=*}=\" \"${token#*=}\"\n"
	"\telif [[ $token = -* && -z $is_over ]]; then\n"
	"\t\t_whocallme_options \"$command\"\n"
	"\t\t_whocallme_reply '' \"$token\" -W \"$words\"\n"
	"\t\t[[ ${#COMPREPLY[@]} -ne 1 || ${COMPREPLY[0]} != *= ]] ||\n"
	"\t\t\tcompopt -o nospace 2>/dev/null\n"
	"\telse\n"
	"\t\t_whocallme_operand \"$command\"\n"
	"\t\tif [ \"$takes\" = program ]; then\n"
	"\t\t\t_whocallme_program \"$COMP_CWORD\"\n"
	"\t\telse\n"
	"\t\t\t_whocallme_value '' \"$token\"\n"
	"\t\tfi\n"
	"\tfi\n"
	"\treturn 0\n"
	"}\n"
	"\n"
	"complete -F _whocallme whocallme\n";

static const char *takes_name(enum takes takes)
{
	static const char *const names[] = {
		[TAKES_TEXT] = "text",       [TAKES_FILE] = "file",
		[TAKES_WORD] = "word",       [TAKES_WORDS] = "words",
		[TAKES_PROGRAM] = "program", [TAKES_DIRECTORY] = "directory",
		[TAKES_COMMAND] = "word",
	};

	return names[takes];
}

static void put_takes(enum takes takes, const char *words)
{
	printf(" takes=%s", takes_name(takes));
	if (words)
		printf(" words='%s'", words);
}

static void put_value(const struct command *command,
		      const struct command_option *option)
{
	if (!option->value)
		return;
	printf("\t'%s --%s'", command->name, option->name);
	if (option->key < OPTION_LONG)
		printf(" | '%s -%c'", command->name, option->key);
	putchar(')');
	put_takes(option->takes, option->words);
	/* What need not be there is not the next word. */
	puts(option->is_optional ? "; return 1 ;;" : " ;;");
}

static void put_name(const struct command *command,
		     const struct command_option *option)
{
	(void)command;
	if (option->key < OPTION_LONG)
		printf("-%c ", option->key);
	if (!option->value || option->is_optional)
		printf("--%s ", option->name);
	if (option->value)
		printf("--%s= ", option->name);
}

static void put_commands(void)
{
	for (const struct command *const *command = commands; *command; command++)
		printf("%s%s", command == commands ? "" : " ", (*command)->name);
}

static void put_operand(const struct command *command)
{
	printf("\t%s)", command->name);
	if (command->takes == TAKES_COMMAND) {
		fputs(" takes=word words='", stdout);
		put_commands();
		putchar('\'');
	} else {
		put_takes(command->takes, command->words);
	}
	puts(" ;;");
}

void completion_bash(void)
{
	const struct command *const *command;

	printf("%s# Status 0: the option takes the next word.\n"
	       "_whocallme_option()\n{\n\tcase \"$1 $2\" in\n", head);
	for (command = commands; *command; command++)
		completion_each(*command, put_value);
	puts("\t*) return 1 ;;\n\tesac\n}\n\n_whocallme_options()\n{\n\tcase $1 in\n"
	     "\t'') words='-h --help -V --version' ;;");
	for (command = commands; *command; command++) {
		printf("\t%s) words='", (*command)->name);
		completion_each(*command, put_name);
		puts("' ;;");
	}
	fputs("\tesac\n}\n\n_whocallme_operand()\n{\n\tcase $1 in\n\t'') takes=word words='",
	      stdout);
	put_commands();
	puts("' ;;");
	for (command = commands; *command; command++)
		put_operand(*command);
	printf("\tesac\n}\n\n%s", body);
}
