/* SPDX-License-Identifier: GPL-2.0-only */
/* Super blocks: how a file system comes up, is shared, and goes down. */
#include <linux/bitops.h>
#include <linux/errno.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/mount.h>
#include <linux/slab.h>

#include "../mount/mount.h"

static LIST_HEAD(super_blocks);
static DEFINE_SPINLOCK(sb_lock);

static const struct super_operations default_op;

static bool trylock_super(struct super_block *sb)
{
	if (!down_read_trylock(&sb->s_umount))
		return false;
	if (!hlist_unhashed(&sb->s_instances) && sb->s_root &&
	    (sb->s_flags & SB_BORN))
		return true;
	up_read(&sb->s_umount);
	return false;
}

/* Inodes go with their dentries, and pages with their inodes. */
static unsigned long super_cache_scan(struct shrinker *shrink,
				      struct shrink_control *sc)
{
	struct super_block *sb = container_of(shrink, struct super_block,
					      s_shrink);
	unsigned long freed;

	/* Who allocates may be in the middle of a file system. */
	if (!(sc->gfp_mask & __GFP_FS) || !trylock_super(sb))
		return SHRINK_STOP;
	freed = prune_dcache_sb(sb, sc->nr_to_scan);
	up_read(&sb->s_umount);
	return freed;
}

static unsigned long super_cache_count(struct shrinker *shrink,
				       struct shrink_control *sc)
{
	struct super_block *sb = container_of(shrink, struct super_block,
					      s_shrink);

	return sb->s_flags & SB_BORN ? READ_ONCE(sb->s_nr_dentry_unused) : 0;
}

/* With s_umount held. */
static struct super_block *alloc_super(struct file_system_type *type, int flags)
{
	struct super_block *s = kzalloc(sizeof(*s), GFP_KERNEL);

	if (!s)
		return NULL;
	init_rwsem(&s->s_umount);
	down_write(&s->s_umount);
	s->s_count = 1;
	atomic_set(&s->s_active, 1);
	s->s_flags = flags;
	s->s_type = type;
	s->s_op = &default_op;
	s->s_maxbytes = MAX_NON_LFS;
	s->s_time_gran = 1;
	s->s_blocksize = PAGE_SIZE;
	s->s_blocksize_bits = PAGE_SHIFT;
	INIT_LIST_HEAD(&s->s_list);
	INIT_HLIST_NODE(&s->s_instances);
	INIT_LIST_HEAD(&s->s_mounts);
	INIT_LIST_HEAD(&s->s_inodes);
	INIT_LIST_HEAD(&s->s_dentry_lru);
	spin_lock_init(&s->s_inode_list_lock);
	mutex_init(&s->s_vfs_rename_mutex);
	s->s_shrink.seeks = DEFAULT_SEEKS;
	s->s_shrink.count_objects = super_cache_count;
	s->s_shrink.scan_objects = super_cache_scan;
	return s;
}

static void put_super(struct super_block *s)
{
	bool last;

	spin_lock(&sb_lock);
	last = !--s->s_count;
	if (last)
		list_del_init(&s->s_list);
	spin_unlock(&sb_lock);
	if (last)
		kfree(s);
}

/* s_umount was held, and is released. */
static void destroy_unused_super(struct super_block *s)
{
	up_write(&s->s_umount);
	kfree(s);
}

/*
 * Called with s_umount held for writing, and releases it. With the last user
 * the file system goes down, and its module may go; may sleep.
 */
void deactivate_locked_super(struct super_block *s)
{
	struct file_system_type *fs = s->s_type;

	if (!atomic_dec_and_test(&s->s_active)) {
		up_write(&s->s_umount);
		return;
	}
	unregister_shrinker(&s->s_shrink);
	fs->kill_sb(s);
	put_filesystem(fs);
	put_super(s);
}

void deactivate_super(struct super_block *s)
{
	int count = atomic_read(&s->s_active);

	while (count > 1) {
		int seen = atomic_cmpxchg(&s->s_active, count, count - 1);

		if (seen == count)
			return;
		count = seen;
	}
	down_write(&s->s_umount);
	deactivate_locked_super(s);
}

/*
 * Another mount of one that may be going. Called with sb_lock held, and
 * releases it; true: s_umount is held for writing. May sleep.
 */
static bool grab_super(struct super_block *s)
{
	s->s_count++;
	spin_unlock(&sb_lock);
	down_write(&s->s_umount);
	if ((s->s_flags & SB_BORN) && atomic_inc_not_zero(&s->s_active)) {
		put_super(s);
		return true;
	}
	up_write(&s->s_umount);
	put_super(s);
	return false;
}

/*
 * One that @test takes for the same, or a new one; s_umount is held for
 * writing. May sleep.
 */
struct super_block *sget(struct file_system_type *type,
			 int (*test)(struct super_block *, void *),
			 int (*set)(struct super_block *, void *),
			 int flags, void *data)
{
	struct super_block *s = NULL, *old;
	int err;

retry:
	spin_lock(&sb_lock);
	if (test) {
		hlist_for_each_entry(old, &type->fs_supers, s_instances) {
			if (!test(old, data))
				continue;
			if (!grab_super(old))
				goto retry;
			if (s)
				destroy_unused_super(s);
			return old;
		}
	}
	if (!s) {
		spin_unlock(&sb_lock);
		s = alloc_super(type, flags);
		if (!s)
			return ERR_PTR(-ENOMEM);
		goto retry;
	}
	err = set(s, data);
	if (err) {
		spin_unlock(&sb_lock);
		destroy_unused_super(s);
		return ERR_PTR(err);
	}
	strscpy(s->s_id, type->name, sizeof(s->s_id));
	list_add_tail(&s->s_list, &super_blocks);
	hlist_add_head(&s->s_instances, &type->fs_supers);
	spin_unlock(&sb_lock);
	get_filesystem(type);
	register_shrinker(&s->s_shrink);
	return s;
}

