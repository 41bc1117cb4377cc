#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Step budgets from outside the program: what a step is, down to the instruction, in programs whose counts
# are known because somebody counted them; and that nothing runs past its budget.
. "$srcdir/tests/lib/tap.sh"
export PATH=/usr/bin:/bin
[ "$(uname -m)" = x86_64 ] || skip_all "programs of this processor cannot be stepped"
. "$srcdir/tests/lib/steps.sh"
run() { "$STILE" run --result result.json "$@" >out 2>err; }
stepped() { run --steps-counter ptrace-singlestep --wall 60 "$@"; }

stepped -- true
if [ "$(field status)" = unavailable ]; then
	skip_all "no single steps here: $(field reason)"
fi

# ---- what a step is ----

assemble_loop
stepped -- ./loop
is "a loop of a hundred rounds is 204 instructions, the last call included" "$(seen)" "ok 204 True"
is "counting began at the entry point, nothing ran before" "$(field steps.start) $(field steps.startup_steps)" "entry 0"
is "the unit, the counter and the scope are named" \
	"$(field steps.unit) $(field steps.counter) $(field steps.scope)" "instructions ptrace-singlestep process"
is "an exact count has no error" "$(field steps.error_bound) $(field steps.inexact_reasons)" "0 []"

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
stepped -- ./rep
is "a repeated string instruction is one step, of 64 rounds or none" "$(seen)" "ok 8 True"

assemble handled <<'A'
handler: nop
	ret
restorer: mov $15, %eax
	syscall
_start:	mov $13, %eax
	mov $10, %edi
	lea act(%rip), %rsi
	xor %edx, %edx
	mov $8, %r10d
	syscall
	mov $39, %eax
	syscall
	mov %eax, %edi
	mov $10, %esi
	mov $62, %eax
	syscall
	mov $60, %eax
	xor %edi, %edi
	syscall
.data
act:	.quad handler, 0x04000000, restorer, 0
A
stepped -- ./handled
is "entering a signal's handler is no step: 15 and the handler's 4" "$(seen)" "ok 19 True"

assemble faults <<'A'
_start:	nop
	nop
	xor %eax, %eax
	mov (%rax), %eax
A
stepped -- ./faults
is "an instruction that faults is none" "$(seen)" "signaled 3 True"

# ---- everybody counts ----

assemble forks <<'A'
_start:	mov $57, %eax
	syscall
	test %eax, %eax
	jz 1f
	mov $61, %eax
	mov $-1, %rdi
	xor %esi, %esi
	xor %edx, %edx
	xor %r10d, %r10d
	syscall
	jmp 2f
1:	nop
2:	mov $60, %eax
	xor %edi, %edi
	syscall
A
stepped -- ./forks
is "a parent's 14 and its child's 6" "$(seen)" "ok 20 True"

assemble becomes <<A
_start:	lea path(%rip), %rdi
	lea argv(%rip), %rsi
	xor %edx, %edx
	mov \$59, %eax
	syscall
.data
path:	.asciz "$base/loop"
	.balign 8
argv:	.quad path, 0
A
stepped -- ./becomes
is "what a program becomes goes on counting" "$(seen)" "ok 209 True"

