/* SPDX-License-Identifier: GPL-2.0-only */
/* System calls on processes and descriptors. */
#ifndef UNISTD_H
#define UNISTD_H

#include <stdbool.h>
#include <linux/fs.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define STDIN_FILENO	0
#define STDOUT_FILENO	1
#define STDERR_FILENO	2

#define F_OK		0
#define X_OK		1
#define W_OK		2
#define R_OK		4

extern char **environ;

ssize_t read(int fd, void *buffer, size_t size);
ssize_t write(int fd, const void *buffer, size_t size);
int close(int fd);
off_t lseek(int fd, off_t offset, int whence);
ssize_t pread(int fd, void *buffer, size_t size, off_t offset);
ssize_t pwrite(int fd, const void *buffer, size_t size, off_t offset);
int ftruncate(int fd, off_t length);
int fsync(int fd);
int dup2(int from, int to);
int isatty(int fd);
int pipe(int fds[2]);
int pipe2(int fds[2], int flags);
int chdir(const char *path);
/* The current folder, in the buffer; NULL on an error. */
char *getcwd(char *buffer, size_t size);
int access(const char *path, int mode);
int unlink(const char *path);
int rmdir(const char *path);
int chown(const char *path, uid_t user, gid_t group);
/* The owner of a file or a link itself. */
int lchown(const char *path, uid_t user, gid_t group);
void sync(void);
int link(const char *from, const char *to);
int symlink(const char *target, const char *path);
ssize_t readlink(const char *path, char *buffer, size_t size);

pid_t fork(void);
pid_t getpid(void);
pid_t gettid(void);
int pause(void);
/* The group that a terminal is used by. */
pid_t tcgetpgrp(int fd);
int tcsetpgrp(int fd, pid_t group);
pid_t getppid(void);
pid_t getpgid(pid_t pid);
int setpgid(pid_t pid, pid_t group);
pid_t setsid(void);
uid_t geteuid(void);
gid_t getegid(void);
int sched_yield(void);
int execve(const char *path, char *const argv[], char *const envp[]);
/* Looks for a name without a slash in PATH. */
int execvp(const char *name, char *const argv[]);
void _exit(int status) __attribute__((noreturn));

/*
 * The next option of argv, or -1, when what is left are operands: those before
 * options are moved behind them. A plus before options: as POSIX has it, the
 * first argument that is no option ends them. '?' after a message: an unknown option, or one without
 * its argument. Two colons after one: an argument only in the same word.
 */
extern char *optarg;
extern int optind, opterr, optopt;
int getopt(int argc, char *const argv[], const char *options);
/* Whether the argument of the options in this word is the next word. */
bool option_takes_next(const char *word, const char *options);

/* The same; long options are written as the short ones that they mean. */
struct long_option {
	const char *name;
	char letter;
};
int getopt_long(int argc, char *argv[], const char *options,
		const struct long_option *names);

/* Writes all of it, however many calls that takes; -1 on an error. */
int write_all(int fd, const void *buffer, size_t size);

#endif
