/* SPDX-License-Identifier: GPL-2.0-only */
/* Inodes between the disk and memory; a file's pages. */
#include <linux/err.h>
#include <linux/kdev_t.h>
#include <linux/pagemap.h>
#include <linux/writeback.h>

#include "ext2.h"

static int ext2_writepage(struct page *page, struct writeback_control *wbc)
{
	return block_write_full_page(page, ext2_get_block, wbc);
}

static int ext2_read_folio(struct file *file, struct page *page)
{
	return block_read_full_folio(page, ext2_get_block);
}

static int ext2_write_begin(struct file *file, struct address_space *mapping,
			    loff_t pos, unsigned int len, struct page **pagep,
			    void **fsdata)
{
	int err = block_write_begin(mapping, pos, len, pagep, ext2_get_block);

	if (err < 0)
		ext2_write_failed(mapping, pos + len);
	return err;
}

static int ext2_write_end(struct file *file, struct address_space *mapping,
			  loff_t pos, unsigned int len, unsigned int copied,
			  struct page *page, void *fsdata)
{
	int ret = generic_write_end(file, mapping, pos, len, copied, page,
				    fsdata);

	if (ret < (int)len)
		ext2_write_failed(mapping, pos + len);
	return ret;
}

static u64 ext2_bmap(struct address_space *mapping, u64 block)
{
	return generic_block_bmap(mapping, block, ext2_get_block);
}

const struct address_space_operations ext2_aops = {
	.writepage	= ext2_writepage,
	.read_folio	= ext2_read_folio,
	.dirty_folio	= block_dirty_folio,
	.write_begin	= ext2_write_begin,
	.write_end	= ext2_write_end,
	.bmap		= ext2_bmap,
	.invalidate_folio = block_invalidate_folio,
};

/* The inode in its table; the buffer is to be released. */
static __noclone struct ext2_inode *ext2_get_inode(struct super_block *sb,
						   unsigned long ino,
						   struct buffer_head **bhp)
{
	struct ext2_sb_info *sbi = EXT2_SB(sb);
	unsigned long group, offset, block;
	struct ext2_group_desc *desc;
	struct buffer_head *bh;

	if ((ino != EXT2_ROOT_INO && ino < sbi->s_first_ino) ||
	    ino > le32_to_cpu(sbi->s_es->s_inodes_count)) {
		ext2_error(sb, __func__, "bad inode number: %lu", ino);
		return ERR_PTR(-EINVAL);
	}
	group = (ino - 1) / sbi->s_inodes_per_group;
	desc = ext2_get_group_desc(sb, group, NULL);
	if (!desc)
		return ERR_PTR(-EIO);
	offset = (ino - 1) % sbi->s_inodes_per_group * sbi->s_inode_size;
	block = le32_to_cpu(desc->bg_inode_table) +
		(offset >> sb->s_blocksize_bits);
	bh = sb_bread(sb, block);
	if (!bh) {
		ext2_error(sb, __func__,
			   "unable to read inode block - inode=%lu, block=%lu",
			   ino, block);
		return ERR_PTR(-EIO);
	}
	*bhp = bh;
	return (void *)(bh->b_data + (offset & (sb->s_blocksize - 1)));
}

void ext2_set_inode_flags(struct inode *inode)
{
	unsigned int flags = EXT2_I(inode)->i_flags;

	inode->i_flags &= ~(S_SYNC | S_APPEND | S_IMMUTABLE | S_NOATIME);
	if (flags & EXT2_SYNC_FL)
		inode->i_flags |= S_SYNC;
	if (flags & EXT2_APPEND_FL)
		inode->i_flags |= S_APPEND;
	if (flags & EXT2_IMMUTABLE_FL)
		inode->i_flags |= S_IMMUTABLE;
	if (flags & EXT2_NOATIME_FL)
		inode->i_flags |= S_NOATIME;
}

void ext2_set_file_ops(struct inode *inode)
{
	inode->i_op = &ext2_file_inode_operations;
	inode->i_fop = &ext2_file_operations;
	inode->i_mapping->a_ops = &ext2_aops;
}

