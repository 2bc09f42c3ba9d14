/* SPDX-License-Identifier: GPL-2.0-only */
/* What sed writes: lines, and what waits for the end of a cycle. */
#include <ctype.h>
#include <err.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sed.h"

struct output {
	char *path;		/* NULL: somebody else's */
	FILE *stream;
	bool unended;		/* a newline is due once something follows */
	struct output *next;
};

static struct output *outputs;

struct output *output;

struct output *stream_output(FILE *stream)
{
	struct output *new = calloc(1, sizeof(*new));

	new->stream = stream;
	return new;
}

static struct output *standard_output(void)
{
	static struct output *standard;

	if (!standard)
		standard = stream_output(stdout);
	return standard;
}

struct output *open_output(const char *path)
{
	struct output *new = outputs;

	if (!path || !strcmp(path, "/dev/stdout"))
		return standard_output();
	while (new && strcmp(new->path, path))
		new = new->next;
	if (new)
		return new;
	new = stream_output(strcmp(path, "/dev/stderr") ? fopen(path, "w") :
							  stderr);
	if (!new->stream)
		err(STATUS_FAILED, "couldn't open file %s", path);
	new->path = xstrdup(path);
	new->next = outputs;
	outputs = new;
	return new;
}

void put_bytes(struct output *to, const char *bytes, size_t length)
{
	if (to->unended)
		fputc(options.newline, to->stream);
	to->unended = false;
	fwrite(bytes, 1, length, to->stream);
}

void put_line(struct output *to, const char *line, size_t length, bool newline)
{
	put_bytes(to, line, length);
	if (newline)
		fputc(options.newline, to->stream);
	to->unended = !newline;
}

/* How the l command shows a byte. */
static void show_byte(unsigned char c, char text[5])
{
	static const char meant[] = "\\\a\b\f\n\r\t\v", letters[] = "\\abfnrtv";
	const char *at = c ? strchr(meant, c) : NULL;

	if (at)
		sprintf(text, "\\%c", letters[at - meant]);
	else
		sprintf(text, isprint(c) ? "%c" : "\\%03o", c);
}

void put_listed(struct output *to, const struct text *line, long width)
{
	long column = 0;
	char text[5];

	for (size_t i = 0; i < line->length; i++) {
		show_byte(line->bytes[i], text);
		if (width > 0 && column + (long)strlen(text) > width - 1) {
			put_bytes(to, "\\\n", 2);
			column = 0;
		}
		put_bytes(to, text, strlen(text));
		column += strlen(text);
	}
	put_bytes(to, "$\n", 2);
}

/* What a and r have asked for. */
struct queued {
	const struct text *text;	/* NULL: the file */
	const char *path;
	struct queued *next;
};

static struct queued *queue, **queue_end = &queue;

static void enqueue(const struct text *text, const char *path)
{
	struct queued *new = xmalloc(sizeof(*new));

	*new = (struct queued){ text, path, NULL };
	*queue_end = new;
	queue_end = &new->next;
}

void queue_text(const struct text *text)
{
	enqueue(text, NULL);
}

void queue_file(const char *path)
{
	enqueue(NULL, path);
}

/* A file that is missing is as if it were empty. */
static void put_file(const char *path)
{
	FILE *f = fopen(path, "r");
	char data[BUFSIZ];
	size_t got;

	if (!f)
		return;
	while ((got = fread(data, 1, sizeof(data), f)) > 0)
		put_bytes(output, data, got);
	fclose(f);
}

void write_queue(void)
{
	while (queue) {
		struct queued *next = queue->next;

		if (queue->text)
			put_bytes(output, queue->text->bytes,
				  queue->text->length);
		else
			put_file(queue->path);
		free(queue);
		queue = next;
	}
	queue_end = &queue;
}

void finish_output(void)
{
	if (fflush(stdout) < 0)
		err(STATUS_FAILED, "couldn't flush stdout");
	for (struct output *o = outputs; o; o = o->next)
		if (fflush(o->stream) < 0 || ferror(o->stream))
			err(STATUS_FAILED, "couldn't flush %s", o->path);
}
