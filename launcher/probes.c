/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The probes' table, their running, and those of what needs neither namespaces nor cgroups.
 *
 * Each act runs in a forked child of the launcher, because a wall once entered cannot be left. It
 * asks the kernel the same thing twice, without and with the wall: an answer that did not change is
 * no proof. It must leave nothing behind outside its own process.
 */
#include "launcher/probes.h"

#include "backends/cleanup.h"
#include "backends/landlock.h"
#include "backends/seccomp.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

int probe_fail(struct finding *f, const char *step)
{
	f->error = errno;
	snprintf(f->step, sizeof(f->step), "%s", step);
	return -f->error;
}

int probe_prove(struct finding *f, const char *format, ...)
{
	va_list list;

	va_start(list, format);
	(void)vsnprintf(f->text, sizeof(f->text), format, list);
	va_end(list);
	f->enforced = true;
	return 0;
}

int probe_disprove(struct finding *f, const char *text)
{
	snprintf(f->text, sizeof(f->text), "%s", text);
	return -EPERM;
}

/* A new program cannot get rights its caller lacks. */
static int probe_no_new_privs(struct finding *f)
{
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return probe_fail(f, "prctl(PR_SET_NO_NEW_PRIVS)");
	if (prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1)
		return probe_disprove(f, "it was set and does not stand");
	if (prctl(PR_SET_NO_NEW_PRIVS, 0, 0, 0, 0) == 0)
		return probe_disprove(f, "it can be taken back");
	return probe_prove(f, "set; taking it back answers %s", strerrorname_np(errno));
}

static bool can_open(const char *path)
{
	_cleanup_fd_ int fd = open(path, O_RDONLY | O_CLOEXEC);

	return fd >= 0;
}

/* A domain that grants one file: the file opens, the root folder no more. */
static int enter_small_domain(struct finding *f)
{
	struct landlock_set set;
	int abi = landlock_abi();
	_cleanup_fd_ int ruleset = -1, granted = open("/dev/null", O_PATH | O_CLOEXEC);
	int r;

	errno = -abi;
	if (abi < 0)
		return probe_fail(f, "landlock_create_ruleset(VERSION)");
	if (granted < 0)
		return probe_fail(f, "opening /dev/null");
	ruleset = landlock_create(abi, NETWORK_NONE, &set);
	errno = -ruleset;
	if (ruleset < 0)
		return probe_fail(f, "landlock_create_ruleset");
	r = landlock_grant(ruleset, &set, granted, PATH_READ);
	errno = -r;
	if (r < 0)
		return probe_fail(f, "landlock_add_rule");
	(void)prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	r = landlock_enter(ruleset);
	errno = -r;
	return r < 0 ? probe_fail(f, "landlock_restrict_self") : 0;
}

static int probe_landlock(struct finding *f)
{
	bool opened = can_open("/");
	int r = enter_small_domain(f);

	if (r < 0)
		return r;
	if (!opened)
		return probe_disprove(f, "/ could not be opened before either");
	if (can_open("/"))
		return probe_disprove(f, "/ can still be opened in the domain");
	if (errno != EACCES)
		return probe_fail(f, "opening / in the domain");
	if (!can_open("/dev/null"))
		return probe_fail(f, "opening the granted /dev/null");
	return probe_prove(f, "opening / answered EACCES in the domain, the granted /dev/null opens");
}

/* An errno that sched_yield() never has. */
#define PROBE_ERRNO EOWNERDEAD

static int enter_small_filter(struct finding *f)
{
	struct sock_filter rows[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_sched_yield, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | PROBE_ERRNO),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct seccomp_program program = { { sizeof(rows) / sizeof(*rows), rows } };
	int r;

	(void)prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	r = seccomp_enter(&program);
	errno = -r;
	return r < 0 ? probe_fail(f, "seccomp(SET_MODE_FILTER)") : 0;
}

/* The filter runs really have must load as well. */
static int enter_own_filter(struct finding *f)
{
	struct seccomp_wish wish = { .network_host = false };
	struct seccomp_program program;
	int r = seccomp_compile(&wish, &program);

	errno = -r;
	if (r < 0)
		return probe_fail(f, "compiling the filter");
	r = seccomp_enter(&program);
	errno = -r;
	return r < 0 ? probe_fail(f, "loading the filter of a run") : 0;
}

