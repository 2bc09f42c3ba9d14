/* SPDX-License-Identifier: GPL-2.0-only */
/* Mounts: the system calls, and the list of them in /proc/mounts. */
#include <errno.h>
#include <mntent.h>
#include <string.h>
#include <sys/mount.h>
#include <syscall.h>

#define MNT_LINE_MAX	1024

static long result(long value)
{
	if ((unsigned long)value > -4096UL) {
		errno = -value;
		return -1;
	}
	return value;
}

int mount(const char *source, const char *target, const char *type,
	  unsigned long flags, const void *data)
{
	return result(arch_syscall6(SYS_mount, (long)source, (long)target,
				    (long)type, flags, (long)data, 0));
}

int umount2(const char *target, int flags)
{
	return result(arch_syscall(SYS_umount2, (long)target, flags, 0, 0));
}

int umount(const char *target)
{
	return umount2(target, 0);
}

FILE *setmntent(const char *path, const char *mode)
{
	return fopen(path, mode);
}

/* Blanks and the like are written in octal. */
static void decode(char *s)
{
	char *to = s;

	for (; *s; s++) {
		if (s[0] == '\\' && s[1] >= '0' && s[1] <= '3' && s[2] && s[3]) {
			*to++ = (s[1] - '0') << 6 | (s[2] - '0') << 3 |
				(s[3] - '0');
			s += 3;
		} else {
			*to++ = *s;
		}
	}
	*to = '\0';
}

struct mntent *getmntent(FILE *f)
{
	static char line[MNT_LINE_MAX];
	static struct mntent entry;
	char *rest = line;

	if (!fgets(line, sizeof(line), f))
		return NULL;
	entry.mnt_fsname = strsep(&rest, " ");
	entry.mnt_dir = strsep(&rest, " ");
	entry.mnt_type = strsep(&rest, " ");
	entry.mnt_opts = strsep(&rest, " \n");
	if (!entry.mnt_opts)
		return NULL;
	decode(entry.mnt_fsname);
	decode(entry.mnt_dir);
	return &entry;
}

int endmntent(FILE *f)
{
	fclose(f);
	return 1;
}
