/* SPDX-License-Identifier: GPL-2.0-only */
/* Words of the command line: the kernel's parameters, and what is for init. */
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

const char *argv_init[MAX_INIT_ARGS + 2] = { "/init", NULL };
const char *envp_init[MAX_INIT_ENVS + 2] = { "HOME=/", "PATH=/bin", NULL };

/*
 * "name=" takes what follows it, a name without that stands alone. Returns
 * whether the word is somebody's, be it early or not.
 */
static bool __init obsolete_checksetup(char *word, bool early)
{
	const struct obs_kernel_param *p;
	bool found = false;
	size_t n;

	for (p = __setup_start; p < __setup_end; p++) {
		n = strlen(p->str);
		if (strncmp(word, p->str, n) ||
		    (p->str[n - 1] != '=' && word[n]))
			continue;
		found = true;
		if (p->early != early)
			continue;
		if (!p->setup_func(word + n) && !early)
			printk("Malformed option '%s'\n", word);
	}
	return found;
}

/* A variable of init's environment, instead of an older one of its name. */
static void __init add_variable(const char *word, size_t name)
{
	unsigned int i;

	for (i = 0; envp_init[i]; i++) {
		if (i == MAX_INIT_ENVS)
			panic("Too many boot env vars at `%s'", word);
		if (!strncmp(envp_init[i], word, name + 1))
			break;
	}
	envp_init[i] = word;
}

static void __init add_argument(const char *word)
{
	unsigned int i;

	for (i = 0; argv_init[i]; i++)
		if (i == MAX_INIT_ARGS)
			panic("Too many boot init vars at `%s'", word);
	argv_init[i] = word;
}

/*
 * A word that no part of the kernel knows is init's: NAME=VALUE a variable of
 * its environment, any other an argument. One with a dot in its name would be
 * a module's.
 */
static void __init unknown_bootoption(const char *word)
{
	const char *equals = strchr(word, '='), *dot = strchr(word, '.');

	if (dot && (!equals || dot < equals))
		return;
	if (equals)
		add_variable(word, equals - word);
	else
		add_argument(word);
}

/*
 * Cuts the first word off @line and returns what is behind it. Double quotes
 * keep blanks in a word; they themselves are not part of it.
 */
static char *__init next_arg(char *line)
{
	bool in_quote = false;
	char *to = line;

	for (; *line && (in_quote || *line != ' '); line++) {
		if (*line == '"')
			in_quote = !in_quote;
		else
			*to++ = *line;
	}
	if (*line)
		line++;
	*to = '\0';
	return line;
}

static void __init parse_args(bool early)
{
	static char line[COMMAND_LINE_SIZE] __initdata;
	char *word, *end;

	memcpy(line, boot_params.command_line, sizeof(line));
	line[sizeof(line) - 1] = '\0';
	for (word = line; *word; word = end) {
		end = next_arg(word);
		if (*word && !obsolete_checksetup(word, early) && !early)
			unknown_bootoption(word);
	}
}

void __init parse_early_param(void)
{
	parse_args(true);
}

void __init parse_params(void)
{
	parse_args(false);
}
