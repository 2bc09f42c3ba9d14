/* SPDX-License-Identifier: GPL-2.0-only */
/* Files: inodes, open files, and the operations that give them behaviour. */
#ifndef _LINUX_FS_H
#define _LINUX_FS_H

#include <linux/atomic.h>
#include <linux/dcache.h>
#include <linux/err.h>
#include <linux/errseq.h>
#include <linux/fcntl.h>
#include <linux/kdev_t.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/path.h>
#include <linux/rwsem.h>
#include <linux/stat.h>
#include <linux/super.h>
#include <linux/time.h>
#include <linux/types.h>
#include <uapi/linux/fs.h>
#include <linux/uio.h>
#include <linux/xarray.h>

struct block_device;
struct file;
struct kiocb;
struct page;
struct pipe_inode_info;
struct poll_table_struct;
struct vfsmount;
struct vm_area_struct;
struct writeback_control;

/* file->f_mode */
#define FMODE_READ		0x1
#define FMODE_WRITE		0x2
#define FMODE_LSEEK		0x4
#define FMODE_EXEC		0x20
#define FMODE_PATH		0x4000		/* stands for a path, no more */
#define FMODE_ATOMIC_POS	0x8000
#define FMODE_WRITER		0x10000		/* counts in its mount */
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
#define MAY_CHDIR	0x40

#define MAX_LFS_FILESIZE	LLONG_MAX
#define MAXSYMLINKS		40

static inline bool special_file(umode_t mode)
{
	return S_ISCHR(mode) || S_ISBLK(mode) || S_ISFIFO(mode) ||
	       S_ISSOCK(mode);
}

struct address_space {
	struct inode		*host;
	struct xarray		i_pages;	/* of struct page, by index */
	unsigned long		nrpages;
	const struct address_space_operations *a_ops;
	unsigned long		flags;		/* AS_ */
	errseq_t		wb_err;		/* for who has it open */
	spinlock_t		private_lock;	/* pages' buffers */
	struct list_head	i_mmap;		/* the areas that map it */
	struct rw_semaphore	i_mmap_rwsem;	/* ... where they are */
};

/* Inside page locks; outside those of page tables. */
static inline void i_mmap_lock_write(struct address_space *mapping)
{
	down_write(&mapping->i_mmap_rwsem);
}

static inline void i_mmap_unlock_write(struct address_space *mapping)
{
	up_write(&mapping->i_mmap_rwsem);
}

static inline void i_mmap_lock_read(struct address_space *mapping)
{
	down_read(&mapping->i_mmap_rwsem);
}

static inline int i_mmap_trylock_read(struct address_space *mapping)
{
	return down_read_trylock(&mapping->i_mmap_rwsem);
}

static inline void i_mmap_unlock_read(struct address_space *mapping)
{
	up_read(&mapping->i_mmap_rwsem);
}

/*
 * address_space->flags: what was lost since somebody last asked, and whether
 * its pages are all there is of the file.
 */
enum { AS_EIO, AS_ENOSPC, AS_UNEVICTABLE };

/*
 * Between a file's pages and what stores them. write_begin returns the page,
 * referenced, that write_end then releases.
 */
struct address_space_operations {
	int (*writepage)(struct page *page, struct writeback_control *wbc);
	int (*read_folio)(struct file *file, struct page *page);
	int (*writepages)(struct address_space *mapping,
			  struct writeback_control *wbc);
	bool (*dirty_folio)(struct address_space *mapping, struct page *page);
	int (*write_begin)(struct file *file, struct address_space *mapping,
			   loff_t pos, unsigned int len, struct page **pagep,
			   void **fsdata);
	int (*write_end)(struct file *file, struct address_space *mapping,
			 loff_t pos, unsigned int len, unsigned int copied,
			 struct page *page, void *fsdata);
	u64 (*bmap)(struct address_space *mapping, u64 block);
	/* All of the page's data from @offset on is gone. */
	void (*invalidate_folio)(struct page *page, size_t offset, size_t len);
	bool (*release_folio)(struct page *page, gfp_t gfp);
};

/* inode->i_flags */
#define S_SYNC		(1 << 0)
#define S_NOATIME	(1 << 1)
#define S_APPEND	(1 << 2)
#define S_IMMUTABLE	(1 << 3)
#define S_DEAD		(1 << 4)	/* a directory that was removed */
#define S_NOCMTIME	(1 << 7)
#define IS_DEADDIR(inode)	((inode)->i_flags & S_DEAD)

/* inode->i_state, under i_lock */
#define I_DIRTY_SYNC		(1 << 0)
#define I_DIRTY_DATASYNC	(1 << 1)
#define I_DIRTY_PAGES		(1 << 2)
#define I_NEW			(1 << 3)
#define I_WILL_FREE		(1 << 4)
#define I_FREEING		(1 << 5)
#define I_CLEAR			(1 << 6)
#define I_DIRTY_INODE		(I_DIRTY_SYNC | I_DIRTY_DATASYNC)
#define I_DIRTY			(I_DIRTY_INODE | I_DIRTY_PAGES)

