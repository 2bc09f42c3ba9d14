/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * grep [-EFGaivcnlLqoswxhHrb] [-m COUNT] [-A|-B|-C LINES] [--include=GLOB]
 * [--exclude=GLOB] [--line-buffered] [-e] PATTERN [FILE]...: prints the lines that
 * match. Status 0 if some did, 1 if none, 2 on an error.
 */
#include <dirent.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <files.h>
#include <fnmatch.h>
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
	quiet, only_matching, silent, words, whole_lines, recursive, offsets,
	line_buffered;
static const char *included, *excluded;	/* files of a folder, by name */
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

/* With -w, what is no word may begin with one: a shorter match. */
static bool shorten(const struct regex *regex, const char *line, size_t length,
		    struct match *match)
{
	struct match matches[REGEX_GROUPS];

	for (size_t end = match->end; words && end-- > match->start;) {
		if (!regex_search(regex, line, end, match->start, matches) ||
		    matches->start != match->start)
			continue;
		if (acceptable(line, length, matches)) {
			*match = *matches;
			return true;
		}
	}
	return false;
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
			if (acceptable(line, length, matches) ||
			    shorten(p->regex, line, length, matches)) {
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

/* Where a line is, or a match in it. */
struct place {
	const char *name;
	unsigned long number;
	unsigned long offset;		/* in bytes */
};

static void print_line(const struct place *place, char mark, const char *line,
		       size_t length)
{
	if (names > 0)
		printf("%s%c", place->name, mark);
	if (numbers)
		printf("%lu%c", place->number, mark);
	if (offsets)
		printf("%lu%c", place->offset, mark);
	fwrite(line, 1, length, stdout);
	fputc('\n', stdout);
	if (line_buffered)
		fflush(stdout);
}

static void print_matches(const struct place *place, const char *line,
			  size_t length)
{
	struct place inner = *place;
	struct match match;
	size_t at = 0;

	while (at <= length && find(line, length, at, &match)) {
		inner.offset = place->offset + match.start;
		if (match.end > match.start)
			print_line(&inner, ':', line + match.start,
				   match.end - match.start);
		at = match.end > match.start ? match.end : match.end + 1;
	}
}

/* The lines before a match that are not printed yet, for -B. */
struct history {
	struct old_line {
		struct place place;
		char *text;
		size_t length;
	} *lines;
	long count;
};

static void remember(struct history *history, const struct place *place,
		     const char *line, size_t length)
{
	if (before == 0)
		return;
	if (!history->lines)
		history->lines = calloc(before, sizeof(*history->lines));
	if (history->count == before) {
		free(history->lines[0].text);
		memmove(history->lines, history->lines + 1,
			(before - 1) * sizeof(*history->lines));
		history->count--;
	}
	history->lines[history->count++] = (struct old_line) {
		*place, strndup(line, length), length
	};
}

static void print_history(struct history *history)
{
	for (long i = 0; i < history->count; i++) {
		const struct old_line *line = history->lines + i;

		if (!only_matching)
			print_line(&line->place, '-', line->text, line->length);
		free(line->text);
	}
	history->count = 0;
}

/* Returns how many lines were selected. */
static unsigned long search_stream(FILE *f, const char *name)
{
	bool printing = !quiet && !count_only && !names_only && !names_without;
	static bool printed;
	struct history history = { .count = 0 };
	struct place place = { .name = name };
	unsigned long selected = 0, last = 0;
	char *line = NULL;
	size_t size = 0;
	ssize_t length, read;
	long trailing = 0;

	for (; (length = getline(&line, &size, f)) > 0; place.offset += read) {
		struct match match;

		place.number++;
		read = length;
		length -= line[length - 1] == '\n';
		if (find(line, length, 0, &match) == invert ||
		    (max_count >= 0 && selected >= (unsigned long)max_count)) {
			if (trailing > 0 && printing) {
				trailing--;
				last = place.number;
				if (!only_matching)
					print_line(&place, '-', line, length);
			} else if (max_count >= 0 &&
				   selected >= (unsigned long)max_count) {
				break;
			} else {
				remember(&history, &place, line, length);
			}
			continue;
		}
		selected++;
		if (quiet || names_only || names_without)
			break;
		if (!printing)
			continue;
		if ((before || after) && printed &&
		    (!last || place.number - history.count != last + 1))
			puts("--");
		print_history(&history);
		if (!only_matching)
			print_line(&place, ':', line, length);
		else if (!invert)
			print_matches(&place, line, length);
		printed = true;
		last = place.number;
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

static bool is_wanted(const char *name)
{
	return (!included || fnmatch(included, name, 0) == 0) &&
	       (!excluded || fnmatch(excluded, name, 0) != 0);
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
		if (entry->d_type != DT_DIR && !is_wanted(entry->d_name))
			continue;
		inner = path_join(path, entry->d_name);
		search_file(inner);
		free(inner);
	}
	closedir(dir);
}

static void report(const char *name, unsigned long selected)
{
	if (selected)
		selected_any = true;
	if (quiet)
		return;
	if (names_only || names_without) {
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

/* What is asked for by a long name only. */
enum {
	INCLUDE = 1,
	EXCLUDE,
	LINE_BUFFERED,
	COLOR,
};

#define OPTIONS	"EFGabiyvcnlLqoswxhHrRm:A:B:C:e:f:\1:\2:\3\4::"

static const struct long_option long_names[] = {
	{ "extended-regexp", 'E' }, { "fixed-strings", 'F' },
	{ "basic-regexp", 'G' }, { "regexp", 'e' }, { "file", 'f' },
	{ "ignore-case", 'i' }, { "word-regexp", 'w' }, { "line-regexp", 'x' },
	{ "invert-match", 'v' }, { "no-messages", 's' }, { "count", 'c' },
	{ "max-count", 'm' }, { "byte-offset", 'b' }, { "line-number", 'n' },
	{ "with-filename", 'H' }, { "no-filename", 'h' },
	{ "only-matching", 'o' }, { "quiet", 'q' }, { "silent", 'q' },
	{ "text", 'a' }, { "recursive", 'r' },
	{ "files-with-matches", 'l' }, { "files-without-match", 'L' },
	{ "before-context", 'B' }, { "after-context", 'A' }, { "context", 'C' },
	{ "include", INCLUDE }, { "exclude", EXCLUDE },
	{ "line-buffered", LINE_BUFFERED }, { "color", COLOR },
	{ "colour", COLOR }, { NULL, 0 }
};

static void parse_option(int option)
{
	switch (option) {
	case 'E': regex_flags |= REGEX_EXTENDED; fixed = false; break;
	case 'F': fixed = true; regex_flags &= ~REGEX_EXTENDED; break;
	case 'G': regex_flags &= ~REGEX_EXTENDED; fixed = false; break;
	case 'i':
	case 'y': regex_flags |= REGEX_ICASE; break;
	case 'a': break;		/* all files are taken for text */
	case 'b': offsets = true; break;
	case 'v': invert = true; break;
	case 'c': count_only = true; break;
	case 'n': numbers = true; break;
	case 'l':
	case 'L':
		names_only = option == 'l';
		names_without = option == 'L';
		break;
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
	case INCLUDE: included = optarg; break;
	case EXCLUDE: excluded = optarg; break;
	case LINE_BUFFERED: line_buffered = true; break;
	case COLOR:
		if (optarg && strcmp(optarg, "auto") && strcmp(optarg, "never"))
			errx(2, "no colors: --color=%s", optarg);
		break;
	default:
		errx(2, "usage: grep [OPTION]... PATTERN [FILE]...");
	}
}

int main(int argc, char **argv)
{
	static char *here[] = { ".", NULL }, *standard[] = { "-", NULL };
	int option;

	while ((option = getopt_long(argc, argv, OPTIONS, long_names)) >= 0)
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
