/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Session folders, run folders and the sweep, each test under a temporary folder of its own (TMPDIR).
 * What needs a second user runs as root only, in a child that becomes that user.
 */
#include "launcher/owner.h"
#include "launcher/session_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

enum { NOBODY = 65534, OTHER_USER = 65533, SESSIONS = 64, DAY = 24 * 3600 };

static int set_up(void **state)
{
	char *path = strdup("/tmp/test session-XXXXXX");

	assert_non_null(mkdtemp(path));
	assert_int_equal(setenv("TMPDIR", path, 1), 0);
	*state = path;
	return 0;
}

static int tear_down(void **state)
{
	char command[96];
	int r;

	(void)snprintf(command, sizeof(command), "rm -rf '%s'", (char *)*state);
	r = system(command);
	free(*state);
	return r;
}

static char *path_in(void **state, const char *name, char out[256])
{
	(void)snprintf(out, 256, "%s/%s", (char *)*state, name);
	return out;
}

static bool exists(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0;
}

static mode_t mode_of(const char *path)
{
	struct stat st;

	assert_int_equal(lstat(path, &st), 0);
	return st.st_mode & 07777;
}

static int count_entries(const char *path)
{
	DIR *d = opendir(path);
	int count = -2;

	assert_non_null(d);
	while (readdir(d))
		count++;
	assert_int_equal(closedir(d), 0);
	return count;
}

static void open_session(struct session_folder *s, const char *label)
{
	struct folder_error err;

	if (session_folder_open(s, label, "native", &err) < 0)
		fail_msg("%s", err.text);
}

/* A folder in the base as a process that ended would leave it; `o` NULL = without a record. */
static void plant_session(void **state, const char *name, const struct owner *o)
{
	char path[256];
	int fd;

	(void)mkdir(path_in(state, "pdlt-sandboxes", path), 0700);
	(void)snprintf(path, sizeof(path), "%s/pdlt-sandboxes/%s", (char *)*state, name);
	assert_int_equal(mkdir(path, 0700), 0);
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_int_equal(mkdirat(fd, "work", 0700), 0);
	assert_int_equal(mkdirat(fd, "work/run-0001-abcdef", 0), 0);
	if (o)
		assert_int_equal(owner_write(fd, o), 0);
	assert_int_equal(close(fd), 0);
}

static struct owner dead_owner(void)
{
	struct owner o;

	owner_fill(&o, "native", NULL);
	o.start_time--;
	return o;
}

static void age(void **state, const char *name, time_t seconds)
{
	struct timespec times[2] = { { .tv_sec = time(NULL) - seconds },
				     { .tv_sec = time(NULL) - seconds } };
	char path[256];

	(void)snprintf(path, sizeof(path), "%s/pdlt-sandboxes/%s", (char *)*state, name);
	assert_int_equal(utimensat(AT_FDCWD, path, times, AT_SYMLINK_NOFOLLOW), 0);
}

static bool is_planted(void **state, const char *name)
{
	char path[256];

	(void)snprintf(path, sizeof(path), "%s/pdlt-sandboxes/%s", (char *)*state, name);
	return exists(path);
}

static int sweep(void)
{
	struct folder_error err;

	return session_sweep(NULL, NULL, &err);
}

static void assert_refused(const char *first, const char *second)
{
	struct session_folder s;
	struct folder_error err;

	assert_true(session_folder_open(&s, NULL, "native", &err) < 0);
	assert_non_null(strstr(err.text, first));
	assert_non_null(strstr(err.text, second));
	session_folder_close(&s);
}

/* --- sessions --- */

static void a_session_has_a_private_folder_with_record_and_work(void **state)
{
	struct session_folder s;
	struct owner o;
	char path[512];

	(void)state;
	open_session(&s, "demo");
	assert_int_equal(mode_of(s.path), 0700);
	(void)snprintf(path, sizeof(path), "%s/work", s.path);
	assert_int_equal(mode_of(path), 0700);
	assert_int_equal(owner_read(s.fd, &o), 0);
	assert_int_equal(o.pid, getpid());
	assert_int_equal(owner_judge(&o), OWNER_ALIVE);
	assert_int_equal(count_entries(s.path), 2);
	session_folder_close(&s);
}

