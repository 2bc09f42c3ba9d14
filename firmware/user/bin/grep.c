/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * grep [-EFGivcnlLqoswxhHr] [-m COUNT] [-A|-B|-C LINES] [-e] PATTERN [FILE]...:
 * prints the lines that match. Status 0 if some did, 1 if none, 2 on an error.
 */
#include <dirent.h>
#include <err.h>
#include <errno.h>
#include <files.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* One line of what -e and -f gave. */
struct pattern {
	char *text;
	struct regex *regex;
	struct pattern *next;
};

static struct pattern *patterns;
static bool patterns_given;		/* by an option; it may be none */
static bool fixed, invert, count_only, numbers, names_only, names_without,
	quiet, only_matching, silent, words, whole_lines, recursive;
static int regex_flags;
static int names = -1;			/* -1: if there are several files */
static long max_count = -1, before, after;

static bool selected_any, failed;

static void add_patterns(const char *text)
{
	struct pattern **last = &patterns;

	while (*last)
		last = &(*last)->next;
	for (;;) {
		size_t length = strcspn(text, "\n");
		struct pattern *pattern = xmalloc(sizeof(*pattern));

		pattern->text = strndup(text, length);
		pattern->regex = NULL;
		pattern->next = NULL;
		*last = pattern;
		last = &pattern->next;
		if (!text[length])
			return;
		text += length + 1;
	}
}

static void add_pattern_file(const char *path)
{
	FILE *f = strcmp(path, "-") ? fopen(path, "r") : stdin;
	char *line = NULL;
	size_t size = 0;
	ssize_t length;

	if (!f)
		err(2, "%s", path);
	while ((length = getline(&line, &size, f)) > 0) {
		if (line[length - 1] == '\n')
			line[length - 1] = '\0';
		add_patterns(line);
	}
	free(line);
	if (f != stdin)
		fclose(f);
}

/* A string as an expression that matches just it. */
static char *quoted(const char *text)
{
	char *result = xmalloc(2 * strlen(text) + 1);
	char *to = result;

	for (; *text; text++) {
		if (strchr("\\.[]*^$", *text))
			*to++ = '\\';
		*to++ = *text;
	}
	*to = '\0';
	return result;
}

static void compile(void)
{
	for (struct pattern *p = patterns; p; p = p->next) {
		const char *error;

		p->regex = regex_compile(fixed ? quoted(p->text) : p->text,
					 regex_flags, &error);
		if (!p->regex)
			errx(2, "%s", error);
	}
}

static bool is_word(char c)
{
	return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
	       (c >= 'A' && c <= 'Z');
}

static bool acceptable(const char *line, size_t length,
		       const struct match *match)
{
	if (whole_lines)
		return match->start == 0 && match->end == length;
	if (!words)
		return true;
	return (match->start == 0 || !is_word(line[match->start - 1])) &&
	       (match->end == length || !is_word(line[match->end]));
}

/* The first match at from or later, of any pattern; the longest there. */
static bool find(const char *line, size_t length, size_t from,
		 struct match *found)
{
	bool any = false;

	for (struct pattern *p = patterns; p; p = p->next) {
		struct match matches[REGEX_GROUPS];
		size_t at = from;

		while (at <= length &&
		       regex_search(p->regex, line, length, at, matches)) {
			if (acceptable(line, length, matches)) {
				if (!any || matches->start < found->start ||
				    (matches->start == found->start &&
				     matches->end > found->end))
					*found = *matches;
				any = true;
				break;
			}
			at = matches->start + 1;
		}
		if (any && !only_matching)
			break;
	}
	return any;
}

static void print_prefix(const char *name, unsigned long number, char mark)
{
	if (names > 0)
		printf("%s%c", name, mark);
	if (numbers)
		printf("%lu%c", number, mark);
}

static void print_line(const char *name, unsigned long number, char mark,
		       const char *line, size_t length)
{
	print_prefix(name, number, mark);
	fwrite(line, 1, length, stdout);
	fputc('\n', stdout);
}

static void print_matches(const char *name, unsigned long number,
			  const char *line, size_t length)
{
	struct match match;
	size_t at = 0;

	while (at <= length && find(line, length, at, &match)) {
		if (match.end > match.start)
			print_line(name, number, ':', line + match.start,
				   match.end - match.start);
		at = match.end > match.start ? match.end : match.end + 1;
	}
}

/* The lines before a match that are not printed yet, for -B. */
struct history {
	char **lines;
	unsigned long first;		/* the number of the oldest */
	long count;
};

static void remember(struct history *history, unsigned long number,
		     const char *line, size_t length)
{
	if (before == 0)
		return;
	if (!history->lines)
		history->lines = calloc(before, sizeof(*history->lines));
	if (history->count == before) {
		free(history->lines[0]);
		memmove(history->lines, history->lines + 1,
			(before - 1) * sizeof(*history->lines));
		history->count--;
	}
	history->lines[history->count++] = strndup(line, length);
	history->first = number - history->count + 1;
}

static void print_history(struct history *history, const char *name)
{
	for (long i = 0; i < history->count; i++) {
		print_line(name, history->first + i, '-', history->lines[i],
			   strlen(history->lines[i]));
		free(history->lines[i]);
	}
	history->count = 0;
}

