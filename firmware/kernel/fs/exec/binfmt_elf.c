/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ELF programs: their segments become the new address space, beside those of
 * the interpreter that a dynamic program names.
 */
#include <linux/binfmts.h>
#include <linux/elf.h>
#include <linux/errno.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <asm/vdso.h>
#include <emu/elf_property.h>

#include "elf_check.h"
#include "elf_tables.h"

static struct elf64_phdr *load_elf_phdrs(const struct elf64_hdr *ehdr,
					 struct file *file)
{
	size_t size = ehdr->e_phnum * sizeof(struct elf64_phdr);
	struct elf64_phdr *phdrs = kmalloc(size, GFP_KERNEL);
	loff_t pos = ehdr->e_phoff;
	ssize_t got;

	if (!phdrs)
		return ERR_PTR(-ENOMEM);
	got = kernel_read(file, phdrs, size, &pos);
	if (got != (ssize_t)size) {
		kfree(phdrs);
		return ERR_PTR(got < 0 ? got : -ENOEXEC);
	}
	return phdrs;
}

/* What the program says that it needs of the CPU must be there. */
static inline int parse_elf_properties(const struct elf64_phdr *phdr,
				       struct file *file)
{
	loff_t pos = phdr->p_offset;
	ssize_t got;
	char *note;

	if (phdr->p_filesz > ELF_PROPERTY_NOTE_SIZE ||
	    phdr->p_offset > (u64)MAX_LFS_FILESIZE - ELF_PROPERTY_NOTE_SIZE)
		return -ENOEXEC;
	note = kmalloc(ELF_PROPERTY_NOTE_SIZE, GFP_KERNEL);
	if (!note)
		return -ENOMEM;
	got = kernel_read(file, note, phdr->p_filesz, &pos);
	if (got >= 0)
		got = elf_property_error(note, got) ? -ENOEXEC : 0;
	kfree(note);
	return got;
}

static inline int elf_check_properties(const struct elf_image *image)
{
	int err = 0;

	for (int i = 0; i < image->ehdr.e_phnum && !err; i++)
		if (image->phdrs[i].p_type == PT_GNU_PROPERTY)
			err = parse_elf_properties(&image->phdrs[i],
						   image->file);
	return err;
}

/*
 * The program headers of a file whose header is there; the caller frees them
 * unless there is an error. -ENOEXEC: it is nothing that can be loaded.
 */
static inline int elf_read_headers(struct elf_image *image)
{
	struct elf64_phdr *phdrs;
	int err;

	if (!elf_check_header(image))
		return -ENOEXEC;
	phdrs = load_elf_phdrs(&image->ehdr, image->file);
	if (IS_ERR(phdrs))
		return PTR_ERR(phdrs);
	image->phdrs = phdrs;
	err = elf_check_phdrs(image);
	if (!err)
		err = elf_check_properties(image);
	if (err) {
		image->phdrs = NULL;
		kfree(phdrs);
	}
	return err;
}

/* All of it, or an error. */
static int elf_read(struct file *file, void *buf, size_t len, loff_t pos)
{
	ssize_t got = kernel_read(file, buf, len, &pos);

	if (got < 0)
		return got;
	return (size_t)got == len ? 0 : -EIO;
}

/* The interpreter that a program header names. */
static inline struct file *elf_open_interpreter(const struct elf64_phdr *phdr,
						struct file *file)
{
	struct file *interpreter;
	char *name;
	int err;

	if (phdr->p_filesz < 2 || phdr->p_filesz > PATH_MAX ||
	    phdr->p_offset > (u64)MAX_LFS_FILESIZE - PATH_MAX)
		return ERR_PTR(-ENOEXEC);
	name = kmalloc(phdr->p_filesz, GFP_KERNEL);
	if (!name)
		return ERR_PTR(-ENOMEM);
	err = elf_read(file, name, phdr->p_filesz, phdr->p_offset);
	if (!err && name[phdr->p_filesz - 1])
		err = -ENOEXEC;
	interpreter = err ? ERR_PTR(err) : open_exec(name);
	kfree(name);
	return interpreter;
}

