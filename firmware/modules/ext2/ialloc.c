/* SPDX-License-Identifier: GPL-2.0-only */
/* Inodes: which are free, taking one, giving one back. */
#include "ext2.h"

/* With s_alloc_mutex. */
static struct buffer_head *read_inode_bitmap(struct super_block *sb,
					     unsigned long group)
{
	struct ext2_group_desc *desc = ext2_get_group_desc(sb, group, NULL);
	struct buffer_head *bh;

	if (!desc)
		return NULL;
	bh = sb_bread(sb, le32_to_cpu(desc->bg_inode_bitmap));
	if (!bh)
		ext2_error(sb, __func__,
			   "Cannot read inode bitmap - block_group = %lu, inode_bitmap = %u",
			   group, le32_to_cpu(desc->bg_inode_bitmap));
	return bh;
}

static void count_inode(struct super_block *sb, unsigned long group, int free,
			bool dir)
{
	struct ext2_group_desc *desc;
	struct buffer_head *bh;
	int n, dirs;

	desc = ext2_get_group_desc(sb, group, &bh);
	if (!desc)
		return;
	n = le16_to_cpu(desc->bg_free_inodes_count) + free;
	dirs = le16_to_cpu(desc->bg_used_dirs_count) - (dir ? free : 0);
	desc->bg_free_inodes_count = cpu_to_le16(clamp(n, 0, 0xffff));
	desc->bg_used_dirs_count = cpu_to_le16(clamp(dirs, 0, 0xffff));
	mark_buffer_dirty(bh);
}

/* The inode, which has no links, is gone from memory. */
void ext2_free_inode(struct inode *inode)
{
	struct super_block *sb = inode->i_sb;
	struct ext2_sb_info *sbi = EXT2_SB(sb);
	unsigned long ino = inode->i_ino, group, bit;
	struct buffer_head *bitmap;

	if (ino < sbi->s_first_ino ||
	    ino > le32_to_cpu(sbi->s_es->s_inodes_count)) {
		ext2_error(sb, __func__, "reserved or nonexistent inode %lu",
			   ino);
		return;
	}
	group = (ino - 1) / sbi->s_inodes_per_group;
	bit = (ino - 1) % sbi->s_inodes_per_group;
	mutex_lock(&sbi->s_alloc_mutex);
	bitmap = read_inode_bitmap(sb, group);
	if (bitmap) {
		if (__test_and_clear_bit_le(bit, bitmap->b_data))
			count_inode(sb, group, 1, S_ISDIR(inode->i_mode));
		else
			ext2_error(sb, __func__,
				   "bit already cleared for inode %lu", ino);
		mark_buffer_dirty(bitmap);
		brelse(bitmap);
	}
	mutex_unlock(&sbi->s_alloc_mutex);
}

/* Directories are spread: where there is most room, not the fewest inodes. */
static unsigned long find_group_dir(struct super_block *sb,
				    unsigned long parent)
{
	struct ext2_sb_info *sbi = EXT2_SB(sb);
	unsigned long ngroups = sbi->s_groups_count, i, best = parent;
	unsigned int most = 0, average;
	struct ext2_group_desc *desc;

	average = ext2_count_free_inodes(sb) / ngroups;
	for (i = 0; i < ngroups; i++) {
		desc = ext2_get_group_desc(sb, i, NULL);
		if (!desc->bg_free_inodes_count ||
		    le16_to_cpu(desc->bg_free_inodes_count) < average)
			continue;
		if (le16_to_cpu(desc->bg_free_blocks_count) > most) {
			most = le16_to_cpu(desc->bg_free_blocks_count);
			best = i;
		}
	}
	return best;
}

/* A free inode's number, in @group or the next that has one; 0: none. */
static unsigned long take_inode(struct super_block *sb, unsigned long group,
				bool dir)
{
	struct ext2_sb_info *sbi = EXT2_SB(sb);
	unsigned long i, ino, bit, ngroups = sbi->s_groups_count;
	struct buffer_head *bitmap;

	for (i = 0; i < ngroups; i++, group = (group + 1) % ngroups) {
		bitmap = read_inode_bitmap(sb, group);
		if (!bitmap)
			continue;
		bit = 0;
		if (!group)
			bit = sbi->s_first_ino - 1;
		bit = find_next_zero_bit_le(bitmap->b_data,
					    sbi->s_inodes_per_group, bit);
		if (bit >= sbi->s_inodes_per_group) {
			brelse(bitmap);
			continue;
		}
		__test_and_set_bit_le(bit, bitmap->b_data);
		mark_buffer_dirty(bitmap);
		brelse(bitmap);
		ino = group * sbi->s_inodes_per_group + bit + 1;
		if (ino < sbi->s_first_ino ||
		    ino > le32_to_cpu(sbi->s_es->s_inodes_count)) {
			ext2_error(sb, "ext2_new_inode",
				   "reserved inode or inode > inodes count - block_group = %lu,inode=%lu",
				   group, ino);
			return 0;
		}
		count_inode(sb, group, -1, dir);
		return ino;
	}
	return 0;
}

/* One link, locked (I_NEW) until the caller has filled it. */
struct inode *ext2_new_inode(struct inode *dir, umode_t mode)
{
	struct super_block *sb = dir->i_sb;
	struct ext2_sb_info *sbi = EXT2_SB(sb);
	unsigned long group = EXT2_I(dir)->i_block_group, ino;
	struct inode *inode = new_inode(sb);
	struct ext2_inode_info *ei;
	int err;

	if (!inode)
		return ERR_PTR(-ENOMEM);
	ei = EXT2_I(inode);
	mutex_lock(&sbi->s_alloc_mutex);
	if (S_ISDIR(mode))
		group = find_group_dir(sb, group);
	ino = take_inode(sb, group, S_ISDIR(mode));
	mutex_unlock(&sbi->s_alloc_mutex);
	if (!ino) {
		err = sb_rdonly(sb) ? -EROFS : -ENOSPC;
		goto fail;
	}
	inode_init_owner(inode, dir, mode);
	inode->i_ino = ino;
	inode->i_blocks = 0;
	ei->i_flags = EXT2_I(dir)->i_flags & EXT2_FL_INHERITED;
	if (!S_ISDIR(mode))
		ei->i_flags &= ~EXT2_DIRSYNC_FL;
	if (S_ISLNK(mode))
		ei->i_flags &= ~EXT2_SYNC_FL;
	ei->i_block_group = (ino - 1) / sbi->s_inodes_per_group;
	ei->i_new = true;
	ext2_set_inode_flags(inode);
	mutex_lock(&sbi->s_alloc_mutex);
	inode->i_generation = sbi->s_next_generation++;
	mutex_unlock(&sbi->s_alloc_mutex);
	if (insert_inode_locked(inode) < 0) {
		ext2_error(sb, "ext2_new_inode",
			   "inode number already in use - inode=%lu", ino);
		err = -EIO;
		goto fail;
	}
	mark_inode_dirty(inode);
	return inode;

fail:
	make_bad_inode(inode);
	iput(inode);
	return ERR_PTR(err);
}

unsigned long ext2_count_free_inodes(struct super_block *sb)
{
	struct ext2_group_desc *desc;
	unsigned long count = 0, i;

	for (i = 0; i < EXT2_SB(sb)->s_groups_count; i++) {
		desc = ext2_get_group_desc(sb, i, NULL);
		count += le16_to_cpu(desc->bg_free_inodes_count);
	}
	return count;
}
