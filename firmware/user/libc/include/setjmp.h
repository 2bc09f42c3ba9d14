/* SPDX-License-Identifier: GPL-2.0-only */
/* Going back to a caller; not to the function that called setjmp() itself. */
#ifndef SETJMP_H
#define SETJMP_H

typedef void *jmp_buf[5];

#define setjmp(buffer)		__builtin_setjmp(buffer)
#define longjmp(buffer, value)	__builtin_longjmp(buffer, value)

#endif
