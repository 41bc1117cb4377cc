/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Naming addresses with libelf, after the program's end: the symbol table of the file itself or of its
 * separate debug file (by build id, by .gnu_debuglink), else the dynamic one; the nearest function
 * at or below the address, if it reaches that far.
 *
 * Runs in the launcher and reads files that the program named and may have written. So: what the caller
 * opens (program_file.c), read and never mapped (a file cut under a mapping kills its reader), tables
 * of bounded size, a bounded number of files a run.
 */
#include "launcher/symbols.h"

#include "backends/cleanup.h"

#include <gelf.h>
#include <libelf.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#define FILES_MAX 64
#define TABLE_BYTES_MAX (64u << 20)
#define BUILD_ID_MAX 64
#define DEBUG_FOLDER "/usr/lib/debug"

struct symbol {
	uint64_t value, size;
	size_t name;
};

/* One opened file with the table that serves it. */
struct file {
	char path[256];
	int fd;
	Elf *elf;
	struct symbol *table; /* sorted by value; owned */
	size_t count, names;  /* symbols in it; the section of their names */
};

struct symbols {
	int (*open_file)(void *ctx, const char *path);
	void *ctx;
	struct file files[FILES_MAX];
	size_t count;
};

struct symbols *symbols_new(int (*open_file)(void *ctx, const char *path), void *ctx)
{
	struct symbols *s = calloc(1, sizeof(*s));

	if (s)
		*s = (struct symbols){ .open_file = open_file, .ctx = ctx };
	(void)elf_version(EV_CURRENT);
	return s;
}

static void close_file(struct file *f)
{
	if (f->elf)
		(void)elf_end(f->elf);
	cleanup_fd(&f->fd);
	free(f->table);
	f->elf = NULL;
	f->table = NULL;
	f->fd = -1;
}

void symbols_free(struct symbols *symbols)
{
	for (size_t i = 0; symbols && i < symbols->count; i++)
		close_file(&symbols->files[i]);
	free(symbols);
}

/* Lower values first; of two at one place, the one with a size last. */
static int compare(const void *a, const void *b)
{
	const struct symbol *one = a, *other = b;

	if (one->value != other->value)
		return one->value < other->value ? -1 : 1;
	return (one->size > other->size) - (one->size < other->size);
}

static bool is_code(const GElf_Sym *symbol)
{
	unsigned type = GELF_ST_TYPE(symbol->st_info);

	return (type == STT_FUNC || type == STT_GNU_IFUNC || type == STT_NOTYPE) &&
	       symbol->st_shndx != SHN_UNDEF && symbol->st_value;
}

static void sort_symbols(struct file *f, Elf_Data *data, size_t count)
{
	GElf_Sym symbol;

	f->table = calloc(count, sizeof(*f->table));
	f->count = 0;
	for (size_t i = 0; f->table && i < count; i++)
		if (gelf_getsym(data, (int)i, &symbol) && is_code(&symbol))
			f->table[f->count++] = (struct symbol){ symbol.st_value, symbol.st_size,
								symbol.st_name };
	if (f->count)
		qsort(f->table, f->count, sizeof(*f->table), compare);
}

/* Takes the file's symbol table of this type, if it has one. */
static bool take_table(struct file *f, GElf_Word type)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while ((section = elf_nextscn(f->elf, section))) {
		Elf_Data *data;

		if (!gelf_getshdr(section, &header) || header.sh_type != type ||
		    !header.sh_entsize || header.sh_size > TABLE_BYTES_MAX)
			continue;
		data = elf_getdata(section, NULL);
		f->names = header.sh_link;
		if (data && data->d_size)
			sort_symbols(f, data, data->d_size / header.sh_entsize);
		return f->count > 0;
	}
	return false;
}

static bool open_elf(const struct symbols *s, struct file *f, const char *path)
{
	f->fd = s->open_file(s->ctx, path);
	f->elf = f->fd < 0 ? NULL : elf_begin(f->fd, ELF_C_READ, NULL);
	if (f->elf && elf_kind(f->elf) == ELF_K_ELF)
		return true;
	close_file(f);
	return false;
}

/* --- separate debug files ---------------------------------------------------------------------- */

/* The build id as /usr/lib/debug/.build-id/ab/cdef….debug, or false. */
static bool name_by_id(const Elf_Data *notes, char *out, size_t size)
{
	size_t at = 0, name, id, used;
	GElf_Nhdr note;

	while ((at = gelf_getnote((Elf_Data *)(uintptr_t)notes, at, &note, &name, &id)) > 0) {
		const unsigned char *bytes = (const unsigned char *)notes->d_buf + id;

		if (note.n_type != NT_GNU_BUILD_ID || note.n_namesz != 4 ||
		    memcmp((const char *)notes->d_buf + name, "GNU", 4) != 0 ||
		    note.n_descsz < 2 || note.n_descsz > BUILD_ID_MAX)
			continue;
		used = (size_t)snprintf(out, size, DEBUG_FOLDER "/.build-id/%02x/", bytes[0]);
		for (size_t i = 1; i < note.n_descsz && used < size; i++)
			used += (size_t)snprintf(out + used, size - used, "%02x", bytes[i]);
		return used < size &&
		       (size_t)snprintf(out + used, size - used, ".debug") < size - used;
	}
	return false;
}

