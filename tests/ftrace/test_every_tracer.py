# SPDX-License-Identifier: GPL-2.0-only
"""Each tracer on one CPU, on several and on many: it can be set, records, and can be removed; two runs give the same results."""

from __future__ import annotations

import pytest

from emu.cpu import arch as cpu_arch
from emu.machine import Machine
from tests.lib.booted_machine import booted_machine

WORK = "chrt -f 5 usleep 1500; ls /bin | sed s/[aeiou]/z/g > /dev/null & busy 2 1 > /dev/null; wait"
# These record nothing without a disk, a device or a task with a deadline; hwlat finds nothing on a machine without SMIs.
SILENT = {"blk", "mmiotrace", "hwlat", "wakeup_dl", "nop"}
# Threads of the guest measure on each CPU for a small part of the time: 64 CPUs that are never idle would take the host long.
RECORD = {
    "hwlat_detector/width": "500", "hwlat_detector/window": "10000",
    "osnoise/runtime_us": "500", "osnoise/period_us": "10000", "osnoise/timerlat_period_us": "5000",
}  # fmt: skip


def traces(machine: Machine) -> dict[str, str]:
    """The trace of the same work by each tracer."""
    tracefs = machine.tracefs
    tracefs.write("set_ftrace_filter", "schedule vfs_*")
    found = {}
    for path, text in RECORD.items():
        tracefs.write(path, text)
    for tracer in tracefs.read("available_tracers").split():
        tracefs.write("current_tracer", tracer)
        assert machine.run(WORK).status == 0
        tracefs.write("tracing_on", "0")
        found[tracer] = tracefs.read("trace")
        tracefs.write("current_tracer", "nop")
        tracefs.write("tracing_on", "1")
    assert machine.warnings == []
    return found


@pytest.mark.parametrize("cpus", [1, 4, pytest.param(64, marks=pytest.mark.long("64 CPUs", but="x86_64"))])
def test_on_few_cpus_and_on_many(arch: str, cpus: int) -> None:
    with booted_machine(arch, cpus=min(cpus, cpu_arch.load(arch).max_cpus)) as machine:
        before = machine.checkpoint()
        found = traces(machine)
        for tracer, text in found.items():
            assert text.startswith(f"# tracer: {tracer}\n#\n")
            lines = [line for line in text.splitlines() if not line.startswith("#")]
            assert (len(lines) == 0) == (tracer in SILENT), tracer
        if cpus == 4:
            machine.restore(before)
            assert traces(machine) == found
