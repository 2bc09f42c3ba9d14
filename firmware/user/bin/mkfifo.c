/* SPDX-License-Identifier: GPL-2.0-only */
/* mkfifo [-m MODE] NAME...: makes pipes that have names. */
#include <err.h>
#include <files.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	const char *mode_text = NULL;
	int status = 0, option;
	mode_t mode = 0666;

	while ((option = getopt(argc, argv, "m:")) != -1) {
		if (option != 'm')
			return 1;
		mode_text = optarg;
	}
	if (mode_text && !parse_mode(mode_text, 0666, &mode))
		errx(1, "invalid mode");
	if (optind == argc)
		errx(1, "missing operand");
	for (; optind < argc; optind++)
		if (mkfifo(argv[optind], mode) < 0 ||
		    (mode_text && chmod(argv[optind], mode) < 0)) {
			warn("cannot create fifo '%s'", argv[optind]);
			status = 1;
		}
	return status;
}
