/* SPDX-License-Identifier: GPL-2.0-only */
/* The page cache: a file's data as pages. */
#ifndef _LINUX_PAGEMAP_H
#define _LINUX_PAGEMAP_H

#include <linux/fs.h>

/*
 * The page of a file that holds its bytes from index * PAGE_SIZE, with a
 * reference: NULL beyond the end of the file, ERR_PTR(-ENOMEM), or the page.
 */
struct page *filemap_get_page(struct inode *inode, unsigned long index);
void truncate_inode_pages(struct address_space *mapping, loff_t start);

ssize_t generic_file_read_iter(struct kiocb *iocb, struct iov_iter *to);
ssize_t generic_file_write_iter(struct kiocb *iocb, struct iov_iter *from);
int generic_file_mmap(struct file *file, struct vm_area_struct *vma);

#endif
