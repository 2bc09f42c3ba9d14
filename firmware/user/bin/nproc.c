/* SPDX-License-Identifier: GPL-2.0-only */
/* nproc: how many CPUs it may run on. */
#include <err.h>
#include <stdio.h>
#include <syscall.h>

int main(void)
{
	unsigned long mask[16] = { 0 };
	long size = arch_syscall(SYS_sched_getaffinity, 0, sizeof(mask),
				 (long)mask, 0);
	int count = 0;

	if (size < 0)
		errx(1, "cannot get the affinity");
	for (size_t i = 0; i < sizeof(mask) / sizeof(*mask); i++)
		for (unsigned long bits = mask[i]; bits; bits &= bits - 1)
			count++;
	printf("%d\n", count);
	return 0;
}
