/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * find [PATH]... [EXPRESSION]: -name -iname -path -type -size -empty -newer
 * -maxdepth -mindepth -depth -xdev -exec ... ; -exec ... + -print -print0 -delete
 * -prune -quit -true -false ! -a -o ( ).
 */
#include <ctype.h>
#include <dirent.h>
#include <err.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum kind {
	AND, OR, NOT, NAME, INAME, PATH, TYPE, SIZE, EMPTY, NEWER, EXEC, PRINT,
	PRINT0, DELETE, PRUNE, QUIT, TRUE, FALSE,
};

struct test {
	enum kind kind;
	const char *text;
	char **command;
	bool many;			/* -exec ... + */
	char **collected;
	size_t count;
	long number;
	char sign;
	unsigned long unit;
	struct stat than;
	struct test *left;
	struct test *right;
};

static char **at;
static bool acts, depth_first, one_device, pruned;
static long max_depth = 1L << 30, min_depth;
static dev_t device;
static int status;
static struct test *batches[16];
static int batch_count;

static struct test *parse_or(void);

static struct test *new_test(enum kind kind)
{
	struct test *test = calloc(1, sizeof(*test));

	if (!test)
		errx(1, "out of memory");
	test->kind = kind;
	return test;
}

static const char *argument(const char *of)
{
	if (!*at)
		errx(1, "missing argument to '%s'", of);
	return *at++;
}

static void parse_size(struct test *test, const char *text)
{
	char *end;

	test->sign = *text == '+' || *text == '-' ? *text : 0;
	test->number = strtol(text + !!test->sign, &end, 10);
	test->unit = *end == 'c' ? 1 : *end == 'k' ? 1024 :
		     *end == 'M' ? 1 << 20 : 512;
	if (end == text + !!test->sign || (*end && end[1]) ||
	    (*end && !strchr("bckM", *end)))
		errx(1, "invalid -size type '%s'", text);
}

static void parse_exec(struct test *test)
{
	test->command = at;
	for (; *at; at++) {
		bool plus = !strcmp(*at, "+") && at > test->command &&
			    !strcmp(at[-1], "{}");

		if (!plus && strcmp(*at, ";"))
			continue;
		test->many = plus;
		at[-plus] = NULL;
		*at++ = NULL;
		if (plus && batch_count < 16)
			batches[batch_count++] = test;
		if (*test->command)
			return;
		break;
	}
	errx(1, "missing argument to '-exec'");
}

static long depth_argument(const char *option)
{
	const char *text = argument(option);
	long value = parse_number(text);

	if (value < 0)
		errx(1, "Expected a positive decimal integer argument to %s, "
		     "but got '%s'", option, text);
	return value;
}

/* Options that hold for all; they count as true. */
static bool parse_global(const char *word)
{
	if (!strcmp(word, "-maxdepth"))
		max_depth = depth_argument(word);
	else if (!strcmp(word, "-mindepth"))
		min_depth = depth_argument(word);
	else if (!strcmp(word, "-depth"))
		depth_first = true;
	else if (!strcmp(word, "-xdev") || !strcmp(word, "-mount"))
		one_device = true;
	else
		return false;
	return true;
}

static struct test *parse_primary(void)
{
	static const struct {
		const char *word;
		enum kind kind;
	} words[] = {
		{ "-name", NAME }, { "-iname", INAME }, { "-path", PATH },
		{ "-type", TYPE }, { "-size", SIZE }, { "-empty", EMPTY },
		{ "-newer", NEWER }, { "-exec", EXEC }, { "-print", PRINT },
		{ "-print0", PRINT0 }, { "-delete", DELETE },
		{ "-prune", PRUNE }, { "-quit", QUIT }, { "-true", TRUE },
		{ "-false", FALSE }, { "!", NOT }, { "-not", NOT },
	};
	const char *word = *at++;
	struct test *test;
	size_t i = 0;

