/* SPDX-License-Identifier: GPL-2.0-only */
/* Parameters: "name=value" and what is done with the value. */
#include <linux/ctype.h>
#include <linux/kernel.h>
#include <linux/kstrtox.h>
#include <linux/mm.h>
#include <linux/moduleparam.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>

#define STANDARD_PARAM_DEF(name, type, wide, parse, format)		\
	static int param_set_##name(const char *val,			\
				    const struct kernel_param *kp)	\
	{								\
		wide value;						\
		int err = parse(val, 0, &value);			\
									\
		if (err)						\
			return err;					\
		if (value != (type)value)				\
			return -ERANGE;					\
		*(type *)kp->arg = value;				\
		return 0;						\
	}								\
	static int param_get_##name(char *buffer,			\
				    const struct kernel_param *kp)	\
	{								\
		return snprintf(buffer, PAGE_SIZE, format "\n",		\
				*(type *)kp->arg);			\
	}								\
	const struct kernel_param_ops param_ops_##name = {		\
		.set = param_set_##name,				\
		.get = param_get_##name,				\
	}

STANDARD_PARAM_DEF(int, int, long, kstrtol, "%d");
STANDARD_PARAM_DEF(uint, unsigned int, unsigned long, kstrtoul, "%u");
STANDARD_PARAM_DEF(long, long, long, kstrtol, "%ld");
STANDARD_PARAM_DEF(ulong, unsigned long, unsigned long, kstrtoul, "%lu");

static int param_set_bool(const char *val, const struct kernel_param *kp)
{
	char c = val ? *val : 'y';

	if (!strchr("yY1nN0", c) || !c)
		return -EINVAL;
	*(bool *)kp->arg = strchr("yY1", c) != NULL;
	return 0;
}

static int param_get_bool(char *buffer, const struct kernel_param *kp)
{
	return snprintf(buffer, PAGE_SIZE, "%c\n",
			*(bool *)kp->arg ? 'Y' : 'N');
}

const struct kernel_param_ops param_ops_bool = {
	.set = param_set_bool,
	.get = param_get_bool,
	.no_value = true,
};

/* Texts that were set; the others are the modules' own. */
struct kmalloced_param {
	struct list_head list;
	char val[];
};

static LIST_HEAD(kmalloced_params);
static DEFINE_SPINLOCK(kmalloced_params_lock);

static void maybe_kfree_parameter(const char *param)
{
	struct kmalloced_param *p, *found = NULL;

	spin_lock(&kmalloced_params_lock);
	list_for_each_entry(p, &kmalloced_params, list) {
		if (p->val == param) {
			list_del(&p->list);
			found = p;
			break;
		}
	}
	spin_unlock(&kmalloced_params_lock);
	kfree(found);
}

static int param_set_charp(const char *val, const struct kernel_param *kp)
{
	size_t size = strlen(val) + 1;
	struct kmalloced_param *p = kmalloc(sizeof(*p) + size, GFP_KERNEL);
	const char *old = *(const char **)kp->arg;

	if (!p)
		return -ENOMEM;
	memcpy(p->val, val, size);
	spin_lock(&kmalloced_params_lock);
	list_add(&p->list, &kmalloced_params);
	spin_unlock(&kmalloced_params_lock);
	WRITE_ONCE(*(const char **)kp->arg, p->val);
	maybe_kfree_parameter(old);
	return 0;
}

static void param_free_charp(void *arg)
{
	maybe_kfree_parameter(*(const char **)arg);
}

static int param_get_charp(char *buffer, const struct kernel_param *kp)
{
	return snprintf(buffer, PAGE_SIZE, "%s\n", *(char **)kp->arg);
}

const struct kernel_param_ops param_ops_charp = {
	.set = param_set_charp,
	.get = param_get_charp,
	.free = param_free_charp,
};

static int param_set_string(const char *val, const struct kernel_param *kp)
{
	const struct kparam_string *kps = kp->arg;

	if (strlen(val) >= kps->maxlen) {
		pr_err("%s: string doesn't fit in %u chars.\n", kp->name,
		       kps->maxlen - 1);
		return -ENOSPC;
	}
	strscpy(kps->string, val, kps->maxlen);
	return 0;
}

static int param_get_string(char *buffer, const struct kernel_param *kp)
{
	const struct kparam_string *kps = kp->arg;

	return snprintf(buffer, PAGE_SIZE, "%s\n", kps->string);
}

const struct kernel_param_ops param_ops_string = {
	.set = param_set_string,
	.get = param_get_string,
};

/* Names are equal whether they have dashes or underscores. */
static bool parameq(const char *a, const char *b)
{
	for (; *a && *b; a++, b++)
		if ((*a == '-' ? '_' : *a) != (*b == '-' ? '_' : *b))
			return false;
	return *a == *b;
}

/* Cuts off the next parameter; quotes keep spaces. What follows it. */
static char *next_arg(char *args, char **param, char **val)
{
	bool in_quote = *args == '"', quoted = in_quote;
	char *end, *equals = NULL;

	if (quoted)
		args++;
	for (end = args; *end; end++) {
		if (isspace(*end) && !in_quote)
			break;
		if (*end == '=' && !equals)
			equals = end;
		if (*end == '"')
			in_quote = !in_quote;
	}
	*param = args;
	*val = NULL;
	if (equals) {
		*equals = '\0';
		*val = equals + 1;
		if (**val == '"') {
			(*val)++;
			if (end[-1] == '"')
				end[-1] = '\0';
		}
	}
	if (quoted && end > args && end[-1] == '"')
		end[-1] = '\0';
	if (*end)
		*end++ = '\0';
	while (isspace(*end))
		end++;
	return end;
}

static int parse_one(char *param, char *val, const char *doing,
		     const struct kernel_param *params, unsigned int num,
		     int (*unknown)(char *param, char *val, const char *doing,
				    void *arg),
		     void *arg)
{
	unsigned int i;

	for (i = 0; i < num; i++) {
		if (!parameq(param, params[i].name))
			continue;
		if (!val && !params[i].ops->no_value)
			return -EINVAL;
		return params[i].ops->set(val, &params[i]);
	}
	return unknown(param, val, doing, arg);
}

int parse_args(const char *doing, char *args, const struct kernel_param *params,
	       unsigned int num, int (*unknown)(char *param, char *val,
						const char *doing, void *arg),
	       void *arg)
{
	char *param, *val;
	int err;

	while (isspace(*args))
		args++;
	while (*args) {
		args = next_arg(args, &param, &val);
		err = parse_one(param, val, doing, params, num, unknown, arg);
		if (err) {
			pr_err("%s: `%s' invalid for parameter `%s'\n", doing,
			       val ? val : "", param);
			return err;
		}
	}
	return 0;
}

void destroy_params(const struct kernel_param *params, unsigned int num)
{
	for (unsigned int i = 0; i < num; i++)
		if (params[i].ops->free)
			params[i].ops->free(params[i].arg);
}
