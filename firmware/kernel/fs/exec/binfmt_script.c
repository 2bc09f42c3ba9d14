/* SPDX-License-Identifier: GPL-2.0-only */
/* Scripts: "#!", an interpreter and at most one argument for it. */
#include <linux/binfmts.h>
#include <linux/errno.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/string.h>

static inline bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* Ends the string that starts at @s where its trailing blanks start. */
static inline void trim(char *s, char *end)
{
	while (end > s && is_blank(end[-1]))
		end--;
	*end = '\0';
}

/*
 * The first line, without "#!" and the blanks around it; NULL if the buffer
 * cuts the interpreter's name. What is cut of its argument is lost.
 */
static inline char *first_line(char *buf)
{
	char *line = buf + 2, *end = buf + BINPRM_BUF_SIZE - 1;
	char *newline = memchr(line, '\n', end - line);
	bool cut = !newline && *end;

	trim(line, newline ? newline : end);
	while (is_blank(*line))
		line++;
	if (cut && !strchr(line, ' ') && !strchr(line, '\t'))
		return NULL;
	return line;
}

static int load_script(struct linux_binprm *bprm)
{
	const char *interp = bprm->interp ? bprm->interp : bprm->filename;
	char *name, *argument;
	struct file *file;
	int err;

	if (bprm->buf[0] != '#' || bprm->buf[1] != '!')
		return -ENOEXEC;
	name = first_line(bprm->buf);
	if (!name || !*name)
		return -ENOEXEC;
	for (argument = name; *argument && !is_blank(*argument); argument++)
		;
	while (is_blank(*argument))
		*argument++ = '\0';

	/* The script's own name takes the place of argv[0]. */
	err = remove_arg_zero(bprm);
	if (!err)
		err = copy_string_kernel(interp, bprm);
	if (!err && *argument) {
		err = copy_string_kernel(argument, bprm);
		bprm->argc++;
	}
	if (!err)
		err = copy_string_kernel(name, bprm);
	if (!err)
		err = bprm_change_interp(name, bprm);
	if (err)
		return err;
	bprm->argc += 2;

	file = open_exec(name);
	if (IS_ERR(file))
		return PTR_ERR(file);
	bprm->interpreter = file;
	return 0;
}

const struct linux_binfmt script_format = {
	.load_binary	= load_script,
};
