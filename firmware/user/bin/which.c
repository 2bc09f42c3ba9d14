/* SPDX-License-Identifier: GPL-2.0-only */
/* which [-a] NAME...: where in PATH the programs are. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_program(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode) &&
	       access(path, X_OK) == 0;
}

static bool show(const char *name, bool all)
{
	const char *path = getenv("PATH");
	bool found = false;

	if (strchr(name, '/')) {
		if (is_program(name))
			puts(name);
		return is_program(name);
	}
	while (path && (all || !found)) {
		int length = strcspn(path, ":");
		size_t size = length + strlen(name) + 3;
		char *candidate = xmalloc(size);

		snprintf(candidate, size, "%.*s/%s", length ? length : 1,
			 length ? path : ".", name);
		if (is_program(candidate)) {
			puts(candidate);
			found = true;
		}
		free(candidate);
		path = path[length] ? path + length + 1 : NULL;
	}
	return found;
}

int main(int argc, char **argv)
{
	bool all = false;
	int option, missing = 0;

	while ((option = getopt(argc, argv, "a")) >= 0) {
		if (option == '?')
			return 2;
		all = true;
	}
	if (optind == argc)
		return 1;
	for (; optind < argc; optind++)
		missing |= !show(argv[optind], all);
	return missing;
}
