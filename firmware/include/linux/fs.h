/* SPDX-License-Identifier: GPL-2.0-only */
/* Files: inodes, open files, and the operations that give them behaviour. */
#ifndef _LINUX_FS_H
#define _LINUX_FS_H

#include <linux/atomic.h>
#include <linux/dcache.h>
#include <linux/err.h>
#include <linux/fcntl.h>
#include <linux/kdev_t.h>
#include <linux/mutex.h>
#include <linux/path.h>
#include <linux/rwsem.h>
#include <linux/stat.h>
#include <linux/time.h>
#include <linux/types.h>
#include <linux/uio.h>
#include <linux/xarray.h>

struct file;
struct kiocb;
struct page;
struct pipe_inode_info;
struct vm_area_struct;

/* file->f_mode */
#define FMODE_READ		0x1
#define FMODE_WRITE		0x2
#define FMODE_LSEEK		0x4
#define FMODE_EXEC		0x20
#define FMODE_ATOMIC_POS	0x8000
#define FMODE_CAN_READ		0x20000
#define FMODE_CAN_WRITE		0x40000
#define FMODE_OPENED		0x80000

#define OPEN_FMODE(flags)	((fmode_t)(((flags) + 1) & O_ACCMODE))
/* What an open mode asks of a file's permissions. */
#define ACC_MODE(flags)		("\004\002\006\006"[(flags) & O_ACCMODE])

#define MAY_EXEC	0x01
#define MAY_WRITE	0x02
#define MAY_READ	0x04
#define MAY_OPEN	0x20

#define MAX_LFS_FILESIZE	LLONG_MAX
#define MAXSYMLINKS		40

#define SEEK_SET	0
#define SEEK_CUR	1
#define SEEK_END	2

struct super_block {
	dev_t		s_dev;
	struct dentry	*s_root;
};

struct address_space {
	struct inode		*host;
	struct xarray		i_pages;	/* of struct page, by index */
	unsigned long		nrpages;
};

/* inode->i_flags */
#define S_DEAD		0x10	/* a directory that was removed */
#define IS_DEADDIR(inode)	((inode)->i_flags & S_DEAD)

/*
 * A file without its name. i_rwsem is held exclusively to change a directory's
 * names or a file's data and size; i_size is read without it.
 */
struct inode {
	umode_t			i_mode;
	unsigned int		i_flags;
	const struct inode_operations *i_op;
	const struct file_operations *i_fop;
	struct super_block	*i_sb;
	struct address_space	*i_mapping;
	struct address_space	i_data;
	unsigned long		i_ino;
	unsigned int		i_nlink;
	dev_t			i_rdev;
	loff_t			i_size;
	struct timespec64	i_atime;
	struct timespec64	i_mtime;
	struct timespec64	i_ctime;
	atomic_t		i_count;
	atomic_t		i_writecount;	/* < 0: executed */
	struct rw_semaphore	i_rwsem;
	union {
		struct pipe_inode_info *i_pipe;
		char		*i_link;	/* a symbolic link's text */
	};
};

static inline void inode_lock(struct inode *inode)
{
	down_write(&inode->i_rwsem);
}

static inline void inode_unlock(struct inode *inode)
{
	up_write(&inode->i_rwsem);
}

static inline void inode_lock_shared(struct inode *inode)
{
	down_read(&inode->i_rwsem);
}

static inline void inode_unlock_shared(struct inode *inode)
{
	up_read(&inode->i_rwsem);
}

static inline loff_t i_size_read(const struct inode *inode)
{
	return READ_ONCE(inode->i_size);
}

static inline void i_size_write(struct inode *inode, loff_t size)
{
	WRITE_ONCE(inode->i_size, size);
}

/* An open file: a position in an inode, shared by dup() and fork(). */
struct file {
	atomic_t		f_count;
	fmode_t			f_mode;
	unsigned int		f_flags;
	struct mutex		f_pos_lock;
	loff_t			f_pos;
	struct path		f_path;
	struct inode		*f_inode;
	const struct file_operations *f_op;
	struct address_space	*f_mapping;
	void			*private_data;
};

static inline struct inode *file_inode(const struct file *file)
{
	return file->f_inode;
}

static inline struct file *get_file(struct file *file)
{
	atomic_inc(&file->f_count);
	return file;
}

/* One read or write in progress. */
struct kiocb {
	struct file	*ki_filp;
	loff_t		ki_pos;
};

struct dir_context;
/* False: the entry does not fit, stop. */
typedef bool (*filldir_t)(struct dir_context *ctx, const char *name, int len,
			  loff_t offset, u64 ino, unsigned int type);

struct dir_context {
	filldir_t	actor;
	loff_t		pos;
};

static inline bool dir_emit(struct dir_context *ctx, const char *name, int len,
			    u64 ino, unsigned int type)
{
	return ctx->actor(ctx, name, len, ctx->pos, ino, type);
}

/* dirent's type of a mode */
static inline unsigned int fs_umode_to_dtype(umode_t mode)
{
	return (mode & S_IFMT) >> 12;
}