void iterate_supers(void (*f)(struct super_block *, void *), void *arg)
{
	struct super_block *sb, *previous = NULL;

	spin_lock(&sb_lock);
	list_for_each_entry(sb, &super_blocks, s_list) {
		if (hlist_unhashed(&sb->s_instances))
			continue;
		sb->s_count++;
		spin_unlock(&sb_lock);

		down_read(&sb->s_umount);
		if (sb->s_root && (sb->s_flags & SB_BORN))
			f(sb, arg);
		up_read(&sb->s_umount);

		/* It stays in the list until the next is at hand. */
		if (previous)
			put_super(previous);
		previous = sb;
		spin_lock(&sb_lock);
	}
	spin_unlock(&sb_lock);
	if (previous)
		put_super(previous);
}

/* With s_umount held, which is released. */
void generic_shutdown_super(struct super_block *sb)
{
	if (sb->s_root) {
		shrink_dcache_for_umount(sb);
		sync_filesystem(sb);
		if (sb->s_op->put_super)
			sb->s_op->put_super(sb);
		if (!list_empty(&sb->s_inodes))
			pr_warn("VFS: Busy inodes after unmount of %s (%s)\n",
				sb->s_id, sb->s_type->name);
	}
	spin_lock(&sb_lock);
	hlist_del_init(&sb->s_instances);
	spin_unlock(&sb_lock);
	up_write(&sb->s_umount);
}

/* Changes flags and options; s_umount is held. */
int do_remount_sb(struct super_block *sb, int sb_flags, void *data)
{
	bool to_readonly = (sb_flags & SB_RDONLY) && !sb_rdonly(sb);
	int err = 0;

	if (to_readonly) {
		shrink_dcache_sb(sb);
		err = sb_prepare_remount_readonly(sb);
		if (err)
			return err;
		sync_filesystem(sb);
	}
	if (sb->s_op->remount_fs)
		err = sb->s_op->remount_fs(sb, &sb_flags, data);
	if (!err)
		WRITE_ONCE(sb->s_flags, (sb->s_flags & ~MS_RMT_MASK) |
					(sb_flags & MS_RMT_MASK));
	WRITE_ONCE(sb->s_readonly_remount, 0);
	return err;
}

/* The root of what @type mounts, its s_umount held. */
struct dentry *mount_fs(struct file_system_type *type, int flags,
			const char *name, void *data)
{
	struct dentry *root = type->mount(type, flags, name, data);

	if (!IS_ERR(root))
		root->d_sb->s_flags |= SB_BORN;
	return root;
}

static DECLARE_BITMAP(anon_devs, MINORMASK >> 6);
static DEFINE_SPINLOCK(anon_dev_lock);

/* A device number for what has no device: major 0, from minor 1. */
int get_anon_bdev(dev_t *dev)
{
	unsigned int minor, size = MINORMASK >> 6;

	spin_lock(&anon_dev_lock);
	minor = find_next_zero_bit(anon_devs, size, 1);
	if (minor < size)
		__set_bit(minor, anon_devs);
	spin_unlock(&anon_dev_lock);
	if (minor >= size)
		return -EMFILE;
	*dev = MKDEV(0, minor);
	return 0;
}

void free_anon_bdev(dev_t dev)
{
	spin_lock(&anon_dev_lock);
	__clear_bit(MINOR(dev), anon_devs);
	spin_unlock(&anon_dev_lock);
}

int set_anon_super(struct super_block *sb, void *data)
{
	return get_anon_bdev(&sb->s_dev);
}

void kill_anon_super(struct super_block *sb)
{
	dev_t dev = sb->s_dev;

	generic_shutdown_super(sb);
	free_anon_bdev(dev);
}

/* For those whose files are pinned by existing. */
void kill_litter_super(struct super_block *sb)
{
	if (sb->s_root)
		d_genocide(sb->s_root);
	kill_anon_super(sb);
}

/* Every mount is a file system of its own. */
struct dentry *mount_nodev(struct file_system_type *type, int flags, void *data,
			   int (*fill_super)(struct super_block *, void *, int))
{
	struct super_block *s = sget(type, NULL, set_anon_super, flags, NULL);
	int err;

	if (IS_ERR(s))
		return ERR_CAST(s);
	err = fill_super(s, data, flags & SB_SILENT);
	if (err) {
		deactivate_locked_super(s);
		return ERR_PTR(err);
	}
	s->s_flags |= SB_ACTIVE;
	return dget(s->s_root);
}

static int compare_single(struct super_block *s, void *data)
{
	return 1;
}

/* All mounts show the same. */
struct dentry *mount_single(struct file_system_type *type, int flags,
			    void *data,
			    int (*fill_super)(struct super_block *, void *,
					      int))
{
	struct super_block *s = sget(type, compare_single, set_anon_super,
				     flags, NULL);
	int err;

	if (IS_ERR(s))
		return ERR_CAST(s);
	if (s->s_root) {
		err = do_remount_sb(s, flags, data);
	} else {
		err = fill_super(s, data, flags & SB_SILENT);
		if (!err)
			s->s_flags |= SB_ACTIVE;
	}
	if (err) {
		deactivate_locked_super(s);
		return ERR_PTR(err);
	}
	return dget(s->s_root);
}