static void closing_removes_everything_and_can_be_repeated(void **state)
{
	struct session_folder s;
	struct run_folder r;
	struct folder_error err;
	char base[256];

	open_session(&s, NULL);
	assert_int_equal(run_folder_make(&s, &r, &err), 0);
	free(r.path);
	assert_int_equal(close(r.fd), 0);
	session_folder_close(&s);
	session_folder_close(&s);
	assert_int_equal(count_entries(path_in(state, "pdlt-sandboxes", base)), 0);
}

static void a_closed_session_can_be_opened_again(void **state)
{
	struct session_folder s;

	(void)state;
	open_session(&s, "a");
	session_folder_close(&s);
	open_session(&s, "a");
	assert_true(exists(s.path));
	session_folder_close(&s);
}

static void the_label_is_cleaned(void **state)
{
	struct session_folder s;

	(void)state;
	open_session(&s, "../My LABEL/that is too long");
	assert_memory_equal(s.sid, "my-label-that-is-", 17);
	assert_int_equal(strlen(s.sid), 33);
	session_folder_close(&s);
}

static void a_label_of_nothing_usable_is_no_label(void **state)
{
	struct session_folder s;

	(void)state;
	open_session(&s, "-/\xc3\xa9");
	assert_memory_equal(s.sid, "s-", 2);
	session_folder_close(&s);
}

static void sixty_four_sessions_of_one_label_do_not_collide(void **state)
{
	static struct session_folder s[SESSIONS];
	char base[256];

	for (int i = 0; i < SESSIONS; i++)
		open_session(&s[i], "same");
	assert_int_equal(count_entries(path_in(state, "pdlt-sandboxes", base)), SESSIONS);
	for (int i = 0; i < SESSIONS; i++)
		session_folder_close(&s[i]);
	assert_int_equal(count_entries(base), 0);
}

static int open_and_close_many(void)
{
	struct session_folder s;
	struct folder_error err;

	for (int i = 0; i < 20; i++) {
		if (session_folder_open(&s, "same", "native", &err) < 0)
			return 1;
		if (!exists(s.path))
			return 2;
		session_folder_close(&s);
	}
	return 0;
}

static void sessions_opened_at_once_do_not_interfere(void **state)
{
	char base[256];
	int status, failures = 0;

	for (int i = 0; i < 16; i++) {
		if (fork() == 0)
			_exit(open_and_close_many());
	}
	while (wait(&status) > 0)
		failures += status != 0;
	assert_int_equal(failures, 0);
	assert_int_equal(count_entries(path_in(state, "pdlt-sandboxes", base)), 0);
}

static void a_strange_umask_changes_nothing(void **state)
{
	struct session_folder s;
	struct run_folder r;
	struct folder_error err;
	mode_t before = umask(0777);
	char path[512];

	(void)state;
	open_session(&s, NULL);
	int made = run_folder_make(&s, &r, &err);
	(void)umask(before);
	assert_int_equal(made, 0);
	assert_int_equal(mode_of(s.path), 0700);
	assert_int_equal(mode_of(r.path), 0700);
	(void)snprintf(path, sizeof(path), "%s/tmp", r.path);
	assert_int_equal(mode_of(path), 0700);
	run_folder_remove(&s, &r, &err);
	session_folder_close(&s);
}

/* --- the base and the temporary folder --- */

static void a_missing_temporary_folder_is_one_error_that_names_it(void **state)
{
	char path[256];

	assert_int_equal(setenv("TMPDIR", path_in(state, "not here", path), 1), 0);
	assert_refused("not here'", "No such file");
}

static void a_file_for_a_temporary_folder_is_an_error(void **state)
{
	char path[256];

	assert_int_equal(close(creat(path_in(state, "file", path), 0600)), 0);
	assert_int_equal(setenv("TMPDIR", path, 1), 0);
	assert_refused("file'", "Not a directory");
}

