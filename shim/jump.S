/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The hooks that must not be in the way when the real function runs: vfork returns twice through its
 * caller's frame, clone's child has another stack, dlopen looks at who called it, syscall can be any of
 * these. Each notes the call in C (note.c), which says where to go on, and jumps there with the registers,
 * the stack and the return address as they were.
 *
 * The note gets a struct jump_frame of jump.h: the argument registers, which it may change, the return
 * address, and the arguments on the stack.
 */
#if defined(__x86_64__)

.macro JUMP name
	.globl	\name
	.type	\name, @function
\name:
	.cfi_startproc
	endbr64
	sub	$56, %rsp
	.cfi_adjust_cfa_offset 56
	mov	%rdi, 0(%rsp)
	mov	%rsi, 8(%rsp)
	mov	%rdx, 16(%rsp)
	mov	%rcx, 24(%rsp)
	mov	%r8, 32(%rsp)
	mov	%r9, 40(%rsp)
	mov	%rax, 48(%rsp)
	mov	%rsp, %rdi
	call	note_\name
	mov	%rax, %r11
	mov	0(%rsp), %rdi
	mov	8(%rsp), %rsi
	mov	16(%rsp), %rdx
	mov	24(%rsp), %rcx
	mov	32(%rsp), %r8
	mov	40(%rsp), %r9
	mov	48(%rsp), %rax
	add	$56, %rsp
	.cfi_adjust_cfa_offset -56
	jmp	*%r11
	.cfi_endproc
	.size	\name, . - \name
.endm

	.text
	/* Returns its first argument: how a note answers by itself. */
	.hidden	jump_return
	.globl	jump_return
	.type	jump_return, @function
jump_return:
	.cfi_startproc
	endbr64
	mov	%rdi, %rax
	ret
	.cfi_endproc
	.size	jump_return, . - jump_return

#elif defined(__aarch64__)

.macro JUMP name
	.globl	\name
	.type	\name, %function
\name:
	.cfi_startproc
	hint	34		/* bti c */
	stp	x29, x30, [sp, #-80]!
	.cfi_adjust_cfa_offset 80
	.cfi_rel_offset x29, 0
	.cfi_rel_offset x30, 8
	mov	x29, sp
	stp	x0, x1, [sp, #16]
	stp	x2, x3, [sp, #32]
	stp	x4, x5, [sp, #48]
	stp	x6, x8, [sp, #64]
	mov	x0, sp
	bl	note_\name
	mov	x16, x0
	ldp	x0, x1, [sp, #16]
	ldp	x2, x3, [sp, #32]
	ldp	x4, x5, [sp, #48]
	ldp	x6, x8, [sp, #64]
	ldp	x29, x30, [sp], #80
	.cfi_adjust_cfa_offset -80
	.cfi_restore x29
	.cfi_restore x30
	br	x16
	.cfi_endproc
	.size	\name, . - \name
.endm

	.text
	.hidden	jump_return
	.globl	jump_return
	.type	jump_return, %function
jump_return:
	.cfi_startproc
	hint	34
	ret			/* the first argument is where results are */
	.cfi_endproc
	.size	jump_return, . - jump_return

#endif

	JUMP	ptrace
	JUMP	vfork
	JUMP	__vfork
	JUMP	clone
	JUMP	__clone
	JUMP	dlopen
	JUMP	dlmopen
	JUMP	syscall

	.section .note.GNU-stack, "", %progbits
