/* SPDX-License-Identifier: GPL-2.0-only */
/* Entry points and hooks that only this architecture's files call. */
#ifndef _ASM_PROTO_H
#define _ASM_PROTO_H

#include <asm/ptrace.h>

struct fpu_state;
struct task_struct;

/* fpu.S */
void fstate_save(struct fpu_state *fpu);
void fstate_restore(const struct fpu_state *fpu);

/* process.c; not preemptible: what @task's program has in registers, to its thread */
void fstate_sync(struct task_struct *task, struct pt_regs *regs);

/* Called from assembly. */
void do_syscall(struct pt_regs *regs);
void do_kernel_break(struct pt_regs *regs);

/* uprobes.c: whether a program has trapped at an ebreak of four bytes. */
bool is_ebreak(struct pt_regs *regs);

#endif
