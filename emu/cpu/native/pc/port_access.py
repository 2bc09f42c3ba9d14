# SPDX-License-Identifier: GPL-2.0-only
"""`in` and `out` of a PC's CPUs.

Unicorn finds the program counter for its hooks, which takes longer than the access. Nothing needs it here but an access that
faults.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from unicorn import x86_const as x86

from emu.cpu.native.arch.x86_64_env import Env
from emu.cpu.native.arch.x86_64_instructions import PRIVILEGE
from emu.cpu.native.cpu_records import Cpu, Uc
from emu.cpu.native.pc import ports
from emu.native.functions import Native, external, njit
from emu.native.records import Layouts, i32, u32, u64

__all__ = ["build_functions", "build_hooks"]

_check_byte = external("helper_check_iob_x86_64", None, Env, u32)
_check_word = external("helper_check_iow_x86_64", None, Env, u32)
_check_long = external("helper_check_iol_x86_64", None, Env, u32)

IOPL_SHIFT = 12  # EFLAGS: the privilege level that may access all ports


@njit
def read(cpu: Cpu, port: u64, size: u64) -> u64:
    """Reads the bytes of adjacent ports."""
    value = u64(0)
    for n in range(size):
        value |= ports.read(cpu, port + n) << 8 * n
    return value


@njit
def write(cpu: Cpu, port: u64, size: u64, value: u64) -> None:
    for n in range(size):
        ports.write(cpu, port + n, value >> 8 * n & 0xFF)


def build_hooks(layouts: Layouts) -> Sequence[tuple[int, int]]:
    """Unicorn's numbers of both instructions, with the hooks for accesses that must be checked first: those of programs, which
    may access the ports that the task segment's bitmap allows (SDM volume 1, 19.5)."""
    native = Native(layouts)

    @native.njit
    def check(env: Env, port: u64, size: i32) -> None:
        if env.hflags & PRIVILEGE <= env.eflags >> IOPL_SHIFT & PRIVILEGE:
            return
        if size == 1:
            _check_byte(env, port)
        elif size == 2:
            _check_word(env, port)
        else:
            _check_long(env, port)

    @native.callback
    def port_in(uc: Uc, port: u32, size: i32, cpu: Cpu) -> u32:
        check(Env(cpu.env), port, size)
        return read(cpu, port, u64(size))

    @native.callback
    def port_out(uc: Uc, port: u32, size: i32, value: u32, cpu: Cpu) -> None:
        check(Env(cpu.env), port, size)
        write(cpu, port, u64(size), value)

    return (x86.UC_X86_INS_IN, port_in.address), (x86.UC_X86_INS_OUT, port_out.address)


def build_functions(layouts: Layouts) -> Mapping[str, int]:
    """Compiles. Returns addresses, by the names of Unicorn's functions that they replace: the kernel's accesses to bytes."""
    native = Native(layouts)

    @native.njit
    def is_direct(uc: Uc) -> bool:
        """Whether the access is a PC's, and needs no check."""
        state = uc.cpu
        if state.opaque == 0:
            return False
        cpu = Cpu(state.opaque)
        return cpu.board.devices != 0 and Env(cpu.env).hflags & PRIVILEGE == 0

    read_usual = external("cpu_inb_x86_64", u32, Uc, u32, u64)
    write_usual = external("cpu_outb_x86_64", None, Uc, u32, u32, u64)

    @native.callback
    def cpu_inb(uc: Uc, port: u32, called_from: u64) -> u32:
        return ports.read(Cpu(uc.cpu.opaque), port) if is_direct(uc) else read_usual(uc, port, called_from)

    @native.callback
    def cpu_outb(uc: Uc, port: u32, value: u32, called_from: u64) -> None:
        if is_direct(uc):
            ports.write(Cpu(uc.cpu.opaque), port, value)
        else:
            write_usual(uc, port, value, called_from)

    return {"cpu_inb_x86_64": cpu_inb.address, "cpu_outb_x86_64": cpu_outb.address}
