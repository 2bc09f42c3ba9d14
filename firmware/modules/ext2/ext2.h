/* SPDX-License-Identifier: GPL-2.0-only */
/* The second extended file system: what is on the disk, and in memory. */
#ifndef _EXT2_H
#define _EXT2_H

#include <linux/blkdev.h>
#include <linux/buffer_head.h>
#include <linux/byteorder.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/mutex.h>

#define EXT2_BAD_INO		1
#define EXT2_ROOT_INO		2
#define EXT2_GOOD_OLD_FIRST_INO	11

#define EXT2_MIN_BLOCK_SIZE	1024
#define EXT2_MAX_BLOCK_SIZE	4096
#define EXT2_LINK_MAX		32000
#define EXT2_NAME_LEN		255

/* Where a file's blocks are: 12 directly, then by one to three levels. */
#define EXT2_NDIR_BLOCKS	12
#define EXT2_IND_BLOCK		EXT2_NDIR_BLOCKS
#define EXT2_DIND_BLOCK		(EXT2_IND_BLOCK + 1)
#define EXT2_TIND_BLOCK		(EXT2_DIND_BLOCK + 1)
#define EXT2_N_BLOCKS		(EXT2_TIND_BLOCK + 1)

/* i_flags on the disk */
#define EXT2_SYNC_FL		0x00000008
#define EXT2_IMMUTABLE_FL	0x00000010
#define EXT2_APPEND_FL		0x00000020
#define EXT2_NODUMP_FL		0x00000040
#define EXT2_NOATIME_FL		0x00000080
#define EXT2_BTREE_FL		0x00001000	/* indexed directory */
#define EXT2_DIRSYNC_FL		0x00010000
#define EXT2_FL_INHERITED	(EXT2_SYNC_FL | EXT2_NODUMP_FL | \
				 EXT2_NOATIME_FL | EXT2_DIRSYNC_FL)

/* s_state */
#define EXT2_VALID_FS		0x0001		/* unmounted cleanly */
#define EXT2_ERROR_FS		0x0002

/* s_errors, and the mount options of that name */
#define EXT2_ERRORS_CONTINUE	1
#define EXT2_ERRORS_RO		2
#define EXT2_ERRORS_PANIC	3

#define EXT2_GOOD_OLD_REV	0
#define EXT2_MAX_SUPP_REV	1
#define EXT2_GOOD_OLD_INODE_SIZE 128

#define EXT2_FEATURE_RO_COMPAT_SPARSE_SUPER	0x0001
#define EXT2_FEATURE_RO_COMPAT_LARGE_FILE	0x0002
#define EXT2_FEATURE_RO_COMPAT_BTREE_DIR	0x0004
#define EXT2_FEATURE_INCOMPAT_FILETYPE		0x0002
#define EXT2_FEATURE_INCOMPAT_META_BG		0x0010
#define EXT2_FEATURE_INCOMPAT_SUPP	(EXT2_FEATURE_INCOMPAT_FILETYPE | \
					 EXT2_FEATURE_INCOMPAT_META_BG)
#define EXT2_FEATURE_RO_COMPAT_SUPP	(EXT2_FEATURE_RO_COMPAT_SPARSE_SUPER | \
					 EXT2_FEATURE_RO_COMPAT_LARGE_FILE | \
					 EXT2_FEATURE_RO_COMPAT_BTREE_DIR)

struct ext2_super_block {
	__le32	s_inodes_count;
	__le32	s_blocks_count;
	__le32	s_r_blocks_count;	/* kept for root */
	__le32	s_free_blocks_count;
	__le32	s_free_inodes_count;
	__le32	s_first_data_block;
	__le32	s_log_block_size;
	__le32	s_log_frag_size;
	__le32	s_blocks_per_group;
	__le32	s_frags_per_group;
	__le32	s_inodes_per_group;
	__le32	s_mtime;
	__le32	s_wtime;
	__le16	s_mnt_count;
	__le16	s_max_mnt_count;
	__le16	s_magic;
	__le16	s_state;
	__le16	s_errors;
	__le16	s_minor_rev_level;
	__le32	s_lastcheck;
	__le32	s_checkinterval;
	__le32	s_creator_os;
	__le32	s_rev_level;
	__le16	s_def_resuid;
	__le16	s_def_resgid;
	/* From here on: revision 1. */
	__le32	s_first_ino;
	__le16	s_inode_size;
	__le16	s_block_group_nr;
	__le32	s_feature_compat;
	__le32	s_feature_incompat;
	__le32	s_feature_ro_compat;
	u8	s_uuid[16];
	char	s_volume_name[16];
	char	s_last_mounted[64];
	__le32	s_algorithm_usage_bitmap;
	u8	s_prealloc_blocks;
	u8	s_prealloc_dir_blocks;
	__le16	s_padding1;
	u8	s_journal_uuid[16];
	__le32	s_journal_inum;
	__le32	s_journal_dev;
	__le32	s_last_orphan;
	__le32	s_hash_seed[4];
	u8	s_def_hash_version;
	u8	s_reserved_char_pad;
	__le16	s_reserved_word_pad;
	__le32	s_default_mount_opts;
	__le32	s_first_meta_bg;
	__le32	s_reserved[190];
};

