/* SPDX-License-Identifier: MIT */
/* expr.c (SAFE) - evaluates a DWARF expression.
 *
 * The operations that DWARF 5, section 6.4.2, allows in call frame information.
 * Every step is counted, so that a loop in a damaged table ends.
 */
#include "core/cfi/cfi.h"

enum { MAX_DEPTH = 64, MAX_STEPS = 1000 };

/* DWARF 5, table 7.9. */
enum {
	OP_ADDR = 0x03, OP_DEREF = 0x06, OP_CONST1U = 0x08, OP_CONST1S = 0x09,
	OP_CONST2U = 0x0a, OP_CONST2S = 0x0b, OP_CONST4U = 0x0c,
	OP_CONST4S = 0x0d, OP_CONST8U = 0x0e, OP_CONST8S = 0x0f,
	OP_CONSTU = 0x10, OP_CONSTS = 0x11, OP_DUP = 0x12, OP_DROP = 0x13,
	OP_OVER = 0x14, OP_PICK = 0x15, OP_SWAP = 0x16, OP_ROT = 0x17,
	OP_ABS = 0x19, OP_AND = 0x1a, OP_DIV = 0x1b, OP_MINUS = 0x1c,
	OP_MOD = 0x1d, OP_MUL = 0x1e, OP_NEG = 0x1f, OP_NOT = 0x20,
	OP_OR = 0x21, OP_PLUS = 0x22, OP_PLUS_UCONST = 0x23, OP_SHL = 0x24,
	OP_SHR = 0x25, OP_SHRA = 0x26, OP_XOR = 0x27, OP_BRA = 0x28,
	OP_EQ = 0x29, OP_GE = 0x2a, OP_GT = 0x2b, OP_LE = 0x2c, OP_LT = 0x2d,
	OP_NE = 0x2e, OP_SKIP = 0x2f, OP_LIT0 = 0x30, OP_LIT31 = 0x4f,
	OP_BREG0 = 0x70, OP_BREG31 = 0x8f, OP_BREGX = 0x92,
	OP_DEREF_SIZE = 0x94, OP_NOP = 0x96,
};

struct machine {
	struct wcm_cursor code;
	uintptr_t start;
	const struct wcm_registers *registers;
	const struct wcm_span *stack;
	uintptr_t value[MAX_DEPTH];
	unsigned depth;
	bool failed;
};

static void push(struct machine *machine, uintptr_t value)
{
	if (machine->depth == MAX_DEPTH)
		machine->failed = true;
	else
		machine->value[machine->depth++] = value;
}

/* The entry FROM_TOP below the top, for use in place. */
static uintptr_t *peek(struct machine *machine, uint64_t from_top)
{
	static uintptr_t nothing;

	if (from_top < machine->depth)
		return &machine->value[machine->depth - 1 - from_top];
	machine->failed = true;
	nothing = 0;
	return &nothing;
}

static uintptr_t pop(struct machine *machine)
{
	uintptr_t value = *peek(machine, 0);

	if (machine->depth > 0)
		machine->depth--;
	return value;
}

static void push_register(struct machine *machine, uint64_t column)
{
	int64_t offset = wcm__cursor_sleb(&machine->code);
	uintptr_t value = 0;

	if (!wcm__register_get(machine->registers, column, &value))
		machine->failed = true;
	push(machine, value + (uintptr_t)offset);
}

static void dereference(struct machine *machine, uint64_t size)
{
	uintptr_t address = pop(machine), word = 0;

	if (size == sizeof(word)) {
		if (!wcm__read_word(machine->stack, address, &word))
			machine->failed = true;
	} else if (size == 0 || size > sizeof(word) ||
		   !wcm__read_memory(address, &word, size)) {
		machine->failed = true;
	}
	push(machine, word);
}

static void jump(struct machine *machine, bool taken)
{
	int64_t offset = wcm__cursor_signed(&machine->code, 2);
	uintptr_t target = machine->code.at + (uintptr_t)offset;

	if (!taken)
		return;
	if (target < machine->start || target > machine->code.end)
		machine->failed = true;
	else
		machine->code.at = target;
}

static void rotate(struct machine *machine)
{
	uintptr_t *first = peek(machine, 0), *second = peek(machine, 1),
		  *third = peek(machine, 2), top = *first;

	*first = *second;
	*second = *third;
	*third = top;
}

static void swap(struct machine *machine)
{
	uintptr_t *first = peek(machine, 0), *second = peek(machine, 1),
		  top = *first;

	*first = *second;
	*second = top;
}

/* Operations on one value, in place. */
static bool unary(struct machine *machine, uint8_t op)
{
	uintptr_t *top = peek(machine, 0);

	switch (op) {
	case OP_ABS:
		*top = (intptr_t)*top < 0 ? -*top : *top;
		return true;
	case OP_NEG:
		*top = -*top;
		return true;
	case OP_NOT:
		*top = ~*top;
		return true;
	case OP_PLUS_UCONST:
		*top += wcm__cursor_uleb(&machine->code);
		return true;
	}
	return false;
}

