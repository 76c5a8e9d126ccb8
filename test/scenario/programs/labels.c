/* SPDX-License-Identifier: MIT */
/* labels.c - crashes in code under a label that has no type: labels NAME. */
#include <string.h>

/* Bytes of 0 are no instruction, or store to where the first register points. */
#define LABELS(X) X(bare) X(sized) X(sized_worker.__part.6) X(sized_worker.eh) \
	X(sized_worker.cold.1) X(sized_worker.part.0) X(sized_worker.part.0.cold) \
	X(sized_worker.localalias) X(sized_worker.__partner)

__asm__(".text\n"
	"bare: .skip 16, 0\n"
	".macro sized_label name\n"
	"\\name: .skip 16, 0\n"
	".size \\name, 16\n"
	".skip 16, 0\n"
	".endm\n"
	"sized_label sized\n"
	"sized_label sized_worker.__part.6\n"
	"sized_label sized_worker.eh\n"
	"sized_label sized_worker.cold.1\n"
	"sized_label sized_worker.part.0\n"
	"sized_label sized_worker.part.0.cold\n"
	"sized_label sized_worker.localalias\n"
	"sized_label sized_worker.__partner\n");

extern void bare(void) __attribute__((visibility("hidden")));
void (*volatile next)(void);

int main(int argc, char **argv)
{
	static const char *const names[] = {
#define X(name) #name,
		LABELS(X)
#undef X
	};

	for (unsigned i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (argc > 1 && strcmp(argv[1], names[i]) == 0)
			next = (void (*)(void))((char *)bare + (i ? 16 + 32 * (i - 1) : 0));
	next();
	return 0;
}
