/* SPDX-License-Identifier: GPL-2.0-only */
/* Becoming another program, and why that is not possible. */
#ifndef EXEC_H
#define EXEC_H

#include <limits.h>
#include <stdbool.h>

/* Whether an open file is a script that names its interpreter: "#!NAME". */
bool script_interpreter(int fd, char interpreter[PATH_MAX]);
/* Why this machine executes no program of an open ELF file; NULL: it might. */
const char *elf_error(int fd);
/*
 * Why a file is not executed although it is there: for the sake of the
 * interpreter that it names, or of that one's. NULL: that is not why. The text
 * is good until the next call.
 */
const char *interpreter_error(const char *path);
/* How a user of the host puts an interpreter that is missing there. */
extern const char *interpreter_advice;

/*
 * Becomes the program argv[0]; or ends as a shell does that cannot, with a
 * message: what printf() makes of @format with argv[0], and the reason.
 */
void exec_or_exit(char *const argv[], const char *format)
	__attribute__((noreturn));

#endif
