# SPDX-License-Identifier: GPL-2.0-only
"""Classifies x86-64 instructions, by the names in `Core.operations`."""

from __future__ import annotations

from typing import Final

import capstone
from capstone import x86

from emu.cpu.arch.x86_64.register_names import FLAGS, VECTORS

__all__ = ["VECTOR_MOVES", "class_of"]

_BY_MNEMONIC: Final = {
    mnemonic: kind
    for kind, mnemonics in {
        "alu": (
            "add sub and or xor cmp test inc dec neg not cdqe cwde cbw movzx movsx movsxd andn bzhi"
            " clc stc cmc sahf lahf clac stac"
        ),
        "move": "mov movabs",
        "none": "push pop",
        "nop": (
            "nop endbr64 endbr32 fnop wait pause lfence sfence mfence"
            " prefetch prefetcht0 prefetcht1 prefetcht2 prefetchnta prefetchw"
        ),
        "sign": "cdq cqo cwd",
        "lowest_bit": "blsr blsi blsmsk",
        "shift": "shl shr sar sal rol ror shlx shrx sarx rorx",
        "double_shift": "shld shrd",
        "carry": "adc sbb adcx adox",
        "bit_test": "bt",
        "bit_set": "bts btr btc",
        "bit_forward": "bsf",
        "bit_reverse": "bsr",
        "count": "popcnt lzcnt",
        "trailing": "tzcnt",
        "swap_bytes": "bswap movbe",
        "exchange": "xchg",
        "compare_exchange": "cmpxchg",
        "compare_exchange_wide": "cmpxchg8b cmpxchg16b",
        "exchange_add": "xadd",
        "multiply_wide": "mul",
        "branch": "call ret jmp",
        "direction": "cld std",
        "flags_push": "pushfq",
        "flags_pop": "popfq",
        "string": " ".join(f"{name}{size}" for name in ("movs", "stos", "lods", "scas", "cmps") for size in "bwdq"),
        "time_stamp": "rdtsc",
        "control": "ldmxcsr stmxcsr",
        "x87_load": "fld fild fld1 fldz fldpi fldl2e fldl2t fldlg2 fldln2",
        "x87_store": "fst fstp fist fistp fisttp",
        "x87_exchange": "fxch ffree ffreep fincstp fdecstp emms",
        "x87_sign": "fchs fabs",
        "x87_add": "fadd faddp fiadd fsub fsubp fsubr fsubrp fisub fisubr fmul fmulp fimul",
        "x87_divide": "fdiv fdivp fdivr fdivrp fidiv fidivr",
        "x87_root": "fsqrt",
        "x87_compare": (
            "fcom fcomp fcompp fucom fucomp fucompp fcomi fcompi fcomip fucomi fucompi fucomip ficom ficomp ftst fxam"
        ),
        "x87_select": "fcmovb fcmove fcmovbe fcmovu fcmovnb fcmovne fcmovnbe fcmovnu",
        "x87_status": "fnstsw",
        "x87_control": "fnstcw fldcw fnclex fninit",
        "x87_round": "frndint",
        "x87_scale": "fscale fxtract",
        "x87_rest": "fprem fprem1",
        "x87_function": "fsin fcos fsincos fptan fpatan f2xm1 fyl2x fyl2xp1",
        "state": "xsave xrstor fxsave fxrstor xsave64 xrstor64 fxsave64 fxrstor64 xsaveopt xsavec fnsave frstor fnstenv fldenv",
    }.items()
    for mnemonic in mnemonics.split()
}
VECTOR_MOVES: Final = frozenset(
    ["movaps", "movups", "movapd", "movupd", "movdqa", "movdqu", "lddqu", "movdqa64", "movdqu64", "movdqu8", "movntdq", "movntps"]
)
_VECTOR_CLASSES: Final = (  # by the start of the name, without `v` and `p`
    (("movmsk", "movmskb"), "from_vector"), (("extr",), "extract"), (("insr",), "insert"),
    (("cvtsi2", "cvtusi2"), "integer_to_float"), (("cvttss2si", "cvttsd2si", "cvtss2si", "cvtsd2si"), "float_to_integer"),
    (("cvt",), "convert"), (("comis", "ucomis", "test"), "compare_flags"), (("sqrtss", "sqrtps"), "vector_root32"),
    (("sqrt",), "vector_root64"), (("rsqrt", "rcp"), "vector_multiply"),
    (("divss", "divps"), "vector_divide32"), (("div",), "vector_divide64"),
    (("fmadd", "fnmadd", "fmsub", "fnmsub"), "vector_fma"), (("mulss", "mulsd", "mulps", "mulpd"), "vector_multiply"),
    (("addss", "addsd", "addps", "addpd", "subss", "subsd", "subps", "subpd", "hadd", "round"), "vector_add"),
    (("min", "max", "cmp"), "vector_compare"), (("mul", "madd", "sadb"), "vector_multiply_integer"),
    (("sll", "srl", "sra"), "vector_shift"),
    (("unpck", "shuf", "align", "ack", "movlh", "movhl", "erm", "insert", "extract", "broadcast", "movddup", "movsh", "movsl"),
     "vector_shuffle"),
)  # fmt: skip


def class_of(mnemonic: str, insn: capstone.CsInsn, registers: list[int]) -> str | None:
    """The class of an instruction; None if it is not in the tables.

    Args:
        mnemonic: the mnemonic without prefixes.
        registers: the numbers of its register operands.
    """
    vector = any(number >= VECTORS for number in registers)
    known = _BY_MNEMONIC.get(mnemonic)
    if known in ("x87_load", "x87_store") and any(o.size > 8 for o in insn.operands if o.type == x86.X86_OP_MEM):
        return f"{known}_extended"
    if known and not (known == "string" and vector):  # `movsd` and `cmpsd` may be either
        return known
    if mnemonic == "lea":
        memory = insn.operands[1].mem
        return "lea_complex" if memory.base and memory.index and memory.disp else "lea"
    if mnemonic in ("imul", "mulx"):
        if len(insn.operands) == 1 or mnemonic == "mulx":
            return "multiply_wide"
        return "multiply_short" if insn.operands[0].size == 2 and len(insn.operands) == 3 else "multiply"
    if mnemonic in ("div", "idiv"):
        return "divide64" if insn.operands[0].size == 8 else "divide32"
    if mnemonic in ("rcl", "rcr"):
        by_one = len(insn.operands) == 1 or (insn.operands[1].type == x86.X86_OP_IMM and insn.operands[1].imm == 1)
        return "rotate_carry" if by_one else "rotate_carry_far"
    for beginning, kind in (("cmov", "select"), ("set", "set"), ("j", "branch"), ("loop", "branch")):
        if mnemonic.startswith(beginning):
            return kind
    converts = mnemonic.removeprefix("v").startswith("cvt")  # also from memory to a general register
    return _vector_class(mnemonic, registers) if vector or converts else None


def _vector_class(mnemonic: str, registers: list[int]) -> str:
    name = mnemonic.removeprefix("v")
    if name in ("movd", "movq"):
        if any(number < FLAGS for number in registers):
            return "from_vector" if registers[0] < FLAGS else "to_vector"
        return "vector_integer"
    if name in VECTOR_MOVES:
        return "vector_move"
    if name.startswith("pcmp"):
        return "vector_integer"
    name = name.removeprefix("p")
    for beginnings, kind in _VECTOR_CLASSES:
        if name.startswith(beginnings):
            return kind
    return "vector_integer"
