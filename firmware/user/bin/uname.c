/* SPDX-License-Identifier: GPL-2.0-only */
/* uname [-asnrvmpio]: what the system is called. */
#include <err.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	static const char order[] = "snrvmo";
	bool wanted[sizeof(order)] = { false };
	bool any = false, printed = false;
	const char *texts[sizeof(order)];
	struct utsname names;
	int option;

	while ((option = getopt(argc, argv, "asnrvmo")) >= 0) {
		if (option == '?')
			return 1;
		for (size_t i = 0; order[i]; i++)
			wanted[i] |= option == 'a' || option == order[i];
		any = true;
	}
	if (optind < argc)
		errx(1, "extra operand '%s'", argv[optind]);
	if (uname(&names) < 0)
		err(1, "cannot get system name");
	texts[0] = names.sysname;
	texts[1] = names.nodename;
	texts[2] = names.release;
	texts[3] = names.version;
	texts[4] = names.machine;
	texts[5] = "GNU/Linux";
	wanted[0] |= !any;
	for (size_t i = 0; order[i]; i++) {
		if (!wanted[i])
			continue;
		printf("%s%s", printed ? " " : "", texts[i]);
		printed = true;
	}
	fputc('\n', stdout);
	return 0;
}
