/* SPDX-License-Identifier: GPL-2.0-only */
/* getpid: prints its process number, from one getpid() call. */
#include <stdio.h>
#include <unistd.h>

int main(void)
{
	printf("%d\n", getpid());
	return 0;
}
