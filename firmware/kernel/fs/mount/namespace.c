/* SPDX-License-Identifier: GPL-2.0-only */
/* The tree of mounts: their life, their places, and steps between them. */
#include <linux/errno.h>
#include <linux/fs.h>
#include <linux/fs_struct.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/sysctl.h>

#include "../internal.h"
#include "mount.h"

#define MOUNT_HASH_BITS	6
#define MOUNT_HASH_SIZE	(1 << MOUNT_HASH_BITS)

DEFINE_SPINLOCK(mount_lock);
DECLARE_RWSEM(namespace_sem);
LIST_HEAD(mount_list);

static struct hlist_head mount_hashtable[MOUNT_HASH_SIZE];
static struct kmem_cache *mnt_cache;
static atomic_t mnt_id_last;

/* How many are in the tree, and may be. */
static unsigned int nr_mounts, sysctl_mount_max = 100000;
static const unsigned int mount_max_min = 1;

static inline struct hlist_head *m_hash(const struct vfsmount *mnt,
					const struct dentry *dentry)
{
	unsigned long hash = (unsigned long)mnt / 64 +
			     (unsigned long)dentry / 64;

	return &mount_hashtable[(hash + (hash >> MOUNT_HASH_BITS)) %
				MOUNT_HASH_SIZE];
}

static char *kstrdup_name(const char *name)
{
	size_t size = strlen(name) + 1;
	char *copy = kmalloc(size, GFP_KERNEL);

	return copy ? memcpy(copy, name, size) : NULL;
}

static struct mount *alloc_vfsmnt(const char *name)
{
	struct mount *mnt = kmem_cache_zalloc(mnt_cache, GFP_KERNEL);

	if (!mnt)
		return NULL;
	mnt->mnt_devname = kstrdup_name(name ? name : "none");
	if (!mnt->mnt_devname) {
		kmem_cache_free(mnt_cache, mnt);
		return NULL;
	}
	mnt->mnt_id = atomic_add_return(1, &mnt_id_last);
	mnt->mnt_parent = mnt;
	atomic_set(&mnt->mnt_count, 1);
	INIT_LIST_HEAD(&mnt->mnt_mounts);
	INIT_LIST_HEAD(&mnt->mnt_child);
	INIT_LIST_HEAD(&mnt->mnt_list);
	INIT_LIST_HEAD(&mnt->mnt_instance);
	return mnt;
}

static void free_vfsmnt(struct mount *mnt)
{
	kfree(mnt->mnt_devname);
	kmem_cache_free(mnt_cache, mnt);
}

struct vfsmount *mntget(struct vfsmount *mnt)
{
	if (mnt)
		atomic_inc(&real_mount(mnt)->mnt_count);
	return mnt;
}

/*
 * Nobody has the mount any more; it is in no tree. With no spinlock held; may
 * sleep, and frees the mount.
 */
static void cleanup_mnt(struct mount *mnt)
{
	struct super_block *sb = mnt->mnt.mnt_sb;

	lock_mount_hash();
	list_del_init(&mnt->mnt_instance);
	unlock_mount_hash();
	dput(mnt->mnt.mnt_root);
	deactivate_super(sb);
	free_vfsmnt(mnt);
}

/* With no spinlock held: the last reference frees the mount. May sleep. */
static void mntput_no_expire(struct mount *mnt)
{
	int count = atomic_read(&mnt->mnt_count);
	bool last;

	while (count > 1) {
		int seen = atomic_cmpxchg(&mnt->mnt_count, count, count - 1);

		if (seen == count)
			return;
		count = seen;
	}
	lock_mount_hash();
	last = atomic_dec_and_test(&mnt->mnt_count);
	unlock_mount_hash();
	if (last)
		cleanup_mnt(mnt);
}

void mntput(struct vfsmount *mnt)
{
	if (mnt)
		mntput_no_expire(real_mount(mnt));
}

void path_get(const struct path *path)
{
	mntget(path->mnt);
	dget(path->dentry);
}

void path_put(const struct path *path)
{
	dput(path->dentry);
	mntput(path->mnt);
}

/* What is mounted at @dentry of @mnt; mount_lock is held. */
struct mount *__lookup_mnt(const struct vfsmount *mnt,
			   const struct dentry *dentry)
{
	struct mount *p;

	hlist_for_each_entry(p, m_hash(mnt, dentry), mnt_hash)
		if (&p->mnt_parent->mnt == mnt && p->mnt_mountpoint == dentry)
			return p;
	return NULL;
}

struct vfsmount *lookup_mnt(const struct path *path)
{
	struct mount *child;
	struct vfsmount *mnt = NULL;

	lock_mount_hash();
	child = __lookup_mnt(path->mnt, path->dentry);
	if (child)
		mnt = mntget(&child->mnt);
	unlock_mount_hash();
	return mnt;
}

