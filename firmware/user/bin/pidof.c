/* SPDX-License-Identifier: GPL-2.0-only */
/* pidof [-s] NAME...: the numbers of processes of these names, newest first. */
#include <err.h>
#include <proc.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int option, count, *pids, shown = 0;
	char name[PROCESS_NAME];
	bool single = false;

	while ((option = getopt(argc, argv, "s")) >= 0) {
		if (option == '?')
			return 1;
		single = true;
	}
	count = all_pids(&pids);
	for (; optind < argc; optind++) {
		for (int i = count - 1; i >= 0 && !(single && shown); i--) {
			process_name(pids[i], name);
			if (pids[i] != getpid() && !strcmp(name, argv[optind]))
				printf("%s%d", shown++ ? " " : "", pids[i]);
		}
	}
	if (shown)
		putchar('\n');
	free(pids);
	return !shown;
}
