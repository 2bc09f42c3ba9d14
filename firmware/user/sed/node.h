/* SPDX-License-Identifier: GPL-2.0-only */
/* The form a regular expression has between compiling and matching. */
#ifndef SED_NODE_H
#define SED_NODE_H

#include "regex.h"

#define UNLIMITED	0x7fffffff

enum node_kind {
	NODE_CHAR,
	NODE_ANY,
	NODE_SET,
	NODE_START,		/* ^ */
	NODE_END,		/* $ */
	NODE_REFERENCE,		/* \1 */
	NODE_GROUP,
	NODE_GROUP_END,
};

struct node {
	enum node_kind kind;
	int min;		/* how often it may be repeated */
	int max;
	unsigned char c;	/* NODE_CHAR */
	unsigned char *set;	/* NODE_SET: 256 bits */
	int group;		/* NODE_REFERENCE, NODE_GROUP */
	struct node *body;	/* NODE_GROUP: what ends with its NODE_GROUP_END */
	struct node *owner;	/* NODE_GROUP_END: the group */
	struct node *next;	/* what must match after it; NULL: nothing */
};

struct regex {
	struct node *first;
	int groups;
};

#endif
