/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * How a program uses address space: by the table of interpreters, and for compiled programs by the
 * sanitizer runtime they carry or need. Scripts are followed through their #! lines.
 *
 * Runs in the launcher; reads hostile files with libelf, which checks what it maps.
 */
#include "launcher/memory_need.h"

#include "backends/cleanup.h"
#include "policy/interpreters.h"

#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <limits.h>
#include <stdbool.h>
#include <string.h>

#define SHEBANG_DEPTH 4

/* Runtimes that map shadow memory of terabytes. */
static const char *const shadow_symbols[] = { "__asan_init", "__tsan_init", "__msan_init",
					      "__hwasan_init", "__dfsan_init" };
static const char *const shadow_libraries[] = { "libasan.so", "libtsan.so", "libhwasan.so",
						"libclang_rt.asan", "libclang_rt.tsan" };

static const char *const mapping_programs[] = { "java", "javac", "jshell", "jar", "kotlin",
						"scala" };

static bool is_shadow_symbol(const char *name)
{
	for (size_t i = 0; name && i < sizeof(shadow_symbols) / sizeof(*shadow_symbols); i++)
		if (strcmp(name, shadow_symbols[i]) == 0)
			return true;
	return false;
}

static bool is_shadow_library(const char *name)
{
	for (size_t i = 0; name && i < sizeof(shadow_libraries) / sizeof(*shadow_libraries); i++)
		if (strncmp(name, shadow_libraries[i], strlen(shadow_libraries[i])) == 0)
			return true;
	return false;
}

/* One dynamic symbol table or dynamic section. */
static bool section_has_shadow(Elf *elf, Elf_Scn *section, const GElf_Shdr *header)
{
	Elf_Data *data = elf_getdata(section, NULL);
	size_t count = data && header->sh_entsize ? header->sh_size / header->sh_entsize : 0;

	for (size_t i = 0; i < count && i < INT_MAX; i++) {
		GElf_Sym symbol;
		GElf_Dyn dynamic;

		if (header->sh_type == SHT_DYNSYM && gelf_getsym(data, (int)i, &symbol) &&
		    is_shadow_symbol(elf_strptr(elf, header->sh_link, symbol.st_name)))
			return true;
		if (header->sh_type == SHT_DYNAMIC && gelf_getdyn(data, (int)i, &dynamic) &&
		    dynamic.d_tag == DT_NEEDED &&
		    is_shadow_library(elf_strptr(elf, header->sh_link, dynamic.d_un.d_val)))
			return true;
	}
	return false;
}

static bool has_shadow(int fd)
{
	Elf_Scn *section = NULL;
	bool found = false;
	GElf_Shdr header;
	Elf *elf;

	(void)elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	while (elf && !found && (section = elf_nextscn(elf, section)))
		if (gelf_getshdr(section, &header) &&
		    (header.sh_type == SHT_DYNSYM || header.sh_type == SHT_DYNAMIC))
			found = section_has_shadow(elf, section, &header);
	if (elf)
		(void)elf_end(elf);
	return found;
}

static enum memory_need need_by_name(const char *program)
{
	const struct interpreter *found = interpreter_find(program);
	const char *name = path_basename(program);

	for (size_t i = 0; i < sizeof(mapping_programs) / sizeof(*mapping_programs); i++)
		if (strcmp(name, mapping_programs[i]) == 0)
			return MEMORY_MAPS;
	if (!found || !found->reserves_address_space)
		return MEMORY_PLAIN;
	return found->kind == INTERPRETER_NODE ? MEMORY_RESERVES : MEMORY_MAPS;
}

/* Cuts the next word off *at; NULL = none is left. */
static char *next_word(char **at)
{
	char *word = *at + strspn(*at, " \t");

	*at = word + strcspn(word, " \t");
	if (**at)
		*(*at)++ = 0;
	return *word ? word : NULL;
}

/* The interpreter of a #! line in `line`, past env and its options; NULL = none. */
static const char *shebang_program(char *line)
{
	char *rest = line + 2, *word;

	line[strcspn(line, "\n")] = 0;
	word = next_word(&rest);
	if (!word || strcmp(path_basename(word), "env") != 0)
		return word;
	do
		word = next_word(&rest);
	while (word && (word[0] == '-' || strchr(word, '=')));
	return word;
}

static enum memory_need look_into(const char *program, int depth)
{
	_cleanup_fd_ int fd = open(program, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	enum memory_need need = need_by_name(program);
	char head[PATH_MAX] = { 0 };
	const char *next;

	if (need != MEMORY_PLAIN || fd < 0 || pread(fd, head, sizeof(head) - 1, 0) < 4)
		return need;
	if (memcmp(head, ELFMAG, SELFMAG) == 0)
		return has_shadow(fd) ? MEMORY_SHADOWS : MEMORY_PLAIN;
	next = strncmp(head, "#!", 2) == 0 ? shebang_program(head) : NULL;
	return next && depth ? look_into(next, depth - 1) : MEMORY_PLAIN;
}

enum memory_need memory_need_of(const char *program)
{
	return look_into(program, SHEBANG_DEPTH);
}
