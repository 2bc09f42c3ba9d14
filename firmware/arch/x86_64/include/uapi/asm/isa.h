/* SPDX-License-Identifier: GPL-2.0-only */
/* What a program may need of the CPU: the levels of the x86-64 psABI. */
#ifndef _UAPI_ASM_ISA_H
#define _UAPI_ASM_ISA_H

#define GNU_PROPERTY_X86_ISA_1_NEEDED	0xc0008002	/* a bit for a level */

struct isa_level {
	const char	*error;		/* for a program that needs it */
	/* Bits that CPUID sets: leaf 1, leaf 7, leaf 0x80000001. */
	unsigned int	ecx_1, edx_1, ebx_7, ecx_ext, edx_ext;
};

#define ISA_ERROR(what) \
	"it needs " what ", which this CPU does not have; " \
	"compile it for a lower -march"

static const struct isa_level isa_levels[] = {
	{	/* x87, CX8, CMOV, MMX, FXSR, SSE, SSE2; SYSCALL, LM */
		.error	 = ISA_ERROR("x86-64-baseline"),
		.edx_1	 = 1u << 0 | 1u << 8 | 1u << 15 | 1u << 23 | 1u << 24 |
			   1u << 25 | 1u << 26,
		.edx_ext = 1u << 11 | 1u << 29,
	}, {	/* SSE3, SSSE3, CX16, SSE4.1, SSE4.2, POPCNT; LAHF */
		.error	 = ISA_ERROR("SSE4.2 (x86-64-v2)"),
		.ecx_1	 = 1u << 0 | 1u << 9 | 1u << 13 | 1u << 19 | 1u << 20 |
			   1u << 23,
		.ecx_ext = 1u << 0,
	}, {	/* FMA, MOVBE, OSXSAVE, AVX, F16C; BMI1, AVX2, BMI2; LZCNT */
		.error	 = ISA_ERROR("AVX2 (x86-64-v3)"),
		.ecx_1	 = 1u << 12 | 1u << 22 | 1u << 27 | 1u << 28 |
			   1u << 29,
		.ebx_7	 = 1u << 3 | 1u << 5 | 1u << 8,
		.ecx_ext = 1u << 5,
	}, {	/* AVX-512 F, DQ, CD, BW, VL */
		.error	 = ISA_ERROR("AVX-512 (x86-64-v4)"),
		.ebx_7	 = 1u << 16 | 1u << 17 | 1u << 28 | 1u << 30 |
			   1u << 31,
	},
};

#define NR_ISA_LEVELS	(sizeof(isa_levels) / sizeof(*isa_levels))

struct isa_cpuid {
	unsigned int	eax, ebx, ecx, edx;
};

static inline struct isa_cpuid isa_cpuid(unsigned int leaf)
{
	struct isa_cpuid regs;

	__asm__("cpuid"
		: "=a" (regs.eax), "=b" (regs.ebx), "=c" (regs.ecx),
		  "=d" (regs.edx)
		: "0" (leaf), "2" (0));
	return regs;
}

/* Why a CPU without one of the levels in @needed cannot execute a program. */
static inline const char *arch_elf_property_error(unsigned int type,
						  unsigned int needed)
{
	struct isa_cpuid one, seven = { 0 }, ext;

	if (type != GNU_PROPERTY_X86_ISA_1_NEEDED)
		return 0;
	if (needed >> NR_ISA_LEVELS)
		return ISA_ERROR("more than x86-64-v4");
	one = isa_cpuid(1);
	if (isa_cpuid(0).eax >= 7)
		seven = isa_cpuid(7);
	ext = isa_cpuid(0x80000001);
	for (int i = NR_ISA_LEVELS - 1; i >= 0; i--) {
		const struct isa_level *level = &isa_levels[i];

		if (needed & 1u << i &&
		    (level->ecx_1 & ~one.ecx || level->edx_1 & ~one.edx ||
		     level->ebx_7 & ~seven.ebx ||
		     level->ecx_ext & ~ext.ecx || level->edx_ext & ~ext.edx))
			return level->error;
	}
	return 0;
}

#endif
