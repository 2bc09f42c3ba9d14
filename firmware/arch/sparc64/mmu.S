/* SPDX-License-Identifier: GPL-2.0-only */
/* Setting the MMU globals, by which TLB misses are served. */
#include <linux/linkage.h>
#include <asm/pstate.h>

	.text

/* The argument becomes an MMU global. */
.macro SET_GLOBAL reg
	rdpr	%pstate, %o1
	wrpr	%o1, PSTATE_MG, %pstate
	mov	%o0, \reg
	retl
	 wrpr	%o1, 0, %pstate
.endm

/* load_direct_map_end(virtual): what lies above is not RAM. */
SYM_FUNC_START(load_direct_map_end)
	SET_GLOBAL %g4
SYM_FUNC_END(load_direct_map_end)

/* load_direct_map_tables(physical): what is mapped by small pages. */
SYM_FUNC_START(load_direct_map_tables)
	SET_GLOBAL %g7
SYM_FUNC_END(load_direct_map_tables)

/* load_page_table(physical): the user's, from the next TLB miss on. */
SYM_FUNC_START(load_page_table)
	SET_GLOBAL %g6
SYM_FUNC_END(load_page_table)
