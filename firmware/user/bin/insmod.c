/* SPDX-License-Identifier: GPL-2.0-only */
/* insmod FILE [NAME=VALUE]...: loads a module. */
#include <errno.h>
#include <kmod.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	char *parameters;
	int status = 0;

	if (argc < 2) {
		kmod_error("missing filename.");
		return 1;
	}
	parameters = join_arguments(argv + 2);
	if (access(argv[1], F_OK) < 0) {
		kmod_error("could not load module %s: %s", argv[1],
			   strerror(errno));
		status = 1;
	} else if (load_module_file(argv[1], parameters) < 0) {
		kmod_error("could not insert module %s: %s", argv[1],
			   module_strerror(errno));
		status = 1;
	}
	free(parameters);
	return status;
}
