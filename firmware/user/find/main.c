/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * find [PATH]... [EXPRESSION]: -name -iname -path -type -size -empty -newer
 * -maxdepth -mindepth -depth -xdev -exec ... ; -exec ... + -print -print0 -delete
 * -prune -quit -true -false ! -a -o ( ).
 */
#include <dirent.h>
#include <err.h>
#include <files.h>
#include <stdlib.h>
#include <string.h>

#include "find.h"

struct options options = { .max_depth = 1L << 30 };
bool pruned;
int status;

static dev_t device;

void finish(void)
{
	run_collected();
	exit(status);
}

static void visit(struct test *test, const char *path, long depth);

static void visit_children(struct test *test, const char *path, long depth)
{
	DIR *dir = opendir(path);
	struct dirent *entry;

	if (!dir) {
		warn("'%s'", path);
		status = 1;
		return;
	}
	while ((entry = readdir(dir))) {
		char *inner;

		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		inner = path_join(path, entry->d_name);
		visit(test, inner, depth + 1);
		free(inner);
	}
	closedir(dir);
}

static void visit(struct test *test, const char *path, long depth)
{
	struct stat st;
	bool descend;

	if (lstat(path, &st) < 0) {
		warn("'%s'", path);
		status = 1;
		return;
	}
	if (depth == 0)
		device = st.st_dev;
	pruned = false;
	if (!options.depth_first && depth >= options.min_depth)
		holds(test, path, &st);
	descend = S_ISDIR(st.st_mode) && depth < options.max_depth &&
		  (!pruned || options.depth_first) &&
		  (!options.one_device || st.st_dev == device);
	if (descend)
		visit_children(test, path, depth);
	if (options.depth_first && depth >= options.min_depth)
		holds(test, path, &st);
}

int main(int argc, char **argv)
{
	int paths = 1;
	struct test *test;

	while (paths < argc && argv[paths][0] != '-' &&
	       strcmp(argv[paths], "!") && strcmp(argv[paths], "("))
		paths++;
	test = parse(argv + paths);
	if (paths == 1)
		visit(test, ".", 0);
	for (int i = 1; i < paths; i++)
		visit(test, argv[i], 0);
	finish();
}
