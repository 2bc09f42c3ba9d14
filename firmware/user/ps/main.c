/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ps [-A|-e] [-f] [-p PIDS] [-o COLUMNS] [aux]: what processes there are, from
 * /proc. Without -e or -p, those of the caller's session.
 */
#include <err.h>
#include <proc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ps.h"

#define COLUMNS_MAX	32

static struct column chosen[COLUMNS_MAX];
static int nr_chosen;

/* "pid,comm=NAME": the title after "=" holds for the rest of the list. */
static void choose(const char *list)
{
	char *copy = xstrdup(list), *rest = copy, *word;

	while ((word = strsep(&rest, ", "))) {
		const struct column *c = columns;
		char *title = strchr(word, '=');

		if (!*word)
			continue;
		if (title)
			*title++ = '\0';
		while (c->name && strcmp(c->name, word))
			c++;
		if (!c->name)
			errx(1, "error: unknown user-defined format specifier "
			     "\"%s\"", word);
		if (nr_chosen == COLUMNS_MAX)
			errx(1, "error: too many columns");
		chosen[nr_chosen] = *c;
		if (title)
			chosen[nr_chosen].title = title;
		nr_chosen++;
	}
}

/* The last column is not padded. */
static void print_cell(int i, const char *text)
{
	int width = chosen[i].width;

	if (i == nr_chosen - 1 && width < 0)
		fputs(text, stdout);
	else
		printf("%*s", width, text);
	putchar(i == nr_chosen - 1 ? '\n' : ' ');
}

static void print_titles(void)
{
	bool any = false;

	for (int i = 0; i < nr_chosen; i++)
		any |= chosen[i].title[0];
	for (int i = 0; any && i < nr_chosen; i++)
		print_cell(i, chosen[i].title);
}

static void print_process(const struct process *p)
{
	char text[TEXT_SIZE];

	for (int i = 0; i < nr_chosen; i++) {
		chosen[i].format(p, text);
		print_cell(i, text);
	}
}

static bool listed(const char *pids, int pid)
{
	const char *at = pids;

	while (*at) {
		char *end;

		if (strtol(at, &end, 10) == pid && end != at)
			return true;
		at = *end ? end + 1 : end;
	}
	return false;
}

int main(int argc, char **argv)
{
	static struct process p, self;
	bool every = false, full = false, headers = true;
	const char *only = NULL;
	int c, count, *pids, shown = 0;

	/* The BSD way: "aux", "ax" and the like. */
	if (argc > 1 && argv[1][0] != '-' && argv[1][0]) {
		if (strspn(argv[1], "aux") != strlen(argv[1]))
			errx(1, "error: unsupported option (BSD syntax)");
		every = true;
		choose(strchr(argv[1], 'u') ?
		       "user,pid,pcpu,pmem,vsz,rss,tname,stat,start,bsdtime,"
		       "command" : "pid,tname,stat,bsdtime,command");
		argv++;
		argc--;
	}
	while ((c = getopt(argc, argv, "Aefho:p:")) != -1) {
		switch (c) {
		case 'A': case 'e': every = true; break;
		case 'f': full = true; break;
		case 'h': headers = false; break;
		case 'o': choose(optarg); break;
		case 'p': only = optarg; break;
		default: return 1;
		}
	}
	if (optind < argc)
		errx(1, "error: garbage option");
	if (!nr_chosen)
		choose(full ? "uid,pid,ppid,c,stime,tname,time,cmd" :
			      "pid,tname,time,ucmd");
	if (!read_process(&self, "self"))
		errx(1, "error: /proc must be mounted");
	read_machine(&self);
	if (headers)
		print_titles();
	count = all_pids(&pids);
	for (int i = 0; i < count; i++) {
		char name[16];

		if (only && !listed(only, pids[i]))
			continue;
		snprintf(name, sizeof(name), "%d", pids[i]);
		if (!read_process(&p, name))
			continue;
		if (!every && !only && p.session != self.session)
			continue;
		print_process(&p);
		shown++;
	}
	free(pids);
	return shown ? 0 : 1;
}
