/* SPDX-License-Identifier: GPL-2.0-only */
/* The form a regular expression has between compiling and matching. */
#ifndef LIBC_REGEX_NODE_H
#define LIBC_REGEX_NODE_H

#include <regex.h>

#define UNLIMITED	0x7fffffff

enum node_kind {
	NODE_CHAR,
	NODE_ANY,
	NODE_SET,
	NODE_START,		/* ^ */
	NODE_END,		/* $ */
	NODE_WORD_START,	/* \< */
	NODE_WORD_END,		/* \> */
	NODE_EDGE,		/* \b */
	NODE_NO_EDGE,		/* \B */
	NODE_REFERENCE,		/* \1 */
	NODE_GROUP,
	NODE_GROUP_END,
	NODE_CHOICE,		/* a|b */
};

struct node {
	enum node_kind kind;
	int min;		/* how often it may be repeated */
	int max;
	unsigned char c;	/* NODE_CHAR */
	unsigned char *set;	/* NODE_SET: 256 bits */
	int group;		/* NODE_REFERENCE, NODE_GROUP */
	struct node *body;	/* NODE_GROUP: what ends with its NODE_GROUP_END;
				   NODE_CHOICE: with what follows the choice */
	struct node *other;	/* NODE_CHOICE: the same */
	struct node *owner;	/* NODE_GROUP_END: the group */
	struct node *next;	/* what must match after it; NULL: nothing */
};

struct regex {
	struct node *first;
	int groups;
	bool longest;		/* the first match found may not be it */
	bool icase;
	bool lines;
};

#endif
