/* SPDX-License-Identifier: GPL-2.0-only */
/* Listing directories that the host serves. */
#include <linux/dirent.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/mm.h>

#include "hostfs.h"

/* Before the host's come "." and "..". */
#define FIRST_ENTRY	2

/* False: the reader has no more room. */
static bool hostfs_emit(struct dir_context *ctx, const void *entries,
			size_t size)
{
	const void *end = entries + size;

	while (entries < end) {
		const struct file_dirent *entry = entries;

		if (!dir_emit(ctx, entry->name, entry->namelen, entry->ino,
			      entry->type))
			return false;
		ctx->pos = entry->next + FIRST_ENTRY;
		entries += entry->reclen;
	}
	return true;
}

static int hostfs_readdir(struct file *file, struct dir_context *ctx)
{
	struct hostfs_request *req;
	long size;

	if (!dir_emit_dots(file, ctx))
		return 0;
	do {
		req = hostfs_alloc(FS_READDIR, 0, PAGE_SIZE);
		if (!req)
			return -ENOMEM;
		req->fr.handle = hostfs_handle(file);
		req->fr.offset = ctx->pos - FIRST_ENTRY;
		size = hostfs_ask(req);
		if (size > 0 &&
		    !hostfs_emit(ctx, page_address(req->pages[0]), size))
			size = 0;
		hostfs_free(req);
	} while (size > 0);
	return size;
}

const struct file_operations hostfs_dir_operations = {
	.llseek		= generic_file_llseek,
	.read		= generic_read_dir,
	.iterate_shared	= hostfs_readdir,
	.open		= hostfs_open,
	.release	= hostfs_release,
	.fsync		= noop_fsync,
};
