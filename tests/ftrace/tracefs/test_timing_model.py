# SPDX-License-Identifier: GPL-2.0-only
"""timing_model names the machine's models."""

from __future__ import annotations

import errno

import pytest

from emu.ftrace.errors import TraceError
from emu.machine import Machine
from tests.lib.booted_machine import booted_machine


@pytest.mark.static_timing("it is about that model")
def test_the_static_model_follows_no_cpu(machine: Machine) -> None:
    assert machine.tracefs.read("timing_model") == "static\n"
    with pytest.raises(TraceError) as refused:
        machine.tracefs.write("timing_model", "caches")
    assert refused.value.errno == errno.EINVAL


def test_the_others_do() -> None:
    with booted_machine("x86_64", cpus=1, timing="caches", cpu_model="zen4") as machine:
        assert machine.tracefs.read("timing_model") == "caches zen4\n"
        assert machine.run("cat /sys/kernel/tracing/timing_model").output == b"caches zen4\n"
