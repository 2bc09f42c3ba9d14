# SPDX-License-Identifier: GPL-2.0-only
"""Instructions of a PC's CPUs that the host executes: `cpuid`, `rdmsr`, `wrmsr`, `rdtsc`, `in` and `out`, besides `syscall`."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from unicorn import x86_const as x86

from emu.cpu.native.arch import x86_64_instructions
from emu.cpu.native.arch.x86_64_env import Env
from emu.cpu.native.cpu_records import Cpu, Uc
from emu.cpu.native.pc import apic_timer, port_access
from emu.cpu.native.pc.records import LocalApic, Pc
from emu.native.functions import Native, external, njit
from emu.native.records import Layouts, i32, u64

__all__ = ["EXECUTED", "build_execute", "build_hooks"]

EXECUTED = (
    *x86_64_instructions.EXECUTED, "helper_cpuid_x86_64", "helper_rdmsr_x86_64", "helper_wrmsr_x86_64",
)  # fmt: skip
"""The helpers of the instructions that the block hook executes."""
CPUID, RDMSR, WRMSR = (EXECUTED.index(f"helper_{name}_x86_64") for name in ("cpuid", "rdmsr", "wrmsr"))

# Model-specific registers (SDM volume 4, table 2-2)
TSC, APIC_BASE, TSC_ADJUST, ARCH_CAPABILITIES, MISC_ENABLE = 0x10, 0x1B, 0x3B, 0x10A, 0x1A0
TSC_DEADLINE, TSC_AUX = 0x6E0, 0xC000_0103
SPEC_CTRL, PRED_CMD, FLUSH_CMD, MICROCODE = 0x48, 0x49, 0x10B, 0x8B
MICROCODE_VALUE = 0x100 << 32  # a revision in which all known errata are mended
# The CPU has none of the known side channels: RDCL_NO, IBRS_ALL, SKIP_L1DFL_VMENTRY, SSB_NO, MDS_NO, PSCHANGE_MC_NO, TAA_NO,
# SBDR_SSDP_NO, FBSDP_NO, PSDP_NO, BHI_NO, PBRSB_NO, GDS_NO, RFDS_NO, ITS_NO
CAPABILITIES = sum(1 << bit for bit in (0, 1, 3, 4, 5, 6, 8, 13, 14, 15, 20, 24, 26, 27, 62))

APIC_ENABLED = u64(1 << 11)
TOPOLOGY = 0xB
OSXSAVE_BIT, OSXSAVE_IN_CR4 = u64(1 << 27), u64(1 << 18)
LOW_HALF = u64(0xFFFF_FFFF)

_unicorn_rdmsr = external("helper_rdmsr_x86_64", None, Env)
_unicorn_wrmsr = external("helper_wrmsr_x86_64", None, Env)


@njit
def time_stamp(cpu: Cpu) -> u64:
    """The time stamp counter: all CPUs together see it never go backward, though their clocks are up to a quantum apart."""
    pc = Pc(cpu.board.devices)
    pc.last_tsc = max(pc.last_tsc, cpu.cycles)
    return pc.last_tsc + LocalApic(cpu.devices).tsc_adjust


def build_execute(layouts: Layouts) -> Callable[[Cpu, u64], None]:
    """execute(cpu, number): executes the instruction with this number in EXECUTED."""
    native = Native(layouts)
    execute_any = x86_64_instructions.build_execute(layouts)

    @native.njit
    def cpuid(cpu: Cpu, env: Env) -> None:
        """Answers from the table; leaves that are not in it are zeros. The APIC's number and OSXSAVE are the CPU's own."""
        pc, leaf, subleaf = Pc(cpu.board.devices), env.ax & LOW_HALF, env.cx & LOW_HALF
        env.ax = env.bx = env.cx = env.dx = u64(0)
        for n in range(pc.cpuid_count):
            row = pc.cpuid[n]
            if row.leaf == leaf and (not row.has_subleaf or row.subleaf == subleaf):
                env.ax, env.bx, env.cx, env.dx = row.ax, row.bx, row.cx, row.dx
                break
        if leaf == 1:
            env.bx |= cpu.index << 24
            if env.cr4 & OSXSAVE_IN_CR4:
                env.cx |= OSXSAVE_BIT
        elif leaf == TOPOLOGY:  # also beyond its last level, where everything else is 0
            env.cx |= subleaf & 0xFF
            env.dx = cpu.index

    @native.njit
    def rdmsr(cpu: Cpu, env: Env) -> None:
        apic, register = LocalApic(cpu.devices), env.cx & LOW_HALF
        value = u64(0)
        if register == TSC:
            value = time_stamp(cpu)
        elif register == APIC_BASE:
            value = apic.base
        elif register == TSC_ADJUST:
            value = apic.tsc_adjust
        elif register == MISC_ENABLE:
            value = apic.misc_enable
        elif register == ARCH_CAPABILITIES:
            value = u64(CAPABILITIES)
        elif register == SPEC_CTRL:
            value = apic.speculation
        elif register == MICROCODE:
            value = u64(MICROCODE_VALUE)
        elif register == TSC_AUX:
            value = apic.tsc_aux
        elif register == TSC_DEADLINE:
            value = apic_timer.deadline(cpu)
        else:
            _unicorn_rdmsr(env)
            return
        env.ax = value & LOW_HALF
        env.dx = value >> 32

    @native.njit
    def wrmsr(cpu: Cpu, env: Env) -> None:
        apic, register = LocalApic(cpu.devices), env.cx & LOW_HALF
        value = env.ax & LOW_HALF | env.dx << 32
        if register == TSC:
            apic_timer.adjust(cpu, value - (time_stamp(cpu) - apic.tsc_adjust))
        elif register == APIC_BASE:
            apic.base = apic.base & ~APIC_ENABLED | value & APIC_ENABLED  # it stays where it is
        elif register == TSC_ADJUST:
            apic_timer.adjust(cpu, value)
        elif register == MISC_ENABLE:
            apic.misc_enable = value
        elif register == SPEC_CTRL:
            apic.speculation = value
        elif register == TSC_AUX:
            apic.tsc_aux = value
        elif register == TSC_DEADLINE:
            apic_timer.set_deadline(cpu, value)
        elif register not in (PRED_CMD, FLUSH_CMD, ARCH_CAPABILITIES, MICROCODE):
            _unicorn_wrmsr(env)

    @native.njit
    def execute(cpu: Cpu, number: u64) -> None:
        env = Env(cpu.env)
        if number == CPUID:
            cpuid(cpu, env)
        elif number == RDMSR:
            rdmsr(cpu, env)
        elif number == WRMSR:
            wrmsr(cpu, env)
        else:
            execute_any(cpu, number)

    return execute


def build_hooks(layouts: Layouts) -> Sequence[tuple[int, int]]:
    """(Unicorn's number of an instruction, address of the hook that executes it)"""
    native = Native(layouts)

    @native.njit
    def read_time(cpu: Cpu, env: Env) -> None:
        value = time_stamp(cpu)
        env.ax = value & LOW_HALF
        env.dx = value >> 32

    @native.callback
    def rdtsc(uc: Uc, cpu: Cpu) -> i32:
        read_time(cpu, Env(cpu.env))
        return x86_64_instructions.DONE

    @native.callback
    def rdtscp(uc: Uc, cpu: Cpu) -> i32:
        """RDTSCP: the time stamp counter, and IA32_TSC_AUX in ECX."""
        env = Env(cpu.env)
        read_time(cpu, env)
        env.cx = LocalApic(cpu.devices).tsc_aux & LOW_HALF
        return x86_64_instructions.DONE

    return (
        (x86.UC_X86_INS_RDTSC, rdtsc.address),
        (x86.UC_X86_INS_RDTSCP, rdtscp.address),
        *port_access.build_hooks(layouts),
    )
