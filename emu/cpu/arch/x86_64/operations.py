# SPDX-License-Identifier: GPL-2.0-only
"""x86-64 instructions as a scheduler sees them: what they read and write, how long they take, where they may execute."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, NamedTuple

import capstone
from capstone import x86

from emu.cpu.timing.core import Core

__all__ = ["ABSOLUTE", "FLAGS", "STACK_POINTER", "VECTORS", "Instruction", "Place", "describe"]

STACK_POINTER, FLAGS, VECTORS = 4, 16, 17  # registers: 0 to 15 are general, from VECTORS on vector registers
ABSOLUTE: Final = -1  # as a base or an index: there is none

_GENERAL = ["rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi", *(f"r{n}" for n in range(8, 16))]
_PARTS = {
    "rax": "eax ax al ah", "rcx": "ecx cx cl ch", "rdx": "edx dx dl dh", "rbx": "ebx bx bl bh",
    "rsp": "esp sp spl", "rbp": "ebp bp bpl", "rsi": "esi si sil", "rdi": "edi di dil",
    **{f"r{n}": f"r{n}d r{n}w r{n}b" for n in range(8, 16)},
}  # fmt: skip


def _register_names() -> tuple[dict[str, int], dict[str, int]]:
    """The registers' numbers and their bytes, by capstone's names."""
    numbers, sizes = {"rflags": FLAGS, "eflags": FLAGS}, {"rflags": 8, "eflags": 8}
    for number, name in enumerate(_GENERAL):
        for part, size in zip((name, *_PARTS[name].split()), (8, 4, 2, 1, 1), strict=False):
            numbers[part], sizes[part] = number, size
    for n in range(16):
        for kind, size in (("x", 16), ("y", 32), ("z", 64)):
            numbers[f"{kind}mm{n}"], sizes[f"{kind}mm{n}"] = VECTORS + n, size
    return numbers, sizes


_NUMBERS, _SIZES = _register_names()

_CLASSES: Final = {
    **dict.fromkeys(("mov", "movabs"), "move"),
    **dict.fromkeys(
        ["add", "sub", "and", "or", "xor", "cmp", "test", "inc", "dec", "neg", "not", "cdqe", "cqo", "cdq", "cwde", "movzx", "movsx", "movsxd", "andn", "cbw", "cwd", "clc", "stc", "cmc", "sahf", "lahf", "blsr", "blsi", "blsmsk"],
        "alu",
    ),
    **dict.fromkeys(["shl", "shr", "sar", "sal", "rol", "ror", "shlx", "shrx", "sarx", "rorx"], "shift"),
    **dict.fromkeys(("shld", "shrd"), "double_shift"),
    **dict.fromkeys(("rcl", "rcr"), "rotate_carry"),
    **dict.fromkeys(("adc", "sbb", "adcx", "adox"), "carry"),
    **dict.fromkeys(("bts", "btr", "btc"), "bit_set"),
    **dict.fromkeys(("bsf", "bsr"), "bit_scan"),
    **dict.fromkeys(("popcnt", "lzcnt"), "count"),
    **dict.fromkeys(("bswap", "movbe"), "swap_bytes"),
    **dict.fromkeys(("push", "pop", "leave"), "none"),
    **dict.fromkeys(("call", "ret", "jmp"), "branch"),
    **dict.fromkeys(
        ["nop", "endbr64", "endbr32", "pause", "lfence", "sfence", "mfence", "prefetcht0", "prefetcht1", "prefetcht2", "prefetchnta", "prefetchw", "fnop", "wait"],
        "nop",
    ),
    "bt": "bit_test", "tzcnt": "trailing", "xchg": "exchange", "cmpxchg": "compare_exchange", "xadd": "exchange_add",
    "mul": "multiply_wide",
}  # fmt: skip
_VECTOR_MOVES = frozenset(
    ["movaps", "movups", "movapd", "movupd", "movdqa", "movdqu", "lddqu", "movdqa64", "movdqu64", "movdqu8", "movntdq", "movntps"]
)
_VECTOR_CLASSES = (  # by what the name begins with, without `v` and `p`
    (("movmsk", "movmskb", "extr"), "from_vector"), (("insr",), "to_vector"),
    (("cvtsi2", "cvtusi2"), "integer_to_float"), (("cvttss2si", "cvttsd2si", "cvtss2si", "cvtsd2si"), "float_to_integer"),
    (("cvt",), "convert"), (("comis", "ucomis", "test"), "compare_flags"), (("sqrt", "rsqrt"), "vector_root"),
    (("divss", "divps"), "vector_divide32"), (("div",), "vector_divide64"),
    (("fmadd", "fnmadd", "fmsub", "fnmsub"), "vector_fma"), (("mulss", "mulsd", "mulps", "mulpd"), "vector_multiply"),
    (("addss", "addsd", "addps", "addpd", "subss", "subsd", "subps", "subpd", "hadd", "round"), "vector_add"),
    (("min", "max", "cmp"), "vector_compare"), (("mul", "madd"), "vector_multiply_integer"),
    (("sll", "srl", "sra"), "vector_shift"),
    (("unpck", "shuf", "align", "ack", "movlh", "movhl", "erm", "insert", "extract", "broadcast", "movddup", "movsh", "movsl"),
     "vector_shuffle"),
)  # fmt: skip
_ZEROING = frozenset(["xor", "sub", "pxor", "xorps", "xorpd", "vpxor", "vxorps", "psubd", "pcmpeqd", "pcmpeqb", "vpcmpeqb"])
_READ_ONLY = frozenset(("cmp", "test", "bt"))
_STACK = {"push": -8, "call": -8, "pop": 8, "ret": 8}


class Place(NamedTuple):
    """An address in memory: base + scaled * scale + displacement, and the size in bytes of what is accessed there."""

    base: int  # a general register or ABSOLUTE
    scaled: int  # ... or the index register
    scale: int
    displacement: int  # of one relative to `rip`, absolute
    size: int
    segment: int = 0  # 1: FS, 2: GS


@dataclass
class Instruction:
    """One instruction."""

    mnemonic: str  # without prefixes
    ports: tuple[int, ...]
    latency: int
    slots: int
    reads: tuple[int, ...] = ()  # by the operation
    addresses: tuple[int, ...] = ()  # registers read by the address
    writes: tuple[int, ...] = ()
    loads: list[Place] = field(default_factory=list)
    stores: list[Place] = field(default_factory=list)
    stack: int = 0  # what the stack engine adds to the stack pointer
    vector: bool = False  # whether a load goes to a vector register
    linear: tuple[int, int, int] | None = None  # (written, register, constant): the written one is that register plus a constant
    size: int = 0  # bytes
    locked: bool = False
    repeated: bool = False
    known: bool = True  # whether the table has it


def _vector_class(mnemonic: str) -> str | None:
    name = mnemonic.removeprefix("v")
    if name in _VECTOR_MOVES:
        return "vector_move"
    name = name.removeprefix("p")
    for beginnings, kind in _VECTOR_CLASSES:
        if name.startswith(beginnings):
            return kind
    return "vector_integer"


def _class_of(mnemonic: str, insn: capstone.CsInsn, registers: list[int]) -> str | None:
    """The class of an instruction in Core.operations; None: the tables do not have it."""
    known = _CLASSES.get(mnemonic)
    if known:
        return known
    if mnemonic == "lea":
        memory = insn.operands[1].mem
        parts = bool(memory.base) + bool(memory.index) + bool(memory.disp)
        return "lea_complex" if (memory.scale > 1 and memory.index) or parts == 3 else "lea"
    if mnemonic in ("imul", "mulx"):
        return "multiply" if len(insn.operands) > 1 else "multiply_wide"
    if mnemonic in ("div", "idiv"):
        return "divide64" if insn.operands[0].size == 8 else "divide32"
    if mnemonic.startswith("cmov"):
        return "select"
    if mnemonic.startswith("set"):
        return "set"
    if mnemonic.startswith("j"):
        return "branch"
    if any(number >= VECTORS for number in registers):
        general = [number for number in registers if number < FLAGS]
        if mnemonic.removeprefix("v") in ("movd", "movq"):
            if not general:
                return "vector_integer"
            return "from_vector" if registers[0] < FLAGS else "to_vector"
        return _vector_class(mnemonic)
    return None


def _place(insn: capstone.CsInsn, operand: x86.X86Op) -> Place:
    memory = operand.mem
    base = _NUMBERS.get(insn.reg_name(memory.base) or "", ABSOLUTE)
    index = _NUMBERS.get(insn.reg_name(memory.index) or "", ABSOLUTE)
    relative = insn.address + insn.size if memory.base == x86.X86_REG_RIP else 0
    segment = {x86.X86_REG_FS: 1, x86.X86_REG_GS: 2}.get(memory.segment, 0)
    return Place(base, index, memory.scale, memory.disp + relative, operand.size, segment)


def _linear(mnemonic: str, insn: capstone.CsInsn) -> tuple[int, int, int] | None:
    operands = insn.operands
    if not operands or operands[0].type != x86.X86_OP_REG or operands[0].size != 8:
        return None
    written = _NUMBERS.get(insn.reg_name(operands[0].reg), VECTORS)
    if written >= FLAGS:
        return None
    if mnemonic in ("inc", "dec"):
        return written, written, 1 if mnemonic == "inc" else -1
    if len(operands) != 2:
        return None
    source = operands[1]
    if mnemonic == "mov" and source.type == x86.X86_OP_REG:
        read = _NUMBERS.get(insn.reg_name(source.reg), VECTORS)
        return (written, read, 0) if read < FLAGS else None
    if mnemonic in ("add", "sub") and source.type == x86.X86_OP_IMM:
        return written, written, source.imm if mnemonic == "add" else -source.imm
    if mnemonic == "lea" and not source.mem.index:
        read = _NUMBERS.get(insn.reg_name(source.mem.base) or "", VECTORS)
        return (written, read, source.mem.disp) if read < FLAGS else None
    return None


def describe(insn: capstone.CsInsn, core: Core) -> Instruction:
    """An instruction that capstone has decoded with its details."""
    prefix, _, mnemonic = insn.mnemonic.rpartition(" ")
    names = [insn.reg_name(o.reg) for o in insn.operands if o.type == x86.X86_OP_REG]
    registers = [_NUMBERS[name] for name in names if name in _NUMBERS]
    kind = _class_of(mnemonic, insn, registers)
    ports, latency, slots = core.operations[kind or "alu"]
    known = kind is not None or mnemonic in core.serialising or prefix.startswith("rep") or mnemonic in _OTHERS
    made = Instruction(mnemonic, ports, latency, slots, known=known, size=insn.size)
    made.locked = prefix == "lock" or (mnemonic == "xchg" and any(o.type == x86.X86_OP_MEM for o in insn.operands))
    made.repeated = prefix.startswith("rep") and mnemonic != "ret"
    read_ids, write_ids = insn.regs_access()
    reads = {_NUMBERS[name] for r in read_ids if (name := insn.reg_name(r)) in _NUMBERS}
    writes = {_NUMBERS[name] for r in write_ids if (name := insn.reg_name(r)) in _NUMBERS}
    addresses: list[int] = []
    for n, operand in enumerate(insn.operands):
        if operand.type == x86.X86_OP_MEM:
            place = _place(insn, operand)
            addresses += [number for number in (place.base, place.scaled) if number >= 0]
            if kind in ("lea", "lea_complex", "nop"):
                continue
            access = operand.access or (capstone.CS_AC_READ if n else 0)
            if access & capstone.CS_AC_READ or (n == 0 and mnemonic in _READ_ONLY):
                made.loads.append(place)
            if access & capstone.CS_AC_WRITE and mnemonic not in _READ_ONLY:
                made.stores.append(place)
        elif operand.type == x86.X86_OP_REG and operand.access & capstone.CS_AC_WRITE:
            name = insn.reg_name(operand.reg)
            if _SIZES.get(name, 8) < 4:
                reads.add(_NUMBERS[name])  # what is written is merged with the rest of the register
    made.vector = any(number >= VECTORS for number in registers)
    if mnemonic in _STACK:
        reads.discard(STACK_POINTER)
        writes.discard(STACK_POINTER)
        made.stack = _STACK[mnemonic]
        place = Place(STACK_POINTER, ABSOLUTE, 1, min(made.stack, 0), 8)
        (made.stores if made.stack < 0 else made.loads).append(place)
    size = _SIZES.get(names[0], 0) if names else 0
    if mnemonic in _ZEROING and len(names) >= 2 and len(set(names[-2:])) == 1 and size >= 4:
        reads, made.ports, made.latency = set(), (), 0  # the result depends on nothing
    if kind == "move":
        general = all(number < FLAGS for number in registers) and len(registers) == len(names)
        if (len(names) == 2 and size >= 4 and core.moves_eliminated and general) or (made.loads and size >= 4) or made.stores:
            made.ports, made.latency = (), 0
    elif mnemonic in ("movzx", "movsx", "movsxd") and made.loads:
        made.ports, made.latency = (), 0 if mnemonic == "movzx" else 1
    of_operands = {_NUMBERS[name] for name in names if name in _NUMBERS}
    if kind in ("lea", "lea_complex"):
        made.reads = tuple(sorted(reads))
    else:
        made.addresses = tuple(addresses)
        made.reads = tuple(sorted(r for r in reads if r not in addresses or r in of_operands))
    made.writes = tuple(sorted(writes))
    made.linear = _linear(mnemonic, insn)
    if (made.loads or made.stores) and not made.slots:
        made.slots = 1
    return made


_OTHERS = frozenset(
    [
        "ud2",
        "hlt",
        "cld",
        "std",
        "clac",
        "stac",
        "pushfq",
        "popfq",
        "leave",
        "mov",
        "xsave",
        "xrstor",
        "fxsave",
        "fxrstor",
        "ldmxcsr",
        "stmxcsr",
        "in",
    ]
)
