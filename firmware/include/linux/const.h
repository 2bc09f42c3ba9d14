/* SPDX-License-Identifier: GPL-2.0-only */
/* Constants that both C and assembly use. */
#ifndef _LINUX_CONST_H
#define _LINUX_CONST_H

#ifdef __ASSEMBLY__
#define _AC(x, suffix)		x
#else
#define __AC(x, suffix)		(x##suffix)
#define _AC(x, suffix)		__AC(x, suffix)
#endif

#endif
