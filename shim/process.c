/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The processes of the run as the shim sees them: who it is now, and the ring's table of
 * who has the shim. A program about to be run is entered before it is; where its row
 * stays so, the shim was not in it, and the launcher says so.
 *
 * Runs inside the program, after vfork too. A row is a process's by its number; a number
 * used again takes over the row.
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

/* Made on first need: most programs are never asked who they are. NULL = not to be had.
 */
static struct self *find_self(void)
{
	struct self *page = atomic_load_explicit(&self, memory_order_acquire),
		    *other = NULL;

	if (page)
		return page;
	page = raw_mmap(RING_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			-1);
	if (!page ||
	    raw_call4(SYS_madvise, (long)page, RING_PAGE, MADV_WIPEONFORK, 0) < 0)
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

static struct ring_process *row_at(uint32_t pid, unsigned probe)
{
	struct ring_process *rows = (void *)((char *)shim.ring + RING_AT_PROCESSES);

	return &rows[(pid + probe) % RING_PROCESSES];
}

static struct ring_process *find_own(uint32_t pid)
{
	for (unsigned i = 0; i < PROBES_MAX; i++)
		if (__atomic_load_n(&row_at(pid, i)->pid, __ATOMIC_RELAXED) == pid)
			return row_at(pid, i);
	return NULL;
}

/* Nobody's, or of an exec that failed: its process has a row of its own, or is gone. */
static struct ring_process *claim_row(uint32_t pid)
{
	for (unsigned i = 0; i < PROBES_MAX; i++) {
		struct ring_process *row = row_at(pid, i);
		uint32_t owner = __atomic_load_n(&row->pid, __ATOMIC_RELAXED);

		if (owner && atomic_load(&row->state) != RING_EXEC_FAILED)
			continue;
		if (__atomic_compare_exchange_n(&row->pid, &owner, pid, false,
						__ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
			return row;
	}
	return NULL;
}

/* The row of this process, a new one when it has none. NULL = no room. */
static struct ring_process *find_row(uint32_t pid)
{
	struct ring_process *row = find_own(pid);

	row = row ? row : claim_row(pid);
	if (!row)
		shim.ring->processes_lost++;
	return row;
}

/* All but the state. */
static void fill(struct ring_process *row, uint32_t parent, const char *exe,
		 size_t length)
{
	struct timespec t = { 0, 0 };

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	row->parent = parent;
	row->at_ns = (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
	length = length < sizeof(row->exe) ? length : sizeof(row->exe) - 1;
	memcpy(row->exe, exe, length);
	row->exe[length] = '\0';
}

static void enter(struct ring_process *row, const char *exe, size_t length,
		  uint32_t state)
{
	atomic_store(&row->state, RING_FREE);
	fill(row, (uint32_t)raw_call4(SYS_getppid, 0, 0, 0, 0), exe, length);
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

/* The child may have come here itself in the meantime: then its word stands. */
void shim_tell_spawned(int pid, const char *exe)
{
	uint32_t free_state = RING_FREE;
	struct ring_process *row;

	if (!shim_is_attached() || pid <= 0 || find_own((uint32_t)pid))
		return;
	row = claim_row((uint32_t)pid);
	if (!row)
		return;
	if (row->state == RING_EXEC_FAILED)
		atomic_store(&row->state, RING_FREE);
	if (row->state == RING_FREE)
		fill(row, shim_pid(), exe, strlen(exe));
	(void)atomic_compare_exchange_strong(&row->state, &free_state, RING_EXEC);
}

void shim_tell_exec_failed(struct ring_process *process)
{
	if (process)
		atomic_store_explicit(&process->state, RING_EXEC_FAILED,
				      memory_order_release);
}
