/* SPDX-License-Identifier: GPL-2.0-only */
/* Programs that the kernel starts itself, as children of kernel threads. */
#ifndef _LINUX_UMH_H
#define _LINUX_UMH_H

#include <linux/gfp.h>
#include <linux/workqueue.h>

struct completion;

/* What the caller waits for. */
#define UMH_NO_WAIT	0x00
#define UMH_WAIT_EXEC	0x01	/* until the program has begun */
#define UMH_WAIT_PROC	0x02	/* until it has ended */
#define UMH_KILLABLE	0x04	/* or the caller is to end */

struct subprocess_info {
	struct work_struct work;
	struct completion *complete;	/* NULL: nobody waits */
	const char *path;
	const char *const *argv;
	const char *const *envp;
	int wait;
	int retval;
	void (*cleanup)(struct subprocess_info *info);
};

/*
 * A program to be executed, or NULL without memory. @argv and @envp are used
 * until @cleanup, which may be NULL, is called.
 */
struct subprocess_info *
call_usermodehelper_setup(const char *path, const char *const *argv,
			  const char *const *envp, gfp_t gfp_mask,
			  void (*cleanup)(struct subprocess_info *info));

/*
 * Executes it, and frees @sub_info when nobody needs it any more. An errno, or
 * with UMH_WAIT_PROC the program's wait status. Sleeps.
 */
int call_usermodehelper_exec(struct subprocess_info *sub_info, int wait);

#endif
