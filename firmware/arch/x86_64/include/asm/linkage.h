/* SPDX-License-Identifier: GPL-2.0-only */
/* Where functions in assembly begin and end. */
#ifndef _ASM_LINKAGE_H
#define _ASM_LINKAGE_H

#define __ALIGN		.balign 16
#define ASM_RET		ret

#endif
