/* SPDX-License-Identifier: GPL-2.0-only */
/* What the host knows of mounts, to name a mapped file. */
#include <emu/layout.h>

#include "mount.h"

LAYOUT(mount, mnt);
LAYOUT(mount, mnt.mnt_root);
LAYOUT(mount, mnt_parent);
LAYOUT(mount, mnt_mountpoint);

LAYOUT(path, mnt);
LAYOUT(path, dentry);

LAYOUT(dentry, d_parent);
LAYOUT(dentry, d_name.name);
LAYOUT(dentry, d_name.len);
LAYOUT(dentry, d_child);
