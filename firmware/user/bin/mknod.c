/* SPDX-License-Identifier: GPL-2.0-only */
/* mknod [-m MODE] NAME TYPE [MAJOR MINOR]: makes a device or a FIFO. */
#include <err.h>
#include <files.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

static unsigned int number(const char *what, const char *text, long most)
{
	char *end;
	long value = strtol(text, &end, 0);

	if (!*text || *end || value < 0 || value > most)
		errx(1, "invalid %s device number '%s'", what, text);
	return value;
}

int main(int argc, char **argv)
{
	const char *mode_text = NULL, *type, *name;
	mode_t mode = 0666, kind;
	unsigned int high, low;
	dev_t dev = 0;
	int option, count;
	bool fifo;

	while ((option = getopt(argc, argv, "m:")) != -1) {
		if (option != 'm')
			return 1;
		mode_text = optarg;
	}
	if (mode_text && !parse_mode(mode_text, 0666, &mode))
		errx(1, "invalid mode");
	if (optind == argc)
		errx(1, "missing operand");
	count = argc - optind;
	fifo = count > 1 && !strcmp(argv[optind + 1], "p");
	if (count < (fifo ? 2 : 4)) {
		warnx("missing operand after '%s'", argv[argc - 1]);
		if (count == 2)
			fputs("Special files require major and minor device numbers.\n",
			      stderr);
		return 1;
	}
	if (count > (fifo ? 2 : 4)) {
		warnx("extra operand '%s'", argv[optind + (fifo ? 2 : 4)]);
		if (fifo && count == 4)
			fputs("Fifos do not have major and minor device numbers.\n",
			      stderr);
		return 1;
	}
	name = argv[optind];
	type = argv[optind + 1];
	if (fifo) {
		kind = S_IFIFO;
	} else if (!strcmp(type, "b") || !strcmp(type, "c") ||
		   !strcmp(type, "u")) {
		kind = *type == 'b' ? S_IFBLK : S_IFCHR;
		high = number("major", argv[optind + 2], 0xfff);
		low = number("minor", argv[optind + 3], 0xfffff);
		dev = makedev(high, low);
	} else {
		errx(1, "invalid device type '%s'", type);
	}
	if (mknod(name, mode | kind, dev) < 0)
		err(1, "%s", name);
	if (mode_text && chmod(name, mode) < 0)
		err(1, "cannot set permissions of '%s'", name);
	return 0;
}
