#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Step budgets by qemu and its plugin: the counts are those of single steps, and the hundred millionth step
# is the last one.
. "$srcdir/tests/lib/tap.sh"
export PATH=/usr/bin:/bin
. "$srcdir/tests/lib/steps.sh"
run() { "$STILE" run --result result.json --steps-counter qemu-tcg --wall 60 "$@" >out 2>err; }

run -- true
if [ "$(field status)" = unavailable ]; then
	skip_all "$(field reason)"
fi
assemble_loop
run -- ./loop
is "a loop of a hundred rounds is 204 instructions" "$(seen)" "ok 204 True"
is "counting began at the entry point" "$(field steps.start) $(field steps.startup_steps)" "entry 0"
run --steps 204 -- ./loop
is "a budget that is just enough is enough" "$(seen)" "ok 204 True"
run --steps 203 -- ./loop
is "one less: stopped before the last" "$? $(seen)" "154 step_budget 203 True"
is "and where" "$(field steps.where.symbol) $(field steps.where.offset)" "_start 16"
assemble rep <<'A'
_start:	sub $128, %rsp
	mov %rsp, %rdi
	mov $64, %ecx
	rep stosb
	rep stosb
	mov $60, %eax
	xor %edi, %edi
	syscall
A
run -- ./rep
is "a repeated string instruction is one step" "$(seen)" "ok 8 True"
cat >counts.c <<'C'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
static void *work(void *rounds)
{
	for (volatile long i = 0; i < (long)rounds; i++);
	return NULL;
}
int main(int argc, char **argv)
{
	pthread_t t[4];
	long rounds = atol(argv[2]);
	if (argc < 3) return 1;
	if (!strcmp(argv[1], "threads")) {
		for (int i = 0; i < 4; i++) pthread_create(&t[i], NULL, work, (void *)rounds);
		for (int i = 0; i < 4; i++) pthread_join(t[i], NULL);
	} else if (!strcmp(argv[1], "forks")) {
		for (int i = 0; i < 4; i++) if (!fork()) { work((void *)rounds); _exit(0); }
		while (wait(NULL) > 0);
	} else if (!strcmp(argv[1], "exec")) {
		execl("/bin/true", "true", (char *)NULL);
		perror("execl");
	} else {
		work((void *)rounds);
	}
	return 0;
}
C
cc -O1 -pthread -o counts counts.c
# rounds KIND N: what the loops alone cost, as the difference of two runs.
cost() {
	run -- ./counts "$1" "${2//[0-9]/0}"
	local none
	none=$(field steps.count)
	run -- ./counts "$1" "$2"
	echo $(($(field steps.count) - none))
}
one=$(cost alone 100000)
ok "a hundred thousand rounds cost some hundred thousand steps ($one)" test "$one" -ge 300000
is "four children together cost four times that" "$(cost forks 100000)" $((4 * one))
threads=$(cost threads 100000)
ok "so do four threads, but for their waiting ($threads)" \
	test $((threads - 4 * one)) -lt 20000 -a $((threads - 4 * one)) -gt -20000
run --steps 100000000 -- ./counts alone 2000000000
is "a hundred million steps, exactly" "$(seen)" "step_budget 100000000 True"
is "stopped in the loop" "$(field steps.where.symbol)" work
run --steps 3000000 -- ./counts forks 2000000000
is "the budget is one for all processes" "$(field status) $(field steps.count)" "step_budget 3000000"
is "which are dead" "$(pgrep -cf "$base/counts")" 0
run --steps 3000000 -- ./counts threads 2000000000
is "and one for all threads" "$(field status) $(field steps.count)" "step_budget 3000000"
run -- ./counts exec 0
like "another program would not be counted: it is refused" "$(cat err)" "execl: Permission denied"
like "and the result says so" "$(field warnings)" "cannot count: refused"
printf '#!/bin/sh\necho hi\n' >script && chmod +x script
run -- ./script
is "scripts are not qemu's" "$(field status)" unavailable
like "with the reason" "$(field reason)" "not scripts"
ok "nothing is left in the project" test "$(find . -name '.steps*' | wc -l)" -eq 0
for _ in 1 2 3 4 5; do echo '{"op":"run","argv":["./counts","alone","1000"]}'; done |
	"$STILE" session --steps-counter qemu-tcg >answers
is "the same count each time" "$(python3 -c 'import json
print(len({json.loads(line)["steps"]["count"] for line in open("answers")}))')" 1
"$STILE" run --result result.json --steps 50000000 -- ./counts alone 1000 >out 2>err
is "where it is installed it is the choice for a budget that single steps cannot hold" \
	"$(field steps.counter) $(field status)" "qemu-tcg ok"
done_testing
