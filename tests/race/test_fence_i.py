# SPDX-License-Identifier: GPL-2.0-only
"""FENCE.I acts on the CPU that executes it: the guest's CPUs do after each wait, and must.

The row 2024-release-without-flush, without a fetch model: the CPUs' own translations are the stale code.
"""

from __future__ import annotations

import numpy as np
import pytest

from emu.ftrace.sites.patching import Patch
from emu.machine import Machine
from emu.race.machine.lab_module import LabModule, LabSite
from tests.lib.booted_machine import booted_machine
from tests.lib.directed import directing

FENCE_I, NOP = bytes.fromhex("0f 10 00 00"), bytes.fromhex("13 00 00 00")
_FUNCTION = 72  # bytes: the longer one of the two functions
_ROUND = 20  # blocks: from home to a site and back


def without_fence(machine: Machine, function: str) -> None:
    """The guest's function gets nops where it has FENCE.I."""
    memory, at = machine.kernel.memory, machine.kernel.image.symbol(function)
    code = memory.read(at, _FUNCTION)
    assert FENCE_I in code
    place = memory.physical(at)
    machine.board.write_code(place, code.replace(FENCE_I, NOP))
    for cpu in machine.board.cpus:
        cpu.fetch_anew(np.array([[place, place + _FUNCTION]], np.uint64))


def called_after(machine: Machine, protocol: str) -> list[bool]:
    """Makes a site a call while each CPU executes it. Returns whether each CPU makes the call afterwards."""
    driver, arch, lab = machine.patching, machine.ftrace.arch, LabModule(machine.kernel)
    site: LabSite = lab.sites[0][0]
    caller = machine.kernel.image.symbol("ftrace_caller")
    with directing(machine, lab):
        for cpu in machine.board.cpus:
            lab.visit(cpu.index, site)
            for _ in range(3):
                machine.kernel.run_to(cpu, [lab.home], _ROUND)
        finished: list[bool] = []
        driver.protocol = protocol
        driver.start([Patch(site.address, arch.nop, arch.call(site.address, caller))], lambda: finished.append(True))
        machine.advance(50_000)
        assert finished == [True]
        return [machine.kernel.run_to(cpu, [caller], _ROUND) for cpu in machine.board.cpus]


@pytest.mark.parametrize(
    ("protocol", "function"), [("stop_machine", "upcall_stop_machine"), ("flush", "upcall_sync_core")]
)
def test_a_cpu_sees_the_new_word_only_after_its_own_fence(protocol: str, function: str) -> None:
    for mutant in (False, True):
        with booted_machine("riscv64", cpus=2) as machine:
            assert machine.run("modprobe race_lab").status == 0
            if mutant:
                without_fence(machine, function)
            assert called_after(machine, protocol) == [not mutant] * 2
