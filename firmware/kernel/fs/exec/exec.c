/* SPDX-License-Identifier: GPL-2.0-only */
/* execve: a new program in place of the caller's. */
#include <linux/binfmts.h>
#include <linux/errno.h>
#include <linux/fdtable.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/namei.h>
#include <linux/posix-timers.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/signal.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/syscalls.h>
#include <linux/uaccess.h>
#include <trace/events/sched.h>

#include "args.h"

/* A script's interpreter may be a script, and so on. */
#define MAX_INTERPRETERS	5

/* The file may not be written until its last user has closed it. */
static struct file *do_open_execat(int fd, struct filename *name)
{
	static const struct open_flags op = {
		.open_flag	= O_RDONLY | O_LARGEFILE,
		.acc_mode	= MAY_EXEC,
		.lookup_flags	= LOOKUP_FOLLOW,
	};
	struct file *file = do_filp_open(fd, name, &op);
	int err;

	if (IS_ERR(file))
		return file;
	err = deny_write_access(file);
	if (err) {
		fput(file);
		return ERR_PTR(err);
	}
	file->f_mode |= FMODE_EXEC;
	return file;
}

struct file *open_exec(const char *name)
{
	struct filename *filename = getname_kernel(name);
	struct file *file = ERR_CAST(filename);

	if (!IS_ERR(filename)) {
		file = do_open_execat(AT_FDCWD, filename);
		putname(filename);
	}
	return file;
}

/* An address space with nothing but the stack. */
static inline int bprm_mm_init(struct linux_binprm *bprm)
{
	struct mm_struct *mm = mm_alloc();
	struct vm_area_struct *vma;
	int err = -ENOMEM;

	if (!mm)
		return -ENOMEM;
	vma = vm_area_alloc(mm);
	if (!vma)
		goto drop_mm;
	vma->vm_end = STACK_TOP;
	vma->vm_start = vma->vm_end - PAGE_SIZE;
	vma->vm_flags = VM_STACK_FLAGS;
	vma->vm_page_prot = vm_get_page_prot(vma->vm_flags);

	mmap_write_lock(mm);
	err = insert_vm_struct(mm, vma);
	mmap_write_unlock(mm);
	if (err) {
		vm_area_free(vma);
		goto drop_mm;
	}
	bprm->mm = mm;
	bprm->vma = vma;
	/* The last word stays zero, as programs may expect. */
	bprm->p = vma->vm_end - sizeof(void *);
	return 0;

drop_mm:
	mmput(mm);
	return err;
}

static void free_bprm(struct linux_binprm *bprm)
{
	if (bprm->mm)
		mmput(bprm->mm);
	if (bprm->file)
		fput(bprm->file);
	if (bprm->interpreter)
		fput(bprm->interpreter);
	if (bprm->interp)
		kfree(bprm->interp);
	kfree(bprm);
}

static struct linux_binprm *alloc_bprm(const char *filename)
{
	struct linux_binprm *bprm = kzalloc(sizeof(*bprm), GFP_KERNEL);
	int err;

	if (!bprm)
		return ERR_PTR(-ENOMEM);
	bprm->filename = filename;
	err = bprm_mm_init(bprm);
	if (err) {
		free_bprm(bprm);
		return ERR_PTR(err);
	}
	return bprm;
}

int bprm_change_interp(const char *interp, struct linux_binprm *bprm)
{
	size_t size = strlen(interp) + 1;
	char *copy = kmalloc(size, GFP_KERNEL);

	if (!copy)
		return -ENOMEM;
	memcpy(copy, interp, size);
	kfree(bprm->interp);
	bprm->interp = copy;
	return 0;
}

/* Makes room below the strings for what the format will put there. */
int setup_arg_pages(struct linux_binprm *bprm, bool executable_stack)
{
	struct vm_area_struct *vma = bprm->vma, *prev = NULL;
	struct mm_struct *mm = current->mm;
	int err = 0;

	mmap_write_lock(mm);
	if (executable_stack)
		err = mprotect_fixup(vma, &prev, vma->vm_start, vma->vm_end,
				     vma->vm_flags | VM_EXEC);
	if (!err)
		err = expand_stack(vma, vma->vm_start - 32 * PAGE_SIZE);
	mmap_write_unlock(mm);
	mm->arg_start = bprm->p;
	return err;
}

/*
 * The caller's program goes. An error before point_of_no_return leaves it
 * running, a later one ends the process.
 */