/* Of a dynamic program; a static one has none: its file stays NULL. */
static inline int elf_read_interpreter(const struct elf_image *program,
				       struct elf_image *interp)
{
	const struct elf64_phdr *phdr = program->phdrs;
	const struct elf64_phdr *end = phdr + program->ehdr.e_phnum;
	struct file *file;
	int err;

	while (phdr < end && phdr->p_type != PT_INTERP)
		phdr++;
	if (phdr == end)
		return 0;
	file = elf_open_interpreter(phdr, program->file);
	if (IS_ERR(file))
		return PTR_ERR(file);
	interp->file = file;
	err = elf_read(file, &interp->ehdr, sizeof(interp->ehdr), 0);
	if (err)
		return err;
	err = elf_read_headers(interp);
	return err == -ENOEXEC ? -ELIBBAD : err;
}

static inline int make_prot(u32 p_flags)
{
	return (p_flags & PF_R ? PROT_READ : 0) |
	       (p_flags & PF_W ? PROT_WRITE : 0) |
	       (p_flags & PF_X ? PROT_EXEC : 0);
}

/* Maps the part of a segment that the file holds. */
static int elf_map(struct file *file, unsigned long addr,
		   const struct elf64_phdr *phdr)
{
	unsigned long size = phdr->p_filesz + offset_in_page(addr);
	unsigned long at = addr & PAGE_MASK, map;

	map = vm_mmap(file, at, PAGE_ALIGN(size), make_prot(phdr->p_flags),
		      MAP_PRIVATE | MAP_FIXED,
		      phdr->p_offset - offset_in_page(addr));
	return IS_ERR_VALUE(map) ? (long)map : 0;
}

/* Maps a segment at its place: first the file's pages, then zeroes. */
static int elf_load(struct file *file, unsigned long addr,
		    const struct elf64_phdr *phdr)
{
	unsigned long file_end = addr + phdr->p_filesz;
	unsigned long zero_start = addr & PAGE_MASK;
	unsigned long zero_end = PAGE_ALIGN(addr + phdr->p_memsz);
	int err;

	if (phdr->p_filesz) {
		err = elf_map(file, addr, phdr);
		if (err)
			return err;
		zero_start = PAGE_ALIGN(file_end);
		/* What follows in the file is not the program's. */
		if (phdr->p_memsz > phdr->p_filesz &&
		    (phdr->p_flags & PF_W) &&
		    clear_user((void __user *)file_end, zero_start - file_end))
			return -EFAULT;
	}
	if (zero_end <= zero_start)
		return 0;
	return vm_brk_flags(zero_start, zero_end - zero_start,
			    phdr->p_flags & PF_X ? VM_EXEC : 0);
}

/* What the segments say of the address space. */
static inline void elf_account(struct mm_struct *mm, unsigned long addr,
			       const struct elf64_phdr *phdr)
{
	unsigned long file_end = addr + phdr->p_filesz;
	unsigned long end = PAGE_ALIGN(addr + phdr->p_memsz);

	if (phdr->p_flags & PF_X) {
		mm->start_code = min(mm->start_code, addr);
		mm->end_code = max(mm->end_code, file_end);
	}
	if (phdr->p_flags & PF_W) {
		mm->start_data = max(mm->start_data, addr);
		mm->end_data = max(mm->end_data, file_end);
	}
	mm->start_brk = mm->brk = max(mm->brk, end);
}

/* Where the program itself can read its headers; 0 if it cannot. */
static inline unsigned long elf_phdr_addr(const struct elf_image *image,
					  unsigned long bias)
{
	u64 phoff = image->ehdr.e_phoff;

	for (int i = 0; i < image->ehdr.e_phnum; i++) {
		const struct elf64_phdr *phdr = &image->phdrs[i];

		if (phdr->p_type == PT_LOAD && phoff >= phdr->p_offset &&
		    phoff - phdr->p_offset < phdr->p_filesz)
			return bias + phdr->p_vaddr + (phoff - phdr->p_offset);
	}
	return 0;
}

/* Whether the program puts code on its stack. */
static inline bool elf_executable_stack(const struct elf_image *image)
{
	for (int i = 0; i < image->ehdr.e_phnum; i++)
		if (image->phdrs[i].p_type == PT_GNU_STACK)
			return image->phdrs[i].p_flags & PF_X;
	return false;
}

