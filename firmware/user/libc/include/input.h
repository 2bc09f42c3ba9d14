/* SPDX-License-Identifier: GPL-2.0-only */
/* What programs read that take any number of files. */
#ifndef INPUT_H
#define INPUT_H

#include <stdbool.h>
#include <stdio.h>

/* Files as one stream; "-" is standard input. */
struct input {
	char	**files;	/* still to be read, ended by NULL */
	FILE	*current;
	int	status;		/* 1: one could not be opened, after a message */
};

int input_byte(struct input *input);

/*
 * Has each file shown, with a headline if asked for; "last": none follows.
 * Returns 1 if one could not be opened or show() failed, after a message.
 */
int show_files(char **names, bool headlines, bool (*show)(int fd, bool last));

#endif
