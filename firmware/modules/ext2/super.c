/* SPDX-License-Identifier: GPL-2.0-only */
/* A mounted ext2: errors, writing the super block, what it has room for. */
#include <linux/init.h>
#include <linux/magic.h>
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/statfs.h>
#include <linux/writeback.h>

#include "ext2_super.h"

static struct kmem_cache *ext2_inode_cachep;

void ext2_msg(struct super_block *sb, const char *prefix, const char *fmt, ...)
{
	char text[160];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	pr_warn("EXT2-fs (%s): %s%s\n", sb->s_id, prefix, text);
}

/* What is on the disk cannot be: notes that, and does what s_errors says. */
void ext2_error(struct super_block *sb, const char *function,
		const char *fmt, ...)
{
	struct ext2_sb_info *sbi = EXT2_SB(sb);
	char text[160];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	if (!sb_rdonly(sb) && sb->s_root) {
		sbi->s_mount_state |= EXT2_ERROR_FS;
		sbi->s_es->s_state |= cpu_to_le16(EXT2_ERROR_FS);
		mark_buffer_dirty(sbi->s_sbh);
	}
	pr_warn("EXT2-fs (%s): error: %s: %s\n", sb->s_id, function, text);
	if (sbi->s_errors == EXT2_ERRORS_PANIC)
		panic("EXT2-fs: panic from previous error");
	if (sbi->s_errors == EXT2_ERRORS_RO && !sb_rdonly(sb)) {
		pr_warn("EXT2-fs (%s): error: remounting filesystem read-only\n",
			sb->s_id);
		sb->s_flags |= SB_RDONLY;
	}
}

/* Features can only be declared by revision 1. */
void ext2_update_dynamic_rev(struct super_block *sb)
{
	struct ext2_super_block *es = EXT2_SB(sb)->s_es;

	if (le32_to_cpu(es->s_rev_level) > EXT2_GOOD_OLD_REV)
		return;
	ext2_msg(sb, "warning: ",
		 "updating to rev %d because of new feature flag, running e2fsck is recommended",
		 EXT2_MAX_SUPP_REV);
	es->s_first_ino = cpu_to_le32(EXT2_GOOD_OLD_FIRST_INO);
	es->s_inode_size = cpu_to_le16(EXT2_GOOD_OLD_INODE_SIZE);
	es->s_rev_level = cpu_to_le32(EXT2_MAX_SUPP_REV);
}

static struct inode *ext2_alloc_inode(struct super_block *sb)
{
	struct ext2_inode_info *ei;

	ei = kmem_cache_zalloc(ext2_inode_cachep, GFP_KERNEL);
	if (!ei)
		return NULL;
	mutex_init(&ei->truncate_mutex);
	return &ei->vfs_inode;
}

static void ext2_free_in_core_inode(struct inode *inode)
{
	kmem_cache_free(ext2_inode_cachep, EXT2_I(inode));
}

/* The counts of all groups go to the super block only here. */
void ext2_sync_super(struct super_block *sb, bool wait)
{
	struct ext2_sb_info *sbi = EXT2_SB(sb);
	struct ext2_super_block *es = sbi->s_es;

	mutex_lock(&sbi->s_alloc_mutex);
	es->s_free_blocks_count = cpu_to_le32(ext2_count_free_blocks(sb));
	es->s_free_inodes_count = cpu_to_le32(ext2_count_free_inodes(sb));
	es->s_wtime = cpu_to_le32(ktime_get_real_seconds());
	mark_buffer_dirty(sbi->s_sbh);
	mutex_unlock(&sbi->s_alloc_mutex);
	if (wait)
		sync_dirty_buffer(sbi->s_sbh);
}

static int ext2_sync_fs(struct super_block *sb, int wait)
{
	EXT2_SB(sb)->s_es->s_state &= cpu_to_le16(~EXT2_VALID_FS);
	ext2_sync_super(sb, wait);
	return 0;
}

void ext2_free_sb_info(struct super_block *sb)
{
	struct ext2_sb_info *sbi = EXT2_SB(sb);
	unsigned long i;

	for (i = 0; sbi->s_group_desc && i < sbi->s_gdb_count; i++)
		brelse(sbi->s_group_desc[i]);
	kfree(sbi->s_group_desc);
	brelse(sbi->s_sbh);
	sb->s_fs_info = NULL;
	kfree(sbi);
}

static void ext2_put_super(struct super_block *sb)
{
	struct ext2_sb_info *sbi = EXT2_SB(sb);

	if (!sb_rdonly(sb)) {
		sbi->s_es->s_state = cpu_to_le16(sbi->s_mount_state);
		ext2_sync_super(sb, true);
	}
	ext2_free_sb_info(sb);
}

