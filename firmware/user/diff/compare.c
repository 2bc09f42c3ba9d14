/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which lines differ: the fewest, by E. Myers' "An O(ND) difference algorithm
 * and its variations", section 4b, in space for a line of diagonals only.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "diff.h"

/* Of two files; diagonal k has the places where x - y is k. */
struct comparison {
	struct line *a, *b;
	long *forward, *backward;	/* the farthest x on each diagonal */
};

/* The part of the two files that is looked at: lines x0 to x1 - 1 of a. */
struct box {
	long x0, x1, y0, y1;
};

#define MIN(x, y)	((x) < (y) ? (x) : (y))
#define MAX(x, y)	((x) > (y) ? (x) : (y))

static bool same(const struct line *x, const struct line *y)
{
	return x->key_length == y->key_length &&
	       !memcmp(x->key, y->key, x->key_length);
}

/* A place on a shortest way through a box, which splits it in two. */
struct place {
	long x, y;
};

#define NEVER	(LONG_MAX / 2)

/* One step further on diagonal k; false: that leads out of the box. */
static bool step(const struct comparison *c, const struct box *box, long k,
		 bool back)
{
	long *at = back ? c->backward : c->forward;
	long x = back ? MIN(at[k - 1], at[k + 1] - 1) :
			MAX(at[k - 1] + 1, at[k + 1]);
	long y = x - k;

	at[k] = back ? NEVER : -NEVER;
	if (x < box->x0 || x > box->x1 || y < box->y0 || y > box->y1)
		return false;
	if (back)
		while (x > box->x0 && y > box->y0 &&
		       same(&c->a[x - 1], &c->b[y - 1]))
			x--, y--;
	else
		while (x < box->x1 && y < box->y1 && same(&c->a[x], &c->b[y]))
			x++, y++;
	at[k] = x;
	return true;
}

/* From both corners at once, until the ways meet. The corners' lines differ. */
static struct place middle(const struct comparison *c, const struct box *box)
{
	long *forward = c->forward, *backward = c->backward;
	long start = box->x0 - box->y0, end = box->x1 - box->y1;
	bool odd = (start - end) & 1;

	forward[start] = box->x0;
	backward[end] = box->x1;
	for (long cost = 1;; cost++) {
		forward[start - cost - 1] = forward[start + cost + 1] = -NEVER;
		for (long k = start - cost; k <= start + cost; k += 2)
			if (step(c, box, k, false) && odd && k > end - cost &&
			    k < end + cost && forward[k] >= backward[k])
				return (struct place){ forward[k],
						       forward[k] - k };
		backward[end - cost - 1] = backward[end + cost + 1] = NEVER;
		for (long k = end - cost; k <= end + cost; k += 2)
			if (step(c, box, k, true) && !odd &&
			    k >= start - cost && k <= start + cost &&
			    forward[k] >= backward[k])
				return (struct place){ backward[k],
						       backward[k] - k };
	}
}

static void compare_box(const struct comparison *c, struct box box)
{
	struct box rest;
	struct place place;

	while (box.x0 < box.x1 && box.y0 < box.y1 &&
	       same(&c->a[box.x0], &c->b[box.y0]))
		box.x0++, box.y0++;
	while (box.x0 < box.x1 && box.y0 < box.y1 &&
	       same(&c->a[box.x1 - 1], &c->b[box.y1 - 1]))
		box.x1--, box.y1--;
	if (box.x0 == box.x1 || box.y0 == box.y1) {
		while (box.x0 < box.x1)
			c->a[box.x0++].changed = true;
		while (box.y0 < box.y1)
			c->b[box.y0++].changed = true;
		return;
	}
	place = middle(c, &box);
	rest = (struct box){ place.x, box.x1, place.y, box.y1 };
	box.x1 = place.x;
	box.y1 = place.y;
	compare_box(c, box);
	compare_box(c, rest);
}

/*
 * Lines that were added or removed move down while the line after them is the
 * same as the first of them: a function's end goes with its own beginning.
 */
static void move_down(struct file *file, const struct file *other)
{
	struct line *lines = file->lines;
	long i = 0, j = 0, end;

	for (; i < file->count; i = end) {
		while (j < other->count && other->lines[j].changed)
			j++;
		end = i + 1;
		if (!lines[i].changed) {
			j++;
			continue;
		}
		while (end < file->count && lines[end].changed)
			end++;
		while (end < file->count && same(&lines[i], &lines[end])) {
			lines[i++].changed = false;
			lines[end++].changed = true;
			j++;
			while (end < file->count && lines[end].changed)
				end++;
			/* What changed in the other is now beside it. */
			if (j < other->count && other->lines[j].changed)
				break;
		}
	}
}

void compare_lines(struct file *a, struct file *b)
{
	size_t size = 2 * (a->count + b->count + 4) * sizeof(long);
	long *forward = xmalloc(size), *backward = xmalloc(size);
	long zero = a->count + b->count + 4;
	struct comparison c = { a->lines, b->lines, forward + zero,
				backward + zero };

	compare_box(&c, (struct box){ 0, a->count, 0, b->count });
	move_down(a, b);
	move_down(b, a);
	free(forward);
	free(backward);
}
