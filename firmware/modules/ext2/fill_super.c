/* SPDX-License-Identifier: GPL-2.0-only */
/* Mounting: nothing that the disk says is believed before it is checked. */
#include <linux/err.h>
#include <linux/magic.h>
#include <linux/slab.h>

#include "ext2_super.h"

#define SUPER_OFFSET	1024	/* bytes, whatever the size of blocks */

/* Has it found and s_sbh set, in blocks of sb->s_blocksize. */
static int read_super(struct super_block *sb)
{
	struct ext2_sb_info *sbi = EXT2_SB(sb);

	sbi->s_sbh = sb_bread(sb, SUPER_OFFSET / sb->s_blocksize);
	if (!sbi->s_sbh) {
		ext2_msg(sb, "error: ", "unable to read superblock");
		return -EINVAL;
	}
	sbi->s_es = (void *)(sbi->s_sbh->b_data +
			     SUPER_OFFSET % sb->s_blocksize);
	sb->s_magic = le16_to_cpu(sbi->s_es->s_magic);
	return 0;
}

/* As far as tables of three levels go, and counts of 512 bytes. */
static loff_t ext2_max_size(struct super_block *sb)
{
	loff_t ptrs = EXT2_ADDR_PER_BLOCK(sb), blocks;
	loff_t most = ((loff_t)1 << 32) >> (sb->s_blocksize_bits - 9);

	blocks = EXT2_NDIR_BLOCKS + ptrs + ptrs * ptrs + ptrs * ptrs * ptrs;
	/* Room for the tables themselves, generously. */
	most -= most / ptrs + most / ptrs / ptrs + 8;
	return min(blocks, most) << sb->s_blocksize_bits;
}

static int check_features(struct super_block *sb)
{
	struct ext2_super_block *es = EXT2_SB(sb)->s_es;
	u32 unknown;

	if (le32_to_cpu(es->s_rev_level) == EXT2_GOOD_OLD_REV)
		return 0;
	unknown = le32_to_cpu(es->s_feature_incompat) &
		  ~EXT2_FEATURE_INCOMPAT_SUPP;
	if (unknown) {
		ext2_msg(sb, "error: ",
			 "couldn't mount because of unsupported optional features (%x)",
			 unknown);
		return -EINVAL;
	}
	unknown = le32_to_cpu(es->s_feature_ro_compat) &
		  ~EXT2_FEATURE_RO_COMPAT_SUPP;
	if (!sb_rdonly(sb) && unknown) {
		ext2_msg(sb, "error: ",
			 "couldn't mount RDWR because of unsupported optional features (%x)",
			 unknown);
		return -EINVAL;
	}
	return 0;
}

static int use_blocksize(struct super_block *sb)
{
	struct ext2_sb_info *sbi = EXT2_SB(sb);
	u32 log = le32_to_cpu(sbi->s_es->s_log_block_size);
	unsigned int size;
	int err;

	size = log <= 6 ? EXT2_MIN_BLOCK_SIZE << log : 0;
	if (!size || size > min_t(unsigned int, EXT2_MAX_BLOCK_SIZE,
				  PAGE_SIZE)) {
		ext2_msg(sb, "error: ", "bad blocksize %u", size);
		return -EINVAL;
	}
	if (sb->s_blocksize == size)
		return 0;
	brelse(sbi->s_sbh);
	sbi->s_sbh = NULL;
	if (!sb_set_blocksize(sb, size)) {
		ext2_msg(sb, "error: ", "bad blocksize %u", size);
		return -EINVAL;
	}
	err = read_super(sb);
	if (!err && sb->s_magic != EXT2_SUPER_MAGIC) {
		ext2_msg(sb, "error: ", "magic mismatch");
		err = -EINVAL;
	}
	return err;
}

static int use_inode_size(struct super_block *sb)
{
	struct ext2_sb_info *sbi = EXT2_SB(sb);
	struct ext2_super_block *es = sbi->s_es;

	if (le32_to_cpu(es->s_rev_level) == EXT2_GOOD_OLD_REV) {
		sbi->s_inode_size = EXT2_GOOD_OLD_INODE_SIZE;
		sbi->s_first_ino = EXT2_GOOD_OLD_FIRST_INO;
		return 0;
	}
	sbi->s_inode_size = le16_to_cpu(es->s_inode_size);
	sbi->s_first_ino = le32_to_cpu(es->s_first_ino);
	if (sbi->s_inode_size < EXT2_GOOD_OLD_INODE_SIZE ||
	    (sbi->s_inode_size & (sbi->s_inode_size - 1)) ||
	    sbi->s_inode_size > sb->s_blocksize) {
		ext2_msg(sb, "error: ", "unsupported inode size: %u",
			 sbi->s_inode_size);
		return -EINVAL;
	}
	if (sbi->s_first_ino < EXT2_GOOD_OLD_FIRST_INO) {
		ext2_msg(sb, "error: ", "invalid first ino: %u",
			 sbi->s_first_ino);
		return -EINVAL;
	}
	return 0;
}

