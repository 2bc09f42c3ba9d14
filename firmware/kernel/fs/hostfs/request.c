/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Requests to the host's file server. The host answers most of them at once.
 * For the others their task sleeps until the device interrupt brings the
 * answer; the host may only be left alone with a request's memory once it has
 * answered or has agreed to forget the request.
 */
#include <linux/device.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <emu/hostcall.h>

#include "hostfs.h"

wait_queue_head_t hostfs_poll_wait =
	__WAIT_QUEUE_HEAD_INITIALIZER(hostfs_poll_wait);

/* Tasks whose requests are not answered yet; the lock is for `done`. */
static DECLARE_WAIT_QUEUE_HEAD(hostfs_wait);
static spinlock_t hostfs_lock = __SPIN_LOCK_UNLOCKED;

void hostfs_add_page(struct hostfs_request *req, struct page *page)
{
	req->fr.pages[req->fr.nr_pages] = page_to_phys(page);
	req->pages[req->fr.nr_pages++] = page;
}

struct hostfs_request *hostfs_alloc(u32 op, u64 node, size_t size)
{
	struct hostfs_request *req = kzalloc(sizeof(*req), GFP_KERNEL);
	struct page *page;

	if (!req)
		return NULL;
	req->fr.op = op;
	req->fr.node = node;
	while (req->nr_own * PAGE_SIZE < size) {
		page = alloc_page(GFP_KERNEL);
		if (!page) {
			hostfs_free(req);
			return NULL;
		}
		hostfs_add_page(req, page);
		req->nr_own++;
	}
	return req;
}

void hostfs_free(struct hostfs_request *req)
{
	while (req->nr_own)
		__free_page(req->pages[--req->nr_own]);
	kfree(req);
}

int hostfs_set_names(struct hostfs_request *req, const struct qstr *name,
		     const char *text, size_t len)
{
	char *data = page_address(req->pages[0]);

	memcpy(data, name->name, name->len);
	req->fr.size = name->len;
	if (!text)
		return 0;
	if (len > PAGE_SIZE - name->len - 1)
		return -ENAMETOOLONG;
	data[name->len] = '\0';
	memcpy(data + name->len + 1, text, len);
	req->fr.size += 1 + len;
	return 0;
}

/*
 * HOST_DEVICE_VECTOR's handler: the host may have answers, or something new
 * for those who poll. Called with interrupts off.
 */
void file_server_interrupt(void)
{
	struct hostfs_request *req;

	while ((req = (void *)hostcall0(HC_FILE_ANSWERED))) {
		spin_lock(&hostfs_lock);
		req->done = true;
		spin_unlock(&hostfs_lock);
	}
	wake_up_all(&hostfs_wait);
	wake_up_interruptible_all(&hostfs_poll_wait);
}

static bool hostfs_done(struct hostfs_request *req)
{
	unsigned long flags;
	bool done;

	spin_lock_irqsave(&hostfs_lock, flags);
	done = req->done;
	spin_unlock_irqrestore(&hostfs_lock, flags);
	return done;
}

/* 0 once there is an answer; -EINTR: a signal came, and there will be none. */
static int hostfs_wait_answer(struct hostfs_request *req, bool interruptible)
{
	if (interruptible) {
		if (!wait_event_interruptible(hostfs_wait, hostfs_done(req)))
			return 0;
		if (!hostcall1(HC_FILE_CANCEL, &req->fr))
			return -EINTR;
	}
	/* Has been answered, or cannot be given up. */
	wait_event(hostfs_wait, hostfs_done(req));
	return 0;
}

long hostfs_ask(struct hostfs_request *req)
{
	long ret;

	req->done = false;
	ret = hostcall1(HC_FILE_REQUEST, &req->fr);
	if (ret > 0)
		ret = hostfs_wait_answer(req, ret == FS_WAIT);
	return ret ? ret : req->fr.result;
}

long hostfs_ask_once(struct hostfs_request *req)
{
	long ret = hostfs_ask(req);

	hostfs_free(req);
	return ret;
}
