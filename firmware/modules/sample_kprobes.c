/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Places probes where its parameters say, and counts what comes of them:
 *
 *	probe		"NAME+OFFSET": a kprobe there; "-": no longer
 *	retprobe	"NAME": a kretprobe there
 *	enabled		0 disables the kprobe, 1 enables it
 *	handler		what the kprobe's handler does: see below
 *	call		calls sample_kprobes_work(); reads its result
 *	depth		calls sample_kprobes_depth(), which calls itself
 *	counts		of both: pre post nmissed, entry return nmissed
 *	leave		probes are left behind when the module goes
 */
#include <linux/err.h>
#include <linux/kallsyms.h>
#include <linux/kprobes.h>
#include <linux/kstrtox.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/string.h>

#define MAXACTIVE	3

long sample_kprobes_work(unsigned long n);
long sample_kprobes_other(unsigned long n);
long sample_kprobes_depth(unsigned long n);

static char *handler = "count";
module_param(handler, charp, 0644);
MODULE_PARM_DESC(handler, "count, call (what is probed), or other (instead of it)");

static bool leave;
module_param(leave, bool, 0644);
MODULE_PARM_DESC(leave, "do not unregister at the end");

static unsigned long pre, post, entries, returns, wrong;

static long twice(unsigned long n)
{
	return 2 * n;
}

static long thrice(unsigned long n)
{
	return 3 * n;
}

static long (*volatile functions[])(unsigned long n) = { twice, thrice };
static volatile unsigned long sum;

/* Instructions of many kinds: loops, branches, calls, accesses to memory. */
__attribute__((noinline)) long sample_kprobes_work(unsigned long n)
{
	sum = 0;
	for (unsigned long i = 0; i < n; i++) {
		switch (i % 6) {
		case 0:
			sum += functions[i % 2](i);
			break;
		case 1:
			sum += thrice(i) + (i > 3 ? n : i);
			break;
		case 2:
			sum ^= i << 3;
			break;
		case 3:
			sum -= i;
			break;
		case 4:
			sum += functions[1](n) / (i + 1);
			break;
		default:
			if (sum & 1)
				sum = -sum;
		}
	}
	return sum;
}

__attribute__((noinline)) long sample_kprobes_other(unsigned long n)
{
	return -(long)n;
}

/* Returns n. */
__attribute__((noinline)) long sample_kprobes_depth(unsigned long n)
{
	return n ? sample_kprobes_depth(n - 1) + 1 : 0;
}

static int pre_handler(struct kprobe *p, struct pt_regs *regs)
{
	pre++;
	if (!strcmp(handler, "call"))
		sample_kprobes_work(1);
	if (strcmp(handler, "other"))
		return 0;
	instruction_pointer_set(regs, (unsigned long)sample_kprobes_other);
	return 1;
}

static void post_handler(struct kprobe *p, struct pt_regs *regs,
			 unsigned long flags)
{
	post++;
}

static char symbol[KSYM_NAME_LEN];
static struct kprobe kp;
static char func[KSYM_NAME_LEN];
static struct kretprobe rp;
static bool probed, ret_probed;

static void unprobe(void)
{
	if (probed)
		unregister_kprobe(&kp);
	probed = false;
}

static int probe_set(const char *val, const struct kernel_param *param)
{
	unsigned long offset = 0;
	char *plus;
	int err;

	unprobe();
	if (!strcmp(val, "-"))
		return 0;
	strscpy(symbol, val, sizeof(symbol));
	plus = strchr(symbol, '+');
	if (plus)
		*plus++ = '\0';
	if (plus) {
		err = kstrtoul(plus, 0, &offset);
		if (err)
			return err;
	}
	kp = (struct kprobe){
		.symbol_name = symbol,
		.offset = offset,
		.pre_handler = pre_handler,
		.post_handler = post_handler,
	};
	pre = post = 0;
	err = register_kprobe(&kp);
	probed = !err;
	return err;
}

