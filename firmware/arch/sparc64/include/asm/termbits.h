/* SPDX-License-Identifier: GPL-2.0-only */
/* What user space has in place of the kernel's struct ktermios. */
#ifndef _ASM_TERMBITS_H
#define _ASM_TERMBITS_H

#include <uapi/asm/termbits.h>

/* To user space these are VEOF and VEOL, without ICANON. */
#undef VMIN
#undef VTIME
#define VMIN		17
#define VTIME		18

/* User space has 17 control characters; two of them mean two things. */
#define USER_TERMIOS_SIZE	34

#define termios_to_user(t) do {						\
	if (!((t)->c_lflag & 0x2)) {	/* ICANON */			\
		(t)->c_cc[VEOF] = (t)->c_cc[VMIN];			\
		(t)->c_cc[VEOL] = (t)->c_cc[VTIME];			\
	}								\
} while (0)

#define termios_from_user(t) do {					\
	if (!((t)->c_lflag & 0x2)) {					\
		(t)->c_cc[VMIN] = (t)->c_cc[VEOF];			\
		(t)->c_cc[VTIME] = (t)->c_cc[VEOL];			\
	}								\
} while (0)

#endif
