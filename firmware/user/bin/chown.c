/* SPDX-License-Identifier: GPL-2.0-only */
/* chown [-Rhv] [OWNER][:[GROUP]] FILE...: by number; root is 0. */
#include <err.h>
#include <files.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define KEEP	((uid_t)-1)

static uid_t user = KEEP;
static gid_t group = KEEP;
static bool recursive, links, verbose;

static uid_t id_of(const char *name, const char *what, const char *all)
{
	long id = strcmp(name, "root") ? parse_number(name) : 0;

	if (id < 0 || id >= KEEP)
		errx(1, "invalid %s: '%s'", what, all);
	return id;
}

static void parse_owner(const char *text)
{
	char *owner = xstrdup(text), *colon = strchr(owner, ':');

	if (colon)
		*colon++ = '\0';
	if (*owner)
		user = id_of(owner, "user", text);
	if (colon && *colon)
		group = id_of(colon, "group", text);
	else if (colon && *owner)
		group = user;
	free(owner);
}

static bool change_tree(const char *path);

static bool change_entries(const char *path)
{
	char **names = list_folder(path);
	bool all = true;

	if (!names) {
		warn("cannot read directory '%s'", path);
		return false;
	}
	for (char **name = names; *name; name++) {
		char *entry = path_join(path, *name);

		all &= change_tree(entry);
		free(entry);
	}
	free_list(names);
	return all;
}

static bool change_tree(const char *path)
{
	struct stat st;
	bool all = true;

	if (lstat(path, &st) < 0) {
		warn("cannot access '%s'", path);
		return false;
	}
	if (recursive && S_ISDIR(st.st_mode))
		all = change_entries(path);
	/* Down a tree, a link is what it is itself. */
	if ((links || (recursive && S_ISLNK(st.st_mode)) ?
	     lchown(path, user, group) : chown(path, user, group)) < 0) {
		warn("changing ownership of '%s'", path);
		return false;
	}
	if (verbose)
		printf("changed ownership of '%s'\n", path);
	return all;
}

int main(int argc, char **argv)
{
	bool all = true;
	int option;

	while ((option = getopt(argc, argv, "Rhv")) >= 0) {
		switch (option) {
		case 'R': recursive = true; break;
		case 'h': links = true; break;
		case 'v': verbose = true; break;
		default: return 1;
		}
	}
	if (optind == argc)
		errx(1, "missing operand");
	if (optind + 1 == argc)
		errx(1, "missing operand after '%s'", argv[optind]);
	parse_owner(argv[optind++]);
	for (; optind < argc; optind++)
		all &= change_tree(argv[optind]);
	return !all;
}
