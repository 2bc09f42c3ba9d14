# SPDX-License-Identifier: GPL-2.0-only
"""How fast a core takes a block in, if nothing has to wait: dispatch, ports, and the store queue. In twelfths of a cycle."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from emu.cpu.arch.x86_64.operations import Instruction
from emu.cpu.timing.core import Core

__all__ = ["dispatched", "issue_time"]

_CYCLE = 12
_NEIGHBOURS = 32  # bytes: stores no farther apart are taken to be in one line


def dispatched(code: Sequence[Instruction], core: Core) -> list[int]:
    """How many slots of dispatch each instruction takes."""
    slots = [instruction.slots for instruction in code]
    for n, (before, after) in enumerate(pairwise(code), 1):
        jumps = after.mnemonic.startswith("j") and after.mnemonic != "jmp"
        if jumps and before.mnemonic in core.fused_with_jump and not before.stores:
            slots[n] = 0
    if core.nops_fused and slots:
        for n, instruction in enumerate(code):
            if instruction.mnemonic == "nop" and slots[n - 1]:  # the first of a loop follows the last
                slots[n] = 0
    return slots


def issue_time(code: Sequence[Instruction], core: Core) -> int:
    """The most that one of the core's resources is in use."""
    slots = _CYCLE * sum(dispatched(code, core)) // core.width
    return max(slots, _ports(code, core), _stores(code, core))


def _ports(code: Sequence[Instruction], core: Core) -> int:
    """Of the most loaded set of ports: the micro-operations that can go nowhere else, over their number."""
    masks: Counter[int] = Counter()
    for instruction in code:
        masks.update(instruction.ports)
        masks[core.load_ports] += len(instruction.loads)
        masks[core.store_ports] += len(instruction.stores)
    unions = {mask for mask, count in masks.items() if count}
    for mask in list(unions):
        unions |= {mask | other for other in unions}
    loads = (_CYCLE * sum(n for mask, n in masks.items() if not mask & ~union) // union.bit_count() for union in unions)
    return max(loads, default=0)


def _stores(code: Sequence[Instruction], core: Core) -> int:
    """Stores leave the store queue one a cycle; two together if they follow each other into one line."""
    stores = [(place, instruction.stack) for instruction in code for place in instruction.stores]
    time = n = 0
    while n < len(stores):
        pair = False
        if core.store_pair and n + 1 < len(stores):
            (first, stack), (second, next_stack) = stores[n : n + 2]
            near = bool(stack) or abs(first.displacement - second.displacement) < _NEIGHBOURS
            pair = first[:3] == second[:3] and bool(stack) == bool(next_stack) and near
        time += _CYCLE + (1 if pair and stores[n][1] else 0)
        n += 2 if pair else 1
    return time if n > 1 else time * 5 // 8  # one alone also pairs with those of other blocks
