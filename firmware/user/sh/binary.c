/* SPDX-License-Identifier: GPL-2.0-only */
/* Files that are no scripts; of ELF files, why they cannot be executed. */
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>
#include <emu/elf_property.h>
#include <linux/elf.h>

#include "shell.h"

/* What of a file's beginning shows whether it is text. */
#define SAMPLE_SIZE	256

static const struct {
	unsigned short number;		/* e_machine */
	const char *name;		/* as uname -m has it */
} machines[] = {
	{ 2, "sparc" }, { 3, "i386" }, { 8, "mips" }, { 18, "sparc" },
	{ 20, "ppc" }, { 21, "ppc64" }, { 22, "s390x" }, { 40, "arm" },
	{ 43, "sparc64" }, { 62, "x86_64" }, { 183, "aarch64" },
	{ 243, "riscv64" }, { 258, "loongarch64" },
};

static char text[512];

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

static const char *interp_error(int fd, const char *path,
				const struct elf64_phdr *phdr)
{
	char interp[PATH_MAX];
	ssize_t got = pread(fd, interp, sizeof(interp) - 1, phdr->p_offset);
	size_t length = got > 0 ? got : 0;

	interp[length < phdr->p_filesz ? length : phdr->p_filesz] = '\0';
	if (access(interp, X_OK) == 0)
		snprintf(text, sizeof(text),
			 "it is dynamically linked; link it with -static, or run: %s %s",
			 interp, path);
	else
		snprintf(text, sizeof(text),
			 "it is dynamically linked, and its loader %s is not here; link it with -static",
			 interp);
	return text;
}

static const char *property_error(int fd, const struct elf64_phdr *phdr)
{
	char note[ELF_PROPERTY_NOTE_SIZE] __attribute__((aligned(8)));
	ssize_t got = pread(fd, note, sizeof(note), phdr->p_offset);
	size_t length = got > 0 ? got : 0;

	return elf_property_error(note, length < phdr->p_filesz ?
					length : phdr->p_filesz);
}

static const char *phdrs_error(int fd, const char *path,
			       const struct elf64_hdr *ehdr)
{
	const char *error = NULL;
	struct elf64_phdr phdr;

	for (int i = 0; i < ehdr->e_phnum && !error; i++) {
		if (pread(fd, &phdr, sizeof(phdr), ehdr->e_phoff +
			  i * sizeof(phdr)) != sizeof(phdr))
			return NULL;
		if (phdr.p_type == PT_INTERP)
			error = interp_error(fd, path, &phdr);
		else if (phdr.p_type == PT_GNU_PROPERTY)
			error = property_error(fd, &phdr);
	}
	return error;
}

static const char *elf_error(int fd, const char *path,
			     const struct elf64_hdr *ehdr)
{
	const char *error = machine_error(ehdr);

	if (!error)
		error = type_error(ehdr);
	if (!error)
		error = phdrs_error(fd, path, ehdr);
	return error ? error : strerror(ENOEXEC);
}

const char *binary_error(int fd, const char *path)
{
	union {
		char bytes[SAMPLE_SIZE];
		struct elf64_hdr ehdr;
	} sample = { .bytes = "" };
	struct stat st;
	ssize_t got;
	char *end;

	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return NULL;
	got = pread(fd, sample.bytes, sizeof(sample.bytes), 0);
	if (got < 0)
		return NULL;
	if (!memcmp(sample.ehdr.e_ident, ELFMAG, SELFMAG))
		return (size_t)got < sizeof(sample.ehdr) ? strerror(ENOEXEC) :
			elf_error(fd, path, &sample.ehdr);
	end = memchr(sample.bytes, '\n', got);
	if (memchr(sample.bytes, '\0', end ? end - sample.bytes : got))
		return strerror(ENOEXEC);
	return NULL;
}
