/* SPDX-License-Identifier: MIT */
/* x86_64/decoded.c (SAFE) - takes an instruction apart: opcode, operands in memory, their
 * addresses.
 *
 * It knows the forms of encodings (SDM vol. 2, chapter 2), not the instructions: of those it is
 * told enough to find the end, for operands that are counted from there.  Vectors of addresses
 * (VSIB) are not known.
 */
#include "core/arch/x86_64/decoded.h"

#include <stddef.h>
#include <string.h>

#include "core/arch/x86/instruction.h"

const uint8_t wcm__greg_of_number[16] = {
	REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
	REG_R8,	 REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15,
};

enum { LONGEST = 15, ROOM = LONGEST + 9 };

/* Bytes beyond what can be read are zeroes; an instruction that needs them is refused. */
struct code {
	uint8_t byte[ROOM];
	size_t size, at;
};

static bool read_code(struct code *code, uintptr_t pc, wcm_reader *read)
{
	memset(code, 0, sizeof(*code));
	if (read(pc, code->byte, LONGEST))
		code->size = LONGEST;
	while (code->size < LONGEST && read(pc + code->size, code->byte + code->size, 1))
		code->size++;
	return code->size > 0;
}

static uint8_t next(struct code *code)
{
	return code->at < ROOM ? code->byte[code->at++] : 0;
}

static int64_t next_number(struct code *code, unsigned bytes)
{
	uint64_t number = 0;

	for (unsigned i = 0; i < bytes; i++)
		number |= (uint64_t)next(code) << 8 * i;
	return bytes == 1 ? (int8_t)number : bytes == 2 ? (int16_t)number :
	       bytes == 4 ? (int32_t)number : (int64_t)number;
}

/* The bits that REX, VEX and EVEX have alike. */
struct extension {
	bool r, x, b, address_32;
};

static void take_prefixes(struct code *code, struct wcm_decoded *decoded,
			  struct extension *extension)
{
	for (;;) {
		const uint8_t byte = code->byte[code->at];

		if (byte == 0x66)
			decoded->has_16 = true;
		else if (byte == 0xf2 || byte == 0xf3)
			decoded->prefix = byte;
		else if (byte == 0x64 || byte == 0x65)
			decoded->segment = byte;
		else if (byte == 0x67)
			extension->address_32 = true;
		else if (byte != 0xf0 && byte != 0x2e && byte != 0x36 && byte != 0x3e &&
			 byte != 0x26)
			break;
		if (++code->at == LONGEST)
			return;
	}
	if (decoded->prefix == 0 && decoded->has_16)
		decoded->prefix = 0x66;
	if (!wcm__is_rex(code->byte[code->at]))
		return;
	decoded->has_rex = true;
	decoded->wide = code->byte[code->at] & 8;
	extension->r = code->byte[code->at] & 4;
	extension->x = code->byte[code->at] & 2;
	extension->b = code->byte[code->at++] & 1;
}

/* The prefix that the last bits of VEX and EVEX stand for. */
static uint8_t short_prefix(uint8_t byte)
{
	static const uint8_t prefixes[] = { 0, 0x66, 0xf3, 0xf2 };

	return prefixes[byte & 3];
}

static enum wcm_opcode_map map_of(unsigned number)
{
	return number <= WCM_MAP_0F3A ? (enum wcm_opcode_map)number : WCM_MAP_OTHER;
}

static void take_opcode(struct code *code, struct wcm_decoded *decoded,
			struct extension *extension)
{
	const uint8_t first = next(code);
	uint8_t p0, p1;

	decoded->vector_bytes = 16;
	if (first == 0xc5) {
		p0 = next(code);
		decoded->encoding = WCM_VEX;
		extension->r = !(p0 & 0x80);
		decoded->map = WCM_MAP_0F;
		decoded->vector_bytes = p0 & 4 ? 32 : 16;
		decoded->prefix = short_prefix(p0);
	} else if (first == 0xc4 || first == 0x62) {
		p0 = next(code);
		p1 = next(code);
		extension->r = !(p0 & 0x80);
		extension->x = !(p0 & 0x40);
		extension->b = !(p0 & 0x20);
		decoded->wide = p1 & 0x80;
		decoded->prefix = short_prefix(p1);
		decoded->encoding = first == 0xc4 ? WCM_VEX : WCM_EVEX;
		decoded->map = map_of(p0 & (first == 0xc4 ? 0x1f : 7));
		decoded->vector_bytes = (uint8_t)(16 << (first == 0xc4 ? (p1 >> 2 & 1) :
							 (next(code) >> 5 & 3)));
	} else if (first == 0x0f) {
		decoded->map = WCM_MAP_0F;
		if (code->byte[code->at] == 0x38 || code->byte[code->at] == 0x3a)
			decoded->map = next(code) == 0x38 ? WCM_MAP_0F38 : WCM_MAP_0F3A;
	} else {
		decoded->opcode = first;
		return;
	}
	decoded->opcode = next(code);
}

