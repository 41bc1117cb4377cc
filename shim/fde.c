/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Finding a frame description (fde.h). The header's sorted table is searched by halves;
 * the entry and the common entry it names are read with a cursor that cannot leave the
 * file's mapping. Only the forms that today's linkers write are understood: any other is
 * "none", and the walk ends there.
 */
#include "shim/fde.h"

#define FDE_BYTES_MAX	 (1u << 20) /* of one entry; the longest seen are some kilobytes */
#define AUGMENTATION_MAX 8

/* The header's three encodings: counts as udata4, the table as pairs of sdata4 relative
 * to itself. */
#define COUNT_UDATA4	     0x03
#define TABLE_DATAREL_SDATA4 0x3b

/* --- encoded pointers (LSB, "DWARF extensions") ------------------------------------- */

#define ENCODING_FORM	  0x0f
#define ENCODING_BASE	  0x70
#define ENCODING_PCREL	  0x10
#define ENCODING_INDIRECT 0x80
#define ENCODING_OMIT	  0xff

static const struct pointer_form {
	uint8_t size; /* 0 = not understood */
	bool is_signed;
} pointer_forms[16] = {
	[0x00] = { sizeof(void *), false },
	[0x02] = { 2, false },
	[0x03] = { 4, false },
	[0x04] = { 8, false },
	[0x0a] = { 2, true },
	[0x0b] = { 4, true },
	[0x0c] = { 8, true },
};

static uint64_t extend(uint64_t value, size_t size)
{
	unsigned unused = 64 - 8 * (unsigned)size;

	return (uint64_t)((int64_t)(value << unused) >> unused);
}

static uintptr_t take_pointer(struct cursor *c, uint8_t encoding)
{
	const struct pointer_form *form = &pointer_forms[encoding & ENCODING_FORM];
	uintptr_t base = (encoding & ENCODING_BASE) == ENCODING_PCREL ? c->at : 0;
	uint64_t value;

	if (encoding == ENCODING_OMIT || encoding & ENCODING_INDIRECT || !form->size ||
	    (encoding & ENCODING_BASE & ~ENCODING_PCREL)) {
		c->is_bad = true;
		return 0;
	}
	value = cursor_number(c, form->size);
	return base + (form->is_signed ? extend(value, form->size) : value);
}

/* --- the header --------------------------------------------------------------------- */

struct table {
	struct cursor row; /* at the first one */
	uint64_t count;
};

static struct cursor cursor_at(struct peek *peek, const struct fde_tables *tables,
			       uintptr_t at)
{
	return (struct cursor){ peek, at, tables->high,
				at < tables->low || at >= tables->high };
}

static bool open_table(struct peek *peek, const struct fde_tables *tables,
		       struct table *out)
{
	struct cursor c = cursor_at(peek, tables, tables->header);
	uint8_t version = (uint8_t)cursor_number(&c, 1);
	uint8_t frame = (uint8_t)cursor_number(&c, 1);
	uint8_t count = (uint8_t)cursor_number(&c, 1);
	uint8_t rows = (uint8_t)cursor_number(&c, 1);

	if (version != 1 || count != COUNT_UDATA4 || rows != TABLE_DATAREL_SDATA4)
		return false;
	(void)take_pointer(&c, frame);
	out->count = cursor_number(&c, 4);
	out->row = c;
	return !c.is_bad && out->count <= (c.end - c.at) / 8;
}

/* One half of row `index`: 0 = where its code begins, 1 = where its description stands.
 */
static uintptr_t table_read(const struct table *table, uintptr_t header, uint64_t index,
			    int half, bool *is_bad)
{
	struct cursor c = table->row;
	uintptr_t value;

	c.at += index * 8 + (half ? 4 : 0);
	value = header + extend(cursor_number(&c, 4), 4);
	*is_bad |= c.is_bad;
	return value;
}

