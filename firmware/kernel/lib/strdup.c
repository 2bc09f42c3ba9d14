/* SPDX-License-Identifier: GPL-2.0-only */
/* Copies of strings and buffers in memory of their own. */
#include <linux/err.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

void *kmemdup(const void *src, size_t len, gfp_t gfp)
{
	void *copy = kmalloc(len, gfp);

	return copy ? memcpy(copy, src, len) : NULL;
}

char *kstrdup(const char *s, gfp_t gfp)
{
	return s ? kmemdup(s, strlen(s) + 1, gfp) : NULL;
}

void *memdup_user(const void __user *src, size_t len)
{
	void *copy = kmalloc(len, GFP_KERNEL);

	if (!copy)
		return ERR_PTR(-ENOMEM);
	if (copy_from_user(copy, src, len)) {
		kfree(copy);
		return ERR_PTR(-EFAULT);
	}
	return copy;
}

/* The same with a NUL after it. */
void *memdup_user_nul(const void __user *src, size_t len)
{
	char *copy = kmalloc(len + 1, GFP_KERNEL);

	if (!copy)
		return ERR_PTR(-ENOMEM);
	if (copy_from_user(copy, src, len)) {
		kfree(copy);
		return ERR_PTR(-EFAULT);
	}
	copy[len] = '\0';
	return copy;
}

/* -EINVAL if it is @n bytes or longer with its NUL. */
char *strndup_user(const char __user *s, long n)
{
	long size = strnlen_user(s, n);
	char *copy;

	if (!size)
		return ERR_PTR(-EFAULT);
	if (size > n)
		return ERR_PTR(-EINVAL);
	copy = memdup_user(s, size);
	if (!IS_ERR(copy))
		copy[size - 1] = '\0';
	return copy;
}
