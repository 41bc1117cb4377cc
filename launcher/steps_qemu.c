/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The counter qemu-tcg: the program runs under qemu's user mode, inside the walls, and a plugin of ours counts
 * in the translated code (plugins/qemu_count.c). Two or three times slower than the program, and exact.
 *
 * Runs in the launcher. qemu and the plugin are optional when stile is built and when it runs; where one
 * is missing the counter says so. Guest and plugin share an address space: what comes from the page is
 * bounded and weighed here, never believed.
 */
#include "launcher/steps.h"

#include "backends/cleanup.h"
#include "launcher/session.h"
#include "plugins/qemu_count.h"
#include "policy/policy.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#define PLUGIN "stile-qemu-count.so"
#define PAGE_NAME ".steps"
#define MOST_THREADS_LATE 4096 /* each may ask once more when the budget is spent */
#define BLOCK_MAX 512

static const char *const qemus[] = { "/usr/bin/qemu-x86_64", "/usr/local/bin/qemu-x86_64" };

/* Relative to the folder this program is in, then where it is installed. */
static const char *const plugins[] = {
	"plugins/.libs/" PLUGIN, /* libtool's, before the installation */
	"../lib/stile/" PLUGIN,
	STILE_PKGLIBDIR "/" PLUGIN,
};

static int find_qemu(char *out)
{
	for (size_t i = 0; i < sizeof(qemus) / sizeof(*qemus); i++)
		if (access(qemus[i], X_OK) == 0 && realpath(qemus[i], out))
			return 0;
	return -ENOENT;
}

