/* SPDX-License-Identifier: GPL-2.0-only */
/* What insmod, rmmod, lsmod and modprobe have in common. */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <kmod.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void kmod_error(const char *format, ...)
{
	va_list args;

	fprintf(stderr, "%s: ERROR: ", program_name);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputs("\n", stderr);
}

const char *module_strerror(int error)
{
	switch (error) {
	case ENOEXEC:
		return "Invalid module format";
	case ENOENT:
		return "Unknown symbol in module";
	case ESRCH:
		return "Module has wrong symbol version";
	case EINVAL:
		return "Invalid parameters";
	default:
		return strerror(error);
	}
}

char *join_arguments(char *const *arguments)
{
	size_t size = 1, at = 0;
	char *joined;
	int i;

	for (i = 0; arguments[i]; i++)
		size += strlen(arguments[i]) + 1;
	joined = xmalloc(size);
	joined[0] = '\0';
	for (i = 0; arguments[i]; i++)
		at += snprintf(joined + at, size - at, "%s%s", i ? " " : "",
			       arguments[i]);
	return joined;
}

int load_module_file(const char *path, const char *parameters)
{
	int fd = open(path, O_RDONLY), result, error;

	if (fd < 0)
		return -1;
	result = finit_module(fd, parameters, 0);
	error = errno;
	close(fd);
	errno = error;
	return result;
}

void module_name_of(const char *path, char name[MODULE_NAME_MAX])
{
	const char *slash = strrchr(path, '/');
	size_t i;

	if (slash)
		path = slash + 1;
	for (i = 0; path[i] && strcmp(path + i, ".ko") &&
		    i < MODULE_NAME_MAX - 1; i++)
		name[i] = path[i] == '-' ? '_' : path[i];
	name[i] = '\0';
}

static void copy_word(char *to, size_t size, const char *from)
{
	snprintf(to, size, "%s", from ? from : "");
}

static unsigned long hexadecimal(const char *text)
{
	unsigned long value = 0;

	for (text += 2; *text; text++)
		value = value << 4 | (*text <= '9' ? *text - '0' :
				      (*text | 0x20) - 'a' + 10);
	return value;
}

/* NAME SIZE REFCOUNT USERS, STATE ADDRESS */
static void parse_line(char *line, struct module_state *state)
{
	char *words[6] = {}, *rest = line;
	size_t i, length;

	for (i = 0; i < 6 && rest; i++)
		words[i] = strsep(&rest, " \n");
	copy_word(state->name, sizeof(state->name), words[0]);
	state->size = words[1] ? parse_number(words[1]) : 0;
	state->refcount = words[2] ? parse_number(words[2]) : 0;
	copy_word(state->users, sizeof(state->users),
		  words[3] && strcmp(words[3], "-") ? words[3] : "");
	length = strlen(state->users);
	if (length && state->users[length - 1] == ',')
		state->users[length - 1] = '\0';
	copy_word(state->state, sizeof(state->state), words[4]);
	state->address = words[5] && strlen(words[5]) > 2 ?
			 hexadecimal(words[5]) : 0;
}

int for_each_module(int (*function)(const struct module_state *state,
				    void *data), void *data)
{
	FILE *f = fopen("/proc/modules", "r");
	struct module_state state;
	char *line = NULL;
	size_t size = 0;

	if (!f)
		return -1;
	while (getline(&line, &size, f) > 0) {
		parse_line(line, &state);
		if (function(&state, data))
			break;
	}
	free(line);
	fclose(f);
	return 0;
}

struct search {
	const char *name;
	struct module_state *state;
	int found;
};

static int compare(const struct module_state *state, void *data)
{
	struct search *search = data;

	if (strcmp(state->name, search->name))
		return 0;
	search->found = 1;
	if (search->state)
		*search->state = *state;
	return 1;
}

int find_loaded_module(const char *name, struct module_state *state)
{
	struct search search = { .name = name, .state = state };

	if (for_each_module(compare, &search) < 0)
		return -1;
	return search.found;
}
