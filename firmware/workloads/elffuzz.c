/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * elffuzz program|interpreter|module FILE SEED COUNT: damages copies of an ELF
 * file and gives each to the kernel, to run, to run for a program that names it
 * as its interpreter, or to load. The same seed damages it in the same ways. A
 * process of its own makes each try, and has a short time.
 *
 * Half of the interpreters say that they can be anywhere.
 *
 * Modules are loaded with "load_only": they go through all of the loader, and
 * are undone where their init would be called. What they would do then is
 * theirs to answer for.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <kmod.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <linux/elf.h>

#define EHDR_SIZE	64
#define E_PHOFF		32
#define E_SHOFF		40
#define COPY		"/tmp/elffuzz.copy"
#define PROGRAM		"/tmp/elffuzz.program"	/* whose interpreter it is */
#define PATIENCE	20	/* milliseconds for a program */
#define REFUSED		100	/* what a try exits with */
#define LOADED		101

static uint64_t state;

/* Marsaglia's xorshift, with a multiplication. */
static uint64_t draw(void)
{
	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return state * 0x2545f4914f6cdd1d;
}

static size_t below(size_t limit)
{
	return limit ? draw() % limit : 0;
}

static uint64_t word(const unsigned char *file, size_t at)
{
	uint64_t value;

	memcpy(&value, file + at, sizeof(value));
	return value;
}

/* Numbers at which things tend to go wrong. */
static uint64_t odd_value(size_t size)
{
	static const uint64_t values[] = {
		0, 1, 2, 7, 0xff, 0xfff1, 0xffff, 0x7fffffff, 0x80000000,
		0xffffffff, 0x7fffffffffffffff, 0x8000000000000000,
		0xffffffffffffffff, 0xfffffffffffff000, 0x1000, 0x2000,
	};

	switch (below(4)) {
	case 0:
		return draw();
	case 1:
		return size + below(64) - 32;
	case 2:
		return below(size);
	default:
		return values[below(sizeof(values) / sizeof(*values))];
	}
}

/* Where: the header, the table of what the file holds, or anywhere. */
static size_t place(const unsigned char *file, size_t size, size_t table)
{
	switch (below(4)) {
	case 0:
		return below(EHDR_SIZE);
	case 1:
	case 2:
		table = word(file, table);
		if (table < size)
			return table + below(size - table);
		break;
	}
	return below(size);
}

/* Returns the file's new size. */
static size_t damage(unsigned char *file, size_t size, size_t table)
{
	size_t changes = 1 + below(4), n, at, bytes;
	uint64_t value;

	while (changes--) {
		at = place(file, size, table);
		switch (below(8)) {
		case 0:
			file[at] ^= 1 << below(8);
			break;
		case 1:
			file[at] = draw();
			break;
		case 2:
			n = below(size);
			bytes = 1 + below(64);
			if (at + bytes <= size && n + bytes <= size)
				memmove(file + at, file + n, bytes);
			break;
		case 3:
			if (!below(8) && size > EHDR_SIZE + 1)
				size = EHDR_SIZE + below(size - EHDR_SIZE);
			break;
		default:
			bytes = 1u << below(4);
			at &= ~(bytes - 1);
			value = odd_value(size);
			if (at + bytes <= size)
				memcpy(file + at, &value, bytes);
			break;
		}
		if (size < EHDR_SIZE)
			break;
	}
	return size;
}

static _Noreturn void try_module(const unsigned char *file, size_t size)
{
	if (!init_module(file, size, "load_only"))
		errx(1, "a module was loaded for good");
	_exit(errno == ECANCELED ? LOADED : REFUSED);
}

static void write_program(const char *path, const void *file, size_t size)
{
	int fd;

	unlink(path);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0755);
	if (fd < 0 || write_all(fd, file, size) < 0)
		err(1, "%s", path);
	close(fd);
}

