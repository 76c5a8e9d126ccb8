/* SPDX-License-Identifier: MIT */
/* list_functions.c - prints all that the library reads of each FILE's functions.
 *
 * It is linked twice: with BFD, and with the reader of a build without BFD. */
#include <stdio.h>
#include <string.h>
#include <whocallme.h>

static void list(const struct wcm_functions *functions)
{
	const uint8_t *id;
	size_t size;

	for (size_t i = 0; i < wcm_functions_count(functions); i++) {
		const struct wcm_function function = wcm_functions_get(functions, i);
		struct wcm_function found = { .name = "none" };

		wcm_functions_find(functions, function.address, &found);
		printf("%llx %llx %x%s %s, found %llx %llx %s\n",
		       (unsigned long long)function.address, (unsigned long long)function.size,
		       function.flags, function.alias ? " alias" : "", function.name,
		       (unsigned long long)found.address, (unsigned long long)found.size,
		       found.name);
	}
	id = wcm_functions_build_id(functions, &size);
	for (size_t i = 0; i < size; i++)
		printf("%02x", id[i]);
	putchar('\n');
}

int main(int argc, char *argv[])
{
	for (int i = 1; i < argc; i++) {
		struct wcm_functions *functions;
		enum wcm_status status = wcm_functions_load(&functions, argv[i]);

		printf("%s: %s\n", argv[i], wcm_status_text(status));
		if (status == WCM_OK)
			list(functions);
		wcm_functions_free(functions);
	}
	return 0;
}
