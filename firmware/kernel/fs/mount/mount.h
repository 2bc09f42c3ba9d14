/* SPDX-License-Identifier: GPL-2.0-only */
/* Mounts as the file system's own code sees them. */
#ifndef _FS_MOUNT_H
#define _FS_MOUNT_H

#include <linux/atomic.h>
#include <linux/dcache.h>
#include <linux/list.h>
#include <linux/mount.h>
#include <linux/path.h>
#include <linux/rwsem.h>
#include <linux/spinlock.h>

/*
 * mount_lock protects the tree: parents, mount points, the hash, and the step
 * of mnt_count to zero. Who changes the tree also holds namespace_sem, so
 * either suffices to read it. Being in the tree is one reference, and a mount
 * holds one on its parent and its mount point.
 */
struct mount {
	struct hlist_node	mnt_hash;	/* by parent and mount point */
	struct mount		*mnt_parent;	/* itself: at the top */
	struct dentry		*mnt_mountpoint;
	struct vfsmount		mnt;
	atomic_t		mnt_count;
	atomic_t		mnt_writers;
	struct list_head	mnt_mounts;	/* children, by mnt_child */
	struct list_head	mnt_child;
	struct list_head	mnt_list;	/* of all, as mounted */
	struct list_head	mnt_instance;	/* of its super block */
	struct mount		*mnt_copy;	/* while a tree is copied */
	const char		*mnt_devname;
	int			mnt_id;
	bool			mnt_in_tree;
};

extern struct rw_semaphore namespace_sem;
extern struct list_head mount_list;	/* of all in the tree */
extern spinlock_t mount_lock;

static inline void lock_mount_hash(void)
{
	spin_lock(&mount_lock);
}

static inline void unlock_mount_hash(void)
{
	spin_unlock(&mount_lock);
}

static inline struct mount *real_mount(const struct vfsmount *mnt)
{
	return container_of((struct vfsmount *)mnt, struct mount, mnt);
}

static inline bool mnt_has_parent(const struct mount *mnt)
{
	return mnt->mnt_parent != mnt;
}

/* namespace.c */
struct mount *__lookup_mnt(const struct vfsmount *mnt,
			   const struct dentry *dentry);
struct vfsmount *vfs_create_mount(struct dentry *root, const char *name);
struct mount *clone_mnt(struct mount *old, struct dentry *root);
void attach_mnt(struct mount *mnt, const struct path *where);
int graft_tree(struct mount *mnt, const struct path *where);
int mnt_make_readonly(struct mount *mnt);
void detach_mnt(struct mount *mnt, struct path *old);
/* mount.c */
int finish_automount(struct vfsmount *mnt, const struct path *where);

void umount_tree(struct mount *mnt, struct list_head *gone);
void namespace_unlock(struct list_head *gone);
void detach_mounts(struct dentry *dentry);
bool is_local_mountpoint(const struct dentry *dentry);
int sb_prepare_remount_readonly(struct super_block *sb);

#endif
