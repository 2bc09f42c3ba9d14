/* SPDX-License-Identifier: GPL-2.0-only */
/* Changing directories; they are locked. */
#include <linux/err.h>
#include <linux/pagemap.h>

#include "ext2.h"

/* The blocks of that part of the page, which is locked, exist and are there. */
static int ext2_prepare_chunk(struct page *page, loff_t pos, unsigned int len)
{
	return __block_write_begin(page, pos, len, ext2_get_block);
}

/* The part has been changed; the page is unlocked. */
static void ext2_commit_chunk(struct page *page, loff_t pos, unsigned int len)
{
	struct address_space *mapping = page->mapping;
	struct inode *dir = mapping->host;

	block_write_end(NULL, mapping, pos, len, len, page, NULL);
	if (pos + len > dir->i_size) {
		i_size_write(dir, pos + len);
		mark_inode_dirty(dir);
	}
	unlock_page(page);
}

static void set_de_type(ext2_dirent *de, struct inode *inode)
{
	static const u8 types[16] = {
		[S_IFREG >> 12] = 1, [S_IFDIR >> 12] = 2, [S_IFCHR >> 12] = 3,
		[S_IFBLK >> 12] = 4, [S_IFIFO >> 12] = 5, [S_IFSOCK >> 12] = 6,
		[S_IFLNK >> 12] = 7,
	};

	de->file_type = EXT2_FILETYPE(inode->i_sb) ?
			types[(inode->i_mode & S_IFMT) >> 12] : 0;
}

/* What is changed without its index is no longer indexed. */
static void dir_changed(struct inode *dir)
{
	dir->i_mtime = dir->i_ctime = current_time(dir);
	EXT2_I(dir)->i_flags &= ~EXT2_BTREE_FL;
	mark_inode_dirty(dir);
}

static loff_t position(struct page *page, const void *p)
{
	return ((loff_t)page->index << PAGE_SHIFT) +
	       ((const char *)p - (const char *)page_address(page));
}

/* Has an entry name another inode. The page's reference stays. */
int ext2_set_link(struct inode *dir, ext2_dirent *de, struct page *page,
		  struct inode *inode, bool update_times)
{
	unsigned int len = ext2_rec_len(de);
	loff_t pos = position(page, de);
	int err;

	lock_page(page);
	err = ext2_prepare_chunk(page, pos, len);
	if (err) {
		unlock_page(page);
		return err;
	}
	de->inode = cpu_to_le32(inode->i_ino);
	set_de_type(de, inode);
	ext2_commit_chunk(page, pos, len);
	if (update_times)
		dir_changed(dir);
	return 0;
}

/*
 * Where in the page, which is locked, a new entry of @len bytes fits: *de is
 * the entry that is unused or has room behind it. 0, -ENOSPC: nowhere, or
 * -EEXIST.
 */
static int find_room(struct inode *dir, struct page *page,
		     const struct qstr *name, unsigned int len,
		     ext2_dirent **de)
{
	unsigned int limit = ext2_last_byte(dir, page->index), offset = 0;
	char *kaddr = page_address(page);

	while (offset < limit) {
		ext2_dirent *p = (ext2_dirent *)(kaddr + offset);
		unsigned int rec = ext2_rec_len(p), used = 0;

		if (p->inode) {
			if (p->name_len == name->len &&
			    !memcmp(p->name, name->name, name->len))
				return -EEXIST;
			used = EXT2_DIR_REC_LEN(p->name_len);
		}
		if (rec >= used + len) {
			*de = p;
			return 0;
		}
		offset += rec;
	}
	return -ENOSPC;
}

/* Puts the entry there, behind what *de needs for itself. */
static int insert_entry(struct inode *dir, struct page *page, ext2_dirent *de,
			const struct qstr *name, struct inode *inode)
{
	unsigned int rec = ext2_rec_len(de), used;
	loff_t pos = position(page, de);
	int err;

	err = ext2_prepare_chunk(page, pos, rec);
	if (err)
		return err;
	if (de->inode) {
		ext2_dirent *next;

		used = EXT2_DIR_REC_LEN(de->name_len);
		next = (ext2_dirent *)((char *)de + used);
		next->rec_len = cpu_to_le16(rec - used);
		de->rec_len = cpu_to_le16(used);
		de = next;
	}
	de->name_len = name->len;
	memcpy(de->name, name->name, name->len);
	de->inode = cpu_to_le32(inode->i_ino);
	set_de_type(de, inode);
	ext2_commit_chunk(page, pos, rec);
	return 0;
}

