/* SPDX-License-Identifier: GPL-2.0-only */
/* A program's fault that will kill it, in a line of the log. */
#include <linux/dcache.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/signal.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <emu/hostcall.h>
#include <asm/ptrace.h>

#define MAX_INSN_SIZE	16	/* bytes; no instruction has more */
#define INSN_TEXT_SIZE	128
#define VMA_TEXT_SIZE	128

/* " in FILE[START+SIZE]": what is mapped at @ip; nothing if that is no file. */
static void vma_text(unsigned long ip, char *text)
{
	struct mm_struct *mm = current->mm;
	char *page = kmalloc(PAGE_SIZE, GFP_KERNEL), *path;
	struct vm_area_struct *vma;

	*text = '\0';
	if (!page)
		return;
	mmap_read_lock(mm);
	vma = find_vma(mm, ip);
	if (vma && vma->vm_start <= ip && vma->vm_file) {
		path = d_path(&vma->vm_file->f_path, page, PAGE_SIZE);
		snprintf(text, VMA_TEXT_SIZE, " in %s[%lx+%lx]",
			 IS_ERR(path) ? "?" : kbasename(path), vma->vm_start,
			 vma->vm_end - vma->vm_start);
	}
	mmap_read_unlock(mm);
	kfree(page);
}

/* ": INSTRUCTION", which the host disassembles; nothing if it is not there. */
static void insn_text(unsigned long ip, char *text)
{
	char *insn = text + strlen(": ");
	long len;

	len = MAX_INSN_SIZE - copy_from_user(insn, (void __user *)ip,
					     MAX_INSN_SIZE);
	len = hostcall(HC_DISASSEMBLE, ip, (unsigned long)insn, len,
		       INSN_TEXT_SIZE - strlen(": ") - 1);
	memcpy(text, ": ", strlen(": "));
	text[len > 0 ? strlen(": ") + len : 0] = '\0';
}

/* May sleep. */
void show_signal(int signr, const char *desc, struct pt_regs *regs, long err)
{
	unsigned long ip = instruction_pointer(regs);
	char vma[VMA_TEXT_SIZE], insn[INSN_TEXT_SIZE];

	if (!unhandled_signal(current, signr))
		return;
	vma_text(ip, vma);
	insn_text(ip, insn);
	pr_warn("traps: %s[%d] trap %s ip:%lx sp:%lx error:%lx%s%s\n",
		current->comm, task_pid_nr(current), desc, ip,
		(unsigned long)user_stack_pointer(regs), err, vma, insn);
}
