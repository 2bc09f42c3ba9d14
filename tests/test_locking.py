# SPDX-License-Identifier: GPL-2.0-only
"""Sleeping locks: who has one has it alone, or with other readers, and is never earlier than who had it before."""

from __future__ import annotations

import pytest

from emu.machine import Machine
from tests.arches import FACTS


@pytest.mark.parametrize("size", [0, 1, 2], ids=["one", "few", "many"])
@pytest.mark.parametrize("quantum", [50, 1000])
def test_writers_are_alone_and_nobody_goes_back_in_time(arch: str, size: int, quantum: int) -> None:
    with Machine(arch=arch, cpus=FACTS[arch].cpus[size], quantum=quantum) as machine:
        machine.tracefs.write("set_ftrace_filter", "rwsem_down_*_slowpath")
        machine.tracefs.write("current_tracer", "function")
        assert machine.run("echo RWSEM > /dev/lkdtm").status == 0
        assert machine.warnings == []
        trace = machine.tracefs.read("trace")
    for name in ("rwsem_down_read_slowpath <-down_read", "rwsem_down_write_slowpath <-down_write"):
        assert name in trace


def test_one_of_those_who_want_a_page_is_woken() -> None:
    """They fault on the same page of a program; each that has had it wakes the next, not all."""
    with Machine(arch="sparc64", cpus=64) as machine:
        machine.tracefs.write("set_ftrace_filter", "__folio_lock autoremove_wake_function")
        machine.tracefs.write("current_tracer", "function")
        numbers = "1 2 3 4 5 6 7 8 9 10 11 12"
        assert machine.run(f"for a in {numbers}; do (for b in {numbers}; do spin 1 & done; wait) & done; wait").status == 0
        trace = machine.tracefs.read("trace")
    waits, wakes = trace.count(" __folio_lock <-"), trace.count(" autoremove_wake_function <-wake_page_function")
    assert waits >= 10
    assert wakes < 2 * waits
