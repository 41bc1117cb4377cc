/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Call frame instructions (cfi.h): first a row of rules for one pc, then the caller's
 * registers by them. The bytes' length bounds the work, fixed arrays the memory. Runs
 * inside the program, in signal handlers too.
 */
#include "shim/cfi.h"

#include "shim/cfi_expression.h"

#define REMEMBER_MAX 4 /* compilers nest no deeper than one */

enum rule {
	RULE_SAME,
	RULE_UNDEFINED,
	RULE_OFFSET,	 /* saved at CFA + value */
	RULE_VAL_OFFSET, /* is CFA + value */
	RULE_REGISTER,
	RULE_EXPRESSION, /* saved where the expression at `value` says */
	RULE_VAL_EXPRESSION
};

struct row {
	uint8_t rule[CFI_COLUMNS];
	uint64_t value[CFI_COLUMNS];
	uint64_t cfa_column;
	uint64_t cfa; /* offset, or where the expression stands */
	bool is_cfa_expression;
};

struct program {
	struct cursor c;
	const struct fde *fde;
	uintptr_t location;
	struct row row, initial, remembered[REMEMBER_MAX];
	unsigned depth;
};

/* --- the instructions --------------------------------------------------------------- */

enum {
	CFA_NOP = 0x00,
	CFA_SET_LOC = 0x01,
	CFA_ADVANCE_LOC1 = 0x02,
	CFA_ADVANCE_LOC2 = 0x03,
	CFA_ADVANCE_LOC4 = 0x04,
	CFA_OFFSET_EXTENDED = 0x05,
	CFA_RESTORE_EXTENDED = 0x06,
	CFA_UNDEFINED = 0x07,
	CFA_SAME_VALUE = 0x08,
	CFA_REGISTER = 0x09,
	CFA_REMEMBER_STATE = 0x0a,
	CFA_RESTORE_STATE = 0x0b,
	CFA_DEF_CFA = 0x0c,
	CFA_DEF_CFA_REGISTER = 0x0d,
	CFA_DEF_CFA_OFFSET = 0x0e,
	CFA_DEF_CFA_EXPRESSION = 0x0f,
	CFA_EXPRESSION = 0x10,
	CFA_OFFSET_EXTENDED_SF = 0x11,
	CFA_DEF_CFA_SF = 0x12,
	CFA_DEF_CFA_OFFSET_SF = 0x13,
	CFA_VAL_OFFSET = 0x14,
	CFA_VAL_OFFSET_SF = 0x15,
	CFA_VAL_EXPRESSION = 0x16,
	CFA_AARCH64_NEGATE_RA_STATE =
		0x2d, /* signed or not: the walk strips signatures always */
	CFA_GNU_ARGS_SIZE = 0x2e,
	CFA_ADVANCE_LOC = 0x40, /* the upper two bits; the lower six are the operand */
	CFA_OFFSET = 0x80,
	CFA_RESTORE = 0xc0
};

/* Columns we do not follow (vector registers) are read over. */
static void set_rule(struct program *p, uint64_t column, enum rule rule, uint64_t value)
{
	if (column >= CFI_COLUMNS)
		return;
	p->row.rule[column] = (uint8_t)rule;
	p->row.value[column] = value;
}

static void restore_rule(struct program *p, uint64_t column)
{
	if (column < CFI_COLUMNS)
		set_rule(p, column, p->initial.rule[column], p->initial.value[column]);
}

/* A block stands in the bytes: its length, then itself; we remember where. */
static uint64_t take_block(struct program *p)
{
	uint64_t at = p->c.at;

	cursor_skip(&p->c, cursor_uleb(&p->c));
	return at;
}

static uint64_t factored(const struct program *p, uint64_t count)
{
	return count * (uint64_t)p->fde->data_align;
}

static void set_cfa(struct program *p, uint64_t column, uint64_t offset)
{
	p->row.cfa_column = column;
	p->row.cfa = offset;
	p->row.is_cfa_expression = false;
}

static void set_cfa_expression(struct program *p)
{
	p->row.cfa = take_block(p);
	p->row.is_cfa_expression = true;
}

