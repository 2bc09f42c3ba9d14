/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Probed instructions of programs. A copy lies within reach of what the
 * original refers to, and an indirect jump follows it. Relative branches have
 * no copy, nor have calls, which push where they are.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/signal.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <linux/uprobes.h>
#include <asm/proto.h>

#define X86_TRAP_BP	3

#define REX_B		0x1
#define REX_X		0x2
#define REX_W		0x8

/* Flags that conditions ask for. */
#define FLAG_CF		0x001
#define FLAG_PF		0x004
#define FLAG_ZF		0x040
#define FLAG_SF		0x080
#define FLAG_OF		0x800

#define MODRM_MOD(modrm)	((modrm) >> 6)
#define MODRM_REG(modrm)	((modrm) >> 3 & 7)
#define MODRM_RM(modrm)		((modrm) & 7)

#define RM_SIB		4	/* another byte says more */
#define RM_DISP32	5	/* without a register: from rip */

enum map { MAP_ONE, MAP_0F, MAP_0F38, MAP_0F3A };

/* An instruction as it is taken apart. */
struct insn {
	const u8 *bytes;
	unsigned int at;		/* of the byte that comes next */
	enum map map;
	u8 opcode;
	u8 rex;
	u8 segment;
	bool operand16;
	bool address32;
	bool vex;
	unsigned int modrm;		/* offsets; 0: there is none */
	unsigned int rip_relative;
};

/* Past the end there is nothing: it is too long then. */
static u8 next_byte(struct insn *insn)
{
	unsigned int at = insn->at++;

	return at < MAX_UINSN_BYTES ? insn->bytes[at] : 0;
}

/* Returns the byte that follows them. Only the last one may be a REX. */
static u8 prefixes(struct insn *insn)
{
	u8 byte;

	do {
		byte = next_byte(insn);
		if ((byte & 0xf0) == 0x40) {
			insn->rex = byte;
			continue;
		}
		switch (byte) {
		case 0x66:
			insn->operand16 = true;
			break;
		case 0x67:
			insn->address32 = true;
			break;
		case 0x26: case 0x2e: case 0x36: case 0x3e:
		case 0x64: case 0x65:
			insn->segment = byte;
			break;
		case 0xf0: case 0xf2: case 0xf3:
			break;
		default:
			return byte;
		}
		insn->rex = 0;
	} while (insn->at < MAX_UINSN_BYTES);
	return byte;
}

/* VEX and EVEX prefixes name the map, and there always is a ModRM. */
static bool vex_prefix(struct insn *insn, u8 byte)
{
	if (byte == 0xc5) {
		next_byte(insn);
		insn->map = MAP_0F;
	} else if (byte == 0xc4 || byte == 0x62) {
		insn->map = next_byte(insn) & 3;
		next_byte(insn);
		if (byte == 0x62)
			next_byte(insn);
	} else {
		return false;
	}
	insn->vex = true;
	insn->opcode = next_byte(insn);
	return true;
}

static void opcode(struct insn *insn)
{
	u8 byte = prefixes(insn);

	if (vex_prefix(insn, byte))
		return;
	if (byte == 0x0f) {
		insn->map = MAP_0F;
		byte = next_byte(insn);
		if (byte == 0x38 || byte == 0x3a) {
			insn->map = byte == 0x38 ? MAP_0F38 : MAP_0F3A;
			byte = next_byte(insn);
		}
	}
	insn->opcode = byte;
}

static bool one_byte_has_modrm(u8 op)
{
	if (op < 0x40)
		return (op & 7) < 4;
	return op == 0x63 || op == 0x69 || op == 0x6b ||
	       (op >= 0x80 && op <= 0x8f) || op == 0xc0 || op == 0xc1 ||
	       op == 0xc6 || op == 0xc7 || (op >= 0xd0 && op <= 0xd3) ||
	       (op >= 0xd8 && op <= 0xdf) || op == 0xf6 || op == 0xf7 ||
	       op == 0xfe || op == 0xff;
}

static bool two_byte_has_modrm(u8 op)
{
	switch (op) {
	case 0x04 ... 0x0c: case 0x0e: case 0x30 ... 0x37: case 0x77:
	case 0x80 ... 0x8f: case 0xa0 ... 0xa2: case 0xa8 ... 0xaa:
	case 0xc8 ... 0xcf:
		return false;
	default:
		return true;
	}
}

