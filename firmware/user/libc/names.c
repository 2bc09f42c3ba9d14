/* SPDX-License-Identifier: GPL-2.0-only */
/* What error numbers and signals are called. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

struct name {
	int number;
	const char *text;
};

static const struct name errors[] = {
	{ EPERM, "Operation not permitted" },
	{ ENOENT, "No such file or directory" },
	{ ESRCH, "No such process" },
	{ EINTR, "Interrupted system call" },
	{ EIO, "Input/output error" },
	{ ENXIO, "No such device or address" },
	{ E2BIG, "Argument list too long" },
	{ ENOEXEC, "Exec format error" },
	{ EBADF, "Bad file descriptor" },
	{ ECHILD, "No child processes" },
	{ EAGAIN, "Resource temporarily unavailable" },
	{ ENOMEM, "Cannot allocate memory" },
	{ EACCES, "Permission denied" },
	{ EFAULT, "Bad address" },
	{ ENOTBLK, "Block device required" },
	{ EBUSY, "Device or resource busy" },
	{ EEXIST, "File exists" },
	{ EXDEV, "Invalid cross-device link" },
	{ ENODEV, "No such device" },
	{ ENOTDIR, "Not a directory" },
	{ EISDIR, "Is a directory" },
	{ EINVAL, "Invalid argument" },
	{ ENFILE, "Too many open files in system" },
	{ EMFILE, "Too many open files" },
	{ ENOTTY, "Inappropriate ioctl for device" },
	{ ETXTBSY, "Text file busy" },
	{ EFBIG, "File too large" },
	{ ENOSPC, "No space left on device" },
	{ ESPIPE, "Illegal seek" },
	{ EROFS, "Read-only file system" },
	{ EMLINK, "Too many links" },
	{ EPIPE, "Broken pipe" },
	{ EDOM, "Numerical argument out of domain" },
	{ ERANGE, "Numerical result out of range" },
	{ EDEADLK, "Resource deadlock avoided" },
	{ ENAMETOOLONG, "File name too long" },
	{ ENOSYS, "Function not implemented" },
	{ ENOTEMPTY, "Directory not empty" },
	{ ELOOP, "Too many levels of symbolic links" },
	{ ECANCELED, "Operation canceled" },
	{ ENOLCK, "No locks available" },
	{ ENODATA, "No data available" },
	{ ETIME, "Timer expired" },
	{ EOVERFLOW, "Value too large for defined data type" },
	{ ELIBBAD, "Accessing a corrupted shared library" },
	{ EILSEQ, "Invalid or incomplete multibyte or wide character" },
	{ EUSERS, "Too many users" },
	{ EOPNOTSUPP, "Operation not supported" },
	{ EADDRINUSE, "Address already in use" },
	{ EADDRNOTAVAIL, "Cannot assign requested address" },
	{ ENOBUFS, "No buffer space available" },
	{ ETIMEDOUT, "Connection timed out" },
	{ ESTALE, "Stale file handle" },
	{ EUCLEAN, "Structure needs cleaning" },
	{ EDQUOT, "Disk quota exceeded" },
	{ 0, NULL }
};

static const struct name signals[] = {
	{ SIGHUP, "Hangup" },
	{ SIGINT, "Interrupt" },
	{ SIGQUIT, "Quit" },
	{ SIGILL, "Illegal instruction" },
	{ SIGTRAP, "Trace/breakpoint trap" },
	{ SIGABRT, "Aborted" },
	{ SIGBUS, "Bus error" },
	{ SIGFPE, "Floating point exception" },
	{ SIGKILL, "Killed" },
	{ SIGUSR1, "User defined signal 1" },
	{ SIGSEGV, "Segmentation fault" },
	{ SIGUSR2, "User defined signal 2" },
	{ SIGPIPE, "Broken pipe" },
	{ SIGALRM, "Alarm clock" },
	{ SIGTERM, "Terminated" },
	{ SIGCHLD, "Child exited" },
	{ SIGCONT, "Continued" },
	{ SIGSTOP, "Stopped (signal)" },
	{ SIGTSTP, "Stopped" },
	{ SIGTTIN, "Stopped (tty input)" },
	{ SIGTTOU, "Stopped (tty output)" },
	{ SIGURG, "Urgent I/O condition" },
	{ SIGXCPU, "CPU time limit exceeded" },
	{ SIGXFSZ, "File size limit exceeded" },
	{ SIGVTALRM, "Virtual timer expired" },
	{ SIGPROF, "Profiling timer expired" },
	{ SIGWINCH, "Window changed" },
	{ SIGIO, "I/O possible" },
	{ SIGPWR, "Power failure" },
	{ SIGSYS, "Bad system call" },
	{ 0, NULL }
};

static const char *find(const struct name *names, int number)
{
	for (; names->text; names++)
		if (names->number == number)
			return names->text;
	return NULL;
}

char *strerror(int error)
{
	static char unknown[32];
	const char *text = find(errors, error);

	if (text)
		return (char *)text;
	snprintf(unknown, sizeof(unknown), "Unknown error %d", error);
	return unknown;
}

const char *strsignal(int signal)
{
	return find(signals, signal);
}