static void a_world_writable_temporary_folder_without_sticky_bit_is_refused(void **state)
{
	assert_int_equal(chmod(*state, 0777), 0);
	assert_refused(*state, "sticky");
}

static void a_world_writable_temporary_folder_with_sticky_bit_is_fine(void **state)
{
	struct session_folder s;

	assert_int_equal(chmod(*state, 01777), 0);
	open_session(&s, NULL);
	session_folder_close(&s);
}

static void a_temporary_folder_behind_a_symlink_is_resolved(void **state)
{
	struct session_folder s;
	char real[256], link[256];

	assert_int_equal(mkdir(path_in(state, "real", real), 0700), 0);
	assert_int_equal(symlink("real", path_in(state, "link", link)), 0);
	assert_int_equal(setenv("TMPDIR", link, 1), 0);
	open_session(&s, NULL);
	assert_memory_equal(s.path, real, strlen(real));
	session_folder_close(&s);
}

static void a_symlink_for_a_base_is_refused_with_its_name(void **state)
{
	char path[256], outside[256];

	assert_int_equal(mkdir(path_in(state, "outside", outside), 0700), 0);
	assert_int_equal(symlink("outside", path_in(state, "pdlt-sandboxes", path)), 0);
	assert_refused(path, "symlink");
	assert_int_equal(count_entries(outside), 0);
}

static void a_file_for_a_base_is_refused_with_its_name(void **state)
{
	char path[256];

	assert_int_equal(close(creat(path_in(state, "pdlt-sandboxes", path), 0600)), 0);
	assert_refused(path, "no folder");
}

static void a_base_of_ours_that_others_can_write_is_closed_to_them(void **state)
{
	struct session_folder s;
	char path[256];

	assert_int_equal(mkdir(path_in(state, "pdlt-sandboxes", path), 0700), 0);
	assert_int_equal(chmod(path, 0777), 0);
	open_session(&s, NULL);
	assert_int_equal(mode_of(path), 0700);
	session_folder_close(&s);
}

/* In a child as that user: 0 when a session opened under a path that holds `expected`. */
static int open_as(uid_t uid, const char *expected)
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		struct session_folder s;
		struct folder_error err;

		if (setuid(uid) < 0)
			_exit(100);
		if (session_folder_open(&s, NULL, "native", &err) < 0)
			_exit(strstr(err.text, expected) ? 10 : 11);
		_exit(strstr(s.path, expected) ? 0 : 2);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void roots_base_serves_all_users(void **state)
{
	struct session_folder s;
	char path[256];

	if (geteuid() != 0)
		skip();
	assert_int_equal(chmod(*state, 01777), 0);
	open_session(&s, NULL);
	assert_int_equal(mode_of(path_in(state, "pdlt-sandboxes", path)), 01777);
	assert_int_equal(open_as(NOBODY, "/pdlt-sandboxes/"), 0);
	assert_int_equal(open_as(OTHER_USER, "/pdlt-sandboxes/"), 0);
	session_folder_close(&s);
}

static void a_user_whose_name_is_taken_gets_a_base_of_his_own(void **state)
{
	if (geteuid() != 0)
		skip();
	assert_int_equal(chmod(*state, 01777), 0);
	assert_int_equal(open_as(OTHER_USER, "/pdlt-sandboxes/"), 0);
	assert_int_equal(open_as(NOBODY, "/pdlt-sandboxes-65534/"), 0);
}

static void a_sticky_base_of_an_ordinary_user_is_not_trusted(void **state)
{
	char path[256];

	if (geteuid() != 0)
		skip();
	assert_int_equal(chmod(*state, 01777), 0);
	assert_int_equal(mkdir(path_in(state, "pdlt-sandboxes", path), 0700), 0);
	assert_int_equal(chown(path, OTHER_USER, OTHER_USER), 0);
	assert_int_equal(chmod(path, 01777), 0);
	assert_int_equal(open_as(NOBODY, "/pdlt-sandboxes-65534/"), 0);
}

