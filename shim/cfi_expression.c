/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DWARF expressions, as call frame information uses them: procedure linkage tables,
 * realigned stacks and signal trampolines need them. Straight line only: an expression
 * that jumps is refused, so the length of the bytes bounds the work. Runs inside the
 * program, in signal handlers too.
 */
#include "shim/cfi_expression.h"

#define STACK_MAX 16

enum {
	OP_ADDR = 0x03,
	OP_DEREF = 0x06,
	OP_CONST1U = 0x08,
	OP_CONST8S = 0x0f,
	OP_CONSTU = 0x10,
	OP_CONSTS = 0x11,
	OP_DUP = 0x12,
	OP_DROP = 0x13,
	OP_OVER = 0x14,
	OP_SWAP = 0x16,
	OP_AND = 0x1a,
	OP_MINUS = 0x1c,
	OP_MUL = 0x1e,
	OP_NEG = 0x1f,
	OP_NOT = 0x20,
	OP_OR = 0x21,
	OP_PLUS = 0x22,
	OP_PLUS_UCONST = 0x23,
	OP_SHL = 0x24,
	OP_SHR = 0x25,
	OP_SHRA = 0x26,
	OP_XOR = 0x27,
	OP_EQ = 0x29,
	OP_NE = 0x2e,
	OP_LIT0 = 0x30,
	OP_BREG0 = 0x70,
	OP_BREGX = 0x92,
	OP_NOP = 0x96
};

struct machine {
	struct cursor c;
	const struct registers *r;
	uint64_t stack[STACK_MAX];
	unsigned depth;
};

static void push(struct machine *m, uint64_t value)
{
	if (m->depth == STACK_MAX)
		m->c.is_bad = true;
	else
		m->stack[m->depth++] = value;
}

static uint64_t pop(struct machine *m)
{
	if (m->depth)
		return m->stack[--m->depth];
	m->c.is_bad = true;
	return 0;
}

static uint64_t peer(struct machine *m, unsigned from_top)
{
	if (from_top < m->depth)
		return m->stack[m->depth - 1 - from_top];
	m->c.is_bad = true;
	return 0;
}

static void push_register(struct machine *m, uint64_t column)
{
	int64_t offset = cursor_sleb(&m->c);

	if (registers_have(m->r, column))
		push(m, m->r->value[column] + (uint64_t)offset);
	else
		m->c.is_bad = true;
}

static void push_memory(struct machine *m)
{
	uint64_t value = 0;

	if (peek_read(m->c.peek, pop(m), &value, sizeof(void *)))
		push(m, value);
	else
		m->c.is_bad = true;
}

/* DW_OP_const1u … const8s: size and sign follow from the number. */
static void push_constant(struct machine *m, unsigned op)
{
	unsigned row = op - OP_CONST1U, size = 1u << (row / 2), unused = 64 - 8 * size;
	uint64_t value = cursor_number(&m->c, size);

	push(m, row & 1 ? (uint64_t)((int64_t)(value << unused) >> unused) : value);
}

static uint64_t shift_arithmetic(uint64_t value, uint64_t by)
{
	return (uint64_t)((int64_t)value >> (by < 64 ? by : 63));
}

/* below OP top: the comparisons are signed, as DWARF has them. */
static uint64_t combine(struct machine *m, unsigned op, uint64_t below, uint64_t top)
{
	int64_t a = (int64_t)below, b = (int64_t)top;

	switch (op) {
	case OP_AND:
		return below & top;
	case OP_OR:
		return below | top;
	case OP_XOR:
		return below ^ top;
	case OP_PLUS:
		return below + top;
	case OP_MINUS:
		return below - top;
	case OP_MUL:
		return below * top;
	case OP_SHL:
		return top < 64 ? below << top : 0;
	case OP_SHR:
		return top < 64 ? below >> top : 0;
	case OP_SHRA:
		return shift_arithmetic(below, top);
	case OP_EQ:
		return a == b;
	case OP_EQ + 1:
		return a >= b;
	case OP_EQ + 2:
		return a > b;
	case OP_EQ + 3:
		return a <= b;
	case OP_EQ + 4:
		return a < b;
	case OP_NE:
		return a != b;
	}
	m->c.is_bad = true;
	return 0;
}

static void reorder(struct machine *m, unsigned op)
{
	uint64_t top = op == OP_OVER ? peer(m, 1) : pop(m), below;

	if (op == OP_DUP)
		push(m, top);
	if (op == OP_DUP || op == OP_OVER)
		push(m, top);
	if (op != OP_SWAP)
		return;
	below = pop(m);
	push(m, top);
	push(m, below);
}

static void run_one(struct machine *m, unsigned op)
{
	uint64_t top;

	if (op >= OP_LIT0 && op < OP_LIT0 + 32)
		return push(m, op - OP_LIT0);
	if (op >= OP_BREG0 && op < OP_BREG0 + 32)
		return push_register(m, op - OP_BREG0);
	if (op >= OP_CONST1U && op <= OP_CONST8S)
		return push_constant(m, op);
	switch (op) {
	case OP_NOP:
		return;
	case OP_ADDR:
		return push(m, cursor_number(&m->c, sizeof(void *)));
	case OP_BREGX:
		return push_register(m, cursor_uleb(&m->c));
	case OP_CONSTU:
		return push(m, cursor_uleb(&m->c));
	case OP_CONSTS:
		return push(m, (uint64_t)cursor_sleb(&m->c));
	case OP_PLUS_UCONST:
		return push(m, pop(m) + cursor_uleb(&m->c));
	case OP_DEREF:
		return push_memory(m);
	case OP_NEG:
		return push(m, -pop(m));
	case OP_NOT:
		return push(m, ~pop(m));
	case OP_DUP:
	case OP_DROP:
	case OP_OVER:
	case OP_SWAP:
		return reorder(m, op);
	}
	top = pop(m);
	push(m, combine(m, op, pop(m), top));
}

bool cfi_expression(struct cursor block, const struct registers *r, const uint64_t *first,
		    uint64_t *out)
{
	struct machine m = { .c = block, .r = r };

	if (first)
		push(&m, *first);
	while (!m.c.is_bad && m.c.at < m.c.end)
		run_one(&m, (unsigned)cursor_number(&m.c, 1));
	*out = pop(&m);
	return !m.c.is_bad;
}
