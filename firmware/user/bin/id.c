/* SPDX-License-Identifier: GPL-2.0-only */
/* id [-u|-g] [-nr]: who runs it. There is no list of users but root. */
#include <err.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

static void print(const char *before, unsigned int number)
{
	if (number == 0)
		printf("%s0(root)", before);
	else
		printf("%s%u", before, number);
}

int main(int argc, char **argv)
{
	bool name = false, real = false;
	char only = 0;
	int option;

	while ((option = getopt(argc, argv, "ugGnr")) >= 0) {
		switch (option) {
		case 'n': name = true; break;
		case 'r': real = true; break;
		case '?': return 1;
		default: only = option;
		}
	}
	if (optind < argc)
		errx(1, "'%s': no such user", argv[optind]);
	if (only) {
		unsigned int number = only == 'u' ? real ? getuid() : geteuid() :
				      real ? getgid() : getegid();

		if (name && number == 0)
			puts("root");
		else
			printf("%u\n", number);
		return 0;
	}
	print("uid=", getuid());
	print(" gid=", getgid());
	print(" groups=", getgid());
	putchar('\n');
	return 0;
}
