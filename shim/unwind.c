/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The native way to a refused call: return addresses from the hook's caller upwards, each
 * with the file it lies in (unwind_frames of shim.h).
 *
 * Runs inside the program, in any thread, in signal handlers and after vfork: no memory,
 * no lock, no libgcc, errno untouched. It begins in its own frame, whose registers it
 * knows all, and climbs through the shim's own frames to the caller, so that callee-saved
 * registers are right from the first frame on. Where code has no tables (a JIT's), it
 * follows the frame pointer as long as that makes sense. libc tells what file an address
 * is in (_dl_find_object, glibc 2.35: lock-free); where it cannot, the answer is the
 * caller alone.
 */
#include "shim/cfi.h"
#include "shim/shim.h"

#include <dlfcn.h>
#include <link.h>

#define OWN_FRAMES_MAX	16	   /* of the shim's, between here and the caller */
#define FRAME_BYTES_MAX (8u << 20) /* a frame pointer that jumps farther is none */
#define UNKNOWN_MODULE	"[unknown]"

/* --- which file --------------------------------------------------------------------- */

struct module {
	struct fde_tables tables;
	uintptr_t bias;
	const char *name; /* the dynamic loader's; NULL = no file known */
};

#ifdef DLFO_EH_SEGMENT_TYPE
extern __typeof__(_dl_find_object) _dl_find_object __attribute__((weak));

static bool find_module(uintptr_t pc, struct module *out)
{
	struct dl_find_object found;

	*out = (struct module){ .name = NULL };
	if (!_dl_find_object || _dl_find_object((void *)pc, &found) != 0)
		return false;
	out->tables = (struct fde_tables){ .low = (uintptr_t)found.dlfo_map_start,
					   .high = (uintptr_t)found.dlfo_map_end,
					   .header = (uintptr_t)found.dlfo_eh_frame };
	out->bias = found.dlfo_link_map->l_addr;
	out->name = found.dlfo_link_map->l_name;
	return true;
}
#else
static bool find_module(uintptr_t pc, struct module *out)
{
	(void)pc;
	*out = (struct module){ .name = NULL };
	return false;
}
#endif

/* --- registers ---------------------------------------------------------------------- */

/* What a callee must keep, and where we are: enough for every table a compiler writes. */
#if defined(__x86_64__)
#define KEPT (1u << 3 | 1u << 6 | 1u << 7 | 0xfu << 12) /* rbx rbp rsp r12-r15 */

__attribute__((always_inline)) static inline void capture(struct registers *r)
{
	uint64_t *value = r->value;

	__asm__ volatile(
		"movq %%rbx, 24(%1)\n\tmovq %%rbp, 48(%1)\n\tmovq %%rsp, 56(%1)\n\t"
		"movq %%r12, 96(%1)\n\tmovq %%r13, 104(%1)\n\tmovq %%r14, 112(%1)\n\t"
		"movq %%r15, 120(%1)\n\tleaq 0f(%%rip), %0\n0:"
		: "=&r"(r->pc)
		: "r"(value)
		: "memory");
	r->known = KEPT;
}

static uintptr_t strip(uintptr_t pc)
{
	return pc;
}
#elif defined(__aarch64__)
#define KEPT (0xfffull << 19 | 1ull << 31) /* x19-x30 sp */

__attribute__((always_inline)) static inline void capture(struct registers *r)
{
	uint64_t *value = r->value;
	uint64_t sp;

	__asm__ volatile("stp x19, x20, [%2, #152]\n\tstp x21, x22, [%2, #168]\n\t"
			 "stp x23, x24, [%2, #184]\n\tstp x25, x26, [%2, #200]\n\t"
			 "stp x27, x28, [%2, #216]\n\tstp x29, x30, [%2, #232]\n\t"
			 "mov %1, sp\n\tadr %0, 0f\n0:"
			 : "=&r"(r->pc), "=&r"(sp)
			 : "r"(value)
			 : "memory");
	r->value[31] = sp;
	r->known = KEPT;
}

/* Takes a pointer signature off; a no-operation on a processor without them. */
static uintptr_t strip(uintptr_t pc)
{
	register uintptr_t x30 __asm__("x30") = pc;

	__asm__("hint 7" : "+r"(x30));
	return x30;
}
#else
static inline void capture(struct registers *r)
{
	r->pc = 0;
}

static uintptr_t strip(uintptr_t pc)
{
	return pc;
}
#endif

/* --- one step ----------------------------------------------------------------------- */

/* The frame pointer's record: the caller's frame pointer, then the return address. */
static bool step_by_frame_pointer(struct peek *peek, struct registers *r)
{
	uint64_t fp = r->value[CFI_FP], sp = r->value[CFI_SP];
	struct registers up = { .known = 1ull << CFI_FP | 1ull << CFI_SP };
	uint64_t pc;

	if (!registers_have(r, CFI_FP) || !registers_have(r, CFI_SP) ||
	    fp % sizeof(void *) || fp < sp || fp - sp > FRAME_BYTES_MAX ||
	    !peek_read(peek, fp, &up.value[CFI_FP], sizeof(void *)) ||
	    !peek_read(peek, fp + sizeof(void *), &pc, sizeof(void *)))
		return false;
	up.value[CFI_SP] = fp + 2 * sizeof(void *);
	up.pc = pc;
	*r = up;
	return true;
}

static bool step(struct peek *peek, struct registers *r)
{
	uint64_t sp = r->value[CFI_SP];
	struct module module;
	struct fde fde = { .is_signal = false };
	bool is_up = false;

	if (find_module(r->pc - !r->is_signal, &module) &&
	    fde_find(peek, &module.tables, r->pc - !r->is_signal, &fde))
		is_up = cfi_step(peek, &fde, r);
	else
		is_up = step_by_frame_pointer(peek, r);
	r->pc = strip(r->pc);
	/* Stacks grow down: a frame that does not lie above its callee is a lie, unless a
	 * signal has changed the stack. Also what ends every loop. */
	return is_up && r->pc && (fde.is_signal || r->value[CFI_SP] > sp);
}

/* From here up to where `caller` is the return address; false = it never was. */
static bool climb_to(struct peek *peek, struct registers *r, uintptr_t caller)
{
	for (unsigned i = 0; i < OWN_FRAMES_MAX; i++) {
		if (!step(peek, r))
			return false;
		if (r->pc == caller)
			return true;
	}
	return false;
}

/* --- the answer --------------------------------------------------------------------- */

/* A name too long for its room keeps its end, from a slash on: that is what tells files
 * apart. */
static void copy_name(struct peek *peek, const char *name, char *out)
{
	size_t length = 0;

	while (peek_can_read(peek, (uintptr_t)name + length, 1) && name[length])
		length++;
	if (length >= RING_MODULE_MAX) {
		name += length - (RING_MODULE_MAX - 1);
		length = RING_MODULE_MAX - 1;
		while (length && *name != '/')
			name++, length--;
	}
	for (size_t i = 0; i < length; i++)
		out[i] = name[i];
	out[length] = '\0';
}

static void fill(struct peek *peek, uintptr_t pc, struct ring_frame *out)
{
	struct module module;

	out->address = pc;
	/* A return address may lie one past the end of a function that never returns. */
	if (!find_module(pc - 1, &module)) {
		out->offset = 0;
		__builtin_memcpy(out->module, UNKNOWN_MODULE, sizeof(UNKNOWN_MODULE));
		return;
	}
	out->offset = pc - module.bias;
	copy_name(peek, module.name, out->module);
}

__attribute__((noinline)) unsigned unwind_frames(const void *caller, const void *frame,
						 struct ring_frame *frames, unsigned max)
{
	struct registers r = { .is_signal = true }; /* our own pc is no return address */
	struct peek peek = { { 0 } };
	unsigned count = 0;

	if (!max || !caller)
		return 0;
	fill(&peek, (uintptr_t)caller, &frames[count++]);
	capture(&r);
	if (!frame || !r.pc || !climb_to(&peek, &r, (uintptr_t)caller))
		return count;
	while (count < max && step(&peek, &r))
		fill(&peek, r.pc, &frames[count++]);
	return count;
}
