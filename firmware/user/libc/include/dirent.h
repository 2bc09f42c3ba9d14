/* SPDX-License-Identifier: GPL-2.0-only */
/* Reading directories. */
#ifndef DIRENT_H
#define DIRENT_H

#include <linux/dirent.h>

/* As getdents64() lays it out. */
struct dirent {
	unsigned long	d_ino;
	long		d_off;
	unsigned short	d_reclen;
	unsigned char	d_type;
	char		d_name[];
};

typedef struct dir DIR;

DIR *opendir(const char *path);
/* The next entry, or NULL: at the end with errno 0, or on an error. */
struct dirent *readdir(DIR *dir);
int closedir(DIR *dir);

#endif
