# SPDX-License-Identifier: GPL-2.0-only
"""Counts for each function: a CPU's counts until it reaches another function belong to the previous one.

Each function of the kernel's image has a row of counts. A program has one row for all of its code, found by its task's name.
Each block of other code (modules, and code written by tracing) has one too, found by its address.
"""

from __future__ import annotations

from emu.cpu.native.cpu_records import Cpu
from emu.cpu.native.timing.profile_record import COUNTED, Profile, ProfiledCpu, Row
from emu.native.functions import callback, njit, shared
from emu.native.records import Words, u64

__all__ = ["OF_AN_ADDRESS", "OF_A_NAME", "account_now", "block_begins", "enter"]

OF_AN_ADDRESS = u64(0xFFFF_FFFF_FFFF_FFFF)  # second word of the key of an address
OF_A_NAME = u64(1 << 56)  # a bit in the last byte of a name, which is 0
FULL_SHIFT = 2  # a quarter of the keys stays free
MIX, MIX_SHIFT = 0x9E37_79B9_7F4A_7C15, 40


@njit
def account(cpu: Cpu, own: ProfiledCpu) -> None:
    """Adds the CPU's counts since it reached the present function to that function's row."""
    row, base, timing = own.row, own.base, cpu.timing
    if timing is not None:
        counts = timing.counts
        for n in range(u64(COUNTED)):
            row.counts[n] += counts[n] - base.counts[n]
            base.counts[n] = counts[n]
    cycles, instructions = cpu.cycles - cpu.slept, cpu.instructions
    row.cycles += cycles - base.cycles
    row.instructions += instructions - base.instructions
    base.cycles = cycles
    base.instructions = instructions


@njit
def row_of_key(profile: Profile, first: u64, second: u64) -> Row:
    """The row for code outside the image. If there is no room, it shares the row after all others."""
    mask = profile.key_mask
    slot = (first ^ second) * MIX >> MIX_SHIFT & mask
    while True:
        key = profile.keys[slot]
        known = key.second
        if known == 0:
            used = profile.keys_used
            if used >= mask - (mask >> FULL_SHIFT):
                slot = mask + 1
                break
            profile.keys_used = used + 1
            key.first = first
            key.second = second
            break
        if known == second and key.first == first:
            break
        slot = slot + 1 & mask
    return profile.rows[profile.functions + slot]


@njit
def move_to(own: ProfiledCpu, row: Row, low: u64, size: u64) -> None:
    """The CPU executes another function from now on."""
    own.row = row
    own.low = low
    own.size = size


@njit
def move_to_program(profile: Profile, own: ProfiledCpu) -> None:
    """The CPU executes a program. Until it returns to the kernel, the task and its name do not change."""
    first = second = u64(0)
    physical = own.current_task[0] - profile.direct_start
    if physical < profile.ram_size:
        comm = Words(profile.ram.address + physical + profile.comm)
        first, second = comm[0], comm[1]
    move_to(own, row_of_key(profile, first, second | OF_A_NAME), u64(0), profile.user_end)


@njit
def move_in_image(profile: Profile, own: ProfiledCpu, address: u64) -> None:
    """The CPU executes a function of the image."""
    low, high, end = u64(0), profile.functions, profile.end
    while high - low > 1:
        middle = low + high >> 1
        start = profile.starts[middle]
        if start <= address:
            low = middle
        else:
            high, end = middle, start
    begin = profile.starts[low]
    move_to(own, profile.rows[low], begin, end - begin)


@shared
def enter(cpu: Cpu, address: u64) -> None:
    """A block begins at an address."""
    profile = cpu.board.profile_record
    own = profile.cpus[cpu.index]
    if address - own.low < own.size:
        return
    account(cpu, own)
    if address < profile.user_end:
        move_to_program(profile, own)
    elif profile.starts[0] <= address < profile.end:
        move_in_image(profile, own, address)
    else:
        move_to(own, row_of_key(profile, address, OF_AN_ADDRESS), address, u64(1))


@callback
def block_begins(cpu: Cpu, address: u64) -> None:
    """The board's `profile`."""
    enter(cpu, address)


@shared
def account_now(cpu: Cpu, profile: Profile) -> None:
    """Adds the CPU's counts so far to the rows."""
    account(cpu, profile.cpus[cpu.index])
