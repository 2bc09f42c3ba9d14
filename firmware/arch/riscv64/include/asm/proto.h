/* SPDX-License-Identifier: GPL-2.0-only */
/* Entry points and hooks that only this architecture's files call. */
#ifndef _ASM_PROTO_H
#define _ASM_PROTO_H

#include <linux/compiler.h>
#include <asm/ptrace.h>

struct task_struct;
struct boot_params;
struct fpu_state;

/* head.S, entry.S, fpu.S */
void secondary_start(void);
void ret_from_fork(void);
void fstate_save(struct fpu_state *fpu);
void fstate_restore(const struct fpu_state *fpu);

/* Called from assembly. */
void riscv64_start_kernel(struct boot_params *params) __noreturn;
void do_syscall(struct pt_regs *regs);
struct task_struct *__switch_to(struct task_struct *prev,
				struct task_struct *next);

/* extable.c */
bool fixup_exception(struct pt_regs *regs);

/* traps.c */
void die(const char *what, struct pt_regs *regs, long err) __noreturn;

#endif
