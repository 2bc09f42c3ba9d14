/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Directories: chunks of one block's size, each filled with entries. An
 * indexed directory looks the same, its index being inside unused entries.
 */
#include <linux/dirent.h>
#include <linux/err.h>
#include <linux/pagemap.h>

#include "ext2.h"

unsigned int ext2_rec_len(const ext2_dirent *de)
{
	return le16_to_cpu(de->rec_len);
}

static inline unsigned int ext2_chunk_size(struct inode *inode)
{
	return inode->i_sb->s_blocksize;
}

/* How much of page @n is the directory's. */
unsigned int ext2_last_byte(struct inode *dir, unsigned long n)
{
	u64 left = dir->i_size - ((u64)n << PAGE_SHIFT);

	return min_t(u64, left, PAGE_SIZE);
}

/* NULL, or what is wrong with the entry at @offset. */
static const char *bad_entry(struct inode *dir, const ext2_dirent *de,
			     unsigned int offset)
{
	unsigned int len = ext2_rec_len(de), chunk = ext2_chunk_size(dir);

	if (len < EXT2_DIR_REC_LEN(1))
		return "rec_len is smaller than minimal";
	if (len & 3)
		return "unaligned directory entry";
	if (len < EXT2_DIR_REC_LEN(de->name_len))
		return "rec_len is too small for name_len";
	if (((offset + len - 1) ^ offset) & ~(chunk - 1))
		return "directory entry across blocks";
	if (le32_to_cpu(de->inode) >
	    le32_to_cpu(EXT2_SB(dir->i_sb)->s_es->s_inodes_count))
		return "inode out of bounds";
	return NULL;
}

/* Every entry of the page, once: it is only changed by us from then on. */
static bool ext2_check_page(struct inode *dir, struct page *page)
{
	unsigned int limit = ext2_last_byte(dir, page->index), offset = 0;
	char *kaddr = page_address(page);
	const char *error = NULL;
	ext2_dirent *de = NULL;

	if (limit & (ext2_chunk_size(dir) - 1)) {
		error = "size of directory is not a multiple of chunk size";
		goto bad;
	}
	while (offset < limit) {
		de = (ext2_dirent *)(kaddr + offset);
		error = bad_entry(dir, de, offset);
		if (error)
			goto bad;
		offset += ext2_rec_len(de);
	}
	SetPageChecked(page);
	return true;

bad:
	ext2_error(dir->i_sb, __func__,
		   "bad entry in directory #%lu: %s - offset=%llu, inode=%u, rec_len=%u, name_len=%u",
		   dir->i_ino, error, ((u64)page->index << PAGE_SHIFT) + offset,
		   de ? le32_to_cpu(de->inode) : 0, de ? ext2_rec_len(de) : 0,
		   de ? de->name_len : 0);
	return false;
}

/* Checked, with a reference; or -EIO, -ENOMEM. */
struct page *ext2_get_page(struct inode *dir, unsigned long n)
{
	struct page *page = read_mapping_page(dir->i_mapping, n);
	bool good;

	if (IS_ERR(page) || PageChecked(page))
		return page;
	/* Locked, because what is being changed is not consistent. */
	lock_page(page);
	good = PageChecked(page) || ext2_check_page(dir, page);
	unlock_page(page);
	if (good)
		return page;
	put_page(page);
	return ERR_PTR(-EIO);
}

/* The entry at @offset, or the first after it: positions may be old. */
static unsigned int ext2_validate_entry(char *base, unsigned int offset,
					unsigned int mask)
{
	ext2_dirent *p = (ext2_dirent *)(base + (offset & mask));
	ext2_dirent *de = (ext2_dirent *)(base + offset);

	while (p < de)
		p = ext2_next_entry(p);
	return (char *)p - base;
}

static const unsigned char ext2_filetype_table[] = {
	DT_UNKNOWN, DT_REG, DT_DIR, DT_CHR, DT_BLK, DT_FIFO, DT_SOCK, DT_LNK,
};

static unsigned char entry_type(struct super_block *sb, const ext2_dirent *de)
{
	if (!EXT2_FILETYPE(sb) ||
	    de->file_type >= ARRAY_SIZE(ext2_filetype_table))
		return DT_UNKNOWN;
	return ext2_filetype_table[de->file_type];
}