static void set_ops(struct inode *inode, const struct ext2_inode *raw)
{
	struct ext2_inode_info *ei = EXT2_I(inode);
	u32 dev;

	switch (inode->i_mode & S_IFMT) {
	case S_IFREG:
		ext2_set_file_ops(inode);
		break;
	case S_IFDIR:
		inode->i_op = &ext2_dir_inode_operations;
		inode->i_fop = &ext2_dir_operations;
		inode->i_mapping->a_ops = &ext2_aops;
		break;
	case S_IFLNK:
		if (ext2_inode_is_fast_symlink(inode)) {
			char *text = (char *)ei->i_data;

			text[min_t(u64, inode->i_size,
				   sizeof(ei->i_data) - 1)] = '\0';
			inode->i_link = text;
			inode->i_op = &ext2_fast_symlink_inode_operations;
		} else {
			inode->i_op = &ext2_symlink_inode_operations;
			inode->i_mapping->a_ops = &ext2_aops;
		}
		break;
	default:
		/* Numbers of 16 bits are in the first word. */
		inode->i_op = &ext2_special_inode_operations;
		dev = le32_to_cpu(raw->i_block[0]);
		if (dev)
			init_special_inode(inode, inode->i_mode,
					   MKDEV(dev >> 8 & 0xff, dev & 0xff));
		else
			init_special_inode(inode, inode->i_mode,
				new_decode_dev(le32_to_cpu(raw->i_block[1])));
	}
}

static struct timespec64 time_of(__le32 seconds)
{
	return (struct timespec64){ .tv_sec = (s32)le32_to_cpu(seconds) };
}

/* 0, or why this cannot be an inode. */
static int fill_inode(struct inode *inode, const struct ext2_inode *raw)
{
	struct ext2_inode_info *ei = EXT2_I(inode);
	struct super_block *sb = inode->i_sb;

	inode->i_mode = le16_to_cpu(raw->i_mode);
	inode->i_uid = le16_to_cpu(raw->i_uid) |
		       le16_to_cpu(raw->i_uid_high) << 16;
	inode->i_gid = le16_to_cpu(raw->i_gid) |
		       le16_to_cpu(raw->i_gid_high) << 16;
	set_nlink(inode, le16_to_cpu(raw->i_links_count));
	inode->i_size = le32_to_cpu(raw->i_size);
	inode->i_atime = time_of(raw->i_atime);
	inode->i_ctime = time_of(raw->i_ctime);
	inode->i_mtime = time_of(raw->i_mtime);
	ei->i_dtime = le32_to_cpu(raw->i_dtime);
	if (!inode->i_nlink && (!inode->i_mode || ei->i_dtime))
		return -ESTALE;		/* a deleted one */
	inode->i_blocks = le32_to_cpu(raw->i_blocks);
	inode->i_generation = le32_to_cpu(raw->i_generation);
	ei->i_flags = le32_to_cpu(raw->i_flags);
	ext2_set_inode_flags(inode);
	ei->i_faddr = le32_to_cpu(raw->i_faddr);
	ei->i_frag_no = raw->i_frag;
	ei->i_frag_size = raw->i_fsize;
	ei->i_file_acl = le32_to_cpu(raw->i_file_acl);
	if (ei->i_file_acl &&
	    !ext2_data_block_valid(sb, ei->i_file_acl, 1)) {
		ext2_error(sb, "ext2_iget", "bad extended attribute block %u",
			   ei->i_file_acl);
		return -EFSCORRUPTED;
	}
	if (S_ISREG(inode->i_mode))
		inode->i_size |= (u64)le32_to_cpu(raw->i_dir_acl) << 32;
	else
		ei->i_dir_acl = le32_to_cpu(raw->i_dir_acl);
	if (inode->i_size < 0)
		return -EFSCORRUPTED;
	ei->i_block_group = (inode->i_ino - 1) / EXT2_SB(sb)->s_inodes_per_group;
	memcpy(ei->i_data, raw->i_block, sizeof(ei->i_data));
	return 0;
}

struct inode *ext2_iget(struct super_block *sb, unsigned long ino)
{
	struct inode *inode = iget_locked(sb, ino);
	struct buffer_head *bh = NULL;
	struct ext2_inode *raw;
	int err;

	if (!inode)
		return ERR_PTR(-ENOMEM);
	if (!(inode->i_state & I_NEW))
		return inode;
	raw = ext2_get_inode(sb, ino, &bh);
	err = PTR_ERR_OR_ZERO(raw);
	if (!err) {
		err = fill_inode(inode, raw);
		if (!err)
			set_ops(inode, raw);
		brelse(bh);
	}
	if (err) {
		iget_failed(inode);
		return ERR_PTR(err);
	}
	unlock_new_inode(inode);
	return inode;
}