static void remember(struct program *p)
{
	if (p->depth == REMEMBER_MAX)
		p->c.is_bad = true;
	else
		p->remembered[p->depth++] = p->row;
}

static void recall(struct program *p)
{
	if (!p->depth)
		p->c.is_bad = true;
	else
		p->row = p->remembered[--p->depth];
}

static void define_cfa(struct program *p, unsigned op)
{
	uint64_t column = p->row.cfa_column;

	switch (op) {
	case CFA_DEF_CFA:
		column = cursor_uleb(&p->c);
		return set_cfa(p, column, cursor_uleb(&p->c));
	case CFA_DEF_CFA_SF:
		column = cursor_uleb(&p->c);
		return set_cfa(p, column, factored(p, (uint64_t)cursor_sleb(&p->c)));
	case CFA_DEF_CFA_REGISTER:
		return set_cfa(p, cursor_uleb(&p->c), p->row.cfa);
	case CFA_DEF_CFA_OFFSET:
		return set_cfa(p, column, cursor_uleb(&p->c));
	case CFA_DEF_CFA_OFFSET_SF:
		return set_cfa(p, column, factored(p, (uint64_t)cursor_sleb(&p->c)));
	default:
		return set_cfa_expression(p);
	}
}

/* The rest: an operand that is a column, then what that column's rule is. */
static void define_rule(struct program *p, unsigned op)
{
	uint64_t column = cursor_uleb(&p->c);

	switch (op) {
	case CFA_OFFSET_EXTENDED:
		return set_rule(p, column, RULE_OFFSET, factored(p, cursor_uleb(&p->c)));
	case CFA_OFFSET_EXTENDED_SF:
		return set_rule(p, column, RULE_OFFSET,
				factored(p, (uint64_t)cursor_sleb(&p->c)));
	case CFA_VAL_OFFSET:
		return set_rule(p, column, RULE_VAL_OFFSET,
				factored(p, cursor_uleb(&p->c)));
	case CFA_VAL_OFFSET_SF:
		return set_rule(p, column, RULE_VAL_OFFSET,
				factored(p, (uint64_t)cursor_sleb(&p->c)));
	case CFA_RESTORE_EXTENDED:
		return restore_rule(p, column);
	case CFA_UNDEFINED:
		return set_rule(p, column, RULE_UNDEFINED, 0);
	case CFA_SAME_VALUE:
		return set_rule(p, column, RULE_SAME, 0);
	case CFA_REGISTER:
		return set_rule(p, column, RULE_REGISTER, cursor_uleb(&p->c));
	case CFA_EXPRESSION:
		return set_rule(p, column, RULE_EXPRESSION, take_block(p));
	case CFA_VAL_EXPRESSION:
		return set_rule(p, column, RULE_VAL_EXPRESSION, take_block(p));
	}
	p->c.is_bad = true;
}

static void advance(struct program *p, uint64_t units)
{
	p->location += units * p->fde->code_align;
}

static void run_one(struct program *p, unsigned op)
{
	unsigned low = op & 0x3f;

	switch (op & 0xc0) {
	case CFA_ADVANCE_LOC:
		return advance(p, low);
	case CFA_OFFSET:
		return set_rule(p, low, RULE_OFFSET, factored(p, cursor_uleb(&p->c)));
	case CFA_RESTORE:
		return restore_rule(p, low);
	}
	switch (op) {
	case CFA_NOP:
	case CFA_AARCH64_NEGATE_RA_STATE:
		return;
	case CFA_GNU_ARGS_SIZE:
		(void)cursor_uleb(&p->c);
		return;
	case CFA_ADVANCE_LOC1:
		return advance(p, cursor_number(&p->c, 1));
	case CFA_ADVANCE_LOC2:
		return advance(p, cursor_number(&p->c, 2));
	case CFA_ADVANCE_LOC4:
		return advance(p, cursor_number(&p->c, 4));
	case CFA_REMEMBER_STATE:
		return remember(p);
	case CFA_RESTORE_STATE:
		return recall(p);
	case CFA_DEF_CFA:
	case CFA_DEF_CFA_REGISTER:
	case CFA_DEF_CFA_OFFSET:
	case CFA_DEF_CFA_EXPRESSION:
	case CFA_DEF_CFA_SF:
	case CFA_DEF_CFA_OFFSET_SF:
		return define_cfa(p, op);
	case CFA_SET_LOC:
		p->c.is_bad = true;
		return;
	default:
		return define_rule(p, op);
	}
}