static bool has_modrm_1(uint8_t op)
{
	if (op < 0x40)
		return (op & 7) < 4;
	return op == 0x63 || op == 0x69 || op == 0x6b || (op >= 0x80 && op <= 0x8f) ||
	       op == 0xc0 || op == 0xc1 || op == 0xc6 || op == 0xc7 || (op >= 0xd0 && op <= 0xd3) ||
	       (op >= 0xd8 && op <= 0xdf) || op == 0xf6 || op == 0xf7 || op >= 0xfe;
}

static bool has_modrm_0f(uint8_t op)
{
	return !((op >= 0x05 && op <= 0x09) || op == 0x0b || op == 0x0e ||
		 (op >= 0x30 && op <= 0x37) || op == 0x77 || (op >= 0x80 && op <= 0x8f) ||
		 (op >= 0xa0 && op <= 0xa2) || (op >= 0xa8 && op <= 0xaa) || op >= 0xc8) ||
	       op >= 0xd0;
}

static bool has_modrm(const struct wcm_decoded *decoded)
{
	if (decoded->map == WCM_MAP_1)
		return has_modrm_1(decoded->opcode);
	return decoded->map != WCM_MAP_0F || has_modrm_0f(decoded->opcode);
}

/* How long what follows the operand is, where there is a ModRM byte. */
static unsigned immediate_size(const struct wcm_decoded *decoded)
{
	static const uint8_t of_0f[] = { 0x70, 0x71, 0x72, 0x73, 0xa4, 0xac, 0xba, 0xc2, 0xc4,
					 0xc5, 0xc6 };
	const uint8_t op = decoded->opcode;
	const bool is_test = (decoded->modrm & 0x30) == 0;

	if (decoded->map == WCM_MAP_0F3A)
		return 1;
	if (decoded->map == WCM_MAP_0F)
		return memchr(of_0f, op, sizeof(of_0f)) != NULL;
	if (decoded->map != WCM_MAP_1)
		return 0;
	if (op == 0x6b || op == 0x80 || op == 0x82 || op == 0x83 || op == 0xc0 || op == 0xc1 ||
	    op == 0xc6 || (op == 0xf6 && is_test))
		return 1;
	if (op == 0x69 || op == 0x81 || op == 0xc7 || (op == 0xf7 && is_test))
		return decoded->has_16 && !decoded->wide ? 2 : 4;
	return 0;
}

/* Gathers and scatters: the index is a vector. */
static bool has_vector_index(const struct wcm_decoded *decoded)
{
	const uint8_t op = decoded->opcode;

	return decoded->encoding != WCM_LEGACY && decoded->map == WCM_MAP_0F38 &&
	       ((op >= 0x90 && op <= 0x93) || (op >= 0xa0 && op <= 0xa3) || op == 0xc6 ||
		op == 0xc7);
}

static uintptr_t use(struct wcm_decoded *decoded, const gregset_t gregs, unsigned number)
{
	decoded->uses |= (uint16_t)(1u << number);
	return (uintptr_t)gregs[wcm__greg_of_number[number]];
}

/* EVEX multiplies a displacement of one byte by the size of what is accessed, which for whole
 * vectors is theirs; for others it is not told here, unless there is nothing to multiply. */
static bool scale_displacement(const struct wcm_decoded *decoded, int64_t *displacement)
{
	const uint8_t op = decoded->opcode;
	const bool is_whole = decoded->map == WCM_MAP_0F &&
			      (op == 0x10 || op == 0x11 || op == 0x28 || op == 0x29 ||
			       op == 0x2b || op == 0x6f || op == 0x7f || op == 0xe7);

	if (decoded->encoding != WCM_EVEX || *displacement == 0)
		return true;
	*displacement *= decoded->vector_bytes;
	return is_whole;
}

