/* SPDX-License-Identifier: GPL-2.0-only */
/* modinfo [-F FIELD] MODULE...: what modules, by file or name, say of themselves. */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <kmod.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Of a 64-bit ELF file: its header's and a section header's fields. */
#define E_SHOFF		40
#define E_SHNUM		60
#define E_SHSTRNDX	62
#define SH_OFFSET	24
#define SH_SIZE		32
#define EHDR_SIZE	64
#define SHDR_SIZE	64

static const unsigned char *file;
static size_t file_size;

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define SKIPPED(bytes)	(sizeof(uint64_t) - (bytes))
#else
#define SKIPPED(bytes)	0
#endif

static uint64_t get(size_t at, size_t bytes)
{
	uint64_t value = 0;

	if (at > file_size || bytes > file_size - at)
		return 0;
	memcpy((char *)&value + SKIPPED(bytes), file + at, bytes);
	return value;
}

/* The section of a name; NULL if there is none. */
static const char *find_section(const char *name, size_t *size)
{
	uint64_t headers = get(E_SHOFF, 8), strings, offset;
	unsigned int i, count = get(E_SHNUM, 2);
	size_t header, length = strlen(name) + 1;

	if (headers > file_size)
		return NULL;
	strings = get(headers + SHDR_SIZE * get(E_SHSTRNDX, 2) + SH_OFFSET, 8);
	for (i = 0; i < count; i++) {
		header = headers + SHDR_SIZE * i;
		offset = strings + get(header, 4);
		if (offset > file_size || length > file_size - offset ||
		    memcmp(file + offset, name, length))
			continue;
		offset = get(header + SH_OFFSET, 8);
		*size = get(header + SH_SIZE, 8);
		if (offset > file_size || *size > file_size - offset)
			return NULL;
		return (const char *)file + offset;
	}
	return NULL;
}

/* The text behind "tag=name:", and without @name behind "tag=". */
static const char *find_text(const char *info, const char *end,
			     const char *tag, const char *name, size_t length)
{
	size_t size = strlen(tag);

	for (; info < end; info += strlen(info) + 1)
		if (!strncmp(info, tag, size) && info[size] == '=' &&
		    !strncmp(info + size + 1, name, length) &&
		    info[size + 1 + length] == ':')
			return info + size + 1 + length + 1;
	return NULL;
}

static void show_line(const char *tag, size_t length, const char *text,
		      const char *type)
{
	printf("%.*s:%*s%s%s%s%s\n", (int)length, tag,
	       length < 15 ? (int)(15 - length) : 1, "", text, type ? " (" : "",
	       type ? type : "", type ? ")" : "");
}

/*
 * Each is "tag=text", and the last one has its end; with @field only the texts
 * of that tag. A parameter's type goes with its description.
 */
static void show(const char *info, const char *end, const char *field)
{
	const char *p, *equals, *colon, *type;

	for (p = info; p < end; p += strlen(p) + 1) {
		equals = strchr(p, '=');
		if (!equals)
			continue;
		if (field) {
			if (strlen(field) == (size_t)(equals - p) &&
			    !memcmp(p, field, equals - p))
				puts(equals + 1);
			continue;
		}
		colon = strchr(equals, ':');
		type = NULL;
		if (colon && !strncmp(p, "parm=", 5))
			type = find_text(info, end, "parmtype", equals + 1,
					 colon - equals - 1);
		if (colon && !strncmp(p, "parmtype=", 9) &&
		    find_text(info, end, "parm", equals + 1,
			      colon - equals - 1))
			continue;
		show_line(p, equals - p, equals + 1, type);
	}
}

static int modinfo(const char *name, const char *field)
{
	char path[256];
	struct stat st;
	const char *info;
	size_t size;
	int fd;

	snprintf(path, sizeof(path), strchr(name, '/') || strchr(name, '.') ?
		 "%s" : MODULES_DIR "/%s.ko", name);
	fd = open(path, O_RDONLY);
	if (fd < 0 || fstat(fd, &st) < 0) {
		kmod_error("Module %s not found.", name);
		return 1;
	}
	file_size = st.st_size;
	file = xmalloc(file_size + 1);
	info = read(fd, (void *)file, file_size) == (ssize_t)file_size &&
	       file_size >= EHDR_SIZE ? find_section(".modinfo", &size) : NULL;
	close(fd);
	if (!info) {
		kmod_error("could not get modinfo from '%s': Invalid argument",
			   path);
	} else if (!field || !strcmp(field, "filename")) {
		printf(field ? "%s\n" : "filename:       %s\n", path);
	}
	if (info && size && !info[size - 1])
		show(info, info + size, field);
	free((void *)file);
	return !info;
}

int main(int argc, char **argv)
{
	const char *field = NULL;
	int option, failed = 0;

	while ((option = getopt(argc, argv, "F:")) != -1) {
		if (option != 'F')
			return 1;
		field = optarg;
	}
	if (optind == argc) {
		kmod_error("missing module or filename.");
		return 1;
	}
	for (; optind < argc; optind++)
		failed |= modinfo(argv[optind], field);
	return failed;
}
