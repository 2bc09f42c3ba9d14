/* SPDX-License-Identifier: GPL-2.0-only */
/* The lines of /proc/mounts. */
#ifndef MNTENT_H
#define MNTENT_H

#include <stdio.h>

struct mntent {
	char	*mnt_fsname;
	char	*mnt_dir;
	char	*mnt_type;
	char	*mnt_opts;
};

FILE *setmntent(const char *path, const char *mode);
/* The next one, valid until the next call; NULL at the end. */
struct mntent *getmntent(FILE *f);
int endmntent(FILE *f);

#endif