static void when_both_names_are_taken_the_base_is_refused_with_its_owner(void **state)
{
	char path[256];

	if (geteuid() != 0)
		skip();
	assert_int_equal(chmod(*state, 01777), 0);
	assert_int_equal(open_as(OTHER_USER, "/pdlt-sandboxes/"), 0);
	assert_int_equal(mkdir(path_in(state, "pdlt-sandboxes-65534", path), 0700), 0);
	assert_int_equal(chown(path, OTHER_USER, OTHER_USER), 0);
	assert_int_equal(open_as(NOBODY, "pdlt-sandboxes-65534' is refused: it belongs to user 65533"),
			 10);
}

static void an_unwritable_temporary_folder_is_one_error_that_names_it(void **state)
{
	if (geteuid() != 0)
		skip();
	assert_int_equal(chmod(*state, 0755), 0);
	assert_int_equal(open_as(NOBODY, *state), 10);
}

/* --- run folders --- */

static void a_run_folder_has_a_name_a_tmp_and_a_path(void **state)
{
	struct session_folder s;
	struct run_folder r;
	struct folder_error err;
	char path[512];

	(void)state;
	open_session(&s, NULL);
	assert_int_equal(run_folder_make(&s, &r, &err), 0);
	assert_memory_equal(r.name, "run-0001-", 9);
	assert_int_equal(strlen(r.name), 15);
	assert_int_equal(mode_of(r.path), 0700);
	(void)snprintf(path, sizeof(path), "%s/work/%s", s.path, r.name);
	assert_string_equal(r.path, path);
	assert_int_equal(faccessat(r.fd, "tmp", F_OK, 0), 0);
	run_folder_remove(&s, &r, &err);
	assert_int_equal(run_folder_make(&s, &r, &err), 0);
	assert_memory_equal(r.name, "run-0002-", 9);
	run_folder_remove(&s, &r, &err);
	session_folder_close(&s);
}

static void removing_a_run_folder_empties_all_of_work(void **state)
{
	struct session_folder s;
	struct run_folder r;
	struct folder_error err;
	char path[512];

	(void)state;
	open_session(&s, NULL);
	assert_int_equal(run_folder_make(&s, &r, &err), 0);
	assert_int_equal(mkdirat(s.work_fd, "stray", 0), 0);
	assert_int_equal(symlinkat("/", r.fd, "slash"), 0);
	run_folder_remove(&s, &r, &err);
	assert_string_equal(err.text, "");
	assert_false(s.poisoned);
	assert_int_equal(r.fd, -1);
	(void)snprintf(path, sizeof(path), "%s/work", s.path);
	assert_int_equal(count_entries(path), 0);
	session_folder_close(&s);
}

static int set_flags(int dir, const char *name, int flags)
{
	int fd = openat(dir, name, O_RDONLY | O_CLOEXEC);
	int r = ioctl(fd, FS_IOC_SETFLAGS, &flags);

	(void)close(fd);
	return r;
}

static void what_resists_poisons_the_session(void **state)
{
	struct session_folder s;
	struct run_folder r, next;
	struct folder_error err, refused;
	char rock[64];

	(void)state;
	open_session(&s, NULL);
	assert_int_equal(run_folder_make(&s, &r, &err), 0);
	(void)snprintf(rock, sizeof(rock), "%s/rock", r.name);
	assert_int_equal(close(openat(s.work_fd, rock, O_CREAT | O_WRONLY, 0600)), 0);
	if (set_flags(s.work_fd, rock, FS_IMMUTABLE_FL) < 0)
		skip();
	run_folder_remove(&s, &r, &err);
	int made = run_folder_make(&s, &next, &refused);
	assert_int_equal(set_flags(s.work_fd, rock, 0), 0);
	assert_true(s.poisoned);
	assert_non_null(strstr(err.text, "'rock'"));
	assert_int_equal(made, -EUCLEAN);
	assert_non_null(strstr(refused.text, "unusable"));
	session_folder_close(&s);
}

/* --- the sweep --- */

static void a_dead_session_is_removed(void **state)
{
	struct owner o = dead_owner();

	plant_session(state, "dead-1", &o);
	assert_int_equal(sweep(), 1);
	assert_false(is_planted(state, "dead-1"));
}

