/* SPDX-License-Identifier: GPL-2.0-only */
/* An inode's permissions, owner, times and size. */
#include <linux/errno.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/mount.h>
#include <linux/pagemap.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/signal.h>
#include <linux/time.h>

#define RELATIME_SECONDS	(24 * 60 * 60)

/* As fine as the file system stores it. */
struct timespec64 current_time(const struct inode *inode)
{
	unsigned int gran = inode->i_sb->s_time_gran;
	struct timespec64 now;

	ktime_get_coarse_real_ts64(&now);
	if (gran == NSEC_PER_SEC)
		now.tv_nsec = 0;
	else if (gran > 1)
		now.tv_nsec -= now.tv_nsec % gran;
	return now;
}

/*
 * Every process is root's: it may read and write anything, but executes only
 * what has an x bit.
 */
int generic_permission(struct inode *inode, int mask)
{
	if (!(mask & MAY_EXEC) || S_ISDIR(inode->i_mode))
		return 0;
	return inode->i_mode & S_IXUGO ? 0 : -EACCES;
}

/* A device or a pipe can be written to where its file system cannot. */
static int sb_permission(const struct super_block *sb,
			 const struct inode *inode, int mask)
{
	umode_t mode = inode->i_mode;

	if ((mask & MAY_WRITE) && sb_rdonly(sb) &&
	    (S_ISREG(mode) || S_ISDIR(mode) || S_ISLNK(mode)))
		return -EROFS;
	return 0;
}

static int do_inode_permission(struct inode *inode, int mask)
{
	if (inode->i_op->permission)
		return inode->i_op->permission(inode, mask);
	return generic_permission(inode, mask);
}

int inode_permission(struct inode *inode, int mask)
{
	int err = sb_permission(inode->i_sb, inode, mask);

	if (err)
		return err;
	if ((mask & MAY_WRITE) && (inode->i_flags & S_IMMUTABLE))
		return -EPERM;
	return do_inode_permission(inode, mask);
}

/* Adds @delta to i_writecount unless the other side holds it. */
static inline int change_writecount(struct inode *inode, int delta)
{
	int count = atomic_read(&inode->i_writecount);

	while (delta > 0 ? count >= 0 : count <= 0) {
		int seen = atomic_cmpxchg(&inode->i_writecount, count,
					  count + delta);
		if (seen == count)
			return 0;
		count = seen;
	}
	return -ETXTBSY;
}

/* A file is either written or executed. */
int get_write_access(struct inode *inode)
{
	return change_writecount(inode, 1);
}

void put_write_access(struct inode *inode)
{
	atomic_dec(&inode->i_writecount);
}

int deny_write_access(struct file *file)
{
	return change_writecount(file_inode(file), -1);
}

void allow_write_access(struct file *file)
{
	atomic_inc(&file_inode(file)->i_writecount);
}

/* A new file's. A set-group-ID directory hands its group down. */
void inode_init_owner(struct inode *inode, const struct inode *dir,
		      umode_t mode)
{
	inode->i_uid = 0;
	inode->i_gid = 0;
	if (dir && (dir->i_mode & S_ISGID)) {
		inode->i_gid = dir->i_gid;
		if (S_ISDIR(mode))
			mode |= S_ISGID;
	}
	inode->i_mode = mode;
}

/* Whether the file may get so large; the signal is for who asks for more. */
int inode_newsize_ok(const struct inode *inode, loff_t size)
{
	if (size <= inode->i_size)
		return 0;
	if ((u64)size > rlimit(RLIMIT_FSIZE)) {
		send_sig(SIGXFSZ, current, 0);
		return -EFBIG;
	}
	return size > inode->i_sb->s_maxbytes ? -EFBIG : 0;
}

/* Whether a change is allowed at all. */
int setattr_prepare(struct dentry *dentry, struct iattr *attr)
{
	struct inode *inode = d_inode(dentry);

	return attr->ia_valid & ATTR_SIZE ?
	       inode_newsize_ok(inode, attr->ia_size) : 0;
}

/* All but the size. */
void setattr_copy(struct inode *inode, const struct iattr *attr)
{
	if (attr->ia_valid & ATTR_UID)
		inode->i_uid = attr->ia_uid;
	if (attr->ia_valid & ATTR_GID)
		inode->i_gid = attr->ia_gid;
	if (attr->ia_valid & ATTR_ATIME)
		inode->i_atime = attr->ia_atime;
	if (attr->ia_valid & ATTR_MTIME)
		inode->i_mtime = attr->ia_mtime;
	if (attr->ia_valid & ATTR_CTIME)
		inode->i_ctime = attr->ia_ctime;
	if (attr->ia_valid & ATTR_MODE)
		inode->i_mode = (inode->i_mode & S_IFMT) |
				(attr->ia_mode & S_IALLUGO);
}