static uintptr_t divide(struct machine *machine, intptr_t left, intptr_t right)
{
	if (right == 0)
		machine->failed = true;
	return right == 0    ? 0
	       : right == -1 ? -(uintptr_t)left
			     : (uintptr_t)(left / right);
}

static uintptr_t shifted(uint8_t op, uintptr_t left, uintptr_t by)
{
	const unsigned bits = 8 * sizeof(left);
	bool negative = op == OP_SHRA && (intptr_t)left < 0;

	if (by >= bits)
		return negative ? ~(uintptr_t)0 : 0;
	if (op == OP_SHL)
		return left << by;
	return op == OP_SHR ? left >> by : (uintptr_t)((intptr_t)left >> by);
}

static uintptr_t computed(struct machine *machine, uint8_t op, uintptr_t left,
			  uintptr_t right)
{
	intptr_t a = (intptr_t)left, b = (intptr_t)right;

	switch (op) {
	case OP_AND:
		return left & right;
	case OP_DIV:
		return divide(machine, a, b);
	case OP_MINUS:
		return left - right;
	case OP_MOD:
		if (right == 0)
			machine->failed = true;
		return right == 0 ? 0 : left % right;
	case OP_MUL:
		return left * right;
	case OP_OR:
		return left | right;
	case OP_PLUS:
		return left + right;
	case OP_SHL:
	case OP_SHR:
	case OP_SHRA:
		return shifted(op, left, right);
	case OP_XOR:
		return left ^ right;
	case OP_EQ:
		return a == b;
	case OP_GE:
		return a >= b;
	case OP_GT:
		return a > b;
	case OP_LE:
		return a <= b;
	case OP_LT:
		return a < b;
	case OP_NE:
		return a != b;
	}
	machine->failed = true; /* not an operation of this section */
	return 0;
}

static void binary(struct machine *machine, uint8_t op)
{
	uintptr_t right = pop(machine), left = pop(machine);

	push(machine, computed(machine, op, left, right));
}

/* Operations that push a constant. */
static bool constant(struct machine *machine, uint8_t op)
{
	struct wcm_cursor *code = &machine->code;

	if (op >= OP_LIT0 && op <= OP_LIT31)
		push(machine, op - OP_LIT0);
	else if (op == OP_ADDR)
		push(machine, wcm__cursor_unsigned(code, sizeof(uintptr_t)));
	else if (op == OP_CONSTU)
		push(machine, wcm__cursor_uleb(code));
	else if (op == OP_CONSTS)
		push(machine, (uintptr_t)wcm__cursor_sleb(code));
	else if (op >= OP_CONST1U && op <= OP_CONST8S) {
		unsigned size = 1u << (op - OP_CONST1U) / 2;

		push(machine, (op - OP_CONST1U) % 2
				      ? (uintptr_t)wcm__cursor_signed(code, size)
				      : wcm__cursor_unsigned(code, size));
	} else {
		return false;
	}
	return true;
}

/* Operations on the stack itself and on the flow of control. */
static bool structural(struct machine *machine, uint8_t op)
{
	switch (op) {
	case OP_DUP:
		push(machine, *peek(machine, 0));
		return true;
	case OP_DROP:
		pop(machine);
		return true;
	case OP_OVER:
		push(machine, *peek(machine, 1));
		return true;
	case OP_PICK:
		push(machine,
		     *peek(machine, wcm__cursor_unsigned(&machine->code, 1)));
		return true;
	case OP_SWAP:
		swap(machine);
		return true;
	case OP_ROT:
		rotate(machine);
		return true;
	case OP_BRA:
		jump(machine, pop(machine) != 0);
		return true;
	case OP_SKIP:
		jump(machine, true);
		return true;
	case OP_NOP:
		return true;
	}
	return false;
}

static bool access(struct machine *machine, uint8_t op)
{
	if (op >= OP_BREG0 && op <= OP_BREG31)
		push_register(machine, op - OP_BREG0);
	else if (op == OP_BREGX)
		push_register(machine, wcm__cursor_uleb(&machine->code));
	else if (op == OP_DEREF)
		dereference(machine, sizeof(uintptr_t));
	else if (op == OP_DEREF_SIZE)
		dereference(machine, wcm__cursor_unsigned(&machine->code, 1));
	else
		return false;
	return true;
}

bool wcm__expr_evaluate(uintptr_t at, uintptr_t end,
			const struct wcm_registers *registers,
			const struct wcm_span *stack, const uintptr_t *initial,
			uintptr_t *value)
{
	struct machine machine;

	machine.start = at;
	machine.registers = registers;
	machine.stack = stack;
	machine.depth = 0;
	machine.failed = false;
	wcm__cursor_init(&machine.code, at, end, false);
	if (initial)
		push(&machine, *initial);
	for (int steps = 0; !machine.failed && !wcm__cursor_is_done(&machine.code);
	     steps++) {
		uint8_t op = (uint8_t)wcm__cursor_unsigned(&machine.code, 1);

		if (steps == MAX_STEPS)
			return false;
		if (!constant(&machine, op) && !access(&machine, op) &&
		    !structural(&machine, op) && !unary(&machine, op))
			binary(&machine, op);
	}
	*value = pop(&machine);
	return !machine.failed && !machine.code.bad;
}
