# SPDX-License-Identifier: GPL-2.0-only
"""SPARC V9's registers for a debugger."""

from __future__ import annotations

import ctypes
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import ClassVar

from emu.cpu.arch.sparc64 import state
from emu.cpu.cpu import Cpu
from emu.gdb.arch import Feature, GdbArch, Read, Register, Saved, Trap

_GLOBAL = tuple(f"g{n}" for n in range(8))
_WINDOW = tuple(f"{kind}{n}" for kind in "oli" for n in range(8))
_NAMED = {"o6": "sp", "i6": "fp"}  # GDB's names of them
_POINTERS = {"sp": "data_ptr", "fp": "data_ptr", "o7": "code_ptr", "i7": "code_ptr"}
_CONTROL = ("tl", "cansave", "canrestore", "otherwin", "cleanwin", "wstate")
# GDB itself takes asi, pstate, ccr and cwp out of `state`.
_TRAP = ("tpc", "tnpc", "tstate", "tt")
_BIAS = 2047  # SPARC V9, "Register windows" of the 64-bit ABI: a stack pointer is this much less than the address
_SAVED = 16  # registers of a window that are saved: locals and ins
_STATE_CWP = 0x1F  # bits of TSTATE
_STATE_CCR, _STATE_ASI, _STATE_PSTATE = 32, 24, 8  # bits of TSTATE, in whose form GDB has `state`

# Traps: The SPARC Architecture Manual, version 9, chapter 7 and appendix A
_FORMAT, _TRAP_ALWAYS, _DONE_RETRY = 0x3 << 30 | 0x3F << 19, 2 << 30 | 0x3A << 19, 2 << 30 | 0x3E << 19
_CONDITION = 0xF << 25  # 0: never
_TABLE, _NESTED, _ENTRY, _KINDS, _SOFTWARE = 0x7FFF, 0x4000, 32, 0x200, 0x100

# The same, table 7-1; the fast traps are UltraSPARC's. A system call and a breakpoint are software traps.
_TRAPS: Mapping[str, Collection[int]] = {
    "instruction_access_exception": (0x08,), "illegal_instruction": (0x10,), "privileged_opcode": (0x11,),
    "fp_disabled": (0x20,), "fp_exception_ieee_754": (0x21,), "fp_exception_other": (0x22,), "tag_overflow": (0x23,),
    "clean_window": range(0x24, 0x28), "division_by_zero": (0x28,), "data_access_exception": (0x30,),
    "mem_address_not_aligned": (0x34,), "privileged_action": (0x37,), "interrupt_level": range(0x41, 0x4F), "nmi": (0x4F,),
    "interrupt_vector": (0x60,), "fast_instruction_access_mmu_miss": range(0x64, 0x68),
    "fast_data_access_mmu_miss": range(0x68, 0x6C), "fast_data_access_protection": range(0x6C, 0x70),
    "spill": range(0x80, 0xC0), "fill": range(0xC0, 0x100), "syscall": (0x16D,), "breakpoint": (0x170,),
    "trap_instruction": range(0x100, 0x200),
}  # fmt: skip


def _gdb_name(name: str) -> str:
    return _NAMED.get(name, name)


_GENERAL = tuple(_gdb_name(name) for name in (*_GLOBAL, *_WINDOW))