/* A file that needs 64 bits for its size is a feature to be declared. */
static void note_large_file(struct super_block *sb)
{
	struct ext2_sb_info *sbi = EXT2_SB(sb);
	u32 large = EXT2_FEATURE_RO_COMPAT_LARGE_FILE;

	if (EXT2_HAS_RO_COMPAT_FEATURE(sb, large))
		return;
	mutex_lock(&sbi->s_alloc_mutex);
	ext2_update_dynamic_rev(sb);
	sbi->s_es->s_feature_ro_compat |= cpu_to_le32(large);
	mark_buffer_dirty(sbi->s_sbh);
	mutex_unlock(&sbi->s_alloc_mutex);
}

static void put_device(struct inode *inode, struct ext2_inode *raw)
{
	dev_t dev = inode->i_rdev;

	if (MAJOR(dev) < 256 && MINOR(dev) < 256) {
		raw->i_block[0] = cpu_to_le32(MAJOR(dev) << 8 | MINOR(dev));
		raw->i_block[1] = 0;
	} else {
		raw->i_block[0] = 0;
		raw->i_block[1] = cpu_to_le32(new_encode_dev(dev));
		raw->i_block[2] = 0;
	}
}

static int __ext2_write_inode(struct inode *inode, bool wait)
{
	struct ext2_inode_info *ei = EXT2_I(inode);
	struct super_block *sb = inode->i_sb;
	struct buffer_head *bh = NULL;
	struct ext2_inode *raw;
	int err = 0;

	raw = ext2_get_inode(sb, inode->i_ino, &bh);
	if (IS_ERR(raw))
		return -EIO;
	if (ei->i_new)
		memset(raw, 0, EXT2_SB(sb)->s_inode_size);
	ei->i_new = false;
	raw->i_mode = cpu_to_le16(inode->i_mode);
	raw->i_uid = cpu_to_le16(inode->i_uid);
	raw->i_gid = cpu_to_le16(inode->i_gid);
	raw->i_uid_high = cpu_to_le16(inode->i_uid >> 16);
	raw->i_gid_high = cpu_to_le16(inode->i_gid >> 16);
	raw->i_links_count = cpu_to_le16(inode->i_nlink);
	raw->i_size = cpu_to_le32(inode->i_size);
	raw->i_atime = cpu_to_le32(inode->i_atime.tv_sec);
	raw->i_ctime = cpu_to_le32(inode->i_ctime.tv_sec);
	raw->i_mtime = cpu_to_le32(inode->i_mtime.tv_sec);
	raw->i_dtime = cpu_to_le32(ei->i_dtime);
	raw->i_blocks = cpu_to_le32(inode->i_blocks);
	raw->i_flags = cpu_to_le32(ei->i_flags);
	raw->i_faddr = cpu_to_le32(ei->i_faddr);
	raw->i_frag = ei->i_frag_no;
	raw->i_fsize = ei->i_frag_size;
	raw->i_file_acl = cpu_to_le32(ei->i_file_acl);
	raw->i_generation = cpu_to_le32(inode->i_generation);
	if (S_ISREG(inode->i_mode)) {
		raw->i_dir_acl = cpu_to_le32(inode->i_size >> 32);
		if (inode->i_size > 0x7fffffff)
			note_large_file(sb);
	} else {
		raw->i_dir_acl = cpu_to_le32(ei->i_dir_acl);
	}
	if (S_ISCHR(inode->i_mode) || S_ISBLK(inode->i_mode))
		put_device(inode, raw);
	else
		memcpy(raw->i_block, ei->i_data, sizeof(ei->i_data));
	mark_buffer_dirty(bh);
	if (wait) {
		err = sync_dirty_buffer(bh);
		if (err)
			pr_warn("IO error syncing ext2 inode [%s:%08lx]\n",
				sb->s_id, inode->i_ino);
	}
	brelse(bh);
	return err;
}

int ext2_write_inode(struct inode *inode, struct writeback_control *wbc)
{
	return __ext2_write_inode(inode, wbc->sync_mode == WB_SYNC_ALL);
}

/* The last use of the inode is over; without links, so is the file. */
void ext2_evict_inode(struct inode *inode)
{
	bool delete = !inode->i_nlink && !is_bad_inode(inode) &&
		      !sb_rdonly(inode->i_sb);

	truncate_inode_pages(&inode->i_data, 0);
	if (delete) {
		EXT2_I(inode)->i_dtime = ktime_get_real_seconds();
		mark_inode_dirty(inode);
		__ext2_write_inode(inode, false);
		inode->i_size = 0;
		if (inode->i_blocks)
			ext2_truncate_blocks(inode, 0);
		ext2_xattr_delete_inode(inode);
		__ext2_write_inode(inode, false);
	}
	clear_inode(inode);
	if (delete)
		ext2_free_inode(inode);
}
