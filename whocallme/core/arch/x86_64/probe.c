/* SPDX-License-Identifier: MIT */
/* x86_64/probe.c (SAFE) - the NOP of a static probe, and where its values are.
 *
 * The NOP is one byte, and so is int3: one store, after which every thread finds either.
 * Values are operands in AT&T syntax, as compilers write them for the assembler.
 */
#include "core/arch/arch.h"

#include <string.h>
#include <sys/ucontext.h>

#include "core/arch/x86_64/gregs.h"

enum { NOP = 0x90, INT3 = 0xcc };

bool wcm__arch_probe_trap(uint8_t nop, uint8_t *trap)
{
	*trap = INT3;
	return nop == NOP;
}

uintptr_t wcm__arch_trapped(const void *ucontext)
{
	return (uintptr_t)((const ucontext_t *)ucontext)->uc_mcontext.gregs[REG_RIP] - 1;
}

/* Text that is left. */
struct text {
	const char *at, *end;
};

static bool takes(struct text *text, char character)
{
	if (text->at == text->end || *text->at != character)
		return false;
	text->at++;
	return true;
}

static int digit_of(char character, int base)
{
	if (character >= '0' && character <= '9')
		return character - '0';
	if (base == 16 && (character | 0x20) >= 'a' && (character | 0x20) <= 'f')
		return (character | 0x20) - 'a' + 10;
	return -1;
}

static bool take_number(struct text *text, uint64_t *number)
{
	const char *first;
	int base = 10, digit;

	if (text->end - text->at > 2 && text->at[0] == '0' && (text->at[1] | 0x20) == 'x') {
		base = 16;
		text->at += 2;
	}
	*number = 0;
	for (first = text->at; text->at < text->end; text->at++) {
		digit = digit_of(*text->at, base);
		if (digit < 0)
			break;
		*number = *number * (unsigned)base + (unsigned)digit;
	}
	return text->at > first;
}

/* Numbers with signs in between: -8, 16+4. */
static bool take_sum(struct text *text, int64_t *sum)
{
	uint64_t number, total = 0;
	bool is_negative, any = false;

	for (;;) {
		is_negative = takes(text, '-');
		if (!is_negative && !takes(text, '+') && any)
			break;
		if (!take_number(text, &number))
			return false;
		total += is_negative ? -number : number;
		any = true;
	}
	*sum = (int64_t)total;
	return true;
}

/* By DWARF number, without the first letter of those of 64 bits. */
static const char legacy[8][3] = { "ax", "dx", "cx", "bx", "si", "di", "bp", "sp" };

static bool is_legacy(const char *name, size_t size, uint8_t *number)
{
	for (*number = 0; *number < 8; ++*number)
		if (size == 2 && memcmp(name, legacy[*number], 2) == 0)
			return true;
	return false;
}

/* al, ah, sil and the like. */
static bool is_byte(const char *name, size_t size, struct wcm_probe_register *found)
{
	char word[2];

	if (size == 3 && name[2] == 'l')
		return is_legacy(name, 2, &found->number) && found->number >= 4;
	if (size != 2 || (name[1] != 'l' && name[1] != 'h'))
		return false;
	word[0] = name[0];
	word[1] = 'x';
	found->shift = name[1] == 'h' ? 8 : 0;
	return is_legacy(word, 2, &found->number);
}

/* r8 to r15, with d, w or b behind. */
static bool is_numbered(const char *name, size_t size, uint8_t *number)
{
	struct text text = { name + 1, name + size };
	uint64_t value;

	if (size < 2 || name[0] != 'r' || !take_number(&text, &value) || value < 8 || value > 15)
		return false;
	*number = (uint8_t)value;
	return text.at == text.end ||
	       (text.end - text.at == 1 && memchr("dwb", *text.at, 3) != NULL);
}

static bool take_register(struct text *text, struct wcm_probe_register *found)
{
	const char *name = text->at + 1;
	size_t size;

	if (!takes(text, '%'))
		return false;
	while (text->at < text->end && memchr(",) ", *text->at, 3) == NULL)
		text->at++;
	size = (size_t)(text->at - name);
	*found = (struct wcm_probe_register){ .is_known = true };
	return is_numbered(name, size, &found->number) || is_byte(name, size, found) ||
	       is_legacy(name, size, &found->number) ||
	       (size == 3 && (name[0] == 'r' || name[0] == 'e') &&
		is_legacy(name + 1, 2, &found->number));
}

/* Behind the displacement: (base), (base,index), (base,index,scale), (,index,scale). */
static bool take_address(struct text *text, struct wcm_probe_place *place)
{
	uint64_t scale = 1;

	if (!takes(text, '('))
		return false;
	if (!takes(text, ',')) {
		if (!take_register(text, &place->base))
			return false;
		if (takes(text, ')'))
			return true;
		if (!takes(text, ','))
			return false;
	}
	if (!take_register(text, &place->index) ||
	    (takes(text, ',') && (!take_number(text, &scale) || scale > 8)))
		return false;
	place->scale = (uint8_t)scale;
	return takes(text, ')');
}

bool wcm__arch_probe_place(struct wcm_probe_place *place, const char *operand, size_t size)
{
	struct text text = { operand, operand + size };

	*place = (struct wcm_probe_place){ .scale = 1 };
	if (takes(&text, '$'))
		return take_sum(&text, &place->number) && text.at == text.end;
	if (size > 0 && *operand == '%')
		return take_register(&text, &place->base) && text.at == text.end;
	place->is_memory = true;
	if (size > 0 && *operand != '(' && !take_sum(&text, &place->number))
		return false;
	return (text.at == text.end && size > 0) ||
	       (take_address(&text, place) && text.at == text.end);
}

static bool is_in_name(char character)
{
	return (character >= '0' && character <= '9') || character == '_' || character == '.' ||
	       character == '$' || ((character | 0x20) >= 'a' && (character | 0x20) <= 'z');
}

static bool take_name(struct text *text, struct wcm_probe_symbol *symbol)
{
	symbol->name = text->at;
	if (text->at < text->end && *text->at == '$') /* it begins what is constant */
		return false;
	while (text->at < text->end && is_in_name(*text->at))
		text->at++;
	symbol->length = (size_t)(text->at - symbol->name);
	return symbol->length > 0;
}

/* One name and any numbers: name, name+4, 4+name. */
static bool take_symbol(struct text *text, struct wcm_probe_symbol *symbol)
{
	bool is_negative, any = false;
	uint64_t number;

	for (;; any = true) {
		is_negative = takes(text, '-');
		if (!is_negative && !takes(text, '+') && any)
			return symbol->length > 0;
		if (take_number(text, &number))
			symbol->added = (int64_t)((uint64_t)symbol->added +
					  (is_negative ? -number : number));
		else if (is_negative || symbol->length > 0 || !take_name(text, symbol))
			return false;
	}
}

bool wcm__arch_probe_symbol(struct wcm_probe_symbol *symbol, const char *operand, size_t size)
{
	static const char relative[] = "(%rip)";
	struct text text = { operand, operand + size };

	*symbol = (struct wcm_probe_symbol){ 0 };
	if (!take_symbol(&text, symbol))
		return false;
	symbol->rest = text.at;
	symbol->rest_length = (size_t)(text.end - text.at);
	if (symbol->rest_length == sizeof(relative) - 1 &&
	    memcmp(symbol->rest, relative, sizeof(relative) - 1) == 0)
		symbol->rest_length = 0;
	return true;
}
