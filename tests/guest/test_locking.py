# SPDX-License-Identifier: GPL-2.0-only
"""Sleeping locks: a holder is alone, or with other readers, and holders do not overlap in time."""

from __future__ import annotations

import pytest

from emu.machine import Machine
from tests.lib.arches import FACTS


@pytest.mark.parametrize(("size", "quantum"), [(0, 1000), (1, 50), (2, 1000)], ids=["one", "few", "many"])
def test_writers_are_alone_and_nobody_goes_back_in_time(arch: str, size: int, quantum: int) -> None:
    with Machine(arch=arch, cpus=FACTS[arch].cpus[size], quantum=quantum) as machine:
        machine.tracefs.write("set_ftrace_filter", "rwsem_down_*_slowpath")
        machine.tracefs.write("current_tracer", "function")
        assert machine.run("echo RWSEM > /dev/lkdtm").status == 0
        assert machine.warnings == []
        trace = machine.tracefs.read("trace")
    for name in ("rwsem_down_read_slowpath <-down_read", "rwsem_down_write_slowpath <-down_write"):
        assert name in trace
