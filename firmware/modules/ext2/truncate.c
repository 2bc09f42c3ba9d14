/* SPDX-License-Identifier: GPL-2.0-only */
/* Giving back the blocks beyond a file's end. */
#include <linux/pagemap.h>

#include "ext2.h"

/* Adjacent blocks are given back together. */
struct run {
	u32 start;
	unsigned long count;
};

static void flush_run(struct inode *inode, struct run *run)
{
	if (run->count)
		ext2_free_blocks(inode, run->start, run->count);
	run->count = 0;
}

static void ext2_free_data(struct inode *inode, __le32 *p, __le32 *q)
{
	struct run run = {};

	for (; p < q; p++) {
		u32 block = le32_to_cpu(*p);

		if (!block)
			continue;
		*p = 0;
		if (run.count && block == run.start + run.count) {
			run.count++;
			continue;
		}
		flush_run(inode, &run);
		run.start = block;
		run.count = 1;
	}
	flush_run(inode, &run);
}

/* The entries lead to tables of @depth levels: all of it goes. */
static void ext2_free_branches(struct inode *inode, __le32 *p, __le32 *q,
			       int depth)
{
	unsigned int ptrs = EXT2_ADDR_PER_BLOCK(inode->i_sb);
	struct buffer_head *bh;

	if (!depth) {
		ext2_free_data(inode, p, q);
		return;
	}
	for (; p < q; p++) {
		u32 block = le32_to_cpu(*p);

		if (!block)
			continue;
		*p = 0;
		bh = ext2_data_block_valid(inode->i_sb, block, 1) ?
		     sb_bread(inode->i_sb, block) : NULL;
		if (!bh) {
			ext2_error(inode->i_sb, __func__,
				   "Read failure, inode=%lu, block=%u",
				   inode->i_ino, block);
			continue;
		}
		ext2_free_branches(inode, (__le32 *)bh->b_data,
				   (__le32 *)bh->b_data + ptrs, depth - 1);
		bforget(bh);
		ext2_free_blocks(inode, block, 1);
	}
}

static bool all_zero(const __le32 *p, const __le32 *q)
{
	for (; p < q; p++)
		if (*p)
			return false;
	return true;
}

/*
 * Below *entry, a table of @depth levels, whatever is at or after the path in
 * @offsets goes; the table too if nothing is left of it.
 */
static void cut_branch(struct inode *inode, __le32 *entry, int depth,
		       const int *offsets)
{
	unsigned int ptrs = EXT2_ADDR_PER_BLOCK(inode->i_sb);
	u32 block = le32_to_cpu(*entry);
	struct buffer_head *bh;
	__le32 *table;

	if (!block)
		return;
	bh = ext2_data_block_valid(inode->i_sb, block, 1) ?
	     sb_bread(inode->i_sb, block) : NULL;
	if (!bh) {
		ext2_error(inode->i_sb, "ext2_free_branches",
			   "Read failure, inode=%lu, block=%u", inode->i_ino,
			   block);
		return;
	}
	table = (__le32 *)bh->b_data;
	if (depth > 1) {
		cut_branch(inode, table + offsets[0], depth - 1, offsets + 1);
		ext2_free_branches(inode, table + offsets[0] + 1, table + ptrs,
				   depth - 1);
	} else {
		ext2_free_data(inode, table + offsets[0], table + ptrs);
	}
	if (all_zero(table, table + ptrs)) {
		*entry = 0;
		bforget(bh);
		ext2_free_blocks(inode, block, 1);
	} else {
		mark_buffer_dirty(bh);
		brelse(bh);
	}
}

