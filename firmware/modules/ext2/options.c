/* SPDX-License-Identifier: GPL-2.0-only */
/* Mount options of ext2. */
#include <linux/seq_file.h>

#include "ext2.h"

struct option {
	const char *name;
	void (*set)(struct ext2_sb_info *sbi);
};

static void set_errors_continue(struct ext2_sb_info *sbi)
{
	sbi->s_errors = EXT2_ERRORS_CONTINUE;
}

static void set_errors_ro(struct ext2_sb_info *sbi)
{
	sbi->s_errors = EXT2_ERRORS_RO;
}

static void set_errors_panic(struct ext2_sb_info *sbi)
{
	sbi->s_errors = EXT2_ERRORS_PANIC;
}

static void set_minix_df(struct ext2_sb_info *sbi)
{
	sbi->s_minix_df = true;
}

static void set_bsd_df(struct ext2_sb_info *sbi)
{
	sbi->s_minix_df = false;
}

/* There is nothing to choose. */
static void set_nothing(struct ext2_sb_info *sbi)
{
}

static const struct option options_known[] = {
	{ "errors=continue",	set_errors_continue },
	{ "errors=remount-ro",	set_errors_ro },
	{ "errors=panic",	set_errors_panic },
	{ "minixdf",		set_minix_df },
	{ "bsddf",		set_bsd_df },
	{ "check=none",		set_nothing },
	{ "nocheck",		set_nothing },
	{ "nouser_xattr",	set_nothing },
	{ "noacl",		set_nothing },
	{ "nogrpid",		set_nothing },
	{ "sysvgroups",		set_nothing },
};

static bool parse_one(struct ext2_sb_info *sbi, const char *text, size_t len)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(options_known); i++) {
		const struct option *o = &options_known[i];

		if (strlen(o->name) == len && !memcmp(o->name, text, len)) {
			o->set(sbi);
			return true;
		}
	}
	return false;
}

/* "a,b,c", or NULL. 0, or -EINVAL. */
int ext2_parse_options(struct super_block *sb, char *options)
{
	const char *p = options, *end;
	size_t len;

	while (p && *p) {
		end = strchr(p, ',');
		len = end ? (size_t)(end - p) : strlen(p);
		if (len && !parse_one(EXT2_SB(sb), p, len)) {
			ext2_msg(sb, "error: ",
				 "unrecognized mount option \"%.*s\" or missing value",
				 (int)len, p);
			return -EINVAL;
		}
		p += len + (end != NULL);
	}
	return 0;
}

int ext2_show_options(struct seq_file *m, struct dentry *root)
{
	struct super_block *sb = root->d_sb;
	struct ext2_sb_info *sbi = EXT2_SB(sb);
	unsigned int stored = le16_to_cpu(sbi->s_es->s_errors);

	if (sbi->s_minix_df)
		seq_puts(m, ",minixdf");
	if (sbi->s_errors == stored)
		return 0;
	if (sbi->s_errors == EXT2_ERRORS_CONTINUE)
		seq_puts(m, ",errors=continue");
	if (sbi->s_errors == EXT2_ERRORS_RO)
		seq_puts(m, ",errors=remount-ro");
	if (sbi->s_errors == EXT2_ERRORS_PANIC)
		seq_puts(m, ",errors=panic");
	return 0;
}
