/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * modprobe NAME [NAME=VALUE]...: loads a module and those it needs, which
 * /lib/modules/RELEASE/modules.dep lists.
 * modprobe -r NAME...: unloads modules, and those that nobody needs any more.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <kmod.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#define DEPENDS_MAX	64

static bool quiet;
static char directory[128];

/* The line of a module, cut: its file, then those it needs. Their number. */
static int find_files(const char *name, char **line, char *files[DEPENDS_MAX])
{
	char path[160], found[MODULE_NAME_MAX], *rest;
	size_t size = 0;
	int count = 0;
	FILE *f;

	snprintf(path, sizeof(path), "%s/modules.dep", directory);
	f = fopen(path, "r");
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

static int load(const char *argument, const char *parameters)
{
	char name[MODULE_NAME_MAX], *files[DEPENDS_MAX], *line = NULL;
	int i, count, failed = 0;

	module_name_of(argument, name);
	count = find_files(name, &line, files);
	if (!count)
		failed = not_found(argument);
	for (i = count - 1; i >= 0 && !failed; i--)
		failed = insert(files[i], name, i ? "" : parameters);
	free(line);
	return failed;
}

/* What the module needed goes too, as far as nobody else needs it. */
static int unload(const char *argument)
{
	char name[MODULE_NAME_MAX], *files[DEPENDS_MAX], *line = NULL;
	struct module_state state;
	int i, count, failed = 0;

	module_name_of(argument, name);
	count = find_files(name, &line, files);
	if (!count)
		failed = not_found(argument);
	else if (find_loaded_module(name, &state) > 0 && state.refcount)
		failed = fatal("Module %s is in use%s.", name, "");
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