static bool has_modrm(const struct insn *insn)
{
	if (insn->vex)
		return insn->map != MAP_0F || insn->opcode != 0x77;
	return insn->map == MAP_ONE ? one_byte_has_modrm(insn->opcode) :
	       insn->map == MAP_0F ? two_byte_has_modrm(insn->opcode) : true;
}

/* The operand in memory, if it is there. */
static void modrm(struct insn *insn)
{
	unsigned int mod, rm;
	u8 byte;

	insn->modrm = insn->at;
	byte = next_byte(insn);
	mod = MODRM_MOD(byte);
	rm = MODRM_RM(byte);
	if (mod == 3)
		return;
	if (rm == RM_SIB) {
		rm = MODRM_RM(next_byte(insn));
	} else if (!mod && rm == RM_DISP32) {
		insn->rip_relative = insn->at;
	}
	if (mod == 1)
		insn->at += 1;
	else if (mod == 2 || rm == RM_DISP32)
		insn->at += 4;
}

static unsigned int one_byte_immediate(const struct insn *insn, u8 reg)
{
	unsigned int z = insn->operand16 && !(insn->rex & REX_W) ? 2 : 4;

	if (insn->opcode < 0x40)
		return (insn->opcode & 7) == 4 ? 1 :
		       (insn->opcode & 7) == 5 ? z : 0;
	switch (insn->opcode) {
	case 0x6a: case 0x6b: case 0x70 ... 0x7f:
	case 0x80: case 0x82: case 0x83:
	case 0xa8: case 0xb0 ... 0xb7: case 0xc0: case 0xc1: case 0xc6:
	case 0xcd: case 0xd4: case 0xd5: case 0xe0 ... 0xe7: case 0xeb:
		return 1;
	case 0xc2: case 0xca:
		return 2;
	case 0xc8:
		return 3;
	case 0x68: case 0x69: case 0x81: case 0xa9: case 0xc7:
		return z;
	case 0xe8: case 0xe9:
		return 4;
	case 0xb8 ... 0xbf:
		return insn->rex & REX_W ? 8 : z;
	case 0xa0 ... 0xa3:
		return insn->address32 ? 4 : 8;
	case 0xf6:
		return reg < 2 ? 1 : 0;
	case 0xf7:
		return reg < 2 ? z : 0;
	default:
		return 0;
	}
}

static unsigned int immediate(const struct insn *insn, u8 reg)
{
	if (insn->map == MAP_ONE)
		return one_byte_immediate(insn, reg);
	if (insn->map == MAP_0F3A)
		return 1;
	if (insn->map == MAP_0F38)
		return 0;
	switch (insn->opcode) {
	case 0x0f: case 0x70 ... 0x73: case 0xa4: case 0xac: case 0xba:
	case 0xc2: case 0xc4: case 0xc5: case 0xc6:
		return 1;
	case 0x80 ... 0x8f:
		return insn->vex ? 0 : 4;
	default:
		return 0;
	}
}

/* The last @size bytes, with their sign. */
static s32 relative(const struct insn *insn, unsigned int size)
{
	s32 distance;

	if (size == 1)
		return (s8)insn->bytes[insn->at - 1];
	memcpy(&distance, insn->bytes + insn->at - 4, sizeof(distance));
	return distance;
}

/* -EOPNOTSUPP: nobody may probe it. */
static int classify(const struct insn *insn, struct arch_uprobe *auprobe,
		    u8 reg)
{
	bool one = insn->map == MAP_ONE && !insn->vex;

	auprobe->kind = UPROBE_COPY;
	if (insn->map == MAP_0F && !insn->vex &&
	    (insn->opcode & 0xf0) == 0x80) {
		auprobe->kind = UPROBE_JCC;
		auprobe->branch = relative(insn, 4);
	} else if (one) {
		switch (insn->opcode) {
		case 0xcc: case 0xcd: case 0xce: case 0xf1:
			return -EOPNOTSUPP;
		case 0x70 ... 0x7f:
			auprobe->kind = UPROBE_JCC;
			auprobe->branch = relative(insn, 1);
			break;
		case 0xe0 ... 0xe3:
			auprobe->kind = UPROBE_LOOP;
			auprobe->branch = relative(insn, 1);
			break;
		case 0xe8: case 0xe9:
			auprobe->kind = insn->opcode == 0xe8 ? UPROBE_CALL :
							       UPROBE_JMP;
			auprobe->branch = relative(insn, 4);
			break;
		case 0xeb:
			auprobe->kind = UPROBE_JMP;
			auprobe->branch = relative(insn, 1);
			break;
		case 0xc7:
			/* xbegin is relative, too. */
			if (insn->bytes[insn->modrm] == 0xf8)
				return -EOPNOTSUPP;
			break;
		case 0xff:
			if (reg == 3)
				return -EOPNOTSUPP;
			if (reg == 2)
				auprobe->kind = UPROBE_CALL_INDIRECT;
			break;
		}
	}
	/* CPUs differ in what these are. */
	if (auprobe->kind != UPROBE_COPY && insn->operand16)
		return -EOPNOTSUPP;
	return insn->rip_relative && insn->address32 ? -EOPNOTSUPP : 0;
}

