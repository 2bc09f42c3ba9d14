// SPDX-License-Identifier: GPL-2.0-only
/* What splice, tee, vmsplice and F_SETPIPE_SZ answer: a Linux host prints the same, whatever its pages' size.
   Run in an empty directory. With arguments: see through_a_pipe(). */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

/* The call, and what it returned, or why it failed. */
#define ASK(call)							\
	do {								\
		errno = 0;						\
		long result = (long)(call);				\
		if (result == -1)					\
			printf("%s: %s\n", #call, strerrorname_np(errno));\
		else							\
			printf("%s: %ld\n", #call, result);		\
	} while (0)

static long page;
static int p[2], q[2], got_sigpipe;
static char buf[1 << 18] __attribute__((aligned(8192)));

static void on_sigpipe(int number)
{
	got_sigpipe++;
}

static void on_alarm(int number)
{
}

static void new_pipes(void)
{
	for (int i = 0; i < 2; i++) {
		close(p[i]);
		close(q[i]);
	}
	pipe(p);
	pipe(q);
}

static void nonblocking(int fd, int on)
{
	fcntl(fd, F_SETFL, on ? O_NONBLOCK : 0);
}

/* What is in a pipe now: pages, bytes, and a sum in which every byte near the beginning of a page has its place. */
static void drain(const char *name, int fd)
{
	unsigned long sum = 0, count = 0;
	ssize_t n;

	nonblocking(fd, 1);
	while ((n = read(fd, buf, sizeof(buf))) > 0)
		for (ssize_t i = 0; i < n; i++, count++)
			if (count % page < 1000)
				sum = sum * 31 + (unsigned char)buf[i] + count % page;
	nonblocking(fd, 0);
	long pages = (count + page / 2) / page;
	printf("%s has %ld pages and %ld: %lx\n", name, pages, count - pages * page, sum & 0xffffff);
}

static int queued(int fd)
{
	int n = -1;

	ioctl(fd, FIONREAD, &n);
	return n;
}

static int make_file(const char *name, long size)
{
	int fd = open(name, O_RDWR | O_CREAT | O_TRUNC, 0644);

	for (long i = 0; i < size; i++)
		buf[i] = i % page < 1024 ? i % page * 7 + i / page * 13 : 0;
	write(fd, buf, size);
	lseek(fd, 0, SEEK_SET);
	return fd;
}

static void errors(void)
{
	int file = make_file("errors", 100), directory = open(".", O_RDONLY);
	int write_only = open("errors", O_WRONLY), append = open("errors", O_RDWR | O_APPEND);
	int null = open("/dev/null", O_RDWR), path = open("errors", O_PATH);
	loff_t at = 0, negative = -1;
	struct iovec none = { NULL, 0 }, bad = { (void *)8, 8 };

	puts("errors");
	new_pipes();
	write(p[1], "abcdef", 6);
	ASK(splice(-1, NULL, -1, NULL, 0, 0));
	ASK(splice(-1, NULL, p[1], NULL, 1, 0));
	ASK(splice(p[0], NULL, -1, NULL, 1, 0));
	ASK(splice(-1, NULL, -1, NULL, 1, 16));
	ASK(splice(path, NULL, p[1], NULL, 1, 0));
	ASK(splice(p[1], NULL, q[1], NULL, 1, 0));
	ASK(splice(p[0], NULL, q[0], NULL, 1, 0));
	ASK(splice(p[0], NULL, p[1], NULL, 1, 0));
	ASK(splice(p[0], &at, q[1], NULL, 1, 0));
	ASK(splice(p[0], NULL, q[1], &at, 1, 0));
	ASK(splice(file, &at, p[1], &at, 1, 0));
	ASK(splice(file, NULL, file, NULL, 1, 0));
	ASK(splice(file, (loff_t *)8, p[1], NULL, 1, 0));
	ASK(splice(file, &negative, p[1], NULL, 1, 0));
	ASK(splice(p[0], NULL, file, &negative, 1, 0));
	ASK(splice(directory, NULL, p[1], NULL, 1, 0));
	ASK(splice(write_only, NULL, p[1], NULL, 1, 0));
	ASK(splice(p[0], NULL, append, NULL, 1, 0));
	ASK(splice(append, NULL, q[1], NULL, 1, 0));
	ASK(splice(null, NULL, q[1], NULL, 1, 0));
	ASK(splice(p[0], NULL, null, NULL, 2, 0));
	ASK(tee(p[0], q[1], 0, 16));
	ASK(tee(-1, -1, 0, 0));
	ASK(tee(p[0], -1, 1, 0));
	ASK(tee(p[0], p[1], 1, 0));
	ASK(tee(file, q[1], 1, 0));
	ASK(tee(p[1], q[1], 1, 0));
	ASK(vmsplice(-1, NULL, 0, 0));
	ASK(vmsplice(p[1], NULL, 0, 16));
	ASK(vmsplice(p[1], NULL, 0, 0));
	ASK(vmsplice(p[1], &none, 1, 0));
	ASK(vmsplice(p[1], &bad, 1, 0));
	ASK(vmsplice(p[1], &bad, 2000, 0));
	ASK(vmsplice(file, &none, 1, 0));
	ASK(vmsplice(file, &bad, 1, 0));
	ASK(vmsplice(p[0], &bad, 1, 0));
	drain("p", p[0]);
	drain("q", q[0]);
}

static void nothing_to_wait_for(void)
{
	struct iovec iov = { buf, 1 };
	int file = make_file("f", 100);

	puts("nothing to wait for");
	new_pipes();
	ASK(splice(p[0], NULL, q[1], NULL, 9, SPLICE_F_NONBLOCK));
	ASK(splice(p[0], NULL, file, NULL, 9, SPLICE_F_NONBLOCK));
	ASK(tee(p[0], q[1], 9, SPLICE_F_NONBLOCK));
	ASK(vmsplice(p[0], &iov, 1, SPLICE_F_NONBLOCK));
	nonblocking(p[0], 1);
	ASK(splice(p[0], NULL, q[1], NULL, 9, 0));
	ASK(splice(p[0], NULL, file, NULL, 9, 0));
	ASK(tee(p[0], q[1], 9, 0));
	nonblocking(p[1], 1);
	while (write(p[1], buf, page) > 0)
		;
	ASK(splice(file, NULL, p[1], NULL, 9, 0));
	ASK(vmsplice(p[1], &iov, 1, SPLICE_F_NONBLOCK));
	write(q[1], "abc", 3);
	ASK(splice(q[0], NULL, p[1], NULL, 9, 0));
	ASK(tee(q[0], p[1], 9, 0));
	close(p[0]);
	ASK(splice(file, NULL, p[1], NULL, 9, 0));
	ASK(splice(q[0], NULL, p[1], NULL, 9, 0));
	ASK(tee(q[0], p[1], 9, 0));
	ASK(vmsplice(p[1], &iov, 1, 0));
	ASK(got_sigpipe);
	drain("q", q[0]);
	close(q[1]);
	ASK(splice(q[0], NULL, file, NULL, 9, 0));
	ASK(tee(q[0], p[1], 9, 0));
	new_pipes();
	setitimer(ITIMER_REAL, &(struct itimerval){ .it_value.tv_usec = 20000 }, NULL);
	ASK(splice(p[0], NULL, q[1], NULL, 9, 0));
}

static void files(void)
{
	long size = 5 * page + 1000;
	int from = make_file("from", size), to = make_file("to", 10);
	loff_t at = page + 10, to_at = 3;

	puts("files");
	new_pipes();
	ASK(splice(from, NULL, p[1], NULL, 100, 0));
	ASK(lseek(from, 0, SEEK_CUR));
	ASK(splice(from, &at, p[1], NULL, 2 * page, SPLICE_F_MOVE) == 2 * page);
	ASK(at == 3 * page + 10);
	ASK(lseek(from, 0, SEEK_CUR));
	ASK(queued(p[0]) == 2 * page + 100);
	pwrite(from, "changed", 7, 2 * page);	/* the page is the pipe's, too */
	ASK(splice(p[0], NULL, to, &to_at, 90, 0));
	ASK(to_at);
	ASK(splice(p[0], NULL, to, NULL, 1 << 20, 0) == 2 * page + 10);
	ASK(lseek(to, 0, SEEK_CUR) == 2 * page + 10);
	ASK(lseek(to, 0, SEEK_END) == 2 * page + 10);
	at = size;
	ASK(splice(from, &at, p[1], NULL, 10, 0));
	at = size - 7;
	ASK(splice(from, &at, p[1], NULL, 10, 0));
	drain("p", p[0]);
	lseek(to, 0, SEEK_SET);
	ASK(splice(to, NULL, p[1], NULL, 1 << 20, 0) == 2 * page + 10);
	drain("p", p[0]);
	ftruncate(from, 0);
	ASK(splice(open("/proc/version", O_RDONLY), NULL, p[1], NULL, 5, 0));
	ASK(splice(p[0], NULL, q[1], NULL, 15, 0));
	drain("q", q[0]);
}

static void pipes(void)
{
	puts("pipes");
	new_pipes();
	make_file("f", 3 * page);
	write(p[1], buf, 3 * page);
	write(p[1], buf, 100);
	ASK(tee(p[0], q[1], page + 50, 0) == page + 50);
	ASK(queued(p[0]) == 3 * page + 100);
	write(q[1], "behind it", 9);
	drain("q", q[0]);
	ASK(tee(p[0], q[1], 1 << 20, 0) == 3 * page + 100);
	write(p[1], "only here", 9);
	write(q[1], "only there", 10);
	drain("q", q[0]);
	ASK(splice(p[0], NULL, q[1], NULL, 100, 0));
	ASK(splice(p[0], NULL, q[1], NULL, 1 << 20, 0) == 3 * page + 9);
	ASK(queued(p[0]));
	write(p[1], "more", 4);
	ASK(splice(p[0], NULL, q[1], NULL, 4, 0));
	write(q[1], "!", 1);
	drain("q", q[0]);
}

static void memory(void)
{
	char *own = mmap(NULL, 3 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct iovec iov[3] = { { own + 10, page }, { own, 0 }, { own + 2 * page - 5, 10 } }, in[2] = { { buf, 7 }, { buf + 50, 100 } };

	puts("memory");
	new_pipes();
	memset(own, 'a', 2 * page);
	ASK(vmsplice(p[1], iov, 3, 0) == page + 10);
	own[11] = 'b';	/* the pipe has the page */
	read(p[0], buf, 3);
	ASK(!memcmp(buf, "aba", 3));
	if (!fork()) {
		own[13] = 'c';	/* and this process a copy */
		_exit(0);
	}
	wait(NULL);
	munmap(own, 3 * page);
	drain("p", p[0]);
	write(p[1], "hello, world", 12);
	ASK(vmsplice(p[0], in, 2, 0));
	ASK(!memcmp(buf, "hello, ", 7) && !memcmp(buf + 50, "world", 5));
	own = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	munmap(own + page, page);
	iov[0] = (struct iovec){ own + page - 3, 10 };
	ASK(vmsplice(p[1], iov, 1, 0));
	ASK(vmsplice(p[1], iov, 1, SPLICE_F_GIFT));
	iov[0] = (struct iovec){ own + page, 10 };
	ASK(vmsplice(p[1], iov, 1, 0));
	in[0].iov_len = sizeof(buf);
	ASK(vmsplice(q[1], in, 1, 0) == 16 * page);
	drain("p", p[0]);
}

static void sizes(void)
{
	puts("sizes");
	new_pipes();
	ASK(fcntl(p[0], F_GETPIPE_SZ) / page);
	ASK(fcntl(p[0], F_SETPIPE_SZ, 0) / page);
	write(p[1], buf, page);
	ASK(fcntl(p[1], F_SETPIPE_SZ, 3 * page - 1) / page);
	ASK(fcntl(p[1], F_GETPIPE_SZ) / page);
	write(p[1], buf, 2 * page);
	ASK(fcntl(p[1], F_SETPIPE_SZ, 2 * page));
	ASK(fcntl(p[1], F_SETPIPE_SZ, -1));
	ASK(fcntl(open("/dev/null", O_RDWR), F_SETPIPE_SZ, 4096));
	read(p[0], buf, 100);
	ASK(fcntl(p[1], F_SETPIPE_SZ, 32 * page) / page);
	ASK(splice(p[0], NULL, q[1], NULL, 1 << 20, 0) == 3 * page - 100);
	drain("q", q[0]);
	nonblocking(p[1], 1);
	ASK(write(p[1], buf, 32 * page + 1) == 32 * page);
}

/* Whoever waits is woken by the other side. */
static void waiting(void)
{
	struct pollfd poll_q;
	int file = make_file("f", 1000);

	puts("waiting");
	new_pipes();
	if (!fork()) {
		usleep(20000);
		splice(file, NULL, p[1], NULL, 10, 0);
		usleep(20000);
		tee(p[0], q[1], 4, 0);
		usleep(20000);
		splice(p[0], NULL, q[1], NULL, 6, 0);
		_exit(0);
	}
	poll_q = (struct pollfd){ q[0], POLLIN };
	ASK(poll(&poll_q, 1, -1));
	ASK(splice(q[0], NULL, file, NULL, 4, 0));
	ASK(splice(q[0], NULL, file, NULL, 6, 0));
	wait(NULL);
	nonblocking(p[1], 1);
	while (write(p[1], buf, page) > 0)
		;
	nonblocking(p[1], 0);
	if (!fork()) {
		usleep(20000);
		splice(p[0], NULL, file, NULL, page + 1, 0);
		usleep(20000);
		splice(p[0], NULL, file, NULL, page, 0);
		_exit(0);
	}
	ASK(write(p[1], buf, page + 1) == page + 1);
	wait(NULL);
	drain("p", p[0]);
}

/* Splices argv[1] into argv[2] with a pipe between them, once for each further pair: how much, with which flags. */
static int through_a_pipe(int argc, char **argv)
{
	int from = open(argv[1], O_RDONLY), to = open(argv[2], O_WRONLY | O_CREAT, 0644);

	new_pipes();
	for (int i = 3; i + 1 < argc; i += 2) {
		ssize_t n = splice(from, NULL, p[1], NULL, atol(argv[i]), atoi(argv[i + 1]));

		if (n == -1)
			puts(strerrorname_np(errno));
		else
			printf("%zd\n", n);
		if (n > 0 && splice(p[0], NULL, to, NULL, n, 0) != n)
			puts(strerrorname_np(errno));
	}
	return 0;
}

int main(int argc, char **argv)
{
	page = sysconf(_SC_PAGESIZE);
	setvbuf(stdout, NULL, _IONBF, 0);
	if (argc > 1)
		return through_a_pipe(argc, argv);
	signal(SIGPIPE, on_sigpipe);
	sigaction(SIGALRM, &(struct sigaction){ .sa_handler = on_alarm }, NULL);
	errors();
	nothing_to_wait_for();
	files();
	pipes();
	memory();
	sizes();
	waiting();
	return 0;
}