	if (!strcmp(word, "(")) {
		test = parse_or();
		if (!*at || strcmp(*at, ")"))
			errx(1, "invalid expression; expected to find a ')'");
		at++;
		return test;
	}
	if (parse_global(word))
		return new_test(TRUE);
	while (i < sizeof(words) / sizeof(*words) &&
	       strcmp(words[i].word, word))
		i++;
	if (i == sizeof(words) / sizeof(*words))
		errx(1, *word == '-' ? "unknown predicate '%s'" :
		     "paths must precede expression: '%s'", word);
	test = new_test(words[i].kind);
	switch (test->kind) {
	case NOT:
		if (!*at)
			errx(1, "expected an expression after '%s'", word);
		test->left = parse_primary();
		break;
	case TYPE:
		test->text = argument(word);
		if (strlen(test->text) != 1 || !strchr("fdlcbps", *test->text))
			errx(1, "Unknown argument to -type: %s", test->text);
		break;
	case NAME:
	case INAME:
	case PATH:
		test->text = argument(word);
		break;
	case SIZE:
		parse_size(test, argument(word));
		break;
	case NEWER:
		test->text = argument(word);
		if (stat(test->text, &test->than) < 0)
			err(1, "'%s'", test->text);
		break;
	case EXEC:
		parse_exec(test);
		acts = true;
		break;
	case DELETE:
		depth_first = true;
		acts = true;
		break;
	case PRINT:
	case PRINT0:
	case QUIT:
		acts |= test->kind != QUIT;
		break;
	default:
		break;
	}
	return test;
}

static struct test *parse_and(void)
{
	struct test *left = parse_primary();

	while (*at && strcmp(*at, ")") && strcmp(*at, "-o") &&
	       strcmp(*at, "-or")) {
		struct test *both;

		if ((!strcmp(*at, "-a") || !strcmp(*at, "-and")) && !*++at)
			errx(1, "expected an expression after '%s'", at[-1]);
		both = new_test(AND);
		both->left = left;
		both->right = parse_primary();
		left = both;
	}
	return left;
}

static struct test *parse_or(void)
{
	struct test *left = parse_and();

	while (*at && (!strcmp(*at, "-o") || !strcmp(*at, "-or"))) {
		struct test *either = new_test(OR);

		if (!*++at)
			errx(1, "expected an expression after '%s'", at[-1]);
		either->left = left;
		either->right = parse_and();
		left = either;
	}
	return left;
}

static bool is_empty(const char *path, const struct stat *st)
{
	struct dirent *entry;
	bool empty = true;
	DIR *dir;

	if (!S_ISDIR(st->st_mode))
		return S_ISREG(st->st_mode) && st->st_size == 0;
	dir = opendir(path);
	if (!dir)
		return false;
	while (empty && (entry = readdir(dir)))
		empty = !strcmp(entry->d_name, ".") ||
			!strcmp(entry->d_name, "..");
	closedir(dir);
	return empty;
}

static bool run(char **argv)
{
	int ended;
	pid_t pid;

	if (fflush(stdout) < 0)
		exit(1);
	pid = fork();
	if (pid < 0)
		err(1, "cannot fork");
	if (pid == 0) {
		execvp(argv[0], argv);
		warn("'%s'", argv[0]);
		_exit(1);
	}
	if (waitpid(pid, &ended, 0) < 0)
		err(1, "cannot wait");
	return ended == 0;
}

static bool execute(const struct test *test, const char *path)
{
	char *argv[256];
	size_t count = 0;
	bool result;

	for (; test->command[count] && count < 255; count++) {
		const char *word = test->command[count];
		const char *mark = strstr(word, "{}");
		size_t size = strlen(word) + strlen(path) + 1;

		argv[count] = xmalloc(size);
		if (mark)
			snprintf(argv[count], size, "%.*s%s%s",
				 (int)(mark - word), word, path, mark + 2);
		else
			strcpy(argv[count], word);
	}
	argv[count] = NULL;
	result = run(argv);
	while (count-- > 0)
		free(argv[count]);
	return result;
}

static void run_batch(struct test *test)
{
	size_t fixed = 0;
	char **argv;

	if (!test->count)
		return;
	while (test->command[fixed])
		fixed++;
	argv = calloc(fixed + test->count + 1, sizeof(*argv));
	if (!argv)
		errx(1, "out of memory");
	memcpy(argv, test->command, fixed * sizeof(*argv));
	memcpy(argv + fixed, test->collected, test->count * sizeof(*argv));
	if (!run(argv))
		status = 1;
	while (test->count > 0)
		free(test->collected[--test->count]);
	free(argv);
}

static void collect(struct test *test, const char *path)
{
	if (!test->collected)
		test->collected = xmalloc(256 * sizeof(*test->collected));
	test->collected[test->count++] = xstrdup(path);
	if (test->count == 256)
		run_batch(test);
}

static void __attribute__((noreturn)) finish(void)
{
	for (int i = 0; i < batch_count; i++)
		run_batch(batches[i]);
	exit(status);
}