static int find_plugin(char *out)
{
	char own[PATH_MAX], path[2 * PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", own, sizeof(own) - 1);
	char *slash;

	own[n > 0 ? n : 0] = 0;
	slash = strrchr(own, '/');
	if (slash)
		*slash = 0;
	for (size_t i = 0; i < sizeof(plugins) / sizeof(*plugins); i++) {
		snprintf(path, sizeof(path), "%s%s%s", plugins[i][0] == '/' ? "" : own,
			 plugins[i][0] == '/' ? "" : "/", plugins[i]);
		if (access(path, R_OK) == 0 && realpath(path, out))
			return 0;
	}
	return -ENOENT;
}

int steps_allow_qemu(struct policy *policy)
{
	char qemu[PATH_MAX], plugin[PATH_MAX];
	int r;

	if (find_qemu(qemu) < 0 || find_plugin(plugin) < 0)
		return 0;
	r = policy_add_path(policy, qemu, "/", PATH_READ | PATH_EXEC | PATH_OPTIONAL, "step counter");
	return r < 0 ? r :
		       policy_add_path(policy, plugin, "/", PATH_READ | PATH_OPTIONAL, "step counter");
}

static bool is_allowed(const struct step_facts *facts, const char *path, unsigned rights)
{
	uint32_t rule;

	return !facts->block || (policy_path_rights(facts->block, path, &rule) & rights) == rights;
}

/* A reason why not, NULL = it can. */
static const char *refuse_program(const struct step_facts *facts)
{
	const struct look_facts *program = &facts->program;

	if (program->is_script)
		return "it takes programs, not scripts with a #! line";
	if (!program->is_elf || program->machine != EM_X86_64 || program->bits != 64)
		return "it takes 64-bit x86 programs only";
	if (program->interpreter && program->interpreter->kind == INTERPRETER_SHELL)
		return "a shell starts other programs, which nobody would count";
	if (facts->budget > INT64_MAX && facts->budget != LIMIT_NONE)
		return "the budget is too large";
	return NULL;
}

static int probe_qemu(struct step_host *host, const struct step_facts *facts, char *why, size_t size)
{
	const char *reason = refuse_program(facts);
	char qemu[PATH_MAX], plugin[PATH_MAX];

	(void)host;
	if (find_qemu(qemu) < 0)
		reason = "qemu-x86_64 is not installed (Debian: qemu-user)";
	else if (find_plugin(plugin) < 0)
		reason = "its plugin " PLUGIN " is not installed";
	else if (!reason && !is_allowed(facts, qemu, PATH_READ | PATH_EXEC))
		reason = "the policy does not let qemu-x86_64 be executed";
	else if (!reason && !is_allowed(facts, plugin, PATH_READ))
		reason = "the policy does not let its plugin be read";
	if (!reason)
		return 0;
	snprintf(why, size, "%s", reason);
	return -EOPNOTSUPP;
}

/* qemu cuts its options at commas; a doubled one is a comma. */
static size_t append_value(char *out, size_t size, const char *value)
{
	size_t used = 0;

	for (; *value && used + 2 < size; value++) {
		out[used++] = *value;
		if (*value == ',')
			out[used++] = ',';
	}
	out[used] = 0;
	return used;
}

/* The plugin with its arguments, as one word; malloc'd. */
static char *plugin_word(const struct steps *s, const char *page)
{
	const struct look_facts *program = &s->facts.program;
	size_t size = 4 * PATH_MAX + 128, used;
	char plugin[PATH_MAX], *word = malloc(size);

	if (!word || find_plugin(plugin) < 0)
		return word;
	used = append_value(word, size, plugin);
	used += (size_t)snprintf(word + used, size - used, ",page=");
	used += append_value(word + used, size - used, page);
	used += (size_t)snprintf(word + used, size - used, ",entry=%llu",
				 (unsigned long long)(program->entry - program->text));
	if (s->facts.budget != LIMIT_NONE)
		(void)snprintf(word + used, size - used, ",budget=%llu",
			       (unsigned long long)s->facts.budget);
	return word;
}

static int make_page(struct steps *s, const char *path)
{
	s->fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (s->fd < 0)
		return -errno;
	return ftruncate(s->fd, sizeof(struct qemu_count)) < 0 ? -errno : 0;
}

/* qemu -cpu max -0 NAME -plugin WORD PROGRAM ARGUMENT… */
static int make_list(struct steps *s, const struct step_start *start, char *word)
{
	static char cpu[] = "-cpu", max[] = "max", zero[] = "-0", plugin[] = "-plugin";
	static char name[] = "qemu-x86_64";
	char *const head[] = { name, cpu, max, zero, start->argv[0], plugin, word,
			       (char *)(uintptr_t)start->program };
	size_t count = 0, used = sizeof(head) / sizeof(*head);

	while (start->argv[count])
		count++;
	s->list = calloc(used + count + 2, sizeof(*s->list));
	if (!s->list)
		return -ENOMEM;
	s->list[0] = word; /* owned; what is started begins behind it */
	memcpy(s->list + 1, head, sizeof(head));
	for (size_t i = 1; i < count; i++)
		s->list[used + i] = start->argv[i];
	return 0;
}

static int prepare_qemu(struct steps *s, struct step_start *start)
{
	char page[PATH_MAX], qemu[PATH_MAX];
	char *word;
	int r = find_qemu(qemu);

	snprintf(page, sizeof(page), "%s/" PAGE_NAME, start->folder);
	if (r == 0)
		r = make_page(s, page);
	word = r == 0 ? plugin_word(s, page) : NULL;
	if (r == 0)
		r = word ? make_list(s, start, word) : -ENOMEM;
	if (r < 0) {
		free(word);
		return r;
	}
	s->needs_space = true;
	start->program = strcmp(qemus[0], qemu) == 0 ? qemus[0] : qemus[1];
	start->argv = s->list + 1;
	return 0;
}

/* A fault and a kill leave a block half-way that was counted whole. */
static void doubt_seen(struct steps *s, const struct qemu_count *seen, uint64_t overrun)
{
	struct step_count *count = s->count;
	uint64_t half_way = seen->signals;

	if (seen->signals)
		step_count_doubt(count, "signals");
	if (WIFSIGNALED(s->session->warden.area->wait_status)) {
		step_count_doubt(count, "killed");
		half_way += 1u + seen->threads + seen->forks;
	}
	if (overrun > MOST_THREADS_LATE)
		step_count_doubt(count, "skid");
	if (!count->is_exact)
		count->error_bound = half_way * BLOCK_MAX + overrun;
	if (seen->refused_execs)
		count->warning = "the program wanted to execute another, which qemu-tcg cannot count: refused";
}

static void lose(struct step_count *count, const char *why)
{
	count->counter = "lost";
	step_count_doubt(count, "%s", why);
}

static void take_seen(struct steps *s, struct qemu_count *seen)
{
	struct step_count *count = s->count;
	uint64_t spent = seen->total - seen->startup, overrun = 0;
	bool is_stopped = seen->state == QEMU_COUNT_STOPPED;

	if (seen->startup > seen->total || (is_stopped && spent < s->facts.budget)) {
		lose(count, "the counter's page was damaged");
		return;
	}
	if (s->facts.budget != LIMIT_NONE && spent > s->facts.budget) {
		overrun = spent - s->facts.budget;
		spent = s->facts.budget;
	}
	count->count = count->count_all = spent;
	count->startup_steps = seen->startup;
	count->is_stopped = is_stopped;
	seen->where_module[sizeof(seen->where_module) - 1] = 0;
	count->has_where = is_stopped && seen->where_module[0];
	count->where.offset = seen->where_offset;
	snprintf(count->where.module, sizeof(count->where.module), "%s", seen->where_module);
	doubt_seen(s, seen, overrun);
}

static void read_qemu(struct steps *s)
{
	struct qemu_count seen = { 0 };

	if (s->fd < 0 || pread(s->fd, &seen, sizeof(seen), 0) != sizeof(seen) ||
	    seen.magic != QEMU_COUNT_MAGIC)
		lose(s->count, "qemu did not load the plugin");
	else if (seen.state == QEMU_COUNT_ARMED)
		step_count_doubt(s->count, "the program did not come to its entry point");
	else if (seen.state != QEMU_COUNT_STARTED && seen.state != QEMU_COUNT_STOPPED)
		lose(s->count, "the counter's page was damaged");
	else
		take_seen(s, &seen);
}

static void finish_qemu(struct steps *s)
{
	cleanup_fd(&s->fd);
	s->fd = -1;
	if (s->list)
		free(s->list[0]);
	free(s->list);
	s->list = NULL;
}

const struct step_counter step_counter_qemu = {
	.name = "qemu-tcg",
	.unit = "instructions",
	.family = STEP_UNIT_INSTRUCTIONS,
	.scope = "process",
	.start = "entry",
	.is_exact = true,
	.probe = probe_qemu,
	.prepare = prepare_qemu,
	.read = read_qemu,
	.finish = finish_qemu,
};
