/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* owner.json: what is accepted as a record, and what a record says about its owner. */
#include "launcher/owner.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define HEAD "{\"pid\":12,\"start_time\":345,\"boot_id\":\"ab-12\",\"host\":\"h.example\",\"uid\":1000,"
#define TIME "\"created\":\"2024-01-31T23:59:59Z\","
#define GOOD HEAD TIME "\"backend\":\"native\"}"

static int parse(const char *text)
{
	struct owner o;

	return owner_parse(text, strlen(text), &o);
}

static int set_up(void **state)
{
	char *path = strdup("/tmp/test-owner-XXXXXX");

	assert_non_null(mkdtemp(path));
	*state = path;
	return 0;
}

static int tear_down(void **state)
{
	char file[64];

	(void)snprintf(file, sizeof(file), "%s/owner.json", (char *)*state);
	(void)unlink(file);
	(void)rmdir(*state);
	free(*state);
	return 0;
}

static int open_folder(void **state)
{
	return open(*state, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

static void a_good_record_is_read(void **state)
{
	struct owner o;

	(void)state;
	assert_int_equal(owner_parse(GOOD, strlen(GOOD), &o), 0);
	assert_int_equal(o.pid, 12);
	assert_int_equal(o.start_time, 345);
	assert_int_equal(o.uid, 1000);
	assert_string_equal(o.boot_id, "ab-12");
	assert_string_equal(o.host, "h.example");
	assert_string_equal(o.backend, "native");
	assert_string_equal(o.handle, "");
}

static void a_handle_is_read(void **state)
{
	struct owner o;
	const char text[] = HEAD TIME "\"backend\":\"container\",\"handle\":\"podman:ab12\"}";

	(void)state;
	assert_int_equal(owner_parse(text, strlen(text), &o), 0);
	assert_string_equal(o.handle, "podman:ab12");
}

static void what_is_no_object_is_refused(void **state)
{
	(void)state;
	assert_int_equal(parse(""), -EINVAL);
	assert_int_equal(parse("[]"), -EINVAL);
	assert_int_equal(parse("null"), -EINVAL);
	assert_int_equal(parse(GOOD "x"), -EINVAL);
	assert_int_equal(owner_parse(GOOD, strlen(GOOD) - 1, &(struct owner){ 0 }), -EINVAL);
}

static void a_missing_or_doubled_field_is_refused(void **state)
{
	(void)state;
	assert_int_equal(parse(HEAD TIME "\"x\":1}"), -EINVAL);
	assert_int_equal(parse(HEAD "\"backend\":\"native\"}"), -EINVAL);
	assert_int_equal(parse(HEAD TIME "\"backend\":\"native\",\"pid\":1}"), -EINVAL);
}

static void numbers_out_of_range_are_refused(void **state)
{
	(void)state;
	assert_int_equal(parse("{\"pid\":0," TIME "\"start_time\":1,\"boot_id\":\"a\",\"host\":\"h\",\"uid\":0,\"backend\":\"n\"}"), -EINVAL);
	assert_int_equal(parse("{\"pid\":-1," TIME "\"start_time\":1,\"boot_id\":\"a\",\"host\":\"h\",\"uid\":0,\"backend\":\"n\"}"), -EINVAL);
	assert_int_equal(parse("{\"pid\":2147483648," TIME "\"start_time\":1,\"boot_id\":\"a\",\"host\":\"h\",\"uid\":0,\"backend\":\"n\"}"), -EINVAL);
	assert_int_equal(parse("{\"pid\":1.5," TIME "\"start_time\":1,\"boot_id\":\"a\",\"host\":\"h\",\"uid\":0,\"backend\":\"n\"}"), -EINVAL);
	assert_int_equal(parse("{\"pid\":1," TIME "\"start_time\":-1,\"boot_id\":\"a\",\"host\":\"h\",\"uid\":0,\"backend\":\"n\"}"), -EINVAL);
	assert_int_equal(parse("{\"pid\":1," TIME "\"start_time\":1,\"boot_id\":\"a\",\"host\":\"h\",\"uid\":4294967295,\"backend\":\"n\"}"), -EINVAL);
}

static void texts_with_anything_odd_are_refused(void **state)
{
	(void)state;
	assert_int_equal(parse(HEAD TIME "\"backend\":\"na tive\"}"), -EINVAL);
	assert_int_equal(parse(HEAD TIME "\"backend\":\"\"}"), -EINVAL);
	assert_int_equal(parse(HEAD TIME "\"backend\":\"n\",\"handle\":\"; rm\"}"), -EINVAL);
	assert_int_equal(parse(HEAD TIME "\"backend\":\"n\\u0000\"}"), -EINVAL);
	assert_int_equal(parse(HEAD TIME "\"backend\":\"n\xc3\xa9\"}"), -EINVAL);
	assert_int_equal(parse(HEAD "\"created\":\"yesterday\",\"backend\":\"n\"}"), -EINVAL);
	assert_int_equal(parse(HEAD TIME "\"backend\":\"01234567890123456789012345678901\"}"),
			 -EINVAL);
}

static void a_record_over_4096_bytes_is_refused(void **state)
{
	char text[5000];

	(void)state;
	memset(text, ' ', sizeof(text));
	memcpy(text, GOOD, strlen(GOOD));
	assert_int_equal(owner_parse(text, 4096, &(struct owner){ 0 }), 0);
	assert_int_equal(owner_parse(text, 4097, &(struct owner){ 0 }), -EINVAL);
}

static void what_was_written_is_read_back(void **state)
{
	struct owner written, back;
	int fd = open_folder(state);

	owner_fill(&written, "native", "container:12");
	assert_int_equal(owner_write(fd, &written), 0);
	assert_int_equal(owner_read(fd, &back), 0);
	assert_memory_equal(&back, &written, sizeof(back));
	assert_int_equal(close(fd), 0);
}

static void a_symlink_for_a_record_is_not_followed(void **state)
{
	int fd = open_folder(state);

	assert_int_equal(symlinkat("/proc/self/status", fd, OWNER_FILE), 0);
	assert_int_equal(owner_read(fd, &(struct owner){ 0 }), -ELOOP);
	assert_int_equal(close(fd), 0);
}

static void a_fifo_for_a_record_does_not_block(void **state)
{
	int fd = open_folder(state);

	assert_int_equal(mkfifoat(fd, OWNER_FILE, 0600), 0);
	assert_int_equal(owner_read(fd, &(struct owner){ 0 }), -EINVAL);
	assert_int_equal(close(fd), 0);
}

static void this_process_is_alive(void **state)
{
	struct owner o;

	(void)state;
	owner_fill(&o, "native", NULL);
	assert_int_equal(owner_judge(&o), OWNER_ALIVE);
}

static void a_reused_pid_is_dead(void **state)
{
	struct owner o;

	(void)state;
	owner_fill(&o, "native", NULL);
	o.start_time--;
	assert_int_equal(owner_judge(&o), OWNER_DEAD);
}

static void another_boot_is_dead(void **state)
{
	struct owner o;

	(void)state;
	owner_fill(&o, "native", NULL);
	(void)snprintf(o.boot_id, sizeof(o.boot_id), "00000000-0000-0000-0000-000000000000");
	assert_int_equal(owner_judge(&o), OWNER_DEAD);
}

static void a_process_that_ended_is_dead(void **state)
{
	struct owner o;
	pid_t pid = fork();

	(void)state;
	if (pid == 0)
		_exit(0);
	owner_fill(&o, "native", NULL);
	o.pid = pid;
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_int_equal(owner_judge(&o), OWNER_DEAD);
}

static void another_host_is_foreign_whatever_else(void **state)
{
	struct owner o;

	(void)state;
	owner_fill(&o, "native", NULL);
	(void)snprintf(o.host, sizeof(o.host), "elsewhere.invalid");
	o.start_time--;
	assert_int_equal(owner_judge(&o), OWNER_FOREIGN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_good_record_is_read),
		cmocka_unit_test(a_handle_is_read),
		cmocka_unit_test(what_is_no_object_is_refused),
		cmocka_unit_test(a_missing_or_doubled_field_is_refused),
		cmocka_unit_test(numbers_out_of_range_are_refused),
		cmocka_unit_test(texts_with_anything_odd_are_refused),
		cmocka_unit_test(a_record_over_4096_bytes_is_refused),
		cmocka_unit_test_setup_teardown(what_was_written_is_read_back, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_symlink_for_a_record_is_not_followed, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_fifo_for_a_record_does_not_block, set_up,
						tear_down),
		cmocka_unit_test(this_process_is_alive),
		cmocka_unit_test(a_reused_pid_is_dead),
		cmocka_unit_test(another_boot_is_dead),
		cmocka_unit_test(a_process_that_ended_is_dead),
		cmocka_unit_test(another_host_is_foreign_whatever_else),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
