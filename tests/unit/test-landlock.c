/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The Landlock tables against landlock(7), row by row, and a kernel that takes less than its ABI
 * promises: syscall() is wrapped by the linker, and refuses what the fixture says. The last tests ask
 * the real kernel, in a child.
 */
#include "backends/landlock.h"
#include "backends/sys.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/* As landlock(7) numbers them; not taken from the code under test. */
enum { EXECUTE = 1, WRITE_FILE = 2, READ_FILE = 4, READ_DIR = 8, MAKE_CHAR = 64, MAKE_REG = 256,
       MAKE_BLOCK = 2048, TRUNCATE = 1 << 14, IOCTL_DEV = 1 << 15, RESOLVE_UNIX = 1 << 16 };

/* What the wrapped kernel does with a ruleset: 0 refused_fs and refused_error = the real one. */
static struct fake {
	bool is_on;
	uint64_t refused_fs; /* EINVAL when one of these is handled */
	int error;           /* else this errno; 0 = a descriptor */
	unsigned calls;
} fake;

long __real_syscall(long number, ...);
long __wrap_syscall(long number, ...);

static long fake_create(const struct sys_landlock_ruleset *attr)
{
	fake.calls++;
	errno = attr->handled_fs & fake.refused_fs ? EINVAL : fake.error;
	return errno ? -1 : open("/dev/null", O_RDONLY | O_CLOEXEC);
}

/* Landlock's three calls are all that this test makes. */
static int arguments_of(long number)
{
	return number == SYS_landlock_add_rule ? 4 : number == SYS_landlock_create_ruleset ? 3 : 2;
}

long __wrap_syscall(long number, ...)
{
	long a[4] = { 0 };
	va_list list;

	va_start(list, number);
	for (int i = 0; i < arguments_of(number); i++)
		a[i] = va_arg(list, long);
	va_end(list);
	if (fake.is_on && number == SYS_landlock_create_ruleset)
		return fake_create((const void *)(uintptr_t)a[0]);
	return __real_syscall(number, a[0], a[1], a[2], a[3]);
}

static int tear_down(void **state)
{
	(void)state;
	fake = (struct fake){ 0 };
	return 0;
}

static void assert_set(int abi, uint64_t fs, uint64_t net, uint64_t scoped)
{
	struct landlock_set set = landlock_set_for(abi, NETWORK_NONE);

	assert_int_equal(set.fs, fs);
	assert_int_equal(set.net, net);
	assert_int_equal(set.scoped, scoped);
}

static void each_abi_adds_its_rights(void **state)
{
	(void)state;
	assert_set(1, 0x1fff, 0, 0);
	assert_set(2, 0x3fff, 0, 0);
	assert_set(3, 0x7fff, 0, 0);
	assert_set(4, 0x7fff, 3, 0);
	assert_set(5, 0xffff, 3, 0);
	assert_set(6, 0xffff, 3, 3);
	assert_set(7, 0xffff, 3, 3);
	assert_set(8, 0xffff, 3, 3);
	assert_set(9, 0x1ffff, 3, 3);
	assert_set(10, 0x1ffff, 0x1f, 3);
}

static void an_abi_not_known_yet_is_the_newest_known(void **state)
{
	(void)state;
	assert_set(11, 0x1ffff, 0x1f, 3);
	assert_set(1000, 0x1ffff, 0x1f, 3);
	assert_int_equal(landlock_set_for(1000, NETWORK_NONE).abi, LANDLOCK_ABI_KNOWN);
}

static void no_landlock_handles_nothing(void **state)
{
	(void)state;
	assert_set(0, 0, 0, 0);
	assert_set(-ENOSYS, 0, 0, 0);
}

static void network_host_handles_no_network(void **state)
{
	struct landlock_set set = landlock_set_for(10, NETWORK_HOST);

	(void)state;
	assert_int_equal(set.net, 0);
	assert_int_equal(set.fs, 0x1ffff);
}

static void reading_a_folder_is_more_than_reading_a_file(void **state)
{
	struct landlock_set set = landlock_set_for(10, NETWORK_NONE);

	(void)state;
	assert_int_equal(landlock_rights(&set, PATH_READ, true), READ_FILE | READ_DIR);
	assert_int_equal(landlock_rights(&set, PATH_READ, false), READ_FILE);
}

static void executing_is_a_right_of_its_own(void **state)
{
	struct landlock_set set = landlock_set_for(10, NETWORK_NONE);

	(void)state;
	assert_int_equal(landlock_rights(&set, PATH_EXEC, true), EXECUTE);
	assert_int_equal(landlock_rights(&set, PATH_READ | PATH_WRITE, true) & EXECUTE, 0);
}

static void writing_a_file_is_not_making_one(void **state)
{
	struct landlock_set set = landlock_set_for(10, NETWORK_NONE);

	(void)state;
	assert_int_equal(landlock_rights(&set, PATH_WRITE, false),
			 WRITE_FILE | TRUNCATE | IOCTL_DEV | RESOLVE_UNIX);
	assert_int_equal(landlock_rights(&set, PATH_WRITE, true) & MAKE_REG, MAKE_REG);
}