int begin_new_exec(struct linux_binprm *bprm)
{
	struct task_struct *me = current;
	int err;

	/* From here on other threads may be gone already. */
	bprm->point_of_no_return = true;
	err = de_thread(me);
	if (err)
		return err;
	err = unshare_files();
	if (err)
		return err;
	exec_mmap(bprm->mm);
	bprm->mm = NULL;
	err = unshare_sighand(me);
	if (err)
		return err;

	me->flags &= ~(PF_KTHREAD | PF_FORKNOEXEC);
	flush_thread();
	exit_itimers(me);
	do_close_on_exec(me->files);
	set_task_comm(me, kbasename(bprm->filename));
	sas_ss_reset(me);
	me->pdeath_signal = 0;
	flush_signal_handlers(me, 0);
	return 0;
}

static inline int prepare_binprm(struct linux_binprm *bprm)
{
	loff_t pos = 0;

	memset(bprm->buf, 0, BINPRM_BUF_SIZE);
	return kernel_read(bprm->file, bprm->buf, BINPRM_BUF_SIZE, &pos);
}

static int search_binary_handler(struct linux_binprm *bprm)
{
	static const struct linux_binfmt *const formats[] = {
		&script_format, &elf_format,
	};
	int err = prepare_binprm(bprm);

	if (err < 0)
		return err;
	for (int i = 0; i < ARRAY_SIZE(formats); i++) {
		err = formats[i]->load_binary(bprm);
		if (bprm->point_of_no_return || err != -ENOEXEC)
			return err;
	}
	return -ENOEXEC;
}

static int exec_binprm(struct linux_binprm *bprm)
{
	pid_t old_pid = current->pid;
	int err;

	for (int depth = 0; depth <= MAX_INTERPRETERS; depth++) {
		err = search_binary_handler(bprm);
		if (err)
			return err;
		if (!bprm->interpreter) {
			trace_sched_process_exec(current, old_pid, bprm);
			return 0;
		}
		fput(bprm->file);
		bprm->file = bprm->interpreter;
		bprm->interpreter = NULL;
	}
	return -ELOOP;
}

static int bprm_execve(struct linux_binprm *bprm, int fd,
		       struct filename *filename)
{
	struct file *file = do_open_execat(fd, filename);
	int err;

	if (IS_ERR(file))
		return PTR_ERR(file);
	sched_exec();
	bprm->file = file;
	err = exec_binprm(bprm);
	/* There is no program left that could be told of the error. */
	if (err && bprm->point_of_no_return && !fatal_signal_pending(current))
		force_fatal_sig(SIGSEGV);
	return err;
}

/* The pointers to the strings count, too. */
static inline int bprm_stack_limits(struct linux_binprm *bprm)
{
	u64 pointers = ((u64)bprm->argc + bprm->envc) * sizeof(void *);

	if (pointers >= ARG_SIZE_LIMIT)
		return -E2BIG;
	bprm->argmin = bprm->p - (ARG_SIZE_LIMIT - pointers);
	return 0;
}

static int do_execveat_common(int fd, struct filename *filename,
			      struct user_arg_ptr argv,
			      struct user_arg_ptr envp)
{
	struct linux_binprm *bprm;
	int err;

	if (IS_ERR(filename))
		return PTR_ERR(filename);
	bprm = alloc_bprm(filename->iname);
	if (IS_ERR(bprm)) {
		err = PTR_ERR(bprm);
		goto put_name;
	}
	err = bprm->argc = count(argv);
	if (err < 0)
		goto free;
	err = bprm->envc = count(envp);
	if (err < 0)
		goto free;
	err = bprm_stack_limits(bprm);
	if (err)
		goto free;

	err = copy_string_kernel(bprm->filename, bprm);
	if (err)
		goto free;
	bprm->exec = bprm->p;
	err = copy_strings(bprm->envc, envp, bprm);
	if (err)
		goto free;
	err = copy_strings(bprm->argc, argv, bprm);
	if (err)
		goto free;
	/* A program may rely on argv[0] being there. */
	if (!bprm->argc) {
		err = copy_string_kernel("", bprm);
		if (err)
			goto free;
		bprm->argc = 1;
	}
	err = bprm_execve(bprm, fd, filename);
free:
	free_bprm(bprm);
put_name:
	putname(filename);
	return err;
}

SYSCALL_DEFINE3(execve, const char __user *, filename,
		const char __user *const __user *, argv,
		const char __user *const __user *, envp)
{
	return do_execveat_common(AT_FDCWD, getname(filename),
				  (struct user_arg_ptr){ .user = argv },
				  (struct user_arg_ptr){ .user = envp });
}

/* For the first process: the caller then returns to user mode. */
int kernel_execve(const char *filename, const char *const *argv,
		  const char *const *envp)
{
	return do_execveat_common(AT_FDCWD, getname_kernel(filename),
				  (struct user_arg_ptr){ .kernel = argv },
				  (struct user_arg_ptr){ .kernel = envp });
}