/* Whether anything is mounted there, by whatever way one comes. */
bool is_local_mountpoint(const struct dentry *dentry)
{
	return d_mountpoint(dentry);
}

/* To where the mount that @path is in is mounted; false at the top. */
bool follow_up(struct path *path)
{
	struct mount *mnt = real_mount(path->mnt), *parent;
	struct dentry *mountpoint;

	lock_mount_hash();
	parent = mnt->mnt_parent;
	if (parent == mnt) {
		unlock_mount_hash();
		return false;
	}
	mntget(&parent->mnt);
	mountpoint = dget(mnt->mnt_mountpoint);
	unlock_mount_hash();
	path_put(path);
	path->mnt = &parent->mnt;
	path->dentry = mountpoint;
	return true;
}

static void mnt_set_root(struct mount *mnt, struct dentry *root)
{
	mnt->mnt.mnt_root = root;
	mnt->mnt.mnt_sb = root->d_sb;
	mnt->mnt_mountpoint = root;
	lock_mount_hash();
	list_add_tail(&mnt->mnt_instance, &root->d_sb->s_mounts);
	unlock_mount_hash();
}

/* A mount of @root, in no tree; takes over @root and a use of its super. */
struct vfsmount *vfs_create_mount(struct dentry *root, const char *name)
{
	struct mount *mnt = alloc_vfsmnt(name);

	if (!mnt)
		return ERR_PTR(-ENOMEM);
	mnt_set_root(mnt, root);
	return &mnt->mnt;
}

/* Brings a file system up; the mount is in no tree yet. */
struct vfsmount *vfs_kern_mount(struct file_system_type *type, int flags,
				const char *name, void *data)
{
	struct dentry *root = mount_fs(type, flags, name, data);
	struct super_block *sb;
	struct vfsmount *mnt;

	if (IS_ERR(root))
		return ERR_CAST(root);
	sb = root->d_sb;
	mnt = vfs_create_mount(root, name);
	if (IS_ERR(mnt)) {
		dput(root);
		deactivate_locked_super(sb);
		return mnt;
	}
	if (flags & SB_KERNMOUNT)
		mnt->mnt_flags = MNT_INTERNAL;
	up_write(&sb->s_umount);
	return mnt;
}

/* For d_automount. */
struct vfsmount *vfs_submount(const struct dentry *mountpoint,
			      struct file_system_type *type, const char *name,
			      void *data)
{
	return vfs_kern_mount(type, 0, name, data);
}

/* For the kernel's own use. */
struct vfsmount *kern_mount(struct file_system_type *type)
{
	return vfs_kern_mount(type, SB_KERNMOUNT, type->name, NULL);
}

/* Another mount of what @old shows, from @root on. */
struct mount *clone_mnt(struct mount *old, struct dentry *root)
{
	struct mount *mnt = alloc_vfsmnt(old->mnt_devname);

	if (!mnt)
		return ERR_PTR(-ENOMEM);
	atomic_inc(&old->mnt.mnt_sb->s_active);
	mnt->mnt.mnt_flags = old->mnt.mnt_flags & ~MNT_INTERNAL;
	mnt_set_root(mnt, dget(root));
	return mnt;
}

static inline void set_mounts(struct dentry *dentry, int delta)
{
	spin_lock(&dentry->d_lock);
	dentry->d_mounts += delta;
	if (dentry->d_mounts)
		dentry->d_flags |= DCACHE_MOUNTED;
	else
		dentry->d_flags &= ~DCACHE_MOUNTED;
	spin_unlock(&dentry->d_lock);
}

/* Puts a mount into the tree; namespace_sem and mount_lock are held. */
static void commit_tree(struct mount *mnt, const struct path *where)
{
	struct mount *parent = real_mount(where->mnt);

	mntget(where->mnt);
	mnt->mnt_parent = parent;
	mnt->mnt_mountpoint = dget(where->dentry);
	mnt->mnt_in_tree = true;
	set_mounts(where->dentry, 1);
	hlist_add_head(&mnt->mnt_hash, m_hash(where->mnt, where->dentry));
	list_add_tail(&mnt->mnt_child, &parent->mnt_mounts);
	list_add_tail(&mnt->mnt_list, &mount_list);
	nr_mounts++;
}

/* With namespace_sem held. The tree takes over the reference to @mnt. */
void attach_mnt(struct mount *mnt, const struct path *where)
{
	lock_mount_hash();
	commit_tree(mnt, where);
	unlock_mount_hash();
}

static int count_mounts(void)
{
	return nr_mounts < READ_ONCE(sysctl_mount_max) ? 0 : -ENOSPC;
}

