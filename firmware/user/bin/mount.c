/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * mount [-lnrvw] [-t TYPE] [-o OPTIONS] [--bind|--rbind|--move] [WHAT] WHERE
 *
 * Mounts a file system, or changes how one is mounted; without arguments it
 * lists what is mounted.
 */
#include <err.h>
#include <errno.h>
#include <mntent.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#define EX_USAGE	1
#define EX_FAIL		32

#define MOUNTS		"/proc/mounts"
#define DATA_MAX	4096

struct option_name {
	const char	*name;
	unsigned long	set;
	unsigned long	clear;
};

static const struct option_name option_names[] = {
	{ "defaults", 0, 0 },
	{ "auto", 0, 0 },
	{ "noauto", 0, 0 },
	{ "nofail", 0, 0 },
	{ "ro", MS_RDONLY, 0 },
	{ "rw", 0, MS_RDONLY },
	{ "nosuid", MS_NOSUID, 0 },
	{ "suid", 0, MS_NOSUID },
	{ "nodev", MS_NODEV, 0 },
	{ "dev", 0, MS_NODEV },
	{ "noexec", MS_NOEXEC, 0 },
	{ "exec", 0, MS_NOEXEC },
	{ "sync", MS_SYNCHRONOUS, 0 },
	{ "async", 0, MS_SYNCHRONOUS },
	{ "dirsync", MS_DIRSYNC, 0 },
	{ "remount", MS_REMOUNT, 0 },
	{ "noatime", MS_NOATIME, 0 },
	{ "atime", 0, MS_NOATIME },
	{ "nodiratime", MS_NODIRATIME, 0 },
	{ "diratime", 0, MS_NODIRATIME },
	{ "relatime", MS_RELATIME, 0 },
	{ "norelatime", 0, MS_RELATIME },
	{ "strictatime", MS_STRICTATIME, 0 },
	{ "bind", MS_BIND, 0 },
	{ "rbind", MS_BIND | MS_REC, 0 },
	{ "move", MS_MOVE, 0 },
	{ "silent", MS_SILENT, 0 },
	{ "loud", 0, MS_SILENT },
	{ "private", MS_PRIVATE, 0 },
	{ "rprivate", MS_PRIVATE | MS_REC, 0 },
	{ NULL, 0, 0 }
};

struct request {
	unsigned long	flags;
	char		data[DATA_MAX];	/* for the file system itself */
	const char	*type;
	bool		verbose;
};

static void usage(void)
{
	fputs("usage: mount [-lnrvw] [-t TYPE] [-o OPTIONS] [WHAT] [WHERE]\n",
	      stderr);
	exit(EX_USAGE);
}

/* A comma-separated list: flags, and words for the file system. */
static void add_options(struct request *r, const char *list)
{
	char *copy = xstrdup(list), *rest = copy, *word;

	while ((word = strsep(&rest, ",")) != NULL) {
		const struct option_name *o = option_names;
		size_t used = strlen(r->data);

		if (!*word)
			continue;
		while (o->name && strcmp(o->name, word))
			o++;
		if (o->name) {
			r->flags = (r->flags & ~o->clear) | o->set;
			continue;
		}
		if (used + strlen(word) + 2 > sizeof(r->data))
			errx(EX_USAGE, "options are too long");
		snprintf(r->data + used, sizeof(r->data) - used, "%s%s",
			 used ? "," : "", word);
	}
	free(copy);
}

static bool type_is_listed(const char *types, const char *type)
{
	size_t len = strlen(type);
	const char *at = types;

	while (at) {
		if (!strncmp(at, type, len) && (!at[len] || at[len] == ','))
			return true;
		at = strchr(at, ',');
		if (at)
			at++;
	}
	return false;
}

static int list_mounts(const char *types)
{
	FILE *f = setmntent(MOUNTS, "r");
	struct mntent *m;

	if (!f)
		err(EX_FAIL, MOUNTS);
	while ((m = getmntent(f)))
		if (!types || type_is_listed(types, m->mnt_type))
			printf("%s on %s type %s (%s)\n", m->mnt_fsname,
			       m->mnt_dir, m->mnt_type, m->mnt_opts);
	endmntent(f);
	return 0;
}

/* What is mounted at the place, last: a remount may leave it out. */
static char *mounted_from(const char *where)
{
	FILE *f = setmntent(MOUNTS, "r");
	struct mntent *m;
	char *found = NULL;

	if (!f)
		return NULL;
	while ((m = getmntent(f))) {
		if (!strcmp(m->mnt_dir, where)) {
			free(found);
			found = xstrdup(m->mnt_fsname);
		}
	}
	endmntent(f);
	return found;
}

static int report(const struct request *r, const char *what, const char *where,
		  const char *type, int error)
{
	struct stat st;

	switch (error) {
	case ENODEV:
		warnx("%s: unknown filesystem type '%s'.", where, type);
		break;
	case EBUSY:
		if (r->flags & MS_REMOUNT)
			warnx("%s: mount point is busy.", where);
		else
			warnx("%s: %s already mounted or mount point busy.",
			      where, what);
		break;
	case ENOENT:
		if (stat(where, &st))
			warnx("%s: mount point does not exist.", where);
		else
			warnx("%s: special device %s does not exist.", where,
			      what);
		break;
	case ENOTDIR:
		warnx("%s: mount point is not a directory.", where);
		break;
	case ENOTBLK:
		warnx("%s: %s is not a block device.", where, what);
		break;
	case EINVAL:
		if (r->flags & (MS_REMOUNT | MS_MOVE))
			warnx("%s: mount point not mounted or bad option.",
			      where);
		else
			warnx("%s: wrong fs type, bad option, bad superblock "
			      "on %s, missing codepage or helper program, or "
			      "other error.", where, what);
		break;
	case EROFS:
	case EACCES:
		if (r->flags & MS_REMOUNT)
			warnx("%s: cannot remount %s read-write, is "
			      "write-protected.", where, what);
		else
			warnx("%s: cannot mount %s read-only.", where, what);
		break;
	default:
		warnx("%s: mount(2) system call failed: %s.", where,
		      strerror(error));
	}
	return EX_FAIL;
}

