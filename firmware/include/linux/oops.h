/* SPDX-License-Identifier: GPL-2.0-only */
/* A fault of the kernel itself: it is reported, and costs one task its life. */
#ifndef _LINUX_OOPS_H
#define _LINUX_OOPS_H

#include <linux/compiler.h>

struct pt_regs;

/* 1: the machine ends with the first oops. */
extern int panic_on_oops;

/* Ends the running task, or the machine if that cannot be. */
void make_task_dead(int signr) __attribute__((noreturn));

/*
 * Reports what happened, where @regs were saved: @fmt makes the report's first
 * lines. Ends the task; the machine, where there is none that can go.
 */
void oops(struct pt_regs *regs, const char *fmt, ...)
	__noreturn __printf(2, 3);

/* Where nothing can be done about a trap of the kernel itself. */
void die(const char *what, struct pt_regs *regs, long err) __noreturn;

/* This CPU's task, registers and calls, into the log. From any context. */
void show_regs(struct pt_regs *regs);

/* The CPU, the task, and the calls that led here. */
void dump_stack(void);

#endif
