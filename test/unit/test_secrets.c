/* SPDX-License-Identifier: MIT */
/* test_secrets.c - arguments that look like secrets become stars. */
#include "crash/report/report.h"

#include <stdlib.h>
#include <string.h>

#include "support/check.h"

/* ARGUMENTS, a bar between them, as they are shown. */
static const char *shown(const char *arguments)
{
	static char text[512];
	size_t size = strlen(arguments) + 1;

	memcpy(text, arguments, size);
	for (char *bar = text; (bar = strchr(bar, '|'));)
		*bar++ = '\0';
	size = wcm__secrets_star(text, size);
	for (char *end = text; (end = memchr(end, '\0', (size_t)(text + size - 1 - end)));)
		*end = '|';
	return text;
}

TEST(a_value_is_a_secret_by_its_name)
{
	CHECK_STR(shown("p|--password=hunter2|x"), "p|--password=***|x");
	CHECK_STR(shown("--PASSWORD=a b=c|y"), "--PASSWORD=***|y");
	CHECK_STR(shown("--db-passwd=hunter2"), "--db-passwd=***");
	CHECK_STR(shown("--api_key=hunter2"), "--api_key=***");
	CHECK_STR(shown("-DdbPassword=hunter2"), "-DdbPassword=***");
	CHECK_STR(shown("-Dspring.datasource.password=hunter2"),
		  "-Dspring.datasource.password=***");
	CHECK_STR(shown("PGPASSWORD=hunter2"), "PGPASSWORD=***");
	CHECK_STR(shown("--from-literal=token=hunter2"), "--from-literal=token=***");
	CHECK_STR(shown("host=x password=hunter2"), "host=x password=***");
	CHECK_STR(shown("--auth=hunter2|--credentials=hunter2|--passphrase=hunter2"),
		  "--auth=***|--credentials=***|--passphrase=***");
	CHECK_STR(shown("-H|Authorization: Bearer hunter2"), "-H|Authorization:***");
	CHECK_STR(shown("{\"password\": \"hunter2\"}"), "{\"password\":***");
}

TEST(the_value_of_an_option_may_come_next)
{
	CHECK_STR(shown("p|--password|hunter2|x"), "p|--password|***|x");
	CHECK_STR(shown("-password|-hunter2"), "-password|***");
	CHECK_STR(shown("--token|--verbose|x"), "--token|--verbose|x");
	CHECK_STR(shown("--token|--secret=hunter2"), "--token|--secret=***");
	CHECK_STR(shown("password|x"), "password|x");
	CHECK_STR(shown("--password"), "--password");
}

TEST(a_url_may_have_a_password)
{
	CHECK_STR(shown("https://user:hunter2@host/a:b@c"), "https://user:***@host/a:b@c");
	CHECK_STR(shown("--to=ftp://u:p@ss@h"), "--to=ftp://u:***@h");
	CHECK_STR(shown("a://:hunter2@h,b://u:hunter2@h"), "a://:***@h,b://u:***@h");
	CHECK_STR(shown("ssh://git@host:22/x"), "ssh://git@host:22/x");
	CHECK_STR(shown("http://host:80/x@y"), "http://host:80/x@y");
	CHECK_STR(shown("http://h/?user=u&token=hunter2"), "http://h/?user=u&token=***");
	CHECK_STR(shown("://|:/|x:"), "://|:/|x:");
}

TEST(all_else_is_as_it_was)
{
	static const char *const plain[] = {
		"", "|", "||", "a|b", "--author=x", "--monkey=x", "--keyboard=de", "-k=v",
		"a:b", "=x", ":x", "--name=secretary", "--=x", "-", "--|x", "\xff=\xff",
		"--tokenizer=x", "--compass=north",
	};

	for (size_t i = 0; i < sizeof(plain) / sizeof(*plain); i++)
		CHECK_STR(shown(plain[i]), plain[i]);
}

TEST(a_short_secret_does_not_grow)
{
	CHECK_STR(shown("--pw=|--pw=1|--pw=12|--pw=123|--pw=1234"),
		  "--pw=|--pw=*|--pw=**|--pw=***|--pw=***");
}

/* Of any bytes: nothing is written behind them, each argument has its end, and what was
 * starred once stays as it is. */
TEST(any_bytes_will_do)
{
	static const char alphabet[] = "=:/@- .\"token-pass=key\0://";
	unsigned seed = 1;

	for (int i = 0; i < 200000; i++) {
		const size_t size = 1 + (size_t)i % 64;
		char *text = malloc(size), again[64];
		size_t left;

		for (size_t at = 0; at < size; at++) {
			seed = seed * 1103515245 + 12345;
			text[at] = alphabet[(seed >> 16) % sizeof(alphabet)];
		}
		text[size - 1] = '\0';
		left = wcm__secrets_star(text, size);
		CHECK(left > 0 && left <= size && text[left - 1] == '\0');
		memcpy(again, text, left);
		CHECK(wcm__secrets_star(again, left) == left &&
		      memcmp(again, text, left) == 0);
		free(text);
	}
}

RUN(a_value_is_a_secret_by_its_name, the_value_of_an_option_may_come_next,
    a_url_may_have_a_password, all_else_is_as_it_was, a_short_secret_does_not_grow,
    any_bytes_will_do)
