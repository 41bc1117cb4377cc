/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the shim covered: the ring's table of processes, and for those that executed a program and were not
 * heard of again, the cause, from the program's ELF header.
 *
 * Runs in the launcher after the program's end, while its files are still there. The table is the program's
 * word: what is claimed as covered is not trusted, only told.
 */
#include "launcher/shim_cover.h"

#include "backends/cleanup.h"
#include "launcher/own_elf.h"
#include "launcher/ring_read.h"

#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>

#define SHEBANG_DEPTH 4

static const char *const cause_texts[SHIM_CAUSE_COUNT] = {
	[SHIM_CAUSE_NONE] = "the dynamic loader did not load the shim, or the process ended before",
	[SHIM_CAUSE_STATIC] = "a static program: no dynamic loader takes the shim in",
	[SHIM_CAUSE_WORD_SIZE] = "a program of another word size",
	[SHIM_CAUSE_MACHINE] = "a program for another machine",
	[SHIM_CAUSE_LIBC] = "a program of another C library than glibc and musl",
	[SHIM_CAUSE_SECURE] = "a program with file capabilities: the loader ignores LD_PRELOAD",
	[SHIM_CAUSE_GO] = "a Go program: its system calls do not pass the C library",
	[SHIM_CAUSE_UNREADABLE] = "not known: its file is gone or may not be looked at",
};

const char *shim_cause_text(enum shim_cause cause)
{
	return cause_texts[(unsigned)cause < SHIM_CAUSE_COUNT ? cause : SHIM_CAUSE_NONE];
}

/* --- one file ---------------------------------------------------------------------------------- */

static bool read_segment(int fd, const GElf_Phdr *header, char *out, size_t size)
{
	if (!header->p_filesz || header->p_filesz >= size)
		return false;
	if (pread(fd, out, header->p_filesz, (off_t)header->p_offset) != (ssize_t)header->p_filesz)
		return false;
	out[header->p_filesz] = 0;
	return true;
}

/* The ELF interpreter, "" = there is none; false = the header cannot be read. */
static bool read_interpreter(Elf *elf, int fd, char *out, size_t size)
{
	size_t count = 0;
	GElf_Phdr header;

	out[0] = 0;
	if (elf_getphdrnum(elf, &count) < 0)
		return false;
	for (size_t i = 0; i < count && i < INT_MAX; i++)
		if (gelf_getphdr(elf, (int)i, &header) && header.p_type == PT_INTERP)
			return read_segment(fd, &header, out, size);
	return true;
}

static bool is_known_loader(const char *interpreter)
{
	const char *name = strrchr(interpreter, '/');

	name = name ? name + 1 : interpreter;
	return !strncmp(name, "ld-linux", 8) || !strncmp(name, "ld-musl-", 8) ||
	       !strcmp(name, "ld.so.1") || !strncmp(name, "ld64.so", 7);
}

/* File capabilities alone make the loader ask whether the program is more privileged than its caller: set-id
 * bits count for nothing under no_new_privs, which every run is. */
static bool is_secure(int fd)
{
	return fgetxattr(fd, "security.capability", NULL, 0) > 0;
}

/* Go's linker leaves its mark in a section, also in stripped programs. */
static bool is_go(Elf *elf)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	size_t names;

	if (elf_getshdrstrndx(elf, &names) < 0)
		return false;
	while ((section = elf_nextscn(elf, section))) {
		const char *name = gelf_getshdr(section, &header) ?
					   elf_strptr(elf, names, header.sh_name) :
					   NULL;

		if (name && (!strcmp(name, ".go.buildinfo") || !strcmp(name, ".note.go.buildid")))
			return true;
	}
	return false;
}

static enum shim_cause cause_of_elf(int fd)
{
	char interpreter[PATH_MAX];
	enum shim_cause cause = SHIM_CAUSE_NONE;
	GElf_Ehdr header;
	Elf *elf;

	(void)elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	if (!elf || !gelf_getehdr(elf, &header) ||
	    !read_interpreter(elf, fd, interpreter, sizeof(interpreter)))
		cause = SHIM_CAUSE_UNREADABLE;
	else if (header.e_machine != OWN_MACHINE)
		cause = SHIM_CAUSE_MACHINE;
	else if (header.e_ident[EI_CLASS] != OWN_CLASS)
		cause = SHIM_CAUSE_WORD_SIZE;
	else if (!interpreter[0])
		cause = SHIM_CAUSE_STATIC;
	else if (!is_known_loader(interpreter))
		cause = SHIM_CAUSE_LIBC;
	else if (is_secure(fd))
		cause = SHIM_CAUSE_SECURE;
	else if (is_go(elf))
		cause = SHIM_CAUSE_GO;
	(void)elf_end(elf);
	return cause;
}

