/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dd [if=FILE] [of=FILE] [bs=N] [ibs=N] [obs=N] [count=N] [skip=N] [seek=N]
 *    [conv=notrunc,fsync,sync,noerror,excl,nocreat] [status=none|noxfer]
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "dd.h"

static struct request request = {
	.in_size = 512, .out_size = 512, .count = -1,
};
static struct records in, out;
static long copied;
static char *block;		/* what was read: in_size bytes */
static char *pending;		/* what is to be written: out_size bytes */
static long pending_size;
static int status;

static const char *in_name(void)
{
	return request.input ? request.input : "standard input";
}

static const char *out_name(void)
{
	return request.output ? request.output : "standard output";
}

static void open_files(void)
{
	int flags = O_WRONLY, fd;

	if (request.input) {
		fd = open(request.input, O_RDONLY);
		if (fd < 0)
			err(1, "failed to open '%s'", request.input);
		dup2(fd, STDIN_FILENO);
		close(fd);
	}
	if (!request.output)
		return;
	flags |= request.nocreat ? 0 : O_CREAT;
	flags |= request.excl ? O_EXCL : 0;
	flags |= request.notrunc || request.seek ? 0 : O_TRUNC;
	fd = open(request.output, flags, 0666);
	if (fd < 0)
		err(1, "failed to open '%s'", request.output);
	dup2(fd, STDOUT_FILENO);
	close(fd);
}

/* Past the first blocks: by seeking, or what cannot by reading. */
static void skip_input(void)
{
	long left = request.skip;

	if (!left || lseek(STDIN_FILENO, left * request.in_size, SEEK_CUR) >= 0)
		return;
	for (; left; left--) {
		ssize_t got = read(STDIN_FILENO, block, request.in_size);

		if (got < 0)
			err(1, "error reading '%s'", in_name());
		if (!got)
			break;
	}
}

static void seek_output(void)
{
	off_t to = request.seek * request.out_size;
	struct stat st;

	if (!request.seek)
		return;
	if (lseek(STDOUT_FILENO, to, SEEK_CUR) < 0)
		err(1, "'%s': cannot seek", out_name());
	if (!request.notrunc && fstat(STDOUT_FILENO, &st) == 0 &&
	    S_ISREG(st.st_mode) && ftruncate(STDOUT_FILENO, to) < 0)
		err(1, "failed to truncate to %ld bytes in output file '%s'",
		    to, out_name());
}

static void print_status(const struct timespec *begin)
{
	struct timespec end;

	if (request.quiet)
		return;
	clock_gettime(CLOCK_MONOTONIC, &end);
	fprintf(stderr, "%ld+%ld records in\n%ld+%ld records out\n", in.full,
		in.part, out.full, out.part);
	if (!request.no_transfer)
		print_transfer(copied,
			       (end.tv_sec - begin->tv_sec) * 1000000000 +
			       end.tv_nsec - begin->tv_nsec);
}

/* One block; false: the output is full or broken. */
static bool write_block(const char *data, long size)
{
	long done = 0;
	ssize_t n = 0;

	while (done < size && (n = write(STDOUT_FILENO, data + done,
					 size - done)) > 0)
		done += n;
	copied += done;
	if (done == request.out_size)
		out.full++;
	else if (done)
		out.part++;
	if (done == size)
		return true;
	warn("error writing '%s'", out_name());
	status = 1;
	return false;
}

/* Gathers blocks of the output's size, unless bs= was given. */
static bool put(const char *data, long size)
{
	if (request.one_size)
		return write_block(data, size);
	while (size) {
		long n = request.out_size - pending_size;

		n = n < size ? n : size;
		memcpy(pending + pending_size, data, n);
		pending_size += n;
		data += n;
		size -= n;
		if (pending_size == request.out_size) {
			pending_size = 0;
			if (!write_block(pending, request.out_size))
				return false;
		}
	}
	return true;
}

static void copy(void)
{
	long blocks = 0;

	for (; request.count < 0 || blocks < request.count; blocks++) {
		ssize_t got = read(STDIN_FILENO, block, request.in_size);

		if (got < 0) {
			warn("error reading '%s'", in_name());
			status = 1;
			if (!request.noerror)
				return;
			/* What cannot be read counts as nothing, or zeroes. */
			if (lseek(STDIN_FILENO, request.in_size, SEEK_CUR) < 0)
				return;
			got = 0;
			if (!request.pad)
				continue;
		} else if (!got) {
			break;
		}
		if (got == request.in_size)
			in.full++;
		else
			in.part++;
		if (got < request.in_size && request.pad) {
			memset(block + got, 0, request.in_size - got);
			got = request.in_size;
		}
		if (!put(block, got))
			return;
	}
	if (pending_size)
		write_block(pending, pending_size);
}

int main(int argc, char **argv)
{
	struct timespec begin;

	for (int i = 1; i < argc; i++)
		parse_operand(&request, argv[i]);
	block = xmalloc(request.in_size);
	pending = xmalloc(request.out_size);
	open_files();
	clock_gettime(CLOCK_MONOTONIC, &begin);
	skip_input();
	seek_output();
	copy();
	if (request.sync_data && fsync(STDOUT_FILENO) < 0) {
		warn("fsync failed for '%s'", out_name());
		status = 1;
	}
	if (close(STDOUT_FILENO) < 0 && !status) {
		warn("closing output file '%s'", out_name());
		status = 1;
	}
	print_status(&begin);
	return status;
}
