/* SPDX-License-Identifier: GPL-2.0-only */
/* cd, pwd and umask: what the shell has of the file system. */
#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "shell.h"

static bool is_here(const char *path)
{
	struct stat there, here;

	return path && *path == '/' && stat(path, &there) == 0 &&
	       stat(".", &here) == 0 && there.st_dev == here.st_dev &&
	       there.st_ino == here.st_ino;
}

/* The current folder, by the way it was come to if that is known. */
static const char *current(bool physical)
{
	const char *known = var_get("PWD");
	char *path;

	if (!physical && is_here(known))
		return known;
	path = arena_alloc(&temp_arena, PATH_MAX);
	if (getcwd(path, PATH_MAX))
		return path;
	/* A folder that has been removed is still called what it was. */
	return physical ? NULL : known;
}

void folder_init(void)
{
	const char *path = current(false);

	if (path)
		var_set("PWD", path);
}

/* from/path without . and .., of which each takes a component away. */
static char *resolve(const char *from, const char *path)
{
	size_t size = strlen(from) + strlen(path) + 3;
	char *joined = arena_alloc(&temp_arena, size);
	char *result = arena_alloc(&temp_arena, size);
	char *rest = joined, *part;
	size_t length = 0;

	snprintf(joined, size, "%s/%s", *path == '/' ? "" : from, path);
	while ((part = strsep(&rest, "/"))) {
		if (!*part || !strcmp(part, "."))
			continue;
		if (!strcmp(part, "..")) {
			while (length > 0 && result[--length] != '/')
				;
			continue;
		}
		result[length++] = '/';
		strcpy(result + length, part);
		length += strlen(part);
	}
	if (length == 0)
		result[length++] = '/';
	result[length] = '\0';
	return result;
}

static bool change(const char *path, bool physical)
{
	const char *before = current(false);
	const char *after = NULL;

	if (!physical && (before || *path == '/')) {
		after = resolve(before ? before : "", path);
		if (chdir(after) < 0)
			return false;
	} else {
		if (chdir(path) < 0)
			return false;
		after = current(true);
	}
	if (before)
		var_set("OLDPWD", before);
	if (after)
		var_set("PWD", after);
	return true;
}

/* -L, by the way come, or -P; returns the first operand's place. */
static int way(int argc, char **argv, bool *physical)
{
	int i = 1;

	*physical = false;
	for (; i < argc && argv[i][0] == '-' && argv[i][1]; i++) {
		if (!strcmp(argv[i], "--"))
			return i + 1;
		for (const char *option = argv[i] + 1; *option; option++) {
			if (*option != 'L' && *option != 'P')
				fail("Illegal option -%c", *option);
			*physical = *option == 'P';
		}
	}
	return i;
}

/* The folder of that name in one of CDPATH's; path itself: there is none. */
static const char *find_folder(const char *path, bool *elsewhere)
{
	const char *folders = var_get("CDPATH"), *before = folders;
	size_t dots = strspn(path, ".");
	char *candidate;
	struct stat st;

	if (*path == '/' || (dots && dots < 3 && (!path[dots] || path[dots] == '/')))
		return path;
	while ((candidate = next_candidate(&folders, path))) {
		*elsewhere = *before && *before != ':';
		before = folders;
		if (stat(candidate, &st) == 0 && S_ISDIR(st.st_mode))
			return *elsewhere ? candidate : path;
	}
	*elsewhere = false;
	return path;
}

int run_cd(int argc, char **argv)
{
	bool physical, shown;
	int first = way(argc, argv, &physical);
	const char *path = first < argc ? argv[first] : var_get("HOME");

	if (!path)
		return 0;
	shown = !strcmp(path, "-");
	if (shown) {
		path = var_get("OLDPWD");
		if (!path) {
			complain("OLDPWD not set");
			return STATUS_ERROR;
		}
	}
	/* The variable changes with the folder. */
	path = arena_copy(&temp_arena, path, strlen(path));
	path = find_folder(path, &shown);
	if (*path && !change(path, physical)) {
		complain("can't cd to %s", path);
		return STATUS_ERROR;
	}
	if (shown)
		puts(var_get("PWD"));
	return 0;
}

int run_pwd(int argc, char **argv)
{
	bool physical;
	const char *path;

	way(argc, argv, &physical);
	path = current(physical);
	if (!path) {
		complain("cannot get the current folder");
		return 1;
	}
	puts(path);
	return 0;
}

/* u=rwx,g=rx,o=rx: what the mask lets through. */
static void print_symbolic(mode_t mask)
{
	for (int shift = 6; shift >= 0; shift -= 3) {
		mode_t allowed = ~mask >> shift;

		printf("%c=%s%s%s%c", "ogu"[shift / 3], allowed & 4 ? "r" : "",
		       allowed & 2 ? "w" : "", allowed & 1 ? "x" : "",
		       shift ? ',' : '\n');
	}
}

/* The mask after one of u+w,go=r: what they let through changes. */
static bool change_symbolic(const char *text, mode_t *mask)
{
	mode_t allowed = ~*mask & 0777;

	for (;;) {
		mode_t who = 0, what = 0;
		char how;

		for (; *text && strchr("ugoa", *text); text++)
			who |= *text == 'u' ? 0700 : *text == 'g' ? 0070 :
			       *text == 'o' ? 0007 : 0777;
		if (!who)
			who = 0777;
		how = *text++;
		if (!how || !strchr("+-=", how))
			return false;
		for (; *text && strchr("rwx", *text); text++)
			what |= *text == 'r' ? 0444 : *text == 'w' ? 0222 :
								     0111;
		what &= who;
		allowed = how == '+' ? allowed | what :
			  how == '-' ? allowed & ~what :
				       (allowed & ~who) | what;
		if (!*text)
			break;
		if (*text++ != ',')
			return false;
	}
	*mask = ~allowed & 0777;
	return true;
}

int run_umask(int argc, char **argv)
{
	bool symbolic = argc > 1 && !strcmp(argv[1], "-S");
	mode_t mask = umask(0);
	char *end;
	long value;

	umask(mask);
	if (argc < 2 + symbolic) {
		if (symbolic)
			print_symbolic(mask);
		else
			printf("%04o\n", mask);
		return 0;
	}
	argv += symbolic;
	if (isdigit(argv[1][0])) {
		value = strtol(argv[1], &end, 8);
		if (*end || value > 0777)
			fail("Illegal number: %s", argv[1]);
		mask = value;
	} else if (!change_symbolic(argv[1], &mask)) {
		fail("Illegal mode: %s", argv[1]);
	}
	umask(mask);
	return 0;
}