static int probe_get(char *buffer, const struct kernel_param *param)
{
	return snprintf(buffer, PAGE_SIZE, "%s+%u\n", probed ? symbol : "",
			kp.offset);
}

struct call {
	unsigned long n;
};

/* Calls with an even number are not watched. */
static int entry_handler(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct call *call = (struct call *)ri->data;

	call->n = regs_get_kernel_argument(regs, 0);
	entries++;
	return !(call->n & 1);
}

static int ret_handler(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	const struct call *call = (const struct call *)ri->data;

	returns++;
	if (get_kretprobe(ri) != &rp || regs_return_value(regs) != call->n)
		wrong++;
	return 0;
}

static void ret_unprobe(void)
{
	if (ret_probed)
		unregister_kretprobe(&rp);
	ret_probed = false;
}

static int retprobe_set(const char *val, const struct kernel_param *param)
{
	int err;

	ret_unprobe();
	if (!strcmp(val, "-"))
		return 0;
	strscpy(func, val, sizeof(func));
	rp = (struct kretprobe){
		.kp.symbol_name = func,
		.handler = ret_handler,
		.entry_handler = entry_handler,
		.maxactive = MAXACTIVE,
		.data_size = sizeof(struct call),
	};
	entries = returns = wrong = 0;
	err = register_kretprobe(&rp);
	ret_probed = !err;
	return err;
}

static int retprobe_get(char *buffer, const struct kernel_param *param)
{
	return snprintf(buffer, PAGE_SIZE, "%s\n", ret_probed ? func : "");
}

/* The kprobe's. */
static int enabled_set(const char *val, const struct kernel_param *param)
{
	return *val == '0' ? disable_kprobe(&kp) : enable_kprobe(&kp);
}

static int enabled_get(char *buffer, const struct kernel_param *param)
{
	return snprintf(buffer, PAGE_SIZE, "%d\n", !kprobe_disabled(&kp));
}

static int counts_get(char *buffer, const struct kernel_param *param)
{
	return snprintf(buffer, PAGE_SIZE,
			"%lu %lu %lu, %lu %lu %d, wrong %lu\n", pre, post,
			kp.nmissed, entries, returns, rp.nmissed, wrong);
}

static long result;

static int call_set(const char *val, const struct kernel_param *param)
{
	unsigned long n;
	int err = kstrtoul(val, 0, &n);

	if (!err)
		result = sample_kprobes_work(n);
	return err;
}

static int depth_set(const char *val, const struct kernel_param *param)
{
	unsigned long n;
	int err = kstrtoul(val, 0, &n);

	if (!err)
		result = sample_kprobes_depth(n);
	return err;
}

static int result_get(char *buffer, const struct kernel_param *param)
{
	return snprintf(buffer, PAGE_SIZE, "%ld\n", result);
}

#define OPS(name, setter, getter)				\
	static const struct kernel_param_ops name##_ops = {		\
		.set = setter,						\
		.get = getter,						\
	}

OPS(probe, probe_set, probe_get);
OPS(retprobe, retprobe_set, retprobe_get);
OPS(enabled, enabled_set, enabled_get);
OPS(call, call_set, result_get);
OPS(depth, depth_set, result_get);
OPS(counts, NULL, counts_get);

__module_param(probe, kp, probe_ops, "string", 0644);
__module_param(retprobe, rp, retprobe_ops, "string", 0644);
__module_param(enabled, kp, enabled_ops, "bool", 0644);
__module_param(call, result, call_ops, "ulong", 0644);
__module_param(depth, result, depth_ops, "ulong", 0644);
__module_param(counts, pre, counts_ops, "string", 0444);

static int __init sample_kprobes_init(void)
{
	return 0;
}
module_init(sample_kprobes_init);

static void __exit sample_kprobes_exit(void)
{
	if (leave)
		return;
	unprobe();
	ret_unprobe();
}
module_exit(sample_kprobes_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Probes of all kinds, and what comes of them");
