/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The processes of the run as the shim sees them: who it is now, and the ring's table of who has the shim.
 * A program about to be run is entered before it is; where its row stays so, the shim was not in it, and
 * the launcher says so.
 *
 * Runs inside the program, after vfork too. A row is a process's by its number; a number used again takes
 * over the row.
 */
#include "shim/shim.h"

#include "shim/raw.h"

#include <string.h>
#include <sys/mman.h>

#define PROBES_MAX 32

/* What is true of one process only: a page that the kernel empties in a child of fork. */
struct self {
	_Atomic uint32_t pid;
};
static struct self *_Atomic self;

/* Of this thread, as long as the process is the same. */
static __thread struct {
	uint32_t pid, tid;
} thread;

/* Made on first need: most programs are never asked who they are. NULL = not to be had. */
static struct self *find_self(void)
{
	struct self *page = atomic_load_explicit(&self, memory_order_acquire), *other = NULL;

	if (page)
		return page;
	page = raw_mmap(RING_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	if (!page || raw_call4(SYS_madvise, (long)page, RING_PAGE, MADV_WIPEONFORK, 0) < 0)
		return NULL;
	if (atomic_compare_exchange_strong(&self, &other, page))
		return page;
	(void)raw_call4(SYS_munmap, (long)page, RING_PAGE, 0, 0);
	return other;
}

uint32_t shim_pid(void)
{
	struct self *own = find_self();
	uint32_t pid = own ? own->pid : 0;

	if (pid)
		return pid;
	pid = (uint32_t)raw_getpid();
	if (own)
		own->pid = pid;
	return pid;
}

uint32_t shim_tid(void)
{
	uint32_t pid = shim_pid();

	if (thread.pid == pid)
		return thread.tid;
	thread.tid = (uint32_t)raw_gettid();
	thread.pid = pid;
	return thread.tid;
}

/* The row of this process, a free one when it has none. NULL = no room. */
static struct ring_process *find_row(uint32_t pid)
{
	struct ring_process *rows = (void *)((char *)shim.ring + RING_AT_PROCESSES);

	for (unsigned i = 0; i < PROBES_MAX; i++) {
		struct ring_process *row = &rows[(pid + i) % RING_PROCESSES];
		uint32_t owner = __atomic_load_n(&row->pid, __ATOMIC_RELAXED);

		if (owner == pid)
			return row;
		if (!owner && __atomic_compare_exchange_n(&row->pid, &owner, pid, false, __ATOMIC_ACQ_REL,
							  __ATOMIC_RELAXED))
			return row;
	}
	shim.ring->processes_lost++;
	return NULL;
}

static void enter(struct ring_process *row, const char *exe, size_t length, uint32_t state)
{
	struct timespec t = { 0, 0 };

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	atomic_store(&row->state, RING_FREE);
	row->parent = (uint32_t)raw_call4(SYS_getppid, 0, 0, 0, 0);
	row->at_ns = (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
	length = length < sizeof(row->exe) ? length : sizeof(row->exe) - 1;
	memcpy(row->exe, exe, length);
	row->exe[length] = '\0';
	atomic_store_explicit(&row->state, state, memory_order_release);
}

void shim_tell_attached(void)
{
	struct ring_process *row = find_row((uint32_t)raw_getpid());
	char exe[RING_TARGET_MAX];
	long length = raw_readlink(AT_FDCWD, "/proc/self/exe", exe, sizeof(exe));

	if (row)
		enter(row, exe, length > 0 ? (size_t)length : 0, RING_ATTACHED);
}

/* After vfork the memory, and the number in it, are the parent's: the kernel is asked. */
struct ring_process *shim_tell_exec(const char *exe)
{
	struct ring_process *row;

	if (!shim_is_attached())
		return NULL;
	row = find_row((uint32_t)raw_getpid());
	if (row)
		enter(row, exe, strlen(exe), RING_EXEC);
	return row;
}

void shim_tell_exec_failed(struct ring_process *process)
{
	if (process)
		atomic_store_explicit(&process->state, RING_EXEC_FAILED, memory_order_release);
}