struct ext2_group_desc {
	__le32	bg_block_bitmap;
	__le32	bg_inode_bitmap;
	__le32	bg_inode_table;
	__le16	bg_free_blocks_count;
	__le16	bg_free_inodes_count;
	__le16	bg_used_dirs_count;
	__le16	bg_pad;
	__le32	bg_reserved[3];
};

struct ext2_inode {
	__le16	i_mode;
	__le16	i_uid;
	__le32	i_size;
	__le32	i_atime;
	__le32	i_ctime;
	__le32	i_mtime;
	__le32	i_dtime;
	__le16	i_gid;
	__le16	i_links_count;
	__le32	i_blocks;	/* of 512 bytes */
	__le32	i_flags;
	__le32	i_reserved1;
	__le32	i_block[EXT2_N_BLOCKS];
	__le32	i_generation;
	__le32	i_file_acl;
	__le32	i_dir_acl;	/* of a file: the size's upper half */
	__le32	i_faddr;
	u8	i_frag;
	u8	i_fsize;
	__le16	i_pad1;
	__le16	i_uid_high;
	__le16	i_gid_high;
	__le32	i_reserved2;
};

struct ext2_dir_entry_2 {
	__le32	inode;		/* 0: unused */
	__le16	rec_len;
	u8	name_len;
	u8	file_type;
	char	name[];
};
typedef struct ext2_dir_entry_2 ext2_dirent;

#define EXT2_DIR_PAD		4
#define EXT2_DIR_REC_LEN(len)	(((len) + 8 + EXT2_DIR_PAD - 1) & \
				 ~(EXT2_DIR_PAD - 1))

/* A mounted one. s_alloc_mutex protects bitmaps, descriptors and counts. */
struct ext2_sb_info {
	struct ext2_super_block *s_es;
	struct buffer_head	*s_sbh;
	struct buffer_head	**s_group_desc;
	unsigned long		s_gdb_count;
	unsigned long		s_groups_count;
	unsigned long		s_blocks_per_group;
	unsigned long		s_inodes_per_group;
	unsigned long		s_inodes_per_block;
	unsigned long		s_itb_per_group;	/* blocks of inodes */
	unsigned long		s_desc_per_block;
	unsigned int		s_inode_size;
	unsigned int		s_first_ino;
	unsigned int		s_errors;	/* EXT2_ERRORS_ */
	unsigned int		s_mount_state;
	bool			s_minix_df;
	u32			s_next_generation;
	struct mutex		s_alloc_mutex;
};

struct ext2_inode_info {
	__le32		i_data[EXT2_N_BLOCKS];	/* as on the disk */
	u32		i_flags;
	u32		i_faddr;
	u8		i_frag_no;
	u8		i_frag_size;
	u32		i_file_acl;
	u32		i_dir_acl;
	u32		i_dtime;
	bool		i_new;		/* not yet on the disk */
	unsigned long	i_block_group;
	struct mutex	truncate_mutex;	/* i_data and what it leads to */
	struct inode	vfs_inode;
};

static inline struct ext2_sb_info *EXT2_SB(struct super_block *sb)
{
	return sb->s_fs_info;
}

static inline struct ext2_inode_info *EXT2_I(struct inode *inode)
{
	return container_of(inode, struct ext2_inode_info, vfs_inode);
}

#define EXT2_ADDR_PER_BLOCK(sb)	((sb)->s_blocksize / sizeof(__le32))
#define EXT2_HAS_INCOMPAT_FEATURE(sb, mask) \
	(EXT2_SB(sb)->s_es->s_feature_incompat & cpu_to_le32(mask))
#define EXT2_HAS_RO_COMPAT_FEATURE(sb, mask) \
	(EXT2_SB(sb)->s_es->s_feature_ro_compat & cpu_to_le32(mask))
#define EXT2_FILETYPE(sb) \
	EXT2_HAS_INCOMPAT_FEATURE(sb, EXT2_FEATURE_INCOMPAT_FILETYPE)

