/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Copies to and from user memory that end early where memory ends. User memory
 * is the kernel's %asi.
 */
#include <linux/linkage.h>

	.text

/* The next instruction accesses user memory: \fixup goes on if it faults. */
.macro USER fixup
99:
	.pushsection __ex_table, "a"
	.balign	4
	.word	99b - .
	.word	\fixup - .
	.popsection
.endm

/* Which side is the user's is decided by to_user. */
.macro LOAD size, offset, reg, fixup
	.if	to_user
	ld\size	[%o1 + \offset], \reg
	.else
	USER	\fixup
	ld\size\()a [%o1 + \offset] %asi, \reg
	.endif
.endm

.macro STORE size, reg, offset, fixup
	.if	to_user
	USER	\fixup
	st\size\()a \reg, [%o0 + \offset] %asi
	.else
	st\size	\reg, [%o0 + \offset]
	.endif
.endm

/* Eight at once, @step apart. */
.macro COPY_EIGHT load, store, step, fixup
	LOAD	\load, 0 * \step, %o3, \fixup
	LOAD	\load, 1 * \step, %o4, \fixup
	LOAD	\load, 2 * \step, %o5, \fixup
	LOAD	\load, 3 * \step, %g1, \fixup
	LOAD	\load, 4 * \step, %g2, \fixup
	LOAD	\load, 5 * \step, %g3, \fixup
	LOAD	\load, 6 * \step, %g4, \fixup
	LOAD	\load, 7 * \step, %g5, \fixup
	STORE	\store, %o3, 0 * \step, \fixup
	STORE	\store, %o4, 1 * \step, \fixup
	STORE	\store, %o5, 2 * \step, \fixup
	STORE	\store, %g1, 3 * \step, \fixup
	STORE	\store, %g2, 4 * \step, \fixup
	STORE	\store, %g3, 5 * \step, \fixup
	STORE	\store, %g4, 6 * \step, \fixup
	STORE	\store, %g5, 7 * \step, \fixup
.endm

/*
 * (%o0 = to, %o1 = from, %o2 = n): words if both addresses are aligned alike,
 * else bytes. A fault in several is retried byte by byte, so that all that can
 * be copied is. Returns what is left.
 */
.macro COPY_USER
	xor	%o0, %o1, %o3
	andcc	%o3, 7, %g0
	bne,pn	%xcc, 4f
	 nop

1:	andcc	%o0, 7, %g0
	be,pt	%xcc, 2f
	 nop
	brz,pn	%o2, 6f
	 nop
	LOAD	ub, 0, %o3, 6f
	STORE	b, %o3, 0, 6f
	inc	%o0
	inc	%o1
	ba,pt	%xcc, 1b
	 dec	%o2

2:	cmp	%o2, 64
	blu,pn	%xcc, 3f
	 nop
	COPY_EIGHT x, x, 8, 5f
	add	%o0, 64, %o0
	add	%o1, 64, %o1
	ba,pt	%xcc, 2b
	 sub	%o2, 64, %o2

3:	cmp	%o2, 8
	blu,pn	%xcc, 5f
	 nop
	LOAD	x, 0, %o3, 5f
	STORE	x, %o3, 0, 5f
	add	%o0, 8, %o0
	add	%o1, 8, %o1
	ba,pt	%xcc, 3b
	 sub	%o2, 8, %o2

4:	cmp	%o2, 8
	blu,pn	%xcc, 5f
	 nop
	COPY_EIGHT ub, b, 1, 5f
	add	%o0, 8, %o0
	add	%o1, 8, %o1
	ba,pt	%xcc, 4b
	 sub	%o2, 8, %o2

5:	brz,pn	%o2, 6f
	 nop
	LOAD	ub, 0, %o3, 6f
	STORE	b, %o3, 0, 6f
	inc	%o0
	inc	%o1
	ba,pt	%xcc, 5b
	 dec	%o2

6:	retl
	 mov	%o2, %o0
.endm

	.set	to_user, 1
SYM_FUNC_START(raw_copy_to_user)
	COPY_USER
SYM_FUNC_END(raw_copy_to_user)

	.set	to_user, 0
SYM_FUNC_START(raw_copy_from_user)
	COPY_USER
SYM_FUNC_END(raw_copy_from_user)

/* clear_user_generic(to, n): returns how many bytes are left. */
SYM_FUNC_START(clear_user_generic)
1:	andcc	%o0, 7, %g0
	be,pt	%xcc, 2f
	 nop
	brz,pn	%o1, 4f
	 nop
	USER	4f
	stba %g0, [%o0] %asi
	inc	%o0
	ba,pt	%xcc, 1b
	 dec	%o1

2:	cmp	%o1, 8
	blu,pn	%xcc, 3f
	 nop
	USER	3f
	stxa %g0, [%o0] %asi
	add	%o0, 8, %o0
	ba,pt	%xcc, 2b
	 sub	%o1, 8, %o1

3:	brz,pn	%o1, 4f
	 nop
	USER	4f
	stba %g0, [%o0] %asi
	inc	%o0
	ba,pt	%xcc, 3b
	 dec	%o1

4:	retl
	 mov	%o1, %o0
SYM_FUNC_END(clear_user_generic)
