/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Looking for the shim's library. A library that does not fit is not silently left out by us as the dynamic
 * loader would do: it is named with what is wrong with it. Runs in the launcher, before the walls.
 */
#include "launcher/shim_file.h"

#include "backends/cleanup.h"
#include "launcher/own_elf.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define SHIM_FILE "stile-shim.so"

/* Relative to the folder this program is in, then where it is installed. */
static const char *const places[] = {
	"shim/.libs/" SHIM_FILE, /* libtool's, before the installation */
	"../lib/stile/" SHIM_FILE,
	STILE_PKGLIBDIR "/" SHIM_FILE,
};

/* The folder of our own executable, "" when it cannot be told. */
static void own_folder(char *out, size_t size)
{
	ssize_t n = readlink("/proc/self/exe", out, size - 1);
	char *slash;

	out[n > 0 ? n : 0] = 0;
	slash = strrchr(out, '/');
	if (slash)
		*slash = 0;
	else
		out[0] = 0;
}

static const char *complaint_about(const Elf64_Ehdr *header, ssize_t size)
{
	if (size < (ssize_t)sizeof(*header) || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0)
		return "no ELF file";
	if (header->e_ident[EI_CLASS] != OWN_CLASS)
		return "of another word size";
	if (header->e_machine != OWN_MACHINE)
		return "for another machine";
	return header->e_type == ET_DYN ? NULL : "no shared library";
}

int shim_file_check(const char *path, char *why, size_t why_size)
{
	_cleanup_fd_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	Elf64_Ehdr header;
	const char *complaint;

	if (fd < 0) {
		int e = errno;

		snprintf(why, why_size, "the shim's library '%s': %s", path, strerror(e));
		return -e;
	}
	complaint = complaint_about(&header, read(fd, &header, sizeof(header)));
	if (!complaint)
		return 0;
	snprintf(why, why_size, "the shim's library '%s' is %s", path, complaint);
	return -ENOEXEC;
}

int shim_file_find(char *path, size_t size, char *why, size_t why_size)
{
	char folder[PATH_MAX];
	int r = -ENOENT;

	own_folder(folder, sizeof(folder));
	for (size_t i = 0; r == -ENOENT && i < sizeof(places) / sizeof(*places); i++) {
		int n = places[i][0] == '/' ?
				snprintf(path, size, "%s", places[i]) :
				snprintf(path, size, "%s/%s", folder, places[i]);

		if (n < 0 || (size_t)n >= size)
			continue;
		r = shim_file_check(path, why, why_size);
	}
	return r;
}
