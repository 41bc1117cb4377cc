/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * From the filter that is the law to the one that tells.
 *
 * The law stays as it is; only its ends change. Where it refuses with an errno that a program should
 * explain, the launcher is asked, and the launcher answers by running the law itself (notify_filter_ask):
 * it has the same errno in store and nothing else. Where the law allows, a stage behind it names the
 * calls that are told. So no call is ever allowed that the law refuses, whatever stands in the table.
 *
 * Runs in the warden, before a program's start; the asking in the launcher. Must never look at memory of
 * the program.
 */
#include "backends/notify_filter.h"

#include "backends/notify_calls.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define STAGE_MAX 512
#define OFFSET(field) ((uint32_t)offsetof(struct seccomp_data, field))

/* Libraries probe with ENOSYS and EOPNOTSUPP and go on without: nothing is lost there. */
static const int told_errors[] = { EPERM, EACCES, EPROTONOSUPPORT };

static bool is_told_refusal(const struct sock_filter *end)
{
	bool told = false;

	if (end->code != (BPF_RET | BPF_K) ||
	    (end->k & SECCOMP_RET_ACTION_FULL) != SECCOMP_RET_ERRNO)
		return false;
	for (size_t i = 0; i < sizeof(told_errors) / sizeof(*told_errors); i++)
		told |= (end->k & SECCOMP_RET_DATA) == (uint32_t)told_errors[i];
	return told;
}

static bool is_allowance(const struct sock_filter *end)
{
	return end->code == (BPF_RET | BPF_K) && end->k == SECCOMP_RET_ALLOW;
}

/* --- the stage ------------------------------------------------------------------------------ */

struct stage {
	struct sock_filter at[STAGE_MAX];
	unsigned short used;
};

static void put(struct stage *s, struct sock_filter instruction)
{
	if (s->used < STAGE_MAX)
		s->at[s->used++] = instruction;
}

/* An argument has 64 bits and the machine words of 32: this is where its half stands. */
static uint32_t half_offset(int8_t argument, bool is_high)
{
	bool is_little = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;

	return OFFSET(args) + 8u * (uint32_t)argument + (is_high == is_little ? 4u : 0u);
}

/* Allows the call whose argument has this value. */
static void put_spare(struct stage *s, int8_t argument, uint64_t value)
{
	put(s, (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, half_offset(argument, false)));
	put(s, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)value, 0, 3));
	put(s, (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, half_offset(argument, true)));
	put(s, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)(value >> 32), 0, 1));
	put(s, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
}

static uint64_t spared_value(const struct notify_call *call, const struct notify_wish *wish)
{
	return call->spare == SPARE_PROGRAM ? wish->program :
	       call->spare == SPARE_PARCEL  ? wish->parcel :
					      0;
}

static void put_call(struct stage *s, const struct notify_call *call, const struct notify_wish *wish)
{
	bool has_spare = call->spare != SPARE_NONE;

	put(s, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)call->number, 0,
					    has_spare ? 6 : 1));
	if (has_spare)
		put_spare(s, call->spare_argument, spared_value(call, wish));
	put(s, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF));
}

static bool is_wished(const struct notify_call *call, const struct notify_wish *wish)
{
	return call->number >= 0 && (call->when == NOTIFY_ALWAYS ||
				     (call->when == NOTIFY_ADDRESSED && wish->addressed) ||
				     (call->when == NOTIFY_OPENS && wish->opens));
}

/* A number that is not in it meets comparisons with constants only: the kernel can go on to know by
 * heart that it is allowed. */
static void fill_stage(struct stage *s, const struct notify_wish *wish)
{
	put(s, (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, OFFSET(nr)));
	for (const struct notify_call *call = notify_calls; call->name; call++)
		if (is_wished(call, wish))
			put_call(s, call, wish);
	put(s, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
}

int notify_filter_make(const struct sock_fprog *law, const struct notify_wish *wish,
		       struct sock_fprog *out)
{
	struct stage stage = { .used = 0 };
	size_t length;

	fill_stage(&stage, wish);
	length = (size_t)law->len + stage.used;
	if (stage.used == STAGE_MAX || length > BPF_MAXINSNS)
		return -E2BIG;
	out->filter = malloc(length * sizeof(*out->filter));
	if (!out->filter)
		return -ENOMEM;
	out->len = (unsigned short)length;
	memcpy(out->filter, law->filter, law->len * sizeof(*law->filter));
	memcpy(out->filter + law->len, stage.at, stage.used * sizeof(*stage.at));
	for (uint32_t i = 0; i < law->len; i++) {
		struct sock_filter *end = &out->filter[i];

		if (is_told_refusal(end))
			end->k = SECCOMP_RET_USER_NOTIF;
		else if (is_allowance(end))
			*end = (struct sock_filter)BPF_STMT(BPF_JMP | BPF_JA, law->len - i - 1u);
	}
	return 0;
}

/* --- the asking ----------------------------------------------------------------------------- */

static bool is_taken(const struct sock_filter *jump, uint32_t a)
{
	switch (BPF_OP(jump->code)) {
	case BPF_JEQ:
		return a == jump->k;
	case BPF_JGT:
		return a > jump->k;
	case BPF_JGE:
		return a >= jump->k;
	case BPF_JSET:
		return a & jump->k;
	default:
		return true;
	}
}

uint32_t notify_filter_ask(const struct sock_fprog *law, const struct seccomp_data *call)
{
	uint32_t a = 0;

	for (uint32_t at = 0; at < law->len; at++) {
		const struct sock_filter *now = &law->filter[at];

		if (now->code == (BPF_RET | BPF_K))
			return now->k;
		if (now->code == (BPF_LD | BPF_W | BPF_ABS) && now->k <= sizeof(*call) - sizeof(a))
			memcpy(&a, (const char *)call + now->k, sizeof(a));
		else if (now->code == (BPF_ALU | BPF_AND | BPF_K))
			a &= now->k;
		else if (now->code == (BPF_JMP | BPF_JA))
			at += now->k;
		else if (BPF_CLASS(now->code) == BPF_JMP && BPF_SRC(now->code) == BPF_K)
			at += is_taken(now, a) ? now->jt : now->jf;
		else
			break;
	}
	return SECCOMP_RET_KILL_PROCESS;
}
