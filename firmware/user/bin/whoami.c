/* SPDX-License-Identifier: GPL-2.0-only */
/* whoami: the name of who runs it. */
#include <err.h>
#include <stdio.h>
#include <unistd.h>

int main(void)
{
	if (geteuid() != 0)
		errx(1, "cannot find name for user ID %u", geteuid());
	puts("root");
	return 0;
}