static bool find_by_id(Elf *elf, char *out, size_t size)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while ((section = elf_nextscn(elf, section))) {
		Elf_Data *data;

		if (!gelf_getshdr(section, &header) || header.sh_type != SHT_NOTE ||
		    header.sh_size > 65536)
			continue;
		data = elf_getdata(section, NULL);
		if (data && data->d_buf && name_by_id(data, out, size))
			return true;
	}
	return false;
}

static Elf_Data *find_section(Elf *elf, const char *name)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	size_t names;

	if (elf_getshdrstrndx(elf, &names) < 0)
		return NULL;
	while ((section = elf_nextscn(elf, section))) {
		const char *text = gelf_getshdr(section, &header) ?
					   elf_strptr(elf, names, header.sh_name) :
					   NULL;

		if (text && strcmp(text, name) == 0)
			return elf_getdata(section, NULL);
	}
	return NULL;
}

/* Where a .gnu_debuglink may lie, seen from the file it is in. */
static const char *const link_places[] = { "%s/%s", "%s/.debug/%s", DEBUG_FOLDER "%s/%s" };

static bool open_linked(const struct symbols *s, const struct file *from, struct file *to)
{
	Elf_Data *link = find_section(from->elf, ".gnu_debuglink");
	char folder[sizeof(from->path)], path[PATH_MAX];

	if (!link || !link->d_buf || !memchr(link->d_buf, 0, link->d_size) ||
	    strchr(link->d_buf, '/'))
		return false;
	snprintf(folder, sizeof(folder), "%s", from->path);
	*strrchr(folder, '/') = 0;
	for (size_t i = 0; i < sizeof(link_places) / sizeof(*link_places); i++) {
		snprintf(path, sizeof(path), link_places[i], folder, (const char *)link->d_buf);
		if (strcmp(path, from->path) != 0 && open_elf(s, to, path) &&
		    take_table(to, SHT_SYMTAB))
			return true;
		close_file(to);
	}
	return false;
}

static bool open_debug_file(const struct symbols *s, const struct file *from, struct file *to)
{
	char path[PATH_MAX];

	if (find_by_id(from->elf, path, sizeof(path)) && open_elf(s, to, path) &&
	    take_table(to, SHT_SYMTAB))
		return true;
	close_file(to);
	return open_linked(s, from, to);
}

/* --- files ------------------------------------------------------------------------------------- */

/* Chooses the richest table there is; without any the file stays closed. */
static void open_file(const struct symbols *s, struct file *f, const char *path)
{
	struct file debug = { .fd = -1 };

	*f = (struct file){ .fd = -1 };
	snprintf(f->path, sizeof(f->path), "%s", path);
	if (path[0] != '/' || !open_elf(s, f, path))
		return;
	if (take_table(f, SHT_SYMTAB))
		return;
	if (open_debug_file(s, f, &debug)) {
		close_file(f);
		snprintf(debug.path, sizeof(debug.path), "%s", f->path);
		*f = debug;
	} else if (!take_table(f, SHT_DYNSYM)) {
		close_file(f);
	}
}

static struct file *find_file(struct symbols *s, const char *path)
{
	for (size_t i = 0; i < s->count; i++)
		if (strcmp(s->files[i].path, path) == 0)
			return &s->files[i];
	if (s->count == FILES_MAX)
		return NULL;
	open_file(s, &s->files[s->count], path);
	return &s->files[s->count++];
}

/* The last symbol at or below the address that reaches it. A few are tried: labels without a size lie
 * within functions. */
static const struct symbol *find_symbol(const struct file *f, uint64_t address)
{
	size_t low = 0, high = f->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (f->table[middle].value <= address)
			low = middle + 1;
		else
			high = middle;
	}
	for (size_t tries = 0; low-- > 0 && tries < 16; tries++)
		if (!f->table[low].size || address - f->table[low].value < f->table[low].size)
			return &f->table[low];
	return NULL;
}

void symbols_name(struct symbols *symbols, struct denial_frame *frame)
{
	struct file *f = find_file(symbols, frame->module);
	const struct symbol *found = f && f->table ? find_symbol(f, frame->offset) : NULL;
	const char *name = found ? elf_strptr(f->elf, f->names, found->name) : NULL;

	frame->symbol[0] = 0;
	frame->symbol_offset = 0;
	if (!name || !*name)
		return;
	snprintf(frame->symbol, sizeof(frame->symbol), "%s", name);
	frame->symbol_offset = frame->offset - found->value;
}
