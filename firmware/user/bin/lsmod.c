/* SPDX-License-Identifier: GPL-2.0-only */
/* lsmod: the modules that are loaded. */
#include <err.h>
#include <kmod.h>
#include <stdio.h>

static int show(const struct module_state *state, void *unused)
{
	(void)unused;
	printf("%-19s %8lu  %d%s%s\n", state->name, state->size,
	       state->refcount, state->users[0] ? " " : "", state->users);
	return 0;
}

int main(int argc, char **argv)
{
	(void)argv;
	if (argc > 1)
		errx(1, "too many arguments");
	puts("Module                  Size  Used by");
	if (for_each_module(show, NULL) < 0) {
		kmod_error("could not get list of modules: No such file or directory");
		return 1;
	}
	return 0;
}
