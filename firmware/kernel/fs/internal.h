/* SPDX-License-Identifier: GPL-2.0-only */
/* What the files of kernel/fs share only among themselves. */
#ifndef _FS_INTERNAL_H
#define _FS_INTERNAL_H

#include <linux/fs.h>
#include <linux/mount.h>
#include <linux/namei.h>

struct files_struct;

/* What kind of component a name is. */
enum { LAST_NORM, LAST_ROOT, LAST_DOT, LAST_DOTDOT };

/* A walk in progress. */
struct nameidata {
	struct path	path;		/* where we are, with a reference */
	struct path	root;		/* where "/" leads, once needed */
	struct qstr	last;		/* the component to be looked up */
	int		last_type;
	unsigned int	flags;		/* LOOKUP_ */
	unsigned int	nr_links;	/* followed so far */
	/* Links followed; their text is in use until the walk ends. */
	struct {
		struct path	link;
		struct delayed_call done;
	} links[MAXSYMLINKS];
	/* For each link that is not last: the name after it. */
	const char	*rest[MAXSYMLINKS];
	struct nameidata *saved;	/* the walk that this one interrupts */
};

#define WALK_TRAILING	1	/* the component is the path's last */

/* namei.c: the steps of a walk */
const char *path_init(struct nameidata *nd, int dfd, struct filename *name,
		      unsigned int flags);
int path_lookupat(struct nameidata *nd, int dfd, struct filename *name,
		  unsigned int flags, struct path *path);
int link_path_walk(const char *name, struct nameidata *nd);
struct dentry *lookup_fast(struct nameidata *nd);
const char *step_into(struct nameidata *nd, int flags, struct dentry *dentry);
const char *handle_dots(struct nameidata *nd);
void terminate_walk(struct nameidata *nd);
void set_nameidata(struct nameidata *nd);
void restore_nameidata(void);

/* The parent of what name leads to; last->name points into name. */
int filename_parentat(int dfd, struct filename *name, unsigned int flags,
		      struct path *parent, struct qstr *last, int *type);
/* With the directory locked. */
struct dentry *lookup_one_qstr(const struct qstr *name, struct dentry *parent,
			       unsigned int flags);

/* namei_dir.c: with the directory locked */
int may_create(struct inode *dir, struct dentry *child);
int may_delete(struct inode *dir, struct dentry *victim, bool isdir);

/* dcache.c: for those who take dentries out of the tree */
extern spinlock_t rename_lock;
struct dentry *__dentry_kill(struct dentry *dentry);
void dentry_detach(struct dentry *dentry);
void d_lru_add(struct dentry *dentry);
struct dentry *d_lru_oldest(struct super_block *sb);

/* inode.c, inode_hash.c, fs-writeback.c */
struct inode *alloc_inode(struct super_block *sb);
void destroy_inode(struct inode *inode);
void inode_sb_list_add(struct inode *inode);
void inode_wake(struct inode *inode);
void inode_io_list_del(struct inode *inode);

/* libfs.c, char_dev.c: what a new inode has until its file system says more */
extern const struct inode_operations empty_iops;
extern const struct address_space_operations empty_aops;
extern const struct file_operations no_open_fops;
extern const struct file_operations def_fifo_fops;

/* open.c: for those who open files themselves */
void put_file_access(struct file *file);
fmode_t can_do(const struct file *file);

/* For chmod, chown and utimes. */
static inline int change_attributes(const struct path *path,
				    struct iattr *attr)
{
	struct inode *inode = d_inode(path->dentry);
	int err = mnt_want_write(path->mnt);

	if (err)
		return err;
	inode_lock(inode);
	err = notify_change(path->dentry, attr);
	inode_unlock(inode);
	mnt_drop_write(path->mnt);
	return err;
}

bool path_noexec(const struct path *path);
bool may_open_dev(const struct path *path);

/* files_struct.c: with the lock held */
int expand_files(struct files_struct *files, unsigned int nr);

/* set-up, in order: see vfs_caches_init() */
void mnt_init(void);
void inode_init(void);
void namei_init(void);
void files_init(void);
void fdtable_init(void);
void fs_struct_init(void);

#endif
