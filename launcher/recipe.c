/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Recipes: from a language's name to the real interpreter, its own folders and its command line.
 * Version managers' shims and virtual environments are followed by asking the interpreter itself which
 * file it is. Runs in the launcher; asks outside the walls, so only with flags that run nothing of the user's.
 */
#include "launcher/recipe.h"

#include "backends/cleanup.h"
#include "launcher/look.h"
#include "policy/input_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>

#define SCRIPT_MAX (64u << 20)

bool recipe_reserves_address_space(const char *program)
{
	const struct interpreter *found = interpreter_find(program);

	return found ? found->reserves_address_space : false;
}

static int add_folder(struct policy *policy, const char *path, unsigned rights)
{
	if (path[0] != '/' || strcmp(path, "/") == 0)
		return 0;
	return policy_add_path(policy, path, "/", rights | PATH_OPTIONAL, "recipe");
}

/* The asked interpreter's child: it gets the question on 0, answers on 1, and has nothing else. */
__attribute__((noreturn)) static void become_asked(const char *const *argv, int question, int answer)
{
	static char path[] = "PATH=/usr/bin:/bin", locale[] = "LC_ALL=C.UTF-8";
	char *env[] = { path, locale, NULL };
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (dup2(question >= 0 ? question : null, 0) >= 0 && dup2(answer, 1) >= 0 &&
	    dup2(null, 2) >= 0)
		(void)execve(argv[0], (char **)(uintptr_t)argv, env);
	_exit(127);
}

/* A short script fits into a memory file whole, so nobody has to feed a pipe. */
static int question_file(const char *script)
{
	int fd = script ? memfd_create("question", MFD_CLOEXEC) : -1;

	if (fd >= 0 && (write(fd, script, strlen(script)) < 0 || lseek(fd, 0, SEEK_SET) < 0)) {
		(void)close(fd);
		return -1;
	}
	return fd;
}

/* Runs the interpreter with its question and hands each line of the answer to the policy. */
static int ask_folders(struct policy *policy, const char *program, const struct interpreter *it)
{
	const char *argv[16] = { program };
	_cleanup_fd_ int question = question_file(it->ask_script);
	_cleanup_file_ FILE *answer = NULL;
	char line[PATH_MAX];
	int ends[2], r = 0;
	pid_t pid;

	for (size_t i = 0; it->ask_folders[i] && i < 14; i++)
		argv[i + 1] = it->ask_folders[i];
	if (pipe2(ends, O_CLOEXEC) < 0)
		return -errno;
	pid = fork();
	if (pid == 0)
		become_asked(argv, question, ends[1]);
	(void)close(ends[1]);
	answer = fdopen(ends[0], "re");
	while (answer && r == 0 && fgets(line, sizeof(line), answer)) {
		line[strcspn(line, "\r\n")] = 0;
		r = add_folder(policy, line, PATH_READ);
	}
	if (pid > 0)
		(void)waitpid(pid, NULL, 0);
	return r;
}

/* Shared objects: the system's library folders, and the loader itself; locales and time zones, which
 * libc reads for everybody. */
static int add_libraries(struct policy *policy)
{
	static const char *const folders[] = { "/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu",
					       "/lib64", "/usr/lib64", "/usr/lib/locale",
					       "/usr/share/zoneinfo" };
	static const char *const loaders[] = { "/lib64/ld-linux-x86-64.so.2",
					       "/lib/ld-linux-aarch64.so.1" };
	int r = 0;

	for (size_t i = 0; r == 0 && i < sizeof(folders) / sizeof(*folders); i++)
		r = add_folder(policy, folders[i], PATH_READ);
	for (size_t i = 0; r == 0 && i < sizeof(loaders) / sizeof(*loaders); i++)
		r = add_folder(policy, loaders[i], PATH_READ | PATH_EXEC);
	return r;
}