/*
 * A file without its name. i_rwsem is held exclusively to change a directory's
 * names or a file's data and size; i_size is read without it. i_lock protects
 * i_state, and the step of i_count from one to zero.
 */
struct inode {
	umode_t			i_mode;
	uid_t			i_uid;
	gid_t			i_gid;
	unsigned int		i_flags;
	const struct inode_operations *i_op;
	const struct file_operations *i_fop;
	struct super_block	*i_sb;
	struct address_space	*i_mapping;
	struct address_space	i_data;
	unsigned long		i_ino;
	unsigned int		i_nlink;
	unsigned int		i_generation;
	dev_t			i_rdev;
	loff_t			i_size;
	struct timespec64	i_atime;
	struct timespec64	i_mtime;
	struct timespec64	i_ctime;
	spinlock_t		i_lock;
	unsigned long		i_state;
	unsigned int		i_blkbits;
	u64			i_blocks;	/* of 512 bytes */
	unsigned long		dirtied_when;	/* in jiffies */
	unsigned long		io_list_when;	/* put first in its i_io_list */
	atomic_t		i_count;
	atomic_t		i_writecount;	/* < 0: executed */
	struct rw_semaphore	i_rwsem;
	struct hlist_node	i_hash;
	struct list_head	i_io_list;	/* of the dirty ones */
	struct list_head	i_sb_list;
	union {
		struct pipe_inode_info *i_pipe;
		struct block_device *i_bdev;
		char		*i_link;	/* a symbolic link's text */
	};
	void			*i_private;	/* the file system's own */
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
	spinlock_t		f_lock;
	errseq_t		f_wb_err;	/* the latest it knows of */
	u64			f_version;	/* for its file system */
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
	/* Of the kind that formats its own: used where there is no _iter. */
	ssize_t (*read)(struct file *file, char __user *buf, size_t size,
			loff_t *pos);
	ssize_t (*write)(struct file *file, const char __user *buf,
			 size_t size, loff_t *pos);
	ssize_t (*read_iter)(struct kiocb *iocb, struct iov_iter *to);
	ssize_t (*write_iter)(struct kiocb *iocb, struct iov_iter *from);
	int (*iterate_shared)(struct file *file, struct dir_context *ctx);
	__poll_t (*poll)(struct file *file, struct poll_table_struct *wait);
	long (*unlocked_ioctl)(struct file *file, unsigned int cmd,
			       unsigned long arg);
	/* Absent: such a file cannot be mapped. */
	int (*mmap)(struct file *file, struct vm_area_struct *vma);
	int (*open)(struct inode *inode, struct file *file);
	/* A descriptor of it is closed; others may be open. */
	int (*flush)(struct file *file, void *id);
	int (*release)(struct inode *inode, struct file *file);
	int (*fsync)(struct file *file, loff_t start, loff_t end,
		     int datasync);
	/* Absent: nothing can be spliced to such files, or from them. */
	ssize_t (*splice_write)(struct pipe_inode_info *pipe, struct file *out,
				loff_t *pos, size_t len, unsigned int flags);
	/* With the pipe locked; @len bytes have slots, page by page. */
	ssize_t (*splice_read)(struct file *in, loff_t *pos,
			       struct pipe_inode_info *pipe, size_t len,
			       unsigned int flags);
};

#define ATTR_MODE	(1 << 0)
#define ATTR_UID	(1 << 1)
#define ATTR_GID	(1 << 2)
#define ATTR_SIZE	(1 << 3)
#define ATTR_ATIME	(1 << 4)
#define ATTR_MTIME	(1 << 5)
#define ATTR_CTIME	(1 << 6)
#define ATTR_ATIME_SET	(1 << 7)	/* to ia_atime, not to now */
#define ATTR_MTIME_SET	(1 << 8)
#define ATTR_KILL_SUID	(1 << 11)
#define ATTR_KILL_SGID	(1 << 12)
#define ATTR_FILE	(1 << 13)	/* ia_file is what it was called on */
#define ATTR_OPEN	(1 << 15)	/* O_TRUNC */

struct iattr {
	unsigned int	ia_valid;
	umode_t		ia_mode;
	uid_t		ia_uid;
	gid_t		ia_gid;
	loff_t		ia_size;
	struct timespec64 ia_atime;
	struct timespec64 ia_mtime;
	struct timespec64 ia_ctime;
	struct file	*ia_file;
};

/* What get_link's text needs once it is no longer used. */
struct delayed_call {
	void	(*fn)(void *arg);
	void	*arg;
};