/* The directory is locked. */
static int ext2_readdir(struct file *file, struct dir_context *ctx)
{
	struct inode *dir = file_inode(file);
	unsigned int mask = ~(ext2_chunk_size(dir) - 1);
	unsigned int offset = offset_in_page(ctx->pos), limit;
	unsigned long n = (u64)ctx->pos >> PAGE_SHIFT;
	ext2_dirent *de;

	for (; ctx->pos < dir->i_size && n < dir_pages(dir); n++, offset = 0) {
		struct page *page = ext2_get_page(dir, n);
		char *kaddr;

		if (IS_ERR(page)) {
			ext2_error(dir->i_sb, __func__, "bad page in #%lu",
				   dir->i_ino);
			ctx->pos += PAGE_SIZE - offset;
			return PTR_ERR(page);
		}
		kaddr = page_address(page);
		limit = ext2_last_byte(dir, n);
		offset = ext2_validate_entry(kaddr, offset, mask);
		ctx->pos = ((u64)n << PAGE_SHIFT) + offset;
		while (offset < limit) {
			de = (ext2_dirent *)(kaddr + offset);
			if (de->inode &&
			    !dir_emit(ctx, de->name, de->name_len,
				      le32_to_cpu(de->inode),
				      entry_type(dir->i_sb, de))) {
				put_page(page);
				return 0;
			}
			offset += ext2_rec_len(de);
			ctx->pos = ((u64)n << PAGE_SHIFT) + offset;
		}
		put_page(page);
	}
	return 0;
}

static bool ext2_match(const struct qstr *child, const ext2_dirent *de)
{
	return de->inode && de->name_len == child->len &&
	       !memcmp(child->name, de->name, child->len);
}

/* The entry, in *page with a reference; or -ENOENT, -EIO, -ENOMEM. */
ext2_dirent *ext2_find_entry(struct inode *dir, const struct qstr *child,
			     struct page **page)
{
	unsigned long n, npages = dir_pages(dir);
	unsigned int offset, limit;
	ext2_dirent *de;

	for (n = 0; n < npages; n++) {
		if (n > dir->i_blocks >> (PAGE_SHIFT - 9)) {
			ext2_error(dir->i_sb, __func__,
				   "dir %lu size %lld exceeds block count %llu",
				   dir->i_ino, dir->i_size, dir->i_blocks);
			return ERR_PTR(-EIO);
		}
		*page = ext2_get_page(dir, n);
		if (IS_ERR(*page))
			return ERR_CAST(*page);
		limit = ext2_last_byte(dir, n);
		for (offset = 0; offset < limit; offset += ext2_rec_len(de)) {
			de = (ext2_dirent *)((char *)page_address(*page) +
					     offset);
			if (ext2_match(child, de))
				return de;
		}
		put_page(*page);
	}
	return ERR_PTR(-ENOENT);
}

/* ".." is the second entry of the first page. */
ext2_dirent *ext2_dotdot(struct inode *dir, struct page **page)
{
	ext2_dirent *de;

	*page = ext2_get_page(dir, 0);
	if (IS_ERR(*page))
		return ERR_CAST(*page);
	de = page_address(*page);
	if (ext2_rec_len(de) + EXT2_DIR_REC_LEN(1) >
	    ext2_last_byte(dir, 0)) {
		put_page(*page);
		return ERR_PTR(-EIO);
	}
	return ext2_next_entry(de);
}

int ext2_inode_by_name(struct inode *dir, const struct qstr *child, u32 *ino)
{
	struct page *page;
	ext2_dirent *de = ext2_find_entry(dir, child, &page);

	if (IS_ERR(de))
		return PTR_ERR(de);
	*ino = le32_to_cpu(de->inode);
	put_page(page);
	return 0;
}

/* Whether there is nothing in it but "." and "..". */
int ext2_empty_dir(struct inode *inode)
{
	unsigned long n, npages = dir_pages(inode);
	unsigned int offset, limit;
	ext2_dirent *de;

	for (n = 0; n < npages; n++) {
		struct page *page = ext2_get_page(inode, n);
		bool empty = true;

		if (IS_ERR(page))
			return 0;
		limit = ext2_last_byte(inode, n);
		for (offset = 0; offset < limit; offset += ext2_rec_len(de)) {
			de = (ext2_dirent *)((char *)page_address(page) +
					     offset);
			if (!de->inode)
				continue;
			if (de->name_len == 1 && de->name[0] == '.' &&
			    de->inode == cpu_to_le32(inode->i_ino))
				continue;
			if (de->name_len == 2 && de->name[0] == '.' &&
			    de->name[1] == '.')
				continue;
			empty = false;
			break;
		}
		put_page(page);
		if (!empty)
			return 0;
	}
	return 1;
}

const struct file_operations ext2_dir_operations = {
	.llseek		= generic_file_llseek,
	.read		= generic_read_dir,
	.iterate_shared	= ext2_readdir,
	.fsync		= ext2_fsync,
};
