/* SPDX-License-Identifier: GPL-2.0-only */
/* Blocks: which are free, taking one, giving some back. */
#include "ext2.h"

struct ext2_group_desc *ext2_get_group_desc(struct super_block *sb,
					    unsigned long group,
					    struct buffer_head **bh)
{
	struct ext2_sb_info *sbi = EXT2_SB(sb);
	struct buffer_head *desc_bh;

	if (group >= sbi->s_groups_count) {
		ext2_error(sb, __func__,
			   "block_group >= groups_count - block_group = %lu, groups_count = %lu",
			   group, sbi->s_groups_count);
		return NULL;
	}
	desc_bh = sbi->s_group_desc[group / sbi->s_desc_per_block];
	if (bh)
		*bh = desc_bh;
	return (struct ext2_group_desc *)desc_bh->b_data +
	       group % sbi->s_desc_per_block;
}

/* Blocks in the group: the last may be short. */
static unsigned int group_blocks(struct super_block *sb, unsigned long group)
{
	struct ext2_sb_info *sbi = EXT2_SB(sb);
	unsigned long first = ext2_group_first_block_no(sb, group);
	unsigned long left = le32_to_cpu(sbi->s_es->s_blocks_count) - first;

	return min(left, sbi->s_blocks_per_group);
}

/* Whether the blocks can hold a file's data. */
bool ext2_data_block_valid(struct super_block *sb, u32 start,
			   unsigned int count)
{
	struct ext2_super_block *es = EXT2_SB(sb)->s_es;

	return start > le32_to_cpu(es->s_first_data_block) &&
	       start + count >= start &&
	       (u64)start + count <= le32_to_cpu(es->s_blocks_count) &&
	       !(EXT2_SB(sb)->s_sbh->b_blocknr >= start &&
		 EXT2_SB(sb)->s_sbh->b_blocknr < (u64)start + count);
}

static struct buffer_head *read_block_bitmap(struct super_block *sb,
					     unsigned long group)
{
	struct ext2_group_desc *desc = ext2_get_group_desc(sb, group, NULL);
	struct buffer_head *bh;

	if (!desc)
		return NULL;
	bh = sb_bread(sb, le32_to_cpu(desc->bg_block_bitmap));
	if (!bh)
		ext2_error(sb, __func__,
			   "Cannot read block bitmap - block_group = %lu, block_bitmap = %u",
			   group, le32_to_cpu(desc->bg_block_bitmap));
	return bh;
}

/* Whether the block holds bitmaps or inodes of its group. */
static bool in_system_zone(struct super_block *sb, struct ext2_group_desc *desc,
			   u32 block)
{
	u32 table = le32_to_cpu(desc->bg_inode_table);

	return block == le32_to_cpu(desc->bg_block_bitmap) ||
	       block == le32_to_cpu(desc->bg_inode_bitmap) ||
	       (block >= table && block - table < EXT2_SB(sb)->s_itb_per_group);
}

static void group_adjust_blocks(struct super_block *sb,
				struct ext2_group_desc *desc,
				struct buffer_head *bh, int count)
{
	int free = le16_to_cpu(desc->bg_free_blocks_count) + count;

	desc->bg_free_blocks_count = cpu_to_le16(clamp(free, 0, 0xffff));
	mark_buffer_dirty(bh);
}

/* Those blocks, all of one group. With s_alloc_mutex. */
static unsigned long free_in_group(struct inode *inode, unsigned long group,
				   u32 block, unsigned int count)
{
	struct super_block *sb = inode->i_sb;
	unsigned int bit = block - ext2_group_first_block_no(sb, group), i;
	struct buffer_head *bitmap, *desc_bh;
	struct ext2_group_desc *desc;
	unsigned long freed = 0;

	bitmap = read_block_bitmap(sb, group);
	if (!bitmap)
		return 0;
	desc = ext2_get_group_desc(sb, group, &desc_bh);
	for (i = 0; i < count; i++) {
		if (in_system_zone(sb, desc, block + i)) {
			ext2_error(sb, "ext2_free_blocks",
				   "Freeing blocks in system zones - Block = %u, count = %u",
				   block + i, 1);
			continue;
		}
		if (__test_and_clear_bit_le(bit + i, bitmap->b_data))
			freed++;
		else
			ext2_error(sb, "ext2_free_blocks",
				   "bit already cleared for block %u",
				   block + i);
	}
	mark_buffer_dirty(bitmap);
	group_adjust_blocks(sb, desc, desc_bh, freed);
	brelse(bitmap);
	return freed;
}

