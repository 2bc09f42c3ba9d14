/* SPDX-License-Identifier: GPL-2.0-only */
/* System calls on processes and descriptors. */
#ifndef UNISTD_H
#define UNISTD_H

#include <stddef.h>
#include <sys/types.h>

#define STDIN_FILENO	0
#define STDOUT_FILENO	1
#define STDERR_FILENO	2

extern char **environ;

ssize_t read(int fd, void *buffer, size_t size);
ssize_t write(int fd, const void *buffer, size_t size);
int close(int fd);
int dup2(int from, int to);
int pipe(int fds[2]);
int chdir(const char *path);
int unlink(const char *path);
ssize_t readlink(const char *path, char *buffer, size_t size);

pid_t fork(void);
pid_t getpid(void);
int execve(const char *path, char *const argv[], char *const envp[]);
void _exit(int status) __attribute__((noreturn));

/* Writes all of it, however many calls that takes; -1 on an error. */
int write_all(int fd, const void *buffer, size_t size);

#endif