cat >threads.c <<'C'
#include <pthread.h>
#include <stdio.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int turn;
static volatile int go;
static void *take_turns(void *me)
{
	for (int i = 0; i < 10; i++) {
		pthread_mutex_lock(&lock);
		while (turn != (int)(long)me) pthread_cond_wait(&changed, &lock);
		turn = !turn;
		pthread_cond_broadcast(&changed);
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}
static void *spin(void *p) { while (!go); return p; }
int main(void)
{
	pthread_t a, b;
	pthread_create(&a, NULL, take_turns, (void *)0);
	pthread_create(&b, NULL, take_turns, (void *)1);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	pthread_create(&a, NULL, spin, NULL);
	go = 1;
	pthread_join(a, NULL);
	return puts("done") < 0;
}
C
cc -O1 -pthread -o threads threads.c
stepped -- ./threads
is "threads that wait and spin for each other come to an end" "$(field status) $(cat out)" "ok done"
is "all of them counted" "$(field steps.exact)" True
ok "which is thousands of steps" test "$(field steps.count)" -gt 3000

cat >hidden.c <<'C'
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>
int main(void)
{
	long r = syscall(SYS_clone, CLONE_UNTRACED | SIGCHLD, 0, 0, 0, 0);
	if (r == 0) for (volatile long i = 0; i < 2000000000; i++);
	return printf("%ld\n", r) < 0;
}
C
cc -o hidden hidden.c
stepped -- ./hidden
is "a child cannot ask to be born unseen" "$(cat out)" -1
run --sandbox audit-only --steps-counter ptrace-singlestep -- ./loop
is "where nothing refuses that, the count says so" "$(field steps.count) $(field steps.exact)" "204 False"
like "with its reason" "$(field steps.inexact_reasons)" "no seccomp"

# ---- the budget ----

stepped --steps 204 -- ./loop
is "a budget that is just enough is enough" "$(seen)" "ok 204 True"
stepped --steps 203 -- ./loop
is "one less: stopped before the last" "$? $(seen)" "154 step_budget 203 True"
is "the sentinel, the finding and the reason" "$(field exit_code) $(field finding) $(field reason)" \
	"-102 STEP_BUDGET_EXCEEDED more than 203 steps"
is "the marker is on its standard error" "$(head -1 err)" "PDLT_STEP_BUDGET_EXCEEDED: more than 203 steps"
is "the result knows that the budget did it" "$(field steps.stopped_at_budget) $(field steps.budget)" "True 203"
is "and where" "$(field steps.where.module) $(field steps.where.symbol) $(field steps.where.offset)" \
	"$base/loop _start 16"
stepped --steps 0 -- ./loop
is "a budget of nothing stops at the first" "$(seen)" "step_budget 0 True"
cat >talks.c <<'C'
#include <unistd.h>
int main(void)
{
	write(1, "out\n", 4);
	write(2, "no newline", 10);
	for (;;);
}
C
cc -o talks talks.c
"$STILE" run --result - --steps-counter ptrace-singlestep --steps 5000 -- ./talks >result.json 2>err
is "what was written is kept, the marker on its own line behind it" "$(field stdout)/$(field stderr)" "out/no newline
PDLT_STEP_BUDGET_EXCEEDED: more than 5000 steps"
is "it was stopped in main" "$(field steps.where.symbol)" main
cat >grows.c <<'C'
#include <unistd.h>
int main(void)
{
	for (int i = 0; i < 4; i++) fork();
	for (;;);
}
C
cc -o grows grows.c
stepped --steps 20000 -- ./grows
is "sixteen endless processes have one budget" "$(seen)" "step_budget 20000 True"
is "and are dead after it" "$(pgrep -cx grows)" 0

# ---- the choice ----

run -- ./loop
is "without a budget nobody counts" "$(field steps.counter) $(field steps.count)" "none None"
run --steps-counter none --steps 10 -- ./loop
is "nor where none is asked for" "$(field status) $(field steps.counter)" "ok none"
run --steps-counter ptrace-singlestep --steps 9999999999 --wall 5 -- ./loop
is "a counter asked for that does not fit the clock is unavailable, never another" "$? $(field status)" "152 unavailable"
like "with its cost" "$(field reason)" "ptrace-singlestep: 9999999999 steps of .* us each take .* more than the wall clock"
run --steps-counter nope -- ./loop
is "an unknown counter is a usage error" $? 2
run --steps-unit bytecode -- ./loop
is "bytecode of a program that has none is unavailable" "$(field status)" unavailable
stepped --steps 10 -- ls
is "a budget of a dynamic program begins behind its loader" "$(field status) $(field steps.count) $(field steps.startup_steps)" "step_budget 10 None"

# ---- the processor's own counters, where there are any ----

cat >busy.c <<'C'
int main(void)
{
	for (volatile long i = 0; i < 30000000; i++);
	return 0;
}
C
cc -O1 -o busy busy.c
run --steps-counter perf-hw -- ./busy
if [ "$(field status)" = unavailable ]; then
	like "a host without counters says what is wrong with them" "$(field reason)" "step counter perf-hw: .+"
	skip "the processor counts" "$(field reason)"
else
	ok "the processor counts some hundred million" test "$(field steps.count)" -gt 90000000
	is "and does not claim to be exact" "$(field steps.exact)" False
	run --steps-counter perf-hw --steps 50000000 -- ./busy
	is "it is stopped at the budget" "$(field status) $(field steps.count)" "step_budget 50000000"
fi

run --steps-counter task-clock --steps 2000000000 -- ./busy
is "processor time is an estimate and says so" "$(field status) $(field steps.exact) $(field steps.inexact_reasons)" \
	"ok False ['estimate']"
ok "of the right size" test "$(field steps.count)" -gt 1000000
run --no-preflight --steps-counter task-clock --steps 100000 -- sh -c 'while :; do :; done'
is "and ends what uses too much" "$(field status) $(field finding)" "step_budget STEP_BUDGET_EXCEEDED"

# ---- the same every time; nothing is left behind ----

for _ in 1 2 3 4 5 6 7 8 9 10; do
	echo '{"op":"run","argv":["./handled"],"limits":{"steps":1000}}'
	echo '{"op":"run","argv":["./loop"],"limits":{"steps":150}}'
	echo '{"op":"run","argv":["./loop"]}'
done | "$STILE" session --steps-counter ptrace-singlestep >answers
is "thirty runs of one session, the same counts each time" "$(python3 -c 'import json
seen = {}
for line in open("answers"):
    d = json.loads(line)
    key = (d["argv"][0], d["steps"]["budget"] or 0, d["status"], d["steps"]["count"])
    seen[key] = seen.get(key, 0) + 1
print(sorted(seen.items()))')" \
	"[(('./handled', 1000, 'ok', 19), 10), (('./loop', 0, 'ok', 204), 10), (('./loop', 150, 'step_budget', 150), 10)]"
is "no tracer outlives its run" "$(pgrep -c -u "$(id -u)" stile-tracer)" 0
done_testing
