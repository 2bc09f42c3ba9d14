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

#include "../internal.h"
#include "../mount/mount.h"
#include "internal.h"

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

/*
 * Finds the starting point; returns the name to walk from there. nd->path then
 * holds references, for terminate_walk() to drop, also after an error.
 */
const char *path_init(struct nameidata *nd, int dfd, struct filename *name,
		      unsigned int flags)
{
	nd->flags = flags;
	nd->last_type = LAST_ROOT;
	nd->nr_links = 0;
	nd->path = (struct path){ NULL, NULL };
	nd->root = (struct path){ NULL, NULL };

	if (name->iname[0] == '/') {
		nd_jump_root(nd);
	} else if (dfd == AT_FDCWD) {
		get_fs_pwd(current->fs, &nd->path);
	} else {
		struct fd f = fdget_raw(dfd);

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

/* Drops all references of the walk; may sleep. */
void terminate_walk(struct nameidata *nd)
{
	path_put(&nd->path);
	if (nd->root.dentry)
		path_put(&nd->root);
	while (nd->nr_links) {
		nd->nr_links--;
		do_delayed_call(&nd->links[nd->nr_links].done);
		path_put(&nd->links[nd->nr_links].link);
	}
}

/* What a link that jumps finds its walk by. */
void set_nameidata(struct nameidata *nd)
{
	nd->saved = current->nameidata;
	current->nameidata = nd;
}

void restore_nameidata(void)
{
	current->nameidata = current->nameidata->saved;
}

int nd_jump_link(const struct path *path)
{
	struct nameidata *nd = current->nameidata;

	path_put(&nd->path);
	nd->path = *path;
	return 0;
}

static inline int d_revalidate(struct dentry *dentry, unsigned int flags)
{
	if (!dentry->d_op || !dentry->d_op->d_revalidate)
		return 1;
	return dentry->d_op->d_revalidate(dentry, flags);
}

/* Takes over the reference; NULL if the directory must be asked again. */
static inline struct dentry *check_dentry(struct dentry *dentry,
					  unsigned int flags)
{
	int status = d_revalidate(dentry, flags);

	if (status > 0)
		return dentry;
	if (!status)
		d_invalidate(dentry);
	dput(dentry);
	return ERR_PTR(status);
}

/*
 * The child if it is known, with a reference, and NULL if the directory must be
 * asked. Takes d_lock only, but a file system's d_revalidate may sleep.
 */
struct dentry *lookup_fast(struct nameidata *nd)
{
	struct dentry *dentry = __d_lookup(nd->path.dentry, &nd->last);

	return dentry ? check_dentry(dentry, nd->flags) : NULL;
}

/*
 * Asks the directory, which is locked; may sleep. The dentry has a reference,
 * and may be negative.
 */
struct dentry *lookup_one_qstr(const struct qstr *name, struct dentry *parent,
			       unsigned int flags)
{
	struct dentry *dentry = d_lookup(parent, name), *other;
	struct inode *dir = d_inode(parent);

	if (dentry)
		dentry = check_dentry(dentry, flags);
	if (dentry)
		return dentry;
	if (IS_DEADDIR(dir))
		return ERR_PTR(-ENOENT);
	if (!dir->i_op->lookup)
		return ERR_PTR(-ENOTDIR);
	dentry = d_alloc(parent, name);
	if (!dentry)
		return ERR_PTR(-ENOMEM);
	other = dir->i_op->lookup(dir, dentry, flags);
	if (other) {
		dput(dentry);
		dentry = other;
	}
	return dentry;
}

struct dentry *lookup_one_len(const char *name, struct dentry *base, int len)
{
	struct qstr q = {
		.hash = full_name_hash(name, len), .len = len, .name = name,
	};

	return lookup_one_qstr(&q, base, 0);
}

/* Exclusive, so that no two lookups add the same name. */
static struct dentry *lookup_slow(const struct qstr *name,
				  struct dentry *parent, unsigned int flags)
{
	struct inode *dir = d_inode(parent);
	struct dentry *dentry;

	inode_lock(dir);
	dentry = lookup_one_qstr(name, parent, flags);
	inode_unlock(dir);
	return dentry;
}

static const char *get_link(struct nameidata *nd, struct path *link)
{
	struct inode *inode = d_inode(link->dentry);

	touch_atime(link);
	if (!inode->i_op->get_link)
		return ERR_PTR(-EINVAL);
	return inode->i_op->get_link(link->dentry, inode,
				     &nd->links[nd->nr_links - 1].done);
}

/*
 * Returns the text of a link that is to be walked next, or NULL: it leads to
 * where we are now.
 */
static const char *pick_link(struct nameidata *nd, struct path *link)
{
	const char *text;

	if (link->mnt == nd->path.mnt)
		mntget(link->mnt);
	if (nd->nr_links == MAXSYMLINKS) {
		path_put(link);
		return ERR_PTR(-ELOOP);
	}
	nd->links[nd->nr_links].link = *link;
	nd->links[nd->nr_links].done = (struct delayed_call){ NULL, NULL };
	nd->nr_links++;
	if (link->mnt->mnt_flags & MNT_NOSYMFOLLOW)
		return ERR_PTR(-ELOOP);
	text = get_link(nd, link);
	if (IS_ERR_OR_NULL(text))
		return text;
	if (*text == '/') {
		nd_jump_root(nd);
		while (*text == '/')
			text++;
	}
	return *text ? text : NULL;
}

static int follow_automount(struct path *path, unsigned int flags)
{
	struct vfsmount *mnt;

	/* stat() and the like look at what is there. */
	if (!(flags & (LOOKUP_DIRECTORY | LOOKUP_OPEN | LOOKUP_CREATE |
		       LOOKUP_AUTOMOUNT | LOOKUP_PARENT)) &&
	    d_is_positive(path->dentry))
		return -EISDIR;
	mnt = path->dentry->d_op->d_automount(path);
	if (IS_ERR_OR_NULL(mnt))
		return PTR_ERR_OR_ZERO(mnt) ? PTR_ERR(mnt) : -EISDIR;
	return finish_automount(mnt, path);
}

/*
 * Moves @path to the root of the topmost mount at it, with automounts. If its
 * mount changes, @path holds a reference to the new one; the reference to the
 * mount that @path came with stays the caller's.
 */
static int traverse_mounts(struct path *path, unsigned int flags)
{
	bool own_mnt = false;
	int err = 0;

	while (d_managed(path->dentry)) {
		if (d_mountpoint(path->dentry)) {
			struct vfsmount *mounted = lookup_mnt(path);

			if (mounted) {
				dput(path->dentry);
				if (own_mnt)
					mntput(path->mnt);
				path->mnt = mounted;
				path->dentry = dget(mounted->mnt_root);
				own_mnt = true;
				continue;
			}
		}
		if (!(path->dentry->d_flags & DCACHE_NEED_AUTOMOUNT) ||
		    (flags & LOOKUP_MOUNTPOINT))
			break;
		err = follow_automount(path, flags);
		if (err)
			break;
	}
	return err == -EISDIR ? 0 : err;
}

static inline void path_to_nameidata(struct path *path, struct nameidata *nd)
{
	dput(nd->path.dentry);
	if (nd->path.mnt != path->mnt)
		mntput(nd->path.mnt);
	nd->path = *path;
}

/* @dentry in our mount, or what is mounted there. */
static inline int handle_mounts(struct nameidata *nd, struct dentry *dentry,
				int flags, struct path *path)
{
	unsigned int walk = nd->flags;
	int err;

	path->mnt = nd->path.mnt;
	path->dentry = dentry;
	if (!d_managed(dentry))
		return 0;
	if (!(flags & WALK_TRAILING))
		walk |= LOOKUP_PARENT;
	err = traverse_mounts(path, walk);
	if (err) {
		dput(path->dentry);
		if (path->mnt != nd->path.mnt)
			mntput(path->mnt);
	}
	return err;
}

/*
 * Moves to a child, taking over the reference. Returns NULL, or an error, or
 * the text of a link: then the walk goes on with that, from where it was.
 */
const char *step_into(struct nameidata *nd, int flags, struct dentry *dentry)
{
	struct inode *inode;
	struct path path;
	int err = handle_mounts(nd, dentry, flags, &path);

	if (err)
		return ERR_PTR(err);
	inode = d_inode(path.dentry);
	if (!inode) {
		dput(path.dentry);
		return ERR_PTR(-ENOENT);
	}
	if (S_ISLNK(inode->i_mode) &&
	    (!(flags & WALK_TRAILING) || (nd->flags & LOOKUP_FOLLOW)))
		return pick_link(nd, &path);
	path_to_nameidata(&path, nd);
	return NULL;
}

/* From a mount's root to where it is mounted, not beyond our root. */
static bool choose_mountpoint(struct nameidata *nd)
{
	struct path path = nd->path;

	path_get(&path);
	while (path.dentry == path.mnt->mnt_root &&
	       !path_equal(&path, &nd->root)) {
		if (!follow_up(&path))
			break;
		if (path_equal(&path, &nd->root))
			break;
		if (path.dentry != path.mnt->mnt_root) {
			path_put(&nd->path);
			nd->path = path;
			return true;
		}
	}
	path_put(&path);
	return false;
}

static const char *follow_dotdot(struct nameidata *nd)
{
	struct dentry *parent = NULL;

	if (!nd->root.dentry)
		set_root(nd);
	if (!path_equal(&nd->path, &nd->root) &&
	    (nd->path.dentry != nd->path.mnt->mnt_root ||
	     choose_mountpoint(nd)))
		parent = dget_parent(nd->path.dentry);
	/* At a root, ".." is what is mounted there last. */
	if (!parent)
		parent = dget(nd->path.dentry);
	return step_into(nd, 0, parent);
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
	if (!dentry)
		dentry = lookup_slow(&nd->last, nd->path.dentry, nd->flags);
	if (IS_ERR(dentry))
		return ERR_CAST(dentry);
	return step_into(nd, flags, dentry);
}

/* Splits the first component off; returns what follows its slashes. */
static inline const char *next_component(const char *name, struct nameidata *nd)
{
	const char *end;

	for (end = name; *end && *end != '/'; end++)
		;
	nd->last.name = name;
	nd->last.len = end - name;
	nd->last.hash = full_name_hash(name, end - name);

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
 * without any leaves LAST_ROOT.) nd->path is then the last one's directory,
 * with references. Holds no lock between components; may sleep.
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
		if (link) {
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

/* Called with no lock held; may sleep. @path gets references of its own. */
int path_lookupat(struct nameidata *nd, int dfd, struct filename *name,
		  unsigned int flags, struct path *path)
{
	const char *s;
	int err;

	set_nameidata(nd);
	s = path_init(nd, dfd, name, flags);
	err = PTR_ERR_OR_ZERO(s);
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
	restore_nameidata();
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
	const char *s;
	int err;

	set_nameidata(nd);
	s = path_init(nd, dfd, name, flags);
	err = PTR_ERR_OR_ZERO(s);
	if (!err)
		err = link_path_walk(s, nd);
	if (!err) {
		*parent = nd->path;
		path_get(parent);
	}
	terminate_walk(nd);
	restore_nameidata();
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

int kern_path(const char *name, unsigned int flags, struct path *path)
{
	struct filename *filename = getname_kernel(name);
	int err = filename_lookup(AT_FDCWD, filename, flags, path);

	if (!IS_ERR(filename))
		putname(filename);
	return err;
}

void namei_init(void)
{
	names_cachep = KMEM_CACHE(filename, SLAB_PANIC);
}
