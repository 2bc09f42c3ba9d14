/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel's variables as files below /proc/sys. */
#ifndef _LINUX_SYSCTL_H
#define _LINUX_SYSCTL_H

#include <linux/list.h>
#include <linux/types.h>

struct ctl_dir;
struct ctl_table;

/*
 * Reads into or writes from @buffer, a kernel's, of *lenp bytes; *lenp becomes
 * what was read or taken.
 */
typedef int proc_handler(struct ctl_table *table, int write, void *buffer,
			 size_t *lenp, loff_t *ppos);

int proc_dostring(struct ctl_table *, int, void *, size_t *, loff_t *);
int proc_dointvec(struct ctl_table *, int, void *, size_t *, loff_t *);
int proc_dointvec_minmax(struct ctl_table *, int, void *, size_t *, loff_t *);
int proc_douintvec_minmax(struct ctl_table *, int, void *, size_t *, loff_t *);

/* One file. An array of them ends with one that has no name. */
struct ctl_table {
	const char	*procname;
	void		*data;
	int		maxlen;		/* of data */
	umode_t		mode;
	proc_handler	*proc_handler;
	void		*extra1;	/* the least value, or NULL */
	void		*extra2;	/* the greatest */
};

/* A bound of an int, or of an unsigned int. */
extern const int sysctl_vals[];
#define SYSCTL_ZERO		((void *)&sysctl_vals[0])
#define SYSCTL_ONE		((void *)&sysctl_vals[1])
#define SYSCTL_TWO		((void *)&sysctl_vals[2])
#define SYSCTL_THREE		((void *)&sysctl_vals[3])
#define SYSCTL_FOUR		((void *)&sysctl_vals[4])
#define SYSCTL_ONE_HUNDRED	((void *)&sysctl_vals[5])
#define SYSCTL_ONE_THOUSAND	((void *)&sysctl_vals[6])
#define SYSCTL_INT_MAX		((void *)&sysctl_vals[7])

struct ctl_table_header;

/* Files in the directory @path of /proc/sys; NULL if that fails. */
struct ctl_table_header *register_sysctl(const char *path,
					 struct ctl_table *table);
void unregister_sysctl_table(struct ctl_table_header *header);
/* For those who stay: it ends the machine if it fails. */
void register_sysctl_init(const char *path, struct ctl_table *table);

/* For /proc's inodes. */
void sysctl_head_put(struct ctl_table_header *header);

#endif