static void take_memory(struct code *code, struct wcm_decoded *decoded, const gregset_t gregs,
			const struct extension *extension)
{
	const unsigned mod = decoded->modrm >> 6;
	unsigned base = decoded->modrm & 7;
	bool is_relative = mod == 0 && base == 5, has_base = !is_relative;
	int64_t displacement;
	uintptr_t address = 0;

	decoded->has_memory = decoded->is_known = true;
	if (base == 4) {
		const uint8_t sib = next(code);
		const unsigned index = (sib >> 3 & 7) | (extension->x ? 8u : 0);

		base = sib & 7;
		has_base = !(mod == 0 && base == 5);
		if (has_vector_index(decoded))
			decoded->is_known = false;
		else if (index != 4)
			address += use(decoded, gregs, index) << (sib >> 6);
		if (!has_base)
			is_relative = false;
	}
	displacement = mod == 1 ? next_number(code, 1) :
		       mod == 2 || !has_base ? next_number(code, 4) : 0;
	if (mod == 1 && !scale_displacement(decoded, &displacement))
		decoded->is_known = false;
	if (has_base)
		address += use(decoded, gregs, base | (extension->b ? 8u : 0));
	decoded->next = (uintptr_t)gregs[REG_RIP] + code->at + immediate_size(decoded);
	if (is_relative)
		address += decoded->next;
	address += (uintptr_t)displacement;
	decoded->address = extension->address_32 ? (uint32_t)address : address;
}

bool wcm__decode(struct wcm_decoded *decoded, const gregset_t gregs, wcm_reader *read)
{
	struct extension extension = { false };
	struct code code;

	*decoded = (struct wcm_decoded){ 0 };
	if (!read_code(&code, (uintptr_t)gregs[REG_RIP], read))
		return false;
	take_prefixes(&code, decoded, &extension);
	take_opcode(&code, decoded, &extension);
	if (decoded->map == WCM_MAP_OTHER)
		return false;
	decoded->next = (uintptr_t)gregs[REG_RIP] + code.at;
	decoded->has_modrm = has_modrm(decoded);
	if (decoded->has_modrm) {
		decoded->modrm = next(&code);
		decoded->reg = (uint8_t)((decoded->modrm >> 3 & 7) | (extension.r ? 8 : 0));
		decoded->rm = (uint8_t)((decoded->modrm & 7) | (extension.b ? 8 : 0));
		if (decoded->modrm >> 6 != 3)
			take_memory(&code, decoded, gregs, &extension);
		else
			decoded->next = (uintptr_t)gregs[REG_RIP] + code.at +
					immediate_size(decoded);
	} else if (decoded->map == WCM_MAP_1 && (decoded->opcode & 0xfc) == 0xa0) {
		decoded->has_memory = decoded->is_known = true; /* mov, with a whole address */
		decoded->address = (uintptr_t)next_number(&code, extension.address_32 ? 4 : 8);
	}
	return code.at <= code.size;
}

bool wcm__decoded_value(const struct wcm_decoded *decoded, const gregset_t gregs, unsigned bytes,
			wcm_reader *read, uint64_t *value)
{
	const bool is_high = bytes == 1 && !decoded->has_rex && decoded->rm >= 4;

	*value = 0;
	if (decoded->has_memory)
		return decoded->is_known && read(decoded->address, value, bytes);
	if (is_high) /* ah, ch, dh, bh */
		*value = (uint64_t)gregs[wcm__greg_of_number[decoded->rm - 4]] >> 8;
	else
		*value = (uint64_t)gregs[wcm__greg_of_number[decoded->rm]];
	if (bytes < sizeof(*value))
		*value &= (UINT64_C(1) << 8 * bytes) - 1;
	return true;
}

unsigned wcm__decoded_size(const struct wcm_decoded *decoded)
{
	const uint8_t op = decoded->opcode;
	const bool takes_bytes = op < 0x40 || (op >= 0x80 && op <= 0x8b) ||
				 (op & 0xfc) == 0xa0 || (op >= 0xa4 && op <= 0xaf) ||
				 (op & 0xfe) == 0xc0 || (op & 0xfe) == 0xc6 ||
				 (op & 0xfc) == 0xd0 || (op & 0xfe) == 0xf6 || op >= 0xfe;

	if (decoded->map == WCM_MAP_1 && op >= 0xfe && (decoded->modrm & 0x30))
		return 8; /* call, jump, push */
	if (decoded->map != WCM_MAP_1 || !takes_bytes)
		return 0;
	if (!(op & 1))
		return 1;
	return decoded->wide ? 8 : decoded->has_16 ? 2 : 4;
}
