/* SPDX-License-Identifier: GPL-2.0-only */
/* Walking a path, component by component, to a dentry. */
#include <linux/errno.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/fs_struct.h>
#include <linux/kernel.h>
#include <linux/namei.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "internal.h"

/* FNV-1a, for names */
#define FNV_BASIS	2166136261u
#define FNV_PRIME	16777619u

static struct kmem_cache *names_cachep;

struct filename *getname_flags(const char __user *filename, int flags)
{
	struct filename *name = kmem_cache_alloc(names_cachep, GFP_KERNEL);
	long len;

	if (!name)
		return ERR_PTR(-ENOMEM);
	len = strncpy_from_user(name->iname, filename, PATH_MAX);
	if (len == PATH_MAX)
		len = -ENAMETOOLONG;
	else if (len == 0 && !(flags & LOOKUP_EMPTY))
		len = -ENOENT;
	if (len < 0) {
		putname(name);
		return ERR_PTR(len);
	}
	return name;
}

struct filename *getname(const char __user *filename)
{
	return getname_flags(filename, 0);
}

struct filename *getname_kernel(const char *filename)
{
	struct filename *name = kmem_cache_alloc(names_cachep, GFP_KERNEL);

	if (!name)
		return ERR_PTR(-ENOMEM);
	if (strscpy(name->iname, filename, PATH_MAX) < 0) {
		putname(name);
		return ERR_PTR(-ENAMETOOLONG);
	}
	return name;
}

/* Does nothing with what getname() returned for an error. */
void putname(struct filename *name)
{
	if (!IS_ERR_OR_NULL(name))
		kmem_cache_free(names_cachep, name);
}

static void set_root(struct nameidata *nd)
{
	get_fs_root(current->fs, &nd->root);
}

static void nd_jump_root(struct nameidata *nd)
{
	if (!nd->root.dentry)
		set_root(nd);
	path_put(&nd->path);
	nd->path = nd->root;
	path_get(&nd->path);
}

/* Finds the starting point; returns the name to walk from there. */
const char *path_init(struct nameidata *nd, int dfd, struct filename *name,
		      unsigned int flags)
{
	nd->flags = flags;
	nd->last_type = LAST_ROOT;
	nd->nr_links = 0;
	nd->path.dentry = NULL;
	nd->root.dentry = NULL;

	if (name->iname[0] == '/') {
		nd_jump_root(nd);
	} else if (dfd == AT_FDCWD) {
		get_fs_pwd(current->fs, &nd->path);
	} else {
		struct fd f = fdget(dfd);

		if (!f.file)
			return ERR_PTR(-EBADF);
		if (name->iname[0] && !S_ISDIR(file_inode(f.file)->i_mode)) {
			fdput(f);
			return ERR_PTR(-ENOTDIR);
		}
		nd->path = f.file->f_path;
		path_get(&nd->path);
		fdput(f);
	}
	return name->iname;
}

void terminate_walk(struct nameidata *nd)
{
	path_put(&nd->path);
	if (nd->root.dentry)
		path_put(&nd->root);
	while (nd->nr_links)
		dput(nd->links[--nd->nr_links]);
}

/* The child if it is known, and NULL if the directory must be asked. */
struct dentry *lookup_fast(struct nameidata *nd)
{
	return __d_lookup(nd->path.dentry, &nd->last);
}

/* Asks the directory, which is locked. */
struct dentry *lookup_one_qstr(const struct qstr *name, struct dentry *parent)
{
	struct dentry *dentry = d_lookup(parent, name), *other;
	struct inode *dir = d_inode(parent);

	if (dentry)
		return dentry;
	if (IS_DEADDIR(dir))
		return ERR_PTR(-ENOENT);
	dentry = d_alloc(parent, name);
	if (!dentry)
		return ERR_PTR(-ENOMEM);
	other = dir->i_op->lookup(dir, dentry);
	if (other) {
		dput(dentry);
		dentry = other;
	}
	return dentry;
}

/* Exclusive, so that no two lookups add the same name. */
static struct dentry *lookup_slow(const struct qstr *name,
				  struct dentry *parent)
{
	struct inode *dir = d_inode(parent);
	struct dentry *dentry;

	inode_lock(dir);
	dentry = lookup_one_qstr(name, parent);
	inode_unlock(dir);
	return dentry;
}

/* Returns the text of a link that is to be walked next. */
static const char *pick_link(struct nameidata *nd, struct dentry *link)
{
	const char *text = d_inode(link)->i_link;

	if (nd->nr_links == MAXSYMLINKS) {
		dput(link);
		return ERR_PTR(-ELOOP);
	}
	nd->links[nd->nr_links++] = link;
	if (*text == '/')
		nd_jump_root(nd);
	return text;
}

/*
 * Moves to a child, taking over the reference. Returns NULL, or an error, or
 * the text of a link: then the walk goes on with that, from where it was.
 */
const char *step_into(struct nameidata *nd, int flags, struct dentry *dentry)
{
	struct inode *inode = d_inode(dentry);

	if (!inode) {
		dput(dentry);
		return ERR_PTR(-ENOENT);
	}
	if (S_ISLNK(inode->i_mode) &&
	    (!(flags & WALK_TRAILING) || (nd->flags & LOOKUP_FOLLOW)))
		return pick_link(nd, dentry);

	dput(nd->path.dentry);
	nd->path.dentry = dentry;
	return NULL;
}

