/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * modprobe [-q] NAME [NAME=VALUE]...: loads a module and those it needs, which
 * /lib/modules/RELEASE/modules.dep lists. A name that is not there may be an
 * alias: modules.alias lists these. -q: says nothing of one that is neither.
 * modprobe -r NAME...: unloads modules, and those that nobody needs any more.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <kmod.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#define DEPENDS_MAX	64
#define ALIASED_MAX	16	/* modules that one alias stands for */

static bool quiet;
static char directory[128];

static FILE *open_list(const char *list)
{
	char path[160];

	snprintf(path, sizeof(path), "%s/%s", directory, list);
	return fopen(path, "r");
}

/* The line of a module, cut: its file, then those it needs. Their number. */
static int find_files(const char *name, char **line, char *files[DEPENDS_MAX])
{
	char found[MODULE_NAME_MAX], *rest;
	FILE *f = open_list("modules.dep");
	size_t size = 0;
	int count = 0;

	if (!f)
		return 0;
	while (!count && getline(line, &size, f) > 0) {
		rest = *line;
		files[0] = strsep(&rest, ":");
		module_name_of(files[0], found);
		if (strcmp(found, name))
			continue;
		for (count = 1; rest && count < DEPENDS_MAX; ) {
			files[count] = strsep(&rest, " \n");
			count += files[count][0] != '\0';
		}
	}
	fclose(f);
	return count;
}

/* "alias PATTERN MODULE"; in a pattern '-' is '_', as in a name. */
static int find_aliases(const char *name, char names[][MODULE_NAME_MAX])
{
	FILE *f = open_list("modules.alias");
	char *line = NULL, *rest, *pattern, *p;
	size_t size = 0;
	int count = 0;

	if (!f)
		return 0;
	while (count < ALIASED_MAX && getline(&line, &size, f) > 0) {
		rest = line;
		if (strcmp(strsep(&rest, " "), "alias") || !rest)
			continue;
		pattern = strsep(&rest, " ");
		for (p = pattern; *p; p++)
			if (*p == '-')
				*p = '_';
		if (rest && !fnmatch(pattern, name, 0))
			module_name_of(strsep(&rest, "\n"), names[count++]);
	}
	free(line);
	fclose(f);
	return count;
}

/* The modules that an argument stands for: one, or an alias's. Their number. */
static int resolve(const char *argument, char names[][MODULE_NAME_MAX])
{
	char *files[DEPENDS_MAX], *line = NULL;
	int count = 1;

	module_name_of(argument, names[0]);
	if (!find_files(names[0], &line, files)) {
		char name[MODULE_NAME_MAX];

		strcpy(name, names[0]);
		count = find_aliases(name, names);
	}
	free(line);
	return count;
}

static int fatal(const char *format, const char *name, const char *rest)
{
	if (!quiet) {
		fprintf(stderr, "%s: FATAL: ", program_name);
		fprintf(stderr, format, name, rest);
		fputs("\n", stderr);
	}
	return 1;
}

static int not_found(const char *name)
{
	return fatal("Module %s not found in directory %s", name, directory);
}

/* A module that is there already is as good as loaded. */
static int insert(const char *file, const char *name, const char *parameters)
{
	if (!load_module_file(file, parameters) || errno == EEXIST)
		return 0;
	kmod_error("could not insert '%s': %s", name,
		   errno == ENOENT ?
		   "Unknown symbol in module, or unknown parameter (see dmesg)" :
		   strerror(errno));
	return 1;
}

static int load_module(const char *name, const char *parameters)
{
	char *files[DEPENDS_MAX], *line = NULL;
	int i, failed = 0;

	for (i = find_files(name, &line, files) - 1; i >= 0 && !failed; i--)
		failed = insert(files[i], name, i ? "" : parameters);
	free(line);
	return failed;
}

static int load(const char *argument, const char *parameters)
{
	char names[ALIASED_MAX][MODULE_NAME_MAX];
	int i, count = resolve(argument, names), failed = 0;

	for (i = 0; i < count; i++)
		failed |= load_module(names[i], parameters);
	return count ? failed : not_found(argument);
}

/* What the module needed goes too, as far as nobody else needs it. */
static int unload_module(const char *module)
{
	char name[MODULE_NAME_MAX], *files[DEPENDS_MAX], *line = NULL;
	struct module_state state;
	int i, count, failed = 0;

	count = find_files(module, &line, files);
	if (find_loaded_module(module, &state) > 0 && state.refcount)
		failed = fatal("Module %s is in use%s.", module, "");
	for (i = 0; i < count && !failed; i++) {
		module_name_of(files[i], name);
		if (!delete_module(name, O_NONBLOCK) || i || errno == ENOENT)
			continue;
		kmod_error("could not remove '%s': %s", name, strerror(errno));
		failed = 1;
	}
	free(line);
	return failed;
}

static int unload(const char *argument)
{
	char names[ALIASED_MAX][MODULE_NAME_MAX];
	int i, count = resolve(argument, names), failed = 0;

	for (i = 0; i < count; i++)
		failed |= unload_module(names[i]);
	return count ? failed : not_found(argument);
}

int main(int argc, char **argv)
{
	bool remove = false, all = false;
	struct utsname names;
	int option, failed = 0;
	char *parameters;

	while ((option = getopt(argc, argv, "arq")) != -1) {
		switch (option) {
		case 'a':
			all = true;
			break;
		case 'r':
			remove = true;
			break;
		case 'q':
			quiet = true;
			break;
		default:
			return 1;
		}
	}
	if (optind == argc) {
		kmod_error("missing module name.");
		return 1;
	}
	if (uname(&names) < 0)
		err(1, "uname");
	snprintf(directory, sizeof(directory), MODULES_DIR "/%s",
		 names.release);
	if (remove || all) {
		for (; optind < argc; optind++)
			failed |= remove ? unload(argv[optind]) :
					   load(argv[optind], "");
		return failed;
	}
	parameters = join_arguments(argv + optind + 1);
	failed = load(argv[optind], parameters);
	free(parameters);
	return failed;
}
