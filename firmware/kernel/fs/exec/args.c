/* SPDX-License-Identifier: GPL-2.0-only */
/* Copying arguments and environment to the top of the new stack. */
#include <linux/err.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "args.h"

/* The string, NULL after the last, or ERR_PTR(-EFAULT). */
static inline const char __user *
get_user_arg_ptr(struct user_arg_ptr argv, int nr)
{
	const char __user *string;

	if (argv.kernel)
		return argv.kernel[nr];
	if (!argv.user)
		return NULL;
	if (get_user(string, argv.user + nr))
		return ERR_PTR(-EFAULT);
	return string;
}

int count(struct user_arg_ptr argv)
{
	for (int n = 0; n < MAX_ARG_STRINGS; n++) {
		const char __user *string = get_user_arg_ptr(argv, n);

		if (!string)
			return n;
		if (IS_ERR(string))
			return -EFAULT;
		if (signal_pending(current))
			return -EINTR;
	}
	return -E2BIG;
}

/* The new stack's page at @pos, with a reference. */
static struct page *get_arg_page(struct linux_binprm *bprm, unsigned long pos)
{
	struct mm_struct *mm = bprm->mm;
	struct page *page;
	long got;

	mmap_write_lock(mm);
	got = pos < bprm->vma->vm_start ? expand_stack(bprm->vma, pos) : 0;
	if (!got)
		got = get_user_pages_remote(mm, pos & PAGE_MASK, 1, FOLL_WRITE,
					    &page);
	mmap_write_unlock(mm);
	return got == 1 ? page : NULL;
}

/* Copies @len bytes, the NUL included, below what is there. */
static inline int push_string(struct linux_binprm *bprm, const char *string,
			      size_t len, bool user)
{
	unsigned long pos, end = bprm->p;

	if (len > MAX_ARG_STRLEN || len > bprm->p - bprm->argmin)
		return -E2BIG;
	bprm->p -= len;
	for (pos = bprm->p; pos < end;) {
		size_t n = min(end - pos, PAGE_SIZE - offset_in_page(pos));
		struct page *page = get_arg_page(bprm, pos);
		unsigned long left = 0;
		char *to;

		if (!page)
			return -ENOMEM;
		to = page_address(page) + offset_in_page(pos);
		if (user)
			left = copy_from_user(to, string, n);
		else
			memcpy(to, string, n);
		put_page(page);
		if (left)
			return -EFAULT;
		pos += n;
		string += n;
	}
	return 0;
}

int copy_string_kernel(const char *arg, struct linux_binprm *bprm)
{
	return push_string(bprm, arg, strlen(arg) + 1, false);
}

/* The last string comes first, at the top. */
int copy_strings(int argc, struct user_arg_ptr argv, struct linux_binprm *bprm)
{
	while (argc-- > 0) {
		const char __user *string = get_user_arg_ptr(argv, argc);
		long len;
		int err;

		if (IS_ERR_OR_NULL(string))
			return -EFAULT;
		if (argv.kernel) {
			err = copy_string_kernel(string, bprm);
		} else {
			len = strnlen_user(string, MAX_ARG_STRLEN);
			if (!len)
				return -EFAULT;
			err = push_string(bprm, string, len, true);
		}
		if (err)
			return err;
	}
	return 0;
}

/* Takes argv[0] off the stack again. */
int remove_arg_zero(struct linux_binprm *bprm)
{
	bool found = false;

	if (!bprm->argc)
		return 0;
	while (!found) {
		size_t left = PAGE_SIZE - offset_in_page(bprm->p), n;
		struct page *page = get_arg_page(bprm, bprm->p);
		const char *from;

		if (!page)
			return -EFAULT;
		from = page_address(page) + offset_in_page(bprm->p);
		n = strnlen(from, left);
		found = n < left;
		put_page(page);
		bprm->p += found ? n + 1 : n;
	}
	bprm->argc--;
	return 0;
}