/* Blocks that no file can have: what describes the file system. */
static unsigned long overhead(struct super_block *sb)
{
	struct ext2_sb_info *sbi = EXT2_SB(sb);
	unsigned long blocks, i;

	blocks = le32_to_cpu(sbi->s_es->s_first_data_block);
	for (i = 0; i < sbi->s_groups_count; i++)
		blocks += ext2_bg_has_super(sb, i) + ext2_bg_num_gdb(sb, i);
	return blocks + sbi->s_groups_count * (2 + sbi->s_itb_per_group);
}

static int ext2_statfs(struct dentry *dentry, struct kstatfs *buf)
{
	struct super_block *sb = dentry->d_sb;
	struct ext2_sb_info *sbi = EXT2_SB(sb);
	struct ext2_super_block *es = sbi->s_es;
	u64 reserved = le32_to_cpu(es->s_r_blocks_count), used = 0;

	if (!sbi->s_minix_df)
		used = overhead(sb);
	buf->f_type = EXT2_SUPER_MAGIC;
	buf->f_bsize = sb->s_blocksize;
	buf->f_blocks = le32_to_cpu(es->s_blocks_count);
	buf->f_blocks -= min(used, buf->f_blocks);
	mutex_lock(&sbi->s_alloc_mutex);
	buf->f_bfree = ext2_count_free_blocks(sb);
	buf->f_ffree = ext2_count_free_inodes(sb);
	mutex_unlock(&sbi->s_alloc_mutex);
	buf->f_bavail = buf->f_bfree - min(buf->f_bfree, reserved);
	buf->f_files = le32_to_cpu(es->s_inodes_count);
	buf->f_namelen = EXT2_NAME_LEN;
	return 0;
}

static int ext2_remount(struct super_block *sb, int *flags, char *data)
{
	struct ext2_sb_info *sbi = EXT2_SB(sb);
	struct ext2_super_block *es = sbi->s_es;
	unsigned int old_errors = sbi->s_errors;
	u32 unknown;
	int err;

	err = ext2_parse_options(sb, data);
	if (err) {
		sbi->s_errors = old_errors;
		return err;
	}
	if ((*flags & SB_RDONLY) == (int)(sb->s_flags & SB_RDONLY))
		return 0;
	if (*flags & SB_RDONLY) {
		es->s_state = cpu_to_le16(sbi->s_mount_state);
		es->s_mtime = cpu_to_le32(ktime_get_real_seconds());
		ext2_sync_super(sb, true);
		return 0;
	}
	unknown = EXT2_HAS_RO_COMPAT_FEATURE(sb, ~EXT2_FEATURE_RO_COMPAT_SUPP);
	if (unknown) {
		ext2_msg(sb, "warning: ",
			 "couldn't remount RDWR because of unsupported optional features (%x)",
			 le32_to_cpu(unknown));
		return -EROFS;
	}
	sbi->s_mount_state = le16_to_cpu(es->s_state);
	ext2_setup_super(sb, false);
	ext2_sync_super(sb, true);
	return 0;
}

const struct super_operations ext2_sops = {
	.alloc_inode	= ext2_alloc_inode,
	.free_inode	= ext2_free_in_core_inode,
	.write_inode	= ext2_write_inode,
	.evict_inode	= ext2_evict_inode,
	.put_super	= ext2_put_super,
	.sync_fs	= ext2_sync_fs,
	.statfs		= ext2_statfs,
	.remount_fs	= ext2_remount,
	.show_options	= ext2_show_options,
};

static struct dentry *ext2_mount(struct file_system_type *type, int flags,
				 const char *dev_name, void *data)
{
	return mount_bdev(type, flags, dev_name, data, ext2_fill_super);
}

static struct file_system_type ext2_fs_type = {
	.owner		= THIS_MODULE,
	.name		= "ext2",
	.mount		= ext2_mount,
	.kill_sb	= kill_block_super,
	.fs_flags	= FS_REQUIRES_DEV,
};

static int __init init_inodecache(void)
{
	ext2_inode_cachep = KMEM_CACHE(ext2_inode_info, 0);
	return ext2_inode_cachep ? 0 : -ENOMEM;
}

/* Inodes may be freed by RCU callbacks. */
static void destroy_inodecache(void)
{
	rcu_barrier();
	kmem_cache_destroy(ext2_inode_cachep);
}

static int __init init_ext2_fs(void)
{
	int err = init_inodecache();

	if (err)
		return err;
	err = register_filesystem(&ext2_fs_type);
	if (err)
		destroy_inodecache();
	return err;
}
module_init(init_ext2_fs);

static void __exit exit_ext2_fs(void)
{
	unregister_filesystem(&ext2_fs_type);
	destroy_inodecache();
}
module_exit(exit_ext2_fs);

MODULE_ALIAS_FS("ext2");
MODULE_AUTHOR("emu");
MODULE_DESCRIPTION("Second Extended Filesystem");
MODULE_LICENSE("GPL");
