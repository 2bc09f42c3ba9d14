/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The lines that sed reads, of all files as one or of each on its own; with -i,
 * what becomes of the files.
 */
#include <err.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sed.h"

struct text space, hold = { .newline = true };
unsigned long line_number;

static struct {
	char **files;		/* still to be read */
	const char *name;	/* of the one that is read */
	const char *name_of_line;
	FILE *file;
	char *line;		/* a line ahead, so that $ is known */
	size_t size;
	ssize_t length;		/* of that line; < 0: there is none */
	int status;		/* not 0: a file could not be read */
	struct command *script;
	char *new_name;		/* with -i: what becomes of the file */
	FILE *new_file;
} input = { .length = -1 };

/* "DIR/sedPID" for "DIR/FILE": on the same file system. */
static char *new_name_for(const char *name)
{
	const char *slash = strrchr(name, '/');
	int length = slash ? slash + 1 - name : 0;
	size_t size = length + 32;
	char *path = xmalloc(size);

	snprintf(path, size, "%.*ssed%d", length, name, getpid());
	return path;
}

/* "x" and ".bak" are "x.bak"; a * in the suffix is the name. */
static char *backup_name(const char *name)
{
	const char *slash = strrchr(name, '/');
	const char *base = slash ? slash + 1 : name;
	struct text path = { .bytes = NULL };

	if (!strchr(options.suffix, '/'))
		text_append(&path, name, base - name);
	if (!strchr(options.suffix, '*'))
		text_append(&path, base, strlen(base));
	for (const char *at = options.suffix; *at; at++) {
		if (*at == '*')
			text_append(&path, base, strlen(base));
		else
			text_append_char(&path, *at);
	}
	return path.bytes;
}

static void begin_editing(const struct stat *st)
{
	int fd;

	input.new_name = new_name_for(input.name);
	fd = open(input.new_name, O_WRONLY | O_CREAT | O_EXCL, 0600);
	if (fd < 0)
		err(STATUS_FAILED, "couldn't open temporary file %s",
		    input.new_name);
	lchown(input.new_name, st->st_uid, st->st_gid);
	fchmod(fd, st->st_mode & 07777);
	input.new_file = fdopen(fd, "w");
	output = stream_output(input.new_file);
}

static void end_editing(void)
{
	char *backup;

	if (!input.new_file)
		return;
	free(output);
	output = open_output(NULL);
	if (fclose(input.new_file) < 0)
		err(STATUS_FAILED, "couldn't close %s", input.new_name);
	if (*options.suffix) {
		backup = backup_name(input.name);
		if (rename(input.name, backup) < 0)
			err(STATUS_FAILED, "cannot rename %s", input.name);
		free(backup);
	}
	if (rename(input.new_name, input.name) < 0)
		err(STATUS_FAILED, "cannot rename %s", input.new_name);
	free(input.new_name);
	input.new_file = NULL;
}

/* sed goes on; output that is earlier comes first. */
static void cannot_read(void)
{
	fflush(stdout);
	warn("can't read %s", input.name);
	input.status = STATUS_INPUT;
}

/* With -i only plain files will do. */
static void check_file(void)
{
	struct stat st;

	if (!options.suffix)
		return;
	if (fstat(fileno(input.file), &st) < 0 || !S_ISREG(st.st_mode))
		errx(STATUS_FAILED, "couldn't edit %s: not a regular file",
		     input.name);
	begin_editing(&st);
}

static void close_file(void)
{
	if (input.file != stdin)
		fclose(input.file);
	input.file = NULL;
	end_editing();
}

static bool open_next(void)
{
	while (*input.files) {
		input.name = *input.files++;
		input.file = strcmp(input.name, "-") || options.suffix ?
			     fopen(input.name, "r") : stdin;
		if (input.file) {
			check_file();
			return true;
		}
		cannot_read();
	}
	return false;
}

/* Reads the line ahead, of the file that is open. */
static bool read_ahead(void)
{
	if (input.length < 0 && input.file) {
		if (options.unbuffered)
			fflush(stdout);
		input.length = getdelim(&input.line, &input.size,
					options.newline, input.file);
		if (input.length < 0 && ferror(input.file)) {
			fflush(stdout);
			err(STATUS_FAILED, "read error on %s", input.name);
		}
	}
	return input.length >= 0;
}

/* Reads on in other files. */
static bool read_further(void)
{
	while (!read_ahead()) {
		if (input.file)
			close_file();
		if (!open_next())
			return false;
		if (!options.separate)
			continue;
		line_number = 0;
		for (struct command *c = input.script; c; c = c->next)
			range_reset(&c->range);
	}
	return true;
}

bool at_end(void)
{
	return options.separate ? !read_ahead() : !read_further();
}

bool next_line(bool add)
{
	if (!read_further())
		return false;
	space.newline = input.line[input.length - 1] == options.newline;
	if (add)
		text_append_char(&space, options.newline);
	else
		space.length = 0;
	text_append(&space, input.line, input.length - space.newline);
	input.length = -1;
	input.name_of_line = input.name;
	line_number++;
	return true;
}

const char *input_name(void)
{
	return input.name_of_line;
}

void open_input(char **files, struct command *script)
{
	input.files = files;
	input.script = script;
	output = open_output(NULL);
	text_append(&hold, "", 0);
}

int close_input(void)
{
	if (input.file)
		close_file();
	return input.status;
}