/* The last row whose code begins at or before pc; 0 = none. */
static uintptr_t search_table(const struct table *table, uintptr_t header, uintptr_t pc)
{
	uint64_t low = 0, high = table->count;
	uintptr_t found;
	bool is_bad = false;

	while (low < high && !is_bad) {
		uint64_t middle = low + (high - low) / 2;

		if (table_read(table, header, middle, 0, &is_bad) <= pc)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low || is_bad)
		return 0;
	found = table_read(table, header, low - 1, 1, &is_bad);
	return is_bad ? 0 : found;
}

/* --- the entries -------------------------------------------------------------------- */

/* Narrows the cursor to the entry it stands at, past the length. */
static bool enter_entry(struct cursor *c)
{
	uint64_t length = cursor_number(c, 4);

	if (c->is_bad || !length || length > FDE_BYTES_MAX || length > c->end - c->at)
		return false;
	c->end = c->at + length;
	return true;
}

struct augmentation {
	char letters[AUGMENTATION_MAX];
	uint8_t pointers; /* encoding of the entries' addresses */
	bool has_data;
};

static bool take_letters(struct cursor *c, struct augmentation *a)
{
	size_t i = 0;

	do
		a->letters[i] = (char)cursor_number(c, 1);
	while (!c->is_bad && a->letters[i] && ++i < AUGMENTATION_MAX);
	return !c->is_bad && i < AUGMENTATION_MAX && (!i || a->letters[0] == 'z');
}

/* 'z' data: what each letter says, in order. */
static void take_augmentation(struct cursor *c, struct augmentation *a, struct fde *out)
{
	uint64_t size = cursor_uleb(c);
	struct cursor data = *c;

	cursor_skip(c, size);
	data.end = c->is_bad ? data.at : c->at;
	a->has_data = true;
	for (const char *letter = a->letters + 1; *letter && !data.is_bad; letter++) {
		if (*letter == 'R')
			a->pointers = (uint8_t)cursor_number(&data, 1);
		else if (*letter == 'L')
			(void)cursor_number(&data, 1);
		else if (*letter == 'P')
			/* skipped only: an indirect one is as long as a direct one */
			(void)take_pointer(&data, (uint8_t)cursor_number(&data, 1) &
							  ENCODING_FORM);
		else if (*letter == 'S')
			out->is_signal = true;
		else if (*letter != 'B')
			break;
	}
	c->is_bad |= data.is_bad;
}

static bool read_common(struct cursor c, struct augmentation *a, struct fde *out)
{
	uint64_t id, version;

	if (!enter_entry(&c))
		return false;
	id = cursor_number(&c, 4);
	version = cursor_number(&c, 1);
	if (id || (version != 1 && version != 3) || !take_letters(&c, a))
		return false;
	out->code_align = cursor_uleb(&c);
	out->data_align = cursor_sleb(&c);
	out->return_column = version == 1 ? cursor_number(&c, 1) : cursor_uleb(&c);
	if (a->letters[0])
		take_augmentation(&c, a, out);
	out->common = c;
	return !c.is_bad;
}

static bool read_entry(struct cursor c, const struct fde_tables *tables, struct fde *out)
{
	struct augmentation a = { .pointers = 0 };
	uintptr_t id_at;
	uint64_t id;

	if (!enter_entry(&c))
		return false;
	id_at = c.at;
	id = cursor_number(&c, 4);
	if (c.is_bad || !id ||
	    !read_common(cursor_at(c.peek, tables, id_at - id), &a, out))
		return false;
	out->start = take_pointer(&c, a.pointers);
	out->end = out->start + take_pointer(&c, a.pointers & ENCODING_FORM);
	if (a.has_data)
		cursor_skip(&c, cursor_uleb(&c));
	out->own = c;
	return !c.is_bad;
}

bool fde_find(struct peek *peek, const struct fde_tables *tables, uintptr_t pc,
	      struct fde *out)
{
	struct table table;
	uintptr_t entry;

	*out = (struct fde){ .is_signal = false };
	if (!open_table(peek, tables, &table))
		return false;
	entry = search_table(&table, tables->header, pc);
	return entry && read_entry(cursor_at(peek, tables, entry), tables, out) &&
	       pc >= out->start && pc < out->end;
}
