/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * stile demo: a battery of legal calls and attacks in a project folder of its own, each really run, and
 * whether each ended as it should. Exits 0 only if all did.
 */
#include "backends/cleanup.h"
#include "launcher/request.h"
#include "launcher/verbs.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>

struct demo_row {
	const char *name;
	const char *argv[6];
	enum run_status expect;
	unsigned wall_ms;
};

static const struct demo_row rows[] = {
	{ "list the project", { "ls" }, STATUS_OK, 5000 },
	{ "read a clean file", { "cat", "clean.txt" }, STATUS_OK, 5000 },
	{ "run a script", { "sh", "hello.sh" }, STATUS_OK, 5000 },
	{ "large print", { "sh", "large.sh" }, STATUS_OK, 10000 },
	{ "rm -rf", { "rm", "-rf", "." }, STATUS_DENIED, 5000 },
	{ "sudo", { "sudo", "id" }, STATUS_DENIED, 5000 },
	{ "curl", { "curl", "http://127.0.0.1/" }, STATUS_DENIED, 5000 },
	{ "python3 -c", { "python3", "-c", "print(1)" }, STATUS_DENIED, 5000 },
	{ "bash -c", { "bash", "-c", "id" }, STATUS_DENIED, 5000 },
	{ "echo a ; rm -rf", { "echo", "a", ";", "rm", "-rf" }, STATUS_DENIED, 5000 },
	{ "../../etc/passwd", { "cat", "../../etc/passwd" }, STATUS_DENIED, 5000 },
	{ "/etc/passwd", { "cat", "/etc/passwd" }, STATUS_DENIED, 5000 },
	{ "sleep past the clock", { "sleep", "30" }, STATUS_TIMED_OUT, 500 },
	{ "endless yes", { "yes" }, STATUS_TIMED_OUT, 500 },
	{ "a loop without end", { "sh", "loop.sh" }, STATUS_TIMED_OUT, 500 },
	{ "read a planted secret", { "sh", "steal.sh" }, STATUS_FAILED, 5000 },
	{ "connect to a listener", { "python3", "connect.py" }, STATUS_FAILED, 5000 },
	{ "orphans are killed", { "sh", "orphans.sh" }, STATUS_OK, 5000 },
	{ "a fork bomb", { "bash", "bomb.sh" }, STATUS_TIMED_OUT, 1500 },
	{ "and the session goes on", { "cat", "clean.txt" }, STATUS_OK, 5000 },
};

static const struct {
	const char *name, *text;
} files[] = {
	{ "clean.txt", "clean\n" },
	{ "hello.sh", "echo hello from inside\n" },
	{ "large.sh", "i=0; while [ $i -lt 20000 ]; do echo 0123456789; i=$((i+1)); done\n" },
	{ "loop.sh", "while :; do :; done\n" },
	{ "steal.sh", "cat \"$(dirname \"$PWD\")/secret\"\n" },
	{ "connect.py", "import socket\n"
			"port = int(open('port').read())\n"
			"socket.create_connection(('127.0.0.1', port), 3).sendall(b'out')\n" },
	{ "bomb.sh", "bomb() { bomb | bomb & }; bomb; while :; do sleep 1; done\n" },
	{ "port", "" }, /* of the listener, once it is known */
	{ "orphans.sh", "sleep 600 & sleep 600 & exit 0\n" },
};

static int write_text(const char *folder, const char *name, const char *text)
{
	char path[4200];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	f = fopen(path, "we");
	if (!f || fputs(text, f) < 0)
		return -errno;
	return fclose(f) == 0 ? 0 : -errno;
}

/* <base>/project with the files, and a secret beside it. */
static int make_project(char *base, char *project, size_t size)
{
	int r = 0;

	if (!mkdtemp(base))
		return -errno;
	snprintf(project, size, "%s/project", base);
	if (mkdir(project, 0755) < 0)
		return -errno;
	for (size_t i = 0; r == 0 && i < sizeof(files) / sizeof(*files); i++)
		r = write_text(project, files[i].name, files[i].text);
	return r < 0 ? r : write_text(base, "secret", "the planted secret\n");
}

