/* SPDX-License-Identifier: GPL-2.0-only */
/* Each page fault of a program writes its arguments into the trace. */
#include <linux/ftrace.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/trace_printk.h>

#include "ftrace_direct.h"

void my_direct_func(struct vm_area_struct *vma, unsigned long address,
		    unsigned int flags);

void my_direct_func(struct vm_area_struct *vma, unsigned long address,
		    unsigned int flags)
{
	trace_printk("handle mm fault vma=%p address=%lx flags=%x\n",
		     vma, address, flags);
}

DIRECT_TRAMP(my_tramp, my_direct_func);

static int __init ftrace_direct_init(void)
{
	return register_ftrace_direct((unsigned long)handle_mm_fault,
				      (unsigned long)my_tramp);
}
module_init(ftrace_direct_init);

static void __exit ftrace_direct_exit(void)
{
	unregister_ftrace_direct((unsigned long)handle_mm_fault,
				 (unsigned long)my_tramp);
}
module_exit(ftrace_direct_exit);

MODULE_LICENSE("GPL");
MODULE_AUTHOR("emu");
MODULE_DESCRIPTION("Has handle_mm_fault() call a function directly");
