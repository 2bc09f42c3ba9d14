/* SPDX-License-Identifier: GPL-2.0-only */
/* What assembly needs of C: lines of asm-offsets.s that become a header. */
#ifndef _LINUX_KBUILD_H
#define _LINUX_KBUILD_H

#define DEFINE(name, value) \
	asm volatile("\n->" #name " %0" : : "i" (value))
#define OFFSET(name, type, member) \
	DEFINE(name, offsetof(struct type, member))

void asm_offsets(void);

#endif
