/* SPDX-License-Identifier: GPL-2.0-only */
/* Loadable modules, for the programs that load and list them. */
#ifndef KMOD_H
#define KMOD_H

#include <stddef.h>

#define MODULES_DIR		"/lib/modules"
#define MODULE_NAME_MAX		56

/* A line of /proc/modules. */
struct module_state {
	char name[MODULE_NAME_MAX];
	unsigned long size;
	int refcount;
	char users[256];	/* names with commas between; empty if none */
	char state[16];		/* "Live" */
	unsigned long address;
};

int init_module(const void *image, size_t size, const char *parameters);
int finit_module(int fd, const char *parameters, int flags);
int delete_module(const char *name, unsigned int flags);

/* "ERROR: MESSAGE", as these programs say it. */
void kmod_error(const char *format, ...)
	__attribute__((format(printf, 1, 2)));
/* What errno means when a module cannot be loaded. */
const char *module_strerror(int error);
/* The arguments with spaces between them; for free(). */
char *join_arguments(char *const *arguments);
/* Loads a file; -1 and errno if that fails. */
int load_module_file(const char *path, const char *parameters);
/* "a-b.ko", with or without a path, is a_b. */
void module_name_of(const char *path, char name[MODULE_NAME_MAX]);

/* Every loaded module; returns -1 if they cannot be had. */
int for_each_module(int (*function)(const struct module_state *state,
				    void *data), void *data);
/* 1 if it is loaded, 0 if not, -1 if that cannot be known. */
int find_loaded_module(const char *name, struct module_state *state);

#endif
