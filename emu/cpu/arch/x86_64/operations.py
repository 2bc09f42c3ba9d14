# SPDX-License-Identifier: GPL-2.0-only
"""x86-64 instructions from a scheduler's view: what they read and write, their latencies, and their ports."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

import capstone
from capstone import x86

from emu.cpu.arch.x86_64.operation_classes import class_of
from emu.cpu.arch.x86_64.register_names import FLAGS, NUMBERS, SIZES, STACK_POINTER, VECTORS, X87
from emu.cpu.arch.x86_64.results import results_of
from emu.cpu.timing import Ending
from emu.cpu.timing.core import Core
from emu.cpu.timing.instructions import ABSOLUTE, Effects, Instruction, Place

__all__ = ["Operations"]

_ZERO = frozenset(
    ["xor", "sub", "pxor", "xorps", "xorpd", "psubb", "psubw", "psubd", "psubq", "pcmpgtb", "pcmpgtw", "pcmpgtd", "pandn"]
)
_ALWAYS = _ZERO | {"pcmpeqb", "pcmpeqw", "pcmpeqd"}  # with two equal registers, the registers' value does not matter
_READ_ONLY = frozenset(("cmp", "test", "bt"))
_WRITE_ONLY = frozenset(("fst", "fstp", "fist", "fistp", "fisttp", "fnstcw", "fnstsw"))
_STACK = {"push": -8, "call": -8, "pushfq": -8, "pop": 8, "ret": 8, "popfq": 8}
_TRAPS = frozenset(("iretq", "retfq", "syscall", "sysretq", "int3", "hlt", "ud2"))
_VECTOR_LOADS = frozenset(("movd", "movq", "movss", "movsd", "movlps", "movlpd", "movhps", "movhpd"))
_NO_DATA = frozenset(
    ["lea", "nop", "prefetch", "prefetcht0", "prefetcht1", "prefetcht2", "prefetchnta", "prefetchw", "invlpg", "clflush"]
)
_KEPT = 1 << 16  # instructions: a kernel and some programs have about 30,000


class Operations:
    """Describes instructions for one core, each distinct one once.

    Args:
        core: the CPU model.
    """

    breakpoint: ClassVar[bytes] = b"\xcc"

    def __init__(self, core: Core) -> None:
        self._core = core
        self._lengths = capstone.Cs(capstone.CS_ARCH_X86, capstone.CS_MODE_64)
        self._decoder = capstone.Cs(capstone.CS_ARCH_X86, capstone.CS_MODE_64)
        self._decoder.detail = True
        self._described: dict[bytes, tuple[Instruction, ...]] = {}
        self._leave = [next(self._decoder.disasm(code, 0)) for code in (b"\x48\x89\xec", b"\x5d")]  # mov rsp, rbp; pop rbp

    def of(self, code: bytes, address: int) -> Iterator[Instruction]:
        """The instructions in `code`, which begins at virtual `address`, up to one that cannot be decoded.

        One instruction can be split in two here: the first then has a size of 0.
        """
        offset = 0
        for _, size, _, _ in self._lengths.disasm_lite(code, 0):
            described = self._describe(code[offset : offset + size])
            offset += size
            for instruction in described:
                if any(place.relative for place in (*instruction.loads, *instruction.stores)):
                    loads, stores = (_absolute(places, address + offset) for places in (instruction.loads, instruction.stores))
                    yield instruction._replace(loads=loads, stores=stores)
                else:
                    yield instruction

    def _describe(self, code: bytes) -> tuple[Instruction, ...]:
        described = self._described.get(code)
        if described is None:
            if len(self._described) >= _KEPT:
                self._described.clear()
            insn = next(self._decoder.disasm(code, 0, 1))
            if insn.mnemonic == "leave":
                first, second = (describe(part, self._core) for part in self._leave)
                described = first._replace(size=0), second._replace(mnemonic="leave")
            else:
                described = (describe(insn, self._core),)
            self._described[code] = described
        return described


def _absolute(places: tuple[Place, ...], end: int) -> tuple[Place, ...]:
    return tuple(
        place._replace(displacement=place.displacement + end, relative=False) if place.relative else place for place in places
    )


def describe(insn: capstone.CsInsn, core: Core) -> Instruction:
    """The description of an instruction that capstone has decoded in detail."""
    prefix, _, mnemonic = insn.mnemonic.rpartition(" ")
    names = [insn.reg_name(o.reg) for o in insn.operands if o.type == x86.X86_OP_REG]
    registers = [NUMBERS[name] for name in names if name in NUMBERS]
    kind = class_of(mnemonic, insn, registers)
    repeated = prefix.startswith("rep") and mnemonic != "ret"
    if kind == "string" and repeated and mnemonic.startswith(("movs", "stos")):
        kind = f"{mnemonic[:4]}_repeated"
    loads, stores, addresses = _places(insn, mnemonic)
    of_memory = core.operations.get(f"{kind}_memory") if loads or stores else None
    vector = any(number >= VECTORS for number in registers)
    ports, latency, slots = of_memory or core.operations[kind or "alu"]
    if of_memory is None and (loads or stores):
        indexed = any(place.scaled != ABSOLUTE for place in (*loads, *stores))
        moves = kind == "move" or mnemonic in ("movzx", "movsxd")
        segment = moves and any(place.segment for place in (*loads, *stores))
        if (loads and stores) or (indexed and not vector and not (moves and loads)) or segment:
            slots += 1
    reads, writes = _registers(insn, mnemonic)
    if kind is not None and kind.startswith("x87_"):
        reads |= set() if kind.startswith("x87_load") else {X87}  # the loaded value waits for nothing
        writes.add(X87)
    size = SIZES.get(names[0], 0) if names else 0
    general = len(registers) == len(names) and all(number < FLAGS for number in registers)
    if len(names) >= 2 and len(set(names[-2:])) == 1 and size >= 4 and mnemonic.removeprefix("v") in _ALWAYS:
        reads = set()  # the result depends on nothing
        if mnemonic.removeprefix("v") in _ZERO:
            ports, latency = () if general else ports, 0
    elif mnemonic == "sbb" and len(names) == 2 and len(set(names)) == 1:
        reads = {FLAGS}
    elif kind == "move" and (loads or stores or general) and (size >= 4 or stores):
        if loads or stores or (len(names) == 2 and core.moves_eliminated):
            ports, latency = (), 0
    elif mnemonic == "movzx" and loads:
        ports, latency = (), 0
    elif kind == "vector_move" or mnemonic.removeprefix("v") in _VECTOR_LOADS:
        ports, latency = ((), 0) if loads or stores or kind == "vector_move" else (ports, latency)
    of_operands = set(registers)
    if mnemonic == "lea":
        addresses = []
    return Instruction(
        mnemonic=mnemonic,
        size=insn.size,
        ports=ports,
        latency=latency,
        slots=slots or (1 if loads or stores else 0),
        reads=tuple(sorted(r for r in reads if r not in addresses or r in of_operands)),
        addresses=tuple(addresses),
        writes=tuple(sorted(writes)),
        loads=tuple(loads),
        stores=tuple(stores),
        stack=_STACK.get(mnemonic, 0),
        vector=vector,
        effects=_effects(mnemonic, insn, writes),
        results=() if prefix else results_of(mnemonic, insn),
        locked=_locked(kind, core) if prefix == "lock" or (mnemonic == "xchg" and stores) else 0,
        repeated=repeated,
        known=kind is not None or mnemonic in core.serialising or repeated,
        ending=_ending(mnemonic, insn),
        flushes_tlb=_flushes(insn),
        swaps_segments=mnemonic == "swapgs",
    )


def _locked(kind: str | None, core: Core) -> int:
    return core.locked if kind == "alu" else core.locked_complex


def _places(insn: capstone.CsInsn, mnemonic: str) -> tuple[list[Place], list[Place], list[int]]:
    """The places that an instruction loads and stores, and the registers in its addresses."""
    loads, stores, addresses = [], [], []
    for n, operand in enumerate(insn.operands):
        if operand.type != x86.X86_OP_MEM:
            continue
        place = _place(insn, operand)
        addresses += [number for number in (place.base, place.scaled) if number >= 0]
        if mnemonic in _NO_DATA:
            continue
        reads, modifies = _accesses(operand, n, mnemonic)
        if reads:
            loads.append(place)
        if modifies:
            stores.append(place)
    if mnemonic in _STACK:
        stack = _STACK[mnemonic]
        (stores if stack < 0 else loads).append(Place(STACK_POINTER, ABSOLUTE, 1, min(stack, 0), 8))
        addresses.append(STACK_POINTER)
    return loads, stores, addresses


def _accesses(operand: x86.X86Op, number: int, mnemonic: str) -> tuple[bool, bool]:
    """Whether a memory operand is read, and whether it is written. Corrects errors of capstone 5."""
    if number == 0 and mnemonic in _READ_ONLY:
        return True, False
    if number == 0 and (mnemonic.removeprefix("v").startswith("mov") or mnemonic in _WRITE_ONLY):
        return False, True
    if number == 0 and mnemonic.startswith("cmpxchg"):
        return True, True
    return bool(operand.access & capstone.CS_AC_READ) or number > 0, bool(operand.access & capstone.CS_AC_WRITE)


def _place(insn: capstone.CsInsn, operand: x86.X86Op) -> Place:
    memory = operand.mem
    base = NUMBERS.get(insn.reg_name(memory.base) or "", ABSOLUTE)
    index = NUMBERS.get(insn.reg_name(memory.index) or "", ABSOLUTE)
    segment = {x86.X86_REG_FS: 1, x86.X86_REG_GS: 2}.get(memory.segment, 0)
    return Place(base, index, memory.scale, memory.disp, operand.size, segment, memory.base == x86.X86_REG_RIP)


def _registers(insn: capstone.CsInsn, mnemonic: str) -> tuple[set[int], set[int]]:
    """The registers that an instruction reads and writes, except for the stack engine's changes of the stack pointer."""
    read, written = insn.regs_access()
    reads = {NUMBERS[name] for r in read if (name := insn.reg_name(r)) in NUMBERS}
    writes = {NUMBERS[name] for r in written if (name := insn.reg_name(r)) in NUMBERS}
    for operand in insn.operands:
        if operand.type == x86.X86_OP_REG and operand.access & capstone.CS_AC_WRITE:
            name = insn.reg_name(operand.reg)
            if SIZES.get(name, 8) < 4:
                reads.add(NUMBERS[name])  # the written part is merged with the rest of the register
    if mnemonic.startswith("cmov"):
        reads |= {NUMBERS[name] for o in insn.operands[:1] if (name := insn.reg_name(o.reg)) in NUMBERS}
    if mnemonic in _STACK:
        popped = {NUMBERS.get(insn.reg_name(o.reg)) for o in insn.operands if o.type == x86.X86_OP_REG and mnemonic == "pop"}
        reads.discard(STACK_POINTER)
        writes -= {STACK_POINTER} - popped
    return reads, writes