/* With S_ISGID, but not S_IXGRP, it is no program of the group's. */
static void kill_suid(const struct inode *inode, struct iattr *attr)
{
	umode_t mode = inode->i_mode, kill = 0;

	if (attr->ia_valid & ATTR_KILL_SUID)
		kill |= mode & S_ISUID;
	if ((attr->ia_valid & ATTR_KILL_SGID) && (mode & S_IXGRP))
		kill |= mode & S_ISGID;
	if (kill) {
		attr->ia_mode = mode & ~kill;
		attr->ia_valid |= ATTR_MODE;
	}
}

/* Changes attributes; the inode is locked. */
int notify_change(struct dentry *dentry, struct iattr *attr)
{
	struct inode *inode = d_inode(dentry);
	struct timespec64 now = current_time(inode);

	if ((inode->i_flags & (S_IMMUTABLE | S_APPEND)) &&
	    (attr->ia_valid & (ATTR_MODE | ATTR_UID | ATTR_GID | ATTR_SIZE)))
		return -EPERM;
	kill_suid(inode, attr);
	attr->ia_ctime = now;
	if (!(attr->ia_valid & ATTR_ATIME_SET))
		attr->ia_atime = now;
	if (!(attr->ia_valid & ATTR_MTIME_SET))
		attr->ia_mtime = now;
	attr->ia_valid |= ATTR_CTIME;
	if (attr->ia_valid & ATTR_SIZE)
		attr->ia_valid |= ATTR_MTIME;
	if (inode->i_op->setattr)
		return inode->i_op->setattr(dentry, attr);
	return simple_setattr(dentry, attr);
}

int generic_update_time(struct inode *inode, struct timespec64 *time, int flags)
{
	if (flags & S_ATIME)
		inode->i_atime = *time;
	if (flags & S_CTIME)
		inode->i_ctime = *time;
	if (flags & S_MTIME)
		inode->i_mtime = *time;
	__mark_inode_dirty(inode, I_DIRTY_SYNC);
	return 0;
}

static int inode_update_time(struct inode *inode, struct timespec64 *time,
			     int flags)
{
	if (inode->i_op->update_time)
		return inode->i_op->update_time(inode, time, flags);
	return generic_update_time(inode, time, flags);
}

static inline bool later(const struct timespec64 *a, const struct timespec64 *b)
{
	return a->tv_sec != b->tv_sec ? a->tv_sec > b->tv_sec :
					a->tv_nsec > b->tv_nsec;
}

/* So that a file read since it was last changed says so, and once a day. */
static bool relatime_need_update(const struct vfsmount *mnt,
				 const struct inode *inode,
				 const struct timespec64 *now)
{
	if (!(mnt->mnt_flags & MNT_RELATIME))
		return true;
	return !later(&inode->i_atime, &inode->i_mtime) ||
	       !later(&inode->i_atime, &inode->i_ctime) ||
	       now->tv_sec - inode->i_atime.tv_sec >= RELATIME_SECONDS;
}

bool atime_needs_update(const struct path *path, struct inode *inode,
			struct timespec64 *now)
{
	const struct vfsmount *mnt = path->mnt;

	if ((inode->i_flags & S_NOATIME) ||
	    (inode->i_sb->s_flags & SB_NOATIME) ||
	    (mnt->mnt_flags & MNT_NOATIME) ||
	    ((mnt->mnt_flags & MNT_NODIRATIME) && S_ISDIR(inode->i_mode)))
		return false;
	*now = current_time(inode);
	return relatime_need_update(mnt, inode, now) &&
	       later(now, &inode->i_atime);
}

/* It has been read. */
void touch_atime(const struct path *path)
{
	struct inode *inode = d_inode(path->dentry);
	struct timespec64 now;

	if (!atime_needs_update(path, inode, &now))
		return;
	if (__mnt_want_write(path->mnt))
		return;
	inode_update_time(inode, &now, S_ATIME);
	__mnt_drop_write(path->mnt);
}

/* It is about to be written. */
int file_update_time(struct file *file)
{
	struct inode *inode = file_inode(file);
	struct timespec64 now = current_time(inode);
	int flags = 0;

	if (inode->i_flags & S_NOCMTIME)
		return 0;
	if (later(&now, &inode->i_mtime) || later(&inode->i_mtime, &now))
		flags |= S_MTIME;
	if (later(&now, &inode->i_ctime) || later(&inode->i_ctime, &now))
		flags |= S_CTIME;
	return flags ? inode_update_time(inode, &now, flags) : 0;
}
