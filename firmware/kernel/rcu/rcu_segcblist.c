/* SPDX-License-Identifier: GPL-2.0-only */
/* A CPU's callbacks, by the grace period for which they wait. */
#include <linux/kernel.h>
#include "rcu.h"

void rcu_segcblist_init(struct rcu_segcblist *rsclp)
{
	int i;

	for (i = 0; i < RCU_CBLIST_NSEGS; i++)
		rsclp->tails[i] = &rsclp->head;
}

void rcu_segcblist_enqueue(struct rcu_segcblist *rsclp, struct rcu_head *rhp)
{
	rhp->next = NULL;
	WRITE_ONCE(*rsclp->tails[RCU_NEXT_TAIL], rhp);
	rsclp->tails[RCU_NEXT_TAIL] = &rhp->next;
	rsclp->len++;
}

notrace void rcu_segcblist_lengths(struct rcu_segcblist *rsclp, long *lengths)
{
	struct rcu_head **end = &rsclp->head;
	int i;

	for (i = 0; i < RCU_CBLIST_NSEGS; i++) {
		lengths[i] = 0;
		for (; end != rsclp->tails[i]; end = &(*end)->next)
			lengths[i]++;
	}
}

/* After the last there is, to be called with it; false if there is none. */
bool rcu_segcblist_entrain(struct rcu_segcblist *rsclp, struct rcu_head *rhp)
{
	int i;

	if (rcu_segcblist_empty(rsclp))
		return false;
	rhp->next = NULL;
	for (i = RCU_NEXT_TAIL; i > RCU_DONE_TAIL; i--)
		if (rsclp->tails[i] != rsclp->tails[i - 1])
			break;
	*rsclp->tails[i] = rhp;
	for (; i < RCU_CBLIST_NSEGS; i++)
		rsclp->tails[i] = &rhp->next;
	rsclp->len++;
	return true;
}

/* The first that may be called, or NULL. */
struct rcu_head *rcu_segcblist_dequeue(struct rcu_segcblist *rsclp)
{
	struct rcu_head *rhp = rsclp->head;
	int i;

	if (!rcu_segcblist_ready_cbs(rsclp))
		return NULL;
	WRITE_ONCE(rsclp->head, rhp->next);
	for (i = RCU_DONE_TAIL; i < RCU_CBLIST_NSEGS; i++)
		if (rsclp->tails[i] == &rhp->next)
			rsclp->tails[i] = &rsclp->head;
	rsclp->len--;
	return rhp;
}

/* Grace period @seq has ended: segments that waited for it are done. */
void rcu_segcblist_advance(struct rcu_segcblist *rsclp, unsigned long seq)
{
	int i, j;

	for (i = RCU_WAIT_TAIL; i < RCU_NEXT_TAIL; i++) {
		if (ULONG_CMP_LT(seq, rsclp->gp_seq[i]))
			break;
		rsclp->tails[RCU_DONE_TAIL] = rsclp->tails[i];
	}
	/* The places of those that are done are free for those behind. */
	for (j = RCU_WAIT_TAIL; j < i; j++)
		rsclp->tails[j] = rsclp->tails[RCU_DONE_TAIL];
	for (j = RCU_WAIT_TAIL; i < RCU_NEXT_TAIL; i++, j++) {
		if (rsclp->tails[j] == rsclp->tails[RCU_NEXT_TAIL])
			break;
		rsclp->tails[j] = rsclp->tails[i];
		rsclp->gp_seq[j] = rsclp->gp_seq[i];
	}
}

/*
 * All that no grace period was asked for waits for @seq; those that wait for
 * the same or a later one join them. Returns whether there are any.
 */
bool rcu_segcblist_accelerate(struct rcu_segcblist *rsclp, unsigned long seq)
{
	int i, j;

	if (rcu_segcblist_restempty(rsclp, RCU_DONE_TAIL))
		return false;
	/* The last segment that is not empty and need not wait as long. */
	for (i = RCU_NEXT_READY_TAIL; i > RCU_DONE_TAIL; i--)
		if (rsclp->tails[i] != rsclp->tails[i - 1] &&
		    ULONG_CMP_LT(rsclp->gp_seq[i], seq))
			break;
	if (rcu_segcblist_restempty(rsclp, i) || ++i >= RCU_NEXT_TAIL)
		return false;
	for (j = i; j < RCU_NEXT_TAIL; j++) {
		rsclp->tails[j] = rsclp->tails[RCU_NEXT_TAIL];
		rsclp->gp_seq[j] = seq;
	}
	return true;
}