/* The same for a new one, if it may be there. */
int graft_tree(struct mount *mnt, const struct path *where)
{
	int err;

	if (S_ISDIR(d_inode(where->dentry)->i_mode) !=
	    S_ISDIR(d_inode(mnt->mnt.mnt_root)->i_mode))
		return -ENOTDIR;
	err = count_mounts();
	if (!err)
		attach_mnt(mnt, where);
	return err;
}

/*
 * Takes it from where it is, for another place; @old gets its references to
 * that. With namespace_sem and mount_lock held.
 */
void detach_mnt(struct mount *mnt, struct path *old)
{
	old->mnt = &mnt->mnt_parent->mnt;
	old->dentry = mnt->mnt_mountpoint;
	hlist_del_init(&mnt->mnt_hash);
	list_del_init(&mnt->mnt_child);
	list_del_init(&mnt->mnt_list);
	nr_mounts--;
	set_mounts(old->dentry, -1);
	mnt->mnt_parent = mnt;
	mnt->mnt_mountpoint = mnt->mnt.mnt_root;
}

/* Mounts below, then the mount itself, move to @gone. */
static void umount_one(struct mount *mnt, struct list_head *gone)
{
	hlist_del_init(&mnt->mnt_hash);
	list_del_init(&mnt->mnt_child);
	set_mounts(mnt->mnt_mountpoint, -1);
	mnt->mnt_in_tree = false;
	nr_mounts--;
	list_move_tail(&mnt->mnt_list, gone);
}

/*
 * Takes @mnt and all that is mounted in it out of the tree, to @gone:
 * namespace_unlock() drops them. With namespace_sem and mount_lock held.
 */
void umount_tree(struct mount *mnt, struct list_head *gone)
{
	struct mount *p = mnt;

	for (;;) {
		while (!list_empty(&p->mnt_mounts))
			p = list_first_entry(&p->mnt_mounts, struct mount,
					     mnt_child);
		umount_one(p, gone);
		if (p == mnt)
			return;
		p = p->mnt_parent;
	}
}

/*
 * Called with namespace_sem held for writing and without mount_lock. Releases
 * it, then what was taken out of the tree; may sleep.
 */
void namespace_unlock(struct list_head *gone)
{
	up_write(&namespace_sem);
	while (!list_empty(gone)) {
		struct mount *mnt = list_first_entry(gone, struct mount,
						     mnt_list);
		struct path at;

		list_del_init(&mnt->mnt_list);
		lock_mount_hash();
		at.mnt = &mnt->mnt_parent->mnt;
		at.dentry = mnt->mnt_mountpoint;
		mnt->mnt_parent = mnt;
		mnt->mnt_mountpoint = mnt->mnt.mnt_root;
		unlock_mount_hash();
		path_put(&at);
		mntput(&mnt->mnt);
	}
}

/*
 * What is mounted on @dentry goes, wherever: the dentry itself is going. Takes
 * namespace_sem; may sleep.
 */
void detach_mounts(struct dentry *dentry)
{
	struct mount *mnt;
	LIST_HEAD(gone);

	if (!d_mountpoint(dentry))
		return;
	down_write(&namespace_sem);
	lock_mount_hash();
again:
	list_for_each_entry(mnt, &mount_list, mnt_list) {
		if (mnt_has_parent(mnt) && mnt->mnt_mountpoint == dentry) {
			umount_tree(mnt, &gone);
			goto again;
		}
	}
	unlock_mount_hash();
	namespace_unlock(&gone);
}

/* The root, and the first process in it. */
static void __init init_mount_tree(void)
{
	struct vfsmount *mnt = vfs_kern_mount(&rootfs_fs_type, 0, "rootfs",
					      NULL);
	struct path root;

	if (IS_ERR(mnt))
		panic("Can't create rootfs: error %ld", -PTR_ERR(mnt));
	real_mount(mnt)->mnt_in_tree = true;
	list_add_tail(&real_mount(mnt)->mnt_list, &mount_list);
	root.mnt = mnt;
	root.dentry = mnt->mnt_root;
	set_fs_root(&init_fs, &root);
	set_fs_pwd(&init_fs, &root);
}

void __init mnt_init(void)
{
	mnt_cache = KMEM_CACHE(mount, SLAB_PANIC);
	init_mount_tree();
}

static struct ctl_table fs_namespace_sysctls[] = {
	{
		.procname	= "mount-max",
		.data		= &sysctl_mount_max,
		.maxlen		= sizeof(unsigned int),
		.mode		= 0644,
		.proc_handler	= proc_douintvec_minmax,
		.extra1		= (void *)&mount_max_min,
	},
	{ }
};

static int __init init_fs_namespace_sysctls(void)
{
	register_sysctl_init("fs", fs_namespace_sysctls);
	return 0;
}
fs_initcall(init_fs_namespace_sysctls);
