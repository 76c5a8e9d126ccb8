/* SPDX-License-Identifier: MIT */
/* value_moves.c (SAFE) - what most calls are given and give back, as data of a recording, by moves.
 *
 * A prototype whose values are numbers, pointers and strings in registers is made into a list of
 * moves once.  A first stage of a sled's entry goes through that, with general registers alone and
 * nothing of libc's; a string is read there if it is a module's constant.
 */
#include "trace/values/value_data.h"

#include "core/arch/arch.h"
#include "trace/values/prototype.h"

enum { LENGTH = sizeof(uint16_t), WORD = sizeof(uint64_t), STRING_WORDS = 6 };

/* Add a move for VALUE, of which GENERAL and VECTOR count the registers. */
static bool add(struct wcm_value_moves *moves, const struct wcm_value *value, bool is_result,
		unsigned *general, unsigned *vector)
{
	const struct wcm_value_kind *kind = wcm__value_kind(value->code);
	const bool is_vector = kind->form == WCM_VALUE_FLOATING;
	const unsigned size = wcm__value_is_string(kind) ? 0 : kind->size;
	const int place = is_vector ? (int)*vector : wcm__arch_passed_place(is_result, *general);

	if (!wcm__value_is_word(kind) || moves->count == WCM_MOVES_MOST ||
	    (is_vector ? *vector >= (is_result ? 2 : WCM_PASSED_VECTORS) : place == 0))
		return false;
	++*(is_vector ? vector : general);
	moves->move[moves->count++] = (struct wcm_value_move){ (uint8_t)size, is_vector,
								(int8_t)place };
	moves->most = (uint16_t)(moves->most + (size > 0 ? 1 : STRING_WORDS));
	return true;
}

void wcm__value_moves_make(struct wcm_value_moves *moves, const char *codes, bool is_result)
{
	struct wcm_value value;
	/* What is returned in memory takes a register for its address. */
	unsigned general = !is_result && (codes[0] == 'm' || codes[0] == 'M'), vector = 0;
	const char *at = codes;

	*moves = (struct wcm_value_moves){ .does = true };
	if (!is_result)
		at = codes[0] == 'v' ? codes + 1 : wcm__prototype_skip(codes, &value);
	while (at && moves->does && (at = wcm__prototype_skip(at, &value))) {
		moves->does = add(moves, &value, is_result, &general, &vector);
		if (is_result)
			break;
	}
}

struct unaligned {
	uint64_t word;
} __attribute__((packed, may_alias));

static void put(uint8_t *at, uint64_t word)
{
	((struct unaligned *)at)->word = word;
}

/* What is behind a string is not the program's to read, as its sanitizer has it. */
__attribute__((no_sanitize("address"))) static uint64_t word_at(uintptr_t address)
{
	return ((const volatile struct unaligned *)address)->word;
}

/* WORD up to its first zero byte, of which there is one; the bytes before that in *SIZE. */
static uint64_t up_to_zero(uint64_t word, uint64_t zeros, size_t *size)
{
	*size = (size_t)__builtin_ctzll(zeros) / 8;
	return *size == 0 ? 0 : word & (UINT64_MAX >> (64 - 8 * *size));
}

static bool is_constant(uintptr_t address, const struct wcm_span *spans)
{
	enum { READ = WCM_MOVES_STRING + WORD };

	return wcm__span_holds(&spans[0], address, READ) ||
	       wcm__span_holds(&spans[1], address, READ);
}

/* Put the string at ADDRESS, its length before it; returns what is behind it, at a multiple
 * of 4. */
static uint8_t *put_constant(uint8_t *at, uintptr_t address)
{
	const uint64_t ones = UINT64_C(0x0101010101010101), tops = ones << 7;
	size_t length = 0, rest = 0;
	uint64_t word = 0, zeros = 0;

	for (; length < WCM_MOVES_STRING; length += WORD) {
		word = word_at(address + length);
		zeros = (word - ones) & ~word & tops;
		if (zeros)
			break;
		put(at + LENGTH + length, word);
	}
	if (zeros) {
		put(at + LENGTH + length, up_to_zero(word, zeros, &rest));
		length += rest;
	} else if ((word_at(address + length) & 0xff) != 0) {
		put(at + LENGTH + length, 0x2e2e2e); /* it is cut */
		length += 3;
	} else {
		put(at + LENGTH + length, 0);
	}
	put(at + LENGTH + length, 0);
	*(volatile uint8_t *)at = (uint8_t)length;
	*(volatile uint8_t *)(at + 1) = 0;
	return at + ((LENGTH + length + 3) & ~(size_t)3);
}

/* Of NULL there are four bytes of all ones. */
static uint8_t *put_null(uint8_t *at)
{
	put(at, UINT64_C(0xffffffff0004));
	return at + 8;
}

int wcm__value_moves_run(const struct wcm_value_moves *moves, const struct wcm_value_source *source,
			 uint64_t *data)
{
	uint8_t *at = (uint8_t *)data;

	for (unsigned i = 0; i < moves->count; i++) {
		const struct wcm_value_move *move = &moves->move[i];
		const uint64_t word = move->is_vector ? source->vectors[move->from] :
							source->frame[move->from];

		if (move->size == 8) {
			put(at, word);
			at += 8;
		} else if (move->size > 0) {
			put(at, word & (UINT64_MAX >> (64 - 8 * move->size)));
			at += 4;
		} else if (word == 0) {
			at = put_null(at);
		} else if (is_constant((uintptr_t)word, source->constants)) {
			at = put_constant(at, (uintptr_t)word);
		} else {
			return -1;
		}
	}
	put(at, 0);
	return (int)((at - (uint8_t *)data + WORD - 1) / WORD);
}
