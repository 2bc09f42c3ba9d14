/* SPDX-License-Identifier: GPL-2.0-only */
/* From crt0.S to main() and from there to exit(). */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

char **environ;
const char *program_name = "";

int main(int argc, char **argv, char **envp);

/* The stack as execve() makes it: argc, argv, NULL, environment, NULL. */
__attribute__((noreturn)) void __libc_start(long *stack)
{
	int argc = stack[0];
	char **argv = (char **)(stack + 1);

	environ = argv + argc + 1;
	if (argc > 0) {
		const char *slash = strrchr(argv[0], '/');

		program_name = slash ? slash + 1 : argv[0];
	}
	exit(main(argc, argv, environ));
}

void exit(int status)
{
	/* Output that could not be written is a failure nobody else sees. */
	bool unwritten = fflush(stdout) < 0;

	/* With a status of failure an earlier one has been told. */
	if (finish_stream(stdout) < 0 &&
	    (unwritten || status == EXIT_SUCCESS)) {
		warn("write error");
		if (status == EXIT_SUCCESS)
			status = EXIT_FAILURE;
	}
	_exit(status);
}
