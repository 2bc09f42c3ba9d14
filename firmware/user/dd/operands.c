/* SPDX-License-Identifier: GPL-2.0-only */
/* dd's operands: NAME=VALUE. */
#include <err.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "dd.h"

#define COUNT_OF(array)	(sizeof(array) / sizeof(*(array)))

static const struct {
	const char *suffix;
	long factor;
} suffixes[] = {
	{ "", 1 }, { "c", 1 }, { "w", 2 }, { "b", 512 },
	{ "kB", 1000 }, { "KB", 1000 }, { "K", 1024 }, { "k", 1024 },
	{ "KiB", 1024 }, { "MB", 1000000 }, { "M", 1 << 20 },
	{ "MiB", 1 << 20 }, { "GB", 1000000000 }, { "G", 1 << 30 },
	{ "GiB", 1 << 30 },
};

static void invalid_number(const char *text)
{
	errx(1, "invalid number: '%s'", text);
}

/* A number with a suffix, or several joined by x: their product. */
static long parse_number_of(const char *text)
{
	char *copy = xstrdup(text), *word = copy, *rest, *end;
	long product = 1, value;
	size_t i;

	do {
		rest = strchr(word, 'x');
		if (rest)
			*rest++ = '\0';
		errno = 0;
		value = strtol(word, &end, 10);
		for (i = 0; i < COUNT_OF(suffixes); i++)
			if (!strcmp(end, suffixes[i].suffix))
				break;
		if (end == word || value < 0 || errno ||
		    i == COUNT_OF(suffixes) ||
		    __builtin_mul_overflow(value, suffixes[i].factor, &value) ||
		    __builtin_mul_overflow(product, value, &product))
			invalid_number(text);
		word = rest;
	} while (word);
	free(copy);
	return product;
}

static long parse_block_size(const char *text)
{
	long size = parse_number_of(text);

	if (size == 0 || size > 1 << 30)
		invalid_number(text);
	return size;
}

static void parse_conversions(struct request *r, char *list)
{
	const struct {
		const char *name;
		bool *flag;
	} known[] = {
		{ "notrunc", &r->notrunc }, { "fsync", &r->sync_data },
		{ "fdatasync", &r->sync_data }, { "sync", &r->pad },
		{ "noerror", &r->noerror }, { "excl", &r->excl },
		{ "nocreat", &r->nocreat },
	};
	char *next;
	size_t i;

	for (; list; list = next) {
		next = strchr(list, ',');
		if (next)
			*next++ = '\0';
		for (i = 0; i < COUNT_OF(known); i++)
			if (!strcmp(list, known[i].name))
				break;
		if (i == COUNT_OF(known))
			errx(1, "invalid conversion: '%s'", list);
		*known[i].flag = true;
	}
}

static void parse_status(struct request *r, const char *level)
{
	r->quiet = !strcmp(level, "none");
	r->no_transfer = !strcmp(level, "noxfer");
	if (!r->quiet && !r->no_transfer)
		errx(1, "invalid status level: '%s'", level);
}

void parse_operand(struct request *r, char *word)
{
	char *value = strchr(word, '=');

	if (!value)
		errx(1, "unrecognized operand '%s'", word);
	*value++ = '\0';
	if (!strcmp(word, "if")) {
		r->input = value;
	} else if (!strcmp(word, "of")) {
		r->output = value;
	} else if (!strcmp(word, "bs")) {
		r->in_size = r->out_size = parse_block_size(value);
		r->one_size = true;
	} else if (!strcmp(word, "ibs")) {
		r->in_size = parse_block_size(value);
	} else if (!strcmp(word, "obs")) {
		r->out_size = parse_block_size(value);
	} else if (!strcmp(word, "count")) {
		r->count = parse_number_of(value);
	} else if (!strcmp(word, "skip")) {
		r->skip = parse_number_of(value);
	} else if (!strcmp(word, "seek")) {
		r->seek = parse_number_of(value);
	} else if (!strcmp(word, "conv")) {
		parse_conversions(r, value);
	} else if (!strcmp(word, "status")) {
		parse_status(r, value);
	} else {
		value[-1] = '=';
		errx(1, "unrecognized operand '%s'", word);
	}
}
