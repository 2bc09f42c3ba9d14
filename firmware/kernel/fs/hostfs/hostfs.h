/* SPDX-License-Identifier: GPL-2.0-only */
/* Files that the host serves: what the driver's files share. */
#ifndef _HOSTFS_H
#define _HOSTFS_H

#include <linux/fs.h>
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

#endif