/* The interpreter that a #! line names, opened; -1 = there is none. */
static int open_shebang(const struct program_files *files, char *line)
{
	char *name = line + 2 + strspn(line + 2, " \t");

	if (strncmp(line, "#!", 2) != 0)
		return -1;
	name[strcspn(name, " \t\r\n")] = 0;
	return program_file_open(files, name);
}

enum shim_cause shim_cover_cause(const struct program_files *files, int fd)
{
	_cleanup_fd_ int script = -1;

	for (int depth = 0; depth < SHEBANG_DEPTH; depth++) {
		char head[256] = "";
		int next;

		if (pread(fd, head, sizeof(head) - 1, 0) < (ssize_t)SELFMAG)
			return SHIM_CAUSE_UNREADABLE;
		if (memcmp(head, ELFMAG, SELFMAG) == 0)
			return cause_of_elf(fd);
		next = open_shebang(files, head);
		cleanup_fd(&script);
		script = next;
		if (next < 0)
			return SHIM_CAUSE_UNREADABLE;
		fd = next;
	}
	return SHIM_CAUSE_UNREADABLE;
}

/* --- the table --------------------------------------------------------------------------------- */

struct taking {
	struct shim_cover *cover;
	const struct shim_cover_ask *ask;
	bool has_first;
};

/* A relative name is one as the process that moved there had it: most never move. */
static enum shim_cause look(const struct taking *t, const char *exe)
{
	char path[PATH_MAX];
	_cleanup_fd_ int fd = -1;

	if (exe[0] == '/')
		snprintf(path, sizeof(path), "%s", exe);
	else
		snprintf(path, sizeof(path), "%s/%s", t->ask->cwd, exe);
	fd = program_file_open(t->ask->files, path);
	return fd < 0 ? SHIM_CAUSE_UNREADABLE : shim_cover_cause(t->ask->files, fd);
}

static void add_blind(struct taking *t, int32_t pid, const char *exe, enum shim_cause cause)
{
	struct shim_cover *cover = t->cover;
	struct shim_blind *blind;

	if (cover->blind_count == SHIM_BLIND_MAX) {
		cover->blind_lost++;
		return;
	}
	blind = &cover->blind[cover->blind_count++];
	*blind = (struct shim_blind){ .pid = pid, .cause = cause };
	snprintf(blind->exe, sizeof(blind->exe), "%s", exe);
}

/* A row that still says "about to execute" is one whose new program never attached. One whose execution
 * failed went on with the program, and the shim, it had. */
static void take_process(void *ctx, const struct ring_process *process)
{
	struct taking *t = ctx;
	struct shim_cover *cover = t->cover;
	int32_t pid = process->pid > INT32_MAX ? 0 : (int32_t)process->pid;
	enum shim_cause cause;

	t->has_first |= pid == t->ask->inside;
	if (process->state == RING_EXEC) {
		/* Beyond the room nobody would hear of the cause. */
		cause = cover->blind_count < SHIM_BLIND_MAX ? look(t, process->exe) :
							      SHIM_CAUSE_UNREADABLE;
		add_blind(t, pid, process->exe, cause);
		return;
	}
	cover->pids[cover->processes++] = pid;
	if (!t->ask->is_thorough || cover->blind_count == SHIM_BLIND_MAX)
		return;
	cause = look(t, process->exe);
	if (cause == SHIM_CAUSE_GO)
		add_blind(t, pid, process->exe, cause);
}

void shim_cover_take(struct shim_cover *cover, const struct shim_cover_ask *ask)
{
	struct taking t = { .cover = cover, .ask = ask };
	struct ring_state state;

	cover->processes = 0;
	cover->blind_count = 0;
	cover->blind_lost = 0;
	if (ring_look(ask->ring, &state) < 0 || state.is_damaged)
		snprintf(cover->why, sizeof(cover->why),
			 "the program wrote over the ring: what the shim told is incomplete");
	else
		cover->blind_lost = state.processes_lost;
	(void)ring_each_process(ask->ring, take_process, &t);
	if (!t.has_first)
		add_blind(&t, ask->inside, ask->program,
			  ask->is_static ? SHIM_CAUSE_STATIC : look(&t, ask->program));
}

bool shim_cover_has(const struct shim_cover *cover, int32_t pid)
{
	for (uint32_t i = 0; pid && i < cover->processes; i++)
		if (cover->pids[i] == pid)
			return true;
	return false;
}
