/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Errors in the order in which they happen: an error's number, whether
 * somebody was told, and above that a count of those that somebody was.
 */
#include <linux/atomic.h>
#include <linux/compiler.h>
#include <linux/err.h>
#include <linux/errseq.h>

#define ERRSEQ_SEEN	((errseq_t)MAX_ERRNO + 1)
#define ERRSEQ_CTR_INC	(ERRSEQ_SEEN << 1)

errseq_t errseq_set(errseq_t *eseq, int err)
{
	errseq_t old = READ_ONCE(*eseq), new, seen;

	for (;;) {
		new = (old & ~(MAX_ERRNO | ERRSEQ_SEEN)) | -err;
		if (old & ERRSEQ_SEEN)
			new += ERRSEQ_CTR_INC;
		if (new == old)
			return old;
		seen = cmpxchg(eseq, old, new);
		if (seen == old || seen == new)
			return seen;
		old = seen;
	}
}

errseq_t errseq_sample(errseq_t *eseq)
{
	errseq_t now = READ_ONCE(*eseq);

	return now & ERRSEQ_SEEN ? now : 0;
}

int errseq_check(errseq_t *eseq, errseq_t since)
{
	errseq_t now = READ_ONCE(*eseq);

	return now == since ? 0 : -(int)(now & MAX_ERRNO);
}

int errseq_check_and_advance(errseq_t *eseq, errseq_t *since)
{
	errseq_t old = READ_ONCE(*eseq), new = old | ERRSEQ_SEEN;

	if (old == *since)
		return 0;
	if (new != old)
		cmpxchg(eseq, old, new);
	*since = new;
	return -(int)(new & MAX_ERRNO);
}
