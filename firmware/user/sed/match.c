/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Matching by trying: each repetition takes as much as it can and gives back
 * while what follows does not match. Only groups recurse for each repetition;
 * .* takes no stack however long the line.
 */
#include <string.h>

#include "node.h"

/* A group that is being repeated. */
struct repeat {
	int count;
	size_t start;		/* of the present repetition */
};

struct matcher {
	const char *text;
	size_t length;
	size_t end;		/* of the match, once there is one */
	struct match groups[REGEX_GROUPS];
	struct repeat repeats[REGEX_GROUPS];
};

static bool match_from(struct matcher *m, const struct node *node, size_t at);

/* How many bytes the node takes here, once; -1 if it does not match. */
static long match_once(const struct matcher *m, const struct node *node,
		       size_t at)
{
	const struct match *group;
	unsigned char c;

	if (node->kind == NODE_REFERENCE) {
		size_t length;

		group = &m->groups[node->group];
		if (group->start == NO_MATCH)
			return -1;
		length = group->end - group->start;
		if (length > m->length - at ||
		    memcmp(m->text + group->start, m->text + at, length))
			return -1;
		return length;
	}
	if (at == m->length)
		return -1;
	c = m->text[at];
	switch (node->kind) {
	case NODE_ANY:
		return 1;
	case NODE_SET:
		return node->set[c / 8] & 1 << c % 8 ? 1 : -1;
	default:
		return node->c == c ? 1 : -1;
	}
}

static bool match_repeated(struct matcher *m, const struct node *node,
			   size_t at)
{
	size_t start = at;
	long step = 0;
	int count = 0;

	while (count < node->max) {
		long taken = match_once(m, node, at);

		/* A reference to nothing matches any number of times. */
		if (taken == 0)
			return match_from(m, node->next, at);
		if (taken < 0)
			break;
		step = taken;
		at += step;
		count++;
	}
	for (; count >= node->min; count--)
		if (match_from(m, node->next, start + count * step))
			return true;
	return false;
}

/* Once more through the group if it may be, or else on to what follows it. */
static bool match_group_again(struct matcher *m, const struct node *group,
			      size_t at)
{
	struct repeat *repeat = &m->repeats[group->group];
	struct repeat saved = *repeat;

	if (saved.count < group->max) {
		repeat->count++;
		repeat->start = at;
		if (match_from(m, group->body, at))
			return true;
		*repeat = saved;
	}
	return saved.count >= group->min && match_from(m, group->next, at);
}

static bool match_group(struct matcher *m, const struct node *group, size_t at)
{
	struct repeat saved = m->repeats[group->group];

	m->repeats[group->group].count = 0;
	if (match_group_again(m, group, at))
		return true;
	m->repeats[group->group] = saved;
	return false;
}

static bool match_group_end(struct matcher *m, const struct node *group,
			    size_t at)
{
	struct match *match = &m->groups[group->group];
	struct match saved = *match;
	size_t start = m->repeats[group->group].start;
	int count = m->repeats[group->group].count;
	bool matched;

	/* An empty repetition is taken when there must be one, or none yet. */
	if (at == start && count > 1 && count > group->min)
		return false;
	match->start = start;
	match->end = at;
	if (at == start && count >= group->min)
		matched = match_from(m, group->next, at);
	else
		matched = match_group_again(m, group, at);
	if (!matched)
		*match = saved;
	return matched;
}

static bool match_from(struct matcher *m, const struct node *node, size_t at)
{
	for (; node; node = node->next) {
		long taken;

		switch (node->kind) {
		case NODE_START:
			if (at != 0)
				return false;
			continue;
		case NODE_END:
			if (at != m->length)
				return false;
			continue;
		case NODE_GROUP:
			return match_group(m, node, at);
		case NODE_GROUP_END:
			return match_group_end(m, node->owner, at);
		default:
			if (node->min != 1 || node->max != 1)
				return match_repeated(m, node, at);
			taken = match_once(m, node, at);
			if (taken < 0)
				return false;
			at += taken;
		}
	}
	m->end = at;
	return true;
}

bool regex_search(const struct regex *regex, const char *text, size_t length,
		  size_t from, struct match matches[REGEX_GROUPS])
{
	struct matcher m = { .text = text, .length = length };

	for (size_t at = from; at <= length; at++) {
		for (int i = 0; i < REGEX_GROUPS; i++)
			m.groups[i].start = NO_MATCH;
		if (match_from(&m, regex->first, at)) {
			m.groups[0].start = at;
			m.groups[0].end = m.end;
			memcpy(matches, m.groups, sizeof(m.groups));
			return true;
		}
	}
	return false;
}