class Sparc64(GdbArch):
    """SPARC V9. What is in the windows of callers, and not in memory yet, is shown there all the same."""

    name = "sparc:v9"
    osabi = ""  # without one, GDB takes the machine for one of 32 bits
    counters = "pc", "npc"
    frame = "sp", 0
    stack_bias = _BIAS
    traps = _TRAPS
    unwound = "pc", "npc", "sp", "o7", *_WINDOW[16:22], "fp", "i7"
    kernel_names: ClassVar[Mapping[str, str]] = {"pc": "ip", "fp": "i6"}
    features = (
        Feature("org.gnu.gdb.sparc.cpu", tuple(Register(name, 64, _POINTERS.get(name, "int64")) for name in _GENERAL)),
        Feature(
            "org.gnu.gdb.sparc.fpu",
            (
                *(Register(f"f{n}", 32, "ieee_single") for n in range(32)),
                *(Register(f"f{n}", 64, "ieee_double") for n in range(32, 64, 2)),
            ),
        ),
        Feature(
            "org.gnu.gdb.sparc.cp0",
            (
                Register("pc", 64, "code_ptr"), Register("npc", 64, "code_ptr"),
                *(Register(name, 64, "uint64") for name in ("state", "fsr", "fprs", "y")),
            ),
        ),
        Feature("org.emu.control", tuple(Register(name, group="system") for name in ("pil", "tba", *_CONTROL, *_TRAP))),
    )  # fmt: skip

    def read(self, cpu: Cpu, name: str) -> int | None:
        at = state.Env.from_address(cpu.env)
        if name in _GLOBAL:
            return int(at.gregs[int(name[1])])
        if name in _GENERAL:
            return int(_window(at)[_GENERAL.index(name) - len(_GLOBAL)])
        if name in ("pc", "npc"):
            return int(cpu.record.location[0] if name == "pc" else cpu.record.next_location[0])
        if name[0] == "f" and name[1:].isdigit():
            number = int(name[1:])
            whole = int(at.fpr[number // 2])
            return whole if number >= 32 else whole & 0xFFFF_FFFF if number % 2 else whole >> 32
        if name in _TRAP:
            return int(getattr(at.ts[at.tl], name)) if 0 < at.tl < len(at.ts) else 0
        if name == "state":
            codes = state.condition_codes(cpu.env)
            return int(codes << _STATE_CCR | at.asi << _STATE_ASI | at.pstate << _STATE_PSTATE | at.cwp)
        return int(getattr(at, {"pil": "psrpil", "tba": "tbr"}.get(name, name)))

    def write(self, cpu: Cpu, name: str, value: int) -> bool:
        at = state.Env.from_address(cpu.env)
        if name in _GLOBAL[1:]:
            at.gregs[int(name[1])] = value
        elif name in _GENERAL[len(_GLOBAL) :]:
            _window(at)[_GENERAL.index(name) - len(_GLOBAL)] = value
        elif name == "pc":
            cpu.record.location[0], cpu.record.next_location[0] = value, value + 4
        elif name == "npc":
            cpu.record.next_location[0] = value
        elif name[0] == "f" and name[1:].isdigit():
            number = int(name[1:])
            whole = int(at.fpr[number // 2])
            if number < 32:
                value = whole & ~0xFFFF_FFFF | value if number % 2 else whole & 0xFFFF_FFFF | value << 32
            at.fpr[number // 2] = value
        else:
            return False
        return True

    def saved(self, cpu: Cpu) -> Iterator[Saved]:
        at = state.Env.from_address(cpu.env)
        window = _window(at)
        sp, registers = int(window[6]), [int(window[8 + n]) for n in range(_SAVED)]
        for n in range(at.canrestore + 1):
            yield Saved(sp + _BIAS, b"".join(value.to_bytes(8, "big") for value in registers))
            # The locals of the window before are behind its outs, which are this one's ins.
            sp = registers[14]
            outs = (at.cwp + n + 1) % at.nwindows * 16
            locals_, ins = outs + 8, (outs + 16) % (at.nwindows * 16)
            registers = [int(at.regbase[locals_ + k]) for k in range(8)] + [int(at.regbase[ins + k]) for k in range(8)]

    def asks(self, code: bytes) -> bool:
        word = int.from_bytes(code[:4], "big")
        return word & _FORMAT == _TRAP_ALWAYS and bool(word & _CONDITION)

    def returns(self, code: bytes) -> bool:
        return int.from_bytes(code[:4], "big") & _FORMAT == _DONE_RETRY

    def trap_level(self, cpu: Cpu) -> int:
        return int(state.Env.from_address(cpu.env).tl)

    def trap_entries(self, cpu: Cpu, read: Read) -> Iterable[int]:
        table = int(state.Env.from_address(cpu.env).tbr) & ~_TABLE
        return (table + _NESTED * nested + _ENTRY * kind for nested in range(2) for kind in range(_KINDS))

    def entries_of(self, cpu: Cpu, read: Read, kind: int) -> Iterable[int]:
        table = int(state.Env.from_address(cpu.env).tbr) & ~_TABLE
        return (table + _NESTED * nested + _ENTRY * kind for nested in range(2) if 0 <= kind < _KINDS)

    def syscall_number(self, cpu: Cpu) -> int:
        return int(state.Env.from_address(cpu.env).bgregs[1])  # the handler has globals of its own

    def trap(self, cpu: Cpu, read: Read) -> Trap | None:
        at = state.Env.from_address(cpu.env)
        if not 0 < at.tl < len(at.ts):
            return None
        taken = at.ts[at.tl]
        if cpu.pc & _TABLE != _NESTED * (at.tl > 1) + _ENTRY * taken.tt:  # a handler may take the room of several
            return None
        asked = taken.tt >= _SOFTWARE
        window = at.nwindows - 1 - (taken.tstate & _STATE_CWP)  # QEMU's number of it
        sp = int(at.regbase[16 * window + 6])
        return Trap(int(taken.tnpc if asked else taken.tpc), sp, self.address_space(cpu), asked, int(taken.tt))

    def address_space(self, cpu: Cpu) -> int:
        return int(state.Env.from_address(cpu.env).dmmu[1])


def _window(at: state.Env) -> ctypes.Array[ctypes.c_uint64]:
    """The outs, locals and ins of the current window."""
    return (ctypes.c_uint64 * len(_WINDOW)).from_address(at.regwptr)


ARCH = Sparc64()