static bool is_type(mode_t mode, char type)
{
	switch (mode & S_IFMT) {
	case S_IFREG: return type == 'f';
	case S_IFDIR: return type == 'd';
	case S_IFLNK: return type == 'l';
	case S_IFCHR: return type == 'c';
	case S_IFBLK: return type == 'b';
	case S_IFIFO: return type == 'p';
	default: return type == 's';
	}
}

static bool has_size(const struct test *test, const struct stat *st)
{
	long units = ((unsigned long)st->st_size + test->unit - 1) / test->unit;

	return test->sign == '+' ? units > test->number :
	       test->sign == '-' ? units < test->number :
				   units == test->number;
}

static bool is_newer(const struct stat *a, const struct stat *b)
{
	return a->st_mtime > b->st_mtime ||
	       (a->st_mtime == b->st_mtime &&
		a->st_mtime_nsec > b->st_mtime_nsec);
}

static bool delete(const char *path, const struct stat *st)
{
	if ((S_ISDIR(st->st_mode) ? rmdir(path) : unlink(path)) == 0)
		return true;
	warn("cannot delete '%s'", path);
	status = 1;
	return false;
}

static bool holds(struct test *test, const char *path, const struct stat *st)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash && slash[1] ? slash + 1 : path;

	switch (test->kind) {
	case AND:
		return holds(test->left, path, st) &&
		       holds(test->right, path, st);
	case OR:
		return holds(test->left, path, st) ||
		       holds(test->right, path, st);
	case NOT:
		return !holds(test->left, path, st);
	case NAME:
		return fnmatch(test->text, name, 0) == 0;
	case INAME:
		return fnmatch(test->text, name, FNM_CASEFOLD) == 0;
	case PATH:
		return fnmatch(test->text, path, 0) == 0;
	case TYPE:
		return is_type(st->st_mode, *test->text);
	case SIZE:
		return has_size(test, st);
	case EMPTY:
		return is_empty(path, st);
	case NEWER:
		return is_newer(st, &test->than);
	case EXEC:
		if (!test->many)
			return execute(test, path);
		collect(test, path);
		return true;
	case PRINT:
		puts(path);
		return true;
	case PRINT0:
		fwrite(path, 1, strlen(path) + 1, stdout);
		return true;
	case DELETE:
		return delete(path, st);
	case PRUNE:
		pruned = true;
		return true;
	case QUIT:
		finish();
	default:
		return test->kind == TRUE;
	}
}

static void visit(struct test *test, const char *path, long depth);

static void visit_children(struct test *test, const char *path, long depth)
{
	DIR *dir = opendir(path);
	struct dirent *entry;

	if (!dir) {
		warn("'%s'", path);
		status = 1;
		return;
	}
	while ((entry = readdir(dir))) {
		size_t length = strlen(path);
		char *inner;

		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		inner = xmalloc(length + strlen(entry->d_name) + 2);
		sprintf(inner, "%s%s%s", path,
			length && path[length - 1] == '/' ? "" : "/",
			entry->d_name);
		visit(test, inner, depth + 1);
		free(inner);
	}
	closedir(dir);
}

static void visit(struct test *test, const char *path, long depth)
{
	struct stat st;
	bool descend;

	if (lstat(path, &st) < 0) {
		warn("'%s'", path);
		status = 1;
		return;
	}
	if (depth == 0)
		device = st.st_dev;
	pruned = false;
	if (!depth_first && depth >= min_depth)
		holds(test, path, &st);
	descend = S_ISDIR(st.st_mode) && depth < max_depth &&
		  (!pruned || depth_first) &&
		  (!one_device || st.st_dev == device);
	if (descend)
		visit_children(test, path, depth);
	if (depth_first && depth >= min_depth)
		holds(test, path, &st);
}

int main(int argc, char **argv)
{
	int paths = 1;
	struct test *test;

	while (paths < argc && argv[paths][0] != '-' &&
	       strcmp(argv[paths], "!") && strcmp(argv[paths], "("))
		paths++;
	at = argv + paths;
	test = *at ? parse_or() : new_test(TRUE);
	if (*at)
		errx(1, "invalid expression; you have too many ')'");
	if (!acts) {
		struct test *both = new_test(AND);

		both->left = test;
		both->right = new_test(PRINT);
		test = both;
	}
	if (paths == 1)
		visit(test, ".", 0);
	for (int i = 1; i < paths; i++)
		visit(test, argv[i], 0);
	finish();
}
