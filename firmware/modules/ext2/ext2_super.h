/* SPDX-License-Identifier: GPL-2.0-only */
/* What mounting and running a mounted one share. */
#ifndef _EXT2_SUPER_H
#define _EXT2_SUPER_H

#include "ext2.h"

extern const struct super_operations ext2_sops;

int ext2_fill_super(struct super_block *sb, void *data, int silent);
void ext2_free_sb_info(struct super_block *sb);
void ext2_setup_super(struct super_block *sb, bool read_only);
void ext2_sync_super(struct super_block *sb, bool wait);

#endif
