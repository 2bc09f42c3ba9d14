/* SPDX-License-Identifier: GPL-2.0-only */
/* What user space has in place of the kernel's struct ktermios. */
#ifndef _ASM_TERMBITS_H
#define _ASM_TERMBITS_H

#include <uapi/asm/termbits.h>

/* User space's differs in nothing. */
#define USER_TERMIOS_SIZE	36
#define termios_to_user(t)	((void)(t))
#define termios_from_user(t)	((void)(t))

#endif
