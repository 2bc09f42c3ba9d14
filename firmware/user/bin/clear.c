/* SPDX-License-Identifier: GPL-2.0-only */
/* clear: an empty screen, and the cursor at its top left corner. */
#include <stdio.h>

int main(void)
{
	fputs("\033[H\033[2J\033[3J", stdout);
	return 0;
}