static inline void set_delayed_call(struct delayed_call *call,
				    void (*fn)(void *arg), void *arg)
{
	call->fn = fn;
	call->arg = arg;
}

static inline void do_delayed_call(struct delayed_call *call)
{
	if (call->fn)
		call->fn(call->arg);
}

/*
 * What changes directories is called with i_rwsem of every directory involved
 * held.
 */
struct inode_operations {
	struct dentry *(*lookup)(struct inode *dir, struct dentry *dentry,
				 unsigned int flags);
	/* A link's text; NULL after nd_jump_link(). */
	const char *(*get_link)(struct dentry *dentry, struct inode *inode,
				struct delayed_call *done);
	int (*permission)(struct inode *inode, int mask);
	int (*readlink)(struct dentry *dentry, char __user *buf, int size);
	int (*create)(struct inode *dir, struct dentry *dentry, umode_t mode,
		      bool excl);
	int (*link)(struct dentry *old_dentry, struct inode *dir,
		    struct dentry *dentry);
	int (*unlink)(struct inode *dir, struct dentry *dentry);
	int (*symlink)(struct inode *dir, struct dentry *dentry,
		       const char *target);
	int (*mkdir)(struct inode *dir, struct dentry *dentry, umode_t mode);
	int (*rmdir)(struct inode *dir, struct dentry *dentry);
	int (*mknod)(struct inode *dir, struct dentry *dentry, umode_t mode,
		     dev_t dev);
	int (*rename)(struct inode *old_dir, struct dentry *old_dentry,
		      struct inode *new_dir, struct dentry *new_dentry,
		      unsigned int flags);
	int (*setattr)(struct dentry *dentry, struct iattr *attr);
	int (*getattr)(const struct path *path, struct kstat *stat,
		       u32 request_mask, unsigned int flags);
	int (*update_time)(struct inode *inode, struct timespec64 *time,
			   int flags);
};

/* update_time's flags */
#define S_ATIME		1
#define S_MTIME		2
#define S_CTIME		4

/* inode.c */
void inode_init_once(struct inode *inode);
struct inode *new_inode(struct super_block *sb);
struct inode *new_inode_pseudo(struct super_block *sb);
void free_inode_nonrcu(struct inode *inode);
unsigned long get_next_ino(void);
void clear_inode(struct inode *inode);
void iput(struct inode *inode);
struct inode *igrab(struct inode *inode);
int generic_delete_inode(struct inode *inode);
int generic_drop_inode(struct inode *inode);

/* inode/hash.c: inodes by number */
struct inode *iget_locked(struct super_block *sb, unsigned long ino);
int insert_inode_locked(struct inode *inode);
void remove_inode_hash(struct inode *inode);
void unlock_new_inode(struct inode *inode);
void discard_new_inode(struct inode *inode);
void iget_failed(struct inode *inode);
void make_bad_inode(struct inode *inode);
bool is_bad_inode(const struct inode *inode);

/* attr.c */
struct timespec64 current_time(const struct inode *inode);
int generic_permission(struct inode *inode, int mask);
int inode_permission(struct inode *inode, int mask);
int get_write_access(struct inode *inode);
void put_write_access(struct inode *inode);
int deny_write_access(struct file *file);
void allow_write_access(struct file *file);
int setattr_prepare(struct dentry *dentry, struct iattr *attr);
int inode_newsize_ok(const struct inode *inode, loff_t size);
void setattr_copy(struct inode *inode, const struct iattr *attr);
int notify_change(struct dentry *dentry, struct iattr *attr);
int generic_update_time(struct inode *inode, struct timespec64 *time,
			int flags);
void touch_atime(const struct path *path);
bool atime_needs_update(const struct path *path, struct inode *inode,
			struct timespec64 *now);
int file_update_time(struct file *file);
void inode_init_owner(struct inode *inode, const struct inode *dir,
		      umode_t mode);

static inline void file_accessed(struct file *file)
{
	touch_atime(&file->f_path);
}

/* fs-writeback.c */
void __mark_inode_dirty(struct inode *inode, int flags);
int write_inode_now(struct inode *inode, int sync);
void sync_inodes_sb(struct super_block *sb);

static inline void mark_inode_dirty(struct inode *inode)
{
	__mark_inode_dirty(inode, I_DIRTY);
}

static inline void ihold(struct inode *inode)
{
	atomic_inc(&inode->i_count);
}

static inline bool inode_unhashed(const struct inode *inode)
{
	return hlist_unhashed(&inode->i_hash);
}

static inline void set_nlink(struct inode *inode, unsigned int nlink)
{
	inode->i_nlink = nlink;
}

static inline void inc_nlink(struct inode *inode)
{
	inode->i_nlink++;
}

static inline void drop_nlink(struct inode *inode)
{
	inode->i_nlink--;
}

static inline void clear_nlink(struct inode *inode)
{
	inode->i_nlink = 0;
}

