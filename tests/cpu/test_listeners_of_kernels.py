# SPDX-License-Identifier: GPL-2.0-only
"""Listeners in a function of the guest's kernel: they see both program counters, and the machine does not notice."""

from __future__ import annotations

import itertools

from emu.cpu.cpu import Cpu
from tests.lib.booted_machine import booted_machine

COMMAND = "cat /proc/version"
_SIZE = 0xC0


def test_each_instruction_is_seen_and_the_next_one_is_known(arch: str) -> None:
    """Where an instruction's next program counter is in the function, that is what is executed next, in delay slots too."""
    seen: list[tuple[int, int, int]] = []
    with booted_machine(arch) as machine:
        start = machine.board.now
        without = machine.run(COMMAND).output, machine.board.now - start
    with booted_machine(arch) as machine:

        def hit(cpu: Cpu, argument: int) -> None:
            seen.append((cpu.index, cpu.pc, cpu.record.next_location[0]))

        board, begin = machine.board, machine.kernel.image.symbol("vfs_read")
        handler = board.python_handler(hit)
        places = range(begin, begin + _SIZE, board.arch.instruction_alignment)
        listening = [board.callouts.listen(place, handler, place) for place in places]
        start = board.now
        assert (machine.run(COMMAND).output, board.now - start) == without
        for one in listening:
            board.callouts.unlisten(one)
    assert len({pc for _, pc, _ in seen}) > 20
    if arch == "sparc64":
        pairs = [(one, two) for one, two in itertools.pairwise(seen) if one[0] == two[0] and one[2] in places]
        assert len(pairs) > 20
        assert [one for one, two in pairs if one[2] != two[1]] == []
