/* SPDX-License-Identifier: GPL-2.0-only */
/* Modules: their memory and their relocations. */
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/moduleloader.h>
#include <linux/set_memory.h>
#include <linux/string.h>
#include <emu/hostcall.h>

/* RISC-V ELF psABI 1.0, 8.4; asm/module.h has those in pairs. */
#define R_RISCV_NONE		0
#define R_RISCV_32		1
#define R_RISCV_64		2
#define R_RISCV_BRANCH		16
#define R_RISCV_JAL		17
#define R_RISCV_CALL		18
#define R_RISCV_CALL_PLT	19
#define R_RISCV_ADD8		33
#define R_RISCV_ADD64		36
#define R_RISCV_SUB8		37
#define R_RISCV_SUB64		40
#define R_RISCV_RVC_BRANCH	44
#define R_RISCV_RVC_JUMP	45
#define R_RISCV_RELAX		51
#define R_RISCV_SUB6		52
#define R_RISCV_SET6		53
#define R_RISCV_SET8		54
#define R_RISCV_SET32		56
#define R_RISCV_32_PCREL	57

/* hostcall is what cpu_relax() calls. */
EXPORT_SYMBOL(hostcall);

/* What auipc with a signed offset of 12 bits reaches from the image. */
#define MODULES_REACH	((2UL << 30) - 2048)

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

/* Where the bits of a number are in an instruction. */
struct insn_form {
	u8 size;		/* bytes; a branch's target is even */
	u8 bits;		/* of a signed number; 0: any */
	struct {
		u8 from, to, width;
	} parts[8];
};

static const struct insn_form form_b = {
	4, 13, { { 1, 8, 4 }, { 5, 25, 6 }, { 11, 7, 1 }, { 12, 31, 1 } }
};
static const struct insn_form form_j = {
	4, 21, { { 1, 21, 10 }, { 11, 20, 1 }, { 12, 12, 8 }, { 20, 31, 1 } }
};
static const struct insn_form form_cb = {
	2, 9, { { 1, 3, 2 }, { 3, 10, 2 }, { 5, 2, 1 }, { 6, 5, 2 },
		{ 8, 12, 1 } }
};
static const struct insn_form form_cj = {
	2, 12, { { 1, 3, 3 }, { 4, 11, 1 }, { 5, 2, 1 }, { 6, 7, 1 },
		 { 7, 6, 1 }, { 8, 9, 2 }, { 10, 8, 1 }, { 11, 12, 1 } }
};
static const struct insn_form form_u = { 4, 32, { { 12, 12, 20 } } };
static const struct insn_form form_i = { 4, 0, { { 0, 20, 12 } } };
static const struct insn_form form_s = { 4, 0, { { 0, 7, 5 }, { 5, 25, 7 } } };

static int patch(struct module *mod, void *place, s64 value,
		 const struct insn_form *form)
{
	unsigned int unused = form->bits ? 64 - form->bits : 0, i;
	u32 insn = 0;

	if (value != (s64)((u64)value << unused) >> unused) {
		pr_err("module %s: an instruction cannot reach its target\n",
		       mod->name);
		return -ENOEXEC;
	}
	memcpy(&insn, place, form->size);
	for (i = 0; i < ARRAY_SIZE(form->parts) && form->parts[i].width; i++) {
		u32 mask = (1u << form->parts[i].width) - 1;

		insn &= ~(mask << form->parts[i].to);
		insn |= (value >> form->parts[i].from & mask) <<
			form->parts[i].to;
	}
	memcpy(place, &insn, form->size);
	return 0;
}

/* auipc takes what is left of an offset whose low 12 bits are signed. */
static int patch_upper(struct module *mod, void *place, s64 distance)
{
	return patch(mod, place, distance + 0x800, &form_u);
}

/* Data of @size bytes; differences of symbols come as a sum and a subtraction. */
static int change(unsigned int type, void *place, u64 value, unsigned int size)
{
	u64 old = 0, mask = ~0UL;

	memcpy(&old, place, size);
	if (type >= R_RISCV_ADD8 && type <= R_RISCV_ADD64)
		value = old + value;
	else if (type >= R_RISCV_SUB8 && type <= R_RISCV_SUB64)
		value = old - value;
	else if (type == R_RISCV_SUB6)
		value = old - value;
	if (type == R_RISCV_SUB6 || type == R_RISCV_SET6)
		mask = 0x3f;
	value = (old & ~mask) | (value & mask);
	memcpy(place, &value, size);
	return 0;
}

/* How many bytes a relocation changes; 0: it is unknown. */
static unsigned int size_of(unsigned int type)
{
	switch (type) {
	case R_RISCV_ADD8 ... R_RISCV_ADD64:
		return 1 << (type - R_RISCV_ADD8);
	case R_RISCV_SUB8 ... R_RISCV_SUB64:
		return 1 << (type - R_RISCV_SUB8);
	case R_RISCV_SET8 ... R_RISCV_SET32:
		return 1 << (type - R_RISCV_SET8);
	case R_RISCV_SUB6:
	case R_RISCV_SET6:
		return 1;
	case R_RISCV_RVC_BRANCH:
	case R_RISCV_RVC_JUMP:
		return 2;
	case R_RISCV_32:
	case R_RISCV_32_PCREL:
	case R_RISCV_BRANCH:
	case R_RISCV_JAL:
	case R_RISCV_PCREL_HI20:
	case R_RISCV_PCREL_LO12_I:
	case R_RISCV_PCREL_LO12_S:
		return 4;
	case R_RISCV_64:
	case R_RISCV_CALL:
	case R_RISCV_CALL_PLT:
		return 8;
	}
	return 0;
}

int apply_relocation(struct module *mod, unsigned int type, void *place,
		     unsigned long room, unsigned long sym, long addend)
{
	u64 value = sym + addend;
	s64 distance = value - (unsigned long)place;
	unsigned int size = size_of(type);

	if (type == R_RISCV_NONE || type == R_RISCV_RELAX)
		return 0;
	if (!size) {
		pr_err("module %s: unknown relocation %u\n", mod->name, type);
		return -ENOEXEC;
	}
	if (room < size)
		return -ENOEXEC;

	switch (type) {
	case R_RISCV_BRANCH:
		return patch(mod, place, distance, &form_b);
	case R_RISCV_JAL:
		return patch(mod, place, distance, &form_j);
	case R_RISCV_RVC_BRANCH:
		return patch(mod, place, distance, &form_cb);
	case R_RISCV_RVC_JUMP:
		return patch(mod, place, distance, &form_cj);
	case R_RISCV_CALL:
	case R_RISCV_CALL_PLT:
		return patch_upper(mod, place, distance) ?:
		       patch(mod, place + 4, distance, &form_i);
	case R_RISCV_PCREL_HI20:
		return patch_upper(mod, place, distance);
	case R_RISCV_PCREL_LO12_I:
		return patch(mod, place, distance, &form_i);
	case R_RISCV_PCREL_LO12_S:
		return patch(mod, place, distance, &form_s);
	case R_RISCV_32_PCREL:
		value = distance;
		break;
	}
	return change(type, place, value, size);
}