/* A listener on loopback that nothing inside may reach; its port stands in the project. */
static int open_listener(const char *project, int *listener)
{
	struct sockaddr_in address = { .sin_family = AF_INET,
				       .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t size = sizeof(address);
	char port[16];

	*listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (*listener < 0 || bind(*listener, (struct sockaddr *)&address, size) < 0 ||
	    listen(*listener, 4) < 0 ||
	    getsockname(*listener, (struct sockaddr *)&address, &size) < 0)
		return -errno;
	snprintf(port, sizeof(port), "%u\n", ntohs(address.sin_port));
	return write_text(project, "port", port);
}

/* Has anybody come? */
static bool was_reached(int listener)
{
	_cleanup_fd_ int guest = accept4(listener, NULL, NULL, SOCK_CLOEXEC);

	return guest >= 0;
}

static void remove_project(const char *base, const char *project)
{
	char path[4200];

	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		snprintf(path, sizeof(path), "%s/%s", project, files[i].name);
		(void)unlink(path);
	}
	snprintf(path, sizeof(path), "%s/secret", base);
	(void)unlink(path);
	(void)rmdir(project);
	(void)rmdir(base);
}

static bool row_ends_well(const struct demo_row *row, const struct result *r)
{
	bool leaked = r->out && r->out->used &&
		      memmem(r->out->data, r->out->used, "planted secret", 14);

	return r->status == row->expect && !leaked;
}

static bool run_row(struct session *s, const struct demo_row *row, const char *project, char **env,
		    json_t *answers)
{
	struct captured captured = { { 0 }, { 0 } };
	struct result r;
	struct run_request run = { .argv = (char *const *)(uintptr_t)row->argv,
				   .cwd = project,
				   .env = env,
				   .limits = s->policy->limits,
				   .preflight = true,
				   .stdin_fd = -1 };
	bool well;
	char *text;

	run.limits.wall_ms = row->wall_ms;
	(void)run_once(s, &run, &captured, &r);
	well = row_ends_well(row, &r);
	text = result_to_json(&r, false);
	if (answers && text)
		(void)json_array_append_new(answers, json_loads(text, 0, NULL));
	else
		printf("%-4s %-24s %-10s %s\n", well ? "ok" : "BAD", row->name,
		       status_name(r.status), r.reason);
	free(text);
	output_free(&captured.out);
	output_free(&captured.err);
	return well;
}

static bool run_rows(struct session *s, const char *project, char **env, bool json)
{
	json_t *answers = json ? json_array() : NULL;
	bool well = true;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		well &= run_row(s, &rows[i], project, env, answers);
	if (answers) {
		char *text = json_dumps(answers, JSON_INDENT(1));

		puts(text ? text : "[]");
		free(text);
		json_decref(answers);
	}
	return well;
}

int verb_demo(int argc, char **argv)
{
	char base[] = "/tmp/stile-demo-XXXXXX", project[4096], root[4200];
	char *words[2] = { root, NULL };
	struct request q;
	struct session s;
	char **env;
	bool json = argc > 0 && !strcmp(argv[0], "--json"), well = false;
	_cleanup_fd_ int listener = -1;

	if (make_project(base, project, sizeof(project)) < 0 ||
	    open_listener(project, &listener) < 0) {
		perror("stile demo: the project folder");
		return EXIT_CODE_INTERNAL & 255;
	}
	snprintf(root, sizeof(root), "--root=%s", project);
	if (request_read(&q, "demo", "tool", 1, words) == 0) {
		struct session_wish wish = { .mode = q.mode, .label = "demo" };

		env = request_environment(q.policy);
		if (session_open(&s, q.policy, &wish) == 0) {
			q.policy = NULL;
			well = run_rows(&s, project, env, json) && !was_reached(listener);
			session_close(&s);
		}
		request_free_environment(env);
	}
	request_free(&q);
	remove_project(base, project);
	return well ? 0 : 1;
}