def _effects(mnemonic: str, insn: capstone.CsInsn, writes: set[int]) -> Effects:
    effects: dict[int, tuple[int, int] | None] = {register: None for register in writes if register < FLAGS}
    linear = _linear(mnemonic, insn)
    if linear is not None:
        effects[linear[0]] = linear[1:]
    if mnemonic in _STACK and STACK_POINTER not in effects:
        effects[STACK_POINTER] = STACK_POINTER, _STACK[mnemonic]
    return tuple(effects.items())


def _linear(mnemonic: str, insn: capstone.CsInsn) -> tuple[int, int, int] | None:
    """(written register, register or ABSOLUTE, constant) if an instruction writes the sum of the latter two."""
    operands = insn.operands
    if not operands or operands[0].type != x86.X86_OP_REG:
        return None
    written = NUMBERS.get(insn.reg_name(operands[0].reg), VECTORS)
    if written >= FLAGS:
        return None
    if operands[0].size >= 4 and len(operands) == 2:
        if mnemonic in ("mov", "movabs") and operands[1].type == x86.X86_OP_IMM:
            return written, ABSOLUTE, operands[1].imm & (1 << 8 * operands[0].size) - 1
        if mnemonic in ("xor", "sub") and operands[1].type == x86.X86_OP_REG and operands[0].reg == operands[1].reg:
            return written, ABSOLUTE, 0
    if operands[0].size != 8:
        return None
    if mnemonic in ("inc", "dec"):
        return written, written, 1 if mnemonic == "inc" else -1
    if len(operands) != 2:
        return None
    source = operands[1]
    if mnemonic == "mov" and source.type == x86.X86_OP_REG:
        read = NUMBERS.get(insn.reg_name(source.reg), VECTORS)
        return (written, read, 0) if read < FLAGS else None
    if mnemonic in ("add", "sub") and source.type == x86.X86_OP_IMM:
        return written, written, source.imm if mnemonic == "add" else -source.imm
    if mnemonic == "lea" and not source.mem.index:
        read = NUMBERS.get(insn.reg_name(source.mem.base) or "", VECTORS)
        return (written, read, source.mem.disp) if read < FLAGS else None
    return None


def _ending(mnemonic: str, insn: capstone.CsInsn) -> Ending:
    """The ending of a block whose last instruction this is."""
    direct = bool(insn.operands) and insn.operands[0].type == x86.X86_OP_IMM
    if mnemonic == "jmp":
        return Ending.JUMP if direct else Ending.INDIRECT_JUMP
    if mnemonic == "call":
        return Ending.CALL if direct else Ending.INDIRECT_CALL
    if mnemonic == "ret":
        return Ending.RETURN
    if mnemonic.startswith(("j", "loop")):
        return Ending.CONDITIONAL
    return Ending.TRAPS if mnemonic in _TRAPS else Ending.FALLS


def _flushes(insn: capstone.CsInsn) -> bool:
    """Whether the TLB is flushed: by a write of CR3. `invlpg` also flushes it all, since nothing smaller is modelled."""
    if insn.mnemonic == "invlpg":
        return True
    operands = insn.operands
    return insn.mnemonic == "mov" and bool(operands) and operands[0].type == x86.X86_OP_REG and operands[0].reg == x86.X86_REG_CR3
