/* SPDX-License-Identifier: GPL-2.0-only */
/* The page of code that every program has. */
#include <linux/err.h>
#include <linux/errno.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/string.h>
#include <asm/cacheflush.h>
#include <asm/vdso.h>

extern const char vdso_start[], vdso_end[];

static struct page *vdso_page;

static vm_fault_t vdso_fault(struct vm_fault *vmf)
{
	get_page(vdso_page);
	vmf->page = vdso_page;
	return 0;
}

static const struct vm_operations_struct vdso_vm_ops = {
	.fault	= vdso_fault,
};

static int __init vdso_init(void)
{
	unsigned long page = __get_free_page(GFP_KERNEL | __GFP_ZERO);

	BUG_ON(!page || vdso_end - vdso_start > PAGE_SIZE);
	memcpy((void *)page, vdso_start, vdso_end - vdso_start);
	flush_icache_range(page, page + PAGE_SIZE);
	vdso_page = virt_to_page((void *)page);
	return 0;
}
arch_initcall(vdso_init);

int arch_setup_additional_pages(struct mm_struct *mm)
{
	struct vm_area_struct *vma = vm_area_alloc(mm);
	unsigned long addr;
	int err;

	if (!vma)
		return -ENOMEM;
	mmap_write_lock(mm);
	addr = get_unmapped_area(mm, PAGE_SIZE);
	vma->vm_start = addr;
	vma->vm_end = addr + PAGE_SIZE;
	vma->vm_flags = VM_READ | VM_EXEC | VM_MAYREAD | VM_MAYEXEC | VM_IO;
	vma->vm_page_prot = vm_get_page_prot(vma->vm_flags);
	vma->vm_pgoff = addr >> PAGE_SHIFT;
	vma->vm_ops = &vdso_vm_ops;
	err = IS_ERR_VALUE(addr) ? (long)addr : insert_vm_struct(mm, vma);
	mmap_write_unlock(mm);
	if (err)
		vm_area_free(vma);
	else
		mm->context.vdso = addr;
	return err;
}

const char *arch_vma_name(const struct vm_area_struct *vma)
{
	return vma->vm_ops == &vdso_vm_ops ? "[vdso]" : NULL;
}
