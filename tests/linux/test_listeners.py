# SPDX-License-Identifier: GPL-2.0-only
"""Listeners at a thousand instructions of a Linux's kernel: how often they are called, and that nothing else changes."""

from __future__ import annotations

import hashlib
import random

import numpy as np
import pytest
import unicorn

from emu.cpu.internals import add_native_hook
from emu.linux.machine import LinuxMachine
from emu.linux.symbols import Symbols
from tests.cpu.test_listeners import count, executed

pytestmark = pytest.mark.static_timing("an unmodified Linux has no other timing model")

COMMAND = "ls -l /bin | wc; (sleep 0.01; echo a) & cat /proc/vmstat | sort | head -n 3; wait"


def run(machine: LinuxMachine) -> tuple[object, ...]:
    """What the machine is after the command."""
    done = machine.run(COMMAND)
    cpus = [(cpu.cycles, cpu.instructions, dict(cpu.registers())) for cpu in machine.board.cpus]
    return done, cpus, hashlib.sha256(machine.board.ram).hexdigest()


@pytest.mark.long("every instruction of a machine is counted")
def test_listeners_are_called_as_often_as_instructions_are_executed(
    machine: LinuxMachine, kept_machines: object, real_symbols: Symbols
) -> None:
    expected = run(machine)
    first, end = (real_symbols.address(name) or 0 for name in ("_stext", "_etext"))
    log = np.zeros(2 + end - first, np.uint64)
    log[:2] = first, end - first
    with LinuxMachine(kernel=machine.config.kernel) as counted:
        for cpu in counted.board.cpus:
            add_native_hook(cpu.uc, unicorn.UC_HOOK_CODE, executed.address, log.ctypes.data)
            cpu.forget_all()
        assert run(counted) == expected
    places = np.array(random.Random(3).sample(np.flatnonzero(log[2:]).tolist(), 1000))
    counters = np.zeros(1000, np.uint64)
    with LinuxMachine(kernel=machine.config.kernel) as listened:
        arguments = counters.ctypes.data + 8 * np.arange(1000, dtype=np.uint64)
        listened.board.callouts.listen_all(places.astype(np.uint64) + np.uint64(first), count, arguments)
        assert run(listened) == expected
    different = np.flatnonzero(counters != log[2 + places])
    assert len(different) < 20
    assert np.all((counters > 0) & (counters <= log[2 + places]))  # a repeated string instruction is told once
