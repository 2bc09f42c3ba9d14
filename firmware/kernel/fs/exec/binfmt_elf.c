/* SPDX-License-Identifier: GPL-2.0-only */
/* Static ELF programs: their segments become the new address space. */
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
#include <emu/elf_property.h>

#include "elf_tables.h"

/* Where position-independent programs go: clear of heap, mmap and stack. */
#define ELF_ET_DYN_BASE	(TASK_SIZE / 3 * 2)

/* Nothing is mapped below: a NULL pointer and its members stay invalid. */
#define MMAP_MIN_ADDR	0x10000UL

/* Headers fit into a page. */
#define ELF_MAX_PHDRS	(PAGE_SIZE / sizeof(struct elf64_phdr))

static inline bool elf_check_header(const struct linux_binprm *bprm)
{
	const struct elf64_hdr *ehdr = (const struct elf64_hdr *)bprm->buf;

	return !memcmp(ehdr->e_ident, ELFMAG, SELFMAG) &&
	       ehdr->e_ident[EI_CLASS] == ELF_CLASS &&
	       ehdr->e_ident[EI_DATA] == ELF_DATA &&
	       ehdr->e_ident[EI_VERSION] == EV_CURRENT &&
	       ehdr->e_version == EV_CURRENT &&
	       (ehdr->e_type == ET_EXEC || ehdr->e_type == ET_DYN) &&
	       ehdr->e_machine == ELF_ARCH &&
	       ehdr->e_phentsize == sizeof(struct elf64_phdr) &&
	       ehdr->e_phnum >= 1 && ehdr->e_phnum <= ELF_MAX_PHDRS &&
	       ehdr->e_phoff <= (u64)MAX_LFS_FILESIZE - PAGE_SIZE &&
	       bprm->file->f_op->mmap;
}

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

/* Whether a segment can be mapped somewhere below @limit. */
static inline bool elf_check_segment(const struct elf64_phdr *phdr, u64 limit)
{
	return phdr->p_memsz && phdr->p_filesz <= phdr->p_memsz &&
	       phdr->p_memsz <= limit &&
	       phdr->p_vaddr <= limit - phdr->p_memsz &&
	       phdr->p_offset <= (u64)MAX_LFS_FILESIZE - TASK_SIZE &&
	       offset_in_page(phdr->p_vaddr) == offset_in_page(phdr->p_offset);
}

/*
 * Everything that can be wrong with a program is found here, while the old
 * one is still there to be told.
 */
static inline int elf_check_phdrs(const struct elf64_hdr *ehdr,
				  const struct elf64_phdr *phdrs)
{
	bool dyn = ehdr->e_type == ET_DYN, loads = false;
	u64 limit = dyn ? TASK_SIZE - ELF_ET_DYN_BASE : TASK_SIZE;

	/* The stack needs its place at the top. */
	limit -= 2 * ARG_SIZE_LIMIT;
	for (int i = 0; i < ehdr->e_phnum; i++) {
		const struct elf64_phdr *phdr = &phdrs[i];

		if (phdr->p_type == PT_INTERP)
			return -ENOEXEC;	/* not a static program */
		if (phdr->p_type != PT_LOAD)
			continue;
		if (!elf_check_segment(phdr, limit) ||
		    (!dyn && phdr->p_vaddr < MMAP_MIN_ADDR))
			return -ENOEXEC;
		loads = true;
	}
	return loads && ehdr->e_entry < limit ? 0 : -ENOEXEC;
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

static inline int elf_check_properties(const struct elf64_hdr *ehdr,
				       const struct elf64_phdr *phdrs,
				       struct file *file)
{
	int err = 0;

	for (int i = 0; i < ehdr->e_phnum && !err; i++)
		if (phdrs[i].p_type == PT_GNU_PROPERTY)
			err = parse_elf_properties(&phdrs[i], file);
	return err;
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
static inline unsigned long elf_phdr_addr(const struct elf64_hdr *ehdr,
					  const struct elf64_phdr *phdrs,
					  unsigned long bias)
{
	for (int i = 0; i < ehdr->e_phnum; i++) {
		const struct elf64_phdr *phdr = &phdrs[i];

		if (phdr->p_type == PT_LOAD &&
		    ehdr->e_phoff >= phdr->p_offset &&
		    ehdr->e_phoff - phdr->p_offset < phdr->p_filesz)
			return bias + phdr->p_vaddr +
			       (ehdr->e_phoff - phdr->p_offset);
	}
	return 0;
}

/* Whether the program puts code on its stack. */
static inline bool elf_executable_stack(const struct elf64_hdr *ehdr,
					const struct elf64_phdr *phdrs)
{
	for (int i = 0; i < ehdr->e_phnum; i++)
		if (phdrs[i].p_type == PT_GNU_STACK)
			return phdrs[i].p_flags & PF_X;
	return false;
}

/* From here on the old program is gone. */
static inline int elf_start(struct linux_binprm *bprm,
			    const struct elf64_hdr *ehdr,
			    const struct elf64_phdr *phdrs)
{
	unsigned long bias = 0;
	struct elf_info info;
	struct mm_struct *mm;
	int err;

	if (ehdr->e_type == ET_DYN)
		bias = PAGE_ALIGN(ELF_ET_DYN_BASE);
	err = begin_new_exec(bprm);
	if (!err)
		err = setup_arg_pages(bprm,
				      elf_executable_stack(ehdr, phdrs));
	if (err)
		return err;

	mm = current->mm;
	mm->start_code = ULONG_MAX;
	for (int i = 0; i < ehdr->e_phnum; i++) {
		unsigned long addr = bias + phdrs[i].p_vaddr;

		if (phdrs[i].p_type != PT_LOAD)
			continue;
		err = elf_load(bprm->file, addr, &phdrs[i]);
		if (err)
			return err;
		elf_account(mm, addr, &phdrs[i]);
	}
	info.entry = bias + ehdr->e_entry;
	info.phdr_addr = elf_phdr_addr(ehdr, phdrs, bias);
	info.phnum = ehdr->e_phnum;
	err = create_elf_tables(bprm, &info);
	if (!err)
		start_thread(current_pt_regs(), info.entry, bprm->p);
	return err;
}

static int load_elf_binary(struct linux_binprm *bprm)
{
	const struct elf64_hdr *ehdr = (const struct elf64_hdr *)bprm->buf;
	struct elf64_phdr *phdrs;
	int err;

	if (!elf_check_header(bprm))
		return -ENOEXEC;
	phdrs = load_elf_phdrs(ehdr, bprm->file);
	if (IS_ERR(phdrs))
		return PTR_ERR(phdrs);
	err = elf_check_phdrs(ehdr, phdrs);
	if (!err)
		err = elf_check_properties(ehdr, phdrs, bprm->file);
	if (!err)
		err = elf_start(bprm, ehdr, phdrs);
	kfree(phdrs);
	return err;
}

const struct linux_binfmt elf_format = {
	.load_binary	= load_elf_binary,
};
