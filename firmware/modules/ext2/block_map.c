/* SPDX-License-Identifier: GPL-2.0-only */
/* From a file's blocks to the disk's, through up to three levels of tables. */
#include "ext2.h"

/* One step of the way: a table's entry, and the table (none at the top). */
typedef struct {
	__le32	*p;
	__le32	key;
	struct buffer_head *bh;
} Indirect;

static inline void add_chain(Indirect *p, struct buffer_head *bh, __le32 *v)
{
	p->key = *(p->p = v);
	p->bh = bh;
}

/* The entries to go through, and how many; 0: no file is that large. */
int ext2_block_to_path(struct inode *inode, long block, int offsets[4])
{
	long ptrs = EXT2_ADDR_PER_BLOCK(inode->i_sb);

	if (block < 0) {
		ext2_error(inode->i_sb, __func__, "block < 0");
		return 0;
	}
	if (block < EXT2_NDIR_BLOCKS) {
		offsets[0] = block;
		return 1;
	}
	block -= EXT2_NDIR_BLOCKS;
	if (block < ptrs) {
		offsets[0] = EXT2_IND_BLOCK;
		offsets[1] = block;
		return 2;
	}
	block -= ptrs;
	if (block < ptrs * ptrs) {
		offsets[0] = EXT2_DIND_BLOCK;
		offsets[1] = block / ptrs;
		offsets[2] = block % ptrs;
		return 3;
	}
	block -= ptrs * ptrs;
	if (block / ptrs < ptrs * ptrs) {
		offsets[0] = EXT2_TIND_BLOCK;
		offsets[1] = block / (ptrs * ptrs);
		offsets[2] = block / ptrs % ptrs;
		offsets[3] = block % ptrs;
		return 4;
	}
	return 0;
}

/*
 * Follows the path. NULL: the block is there, chain[depth - 1].key. Otherwise
 * the step at which it ends, and why: 0 for a hole, or -EIO.
 */
static Indirect *ext2_get_branch(struct inode *inode, int depth, int *offsets,
				 Indirect chain[4], int *err)
{
	struct super_block *sb = inode->i_sb;
	Indirect *p = chain;
	struct buffer_head *bh;

	*err = 0;
	add_chain(p, NULL, EXT2_I(inode)->i_data + *offsets);
	if (!p->key)
		return p;
	while (--depth) {
		u32 block = le32_to_cpu(p->key);

		bh = ext2_data_block_valid(sb, block, 1) ?
		     sb_bread(sb, block) : NULL;
		if (!bh) {
			*err = -EIO;
			return p;
		}
		add_chain(++p, bh, (__le32 *)bh->b_data + *++offsets);
		if (!p->key)
			return p;
	}
	return NULL;
}

/* Near what is before it in the table, or the table itself, or its group. */
static __noclone u32 ext2_find_goal(struct inode *inode, Indirect *partial)
{
	struct ext2_inode_info *ei = EXT2_I(inode);
	__le32 *start = partial->bh ? (__le32 *)partial->bh->b_data :
				      ei->i_data;
	__le32 *p;

	for (p = partial->p - 1; p >= start; p--)
		if (*p)
			return le32_to_cpu(*p) + 1;
	if (partial->bh)
		return partial->bh->b_blocknr + 1;
	return ext2_group_first_block_no(inode->i_sb, ei->i_block_group);
}

/*
 * Makes the missing tables and the block, not yet joined to the file:
 * branch[0] is where they will be.
 */
static int ext2_alloc_branch(struct inode *inode, int num, u32 goal,
			     int *offsets, Indirect *branch)
{
	struct super_block *sb = inode->i_sb;
	struct buffer_head *bh;
	int n, err = 0;
	u32 block;

	for (n = 0; n < num; n++) {
		block = ext2_new_block(inode, goal, &err);
		if (!block)
			break;
		branch[n].key = cpu_to_le32(block);
		goal = block + 1;
		if (n == num - 1)
			return 0;	/* the data block itself */
		bh = sb_getblk(sb, block);
		if (!bh) {
			n++;
			err = -ENOMEM;
			break;
		}
		lock_buffer(bh);
		memset(bh->b_data, 0, sb->s_blocksize);
		set_buffer_uptodate(bh);
		unlock_buffer(bh);
		branch[n + 1].bh = bh;
		branch[n + 1].p = (__le32 *)bh->b_data + offsets[n + 1];
	}
	while (n--) {
		if (n + 1 < num) {
			bforget(branch[n + 1].bh);
			branch[n + 1].bh = NULL;
		}
		ext2_free_blocks(inode, le32_to_cpu(branch[n].key), 1);
	}
	return err;
}

static void ext2_splice_branch(struct inode *inode, Indirect *where, int num)
{
	int n;

	/* From below: what is joined to the file is always complete. */
	for (n = num - 1; n >= 0; n--) {
		*where[n].p = where[n].key;
		if (where[n].bh)
			mark_buffer_dirty(where[n].bh);
	}
	inode->i_ctime = current_time(inode);
	mark_inode_dirty(inode);
}

static __noclone int ext2_get_blocks(struct inode *inode, sector_t block,
				     u32 *found, bool *new, int create)
{
	struct ext2_inode_info *ei = EXT2_I(inode);
	Indirect chain[4] = {}, *partial;
	int offsets[4], depth, n, err;

	depth = ext2_block_to_path(inode, block, offsets);
	if (!depth)
		return create ? -EFBIG : -EIO;
	mutex_lock(&ei->truncate_mutex);
	partial = ext2_get_branch(inode, depth, offsets, chain, &err);
	if (partial && !err && create) {
		int at = partial - chain;

		err = ext2_alloc_branch(inode, depth - at,
					ext2_find_goal(inode, partial),
					offsets + at, partial);
		if (!err) {
			ext2_splice_branch(inode, partial, depth - at);
			*new = true;
			partial = NULL;
		}
	}
	*found = partial ? 0 : le32_to_cpu(chain[depth - 1].key);
	mutex_unlock(&ei->truncate_mutex);
	for (n = 0; n < depth; n++)
		brelse(chain[n].bh);
	return err;
}

int ext2_get_block(struct inode *inode, sector_t block, struct buffer_head *bh,
		   int create)
{
	struct super_block *sb = inode->i_sb;
	bool new = false;
	u32 found = 0;
	int err;

	err = ext2_get_blocks(inode, block, &found, &new, create);
	if (err || !found)
		return err;
	if (!ext2_data_block_valid(sb, found, 1)) {
		ext2_error(sb, __func__, "inode %lu: block %llu leads to %u",
			   inode->i_ino, block, found);
		return -EIO;
	}
	map_bh(bh, sb, found);
	if (new)
		set_buffer_new(bh);
	return 0;
}