int arch_uprobe_analyze_insn(struct arch_uprobe *auprobe)
{
	struct insn insn = { .bytes = auprobe->insn };
	u8 reg = 0;

	opcode(&insn);
	if (has_modrm(&insn)) {
		modrm(&insn);
		if (insn.modrm < MAX_UINSN_BYTES)
			reg = MODRM_REG(insn.bytes[insn.modrm]);
	}
	insn.at += immediate(&insn, reg);
	if (insn.at > MAX_UINSN_BYTES)
		return -ENOEXEC;
	auprobe->length = insn.at;
	auprobe->opcode = insn.opcode;
	auprobe->modrm = insn.modrm;
	auprobe->rip_relative = insn.rip_relative;
	auprobe->rex = insn.rex;
	auprobe->segment = insn.segment;
	auprobe->address32 = insn.address32;
	return classify(&insn, auprobe, reg);
}

void arch_uprobe_unknown_swbp(struct pt_regs *regs)
{
	current->thread.trap_nr = X86_TRAP_BP;
	current->thread.error_code = 0;
	force_sig(SIGTRAP);
}

static unsigned long *gpr(struct pt_regs *regs, unsigned int number)
{
	unsigned long *const registers[] = {
		&regs->ax, &regs->cx, &regs->dx, &regs->bx,
		&regs->sp, &regs->bp, &regs->si, &regs->di,
		&regs->r8, &regs->r9, &regs->r10, &regs->r11,
		&regs->r12, &regs->r13, &regs->r14, &regs->r15,
	};

	return registers[number];
}

static bool condition(unsigned int cc, unsigned long flags)
{
	bool less = !(flags & FLAG_SF) != !(flags & FLAG_OF), holds;

	switch (cc >> 1 & 7) {
	case 0:
		holds = flags & FLAG_OF;
		break;
	case 1:
		holds = flags & FLAG_CF;
		break;
	case 2:
		holds = flags & FLAG_ZF;
		break;
	case 3:
		holds = flags & (FLAG_CF | FLAG_ZF);
		break;
	case 4:
		holds = flags & FLAG_SF;
		break;
	case 5:
		holds = flags & FLAG_PF;
		break;
	case 6:
		holds = less;
		break;
	default:
		holds = less || flags & FLAG_ZF;
	}
	return holds != (cc & 1);
}

/* loopne, loope, loop and jrcxz: the first three count down. */
static bool loop_condition(const struct arch_uprobe *auprobe,
			   struct pt_regs *regs)
{
	unsigned long mask = auprobe->address32 ? 0xffffffff : ~0UL;
	bool zero = regs->flags & FLAG_ZF;

	if (auprobe->opcode == 0xe3)
		return !(regs->cx & mask);
	regs->cx = (regs->cx - 1) & mask;
	if (!(regs->cx & mask))
		return false;
	return auprobe->opcode == 0xe2 || zero == (auprobe->opcode == 0xe1);
}

static s32 displacement(const u8 *at, unsigned int mod)
{
	s32 value;

	if (mod == 1)
		return (s8)*at;
	memcpy(&value, at, sizeof(value));
	return value;
}

/* Of an operand in memory, as the instruction at regs->ip says. */
static unsigned long effective_address(const struct arch_uprobe *auprobe,
				       struct pt_regs *regs)
{
	const u8 *at = auprobe->insn + auprobe->modrm;
	unsigned int mod = MODRM_MOD(*at), rm = MODRM_RM(*at), index;
	unsigned long address = 0;
	u8 sib;