static inline unsigned long ext2_group_first_block_no(struct super_block *sb,
						      unsigned long group)
{
	return group * EXT2_SB(sb)->s_blocks_per_group +
	       le32_to_cpu(EXT2_SB(sb)->s_es->s_first_data_block);
}

/* super.c */
void ext2_error(struct super_block *sb, const char *function,
		const char *fmt, ...) __printf(3, 4);
void ext2_msg(struct super_block *sb, const char *prefix, const char *fmt, ...)
	__printf(3, 4);
void ext2_update_dynamic_rev(struct super_block *sb);

/* options.c */
int ext2_parse_options(struct super_block *sb, char *options);
int ext2_show_options(struct seq_file *m, struct dentry *root);

/* balloc.c */
struct ext2_group_desc *ext2_get_group_desc(struct super_block *sb,
					    unsigned long group,
					    struct buffer_head **bh);
bool ext2_data_block_valid(struct super_block *sb, u32 start,
			   unsigned int count);
u32 ext2_new_block(struct inode *inode, u32 goal, int *err);
void ext2_free_blocks(struct inode *inode, u32 block, unsigned long count);
bool ext2_bg_has_super(struct super_block *sb, unsigned long group);
unsigned long ext2_bg_num_gdb(struct super_block *sb, unsigned long group);
unsigned long ext2_count_free_blocks(struct super_block *sb);

/* ialloc.c */
struct inode *ext2_new_inode(struct inode *dir, umode_t mode);
void ext2_free_inode(struct inode *inode);
unsigned long ext2_count_free_inodes(struct super_block *sb);

/* inode.c */
struct inode *ext2_iget(struct super_block *sb, unsigned long ino);
int ext2_write_inode(struct inode *inode, struct writeback_control *wbc);
void ext2_evict_inode(struct inode *inode);
void ext2_set_inode_flags(struct inode *inode);
void ext2_set_file_ops(struct inode *inode);

/* block_map.c */
int ext2_get_block(struct inode *inode, sector_t block, struct buffer_head *bh,
		   int create);
int ext2_block_to_path(struct inode *inode, long block, int offsets[4]);

/* truncate.c */
int ext2_setattr(struct dentry *dentry, struct iattr *attr);
void ext2_truncate_blocks(struct inode *inode, loff_t offset);
void ext2_write_failed(struct address_space *mapping, loff_t to);
void ext2_xattr_delete_inode(struct inode *inode);

/* dir.c, dir_change.c */
struct page *ext2_get_page(struct inode *dir, unsigned long n);
int ext2_inode_by_name(struct inode *dir, const struct qstr *child, u32 *ino);
ext2_dirent *ext2_find_entry(struct inode *dir, const struct qstr *child,
			     struct page **page);
ext2_dirent *ext2_dotdot(struct inode *dir, struct page **page);
int ext2_add_link(struct dentry *dentry, struct inode *inode);
int ext2_make_empty(struct inode *inode, struct inode *parent);
int ext2_delete_entry(struct inode *dir, ext2_dirent *de, struct page *page);
int ext2_empty_dir(struct inode *inode);
int ext2_set_link(struct inode *dir, ext2_dirent *de, struct page *page,
		  struct inode *inode, bool update_times);
unsigned int ext2_last_byte(struct inode *dir, unsigned long n);
unsigned int ext2_rec_len(const ext2_dirent *de);

static inline unsigned long dir_pages(struct inode *inode)
{
	return (inode->i_size + PAGE_SIZE - 1) >> PAGE_SHIFT;
}

static inline ext2_dirent *ext2_next_entry(ext2_dirent *de)
{
	return (ext2_dirent *)((char *)de + ext2_rec_len(de));
}

/* file.c, namei.c, symlink.c */
int ext2_fsync(struct file *file, loff_t start, loff_t end, int datasync);
extern const struct address_space_operations ext2_aops;
extern const struct file_operations ext2_file_operations;
extern const struct file_operations ext2_dir_operations;
extern const struct inode_operations ext2_file_inode_operations;
extern const struct inode_operations ext2_dir_inode_operations;
extern const struct inode_operations ext2_special_inode_operations;
extern const struct inode_operations ext2_symlink_inode_operations;
extern const struct inode_operations ext2_fast_symlink_inode_operations;

static inline bool ext2_inode_is_fast_symlink(struct inode *inode)
{
	u64 acl = EXT2_I(inode)->i_file_acl ?
		  inode->i_sb->s_blocksize >> SECTOR_SHIFT : 0;

	return S_ISLNK(inode->i_mode) && inode->i_blocks == acl;
}

#endif
