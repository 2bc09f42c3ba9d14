/* SPDX-License-Identifier: GPL-2.0-only */
/* umount [-flnrv] WHERE...: takes what is mounted there away. */
#include <err.h>
#include <errno.h>
#include <mntent.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

#define EX_USAGE	1
#define EX_FAIL		32

static bool read_only_if_busy, verbose;

/* A device may stand for where it is mounted, last. */
static char *place_of(const char *name)
{
	FILE *f = setmntent("/proc/mounts", "r");
	struct mntent *m;
	char *place = NULL;

	if (!f)
		return NULL;
	while ((m = getmntent(f))) {
		if (!strcmp(m->mnt_dir, name)) {
			free(place);
			place = NULL;
			break;
		}
		if (name[0] == '/' && !strcmp(m->mnt_fsname, name)) {
			free(place);
			place = xstrdup(m->mnt_dir);
		}
	}
	endmntent(f);
	return place;
}

static int umount_one(const char *name, int flags)
{
	char *device_place = place_of(name);
	const char *place = device_place ? device_place : name;
	int error = umount2(place, flags) ? errno : 0;

	if (error == EBUSY && read_only_if_busy &&
	    !mount("none", place, NULL, MS_REMOUNT | MS_RDONLY, NULL)) {
		warnx("%s: filesystem is remounted read-only", place);
		error = 0;
	}
	switch (error) {
	case 0:
		if (verbose)
			printf("%s: %s unmounted\n", program_name, place);
		break;
	case EBUSY:
		warnx("%s: target is busy.", place);
		break;
	case EINVAL:
		warnx("%s: not mounted.", place);
		break;
	case ENOENT:
		warnx("%s: no mount point specified.", place);
		break;
	default:
		warnx("%s: umount failed: %s.", place, strerror(error));
	}
	free(device_place);
	return error ? EX_FAIL : 0;
}

int main(int argc, char **argv)
{
	int c, flags = 0, status = 0;

	while ((c = getopt(argc, argv, "flnrv")) != -1) {
		switch (c) {
		case 'f': flags |= MNT_FORCE; break;
		case 'l': flags |= MNT_DETACH; break;
		case 'n': break;
		case 'r': read_only_if_busy = true; break;
		case 'v': verbose = true; break;
		default: return EX_USAGE;
		}
	}
	if (optind == argc) {
		fputs("usage: umount [-flnrv] WHERE...\n", stderr);
		return EX_USAGE;
	}
	for (; optind < argc; optind++)
		if (umount_one(argv[optind], flags))
			status = EX_FAIL;
	return status;
}
