/* SPDX-License-Identifier: GPL-2.0-only */
/* Modules: to do. R_RISCV_PCREL_LO12_I names another relocation's place, so one at a time is not enough. */
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/moduleloader.h>

void *module_alloc(unsigned long size)
{
	return NULL;
}

void module_memfree(void *base)
{
}

int apply_relocation(struct module *mod, unsigned int type, void *place,
		     unsigned long room, unsigned long sym, long addend)
{
	return -ENOEXEC;
}

/* What cpu_relax() calls. */
#include <linux/export.h>
#include <emu/hostcall.h>
EXPORT_SYMBOL(hostcall);
