/* SPDX-License-Identifier: GPL-2.0-only */
/* Why the kernel does not execute a file. */
#include <errno.h>
#include <exec.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>
#include <emu/elf_property.h>
#include <linux/elf.h>

/* What the kernel reads of a script, and how many name each other at most. */
#define FIRST_LINE		256
#define MAX_INTERPRETERS	5

static const struct {
	unsigned short number;		/* e_machine */
	const char *name;		/* as uname -m has it */
} machines[] = {
	{ 2, "sparc" }, { 3, "i386" }, { 8, "mips" }, { 18, "sparc" },
	{ 20, "ppc" }, { 21, "ppc64" }, { 22, "s390x" }, { 40, "arm" },
	{ 43, "sparc64" }, { 62, "x86_64" }, { 183, "aarch64" },
	{ 243, "riscv64" }, { 258, "loongarch64" },
};

const char *interpreter_advice = "--host-tree or --share puts it there";

static char text[PATH_MAX + 512];

bool script_interpreter(int fd, char interpreter[PATH_MAX])
{
	char line[FIRST_LINE + 1];
	ssize_t got = pread(fd, line, FIRST_LINE, 0);
	size_t blanks;

	line[got > 0 ? got : 0] = '\0';
	if (strncmp(line, "#!", 2))
		return false;
	blanks = strspn(line + 2, " \t");
	snprintf(interpreter, PATH_MAX, "%.*s",
		 (int)strcspn(line + 2 + blanks, " \t\n"), line + 2 + blanks);
	return *interpreter;
}

static const char *machine_error(const struct elf64_hdr *ehdr)
{
	const unsigned char *bytes = (const unsigned char *)&ehdr->e_machine;
	bool big = ehdr->e_ident[EI_DATA] == ELFDATA2MSB;
	unsigned int number = bytes[!big] << 8 | bytes[big];
	struct utsname here;

	if (number == ELF_ARCH && ehdr->e_ident[EI_CLASS] == ELFCLASS32)
		return "it is a 32-bit program; compile it for 64 bits";
	if (number == ELF_ARCH)
		return NULL;
	uname(&here);
	for (size_t i = 0; i < sizeof(machines) / sizeof(*machines); i++)
		if (machines[i].number == number) {
			snprintf(text, sizeof(text),
				 "it is for %s; this machine is %s",
				 machines[i].name, here.machine);
			return text;
		}
	snprintf(text, sizeof(text),
		 "it is for machine %u of ELF; this machine is %s", number,
		 here.machine);
	return text;
}

static const char *type_error(const struct elf64_hdr *ehdr)
{
	if (ehdr->e_type == ET_REL)
		return "it is an object file; link it";
	if (ehdr->e_type == ET_CORE)
		return "it is a core file";
	return NULL;
}

static const char *property_error(int fd, const struct elf64_phdr *phdr)
{
	char note[ELF_PROPERTY_NOTE_SIZE] __attribute__((aligned(8)));
	ssize_t got = pread(fd, note, sizeof(note), phdr->p_offset);
	size_t length = got > 0 ? got : 0;

	return elf_property_error(note, length < phdr->p_filesz ?
					length : phdr->p_filesz);
}

/* The first program header of a type. */
static bool find_phdr(int fd, const struct elf64_hdr *ehdr, unsigned int type,
		      struct elf64_phdr *phdr)
{
	for (int i = 0; i < ehdr->e_phnum; i++)
		if (pread(fd, phdr, sizeof(*phdr),
			  ehdr->e_phoff + i * sizeof(*phdr)) !=
		    sizeof(*phdr))
			return false;
		else if (phdr->p_type == type)
			return true;
	return false;
}

static bool read_ehdr(int fd, struct elf64_hdr *ehdr)
{
	return pread(fd, ehdr, sizeof(*ehdr), 0) == sizeof(*ehdr) &&
	       !memcmp(ehdr->e_ident, ELFMAG, SELFMAG);
}

const char *elf_error(int fd)
{
	struct elf64_phdr phdr;
	struct elf64_hdr ehdr;
	const char *error;

	if (!read_ehdr(fd, &ehdr))
		return strerror(ENOEXEC);
	error = machine_error(&ehdr);
	if (!error)
		error = type_error(&ehdr);
	if (!error && find_phdr(fd, &ehdr, PT_GNU_PROPERTY, &phdr))
		error = property_error(fd, &phdr);
	return error;
}

static bool elf_interpreter(int fd, char interpreter[PATH_MAX])
{
	struct elf64_phdr phdr;
	struct elf64_hdr ehdr;
	ssize_t got;

	if (!read_ehdr(fd, &ehdr) || !find_phdr(fd, &ehdr, PT_INTERP, &phdr))
		return false;
	got = pread(fd, interpreter, PATH_MAX - 1, phdr.p_offset);
	interpreter[got > 0 ? got : 0] = '\0';
	return *interpreter;
}

/* What is wrong with an interpreter; NULL: nothing. */
static const char *file_error(int fd, const char *name)
{
	char interpreter[PATH_MAX], reason[256];
	const char *error;

	if (fd < 0) {
		snprintf(text, sizeof(text), "its interpreter %s %s%s", name,
			 errno == ENOENT ? "is not in the guest's tree; " :
					   "cannot be opened",
			 errno == ENOENT ? interpreter_advice : "");
		return text;
	}
	error = script_interpreter(fd, interpreter) ? NULL : elf_error(fd);
	if (!error)
		return NULL;
	/* The error may be in the text that is made here. */
	snprintf(reason, sizeof(reason), "%s", error);
	snprintf(text, sizeof(text), "its interpreter %s: %s", name, reason);
	return text;
}

const char *interpreter_error(const char *path)
{
	static char names[2][PATH_MAX];
	const char *error = NULL;
	bool more = true;

	for (int i = 0; i <= MAX_INTERPRETERS && more && !error; i++) {
		char *name = names[i % 2];
		int fd = open(path, O_RDONLY | O_CLOEXEC);

		error = i ? file_error(fd, path) : NULL;
		more = fd >= 0 && (script_interpreter(fd, name) ||
				   elf_interpreter(fd, name));
		if (fd >= 0)
			close(fd);
		path = name;
	}
	return error;
}