static const char *follow_dotdot(struct nameidata *nd)
{
	if (!nd->root.dentry)
		set_root(nd);
	if (nd->path.dentry == nd->root.dentry)
		return NULL;
	return step_into(nd, 0, dget_parent(nd->path.dentry));
}

/* "." leads nowhere. */
const char *handle_dots(struct nameidata *nd)
{
	return nd->last_type == LAST_DOTDOT ? follow_dotdot(nd) : NULL;
}

static const char *walk_component(struct nameidata *nd, int flags)
{
	struct dentry *dentry;

	if (nd->last_type != LAST_NORM)
		return handle_dots(nd);
	dentry = lookup_fast(nd);
	if (!dentry) {
		dentry = lookup_slow(&nd->last, nd->path.dentry);
		if (IS_ERR(dentry))
			return ERR_CAST(dentry);
	}
	return step_into(nd, flags, dentry);
}

/* Splits the first component off; returns what follows its slashes. */
static inline const char *next_component(const char *name, struct nameidata *nd)
{
	u32 hash = FNV_BASIS;
	const char *end;

	for (end = name; *end && *end != '/'; end++)
		hash = (hash ^ (unsigned char)*end) * FNV_PRIME;
	nd->last.name = name;
	nd->last.len = end - name;
	nd->last.hash = hash;

	nd->last_type = LAST_NORM;
	if (name[0] == '.' && nd->last.len == 1)
		nd->last_type = LAST_DOT;
	else if (name[0] == '.' && name[1] == '.' && nd->last.len == 2)
		nd->last_type = LAST_DOTDOT;

	while (*end == '/')
		end++;
	return end;
}

/*
 * Walks all but the last component, which it leaves in nd->last. (A name
 * without any leaves LAST_ROOT.) nd->path is then the last one's directory.
 */
int link_path_walk(const char *name, struct nameidata *nd)
{
	unsigned int depth = 0;	/* links in whose text we are */
	int err;

	while (*name == '/')
		name++;
	if (!*name) {
		nd->last_type = LAST_ROOT;
		return S_ISDIR(d_inode(nd->path.dentry)->i_mode) ? 0 : -ENOTDIR;
	}
	for (;;) {
		struct inode *dir = d_inode(nd->path.dentry);
		const char *link;

		if (!S_ISDIR(dir->i_mode))
			return -ENOTDIR;
		err = inode_permission(dir, MAY_EXEC);
		if (err)
			return err;
		name = next_component(name, nd);
		if (nd->last.len > NAME_MAX)
			return -ENAMETOOLONG;
		if (!*name) {
			if (!depth)
				return 0;
			name = nd->rest[--depth];
		}
		link = walk_component(nd, 0);
		if (IS_ERR(link))
			return PTR_ERR(link);
		if (!link)
			continue;

		/* An empty text, or "/": nowhere to go from where we are. */
		while (*link == '/')
			link++;
		if (*link) {
			nd->rest[depth++] = name;
			name = link;
		}
	}
}

/* The last component; what it returns is as step_into() says. */
static inline const char *lookup_last(struct nameidata *nd)
{
	if (nd->last_type == LAST_NORM && nd->last.name[nd->last.len])
		nd->flags |= LOOKUP_FOLLOW | LOOKUP_DIRECTORY;
	return walk_component(nd, WALK_TRAILING);
}

static int path_lookupat(struct nameidata *nd, int dfd, struct filename *name,
			 unsigned int flags, struct path *path)
{
	const char *s = path_init(nd, dfd, name, flags);
	int err = PTR_ERR_OR_ZERO(s);

	if (!err && !*s)
		goto found;	/* LOOKUP_EMPTY */
	while (!err) {
		err = link_path_walk(s, nd);
		if (err)
			break;
		s = lookup_last(nd);
		if (!s)
			break;
		err = PTR_ERR_OR_ZERO(s);
	}
	if (!err && (nd->flags & LOOKUP_DIRECTORY) &&
	    !S_ISDIR(d_inode(nd->path.dentry)->i_mode))
		err = -ENOTDIR;
found:
	if (!err) {
		*path = nd->path;
		path_get(path);
	}
	terminate_walk(nd);
	return err;
}

int filename_lookup(int dfd, struct filename *name, unsigned int flags,
		    struct path *path)
{
	struct nameidata nd;

	if (IS_ERR(name))
		return PTR_ERR(name);
	return path_lookupat(&nd, dfd, name, flags, path);
}

static int path_parentat(struct nameidata *nd, int dfd, struct filename *name,
			 unsigned int flags, struct path *parent)
{
	const char *s = path_init(nd, dfd, name, flags);
	int err = PTR_ERR_OR_ZERO(s);

	if (!err)
		err = link_path_walk(s, nd);
	if (!err) {
		*parent = nd->path;
		path_get(parent);
	}
	terminate_walk(nd);
	return err;
}

int filename_parentat(int dfd, struct filename *name, unsigned int flags,
		      struct path *parent, struct qstr *last, int *type)
{
	struct nameidata nd;
	int err;

	if (IS_ERR(name))
		return PTR_ERR(name);
	err = path_parentat(&nd, dfd, name, flags, parent);
	if (!err) {
		*last = nd.last;
		*type = nd.last_type;
	}
	return err;
}

int user_path_at(int dfd, const char __user *name, unsigned int flags,
		 struct path *path)
{
	struct filename *filename = getname_flags(name, flags);
	int err = filename_lookup(dfd, filename, flags, path);

	putname(filename);
	return err;
}

void namei_init(void)
{
	names_cachep = KMEM_CACHE(filename, SLAB_PANIC);
}