/* How the disk is divided into groups. */
static int use_geometry(struct super_block *sb)
{
	struct ext2_sb_info *sbi = EXT2_SB(sb);
	struct ext2_super_block *es = sbi->s_es;
	u32 blocks = le32_to_cpu(es->s_blocks_count);
	u32 first = le32_to_cpu(es->s_first_data_block);
	u64 device = bdev_nr_bytes(sb->s_bdev) >> sb->s_blocksize_bits;
	unsigned long bits = sb->s_blocksize * 8;

	sbi->s_blocks_per_group = le32_to_cpu(es->s_blocks_per_group);
	sbi->s_inodes_per_group = le32_to_cpu(es->s_inodes_per_group);
	sbi->s_inodes_per_block = sb->s_blocksize / sbi->s_inode_size;
	sbi->s_desc_per_block = sb->s_blocksize /
				sizeof(struct ext2_group_desc);
	if (le32_to_cpu(es->s_log_frag_size) !=
	    le32_to_cpu(es->s_log_block_size)) {
		ext2_msg(sb, "error: ",
			 "fragsize log %u != blocksize log %u",
			 le32_to_cpu(es->s_log_frag_size),
			 le32_to_cpu(es->s_log_block_size));
		return -EINVAL;
	}
	if (!sbi->s_inodes_per_group || sbi->s_inodes_per_group > bits ||
	    sbi->s_inodes_per_group % sbi->s_inodes_per_block) {
		ext2_msg(sb, "error: ", "invalid #inodes per group: %lu",
			 sbi->s_inodes_per_group);
		return -EINVAL;
	}
	sbi->s_itb_per_group = sbi->s_inodes_per_group /
			       sbi->s_inodes_per_block;
	if (sbi->s_blocks_per_group > bits ||
	    sbi->s_blocks_per_group <= sbi->s_itb_per_group + 3) {
		ext2_msg(sb, "error: ", "invalid #blocks per group: %lu",
			 sbi->s_blocks_per_group);
		return -EINVAL;
	}
	if (blocks > device) {
		ext2_msg(sb, "error: ",
			 "bad geometry: block count %u exceeds size of device (%llu blocks)",
			 blocks, device);
		return -EINVAL;
	}
	if (first != (sb->s_blocksize == SUPER_OFFSET) || first >= blocks) {
		ext2_msg(sb, "error: ", "bad geometry: first data block %u",
			 first);
		return -EINVAL;
	}
	sbi->s_groups_count = (blocks - first - 1) / sbi->s_blocks_per_group +
			      1;
	if (sbi->s_groups_count * sbi->s_inodes_per_group !=
	    le32_to_cpu(es->s_inodes_count)) {
		ext2_msg(sb, "error: ",
			 "invalid #inodes: %u vs computed %lu",
			 le32_to_cpu(es->s_inodes_count),
			 sbi->s_groups_count * sbi->s_inodes_per_group);
		return -EINVAL;
	}
	return 0;
}

/* Where a block of descriptors is; @nr counts them. */
static unsigned long descriptor_loc(struct super_block *sb, unsigned long nr)
{
	struct ext2_sb_info *sbi = EXT2_SB(sb);
	unsigned long group, logic = SUPER_OFFSET / sb->s_blocksize;

	if (!EXT2_HAS_INCOMPAT_FEATURE(sb, EXT2_FEATURE_INCOMPAT_META_BG) ||
	    nr < le32_to_cpu(sbi->s_es->s_first_meta_bg))
		return logic + nr + 1;
	group = sbi->s_desc_per_block * nr;
	return ext2_group_first_block_no(sb, group) +
	       ext2_bg_has_super(sb, group);
}

/* Whether a group's bitmaps and inodes lie where they may. */
static bool check_descriptor(struct super_block *sb, unsigned long group)
{
	struct ext2_sb_info *sbi = EXT2_SB(sb);
	struct ext2_group_desc *desc = ext2_get_group_desc(sb, group, NULL);
	u64 first = ext2_group_first_block_no(sb, group), last;
	u64 bb = le32_to_cpu(desc->bg_block_bitmap);
	u64 ib = le32_to_cpu(desc->bg_inode_bitmap);
	u64 table = le32_to_cpu(desc->bg_inode_table);

	last = min(first + sbi->s_blocks_per_group,
		   (u64)le32_to_cpu(sbi->s_es->s_blocks_count)) - 1;
	if (bb < first || bb > last)
		ext2_error(sb, "ext2_check_descriptors",
			   "Block bitmap for group %lu not in group (block %llu)!",
			   group, bb);
	else if (ib < first || ib > last)
		ext2_error(sb, "ext2_check_descriptors",
			   "Inode bitmap for group %lu not in group (block %llu)!",
			   group, ib);
	else if (table < first || table + sbi->s_itb_per_group - 1 > last)
		ext2_error(sb, "ext2_check_descriptors",
			   "Inode table for group %lu not in group (block %llu)!",
			   group, table);
	else
		return true;
	return false;
}