struct file_operations {
	loff_t (*llseek)(struct file *file, loff_t offset, int whence);
	ssize_t (*read_iter)(struct kiocb *iocb, struct iov_iter *to);
	ssize_t (*write_iter)(struct kiocb *iocb, struct iov_iter *from);
	int (*iterate_shared)(struct file *file, struct dir_context *ctx);
	long (*unlocked_ioctl)(struct file *file, unsigned int cmd,
			       unsigned long arg);
	/* Absent: such a file cannot be mapped. */
	int (*mmap)(struct file *file, struct vm_area_struct *vma);
	int (*open)(struct inode *inode, struct file *file);
	int (*release)(struct inode *inode, struct file *file);
};

#define ATTR_MODE	(1 << 0)
#define ATTR_SIZE	(1 << 3)

struct iattr {
	unsigned int	ia_valid;
	umode_t		ia_mode;
	loff_t		ia_size;
};

/* Called with i_rwsem of every directory involved held. */
struct inode_operations {
	struct dentry *(*lookup)(struct inode *dir, struct dentry *dentry);
	int (*create)(struct inode *dir, struct dentry *dentry, umode_t mode);
	int (*unlink)(struct inode *dir, struct dentry *dentry);
	int (*symlink)(struct inode *dir, struct dentry *dentry,
		       const char *target);
	int (*mkdir)(struct inode *dir, struct dentry *dentry, umode_t mode);
	int (*rmdir)(struct inode *dir, struct dentry *dentry);
	int (*mknod)(struct inode *dir, struct dentry *dentry, umode_t mode,
		     dev_t dev);
	int (*rename)(struct inode *old_dir, struct dentry *old_dentry,
		      struct inode *new_dir, struct dentry *new_dentry);
};

/* inode.c */
struct inode *new_inode(struct super_block *sb);
void iput(struct inode *inode);
struct timespec64 current_time(void);
int inode_permission(struct inode *inode, int mask);
int get_write_access(struct inode *inode);
void put_write_access(struct inode *inode);
int deny_write_access(struct file *file);
void allow_write_access(struct file *file);
int notify_change(struct dentry *dentry, struct iattr *attr);

static inline void ihold(struct inode *inode)
{
	atomic_inc(&inode->i_count);
}

static inline void inc_nlink(struct inode *inode)
{
	inode->i_nlink++;
}

static inline void drop_nlink(struct inode *inode)
{
	inode->i_nlink--;
}

/* file_table.c */
struct file *alloc_empty_file(int flags);
struct file *alloc_file_pseudo(struct inode *inode, struct super_block *sb,
			       const char *name, int flags,
			       const struct file_operations *fops);
struct file *alloc_file_clone(struct file *base, int flags,
			      const struct file_operations *fops);
void fput(struct file *file);

/* open.c */
struct file *filp_open(const char *name, int flags, umode_t mode);
int filp_close(struct file *file);
int vfs_open(const struct path *path, struct file *file);
int do_truncate(struct dentry *dentry, loff_t length);
int stream_open(struct inode *inode, struct file *file);

/* read_write.c */
ssize_t vfs_read(struct file *file, char __user *buf, size_t count,
		 loff_t *pos);
ssize_t vfs_write(struct file *file, const char __user *buf, size_t count,
		  loff_t *pos);
ssize_t kernel_read(struct file *file, void *buf, size_t count, loff_t *pos);
ssize_t kernel_write(struct file *file, const void *buf, size_t count,
		     loff_t *pos);
loff_t vfs_llseek(struct file *file, loff_t offset, int whence);
loff_t generic_file_llseek(struct file *file, loff_t offset, int whence);
loff_t noop_llseek(struct file *file, loff_t offset, int whence);

/* readdir.c */
int iterate_dir(struct file *file, struct dir_context *ctx);

/* stat.c */
int vfs_getattr(const struct path *path, struct kstat *stat);

/* namei.c and namei_dir.c: on dentries that a caller has looked up */
int vfs_create(struct inode *dir, struct dentry *dentry, umode_t mode);
int vfs_mkdir(struct inode *dir, struct dentry *dentry, umode_t mode);
int vfs_mknod(struct inode *dir, struct dentry *dentry, umode_t mode,
	      dev_t dev);
int vfs_symlink(struct inode *dir, struct dentry *dentry, const char *target);
int vfs_rmdir(struct inode *dir, struct dentry *dentry);
int vfs_unlink(struct inode *dir, struct dentry *dentry);
int vfs_rename(struct inode *old_dir, struct dentry *old_dentry,
	       struct inode *new_dir, struct dentry *new_dentry);

/* libfs.c: directories that live in the dcache only */
extern const struct file_operations simple_dir_operations;
struct dentry *simple_lookup(struct inode *dir, struct dentry *dentry);
int simple_unlink(struct inode *dir, struct dentry *dentry);
int simple_rmdir(struct inode *dir, struct dentry *dentry);
int simple_rename(struct inode *old_dir, struct dentry *old_dentry,
		  struct inode *new_dir, struct dentry *new_dentry);
int dcache_readdir(struct file *file, struct dir_context *ctx);

/* char_dev.c */
int register_chrdev(unsigned int major, const struct file_operations *fops);
void init_special_inode(struct inode *inode, umode_t mode, dev_t dev);

/* ramfs.c: makes "/" */
void init_rootfs(void);

#endif
