/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Where the budget ended a program: from an offset in a file, as a list of mappings has it, to the address
 * that file was linked for, and to a symbol's name. Runs in the launcher, after the program's end; reads
 * files that the program chose, with libelf and a descriptor.
 */
#include "launcher/steps.h"

#include "backends/cleanup.h"
#include "launcher/program_file.h"
#include "launcher/session.h"
#include "launcher/symbols.h"

#include <gelf.h>
#include <libelf.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

static int open_module(void *ctx, const char *path)
{
	return program_file_open(ctx, path);
}

/* The loaded segment that holds this part of the file moves it to its address. */
static bool move_offset(Elf *elf, uint64_t *offset)
{
	GElf_Phdr header;
	size_t count;

	if (elf_getphdrnum(elf, &count) < 0)
		return false;
	for (size_t i = 0; i < count && i < INT_MAX; i++) {
		if (!gelf_getphdr(elf, (int)i, &header) || header.p_type != PT_LOAD ||
		    *offset < header.p_offset || *offset - header.p_offset >= header.p_filesz)
			continue;
		*offset = *offset - header.p_offset + header.p_vaddr;
		return true;
	}
	return false;
}

static bool link_offset(struct program_files *files, const char *module, uint64_t *offset)
{
	_cleanup_fd_ int fd = program_file_open(files, module);
	bool moved;
	Elf *elf;

	if (fd < 0)
		return false;
	(void)elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	moved = elf && move_offset(elf, offset);
	if (elf)
		(void)elf_end(elf);
	return moved;
}

void steps_name_where(const struct session *session, struct step_where *where)
{
	struct program_files files = { .block = session->block,
				       .anywhere = session->mode == SANDBOX_AUDIT_ONLY };
	struct denial_frame frame = { .offset = where->offset };
	struct symbols *symbols;

	if (where->module[0] != '/' || strlen(where->module) >= sizeof(frame.module) ||
	    !link_offset(&files, where->module, &frame.offset))
		return;
	where->offset = frame.offset;
	snprintf(frame.module, sizeof(frame.module), "%s", where->module);
	symbols = symbols_new(open_module, &files);
	if (!symbols)
		return;
	symbols_name(symbols, &frame);
	symbols_free(symbols);
	snprintf(where->symbol, sizeof(where->symbol), "%s", frame.symbol);
	where->symbol_offset = frame.symbol_offset;
}
