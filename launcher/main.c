/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * stile: runs a program that nobody vouches for behind the walls this host can give.
 *
 * The whole life of a run, as verb_run.c and session.c have it: read the request (request.c), look at
 * the program (look.c), ask the preflight (policy/argv.c), open a session (session.c: private folder,
 * filter, warden behind its walls), make the run folder, start the program through the warden, watch it
 * (watch.c), end all it started, tell one result (result.c), empty the folder (empty.c).
 *
 * This file: the verb table and what must hold before any verb acts.
 */
#include "launcher/request.h"
#include "launcher/verbs.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

const struct verb verbs[] = {
	{ "run", "[OPTION…] -- PROGRAM [ARGUMENT…]", "run a program behind the walls", verb_run },
	{ "code", "[OPTION…] LANGUAGE FILE|-", "run a script in an empty folder, print its result as JSON", verb_code },
	{ "check", "[OPTION…] -- PROGRAM [ARGUMENT…]", "say what the preflight would say; run nothing", verb_check },
	{ "learn", "-o FILE [OPTION…] -- PROGRAM [ARGUMENT…]", "run a program under observation, write the least policy for it", verb_learn },
	{ "explain", "[--why QUESTION] [OPTION…] [FILE|-] [-- PROGRAM [ARGUMENT…]]", "say what a result or a log has of refusals, or what would be refused", verb_explain },
	{ "session", "[OPTION…]", "serve runs: JSON lines in, JSON lines out", verb_session },
	{ "demo", "[--json]", "show legal calls and attacks, and how each ends", verb_demo },
	{ "doctor", "[--json]", "say which layers this host enforces, proved by probes", verb_doctor },
	{ "capabilities", "[OPTION…] [LANGUAGE]", "say what a program may do by the policy in force", verb_capabilities },
	{ "help", "[VERB|--completions bash|zsh]", "print the verbs, or one verb's options", verb_help },
	{ "version", "", "print the version", verb_version },
	{ NULL, NULL, NULL, NULL },
};

int verb_version(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	puts("stile " PACKAGE_VERSION);
	return 0;
}

/* Descriptors 0, 1, 2 exist whatever the caller closed; his ignored SIGCHLD and blocked signals are
 * not inherited into our waiting. */
static void stand_firm(void)
{
	sigset_t none;
	int fd;

	do
		fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	while (fd >= 0 && fd < 3 && fcntl(fd, F_SETFD, 0) == 0);
	if (fd >= 3)
		(void)close(fd);
	(void)signal(SIGCHLD, SIG_DFL);
	(void)signal(SIGPIPE, SIG_IGN);
	sigemptyset(&none);
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
	(void)prctl(PR_SET_DUMPABLE, 0);
}

static bool asks_help(const char *word)
{
	return !strcmp(word, "--help") || !strcmp(word, "-h");
}

int main(int argc, char **argv)
{
	const struct verb *verb;

	stand_firm();
	if (argc < 2) {
		fputs("usage: stile VERB [OPTION…] [--] …  (stile help)\n", stderr);
		return EXIT_USAGE;
	}
	if (asks_help(argv[1]))
		return verb_help(0, NULL);
	if (!strcmp(argv[1], "--version"))
		return verb_version(0, NULL);
	verb = verb_find(argv[1]);
	if (!verb)
		return verb_complain(argv[1]);
	if (argc > 2 && asks_help(argv[2]))
		return verb_help(1, argv + 1);
	return verb->act(argc - 2, argv + 2);
}