static void nobody_makes_device_files(void **state)
{
	struct landlock_set set = landlock_set_for(10, NETWORK_NONE);

	(void)state;
	assert_int_equal(landlock_rights(&set, PATH_READ | PATH_WRITE | PATH_EXEC, true) &
				 (MAKE_CHAR | MAKE_BLOCK),
			 0);
}

static void rights_stay_below_what_is_handled(void **state)
{
	struct landlock_set old = landlock_set_for(1, NETWORK_NONE);

	(void)state;
	assert_int_equal(landlock_rights(&old, PATH_WRITE, false), WRITE_FILE);
}

static void taking_away_grants_nothing(void **state)
{
	struct landlock_set set = landlock_set_for(10, NETWORK_NONE);

	(void)state;
	assert_int_equal(landlock_rights(&set, PATH_DENY, true), 0);
	assert_int_equal(landlock_rights(&set, PATH_PROTECT | PATH_OPTIONAL, true), 0);
}

static void a_refused_row_is_tried_lower(void **state)
{
	struct landlock_set set;
	int fd;

	(void)state;
	fake = (struct fake){ .is_on = true, .refused_fs = RESOLVE_UNIX };
	fd = landlock_create(10, NETWORK_NONE, &set);
	assert_true(fd >= 0);
	assert_int_equal(close(fd), 0);
	assert_int_equal(set.abi, 8);
	assert_true(set.retried);
	assert_int_equal(set.fs, 0xffff);
	assert_int_equal(fake.calls, 3);
}

static void an_accepted_row_is_not_retried(void **state)
{
	struct landlock_set set;
	int fd;

	(void)state;
	fake = (struct fake){ .is_on = true };
	fd = landlock_create(12, NETWORK_NONE, &set);
	assert_true(fd >= 0);
	assert_int_equal(close(fd), 0);
	assert_int_equal(set.abi, LANDLOCK_ABI_KNOWN);
	assert_false(set.retried);
	assert_int_equal(fake.calls, 1);
}

static void a_kernel_that_takes_no_row_is_an_error(void **state)
{
	struct landlock_set set;

	(void)state;
	fake = (struct fake){ .is_on = true, .refused_fs = ~(uint64_t)0 };
	assert_int_equal(landlock_create(3, NETWORK_NONE, &set), -EINVAL);
	assert_int_equal(fake.calls, 3);
}

static void another_error_ends_the_search(void **state)
{
	struct landlock_set set;

	(void)state;
	fake = (struct fake){ .is_on = true, .error = EOPNOTSUPP };
	assert_int_equal(landlock_create(10, NETWORK_NONE, &set), -EOPNOTSUPP);
	assert_int_equal(fake.calls, 1);
}

static void the_cause_of_no_landlock_is_kept(void **state)
{
	(void)state;
	fake = (struct fake){ .is_on = true, .error = ENOSYS };
	assert_int_equal(landlock_create_signal_scope(6), -ENOSYS);
	assert_int_equal(landlock_create_signal_scope(5), -EOPNOTSUPP);
}

/* In a child that may only read /usr: errno of opening `path`, 0 = opened, 255 = not walled in. */
static int open_behind_wall(const char *path, int flags)
{
	struct landlock_set set;
	int status, usr, ruleset;
	pid_t pid = fork();

	if (pid == 0) {
		usr = open("/usr", O_PATH | O_CLOEXEC);
		ruleset = landlock_create(landlock_abi(), NETWORK_NONE, &set);
		if (landlock_grant(ruleset, &set, usr, PATH_READ) < 0 ||
		    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 || landlock_enter(ruleset) < 0)
			_exit(255);
		_exit(open(path, flags) < 0 ? errno : 0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WEXITSTATUS(status);
}

static void the_kernel_holds_what_was_granted(void **state)
{
	(void)state;
	if (landlock_abi() < 0)
		skip();
	assert_int_equal(open_behind_wall("/usr", O_RDONLY | O_DIRECTORY), 0);
	assert_int_equal(open_behind_wall("/etc/passwd", O_RDONLY), EACCES);
	assert_int_equal(open_behind_wall("/dev/null", O_WRONLY), EACCES);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_abi_adds_its_rights),
		cmocka_unit_test(an_abi_not_known_yet_is_the_newest_known),
		cmocka_unit_test(no_landlock_handles_nothing),
		cmocka_unit_test(network_host_handles_no_network),
		cmocka_unit_test(reading_a_folder_is_more_than_reading_a_file),
		cmocka_unit_test(executing_is_a_right_of_its_own),
		cmocka_unit_test(writing_a_file_is_not_making_one),
		cmocka_unit_test(nobody_makes_device_files),
		cmocka_unit_test(rights_stay_below_what_is_handled),
		cmocka_unit_test(taking_away_grants_nothing),
		cmocka_unit_test_teardown(a_refused_row_is_tried_lower, tear_down),
		cmocka_unit_test_teardown(an_accepted_row_is_not_retried, tear_down),
		cmocka_unit_test_teardown(a_kernel_that_takes_no_row_is_an_error, tear_down),
		cmocka_unit_test_teardown(another_error_ends_the_search, tear_down),
		cmocka_unit_test_teardown(the_cause_of_no_landlock_is_kept, tear_down),
		cmocka_unit_test(the_kernel_holds_what_was_granted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
