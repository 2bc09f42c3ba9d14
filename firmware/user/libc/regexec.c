/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Matching by trying: each repetition takes as much as it can and gives back
 * while what follows does not match. Only groups recurse for each repetition;
 * .* takes no stack however long the line. With alternatives, the match that
 * is found first need not be the longest: then all are tried.
 */
#include <ctype.h>
#include <string.h>

#include "regex_node.h"

/* After a match is found: how much more is tried to find a longer one. */
#define PATIENCE	100000

/* A group that is being repeated. */
struct repeat {
	int count;
	size_t start;		/* of the present repetition */
};

struct matcher {
	const struct regex *regex;
	const char *text;
	size_t length;
	size_t end;		/* of the match, once there is one */
	struct match best[REGEX_GROUPS];	/* the longest so far */
	bool found;
	long patience;
	struct match groups[REGEX_GROUPS];
	struct repeat repeats[REGEX_GROUPS];
};

static bool match_from(struct matcher *m, const struct node *node, size_t at);

static bool same_text(const struct matcher *m, size_t a, size_t b,
		      size_t length)
{
	for (; length--; a++, b++)
		if (m->text[a] != m->text[b] &&
		    (!m->regex->icase || tolower(m->text[a]) !=
					 tolower(m->text[b])))
			return false;
	return true;
}

static bool is_word(const struct matcher *m, size_t at)
{
	return at < m->length &&
	       (isalnum((unsigned char)m->text[at]) || m->text[at] == '_');
}

static bool match_anchor(const struct matcher *m, enum node_kind kind,
			 size_t at)
{
	bool before = at > 0 && is_word(m, at - 1);
	bool after = is_word(m, at);

	switch (kind) {
	case NODE_START:
		return at == 0 || (m->regex->lines && m->text[at - 1] == '\n');
	case NODE_END:
		return at == m->length ||
		       (m->regex->lines && m->text[at] == '\n');
	case NODE_WORD_START:
		return !before && after;
	case NODE_WORD_END:
		return before && !after;
	case NODE_EDGE:
		return before != after;
	default:
		return before == after;
	}
}

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
		    !same_text(m, group->start, at, length))
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

/* At the end of the expression; false: look for a longer match. */
static bool finish(struct matcher *m, size_t at)
{
	m->end = at;
	if (!m->regex->longest)
		return true;
	if (!m->found || at > m->best[0].end) {
		memcpy(m->best, m->groups, sizeof(m->best));
		m->best[0].end = at;
		m->found = true;
	}
	return at == m->length || m->patience-- == 0;
}

static bool match_from(struct matcher *m, const struct node *node, size_t at)
{
	for (; node; node = node->next) {
		long taken;

		switch (node->kind) {
		case NODE_START:
		case NODE_END:
		case NODE_WORD_START:
		case NODE_WORD_END:
		case NODE_EDGE:
		case NODE_NO_EDGE:
			if (!match_anchor(m, node->kind, at))
				return false;
			continue;
		case NODE_CHOICE:
			if (match_from(m, node->body, at))
				return true;
			return match_from(m, node->other, at);
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
	return finish(m, at);
}

/* A match that starts here, the longest if there are several. */
static bool match_at(struct matcher *m, size_t at)
{
	bool done;

	for (int i = 0; i <= m->regex->groups; i++)
		m->groups[i].start = NO_MATCH;
	m->found = false;
	m->patience = PATIENCE;
	done = match_from(m, m->regex->first, at);
	if (m->found) {
		memcpy(m->groups, m->best, sizeof(m->groups));
		m->end = m->best[0].end;
	}
	m->groups[0].start = at;
	m->groups[0].end = m->end;
	return done || m->found;
}

bool regex_search(const struct regex *regex, const char *text, size_t length,
		  size_t from, struct match matches[REGEX_GROUPS])
{
	struct matcher m;

	m.regex = regex;
	m.text = text;
	m.length = length;
	for (int i = 0; i < REGEX_GROUPS; i++)
		m.groups[i].start = NO_MATCH;
	for (size_t at = from; at <= length; at++) {
		if (match_at(&m, at)) {
			memcpy(matches, m.groups, sizeof(m.groups));
			return true;
		}
	}
	return false;
}
