/* SPDX-License-Identifier: GPL-2.0-only */
/* Whole pages, word by word. */
#include <asm/page.h>
#include "fallback.h"

__fallback void clear_page(void *page)
{
	unsigned long *word = page;

	for (unsigned int i = 0; i < PAGE_SIZE / sizeof(*word); i++)
		word[i] = 0;
}

__fallback void copy_page(void *to, const void *from)
{
	unsigned long *word = to;
	const unsigned long *old = from;

	for (unsigned int i = 0; i < PAGE_SIZE / sizeof(*word); i++)
		word[i] = old[i];
}
