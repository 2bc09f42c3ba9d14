/* SPDX-License-Identifier: GPL-2.0-only */
/* The layout table: structures and constants that the host knows by name. */
#ifndef _EMU_LAYOUT_H
#define _EMU_LAYOUT_H

#include <linux/types.h>
#include <linux/compiler.h>

struct layout_entry {
	char name[48];
	u64 value;
	u64 size;
};

#define __LAYOUT_ID2(n)	__layout_##n
#define __LAYOUT_ID(n)	__LAYOUT_ID2(n)
#define __LAYOUT(text, val, sz)						\
	static const struct layout_entry __LAYOUT_ID(__COUNTER__)	\
		__section(".emu.layout") __used =			\
		{ .name = text, .value = (val), .size = (sz) }

#define LAYOUT(type, member)						\
	__LAYOUT(#type "." #member, offsetof(struct type, member),	\
		 sizeof(((struct type *)0)->member))
#define LAYOUT_SIZE(type)	__LAYOUT(#type, 0, sizeof(struct type))
#define LAYOUT_CONST(name)	__LAYOUT(#name, name, 0)

#endif
