# SPDX-License-Identifier: GPL-2.0-only
"""What `cpuid` says on a PC (SDM volume 2A, CPUID, table 3-8).

Unicorn's own answers are the beginning, since they name what its translator accepts. They are changed where the board differs:
its clocks need no calibration, caches belong to one core each, and there is no random number generator and no MONITOR.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass, replace

import unicorn
from unicorn import x86_const as x86

__all__ = ["CRYSTAL", "Answer", "answers"]

CRYSTAL = 25_000_000  # Hz, of the clock that drives the APICs' timers
_HIGHEST, _HIGHEST_EXTENDED = 0x16, 0x8000_0008

# Leaves with several subleaves, and how many
_SUBLEAVES = {0x4: 4, 0x7: 3, 0xB: 2, 0xD: 3}
_LEAVES = (*range(_HIGHEST + 1), *range(0x8000_0000, _HIGHEST_EXTENDED + 1))

_INSTRUCTION = b"\x0f\xa2"
_RESULTS = (x86.UC_X86_REG_EAX, x86.UC_X86_REG_EBX, x86.UC_X86_REG_ECX, x86.UC_X86_REG_EDX)


@dataclass(frozen=True)
class Answer:
    """The registers after `cpuid`. `subleaf` is None if ECX does not matter."""

    leaf: int
    subleaf: int | None
    eax: int = 0
    ebx: int = 0
    ecx: int = 0
    edx: int = 0


@functools.cache
def _unicorn_answers() -> tuple[Answer, ...]:
    """The answers of Unicorn's default CPU."""
    uc = unicorn.Uc(unicorn.UC_ARCH_X86, unicorn.UC_MODE_64)
    uc.mem_map(0, 0x1000)
    uc.mem_write(0, _INSTRUCTION)
    found = []
    for leaf in _LEAVES:
        for subleaf in range(_SUBLEAVES.get(leaf, 1)):
            uc.reg_write(x86.UC_X86_REG_RAX, leaf)
            uc.reg_write(x86.UC_X86_REG_RCX, subleaf)
            uc.emu_start(0, len(_INSTRUCTION))
            found.append(Answer(leaf, subleaf if leaf in _SUBLEAVES else None, *map(uc.reg_read, _RESULTS)))
    return tuple(found)


def _bits(*numbers: int) -> int:
    return sum(1 << number for number in numbers)


def answers(cpus: int, frequency: int) -> list[Answer]:
    """The answers on a board with so many CPUs at a frequency in Hz. The APIC's number and OSXSAVE are left to the CPU."""
    return [_changed(answer, cpus, frequency) for answer in _unicorn_answers()]


def _changed(answer: Answer, cpus: int, frequency: int) -> Answer:
    leaf, subleaf = answer.leaf, answer.subleaf
    match leaf:
        case 0:
            return replace(answer, eax=_HIGHEST)
        case 0x1:  # APIC number; ECX: MONITOR, x2APIC, TSC deadline, OSXSAVE, RDRAND, hypervisor; EDX: several CPUs
            ecx = answer.ecx & ~_bits(3, 21, 27, 30, 31) | _bits(24)
            edx = answer.edx & ~_bits(28) | (_bits(28) if cpus > 1 else 0)
            return replace(answer, ebx=answer.ebx & 0xFF00 | cpus << 16, ecx=ecx, edx=edx)
        case 0x4 if answer.eax & 0x1F:  # a cache of one CPU; each CPU is a core of the package
            return replace(answer, eax=answer.eax & 0x3FFF | (cpus - 1) << 26)
        case 0x6:  # the APIC timer does not stop (ARAT)
            return Answer(leaf, subleaf, eax=_bits(2))
        case 0x7:  # EDX: IBRS, STIBP, ARCH_CAPABILITIES, SSBD, and BHI_CTRL: the CPU has no known side channels, and says so
            if subleaf == 0:
                return replace(answer, eax=2, edx=_bits(26, 27, 29, 31))
            return Answer(leaf, subleaf, edx=_bits(4) if subleaf == 2 else 0)
        case 0xB if subleaf is not None:  # topology: one thread per core, all cores in one package
            shift, count = ((cpus - 1).bit_length(), cpus) if subleaf else (0, 1)
            return Answer(leaf, subleaf, eax=shift, ebx=count, ecx=subleaf | (subleaf + 1) << 8)
        case 0x15:  # the time stamp counter's frequency, as a ratio to the crystal's
            common = math.gcd(frequency, CRYSTAL)
            return Answer(leaf, subleaf, CRYSTAL // common, frequency // common, CRYSTAL)
        case 0x16:  # MHz: base, maximum, bus
            return Answer(leaf, subleaf, frequency // 1_000_000, frequency // 1_000_000, 100)
        case 0x2 | 0xD | 0x8000_0000:
            return replace(answer, eax=_HIGHEST_EXTENDED) if leaf == 0x8000_0000 else answer
        case 0x8000_0007:  # the time stamp counter is invariant
            return replace(answer, edx=_bits(8))
        case 0x3 | 0x5 | 0x8 | 0x9 | 0xA | 0xC | 0xE | 0xF | 0x10 | 0x11 | 0x12 | 0x13 | 0x14:
            return Answer(leaf, subleaf)
        case _:
            return answer
