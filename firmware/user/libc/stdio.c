/* SPDX-License-Identifier: GPL-2.0-only */
/* Streams: a descriptor and a buffer, to read or to write but not both. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "stream.h"

static char in_buffer[BUFSIZ], out_buffer[BUFSIZ];

static struct file in = {
	.fd = STDIN_FILENO, .buffer = in_buffer, .size = BUFSIZ
};
static struct file out = {
	.fd = STDOUT_FILENO, .buffer = out_buffer, .size = BUFSIZ
};
static struct file error = {
	.fd = STDERR_FILENO, .unbuffered = true
};

FILE *const stdin = &in;
FILE *const stdout = &out;
FILE *const stderr = &error;

FILE *fdopen(int fd, const char *mode)
{
	FILE *f = malloc(sizeof(*f) + BUFSIZ);

	(void)mode;
	if (!f)
		return NULL;
	memset(f, 0, sizeof(*f));
	f->buffer = (char *)(f + 1);
	f->size = BUFSIZ;
	f->fd = fd;
	return f;
}

FILE *fopen(const char *path, const char *mode)
{
	static const int how[] = {
		['r'] = O_RDONLY,
		['w'] = O_WRONLY | O_CREAT | O_TRUNC,
		['a'] = O_WRONLY | O_CREAT | O_APPEND,
	};
	FILE *f = fdopen(-1, mode);

	if (!f)
		return NULL;
	f->fd = open(path, how[(unsigned char)*mode], 0666);
	if (f->fd < 0) {
		free(f);
		return NULL;
	}
	return f;
}

int fclose(FILE *f)
{
	/* A stream that was read has nothing to write. */
	int result = f->length ? 0 : fflush(f);

	if (close(f->fd) < 0)
		result = EOF;
	free(f);
	return result;
}

static void note_error(FILE *f)
{
	if (!f->error)
		f->error = errno;
}

int fflush(FILE *f)
{
	size_t waiting = f->position;

	f->position = 0;
	if (waiting && write_all(f->fd, f->buffer, waiting) < 0) {
		note_error(f);
		return EOF;
	}
	return 0;
}

int finish_stream(FILE *f)
{
	fflush(f);
	errno = f->error;
	return f->error ? EOF : 0;
}

int ferror(FILE *f)
{
	return f->error != 0;
}

size_t fwrite(const void *data, size_t size, size_t count, FILE *f)
{
	const char *from = data;
	size_t left = size * count;

	if (f->unbuffered) {
		if (write_all(f->fd, data, left) == 0)
			return count;
		note_error(f);
		return 0;
	}
	while (left > 0) {
		size_t room = f->size - f->position;
		size_t now = left < room ? left : room;

		if (f->memory && room == 0)
			return 0;
		memcpy(f->buffer + f->position, from, now);
		f->position += now;
		from += now;
		left -= now;
		if (f->position == f->size && !f->memory && fflush(f) < 0)
			return 0;
	}
	return count;
}

int fputc(int c, FILE *f)
{
	char byte = c;

	return fwrite(&byte, 1, 1, f) == 1 ? c : EOF;
}

int fputs(const char *s, FILE *f)
{
	return fwrite(s, 1, strlen(s), f) == strlen(s) ? 0 : EOF;
}

int puts(const char *s)
{
	return fputs(s, stdout) < 0 ? EOF : fputc('\n', stdout);
}

/* Fills an empty buffer; false at the end of the file or on an error. */
static bool fill(FILE *f)
{
	ssize_t got = read(f->fd, f->buffer, f->size);

	f->ended = got == 0;
	f->position = 0;
	f->length = got > 0 ? got : 0;
	if (got < 0)
		note_error(f);
	return got > 0;
}

void clearerr(FILE *f)
{
	f->ended = false;
	f->error = 0;
}

int fileno(const FILE *f)
{
	return f->fd;
}

int fgetc(FILE *f)
{
	if (f->position == f->length && !fill(f))
		return EOF;
	return (unsigned char)f->buffer[f->position++];
}

char *fgets(char *line, int size, FILE *f)
{
	int length = 0;
	int c = 0;

	while (length < size - 1 && c != '\n' && (c = fgetc(f)) != EOF)
		line[length++] = c;
	line[length] = '\0';
	return length ? line : NULL;
}

size_t fread(void *data, size_t size, size_t count, FILE *f)
{
	size_t wanted = size * count, length = 0;

	while (length < wanted && (f->position < f->length || fill(f))) {
		size_t take = f->length - f->position;

		if (take > wanted - length)
			take = wanted - length;
		memcpy((char *)data + length, f->buffer + f->position, take);
		f->position += take;
		length += take;
	}
	return size ? length / size : 0;
}

ssize_t getline(char **line, size_t *size, FILE *f)
{
	return getdelim(line, size, '\n', f);
}

ssize_t getdelim(char **line, size_t *size, int delimiter, FILE *f)
{
	size_t length = 0;
	bool ended = false;

	while (!ended && (f->position < f->length || fill(f))) {
		char *from = f->buffer + f->position;
		size_t take = f->length - f->position;
		char *newline = memchr(from, delimiter, take);

		if (newline) {
			take = newline + 1 - from;
			ended = true;
		}
		if (length + take + 1 > *size) {
			char *bigger = realloc(*line, 2 * (length + take + 1));

			if (!bigger)
				return -1;
			*line = bigger;
			*size = 2 * (length + take + 1);
		}
		memcpy(*line + length, from, take);
		length += take;
		f->position += take;
	}
	if (length == 0)
		return -1;
	(*line)[length] = '\0';
	return length;
}
