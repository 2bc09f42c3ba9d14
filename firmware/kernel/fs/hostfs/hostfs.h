/* SPDX-License-Identifier: GPL-2.0-only */
/* Files that the host serves: what the driver's files share. */
#ifndef _HOSTFS_H
#define _HOSTFS_H

#include <linux/fs.h>
#include <linux/hostfs.h>
#include <linux/wait.h>
#include <emu/file_server.h>

/* A request, and what the host need not know of it. */
struct hostfs_request {
	struct file_request	fr;
	bool			done;	/* answered, after waiting */
	unsigned int		nr_own;	/* pages that are freed with it */
	struct page		*pages[FILE_REQUEST_PAGES];
};

/* Pollers, woken whenever the host may have something new. */
extern wait_queue_head_t hostfs_poll_wait;

/* request.c. With room for @size bytes, at most HOSTFS_MAX_DATA. */
#define HOSTFS_MAX_DATA		(FILE_REQUEST_PAGES * PAGE_SIZE)
struct hostfs_request *hostfs_alloc(u32 op, u64 node, size_t size);
void hostfs_free(struct hostfs_request *req);
/* Adds a page that is the caller's; requests without any of their own. */
void hostfs_add_page(struct hostfs_request *req, struct page *page);
/* A name, and perhaps a text after a NUL; in the first page. */
int hostfs_set_names(struct hostfs_request *req, const struct qstr *name,
		     const char *text, size_t len);
/* Asks the host, and waits for its answer: a result or -errno. */
long hostfs_ask(struct hostfs_request *req);
/* The same, and @req is freed. */
long hostfs_ask_once(struct hostfs_request *req);

/* The host's number of what an inode stands for. */
static inline u64 hostfs_node(const struct inode *inode)
{
	return (u64)inode->i_private;
}

/* And of an open file, which keeps the request that will close it. */
static inline u64 hostfs_handle(const struct file *file)
{
	const struct hostfs_request *req = file->private_data;

	return req->fr.handle;
}

/* inode.c */
struct inode *hostfs_iget(struct super_block *sb, const struct file_attr *attr);
int hostfs_update(struct inode *inode, const struct file_attr *attr);
int hostfs_refresh(struct inode *inode);

/* dir.c */
extern const struct dentry_operations hostfs_dentry_operations;

/* readdir.c */
extern const struct file_operations hostfs_dir_operations;

/* file.c */
extern const struct file_operations hostfs_file_operations;
extern const struct address_space_operations hostfs_aops;
int hostfs_open(struct inode *inode, struct file *file);
int hostfs_release(struct inode *inode, struct file *file);

#endif
