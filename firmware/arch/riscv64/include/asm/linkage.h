/* SPDX-License-Identifier: GPL-2.0-only */
/* Where functions in assembly begin and end. */
#ifndef _ASM_LINKAGE_H
#define _ASM_LINKAGE_H

#define __ALIGN			.balign 4
#define ASM_RET			ret

/* A site calls with its return address in t0. */
#define ASM_RET_TO_SITE		jr t0

#endif
