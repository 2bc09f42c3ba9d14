/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Has any function call its functions directly, as is written to `do`; a wrong
 * word or address is answered by what the kernel's function returns. It gives
 * back nothing when it goes: that is for whoever tries what happens then.
 */
#include <linux/ftrace.h>
#include <linux/kernel.h>
#include <linux/kstrtox.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "ftrace_direct.h"

static unsigned long calls;
module_param(calls, ulong, 0444);
MODULE_PARM_DESC(calls, "how often sample_direct_tramp was called");

static bool keep;
module_param(keep, bool, 0444);
MODULE_PARM_DESC(keep, "init fails with a direct call of schedule() registered");

static struct ftrace_ops ops;

void sample_direct_count(void);

void sample_direct_count(void)
{
	__atomic_fetch_add(&calls, 1, __ATOMIC_RELAXED);
}

DIRECT_TRAMP(sample_direct_tramp, sample_direct_count);

/* Returns to the function's caller, what the function is to have returned. */
void sample_direct_42(void);
asm("	.pushsection .text, \"ax\", @progbits\n"
    "	.globl	sample_direct_42\n"
    "	.type	sample_direct_42, @function\n"
    "sample_direct_42:\n"
    "	addq	$8, %rsp\n"
    "	movl	$42, %eax\n"
    "	ret\n"
    "	.size	sample_direct_42, . - sample_direct_42\n"
    "	.popsection\n");

/* The hexadecimal number that a text goes on with, behind a space; 0: none. */
static unsigned long next_number(const char **text)
{
	unsigned long number = 0;
	const char *p = *text;

	while (*p == ' ')
		p++;
	for (; *p && *p != ' ' && *p != '\n'; p++)
		number = number << 4 | (*p <= '9' ? *p - '0' : *p - 'a' + 10);
	*text = p;
	return number;
}

static int do_set(const char *val, const struct kernel_param *kp)
{
	const char *rest = val + 1;
	unsigned long a, b, c;
	int len = strlen(rest);

	if (*val == '=' || *val == '+') {
		if (len && rest[len - 1] == '\n')
			len--;
		return ftrace_set_filter(&ops, (unsigned char *)rest, len,
					 *val == '=');
	}
	a = next_number(&rest);
	b = next_number(&rest);
	c = next_number(&rest);
	switch (*val) {
	case 'r':
		return register_ftrace_direct(a, b);
	case 'u':
		return unregister_ftrace_direct(a, b);
	case 'm':
		return modify_ftrace_direct(a, b, c);
	case 'f':
		return ftrace_set_filter_ip(&ops, a, b, c);
	case 'R':
		return register_ftrace_direct_multi(&ops, a);
	case 'U':
		return unregister_ftrace_direct_multi(&ops, a);
	case 'M':
		return modify_ftrace_direct_multi(&ops, a);
	}
	return -EINVAL;
}

static const struct kernel_param_ops do_ops = { .set = do_set };
__module_param(do, ops, do_ops, "charp", 0200);
MODULE_PARM_DESC(do, "r, u: IP ADDR; m: IP OLD NEW; f: IP REMOVE RESET; =, +: a word; R, U, M: ADDR");

static int __init sample_direct_init(void)
{
	if (!keep)
		return 0;
	register_ftrace_direct((unsigned long)schedule,
			       (unsigned long)sample_direct_tramp);
	return -ENODEV;
}
module_init(sample_direct_init);

static void __exit sample_direct_exit(void)
{
}
module_exit(sample_direct_exit);

MODULE_LICENSE("GPL");
MODULE_AUTHOR("emu");
MODULE_DESCRIPTION("Has functions call its own directly");