static int read_descriptors(struct super_block *sb)
{
	struct ext2_sb_info *sbi = EXT2_SB(sb);
	unsigned long i, count;

	count = DIV_ROUND_UP(sbi->s_groups_count, sbi->s_desc_per_block);
	if (count * sizeof(struct buffer_head *) > KMALLOC_MAX_SIZE)
		return -EINVAL;
	sbi->s_group_desc = kcalloc(count, sizeof(struct buffer_head *),
				    GFP_KERNEL);
	if (!sbi->s_group_desc)
		return -ENOMEM;
	sbi->s_gdb_count = count;
	for (i = 0; i < count; i++) {
		sbi->s_group_desc[i] = sb_bread(sb, descriptor_loc(sb, i));
		if (!sbi->s_group_desc[i]) {
			ext2_msg(sb, "error: ",
				 "unable to read group descriptors");
			return -EINVAL;
		}
	}
	for (i = 0; i < sbi->s_groups_count; i++)
		if (!check_descriptor(sb, i)) {
			ext2_msg(sb, "error: ", "group descriptors corrupted");
			return -EINVAL;
		}
	return 0;
}

static int read_root(struct super_block *sb)
{
	struct inode *root = ext2_iget(sb, EXT2_ROOT_INO);

	if (IS_ERR(root))
		return PTR_ERR(root);
	if (!S_ISDIR(root->i_mode) || !root->i_blocks || !root->i_size) {
		iput(root);
		ext2_msg(sb, "error: ", "corrupt root inode, run e2fsck");
		return -EINVAL;
	}
	sb->s_root = d_make_root(root);
	return sb->s_root ? 0 : -ENOMEM;
}

/* Says what is wrong with it, and that it is in use from now on. */
void ext2_setup_super(struct super_block *sb, bool read_only)
{
	struct ext2_sb_info *sbi = EXT2_SB(sb);
	struct ext2_super_block *es = sbi->s_es;

	if (read_only)
		return;
	if (!(sbi->s_mount_state & EXT2_VALID_FS))
		ext2_msg(sb, "warning: ",
			 "mounting unchecked fs, running e2fsck is recommended");
	else if (sbi->s_mount_state & EXT2_ERROR_FS)
		ext2_msg(sb, "warning: ",
			 "mounting fs with errors, running e2fsck is recommended");
	es->s_state &= cpu_to_le16(~EXT2_VALID_FS);
	le16_add_cpu(&es->s_mnt_count, 1);
	es->s_mtime = cpu_to_le32(ktime_get_real_seconds());
}

static unsigned int errors_of(const struct ext2_super_block *es)
{
	unsigned int errors = le16_to_cpu(es->s_errors);

	return errors == EXT2_ERRORS_RO || errors == EXT2_ERRORS_PANIC ?
	       errors : EXT2_ERRORS_CONTINUE;
}

static int load(struct super_block *sb, char *options, int silent)
{
	struct ext2_sb_info *sbi = EXT2_SB(sb);
	int err;

	if (!sb_min_blocksize(sb, EXT2_MIN_BLOCK_SIZE))
		return -EINVAL;
	err = read_super(sb);
	if (err)
		return err;
	if (sb->s_magic != EXT2_SUPER_MAGIC) {
		if (!silent)
			ext2_msg(sb, "error: ",
				 "can't find an ext2 filesystem on dev %s.",
				 sb->s_id);
		return -EINVAL;
	}
	sbi->s_mount_state = le16_to_cpu(sbi->s_es->s_state);
	sbi->s_errors = errors_of(sbi->s_es);
	err = ext2_parse_options(sb, options);
	if (!err)
		err = check_features(sb);
	if (!err)
		err = use_blocksize(sb);
	if (!err)
		err = use_inode_size(sb);
	if (!err)
		err = use_geometry(sb);
	if (!err)
		err = read_descriptors(sb);
	if (err)
		return err;
	sb->s_op = &ext2_sops;
	sb->s_maxbytes = ext2_max_size(sb);
	sb->s_time_gran = NSEC_PER_SEC;
	sbi->s_next_generation = le32_to_cpu(sbi->s_es->s_wtime);
	return read_root(sb);
}

int ext2_fill_super(struct super_block *sb, void *data, int silent)
{
	struct ext2_sb_info *sbi = kzalloc(sizeof(*sbi), GFP_KERNEL);
	int err;

	if (!sbi)
		return -ENOMEM;
	sb->s_fs_info = sbi;
	mutex_init(&sbi->s_alloc_mutex);
	err = load(sb, data, silent);
	if (err) {
		ext2_free_sb_info(sb);
		return err;
	}
	ext2_setup_super(sb, sb_rdonly(sb));
	if (!sb_rdonly(sb))
		ext2_sync_super(sb, false);
	return 0;
}
