/* SPDX-License-Identifier: GPL-2.0-only */
/* Path names: fetched from user space, and walked to a dentry. */
#ifndef _LINUX_NAMEI_H
#define _LINUX_NAMEI_H

#include <linux/fs.h>
#include <linux/limits.h>

/* How to walk */
#define LOOKUP_FOLLOW		0x0001	/* follow a link at the end */
#define LOOKUP_DIRECTORY	0x0002	/* the end must be a directory */
#define LOOKUP_AUTOMOUNT	0x0004	/* mount what is there to be mounted */
#define LOOKUP_PARENT		0x0010	/* it is not the end of the path */
#define LOOKUP_EMPTY		0x4000	/* "" means the starting point */
#define LOOKUP_MOUNTPOINT	0x0080	/* to unmount it: mount nothing */
/* What a directory's lookup and d_revalidate may want to know */
#define LOOKUP_OPEN		0x0100
#define LOOKUP_CREATE		0x0200
#define LOOKUP_EXCL		0x0400
#define LOOKUP_RENAME_TARGET	0x0800

/* A path name in the kernel. */
struct filename {
	char	iname[PATH_MAX];
};

struct open_flags {
	int		open_flag;
	umode_t		mode;
	int		acc_mode;
	unsigned int	intent;		/* LOOKUP_OPEN and more */
	unsigned int	lookup_flags;
};

struct filename *getname(const char __user *filename);
struct filename *getname_flags(const char __user *filename, int flags);
struct filename *getname_kernel(const char *filename);
void putname(struct filename *name);

struct file *do_filp_open(int dfd, struct filename *name,
			  const struct open_flags *op);
int filename_lookup(int dfd, struct filename *name, unsigned int flags,
		    struct path *path);
int user_path_at(int dfd, const char __user *name, unsigned int flags,
		 struct path *path);

/* With the directory locked. */
struct dentry *lookup_one_len(const char *name, struct dentry *base, int len);

/* The same for a name in the kernel. */
int kern_path(const char *name, unsigned int flags, struct path *path);

/* The new name's dentry, negative, its directory locked. */
struct dentry *filename_create(int dfd, struct filename *name,
			       struct path *path, unsigned int lookup_flags);
/* A link to a place, not to a name: get_link calls it, and returns NULL. */
int nd_jump_link(const struct path *path);

struct dentry *kern_path_create(const char *name, struct path *path,
				unsigned int lookup_flags);
void done_path_create(struct path *path, struct dentry *dentry);

#endif