static int probe_seccomp(struct finding *f)
{
	bool yielded = sched_yield() == 0;
	int r = enter_small_filter(f);

	if (r == 0 && (sched_yield() == 0 || errno != PROBE_ERRNO))
		return probe_disprove(f, "a refused sched_yield() still succeeds");
	if (r == 0)
		r = enter_own_filter(f);
	if (r < 0)
		return r;
	if (!yielded)
		return probe_disprove(f, "sched_yield() failed without a filter too");
	return probe_prove(f, "a refused sched_yield() answered %s, and the filter of a run loads",
			   strerrorname_np(PROBE_ERRNO));
}

static int set_limit(int which, rlim_t value)
{
	struct rlimit limit = { value, value };

	return setrlimit((__rlimit_resource_t)which, &limit);
}

static bool can_map(size_t size)
{
	void *at = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return at != MAP_FAILED && munmap(at, size) == 0;
}

static int probe_rlimit(struct finding *f)
{
	const size_t much = (size_t)1 << 30;
	bool opened = can_open("/dev/null"), mapped = can_map(much);

	if (set_limit(RLIMIT_NOFILE, 0) < 0)
		return probe_fail(f, "setrlimit(RLIMIT_NOFILE)");
	if (set_limit(RLIMIT_AS, much / 2) < 0)
		return probe_fail(f, "setrlimit(RLIMIT_AS)");
	if (!opened || !mapped)
		return probe_disprove(f, "a file or 1 GiB of addresses could not be had before either");
	if (can_open("/dev/null") || errno != EMFILE)
		return probe_disprove(f, "a file opens past RLIMIT_NOFILE");
	if (can_map(much) || errno != ENOMEM)
		return probe_disprove(f, "memory is mapped past RLIMIT_AS");
	return probe_prove(f, "past the limit open() answered EMFILE and mmap() ENOMEM");
}

const struct probe probes[] = {
	{ "no_new_privs", "set-id programs give no rights", true, probe_no_new_privs },
	{ "landlock", "files, TCP", true, probe_landlock },
	{ "seccomp", "system calls, sockets", true, probe_seccomp },
	{ "namespace user", "the other namespaces without root", false, probe_user },
	{ "namespace pid", "sees and signals only its own", false, probe_pid },
	{ "namespace ipc", "no System V IPC of others", false, probe_ipc },
	{ "namespace uts", "a host name of its own", false, probe_uts },
	{ "namespace mount", "only the policy's paths exist", false, probe_mount },
	{ "namespace network", "no interface but loopback", false, probe_network },
	{ "cgroup memory", "memory of the whole tree", false, probe_cgroup_memory },
	{ "cgroup pids", "number of processes", false, probe_cgroup_pids },
	{ "rlimit", "memory, files, CPU of each process", true, probe_rlimit },
	{ "rlimit processes", "number of processes", false, probe_nproc },
	{ NULL, NULL, false, NULL },
};

int probe_in_child(int (*act)(struct finding *f), struct finding *f)
{
	pid_t pid = fork();
	int status;

	if (pid < 0)
		return -errno;
	if (pid == 0) {
		(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
		_exit(act(f) < 0);
	}
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	return status;
}

void probe_run(const struct probe *probe, struct finding *f)
{
	struct finding *seen = mmap(NULL, sizeof(*seen), PROT_READ | PROT_WRITE,
				    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int status;

	*f = (struct finding){ 0 };
	if (seen == MAP_FAILED) {
		(void)probe_fail(f, "mmap");
		return;
	}
	status = probe_in_child(probe->act, seen);
	*f = *seen;
	errno = -status;
	if (status < 0)
		(void)probe_fail(f, "fork");
	if (status > 0)
		f->enforced = false;
	if (status > 0 && WIFSIGNALED(status))
		snprintf(f->text, sizeof(f->text), "the probe died of signal %d", WTERMSIG(status));
	(void)munmap(seen, sizeof(*seen));
}
