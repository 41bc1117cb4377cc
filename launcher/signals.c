/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Which signals stile hears, in one place: during a run they go to the program, between the runs of a
 * session they close it. Runs in the launcher; the warden and programs start with none blocked.
 */
#include "launcher/signals.h"

#include <errno.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

int signals_open(void)
{
	const int heard[] = { SIGINT,  SIGTERM,	 SIGHUP,  SIGQUIT, SIGTSTP,
			      SIGCONT, SIGWINCH, SIGUSR1, SIGUSR2, SIGNAL_PARENT_GONE };
	sigset_t set;
	int fd;

	sigemptyset(&set);
	for (size_t i = 0; i < sizeof(heard) / sizeof(*heard); i++)
		sigaddset(&set, heard[i]);
	if (sigprocmask(SIG_BLOCK, &set, NULL) < 0)
		return -errno;
	fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return fd < 0 ? -errno : fd;
}

int signals_next(int fd)
{
	struct signalfd_siginfo info;

	return read(fd, &info, sizeof(info)) == sizeof(info) ? (int)info.ssi_signo : 0;
}

int signals_ends(int signal)
{
	return signal == SIGINT || signal == SIGTERM || signal == SIGHUP ||
	       signal == SIGNAL_PARENT_GONE;
}
