/* SPDX-License-Identifier: GPL-2.0-only */
/* What the programs that copy, move and remove files share. */
#ifndef FILES_H
#define FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

/* "DIRECTORY/NAME", to be freed. */
char *path_join(const char *directory, const char *name);
/* The last component without slashes after it, to be freed. */
char *path_name(const char *path);
/* The names in a folder but "." and "..", sorted, ended by NULL; or NULL. */
char **list_folder(const char *path);
void free_list(char **names);
bool is_folder(const char *path);	/* or a link to one */

/* For cp and mv: what argv ends with, taken off; ends the program if that is all. */
const char *take_target(int *argc, char **argv, int first);
/*
 * For cp, mv and ln: has each source go into the target by its name, or there;
 * ends the program if what is no folder is to hold many. Returns its status.
 */
int to_target(char **sources, int count, const char *target, bool into,
	      bool (*act)(const char *source, const char *path));

/* Copies the rest of one file to another; -1, and errno, on an error. */
int copy_data(int from, int to);

struct copy_how {
	const char	*verb;		/* for messages: "copy", "move" */
	bool		recursive;
	bool		follow;		/* links: what they lead to */
	bool		preserve;	/* mode, owner and times */
	bool		force;
	bool		verbose;
};

/* Copies a file, or with .recursive a tree; false after a message. */
bool copy_file(const char *from, const char *to, const struct copy_how *how);
/* Removes a file or a tree; false after a message. */
bool remove_tree(const char *path, bool force, bool verbose);

/* A mode as chmod has it, octal or symbolic; false: it is none. */
bool parse_mode(const char *text, mode_t old, mode_t *mode);
/* Rounded up: 999, 1.5K, 12M; until the next one is asked for. */
const char *human_size(unsigned long bytes);
/* As ls -l shows it, in 11 bytes. */
void strmode(mode_t mode, char *text);

#endif