void ext2_free_blocks(struct inode *inode, u32 block, unsigned long count)
{
	struct super_block *sb = inode->i_sb;
	struct ext2_sb_info *sbi = EXT2_SB(sb);
	unsigned long freed = 0;

	if (!ext2_data_block_valid(sb, block, count)) {
		ext2_error(sb, __func__,
			   "Freeing blocks not in datazone - block = %u, count = %lu",
			   block, count);
		return;
	}
	mutex_lock(&sbi->s_alloc_mutex);
	while (count) {
		unsigned long relative =
			block - le32_to_cpu(sbi->s_es->s_first_data_block);
		unsigned long group = relative / sbi->s_blocks_per_group;
		unsigned long in_group = sbi->s_blocks_per_group -
					 relative % sbi->s_blocks_per_group;

		in_group = min(in_group, count);
		freed += free_in_group(inode, group, block, in_group);
		block += in_group;
		count -= in_group;
	}
	mutex_unlock(&sbi->s_alloc_mutex);
	if (freed) {
		inode->i_blocks -= min(inode->i_blocks,
				       (u64)freed * (sb->s_blocksize >> 9));
		mark_inode_dirty(inode);
	}
}

/*
 * A free block of the group, from @start on if there is one; 0: none. With
 * s_alloc_mutex.
 */
static u32 ext2_try_to_allocate(struct super_block *sb, unsigned long group,
				unsigned int start)
{
	unsigned int size = group_blocks(sb, group), bit;
	struct buffer_head *bitmap, *desc_bh;
	struct ext2_group_desc *desc;
	u32 block = 0;

	desc = ext2_get_group_desc(sb, group, &desc_bh);
	if (!desc || !desc->bg_free_blocks_count)
		return 0;
	bitmap = read_block_bitmap(sb, group);
	if (!bitmap)
		return 0;
	for (;;) {
		bit = find_next_zero_bit_le(bitmap->b_data, size, start);
		if (bit >= size && start) {
			start = 0;
			continue;
		}
		if (bit >= size)
			break;
		__test_and_set_bit_le(bit, bitmap->b_data);
		block = ext2_group_first_block_no(sb, group) + bit;
		if (ext2_data_block_valid(sb, block, 1) &&
		    !in_system_zone(sb, desc, block))
			break;
		/* The bitmap is wrong: now it says that it is used. */
		ext2_error(sb, "ext2_new_blocks",
			   "Allocating block in system zone - block = %u",
			   block);
		mark_buffer_dirty(bitmap);
		block = 0;
		if (sb_rdonly(sb))
			break;
	}
	if (block) {
		mark_buffer_dirty(bitmap);
		group_adjust_blocks(sb, desc, desc_bh, -1);
	}
	brelse(bitmap);
	return block;
}

/* The block, near @goal if possible; or 0, and -ENOSPC in *err. */
u32 ext2_new_block(struct inode *inode, u32 goal, int *err)
{
	struct super_block *sb = inode->i_sb;
	struct ext2_sb_info *sbi = EXT2_SB(sb);
	struct ext2_super_block *es = sbi->s_es;
	u32 first = le32_to_cpu(es->s_first_data_block), block = 0;
	unsigned long group, i;

	if (goal < first || goal >= le32_to_cpu(es->s_blocks_count))
		goal = first;
	mutex_lock(&sbi->s_alloc_mutex);
	group = (goal - first) / sbi->s_blocks_per_group;
	for (i = 0; i < sbi->s_groups_count && !block; i++) {
		block = ext2_try_to_allocate(sb, group, i ? 0 :
				(goal - first) % sbi->s_blocks_per_group);
		group = (group + 1) % sbi->s_groups_count;
		if (sb_rdonly(sb) && !block)
			break;
	}
	mutex_unlock(&sbi->s_alloc_mutex);
	if (!block) {
		*err = sb_rdonly(sb) ? -EROFS : -ENOSPC;
		return 0;
	}
	*err = 0;
	inode->i_blocks += sb->s_blocksize >> 9;
	mark_inode_dirty(inode);
	return block;
}

unsigned long ext2_count_free_blocks(struct super_block *sb)
{
	struct ext2_group_desc *desc;
	unsigned long count = 0, i;

	for (i = 0; i < EXT2_SB(sb)->s_groups_count; i++) {
		desc = ext2_get_group_desc(sb, i, NULL);
		count += le16_to_cpu(desc->bg_free_blocks_count);
	}
	return count;
}

static bool test_root(unsigned long a, unsigned long b)
{
	unsigned long n = b;

	while (a > n)
		n *= b;
	return n == a;
}

/* Copies of the super block are in all groups, or in few. */
bool ext2_bg_has_super(struct super_block *sb, unsigned long group)
{
	if (!EXT2_HAS_RO_COMPAT_FEATURE(sb,
					EXT2_FEATURE_RO_COMPAT_SPARSE_SUPER))
		return true;
	return group <= 1 || test_root(group, 3) || test_root(group, 5) ||
	       test_root(group, 7);
}

unsigned long ext2_bg_num_gdb(struct super_block *sb, unsigned long group)
{
	return ext2_bg_has_super(sb, group) ? EXT2_SB(sb)->s_gdb_count : 0;
}
