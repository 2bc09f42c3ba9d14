/* SPDX-License-Identifier: GPL-2.0-only */
/* Trees that the kernel itself makes: a file's dentry is its existence. */
#include <linux/errno.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/namei.h>

/*
 * A new name in a directory, which is locked until simple_done_creating(). The
 * reference that this returns is the one that pins the file.
 */
struct dentry *simple_start_creating(struct dentry *parent, const char *name)
{
	struct dentry *dentry;

	inode_lock(d_inode(parent));
	if (IS_DEADDIR(d_inode(parent)))
		dentry = ERR_PTR(-ENOENT);
	else
		dentry = lookup_one_len(name, parent, strlen(name));
	if (!IS_ERR(dentry) && d_is_positive(dentry)) {
		dput(dentry);
		dentry = ERR_PTR(-EEXIST);
	}
	if (IS_ERR(dentry))
		inode_unlock(d_inode(parent));
	return dentry;
}

void simple_done_creating(struct dentry *dentry)
{
	inode_unlock(d_inode(dentry->d_parent));
}

/* The first file in a directory, with a reference. */
static struct dentry *first_positive(struct dentry *dir)
{
	struct dentry *child, *found = NULL;

	spin_lock(&dir->d_lock);
	list_for_each_entry(child, &dir->d_subdirs, d_child) {
		if (d_is_positive(child)) {
			found = dget(child);
			break;
		}
	}
	spin_unlock(&dir->d_lock);
	return found;
}

/* One without files in it; who has it open keeps it. */
static void remove_one(struct dentry *dentry)
{
	struct dentry *parent = dget_parent(dentry);
	struct inode *dir = d_inode(parent), *inode = d_inode(dentry);

	inode_lock(dir);
	if (!d_unhashed(dentry)) {
		inode->i_ctime = dir->i_ctime = dir->i_mtime =
			current_time(inode);
		if (S_ISDIR(inode->i_mode)) {
			inode_lock(inode);
			inode->i_flags |= S_DEAD;
			clear_nlink(inode);
			inode_unlock(inode);
			drop_nlink(dir);
		} else {
			drop_nlink(inode);
		}
		d_invalidate(dentry);
		dput(dentry);	/* what pinned it */
	}
	inode_unlock(dir);
	dput(parent);
}

/* With everything below it, and what is mounted there. */
void simple_recursive_removal(struct dentry *top)
{
	struct dentry *dentry, *child;

	dget(top);
	do {
		dentry = dget(top);
		while ((child = first_positive(dentry))) {
			dput(dentry);
			dentry = child;
		}
		remove_one(dentry);
		child = dentry == top ? NULL : dentry;
		dput(dentry);
	} while (child);
	dput(top);
}