/* With truncate_mutex; the page cache is truncated already. */
static void __ext2_truncate_blocks(struct inode *inode, loff_t offset)
{
	struct super_block *sb = inode->i_sb;
	__le32 *i_data = EXT2_I(inode)->i_data;
	long first = (offset + sb->s_blocksize - 1) >> sb->s_blocksize_bits;
	int offsets[4], depth, top;

	depth = ext2_block_to_path(inode, first, offsets);
	if (!depth)
		return;
	if (depth == 1) {
		ext2_free_data(inode, i_data + offsets[0],
			       i_data + EXT2_NDIR_BLOCKS);
		top = EXT2_IND_BLOCK;
	} else {
		top = offsets[0];
		cut_branch(inode, i_data + top, depth - 1, offsets + 1);
		top++;
	}
	for (; top < EXT2_N_BLOCKS; top++)
		ext2_free_branches(inode, i_data + top, i_data + top + 1,
				   top - EXT2_IND_BLOCK + 1);
}

void ext2_truncate_blocks(struct inode *inode, loff_t offset)
{
	if (!S_ISREG(inode->i_mode) && !S_ISDIR(inode->i_mode) &&
	    !S_ISLNK(inode->i_mode))
		return;
	if (ext2_inode_is_fast_symlink(inode))
		return;
	mutex_lock(&EXT2_I(inode)->truncate_mutex);
	__ext2_truncate_blocks(inode, offset);
	mutex_unlock(&EXT2_I(inode)->truncate_mutex);
}

/* A write has failed that may have made blocks beyond the end. */
void ext2_write_failed(struct address_space *mapping, loff_t to)
{
	struct inode *inode = mapping->host;

	if (to > inode->i_size) {
		truncate_inode_pages(mapping, inode->i_size);
		ext2_truncate_blocks(inode, inode->i_size);
	}
}

static int ext2_setsize(struct inode *inode, loff_t size)
{
	int err;

	if (!S_ISREG(inode->i_mode))
		return -EINVAL;
	if (inode->i_flags & (S_APPEND | S_IMMUTABLE))
		return -EPERM;
	err = block_truncate_page(inode->i_mapping, size, ext2_get_block);
	if (err)
		return err;
	truncate_setsize(inode, size);
	ext2_truncate_blocks(inode, size);
	inode->i_mtime = inode->i_ctime = current_time(inode);
	mark_inode_dirty(inode);
	return 0;
}

int ext2_setattr(struct dentry *dentry, struct iattr *attr)
{
	struct inode *inode = d_inode(dentry);
	int err;

	err = setattr_prepare(dentry, attr);
	if (err)
		return err;
	if ((attr->ia_valid & ATTR_SIZE) && attr->ia_size != inode->i_size) {
		err = ext2_setsize(inode, attr->ia_size);
		if (err)
			return err;
	}
	setattr_copy(inode, attr);
	mark_inode_dirty(inode);
	return 0;
}

#define EXT2_XATTR_MAGIC	0xEA020000

struct ext2_xattr_header {
	__le32 h_magic;
	__le32 h_refcount;
	__le32 h_blocks;
};

/* Extended attributes are not used, but their block is the file's, or shared. */
void ext2_xattr_delete_inode(struct inode *inode)
{
	struct ext2_inode_info *ei = EXT2_I(inode);
	struct super_block *sb = inode->i_sb;
	struct ext2_xattr_header *header;
	struct buffer_head *bh = NULL;
	u32 block = ei->i_file_acl;

	if (!block)
		return;
	if (ext2_data_block_valid(sb, block, 1))
		bh = sb_bread(sb, block);
	header = bh ? (void *)bh->b_data : NULL;
	if (!header || header->h_magic != cpu_to_le32(EXT2_XATTR_MAGIC) ||
	    header->h_blocks != cpu_to_le32(1)) {
		ext2_error(sb, __func__, "inode %lu: bad block %u",
			   inode->i_ino, block);
		brelse(bh);
		return;
	}
	if (le32_to_cpu(header->h_refcount) > 1) {
		le32_add_cpu(&header->h_refcount, -1);
		mark_buffer_dirty(bh);
		brelse(bh);
	} else {
		bforget(bh);
		ext2_free_blocks(inode, block, 1);
	}
	ei->i_file_acl = 0;
}
