/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Runs a program with the shim in a room of its own, without walls, and prints what the
 * shim told. For the tests of the shim by itself.
 *
 *   room FOLDER LIBRARY [walls|observe|record|stat|code|lossless]…
 *        [read=P|write=P|exec=P|deny=P|protect=P|network|processes|load]… -- PROGRAM
 * ARGUMENT…
 *
 * FOLDER must not exist. `walls` does not build any: it makes the shim behave as behind
 * them. On stdout, after the program's own output: "denial CALL ERRNO COUNT LAYER AXIS
 * TARGET [SCRIPT:LINE]", "process STATE EXE", "record CALL ERRNO TARGET", "lost RECORDS
 * DENIALS". The exit status is the program's.
 */
#include "backends/room.h"
#include "launcher/ring_read.h"
#include "policy/compile.h"
#include "shim/hooks.h"

#include <err.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct {
	const char *word;
	uint32_t flag;
} flag_rows[] = {
	{ "walls", RING_WALLS },       { "observe", RING_OBSERVE },
	{ "record", RING_RECORD_ALL }, { "lossless", RING_LOSSLESS },
	{ "stat", RING_JUDGE_STAT },   { "code", RING_CODE },
};

static const struct {
	const char *word;
	unsigned rights;
} path_rows[] = {
	{ "read=", PATH_READ },
	{ "write=", PATH_READ | PATH_WRITE },
	{ "exec=", PATH_READ | PATH_EXEC },
	{ "deny=", PATH_DENY },
	{ "protect=", PATH_PROTECT },
};

static void take_path(struct policy *policy, const char *word)
{
	for (size_t i = 0; i < sizeof(path_rows) / sizeof(*path_rows); i++) {
		size_t length = strlen(path_rows[i].word);

		if (strncmp(word, path_rows[i].word, length) != 0)
			continue;
		if (policy_add_path(policy, word + length, "/", path_rows[i].rights,
				    word) < 0)
			errx(125, "no such path: %s", word);
		return;
	}
	errx(125, "unknown word: %s", word);
}

static void take_word(struct policy *policy, uint32_t *flags, const char *word)
{
	for (size_t i = 0; i < sizeof(flag_rows) / sizeof(*flag_rows); i++)
		if (!strcmp(word, flag_rows[i].word)) {
			*flags |= flag_rows[i].flag;
			return;
		}
	if (!strcmp(word, "network"))
		policy->network = NETWORK_HOST;
	else if (!strcmp(word, "processes"))
		policy->processes = true;
	else if (!strcmp(word, "load"))
		policy->load = true;
	else
		take_path(policy, word);
}

static void print_denial(void *ctx, const struct ring_told *told)
{
	const struct ring_denial *d = &told->denial;

	(void)ctx;
	printf("denial %s %s %llu %s %s %s", d->call, strerrorname_np(d->record.error),
	       (unsigned long long)d->count, layer_name((enum layer)d->record.layer),
	       axis_name((enum axis)d->record.axis), told->target);
	if (d->script.line)
		printf(" %s:%u", d->script.file, d->script.line);
	printf("\n");
}

static void print_process(void *ctx, const struct ring_process *process)
{
	static const char *const states[] = { "free", "exec", "attached", "failed" };

	(void)ctx;
	printf("process %s %s\n", states[process->state & 3], process->exe);
}

static void print_record(void *ctx, const struct ring_call *call)
{
	(void)ctx;
	printf("record %s %d %s\n", hook_name(call->record.hook), call->record.error,
	       call->target);
}

static void print_all(int ring)
{
	struct ring_place place = { 0, 0 };
	struct ring_state state;
	uint64_t lost = 0;

	if (ring_look(ring, &state) < 0 ||
	    ring_each_denial(ring, print_denial, NULL, &lost) < 0 ||
	    ring_each_process(ring, print_process, NULL) < 0 ||
	    ring_drain(ring, &place, true, print_record, NULL) < 0)
		errx(125, "the ring cannot be read");
	printf("lost %llu %llu\n", (unsigned long long)(state.records_lost + place.lost),
	       (unsigned long long)(state.denials_lost + lost));
}

static int run(char **argv, const char *library, const char *folder)
{
	int status = 0;
	pid_t pid = fork();

	if (!pid) {
		if (setsid() < 0 || setenv("LD_PRELOAD", library, 1) < 0 ||
		    setenv(RING_ROOM_VARIABLE, folder, 1) < 0)
			_exit(125);
		execvp(argv[0], argv);
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) < 0)
		err(125, "%s", argv[0]);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int main(int argc, char **argv)
{
	struct policy *policy = policy_new();
	struct policy_block *block = NULL;
	uint64_t start = 0;
	uint32_t flags = 0;
	int i, ring, status;

	for (i = 3; i < argc && strcmp(argv[i], "--") != 0; i++)
		take_word(policy, &flags, argv[i]);
	if (i + 1 >= argc || policy_compile(policy, &block) < 0)
		errx(125, "usage: room FOLDER LIBRARY WORD… -- PROGRAM ARGUMENT…");
	ring = room_make(&(struct room_plan){
		.shim = argv[2], .block = block, .folder = argv[1] });
	if (ring < 0 || ring_begin(ring, flags, true, &start) < 0)
		errx(125, "no room in %s", argv[1]);
	status = run(argv + i + 1, argv[2], argv[1]);
	print_all(ring);
	policy_free(policy);
	free(block);
	return status;
}
