/* SPDX-License-Identifier: GPL-2.0-only */
/* hostname: the machine's name. */
#include <err.h>
#include <stdio.h>
#include <sys/utsname.h>

int main(int argc, char **argv)
{
	struct utsname names;

	if (argc > 1)
		errx(1, "cannot set the name to '%s'", argv[1]);
	if (uname(&names) < 0)
		err(1, "cannot get the name");
	puts(names.nodename);
	return 0;
}
