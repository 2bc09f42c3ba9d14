# SPDX-License-Identifier: GPL-2.0-only
"""RISC-V's registers for a debugger."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from emu.cpu.arch.riscv64 import state
from emu.cpu.cpu import Cpu
from emu.gdb.arch import Feature, GdbArch, Register

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


class Riscv64(GdbArch):
    """RV64GC, with the CSRs of supervisors."""

    name = "riscv:rv64"
    frame = "fp", 0
    unwound: ClassVar[Mapping[str, str]] = {"pc": "ip", "sp": "sp", "fp": "s0", "ra": "ra", "t0": "t0"}
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
        if name in _GENERAL and name != "zero":
            at.gpr[_GENERAL.index(name)] = value
        elif name in _FLOATING:
            at.fpr[_FLOATING.index(name)] = value
        else:
            return False
        return True


ARCH = Riscv64()
