/* SPDX-License-Identifier: GPL-2.0-only */
/* Files made of records: reading them in pieces, and seeking. */
#include <linux/errno.h>
#include <linux/fs.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/uio.h>

static struct kmem_cache *seq_file_cache;

static void *seq_buf_alloc(size_t size)
{
	return size > KMALLOC_MAX_SIZE ? NULL : kmalloc(size, GFP_KERNEL);
}

int seq_open(struct file *file, const struct seq_operations *op)
{
	struct seq_file *m = kmem_cache_zalloc(seq_file_cache, GFP_KERNEL);

	if (!m)
		return -ENOMEM;
	file->private_data = m;
	mutex_init(&m->lock);
	m->op = op;
	m->file = file;
	return 0;
}

static int seq_ensure_buf(struct seq_file *m)
{
	if (m->buf)
		return 0;
	m->size = PAGE_SIZE;
	m->buf = seq_buf_alloc(m->size);
	return m->buf ? 0 : -ENOMEM;
}

/* Twice as large, and empty: the record at hand did not fit. */
static int seq_grow_buf(struct seq_file *m)
{
	kfree(m->buf);
	m->count = 0;
	m->size *= 2;
	m->buf = seq_buf_alloc(m->size);
	return m->buf ? 0 : -ENOMEM;
}

/*
 * Makes the record at m->index or, if that and more say nothing, a later one.
 * Returns it, started; NULL at the end, or an errno: then all is stopped.
 */
static void *seq_first_record(struct seq_file *m)
{
	void *p = m->op->start(m, &m->index);
	int err;

	for (;;) {
		err = PTR_ERR_OR_ZERO(p);
		if (err || !p)
			break;
		err = m->op->show(m, p);
		if (err < 0)
			break;
		if (err)
			m->count = 0;
		if (!m->count) {
			p = m->op->next(m, p, &m->index);
			continue;
		}
		if (!seq_has_overflowed(m))
			return p;
		m->op->stop(m, p);
		err = seq_grow_buf(m);
		if (err)
			return ERR_PTR(err);
		p = m->op->start(m, &m->index);
	}
	m->op->stop(m, p);
	m->count = 0;
	return ERR_PTR(err);
}

/* Adds records after @p while they fit and are asked for; stops. */
static int seq_more_records(struct seq_file *m, void *p, size_t wanted)
{
	int err = 0;

	for (;;) {
		size_t offset = m->count;
		loff_t pos = m->index;

		p = m->op->next(m, p, &m->index);
		if (pos == m->index)
			m->index++;	/* or there would be no end */
		err = PTR_ERR_OR_ZERO(p);
		if (err || !p || m->count >= wanted)
			break;
		err = m->op->show(m, p);
		if (err > 0) {
			m->count = offset;
		} else if (err || seq_has_overflowed(m)) {
			m->count = offset;
			break;
		}
	}
	m->op->stop(m, p);
	return err < 0 ? err : 0;
}

/* To where @offset bytes of text have been passed. */
static int traverse(struct seq_file *m, loff_t offset)
{
	loff_t pos = 0;
	void *p;
	int err = seq_ensure_buf(m);

	m->index = 0;
	m->count = m->from = 0;
	if (!offset || err)
		return err;
	p = m->op->start(m, &m->index);
	while (p) {
		err = PTR_ERR_OR_ZERO(p);
		if (!err)
			err = m->op->show(m, p);
		if (err < 0)
			break;
		if (err) {
			err = 0;
			m->count = 0;
		}
		if (seq_has_overflowed(m)) {
			m->op->stop(m, p);
			err = seq_grow_buf(m);
			return err ? err : -EAGAIN;
		}
		p = m->op->next(m, p, &m->index);
		if (pos + (loff_t)m->count > offset) {
			m->from = offset - pos;
			m->count -= m->from;
			break;
		}
		pos += m->count;
		m->count = 0;
		if (pos == offset)
			break;
	}
	m->op->stop(m, p);
	return err;
}

static int seq_move_to(struct seq_file *m, loff_t offset)
{
	int err;

	do {
		err = traverse(m, offset);
	} while (err == -EAGAIN);
	m->read_pos = err ? 0 : offset;
	if (err) {
		m->index = 0;
		m->count = 0;
	}
	return err;
}

/* What is in the buffer, as far as it fits. */
static size_t seq_flush(struct seq_file *m, struct iov_iter *iter)
{
	size_t n = copy_to_iter(m->buf + m->from, m->count, iter);

	m->count -= n;
	m->from += n;
	return n;
}

