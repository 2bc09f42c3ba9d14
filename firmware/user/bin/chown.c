/* SPDX-License-Identifier: GPL-2.0-only */
/* chown [-h] [OWNER][:[GROUP]] FILE...: by number; root is 0. */
#include <err.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#define KEEP	((uid_t)-1)

static uid_t user = KEEP;
static gid_t group = KEEP;

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

int main(int argc, char **argv)
{
	int (*change)(const char *path, uid_t user, gid_t group) = chown;
	int status = 0, option;

	while ((option = getopt(argc, argv, "h")) >= 0) {
		if (option == '?')
			return 1;
		change = lchown;
	}
	if (optind == argc)
		errx(1, "missing operand");
	if (optind + 1 == argc)
		errx(1, "missing operand after '%s'", argv[optind]);
	parse_owner(argv[optind++]);
	for (; optind < argc; optind++) {
		if (change(argv[optind], user, group) < 0) {
			warn("changing ownership of '%s'", argv[optind]);
			status = 1;
		}
	}
	return status;
}