	at++;
	if (rm == RM_SIB) {
		sib = *at++;
		rm = MODRM_RM(sib);
		index = MODRM_REG(sib) | (auprobe->rex & REX_X ? 8 : 0);
		if (index != 4)
			address = *gpr(regs, index) << (sib >> 6);
	} else if (!mod && rm == RM_DISP32) {
		address = regs->ip + auprobe->length;
	}
	if (mod || rm != RM_DISP32)
		address += *gpr(regs, rm | (auprobe->rex & REX_B ? 8 : 0));
	if (mod || rm == RM_DISP32)
		address += displacement(at, mod);
	if (auprobe->address32)
		address = (u32)address;
	if (auprobe->segment == 0x64)
		address += current->thread.fsbase;
	return address;
}

/* Where an indirect call goes. */
static int call_target(const struct arch_uprobe *auprobe, struct pt_regs *regs,
		       unsigned long *target)
{
	u8 modrm = auprobe->insn[auprobe->modrm];

	if (MODRM_MOD(modrm) != 3)
		return get_user(*target, (unsigned long __user *)
				effective_address(auprobe, regs));
	*target = *gpr(regs, MODRM_RM(modrm) | (auprobe->rex & REX_B ? 8 : 0));
	return 0;
}

/* -EFAULT: nothing is done. */
static int emulate_call(struct pt_regs *regs, unsigned long next,
			unsigned long target)
{
	unsigned long sp = regs->sp - sizeof(next);

	if (put_user(next, (unsigned long __user *)sp))
		return -EFAULT;
	regs->sp = sp;
	regs->ip = target;
	return 0;
}

bool arch_uprobe_skip_sstep(const struct arch_uprobe *auprobe,
			    struct pt_regs *regs, bool *failed)
{
	unsigned long next = regs->ip + auprobe->length;
	unsigned long target = next + auprobe->branch;

	switch (auprobe->kind) {
	case UPROBE_JMP:
		regs->ip = target;
		return true;
	case UPROBE_JCC:
		regs->ip = condition(auprobe->opcode, regs->flags) ? target :
								     next;
		return true;
	case UPROBE_LOOP:
		regs->ip = loop_condition(auprobe, regs) ? target : next;
		return true;
	case UPROBE_CALL:
		*failed = emulate_call(regs, next, target);
		return true;
	case UPROBE_CALL_INDIRECT:
		*failed = call_target(auprobe, regs, &target) ||
			  emulate_call(regs, next, target);
		return true;
	default:
		return false;
	}
}

/* jmp *0(%rip), and the address follows. */
static const u8 jump[] = { 0xff, 0x25, 0, 0, 0, 0 };

int arch_uprobe_copy_ixol(const struct arch_uprobe *auprobe,
			  unsigned long vaddr, unsigned long xol_vaddr,
			  u8 slot[UPROBE_XOL_SLOT_BYTES])
{
	unsigned long next = vaddr + auprobe->length;
	s64 distance;
	s32 disp;

	BUILD_BUG_ON(MAX_UINSN_BYTES + sizeof(jump) + sizeof(next) >
		     UPROBE_XOL_SLOT_BYTES);
	memset(slot, UPROBE_SWBP_INSN, UPROBE_XOL_SLOT_BYTES);
	memcpy(slot, auprobe->insn, auprobe->length);
	memcpy(slot + auprobe->length, jump, sizeof(jump));
	memcpy(slot + auprobe->length + sizeof(jump), &next, sizeof(next));
	if (!auprobe->rip_relative)
		return 0;
	memcpy(&disp, auprobe->insn + auprobe->rip_relative, sizeof(disp));
	distance = (s64)disp + (s64)(vaddr - xol_vaddr);
	disp = distance;
	if (disp != distance)
		return -ERANGE;
	memcpy(slot + auprobe->rip_relative, &disp, sizeof(disp));
	return 0;
}

unsigned long arch_uretprobe_hijack_return_addr(unsigned long trampoline,
						struct pt_regs *regs)
{
	unsigned long __user *slot = (unsigned long __user *)regs->sp;
	unsigned long orig;

	if (get_user(orig, slot))
		return 0;
	if (orig != trampoline && put_user(trampoline, slot))
		return 0;
	return orig;
}

/* Returning takes the address off the stack. */
bool arch_uretprobe_is_alive(unsigned long stack, enum rp_check ctx,
			     struct pt_regs *regs)
{
	return ctx == RP_CHECK_CALL ? regs->sp < stack : regs->sp <= stack;
}
