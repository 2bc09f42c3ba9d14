/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * nostack ADDRESS: makes system calls while its stack pointer is ADDRESS, which
 * is none: the kernel has no use for a program's stack but to call a handler.
 */
#include <err.h>
#include <fault.h>
#include <fcntl.h>
#include <stdlib.h>
#include <syscall.h>

#define CALLS	2000

int main(int argc, char **argv)
{
	static char byte;
	unsigned long stack;
	int fd;

	if (argc != 2)
		errx(2, "usage: nostack ADDRESS");
	stack = strtoul(argv[1], NULL, 16);
	fd = open("/dev/zero", O_RDONLY);
	if (fd < 0)
		err(1, "/dev/zero");
	for (int i = 0; i < CALLS; i++) {
		byte = 1;
		if (arch_syscall_on(stack, SYS_read, fd, (long)&byte, 1) != 1 ||
		    byte)
			errx(1, "read");
	}
	return 0;
}
