/* SPDX-License-Identifier: GPL-2.0-only */
/* The system calls of modules: where files come from. */
#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/syscalls.h>
#include <linux/uaccess.h>
#include "internal.h"

#define MODULE_ARGS_MAX	4096

static char *copy_args(const char __user *uargs)
{
	char *args = kmalloc(MODULE_ARGS_MAX, GFP_KERNEL);
	long len;

	if (!args)
		return ERR_PTR(-ENOMEM);
	len = strncpy_from_user(args, uargs, MODULE_ARGS_MAX);
	if (len < 0 || len == MODULE_ARGS_MAX) {
		kfree(args);
		return ERR_PTR(len < 0 ? len : -E2BIG);
	}
	return args;
}

static int load_copy(struct load_info *info, const char __user *uargs)
{
	char *args = copy_args(uargs);
	int err;

	if (IS_ERR(args))
		err = PTR_ERR(args);
	else
		err = load_module(info, args);
	kfree(info->hdr);
	return err;
}

SYSCALL_DEFINE3(init_module, void __user *, umod, unsigned long, len,
		const char __user *, uargs)
{
	struct load_info info = { .len = len };

	if (len < sizeof(struct elf64_hdr))
		return -ENOEXEC;
	if (len > MODULE_FILE_MAX)
		return -ENOMEM;
	info.hdr = kmalloc(len, GFP_KERNEL);
	if (!info.hdr)
		return -ENOMEM;
	if (copy_from_user(info.hdr, umod, len)) {
		kfree(info.hdr);
		return -EFAULT;
	}
	return load_copy(&info, uargs);
}

/* The whole file, which must be one. */
static int read_module(struct file *file, struct load_info *info)
{
	loff_t size = i_size_read(file_inode(file)), pos = 0;
	ssize_t got;

	if (!S_ISREG(file_inode(file)->i_mode) || size <= 0)
		return -EINVAL;
	if (size > (loff_t)MODULE_FILE_MAX)
		return -EFBIG;
	info->hdr = kmalloc(size, GFP_KERNEL);
	if (!info->hdr)
		return -ENOMEM;
	while (pos < size) {
		got = kernel_read(file, (void *)info->hdr + pos, size - pos,
				  &pos);
		if (got <= 0) {
			kfree(info->hdr);
			return got < 0 ? got : -EIO;
		}
	}
	info->len = size;
	return 0;
}

SYSCALL_DEFINE3(finit_module, int, fd, const char __user *, uargs, int, flags)
{
	struct load_info info = {
		.ignore_vermagic = flags & MODULE_INIT_IGNORE_VERMAGIC,
	};
	struct fd f;
	int err;

	if (flags & ~(MODULE_INIT_IGNORE_MODVERSIONS |
		      MODULE_INIT_IGNORE_VERMAGIC))
		return -EINVAL;
	f = fdget(fd);
	if (!f.file)
		return -EBADF;
	err = read_module(f.file, &info);
	fdput(f);
	return err ? err : load_copy(&info, uargs);
}

SYSCALL_DEFINE2(delete_module, const char __user *, name_user, unsigned int,
		flags)
{
	char name[MODULE_NAME_LEN];
	long len = strncpy_from_user(name, name_user, MODULE_NAME_LEN);

	if (len < 0)
		return len;
	if (len == MODULE_NAME_LEN)
		return -ENOENT;
	return delete_module(name);
}