/* A type cannot be what is there, or no kernel knows it. */
static bool goes_on(int error)
{
	return error == EINVAL || error == ENODEV;
}

/*
 * Tries each type of a list that needs a device, until one knows what is
 * there; true: the list ends with "*", and another one follows.
 */
static bool try_types(const struct request *r, const char *list,
		      const char *what, const char *where, char *type,
		      size_t size, int *error)
{
	FILE *f = fopen(list, "r");
	char line[128];
	bool more = !f;

	while (f && goes_on(*error) && fgets(line, sizeof(line), f)) {
		char *name = line + strspn(line, " \t");

		name[strcspn(name, " \t\n")] = '\0';
		more = !strcmp(name, "*");
		if (more || !*name || *name == '#' || !strcmp(name, "nodev"))
			continue;
		snprintf(type, size, "%s", name);
		*error = mount(what, where, type, r->flags | MS_SILENT,
			       r->data) ? errno : 0;
	}
	if (f)
		fclose(f);
	return more && goes_on(*error);
}

/* Without a type: those of modules may not be in the kernel's list yet. */
static int mount_any(const struct request *r, const char *what,
		     const char *where, char *type, size_t size)
{
	int error = EINVAL;

	snprintf(type, size, "auto");
	if (try_types(r, "/etc/filesystems", what, where, type, size, &error))
		try_types(r, "/proc/filesystems", what, where, type, size,
			  &error);
	return error == ENODEV ? EINVAL : error;
}

static int do_mount(const struct request *r, const char *what,
		    const char *where)
{
	char type[64];
	int error;

	snprintf(type, sizeof(type), "%s", r->type ? r->type : "none");
	if (!r->type && !(r->flags & (MS_REMOUNT | MS_BIND | MS_MOVE |
				      MS_PRIVATE)))
		error = mount_any(r, what, where, type, sizeof(type));
	else
		error = mount(what, where, type, r->flags, r->data) ? errno : 0;
	if (error)
		return report(r, what, where, type, error);
	if (r->verbose)
		printf("%s: %s mounted on %s.\n", program_name, what, where);
	return 0;
}

/* Long options are words of -o, and stand for themselves. */
static int long_option(struct request *r, const char *name, const char *value)
{
	static const char *const same[] = {
		"bind", "rbind", "move", NULL
	};

	for (int i = 0; same[i]; i++) {
		if (!strcmp(name, same[i])) {
			add_options(r, name);
			return 0;
		}
	}
	if (!strcmp(name, "make-private") || !strcmp(name, "make-rprivate"))
		add_options(r, name + 5);
	else if (!strcmp(name, "read-only"))
		add_options(r, "ro");
	else if (!strcmp(name, "verbose"))
		r->verbose = true;
	else if (!strcmp(name, "types") && value)
		return r->type = value, 1;
	else if (!strcmp(name, "options") && value)
		return add_options(r, value), 1;
	else
		usage();
	return 0;
}

/* Moves what is no option to the front of argv; returns how many. */
static int parse(struct request *r, int argc, char **argv)
{
	int operands = 1;

	for (int i = 1; i < argc; i++) {
		char *a = argv[i];

		if (a[0] != '-' || !a[1]) {
			argv[operands++] = a;
			continue;
		}
		if (a[1] == '-') {
			i += long_option(r, a + 2, argv[i + 1]);
			continue;
		}
		while (*++a) {
			const char *value = a[1] ? a + 1 : argv[i + 1];

			if (strchr("to", *a)) {
				if (!value)
					usage();
				if (*a == 't')
					r->type = value;
				else
					add_options(r, value);
				i += !a[1];
				break;
			}
			switch (*a) {
			case 'r': add_options(r, "ro"); break;
			case 'w': add_options(r, "rw"); break;
			case 'B': add_options(r, "bind"); break;
			case 'R': add_options(r, "rbind"); break;
			case 'M': add_options(r, "move"); break;
			case 'v': r->verbose = true; break;
			case 'l': case 'n': break;
			default: usage();
			}
		}
	}
	return operands - 1;
}

int main(int argc, char **argv)
{
	static struct request r;
	int operands = parse(&r, argc, argv);
	char *what;

	if (operands == 0)
		return list_mounts(r.type);
	if (operands == 2)
		return do_mount(&r, argv[1], argv[2]);
	if (operands > 2)
		usage();
	if (!(r.flags & (MS_REMOUNT | MS_PRIVATE)))
		errx(EX_USAGE, "%s: can't find in /etc/fstab.", argv[1]);
	what = mounted_from(argv[1]);
	if (!what && (r.flags & MS_REMOUNT))
		errx(EX_FAIL, "%s: mount point not mounted or bad option.",
		     argv[1]);
	return do_mount(&r, what ? what : "none", argv[1]);
}
