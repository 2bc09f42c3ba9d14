/* SPDX-License-Identifier: GPL-2.0-only */
/* Between a variable and the text of its file. */
#include <linux/ctype.h>
#include <linux/errno.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/sysctl.h>

const int sysctl_vals[] = { 0, 1, 2, 3, 4, 100, 1000, INT_MAX };

/* The longest number: a sign, the digits of 2^64 in octal, a zero before. */
#define NUMBER_MAX	24

/* One number of a text: its sign and its value, before bounds and units. */
struct number {
	bool		negative;
	unsigned long	value;
};

/*
 * How the elements of a vector are kept. store gives -EINVAL for what may not
 * be stored.
 */
struct vector {
	size_t	size;
	int	(*store)(const struct ctl_table *table, void *element,
			 const struct number *n);
	void	(*load)(const void *element, struct number *n);
};

static bool ends_number(char c)
{
	return !c || c == ' ' || c == '\t' || c == '\n';
}

/* Cuts a number off the text; -EINVAL if it does not begin with one. */
static int proc_get_long(char **text, size_t *left, struct number *n)
{
	char copy[NUMBER_MAX], *p = copy;
	size_t len = 0;

	while (len < *left && !ends_number((*text)[len]))
		len++;
	if (!len || len >= sizeof(copy))
		return -EINVAL;
	memcpy(copy, *text, len);
	copy[len] = '\0';
	n->negative = *p == '-';
	p += n->negative;
	if (!isdigit(*p) || kstrtoul(p, 0, &n->value))
		return -EINVAL;
	*text += len;
	*left -= len;
	return 0;
}

static void skip_blanks(char **text, size_t *left)
{
	while (*left && isspace(**text)) {
		++*text;
		--*left;
	}
}

/* As many numbers as there are, or as there is room for. */
static int write_vector(struct ctl_table *table, const struct vector *v,
			char *text, size_t left)
{
	char *element = table->data, *end = element + table->maxlen;
	struct number n;
	bool any = false;
	int err;

	skip_blanks(&text, &left);
	while (left && *text && element < end) {
		err = proc_get_long(&text, &left, &n);
		if (!err)
			err = v->store(table, element, &n);
		if (err)
			return err;
		any = true;
		element += v->size;
		skip_blanks(&text, &left);
	}
	return any ? 0 : -EINVAL;
}

static void read_vector(const struct ctl_table *table, const struct vector *v,
			char *text, size_t *lenp)
{
	const char *element = table->data, *end = element + table->maxlen;
	size_t size = *lenp, len = 0;
	struct number n;

	for (; element < end; element += v->size) {
		v->load(element, &n);
		len += scnprintf(text + len, size - len, "%s%s%lu",
				 len ? "\t" : "", n.negative ? "-" : "",
				 n.value);
	}
	len += scnprintf(text + len, size - len, "\n");
	*lenp = len;
}

/*
 * All of the text comes in one write and goes in one read: what would follow
 * is empty, or ignored.
 */
static int do_vector(struct ctl_table *table, const struct vector *v, int write,
		     void *buffer, size_t *lenp, loff_t *ppos)
{
	int err = 0;

	if (!table->data || !table->maxlen || !*lenp || (*ppos && !write)) {
		*lenp = 0;
		return 0;
	}
	if (!write)
		read_vector(table, v, buffer, lenp);
	else if (!*ppos)
		err = write_vector(table, v, buffer, *lenp);
	if (!err)
		*ppos += *lenp;
	return err;
}

static int in_bounds(const struct ctl_table *table, long value)
{
	if (table->extra1 && value < *(const int *)table->extra1)
		return -EINVAL;
	if (table->extra2 && value > *(const int *)table->extra2)
		return -EINVAL;
	return 0;
}

static int to_int(const struct number *n, int *value)
{
	if (n->value > (unsigned long)INT_MAX + n->negative)
		return -EINVAL;
	*value = n->negative ? -n->value : n->value;
	return 0;
}

static int store_int(const struct ctl_table *table, void *element,
		     const struct number *n)
{
	int value, err = to_int(n, &value);

	if (!err)
		WRITE_ONCE(*(int *)element, value);
	return err;
}

static int store_int_minmax(const struct ctl_table *table, void *element,
			    const struct number *n)
{
	int value, err = to_int(n, &value);

	if (!err)
		err = in_bounds(table, value);
	if (!err)
		WRITE_ONCE(*(int *)element, value);
	return err;
}

static void load_int(const void *element, struct number *n)
{
	int value = READ_ONCE(*(const int *)element);

	n->negative = value < 0;
	n->value = value < 0 ? -(long)value : value;
}

static int store_uint_minmax(const struct ctl_table *table, void *element,
			     const struct number *n)
{
	const unsigned int *least = table->extra1, *greatest = table->extra2;

	if (n->negative || n->value > UINT_MAX)
		return -EINVAL;
	if ((least && n->value < *least) || (greatest && n->value > *greatest))
		return -ERANGE;
	WRITE_ONCE(*(unsigned int *)element, n->value);
	return 0;
}

static void load_uint(const void *element, struct number *n)
{
	n->negative = false;
	n->value = READ_ONCE(*(const unsigned int *)element);
}

#define DEFINE_HANDLER(name, type, store, load)				\
	int name(struct ctl_table *table, int write, void *buffer,	\
		 size_t *lenp, loff_t *ppos)				\
	{								\
		static const struct vector v = {			\
			sizeof(type), store, load			\
		};							\
									\
		return do_vector(table, &v, write, buffer, lenp, ppos);	\
	}

DEFINE_HANDLER(proc_dointvec, int, store_int, load_int)
DEFINE_HANDLER(proc_dointvec_minmax, int, store_int_minmax, load_int)
DEFINE_HANDLER(proc_douintvec_minmax, unsigned int, store_uint_minmax,
	       load_uint)

/* A line. What is written ends at its newline, and where there is no room. */
int proc_dostring(struct ctl_table *table, int write, void *buffer,
		  size_t *lenp, loff_t *ppos)
{
	char *data = table->data, *text = buffer;
	size_t len;

	if (!data || !table->maxlen || !*lenp || (*ppos && !write)) {
		*lenp = 0;
		return 0;
	}
	if (!write) {
		len = strnlen(data, table->maxlen);
		*lenp = scnprintf(text, *lenp, "%.*s\n", (int)len, data);
		*ppos += *lenp;
		return 0;
	}
	if (!*ppos) {
		for (len = 0; len < *lenp && len < table->maxlen - 1; len++)
			if (!text[len] || text[len] == '\n')
				break;
		memcpy(data, text, len);
		data[len] = '\0';
	}
	*ppos += *lenp;
	return 0;
}
