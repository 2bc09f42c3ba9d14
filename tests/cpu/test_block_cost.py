# SPDX-License-Identifier: GPL-2.0-only
"""The cost of a block is computed when the block is translated, not at each execution."""

from __future__ import annotations

from emu.cpu.timing import BlockCost
from emu.machine import Machine


def test_what_has_run_before_is_not_asked_for_again(arch: str) -> None:
    """Except for blocks that are translated again: programs, and blocks that the CPU translates for each of its modes."""
    asked = []
    with Machine(arch=arch, cpus=1) as machine:
        model = machine.board._static_timing

        class Counting:
            def block(self, code: bytes, address: int) -> BlockCost:
                asked.append((address, bytes(code)))
                return model.block(code, address)

        machine.board._static_timing = Counting()
        machine.board.record.known = None  # which would answer before
        for _ in range(4):  # until softirqs have run in both modes, after system calls and after interrupts of programs
            machine.run("ls /bin | wc")
        before = set(asked)
        assert len(before) > 1000
        asked.clear()
        machine.run("ls /bin | wc")
    assert len(before.intersection(asked)) * 50 < len(before)
