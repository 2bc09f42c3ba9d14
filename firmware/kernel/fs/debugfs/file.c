/* SPDX-License-Identifier: GPL-2.0-only */
/* debugfs's files of one variable. */
#include <linux/debugfs.h>
#include <linux/errno.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/uaccess.h>

/* The longest text of a number, with its newline. */
#define ATTR_SIZE_MAX	24

/* What a file is read and written by; its file's i_private is the variable. */
struct attr_kind {
	int	(*format)(char *buf, size_t size, const void *value);
	int	(*parse)(const char *text, void *value);
};

static ssize_t attr_read(struct file *file, char __user *buf, size_t size,
			 loff_t *pos, const struct attr_kind *kind)
{
	char text[ATTR_SIZE_MAX];
	int len = kind->format(text, sizeof(text),
			       file_inode(file)->i_private);

	return simple_read_from_buffer(buf, size, pos, text, len);
}

static ssize_t attr_write(struct file *file, const char __user *buf,
			  size_t size, loff_t *pos,
			  const struct attr_kind *kind)
{
	char text[ATTR_SIZE_MAX];
	int err;

	if (size >= sizeof(text))
		return -EINVAL;
	if (copy_from_user(text, buf, size))
		return -EFAULT;
	text[size] = '\0';
	err = kind->parse(strim(text), file_inode(file)->i_private);
	return err ? err : (ssize_t)size;
}

/* One kind: its variable's type, and how a number is formatted. */
#define DEFINE_ATTR(name, type, fmt, cast)				\
static int name##_format(char *buf, size_t size, const void *value)	\
{									\
	return scnprintf(buf, size, fmt "\n",				\
			 (cast)READ_ONCE(*(const type *)value));	\
}									\
									\
static int name##_parse(const char *text, void *value)			\
{									\
	unsigned long long n;						\
	int err = kstrtoull(text, 0, &n);				\
									\
	if (!err && n != (type)n)					\
		err = -ERANGE;						\
	if (!err)							\
		WRITE_ONCE(*(type *)value, n);				\
	return err;							\
}									\
									\
DEFINE_FOPS(name)							\
									\
void debugfs_create_##name(const char *file, umode_t mode,		\
			   struct dentry *parent, type *value)		\
{									\
	debugfs_create_file(file, mode, parent, value, &fops_##name);	\
}

#define DEFINE_FOPS(name)						\
static const struct attr_kind name##_kind = {				\
	name##_format, name##_parse,					\
};									\
									\
static ssize_t name##_read(struct file *file, char __user *buf,	\
			   size_t size, loff_t *pos)			\
{									\
	return attr_read(file, buf, size, pos, &name##_kind);		\
}									\
									\
static ssize_t name##_write(struct file *file, const char __user *buf,	\
			    size_t size, loff_t *pos)			\
{									\
	return attr_write(file, buf, size, pos, &name##_kind);		\
}									\
									\
static const struct file_operations fops_##name = {			\
	.open	= simple_open,						\
	.read	= name##_read,						\
	.write	= name##_write,						\
	.llseek	= generic_file_llseek,					\
};

DEFINE_ATTR(u8, u8, "%u", unsigned int)
DEFINE_ATTR(u16, u16, "%u", unsigned int)
DEFINE_ATTR(u32, u32, "%u", unsigned int)
DEFINE_ATTR(u64, u64, "%lu", unsigned long)
DEFINE_ATTR(ulong, unsigned long, "%lu", unsigned long)
DEFINE_ATTR(x32, u32, "0x%08x", unsigned int)
DEFINE_ATTR(x64, u64, "0x%016lx", unsigned long)

static int atomic_t_format(char *buf, size_t size, const void *value)
{
	return scnprintf(buf, size, "%d\n",
			 atomic_read((const atomic_t *)value));
}

static int atomic_t_parse(const char *text, void *value)
{
	int n, err = kstrtoint(text, 0, &n);

	if (!err)
		atomic_set((atomic_t *)value, n);
	return err;
}

DEFINE_FOPS(atomic_t)

void debugfs_create_atomic_t(const char *name, umode_t mode,
			     struct dentry *parent, atomic_t *value)
{
	debugfs_create_file(name, mode, parent, value, &fops_atomic_t);
}

static int bool_format(char *buf, size_t size, const void *value)
{
	return scnprintf(buf, size, "%c\n",
			 READ_ONCE(*(const bool *)value) ? 'Y' : 'N');
}

static int bool_parse(const char *text, void *value)
{
	bool b;

	/* What is no truth value changes nothing, and is no error. */
	if (!kstrtobool(text, &b))
		WRITE_ONCE(*(bool *)value, b);
	return 0;
}

DEFINE_FOPS(bool)

void debugfs_create_bool(const char *name, umode_t mode, struct dentry *parent,
			 bool *value)
{
	debugfs_create_file(name, mode, parent, value, &fops_bool);
}
