/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Calls on that side of a static key's branch that hardly anybody takes. They
 * are calls as all others: what is kept is in the window.
 */
#ifndef _ASM_COLD_CALL_H
#define _ASM_COLD_CALL_H

#define __cold_callee
#define cold_call(function)			(function)()
#define cold_call_with(function, argument)	(function)(argument)
#define cold_call_with_constant(function, constant)	(function)(constant)

#endif
