/* SPDX-License-Identifier: GPL-2.0-only */
/* Files whose text is made when they are read, record by record. */
#ifndef _LINUX_SEQ_FILE_H
#define _LINUX_SEQ_FILE_H

#include <linux/cpumask.h>
#include <linux/fs.h>
#include <linux/mutex.h>
#include <linux/string.h>
#include <linux/types.h>

#include <stdarg.h>

struct seq_operations;

/* count == size: the record did not fit, and is made again in a larger buf. */
struct seq_file {
	char		*buf;
	size_t		size;
	size_t		from;	/* what the reader has not had begins here */
	size_t		count;
	size_t		pad_until;
	loff_t		index;
	loff_t		read_pos;
	struct mutex	lock;
	const struct seq_operations *op;
	struct file	*file;
	void		*private;
};

/*
 * start and next return the record at *pos and after @v, NULL at the end, or
 * an errno; start may return SEQ_START_TOKEN for a heading. stop follows
 * whatever start returned.
 */
struct seq_operations {
	void *(*start)(struct seq_file *m, loff_t *pos);
	void (*stop)(struct seq_file *m, void *v);
	void *(*next)(struct seq_file *m, void *v, loff_t *pos);
	int (*show)(struct seq_file *m, void *v);
};

#define SEQ_SKIP	1	/* show's result: nothing of this record */
#define SEQ_START_TOKEN	((void *)1)

static inline bool seq_has_overflowed(const struct seq_file *m)
{
	return m->count == m->size;
}

int seq_open(struct file *file, const struct seq_operations *op);
void *__seq_open_private(struct file *file, const struct seq_operations *op,
			 int size);
int seq_open_private(struct file *file, const struct seq_operations *op,
		     int size);
ssize_t seq_read_iter(struct kiocb *iocb, struct iov_iter *iter);
loff_t seq_lseek(struct file *file, loff_t offset, int whence);
int seq_release(struct inode *inode, struct file *file);
int seq_release_private(struct inode *inode, struct file *file);

int single_open(struct file *file, int (*show)(struct seq_file *, void *),
		void *data);
int single_open_size(struct file *file, int (*show)(struct seq_file *, void *),
		     void *data, size_t size);
int single_release(struct inode *inode, struct file *file);

void seq_vprintf(struct seq_file *m, const char *fmt, va_list args)
	__printf(2, 0);
void seq_printf(struct seq_file *m, const char *fmt, ...) __printf(2, 3);
void seq_putc(struct seq_file *m, char c);
void seq_puts(struct seq_file *m, const char *s);
int seq_write(struct seq_file *m, const void *data, size_t len);
/* With the characters of @esc in octal. */
void seq_escape(struct seq_file *m, const char *s, const char *esc);
int seq_dentry(struct seq_file *m, const struct dentry *dentry,
	       const char *esc);
int seq_path(struct seq_file *m, const struct path *path, const char *esc);
int seq_path_root(struct seq_file *m, const struct path *path,
		  const struct path *root, const char *esc);
/* As a mask in hexadecimal words, and as "0-3,5". */
void seq_cpumask(struct seq_file *m, const struct cpumask *mask);
void seq_cpumask_list(struct seq_file *m, const struct cpumask *mask);
void seq_setwidth(struct seq_file *m, size_t size);
void seq_pad(struct seq_file *m, char c);

struct list_head *seq_list_start(struct list_head *head, loff_t pos);
struct list_head *seq_list_next(void *v, struct list_head *head, loff_t *pos);

#endif
