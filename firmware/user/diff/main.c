/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * diff [-uqsraNibw] [-U LINES] FILE1 FILE2: what lines differ; folders are
 * compared file by file, with -r down the tree. Status 0: none, 1: some do.
 */
#include <err.h>
#include <errno.h>
#include <files.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "diff.h"

struct options options = { .context = 3 };

static char *letters;		/* the options as they were given */

static bool differs(const struct file *a, const struct file *b)
{
	bool changed = false;

	for (long i = 0; i < a->count; i++)
		changed |= a->lines[i].changed;
	for (long i = 0; i < b->count; i++)
		changed |= b->lines[i].changed;
	return changed;
}

static int compare_read(struct file *a, struct file *b, bool headline)
{
	bool binary = is_binary(a) || is_binary(b);

	if (binary && a->size == b->size && !memcmp(a->data, b->data, a->size))
		return SAME;
	if (!binary) {
		compare_lines(a, b);
		if (!differs(a, b))
			return SAME;
	}
	if (options.brief || binary) {
		printf("%s %s and %s differ\n", options.brief ? "Files" :
		       "Binary files", a->name, b->name);
		return DIFFERENT;
	}
	if (headline)
		printf("diff %s%s%s %s\n", letters, *letters ? " " : "",
		       a->name, b->name);
	if (options.unified)
		print_unified(a, b);
	else
		print_normal(a, b);
	return DIFFERENT;
}

static int compare_files(const char *x, const char *y, bool headline)
{
	struct file a, b;
	int status = TROUBLE;
	bool read = read_file(&a, x);

	read &= read_file(&b, y);
	if (read) {
		status = compare_read(&a, &b, headline);
		if (status == SAME && options.identical)
			printf("Files %s and %s are identical\n", x, y);
	}
	free_file(&a);
	free_file(&b);
	return status;
}

static int compare_folders(const char *x, const char *y);

static int compare_entries(const char *x, const char *y)
{
	bool folder = is_folder(x);

	if (folder != is_folder(y) && access(x, F_OK) == 0 &&
	    access(y, F_OK) == 0) {
		printf("File %s is a %s while file %s is a %s\n", x,
		       folder ? "directory" : "regular file", y,
		       folder ? "regular file" : "directory");
		return DIFFERENT;
	}
	if (!folder)
		return compare_files(x, y, true);
	if (options.recursive)
		return compare_folders(x, y);
	printf("Common subdirectories: %s and %s\n", x, y);
	return SAME;
}

static int compare_entry(const char *x, const char *y, const char *name,
			 int order)
{
	char *a = path_join(x, name), *b = path_join(y, name);
	const char *only = order < 0 ? x : y;
	int status = DIFFERENT;

	if (order == 0 || (options.absent && !is_folder(order < 0 ? a : b)))
		status = compare_entries(a, b);
	else
		printf("Only in %s: %s\n", only, name);
	free(a);
	free(b);
	return status;
}

static int compare_folders(const char *x, const char *y)
{
	char **a = list_folder(x), **b = list_folder(y);
	int status = SAME;

	if (!a || !b) {
		warn("%s", a ? y : x);
		status = TROUBLE;
	}
	for (char **i = a, **j = b; a && b && (*i || *j);) {
		int order = !*i ? 1 : !*j ? -1 : strcmp(*i, *j);
		int one = compare_entry(x, y, order > 0 ? *j : *i, order);

		status = one > status ? one : status;
		i += order <= 0;
		j += order >= 0;
	}
	free_list(a);
	free_list(b);
	return status;
}

static int compare_operands(const char *x, const char *y)
{
	bool folder = strcmp(x, "-") && is_folder(x);
	char *path, *name;
	int status;

	if (folder && is_folder(y))
		return compare_folders(x, y);
	if (!folder && !is_folder(y))
		return compare_files(x, y, false);
	/* A file and a folder: the file of that name in it. */
	name = path_name(folder ? y : x);
	path = path_join(folder ? x : y, name);
	status = folder ? compare_files(path, y, false) :
			  compare_files(x, path, false);
	free(path);
	free(name);
	return status;
}

static void set_context(const char *text)
{
	options.unified = true;
	options.context = parse_number(text);
	if (options.context < 0)
		errx(TROUBLE, "invalid context length '%s'", text);
}

/* The options for the headlines of files in folders. */
static char *joined(char **from, char **to)
{
	size_t size = 1;
	char *text;

	for (char **at = from; at < to; at++)
		size += strlen(*at) + 1;
	text = xmalloc(size);
	text[0] = '\0';
	for (char **at = from; at < to; at++) {
		strcat(text, *at);
		if (at + 1 < to)
			strcat(text, " ");
	}
	return text;
}

int main(int argc, char **argv)
{
	static const struct long_option names[] = {
		{ "unified", 'u' }, { "brief", 'q' }, { "recursive", 'r' },
		{ "report-identical-files", 's' }, { "text", 'a' },
		{ "new-file", 'N' }, { "ignore-case", 'i' },
		{ "ignore-space-change", 'b' }, { "ignore-all-space", 'w' },
		{ NULL, 0 }
	};
	int option;

	while ((option = getopt_long(argc, argv, "uqsraNibwU:", names)) >= 0) {
		switch (option) {
		case 'u': options.unified = true; break;
		case 'U': set_context(optarg); break;
		case 'q': options.brief = true; break;
		case 's': options.identical = true; break;
		case 'r': options.recursive = true; break;
		case 'a': options.text = true; break;
		case 'N': options.absent = true; break;
		case 'i': options.fold = true; break;
		case 'b': options.one_space = true; break;
		case 'w': options.no_space = true; break;
		default: return TROUBLE;
		}
	}
	if (argc - optind < 2)
		errx(TROUBLE, "missing operand after '%s'", argv[argc - 1]);
	if (argc - optind > 2)
		errx(TROUBLE, "extra operand '%s'", argv[optind + 2]);
	letters = joined(argv + 1, argv + optind);
	return compare_operands(argv[optind], argv[optind + 1]);
}
