# SPDX-License-Identifier: GPL-2.0-only
"""Kprobes on x86-64: `int3`, and elsewhere a copy of the instruction followed by a jump back.

The copy has the effect of the original instruction (each rel32 is relative to its own place):

    any instruction         the instruction, its %rip-relative operand adjusted; jmp rel32 after it
    jmp target              jmp rel32
    jcc target              jcc rel32; jmp rel32 after it
    call target             push $after it; jmp rel32
    call *operand           push $after it; jmp *operand

The copy for probes of the guest itself has an `int3` before each exit, which is a jump or a return:

    any instruction         the instruction; int3; jmp rel32
    jmp target              int3; jmp rel32
    jcc target              jcc over; int3; jmp rel32 after it; over: int3; jmp rel32
    call target             push $after it; int3; jmp rel32
    call, jmp *operand      (push $after it;) push operand; int3; ret
    ret                     int3; ret

A return address can be pushed as an immediate because the kernel is in the uppermost 2 GiB.
"""

from __future__ import annotations

import errno
import struct
from collections.abc import Sequence
from typing import ClassVar

import capstone
from capstone import x86

from emu.cpu.arch.x86_64 import ARCH as CPU
from emu.ftrace.arch.probing import ProbeRegisters, Probing
from emu.ftrace.errors import TraceError
from emu.ftrace.native.arch.x86_64_probe import PROBE_REGISTERS
from emu.kernel.image import Image

__all__ = ["PROBING"]

_REGISTERS = {name: word for word, name in enumerate(PROBE_REGISTERS)}
_JUMP, _PUSH, _TWO_BYTES, _CONDITIONAL = 0xE9, 0x68, 0x0F, 0x80
_SHORT_CONDITIONAL, _RET = 0x70, 0xC3
# Opcode extensions in ModRM; `jmp *operand`, `push operand`
_OPERATION, _JUMP_OPERAND, _PUSH_OPERAND = 0b111_000, 0b100_000, 0b110_000
_BY_PLACE = frozenset({"loop", "loope", "loopne", "jcxz", "jecxz", "jrcxz", "xbegin", "lcall", "ljmp"})
_TRAPS = frozenset({"int3", "int", "int1", "into", "ud0", "ud1", "ud2", "hlt", "iretq", "iret", "iretd", "sysretq", "sysexit"})
_SHADOWED = "the instruction before it holds interrupts off until it is done"


def _decoder(detail: bool) -> capstone.Cs:
    decoder = capstone.Cs(*CPU.capstone_mode)
    decoder.detail = detail
    return decoder


_DECODER, _DETAILED = _decoder(False), _decoder(True)


class _Int3(Probing):
    """`int3` (Intel SDM, volume 2)."""

    breakpoint: ClassVar[bytes] = b"\xcc"
    registers: ClassVar[ProbeRegisters] = ProbeRegisters(
        names=_REGISTERS,
        arguments=[_REGISTERS[name] for name in ("di", "si", "dx", "cx", "r8", "r9")],
        stack_arguments=1,  # after the return address
        return_value=_REGISTERS["ax"],
        pc=_REGISTERS["ip"],
        stack_pointer=_REGISTERS["sp"],
    )

    def instruction(self, code: bytes, start: int, address: int) -> bytes:
        before = ("", "")
        for at, size, name, operands in _DECODER.disasm_lite(code, start):
            if at == address:
                after = next(_DECODER.disasm_lite(code[at + size - start :], at + size, 1), None)
                if why := _why_not(name, operands, before, after[2] if after else ""):
                    raise TraceError(errno.EINVAL, f"{name} at {address:#x} cannot be probed: {why}")
                return code[at - start : at - start + size]
            if at > address:
                break
            before = (name, operands)
        raise TraceError(errno.EILSEQ, f"no instruction begins at {address:#x}")

    def copy(self, instruction: bytes, address: int, place: int | None) -> bytes:
        to, after = address if place is None else place, address + len(instruction)
        decoded = next(_DETAILED.disasm(instruction, address, 1))
        groups, push = decoded.groups, _push(after)
        if capstone.CS_GRP_JUMP not in groups and capstone.CS_GRP_CALL not in groups:
            moved = _moved(decoded, to)
            return moved + _jump(to + len(moved), after)
        if not decoded.op_count(x86.X86_OP_IMM):
            return _indirect(decoded, to, after)
        target = _target(decoded)
        if capstone.CS_GRP_CALL in groups:
            return push + _jump(to + len(push), target)
        if decoded.id == x86.X86_INS_JMP:
            return _jump(to, target)
        branch = bytes([_TWO_BYTES, _CONDITIONAL | _condition(decoded)])
        branch += _distance(to + len(branch), target)
        return branch + _jump(to + len(branch), after)

    def stepping_copy(self, instruction: bytes, address: int, place: int | None) -> bytes:
        to, after = address if place is None else place, address + len(instruction)
        decoded = next(_DETAILED.disasm(instruction, address, 1))
        groups = decoded.groups
        is_call, is_jump = capstone.CS_GRP_CALL in groups, capstone.CS_GRP_JUMP in groups
        if decoded.id == x86.X86_INS_RET:
            return self.breakpoint + instruction
        code = _push(after) if is_call else b""
        if not is_call and not is_jump:
            code = _moved(decoded, to)
        elif not decoded.op_count(x86.X86_OP_IMM):
            return code + _with_operation(decoded, to + len(code), _PUSH_OPERAND) + self.breakpoint + bytes([_RET])
        elif is_call or decoded.id == x86.X86_INS_JMP:
            after = _target(decoded)
        else:  # skips the first of two exits
            code = bytes([_SHORT_CONDITIONAL | _condition(decoded), len(self.detour(after, None))])
            code += self.detour(after, to + len(code))
            after = _target(decoded)
        return code + self.detour(after, to + len(code))

    def detour(self, behind: int, place: int | None) -> bytes:
        return self.breakpoint + _jump((place or 0) + len(self.breakpoint), behind if place else 0)

    def saved_offsets(self, image: Image) -> Sequence[int]:
        return [image.offset(f"pt_regs.{name}") for name in PROBE_REGISTERS]


