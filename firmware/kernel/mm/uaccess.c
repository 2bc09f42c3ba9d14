/* SPDX-License-Identifier: GPL-2.0-only */
/* Copying between the kernel and the running program. */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/uaccess.h>

unsigned long _copy_to_user(void __user *to, const void *from, unsigned long n)
{
	might_fault();
	return access_ok(to, n) ? raw_copy_to_user(to, from, n) : n;
}

/* What could not be copied reads as zeroes. */
unsigned long _copy_from_user(void *to, const void __user *from,
			      unsigned long n)
{
	unsigned long left = n;

	might_fault();
	if (access_ok(from, n))
		left = raw_copy_from_user(to, from, n);
	if (unlikely(left))
		memset(to + (n - left), 0, left);
	return left;
}

unsigned long clear_user(void __user *to, unsigned long n)
{
	might_fault();
	return access_ok(to, n) ? clear_user_generic(to, n) : n;
}

/* One byte of each page says it of all. */
size_t fault_in_readable(const char __user *uaddr, size_t size)
{
	const char __user *p = uaddr;
	char c;

	while (p < uaddr + size) {
		if (get_user(c, p))
			break;
		p = (const char __user *)PAGE_ALIGN((unsigned long)p + 1);
	}
	(void)c;
	return p < uaddr + size ? uaddr + size - p : 0;
}

/* Up to the next boundary: what follows it may not be mapped. */
static inline unsigned long chunk_at(unsigned long addr, unsigned long n)
{
	return min(n, 64 - addr % 64);
}

long strncpy_from_user(char *dst, const char __user *src, long count)
{
	unsigned long n, len;
	long done = 0;

	might_fault();
	while (done < count) {
		n = chunk_at((unsigned long)src + done, count - done);
		if (!access_ok(src + done, n) ||
		    raw_copy_from_user(dst + done, src + done, n))
			return -EFAULT;
		len = strnlen(dst + done, n);
		done += len;
		if (len < n)
			return done;
	}
	return done;
}

long strnlen_user(const char __user *str, long max)
{
	char buf[64];
	unsigned long n, len;
	long done = 0;

	while (done < max) {
		n = chunk_at((unsigned long)str + done, max - done);
		if (!access_ok(str + done, n) ||
		    raw_copy_from_user(buf, str + done, n))
			return 0;
		len = strnlen(buf, n);
		done += len;
		if (len < n)
			return done + 1;
	}
	return max + 1;
}
