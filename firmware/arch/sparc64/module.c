/* SPDX-License-Identifier: GPL-2.0-only */
/* Modules: their memory and their relocations. */
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/moduleloader.h>
#include <linux/set_memory.h>
#include <emu/hostcall.h>
#include <asm/proto.h>

/* SPARC Compliance Definition 2.4, 3P-6. */
#define R_SPARC_NONE	0
#define R_SPARC_32	3
#define R_SPARC_DISP32	6
#define R_SPARC_WDISP30	7
#define R_SPARC_WDISP22	8
#define R_SPARC_HI22	9
#define R_SPARC_13	11
#define R_SPARC_LO10	12
#define R_SPARC_UA32	23
#define R_SPARC_64	32
#define R_SPARC_OLO10	33
#define R_SPARC_HH22	34
#define R_SPARC_HM10	35
#define R_SPARC_LM22	36
#define R_SPARC_WDISP19	41
#define R_SPARC_DISP64	46
#define R_SPARC_H44	50
#define R_SPARC_M44	51
#define R_SPARC_L44	52
#define R_SPARC_UA64	54

void _mcount(void);
EXPORT_SYMBOL(_mcount);
EXPORT_SYMBOL(hostcall);	/* cpu_relax() */

/* What a call reaches from the image. */
#define MODULES_REACH	(2UL << 30)

/* All of RAM is mapped, and may be executed. */
void *module_alloc(unsigned long size)
{
	struct page *page = module_alloc_pages(size, MODULES_REACH);

	return page ? page_address(page) : NULL;
}

void module_memfree(void *base)
{
	unsigned int order;

	if (!base)
		return;
	order = virt_to_page(base)->order;
	set_memory_rw((unsigned long)base, 1 << order);
	free_pages((unsigned long)base, order);
}

/* The bytes of data, wherever they lie. */
static int store(unsigned char *place, u64 value, unsigned int size)
{
	while (size--) {
		place[size] = value;
		value >>= 8;
	}
	return 0;
}

/* Replaces the low bits of an instruction. */
static int patch(u32 *insn, u64 value, unsigned int bits)
{
	u32 mask = (1u << bits) - 1;

	if ((unsigned long)insn % sizeof(*insn))
		return -ENOEXEC;
	*insn = (*insn & ~mask) | (value & mask);
	return 0;
}

static int patch_branch(struct module *mod, u32 *insn, s64 distance,
			unsigned int bits)
{
	s64 words = distance >> 2;

	if (distance & 3 || words != words << (64 - bits) >> (64 - bits)) {
		pr_err("module %s: a branch cannot reach its target\n",
		       mod->name);
		return -ENOEXEC;
	}
	return patch(insn, words, bits);
}

int apply_relocation(struct module *mod, unsigned int type, void *place,
		     unsigned long room, unsigned long sym, long addend)
{
	u64 value = sym + addend;
	s64 distance = value - (unsigned long)place;
	unsigned int size = 4;

	if (type == R_SPARC_NONE)
		return 0;
	if ((type & 0xff) == R_SPARC_64 || (type & 0xff) == R_SPARC_UA64 ||
	    (type & 0xff) == R_SPARC_DISP64)
		size = 8;
	if (room < size)
		return -ENOEXEC;

	switch (type & 0xff) {
	case R_SPARC_64:
	case R_SPARC_UA64:
		return store(place, value, 8);
	case R_SPARC_DISP64:
		return store(place, distance, 8);
	case R_SPARC_32:
	case R_SPARC_UA32:
		return store(place, value, 4);
	case R_SPARC_DISP32:
		return store(place, distance, 4);
	case R_SPARC_WDISP30:
		return patch_branch(mod, place, distance, 30);
	case R_SPARC_WDISP22:
		return patch_branch(mod, place, distance, 22);
	case R_SPARC_WDISP19:
		return patch_branch(mod, place, distance, 19);
	case R_SPARC_HI22:
	case R_SPARC_LM22:
		return patch(place, value >> 10, 22);
	case R_SPARC_LO10:
		return patch(place, value & 0x3ff, 13);
	case R_SPARC_OLO10:
		return patch(place, (value & 0x3ff) +
			     ((s64)(s32)type >> 8), 13);
	case R_SPARC_13:
		return patch(place, value, 13);
	case R_SPARC_HH22:
		return patch(place, value >> 42, 22);
	case R_SPARC_HM10:
		return patch(place, value >> 32 & 0x3ff, 13);
	case R_SPARC_H44:
		return patch(place, value >> 22, 22);
	case R_SPARC_M44:
		return patch(place, value >> 12 & 0x3ff, 10);
	case R_SPARC_L44:
		return patch(place, value & 0xfff, 13);
	}
	pr_err("module %s: unknown relocation %u\n", mod->name, type & 0xff);
	return -ENOEXEC;
}
