/* SPDX-License-Identifier: GPL-2.0-only */
/* Super blocks of file systems that are on a disk. */
#include <linux/blkdev.h>
#include <linux/errno.h>
#include <linux/fs.h>
#include <linux/kernel.h>

static int test_bdev_super(struct super_block *s, void *bdev)
{
	return s->s_bdev == bdev;
}

static int set_bdev_super(struct super_block *s, void *data)
{
	struct block_device *bdev = data;

	s->s_bdev = bdev;
	s->s_dev = bdev->bd_dev;
	return 0;
}

/* One that is mounted already is mounted once more, if both agree on ro. */
static struct dentry *mount_again(struct super_block *s,
				  struct block_device *bdev, fmode_t mode,
				  int flags)
{
	if ((flags ^ s->s_flags) & SB_RDONLY) {
		deactivate_locked_super(s);
		blkdev_put(bdev, mode);
		return ERR_PTR(-EBUSY);
	}
	/* The super block has it open itself. */
	up_write(&s->s_umount);
	blkdev_put(bdev, mode);
	down_write(&s->s_umount);
	return dget(s->s_root);
}

struct dentry *mount_bdev(struct file_system_type *type, int flags,
			  const char *dev_name, void *data,
			  int (*fill_super)(struct super_block *, void *, int))
{
	fmode_t mode = FMODE_READ | FMODE_EXCL;
	struct block_device *bdev;
	struct super_block *s;
	int err;

	if (!(flags & SB_RDONLY))
		mode |= FMODE_WRITE;
	bdev = blkdev_get_by_path(dev_name, mode, type);
	if (IS_ERR(bdev))
		return ERR_CAST(bdev);
	s = sget(type, test_bdev_super, set_bdev_super, flags, bdev);
	if (IS_ERR(s)) {
		blkdev_put(bdev, mode);
		return ERR_CAST(s);
	}
	if (s->s_root)
		return mount_again(s, bdev, mode, flags);
	s->s_mode = mode;
	strscpy(s->s_id, bdevname(bdev), sizeof(s->s_id));
	err = fill_super(s, data, flags & SB_SILENT);
	if (err) {
		deactivate_locked_super(s);
		return ERR_PTR(err);
	}
	s->s_flags |= SB_ACTIVE;
	bdev->bd_super = s;
	return dget(s->s_root);
}

void kill_block_super(struct super_block *sb)
{
	struct block_device *bdev = sb->s_bdev;
	fmode_t mode = sb->s_mode;

	bdev->bd_super = NULL;
	generic_shutdown_super(sb);
	sync_blockdev(bdev);
	blkdev_put(bdev, mode);
}
