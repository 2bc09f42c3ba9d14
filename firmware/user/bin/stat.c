/* SPDX-License-Identifier: GPL-2.0-only */
/* stat [-L] [-c FORMAT] FILE...: all that is known of files. */
#include <err.h>
#include <files.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

static const char standard[] =
	"  File: %N\n"
	"  Size: %-10s\tBlocks: %-10b IO Block: %-6o %F\n"
	"Device: %Hd,%Ld\tInode: %-11i Links: %h\n"
	"Access: (%04a/%10A)  Uid: (%5u/%8U)   Gid: (%5g/%8G)\n"
	"Access: %x\nModify: %y\nChange: %z\n Birth: -\n";
static const char device[] =
	"  File: %N\n"
	"  Size: %-10s\tBlocks: %-10b IO Block: %-6o %F\n"
	"Device: %Hd,%Ld\tInode: %-11i Links: %-5h Device type: %Hr,%Lr\n"
	"Access: (%04a/%10A)  Uid: (%5u/%8U)   Gid: (%5g/%8G)\n"
	"Access: %x\nModify: %y\nChange: %z\n Birth: -\n";

static const char *quote = "";	/* around names, if a format asks for them */

static const char *type_of(const struct stat *st)
{
	switch (st->st_mode & S_IFMT) {
	case S_IFREG:
		return st->st_size ? "regular file" : "regular empty file";
	case S_IFDIR:
		return "directory";
	case S_IFLNK:
		return "symbolic link";
	case S_IFCHR:
		return "character special file";
	case S_IFBLK:
		return "block special file";
	case S_IFIFO:
		return "fifo";
	case S_IFSOCK:
		return "socket";
	}
	return "weird file";
}

static void time_text(time_t seconds, unsigned long nsec, char *text,
		      size_t size)
{
	struct tm tm;

	gmtime_r(&seconds, &tm);
	snprintf(text, size, "%04d-%02d-%02d %02d:%02d:%02d.%09lu +0000",
		 tm.tm_year + 1900, tm.tm_mon + 1, tm.tm_mday, tm.tm_hour,
		 tm.tm_min, tm.tm_sec, nsec);
}

static void name_text(const char *path, const struct stat *st, char *text,
		      size_t size)
{
	char link[4096];
	ssize_t length = -1;

	if (S_ISLNK(st->st_mode))
		length = readlink(path, link, sizeof(link) - 1);
	if (length < 0) {
		snprintf(text, size, "%s%s%s", quote, path, quote);
	} else {
		link[length] = '\0';
		snprintf(text, size, "%s%s%s -> %s%s%s", quote, path, quote,
			 quote, link, quote);
	}
}

/* What one letter stands for; false: nothing. */
static bool value_of(const char *path, const struct stat *st, char part,
		     char letter, char *text, size_t size)
{
	dev_t dev = letter == 'd' ? st->st_dev : st->st_rdev;

	switch (letter) {
	case 'a':
		snprintf(text, size, "%o", st->st_mode & 07777);
		return true;
	case 'A':
		strmode(st->st_mode, text);
		return true;
	case 'b':
		snprintf(text, size, "%ld", (long)st->st_blocks);
		return true;
	case 'B':
		snprintf(text, size, "512");
		return true;
	case 'd':
	case 'r':
		if (part)
			snprintf(text, size, "%u",
				 part == 'H' ? major(dev) : minor(dev));
		else
			snprintf(text, size, "%lu", (unsigned long)dev);
		return true;
	case 'f':
		snprintf(text, size, "%x", st->st_mode);
		return true;
	case 'F':
		snprintf(text, size, "%s", type_of(st));
		return true;
	case 'g':
		snprintf(text, size, "%u", st->st_gid);
		return true;
	case 'u':
		snprintf(text, size, "%u", st->st_uid);
		return true;
	case 'G':
		snprintf(text, size, "%s", st->st_gid ? "UNKNOWN" : "root");
		return true;
	case 'U':
		snprintf(text, size, "%s", st->st_uid ? "UNKNOWN" : "root");
		return true;
	case 'h':
		snprintf(text, size, "%lu", (unsigned long)st->st_nlink);
		return true;
	case 'i':
		snprintf(text, size, "%lu", (unsigned long)st->st_ino);
		return true;
	case 'n':
		snprintf(text, size, "%s", path);
		return true;
	case 'N':
		name_text(path, st, text, size);
		return true;
	case 'o':
		snprintf(text, size, "%ld", (long)st->st_blksize);
		return true;
	case 's':
		snprintf(text, size, "%ld", (long)st->st_size);
		return true;
	case 't':
		snprintf(text, size, "%x", major(st->st_rdev));
		return true;
	case 'T':
		snprintf(text, size, "%x", minor(st->st_rdev));
		return true;
	case 'x':
		time_text(st->st_atime, st->st_atime_nsec, text, size);
		return true;
	case 'X':
		snprintf(text, size, "%ld", (long)st->st_atime);
		return true;
	case 'y':
		time_text(st->st_mtime, st->st_mtime_nsec, text, size);
		return true;
	case 'Y':
		snprintf(text, size, "%ld", (long)st->st_mtime);
		return true;
	case 'z':
		time_text(st->st_ctime, st->st_ctime_nsec, text, size);
		return true;
	case 'Z':
		snprintf(text, size, "%ld", (long)st->st_ctime);
		return true;
	}
	return false;
}

static void print_format(const char *format, const char *path,
			 const struct stat *st)
{
	static char text[8300];

	for (; *format; format++) {
		bool left = false, zero = false;
		char part = 0;
		int width = 0, pad;

		if (*format != '%') {
			putchar(*format);
			continue;
		}
		format++;
		for (; *format == '-' || *format == '0'; format++) {
			left |= *format == '-';
			zero |= *format == '0';
		}
		while (*format >= '0' && *format <= '9')
			width = width * 10 + *format++ - '0';
		if (*format == 'H' || *format == 'L')
			part = *format++;
		if (!*format) {
			putchar('%');
			return;
		}
		if (!value_of(path, st, part, *format, text, sizeof(text)))
			snprintf(text, sizeof(text),
				 *format == '%' ? "%%" : "?");
		pad = width - (int)strlen(text);
		for (; !left && pad > 0; pad--)
			putchar(zero ? '0' : ' ');
		fputs(text, stdout);
		for (; pad > 0; pad--)
			putchar(' ');
	}
}

int main(int argc, char **argv)
{
	const char *format = NULL;
	bool follow = false;
	int status = 0, option;

	while ((option = getopt(argc, argv, "c:L")) != -1) {
		if (option == 'c')
			format = optarg, quote = "'";
		else if (option == 'L')
			follow = true;
		else
			return 1;
	}
	if (optind == argc)
		errx(1, "missing operand");
	for (; optind < argc; optind++) {
		const char *path = argv[optind];
		struct stat st;

		if ((follow ? stat : lstat)(path, &st) < 0) {
			warn("cannot statx '%s'", path);
			status = 1;
			continue;
		}
		if (format) {
			print_format(format, path, &st);
			putchar('\n');
		} else {
			print_format(S_ISCHR(st.st_mode) || S_ISBLK(st.st_mode) ?
				     device : standard, path, &st);
		}
	}
	return status;
}
