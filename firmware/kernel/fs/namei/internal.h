/* SPDX-License-Identifier: GPL-2.0-only */
/* What the steps of a path walk share. */
#ifndef _FS_NAMEI_INTERNAL_H
#define _FS_NAMEI_INTERNAL_H

#include <linux/fs.h>
#include <linux/namei.h>

/* What kind of component a name is. */
enum { LAST_NORM, LAST_ROOT, LAST_DOT, LAST_DOTDOT };

/* A walk in progress. */
struct nameidata {
	struct path	path;		/* where we are, with a reference */
	struct path	root;		/* where "/" leads, once needed */
	struct qstr	last;		/* the component to be looked up */
	int		last_type;
	unsigned int	flags;		/* LOOKUP_ */
	unsigned int	nr_links;	/* followed so far */
	/* Links followed; their text is in use until the walk ends. */
	struct {
		struct path	link;
		struct delayed_call done;
	} links[MAXSYMLINKS];
	/* For each link that is not last: the name after it. */
	const char	*rest[MAXSYMLINKS];
	struct nameidata *saved;	/* the walk that this one interrupts */
};

#define WALK_TRAILING	1	/* the component is the path's last */

/* namei.c: the steps of a walk */
const char *path_init(struct nameidata *nd, int dfd, struct filename *name,
		      unsigned int flags);
int path_lookupat(struct nameidata *nd, int dfd, struct filename *name,
		  unsigned int flags, struct path *path);
int link_path_walk(const char *name, struct nameidata *nd);
struct dentry *lookup_fast(struct nameidata *nd);
const char *step_into(struct nameidata *nd, int flags, struct dentry *dentry);
const char *handle_dots(struct nameidata *nd);
void terminate_walk(struct nameidata *nd);
void set_nameidata(struct nameidata *nd);
void restore_nameidata(void);

/* The parent of what name leads to; last->name points into name. */
int filename_parentat(int dfd, struct filename *name, unsigned int flags,
		      struct path *parent, struct qstr *last, int *type);
/* With the directory locked. */
struct dentry *lookup_one_qstr(const struct qstr *name, struct dentry *parent,
			       unsigned int flags);

/* dir.c: with the directory locked */
int may_create(struct inode *dir, struct dentry *child);
int may_delete(struct inode *dir, struct dentry *victim, bool isdir);

#endif
