/* SPDX-License-Identifier: GPL-2.0-only */
/* Random numbers for programs: unpredictable to them, repeatable for us. */
#include <linux/atomic.h>
#include <linux/kernel.h>
#include <linux/random.h>
#include <linux/string.h>
#include <emu/boot_params.h>

/* splitmix64: a counter that goes up by an odd constant, then is mixed. */
static inline u64 get_random_u64(void)
{
	static atomic_long_t state;
	u64 z = boot_params.seed +
		atomic_long_add_return(0x9e3779b97f4a7c15UL, &state);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9UL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebUL;
	return z ^ (z >> 31);
}

void get_random_bytes(void *buf, size_t len)
{
	for (char *to = buf; len;) {
		u64 word = get_random_u64();
		size_t n = min(len, sizeof(word));

		memcpy(to, &word, n);
		to += n;
		len -= n;
	}
}