/* A program without any code, for machines as FILE is for. */
static void write_dynamic_program(const unsigned char *file)
{
	struct {
		struct elf64_hdr ehdr;
		struct elf64_phdr load, interp;
		char name[sizeof(COPY)];
	} program = { .name = COPY };

	memcpy(&program.ehdr, file, sizeof(program.ehdr));
	program.ehdr.e_type = ET_DYN;
	program.ehdr.e_entry = 0;
	program.ehdr.e_phoff = sizeof(program.ehdr);
	program.ehdr.e_phnum = 2;
	program.load = (struct elf64_phdr) {
		.p_type = PT_LOAD, .p_flags = PF_R,
		.p_filesz = sizeof(program), .p_memsz = sizeof(program),
	};
	program.interp = (struct elf64_phdr) {
		.p_type = PT_INTERP, .p_filesz = sizeof(program.name),
		.p_offset = (char *)program.name - (char *)&program,
	};
	write_program(PROGRAM, &program, sizeof(program));
}

static _Noreturn void try_program(const char *path, const unsigned char *copy,
				  size_t size)
{
	char *const argv[] = { (char *)"copy", NULL }, *const envp[] = { NULL };

	setpgid(0, 0);
	write_program(COPY, copy, size);
	execve(path, argv, envp);
	_exit(REFUSED);
}

/* Its wait status; what takes too long is killed. */
static int wait_for(pid_t pid, bool patient)
{
	struct timespec moment = { .tv_nsec = 1000000 };
	int status, left = PATIENCE;

	if (patient) {
		waitpid(pid, &status, 0);
		return status;
	}
	while (waitpid(pid, &status, WNOHANG) != pid) {
		if (!left--)
			kill(pid, SIGKILL);
		nanosleep(&moment, NULL);
	}
	return status;
}

int main(int argc, char **argv)
{
	long refused = 0, accepted = 0, killed = 0, i, count;
	bool module = argc > 1 && !strcmp(argv[1], "module");
	bool interpreter = argc > 1 && !strcmp(argv[1], "interpreter");
	unsigned char *file, *copy;
	struct stat st;
	int fd, status;
	size_t size;
	pid_t pid;

	if (argc != 5 ||
	    (!module && !interpreter && strcmp(argv[1], "program")))
		errx(2, "usage: elffuzz program|interpreter|module FILE SEED COUNT");
	fd = open(argv[2], O_RDONLY);
	if (fd < 0 || fstat(fd, &st) < 0)
		err(1, "%s", argv[2]);
	file = xmalloc(st.st_size);
	copy = xmalloc(st.st_size);
	if (st.st_size < EHDR_SIZE || read(fd, file, st.st_size) != st.st_size)
		errx(1, "%s: too short", argv[2]);
	close(fd);
	if (interpreter)
		write_dynamic_program(file);
	count = parse_number(argv[4]);
	for (i = 0; i < count; i++) {
		state = (parse_number(argv[3]) + i) * 0x9e3779b97f4a7c15 + 1;
		memcpy(copy, file, st.st_size);
		if (interpreter && i % 2)
			((struct elf64_hdr *)copy)->e_type = ET_DYN;
		size = damage(copy, st.st_size, module ? E_SHOFF : E_PHOFF);
		pid = fork();
		if (pid < 0)
			err(1, "fork");
		if (!pid && module)
			try_module(copy, size);
		if (!pid)
			try_program(interpreter ? PROGRAM : COPY, copy, size);
		status = wait_for(pid, module);
		if (WIFSIGNALED(status)) {
			killed++;
			/* The kernel is in the middle of loading it for ever. */
			if (module)
				break;
		} else if (WEXITSTATUS(status) == REFUSED) {
			refused++;
		} else {
			accepted++;
		}
	}
	unlink(COPY);
	unlink(PROGRAM);
	printf("\n%ld refused, %ld accepted, %ld killed\n", refused, accepted,
	       killed);
	return 0;
}
