/* SPDX-License-Identifier: GPL-2.0-only */
/* Mounted file systems: their kinds, and each one's super block. */
#ifndef _LINUX_SUPER_H
#define _LINUX_SUPER_H

#include <linux/atomic.h>
#include <linux/kdev_t.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/rwsem.h>
#include <linux/shrinker.h>
#include <linux/spinlock.h>
#include <linux/types.h>

struct block_device;
struct dentry;
struct dentry_operations;
struct file_system_type;
struct module;
struct inode;
struct kstatfs;
struct seq_file;
struct super_operations;
struct writeback_control;

/* super_block->s_flags: those of mount(2) that are not a mount's own */
#define SB_RDONLY	(1 << 0)
#define SB_NOSUID	(1 << 1)
#define SB_NODEV	(1 << 2)
#define SB_NOEXEC	(1 << 3)
#define SB_SYNCHRONOUS	(1 << 4)
#define SB_MANDLOCK	(1 << 6)
#define SB_DIRSYNC	(1 << 7)
#define SB_NOATIME	(1 << 10)
#define SB_NODIRATIME	(1 << 11)
#define SB_SILENT	(1 << 15)
#define SB_KERNMOUNT	(1 << 22)	/* not for users to see */
#define SB_LAZYTIME	(1 << 25)
#define SB_BORN		(1 << 29)	/* filled: may be used again */
#define SB_ACTIVE	(1 << 30)
#define SB_NOUSER	(1U << 31)

/* What a remount may change. */
#define MS_RMT_MASK	(SB_RDONLY | SB_SYNCHRONOUS | SB_MANDLOCK | SB_LAZYTIME)

#define MAX_NON_LFS	((1ULL << 31) - 1)

/*
 * s_active counts mounts; at zero the file system is shut down. s_count keeps
 * the structure for those who look through the list of all. s_umount is held
 * exclusively to mount, remount and shut down, shared to rely on none of that.
 */
struct super_block {
	struct list_head	s_list;		/* of all, under sb_lock */
	dev_t			s_dev;
	unsigned int		s_blocksize_bits;
	unsigned long		s_blocksize;
	loff_t			s_maxbytes;
	struct file_system_type	*s_type;
	const struct super_operations *s_op;
	const struct dentry_operations *s_d_op;	/* every dentry's */
	unsigned long		s_flags;
	unsigned long		s_magic;
	struct dentry		*s_root;
	struct rw_semaphore	s_umount;
	int			s_count;	/* under sb_lock */
	atomic_t		s_active;
	struct block_device	*s_bdev;
	struct hlist_node	s_instances;	/* of its type */
	char			s_id[32];	/* a short name */
	void			*s_fs_info;
	u32			s_time_gran;	/* in ns */
	fmode_t			s_mode;		/* s_bdev is open with */
	int			s_readonly_remount;	/* under way */
	struct list_head	s_mounts;	/* under mount_lock */

	spinlock_t		s_inode_list_lock;
	struct list_head	s_inodes;
	struct list_head	s_dentry_lru;	/* unused, oldest first */
	long			s_nr_dentry_unused;
	struct mutex		s_vfs_rename_mutex;
	struct shrinker		s_shrink;	/* of its unused dentries */
};

#define FS_REQUIRES_DEV		1
#define FS_RENAME_DOES_D_MOVE	32768

struct file_system_type {
	const char		*name;
	int			fs_flags;
	/* The root to be mounted, referenced, with its s_umount held. */
	struct dentry *(*mount)(struct file_system_type *type, int flags,
				const char *dev_name, void *data);
	void (*kill_sb)(struct super_block *sb);
	struct module		*owner;		/* NULL: the kernel */
	struct file_system_type	*next;
	struct hlist_head	fs_supers;	/* under sb_lock */
};

/* All of it may be absent. */
struct super_operations {
	struct inode *(*alloc_inode)(struct super_block *sb);
	void (*destroy_inode)(struct inode *inode);
	void (*free_inode)(struct inode *inode);
	void (*dirty_inode)(struct inode *inode, int flags);
	int (*write_inode)(struct inode *inode, struct writeback_control *wbc);
	/* Nonzero: forget the inode once nobody uses it. */
	int (*drop_inode)(struct inode *inode);
	void (*evict_inode)(struct inode *inode);
	void (*put_super)(struct super_block *sb);
	int (*sync_fs)(struct super_block *sb, int wait);
	int (*statfs)(struct dentry *dentry, struct kstatfs *buf);
	int (*remount_fs)(struct super_block *sb, int *flags, char *data);
	void (*umount_begin)(struct super_block *sb);
	int (*show_options)(struct seq_file *m, struct dentry *root);
	int (*show_devname)(struct seq_file *m, struct dentry *root);
};

static inline bool sb_rdonly(const struct super_block *sb)
{
	return READ_ONCE(sb->s_flags) & SB_RDONLY;
}

/* filesystems.c */
int register_filesystem(struct file_system_type *fs);
int unregister_filesystem(struct file_system_type *fs);
/* Each use keeps the type's module loaded; for whoever has a use already. */
void get_filesystem(struct file_system_type *fs);
void put_filesystem(struct file_system_type *fs);
/* NULL: there is none, and no module brings one. Sleeps. */
struct file_system_type *get_fs_type(const char *name);

/* super.c */
struct super_block *sget(struct file_system_type *type,
			 int (*test)(struct super_block *sb, void *data),
			 int (*set)(struct super_block *sb, void *data),
			 int flags, void *data);
int set_anon_super(struct super_block *sb, void *data);
int get_anon_bdev(dev_t *dev);
void free_anon_bdev(dev_t dev);
struct dentry *mount_fs(struct file_system_type *type, int flags,
			const char *name, void *data);
struct dentry *mount_nodev(struct file_system_type *type, int flags, void *data,
			   int (*fill_super)(struct super_block *sb, void *data,
					     int silent));
struct dentry *mount_single(struct file_system_type *type, int flags,
			    void *data,
			    int (*fill_super)(struct super_block *sb,
					      void *data, int silent));
struct dentry *mount_pseudo(struct file_system_type *type, const char *name,
			    const struct super_operations *ops,
			    const struct dentry_operations *dops,
			    unsigned long magic);
struct dentry *mount_bdev(struct file_system_type *type, int flags,
			  const char *dev_name, void *data,
			  int (*fill_super)(struct super_block *sb, void *data,
					    int silent));
void kill_block_super(struct super_block *sb);
int do_remount_sb(struct super_block *sb, int sb_flags, void *data);
void deactivate_super(struct super_block *sb);
void deactivate_locked_super(struct super_block *sb);
void generic_shutdown_super(struct super_block *sb);
void kill_anon_super(struct super_block *sb);
void kill_litter_super(struct super_block *sb);
/* Calls @f for each that is up, with s_umount held shared. */
void iterate_supers(void (*f)(struct super_block *sb, void *arg), void *arg);

/* libfs/super.c: trees that are known when they are mounted */
struct tree_descr {
	const char *name;
	const struct file_operations *ops;
	int mode;
};

/* files[0] and files[1] are not looked at; the last has the name "". */
int simple_fill_super(struct super_block *sb, unsigned long magic,
		      const struct tree_descr *files);

#endif
