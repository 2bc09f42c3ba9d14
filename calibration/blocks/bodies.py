# SPDX-License-Identifier: GPL-2.0-only
"""Bodies of blocks: the code up to the instruction that leaves the block, in a form that can be measured anywhere.

Operands relative to `rip` are changed so that a body at address 0 accesses addresses from RELATIVE on. So equal code that
accesses different variables has the same body.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence

import capstone
from capstone import x86

__all__ = [
    "RELATIVE", "SPECIAL", "body_of", "carries_through_memory", "disassembler", "disassembly", "is_special", "may_meet",
    "relatives",
]  # fmt: skip

RELATIVE = 0x10000
MOST_BYTES = 200
_REACH = 0x10000  # how far apart a block's operands relative to `rip` may be

# Instructions that are judged separately: they serialise, are microcoded, or have a cost that depends on values.
SPECIAL = frozenset(
    ["lfence", "mfence", "sfence", "pause", "rdtsc", "rdtscp", "cmpxchg", "cmpxchg8b", "cmpxchg16b", "xadd", "div", "idiv",
     "pushfq"]
)  # fmt: skip
_LEFT_OUT = frozenset(
    ["cli", "sti", "hlt", "out", "in", "wrmsr", "rdmsr", "swapgs", "iretq", "invlpg", "lgdt", "lidt", "ltr", "cpuid",
     "int3", "int", "int1", "syscall", "sysretq", "sysenter", "ud2", "stac", "clac", "popfq", "wbinvd", "rdrand",
     "rdseed", "std", "xsave", "xrstor", "xsavec", "xgetbv", "fxsave", "fxrstor", "ldmxcsr", "stmxcsr", "wrgsbase",
     "wrfsbase", "clflush", "monitor", "mwait", "enter", "xlatb", "xend", "xbegin", "xtest", "rdpkru", "wrpkru", "lsl",
     "lar", "verr", "verw", "str", "sldt", "sgdt", "sidt", "smsw", "incsspq", "rdsspq", "vzeroupper", "vzeroall", "emms"]
)  # fmt: skip
_GROUPS = (x86.X86_GRP_FPU, x86.X86_GRP_MMX)
_ENDS = (capstone.CS_GRP_JUMP, capstone.CS_GRP_CALL, capstone.CS_GRP_RET)
_SYSTEM = ("cr", "dr", "cs", "ds", "es", "fs", "gs", "ss", "st", "mm", "bnd")  # prefixes of the names of registers


@functools.cache
def disassembler() -> capstone.Cs:
    """A disassembler for x86-64, with details."""
    made = capstone.Cs(capstone.CS_ARCH_X86, capstone.CS_MODE_64)
    made.detail = True
    return made


def disassembly(code: bytes) -> str:
    """The disassembly, in one line."""
    return "; ".join(f"{mnemonic} {operands}".strip() for _, _, mnemonic, operands in disassembler().disasm_lite(code, 0))


def relatives(code: bytes) -> Iterator[tuple[int, int, int]]:
    """Operands relative to `rip`: where the displacement is, where the instruction ends, and the address if `code` is at 0."""
    for insn in disassembler().disasm(code, 0):
        for operand in insn.operands:
            if operand.type == x86.X86_OP_MEM and operand.mem.base == x86.X86_REG_RIP:
                end = insn.address + insn.size
                yield insn.address + insn.disp_offset, end, end + operand.mem.disp


def is_special(code: bytes) -> bool:
    """Whether a body has instructions that are judged separately."""
    for insn in disassembler().disasm(code, 0):
        prefix, _, mnemonic = insn.mnemonic.rpartition(" ")
        locks = prefix == "lock" or (mnemonic == "xchg" and any(o.type == x86.X86_OP_MEM for o in insn.operands))
        if locks or mnemonic in SPECIAL:
            return True
    return False


def _measurable(insn: capstone.CsInsn) -> bool:
    """Whether a program can execute an instruction again and again, with arbitrary pointers."""
    prefix, _, mnemonic = insn.mnemonic.rpartition(" ")
    if mnemonic in _LEFT_OUT or prefix.startswith("rep") or any(insn.group(group) for group in _GROUPS):
        return False
    if any("avx512" in insn.group_name(group) for group in insn.groups):
        return False
    for operand in insn.operands:
        name = insn.reg_name(operand.reg) if operand.type == x86.X86_OP_REG else None
        if name and name.startswith(_SYSTEM):
            return False
        if operand.type == x86.X86_OP_MEM and operand.mem.segment not in (0, x86.X86_REG_GS):
            return False
    return True


def body_of(code: bytes, address: int = 0) -> bytes | None:
    """The measurable body of a block at `address`; None: it has none, or fewer than two instructions."""
    end = count = 0
    for insn in disassembler().disasm(code, address):
        if any(insn.group(group) for group in _ENDS) or insn.mnemonic.startswith("loop"):
            break
        if not _measurable(insn):
            return None
        end += insn.size
        count += 1
    if count < 2 or end > MOST_BYTES:
        return None
    return _relocated(code[:end], address)


def _relocated(code: bytes, address: int) -> bytes | None:
    """The body with its operands relative to `rip` changed as described above; None: they are too far from each other."""
    found = list(relatives(code))
    if not found:
        return code
    first = min(target for _, _, target in found)
    if max(target for _, _, target in found) - first >= _REACH:
        return None
    begin = RELATIVE + (first + address & 63)  # its offset in the cache line matters
    changed = bytearray(code)
    for offset, end, target in found:
        changed[offset : offset + 4] = (begin + target - first - end).to_bytes(4, "little", signed=True)
    return bytes(changed)


# Aliases: the harness gives each register an address of its own, but all loaded pointers are one address.


def may_meet(code: bytes, rounds: int = 2) -> bool:
    """Whether, in the harness, accesses alias that most likely do not in the program. The harness loads all pointers with one
    address, so a store and a load through different registers alias if their pointers were loaded, or copied to other
    registers."""
    value: dict[str, str] = {}
    stored: _Names = {}
    loaded: _Names = {}
    decoded = list(disassembler().disasm(code, 0))
    for n in range(rounds):
        for insn in decoded:
            _note_accesses(insn, value, stored, loaded)
            _, written = insn.regs_access()
            new = _result(insn, value)
            for register in written:
                value[_whole(insn.reg_name(register))] = f"{n}:{insn.address}"
            if new is not None:
                value[_whole(insn.reg_name(insn.operands[0].reg))] = new
    return any(len(names | loaded.get(address, names)) > 1 for address, names in stored.items())


def carries_through_memory(code: bytes) -> bool:
    """Whether a repetition loads (`pop` excepted) what it or an earlier one has stored: an operand with the same text is read and
    written, and its registers do not change."""
    read: set[tuple[int, ...]] = set()
    written: set[tuple[int, ...]] = set()
    changed: set[str] = set()
    for insn in disassembler().disasm(code, 0):
        changed |= {_whole(insn.reg_name(register)) for register in insn.regs_access()[1]}
        for operand in insn.operands:
            if operand.type == x86.X86_OP_MEM and insn.mnemonic not in ("lea", "nop"):
                memory = operand.mem
                place = (memory.base, memory.index, memory.scale, memory.disp if memory.base != x86.X86_REG_RIP else 0)
                writes = bool(operand.access & capstone.CS_AC_WRITE) and insn.mnemonic not in ("cmp", "test", "bt")
                if writes:
                    written.add(place)
                if not writes or operand.access & capstone.CS_AC_READ:
                    read.add(place)
    name = disassembler().reg_name
    return any(not {_whole(name(r)) for r in place[:2] if r} & changed for place in read & written)


_Names = dict[str, set[str]]  # by an address, written as an expression: the registers that hold it


def _note_accesses(insn: capstone.CsInsn, value: dict[str, str], stored: _Names, loaded: _Names) -> None:
    """Adds the accesses of an instruction."""
    places: list[tuple[str, str, bool, bool]] = []
    if insn.mnemonic in ("push", "pop"):
        places.append((value.get("rsp", "rsp"), "rsp", insn.mnemonic == "pop", insn.mnemonic == "push"))
    for n, operand in enumerate(insn.operands):
        if operand.type != x86.X86_OP_MEM or insn.mnemonic in ("lea", "nop") or insn.mnemonic.startswith("prefetch"):
            continue
        parts = [_whole(insn.reg_name(r)) for r in (operand.mem.base, operand.mem.index) if r]
        address = "+".join([value.get(part, part) for part in parts] + [f"*{operand.mem.scale}"] * (operand.mem.index != 0))
        writes = bool(operand.access & capstone.CS_AC_WRITE) and insn.mnemonic not in ("cmp", "test", "bt")
        reads = bool(operand.access & capstone.CS_AC_READ) or n > 0 or not writes
        places.append((address, "+".join(parts), reads, writes))
    for address, name, reads, writes in places:
        if reads:
            loaded.setdefault(address, set()).add(name)
        if writes:
            stored.setdefault(address, set()).add(name)


def _result(insn: capstone.CsInsn, value: dict[str, str]) -> str | None:
    """The value of a general register that an instruction writes: a name shared by equal pointers; None: a value of its own."""
    operands = insn.operands
    if insn.mnemonic == "pop" and operands[0].type == x86.X86_OP_REG:
        return "loaded"
    if insn.mnemonic == "leave" or not operands or operands[0].type != x86.X86_OP_REG:
        return None
    target = _whole(insn.reg_name(operands[0].reg))
    if insn.mnemonic in ("add", "sub", "inc", "dec") and operands[-1].type != x86.X86_OP_REG and len(operands) <= 2:
        return value.get(target, target) if operands[-1].type == x86.X86_OP_IMM or len(operands) == 1 else None
    if len(operands) != 2:
        return None
    source = operands[1]
    if insn.mnemonic in ("mov", "movzx", "movsx", "movsxd") and source.type == x86.X86_OP_MEM and source.size >= 4:
        return "loaded"
    if insn.mnemonic == "mov" and source.type == x86.X86_OP_REG and operands[0].size >= 4:
        name = _whole(insn.reg_name(source.reg))
        return value.get(name, name)
    if insn.mnemonic == "lea" and source.mem.base and not source.mem.index:
        name = _whole(insn.reg_name(source.mem.base))
        return value.get(name, name)
    return None


@functools.cache
def _whole(name: str) -> str:
    """The 64-bit register that a register is a part of."""
    for register, parts in _PARTS.items():
        if name in parts:
            return register
    return name


_LEGACY = {"rax": "eax ax al ah", "rcx": "ecx cx cl ch", "rdx": "edx dx dl dh", "rbx": "ebx bx bl bh", "rsp": "esp sp spl",
           "rbp": "ebp bp bpl", "rsi": "esi si sil", "rdi": "edi di dil"}  # fmt: skip
_PARTS: dict[str, Sequence[str]] = {
    **{name: [name, *parts.split()] for name, parts in _LEGACY.items()},
    **{f"r{n}": [f"r{n}", f"r{n}d", f"r{n}w", f"r{n}b"] for n in range(8, 16)},
}