static inline int elf_load_program(const struct elf_image *program,
				   unsigned long bias)
{
	struct mm_struct *mm = current->mm;

	mm->start_code = ULONG_MAX;
	for (int i = 0; i < program->ehdr.e_phnum; i++) {
		const struct elf64_phdr *phdr = &program->phdrs[i];
		int err;

		if (phdr->p_type != PT_LOAD)
			continue;
		err = elf_load(program->file, bias + phdr->p_vaddr, phdr);
		if (err)
			return err;
		elf_account(mm, bias + phdr->p_vaddr, phdr);
	}
	return 0;
}

/* How much the segments span, from the page of the lowest on. */
static inline unsigned long total_mapping_size(const struct elf_image *image,
					       u64 *lowest)
{
	u64 end = 0;

	*lowest = U64_MAX;
	for (int i = 0; i < image->ehdr.e_phnum; i++) {
		const struct elf64_phdr *phdr = &image->phdrs[i];

		if (phdr->p_type != PT_LOAD)
			continue;
		*lowest = min(*lowest, phdr->p_vaddr & (u64)PAGE_MASK);
		end = max(end, phdr->p_vaddr + phdr->p_memsz);
	}
	return end - *lowest;
}

/* Maps an interpreter where there is room; returns its bias, or -errno. */
static unsigned long load_elf_interp(const struct elf_image *interp)
{
	u64 lowest;
	unsigned long size = total_mapping_size(interp, &lowest), bias = 0;

	if (interp->ehdr.e_type == ET_DYN) {
		unsigned long map = vm_mmap(NULL, 0, size, PROT_NONE,
					    MAP_PRIVATE, 0);

		if (IS_ERR_VALUE(map))
			return map;
		vm_munmap(map, size);
		bias = map - lowest;
	}
	for (int i = 0; i < interp->ehdr.e_phnum; i++) {
		const struct elf64_phdr *phdr = &interp->phdrs[i];
		int err;

		if (phdr->p_type != PT_LOAD)
			continue;
		err = elf_load(interp->file, bias + phdr->p_vaddr, phdr);
		if (err)
			return err;
	}
	return bias;
}

/* From here on the old program is gone. */
static inline int elf_start(struct linux_binprm *bprm,
			    const struct elf_image *program,
			    const struct elf_image *interp)
{
	unsigned long bias = 0, start;
	struct elf_info info = { .base = 0 };
	int err;

	if (program->ehdr.e_type == ET_DYN)
		bias = PAGE_ALIGN(ELF_ET_DYN_BASE);
	err = begin_new_exec(bprm);
	if (!err)
		err = setup_arg_pages(bprm, elf_executable_stack(program));
	if (!err)
		err = elf_load_program(program, bias);
	if (err)
		return err;

	info.entry = start = bias + program->ehdr.e_entry;
	info.phdr_addr = elf_phdr_addr(program, bias);
	info.phnum = program->ehdr.e_phnum;
	if (interp->file) {
		info.base = load_elf_interp(interp);
		if (IS_ERR_VALUE(info.base))
			return info.base;
		start = info.base + interp->ehdr.e_entry;
	}
	err = arch_setup_additional_pages(current->mm);
	if (!err)
		err = create_elf_tables(bprm, &info);
	if (!err)
		start_thread(current_pt_regs(), start, bprm->p);
	return err;
}

static int load_elf_binary(struct linux_binprm *bprm)
{
	struct elf_image program = { .file = bprm->file }, interp = { NULL };
	int err;

	memcpy(&program.ehdr, bprm->buf, sizeof(program.ehdr));
	err = elf_read_headers(&program);
	if (err)
		return err;
	err = elf_read_interpreter(&program, &interp);
	if (!err)
		err = elf_start(bprm, &program, &interp);
	if (interp.file) {
		kfree(interp.phdrs);
		fput(interp.file);
	}
	kfree(program.phdrs);
	return err;
}

const struct linux_binfmt elf_format = {
	.load_binary	= load_elf_binary,
};