/* A version manager's shim is a script; the system's own interpreter is the base. */
static int find_program(struct recipe *recipe)
{
	static char system_value[] = "PATH=/usr/local/bin:/usr/bin:/bin";
	static char *system_path[] = { system_value, NULL };
	char found[PATH_MAX], first[64];
	size_t length = strcspn(recipe->interpreter->programs, " ");
	struct look_for what = { .name = first, .env = system_path };

	snprintf(first, sizeof(first), "%.*s", (int)length, recipe->interpreter->programs);
	if (look_find_program(&what, found, sizeof(found)) < 0) {
		snprintf(recipe->error, sizeof(recipe->error), "%s is not installed", first);
		return -ENOENT;
	}
	return realpath(found, recipe->program) ? 0 : -errno;
}

int recipe_make(struct recipe *recipe, struct policy *policy, const char *language)
{
	int r;

	recipe->error[0] = 0;
	recipe->interpreter = interpreter_for_language(language);
	if (!recipe->interpreter) {
		snprintf(recipe->error, sizeof(recipe->error), "unknown language '%s'", language);
		return -EINVAL;
	}
	r = find_program(recipe);
	if (r == 0)
		r = add_folder(policy, recipe->program, PATH_READ | PATH_EXEC);
	if (r == 0)
		r = add_libraries(policy);
	if (r == 0 && recipe->interpreter->ask_folders)
		r = ask_folders(policy, recipe->program, recipe->interpreter);
	snprintf(recipe->name, sizeof(recipe->name), "main%s",
		 recipe->interpreter->suffix ? recipe->interpreter->suffix : "");
	if (r < 0 && !recipe->error[0])
		snprintf(recipe->error, sizeof(recipe->error), "preparing %s: %s",
			 recipe->program, strerror(-r));
	return r;
}

static int make_argv(struct recipe *recipe)
{
	const char *const *flags = recipe->interpreter->code_flags;
	size_t count = 0;

	while (flags && flags[count])
		count++;
	free(recipe->argv);
	recipe->argv = calloc(count + 3, sizeof(*recipe->argv));
	if (!recipe->argv)
		return -ENOMEM;
	recipe->argv[0] = recipe->program;
	for (size_t i = 0; i < count; i++)
		recipe->argv[i + 1] = (char *)(uintptr_t)flags[i];
	recipe->argv[count + 1] = recipe->name;
	return 0;
}

int recipe_take_text(struct recipe *recipe, const char *text, size_t size)
{
	free(recipe->text);
	recipe->text = malloc(size + 1);
	if (!recipe->text)
		return -ENOMEM;
	memcpy(recipe->text, text, size);
	recipe->text[size] = 0;
	recipe->size = size;
	return make_argv(recipe);
}

static FILE *open_script(const char *file, const char **why)
{
	bool is_input = strcmp(file, "-") == 0;
	int fd = is_input ? fcntl(0, F_DUPFD_CLOEXEC, 3) : input_file_open(file, why);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "r");

	if (!f && (is_input || fd >= 0))
		*why = strerror(errno);
	if (!f)
		cleanup_fd(&fd);
	return f;
}

int recipe_read_file(struct recipe *recipe, const char *file)
{
	const char *why = "out of memory";
	_cleanup_file_ FILE *f = open_script(file, &why);
	_cleanup_free_ char *text = malloc(SCRIPT_MAX);
	size_t size;

	if (!f || !text) {
		snprintf(recipe->error, sizeof(recipe->error), "%s: %s", file, why);
		return -EINVAL;
	}
	size = fread(text, 1, SCRIPT_MAX, f);
	if (ferror(f) || !feof(f)) {
		snprintf(recipe->error, sizeof(recipe->error), "%s: unreadable or over 64 MiB",
			 file);
		return -EFBIG;
	}
	return recipe_take_text(recipe, text, size);
}

void recipe_fill(const struct recipe *recipe, struct run_request *run)
{
	run->program = recipe->program;
	run->code_name = recipe->name;
	run->code_text = recipe->text;
	run->code_size = recipe->size;
	run->big_address_space = recipe->interpreter->reserves_address_space;
}

void recipe_free(struct recipe *recipe)
{
	free(recipe->text);
	free(recipe->argv);
}