/* All instructions of one entry that are in force at pc. */
static bool run(struct program *p, struct cursor from, uintptr_t pc)
{
	p->c = from;
	while (!p->c.is_bad && p->c.at < p->c.end && p->location <= pc)
		run_one(p, (unsigned)cursor_number(&p->c, 1));
	return !p->c.is_bad;
}

/* --- the caller's registers --------------------------------------------------------- */

/* The expression at `at`, whose length stands before it. */
static bool evaluate(const struct program *p, const struct registers *r, uint64_t at,
		     const uint64_t *cfa, uint64_t *out)
{
	struct cursor c = p->c;
	uint64_t size;

	c.at = at;
	c.end = at <= p->fde->common.end && at >= p->fde->common.at ? p->fde->common.end
								    : p->fde->own.end;
	size = cursor_uleb(&c);
	if (c.is_bad || size > c.end - c.at)
		return false;
	c.end = c.at + size;
	return cfi_expression(c, r, cfa, out);
}

static bool find_cfa(const struct program *p, const struct registers *r, uint64_t *cfa)
{
	if (p->row.is_cfa_expression)
		return evaluate(p, r, p->row.cfa, NULL, cfa);
	if (!registers_have(r, p->row.cfa_column))
		return false;
	*cfa = r->value[p->row.cfa_column] + p->row.cfa;
	return true;
}

static bool find_value(const struct program *p, const struct registers *r,
		       unsigned column, uint64_t cfa, uint64_t *out)
{
	uint64_t value = p->row.value[column];

	switch (p->row.rule[column]) {
	case RULE_OFFSET:
		return peek_read(p->c.peek, cfa + value, out, sizeof(void *));
	case RULE_VAL_OFFSET:
		*out = cfa + value;
		return true;
	case RULE_REGISTER:
		*out = value < CFI_COLUMNS ? r->value[value] : 0;
		return registers_have(r, value);
	case RULE_EXPRESSION:
		return evaluate(p, r, value, &cfa, &value) &&
		       peek_read(p->c.peek, value, out, sizeof(void *));
	case RULE_VAL_EXPRESSION:
		return evaluate(p, r, value, &cfa, out);
	case RULE_SAME:
		*out = r->value[column];
		return registers_have(r, column);
	}
	return false;
}

static void find_registers(const struct program *p, const struct registers *r,
			   uint64_t cfa, struct registers *up)
{
	for (unsigned column = 0; column < CFI_COLUMNS; column++) {
		uint64_t value = 0;

		if (!find_value(p, r, column, cfa, &value))
			continue;
		up->value[column] = value;
		up->known |= 1ull << column;
	}
	if (p->row.rule[CFI_SP] == RULE_SAME) {
		up->value[CFI_SP] = cfa;
		up->known |= 1ull << CFI_SP;
	}
}

bool cfi_step(struct peek *peek, const struct fde *fde, struct registers *r)
{
	struct program p = { .fde = fde, .c.peek = peek };
	struct registers up = { .known = 0 };
	uintptr_t pc = r->is_signal ? r->pc : r->pc - 1;
	uint64_t cfa;

	if (!run(&p, fde->common, UINTPTR_MAX))
		return false;
	p.initial = p.row;
	p.location = fde->start;
	if (!run(&p, fde->own, pc) || !find_cfa(&p, r, &cfa))
		return false;
	find_registers(&p, r, cfa, &up);
	if (!registers_have(&up, fde->return_column))
		return false;
	up.pc = (uintptr_t)up.value[fde->return_column];
	up.is_signal = fde->is_signal;
	*r = up;
	return true;
}
