/* SPDX-License-Identifier: MIT */
/* probe.c - what the library knows of addresses in this executable, given in
 * the file's own numbering, in the form of whocallme functions --address. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <whocallme.h>

static int executable_bias(struct dl_phdr_info *info, size_t size, void *bias)
{
	(void)size;
	*(uintptr_t *)bias = info->dlpi_addr;
	return 1;
}

static void print_symbol(uint64_t address, const struct wcm_symbol *symbol)
{
	printf("%016" PRIx64 " ", address);
	if (!symbol->name)
		puts("??");
	else
		printf("%s%s+0x%" PRIx64 "\n", symbol->name,
		       symbol->flags & WCM_SYMBOL_COLD ? " [cold]" : "",
		       symbol->offset);
}

static void kept_static(void)
{
	who_call_me();
}

void kept_global(void);
void kept_global(void)
{
	kept_static();
	__asm__ volatile("");
}

/* probe modules: what is loaded, and the names of a static and a global
 * function.  probe ADDRESS...: as above. */
int main(int argc, char *argv[])
{
	uintptr_t bias = 0;
	struct wcm_symbol symbol;

	dl_iterate_phdr(executable_bias, &bias);
	init_function_table(argv[0]);
	if (argc == 2 && strcmp(argv[1], "modules") == 0) {
		kept_global();
		printf("%s\n", wcm_status_text(wcm_status_get()));
		fflush(stdout);
		return wcm_modules_write(1) != WCM_OK;
	}
	for (int i = 1; i < argc; i++) {
		uint64_t address = strtoull(argv[i], NULL, 16);

		wcm_symbol_find(bias + address, &symbol);
		if (symbol.flags & WCM_SYMBOL_DATA) /* functions are asked for */
			symbol.name = NULL;
		print_symbol(address, &symbol);
	}
	return 0;
}