ssize_t seq_read_iter(struct kiocb *iocb, struct iov_iter *iter)
{
	struct seq_file *m = iocb->ki_filp->private_data;
	ssize_t copied = 0;
	void *p;
	int err;

	if (!iov_iter_count(iter))
		return 0;
	mutex_lock(&m->lock);
	if (iocb->ki_pos == 0) {
		m->index = 0;
		m->count = 0;
	}
	err = iocb->ki_pos == m->read_pos ? seq_ensure_buf(m) :
					    seq_move_to(m, iocb->ki_pos);
	if (err)
		goto done;
	if (m->count) {
		copied = seq_flush(m, iter);
		if (m->count || !iov_iter_count(iter))
			goto done;
	}
	m->from = 0;
	p = seq_first_record(m);
	if (IS_ERR_OR_NULL(p)) {
		err = PTR_ERR_OR_ZERO(p);
		goto done;
	}
	err = seq_more_records(m, p, iov_iter_count(iter));
	copied += seq_flush(m, iter);
done:
	if (copied) {
		iocb->ki_pos += copied;
		m->read_pos += copied;
	} else if (m->count) {
		copied = -EFAULT;
	} else {
		copied = err;
	}
	mutex_unlock(&m->lock);
	return copied;
}

loff_t seq_lseek(struct file *file, loff_t offset, int whence)
{
	struct seq_file *m = file->private_data;
	loff_t ret = -EINVAL;
	int err;

	mutex_lock(&m->lock);
	if (whence == SEEK_CUR)
		offset += file->f_pos;
	if ((whence == SEEK_SET || whence == SEEK_CUR) && offset >= 0) {
		ret = offset;
		if (offset != m->read_pos) {
			err = seq_move_to(m, offset);
			if (err)
				ret = err;
			file->f_pos = err ? 0 : offset;
		} else {
			file->f_pos = offset;
		}
	}
	mutex_unlock(&m->lock);
	return ret;
}

int seq_release(struct inode *inode, struct file *file)
{
	struct seq_file *m = file->private_data;

	kfree(m->buf);
	kmem_cache_free(seq_file_cache, m);
	return 0;
}

int seq_release_private(struct inode *inode, struct file *file)
{
	struct seq_file *m = file->private_data;

	kfree(m->private);
	m->private = NULL;
	return seq_release(inode, file);
}

/* With @size bytes, zeroed, for the iteration's state; returns them or NULL. */
void *__seq_open_private(struct file *file, const struct seq_operations *op,
			 int size)
{
	void *private = kzalloc(size, GFP_KERNEL);

	if (!private)
		return NULL;
	if (seq_open(file, op)) {
		kfree(private);
		return NULL;
	}
	((struct seq_file *)file->private_data)->private = private;
	return private;
}

int seq_open_private(struct file *file, const struct seq_operations *op,
		     int size)
{
	return __seq_open_private(file, op, size) ? 0 : -ENOMEM;
}

/* Files of one record. */
static void *single_start(struct seq_file *m, loff_t *pos)
{
	return *pos ? NULL : SEQ_START_TOKEN;
}

static void *single_next(struct seq_file *m, void *v, loff_t *pos)
{
	++*pos;
	return NULL;
}

static void single_stop(struct seq_file *m, void *v)
{
}

int single_open(struct file *file, int (*show)(struct seq_file *, void *),
		void *data)
{
	struct seq_operations *op = kzalloc(sizeof(*op), GFP_KERNEL);
	int err;

	if (!op)
		return -ENOMEM;
	op->start = single_start;
	op->next = single_next;
	op->stop = single_stop;
	op->show = show;
	err = seq_open(file, op);
	if (err)
		kfree(op);
	else
		((struct seq_file *)file->private_data)->private = data;
	return err;
}

/* For a text that will be as large as that. */
int single_open_size(struct file *file, int (*show)(struct seq_file *, void *),
		     void *data, size_t size)
{
	char *buf = seq_buf_alloc(size);
	int err;

	if (!buf)
		return -ENOMEM;
	err = single_open(file, show, data);
	if (err) {
		kfree(buf);
		return err;
	}
	((struct seq_file *)file->private_data)->buf = buf;
	((struct seq_file *)file->private_data)->size = size;
	return 0;
}

int single_release(struct inode *inode, struct file *file)
{
	const struct seq_operations *op =
		((struct seq_file *)file->private_data)->op;

	seq_release(inode, file);
	kfree(op);
	return 0;
}

struct list_head *seq_list_start(struct list_head *head, loff_t pos)
{
	struct list_head *entry;

	for (entry = head->next; entry != head; entry = entry->next)
		if (pos-- == 0)
			return entry;
	return NULL;
}

struct list_head *seq_list_next(void *v, struct list_head *head, loff_t *pos)
{
	struct list_head *entry = ((struct list_head *)v)->next;

	++*pos;
	return entry == head ? NULL : entry;
}

static int __init seq_file_init(void)
{
	seq_file_cache = KMEM_CACHE(seq_file, SLAB_PANIC);
	return 0;
}
early_initcall(seq_file_init);