/* Returns how many lines were selected. */
static unsigned long search_stream(FILE *f, const char *name)
{
	bool printing = !quiet && !count_only && !names_only && !names_without;
	static bool printed;
	struct history history = { .count = 0 };
	unsigned long number = 0, selected = 0, last = 0;
	char *line = NULL;
	size_t size = 0;
	ssize_t length;
	long trailing = 0;

	while ((length = getline(&line, &size, f)) > 0) {
		struct match match;

		number++;
		length -= line[length - 1] == '\n';
		if (find(line, length, 0, &match) == invert ||
		    (max_count >= 0 && selected >= (unsigned long)max_count)) {
			if (trailing > 0 && printing) {
				trailing--;
				last = number;
				print_line(name, number, '-', line, length);
			} else if (max_count >= 0 &&
				   selected >= (unsigned long)max_count) {
				break;
			} else {
				remember(&history, number, line, length);
			}
			continue;
		}
		selected++;
		if (quiet || names_only || names_without)
			break;
		if (!printing)
			continue;
		if ((before || after) && printed &&
		    number - history.count != last + 1)
			puts("--");
		print_history(&history, name);
		if (!only_matching)
			print_line(name, number, ':', line, length);
		else if (!invert)
			print_matches(name, number, line, length);
		printed = true;
		last = number;
		trailing = after;
	}
	free(line);
	return selected;
}

static void search_file(const char *path);

static void complain(const char *path)
{
	failed = true;
	if (!silent)
		warn("%s", path);
}

static void search_folder(const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *entry;

	if (!dir) {
		complain(path);
		return;
	}
	while ((entry = readdir(dir))) {
		char *inner;

		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		inner = path_join(path, entry->d_name);
		search_file(inner);
		free(inner);
	}
	closedir(dir);
}

static void report(const char *name, unsigned long selected)
{
	if (selected && !names_without)
		selected_any = true;
	if (quiet)
		return;
	if (names_only || names_without) {
		if (names_without && !selected)
			selected_any = true;
		if (!selected == names_without)
			puts(name);
	} else if (count_only) {
		if (names > 0)
			printf("%s:", name);
		printf("%lu\n", selected);
	}
}

static void search_file(const char *path)
{
	bool standard = !strcmp(path, "-");
	const char *name = standard ? "(standard input)" : path;
	struct stat st;
	FILE *f = stdin;

	if (!standard && stat(path, &st) == 0 && S_ISDIR(st.st_mode)) {
		errno = EISDIR;
		if (recursive)
			search_folder(path);
		else
			complain(path);
		return;
	}
	if (!standard)
		f = fopen(path, "r");
	if (!f) {
		complain(path);
		return;
	}
	report(name, search_stream(f, name));
	if (ferror(f))
		complain(path);
	if (!standard)
		fclose(f);
}

static long number(const char *text)
{
	long value = parse_number(text);

	if (value < 0)
		errx(2, "%s: invalid context length argument", text);
	return value;
}

static void parse_option(int option)
{
	switch (option) {
	case 'E': regex_flags |= REGEX_EXTENDED; fixed = false; break;
	case 'F': fixed = true; regex_flags &= ~REGEX_EXTENDED; break;
	case 'G': regex_flags &= ~REGEX_EXTENDED; fixed = false; break;
	case 'i':
	case 'y': regex_flags |= REGEX_ICASE; break;
	case 'v': invert = true; break;
	case 'c': count_only = true; break;
	case 'n': numbers = true; break;
	case 'l': names_only = true; break;
	case 'L': names_without = true; break;
	case 'q': quiet = true; break;
	case 'o': only_matching = true; break;
	case 's': silent = true; break;
	case 'w': words = true; break;
	case 'x': whole_lines = true; break;
	case 'h': names = 0; break;
	case 'H': names = 1; break;
	case 'r':
	case 'R': recursive = true; break;
	case 'm': max_count = number(optarg); break;
	case 'A': after = number(optarg); break;
	case 'B': before = number(optarg); break;
	case 'C': before = after = number(optarg); break;
	case 'e':
		add_patterns(optarg);
		patterns_given = true;
		break;
	case 'f':
		add_pattern_file(optarg);
		patterns_given = true;
		break;
	default:
		errx(2, "usage: grep [OPTION]... PATTERN [FILE]...");
	}
}

int main(int argc, char **argv)
{
	static char *here[] = { ".", NULL }, *standard[] = { "-", NULL };
	int option;

	while ((option = getopt(argc, argv,
				"EFGiyvcnlLqoswxhHrRm:A:B:C:e:f:")) >= 0)
		parse_option(option);
	if (!patterns_given) {
		if (optind == argc)
			errx(2, "usage: grep [OPTION]... PATTERN [FILE]...");
		add_patterns(argv[optind++]);
	}
	compile();
	argv += optind;
	if (names < 0)
		names = recursive || argc - optind > 1;
	if (!*argv)
		argv = recursive ? here : standard;
	for (; *argv && !(quiet && selected_any); argv++)
		search_file(*argv);
	if (quiet && selected_any)
		return 0;
	return failed ? 2 : !selected_any;
}
