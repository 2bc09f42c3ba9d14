# SPDX-License-Identifier: GPL-2.0-only
"""How fast a core accepts a block if nothing has to wait: dispatch, ports, and the store queue. In parts of a cycle."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from emu.cpu.timing import CYCLE
from emu.cpu.timing.core import Core
from emu.cpu.timing.instructions import Instruction

__all__ = ["dispatched", "issue_time", "store_runs", "store_time"]

_LINE = 64  # bytes
_LOCKED = 1 << 16  # an additional port, for locked instructions


def dispatched(code: Sequence[Instruction], core: Core) -> list[int]:
    """The number of dispatch slots of each instruction."""
    slots = [instruction.slots for instruction in code]
    for n, (before, after) in enumerate(pairwise(code), 1):
        jumps = after.mnemonic.startswith("j") and after.mnemonic != "jmp"
        if jumps and before.mnemonic in core.fused_with_jump and not before.stores and not before.loads:
            slots[n] = 0
    if core.nops_fused and slots:
        for n, instruction in enumerate(code):
            if instruction.mnemonic == "nop" and slots[n - 1]:  # in a loop, the first instruction follows the last
                slots[n] = 0
    return slots


def issue_time(code: Sequence[Instruction], slots: Sequence[int], core: Core) -> int:
    """How long dispatch, or the most loaded set of ports, is busy."""
    size = sum(instruction.size for instruction in code)
    dispatch = round(CYCLE * sum(slots) / core.width + core.line * size / _LINE)
    return max(dispatch, _ports(code, core))


def _ports(code: Sequence[Instruction], core: Core) -> int:
    """For the most loaded set of ports: the number of micro-operations that can only use it, divided by the number of ports."""
    masks: Counter[int] = Counter()
    loaded: set[int] = set()
    for instruction in code:
        for mask in instruction.ports:
            masks[mask] += CYCLE
        for place in instruction.loads:
            time = core.load_busy if loaded.isdisjoint(instruction.addresses) else core.load_busy_late
            ports = core.load_vector_ports if instruction.vector else core.load_ports
            masks[ports] += time + (core.segment if place.segment else 0)
            loaded.update(instruction.writes)
        if instruction.locked:
            masks[_LOCKED] += CYCLE * instruction.locked
        if instruction.stores:
            masks[core.store_ports] += CYCLE * len(instruction.stores)
    unions = set(masks)
    for mask in masks:
        unions |= {mask | other for other in unions}
    loads = (sum(n for mask, n in masks.items() if not mask & ~union) // union.bit_count() for union in unions)
    return max(loads, default=0)


def store_time(code: Sequence[Instruction], core: Core) -> int:
    """How long the store queue is busy: two stores leave it per cycle, if both go to one aligned block of memory."""
    runs = store_runs(code, core)
    return max(CYCLE * sum(runs) // 2, CYCLE * len(runs) if len(runs) > 1 else 0)


def store_runs(code: Sequence[Instruction], core: Core) -> list[int]:
    """The half cycles taken by each run of consecutive stores to one block of memory, if the code is repeated.

    Base registers are assumed to be aligned, and the stack pointer to have its most common alignment.
    """
    runs: list[int] = []
    blocks: list[tuple[int, ...]] = []
    stack = 0
    for instruction in code:
        for place in instruction.stores:
            displacement = place.displacement + (stack if place.base == core.registers.stack_pointer else 0)
            block = (place.base, place.scaled, place.scale, displacement // core.store_block)
            if not blocks or blocks[-1] != block:
                blocks.append(block)
                runs.append(0)
            runs[-1] += 2 if instruction.vector else 1
        stack += instruction.stack
    if len(runs) > 1 and blocks[0] == blocks[-1]:
        runs[0] += runs.pop()
    return runs
