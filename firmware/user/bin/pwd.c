/* SPDX-License-Identifier: GPL-2.0-only */
/* pwd: the current folder. */
#include <err.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

int main(void)
{
	static char path[PATH_MAX];

	if (!getcwd(path, sizeof(path)))
		err(1, "cannot get the current folder");
	puts(path);
	return 0;
}
