/* SPDX-License-Identifier: GPL-2.0-only */
/* Buffered streams and formatted output. */
#ifndef STDIO_H
#define STDIO_H

#include <stdarg.h>
#include <stddef.h>
#include <sys/types.h>

#define EOF	(-1)
#define BUFSIZ	4096

typedef struct file FILE;

extern FILE *const stdin;
extern FILE *const stdout;	/* written when full and at the end */
extern FILE *const stderr;	/* written by each call */

/* Modes: "r", "w", "a". */
FILE *fdopen(int fd, const char *mode);
FILE *fopen(const char *path, const char *mode);
int fclose(FILE *f);
int fflush(FILE *f);
int ferror(FILE *f);
/* Flushes; EOF and its errno if anything written so far has failed. */
int finish_stream(FILE *f);
void clearerr(FILE *f);
int fileno(const FILE *f);
int fgetc(FILE *f);
#define getc(f)		fgetc(f)
#define putchar(c)	fputc(c, stdout)
char *fgets(char *line, int size, FILE *f);
size_t fread(void *data, size_t size, size_t count, FILE *f);
int rename(const char *from, const char *to);
int fputc(int c, FILE *f);
int fputs(const char *s, FILE *f);
size_t fwrite(const void *data, size_t size, size_t count, FILE *f);
int puts(const char *s);
/* Up to and with the delimiter. */
ssize_t getdelim(char **line, size_t *size, int delimiter, FILE *f);
/* One line with its newline, in *line of *size bytes, grown as needed. */
ssize_t getline(char **line, size_t *size, FILE *f);

#define PRINTF(text, first) \
	__attribute__((format(printf, text, first)))

int printf(const char *format, ...) PRINTF(1, 2);
int fprintf(FILE *f, const char *format, ...) PRINTF(2, 3);
int snprintf(char *to, size_t size, const char *format, ...) PRINTF(3, 4);
int vprintf(const char *format, va_list args);
int sprintf(char *to, const char *format, ...) PRINTF(2, 3);
int vfprintf(FILE *f, const char *format, va_list args);
int vsnprintf(char *to, size_t size, const char *format, va_list args);

#endif
