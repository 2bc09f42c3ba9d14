/* SPDX-License-Identifier: GPL-2.0-only */
/* What a record's show puts into its file's text. */
#include <linux/errno.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/seq_file.h>

static inline void seq_set_overflow(struct seq_file *m)
{
	m->count = m->size;
}

void seq_vprintf(struct seq_file *m, const char *fmt, va_list args)
{
	size_t room = m->size - m->count;
	size_t len;

	if (!room)
		return;
	len = vsnprintf(m->buf + m->count, room, fmt, args);
	if (len < room)
		m->count += len;
	else
		seq_set_overflow(m);
}

void seq_printf(struct seq_file *m, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	seq_vprintf(m, fmt, args);
	va_end(args);
}

void seq_putc(struct seq_file *m, char c)
{
	if (m->count < m->size)
		m->buf[m->count++] = c;
}

int seq_write(struct seq_file *m, const void *data, size_t len)
{
	if (m->count + len >= m->size) {
		seq_set_overflow(m);
		return -1;
	}
	memcpy(m->buf + m->count, data, len);
	m->count += len;
	return 0;
}

void seq_puts(struct seq_file *m, const char *s)
{
	seq_write(m, s, strlen(s));
}

/* Copies text that has a name's bytes, with those of @esc in octal. */
static void seq_escape_mem(struct seq_file *m, const char *s, size_t len,
			   const char *esc)
{
	for (; len; len--, s++) {
		if (*s && strchr(esc, *s))
			seq_printf(m, "\\%03o", (unsigned char)*s);
		else
			seq_putc(m, *s);
	}
}

void seq_escape(struct seq_file *m, const char *s, const char *esc)
{
	seq_escape_mem(m, s, strlen(s), esc);
}

/* Adds a path that @name writes at the end of a buffer. */
static int seq_add_path(struct seq_file *m, const char *esc,
			char *(*name)(const void *what, const void *from,
				      char *buf, int len),
			const void *what, const void *from)
{
	char *page = (char *)__get_free_page(GFP_KERNEL), *p;
	int err = -ENOMEM;

	if (!page)
		return err;
	p = name(what, from, page, PATH_MAX);
	err = PTR_ERR_OR_ZERO(p);
	if (p && !err)
		seq_escape(m, p, esc);
	free_page((unsigned long)page);
	return err ? err : p ? 0 : SEQ_SKIP;
}

static char *name_of_path(const void *what, const void *from, char *buf,
			  int len)
{
	return d_path(what, buf, len);
}

static char *name_from_root(const void *what, const void *from, char *buf,
			    int len)
{
	return __d_path(what, from, buf, len);
}

int seq_path(struct seq_file *m, const struct path *path, const char *esc)
{
	return seq_add_path(m, esc, name_of_path, path, NULL);
}

static char *name_of_dentry(const void *what, const void *from, char *buf,
			    int len)
{
	return dentry_path(what, buf, len);
}

/* Its path within its file system. */
int seq_dentry(struct seq_file *m, const struct dentry *dentry,
	       const char *esc)
{
	return seq_add_path(m, esc, name_of_dentry, dentry, NULL);
}

/* SEQ_SKIP if it is not below @root. */
int seq_path_root(struct seq_file *m, const struct path *path,
		  const struct path *root, const char *esc)
{
	return seq_add_path(m, esc, name_from_root, path, root);
}

/* What follows is padded to @size columns by seq_pad(). */
void seq_setwidth(struct seq_file *m, size_t size)
{
	m->pad_until = m->count + size;
}

void seq_pad(struct seq_file *m, char c)
{
	while (m->count < m->pad_until && !seq_has_overflowed(m))
		seq_putc(m, ' ');
	if (c)
		seq_putc(m, c);
}

void seq_cpumask(struct seq_file *m, const struct cpumask *mask)
{
	int words = DIV_ROUND_UP(nr_cpu_ids, 32);

	for (int i = words - 1; i >= 0; i--) {
		unsigned int word = mask->bits[i / 2] >> (i % 2 * 32);
		int digits = 8;

		if (i == words - 1 && nr_cpu_ids % 32) {
			word &= (1U << nr_cpu_ids % 32) - 1;
			digits = DIV_ROUND_UP(nr_cpu_ids % 32, 4);
		}
		seq_printf(m, "%0*x%s", digits, word, i ? "," : "");
	}
}

void seq_cpumask_list(struct seq_file *m, const struct cpumask *mask)
{
	unsigned int first, last = 0;
	const char *comma = "";

	for (first = cpumask_first(mask); first < nr_cpu_ids;
	     first = cpumask_next(last, mask)) {
		last = first;
		while (last + 1 < nr_cpu_ids && cpumask_test_cpu(last + 1, mask))
			last++;
		seq_printf(m, "%s%u", comma, first);
		if (last != first)
			seq_printf(m, "-%u", last);
		comma = ",";
	}
}
