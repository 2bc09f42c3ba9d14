/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel's parameters: words of the command line. */
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include <emu/boot_params.h>

/* A number at *@str, which is moved behind it; false if there is none. */
bool get_option(char **str, int *value)
{
	bool negative = **str == '-';
	const char *s = *str + negative;
	int n = 0;

	if (*s < '0' || *s > '9')
		return false;
	while (*s >= '0' && *s <= '9')
		n = n * 10 + (*s++ - '0');
	*value = negative ? -n : n;
	*str += s - *str;
	return true;
}

/* "name=" takes what follows it, a name without that stands alone. */
static bool __init obsolete_checksetup(char *word, bool early)
{
	const struct obs_kernel_param *p;
	bool found = false;
	size_t n;

	for (p = __setup_start; p < __setup_end; p++) {
		n = strlen(p->str);
		if (p->early != early || strncmp(word, p->str, n) ||
		    (p->str[n - 1] != '=' && word[n]))
			continue;
		found = true;
		if (!p->setup_func(word + n) && !early)
			printk("Malformed option '%s'\n", word);
	}
	return found;
}

static void __init parse_args(bool early)
{
	static char line[COMMAND_LINE_SIZE] __initdata;
	char *word, *end;

	memcpy(line, boot_params.command_line, sizeof(line));
	line[sizeof(line) - 1] = '\0';
	for (word = line; *word; word = end) {
		while (*word == ' ')
			word++;
		for (end = word; *end && *end != ' '; end++)
			;
		if (*end)
			*end++ = '\0';
		if (*word)
			obsolete_checksetup(word, early);
	}
}

void __init parse_early_param(void)
{
	parse_args(true);
}

/* Words that nobody knows are left to those who read /proc/cmdline. */
void __init parse_params(void)
{
	parse_args(false);
}