static void opening_a_session_sweeps(void **state)
{
	struct owner o = dead_owner();
	struct session_folder s;

	plant_session(state, "dead-1", &o);
	open_session(&s, NULL);
	assert_false(is_planted(state, "dead-1"));
	session_folder_close(&s);
}

static void a_session_whose_launcher_was_killed_is_removed(void **state)
{
	struct session_folder s;
	pid_t pid = fork();
	char base[256];

	if (pid == 0) {
		open_session(&s, "killed");
		(void)raise(SIGKILL);
	}
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_int_equal(count_entries(path_in(state, "pdlt-sandboxes", base)), 1);
	assert_int_equal(sweep(), 1);
	assert_int_equal(count_entries(base), 0);
}

static void living_and_foreign_sessions_are_kept(void **state)
{
	struct owner alive, foreign = dead_owner();

	owner_fill(&alive, "native", NULL);
	(void)snprintf(foreign.host, sizeof(foreign.host), "elsewhere.invalid");
	plant_session(state, "alive-1", &alive);
	plant_session(state, "foreign-1", &foreign);
	age(state, "alive-1", 30 * DAY);
	age(state, "foreign-1", 30 * DAY);
	assert_int_equal(sweep(), 0);
	assert_true(is_planted(state, "alive-1"));
	assert_true(is_planted(state, "foreign-1"));
}

static void an_unreadable_record_is_kept_for_a_day(void **state)
{
	plant_session(state, "young-1", NULL);
	plant_session(state, ".new-young-2", NULL);
	plant_session(state, "old-1", NULL);
	plant_session(state, ".new-old-2", NULL);
	age(state, "young-1", DAY - 60);
	age(state, "old-1", DAY + 60);
	age(state, ".new-old-2", DAY + 60);
	assert_int_equal(sweep(), 2);
	assert_true(is_planted(state, "young-1"));
	assert_true(is_planted(state, ".new-young-2"));
	assert_false(is_planted(state, "old-1"));
	assert_false(is_planted(state, ".new-old-2"));
}

