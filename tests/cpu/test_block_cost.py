# SPDX-License-Identifier: GPL-2.0-only
"""What blocks cost is looked up, not found out again."""

from __future__ import annotations

from emu.cpu.timing import BlockCost
from emu.machine import Machine


def test_what_has_run_before_is_not_decoded_again(arch: str) -> None:
    """Also where blocks of two sizes begin at one place, as after an instruction that turns interrupts on."""
    decoded = []
    with Machine(arch=arch, cpus=1) as machine:
        model = machine.board._timing

        class Counting:
            def block(self, code: bytes, address: int) -> BlockCost:
                decoded.append((address, bytes(code)))
                return model.block(code, address)

        machine.board._timing = Counting()
        machine.run("ls /bin | wc")
        before = set(decoded)
        assert len(before) > 1000
        decoded.clear()
        machine.run("ls /bin | wc")
    assert before.isdisjoint(decoded)