/* file_table.c */
struct file *alloc_empty_file(int flags);
struct file *alloc_file_pseudo(struct inode *inode, struct vfsmount *mnt,
			       const char *name, int flags,
			       const struct file_operations *fops);
struct file *alloc_file_clone(struct file *base, int flags,
			      const struct file_operations *fops);
void fput(struct file *file);

/* open.c */
struct file *filp_open(const char *name, int flags, umode_t mode);
int filp_close(struct file *file);
int vfs_open(const struct path *path, struct file *file);
int do_truncate(struct dentry *dentry, loff_t length, unsigned int time_attrs,
		struct file *file);
int generic_file_open(struct inode *inode, struct file *file);
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

/* splice/: for files that have ->write_iter, ->read_iter */
ssize_t iter_file_splice_write(struct pipe_inode_info *pipe, struct file *out,
			       loff_t *pos, size_t len, unsigned int flags);
int create_pipe_files(struct file **res, int flags);
ssize_t generic_file_splice_read(struct file *in, loff_t *pos,
				 struct pipe_inode_info *pipe, size_t len,
				 unsigned int flags);

/* sync.c */
int vfs_fsync_range(struct file *file, loff_t start, loff_t end, int datasync);
int vfs_fsync(struct file *file, int datasync);
int sync_filesystem(struct super_block *sb);

/* readdir.c */
int iterate_dir(struct file *file, struct dir_context *ctx);

/* stat.c */
int vfs_getattr(const struct path *path, struct kstat *stat);
void generic_fillattr(struct inode *inode, struct kstat *stat);

/* namei/namei.c and namei/dir.c: on dentries that a caller has looked up */
int vfs_create(struct inode *dir, struct dentry *dentry, umode_t mode,
	       bool excl);
int vfs_link(struct dentry *old_dentry, struct inode *dir,
	     struct dentry *dentry);
int vfs_mkdir(struct inode *dir, struct dentry *dentry, umode_t mode);
int vfs_mknod(struct inode *dir, struct dentry *dentry, umode_t mode,
	      dev_t dev);
int vfs_symlink(struct inode *dir, struct dentry *dentry, const char *target);
int vfs_rmdir(struct inode *dir, struct dentry *dentry);
int vfs_unlink(struct inode *dir, struct dentry *dentry);
int vfs_rename(struct inode *old_dir, struct dentry *old_dentry,
	       struct inode *new_dir, struct dentry *new_dentry,
	       unsigned int flags);

/* libfs/libfs.c: directories that live in the dcache only */
extern const struct file_operations simple_dir_operations;
extern const struct inode_operations simple_dir_inode_operations;
extern const struct inode_operations simple_symlink_inode_operations;
extern const struct dentry_operations simple_dentry_operations;
extern const struct super_operations simple_super_operations;
struct dentry *simple_lookup(struct inode *dir, struct dentry *dentry,
			     unsigned int flags);
int simple_link(struct dentry *old_dentry, struct inode *dir,
		struct dentry *dentry);
int simple_unlink(struct inode *dir, struct dentry *dentry);
int simple_rmdir(struct inode *dir, struct dentry *dentry);
int simple_rename(struct inode *old_dir, struct dentry *old_dentry,
		  struct inode *new_dir, struct dentry *new_dentry,
		  unsigned int flags);
int simple_empty(struct dentry *dentry);
int simple_setattr(struct dentry *dentry, struct iattr *attr);
int simple_getattr(const struct path *path, struct kstat *stat,
		   u32 request_mask, unsigned int flags);
int simple_statfs(struct dentry *dentry, struct kstatfs *buf);
const char *simple_get_link(struct dentry *dentry, struct inode *inode,
			    struct delayed_call *done);
int always_delete_dentry(const struct dentry *dentry);
bool dir_emit_dots(struct file *file, struct dir_context *ctx);
int dcache_readdir(struct file *file, struct dir_context *ctx);
int noop_fsync(struct file *file, loff_t start, loff_t end, int datasync);
ssize_t generic_read_dir(struct file *file, char __user *buf, size_t size,
			 loff_t *pos);

/* libfs/data.c: files in the page cache only, and in a kernel buffer */
extern const struct address_space_operations ram_aops;
bool noop_dirty_folio(struct address_space *mapping, struct page *page);

/* libfs/tree.c: trees that the kernel itself makes, of pinned files */
struct dentry *simple_start_creating(struct dentry *parent, const char *name);
void simple_done_creating(struct dentry *dentry);
void simple_recursive_removal(struct dentry *dentry);

/* char_dev.c */
int register_chrdev(unsigned int major, const struct file_operations *fops);
void init_special_inode(struct inode *inode, umode_t mode, dev_t dev);

/* ramfs/ramfs.c: the root's */
extern struct file_system_type rootfs_fs_type;

#endif