static void a_session_in_use_is_kept_although_its_record_says_dead(void **state)
{
	struct owner o = dead_owner();
	struct session_folder s;
	int fd;

	(void)state;
	open_session(&s, NULL);
	fd = openat(s.fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_int_equal(owner_write(fd, &o), 0);
	assert_int_equal(close(fd), 0);
	assert_int_equal(sweep(), 0);
	assert_true(exists(s.path));
	session_folder_close(&s);
}

static void symlinks_and_files_in_the_base_are_ignored(void **state)
{
	struct owner o = dead_owner();
	char outside[256], link[256], file[256];

	plant_session(state, "dead-1", &o);
	assert_int_equal(mkdir(path_in(state, "outside", outside), 0700), 0);
	assert_int_equal(symlink("../outside", path_in(state, "pdlt-sandboxes/link-1", link)), 0);
	assert_int_equal(close(creat(path_in(state, "pdlt-sandboxes/file", file), 0600)), 0);
	assert_int_equal(sweep(), 1);
	assert_true(exists(outside));
	assert_true(exists(link));
	assert_true(exists(file));
}

static void a_record_that_is_a_symlink_is_unreadable(void **state)
{
	struct owner o = dead_owner();
	char record[256], real[256];

	plant_session(state, "odd-1", &o);
	assert_int_equal(rename(path_in(state, "pdlt-sandboxes/odd-1/owner.json", record),
				path_in(state, "pdlt-sandboxes/odd-1/real", real)),
			 0);
	assert_int_equal(symlink("real", record), 0);
	assert_int_equal(sweep(), 0);
	assert_true(is_planted(state, "odd-1"));
}

static void other_users_folders_are_ignored(void **state)
{
	struct owner o = dead_owner();
	char path[256];

	if (geteuid() != 0)
		skip();
	plant_session(state, "theirs-1", &o);
	assert_int_equal(chown(path_in(state, "pdlt-sandboxes/theirs-1", path), NOBODY, NOBODY), 0);
	assert_int_equal(sweep(), 0);
	assert_true(is_planted(state, "theirs-1"));
}

static void two_sweeps_at_once_are_harmless(void **state)
{
	struct owner o = dead_owner();
	int status, failures = 0;
	char name[32], base[256];

	for (int i = 0; i < 100; i++) {
		(void)snprintf(name, sizeof(name), "dead-%d", i);
		plant_session(state, name, &o);
	}
	for (int i = 0; i < 4; i++) {
		if (fork() == 0)
			_exit(sweep() < 0);
	}
	while (wait(&status) > 0)
		failures += status != 0;
	assert_int_equal(failures, 0);
	(void)sweep();
	assert_int_equal(count_entries(path_in(state, "pdlt-sandboxes", base)), 0);
}

struct told {
	int removed, kept, failed;
	char why[128];
};

static void remember(void *ctx, const char *name, enum sweep_what what, const char *why)
{
	struct told *told = ctx;

	(void)name;
	told->removed += what == SWEEP_REMOVED;
	told->kept += what == SWEEP_KEPT;
	told->failed += what == SWEEP_FAILED;
	(void)snprintf(told->why, sizeof(told->why), "%s", why);
}

static void the_sweep_tells_of_each_entry(void **state)
{
	struct owner o = dead_owner();
	struct told told = { 0 };
	struct folder_error err;

	plant_session(state, "dead-1", &o);
	plant_session(state, "young-1", NULL);
	assert_int_equal(session_sweep(remember, &told, &err), 1);
	assert_int_equal(told.removed, 1);
	assert_int_equal(told.kept, 1);
	assert_int_equal(told.failed, 0);
	assert_string_not_equal(told.why, "");
}

static void a_sweep_makes_no_base(void **state)
{
	assert_int_equal(sweep(), 0);
	assert_int_equal(count_entries(*state), 0);
}

#define claim(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		claim(a_session_has_a_private_folder_with_record_and_work),
		claim(closing_removes_everything_and_can_be_repeated),
		claim(a_closed_session_can_be_opened_again),
		claim(the_label_is_cleaned),
		claim(a_label_of_nothing_usable_is_no_label),
		claim(sixty_four_sessions_of_one_label_do_not_collide),
		claim(sessions_opened_at_once_do_not_interfere),
		claim(a_strange_umask_changes_nothing),
		claim(a_missing_temporary_folder_is_one_error_that_names_it),
		claim(a_file_for_a_temporary_folder_is_an_error),
		claim(a_world_writable_temporary_folder_without_sticky_bit_is_refused),
		claim(a_world_writable_temporary_folder_with_sticky_bit_is_fine),
		claim(a_temporary_folder_behind_a_symlink_is_resolved),
		claim(a_symlink_for_a_base_is_refused_with_its_name),
		claim(a_file_for_a_base_is_refused_with_its_name),
		claim(a_base_of_ours_that_others_can_write_is_closed_to_them),
		claim(roots_base_serves_all_users),
		claim(a_user_whose_name_is_taken_gets_a_base_of_his_own),
		claim(a_sticky_base_of_an_ordinary_user_is_not_trusted),
		claim(when_both_names_are_taken_the_base_is_refused_with_its_owner),
		claim(an_unwritable_temporary_folder_is_one_error_that_names_it),
		claim(a_run_folder_has_a_name_a_tmp_and_a_path),
		claim(removing_a_run_folder_empties_all_of_work),
		claim(what_resists_poisons_the_session),
		claim(a_dead_session_is_removed),
		claim(opening_a_session_sweeps),
		claim(a_session_whose_launcher_was_killed_is_removed),
		claim(living_and_foreign_sessions_are_kept),
		claim(an_unreadable_record_is_kept_for_a_day),
		claim(a_session_in_use_is_kept_although_its_record_says_dead),
		claim(symlinks_and_files_in_the_base_are_ignored),
		claim(a_record_that_is_a_symlink_is_unreadable),
		claim(other_users_folders_are_ignored),
		claim(two_sweeps_at_once_are_harmless),
		claim(the_sweep_tells_of_each_entry),
		claim(a_sweep_makes_no_base),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
