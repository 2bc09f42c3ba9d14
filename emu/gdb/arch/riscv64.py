# SPDX-License-Identifier: GPL-2.0-only
"""RISC-V's registers for a debugger."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import ClassVar

from emu.cpu.arch.riscv64 import state
from emu.cpu.cpu import Cpu
from emu.gdb.arch import Feature, GdbArch, Read, Register, Trap

_POINTERS = {"ra": "code_ptr", "sp": "data_ptr", "gp": "data_ptr", "tp": "data_ptr"}
_GENERAL = tuple("fp" if name == "s0" else name for name in state.REGISTERS)  # GDB's name of s0
_FLOATING = (
    *(f"ft{n}" for n in range(8)), "fs0", "fs1", *(f"fa{n}" for n in range(8)), *(f"fs{n}" for n in range(2, 12)),
    *(f"ft{n}" for n in range(8, 12)),
)  # fmt: skip
# The fields of Unicorn's state, by the names of CSRs
_CONTROL: Mapping[str, str] = {
    "sstatus": "mstatus", "sie": "mie", "sip": "mip", "stvec": "stvec", "sepc": "sepc", "scause": "scause",
    "stval": "sbadaddr", "sscratch": "sscratch", "satp": "satp",
}  # fmt: skip
_DOUBLE = (
    '<union id="riscv_double"><field name="float" type="ieee_single"/><field name="double" type="ieee_double"/></union>'
)

# Traps: RISC-V privileged specification, "Supervisor Cause Register"
_ECALL, _EBREAK, _C_EBREAK, _SRET = b"\x73\0\0\0", b"\x73\0\x10\0", b"\x02\x90", b"\x73\0\x20\x10"
_BREAKPOINT = 3
_ASKED = (_BREAKPOINT, 8, 9)  # causes: a breakpoint, and calls from user and supervisor mode

# The Privileged Architecture, "Supervisor Cause Register"
_INTERRUPT = 1 << 63
_TRAPS: Mapping[str, Collection[int]] = {
    "instruction_address_misaligned": (0,), "instruction_access_fault": (1,), "illegal_instruction": (2,), "breakpoint": (3,),
    "load_address_misaligned": (4,), "load_access_fault": (5,), "store_address_misaligned": (6,), "store_access_fault": (7,),
    "syscall": (8,), "instruction_page_fault": (12,), "load_page_fault": (13,), "store_page_fault": (15,),
    "page_fault": (12, 13, 15), "software_interrupt": (_INTERRUPT + 1,), "timer_interrupt": (_INTERRUPT + 5,),
    "external_interrupt": (_INTERRUPT + 9,), "nmi": (_INTERRUPT + 63,),
}  # fmt: skip


class Riscv64(GdbArch):
    """RV64GC, with the CSRs of supervisors."""

    name = "riscv:rv64"
    frame = "fp", 0
    traps = _TRAPS
    unwound = "pc", "sp", "fp", "ra", "t0"
    kernel_names: ClassVar[Mapping[str, str]] = {"pc": "ip", "fp": "s0"}
    features = (
        Feature(
            "org.gnu.gdb.riscv.cpu",
            (*(Register(name, 64, _POINTERS.get(name, "int")) for name in _GENERAL), Register("pc", 64, "code_ptr")),
        ),
        Feature("org.gnu.gdb.riscv.fpu", tuple(Register(name, 64, "riscv_double") for name in _FLOATING), _DOUBLE),
        Feature("org.gnu.gdb.riscv.csr", tuple(Register(name, group="csr") for name in _CONTROL)),
        Feature("org.gnu.gdb.riscv.virtual", (Register("priv"),)),
    )

    def read(self, cpu: Cpu, name: str) -> int | None:
        at = state.Env.from_address(cpu.env)
        if name == "pc":
            return cpu.pc
        if name in _GENERAL:
            return int(at.gpr[_GENERAL.index(name)])
        if name in _FLOATING:
            return int(at.fpr[_FLOATING.index(name)])
        return int(getattr(at, _CONTROL.get(name, name)))

    def write(self, cpu: Cpu, name: str, value: int) -> bool:
        at = state.Env.from_address(cpu.env)
        if name == "pc":
            cpu.record.location[0] = value
        elif name in _GENERAL and name != "zero":
            at.gpr[_GENERAL.index(name)] = value
        elif name in _FLOATING:
            at.fpr[_FLOATING.index(name)] = value
        else:
            return False
        return True

    def asks(self, code: bytes) -> bool:
        return code[:4] in (_ECALL, _EBREAK) or code[:2] == _C_EBREAK

    def returns(self, code: bytes) -> bool:
        return code.startswith(_SRET)

    def trap_entries(self, cpu: Cpu, read: Read) -> Iterable[int]:
        yield int(state.Env.from_address(cpu.env).stvec) & ~3

    def syscall_number(self, cpu: Cpu) -> int:
        return int(state.Env.from_address(cpu.env).gpr[_GENERAL.index("a7")])

    def trap(self, cpu: Cpu, read: Read) -> Trap | None:
        at = state.Env.from_address(cpu.env)
        asked = int(at.scause) in _ASKED
        # What has asked goes on after its instruction.
        pc = int(at.sepc) + (4 if asked and at.scause != _BREAKPOINT else 0)
        return Trap(pc, int(at.gpr[2]), self.address_space(cpu), asked, int(at.scause))

    def address_space(self, cpu: Cpu) -> int:
        return int(state.Env.from_address(cpu.env).satp)


ARCH = Riscv64()
