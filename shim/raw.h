/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The shim's own system calls, without libc: libc's wrappers may be hooked (by us, or by
 * others loaded beside us), set errno, or be points of cancellation. Everything here
 * returns the kernel's word: a result, or -errno; errno itself is never touched.
 */
#pragma once

#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>

#if defined(__x86_64__)
static inline long raw_call(long nr, long a, long b, long c, long d, long e, long f)
{
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(nr), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return result;
}
#elif defined(__aarch64__)
static inline long raw_call(long nr, long a, long b, long c, long d, long e, long f)
{
	register long x8 __asm__("x8") = nr;
	register long x0 __asm__("x0") = a;
	register long x1 __asm__("x1") = b;
	register long x2 __asm__("x2") = c;
	register long x3 __asm__("x3") = d;
	register long x4 __asm__("x4") = e;
	register long x5 __asm__("x5") = f;

	__asm__ volatile("svc 0"
			 : "+r"(x0)
			 : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
			 : "memory");
	return x0;
}
#else
#error "no raw system calls for this machine: configure leaves the shim out"
#endif

static inline long raw_call4(long nr, long a, long b, long c, long d)
{
	return raw_call(nr, a, b, c, d, 0, 0);
}

/* A descriptor or -errno; O_CLOEXEC is added. */
static inline int raw_open(int dir, const char *path, int flags)
{
	return (int)raw_call4(SYS_openat, dir, (long)path, flags | O_CLOEXEC, 0);
}

static inline void raw_close(int fd)
{
	(void)raw_call4(SYS_close, fd, 0, 0, 0);
}

/* Bytes written to out[size], not terminated, or -errno. */
static inline long raw_readlink(int dir, const char *path, char *out, size_t size)
{
	return raw_call4(SYS_readlinkat, dir, (long)path, (long)out, (long)size);
}

/* Bytes with the NUL, or -errno. */
static inline long raw_getcwd(char *out, size_t size)
{
	return raw_call4(SYS_getcwd, (long)out, (long)size, 0, 0);
}

static inline int raw_access(int dir, const char *path, int mode)
{
	return (int)raw_call4(SYS_faccessat, dir, (long)path, mode, 0);
}

static inline int raw_getpid(void)
{
	return (int)raw_call4(SYS_getpid, 0, 0, 0, 0);
}

static inline int raw_gettid(void)
{
	return (int)raw_call4(SYS_gettid, 0, 0, 0, 0);
}

static inline bool raw_is_error(long result)
{
	return (unsigned long)result > -4096ul;
}

/* NULL = failed. */
static inline void *raw_mmap(size_t size, int protection, int flags, int fd)
{
	long at = raw_call(SYS_mmap, 0, (long)size, protection, flags, fd, 0);

	return raw_is_error(at) ? NULL : (void *)at;
}

/*
 * Can 8 bytes be read here? A pointer of the program's may lead nowhere, and then the
 * program must get EFAULT, not a crash in us. The kernel copies the set before it looks
 * at the nonsense `how`.
 */
static inline bool raw_is_readable(const void *at)
{
	return raw_call4(SYS_rt_sigprocmask, -1, (long)at, 0, 8) != -14 /* EFAULT */;
}