/* Adds a chunk at the directory's end, one unused entry. */
static int add_chunk(struct inode *dir)
{
	unsigned int chunk = dir->i_sb->s_blocksize;
	loff_t pos = dir->i_size;
	struct page *page = grab_cache_page(dir->i_mapping, pos >> PAGE_SHIFT);
	ext2_dirent *de;
	int err;

	if (IS_ERR(page))
		return PTR_ERR(page);
	err = ext2_prepare_chunk(page, pos, chunk);
	if (err) {
		unlock_page(page);
	} else {
		de = (ext2_dirent *)((char *)page_address(page) +
				     offset_in_page(pos));
		memset(de, 0, chunk);
		de->rec_len = cpu_to_le16(chunk);
		ext2_commit_chunk(page, pos, chunk);
	}
	put_page(page);
	if (err)
		ext2_write_failed(dir->i_mapping, pos + chunk);
	return err;
}

int ext2_add_link(struct dentry *dentry, struct inode *inode)
{
	struct inode *dir = d_inode(dentry->d_parent);
	const struct qstr *name = &dentry->d_name;
	unsigned int len = EXT2_DIR_REC_LEN(name->len);
	unsigned long n;
	ext2_dirent *de;
	int err;

	for (n = 0; ; n++) {
		struct page *page;

		if (n >= dir_pages(dir)) {
			err = add_chunk(dir);
			if (err)
				return err;
		}
		page = ext2_get_page(dir, n);
		if (IS_ERR(page))
			return PTR_ERR(page);
		lock_page(page);
		err = find_room(dir, page, name, len, &de);
		if (!err)
			err = insert_entry(dir, page, de, name, inode);
		else
			unlock_page(page);
		if (!err) {
			put_page(page);
			dir_changed(dir);
			return 0;
		}
		put_page(page);
		if (err != -ENOSPC)
			return err;
		/* The last page may have room for another chunk. */
		if (n + 1 == dir_pages(dir) &&
		    ext2_last_byte(dir, n) < PAGE_SIZE) {
			err = add_chunk(dir);
			if (err)
				return err;
			n--;
		}
	}
}

/* Its room goes to the entry before it. The page is released. */
int ext2_delete_entry(struct inode *dir, ext2_dirent *de, struct page *page)
{
	char *kaddr = page_address(page);
	unsigned int chunk = dir->i_sb->s_blocksize;
	unsigned int from = ((char *)de - kaddr) & ~(chunk - 1);
	unsigned int to = (char *)de - kaddr + ext2_rec_len(de);
	ext2_dirent *p = (ext2_dirent *)(kaddr + from), *before = NULL;
	loff_t pos;
	int err;

	while (p < de) {
		before = p;
		p = ext2_next_entry(p);
	}
	if (before)
		from = (char *)before - kaddr;
	pos = ((loff_t)page->index << PAGE_SHIFT) + from;
	lock_page(page);
	err = ext2_prepare_chunk(page, pos, to - from);
	if (err) {
		unlock_page(page);
	} else {
		if (before)
			before->rec_len = cpu_to_le16(to - from);
		de->inode = 0;
		ext2_commit_chunk(page, pos, to - from);
		dir_changed(dir);
	}
	put_page(page);
	return err;
}

/* A new directory's first chunk: "." and "..". */
int ext2_make_empty(struct inode *inode, struct inode *parent)
{
	unsigned int chunk = inode->i_sb->s_blocksize;
	struct page *page = grab_cache_page(inode->i_mapping, 0);
	ext2_dirent *de;
	int err;

	if (IS_ERR(page))
		return PTR_ERR(page);
	err = ext2_prepare_chunk(page, 0, chunk);
	if (err) {
		unlock_page(page);
		put_page(page);
		return err;
	}
	de = page_address(page);
	memset(de, 0, chunk);
	de->name_len = 1;
	de->rec_len = cpu_to_le16(EXT2_DIR_REC_LEN(1));
	memcpy(de->name, ".", 1);
	de->inode = cpu_to_le32(inode->i_ino);
	set_de_type(de, inode);
	de = ext2_next_entry(de);
	de->name_len = 2;
	de->rec_len = cpu_to_le16(chunk - EXT2_DIR_REC_LEN(1));
	memcpy(de->name, "..", 2);
	de->inode = cpu_to_le32(parent->i_ino);
	set_de_type(de, parent);
	ext2_commit_chunk(page, 0, chunk);
	put_page(page);
	return 0;
}