def _why_not(name: str, operands: str, before: tuple[str, str], after: str) -> str | None:
    """Why an instruction cannot be probed; None if it can. `before`: the preceding instruction; `after`: the next one's name."""
    if name in _TRAPS:
        return "it traps, halts or returns from a trap"
    if name in _BY_PLACE:
        return "it has no form that can be moved"
    if name == "call" and "rsp" in operands:
        return "its operand is on the stack, which the return address moves"
    if name == "sti" and after == "hlt":
        return "an interrupt must not come between it and the hlt behind it"
    if before[0] == "sti" or (before[0] in ("mov", "pop") and before[1].startswith("ss")):
        return _SHADOWED
    return None


def _distance(at: int, target: int) -> bytes:
    """The last four bytes, at `at`, of an instruction that jumps to the target."""
    return struct.pack("<i", target - (at + 4))


def _jump(at: int, target: int) -> bytes:
    return bytes([_JUMP]) + _distance(at + 1, target)


def _push(address: int) -> bytes:
    return bytes([_PUSH]) + struct.pack("<I", address & 0xFFFF_FFFF)


def _moved(decoded: capstone.CsInsn, to: int) -> bytes:
    """The instruction's bytes, relocated to another address."""
    code = bytearray(decoded.bytes)
    if any(operand.type == x86.X86_OP_MEM and operand.mem.base == x86.X86_REG_RIP for operand in decoded.operands):
        struct.pack_into("<i", code, decoded.disp_offset, decoded.disp + decoded.address - to)
    return bytes(code)


def _indirect(decoded: capstone.CsInsn, to: int, after: int) -> bytes:
    """A call or jump to an address in a register or in memory."""
    if capstone.CS_GRP_CALL not in decoded.groups:
        return _moved(decoded, to)
    push = _push(after)
    return push + _with_operation(decoded, to + len(push), _JUMP_OPERAND)


def _with_operation(decoded: capstone.CsInsn, to: int, operation: int) -> bytes:
    """Another instruction with the operand of a call or jump."""
    code = bytearray(_moved(decoded, to))
    code[decoded.modrm_offset] = code[decoded.modrm_offset] & ~_OPERATION | operation
    return bytes(code)


def _target(decoded: capstone.CsInsn) -> int:
    """The target of a direct call or jump."""
    target: int = decoded.operands[0].imm & 0xFFFF_FFFF_FFFF_FFFF  # capstone returns it as a signed number
    return target


def _condition(decoded: capstone.CsInsn) -> int:
    """The condition of a jump: both forms have it in the low four bits, 7x rel8 and 0f 8x rel32."""
    return int(decoded.opcode[1] if decoded.opcode[0] == _TWO_BYTES else decoded.opcode[0]) & 0xF


PROBING = _Int3()
