/* SPDX-License-Identifier: GPL-2.0-only */
/* Copies of strings and buffers in memory of their own. */
#include <linux/err.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

void *kmemdup(const void *src, size_t len, gfp_t gfp)
{
	void *copy = kmalloc_track_caller(len, gfp);

	return copy ? memcpy(copy, src, len) : NULL;
}

char *kstrdup(const char *s, gfp_t gfp)
{
	size_t len;
	char *copy;

	if (!s)
		return NULL;
	len = strlen(s) + 1;
	copy = kmalloc_track_caller(len, gfp);
	return copy ? memcpy(copy, s, len) : NULL;
}

void *memdup_user(const void __user *src, size_t len)
{
	void *copy = kmalloc_track_caller(len, GFP_KERNEL);

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
	char *copy = kmalloc_track_caller(len + 1, GFP_KERNEL);

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
