/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Looking at a program file: found by PATH, its ELF header read with libelf. Runs in the launcher;
 * reads hostile files, so every length is checked and libelf sees only what it maps itself.
 */
#include "launcher/look.h"

#include "backends/cleanup.h"
#include "backends/root.h"
#include "launcher/own_elf.h"
#include "policy/policy.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define DEFAULT_PATH "/usr/local/bin:/usr/bin:/bin"

static int is_file(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

static const char *path_of(char *const *env)
{
	for (size_t i = 0; env && env[i]; i++)
		if (strncmp(env[i], "PATH=", 5) == 0)
			return env[i] + 5;
	return DEFAULT_PATH;
}

static int with_cwd(const char *name, const char *cwd, char *out, size_t size)
{
	struct stat st;
	int n = name[0] == '/' || !cwd ? snprintf(out, size, "%s", name) :
					  snprintf(out, size, "%s/%s", cwd, name);

	if (n < 0 || (size_t)n >= size)
		return -ENAMETOOLONG;
	return stat(out, &st) < 0 ? -errno : 0;
}

bool look_is_private(const struct policy_block *block, uint32_t rule)
{
	const struct block_rule *rules =
		(const struct block_rule *)(const void *)block_text(block, block->rules);
	struct path_rule as_loaded = {
		.path = (char *)(uintptr_t)block_text(block, rules[rule].path),
		.origin = (char *)(uintptr_t)block_text(block, rules[rule].origin),
	};

	return rule && root_is_private_place(&as_loaded);
}

static bool may_execute(const struct policy_block *block, const char *path)
{
	char real[PATH_MAX];
	uint32_t rule;

	if (!block || !realpath(path, real))
		return true;
	return (policy_path_rights(block, real, &rule) & PATH_EXEC) && !look_is_private(block, rule);
}

static int search_path(const struct look_for *what, char *out, size_t size)
{
	const char *at = path_of(what->env);
	char outside[PATH_MAX] = "";

	while (*at) {
		size_t length = strcspn(at, ":");
		int n = snprintf(out, size, "%.*s/%s", (int)length, at, what->name);
		bool found = length && n > 0 && (size_t)n < size && is_file(out);

		if (found && may_execute(what->block, out))
			return 0;
		if (found && !outside[0])
			snprintf(outside, sizeof(outside), "%s", out);
		at += length + (at[length] == ':');
	}
	snprintf(out, size, "%s", outside);
	return outside[0] ? -EACCES : -ENOENT;
}

int look_find_program(const struct look_for *what, char *out, size_t size)
{
	int r;

	if (!strchr(what->name, '/'))
		return search_path(what, out, size);
	r = with_cwd(what->name, what->cwd, out, size);
	if (r == 0 && !is_file(out))
		return -ENOEXEC;
	return r == 0 && !may_execute(what->block, out) ? -EACCES : r;
}

/* The ELF interpreter's path, "" when there is none. */
static void read_elf_interpreter(Elf *elf, int fd, char *out, size_t size)
{
	size_t count = 0;
	GElf_Phdr header;

	out[0] = 0;
	if (elf_getphdrnum(elf, &count) < 0)
		return;
	for (size_t i = 0; i < count; i++) {
		if (!gelf_getphdr(elf, (int)i, &header) || header.p_type != PT_INTERP)
			continue;
		if (header.p_filesz && header.p_filesz < size &&
		    pread(fd, out, header.p_filesz, (off_t)header.p_offset) ==
			    (ssize_t)header.p_filesz)
			out[header.p_filesz - 1] = 0;
		return;
	}
}

/* The lowest address of what is loaded to be executed, 0 = there is none. */
static uint64_t text_of(Elf *elf)
{
	uint64_t lowest = 0;
	size_t count = 0;
	GElf_Phdr header;

	if (elf_getphdrnum(elf, &count) < 0)
		return 0;
	for (size_t i = 0; i < count && i < INT_MAX; i++)
		if (gelf_getphdr(elf, (int)i, &header) && header.p_type == PT_LOAD &&
		    (header.p_flags & PF_X) && (!lowest || header.p_vaddr < lowest))
			lowest = header.p_vaddr;
	return lowest;
}

static void look_at_elf(int fd, struct look_facts *facts)
{
	char interpreter[PATH_MAX];
	GElf_Ehdr header;
	Elf *elf;

	(void)elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	facts->is_elf = elf && gelf_getehdr(elf, &header);
	if (facts->is_elf) {
		read_elf_interpreter(elf, fd, interpreter, sizeof(interpreter));
		facts->is_static = !interpreter[0];
		facts->machine = header.e_machine;
		facts->entry = header.e_entry;
		facts->text = text_of(elf);
		facts->is_foreign = header.e_machine != OWN_MACHINE;
		facts->bits = header.e_ident[EI_CLASS] == ELFCLASS64 ? 64 : 32;
	}
	if (elf)
		(void)elf_end(elf);
}

/* The word of a #! line that names the interpreter: the first, or behind env the first that is neither an
 * option nor an assignment. Cuts the line up; `first` becomes what the kernel runs. */
static const char *shebang_words(char *line, const char **first)
{
	char *rest, *word = strtok_r(line + 2, " \t\r\n", &rest);

	*first = word;
	if (!word || strcmp(path_basename(word), "env") != 0)
		return word;
	do
		word = strtok_r(NULL, " \t\r\n", &rest);
	while (word && (word[0] == '-' || strchr(word, '=')));
	return word;
}

/* As many #! lines as the kernel follows. */
#define SHEBANG_DEPTH 4

static int look_into(const char *path, struct look_facts *facts, int depth)
{
	_cleanup_fd_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	const char *next = NULL, *word;
	char head[256] = { 0 };

	if (!facts->interpreter)
		facts->interpreter = interpreter_find(path);
	if (!realpath(path, facts->file))
		return -errno;
	if (!facts->interpreter)
		facts->interpreter = interpreter_find(facts->file);
	if (fd < 0 || pread(fd, head, sizeof(head) - 1, 0) < 0)
		return -errno;
	if (memcmp(head, ELFMAG, SELFMAG) == 0) {
		look_at_elf(fd, facts);
		return 0;
	}
	word = strncmp(head, "#!", 2) == 0 ? shebang_words(head, &next) : NULL;
	facts->is_script |= word != NULL;
	if (word && !facts->interpreter)
		facts->interpreter = interpreter_find(word);
	return next && depth ? look_into(next, facts, depth - 1) : 0;
}

int look_at(const char *path, struct look_facts *facts)
{
	*facts = (struct look_facts){ .is_elf = false };
	return look_into(path, facts, SHEBANG_DEPTH);
}

static void explain_elf(const char *path, int fd, int error, char *out, size_t size)
{
	char interpreter[PATH_MAX];
	GElf_Ehdr header;
	Elf *elf = NULL;

	(void)elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	if (!elf || !gelf_getehdr(elf, &header))
		snprintf(out, size, "'%s' is a damaged ELF file", path);
	else if (header.e_machine != OWN_MACHINE)
		snprintf(out, size, "'%s' is an ELF file for another machine (e_machine %u)", path,
			 header.e_machine);
	else {
		read_elf_interpreter(elf, fd, interpreter, sizeof(interpreter));
		if (error == ENOENT && interpreter[0])
			snprintf(out, size, "the ELF interpreter '%s' of '%s' is missing",
				 interpreter, path);
		else
			snprintf(out, size, "'%s' cannot be executed: %s", path, strerror(error));
	}
	if (elf)
		(void)elf_end(elf);
}

static void explain_script(const char *path, char *line, int error, char *out, size_t size)
{
	line[strcspn(line, "\r\n")] = 0;
	if (strncmp(line, "#!", 2) != 0)
		snprintf(out, size, "'%s' is a text file without a #! line", path);
	else if (error == ENOENT || error == EACCES)
		snprintf(out, size, "the interpreter '%s' of '%s' cannot be executed: %s",
			 line + 2 + strspn(line + 2, " \t"), path, strerror(error));
	else
		snprintf(out, size, "'%s' cannot be executed: %s", path, strerror(error));
}

void look_explain_exec(const char *path, int error, char *out, size_t size)
{
	_cleanup_fd_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	char head[256] = { 0 };
	struct stat st;

	if (stat(path, &st) < 0)
		snprintf(out, size, "executable not found: '%s'", path);
	else if (S_ISDIR(st.st_mode))
		snprintf(out, size, "'%s' is a folder, not a program", path);
	else if (!S_ISREG(st.st_mode))
		snprintf(out, size, "'%s' is not a regular file", path);
	else if (!(st.st_mode & 0111))
		snprintf(out, size, "'%s' has no execute permission", path);
	else if (fd < 0 || read(fd, head, sizeof(head) - 1) < 0)
		snprintf(out, size, "'%s' cannot be executed: %s", path, strerror(error));
	else if (memcmp(head, ELFMAG, SELFMAG) == 0)
		explain_elf(path, fd, error, out, size);
	else
		explain_script(path, head, error, out, size);
}
